//! Layers that come with the crate.

mod blink;
mod clips;
mod inertialize;

pub use blink::{Blink, Lids};
pub use clips::{ClipSlot, Clips};
pub use inertialize::Inertialize;
