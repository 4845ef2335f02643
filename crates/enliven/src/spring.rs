//! Springs in closed form: the same path at any frame rate.

use crate::math;
use glam::Vec3;

/// What a spring moves: a number or a vector.
pub trait Value:
    Copy
    + core::ops::Add<Output = Self>
    + core::ops::Sub<Output = Self>
    + core::ops::Mul<f32, Output = Self>
{
    /// The additive identity.
    const ZERO: Self;
}

impl Value for f32 {
    const ZERO: Self = 0.0;
}

impl Value for Vec3 {
    const ZERO: Self = Vec3::ZERO;
}

/// A damped spring: `a = ω²(target − x) − 2ζω·v`, solved exactly for a target that holds still
/// during the step. Two half steps give the same as a whole one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring<T> {
    /// Where it is.
    pub x: T,
    /// How fast it moves, per second.
    pub v: T,
}

impl<T: Value> Spring<T> {
    /// At rest at `x`.
    pub const fn at(x: T) -> Self {
        Self { x, v: T::ZERO }
    }

    /// Moves `dt` seconds toward `target`, critically damped (no overshoot from rest), at `omega`
    /// rad/s. Returns the new position.
    pub fn step(&mut self, target: T, omega: f32, dt: f32) -> T {
        self.step_by(target, omega, dt, math::exp(-omega * dt))
    }

    /// The same where `e^(−ωt)` is known already: many springs share one rate and step.
    #[inline]
    pub(crate) fn step_by(&mut self, target: T, omega: f32, dt: f32, e: f32) -> T {
        // x(t) = target + (c₁ + c₂·t)·e^(−ωt)
        let c1 = self.x - target;
        let c2 = self.v + c1 * omega;
        self.x = target + (c1 + c2 * dt) * e;
        self.v = (c2 - (c1 + c2 * dt) * omega) * e;
        self.x
    }

    /// Moves `dt` seconds toward `target` at `omega` rad/s with damping ratio `zeta` in [0, 1]:
    /// 0 swings for ever, 1 is [`Spring::step`]. Returns the new position.
    pub fn step_damped(&mut self, target: T, omega: f32, zeta: f32, dt: f32) -> T {
        // Close to critical the oscillating form divides by a vanishing frequency.
        if zeta > 0.999 || omega <= 0.0 {
            return self.step(target, omega.max(0.0), dt);
        }
        let decay = zeta * omega;
        let freq = omega * (1.0 - zeta * zeta).sqrt();
        let (s, c) = math::sin_cos(freq * dt);
        let e = math::exp(-decay * dt);
        let d = self.x - target;
        // x(t) = target + e^(−ζωt)·(d·cos + k·sin), k = (v + ζω·d)/freq
        let k = (self.v + d * decay) * (1.0 / freq);
        let y = (d * c + k * s) * e;
        self.x = target + y;
        self.v = (k * c - d * s) * (freq * e) - y * decay;
        self.x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(steps: usize, f: impl Fn(&mut Spring<f32>, f32) -> f32) -> Spring<f32> {
        let mut s = Spring { x: 0.3, v: -1.0 };
        for _ in 0..steps {
            f(&mut s, 1.0 / steps as f32);
        }
        s
    }

    #[test]
    fn the_path_does_not_depend_on_the_step() {
        for zeta in [0.1, 0.5, 1.0] {
            let at = |n| run(n, |s, dt| s.step_damped(1.0, 5.5, zeta, dt));
            let (a, b, c) = (at(20), at(60), at(240));
            assert!((a.x - c.x).abs() < 1e-5 && (b.x - c.x).abs() < 1e-5, "ζ {zeta}");
            assert!((a.v - c.v).abs() < 1e-4 && (b.v - c.v).abs() < 1e-4, "ζ {zeta}");
        }
    }

    #[test]
    fn closed_form_agrees_with_the_equation_of_motion() {
        for zeta in [0.2, 0.7, 1.0] {
            let omega = 5.5;
            let exact = run(1, |s, dt| s.step_damped(1.0, omega, zeta, dt));
            // Semi-implicit Euler in f64 with a tiny step.
            let (mut x, mut v) = (0.3f64, -1.0f64);
            let n = 200_000;
            for _ in 0..n {
                let o = f64::from(omega);
                v += (o * o * (1.0 - x) - 2.0 * f64::from(zeta) * o * v) / n as f64;
                x += v / n as f64;
            }
            assert!((f64::from(exact.x) - x).abs() < 1e-3, "ζ {zeta}: {} {x}", exact.x);
        }
    }

    #[test]
    fn critically_damped_from_rest_never_overshoots() {
        let mut s = Spring::at(0.0f32);
        for _ in 0..600 {
            assert!(s.step(1.0, 5.5, 1.0 / 60.0) <= 1.0 + 1e-6);
        }
        assert!((s.x - 1.0).abs() < 1e-4);
    }

    #[test]
    fn no_time_moves_nothing() {
        let mut s = Spring { x: 0.2f32, v: 3.0 };
        s.step(1.0, 5.0, 0.0);
        assert!((s.x - 0.2).abs() < 1e-6 && (s.v - 3.0).abs() < 1e-5);
    }
}
