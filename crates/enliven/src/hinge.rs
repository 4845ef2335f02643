//! A rigid panel that turns about one axis: a wing, a lid, a door.

use crate::math;
use glam::{Quat, Vec3};

/// Axes that are tried before the best is refined.
const AXES: usize = 600;
/// Angles that are tried for each.
const ANGLES: usize = 9;
/// Rounds of refinement; the step halves in each that finds nothing better.
const ROUNDS: usize = 60;

/// The axis about which a folded panel opens, and how far (A18).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// Unit vector in the joint's own axes at rest.
    pub axis: Vec3,
    /// From folded to spread, rad.
    pub angle: f32,
    /// How far the spread panel is from what was wanted, rad, the worse of both directions.
    pub error: f32,
}

impl Hinge {
    /// Searches the axis and the angle, between `angles[0]` and `angles[1]` rad, that carry a panel
    /// from its rest nearest to a wanted spread. A wing that lies against a body needs 100° to 120°.
    ///
    /// `folded` are two directions of the panel in the joint's own axes, from the root to the tip
    /// and out of the upper face; `spread` is where both shall point, in the parent's axes; `rest`
    /// is the joint's rotation at rest. Directions of any length but zero, each pair at a right
    /// angle or near it. What cannot be reached within the angles is told by [`Hinge::error`].
    pub fn search(rest: Quat, folded: [Vec3; 2], spread: [Vec3; 2], angles: [f32; 2]) -> Self {
        let unit = |v: Vec3| v.try_normalize().unwrap_or(Vec3::X);
        let folded = folded.map(unit);
        let spread = spread.map(|v| unit(rest.conjugate() * v));
        let miss = |axis: Vec3, angle: f32| {
            let q = math::rotation(axis, angle);
            let part = |i: usize| (q * folded[i]).distance_squared(spread[i]);
            part(0) + part(1)
        };
        let [low, high] = [angles[0].min(angles[1]), angles[0].max(angles[1])];
        let mut best = (f32::MAX, Vec3::X, low);
        for i in 0..AXES {
            // A spiral of the golden angle over the sphere.
            let y = 1.0 - (2.0 * i as f32 + 1.0) / AXES as f32;
            let (s, c) = math::sin_cos(2.399_963_2 * i as f32);
            let r = (1.0 - y * y).sqrt();
            let axis = Vec3::new(r * c, y, r * s);
            for k in 0..ANGLES {
                let angle = math::lerp(low, high, k as f32 / (ANGLES - 1) as f32);
                let m = miss(axis, angle);
                if m < best.0 {
                    best = (m, axis, angle);
                }
            }
        }
        let mut step = 0.1;
        for _ in 0..ROUNDS {
            let (u, v) = best.1.any_orthonormal_pair();
            let before = best.0;
            for axis in [u, -u, v, -v, Vec3::ZERO].map(|d| (best.1 + d * step).normalize_or(u)) {
                for turn in [-step, 0.0, step] {
                    let angle = (best.2 + turn).clamp(low, high);
                    let m = miss(axis, angle);
                    if m < best.0 {
                        best = (m, axis, angle);
                    }
                }
            }
            if best.0 == before {
                step *= 0.5;
            }
        }
        let (_, axis, angle) = best;
        let q = math::rotation(axis, angle);
        let off = |i: usize| math::acos((q * folded[i]).dot(spread[i]));
        Self { axis, angle, error: off(0).max(off(1)) }
    }

    /// Rotation of the joint with the panel opened by `part` of the way, relative to its `rest`: 0
    /// is folded, 1 spread.
    #[inline]
    pub fn apply(&self, rest: Quat, part: f32) -> Quat {
        rest * math::rotation(self.axis, self.angle * part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: [f32; 2] = [100.0 * math::PI / 180.0, 120.0 * math::PI / 180.0];

    #[test]
    fn a_known_hinge_is_found_again() {
        let rests = [Quat::IDENTITY, math::yaw_pitch_roll(0.4, -1.1, 2.0)];
        for (i, rest) in rests.into_iter().enumerate() {
            for k in 0..12 {
                let a = k as f32;
                let axis = Vec3::new(math::sin(a), math::cos(1.7 * a), math::sin(0.6 * a + 1.0));
                let (axis, angle) = (axis.normalize(), (100.5 + 19.0 * (a / 11.0)).to_radians());
                let folded = [Vec3::NEG_Z, Vec3::X];
                let spread = folded.map(|v| rest * (math::rotation(axis, angle) * v));
                let found = Hinge::search(rest, folded, spread, RANGE);
                assert!(found.error < 2e-3, "{i} {k}: {found:?}");
                assert!(found.axis.dot(axis) > 0.999_9, "{i} {k}: {found:?} {axis}");
                assert!((found.angle - angle).abs() < 4e-3, "{i} {k}: {found:?} {angle}");
                // Relative to the rest rotation: folded is rest, spread is as wanted.
                assert_eq!(found.apply(rest, 0.0), rest);
                let tip = found.apply(rest, 1.0) * folded[0];
                assert!(tip.distance(spread[0]) < 3e-3, "{tip} {}", spread[0]);
            }
        }
    }

    #[test]
    fn what_cannot_be_reached_is_told() {
        // Half a turn is wanted, and 120° is the most.
        let found =
            Hinge::search(Quat::IDENTITY, [Vec3::NEG_Z, Vec3::Y], [Vec3::Z, Vec3::Y], RANGE);
        assert!((found.angle - RANGE[1]).abs() < 1e-3, "{found:?}");
        assert!(found.error > 0.5, "{found:?}");
    }
}
