//! Shapes that keep hair out of heads.

use crate::{Affine, JointId};
use glam::Vec3;

/// What a spring bone may not enter, or (inside shapes) not leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColliderShape {
    /// A ball.
    Sphere {
        /// Centre in the joint's space, metres.
        offset: Vec3,
        /// Metres.
        radius: f32,
        /// Keeps things in instead of out.
        inside: bool,
    },
    /// Everything within `radius` of a line segment.
    Capsule {
        /// One end of the segment in the joint's space, metres.
        offset: Vec3,
        /// The other end.
        tail: Vec3,
        /// Metres.
        radius: f32,
        /// Keeps things in instead of out.
        inside: bool,
    },
    /// The half space behind a plane.
    Plane {
        /// A point of the plane in the joint's space, metres.
        offset: Vec3,
        /// Points out of the forbidden half; of any length.
        normal: Vec3,
    },
}

impl ColliderShape {
    /// How far a ball of `radius` at `position` is from touching, metres (negative: it has
    /// entered), and the unit direction that leads out. `to_world` places the shape. Radii are
    /// not scaled by `to_world`, as VRMC_springBone 1.0 has it.
    pub fn distance(&self, to_world: &Affine, position: Vec3, radius: f32) -> (f32, Vec3) {
        match *self {
            Self::Sphere { offset, radius: r, inside } => {
                round(position - to_world.transform_point(offset), radius, r, inside)
            }
            Self::Capsule { offset, tail, radius: r, inside } => {
                let from = to_world.transform_point(offset);
                let along = to_world.transform_point(tail) - from;
                let p = position - from;
                let l2 = along.length_squared();
                let t = if l2 > 0.0 { (p.dot(along) / l2).clamp(0.0, 1.0) } else { 0.0 };
                round(p - along * t, radius, r, inside)
            }
            Self::Plane { offset, normal } => {
                let n = to_world.transform_normal(normal).try_normalize().unwrap_or(Vec3::Y);
                let n = n * to_world.determinant().signum();
                ((position - to_world.transform_point(offset)).dot(n) - radius, n)
            }
        }
    }

    /// Whether every number is finite and no radius is negative.
    pub fn is_valid(&self) -> bool {
        match *self {
            Self::Sphere { offset, radius, .. } => offset.is_finite() && valid_radius(radius),
            Self::Capsule { offset, tail, radius, .. } => {
                offset.is_finite() && tail.is_finite() && valid_radius(radius)
            }
            Self::Plane { offset, normal } => {
                offset.is_finite() && normal.is_finite() && normal.length_squared() > 0.0
            }
        }
    }
}

fn valid_radius(r: f32) -> bool {
    r.is_finite() && r >= 0.0
}

fn round(from_core: Vec3, radius: f32, core: f32, inside: bool) -> (f32, Vec3) {
    let length = from_core.length();
    let out = if length > 0.0 { from_core / length } else { Vec3::Y };
    if inside { (core - radius - length, -out) } else { (length - radius - core, out) }
}

/// A shape that a joint carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// What carries it.
    pub joint: JointId,
    /// The shape, in the joint's space.
    pub shape: ColliderShape,
}
