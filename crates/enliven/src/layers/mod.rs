//! Layers that come with the crate.

mod blink;
mod breathe;
mod clips;
mod dangle;
mod ears;
mod eyeball;
mod foot_lock;
mod from_state;
mod gaze;
mod glance;
mod held_leaf;
mod idle;
mod inertialize;
mod life;
mod locomotion;
mod tree;

pub use blink::{Blink, Lids};
pub use breathe::Breathe;
pub use clips::{ClipSlot, Clips};
pub use dangle::{Dangle, DangleParams};
pub use ears::Ears;
pub use foot_lock::{FootLock, FootLockParams};
pub use from_state::{FromState, motion_from_state};
pub use gaze::Gaze;
pub use glance::Glance;
pub use held_leaf::{HeldLeaf, LEAF_CHANNELS};
pub use idle::Idle;
pub use inertialize::Inertialize;
pub use life::Life;
pub use locomotion::{Gait, Locomotion};
pub use tree::{Blend, ParamId, Tree};
