//! A water surface with waves.

use crate::{Breeze, math};
use glam::{Vec2, Vec3};

/// One travelling sine of a [`Water`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wave {
    /// Swings a metre along +X and +Z of the world.
    pub along: Vec2,
    /// Swings in a [`Breeze::PERIOD`], a whole number.
    pub beats: f32,
    /// Metres.
    pub amplitude: f32,
}

/// How a level surface becomes water: waves that a boat can ride ([`Water::height`]) and a look.
/// Colours are linear RGB. Foam grows where the alpha of the vertex colour is below 1: 0 is a bank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Water {
    /// Height of all waves together, metres from the level to the highest crest.
    pub swell: f32,
    /// Length of the longest wave, metres.
    pub length: f32,
    /// Where the longest wave travels, in the world; y is ignored.
    pub travel: Vec3,
    /// Colour looking straight down.
    pub deep: Vec3,
    /// Colour that light brings out of thin crests and shallows.
    pub shallow: Vec3,
    /// Small ripples that only the light shows, 0..1.
    pub ripples: f32,
    /// Foam along banks and on crests, 0..1.
    pub foam: f32,
}

/// Length, share of the swell and turn from the direction of travel (rad) of each wave. Ratios near
/// the golden mean never fall into step.
const WAVES: [(f32, f32, f32); 4] =
    [(1.0, 0.45, 0.0), (0.618, 0.28, 0.7), (0.382, 0.17, -0.9), (0.236, 0.1, 1.9)];
/// m/s².
const GRAVITY: f32 = 9.81;

impl Water {
    /// Its waves. Each runs as fast as deep water lets one of its length (ω² = g·k), rounded so that
    /// it comes round in a [`Breeze::PERIOD`].
    pub fn waves(&self) -> [Wave; 4] {
        let travel = Vec2::new(self.travel.x, self.travel.z).normalize_or(Vec2::Y);
        WAVES.map(|(length, share, turn)| {
            let length = (self.length * length).max(1e-3);
            let (s, c) = math::sin_cos(turn);
            let direction = Vec2::new(travel.x * c - travel.y * s, travel.x * s + travel.y * c);
            let rate = (GRAVITY * math::TAU / length).sqrt();
            let beats = libm::roundf(rate * Breeze::PERIOD as f32 / math::TAU).clamp(1.0, 4096.0);
            Wave { along: direction / length, beats, amplitude: self.swell * share }
        })
    }

    /// How far the surface is above its level at a place of the world, metres.
    pub fn height(&self, at: Vec3, air: &Breeze) -> f32 {
        self.surface(at, air).0
    }

    /// Height above the level and unit normal at a place of the world.
    pub fn surface(&self, at: Vec3, air: &Breeze) -> (f32, Vec3) {
        surface(&self.waves(), at, air)
    }
}

/// Height and unit normal of a sum of waves.
pub(crate) fn surface(waves: &[Wave; 4], at: Vec3, air: &Breeze) -> (f32, Vec3) {
    let mut height = 0.0;
    let mut slope = Vec2::ZERO;
    for wave in waves {
        let ahead = -(wave.along.x * at.x + wave.along.y * at.z);
        height += wave.amplitude * air.swing(wave.beats, ahead);
        // A quarter swing on, a sine is its own slope.
        slope -= wave.along * (math::TAU * wave.amplitude * air.swing(wave.beats, ahead + 0.25));
    }
    (height, Vec3::new(-slope.x, 1.0, -slope.y).normalize_or(Vec3::Y))
}

impl Default for Water {
    /// A calm river.
    fn default() -> Self {
        Self {
            swell: 0.025,
            length: 2.2,
            travel: Vec3::new(0.35, 0.0, 1.0),
            deep: Vec3::new(0.012, 0.055, 0.062),
            shallow: Vec3::new(0.06, 0.2, 0.17),
            ripples: 0.5,
            foam: 0.6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_travel_keep_their_height_and_have_the_normal_of_their_slope() {
        let water = Water::default();
        let mut highest: f32 = 0.0;
        for i in 0..2000 {
            let at = Vec3::new(0.37 * i as f32, 0.0, 0.11 * i as f32 - 40.0);
            let air = Breeze::new(Vec3::ZERO, f64::from(i) * 0.07);
            let (height, normal) = water.surface(at, &air);
            highest = highest.max(height.abs());
            let e = 0.01;
            let rise = |d: Vec3| water.height(at + d * e, &air) - water.height(at - d * e, &air);
            let slope = Vec3::new(-rise(Vec3::X), 2.0 * e, -rise(Vec3::Z)).normalize();
            assert!(slope.distance(normal) < 5e-3, "{slope} {normal}");
        }
        assert!((0.6..=1.0).contains(&(highest / water.swell)), "{highest}");
        let wave = water.waves()[0];
        // A crest goes on in the direction of travel.
        let speed = wave.beats / Breeze::PERIOD as f32 / wave.along.length();
        let known = (GRAVITY * water.length / math::TAU).sqrt();
        assert!((speed / known - 1.0).abs() < 0.02, "{speed} {known}");
    }
}
