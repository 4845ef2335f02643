//! How the boat goes: it drifts, is rowed now and then, slows for a glance, and stops when asked.

use super::lane::Lane;
use crate::{Motion, Rng, Spring, Transform, math};
use glam::Vec3;

const TAU: f64 = core::f64::consts::TAU;

/// How the boat goes. Figures chosen by eye for a boat of 2 m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoatParams {
    /// Speed of the water, m/s: where nobody rows, the boat takes it.
    pub current: f32,
    /// Rate at which it does, 1/s.
    pub drag: f32,
    /// Push of a stroke at its height, m/s².
    pub thrust: f32,
    /// Seconds of a stroke, the paddle's way back included.
    pub stroke: f32,
    /// Fewest and most strokes in a row.
    pub strokes: [u32; 2],
    /// Shortest and longest time between them, seconds.
    pub rest: [f32; 2],
    /// A hard stop, m/s².
    pub brake: f32,
    /// Seconds that it then lies still.
    pub hold: f32,
    /// Height of the heave, metres, and of the roll and pitch by the water, rad.
    pub heave: f32,
    /// See [`BoatParams::heave`].
    pub sway: f32,
}

impl Default for BoatParams {
    fn default() -> Self {
        Self {
            current: 0.46,
            drag: 0.5,
            thrust: 1.7,
            stroke: 2.2,
            strokes: [4, 6],
            rest: [13.0, 22.0],
            brake: 3.5,
            hold: 2.5,
            heave: 0.012,
            sway: 0.016,
        }
    }
}

/// Who decides whether somebody rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rowing {
    /// Now and then.
    #[default]
    AsItPleases,
    /// Nobody does.
    Never,
    /// All the time.
    Always,
}

/// Where the paddle is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stroke {
    /// How much somebody rows, in [0, 1]; 0 lets the paddle trail.
    pub weight: f32,
    /// Phase, rad: through the water from 0 to π, back through the air to 2π.
    pub phase: f32,
}

/// The boat's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Boat {
    /// How it goes; may be changed at any time.
    pub params: BoatParams,
    /// Who decides whether somebody rows.
    pub rowing: Rowing,
    rng: Rng,
    /// Angle about the island, rad.
    u: f64,
    speed: f32,
    push: f32,
    /// Strokes left in this row, and seconds until the next row.
    left: u32,
    wait: f32,
    phase: f32,
    weight: Spring<f32>,
    /// Pitch and roll that motion causes, rad.
    lean: Spring<Vec3>,
    /// Seconds left of a stop; it brakes until it lies still.
    stopped: Option<f32>,
    time: f64,
}

impl Boat {
    /// A boat that drifts at angle `u` of the lane.
    pub fn new(params: BoatParams, u: f64, seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0xb0a7);
        let wait = rng.range(0.15, 0.5) * params.rest[0];
        Self {
            params,
            rowing: Rowing::AsItPleases,
            rng,
            u,
            speed: params.current,
            push: 0.0,
            left: 0,
            wait,
            phase: 0.0,
            weight: Spring::at(0.0),
            lean: Spring::at(Vec3::ZERO),
            stopped: None,
            time: 0.0,
        }
    }

    /// Brakes hard, lies still a while, and goes on.
    pub fn stop(&mut self) {
        self.stopped = Some(self.params.hold);
        self.left = 0;
    }

    /// Speed along the lane, m/s.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// Whether it brakes or lies still.
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Angle about the island, rad; grows by 2π a lap.
    pub fn angle(&self) -> f64 {
        self.u
    }

    /// The paddle.
    pub fn stroke(&self) -> Stroke {
        Stroke { weight: self.weight.x.clamp(0.0, 1.0), phase: self.phase }
    }

    /// Moves on by `h` seconds, a fixed tick. `pace` is what a glance leaves of the speed, of 1;
    /// nobody begins to row in one.
    pub fn step(&mut self, h: f32, pace: f32) {
        let p = self.params;
        self.time += f64::from(h);
        self.row(h, pace);
        let before = self.speed;
        if let Some(left) = &mut self.stopped {
            self.speed = (self.speed - p.brake * h).max(0.0);
            if self.speed == 0.0 {
                *left -= h;
                if *left <= 0.0 {
                    self.stopped = None;
                }
            }
        } else {
            let pull = (math::sin(self.phase).max(0.0)) * self.weight.x.clamp(0.0, 1.0);
            // In a glance the water is held back at once, or it would be over before the boat is
            // slow.
            let drag = if pace < 0.98 { p.drag + 1.5 } else { p.drag };
            let goal = p.current * pace;
            self.speed += (goal - self.speed) * math::approach(drag, h) + pull * p.thrust * h;
        }
        self.push = if h > 0.0 { (self.speed - before) / h } else { 0.0 };
        let place = Lane::at(self.u);
        self.u += f64::from((before + self.speed) * 0.5 * h) / place.metres;
        // The bow rises under way and dips in a stop; the boat leans to the paddle and out of
        // bends.
        let rolled = 0.028 * math::sin(self.phase).max(0.0) * self.weight.x;
        let bend = 0.12 * place.curvature * self.speed;
        let lean = Vec3::new(-0.012 * self.push, 0.0, -rolled + bend);
        self.lean.step_damped(lean, 3.6, 0.35, h);
    }

    fn row(&mut self, h: f32, pace: f32) {
        let p = self.params;
        if self.left > 0 {
            self.phase += math::TAU * h / p.stroke.max(0.3);
            if self.phase >= math::TAU {
                self.phase -= math::TAU;
                self.left -= 1;
                if self.rowing == Rowing::Never || pace < 0.98 {
                    self.left = 0;
                }
                if self.left == 0 {
                    self.wait = self.rng.range(p.rest[0], p.rest[1]);
                }
            }
        } else {
            // The paddle trails where a stroke begins; in a stop it is held where it is.
            if self.weight.x < 0.01 {
                self.phase = 0.0;
            }
            self.wait -= h;
            let free = pace >= 0.98 && self.stopped.is_none();
            let now = match self.rowing {
                Rowing::AsItPleases => self.wait <= 0.0,
                Rowing::Never => false,
                Rowing::Always => true,
            };
            if now && free {
                let [low, high] = p.strokes;
                let span = (high.max(low) - low + 1) as f32;
                self.left = low.max(1) + (self.rng.unit() * span) as u32;
            }
        }
        let goal = if self.left > 0 { 1.0 } else { 0.0 };
        self.weight.step(goal, 5.0, h);
    }

    /// Where it floats: boat space → the world; origin amidships on the waterline, +Z the bow.
    pub fn root(&self) -> Transform {
        let place = Lane::at(self.u);
        let (heave, sway) = self.water();
        let lean = self.lean.x + sway;
        let level = math::rotation(Vec3::Y, place.yaw);
        let rotation = level * math::rotation(Vec3::X, lean.x) * math::rotation(Vec3::Z, lean.z);
        Transform {
            translation: place.position + Vec3::Y * heave[0],
            rotation: math::normalize_or_identity(rotation),
            scale: Vec3::ONE,
        }
    }

    /// How it moves now: velocity, acceleration with heave and bends, turn rate.
    pub fn motion(&self) -> Motion {
        let place = Lane::at(self.u);
        let (heave, _) = self.water();
        let left = Vec3::Y.cross(place.ahead);
        let turn_rate = self.speed * place.curvature;
        Motion {
            velocity: place.ahead * self.speed + Vec3::Y * heave[1],
            acceleration: place.ahead * self.push
                + left * (self.speed * turn_rate)
                + Vec3::Y * heave[2],
            turn_rate,
            grounded: false,
        }
    }

    /// Heave with its two derivatives, and the sway (pitch, –, roll): slow waves whose periods
    /// never meet.
    fn water(&self) -> ([f32; 3], Vec3) {
        let wave = |rate: f64, at: f64| {
            let x = libm::fmod(self.time * rate + at, TAU);
            (libm::sin(x) as f32, libm::cos(x) as f32, rate as f32)
        };
        let (p, mut heave) = (&self.params, [0.0; 3]);
        for (share, rate, at) in [(0.65, 1.31, 0.0), (0.35, 2.12, 1.0)] {
            let (s, c, w) = wave(rate, at);
            let a = p.heave * share;
            heave[0] += a * s;
            heave[1] += a * w * c;
            heave[2] -= a * w * w * s;
        }
        let pitch = 0.6 * wave(1.31, 1.2).0 + 0.4 * wave(1.93, 0.3).0;
        let roll = 0.6 * wave(0.97, 0.7).0 + 0.4 * wave(1.61, 2.0).0;
        (heave, Vec3::new(0.5 * p.sway * pitch, 0.0, p.sway * roll))
    }
}
