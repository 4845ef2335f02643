//! Boxes and spheres around things.

use crate::Affine;
use glam::Vec3;

/// A box along the axes, from its lowest to its highest corner, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner.
    pub min: Vec3,
    /// Highest corner.
    pub max: Vec3,
}

impl Aabb {
    /// Contains nothing: lowest above highest.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around points that are finite; [`Aabb::EMPTY`] without any.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut out = Self::EMPTY;
        points.into_iter().filter(|p| p.is_finite()).for_each(|p| out.add(p));
        out
    }

    /// Whether it contains nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Grows to contain a point.
    #[inline]
    pub fn add(&mut self, p: Vec3) {
        self.min = self.min.min(p);
        self.max = self.max.max(p);
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Edge lengths; 0 where empty.
    #[inline]
    pub fn size(&self) -> Vec3 {
        (self.max - self.min).max(Vec3::ZERO)
    }

    /// Centre.
    #[inline]
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Whether a point is inside or on the surface.
    #[inline]
    pub fn contains(&self, p: Vec3) -> bool {
        p.cmpge(self.min).all() && p.cmple(self.max).all()
    }

    /// The smallest box along the axes around this one moved by an affine map.
    pub fn transformed(&self, m: &Affine) -> Self {
        if self.is_empty() {
            return *self;
        }
        let center = m.transform_point(self.center());
        let half = self.size() * 0.5;
        let reach = |r: &[f32; 4]| r[0].abs() * half.x + r[1].abs() * half.y + r[2].abs() * half.z;
        let half = Vec3::new(reach(&m.rows[0]), reach(&m.rows[1]), reach(&m.rows[2]));
        Self { min: center - half, max: center + half }
    }
}

/// A ball, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre.
    pub center: Vec3,
    /// Radius; negative where it contains nothing.
    pub radius: f32,
}

impl Sphere {
    /// A ball around points: grows by the least that takes in each point in turn, so it is not
    /// the smallest one. Depends on their order.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut out = Self { center: Vec3::ZERO, radius: -1.0 };
        points.into_iter().filter(|p| p.is_finite()).for_each(|p| out.add(p));
        out
    }

    /// Grows to contain a point.
    pub fn add(&mut self, p: Vec3) {
        if self.radius < 0.0 {
            *self = Self { center: p, radius: 0.0 };
            return;
        }
        let to = p - self.center;
        let distance = to.length();
        if distance > self.radius {
            let grow = (distance - self.radius) * 0.5;
            self.center += to * (grow / distance);
            self.radius += grow;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, Transform, math};

    #[test]
    fn a_moved_box_contains_what_it_contained() {
        let mut rng = Rng::new(3, 0);
        let mut point = || Vec3::from_array([0; 3].map(|_| rng.range(-1.0, 1.0)));
        for _ in 0..50 {
            let points: Vec<Vec3> = (0..20).map(|_| point()).collect();
            let turn = Transform {
                translation: point(),
                rotation: math::rotation(point().normalize(), 2.0),
                scale: point(),
            };
            let m = Affine::from(&turn);
            let grown = Aabb::of(points.iter().copied()).transformed(&m);
            for p in &points {
                let p = m.transform_point(*p);
                assert!((p.clamp(grown.min, grown.max) - p).length() < 1e-5);
            }
        }
        assert!(Aabb::EMPTY.transformed(&Affine::IDENTITY).is_empty());
        assert!(Aabb::of([Vec3::NAN]).is_empty());
    }

    #[test]
    fn a_ball_contains_its_points() {
        let mut rng = Rng::new(5, 0);
        let points: Vec<Vec3> =
            (0..100).map(|_| Vec3::from_array([0; 3].map(|_| rng.range(-1.0, 1.0)))).collect();
        let ball = Sphere::of(points.iter().copied());
        assert!(points.iter().all(|p| (*p - ball.center).length() <= ball.radius + 1e-5));
        assert!(ball.radius < 2.0);
    }
}
