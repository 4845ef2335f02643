//! The shape of a pose.

use crate::{Channels, Regions, Skeleton};

/// Joints, channels and regions: what a [`Pose`](crate::Pose) of a character looks like, and what
/// its parts mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    /// The joints.
    pub skeleton: Skeleton,
    /// The named scalars.
    pub channels: Channels,
    /// The body parts.
    pub regions: Regions,
    /// Height of the character at rest, metres; lengths that a behaviour tunes scale with it.
    /// Positive and finite.
    pub height: f32,
}

impl Rig {
    /// A rig. A height that is not positive and finite becomes 1 m.
    pub fn new(skeleton: Skeleton, channels: Channels, regions: Regions, height: f32) -> Self {
        let height = if height.is_finite() && height > 0.0 { height } else { 1.0 };
        Self { skeleton, channels, regions, height }
    }
}
