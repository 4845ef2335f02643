//! The small ones: the fish, fireflies.

use super::Daylight;
use super::kit::{Kit, Look};
use crate::builtin::shapes;
use crate::{Character, JointId, math};
use glam::{Quat, Vec3};

/// A fish of 0.4 m, facing +Z, and the joints of its two tail parts.
pub(super) fn fish() -> (Character, [JointId; 2]) {
    let mut kit = Kit::new("fish", 0.2);
    let (gold, white) = (Vec3::new(0.72, 0.16, 0.03), Vec3::new(0.75, 0.7, 0.62));
    let coat = move |p: Vec3, n: Vec3| {
        let patch = math::sin(19.0 * p.z + 6.0 * p.y) + 0.6 * math::sin(31.0 * p.x + 11.0 * p.z);
        white.lerp(gold, math::smoothstep(-0.3, 0.2, patch) * math::smoothstep(-0.5, 0.2, n.y))
    };
    let root = kit.joint("fish", None, Vec3::ZERO, Quat::IDENTITY);
    let body = shapes::ellipsoid(Vec3::new(0.045, 0.06, 0.15), 16).at(Vec3::Z * 0.04);
    let fin = shapes::ellipsoid(Vec3::new(0.006, 0.045, 0.06), 8).at(Vec3::new(0.0, 0.065, 0.02));
    let mut trunk = body.with(fin).painted(coat);
    for side in [-1.0, 1.0] {
        let flipper = shapes::ellipsoid(Vec3::new(0.045, 0.005, 0.025), 8)
            .turned(math::rotation(Vec3::Y, 0.5 * side))
            .at(Vec3::new(0.06 * side, -0.02, 0.07))
            .colored(gold);
        let eye = shapes::sphere(0.009, 8).at(Vec3::new(0.033 * side, 0.015, 0.14));
        trunk = trunk.with(flipper).with(eye.colored(Vec3::splat(0.01)));
    }
    kit.part("body", root, Look::Wet, trunk);
    let mid = kit.joint("tail", Some(root), Vec3::NEG_Z * 0.06, Quat::IDENTITY);
    let rear = shapes::ellipsoid(Vec3::new(0.026, 0.036, 0.09), 12).at(Vec3::NEG_Z * 0.04);
    kit.part("tail", mid, Look::Wet, rear.painted(coat));
    let end = kit.joint("fluke", Some(mid), Vec3::NEG_Z * 0.1, Quat::IDENTITY);
    let lobe = |up: f32| {
        shapes::ellipsoid(Vec3::new(0.006, 0.028, 0.06), 8)
            .turned(math::rotation(Vec3::X, 0.6 * up))
            .at(Vec3::new(0.0, 0.03 * up, -0.05))
    };
    kit.part("fluke", end, Look::Wet, lobe(1.0).with(lobe(-1.0)).painted(coat));
    (kit.finish(), [mid, end])
}

/// A small light that flies.
pub(super) fn firefly(daylight: Daylight) -> Character {
    let mut kit = Kit::new("firefly", 0.04).glowing(Vec3::new(1.1, 1.0, 0.28), daylight);
    let root = kit.joint("firefly", None, Vec3::ZERO, Quat::IDENTITY);
    kit.part("light", root, Look::Glow, shapes::sphere(0.014, 8).colored(Vec3::new(0.8, 0.8, 0.3)));
    kit.finish()
}
