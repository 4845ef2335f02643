//! Recorded motion.

use crate::{ChannelId, Curve, CurveKind, JointId, Pose, math};
use glam::{Quat, Vec3};

/// Which part of a transform a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Property {
    /// Metres; three numbers.
    Translation,
    /// Unit quaternion; four numbers.
    Rotation,
    /// Factors; three numbers.
    Scale,
    /// The rotation as angles about x, then the turned y, then the turned z; rad, three numbers.
    /// The pose keeps a quaternion: angles beyond a turn come back within (−π, π], the one about y
    /// within ±π/2.
    Euler,
}

/// One of the three axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // Self-explaining.
pub enum Axis {
    X,
    Y,
    Z,
}

/// What a track moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Target {
    /// The root of the pose.
    Root(Property),
    /// A joint, locally.
    Joint(JointId, Property),
    /// One of the three numbers of a joint's property (for [`Property::Rotation`] the angle of
    /// [`Property::Euler`]); one number.
    Component(JointId, Property, Axis),
    /// A channel; one number.
    Channel(ChannelId),
}

impl Target {
    /// Numbers that a value of this target has, and whether they are a rotation.
    pub const fn shape(self) -> (usize, bool) {
        match self {
            Self::Root(Property::Rotation) | Self::Joint(_, Property::Rotation) => (4, true),
            Self::Root(_) | Self::Joint(..) => (3, false),
            Self::Component(..) | Self::Channel(_) => (1, false),
        }
    }

    /// The value of this target in a pose, in the first numbers of the result.
    ///
    /// # Panics
    /// Where the pose has no such joint or channel.
    pub fn read(self, pose: &Pose) -> [f32; 4] {
        let three = |v: Vec3| [v.x, v.y, v.z, 0.0];
        let part = |property, t: Vec3, r: Quat, s: Vec3| match property {
            Property::Translation => three(t),
            Property::Rotation => r.to_array(),
            Property::Scale => three(s),
            Property::Euler => three(math::to_euler(r)),
        };
        match self {
            Self::Root(p) => {
                let t = &pose.root;
                part(p, t.translation, t.rotation, t.scale)
            }
            Self::Joint(j, p) => part(p, pose.translation(j), pose.rotation(j), pose.scale(j)),
            Self::Component(j, p, axis) => [three_of(pose, j, p)[axis as usize], 0.0, 0.0, 0.0],
            Self::Channel(c) => [pose.channel(c), 0.0, 0.0, 0.0],
        }
    }

    /// Sets the value of this target in a pose from the first numbers of `v`.
    ///
    /// # Panics
    /// Where the pose has no such joint or channel.
    #[inline]
    pub fn write(self, v: &[f32; 4], pose: &mut Pose) {
        let vec = Vec3::new(v[0], v[1], v[2]);
        match self {
            Self::Joint(j, Property::Rotation) => pose.set_rotation(j, Quat::from_array(*v)),
            Self::Joint(j, Property::Translation) => pose.set_translation(j, vec),
            Self::Joint(j, Property::Scale) => pose.set_scale(j, vec),
            Self::Joint(j, Property::Euler) => pose.set_rotation(j, math::from_euler(vec)),
            Self::Channel(c) => pose.set_channel(c, v[0]),
            Self::Root(Property::Translation) => pose.root.translation = vec,
            Self::Root(Property::Rotation) => pose.root.rotation = Quat::from_array(*v),
            Self::Root(Property::Scale) => pose.root.scale = vec,
            Self::Root(Property::Euler) => pose.root.rotation = math::from_euler(vec),
            Self::Component(j, p, axis) => {
                let mut all = three_of(pose, j, p);
                all[axis as usize] = v[0];
                let whole = if p == Property::Rotation { Property::Euler } else { p };
                Self::Joint(j, whole).write(&[all.x, all.y, all.z, 0.0], pose);
            }
        }
    }
}

/// The three numbers of which [`Target::Component`] is one.
fn three_of(pose: &Pose, joint: JointId, property: Property) -> Vec3 {
    match property {
        Property::Translation => pose.translation(joint),
        Property::Scale => pose.scale(joint),
        Property::Rotation | Property::Euler => math::to_euler(pose.rotation(joint)),
    }
}

/// One curve on one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Track<T = Target> {
    /// What it moves.
    pub target: T,
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

/// Something that happens at one time of a clip, such as a foot on the ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// Seconds from the clip's start.
    pub time: f32,
    /// What it is called.
    pub name: String,
}

/// A set of tracks: plain, editable data that knows no clock. A [`Playback`](crate::Playback)
/// beside it knows the time.
///
/// Targets are indices into one rig. A [`NamedClip`](crate::NamedClip) has paths in their place
/// and is bound to any rig.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip<T = Target> {
    /// Name, as its file has it.
    pub name: String,
    /// Seconds from 0 to the last key of any track, or what its file says.
    pub duration: f32,
    /// Whether values are differences, to be added to a pose; see [`Clip::make_additive`].
    pub additive: bool,
    /// Marks, in order of time.
    pub marks: Vec<Mark>,
    /// Tracks, in file order. Two tracks on one target: the later wins.
    pub tracks: Vec<Track<T>>,
}

impl<T> Default for Clip<T> {
    fn default() -> Self {
        Self {
            name: String::new(),
            duration: 0.0,
            additive: false,
            marks: Vec::new(),
            tracks: Vec::new(),
        }
    }
}

impl<T> Clip<T> {
    /// A clip that ends with its last key.
    pub fn new(name: impl Into<String>, tracks: Vec<Track<T>>) -> Self {
        let mut out = Self { name: name.into(), tracks, ..Self::default() };
        out.reset_duration();
        out
    }

    /// Number of keys of all tracks together.
    pub fn key_count(&self) -> usize {
        self.tracks.iter().map(|t| t.curve.times().len()).sum()
    }

    /// Adds a mark at `time` seconds; marks stay in order of time.
    pub fn add_mark(&mut self, time: f32, name: impl Into<String>) {
        let at = self.marks.partition_point(|m| m.time <= time);
        self.marks.insert(at, Mark { time, name: name.into() });
    }
}

impl Clip {
    /// Whether every track's target exists in a rig of so many joints and channels, and its
    /// values have the target's shape.
    pub fn fits(&self, joints: usize, channels: usize) -> bool {
        self.tracks.iter().all(|t| {
            let exists = match t.target {
                Target::Root(_) => true,
                Target::Joint(j, _) | Target::Component(j, ..) => j.index() < joints,
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

    /// Adds the values at `time` seconds, which are differences, to the pose: numbers are added,
    /// rotations follow the pose's own, both `weight` times; a choice is taken from half the weight
    /// on. `hints` as in [`Clip::sample`].
    ///
    /// # Panics
    /// Where a track does not fit the pose; see [`Clip::fits`].
    pub fn add(&self, time: f32, weight: f32, hints: &mut [u32], pose: &mut Pose) {
        let mut spare = 0;
        for (i, track) in self.tracks.iter().enumerate() {
            let mut v = [0.0; 4];
            let (width, _) = track.target.shape();
            track.curve.sample(time, hints.get_mut(i).unwrap_or(&mut spare), &mut v[..width]);
            let mut out = track.target.read(pose);
            match track.curve.kind() {
                CurveKind::Choice if weight < 0.5 => continue,
                CurveKind::Choice => out = v,
                CurveKind::Rotation => {
                    let turn = math::nlerp(Quat::IDENTITY, Quat::from_array(v), weight);
                    let turned = Quat::from_array(out) * turn;
                    out = math::normalize_or_identity(turned).to_array();
                }
                CurveKind::Numbers => out.iter_mut().zip(v).for_each(|(o, v)| *o += v * weight),
            }
            track.target.write(&out, pose);
        }
    }
}
