//! Layers that come with the crate.

mod blink;
mod clips;
mod foot_lock;
mod inertialize;
mod tree;

pub use blink::{Blink, Lids};
pub use clips::{ClipSlot, Clips};
pub use foot_lock::{FootLock, FootLockParams};
pub use inertialize::Inertialize;
pub use tree::{Blend, ParamId, Tree};
