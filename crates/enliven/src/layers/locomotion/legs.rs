//! What hangs between a foot's place and the body.

use crate::{Affine, JointId, Pose, Region, Rig, Side, Transform, TwoBoneIk, math};
use glam::{Quat, Vec3};

/// How a foot is joined to the body.
#[derive(Clone, Debug)]
pub(super) enum Leg {
    /// The foot hangs from its leg: thigh and shin bend at the knee to bring it to its place.
    Chain { bones: TwoBoneIk, rest: Quat, length: f32 },
    /// The foot is a part of its own; thigh and shin are aimed at its ankle.
    Free { foot: JointId, rest: Quat, ankle: JointId, thigh: Option<Aim>, shin: Option<Aim> },
}

/// A part that points at the ankle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    joint: JointId,
    /// From the joint to the ankle at rest, in the parent's space.
    to: Vec3,
    /// The joint's own axis closest to that direction.
    along: usize,
    /// Share of the turn that it takes, and whether it is stretched to reach.
    share: f32,
    stretch: bool,
}

/// A thigh is flesh on the hip and follows the foot only this far.
const THIGH_SHARE: f32 = 0.65;
/// A leg is used up to this part of its length, and the hips come down by at most this part.
const REACH: f32 = 0.9985;
const MOST_DROP: f32 = 0.35;
/// A shin is stretched to at most this much of its length.
const MOST_STRETCH: f32 = 2.5;

impl Leg {
    /// How that foot hangs on the body; `None` where it cannot be placed.
    pub(super) fn new(rig: &Rig, model: &[Affine], side: Side, foot: JointId) -> Option<Self> {
        let s = &rig.skeleton;
        let first = |region| rig.regions.own_joints(region).first().map(|r| r.joint);
        let rest = model[foot.index()].to_transform().rotation;
        let (thigh, shin) = (first(Region::Leg(side)), first(Region::Shin(side)));
        if let (Some(thigh), Some(shin)) = (thigh, shin)
            && thigh != shin
            && s.is_ancestor(thigh, shin)
            && s.is_ancestor(shin, foot)
        {
            let at = |j: JointId| model[j.index()].translation();
            let length = (at(shin) - at(thigh)).length() + (at(foot) - at(shin)).length();
            let bones = TwoBoneIk { start: thigh, mid: shin, end: foot, pole: Vec3::Z };
            return Some(Self::Chain { bones, rest, length });
        }
        // A foot on a leg without a knee goes where the leg goes: it cannot be placed.
        if [thigh, shin].into_iter().flatten().any(|j| s.is_ancestor(j, foot)) {
            return None;
        }
        let free = |j: JointId| !s.is_ancestor(j, foot);
        let ankle = s.children(Some(foot)).next().unwrap_or(foot);
        let aim = |joint: Option<JointId>, share, stretch| {
            let joint = joint.filter(|j| free(*j))?;
            let parent = s.parent(joint).map_or(Affine::IDENTITY, |p| model[p.index()]);
            let to = parent.inverse()?.transform_point(model[ankle.index()].translation())
                - s.rest()[joint.index()].translation;
            let own = s.rest()[joint.index()].rotation.conjugate() * to;
            let along = (0..3).max_by(|&a, &b| own[a].abs().total_cmp(&own[b].abs()))?;
            (to.length() > 1e-6).then_some(Aim { joint, to, along, share, stretch })
        };
        Some(Self::Free {
            foot,
            rest,
            ankle,
            thigh: aim(thigh, THIGH_SHARE, false),
            shin: aim(shin, 1.0, true),
        })
    }

    pub(super) fn has_knee(&self) -> bool {
        matches!(self, Self::Chain { .. })
    }

    /// By how much the hip is too high for the foot to come to `at` in model space, metres.
    pub(super) fn short(&self, rig: &Rig, pose: &Pose, at: Vec3) -> f32 {
        let Self::Chain { bones, length, .. } = self else { return 0.0 };
        let hip = pose.model_of(&rig.skeleton, bones.start).translation();
        let to = hip - at;
        let reach = length * REACH;
        let across = (to.x * to.x + to.z * to.z).min(reach * reach);
        (to.y - (reach * reach - across).sqrt()).clamp(0.0, MOST_DROP * length)
    }

    /// Brings the foot to `at` in model space, turned by `turn` from its rest, and the leg to it.
    pub(super) fn write(&self, rig: &Rig, pose: &mut Pose, at: Vec3, turn: Quat) {
        match *self {
            Self::Chain { bones, rest, .. } => {
                bones.solve(pose, &rig.skeleton, at, 1.0);
                let (_, frame) = parent_of(rig, pose, bones.end);
                let local = math::normalize_or_identity(frame.conjugate() * turn * rest);
                pose.set_rotation(bones.end, local);
            }
            Self::Free { foot, rest, ankle, thigh, shin } => {
                let (parent, frame) = parent_of(rig, pose, foot);
                let Some(back) = parent.inverse() else { return };
                pose.set_translation(foot, back.transform_point(at));
                let local = math::normalize_or_identity(frame.conjugate() * turn * rest);
                pose.set_rotation(foot, local);
                let ankle = pose.model_of(&rig.skeleton, ankle).translation();
                for aim in [thigh, shin].into_iter().flatten() {
                    aim.write(rig, pose, ankle);
                }
            }
        }
    }
}

impl Aim {
    fn write(&self, rig: &Rig, pose: &mut Pose, target: Vec3) {
        let (parent, _) = parent_of(rig, pose, self.joint);
        let Some(back) = parent.inverse() else { return };
        let to = back.transform_point(target) - pose.translation(self.joint);
        let (rest, now) = (self.to.length(), to.length());
        if now < 1e-6 {
            return;
        }
        let turn = Quat::from_rotation_arc(self.to / rest, to / now);
        let turn = math::nlerp(Quat::IDENTITY, turn, self.share);
        pose.set_rotation(self.joint, turn * pose.rotation(self.joint));
        if self.stretch {
            let long = (now / rest).clamp(1.0 / MOST_STRETCH, MOST_STRETCH);
            // Volume kept, but for what would make a thread of it.
            let mut by = Vec3::splat((1.0 / long.sqrt()).clamp(0.85, 1.2));
            by[self.along] = long;
            pose.set_scale(self.joint, pose.scale(self.joint) * by);
        }
    }
}

/// Model matrix of a joint's parent in a pose, and its rotation alone.
fn parent_of(rig: &Rig, pose: &Pose, joint: JointId) -> (Affine, Quat) {
    let mut m = Affine::IDENTITY;
    let mut q = Quat::IDENTITY;
    let mut at = rig.skeleton.parent(joint);
    while let Some(j) = at {
        let t: Transform = pose.transform(j);
        m = Affine::from(&t) * m;
        q = t.rotation * q;
        at = rig.skeleton.parent(j);
    }
    (m, q)
}
