//! How a leaf on a stem moves.

use super::Gusts;
use crate::{Motion, Spring, Transform, math};
use glam::{Quat, Vec3};

/// Longest inner step, seconds.
const STEP: f32 = 1.0 / 120.0;

/// How a leaf takes the wind. Lengths for a stem of about 0.5 m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafParams {
    /// Of the stem's swing, Hz (A14).
    pub frequency: f32,
    /// Damping ratio of the swing: lightly damped.
    pub damping: f32,
    /// Bend of the tip, metres, at 1 m/s of air. It grows with the power 1.5 of the speed:
    /// quadratic is too violent.
    pub drag: f32,
    /// Factor on inertia: 1 is a tip as heavy as its frequency says.
    pub inertia: f32,
    /// Farthest bend of the tip, metres.
    pub limit: f32,
    /// Of the twist about the stem, Hz.
    pub twist_frequency: f32,
    /// Twist, rad, at 1 m/s of air from the side.
    pub twist: f32,
    /// Twist, rad, at 1 rad/s of turn: the blade is left behind.
    pub twist_turn: f32,
    /// Rise and fall of the rim, Hz.
    pub nod_frequency: f32,
    /// Rise of the rim, metres, at 1 m/s of air.
    pub nod: f32,
    /// How far the stem stands from the axis that the holder turns about, metres.
    pub lever: f32,
    /// Rate of the rim's flutter in still air and for each m/s, rad/s.
    pub flutter_rate: [f32; 2],
    /// Height of the flutter for each m/s, metres, and at most.
    pub flutter: [f32; 2],
    /// How much gusts add to the steady wind and take from it, of it, in [0, 1].
    pub gusts: f32,
    /// How far they turn it, ± rad.
    pub gust_swing: f32,
    /// How deep the blade cups, metres for each m/s (A14's polar form has 0.03).
    pub cup: f32,
}

impl Default for LeafParams {
    fn default() -> Self {
        Self {
            frequency: 1.4,
            damping: 0.16,
            drag: 0.0048,
            inertia: 1.0,
            limit: 0.2,
            twist_frequency: 1.9,
            twist: 0.016,
            twist_turn: -0.06,
            nod_frequency: 2.2,
            nod: 0.004,
            lever: 0.3,
            flutter_rate: [2.0, 5.0],
            flutter: [0.004, 0.02],
            gusts: 0.15,
            gust_swing: 0.25,
            cup: 0.03,
        }
    }
}

/// What moves a leaf: the host's wind and the way its holder goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Air {
    /// Steady wind in the host's world, m/s.
    pub wind: Vec3,
    /// How the holder is carried.
    pub motion: Motion,
    /// The holder: model space → the host's world.
    pub root: Transform,
    /// Turn of the body on its carrier, rad/s.
    pub body_turn: f32,
}

/// What a leaf looks like now, in the holder's axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeafState {
    /// Deflection of the tip, metres, level.
    pub bend: Vec3,
    /// Twist of the tip about the stem, rad.
    pub twist: f32,
    /// Rise of the rim, metres.
    pub nod: f32,
    /// The air that the blade feels, m/s: it cups away from it.
    pub air: Vec3,
    /// Height of the rim's flutter, metres.
    pub flutter: f32,
    /// Phase of the flutter, rad.
    pub phase: f32,
}

/// One leaf's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// How it takes the wind; may be changed at any time.
    pub params: LeafParams,
    /// The gusts that it feels; [`LeafParams`] say how strong.
    pub gusts: Gusts,
    bend: Spring<Vec3>,
    twist: Spring<f32>,
    nod: Spring<f32>,
    air: Spring<Vec3>,
    phase: f32,
    turn_rate: f32,
}

impl Leaf {
    /// A leaf that hangs still.
    pub fn new(params: LeafParams, seed: u64) -> Self {
        Self {
            params,
            gusts: Gusts::new(seed),
            bend: Spring::at(Vec3::ZERO),
            twist: Spring::at(0.0),
            nod: Spring::at(0.0),
            air: Spring::at(Vec3::ZERO),
            phase: 0.0,
            turn_rate: 0.0,
        }
    }

    /// Moves on by `dt` seconds. Never allocates.
    pub fn step(&mut self, dt: f32, air: &Air) -> LeafState {
        let dt = if dt > 0.0 { dt.min(crate::Moment::LONGEST_STEP) } else { 0.0 };
        let finite = air.wind.is_finite()
            && air.motion.velocity.is_finite()
            && air.motion.acceleration.is_finite()
            && air.motion.turn_rate.is_finite()
            && air.body_turn.is_finite()
            && air.root.is_finite();
        if finite && dt > 0.0 {
            // A turn that sets in pulls the stem sideways for as long as it changes.
            let rate = air.motion.turn_rate + air.body_turn;
            let spin = (rate - self.turn_rate) / dt;
            self.turn_rate = rate;
            let steps = libm::ceilf(dt / STEP).max(1.0);
            for _ in 0..steps as u32 {
                self.advance(dt / steps, air, rate, spin);
            }
        }
        self.state()
    }

    fn advance(&mut self, h: f32, air: &Air, rate: f32, spin: f32) {
        let p = self.params;
        let into = air.root.rotation.conjugate();
        (self.gusts.strength, self.gusts.swing) = (p.gusts.clamp(0.0, 1.0), p.gust_swing);
        let wind = self.gusts.step(air.wind, h);
        // Apparent wind in the holder's frame. A short filter: a blade has an extent.
        let felt = into * (wind - air.motion.velocity);
        let felt = self.air.step(felt, 12.0, h);
        let level = |v: Vec3| Vec3::new(v.x, 0.0, v.z);
        let omega = math::TAU * p.frequency;
        let pull = into * air.motion.acceleration;
        // Turning about +Y: outward (+), and backward while it sets in. The stem stands to the
        // right of the axis.
        let turned = Vec3::new(p.lever * rate * rate, 0.0, -p.lever * spin.clamp(-20.0, 20.0));
        let drag = level(felt) * (p.drag * felt.length().sqrt());
        // At rest in a steady pull a the tip of a spring of ω hangs a/ω² behind.
        let goal = drag - (level(pull) + turned) * (p.inertia / (omega * omega));
        self.bend.step_damped(goal.clamp_length_max(p.limit), omega, p.damping, h);
        let over = self.bend.x.length() / p.limit.max(1e-6);
        if over > 1.0 {
            let out = self.bend.x.normalize_or_zero();
            self.bend.x /= over;
            self.bend.v -= out * self.bend.v.dot(out).max(0.0);
        }
        let twist = p.twist * felt.x + p.twist_turn * rate;
        self.twist.step_damped(twist, math::TAU * p.twist_frequency, 0.22, h);
        let nod_omega = math::TAU * p.nod_frequency;
        let heave = -pull.y * p.inertia / (nod_omega * nod_omega);
        let nod = (p.nod * felt.length() * math::sin(0.37 * self.phase) + heave).clamp(-0.06, 0.06);
        self.nod.step_damped(nod, nod_omega, 0.2, h);
        let speed = p.flutter_rate[0] + p.flutter_rate[1] * felt.length().min(20.0);
        // 100 turns: what is made of the phase repeats without a seam.
        let span = 100.0 * math::TAU;
        self.phase = math::fract((self.phase + speed * h) / span) * span;
    }

    /// What it looks like now.
    pub fn state(&self) -> LeafState {
        LeafState {
            bend: self.bend.x,
            twist: self.twist.x,
            nod: self.nod.x,
            air: self.air.x,
            flutter: (self.params.flutter[0] * self.air.x.length()).min(self.params.flutter[1]),
            phase: self.phase,
        }
    }

    /// Hangs still.
    pub fn settle(&mut self) {
        self.bend = Spring::at(Vec3::ZERO);
        self.twist = Spring::at(0.0);
        self.nod = Spring::at(0.0);
        self.turn_rate = 0.0;
    }
}

impl LeafState {
    /// Deflection at a part `t` of the stem's length from the grip, in [0, 1]: a cantilever's
    /// t²(3 − t)/2 of the tip's (A13).
    pub fn deflection(&self, t: f32) -> Vec3 {
        self.bend * (t * t * (3.0 - t) * 0.5)
    }

    /// Tilt of a stem of `length` metres along `axis` at a part `t` of it: the slope of the
    /// deflection, 1.5·|bend|/length at the tip, about cross(axis, bend).
    pub fn tilt(&self, axis: Vec3, length: f32, t: f32) -> Quat {
        let about = axis.cross(self.bend);
        let slope = (3.0 * t - 1.5 * t * t) * self.bend.length() / length.max(1e-6);
        match about.try_normalize() {
            Some(about) => math::rotation(about, slope),
            None => Quat::IDENTITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calm at 2 m/s, then five strokes, then a hard stop: largest bend, twist and nod of each.
    struct Figures {
        bend: [f32; 2],
        twist: f32,
        nod: f32,
        forward: f32,
    }

    fn run(fps: u32, seconds: f32, air: impl Fn(f32) -> Air) -> Figures {
        let mut leaf = Leaf::new(LeafParams::default(), 5);
        let dt = 1.0 / fps as f32;
        let mut f = Figures { bend: [f32::MAX, 0.0], twist: 0.0, nod: 0.0, forward: 0.0 };
        for i in 0..(seconds * fps as f32) as u32 {
            let t = i as f32 * dt;
            let s = leaf.step(dt, &air(t));
            // The first seconds it swings in.
            if t > 4.0 {
                f.bend[0] = f.bend[0].min(s.bend.length());
                f.bend[1] = f.bend[1].max(s.bend.length());
                f.twist = f.twist.max(s.twist.abs());
                f.nod = f.nod.max(s.nod.abs());
                f.forward = f.forward.max(s.bend.z);
            }
        }
        f
    }

    fn still(wind: Vec3) -> Air {
        let motion = Motion { grounded: true, ..Motion::default() };
        Air { wind, motion, root: Transform::IDENTITY, body_turn: 0.0 }
    }

    fn calm(_: f32) -> Air {
        still(Vec3::new(1.2, 0.0, -1.4))
    }

    /// Rowing: a stroke each 2.4 s between 0.7 and 1.5 m/s along +Z.
    fn rowing(t: f32) -> Air {
        let (mid, half, rate) = (1.1, 0.4, math::TAU / 2.4);
        let mut air = calm(t);
        air.motion.velocity = Vec3::Z * (mid + half * math::sin(rate * t));
        air.motion.acceleration = Vec3::Z * (half * rate * math::cos(rate * t));
        air
    }

    /// 1.4 m/s to nothing in 0.4 s at second 5, no wind.
    fn stop(t: f32) -> Air {
        let mut air = still(Vec3::ZERO);
        let left = (1.4 - 3.5 * (t - 5.0)).clamp(0.0, 1.4);
        air.motion.velocity = Vec3::Z * left;
        air.motion.acceleration = Vec3::Z * if left > 0.0 && left < 1.4 { -3.5 } else { 0.0 };
        air
    }

    #[test]
    fn the_figures_of_calm_rowing_and_a_hard_stop() {
        let f = run(60, 600.0, calm);
        assert!(f.bend[0] > 0.006 && f.bend[1] < 0.025, "calm {:?}", f.bend);
        assert!(f.twist < 3f32.to_radians() && f.nod < 0.02, "{} {}", f.twist, f.nod);
        let f = run(60, 600.0, rowing);
        assert!(f.bend[1] > 0.03 && f.bend[1] < 0.1, "rowing {:?}", f.bend);
        let f = run(60, 12.0, stop);
        assert!((0.05..0.09).contains(&f.forward), "stop {}", f.forward);
    }

    #[test]
    fn the_path_is_the_same_at_any_rate() {
        let at = |fps: u32| {
            let mut leaf = Leaf::new(LeafParams::default(), 5);
            let mut out = Vec::new();
            for i in 0..fps * 10 {
                let s = leaf.step(1.0 / fps as f32, &calm(0.0));
                if (i + 1) % (fps / 20) == 0 {
                    out.push(s);
                }
            }
            out
        };
        let (a, b, c) = (at(20), at(60), at(240));
        for i in 0..a.len() {
            assert!(a[i].bend.distance(c[i].bend) < 1e-3 && b[i].bend.distance(c[i].bend) < 1e-3);
            assert!((a[i].twist - c[i].twist).abs() < 2e-3);
        }
    }

    #[test]
    fn a_storm_bends_it_to_its_limit_and_no_farther() {
        let mut leaf = Leaf::new(LeafParams::default(), 1);
        for _ in 0..600 {
            let s = leaf.step(1.0 / 60.0, &still(Vec3::X * 60.0));
            assert!(s.bend.length() <= 0.2 + 1e-5 && s.bend.is_finite());
        }
        assert!(leaf.state().bend.x > 0.15);
        let bad = leaf.step(0.1, &still(Vec3::NAN));
        assert!(bad.bend.is_finite());
    }

    #[test]
    fn the_stem_is_a_cantilever() {
        let s = LeafState { bend: Vec3::new(0.0, 0.0, 0.1), ..LeafState::default() };
        assert_eq!((s.deflection(0.0), s.deflection(1.0)), (Vec3::ZERO, s.bend));
        let slope = |t: f32| (s.deflection(t + 1e-3) - s.deflection(t - 1e-3)).z / 2e-3;
        for t in [0.2, 0.5, 0.9] {
            let tilt = s.tilt(Vec3::Y, 0.5, t);
            let (axis, angle) = tilt.to_axis_angle();
            assert!(axis.x > 0.99, "leans to +Z");
            assert!((angle - slope(t) / 0.5).abs() < 1e-2, "{angle} {}", slope(t) / 0.5);
        }
    }
}
