//! A skeleton seen as a humanoid: normalised rest, whatever the joints' own axes are.

use super::{HumanBone, arc};
use crate::{Affine, JointId, Pose, Region, Skeleton, math};
use glam::{Quat, Vec3};

/// A body that rests turned by less than this from +Z faces it: nobody is built quite even, rad.
const AHEAD: f32 = 0.1;

/// One bone of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bone {
    joint: JointId,
    /// Rest rotation of the joint's parent in model space.
    frame: Quat,
    /// The same of the joint itself.
    model: Quat,
    /// Rest rotation, local.
    rest: Quat,
    /// Rest position in model space, metres.
    at: Vec3,
}

/// Which joints are which bones.
///
/// A bone's **normalised** rotation is the identity at rest and uses the model's axes, so that one
/// number means one thing on every body: raw = P⁻¹ · n · P · rest, where P is the rest rotation of
/// the joint's parent in model space.
#[derive(Clone, Debug, PartialEq)]
pub struct Humanoid {
    bones: [Option<Bone>; HumanBone::COUNT],
    /// Joint above the hips, in whose space the hips move.
    above_hips: Option<JointId>,
    above_hips_inverse: Option<Affine>,
}

impl Default for Humanoid {
    /// No bones.
    fn default() -> Self {
        Self { bones: [None; HumanBone::COUNT], above_hips: None, above_hips_inverse: None }
    }
}

impl Humanoid {
    /// The humanoid of these joints. Of two joints for one bone, and of two bones on one joint, the
    /// first counts; joints outside the skeleton are left out.
    pub fn new(skeleton: &Skeleton, bones: impl IntoIterator<Item = (HumanBone, JointId)>) -> Self {
        let model = skeleton.rest_model();
        let mut out = Self::default();
        for (bone, joint) in bones {
            let taken = out.bones.iter().flatten().any(|b| b.joint == joint);
            if joint.index() >= skeleton.len() || out.has(bone) || taken {
                continue;
            }
            let parent = skeleton.parent(joint);
            let frame = parent.map_or(Quat::IDENTITY, |p| model[p.index()].to_transform().rotation);
            let rest = skeleton.rest()[joint.index()].rotation;
            out.bones[bone.index()] = Some(Bone {
                joint,
                frame,
                model: model[joint.index()].to_transform().rotation,
                rest,
                at: model[joint.index()].translation(),
            });
            if bone == HumanBone::Hips {
                out.above_hips = parent;
                let above = parent.map_or(Affine::IDENTITY, |p| model[p.index()]);
                out.above_hips_inverse = above.inverse();
            }
        }
        out
    }

    fn get(&self, bone: HumanBone) -> Option<&Bone> {
        self.bones[bone.index()].as_ref()
    }

    /// Whether the body has that bone.
    pub fn has(&self, bone: HumanBone) -> bool {
        self.get(bone).is_some()
    }

    /// The joint that is this bone.
    pub fn joint(&self, bone: HumanBone) -> Option<JointId> {
        self.get(bone).map(|b| b.joint)
    }

    /// The bone that this joint is.
    pub fn bone(&self, joint: JointId) -> Option<HumanBone> {
        HumanBone::ALL.into_iter().find(|b| self.joint(*b) == Some(joint))
    }

    /// The bones that the body has, parents before children.
    pub fn bones(&self) -> impl Iterator<Item = (HumanBone, JointId)> + '_ {
        HumanBone::ALL.into_iter().filter_map(|b| Some((b, self.joint(b)?)))
    }

    /// Required bones that the body lacks.
    pub fn missing(&self) -> impl Iterator<Item = HumanBone> + '_ {
        HumanBone::REQUIRED.into_iter().filter(|b| !self.has(*b))
    }

    /// The nearest bone above that the body has.
    pub fn parent(&self, bone: HumanBone) -> Option<HumanBone> {
        let mut at = bone.parent();
        while let Some(b) = at.filter(|b| !self.has(*b)) {
            at = b.parent();
        }
        at
    }

    /// Where a bone is at rest, in model space, metres.
    pub fn rest_at(&self, bone: HumanBone) -> Option<Vec3> {
        self.get(bone).map(|b| b.at)
    }

    /// Rest rotation of a bone in model space.
    pub fn rest_rotation(&self, bone: HumanBone) -> Option<Quat> {
        self.get(bone).map(|b| b.model)
    }

    /// Where a bone is at rest, from the bone above it; the hips from the model's origin. Metres.
    pub fn rest_offset(&self, bone: HumanBone) -> Option<Vec3> {
        let at = self.rest_at(bone)?;
        let above = self.parent(bone).and_then(|p| self.rest_at(p)).unwrap_or(Vec3::ZERO);
        Some(at - above)
    }

    /// Height of the hips at rest above the model's origin, metres: what motion between bodies is
    /// scaled by.
    pub fn hips_height(&self) -> Option<f32> {
        self.rest_at(HumanBone::Hips).map(|p| p.y)
    }

    /// Turn about +Y from +Z to where the body faces at rest, by its hip joints or shoulders: the
    /// identity for all that is within 0.1 rad of +Z, as VRM has it.
    pub fn facing(&self) -> Quat {
        use HumanBone as B;
        let pair = |left, right| Some(self.rest_at(left)? - self.rest_at(right)?);
        let across = pair(B::LeftUpperLeg, B::RightUpperLeg)
            .or_else(|| pair(B::LeftUpperArm, B::RightUpperArm))
            .unwrap_or(Vec3::X);
        let yaw = math::atan2(-across.z, across.x);
        let flat = across.x * across.x + across.z * across.z;
        if flat > 1e-12 && yaw.abs() > AHEAD {
            math::rotation(Vec3::Y, yaw)
        } else {
            Quat::IDENTITY
        }
    }

    /// Turns a normalised rotation into the joint's own: (left, right) with raw = left · n · right.
    pub(crate) fn to_raw(&self, bone: HumanBone) -> Option<(Quat, Quat)> {
        self.get(bone).map(|b| (b.frame.conjugate(), b.frame * b.rest))
    }

    /// Sets a bone's normalised rotation. A bone that the body lacks does nothing.
    pub fn set_rotation(&self, pose: &mut Pose, bone: HumanBone, n: Quat) {
        if let Some(b) = self.get(bone) {
            let raw = b.frame.conjugate() * n * b.frame * b.rest;
            pose.set_rotation(b.joint, math::normalize_or_identity(raw));
        }
    }

    /// Turns a bone further by a normalised rotation, in the model's axes at rest.
    pub fn turn(&self, pose: &mut Pose, bone: HumanBone, n: Quat) {
        if let Some(b) = self.get(bone) {
            let raw = b.frame.conjugate() * n * b.frame * pose.rotation(b.joint);
            pose.set_rotation(b.joint, math::normalize_or_identity(raw));
        }
    }

    /// A bone's normalised rotation; the identity for a bone that the body lacks.
    pub fn rotation(&self, pose: &Pose, bone: HumanBone) -> Quat {
        self.get(bone).map_or(Quat::IDENTITY, |b| {
            b.frame * pose.rotation(b.joint) * b.rest.conjugate() * b.frame.conjugate()
        })
    }

    /// Puts the hips at a place in model space, through whatever the joints above them do now.
    pub fn set_hips(&self, pose: &mut Pose, skeleton: &Skeleton, at: Vec3) {
        let Some(hips) = self.joint(HumanBone::Hips) else { return };
        let above = self.above_hips.map_or(Affine::IDENTITY, |p| pose.model_of(skeleton, p));
        if let Some(inverse) = above.inverse() {
            pose.set_translation(hips, inverse.transform_point(at));
        }
    }

    /// The map from model space to the space in which the hips move, at rest.
    pub(crate) fn hips_space(&self) -> Affine {
        self.above_hips_inverse.unwrap_or(Affine::IDENTITY)
    }

    /// The turn, in the model's axes, that brings a bone from the body's rest pose into a T-pose:
    /// arms straight out, legs straight down. Hands and fingers go with the arm; what is no limb
    /// rests alike in both. `face` turns the model to look along +Z first.
    pub fn to_t_pose(&self, bone: HumanBone, face: Quat) -> Quat {
        let mut bone = bone;
        loop {
            if let Some((child, want)) = limb(bone)
                && let (Some(from), Some(to)) = (self.rest_at(bone), self.rest_at(child))
                && let Some(dir) = (face * (to - from)).try_normalize()
            {
                return arc(dir, want);
            }
            let hand = limb(bone).is_some_and(|(_, want)| want.y == 0.0)
                || matches!(bone, HumanBone::LeftHand | HumanBone::RightHand)
                || bone.index() >= HumanBone::LeftThumbMetacarpal.index();
            match self.parent(bone) {
                Some(up) if hand => bone = up,
                _ => return Quat::IDENTITY,
            }
        }
    }

    /// Body parts with the joints and shares that make them: Head = neck 0.35 + head 0.65, Chest =
    /// chest and upper chest, and so on. For [`Regions::new`](crate::Regions::new).
    pub fn regions(&self) -> Vec<(Region, Vec<(JointId, f32)>)> {
        use crate::Side::{Left, Right};
        use HumanBone as B;
        let table: [(Region, &[(B, f32)]); 23] = [
            (Region::Hips, &[(B::Hips, 1.0)]),
            (Region::Spine, &[(B::Spine, 1.0)]),
            (Region::Chest, &[(B::Chest, 0.5), (B::UpperChest, 0.5)]),
            (Region::Neck, &[(B::Neck, 1.0)]),
            (Region::Head, &[(B::Neck, 0.35), (B::Head, 0.65)]),
            (Region::Jaw, &[(B::Jaw, 1.0)]),
            // An eye bone turns a painted eye or an eyeball: it never squashes.
            (Region::Pupil(Left), &[(B::LeftEye, 1.0)]),
            (Region::Pupil(Right), &[(B::RightEye, 1.0)]),
            (Region::Shoulder(Left), &[(B::LeftShoulder, 1.0)]),
            (Region::Arm(Left), &[(B::LeftUpperArm, 1.0)]),
            (Region::Forearm(Left), &[(B::LeftLowerArm, 1.0)]),
            (Region::Hand(Left), &[(B::LeftHand, 1.0)]),
            (Region::Leg(Left), &[(B::LeftUpperLeg, 1.0)]),
            (Region::Shin(Left), &[(B::LeftLowerLeg, 1.0)]),
            (Region::Foot(Left), &[(B::LeftFoot, 1.0)]),
            (Region::Shoulder(Right), &[(B::RightShoulder, 1.0)]),
            (Region::Arm(Right), &[(B::RightUpperArm, 1.0)]),
            (Region::Forearm(Right), &[(B::RightLowerArm, 1.0)]),
            (Region::Hand(Right), &[(B::RightHand, 1.0)]),
            (Region::Leg(Right), &[(B::RightUpperLeg, 1.0)]),
            (Region::Shin(Right), &[(B::RightLowerLeg, 1.0)]),
            (Region::Foot(Right), &[(B::RightFoot, 1.0)]),
            (Region::Body, &[]),
        ];
        let mut out = Vec::new();
        for (region, parts) in table {
            let joints: Vec<_> =
                parts.iter().filter_map(|(b, share)| Some((self.joint(*b)?, *share))).collect();
            if !joints.is_empty() {
                out.push((region, joints));
            }
        }
        out
    }
}

/// The bone at a limb bone's end, and where the bone points in a T-pose.
fn limb(bone: HumanBone) -> Option<(HumanBone, Vec3)> {
    use HumanBone as B;
    Some(match bone {
        B::LeftUpperArm => (B::LeftLowerArm, Vec3::X),
        B::LeftLowerArm => (B::LeftHand, Vec3::X),
        B::RightUpperArm => (B::RightLowerArm, Vec3::NEG_X),
        B::RightLowerArm => (B::RightHand, Vec3::NEG_X),
        B::LeftUpperLeg => (B::LeftLowerLeg, Vec3::NEG_Y),
        B::LeftLowerLeg => (B::LeftFoot, Vec3::NEG_Y),
        B::RightUpperLeg => (B::RightLowerLeg, Vec3::NEG_Y),
        B::RightLowerLeg => (B::RightFoot, Vec3::NEG_Y),
        _ => return None,
    })
}
