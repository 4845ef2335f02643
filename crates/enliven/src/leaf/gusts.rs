//! Wind that comes and goes.

use crate::{Rng, math};
use glam::Vec3;

/// A steady wind with gusts: slow waves of periods that never meet, in strength and in direction.
/// A function of time alone, so that it is the same at any frame rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Gusts {
    /// Strength of the gusts, of the steady wind, in [0, 1].
    pub strength: f32,
    /// How far the direction swings, ± rad.
    pub swing: f32,
    phase: [f32; 5],
}

/// rad/s. Ratios near the golden mean: no two beats fall together.
const RATES: [f32; 5] = [0.43, 0.697, 1.13, 1.828, 0.31];
/// Share of each wave in the strength; they sum to 1.
const SHARES: [f32; 4] = [0.4, 0.3, 0.2, 0.1];

impl Gusts {
    /// Gusts of their own for each seed.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0x6057);
        Self { strength: 0.15, swing: 0.25, phase: [(); 5].map(|()| rng.unit() * math::TAU) }
    }

    /// Moves on by `dt` seconds; returns the wind that a steady one becomes, m/s.
    pub fn step(&mut self, steady: Vec3, dt: f32) -> Vec3 {
        for (p, rate) in self.phase.iter_mut().zip(RATES) {
            *p = math::fract((*p + rate * dt) / math::TAU) * math::TAU;
        }
        let wave: f32 = self.phase.iter().zip(SHARES).map(|(p, s)| s * math::sin(*p)).sum();
        let turn = math::rotation(Vec3::Y, self.swing * math::sin(self.phase[4]));
        turn * steady * (1.0 + self.strength * wave)
    }
}
