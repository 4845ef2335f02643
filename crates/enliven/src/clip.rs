//! Recorded motion.

use crate::{ChannelId, Curve, JointId, Pose};
use glam::{Quat, Vec3};

/// Which part of a transform a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// Metres; three numbers.
    Translation,
    /// Unit quaternion; four numbers.
    Rotation,
    /// Factors; three numbers.
    Scale,
}

/// What a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// The root of the pose.
    Root(Property),
    /// A joint, locally.
    Joint(JointId, Property),
    /// A channel; one number.
    Channel(ChannelId),
}

impl Target {
    /// Numbers that a value of this target has, and whether they are a rotation.
    pub const fn shape(self) -> (usize, bool) {
        match self {
            Self::Root(Property::Rotation) | Self::Joint(_, Property::Rotation) => (4, true),
            Self::Root(_) | Self::Joint(..) => (3, false),
            Self::Channel(_) => (1, false),
        }
    }
}

impl Target {
    /// Writes a value of this target; of the four numbers its [`Target::shape`] counts.
    #[inline]
    pub(crate) fn write(self, v: &[f32; 4], pose: &mut Pose) {
        let vec = Vec3::new(v[0], v[1], v[2]);
        match self {
            Self::Root(Property::Translation) => pose.root.translation = vec,
            Self::Root(Property::Rotation) => pose.root.rotation = Quat::from_array(*v),
            Self::Root(Property::Scale) => pose.root.scale = vec,
            Self::Joint(j, Property::Translation) => pose.set_translation(j, vec),
            Self::Joint(j, Property::Rotation) => pose.set_rotation(j, Quat::from_array(*v)),
            Self::Joint(j, Property::Scale) => pose.set_scale(j, vec),
            Self::Channel(c) => pose.set_channel(c, v[0]),
        }
    }
}

/// One curve on one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// What it moves.
    pub target: Target,
    /// How.
    pub curve: Curve,
}

impl Track {
    /// Writes the value at `time` seconds into the pose. `hint` as in [`Curve::sample`].
    ///
    /// # Panics
    /// Where the track does not fit the pose; see [`Clip::fits`].
    #[inline]
    pub fn sample(&self, time: f32, hint: &mut u32, pose: &mut Pose) {
        let mut v = [0.0; 4];
        let (width, _) = self.target.shape();
        self.curve.sample(time, hint, &mut v[..width]);
        self.target.write(&v, pose);
    }
}

/// A set of tracks: plain, editable data that knows no clock. A [`Playback`](crate::Playback)
/// beside it knows the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// Name, as its file has it.
    pub name: String,
    /// Seconds from 0 to the last key of any track, or what its file says.
    pub duration: f32,
    /// Tracks, in file order. Two tracks on one target: the later wins.
    pub tracks: Vec<Track>,
}

impl Clip {
    /// A clip that ends with its last key.
    pub fn new(name: impl Into<String>, tracks: Vec<Track>) -> Self {
        let duration = tracks.iter().map(|t| t.curve.end()).fold(0.0, f32::max);
        Self { name: name.into(), duration, tracks }
    }

    /// Number of keys of all tracks together.
    pub fn key_count(&self) -> usize {
        self.tracks.iter().map(|t| t.curve.times().len()).sum()
    }

    /// Whether every track's target exists in a rig of so many joints and channels, and its
    /// values have the target's shape.
    pub fn fits(&self, joints: usize, channels: usize) -> bool {
        self.tracks.iter().all(|t| {
            let exists = match t.target {
                Target::Root(_) => true,
                Target::Joint(j, _) => j.index() < joints,
                Target::Channel(c) => c.index() < channels,
            };
            exists && (t.curve.width(), t.curve.is_rotation()) == t.target.shape()
        })
    }

    /// Writes the values at `time` seconds into the pose; what no track moves stays. `hints` holds
    /// one cursor a track (extra ones are not read, missing ones cost a search).
    ///
    /// # Panics
    /// Where a track does not fit the pose; see [`Clip::fits`].
    pub fn sample(&self, time: f32, hints: &mut [u32], pose: &mut Pose) {
        let mut spare = 0;
        for (i, track) in self.tracks.iter().enumerate() {
            track.sample(time, hints.get_mut(i).unwrap_or(&mut spare), pose);
        }
    }
}
