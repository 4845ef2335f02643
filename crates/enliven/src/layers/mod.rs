//! Layers that come with the crate.

mod blink;
mod clips;

pub use blink::{Blink, Lids};
pub use clips::{ClipSlot, Clips};
