//! Values of options, each with what it accepts and how it complains.

mod camera;
mod clip;
mod colour;
mod life;
mod size;
mod talk;

pub use camera::Camera;
pub use clip::{ClipOption, Cue};
pub use colour::Background;
pub use life::{LifeOptions, LifeWish, read as read_rig};
pub use size::Size;
pub use talk::{Talk, TalkOptions};
