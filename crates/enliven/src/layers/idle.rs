//! What a body does when it does nothing.

use super::locomotion::turn_ear;
use crate::math::{self, PI, TAU};
use crate::{Layer, Moment, Pose, Region, Rig, Rng, Side};
use glam::Vec3;

/// Breathing of a body at ease, rad/s (A6: 8 mm · sin(1.25 t) at a height of 1 m), and out of
/// breath.
const BREATH: [f32; 2] = [1.25, 6.5];
/// Rise of the chest in heights, at ease and out of breath.
const BREATH_RISE: [f32; 2] = [0.008, 0.014];
/// Widening of the trunk with a breath, parts of its width.
const BREATH_WIDE: f32 = 0.02;
/// Where there is a spine: the part of the rise that the chest still makes, and how far it bends
/// back with a breath, rad.
const BACK: [f32; 2] = [0.25, 0.014];
/// Speed in √(g·height) that puts a body out of breath, and the times in s in which it gets there
/// and recovers.
const EXERTION: [f32; 3] = [1.0, 5.0, 4.0];
/// Weight shift: sideways in heights and roll, rad. Two sines whose periods (7.9 s and 12.7 s)
/// have no common beat.
const SHIFT: [f32; 2] = [0.011, 0.022];
const SHIFT_RATE: [f32; 2] = [TAU / 7.9, TAU / 12.7];
/// Drift of the head: yaw, pitch, roll, rad, and its rates.
const DRIFT: [f32; 3] = [0.11, 0.05, 0.045];
const DRIFT_RATE: [f32; 3] = [TAU / 9.1, TAU / 6.3, TAU / 11.3];
/// An ear flick: half a sine of 0.3 s to 0.35 rad, one ear or both, every 6 to 15 s (A5).
const FLICK: [f32; 2] = [0.3, 0.35];
const FLICK_EVERY: [f32; 2] = [6.0, 15.0];
const FLICK_BOTH: f32 = 0.3;
/// Ears turn about, rad, on beats of their own.
const EAR_DRIFT: f32 = 0.07;
/// A sniff: the muzzle goes up and down so many heights, so many times a second, for a second or
/// so, every few seconds.
const SNIFF: [f32; 2] = [0.0045, 6.0];
const SNIFF_EVERY: [f32; 2] = [2.2, 5.0];
const SNIFF_LONG: [f32; 2] = [0.7, 1.5];
/// Above this speed in √(g·height) nothing of the standing motion is left but the breath.
const MOVING: f32 = 0.25;

/// Breath, weight shift, drifting head, ear flicks, sniffing: never frozen, whatever else is
/// still. Put it at the bottom of the stack.
///
/// Everything fades out as the body starts to move; the breath quickens with it and calms down
/// afterwards. Random numbers are drawn once an event, so the course does not depend on the frame
/// rate.
#[derive(Clone, Debug)]
pub struct Idle {
    rng: Rng,
    /// Seconds.
    clock: f64,
    breath: f32,
    exertion: f32,
    flick: Event,
    /// Which ears flick, as factors.
    ears: [f32; 2],
    sniff: Event,
    /// √(g·height), m/s.
    speed_unit: f32,
    last_speed: Option<f32>,
}

/// Something that happens now and then for a while.
#[derive(Clone, Copy, Debug)]
struct Event {
    /// When it began, or will.
    start: f64,
    long: f32,
}

impl Event {
    /// How far through it is at `clock`, in [0, 1]; `None` before it.
    fn progress(&self, clock: f64) -> Option<f32> {
        let t = (clock - self.start) as f32;
        (t >= 0.0).then(|| t / self.long)
    }
}

impl Idle {
    /// For bodies of that rig.
    pub fn new(rig: &Rig, seed: u64) -> Self {
        // The stream keeps it apart from other draws of the same seed; any constant does.
        let mut rng = Rng::new(seed, 0x1d1e);
        let flick = Event { start: f64::from(rng.range(1.5, FLICK_EVERY[0])), long: FLICK[0] };
        let sniff = Event { start: f64::from(rng.range(0.4, SNIFF_EVERY[0])), long: 1.0 };
        // Two of a kind do not breathe in step.
        let breath = rng.range(0.0, TAU);
        let clock = f64::from(rng.range(0.0, 100.0));
        Self {
            rng,
            clock,
            breath,
            exertion: 0.0,
            flick: Event { start: clock + flick.start, ..flick },
            ears: [1.0, 0.0],
            sniff: Event { start: clock + sniff.start, ..sniff },
            speed_unit: super::Gait::new(rig.height).speed_unit(),
            last_speed: None,
        }
    }

    fn events(&mut self) {
        if self.flick.progress(self.clock).is_some_and(|p| p >= 1.0) {
            let end = self.flick.start + f64::from(self.flick.long);
            self.flick.start = end + f64::from(self.rng.range(FLICK_EVERY[0], FLICK_EVERY[1]));
            self.ears = match (self.rng.chance(FLICK_BOTH), self.rng.chance(0.5)) {
                (true, _) => [1.0, 0.8],
                (false, true) => [1.0, 0.0],
                (false, false) => [0.0, 1.0],
            };
        }
        if self.sniff.progress(self.clock).is_some_and(|p| p >= 1.0) {
            let end = self.sniff.start + f64::from(self.sniff.long);
            self.sniff.start = end + f64::from(self.rng.range(SNIFF_EVERY[0], SNIFF_EVERY[1]));
            self.sniff.long = self.rng.range(SNIFF_LONG[0], SNIFF_LONG[1]);
        }
    }
}

impl Layer for Idle {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        let (h, dt) = (rig.height, moment.dt);
        let speed = moment.motion.velocity.length() / self.speed_unit;
        let speed = if speed.is_finite() { speed } else { 0.0 };
        // The mean over the frame: an integral by the trapezoid rule.
        let mean = 0.5 * (speed + self.last_speed.replace(speed).unwrap_or(speed));
        let effort = (mean / EXERTION[0]).min(1.0);
        let time = if effort > self.exertion { EXERTION[1] } else { EXERTION[2] };
        let was = self.exertion;
        self.exertion += (effort - was) * math::approach(1.0 / time, dt);
        let rate = math::lerp(BREATH[0], BREATH[1], 0.5 * (was + self.exertion));
        self.breath = math::fract((self.breath + rate * dt) / TAU) * TAU;
        self.clock += f64::from(dt);
        self.events();

        let still = 1.0 - math::smoothstep(0.0, MOVING, speed);
        let r = &rig.regions;
        let wave = math::sin(self.breath);
        let rise = h * math::lerp(BREATH_RISE[0], BREATH_RISE[1], self.exertion);
        let shift = {
            let s = |i: usize| math::sin(wrapped(self.clock, SHIFT_RATE[i]));
            (0.65 * s(0) + 0.35 * s(1)) * still
        };
        let breathe = if r.has(Region::Chest) { Region::Chest } else { Region::Body };
        // The belly follows the chest a little late.
        let late = math::sin(self.breath - 0.5);
        if r.has(Region::Spine) {
            // A long back opens and closes; it does not grow.
            r.translate(pose, breathe, Vec3::new(0.0, rise * wave * BACK[0], 0.0));
            r.rotate(pose, Region::Chest, math::rotation(Vec3::X, -BACK[1] * wave));
            r.rotate(pose, Region::Head, math::rotation(Vec3::X, BACK[1] * late));
        } else {
            r.translate(pose, breathe, Vec3::new(0.0, rise * wave, 0.0));
        }
        if r.has(Region::Hips) {
            if !r.has(Region::Spine) {
                let wide = 1.0 + BREATH_WIDE * late * (0.6 + self.exertion);
                r.scale(pose, Region::Hips, Vec3::new(wide, 1.0, wide));
            }
            r.translate(pose, Region::Hips, Vec3::new(SHIFT[0] * h * shift, 0.0, 0.0));
            r.rotate(pose, Region::Hips, math::rotation(Vec3::Z, -SHIFT[1] * shift));
        }
        if r.has(Region::Head) {
            let d = |i: usize| {
                let a = wrapped(self.clock, DRIFT_RATE[i]);
                // A second, slower sine: it dwells at the sides instead of swinging.
                let b = wrapped(self.clock, DRIFT_RATE[i] * 0.37);
                DRIFT[i] * still * (0.7 * math::sin(a) + 0.5 * math::sin(b))
            };
            let roll = d(2) + SHIFT[1] * 0.8 * shift;
            r.rotate(pose, Region::Head, math::yaw_pitch_roll(d(0), d(1), roll));
        }
        self.ears(rig, pose, still);
        if let (true, Some(p)) = (r.has(Region::Jaw), self.sniff.progress(self.clock)) {
            let t = (p * self.sniff.long).min(self.sniff.long);
            // In and out softly, and a whole twitch each time.
            let fade = math::sin(PI * p.clamp(0.0, 1.0));
            let y = SNIFF[0] * h * fade * math::sin(TAU * SNIFF[1] * t);
            r.translate(pose, Region::Jaw, Vec3::new(0.0, y, 0.4 * y));
        }
    }

    fn reset(&mut self) {
        self.exertion = 0.0;
        self.last_speed = None;
    }
}

impl Idle {
    fn ears(&self, rig: &Rig, pose: &mut Pose, still: f32) {
        for side in Side::BOTH {
            let flick = match self.flick.progress(self.clock) {
                Some(p) => FLICK[1] * math::sin(PI * p.clamp(0.0, 1.0)) * self.ears[side as usize],
                None => 0.0,
            };
            let beat = if side == Side::Left { TAU / 5.3 } else { TAU / 6.7 };
            let drift = EAR_DRIFT * still * math::sin(wrapped(self.clock, beat));
            let turn = [
                drift * 1.5 * side.sign(),
                drift - flick * 0.4,
                -flick * side.sign() + drift * 0.5,
            ];
            turn_ear(rig, pose, side, turn);
        }
    }
}

/// rate·clock in [0, 2π), from a clock that may have run for days.
fn wrapped(clock: f64, rate: f32) -> f32 {
    let turns = clock * f64::from(rate) / f64::from(TAU);
    ((turns - libm::floor(turns)) as f32) * TAU
}
