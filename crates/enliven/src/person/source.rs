//! Turning recorded motion of one skeleton into motion for any.

use super::{HumanBone, Humanoid};
use crate::{Affine, Curve, Interpolation};
use glam::{Quat, Vec3};

impl Humanoid {
    /// Local rotations of a bone's joint into normalised ones. The frame is the rest rotation of
    /// the nearest **bone** above (for the hips of the joint above), as VRMC_vrm_animation has it:
    /// joints in between count as part of the bone.
    pub fn normalize_rotations(&self, bone: HumanBone, curve: &Curve) -> Option<Curve> {
        let left = match self.parent(bone) {
            Some(parent) => self.rest_rotation(parent)?,
            None => self.to_raw(bone)?.0.conjugate(),
        };
        let right = self.rest_rotation(bone)?.conjugate();
        let mut values = Vec::with_capacity(curve.values().len());
        for v in curve.values().chunks_exact(4) {
            let q = left * Quat::from_xyzw(v[0], v[1], v[2], v[3]) * right;
            values.extend(q.to_array());
        }
        Curve::rotation(curve.times(), values, curve.interpolation()).ok()
    }

    /// Local places of the hips' joint into places in model space.
    pub fn normalize_hips(&self, curve: &Curve) -> Option<Curve> {
        let space = self.hips_space().inverse().unwrap_or(Affine::IDENTITY);
        let cubic = curve.interpolation() == Interpolation::CubicSpline;
        let mut values = Vec::with_capacity(curve.values().len());
        for (i, v) in curve.values().chunks_exact(3).enumerate() {
            let v = Vec3::new(v[0], v[1], v[2]);
            let point = !cubic || i % 3 == 1;
            let v = if point { space.transform_point(v) } else { space.transform_vector(v) };
            values.extend(v.to_array());
        }
        Curve::new(curve.times(), values, 3, curve.interpolation()).ok()
    }
}
