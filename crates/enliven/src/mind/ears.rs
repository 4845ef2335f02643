//! When an ear flicks.

use crate::{Rng, math};

/// How ears move (A5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarParams {
    /// Shortest and longest time between flicks, seconds.
    pub interval: [f32; 2],
    /// Seconds that a flick takes.
    pub length: f32,
    /// Height of its half sine, rad.
    pub angle: f32,
    /// Chance that both flick, in [0, 1].
    pub both: f32,
    /// How far ears lie back under full effort, rad.
    pub fold: f32,
}

impl Default for EarParams {
    fn default() -> Self {
        Self { interval: [6.0, 15.0], length: 0.3, angle: 0.35, both: 0.35, fold: 0.8 }
    }
}

/// The clock of a pair of ears.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Flicker {
    rng: Rng,
    wait: f32,
    /// Seconds since the flick of each ear began; past its length there is none.
    t: [f32; 2],
    pub(super) count: u64,
}

impl Flicker {
    pub(super) fn new(params: &EarParams, seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0xea45);
        let wait = rng.range(0.2, 1.0) * params.interval[1];
        Self { rng, wait, t: [f32::MAX; 2], count: 0 }
    }

    /// Seconds until the next flick at a pace of `often`.
    pub(super) fn due(&self, often: f32) -> f32 {
        if often > 0.0 { self.wait / often } else { f32::MAX }
    }

    pub(super) fn step(&mut self, params: &EarParams, often: f32, dt: f32) {
        self.t.iter_mut().for_each(|t| *t += dt);
        self.wait -= dt * often;
        if self.wait <= 0.0 && often > 0.0 {
            let both = self.rng.chance(params.both);
            let left = self.rng.chance(0.5);
            for (i, t) in self.t.iter_mut().enumerate() {
                // Both never start together: one follows the other.
                let first = (i == 0) == left;
                if first || both {
                    *t = if first { 0.0 } else { -0.06 };
                }
            }
            self.count += 1;
            self.wait += self.rng.range(params.interval[0], params.interval[1]).max(0.1);
        }
    }

    /// Turn of the left and right ear now, rad.
    pub(super) fn angles(&self, params: &EarParams) -> [f32; 2] {
        self.t.map(|t| {
            let inside = t > 0.0 && t < params.length;
            if inside { params.angle * math::sin(math::PI * t / params.length) } else { 0.0 }
        })
    }
}
