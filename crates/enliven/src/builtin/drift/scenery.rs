//! Land, water and what grows there: one still body.

use super::Daylight;
use super::kit::{Kit, Look};
use super::lane::Lane;
use crate::builtin::shapes::{self, Shape};
use crate::{Character, Geometry, Rng, math};
use glam::{Quat, Vec2, Vec3};

const TAU: f64 = core::f64::consts::TAU;
/// Pieces of the land around the island.
const AROUND: usize = 260;
/// How far the land reaches beyond the lane's middle, metres.
const FAR: f32 = 26.0;

/// Where the stone lantern stands: angle and metres outward.
pub(super) const LANTERN: (f64, f32) = (1.35, 3.7);
/// Where the bird's post stands.
pub(super) const POST: (f64, f32) = (3.45, 2.05);
/// Height of the post above the water.
pub(super) const POST_TOP: f32 = 0.62;
/// Where the fish leaps.
pub(super) const FISH: (f64, f32) = (5.5, -1.7);

// Linear RGB.
const MOSS: Vec3 = Vec3::new(0.085, 0.15, 0.03);
const MEADOW: Vec3 = Vec3::new(0.17, 0.24, 0.05);
const MUD: Vec3 = Vec3::new(0.17, 0.125, 0.07);
const BED: Vec3 = Vec3::new(0.07, 0.085, 0.05);
const BARK: Vec3 = Vec3::new(0.105, 0.062, 0.036);
const STONE: Vec3 = Vec3::new(0.2, 0.195, 0.175);

/// Slow unevenness of the land, about ±1.
fn uneven(x: f32, z: f32) -> f32 {
    0.5 * math::sin(0.53 * x + 1.1 * math::sin(0.31 * z))
        + 0.3 * math::sin(0.91 * z + 0.7 * math::sin(0.8 * x))
        + 0.2 * math::sin(1.9 * x + 1.3) * math::sin(1.7 * z)
}

/// Height of the land, metres above the water.
pub(super) fn height(x: f32, z: f32) -> f32 {
    let (d, u) = Lane::across(x, z);
    let t = d.abs() - Lane::half_width(u);
    let step = math::smoothstep;
    if t < 0.0 {
        return -0.55 * step(0.0, -1.3, t) - 0.02;
    }
    let bank = 0.2 * step(-0.1, 0.5, t) + 0.42 * step(0.3, 3.5, t);
    let rough = 0.16 * uneven(x, z) * step(0.2, 2.5, t);
    // The land closes in behind the trees.
    let hills = if d > 0.0 { 4.2 * step(6.0, 22.0, t) } else { 0.7 * step(2.0, 7.0, t) };
    bank - 0.02 + rough + hills * (1.0 + 0.25 * uneven(0.3 * x, 0.3 * z))
}

fn land_color(p: Vec3, n: Vec3) -> Vec3 {
    let step = math::smoothstep;
    let patch = 0.5 + 0.5 * uneven(2.1 * p.x, 2.3 * p.z);
    let green = MOSS.lerp(MEADOW, patch * step(0.1, 0.8, p.y));
    let speckle =
        0.5 + 0.5 * math::sin(9.0 * p.x) * math::sin(8.3 * p.z + 2.0 * math::sin(5.0 * p.x));
    let c = MUD.lerp(green * (0.8 + 0.35 * speckle), step(0.02, 0.16, p.y + 0.05 * speckle));
    let c = c.lerp(MUD * 0.8, step(0.8, 0.55, n.y));
    c.lerp(BED, step(0.0, -0.1, p.y))
}

fn land() -> Geometry {
    // Rings outward from the middle line, metres; the innermost is the island's middle.
    let mut rings: Vec<f32> = vec![f32::NEG_INFINITY, -9.0, -7.5, -6.2, -5.2, -4.6];
    rings.extend((0..=34).map(|i| -4.25 + 0.25 * i as f32));
    rings.extend([4.6, 5.1, 5.8, 6.7, 8.0, 9.5, 11.5, 14.0, 17.5, 21.5, FAR]);
    let mut g = Geometry::default();
    for i in 0..=AROUND {
        let u = if i == AROUND { 0.0 } else { TAU * i as f64 / AROUND as f64 };
        let place = Lane::at(u);
        let ray = place.position.normalize_or(Vec3::Z);
        for d in &rings {
            let out = (place.position.length() + d).max(0.0);
            let p = ray * out;
            g.positions.push(Vec3::new(p.x, height(p.x, p.z), p.z));
        }
    }
    let row = rings.len() as u32;
    for i in 0..AROUND as u32 {
        for k in 0..row - 1 {
            let (a, b) = (i * row + k, (i + 1) * row + k);
            if k > 0 {
                g.indices.extend([a, a + 1, b]);
            }
            g.indices.extend([b, a + 1, b + 1]);
        }
    }
    let slope = |p: &Vec3| {
        let d = 0.08;
        let x = height(p.x + d, p.z) - height(p.x - d, p.z);
        let z = height(p.x, p.z + d) - height(p.x, p.z - d);
        Vec3::new(-x, 2.0 * d, -z).normalize_or(Vec3::Y)
    };
    g.normals = g.positions.iter().map(slope).collect();
    let color = |(p, n): (&Vec3, &Vec3)| land_color(*p, *n).extend(1.0);
    g.colors = g.positions.iter().zip(&g.normals).map(color).collect();
    g
}

/// The water as a ring that ends under the banks. The alpha of its colour is 0 at a bank.
fn water() -> Geometry {
    let mut g = Geometry { uvs: vec![Vec::new()], ..Geometry::default() };
    const PARTS: usize = 400;
    let rings: Vec<f32> = (0..=30).map(|i| -4.2 + 0.28 * i as f32).collect();
    for i in 0..=PARTS {
        let u = if i == PARTS { 0.0 } else { TAU * i as f64 / PARTS as f64 };
        let place = Lane::at(u);
        let ray = place.position.normalize_or(Vec3::Z);
        for d in &rings {
            let p = ray * (place.position.length() + d);
            g.positions.push(p);
            g.normals.push(Vec3::Y);
            g.uvs[0].push(Vec2::new(p.x, p.z));
            let (across, _) = Lane::across(p.x, p.z);
            let open = math::smoothstep(-0.05, 0.5, Lane::half_width(u) - across.abs());
            g.colors.push(Vec3::ONE.extend(open));
        }
    }
    let row = rings.len() as u32;
    for i in 0..PARTS as u32 {
        for k in 0..row - 1 {
            let (a, b) = (i * row + k, (i + 1) * row + k);
            g.indices.extend([a, a + 1, b, b, a + 1, b + 1]);
        }
    }
    g
}

/// Everything that stands on land or water, by material.
struct Growth {
    matte: Shape,
    blades: Geometry,
    wet: Shape,
    glow: Shape,
}

/// The land, the water and what grows there, in the world's space. Always the same.
pub(super) fn scenery(daylight: Daylight) -> Character {
    let mut kit = Kit::new("banks", 8.0).glowing(Vec3::new(1.0, 0.5, 0.16), daylight);
    let root = kit.joint("banks", None, Vec3::ZERO, Quat::IDENTITY);
    kit.mesh("land", root, Look::Matte, land());
    kit.mesh("water", root, Look::Water, water());
    let mut rng = Rng::new(11, 0x5ce7);
    let mut all = Growth {
        matte: Shape::default(),
        blades: Geometry::default(),
        wet: Shape::default(),
        glow: Shape::default(),
    };
    trees(&mut all, &mut rng);
    bushes(&mut all, &mut rng);
    rocks(&mut all, &mut rng);
    reeds(&mut all, &mut rng);
    lilies(&mut all, &mut rng);
    mushrooms(&mut all, &mut rng);
    stone_lantern(&mut all);
    post(&mut all);
    kit.part("growth", root, Look::Matte, all.matte);
    kit.mesh("reeds", root, Look::Blade, all.blades);
    kit.part("lilies", root, Look::Wet, all.wet);
    kit.part("lights", root, Look::Glow, all.glow);
    kit.finish()
}

fn add(to: &mut Shape, shape: Shape) {
    *to = core::mem::take(to).with(shape);
}

/// A place on land.
fn on_land(u: f64, out: f32) -> Vec3 {
    let p = Lane::beside(u, out);
    Vec3::new(p.x, height(p.x, p.z), p.z)
}

fn trees(all: &mut Growth, rng: &mut Rng) {
    let mut placed: Vec<Vec3> = Vec::new();
    // Two rows outside, one on the island; those in front are smaller.
    for (count, near, far, size) in [
        (28, 5.4, 8.0, [0.75, 1.2]),
        (34, 9.0, 14.0, [1.2, 1.9]),
        (26, 15.0, 21.0, [1.5, 2.2]),
        (14, -9.5, -5.4, [0.7, 1.15]),
    ] {
        for i in 0..count {
            for _ in 0..8 {
                let u = TAU * (f64::from(i) + f64::from(rng.unit())) / f64::from(count);
                let at = on_land(u, rng.range(near, far));
                let scale = rng.range(size[0], size[1]);
                if placed.iter().all(|p| p.distance(at) > 2.3) {
                    placed.push(at);
                    add(&mut all.matte, tree(at, scale, rng));
                    break;
                }
            }
        }
    }
}

fn tree(at: Vec3, scale: f32, rng: &mut Rng) -> Shape {
    let lean = Vec3::new(rng.range(-0.5, 0.5), 0.0, rng.range(-0.5, 0.5)) * scale;
    let tall = rng.range(1.9, 2.9) * scale;
    let turn = rng.range(0.0, math::TAU);
    let trunk = shapes::tube(0.22 * scale, 6, |t| {
        lean * t * t + Vec3::Y * (tall * t) + Vec3::X * (0.08 * scale * math::sin(4.0 * t + turn))
    })
    .moved(|p| {
        // Wider at the roots, thin on top.
        let t = (p.y / tall).clamp(0.0, 1.0);
        let wide = 0.62 + 1.1 * math::pow(1.0 - t, 5.0);
        Vec3::new(lean.x * t * t, p.y, lean.z * t * t)
            + Vec3::new(p.x - lean.x * t * t, 0.0, p.z - lean.z * t * t) * wide
    })
    .painted(|p, n| {
        let rib = 0.5 + 0.5 * math::sin(9.0 * math::atan2(p.x, p.z) + 2.0 * p.y);
        let moss = math::smoothstep(0.9, 0.1, p.y) * math::smoothstep(-0.3, 0.8, n.z);
        (BARK * (0.7 + 0.6 * rib)).lerp(MOSS, 0.7 * moss)
    });
    let warm = rng.unit();
    let mut out = trunk;
    // A crown on top, and clumps around it, lower ones farther out.
    let clumps = 6 + (rng.unit() * 3.0) as u32;
    for i in 0..clumps {
        let a = turn + 2.4 * i as f32;
        let (s, c) = math::sin_cos(a);
        let low = i as f32 / (clumps - 1) as f32;
        let spread = (0.1 + 0.95 * low) * rng.range(0.85, 1.15) * scale;
        let up = (0.75 - 1.05 * low) * scale + rng.range(-0.12, 0.12) * scale;
        let r = rng.range(0.62, 0.88) * scale * (1.15 - 0.3 * low);
        let middle = lean + Vec3::new(spread * s, tall + up, spread * c);
        let rings = if scale > 1.2 { 9 } else { 12 };
        out = out.with(clump(r, 0.78, warm, rings, rng).at(middle));
    }
    out.turned(math::rotation(Vec3::Y, turn)).at(at - Vec3::Y * 0.05)
}

/// A clump of leaves: a tufted ball, light above and deep below.
fn clump(r: f32, flat: f32, warm: f32, rings: usize, rng: &mut Rng) -> Shape {
    let phase = rng.range(0.0, 6.0);
    let tuft = move |p: Vec3| {
        let q = p * (5.2 / r) + Vec3::splat(phase);
        math::sin(q.x + 1.3 * math::sin(q.y))
            * math::sin(1.1 * q.y + 0.6 * q.z)
            * math::sin(q.z + 1.0)
    };
    let shade = rng.range(0.82, 1.12);
    shapes::ellipsoid(Vec3::new(r, flat * r, r), rings)
        .bumped(move |p| 0.16 * r * tuft(p) + 0.06 * r * math::sin(3.0 * p.x / r + phase))
        .painted(move |p, n| {
            let deep = Vec3::new(0.022, 0.06, 0.02);
            let fresh = Vec3::new(0.11, 0.22, 0.035).lerp(Vec3::new(0.22, 0.23, 0.04), warm);
            let lit = math::smoothstep(-0.7, 0.95, n.y + 0.4 * tuft(p));
            deep.lerp(fresh * shade, lit)
        })
}

/// Bushes on land: they hide where trunks and hills are bare.
fn bushes(all: &mut Growth, rng: &mut Rng) {
    for (count, near, far) in [(46, 3.9, 6.5), (60, 7.0, 16.0), (26, -7.5, -4.1)] {
        for i in 0..count {
            let u = TAU * (f64::from(i) + f64::from(rng.unit())) / f64::from(count);
            let at = on_land(u, rng.range(near, far));
            let size = rng.range(0.28, 0.62) * if near > 6.0 { 1.7 } else { 1.0 };
            let warm = rng.unit();
            for _ in 0..2 {
                let off = Vec3::new(rng.range(-0.6, 0.6), 0.0, rng.range(-0.6, 0.6)) * size;
                let ball = clump(size * rng.range(0.7, 1.0), 0.72, warm, 9, rng);
                add(&mut all.matte, ball.at(at + off + Vec3::Y * (0.3 * size)));
            }
        }
    }
}

fn rocks(all: &mut Growth, rng: &mut Rng) {
    for i in 0..64 {
        let u = TAU * (f64::from(i) + f64::from(rng.unit())) / 64.0;
        let side = if rng.chance(0.6) { 1.0 } else { -1.0 };
        let edge = Lane::half_width(u) + rng.range(-0.25, 0.7);
        let at = Lane::beside(u, side * edge);
        let size = rng.range(0.12, 0.34) * if rng.chance(0.15) { 1.8 } else { 1.0 };
        let phase = rng.range(0.0, 6.0);
        let half = Vec3::new(size, size * rng.range(0.55, 0.85), size * rng.range(0.8, 1.2));
        let rock = shapes::ellipsoid(half, 12)
            .bumped(|p| {
                let q = p * (2.6 / size) + Vec3::splat(phase);
                0.1 * size * (math::sin(q.x + q.z) + math::sin(1.7 * q.y + q.x))
            })
            .turned(math::rotation(Vec3::Y, phase))
            .painted(|p, n| {
                let grain = 0.5 + 0.5 * math::sin(31.0 * p.x) * math::sin(29.0 * p.y + 23.0 * p.z);
                let moss = math::smoothstep(0.45, 0.85, n.y + 0.2 * grain);
                (STONE * (0.6 + 0.5 * grain)).lerp(MOSS * 1.2, moss)
            });
        let ground = height(at.x, at.z).max(-0.1);
        add(&mut all.matte, rock.at(Vec3::new(at.x, ground + 0.1 * size, at.z)));
    }
}

/// A thin leaf that grows at `at`, bent over by `over`, `tall` metres long.
fn blade(g: &mut Geometry, at: Vec3, over: Vec3, tall: f32, wide: f32, color: Vec3) {
    const PARTS: u32 = 5;
    let side = over.cross(Vec3::Y).normalize_or(Vec3::X) * wide;
    let base = g.positions.len() as u32;
    for i in 0..=PARTS {
        let t = i as f32 / PARTS as f32;
        let spine = at + Vec3::Y * (tall * (t - 0.18 * t * t)) + over * (t * t);
        let w = (1.0 - t * t) * (0.45 + 0.55 * (4.0 * t * (1.0 - t)).min(1.0));
        let along = Vec3::Y * (tall * (1.0 - 0.36 * t)) + over * (2.0 * t);
        let normal = side.cross(along).normalize_or(Vec3::Y);
        for s in [-1.0, 1.0] {
            g.positions.push(spine + side * (s * w));
            // Rounded across and lifted: a meadow is lit like the ground under it.
            let n = (normal + side.normalize_or(Vec3::X) * (0.5 * s) + Vec3::Y * 0.7).normalize();
            g.normals.push(n);
            let shade = 0.35 + 0.75 * t;
            g.colors.push((color * shade).extend(1.0));
        }
    }
    for i in 0..PARTS {
        let a = base + 2 * i;
        g.indices.extend([a, a + 1, a + 2, a + 2, a + 1, a + 3]);
    }
}

fn tuft(g: &mut Geometry, at: Vec3, blades: u32, tall: f32, wide: f32, color: Vec3, rng: &mut Rng) {
    for _ in 0..blades {
        let a = rng.range(0.0, math::TAU);
        let (s, c) = math::sin_cos(a);
        let foot = at + Vec3::new(s, 0.0, c) * (0.07 * rng.unit() + 0.05 * tall * rng.unit());
        let over = Vec3::new(s, 0.0, c) * (tall * rng.range(0.12, 0.5));
        let tone = color * rng.range(0.75, 1.2);
        blade(g, foot, over, tall * rng.range(0.6, 1.0), wide, tone);
    }
}

fn reeds(all: &mut Growth, rng: &mut Rng) {
    let g = &mut all.blades;
    // Reeds at the water's edge, in groups.
    for i in 0..34 {
        let u = TAU * (f64::from(i) + 0.7 * f64::from(rng.unit())) / 34.0;
        let side = if rng.chance(0.55) { 1.0 } else { -1.0 };
        let color = Vec3::new(0.15, 0.24, 0.05).lerp(Vec3::new(0.3, 0.27, 0.08), rng.unit());
        for _ in 0..3 + (rng.unit() * 4.0) as u32 {
            let v = u + f64::from(rng.range(-0.05, 0.05));
            let at = Lane::beside(v, side * (Lane::half_width(v) + rng.range(-0.35, 0.3)));
            let at = Vec3::new(at.x, height(at.x, at.z).max(-0.25), at.z);
            let tall = rng.range(0.5, 1.15);
            tuft(g, at, 9, tall, 0.014, color, rng);
        }
    }
    // Grass and ferns on land.
    for _ in 0..520 {
        let u = TAU * f64::from(rng.unit());
        let side = if rng.chance(0.66) { 1.0 } else { -1.0 };
        let off = 0.15 + 4.2 * rng.unit() * rng.unit();
        let at = on_land(u, side * (Lane::half_width(u) + off));
        let fern = rng.chance(0.22);
        let (tall, wide, n) = if fern { (0.42, 0.035, 9) } else { (0.22, 0.012, 7) };
        let color = MEADOW.lerp(Vec3::new(0.12, 0.25, 0.06), rng.unit());
        tuft(g, at, n, tall * rng.range(0.7, 1.3), wide, color, rng);
    }
}

fn lilies(all: &mut Growth, rng: &mut Rng) {
    for i in 0..22 {
        let u = TAU * (f64::from(i) + 0.8 * f64::from(rng.unit())) / 22.0;
        let side = if rng.chance(0.5) { 1.0 } else { -1.0 };
        for _ in 0..2 + (rng.unit() * 4.0) as u32 {
            let v = u + f64::from(rng.range(-0.05, 0.05));
            let out = side * (Lane::half_width(v) - rng.range(0.3, 1.1));
            // The boat needs its way.
            if out.abs() < 1.35 {
                continue;
            }
            let at = Lane::beside(v, out) + Vec3::Y * (0.008 + 0.006 * rng.unit());
            let r = rng.range(0.11, 0.24);
            let turn = rng.range(0.0, math::TAU);
            add(&mut all.wet, pad(r).turned(math::rotation(Vec3::Y, turn)).at(at));
            if rng.chance(0.24) {
                add(&mut all.wet, flower().at(at + Vec3::new(0.5 * r, 0.0, 0.2 * r)));
            }
        }
    }
}

/// A round floating leaf with a notch.
fn pad(r: f32) -> Shape {
    shapes::ellipsoid(Vec3::new(r, 0.006, r), 10)
        .moved(|p| {
            // The notch opens toward +Z; the rim turns up.
            let a = math::atan2(p.x, p.z);
            let gap = 0.28 * (1.0 - a.abs() / math::PI);
            let (s, c) = math::sin_cos(a + gap * if a < 0.0 { -1.0 } else { 1.0 });
            let d = (p.x * p.x + p.z * p.z).sqrt();
            Vec3::new(d * s, p.y + 0.02 * math::pow(d / r, 6.0), d * c)
        })
        .painted(move |p, n| {
            let a = math::atan2(p.x, p.z);
            let vein = math::smoothstep(0.9, 1.0, math::cos(9.0 * a));
            let edge = math::smoothstep(0.75, 1.0, (p.x * p.x + p.z * p.z).sqrt() / r);
            let top = Vec3::new(0.07, 0.19, 0.045).lerp(Vec3::new(0.16, 0.28, 0.08), 0.5 * vein);
            let top = top.lerp(Vec3::new(0.2, 0.11, 0.05), 0.6 * edge);
            if n.y > 0.0 { top } else { top * 0.4 }
        })
}

fn flower() -> Shape {
    let mut out = shapes::sphere(0.018, 8).at(Vec3::Y * 0.03).colored(Vec3::new(0.85, 0.55, 0.08));
    for (ring, count, tilt) in [(0, 7, 0.5f32), (1, 7, 1.0)] {
        for k in 0..count {
            let a = math::TAU * (k as f32 + 0.5 * ring as f32) / count as f32;
            let petal = shapes::ellipsoid(Vec3::new(0.02, 0.007, 0.046), 5)
                .at(Vec3::Z * 0.045)
                .turned(math::rotation(Vec3::X, -tilt))
                .painted(|p, _| {
                    Vec3::new(0.9, 0.82, 0.84).lerp(Vec3::new(0.85, 0.35, 0.5), 5.0 * p.y.max(0.0))
                })
                .turned(math::rotation(Vec3::Y, a));
            out = out.with(petal.at(Vec3::Y * 0.012));
        }
    }
    out
}

fn mushrooms(all: &mut Growth, rng: &mut Rng) {
    for _ in 0..46 {
        let u = TAU * f64::from(rng.unit());
        let side = if rng.chance(0.6) { 1.0 } else { -1.0 };
        let at = on_land(u, side * (Lane::half_width(u) + rng.range(0.4, 2.6)));
        for _ in 0..1 + (rng.unit() * 3.0) as u32 {
            let s = rng.range(0.05, 0.13);
            let at = at + Vec3::new(rng.range(-0.16, 0.16), 0.0, rng.range(-0.16, 0.16));
            let cap = shapes::cap(s, 1.75, 7)
                .scaled(Vec3::new(1.0, 0.72, 1.0))
                .at(Vec3::Y * (1.15 * s))
                .painted(|p, _| {
                    let dot = math::sin(52.0 * p.x + 3.0) * math::sin(47.0 * p.z);
                    let spot =
                        math::smoothstep(0.6, 0.8, dot) * math::smoothstep(1.2 * s, 1.5 * s, p.y);
                    Vec3::new(0.5, 0.07, 0.03).lerp(Vec3::new(0.8, 0.72, 0.6), spot)
                });
            let stem = shapes::capsule(0.36 * s, 0.26 * s, 1.2 * s, 4)
                .colored(Vec3::new(0.62, 0.54, 0.42));
            let turn = math::rotation(Vec3::X, rng.range(-0.2, 0.2));
            add(&mut all.matte, cap.with(stem).turned(turn).at(at));
        }
    }
}

fn stone(shape: Shape) -> Shape {
    shape.painted(|p, n| {
        let grain = 0.5 + 0.5 * math::sin(43.0 * p.x + 11.0 * p.y) * math::sin(41.0 * p.z);
        let moss = math::smoothstep(0.7, 1.0, n.y) * math::smoothstep(0.3, 0.6, grain);
        (STONE * (0.75 + 0.4 * grain)).lerp(MOSS, 0.8 * moss)
    })
}

/// A lantern of stone at the water, as tall as the creature.
fn stone_lantern(all: &mut Growth) {
    let at = on_land(LANTERN.0, LANTERN.1) - Vec3::Y * 0.03;
    let ring =
        |height: f32, radius: f32| shapes::Ring { radius, height, normal: Vec2::new(1.0, 0.0) };
    let foot = shapes::lathe(
        &[ring(0.62, 0.0), ring(0.62, 0.1), ring(0.2, 0.13), ring(0.12, 0.26), ring(0.0, 0.28)],
        12,
    );
    let table = shapes::ellipsoid(Vec3::new(0.27, 0.06, 0.27), 12).at(Vec3::Y * 0.66);
    let post = |k: u32| {
        let (s, c) = math::sin_cos(math::TAU * (k as f32 + 0.5) / 4.0);
        shapes::capsule(0.035, 0.035, 0.24, 8).at(Vec3::new(0.17 * s, 0.68, 0.17 * c))
    };
    let roof = shapes::cap(0.42, 1.25, 12).scaled(Vec3::new(1.0, 0.5, 1.0)).at(Vec3::Y * 0.87);
    let knob = shapes::ellipsoid(Vec3::new(0.06, 0.1, 0.06), 10).at(Vec3::Y * 1.12);
    let under = shapes::ellipsoid(Vec3::new(0.38, 0.02, 0.38), 10).at(Vec3::Y * 0.94);
    let mut stones = foot.with(table).with(roof).with(knob).with(under);
    for k in 0..4 {
        stones = stones.with(post(k));
    }
    add(&mut all.matte, stone(stones).at(at));
    let light = shapes::ellipsoid(Vec3::new(0.12, 0.12, 0.12), 14).at(Vec3::Y * 0.8);
    add(&mut all.glow, light.colored(Vec3::new(0.95, 0.7, 0.4)).at(at));
}

fn post(all: &mut Growth) {
    let at = Lane::beside(POST.0, POST.1);
    let wood = shapes::capsule(0.085, 0.07, POST_TOP + 0.55, 12)
        .at(Vec3::new(0.0, -0.6, 0.0))
        .painted(|p, _| {
            let grain = 0.5 + 0.5 * math::sin(13.0 * math::atan2(p.x, p.z) + 2.0 * p.y);
            let wet = math::smoothstep(0.1, -0.02, p.y);
            BARK * (1.1 + 0.6 * grain) * (1.0 - 0.5 * wet)
        });
    add(&mut all.matte, wood.at(at));
    let rope = |y: f32| {
        shapes::lathe(
            &(0..=8)
                .map(|i| {
                    let (s, c) = math::sin_cos(math::TAU * i as f32 / 8.0);
                    shapes::Ring {
                        radius: 0.086 + 0.014 * c,
                        height: y + 0.014 * -s,
                        normal: Vec2::new(c, -s),
                    }
                })
                .collect::<Vec<_>>(),
            16,
        )
    };
    let ropes = rope(0.4).with(rope(0.43)).with(rope(0.46)).colored(Vec3::new(0.42, 0.33, 0.18));
    add(&mut all.matte, ropes.at(at));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lane_is_wet_and_the_banks_are_dry() {
        for i in 0..200 {
            let u = TAU * f64::from(i) / 200.0;
            let middle = Lane::at(u).position;
            assert!(height(middle.x, middle.z) < -0.4);
            for side in [-1.0, 1.0] {
                let edge = Lane::beside(u, side * 1.4);
                assert!(height(edge.x, edge.z) < -0.2, "{u}: room for the boat");
                let land = on_land(u, side * (Lane::half_width(u) + 1.6));
                assert!(land.y > 0.05, "{u} {side}: {}", land.y);
            }
        }
    }

    #[test]
    fn it_is_not_too_large_to_draw() {
        let c = scenery(Daylight::Day);
        let n: usize = c.meshes.iter().map(|m| m.geometry.vertex_count()).sum();
        assert!((100_000..450_000).contains(&n), "{n}");
        for m in &c.meshes {
            assert!(
                m.geometry.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-3),
                "{}",
                m.name
            );
            assert!(m.geometry.positions.iter().all(|p| p.is_finite()), "{}", m.name);
        }
    }
}
