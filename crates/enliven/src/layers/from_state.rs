//! The layers that make a body live by nothing but how it is carried.

use super::{Blink, Glance, Idle, Locomotion};
use crate::{BlinkParams, Character, LayerId, Stack};

/// About every 3 s (source, B4).
const BLINKS: [f32; 2] = [2.0, 4.0];

/// Where the layers of [`motion_from_state`] are in their stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
pub struct FromState {
    pub idle: LayerId,
    pub locomotion: LayerId,
    pub glance: LayerId,
    pub blink: LayerId,
}

/// A stack of [`Idle`], [`Locomotion`], [`Glance`] and [`Blink`], for any body: the host gives it
/// [`Motion`](crate::Motion) and places `pose.root`, the rest follows.
///
/// ```
/// use enliven::{Actor, Course, Moment, builtin, layers};
/// use std::sync::Arc;
///
/// let mut rabbit = Actor::new(Arc::new(builtin::rabbit()));
/// (rabbit.stack, _) = layers::motion_from_state(rabbit.character(), 7);
/// let course = Course::new(rabbit.character().rig.height);
/// for frame in 0..60 {
///     let ride = course.at(f64::from(frame) / 60.0);
///     rabbit.place(ride.root);
///     rabbit.step(&Moment::step(1.0 / 60.0).with_motion(ride.motion));
/// }
/// assert!(rabbit.palette().len() > 20);
/// ```
pub fn motion_from_state(character: &Character, seed: u64) -> (Stack, FromState) {
    let rig = &character.rig;
    let mut stack = Stack::new();
    let params = BlinkParams { interval: BLINKS, double: 0.1, ..BlinkParams::default() };
    let ids = FromState {
        idle: stack.push(Idle::new(rig, seed)),
        locomotion: stack.push(Locomotion::new(rig)),
        glance: stack.push(Glance::new()),
        blink: stack.push(Blink::new(character, params, seed)),
    };
    (stack, ids)
}
