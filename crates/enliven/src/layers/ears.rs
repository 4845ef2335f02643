//! Ears that flick and lie back.

use super::eyeball::Extent;
use crate::{Character, JointId, Pose, Region, Side, Targets, math};
use glam::{Quat, Vec3};

/// One ear, in its parent joint's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ear {
    joint: JointId,
    side: Side,
    /// Turns the tip outward.
    out: Vec3,
    /// Turns the tip back.
    back: Vec3,
}

/// Turns ear tips about their bases: flicks outward, folds back (A5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ears {
    ears: Vec<Ear>,
}

impl Ears {
    /// The ears of a character; their tips are measured from what follows their joints.
    pub fn new(character: &Character) -> Self {
        let rig = &character.rig;
        let model = rig.skeleton.rest_model();
        let mut ears = Vec::new();
        for side in Side::BOTH {
            // The first joint of a chain moves the others.
            let Some(r) = rig.regions.own_joints(Region::Ear(side)).first() else { continue };
            let base = model[r.joint.index()].translation();
            let tip = Extent::of(character, r.joint).map_or(base + Vec3::Y, |e| e.middle());
            let along = (tip - base).normalize_or(Vec3::Y);
            let parent = rig.skeleton.parent(r.joint);
            let frame = parent
                .map_or(Quat::IDENTITY, |p| model[p.index()].to_transform().rotation.conjugate());
            // An ear that points where it should go turns about the up axis instead.
            let axis = |toward: Vec3| frame * along.cross(toward).normalize_or(Vec3::Y);
            ears.push(Ear {
                joint: r.joint,
                side,
                out: axis(Vec3::new(side.sign(), 0.0, -0.35)),
                back: axis(Vec3::NEG_Z),
            });
        }
        Self { ears }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ears.is_empty()
    }

    /// Turns what the pose has.
    pub fn apply(&self, targets: &Targets, pose: &mut Pose) {
        for e in &self.ears {
            let flick = math::rotation(e.out, targets.flick[e.side as usize]);
            let fold = math::rotation(e.back, targets.fold);
            pose.set_rotation(e.joint, fold * flick * pose.rotation(e.joint));
        }
    }
}
