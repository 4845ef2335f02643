//! Layers that come with the crate.

mod clips;

pub use clips::{ClipSlot, Clips};
