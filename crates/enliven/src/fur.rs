//! Hair on a surface, drawn as shells.

use crate::Breeze;
use glam::Vec3;

/// Fur (A19): the surface is drawn `shells` times more, each a little farther out and with less left
/// of each hair. A hair begins at its place on the surface at rest, so it keeps its skin through every
/// pose. Its length at a vertex is [`Fur::length`] times the alpha of the vertex colour.
///
/// Shares without another unit are in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fur {
    /// Length of a hair, metres at the geometry's scale.
    pub length: f32,
    /// Shells, 1..=64; 16 to 24 look like fur from a few metres away.
    pub shells: u8,
    /// Hairs along 1 m of the surface.
    pub density: f32,
    /// Thickness of a hair at its root, a share of the distance to the next.
    pub thickness: f32,
    /// Where the hairs are combed to: a direction in the geometry's space, turned by the joints.
    pub lie: Vec3,
    /// How far the comb lays the tips over; 1 is half down.
    pub comb: f32,
    /// How far their weight pulls the tips down.
    pub gravity: f32,
    /// How far a wind of 1 m/s lays the tips over.
    pub wind: f32,
    /// Light that reaches the roots.
    pub root_light: f32,
    /// Light that the tips catch where the surface turns away.
    pub rim: f32,
}

impl Fur {
    /// Most shells that are drawn.
    pub const MOST_SHELLS: u8 = 64;

    /// Where the hair of a posed vertex is at the relative `height`, 0 the root and 1 the tip: `lie`
    /// is [`Fur::lie`] (unit length) turned and scaled as the vertex was, `share` the vertex's share of
    /// the length. At height 0 it is `position` to the bit.
    pub fn hair(
        &self,
        position: Vec3,
        normal: Vec3,
        lie: Vec3,
        share: f32,
        height: f32,
        air: &Breeze,
    ) -> Vec3 {
        let scale = lie.length();
        if scale == 0.0 || height == 0.0 {
            return position;
        }
        let blown = air.wind * (self.wind * air.gust(position));
        // However strong the wind, a hair only lies down.
        let blown = blown / (1.0 + blown.length());
        let mut bend = lie / scale * self.comb + blown;
        bend.y -= self.gravity;
        // Not into the skin.
        bend -= normal * bend.dot(normal).min(0.0);
        let along = (normal + bend * height).normalize_or(normal);
        position + along * (self.length * scale * share * height)
    }

    /// [`Fur::lie`] with length 1; down where it has none.
    pub fn lie_or_down(&self) -> Vec3 {
        self.lie.try_normalize().unwrap_or(Vec3::NEG_Y)
    }
}

impl Default for Fur {
    /// Soft, short and a little windblown, for an animal 1 m tall.
    fn default() -> Self {
        Self {
            length: 0.035,
            shells: 20,
            density: 190.0,
            thickness: 0.75,
            lie: Vec3::new(0.0, -0.8, -0.6),
            comb: 0.35,
            gravity: 0.25,
            wind: 0.2,
            root_light: 0.35,
            rim: 0.5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hair_grows_outward_and_never_into_the_skin() {
        let fur = Fur { comb: 1.0, gravity: 1.0, wind: 3.0, ..Fur::default() };
        for i in 0..500 {
            let a = i as f32;
            let normal = Vec3::new(crate::math::sin(a), crate::math::sin(1.7 * a), 0.3).normalize();
            let air = Breeze::new(Vec3::new(7.0, 0.0, -9.0), f64::from(a));
            let at = |h: f32| fur.hair(Vec3::ONE, normal, Vec3::NEG_Y * 2.0, 0.5, h, &air);
            assert_eq!(at(0.0), Vec3::ONE);
            let mut last = 0.0;
            for step in 1..=10 {
                let out = (at(step as f32 * 0.1) - Vec3::ONE).dot(normal);
                assert!(out > last * 0.8, "{i}: {out} after {last}");
                last = out;
            }
            // Twice the length by the scale, half of it by the share.
            assert!((at(1.0).distance(Vec3::ONE) / fur.length - 1.0).abs() < 1e-3);
        }
    }
}
