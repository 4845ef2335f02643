//! Bodies made in code: no file, no licence, always there.

mod rabbit;
mod rabbit_parts;
pub mod shapes;

pub use rabbit::rabbit;
