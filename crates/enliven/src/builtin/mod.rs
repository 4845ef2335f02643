//! Bodies made in code: no file, no licence, always there.

mod creature;
mod creature_leaf;
mod creature_surface;
pub mod drift;
mod rabbit;
mod rabbit_parts;
pub mod shapes;
mod spirit;

pub use creature::{creature, creature_anatomy, creature_statue};
pub use rabbit::rabbit;
pub use spirit::{SpiritLook, spirit};
