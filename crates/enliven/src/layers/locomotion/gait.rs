//! Where in a hop the body is.

use crate::math::{self, PI};

/// Standard gravity, m/s².
const GRAVITY: f32 = 9.806_65;

/// Distance of one hop in heights, at rest and for each unit of speed (√(g·height) m/s). Chosen so
/// that the hops tighten from 3 a second at 1.2 m/s to 4 at 3 m/s for a body 0.45 m tall: the
/// source's 12 and 30 units of speed, a unit being a tenth of a metre there.
const STRIDE: [f32; 2] = [0.35, 0.92];

/// How far the body travels over a planted foot, in heights. Short legs reach no further.
const STANCE: f32 = 0.36;

/// Longest time in the air, in units of √(height/g) s: 0.3 s at 0.45 m. A slow hop is a short hop
/// and a pause, not a long flight.
const LONGEST_FLIGHT: f32 = 1.4;

/// Hop phase on either side of a landing at which the feet touch and leave the ground, hops.
pub(super) const TOUCH: f32 = 0.13;

/// Height of a hop in heights of the body, and the speed at which it reaches half of it.
const HOP: [f32; 2] = [0.25, 0.2];

/// Radius of the circle that counts as distance when a body turns on the spot, heights.
const TURN_RADIUS: f32 = 0.3;

/// The gait of a body of some height: how its hops follow from its speed. Plain figures; the
/// phase itself is state of [`Locomotion`](super::Locomotion).
///
/// All of it scales as bodies do in the field of gravity: lengths with the height, times with its
/// square root (dynamic similarity, R. McN. Alexander, "Optimization and gaits in the locomotion
/// of vertebrates", Physiological Reviews 69, 1989).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gait {
    height: f32,
    /// √(g·height), m/s.
    speed_unit: f32,
}

impl Gait {
    /// The gait of a body `height` metres tall.
    pub fn new(height: f32) -> Self {
        Self { height, speed_unit: (GRAVITY * height).sqrt() }
    }

    /// √(g·height), m/s: what speeds are measured in.
    pub fn speed_unit(&self) -> f32 {
        self.speed_unit
    }

    /// √(height/g), s: what times are measured in.
    pub fn time_unit(&self) -> f32 {
        self.height / self.speed_unit
    }

    /// Metres of one hop at `speed` m/s.
    pub fn stride(&self, speed: f32) -> f32 {
        self.height * (STRIDE[0] + STRIDE[1] * speed / self.speed_unit)
    }

    /// Hops a second at `speed` m/s: speed over [`Gait::stride`].
    pub fn rate(&self, speed: f32) -> f32 {
        speed / self.stride(speed)
    }

    /// Height of a hop at `speed` m/s, metres.
    pub fn hop(&self, speed: f32) -> f32 {
        self.height * HOP[0] * self.effort(speed)
    }

    /// How much of a full hop there is at `speed` m/s, in [0, 1).
    pub fn effort(&self, speed: f32) -> f32 {
        let u = speed / self.speed_unit;
        u / (u + HOP[1])
    }

    /// Speed that counts as distance travelled: of a point a little off the body's axis.
    pub(super) fn pace(&self, speed: f32, turn_rate: f32) -> f32 {
        let turn = TURN_RADIUS * self.height * turn_rate;
        (speed * speed + turn * turn).sqrt()
    }

    /// Share of a hop, in (0, 1], for which a foot is on the ground at `speed` m/s.
    pub fn duty(&self, speed: f32) -> f32 {
        let reach = 1.0 - STANCE * self.height / self.stride(speed);
        let flight = LONGEST_FLIGHT * self.time_unit() * self.rate(speed);
        1.0 - reach.min(flight).max(0.0)
    }

    /// The hop phase ψ in [−0.5, 0.5] at stride phase `phase` (any number; whole ones are the
    /// middle of a contact): ψ = ±[`TOUCH`] at the ends of the contact. The hop's height is
    /// |sin πψ| of [`Gait::hop`].
    pub(super) fn hop_phase(duty: f32, phase: f32) -> f32 {
        let p = math::fract(phase + 0.5) - 0.5;
        let half = duty * 0.5;
        let air = 1.0 - duty;
        if p.abs() > half {
            // From +TOUCH up to the apex at ½, and from −½ down to −TOUCH.
            let t = (p.abs() - half) / (0.5 - half);
            return (TOUCH + (0.5 - TOUCH) * t) * p.signum();
        }
        // On the ground: slow in the middle (down, then up again), as fast as the flight at the
        // ends, as far as a cubic can.
        let q = p / half;
        let flight_slope = (1.0 - 2.0 * TOUCH) / air.max(1e-3);
        let dwell = ((flight_slope * half / TOUCH - 1.0) * 0.5).clamp(0.0, 1.0);
        TOUCH * q * ((1.0 - dwell) + dwell * q * q)
    }
}

/// |sin πψ|: the bounce.
pub(super) fn bounce(hop_phase: f32) -> f32 {
    math::sin(PI * hop_phase).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Metres a second for the source's units of speed, at the rabbit's height.
    const UNIT: f32 = 0.1;

    #[test]
    fn hops_tighten_from_12_to_30_units() {
        let g = Gait::new(0.45);
        let rates: Vec<f32> = [12.0, 18.0, 24.0, 30.0].map(|u| g.rate(u * UNIT)).to_vec();
        assert!(rates.windows(2).all(|w| w[1] > w[0]), "{rates:?}");
        assert!((rates[0] - 3.0).abs() < 0.1 && (rates[3] - 4.0).abs() < 0.1, "{rates:?}");
    }

    #[test]
    fn the_phase_is_the_distance_over_the_stride() {
        let g = Gait::new(0.45);
        for v in [0.01, 0.3, 1.2, 3.0] {
            assert!((g.rate(v) * g.stride(v) - v).abs() < 1e-6);
        }
        assert_eq!(g.rate(0.0), 0.0);
    }

    #[test]
    fn a_tall_body_hops_slower_and_further() {
        let (small, tall) = (Gait::new(0.45), Gait::new(1.8));
        // Twice the speed is the same gait at four times the height.
        assert!((tall.rate(2.4) / small.rate(1.2) - 0.5).abs() < 1e-4);
        assert!((tall.stride(2.4) / small.stride(1.2) - 4.0).abs() < 1e-4);
        assert!((tall.duty(2.4) - small.duty(1.2)).abs() < 1e-5);
    }

    #[test]
    fn the_hop_phase_is_continuous_and_rises() {
        let g = Gait::new(0.45);
        for v in [0.0, 0.02, 0.3, 1.2, 3.0, 8.0] {
            let duty = g.duty(v);
            assert!(duty > 0.0 && duty <= 1.0);
            let mut last = Gait::hop_phase(duty, -0.499_99);
            for i in 1..2000 {
                let x = Gait::hop_phase(duty, -0.499_99 + i as f32 * 5e-4);
                assert!(x >= last && x - last < 0.03, "{v}: {last} → {x} at {i}");
                last = x;
            }
            let edge = Gait::hop_phase(duty, duty * 0.499_999);
            assert!((edge - TOUCH).abs() < 1e-3, "{v}: {edge}");
        }
    }
}
