//! What a character attends to, when it blinks and flicks an ear: plain state, no joints.
//!
//! A [`Mind`] reads [`Senses`] and gives [`Targets`]: angles that springs have smoothed already.
//! The layers [`Gaze`](crate::layers::Gaze), [`Blink`](crate::layers::Blink),
//! [`Ears`](crate::layers::Ears) and [`Breathe`](crate::layers::Breathe) turn them into a pose of
//! whatever body there is.

mod attention;
mod blink;
mod ears;
mod params;
mod think;

pub use attention::{Attention, Interest, Point, check_triggers};
pub use blink::{BlinkParams, Blinker};
pub use ears::EarParams;
pub use params::{GazeParams, GlanceParams, LookParams, MindParams, Mood};
pub use think::{Counts, Mind, Senses, Targets};
