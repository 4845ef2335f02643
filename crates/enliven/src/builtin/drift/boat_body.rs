//! The boat and its paddle, as shapes.

use super::Daylight;
use super::kit::{Kit, Look};
use crate::builtin::shapes::{self, Shape};
use crate::{Character, Geometry, math};
use glam::{Quat, Vec2, Vec3};

/// Half the length and half the width, metres.
const LONG: f32 = 1.12;
const WIDE: f32 = 0.5;
/// Rows along the hull and across half of it.
const ALONG: usize = 44;
const ACROSS: usize = 11;
/// Thickness of the planks.
const THICK: f32 = 0.03;

/// Half width at a part `u` of the half length, −1 astern.
fn half(u: f32) -> f32 {
    // Fuller astern than at the bow.
    let v = if u > 0.0 { u } else { u * 0.97 };
    WIDE * math::pow((1.0 - v * v).max(0.0), if u > 0.0 { 0.62 } else { 0.5 })
}

/// Height of the gunwale and of the keel.
fn sheer(u: f32) -> f32 {
    0.235 + 0.2 * u * u * u * u + 0.1 * u * u + if u > 0.0 { 0.1 * u * u * u } else { 0.0 }
}

fn keel(u: f32) -> f32 {
    -0.15 + 0.24 * u * u * u * u
}

/// A place of the hull: `u` along, `v` from the keel (0) to the gunwale (±1), `inset` metres in.
fn hull_at(u: f32, v: f32, inset: f32) -> Vec3 {
    let a = v.abs() * 0.5 * math::PI;
    let (s, c) = math::sin_cos(a);
    let (w, k, top) = ((half(u) - inset).max(0.0), keel(u) + inset, sheer(u));
    // Round below, upright above.
    let x = w * math::pow(s, 0.72) * if v < 0.0 { -1.0 } else { 1.0 };
    Vec3::new(x, k + (top - k) * (1.0 - math::pow(c, 0.85)), u * (LONG - 0.6 * inset))
}

fn planks(p: Vec3, v: f32) -> Vec3 {
    let (red, pale) = (Vec3::new(0.2, 0.075, 0.028), Vec3::new(0.36, 0.17, 0.07));
    // Planks run from end to end: they get narrower, and are seen from the keel on.
    let row = v.abs() * 4.5;
    let seam = math::smoothstep(0.42, 0.5, (math::fract(row) - 0.5).abs());
    let tone = math::fract(libm::floorf(row) * 0.618 + if v < 0.0 { 0.3 } else { 0.0 });
    let grain = 0.5 + 0.5 * math::sin(37.0 * p.z + 5.0 * math::sin(9.0 * p.z + 17.0 * v));
    let c = red.lerp(pale, 0.2 + 0.45 * tone + 0.2 * grain);
    // Wet near the waterline.
    let wet = math::smoothstep(0.07, -0.01, p.y);
    c * (1.0 - 0.62 * seam) * (1.0 - 0.5 * wet)
}

/// One side of the planks, outward or inward.
fn shell(inset: f32, outward: bool) -> Geometry {
    let mut g = Geometry::default();
    let row = 2 * ACROSS + 1;
    for i in 0..=ALONG {
        // Denser toward the ends, where it bends most.
        let u = math::sin((i as f32 / ALONG as f32 - 0.5) * math::PI);
        for k in 0..row {
            let v = k as f32 / ACROSS as f32 - 1.0;
            let mut p = hull_at(u, v, inset);
            // Inside there is a floor above the waterline.
            if !outward {
                p.y = p.y.max(0.03);
            }
            g.positions.push(p);
            let shade = if outward { 1.0 } else { 0.72 };
            g.colors.push((planks(p, v) * shade).extend(1.0));
        }
    }
    for i in 0..ALONG as u32 {
        for k in 0..row as u32 - 1 {
            let a = i * row as u32 + k;
            let b = a + row as u32;
            if outward {
                g.indices.extend([a, a + 1, b, a + 1, b + 1, b]);
            } else {
                g.indices.extend([a, b, a + 1, a + 1, b, b + 1]);
            }
        }
    }
    g.compute_normals();
    g
}

/// A rounded board.
fn board(size: Vec3, color: Vec3) -> Shape {
    // A high power of an ellipsoid: flat faces, soft edges.
    let round = |x: f32| x.signum() * math::pow(x.abs(), 0.3);
    shapes::sphere(1.0, 18).moved(|p| Vec3::new(round(p.x), round(p.y), round(p.z)) * size).painted(
        move |p, _| {
            let grain = 0.5 + 0.5 * math::sin(60.0 * p.z + 4.0 * math::sin(14.0 * p.x));
            color * (0.8 + 0.3 * grain)
        },
    )
}

/// The boat, 2.2 m long, its origin amidships on the waterline, the bow toward +Z; a lantern hangs
/// from a pole astern.
pub(super) fn boat(daylight: Daylight) -> Character {
    let mut kit = Kit::new("boat", 1.0).glowing(Vec3::new(1.0, 0.48, 0.13), daylight);
    let root = kit.joint("boat", None, Vec3::ZERO, Quat::IDENTITY);
    kit.mesh("planks", root, Look::Wood, shell(0.0, true));
    kit.mesh("inside", root, Look::Wood, shell(THICK, false));
    let brown = Vec3::new(0.3, 0.15, 0.065);
    for side in [-1.0, 1.0] {
        let rim = shapes::tube(0.026, 26, move |t| {
            let u = math::sin((t.clamp(0.0, 1.0) - 0.5) * math::PI) * 0.995;
            let p = hull_at(u, side, 0.5 * THICK);
            Vec3::new(p.x, p.y, u * LONG)
        });
        kit.part("gunwale", root, Look::Wood, rim.colored(brown * 0.8));
    }
    let thwart = |z: f32, y: f32| {
        let w = half(z / LONG) - 0.03;
        board(Vec3::new(w, 0.018, 0.11), brown).at(Vec3::new(0.0, y, z))
    };
    let floor = board(Vec3::new(0.3, 0.012, 0.72), brown * 0.75).at(Vec3::new(0.0, 0.032, 0.0));
    kit.part("thwarts", root, Look::Wood, thwart(-0.2, 0.175).with(thwart(0.62, 0.2)).with(floor));
    // A stem post that curls at the bow, a pole with a lantern astern.
    let post = shapes::tube(0.034, 12, |t| {
        let a = t * 2.0;
        Vec3::new(0.0, 0.34 + 0.34 * t + 0.02 * a, LONG - 0.05 + 0.12 * t - 0.1 * t * t)
    });
    let curl =
        shapes::ellipsoid(Vec3::new(0.03, 0.06, 0.055), 10).at(Vec3::new(0.0, 0.74, LONG - 0.03));
    let pole = shapes::tube(0.018, 18, |t| {
        let bow = t * t * t;
        Vec3::new(0.36 * t * t, 0.2 + 1.06 * t - 0.1 * bow, -0.92 - 0.12 * t + 0.3 * bow)
    });
    let posts = post.with(curl).with(pole).colored(brown * 0.7);
    kit.part("posts", root, Look::Wood, posts);
    let hook = Vec3::new(0.36, 1.16, -0.74);
    kit.part("lantern", root, Look::Glow, paper(hook - Vec3::Y * 0.17));
    let cap =
        |dy: f32, r: f32| shapes::ellipsoid(Vec3::new(r, 0.014, r), 8).at(hook - Vec3::Y * dy);
    let cord = shapes::capsule(0.004, 0.004, 0.07, 6).at(hook - Vec3::Y * 0.07);
    let frame = cap(0.07, 0.042).with(cap(0.27, 0.038)).with(cord);
    kit.part("frame", root, Look::Wood, frame.colored(Vec3::new(0.06, 0.035, 0.02)));
    kit.finish()
}

/// A paper lantern with ribs.
fn paper(at: Vec3) -> Shape {
    shapes::ellipsoid(Vec3::new(0.082, 0.1, 0.082), 24)
        .bumped(|p| 0.004 * math::sin(110.0 * p.y))
        .painted(|p, _| {
            let rib = 0.5 + 0.5 * math::sin(110.0 * p.y);
            Vec3::new(0.95, 0.62, 0.34) * (0.72 + 0.28 * rib)
        })
        .at(at)
}

/// The paddle: its origin where the paw holds it, the blade toward −Y with its face to ±Z.
pub(super) fn paddle() -> Character {
    let mut kit = Kit::new("paddle", 1.2);
    let root = kit.joint("paddle", None, Vec3::ZERO, Quat::IDENTITY);
    let wood = Vec3::new(0.42, 0.24, 0.1);
    let rings: Vec<shapes::Ring> =
        [(0.3, 0.0), (0.3, 0.024), (0.26, 0.016), (-0.68, 0.014), (-0.7, 0.0)]
            .into_iter()
            .map(|(height, radius)| shapes::Ring {
                radius,
                height,
                normal: if radius == 0.0 { Vec2::new(0.0, height.signum()) } else { Vec2::X },
            })
            .collect();
    let shaft = shapes::lathe(&rings, 10);
    let blade = shapes::ellipsoid(Vec3::new(0.085, 0.19, 0.014), 14).at(Vec3::NEG_Y * 0.8);
    kit.part("paddle", root, Look::Wood, shaft.with(blade).colored(wood));
    kit.finish()
}
