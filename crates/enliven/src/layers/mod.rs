//! Layers that come with the crate.

mod blink;
mod clips;
mod foot_lock;
mod from_state;
mod glance;
mod idle;
mod inertialize;
mod locomotion;
mod tree;

pub use blink::{Blink, Lids};
pub use clips::{ClipSlot, Clips};
pub use foot_lock::{FootLock, FootLockParams};
pub use from_state::{FromState, motion_from_state};
pub use glance::Glance;
pub use idle::Idle;
pub use inertialize::Inertialize;
pub use locomotion::{Gait, Locomotion};
pub use tree::{Blend, ParamId, Tree};
