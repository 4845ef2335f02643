//! Reads and writes the files of 3D characters.
//!
//! Bytes in, a [`Character`](enliven::Character) out, in one of two ways: one coded [`Error`] when
//! the file's structure cannot be trusted, or an [`Import`] with the character and the coded
//! [`Diagnostic`]s of every part that was replaced or left out.
//!
//! ```no_run
//! let fox = enliven_io::import_file("Fox.glb", &enliven_io::Limits::default())?;
//! for found in &fox.diagnostics {
//!     eprintln!("{found}");
//! }
//! println!("{} joints", fox.character.rig.skeleton.len());
//! # Ok::<(), enliven_io::Error>(())
//! ```

pub mod bvh;
mod bytes;
pub mod clip_json;
mod error;
mod fetch;
#[cfg(not(target_arch = "wasm32"))]
mod file;
mod findings;
pub mod gltf;
mod limits;
mod meshopt;
mod place;
pub mod rigfile;
mod vrm;

pub use bytes::Bytes;
pub use enliven::{Diagnostic, Severity};
pub use error::{Error, GlbFault, LimitKind};
#[cfg(not(target_arch = "wasm32"))]
pub use fetch::Folder;
pub use fetch::{Fetch, FetchError, NoFiles};
#[cfg(not(target_arch = "wasm32"))]
pub use file::{import_file, read_file};
pub use gltf::{Import, Options, import};
pub use limits::Limits;
pub use place::Place;
