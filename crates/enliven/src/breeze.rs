//! What the air does at one moment.

use crate::math;
use glam::Vec3;

/// Wind and the time that its gusts and the waves are taken at: what a vertex function needs to know
/// of the air. The renderer's twin is `wgsl/air.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Breeze {
    /// m/s, in the world.
    pub wind: Vec3,
    /// Part of [`Breeze::PERIOD`] that has gone by, in [0, 1).
    pub turn: f32,
}

impl Breeze {
    /// No wind, at time 0.
    pub const CALM: Self = Self { wind: Vec3::ZERO, turn: 0.0 };

    /// All gusts and waves begin anew after this time, seconds, so that time never grows too large for
    /// an `f32`.
    pub const PERIOD: f64 = 64.0;

    /// A wind in m/s at a time in seconds. What is not finite counts as 0.
    pub fn new(wind: Vec3, time: f64) -> Self {
        let turn = time / Self::PERIOD;
        let turn = (turn - libm::floor(turn)) as f32;
        Self {
            wind: if wind.is_finite() { wind } else { Vec3::ZERO },
            // Rounding may reach 1, which is where the next round begins.
            turn: if turn < 1.0 { turn } else { 0.0 },
        }
    }

    /// A sine that makes `beats` swings in a [`Breeze::PERIOD`], `ahead` swings before its time.
    pub fn swing(&self, beats: f32, ahead: f32) -> f32 {
        let turns = beats * self.turn + ahead;
        math::sin((math::fract(turns + 0.5) - 0.5) * math::TAU)
    }

    /// The share of the wind that blows at a place, in [0.4, 1]: gusts travel over the land.
    pub fn gust(&self, at: Vec3) -> f32 {
        0.7 + 0.2 * self.swing(20.0, -0.21 * at.x - 0.14 * at.z)
            + 0.1 * self.swing(53.0, 0.27 * at.x - 0.33 * at.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gusts_stay_in_their_range_and_come_round() {
        for i in 0..1000 {
            let time = f64::from(i) * 0.173;
            let at = Vec3::new(i as f32, 0.0, 0.3 * i as f32);
            let gust = Breeze::new(Vec3::X, time).gust(at);
            assert!((0.4..=1.0).contains(&gust), "{gust}");
            let later = Breeze::new(Vec3::X, time + Breeze::PERIOD).gust(at);
            assert!((gust - later).abs() < 1e-3, "{gust} {later}");
        }
        assert_eq!(Breeze::new(Vec3::NAN, -1e-30), Breeze::CALM);
    }
}
