//! Performances as poses over time, and the clips made of them.

use glam::{Quat, Vec3};

use crate::{BakeOptions, Clip, Pose, Rig, bake::reduce, math};

/// Poses of one character over time: what a host records, mends and bakes.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    times: Vec<f32>,
    poses: Vec<Pose>,
}

/// A clip made of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Baked {
    /// The clip.
    pub clip: Clip,
    /// Largest distance, metres, between recording and clip, measured as
    /// [`BakeOptions::tolerance`] is.
    pub error: f32,
}

impl Recording {
    /// Adds the pose at `time` seconds. A time that is not after the last one, or not finite, is
    /// left out.
    ///
    /// # Panics
    /// In debug builds, where the pose has another shape than those before.
    pub fn push(&mut self, time: f32, pose: &Pose) {
        debug_assert!(self.poses.first().is_none_or(|p| p.same_shape(pose)));
        let rises = self.times.last().map_or(time.is_finite(), |last| time > *last);
        if rises && time.is_finite() {
            self.times.push(time);
            self.poses.push(pose.clone());
        }
    }

    /// Seconds of each pose, rising.
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// The poses.
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// Takes the way over the ground out: the root keeps its height, its tilt and its scale, stands
    /// at x = z = 0 and faces +Z. For clips whose host moves the body itself.
    pub fn stay_in_place(&mut self) {
        for pose in &mut self.poses {
            let ahead = pose.root.rotation * Vec3::Z;
            // Straight up or down there is no heading to take out.
            let turns = ahead.x * ahead.x + ahead.z * ahead.z > 1e-6;
            let yaw = if turns { math::atan2(ahead.x, ahead.z) } else { 0.0 };
            let back: Quat = math::rotation(Vec3::Y, -yaw);
            pose.root.rotation = math::normalize_or_identity(back * pose.root.rotation);
            pose.root.translation.x = 0.0;
            pose.root.translation.z = 0.0;
        }
    }

    /// Makes the last pose the first one, for what is a cycle already: rounding keeps the two
    /// apart otherwise.
    pub fn close(&mut self) {
        if let [first, .., last] = &mut self.poses[..] {
            last.copy_from(first);
        }
    }

    /// Makes a loop of any performance. The first `lead` poses are its run-up: they go, and the
    /// end of the rest turns into them along a smooth step, so that the last pose is the first and
    /// the motion goes on over the seam. Times then start at 0.
    ///
    /// With a run-up longer than the rest, the rest is all the seam there is.
    pub fn fold(&mut self, lead: usize) {
        let lead = lead.min(self.poses.len().saturating_sub(1));
        let last = self.poses.len().saturating_sub(1 + lead);
        let seam = lead.min(last);
        let (before, rest) = self.poses.split_at_mut(lead);
        for k in (last - seam)..=last {
            let w = math::smoothstep(0.0, 1.0, (k + seam - last) as f32 / seam.max(1) as f32);
            let lead_in = lead + k - last;
            if lead_in < lead {
                rest[k].blend(&before[lead_in], w, None);
            }
        }
        self.poses.drain(..lead);
        let start = self.times.get(lead).copied().unwrap_or(0.0);
        self.times.drain(..lead);
        for t in &mut self.times {
            *t -= start;
        }
        self.close();
    }

    /// The recording as a clip with as few keys as the tolerance allows; what never leaves the rest
    /// pose of `rig` gets no track. Length and rate of the options are not looked at.
    ///
    /// # Panics
    /// Where the poses are not of this rig's shape.
    pub fn to_clip(&self, rig: &Rig, name: impl Into<String>, options: &BakeOptions) -> Baked {
        reduce(name.into(), rig, &self.times, &self.poses, options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, ChannelKind, Channels, JointId, Regions, Skeleton, Transform};

    fn rig() -> Rig {
        let mut s = Skeleton::new();
        s.push("a", None, Transform::IDENTITY).expect("a joint");
        let mut channels = Channels::new();
        channels.push(Channel::new("c", ChannelKind::Morph));
        let regions = Regions::new(&s, &[]);
        Rig::new(s, channels, regions, 1.0)
    }

    /// A channel that rises from `from` on by 1 a second, ten poses a second.
    fn ramp(rig: &Rig, count: usize) -> Recording {
        let mut out = Recording::default();
        let mut pose = Pose::rest(rig);
        for k in 0..count {
            pose.channels_mut()[0] = k as f32 * 0.1;
            pose.set_rotation(JointId(0), math::rotation(Vec3::Y, k as f32 * 0.1));
            out.push(k as f32 * 0.1, &pose);
        }
        out
    }

    #[test]
    fn a_folded_recording_meets_itself_with_its_speed() {
        let rig = rig();
        let mut loop_ = ramp(&rig, 31);
        loop_.fold(10);
        let values: Vec<f32> = loop_.poses().iter().map(|p| p.channels()[0]).collect();
        assert_eq!(values.len(), 21);
        assert!((values[0] - 1.0).abs() < 1e-6 && values[0].to_bits() == values[20].to_bits());
        assert!((values[10] - 2.0).abs() < 1e-6, "before the seam nothing changes");
        // Over the seam the value goes on as it began: up by 0.1 a step.
        let (before, after) = (values[20] - values[19], values[1] - values[0]);
        assert!((before - after).abs() < 0.07, "{before} then {after}");
        assert_eq!(loop_.times()[0], 0.0);
        assert!((loop_.times()[20] - 2.0).abs() < 1e-5);
        let a = loop_.poses()[0].rotation(JointId(0));
        assert_eq!(a, loop_.poses()[20].rotation(JointId(0)));
    }

    #[test]
    fn folding_never_fails() {
        let rig = rig();
        for count in 0..6 {
            for lead in 0..8 {
                let mut r = ramp(&rig, count);
                r.fold(lead);
                assert_eq!(r.times().len(), r.poses().len());
                assert!(r.poses().len() <= count && (count == 0) == r.poses().is_empty());
                if let [first, .., last] = r.poses() {
                    assert_eq!(first.channels(), last.channels());
                }
                let baked = r.to_clip(&rig, "c", &BakeOptions::new(1.0, 1.0));
                assert!(baked.error <= 1e-4, "{}", baked.error);
            }
        }
    }

    #[test]
    fn in_place_keeps_height_and_tilt() {
        let rig = rig();
        let mut pose = Pose::rest(&rig);
        let tilt = math::rotation(Vec3::X, 0.2);
        pose.root = Transform {
            translation: Vec3::new(3.0, 0.5, -2.0),
            rotation: math::rotation(Vec3::Y, 2.5) * tilt,
            scale: Vec3::ONE,
        };
        let mut r = Recording::default();
        r.push(0.0, &pose);
        r.stay_in_place();
        let root = r.poses()[0].root;
        assert_eq!(root.translation, Vec3::new(0.0, 0.5, 0.0));
        assert!(root.rotation.abs_diff_eq(tilt, 1e-6), "{:?}", root.rotation);
    }

    #[test]
    fn times_rise() {
        let rig = rig();
        let mut r = Recording::default();
        for t in [0.0, 0.5, 0.5, 0.2, f32::NAN, f32::INFINITY, 1.0] {
            r.push(t, &Pose::rest(&rig));
        }
        assert_eq!(r.times(), [0.0, 0.5, 1.0]);
    }
}
