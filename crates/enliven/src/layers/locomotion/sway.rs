//! A damped spring that is stepped many times with the same step.

use crate::Spring;

/// A spring of fixed frequency and damping. Its step is a linear map of position and velocity, the
/// one of [`Spring::step_damped`], kept until the length of the step changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sway {
    pub(super) x: f32,
    pub(super) v: f32,
    omega: f32,
    zeta: f32,
    dt: f32,
    map: [f32; 4],
}

impl Sway {
    /// At rest at 0; `omega` rad/s, damping ratio `zeta`.
    pub(super) fn new(omega: f32, zeta: f32) -> Self {
        Self { x: 0.0, v: 0.0, omega, zeta, dt: 0.0, map: [1.0, 0.0, 0.0, 1.0] }
    }

    pub(super) fn step(&mut self, target: f32, dt: f32) {
        if dt != self.dt {
            let basis = |x, v| {
                let mut s = Spring { x, v };
                s.step_damped(0.0, self.omega, self.zeta, dt);
                s
            };
            let (a, b) = (basis(1.0, 0.0), basis(0.0, 1.0));
            self.map = [a.x, b.x, a.v, b.v];
            self.dt = dt;
        }
        let [xx, xv, vx, vv] = self.map;
        let d = self.x - target;
        let v = self.v;
        self.x = target + xx * d + xv * v;
        self.v = vx * d + vv * v;
    }

    pub(super) fn reset(&mut self) {
        (self.x, self.v) = (0.0, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_closed_form() {
        let mut sway = Sway::new(14.0, 0.3);
        let mut spring = Spring::at(0.0f32);
        for i in 0..500 {
            let target = if i < 250 { 1.0 } else { -0.5 };
            sway.step(target, 1.0 / 240.0);
            spring.step_damped(target, 14.0, 0.3, 1.0 / 240.0);
            assert!((sway.x - spring.x).abs() < 1e-4, "{i}");
        }
    }
}
