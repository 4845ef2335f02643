//! The way that a clip goes, taken out of it.

use crate::{Affine, Clip, JointId, Pose, Property, Skeleton, Target, Transform, math};
use glam::{Quat, Vec3};

/// A way over the ground: a turn about the vertical, then a move. In double precision, so that an
/// hour of steps adds up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Travel {
    /// x, y, z; metres, in the model space of the start.
    pub moved: [f64; 3],
    /// Radians; positive to the left.
    pub turned: f64,
}

impl Travel {
    /// This way, and `next` after it.
    pub fn then(&self, next: &Self) -> Self {
        let by = turn(next.moved, self.turned);
        let moved = [0, 1, 2].map(|k| self.moved[k] + by[k]);
        Self { moved, turned: self.turned + next.turned }
    }

    /// The way back.
    pub fn inverse(&self) -> Self {
        Self { moved: turn(self.moved.map(|v| -v), -self.turned), turned: -self.turned }
    }

    /// The same way `rounds` times; negative goes back.
    pub fn repeated(&self, rounds: f64) -> Self {
        // The sum of a geometric row of turns e^(ikθ) is a chord: e^(i(n−1)θ/2)·sin(nθ/2)/sin(θ/2).
        let half = 0.5 * self.turned;
        let sine = libm::sin(half);
        let chord = if sine.abs() < 1e-12 { rounds } else { libm::sin(rounds * half) / sine };
        let [x, _, z] = turn(self.moved, (rounds - 1.0) * half).map(|v| v * chord);
        Self { moved: [x, self.moved[1] * rounds, z], turned: self.turned * rounds }
    }

    /// As a transform below the root that the way starts from.
    pub fn to_transform(&self) -> Transform {
        let half = 0.5 * self.turned;
        let (s, c) = (libm::sin(half) as f32, libm::cos(half) as f32);
        Transform {
            translation: Vec3::from_array(self.moved.map(|v| v as f32)),
            rotation: math::normalize_or_identity(Quat::from_xyzw(0.0, s, 0.0, c)),
            scale: Vec3::ONE,
        }
    }

    /// The same with the turn within half a turn.
    pub(crate) fn wrapped(self) -> Self {
        Self { turned: wrap(self.turned), ..self }
    }
}

/// `v` turned by `angle` about the vertical.
fn turn([x, y, z]: [f64; 3], angle: f64) -> [f64; 3] {
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    [x * c + z * s, y, z * c - x * s]
}

fn wrap(angle: f64) -> f64 {
    let whole = core::f64::consts::TAU;
    angle - whole * libm::round(angle / whole)
}

/// How one joint of a clip carries the whole body: measured once, so that the way up to any moment
/// is known without playing there.
///
/// What is taken out of the joint goes to [`Pose::root`]: in the first round the picture is the same
/// with and without, after it the body goes on instead of jumping back. The joints above must not
/// be moved by the clip.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMotion {
    joint: JointId,
    /// Up and down too, for climbs and falls; otherwise height stays in the joint.
    height: bool,
    /// Turns about the vertical too; otherwise they stay in the joint.
    turns: bool,
    tracks: [Option<usize>; 2],
    rest: Transform,
    /// Parent space of the joint → model space, and back.
    above: Affine,
    below: Affine,
    start: [f64; 3],
    /// Inverse of the rotation at the start.
    ahead: Quat,
    round: Travel,
}

impl RootMotion {
    /// For the topmost joint that the clip translates, with turns, without height. `None` where it
    /// translates none.
    pub fn of(clip: &Clip, skeleton: &Skeleton) -> Option<Self> {
        let joint = clip
            .tracks
            .iter()
            .filter_map(|t| match t.target {
                Target::Joint(j, Property::Translation) if j.index() < skeleton.len() => Some(j),
                _ => None,
            })
            .min()?;
        Some(Self::new(clip, skeleton, joint, true, false))
    }

    /// For a joint of your choice. `turns` and `height` say what is taken out besides the way over
    /// the ground.
    ///
    /// # Panics
    /// Where `joint` is not of the skeleton.
    pub fn new(
        clip: &Clip,
        skeleton: &Skeleton,
        joint: JointId,
        turns: bool,
        height: bool,
    ) -> Self {
        let above =
            skeleton.parent(joint).map_or(Affine::IDENTITY, |p| skeleton.rest_model()[p.index()]);
        let find = |property| {
            // Of two tracks on one target the later counts.
            clip.tracks.iter().rposition(|t| t.target == Target::Joint(joint, property))
        };
        let mut out = Self {
            joint,
            height,
            turns,
            tracks: [find(Property::Translation), find(Property::Rotation)],
            rest: skeleton.rest()[joint.index()],
            above,
            below: above.inverse().unwrap_or(Affine::IDENTITY),
            start: [0.0; 3],
            ahead: Quat::IDENTITY,
            round: Travel::default(),
        };
        let (at, rotation) = out.place(clip, 0.0);
        out.start = at;
        out.ahead = rotation.conjugate();
        out.round = out.within(clip, clip.duration);
        out
    }

    /// The joint that carries the body.
    pub fn joint(&self) -> JointId {
        self.joint
    }

    /// The way of one whole round.
    pub fn round(&self) -> &Travel {
        &self.round
    }

    /// The way from the start of the clip to `time` seconds within it.
    pub fn within(&self, clip: &Clip, time: f32) -> Travel {
        let (at, rotation) = self.place(clip, time);
        let mut turned = 0.0;
        if self.turns {
            // The part of the turn that is about the vertical.
            let q = rotation * self.ahead;
            turned = wrap(2.0 * libm::atan2(f64::from(q.y), f64::from(q.w)));
        }
        let from = turn(self.start, turned);
        let mut moved = [0, 1, 2].map(|k| at[k] - from[k]);
        if !self.height {
            moved[1] = 0.0;
        }
        Travel { moved, turned }
    }

    /// The way up to a cursor: whole rounds and the part of the one it is in. A clip that goes back
    /// and forth, or that ends, goes as far as it shows.
    pub fn travel(&self, clip: &Clip, playback: &crate::Playback) -> Travel {
        let within = self.within(clip, playback.clip_time(clip));
        match playback.rounds(clip) {
            0.0 => within,
            rounds => self.round.repeated(rounds).then(&within),
        }
    }

    /// Takes the way out of a pose that shows `time` seconds of the clip: the joint stands where it
    /// stood at the start.
    pub fn remove(&self, clip: &Clip, time: f32, pose: &mut Pose) {
        let back = Affine::from(&self.within(clip, time).inverse().to_transform());
        let local = Affine::from(&pose.transform(self.joint));
        let home = (self.below * (back * (self.above * local))).to_transform();
        pose.set_translation(self.joint, home.translation);
        pose.set_rotation(self.joint, home.rotation);
    }

    /// Place and rotation of the joint in model space.
    fn place(&self, clip: &Clip, time: f32) -> ([f64; 3], Quat) {
        let mut local = self.rest;
        let sample = |track: Option<usize>, out: &mut [f32]| {
            if let Some(track) = track.and_then(|i| clip.tracks.get(i)) {
                track.curve.sample(time, &mut 0, out);
                return true;
            }
            false
        };
        let (mut at, mut rotation) = ([0.0; 3], [0.0; 4]);
        if sample(self.tracks[0], &mut at) {
            local.translation = Vec3::from_array(at);
        }
        if sample(self.tracks[1], &mut rotation) {
            local.rotation = Quat::from_array(rotation);
        }
        let model = self.above * Affine::from(&local);
        (model.translation().to_array().map(f64::from), model.to_transform().rotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_add_up() {
        let far = |a: &Travel, b: &Travel| {
            let moved = (0..3).map(|k| (a.moved[k] - b.moved[k]).abs());
            moved.fold((a.turned - b.turned).abs(), f64::max)
        };
        let way = Travel { moved: [0.3, 0.1, 1.2], turned: 0.7 };
        let mut by_hand = Travel::default();
        for n in 0..40 {
            let at_once = way.repeated(f64::from(n));
            assert!(far(&at_once, &by_hand) < 1e-12, "{n}");
            let back = way.repeated(-f64::from(n)).then(&at_once);
            assert!(far(&back, &Travel::default()) < 1e-12, "{n}");
            by_hand = by_hand.then(&way);
        }
        assert!(far(&way.then(&way.inverse()), &Travel::default()) < 1e-15);
        for turned in [0.0, 1e-14, 1e-9] {
            let way = Travel { moved: [1.0, 0.0, 0.0], turned };
            assert!((way.repeated(1e6).moved[0] - 1e6).abs() < 1.0, "{turned}");
        }
        // The transform says the same as the way.
        let root = way.to_transform().then(&way.to_transform());
        let twice = way.repeated(2.0).to_transform();
        assert!(root.translation.distance(twice.translation) < 1e-6);
        assert!(root.rotation.dot(twice.rotation).abs() > 1.0 - 1e-6);
    }
}
