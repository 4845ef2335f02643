//! A held leaf or umbrella in the wind: a stem that bends as a cantilever, and a blade that rides
//! its tip (A13–A15). Plain state; [`HeldLeaf`](crate::layers::HeldLeaf) writes the pose.

mod gusts;
mod physics;

pub use gusts::Gusts;
pub use physics::{Air, Leaf, LeafParams, LeafState};
