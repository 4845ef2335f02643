//! Where the sun's shadow map lies.

use enliven::glam::{Mat4, Vec3, Vec4};

use crate::bounds::Bounds;
use crate::scene::Sun;

/// Widest penumbra, a fraction of the map's half-extent.
const WIDEST: f32 = 0.032;

/// A view along the sun's rays that holds all bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShadowView {
    /// World → clip space of the shadow pass, depth 0 nearest to the sun.
    pub(crate) clip_from_world: Mat4,
    /// World → texture coordinates and depth.
    pub(crate) uv_from_world: Mat4,
    pub(crate) right: Vec3,
    pub(crate) up: Vec3,
    /// Metres.
    pub(crate) half_extent: f32,
    /// Metres.
    pub(crate) range: f32,
    /// Metres.
    pub(crate) widest: f32,
}

impl ShadowView {
    /// The view for bodies within `bounds`. Its size goes in steps and its middle in whole texels,
    /// so that the shadow of a still edge holds still while a body moves.
    pub(crate) fn new(sun: &Sun, bounds: &Bounds, texels: u32) -> Self {
        let toward = sun.direction.try_normalize().unwrap_or(Vec3::Y);
        let right = toward.any_orthonormal_vector();
        let right = Vec3::Y.cross(toward).try_normalize().unwrap_or(right);
        let up = toward.cross(right);
        let mut low = Vec3::INFINITY;
        let mut high = Vec3::NEG_INFINITY;
        for corner in bounds.corners() {
            let p = Vec3::new(corner.dot(right), corner.dot(up), corner.dot(toward));
            low = low.min(p);
            high = high.max(p);
        }
        let middle = (low + high) * 0.5;
        let half = (high - low) * 0.5;
        // 3 texels of border and room for the penumbra.
        let needed = half.x.max(half.y).max(half.z * 1e-3).max(1e-12);
        let half_extent = step_up(needed * (1.0 + WIDEST + 6.0 / texels as f32));
        let texel = 2.0 * half_extent / texels as f32;
        let snap = |value: f32| (value / texel).round() * texel;
        let (x, y) = (snap(middle.x), snap(middle.y));
        let range = half.z * 2.0 * 1.02 + half_extent * 0.02;
        let near = middle.z + range * 0.5;

        let scaled = |axis: Vec3, factor: f32, at: f32| (axis * factor).extend(-at * factor);
        let clip_from_world = Mat4::from_cols(
            scaled(right, 1.0 / half_extent, x),
            scaled(up, 1.0 / half_extent, y),
            scaled(toward, -1.0 / range, near),
            Vec4::W,
        )
        .transpose();
        let uv_from_clip = Mat4::from_cols(
            Vec4::new(0.5, 0.0, 0.0, 0.0),
            Vec4::new(0.0, -0.5, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 1.0, 0.0),
            Vec4::new(0.5, 0.5, 0.0, 1.0),
        );
        Self {
            clip_from_world,
            uv_from_world: uv_from_clip * clip_from_world,
            right,
            up,
            half_extent,
            range,
            widest: half_extent * WIDEST,
        }
    }
}

/// The next of eight steps an octave.
fn step_up(value: f32) -> f32 {
    let octave = value.max(f32::MIN_POSITIVE);
    let exponent = enliven::math::ln(octave) / std::f32::consts::LN_2 * 8.0;
    enliven::math::pow(2.0, (exponent - 1e-3).ceil() / 8.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_any_size_lie_within_the_map() {
        for scale in [0.001, 1.0, 1000.0] {
            for direction in [Vec3::Y, Vec3::new(-0.4, 0.8, 0.6), Vec3::X] {
                let bounds = Bounds {
                    low: Vec3::new(-0.3, 0.0, -0.2) * scale,
                    high: Vec3::new(0.5, 1.8, 0.4) * scale,
                };
                let sun = Sun { direction, ..Sun::default() };
                let view = ShadowView::new(&sun, &bounds, 1024);
                for corner in bounds.corners() {
                    let p = view.uv_from_world.project_point3(corner);
                    assert!(p.min_element() > 0.0 && p.max_element() < 1.0, "{scale} {p}");
                }
                let size = bounds.half().length();
                assert!(view.half_extent < size * 1.3, "{scale}: {}", view.half_extent);
            }
        }
    }

    #[test]
    fn a_moving_body_moves_the_map_by_whole_texels() {
        let sun = Sun::default();
        let at = |x: f32| {
            let low = Vec3::new(x, 0.0, 0.0);
            ShadowView::new(&sun, &Bounds { low, high: low + Vec3::ONE }, 1024)
        };
        let (a, b) = (at(0.0), at(0.123));
        assert_eq!(a.half_extent, b.half_extent);
        let shift = (a.uv_from_world - b.uv_from_world).w_axis * 1024.0;
        assert!((shift.x - shift.x.round()).abs() < 2e-3, "{shift}");
        assert!((shift.y - shift.y.round()).abs() < 2e-3, "{shift}");
    }
}
