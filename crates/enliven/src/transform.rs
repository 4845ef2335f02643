//! Translation, rotation, scale, and the 3×4 matrices made of them.

use crate::math;
use glam::{Mat3, Mat4, Quat, Vec3, Vec4};

/// A local transform: scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Metres, in the parent's space.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// Factor an axis; may be negative (a mirror) or zero.
    pub scale: Vec3,
}

impl Transform {
    /// No change at all.
    pub const IDENTITY: Self =
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// A translation alone.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// A rotation alone.
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// The same scale on all three axes.
    pub const fn from_scale(scale: f32) -> Self {
        Self { scale: Vec3::splat(scale), ..Self::IDENTITY }
    }

    /// A point of this space in the parent's space.
    #[inline]
    pub fn transform_point(&self, p: Vec3) -> Vec3 {
        self.translation + self.rotation * (self.scale * p)
    }

    /// `self` after `child`: the transform of a child of `self`. Exact only where no rotation
    /// follows a non-uniform scale; use [`Affine`] for chains.
    #[inline]
    pub fn then(&self, child: &Self) -> Self {
        Self {
            translation: self.transform_point(child.translation),
            rotation: self.rotation * child.rotation,
            scale: self.scale * child.scale,
        }
    }

    /// Moves toward `other`: lerp of translation and scale, [`math::nlerp`] of rotation.
    #[inline]
    pub fn blend(&self, other: &Self, weight: f32) -> Self {
        Self {
            translation: self.translation + (other.translation - self.translation) * weight,
            rotation: math::nlerp(self.rotation, other.rotation, weight),
            scale: self.scale + (other.scale - self.scale) * weight,
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// An affine map as three rows of four: what the vertex function reads, 48 bytes.
///
/// Row r is `[m_r0, m_r1, m_r2, t_r]`, so that `y_r = m_r · x + t_r`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Affine {
    /// Rows x, y, z.
    pub rows: [[f32; 4]; 3],
}

impl Affine {
    /// The map that changes nothing.
    pub const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// From the columns x, y, z of the linear part and the translation.
    #[inline]
    pub fn from_cols(x: Vec3, y: Vec3, z: Vec3, t: Vec3) -> Self {
        Self { rows: [[x.x, y.x, z.x, t.x], [x.y, y.y, z.y, t.y], [x.z, y.z, z.z, t.z]] }
    }

    /// From a 4×4 matrix whose last row is (0, 0, 0, 1); that row is not read.
    pub fn from_mat4(m: &Mat4) -> Self {
        Self::from_cols(
            m.x_axis.truncate(),
            m.y_axis.truncate(),
            m.z_axis.truncate(),
            m.w_axis.truncate(),
        )
    }

    /// From 16 numbers, column major, as glTF stores them; the last row is not read.
    pub fn from_cols_array(m: &[f32; 16]) -> Self {
        Self {
            rows: [
                [m[0], m[4], m[8], m[12]],
                [m[1], m[5], m[9], m[13]],
                [m[2], m[6], m[10], m[14]],
            ],
        }
    }

    /// As a 4×4 matrix.
    pub fn to_mat4(&self) -> Mat4 {
        let r = |i: usize| Vec4::from_array(self.rows[i]);
        Mat4::from_cols(r(0), r(1), r(2), Vec4::W).transpose()
    }

    /// The linear part.
    #[inline]
    pub fn linear(&self) -> Mat3 {
        let [a, b, c] = self.rows;
        Mat3::from_cols(
            Vec3::new(a[0], b[0], c[0]),
            Vec3::new(a[1], b[1], c[1]),
            Vec3::new(a[2], b[2], c[2]),
        )
    }

    /// The translation part.
    #[inline]
    pub fn translation(&self) -> Vec3 {
        Vec3::new(self.rows[0][3], self.rows[1][3], self.rows[2][3])
    }

    /// A point through the map.
    #[inline]
    pub fn transform_point(&self, p: Vec3) -> Vec3 {
        let f = |r: &[f32; 4]| r[0] * p.x + r[1] * p.y + r[2] * p.z + r[3];
        Vec3::new(f(&self.rows[0]), f(&self.rows[1]), f(&self.rows[2]))
    }

    /// A direction through the map (no translation).
    #[inline]
    pub fn transform_vector(&self, v: Vec3) -> Vec3 {
        let f = |r: &[f32; 4]| r[0] * v.x + r[1] * v.y + r[2] * v.z;
        Vec3::new(f(&self.rows[0]), f(&self.rows[1]), f(&self.rows[2]))
    }

    /// A normal through the map: by the cofactor matrix, which is right for non-uniform and
    /// mirrored scale and needs no division. Not normalised.
    #[inline]
    pub fn transform_normal(&self, n: Vec3) -> Vec3 {
        let m = self.linear();
        let (a, b, c) = (m.x_axis, m.y_axis, m.z_axis);
        b.cross(c) * n.x + c.cross(a) * n.y + a.cross(b) * n.z
    }

    /// Determinant of the linear part; negative for a mirror.
    pub fn determinant(&self) -> f32 {
        self.linear().determinant()
    }

    /// The inverse map, or `None` where the linear part is singular or not finite.
    pub fn inverse(&self) -> Option<Self> {
        let m = self.linear();
        let (a, b, c) = (m.x_axis, m.y_axis, m.z_axis);
        let det = a.dot(b.cross(c));
        let inv = 1.0 / det;
        if det == 0.0 || !inv.is_finite() {
            return None;
        }
        let rows = [b.cross(c) * inv, c.cross(a) * inv, a.cross(b) * inv];
        let t = self.translation();
        let row = |r: Vec3| [r.x, r.y, r.z, -r.dot(t)];
        let out = Self { rows: [row(rows[0]), row(rows[1]), row(rows[2])] };
        out.is_finite().then_some(out)
    }

    /// Splits the map into a [`Transform`]; exact where it has no shear. A mirror goes into the x
    /// scale; an axis of zero length keeps its zero scale.
    pub fn to_transform(&self) -> Transform {
        let m = self.linear();
        let mut scale = Vec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
        if m.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let mut x = m.x_axis / if scale.x == 0.0 { 1.0 } else { scale.x };
        let mut y = m.y_axis / if scale.y == 0.0 { 1.0 } else { scale.y };
        let mut z = m.z_axis / if scale.z == 0.0 { 1.0 } else { scale.z };
        // An axis without direction is taken from the other two.
        match (scale.x == 0.0, scale.y == 0.0, scale.z == 0.0) {
            (false, false, false) => {}
            (true, false, false) => x = y.cross(z),
            (false, true, false) => y = z.cross(x),
            (false, false, true) => z = x.cross(y),
            (false, true, true) => (y, z) = x.any_orthonormal_pair(),
            (true, false, true) => (z, x) = y.any_orthonormal_pair(),
            (true, true, false) => (x, y) = z.any_orthonormal_pair(),
            (true, true, true) => (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z),
        }
        let rotation = math::normalize_or_identity(Quat::from_mat3(&Mat3::from_cols(x, y, z)));
        Transform { translation: self.translation(), rotation, scale }
    }

    /// The largest difference of any entry between `self` and what [`Affine::to_transform`] keeps
    /// of it, relative to the largest entry of the linear part: 0 without shear.
    pub fn shear(&self) -> f32 {
        let back = Self::from(&self.to_transform());
        let (mut most, mut size) = (0.0f32, 1e-30f32);
        for (r, b) in self.rows.iter().zip(&back.rows) {
            for c in 0..3 {
                most = most.max((r[c] - b[c]).abs());
                size = size.max(r[c].abs());
            }
        }
        most / size
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|v| v.is_finite())
    }
}

impl Default for Affine {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<&Transform> for Affine {
    #[inline]
    fn from(t: &Transform) -> Self {
        let Quat { x, y, z, w } = t.rotation;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let s = t.scale;
        let p = t.translation;
        Self {
            rows: [
                [(1.0 - (yy + zz)) * s.x, (xy - wz) * s.y, (xz + wy) * s.z, p.x],
                [(xy + wz) * s.x, (1.0 - (xx + zz)) * s.y, (yz - wx) * s.z, p.y],
                [(xz - wy) * s.x, (yz + wx) * s.y, (1.0 - (xx + yy)) * s.z, p.z],
            ],
        }
    }
}

impl core::ops::Mul for Affine {
    type Output = Self;

    /// `self` after `rhs`.
    #[inline]
    fn mul(self, rhs: Self) -> Self {
        let b = &rhs.rows;
        // Four lanes in every line, so that each is one vector instruction.
        let row = |a: &[f32; 4]| {
            let shift = [0.0, 0.0, 0.0, a[3]];
            let mut out = [0.0; 4];
            for c in 0..4 {
                out[c] = a[0] * b[0][c];
            }
            for c in 0..4 {
                out[c] += a[1] * b[1][c];
            }
            for c in 0..4 {
                out[c] += a[2] * b[2][c];
            }
            for c in 0..4 {
                out[c] += shift[c];
            }
            out
        };
        Self { rows: [row(&self.rows[0]), row(&self.rows[1]), row(&self.rows[2])] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Transform {
        Transform {
            translation: Vec3::new(1.0, -2.0, 3.0),
            rotation: math::yaw_pitch_roll(0.4, -0.9, 1.3),
            scale: Vec3::new(2.0, 0.5, 1.5),
        }
    }

    #[test]
    fn matrix_and_transform_agree() {
        let t = sample();
        let a = Affine::from(&t);
        let p = Vec3::new(0.3, 0.7, -1.1);
        assert!(a.transform_point(p).abs_diff_eq(t.transform_point(p), 1e-5));
        let m = Mat4::from_scale_rotation_translation(t.scale, t.rotation, t.translation);
        assert!(a.to_mat4().abs_diff_eq(m, 1e-5));
        assert_eq!(Affine::from_mat4(&m), Affine::from_cols_array(&m.to_cols_array()));
    }

    #[test]
    fn inverse_undoes() {
        let a = Affine::from(&sample());
        let i = a.inverse().expect("regular") * a;
        assert!(i.to_mat4().abs_diff_eq(Mat4::IDENTITY, 1e-5));
        assert_eq!(Affine::from(&Transform::from_scale(0.0)).inverse(), None);
    }

    #[test]
    fn decomposition_is_exact_without_shear() {
        for scale in [Vec3::ONE, Vec3::new(2.0, 0.5, 1.5), Vec3::new(-1.0, 1.0, 1.0)] {
            let t = Transform { scale, ..sample() };
            let a = Affine::from(&t);
            assert!(a.shear() < 1e-5, "{scale}: {}", a.shear());
            assert!(Affine::from(&a.to_transform()).to_mat4().abs_diff_eq(a.to_mat4(), 1e-5));
        }
        let flat = Affine::from(&Transform { scale: Vec3::new(1.0, 0.0, 1.0), ..sample() });
        assert!(flat.to_transform().is_finite());
        assert_eq!(flat.to_transform().scale.y, 0.0);
    }

    #[test]
    fn shear_is_seen() {
        let a = Affine::from_cols(Vec3::X, Vec3::new(0.5, 1.0, 0.0), Vec3::Z, Vec3::ZERO);
        assert!(a.shear() > 0.05);
    }

    #[test]
    fn normals_stay_perpendicular_under_uneven_and_mirrored_scale() {
        let t = Transform { scale: Vec3::new(-2.0, 0.5, 1.0), ..sample() };
        let a = Affine::from(&t);
        let (u, v) = (Vec3::new(1.0, 1.0, 0.2), Vec3::new(0.0, 1.0, -1.0));
        let n = a.transform_normal(u.cross(v));
        assert!(n.dot(a.transform_vector(u)).abs() < 1e-5);
        assert!(n.dot(a.transform_vector(v)).abs() < 1e-5);
    }
}
