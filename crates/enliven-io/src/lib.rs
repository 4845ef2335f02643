//! Reads and writes the files of 3D characters.
//!
//! Bytes in, a [`enliven`] character out, in one of two ways: one coded [`Error`] when the file's
//! structure cannot be trusted, or a character and the coded [`Diagnostic`]s of every part that was
//! replaced or left out.

mod bytes;
mod diagnostic;
mod limits;

pub mod gltf;

pub use bytes::Bytes;
pub use diagnostic::{Diagnostic, Place, Severity};
pub use limits::Limits;
