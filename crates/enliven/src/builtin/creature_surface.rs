//! Smooth skins from distance functions.

use crate::Geometry;
use glam::Vec3;
use std::collections::BTreeMap;

/// Signed distance to an ellipsoid about the origin, near its surface (I. Quilez, "Ellipsoid –
/// distance", first order).
pub(super) fn ellipsoid(p: Vec3, half: Vec3) -> f32 {
    let k0 = (p / half).length();
    let k1 = (p / (half * half)).length();
    if k1 < 1e-9 { -half.min_element() } else { k0 * (k0 - 1.0) / k1 }
}

/// Signed distance to a line from `a` to `b` with radius `ra` at one end and `rb` at the other.
pub(super) fn capsule(p: Vec3, a: Vec3, b: Vec3, ra: f32, rb: f32) -> f32 {
    let d = b - a;
    let t = ((p - a).dot(d) / d.length_squared()).clamp(0.0, 1.0);
    p.distance(a + d * t) - (ra + (rb - ra) * t)
}

/// Union whose seam is rounded over `k` metres (polynomial).
pub(super) fn blend(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k * 0.25
}

/// `a` without `b`, the edge rounded over `k` metres.
pub(super) fn carve(a: f32, b: f32, k: f32) -> f32 {
    -blend(-a, b, k)
}

/// The surface where `distance` is 0 within a box, as surface nets with cells of `step` metres:
/// one vertex a cell, drawn onto the surface, normals from the gradient. `distance` must change by
/// no more than a metre a metre.
pub(super) fn skin(low: Vec3, high: Vec3, step: f32, distance: impl Fn(Vec3) -> f32) -> Geometry {
    let size = ((high - low) / step).ceil().to_array().map(|n| n as usize + 1);
    let at = |i: [usize; 3]| low + Vec3::new(i[0] as f32, i[1] as f32, i[2] as f32) * step;
    let slot = |i: [usize; 3]| (i[2] * size[1] + i[1]) * size[0] + i[0];
    let mut field = vec![0.0f32; size.iter().product()];
    for z in 0..size[2] {
        for y in 0..size[1] {
            let mut x = 0;
            while x < size[0] {
                let d = distance(at([x, y, z]));
                // Far from the surface the sign cannot change for a while.
                let run = ((d.abs() / step) as usize).clamp(1, size[0] - x);
                field[slot([x, y, z])..][..run].fill(d);
                x += run;
            }
        }
    }
    let mut g = Geometry::default();
    let mut cells: BTreeMap<[usize; 3], u32> = BTreeMap::new();
    let corner = |c: [usize; 3], k: usize| [c[0] + (k & 1), c[1] + (k >> 1 & 1), c[2] + (k >> 2)];
    for z in 0..size[2] - 1 {
        for y in 0..size[1] - 1 {
            for x in 0..size[0] - 1 {
                let cell = [x, y, z];
                let d: [f32; 8] = core::array::from_fn(|k| field[slot(corner(cell, k))]);
                let inside = d.iter().filter(|d| **d < 0.0).count();
                if inside == 0 || inside == 8 {
                    continue;
                }
                let (mut sum, mut n) = (Vec3::ZERO, 0.0);
                for a in 0..8 {
                    for axis in [1, 2, 4] {
                        let b = a | axis;
                        if b == a || (d[a] < 0.0) == (d[b] < 0.0) {
                            continue;
                        }
                        let t = d[a] / (d[a] - d[b]);
                        let (p, q) = (at(corner(cell, a)), at(corner(cell, b)));
                        sum += p + (q - p) * t;
                        n += 1.0;
                    }
                }
                cells.insert(cell, g.positions.len() as u32);
                g.positions.push(sum / n);
            }
        }
    }
    let gradient = |p: Vec3| {
        let e = 0.25 * step;
        let d = |v: Vec3| distance(p + v) - distance(p - v);
        Vec3::new(d(Vec3::X * e), d(Vec3::Y * e), d(Vec3::Z * e)).normalize_or(Vec3::Y)
    };
    for p in &mut g.positions {
        for _ in 0..3 {
            *p -= gradient(*p) * (distance(*p) * 0.8);
        }
    }
    g.normals = g.positions.iter().map(|p| gradient(*p)).collect();
    // Each grid edge that crosses the surface joins the four cells around it.
    for cell in cells.keys() {
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            if cell[u] == 0 || cell[v] == 0 {
                continue;
            }
            let mut next = *cell;
            next[axis] += 1;
            let (a, b) = (field[slot(*cell)] < 0.0, field[slot(next)] < 0.0);
            if a == b {
                continue;
            }
            let around = |du: usize, dv: usize| {
                let mut c = *cell;
                c[u] -= du;
                c[v] -= dv;
                cells.get(&c).copied()
            };
            let quad = [around(0, 0), around(1, 0), around(1, 1), around(0, 1)];
            let [Some(p), Some(q), Some(r), Some(s)] = quad else { continue };
            if a {
                g.indices.extend([p, q, r, p, r, s]);
            } else {
                g.indices.extend([p, r, q, p, s, r]);
            }
        }
    }
    g
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_closed_and_round() {
        let r = 0.4;
        let g = skin(Vec3::splat(-0.5), Vec3::splat(0.5), 0.05, |p| p.length() - r);
        for (p, n) in g.positions.iter().zip(&g.normals) {
            assert!((p.length() - r).abs() < 1e-3);
            assert!(n.dot(p.normalize()) > 0.99);
        }
        let p = |i: &u32| g.positions[*i as usize];
        let volume: f32 =
            g.indices.chunks_exact(3).map(|t| p(&t[0]).dot(p(&t[1]).cross(p(&t[2]))) / 6.0).sum();
        let want = 4.0 / 3.0 * core::f32::consts::PI * r * r * r;
        assert!((volume / want - 1.0).abs() < 0.03, "{volume} {want}");
        let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
        for t in g.indices.chunks_exact(3) {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
            }
        }
        assert!(edges.values().all(|n| *n == 0), "every edge has a face to each side");
    }
}
