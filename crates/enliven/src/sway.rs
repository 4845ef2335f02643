//! Plants and cloth that give way to the wind.

use crate::Breeze;
use glam::Vec3;

/// A surface that sways in the wind, more the higher it is: grass, reeds, twigs, hanging cloth
/// (with [`Sway::top`] below [`Sway::base`]). It moves in the world, after the joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sway {
    /// Height in the geometry's space that stays in place, metres.
    pub base: f32,
    /// Height that moves all the way, metres.
    pub top: f32,
    /// Metres that the top gives way to a wind of 1 m/s.
    pub give: f32,
    /// Metres that the top trembles across a wind of 1 m/s.
    pub flutter: f32,
}

impl Sway {
    /// Farthest that anything is moved, a share of the height between base and top.
    pub const FARTHEST: f32 = 0.6;

    /// Where a posed position and normal go: `height` is the vertex's y in the geometry's space.
    pub fn moved(&self, position: Vec3, normal: Vec3, height: f32, air: &Breeze) -> (Vec3, Vec3) {
        let tall = self.top - self.base;
        if tall == 0.0 {
            return (position, normal);
        }
        let up = ((height - self.base) / tall).clamp(0.0, 1.0);
        let across = Vec3::new(-air.wind.z, 0.0, air.wind.x);
        let tremble = air.swing(97.0, 0.41 * position.x + 0.37 * position.z);
        let mut far =
            air.wind * (self.give * air.gust(position)) + across * (self.flutter * tremble);
        let limit = tall.abs() * Self::FARTHEST;
        far /= 1.0 + far.length() / limit;
        let step = far * (up * up);
        // What bends over comes down.
        let drop = Vec3::Y * (step.length_squared() / (2.0 * tall));
        // The slope of the step along the height turns the normal.
        let slope = far * (2.0 * up / tall);
        let turned = normal - Vec3::Y * (slope.dot(normal) / (1.0 + slope.y));
        (position + step - drop, turned.try_normalize().unwrap_or(normal))
    }
}

impl Default for Sway {
    /// Reeds 1 m tall.
    fn default() -> Self {
        Self { base: 0.0, top: 1.0, give: 0.035, flutter: 0.006 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_stands_and_the_top_keeps_its_limit() {
        let sway = Sway::default();
        let air = Breeze::new(Vec3::new(3.0, 0.0, 1.0), 7.3);
        let at = |y: f32, air: &Breeze| sway.moved(Vec3::Y * y, Vec3::X, y, air);
        assert_eq!(at(0.0, &air).0, Vec3::ZERO);
        assert_eq!(at(-1.0, &air).0, Vec3::NEG_Y);
        assert_eq!(at(1.0, &Breeze::CALM), (Vec3::Y, Vec3::X));
        let top = at(1.0, &air).0;
        assert!((0.03..0.2).contains(&top.x) && top.z > 0.0, "{top}");
        let storm = at(1.0, &Breeze::new(Vec3::X * 1e6, 1.0)).0;
        assert!((storm - Vec3::Y).length() < 0.65 && storm.is_finite(), "{storm}");
        // The normal stays across the surface that was bent.
        let (p, n) = at(0.5, &air);
        let along = (at(0.501, &air).0 - p).normalize();
        assert!(along.dot(n).abs() < 0.02, "{along} {n}");
    }
}
