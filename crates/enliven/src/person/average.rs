//! A humanoid of usual proportions, for motion that comes without a body.

use super::{HumanBone, Humanoid};
use crate::{JointId, Skeleton, Transform};
use glam::Vec3;

/// From the bone above, in parts of the body's height, for the left side and the middle; the T-pose
/// of a person of 7½ heads, looking along +Z (the usual canon of drawing).
const OFFSETS: [(HumanBone, [f32; 3]); 32] = {
    use HumanBone as B;
    [
        (B::Hips, [0.0, 0.53, 0.0]),
        (B::Spine, [0.0, 0.06, 0.0]),
        (B::Chest, [0.0, 0.07, 0.0]),
        (B::UpperChest, [0.0, 0.07, 0.0]),
        (B::Neck, [0.0, 0.11, 0.0]),
        (B::Head, [0.0, 0.05, 0.008]),
        (B::LeftEye, [0.018, 0.035, 0.045]),
        (B::Jaw, [0.0, 0.01, 0.01]),
        (B::LeftUpperLeg, [0.055, -0.02, 0.0]),
        (B::LeftLowerLeg, [0.0, -0.24, 0.003]),
        (B::LeftFoot, [0.0, -0.23, -0.008]),
        (B::LeftToes, [0.0, -0.03, 0.07]),
        (B::LeftShoulder, [0.02, 0.09, 0.0]),
        (B::LeftUpperArm, [0.075, 0.0, -0.006]),
        (B::LeftLowerArm, [0.16, 0.0, 0.0]),
        (B::LeftHand, [0.145, 0.0, 0.0]),
        (B::LeftThumbMetacarpal, [0.015, -0.006, 0.016]),
        (B::LeftThumbProximal, [0.02, 0.0, 0.015]),
        (B::LeftThumbDistal, [0.016, 0.0, 0.008]),
        (B::LeftIndexProximal, [0.055, 0.0, 0.014]),
        (B::LeftIndexIntermediate, [0.025, 0.0, 0.0]),
        (B::LeftIndexDistal, [0.014, 0.0, 0.0]),
        (B::LeftMiddleProximal, [0.056, 0.0, 0.002]),
        (B::LeftMiddleIntermediate, [0.027, 0.0, 0.0]),
        (B::LeftMiddleDistal, [0.016, 0.0, 0.0]),
        (B::LeftRingProximal, [0.053, 0.0, -0.009]),
        (B::LeftRingIntermediate, [0.025, 0.0, 0.0]),
        (B::LeftRingDistal, [0.015, 0.0, 0.0]),
        (B::LeftLittleProximal, [0.049, -0.001, -0.019]),
        (B::LeftLittleIntermediate, [0.019, 0.0, 0.0]),
        (B::LeftLittleDistal, [0.012, 0.0, 0.0]),
        (B::RightEye, [-0.018, 0.035, 0.045]),
    ]
};

impl Humanoid {
    /// A person of usual proportions with every bone, `height` metres tall, in a T-pose.
    pub fn average(height: f32) -> Self {
        let mut skeleton = Skeleton::new();
        let mut joints: Vec<(HumanBone, JointId)> = Vec::new();
        for bone in HumanBone::ALL {
            let Some(offset) = offset(bone) else { continue };
            let up = bone.parent().and_then(|up| joints.iter().find(|(b, _)| *b == up));
            let at = Transform::from_translation(offset * height);
            if let Ok(joint) = skeleton.push(bone.name(), up.map(|(_, j)| *j), at) {
                joints.push((bone, joint));
            }
        }
        Self::new(&skeleton, joints)
    }
}

/// Of the right side the mirror image of the left.
fn offset(bone: HumanBone) -> Option<Vec3> {
    let find = |bone| OFFSETS.iter().find(|(b, _)| *b == bone).map(|(_, at)| Vec3::from(*at));
    find(bone).or_else(|| {
        let left = HumanBone::from_name(&bone.name().replacen("right", "left", 1))?;
        find(left).map(|at| Vec3::new(-at.x, at.y, at.z))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_every_bone_stands_on_the_ground_and_is_in_a_t_pose() {
        let body = Humanoid::average(1.7);
        assert_eq!(body.bones().count(), HumanBone::COUNT);
        let at = |bone| body.rest_at(bone).expect("every bone");
        let (left, right) = (at(HumanBone::LeftHand), at(HumanBone::RightHand));
        assert!((left.x + right.x).abs() < 1e-6 && left.x > 0.6, "{left}");
        assert!((0.0..0.1).contains(&at(HumanBone::LeftFoot).y));
        for bone in [HumanBone::LeftUpperArm, HumanBone::RightLowerArm, HumanBone::LeftHand] {
            let turn = body.to_t_pose(bone, glam::Quat::IDENTITY);
            assert!(turn.angle_between(glam::Quat::IDENTITY) < 0.05, "{bone:?} {turn}");
        }
    }
}
