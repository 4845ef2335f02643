//! What a layer may know of now.

use glam::Vec3;

/// How the ground or vehicle that carries a character moves, in the host's world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// m/s.
    pub velocity: Vec3,
    /// m/s².
    pub acceleration: Vec3,
    /// rad/s about +Y; positive turns left.
    pub turn_rate: f32,
    /// Whether the carrier touches the ground.
    pub grounded: bool,
}

/// The host's view of one step: plain data, filled by the host, read by layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Seconds since the last step; 0 is allowed and moves nothing. [`Moment::step`] and
    /// [`Stack::apply`](crate::Stack::apply) clean it.
    pub dt: f32,
    /// How the character is carried.
    pub motion: Motion,
    /// Wind, m/s in the host's world.
    pub wind: Vec3,
    /// Where the viewer's eye is, in the host's world, if anybody looks.
    pub viewer: Option<Vec3>,
}

impl Moment {
    /// Longest step that is taken as one, seconds. A longer pause (a hidden page, a debugger)
    /// resumes as if this much had passed.
    pub const LONGEST_STEP: f32 = 0.25;

    /// A moment `dt` seconds after the last. Negative and non-finite steps count as 0, long ones
    /// as [`Moment::LONGEST_STEP`].
    pub fn step(dt: f32) -> Self {
        Self {
            dt: if dt > 0.0 { dt.min(Self::LONGEST_STEP) } else { 0.0 },
            motion: Motion { grounded: true, ..Motion::default() },
            wind: Vec3::ZERO,
            viewer: None,
        }
    }

    /// The same, carried by `motion`.
    pub fn with_motion(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }
}
