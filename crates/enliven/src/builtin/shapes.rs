//! Smooth primitives: spheres, ellipsoids, eggs, capsules, caps and bent tubes, with exact
//! normals, to make bodies of.
//!
//! Every shape starts at the origin and is moved by [`Shape::scaled`], [`Shape::turned`] and
//! [`Shape::at`], in the order of the calls; [`Shape::painted`] gives it vertex colours.

use crate::math::{PI, TAU, lerp, sin_cos};
use crate::{Geometry, math};
use glam::{Quat, Vec2, Vec3, Vec4};

/// A piece of surface under construction. Lengths in metres, triangles counter-clockwise from
/// outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
    colors: Vec<Vec4>,
    indices: Vec<u32>,
}

/// One ring of a [`lathe`]: how far from the axis, how high, and the outward normal in the
/// (radius, height) plane, of any length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// Metres from the axis, not negative; 0 is a pole.
    pub radius: f32,
    /// Metres along +Y.
    pub height: f32,
    /// Outward normal: (away from the axis, up).
    pub normal: Vec2,
}

/// A surface of revolution about +Y through `rings`, given from the top down, with `segments`
/// (at least 3) facets a turn.
pub fn lathe(rings: &[Ring], segments: usize) -> Shape {
    let segments = segments.max(3);
    let mut out = Shape::default();
    let last = rings.len().saturating_sub(1).max(1);
    for (i, ring) in rings.iter().enumerate() {
        for k in 0..=segments {
            let u = k as f32 / segments as f32;
            // The seam has two vertices at one place, to the bit.
            let (s, c) = if k == segments { (0.0, 1.0) } else { sin_cos(u * TAU) };
            out.positions.push(Vec3::new(ring.radius * s, ring.height, ring.radius * c));
            let n = Vec3::new(ring.normal.x * s, ring.normal.y, ring.normal.x * c);
            out.normals.push(n.try_normalize().unwrap_or(Vec3::Y));
            out.uvs.push(Vec2::new(u, i as f32 / last as f32));
        }
    }
    let row = segments as u32 + 1;
    for i in 0..last as u32 {
        if i as usize + 1 >= rings.len() {
            break;
        }
        let (top, bottom) = (rings[i as usize].radius, rings[i as usize + 1].radius);
        for k in 0..row - 1 {
            let (a, b) = (i * row + k, (i + 1) * row + k);
            if top > 0.0 {
                out.indices.extend([a, b, a + 1]);
            }
            if bottom > 0.0 {
                out.indices.extend([a + 1, b, b + 1]);
            }
        }
    }
    out
}

/// A sphere of `radius`, `rings` from pole to pole and twice as many facets a turn.
pub fn sphere(radius: f32, rings: usize) -> Shape {
    cap(radius, PI, rings)
}

/// An ellipsoid with these half axes.
pub fn ellipsoid(half: Vec3, rings: usize) -> Shape {
    sphere(1.0, rings).scaled(half)
}

/// The part of a sphere within `angle` rad (up to π) of +Y.
pub fn cap(radius: f32, angle: f32, rings: usize) -> Shape {
    let rings = rings.max(2);
    let ring = |i: usize| {
        let a = angle * i as f32 / rings as f32;
        let (s, c) = sin_cos(a);
        // The sine of π in f32 is not 0.
        let s = if a >= PI { 0.0 } else { s };
        Ring { radius: radius * s, height: radius * c, normal: Vec2::new(s, c) }
    };
    lathe(&(0..=rings).map(ring).collect::<Vec<_>>(), rings * 2)
}

/// An ellipsoid whose width grows or shrinks with height: the half width at relative height h
/// (−1 at the bottom, 1 on top) is `half.x · (1 − taper·h)`, likewise for z. A `taper` of 0.2
/// makes a pear, −0.2 an egg on its tip; it must lie within ±0.5.
pub fn egg(half: Vec3, taper: f32, rings: usize) -> Shape {
    let rings = rings.max(2);
    let taper = taper.clamp(-0.5, 0.5);
    let ring = |i: usize| {
        let a = PI * i as f32 / rings as f32;
        let (s, c) = sin_cos(a);
        let s = if i == 0 || i == rings { 0.0 } else { s };
        // r(a) = s·(1 − t·c), h(a) = c; the normal is (−dh, dr) turned outward.
        let (dr, dh) = (c * (1.0 - taper * c) + taper * s * s, -s);
        Ring { radius: s * (1.0 - taper * c), height: c, normal: Vec2::new(-dh, dr) }
    };
    lathe(&(0..=rings).map(ring).collect::<Vec<_>>(), rings * 2).scaled(half)
}

/// A capsule from the origin to (0, `length`, 0), with a sphere of `start` radius at the origin
/// and one of `end` radius at the other end, joined by the cone that touches both.
pub fn capsule(start: f32, end: f32, length: f32, rings: usize) -> Shape {
    let rings = rings.max(4);
    // The touching cone leans by asin((start − end) / length) from the axis.
    let lean = math::asin((start - end) / length.max(1e-6));
    let mut profile = Vec::with_capacity(2 * rings + 2);
    for i in 0..=rings {
        let a = lerp(0.0, PI * 0.5 - lean, i as f32 / rings as f32);
        let (s, c) = sin_cos(a);
        let normal = Vec2::new(s, c);
        profile.push(Ring { radius: end * s, height: length + end * c, normal });
    }
    for i in 0..=rings {
        let a = lerp(PI * 0.5 - lean, PI, i as f32 / rings as f32);
        let (s, c) = sin_cos(a);
        let s = if i == rings { 0.0 } else { s };
        profile.push(Ring { radius: start * s, height: start * c, normal: Vec2::new(s, c) });
    }
    lathe(&profile, rings * 3)
}

/// A tube of `radius` bent along an arc in the x–y plane: a part of the circle of `bend` metres
/// about the origin, `spread` rad to either side of −Y, with round ends. A smile.
pub fn arc(bend: f32, spread: f32, radius: f32, rings: usize) -> Shape {
    tube(radius, rings, |t| {
        let (s, c) = sin_cos(lerp(-spread, spread, t));
        Vec3::new(s, -c, 0.0) * bend
    })
}

/// A tube of `radius` along a smooth path, given for 0 … 1 and a little beyond, with round ends.
/// The path must not run along Z.
pub fn tube(radius: f32, rings: usize, path: impl Fn(f32) -> Vec3) -> Shape {
    let rings = rings.max(4);
    // A straight tube whose height is 0 … 1 along the path, and metres beyond it in the ends.
    let mut profile = Vec::with_capacity(4 * rings + 2);
    for i in 0..=rings {
        let (s, c) = sin_cos(PI * 0.5 * i as f32 / rings as f32);
        let height = 1.0 + radius * c;
        profile.push(Ring { radius: radius * s, height, normal: Vec2::new(s, c) });
    }
    for i in 1..2 * rings {
        let height = 1.0 - i as f32 / (2 * rings) as f32;
        profile.push(Ring { radius, height, normal: Vec2::X });
    }
    for i in 0..=rings {
        let (s, c) = sin_cos(PI * 0.5 * i as f32 / rings as f32);
        let c = if i == rings { 0.0 } else { c };
        profile.push(Ring { radius: radius * c, height: -radius * s, normal: Vec2::new(c, -s) });
    }
    let mut out = lathe(&profile, rings * 2);
    for (p, n) in out.positions.iter_mut().zip(&mut out.normals) {
        let along = p.y.clamp(0.0, 1.0);
        let beyond = p.y - along;
        let d = 1e-3;
        let tangent = (path(along + d) - path(along - d)).try_normalize().unwrap_or(Vec3::X);
        // (x, y, z) of the tube → (outward, tangent, the rest), a turn without a mirror.
        let outward = tangent.cross(Vec3::Z).try_normalize().unwrap_or(Vec3::Y);
        let rest = outward.cross(tangent);
        *p = path(along) + outward * p.x + tangent * beyond + rest * p.z;
        *n = outward * n.x + tangent * n.y + rest * n.z;
    }
    out
}

impl Shape {
    /// Scaled about the origin, an axis each; all factors positive.
    pub fn scaled(mut self, by: Vec3) -> Self {
        for p in &mut self.positions {
            *p *= by;
        }
        for n in &mut self.normals {
            *n = (*n / by).try_normalize().unwrap_or(Vec3::Y);
        }
        self
    }

    /// Turned about the origin.
    pub fn turned(mut self, by: Quat) -> Self {
        for v in self.positions.iter_mut().chain(&mut self.normals) {
            *v = by * *v;
        }
        self
    }

    /// Moved.
    pub fn at(mut self, by: Vec3) -> Self {
        for p in &mut self.positions {
            *p += by;
        }
        self
    }

    /// Moved by a smooth function of place that turns nothing inside out; normals follow it.
    pub fn moved(mut self, to: impl Fn(Vec3) -> Vec3) -> Self {
        for (p, n) in self.positions.iter_mut().zip(&mut self.normals) {
            // The function's own slope along two tangents: seams stay whole.
            const D: f32 = 1e-3;
            let (u, v) = n.any_orthonormal_pair();
            let along = |t: Vec3| to(*p + t * D) - to(*p - t * D);
            let turned = along(u).cross(along(v));
            *n = turned.try_normalize().unwrap_or(*n);
            *p = to(*p);
        }
        self
    }

    /// Pushed along its normals by `amount` metres, a smooth function of place; normals follow its
    /// slope. Lumps, bark, tufts.
    pub fn bumped(mut self, amount: impl Fn(Vec3) -> f32) -> Self {
        const D: f32 = 1e-3;
        for (p, n) in self.positions.iter_mut().zip(&mut self.normals) {
            let slope = |axis: Vec3| (amount(*p + axis * D) - amount(*p - axis * D)) / (2.0 * D);
            let rise = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
            let by = amount(*p);
            let along = rise - *n * rise.dot(*n);
            *p += *n * by;
            *n = (*n - along).try_normalize().unwrap_or(*n);
        }
        self
    }

    /// Coloured by position and normal, as they are now; linear RGB.
    pub fn painted(mut self, color: impl Fn(Vec3, Vec3) -> Vec3) -> Self {
        self.colors = self
            .positions
            .iter()
            .zip(&self.normals)
            .map(|(p, n)| color(*p, *n).extend(1.0))
            .collect();
        self
    }

    /// In one colour, linear RGB.
    pub fn colored(self, color: Vec3) -> Self {
        self.painted(|_, _| color)
    }

    /// Both as one. Where only one is coloured, the other becomes white.
    pub fn with(mut self, other: Self) -> Self {
        if !(self.colors.is_empty() && other.colors.is_empty()) {
            self.colors.resize(self.positions.len(), Vec4::ONE);
        }
        let base = self.positions.len() as u32;
        self.positions.extend(other.positions);
        self.normals.extend(other.normals);
        self.uvs.extend(other.uvs);
        self.colors.extend(other.colors);
        if !self.colors.is_empty() {
            self.colors.resize(self.positions.len(), Vec4::ONE);
        }
        self.indices.extend(other.indices.iter().map(|i| i + base));
        self
    }

    /// The finished geometry, with one set of texture coordinates: around, then from the top down.
    pub fn into_geometry(self) -> Geometry {
        Geometry {
            positions: self.positions,
            normals: self.normals,
            uvs: vec![self.uvs],
            colors: self.colors,
            indices: self.indices,
            ..Geometry::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<(&'static str, Shape)> {
        vec![
            ("sphere", sphere(0.5, 12)),
            ("ellipsoid", ellipsoid(Vec3::new(0.5, 0.2, 0.9), 12)),
            ("cap", cap(0.5, 1.0, 8)),
            ("egg", egg(Vec3::new(0.5, 0.7, 0.4), 0.3, 12)),
            ("capsule", capsule(0.3, 0.1, 0.8, 8)),
            ("arc", arc(0.5, 0.8, 0.1, 8)),
            ("tube", tube(0.05, 8, |t| Vec3::new(t, 0.2 * t * t, 0.3 * t))),
        ]
    }

    #[test]
    fn faces_look_the_way_their_normals_do() {
        for (name, s) in all() {
            let mut area = 0.0;
            for t in s.indices.chunks_exact(3) {
                let [a, b, c] = [t[0], t[1], t[2]].map(|i| i as usize);
                let p = &s.positions;
                let n = (p[b] - p[a]).cross(p[c] - p[a]);
                let shade = s.normals[a] + s.normals[b] + s.normals[c];
                assert!(n.length() > 0.0, "{name}: a face without area");
                assert!(n.normalize().dot(shade / 3.0) > 0.8, "{name}: {n} {shade}");
                area += n.length() * 0.5;
            }
            assert!(s.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-5), "{name}");
            assert!(area > 0.05, "{name}: {area}");
        }
    }

    #[test]
    fn closed_shapes_hold_their_volume() {
        // Divergence theorem over the facets, against the exact volume.
        let volume = |s: &Shape| -> f32 {
            let p = |i: &u32| s.positions[*i as usize];
            s.indices.chunks_exact(3).map(|t| p(&t[0]).dot(p(&t[1]).cross(p(&t[2]))) / 6.0).sum()
        };
        let near = |got: f32, want: f32| assert!((got / want - 1.0).abs() < 0.02, "{got} {want}");
        near(volume(&sphere(0.5, 24)), 4.0 / 3.0 * PI * 0.125);
        near(volume(&ellipsoid(Vec3::new(0.5, 0.2, 0.9), 24)), 4.0 / 3.0 * PI * 0.09);
        near(volume(&capsule(0.2, 0.2, 1.0, 24)), PI * 0.04 + 4.0 / 3.0 * PI * 0.008);
        // Torus segment (Pappus) with the two half spheres.
        let bent = PI * 0.01 * (1.6 * 0.5) + 4.0 / 3.0 * PI * 0.001;
        near(volume(&arc(0.5, 0.8, 0.1, 24)), bent);
    }

    #[test]
    fn bumps_follow_their_function_and_their_normals_the_surface() {
        let lump = |p: Vec3| 0.04 * math::sin(5.0 * p.x) * math::sin(4.0 * p.y + 1.0);
        let s = sphere(0.5, 40).bumped(lump);
        let most = s.positions.iter().map(|p| (p.length() - 0.5).abs()).fold(0.0, f32::max);
        assert!(most > 0.03 && most < 0.041, "{most}");
        for t in s.indices.chunks_exact(3) {
            let [a, b, c] = [t[0], t[1], t[2]].map(|i| i as usize);
            let n = (s.positions[b] - s.positions[a]).cross(s.positions[c] - s.positions[a]);
            assert!(n.normalize().dot(s.normals[a]) > 0.97, "{n} {}", s.normals[a]);
        }
    }

    #[test]
    fn a_smile_hangs_below_its_ends() {
        let s = arc(0.5, 0.8, 0.05, 8);
        let lowest = s.positions.iter().map(|p| p.y).fold(f32::MAX, f32::min);
        assert!((lowest + 0.55).abs() < 1e-3, "{lowest}");
        assert!(s.positions.iter().all(|p| p.y < 0.0));
    }
}
