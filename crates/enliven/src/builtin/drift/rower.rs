//! How the creature rows: its left paw, its back, and the paddle in it.

use super::boat::Stroke;
use crate::builtin::creature::{PAWS, SHOULDER};
use crate::{Affine, Character, JointId, Layer, Moment, Pose, Region, Rig, Side, Transform, math};
use glam::{Mat3, Quat, Vec3};

/// Where the creature sits: its own space → the boat's, metres.
pub(super) const SEAT: Vec3 = Vec3::new(-0.03, 0.1, -0.08);
/// Where the paw lies when the paddle trails, in the creature's space.
const TRAILING: Vec3 = Vec3::new(0.37, 0.33, 0.16);
/// Directions of the paddle down from the paw, in the boat's space: trailing, and in a stroke at
/// its middle, with what its phase adds.
const TRAIL: Vec3 = Vec3::new(0.46, -0.5, -0.62);
const REACH: f32 = 0.55;
/// How far the body leans forward and back in a stroke, rad.
const LEAN: f32 = 0.075;

/// Moves the left paw with a paddle, and the back with it.
#[derive(Clone, Debug)]
pub(super) struct Rower {
    pub(super) stroke: Stroke,
    arm: Option<JointId>,
    rest: Affine,
}

impl Rower {
    pub(super) fn new(character: &Character) -> Self {
        let rig = &character.rig;
        let arm = rig.regions.own_joints(Region::Arm(Side::Left)).first().map(|r| r.joint);
        let model = rig.skeleton.rest_model();
        let rest = arm.and_then(|j| model[j.index()].inverse()).unwrap_or_default();
        Self { stroke: Stroke::default(), arm, rest }
    }

    /// Where the paw is in the creature's space.
    fn paw(&self) -> Vec3 {
        let (s, c) = math::sin_cos(self.stroke.phase);
        let rowing = Vec3::new(0.37, 0.385 - 0.05 * s, 0.17 + 0.16 * c);
        TRAILING.lerp(rowing, self.stroke.weight)
    }

    /// Which way the paddle points from the paw, in the boat's space.
    fn down(&self) -> Vec3 {
        let (s, c) = math::sin_cos(self.stroke.phase);
        let rowing = Vec3::new(0.56, -0.5 - 0.26 * s, REACH * c);
        TRAIL.lerp(rowing, self.stroke.weight).normalize_or(Vec3::NEG_Y)
    }

    /// Where the paddle is in the world, for the creature's model matrices and the boat's place.
    pub(super) fn paddle(&self, model: &[Affine], creature: &Transform, boat: Quat) -> Transform {
        let paw = PAWS[Side::Left as usize] + Vec3::new(0.0, 0.0, 0.01);
        let hand = self.arm.map_or(paw, |j| (model[j.index()] * self.rest).transform_point(paw));
        // The blade's face looks back along the boat.
        let up = -self.down();
        let face = (Vec3::Z - up * up.z).normalize_or(Vec3::X);
        let turn = Quat::from_mat3(&Mat3::from_cols(up.cross(face), up, face));
        Transform {
            translation: creature.transform_point(hand),
            rotation: math::normalize_or_identity(boat * turn),
            scale: Vec3::ONE,
        }
    }

    /// Where the creature is in the boat.
    pub(super) fn seat(&self) -> Transform {
        let c = math::cos(self.stroke.phase);
        let pitch = LEAN * self.stroke.weight * (0.35 + 0.65 * c);
        Transform { translation: SEAT, rotation: math::rotation(Vec3::X, pitch), scale: Vec3::ONE }
    }
}

impl Layer for Rower {
    fn apply(&mut self, _: &Moment, rig: &Rig, pose: &mut Pose) {
        let rest = (PAWS[Side::Left as usize] - SHOULDER).normalize_or(Vec3::Z);
        let want = (self.paw() - SHOULDER).normalize_or(rest);
        let turn = Quat::from_rotation_arc(rest, want);
        rig.regions.rotate(pose, Region::Arm(Side::Left), turn);
    }
}
