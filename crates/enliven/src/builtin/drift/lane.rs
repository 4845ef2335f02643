//! The water's course and the land on both sides.

use glam::Vec3;

const TAU: f64 = core::f64::consts::TAU;
/// Mean distance of the lane from the middle of the island that it winds around, metres.
const RADIUS: f64 = 14.0;
/// Bends: how often in a lap, metres to either side, where they begin in rad.
const BENDS: [(f64, f64, f64); 2] = [(2.0, 2.1, 0.4), (3.0, 1.0, 1.7)];

/// A closed lane of water around an island, on which its middle line is known exactly. Places on
/// it are told by the angle about the island, rad; a lap is 2π, counter-clockwise from above.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lane;

/// A place on the middle line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// On the water, y = 0, metres.
    pub position: Vec3,
    /// Along the lane, a unit vector.
    pub ahead: Vec3,
    /// Heading: radians about +Y from +Z.
    pub yaw: f32,
    /// Change of the heading a metre, rad; positive bends to the left.
    pub curvature: f32,
    /// Metres for one radian about the island.
    pub metres: f64,
}

impl Lane {
    /// The place at angle `u`.
    pub fn at(u: f64) -> Place {
        let (r, r1, r2) = radius(u);
        let (s, c) = (libm::sin(u), libm::cos(u));
        let (x1, z1) = (r1 * s + r * c, r1 * c - r * s);
        let (x2, z2) = (r2 * s + 2.0 * r1 * c - r * s, r2 * c - 2.0 * r1 * s - r * c);
        let metres = libm::sqrt(x1 * x1 + z1 * z1);
        Place {
            position: Vec3::new((r * s) as f32, 0.0, (r * c) as f32),
            ahead: Vec3::new((x1 / metres) as f32, 0.0, (z1 / metres) as f32),
            yaw: libm::atan2(x1, z1) as f32,
            curvature: ((z1 * x2 - x1 * z2) / (metres * metres * metres)) as f32,
            metres,
        }
    }

    /// A place `out` metres outward from the middle line at angle `u`; inward where negative.
    pub fn beside(u: f64, out: f32) -> Vec3 {
        let p = Self::at(u);
        // Outward is to the right of one who goes along.
        p.position + p.ahead.cross(Vec3::Y) * out
    }

    /// Length of a lap, metres.
    pub fn length() -> f32 {
        const PIECES: u32 = 2048;
        let sum: f64 =
            (0..PIECES).map(|i| Self::at(TAU * f64::from(i) / f64::from(PIECES)).metres).sum();
        (sum * TAU / f64::from(PIECES)) as f32
    }

    /// Half the width of the water at angle `u`, metres.
    pub fn half_width(u: f64) -> f32 {
        (2.7 + 0.4 * libm::sin(5.0 * u + 1.0) + 0.2 * libm::sin(9.0 * u)) as f32
    }

    /// Distance of a place outward from the middle line, metres, and the angle where it lies.
    pub fn across(x: f32, z: f32) -> (f32, f64) {
        let (x, z) = (f64::from(x), f64::from(z));
        let u = libm::atan2(x, z);
        let (r, r1, _) = radius(u);
        // The line runs at a slant to the ray from the middle.
        let slant = r / libm::sqrt(r * r + r1 * r1);
        (((libm::sqrt(x * x + z * z) - r) * slant) as f32, u)
    }
}

/// Distance of the line from the island's middle at angle `u`, with its two derivatives.
fn radius(u: f64) -> (f64, f64, f64) {
    let mut out = (RADIUS, 0.0, 0.0);
    for (n, a, at) in BENDS {
        let (s, c) = (libm::sin(n * u + at), libm::cos(n * u + at));
        out = (out.0 + a * c, out.1 - a * n * s, out.2 - a * n * n * c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math;

    #[test]
    fn heading_and_curvature_are_those_of_the_line() {
        let d = 1e-4;
        for i in 0..300 {
            let u = TAU * f64::from(i) / 300.0;
            let (a, p, b) = (Lane::at(u - d), Lane::at(u), Lane::at(u + d));
            let long = (2.0 * d * p.metres) as f32;
            let ahead = (b.position - a.position) / long;
            assert!(ahead.distance(p.ahead) < 2e-2, "{u}: {ahead} {}", p.ahead);
            let (s, c) = math::sin_cos(p.yaw);
            assert!(p.ahead.distance(Vec3::new(s, 0.0, c)) < 1e-5);
            let bend = math::wrap_angle(b.yaw - a.yaw) / long;
            assert!((bend - p.curvature).abs() < 2e-3, "{u}: {bend} {}", p.curvature);
        }
    }

    #[test]
    fn it_winds_both_ways_and_closes() {
        let bends = (0..200).map(|i| Lane::at(TAU * f64::from(i) / 200.0).curvature);
        let (low, high) = bends.fold((f32::MAX, f32::MIN), |(l, h), b| (l.min(b), h.max(b)));
        assert!(low < -0.01 && high > 0.1 && high < 0.3, "{low} {high}");
        assert!(Lane::at(0.0).position.distance(Lane::at(TAU).position) < 1e-4);
        assert!((70.0..110.0).contains(&Lane::length()), "{}", Lane::length());
    }

    #[test]
    fn across_undoes_beside() {
        for (u, out) in [(0.3, 1.5), (2.0, -2.0), (4.4, 2.5)] {
            let p = Lane::beside(u, out);
            let (back, _) = Lane::across(p.x, p.z);
            assert!((back - out).abs() < 0.25, "{u} {out}: {back}");
        }
    }
}
