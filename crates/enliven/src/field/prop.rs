//! A held leaf or umbrella: a stem of joints, and a blade that can cup, nod and flutter.

use super::{Prop, Surface};
use crate::{Channel, ChannelKind, MorphTarget, layers::LEAF_CHANNELS, math};
use glam::{Quat, Vec3};

/// Joints of a stem: a cantilever's slope in six steps strays by under 1 % of its bend.
pub(super) const LINKS: usize = 6;

/// Rise of the rim by which normals are measured, metres.
const PROBE: f32 = 0.02;

/// Channels of a blade, ± metres at the rim.
pub(super) fn channels() -> impl Iterator<Item = Channel> {
    LEAF_CHANNELS
        .into_iter()
        .map(|name| Channel::new(name, ChannelKind::Morph).with_range(-0.1, 0.1))
}

/// How a vertex of the stem follows the links: link below, link above (`None` is the hand), and
/// the weight of the one above.
pub(super) fn along(prop: &Prop, p: Vec3) -> (Option<usize>, usize, f32) {
    let axis = prop.top - prop.grip;
    let t = (p - prop.grip).dot(axis) / axis.length_squared().max(1e-12);
    // A link's turn is met at its middle.
    let x = (t * LINKS as f32 - 0.5).clamp(-1.0, LINKS as f32 - 1.0);
    let below = libm::floorf(x);
    let above = ((below + 1.0) as usize).min(LINKS - 1);
    ((below >= 0.0).then_some(below as usize), above, x - below)
}

/// One morph target for each of the blade's channels: position and normal differences a vertex, in
/// the file's space, at 1 m of rise of the rim. r² outward, by polar angle about the stem.
pub(super) fn shapes(surface: &Surface, prop: &Prop, blade: &[f32]) -> [Vec<(Vec3, Vec3)>; 7] {
    let axis = (prop.top - prop.grip).normalize_or(Vec3::Y);
    // Angle 0 is the file's +X, a quarter turn its +Z, as the air's components are.
    let x = (Vec3::X - axis * axis.x).normalize_or(Vec3::X);
    let z = x.cross(axis);
    let rest = surface.smooth_normals();
    core::array::from_fn(|k| {
        let rise = |v: usize| {
            let d = surface.points[v] - prop.top;
            let (dx, dz) = (d.dot(x), d.dot(z));
            let r2 = (dx * dx + dz * dz) / (prop.radius * prop.radius).max(1e-12);
            let a = math::atan2(dz, dx);
            let wave = match k {
                0 => math::cos(a),
                1 => math::sin(a),
                2 => 1.0,
                3 => math::cos(3.0 * a),
                4 => math::sin(3.0 * a),
                5 => math::cos(5.0 * a),
                _ => math::sin(5.0 * a),
            };
            axis * (blade[v] * r2 * wave)
        };
        let mut moved = surface.clone();
        let steps: Vec<Vec3> = (0..blade.len()).map(rise).collect();
        moved.points.iter_mut().zip(&steps).for_each(|(p, s)| *p += *s * PROBE);
        let after = moved.smooth_normals();
        (0..blade.len())
            .map(|v| {
                if blade[v] == 0.0 || rest[v] == Vec3::ZERO || after[v] == Vec3::ZERO {
                    return (steps[v], Vec3::ZERO);
                }
                let turn = Quat::from_rotation_arc(rest[v], after[v]);
                let n = surface.normals[v];
                (steps[v], (turn * n - n) / PROBE)
            })
            .collect()
    })
}

/// The targets of one mesh, in the bound model's space.
pub(super) fn targets(
    shapes: &[Vec<(Vec3, Vec3)>; 7],
    span: core::ops::Range<usize>,
    turn: Quat,
) -> Vec<MorphTarget> {
    let target = |(name, all): (&str, &Vec<(Vec3, Vec3)>)| MorphTarget {
        name: name.into(),
        positions: all[span.clone()].iter().map(|d| turn * d.0).collect(),
        normals: all[span.clone()].iter().map(|d| turn * d.1).collect(),
        tangents: Vec::new(),
    };
    LEAF_CHANNELS.into_iter().zip(shapes).map(target).collect()
}
