//! What a character attends to, and when it blinks: plain state, no joints.

mod blink;

pub use blink::{BlinkParams, Blinker};
