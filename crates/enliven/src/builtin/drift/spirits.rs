//! Small spirits on the banks: they watch who passes, and rattle their heads now and then (A17).

use crate::{Rng, Spring, math};
use glam::{Quat, Vec3};

/// Distance within which one turns to the carrier, metres.
const REACH: f32 = 9.0;
/// Limits of the head: to either side, up, down, rad.
const YAW: f32 = 1.25;
const PITCH: [f32; 2] = [-0.5, 0.35];
/// Seconds between two rattles, shortest and longest.
const INTERVAL: [f32; 2] = [4.0, 16.0];
/// A rattle: seconds, turns to and fro a second, rad at its begin, and how fast it dies away, 1/s.
const LENGTH: f32 = 0.9;
const RATE: f32 = 8.5;
const ANGLE: f32 = 0.34;
const FADE: f32 = 3.6;

/// One spirit's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Spirit {
    rng: Rng,
    /// Rate of its neck, rad/s: some are slower.
    omega: f32,
    look: Spring<Vec3>,
    wait: f32,
    /// Seconds since the last rattle began.
    rattle: f32,
}

impl Spirit {
    /// One that looks ahead.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0x5917);
        let omega = rng.range(1.6, 4.2);
        let wait = rng.unit() * INTERVAL[1];
        Self { rng, omega, look: Spring::at(Vec3::ZERO), wait, rattle: f32::MAX }
    }

    /// Moves on by `h` seconds. `seen` is where the carrier is, in the spirit's own axes, from its
    /// head, metres.
    pub fn step(&mut self, h: f32, seen: Vec3) {
        let flat = (seen.x * seen.x + seen.z * seen.z).sqrt();
        // Far away it looks ahead; the change is eased over a metre.
        let near = 1.0 - math::smoothstep(REACH - 1.0, REACH, flat);
        let goal = if near > 0.0 {
            let yaw = math::atan2(seen.x, seen.z);
            let pitch = -math::atan2(seen.y, flat.max(0.05));
            Vec3::new(yaw.clamp(-YAW, YAW), pitch.clamp(PITCH[0], PITCH[1]), 0.0) * near
        } else {
            Vec3::ZERO
        };
        self.look.step(goal, self.omega, h);
        self.rattle += h;
        self.wait -= h;
        if self.wait <= 0.0 {
            self.rattle = -self.wait;
            self.wait += self.rng.range(INTERVAL[0], INTERVAL[1]);
        }
    }

    /// Tilt of the head by a rattle now, rad.
    pub fn rattle(&self) -> f32 {
        if self.rattle >= LENGTH {
            return 0.0;
        }
        let fade =
            math::exp(-FADE * self.rattle) * math::smoothstep(LENGTH, 0.7 * LENGTH, self.rattle);
        ANGLE * fade * math::sin(math::TAU * RATE * self.rattle)
    }

    /// Turn of the head now, from where it looks ahead.
    pub fn head(&self) -> Quat {
        math::yaw_pitch_roll(self.look.x.x, self.look.x.y, self.rattle())
    }

    /// Yaw of the head now, rad.
    pub fn yaw(&self) -> f32 {
        self.look.x.x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_turns_to_who_passes_and_back() {
        let mut s = Spirit::new(3);
        let mut most = 0.0f32;
        for i in 0..1200 {
            let z = -8.0 + 16.0 * i as f32 / 1200.0;
            s.step(1.0 / 60.0, Vec3::new(z, 0.2, 3.0));
            // Behind by no more than the neck is slow.
            if (300..900).contains(&i) {
                most = most.max((s.yaw() - math::atan2(z, 3.0).clamp(-YAW, YAW)).abs());
            }
        }
        assert!(most < 0.6, "{most}");
        for _ in 0..300 {
            s.step(1.0 / 60.0, Vec3::new(40.0, 0.0, 3.0));
        }
        assert!(s.yaw().abs() < 0.02, "{}", s.yaw());
    }

    #[test]
    fn rattles_come_now_and_then_and_die_away() {
        let mut s = Spirit::new(9);
        let (mut begun, mut before, mut most) = (0, 0.0f32, 0.0f32);
        for _ in 0..600 * 120 {
            s.step(1.0 / 120.0, Vec3::Z * 50.0);
            let r = s.rattle().abs();
            begun += i32::from(before == 0.0 && r > 0.0);
            before = r;
            most = most.max(r);
        }
        assert!((45..90).contains(&begun), "mean of 10 s: {begun}");
        assert!(most > 0.2 && most < ANGLE, "{most}");
    }

    #[test]
    fn the_path_is_the_same_at_any_rate() {
        let at = |fps: u32| {
            let mut s = Spirit::new(5);
            let seen = |t: f32| Vec3::new(4.0 * math::sin(0.7 * t), 0.3, 3.0);
            (0..fps * 10).for_each(|i| s.step(1.0 / fps as f32, seen(i as f32 / fps as f32)));
            s.yaw()
        };
        assert!((at(30) - at(240)).abs() < 0.05, "{} {}", at(30), at(240));
    }
}
