//! Every number of a mind that a person may want to tune.

use super::{BlinkParams, EarParams};

/// How a mind moves its body. All figures of A9–A12 of the specification unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MindParams {
    /// Springs and limits of eyes, head and body.
    pub gaze: GazeParams,
    /// What is looked at between events.
    pub look: LookParams,
    /// The turn toward a point of interest that passes.
    pub glance: GlanceParams,
    /// Eyelids.
    pub blink: BlinkParams,
    /// Ears.
    pub ears: EarParams,
    /// How the character feels.
    pub mood: Mood,
}

/// Springs and limits of eyes, head and body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GazeParams {
    /// Rate of the head's spring, rad/s.
    pub head_rate: f32,
    /// Rate of the tilt's spring, rad/s.
    pub tilt_rate: f32,
    /// Rate of the body's spring, rad/s.
    pub body_rate: f32,
    /// Rate of the pupils' spring, rad/s.
    pub pupil_rate: f32,
    /// Part of the head's remaining way that the pupils go ahead.
    pub eye_lead: f32,
    /// Limits of the pupils, yaw and pitch, ± rad.
    pub pupil_limit: [f32; 2],
    /// Limit of the head to either side between glances, ± rad.
    pub idle_limit: f32,
    /// Limit of the head to either side in a glance, ± rad.
    pub glance_limit: f32,
    /// Limits of the head up (negative) and down, rad. Chosen here: what a neckless body bears.
    pub pitch_limit: [f32; 2],
    /// Shortest and longest time between two small jumps of the eyes, seconds.
    pub saccade_interval: [f32; 2],
    /// Size of those jumps, yaw and pitch, ± rad.
    pub saccade: [f32; 2],
    /// Rate of breath, rad/s (A6).
    pub breath_rate: f32,
}

impl Default for GazeParams {
    fn default() -> Self {
        Self {
            head_rate: 5.5,
            tilt_rate: 3.0,
            body_rate: 3.2,
            pupil_rate: 16.0,
            eye_lead: 0.55,
            pupil_limit: [0.35, 0.2],
            idle_limit: 0.61,
            glance_limit: 0.87,
            pitch_limit: [-0.5, 0.4],
            saccade_interval: [0.3, 1.4],
            saccade: [0.05, 0.03],
            breath_rate: 1.25,
        }
    }
}

/// What is looked at between events: relative weights, and for how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookParams {
    /// Shortest and longest time on one thing, seconds.
    pub interval: [f32; 2],
    /// Weight of the path ahead.
    pub ahead: f32,
    /// Weight of each side.
    pub side: f32,
    /// Weight of the sky.
    pub sky: f32,
    /// Weight of the viewer, where there is one within reach.
    pub viewer: f32,
    /// Where the path ahead is looked at, rad below the horizon.
    pub ahead_pitch: f32,
    /// How far to the side the banks are, rad: nearest and farthest.
    pub side_yaw: [f32; 2],
    /// How high the sky is, rad.
    pub sky_pitch: f32,
    /// Distance at which a point's weight is halved, metres.
    pub reach: f32,
    /// Part of a point's weight that is left after it was looked at.
    pub habituation: f32,
    /// Seconds in which half of that comes back.
    pub recovery: f32,
    /// A change of target larger than this comes with a blink, rad (A10).
    pub blink_turn: f32,
}

impl Default for LookParams {
    fn default() -> Self {
        Self {
            interval: [1.8, 5.2],
            ahead: 3.0,
            side: 1.2,
            sky: 0.6,
            viewer: 1.3,
            ahead_pitch: 0.06,
            side_yaw: [0.3, 0.8],
            sky_pitch: 0.42,
            reach: 8.0,
            habituation: 0.4,
            recovery: 12.0,
            blink_turn: 0.35,
        }
    }
}

/// The turn toward a point of interest (A12). Times in seconds from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlanceParams {
    /// Part of the turn that the body takes; the head takes the rest.
    pub body_share: f32,
    /// Limit of the body, ± rad.
    pub body_limit: f32,
    /// Curious tilt of the head, rad.
    pub tilt: f32,
    /// When the tilt sets in.
    pub tilt_at: f32,
    /// When a slow blink comes.
    pub blink_at: f32,
    /// When it looks back.
    pub back_at: f32,
    /// When it is over.
    pub done_at: f32,
    /// Pace of the carrier meanwhile, of its own.
    pub pace: f32,
    /// Rate at which the pace changes, rad/s of a critically damped spring.
    pub pace_rate: f32,
    /// Shortest time from one glance to the next, seconds.
    pub cooldown: f32,
}

impl Default for GlanceParams {
    fn default() -> Self {
        Self {
            body_share: 0.55,
            body_limit: 0.9,
            tilt: 0.13,
            tilt_at: 1.5,
            blink_at: 1.9,
            back_at: 4.5,
            done_at: 6.2,
            pace: 0.65,
            pace_rate: 2.0,
            cooldown: 30.0,
        }
    }
}

/// How the character feels, as factors and offsets on everything else. The default changes
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mood {
    /// One scalar from still to lively: 0 keeps still but for breath and blinks, 1 is as tuned, 2
    /// is restless.
    pub liveliness: f32,
    /// Factor on the springs of head and body.
    pub speed: f32,
    /// Factor on how often it blinks.
    pub blinks: f32,
    /// Lids that hang, in [0, 1].
    pub droop: f32,
    /// Added to the head's pitch, rad; positive hangs the head.
    pub bow: f32,
    /// Added to the head's tilt, rad.
    pub tilt: f32,
    /// Ears laid back, in [0, 1].
    pub ears: f32,
    /// Factor on the weight of the viewer.
    pub viewer: f32,
    /// Factor on the rate of breath.
    pub breath: f32,
}

impl Mood {
    /// As tuned.
    pub const CALM: Self = Self {
        liveliness: 1.0,
        speed: 1.0,
        blinks: 1.0,
        droop: 0.0,
        bow: 0.0,
        tilt: 0.0,
        ears: 0.0,
        viewer: 1.0,
        breath: 1.0,
    };
    /// Looks often and at whoever looks.
    pub const CURIOUS: Self =
        Self { liveliness: 1.5, speed: 1.2, tilt: 0.05, bow: -0.03, viewer: 2.0, ..Self::CALM };
    /// Slow, with heavy lids.
    pub const SLEEPY: Self = Self {
        liveliness: 0.4,
        speed: 0.6,
        blinks: 1.4,
        droop: 0.45,
        bow: 0.14,
        ears: 0.25,
        breath: 0.75,
        ..Self::CALM
    };
    /// Head low, ears back, looks away from the viewer.
    pub const SHY: Self = Self {
        liveliness: 0.7,
        speed: 1.1,
        blinks: 1.3,
        bow: 0.1,
        ears: 0.5,
        viewer: 0.2,
        ..Self::CALM
    };
}

impl Default for Mood {
    fn default() -> Self {
        Self::CALM
    }
}
