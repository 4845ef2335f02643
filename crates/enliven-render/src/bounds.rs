//! Boxes round what is drawn.

use enliven::glam::Vec3;
use enliven::{Aabb, Affine, Material};

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner, metres.
    pub low: Vec3,
    /// Highest corner, metres.
    pub high: Vec3,
}

impl Bounds {
    /// The box of a set of points; `None` when none is finite.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        points.into_iter().filter(|point| point.is_finite()).fold(None, |bounds, point| {
            Some(match bounds {
                None => Self { low: point, high: point },
                Some(Self { low, high }) => Self { low: low.min(point), high: high.max(point) },
            })
        })
    }

    /// The box round both.
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Its middle.
    pub fn centre(&self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// Half of its size along each axis.
    pub fn half(&self) -> Vec3 {
        (self.high - self.low) * 0.5
    }

    /// Its eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, low: f32, high: f32| if i >> bit & 1 == 0 { low } else { high };
            Vec3::new(
                pick(0, self.low.x, self.high.x),
                pick(1, self.low.y, self.high.y),
                pick(2, self.low.z, self.high.z),
            )
        })
    }

    /// The box round this one after a map.
    pub fn transformed(&self, by: &Affine) -> Self {
        let (centre, half) = (by.transform_point(self.centre()), self.half());
        let reach =
            |row: &[f32; 4]| row[0].abs() * half.x + row[1].abs() * half.y + row[2].abs() * half.z;
        let reach = Vec3::new(reach(&by.rows[0]), reach(&by.rows[1]), reach(&by.rows[2]));
        Self { low: centre - reach, high: centre + reach }
    }
}

impl From<Aabb> for Bounds {
    fn from(bounds: Aabb) -> Self {
        Self { low: bounds.min, high: bounds.max }
    }
}

/// How far hair, wind and waves can carry something from its surface, metres.
pub(crate) fn beyond(material: &Material) -> f32 {
    let fur = material.fur.map_or(0.0, |fur| fur.length.max(0.0));
    let sway =
        material.sway.map_or(0.0, |sway| (sway.top - sway.base).abs() * enliven::Sway::FARTHEST);
    let water = material.water.map_or(0.0, |water| water.swell.abs());
    let sum = fur + sway + water;
    if sum.is_finite() { sum } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enliven::Transform;

    #[test]
    fn boxes_follow_maps() {
        let bounds = Bounds::of([Vec3::ZERO, Vec3::new(2.0, 4.0, 6.0), Vec3::NAN]);
        let bounds = bounds.expect("finite points");
        assert_eq!(bounds.centre(), Vec3::new(1.0, 2.0, 3.0));
        let mut by = Transform::from_scale(-2.0);
        by.translation = Vec3::X;
        let moved = bounds.transformed(&Affine::from(&by));
        assert_eq!((moved.low, moved.high), (Vec3::new(-3.0, -8.0, -12.0), Vec3::X));
        assert!(bounds.corners().contains(&Vec3::new(2.0, 0.0, 6.0)));
        assert_eq!(Bounds::of([Vec3::NAN]), None);
    }
}
