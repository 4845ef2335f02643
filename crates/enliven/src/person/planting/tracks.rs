//! Hips and legs of a planted motion as tracks.

use super::Feet;
use crate::{Curve, Interpolation, JointId, Pose, Property, Target, Track};
use glam::Quat;

/// What is written for hips and legs.
pub(super) struct Tracks {
    times: Vec<f32>,
    hips: (JointId, Vec<f32>),
    turns: Vec<(JointId, Vec<f32>)>,
}

impl Tracks {
    pub(super) fn new(feet: &Feet, hips: JointId, count: usize) -> Self {
        let joints = feet.legs.iter().flat_map(|l| [l.ik.start, l.ik.mid, l.ik.end]);
        Self {
            times: Vec::with_capacity(count),
            hips: (hips, Vec::with_capacity(count * 3)),
            turns: joints.map(|j| (j, Vec::with_capacity(count * 4))).collect(),
        }
    }

    pub(super) fn push(&mut self, pose: &Pose, time: f32) {
        self.times.push(time);
        self.hips.1.extend(pose.translation(self.hips.0).to_array());
        for (joint, values) in &mut self.turns {
            let mut q = pose.rotation(*joint);
            // The short way from one key to the next.
            if let Some(last) = values.rchunks_exact(4).next()
                && Quat::from_xyzw(last[0], last[1], last[2], last[3]).dot(q) < 0.0
            {
                q = -q;
            }
            values.extend(q.to_array());
        }
    }

    pub(super) fn finish(self) -> Vec<Track> {
        let how = Interpolation::Linear;
        let times: std::sync::Arc<[f32]> = self.times.into();
        let mut out = Vec::with_capacity(self.turns.len() + 1);
        let place = Curve::new(times.clone(), self.hips.1, 3, how);
        let target = Target::Joint(self.hips.0, Property::Translation);
        out.extend(place.ok().map(|curve| Track { target, curve }));
        for (joint, values) in self.turns {
            let target = Target::Joint(joint, Property::Rotation);
            let turn = Curve::rotation(times.clone(), values, how);
            out.extend(turn.ok().map(|curve| Track { target, curve }));
        }
        out
    }
}
