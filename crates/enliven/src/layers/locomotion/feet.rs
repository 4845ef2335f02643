//! Feet that stand still while they carry, and swing while they do not.

use super::gait::Gait;
use super::legs::Leg;
use crate::math::{self, PI};
use crate::{Pose, Region, Rig, Side, Spring};
use glam::Vec3;

/// The left foot lands before the right one by this much of a hop: nothing on one beat.
const LEAD: f32 = 0.03;
/// Where the feet are on average in a run, heights ahead of where they rest: they push backward.
const RUN_CENTER: f32 = -0.09;
/// How far a foot clears the ground, in the height of the hop and in heights.
const LIFT: [f32; 2] = [0.7, 0.025];
/// Swing of a foot beyond its landing places, heights: it trails, then reaches.
const REACH: f32 = 0.17;
/// Toes hang after leaving the ground and rise before landing, rad.
const TOES: [f32; 2] = [1.0, -0.28];
/// A standing foot further than this from its rest, heights, steps home after a wait of some
/// units of time, in a step of so many units of time, lifted by so many heights.
const STEP: Step = Step { away: 0.05, wait: 0.9, time: 0.8, lift: 0.035 };
/// In a jump the feet follow their place with this frequency, rad per unit of time.
const AIR_OMEGA: f32 = 3.8;

struct Step {
    away: f32,
    wait: f32,
    time: f32,
    lift: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// On the ground; seconds that it has been away from its rest.
    Stance { restless: f32 },
    /// In the air of a hop since a place and a yaw.
    Swing { from: Vec3, from_yaw: f32 },
    /// A step home; progress in [0, 1].
    Step { from: Vec3, from_yaw: f32, t: f32 },
    /// In a jump.
    Air { at: Spring<Vec3> },
}

/// What a sub-step knows of the body's motion, in the body's own axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ride {
    pub(super) dt: f32,
    /// Metres a second: x to the left, z ahead.
    pub(super) velocity: Vec3,
    pub(super) turn_rate: f32,
    /// Horizontal speed, a turn on the spot counted in.
    pub(super) pace: f32,
    pub(super) grounded: bool,
    /// Stride phase before and after.
    pub(super) phase: [f32; 2],
    /// Duty before and after.
    pub(super) duty: [f32; 2],
}

#[derive(Clone, Debug)]
struct Foot {
    side: Side,
    leg: Leg,
    rest: Vec3,
    state: State,
    /// Place of the foot in model space.
    at: Vec3,
    yaw: f32,
    pitch: f32,
}

/// The feet of a body that has some.
#[derive(Clone, Debug)]
pub(super) struct Feet {
    feet: Vec<Foot>,
    height: f32,
}

impl Feet {
    pub(super) fn new(rig: &Rig) -> Self {
        let model = rig.skeleton.rest_model();
        let foot = |side| {
            let joint = rig.regions.own_joints(Region::Foot(side)).first()?.joint;
            let rest = model[joint.index()].translation();
            let leg = Leg::new(rig, &model, side, joint)?;
            let state = State::Stance { restless: 0.0 };
            Some(Foot { side, leg, rest, state, at: rest, yaw: 0.0, pitch: 0.0 })
        };
        Self { feet: Side::BOTH.into_iter().filter_map(foot).collect(), height: rig.height }
    }

    pub(super) fn reset(&mut self) {
        for f in &mut self.feet {
            f.state = State::Stance { restless: 0.0 };
            (f.at, f.yaw, f.pitch) = (f.rest, 0.0, 0.0);
        }
    }

    /// Whether every foot ends a leg with a knee, which can bend instead of being squashed.
    pub(super) fn knees(&self) -> bool {
        !self.feet.is_empty() && self.feet.iter().all(|f| f.leg.has_knee())
    }

    /// Whether that foot stands on the ground.
    pub(super) fn stands(&self, side: Side) -> bool {
        let stands = |f: &Foot| {
            let low = f.at.y - f.rest.y < 0.002 * self.height;
            low && matches!(f.state, State::Stance { .. })
        };
        self.feet.iter().any(|f| f.side == side && stands(f))
    }

    pub(super) fn step(&mut self, gait: &Gait, ride: &Ride) {
        let planted = self.feet.iter().filter(|f| matches!(f.state, State::Stance { .. })).count();
        let mut free = planted == self.feet.len();
        let (height, unit) = (self.height, gait.time_unit());
        for f in &mut self.feet {
            let was_standing = matches!(f.state, State::Stance { .. });
            f.step(gait, ride, height, unit, free);
            // One foot at a time steps home.
            free &= matches!(f.state, State::Stance { .. }) || !was_standing;
        }
    }

    /// Writes feet and legs into the pose, whose upper body is final.
    pub(super) fn write(&self, rig: &Rig, pose: &mut Pose) {
        // Hips come down as far as the longest reach needs. In the air too: so nothing pops.
        let short = |f: &Foot| f.leg.short(rig, pose, f.at);
        let drop = self.feet.iter().map(short).fold(0.0, f32::max);
        if drop > 0.0 {
            rig.regions.translate(pose, Region::Hips, Vec3::new(0.0, -drop, 0.0));
        }
        for f in &self.feet {
            let turn = math::rotation(Vec3::Y, f.yaw) * math::rotation(Vec3::X, f.pitch);
            f.leg.write(rig, pose, f.at, turn);
        }
    }
}

impl Foot {
    fn step(&mut self, gait: &Gait, ride: &Ride, height: f32, unit: f32, free: bool) {
        let lead = if self.side == Side::Left { LEAD } else { -LEAD } * 0.5;
        let [p0, p1] = ride.phase.map(|p| math::fract(p + lead + 0.5) - 0.5);
        let [d0, d1] = ride.duty.map(|d| d * 0.5);
        let effort = gait.effort(ride.pace);
        if !ride.grounded {
            self.fly(ride, height, unit, gait.speed_unit());
            return;
        }
        if let State::Air { .. } = self.state {
            self.state = State::Stance { restless: 0.0 };
        }
        // What has landed stays until the middle of the contact is past, whatever the speed does.
        let landing = p1 < 0.0 && matches!(self.state, State::Stance { .. });
        let down = p1.abs() <= d1 || landing;
        match (self.state, down) {
            (State::Stance { restless }, true) => {
                self.carry(ride, ride.dt);
                let away = (self.at - self.rest) * Vec3::new(1.0, 0.0, 1.0);
                let still = ride.pace < 0.02 * gait.speed_unit();
                let restless = match still && away.length() > STEP.away * height {
                    true => restless + ride.dt,
                    false => 0.0,
                };
                self.state = if free && restless > STEP.wait * unit {
                    State::Step { from: self.at, from_yaw: self.yaw, t: 0.0 }
                } else {
                    State::Stance { restless }
                };
            }
            (State::Stance { .. }, false) => {
                // It left the ground within this step: it stood for the part before.
                let part = crossing(d0 - p0, p1 - d1);
                self.carry(ride, ride.dt * part);
                self.state = State::Swing { from: self.at, from_yaw: self.yaw };
                self.swing(gait, ride, p1, d1, effort, height);
            }
            (State::Swing { .. }, false) => self.swing(gait, ride, p1, d1, effort, height),
            (State::Swing { from, from_yaw }, true) => {
                // It lands ahead, or is put back where the flight was given up.
                let ahead = p0 < 0.0;
                let part = if ahead { crossing(-d0 - p0, p1 + d1) } else { 0.0 };
                let (at, yaw) =
                    if ahead { self.target(gait, ride, d1, height) } else { (from, from_yaw) };
                (self.at, self.yaw, self.pitch) = (at, yaw, 0.0);
                self.carry(ride, ride.dt * (1.0 - part));
                self.state = State::Stance { restless: 0.0 };
            }
            (State::Step { .. }, false) => {
                self.state = State::Swing { from: self.at, from_yaw: self.yaw };
                self.swing(gait, ride, p1, d1, effort, height);
            }
            (State::Step { from, from_yaw, t }, true) => {
                let t = (t + ride.dt / (STEP.time * unit)).min(1.0);
                let e = math::smoothstep(0.0, 1.0, t);
                self.at = from.lerp(self.rest, e);
                self.at.y += STEP.lift * height * math::sin(PI * t);
                self.yaw = from_yaw * (1.0 - e);
                self.pitch = 0.3 * math::sin(PI * t);
                self.state = if t < 1.0 {
                    State::Step { from, from_yaw, t }
                } else {
                    (self.at, self.pitch) = (self.rest, 0.0);
                    State::Stance { restless: 0.0 }
                };
            }
            (State::Air { .. }, _) => {}
        }
    }

    /// The body moves on over the foot.
    fn carry(&mut self, ride: &Ride, dt: f32) {
        let turn = ride.turn_rate * dt;
        let p = self.at - ride.velocity * Vec3::new(dt, 0.0, dt);
        let (s, c) = math::sin_cos(turn);
        // R(−turn) about +Y.
        self.at = Vec3::new(p.x * c - p.z * s, p.y, p.x * s + p.z * c);
        self.yaw -= turn;
        // What is left of a jump or a step comes down at once.
        let settle = math::exp(-60.0 * dt);
        self.at.y = self.rest.y + (self.at.y - self.rest.y) * settle;
        self.pitch *= settle;
    }

    /// Where it lands, so that the body is over it in the middle of the contact.
    fn target(&self, gait: &Gait, ride: &Ride, half_duty: f32, height: f32) -> (Vec3, f32) {
        let rate = gait.rate(ride.pace).max(1e-6);
        // At a crawl the contact lasts long, but no step is longer than a leg.
        let time = (half_duty / rate).min(0.3 * height / ride.pace.max(1e-6));
        let yaw = ride.turn_rate * time;
        let center = self.rest + Vec3::Z * (RUN_CENTER * height * gait.effort(ride.pace));
        let flat = Vec3::new(ride.velocity.x, 0.0, ride.velocity.z);
        (math::rotation(Vec3::Y, yaw) * center + flat * time, yaw)
    }

    fn swing(&mut self, gait: &Gait, ride: &Ride, p: f32, d: f32, effort: f32, height: f32) {
        let State::Swing { from, from_yaw } = self.state else { return };
        let air = (1.0 - 2.0 * d).max(1e-4);
        let w = ((if p < 0.0 { p + 1.0 } else { p } - d) / air).clamp(0.0, 1.0);
        let (to, to_yaw) = self.target(gait, ride, d, height);
        // Hermite: leaves and lands with the speed of the ground.
        let far = (air * gait.stride(ride.pace)).min(REACH * height);
        let flat = Vec3::new(ride.velocity.x, 0.0, ride.velocity.z);
        let slope = flat * (-far / ride.pace.max(1e-6));
        let (w2, w3) = (w * w, w * w * w);
        let rise = 3.0 * w2 - 2.0 * w3;
        let base = Vec3::new(from.x, self.rest.y, from.z);
        self.at = base.lerp(to, rise) + slope * (w - 3.0 * w2 + 2.0 * w3);
        let lift = LIFT[0] * gait.hop(ride.pace) + LIFT[1] * height * effort;
        // From where it left the ground, which after a step may be above it.
        self.at.y += lift * math::sin(PI * w) + (from.y - self.rest.y) * (1.0 - rise);
        self.yaw = from_yaw + (to_yaw - from_yaw) * rise;
        let hang = math::sin(PI * (w / 0.65).min(1.0));
        let up = math::sin(PI * ((w - 0.5) / 0.5).max(0.0));
        self.pitch = effort * (TOES[0] * hang + TOES[1] * up);
    }

    fn fly(&mut self, ride: &Ride, height: f32, unit: f32, speed_unit: f32) {
        let mut at = match self.state {
            State::Air { at } => at,
            _ => Spring::at(self.at),
        };
        let v = (ride.velocity.y / speed_unit).clamp(-1.0, 1.0);
        // Rising it trails, at the top it is tucked, falling it reaches for the ground.
        let low = if v > 0.0 { 0.11 * v } else { -0.05 * v };
        let offset = Vec3::new(0.0, 0.06 - low, -0.13 * v - 0.02);
        at.step(self.rest + offset * height, AIR_OMEGA / unit, ride.dt);
        self.at = at.x;
        let ease = math::approach(12.0, ride.dt);
        self.yaw -= self.yaw * ease;
        self.pitch += (0.9 * v.max(-0.3) - self.pitch) * ease;
        self.state = State::Air { at };
    }
}

/// Share of a step after which a margin ran out: `before` was left, `after` is beyond.
fn crossing(before: f32, after: f32) -> f32 {
    let (before, after) = (before.max(0.0), after.max(0.0));
    if before + after > 0.0 { before / (before + after) } else { 0.0 }
}
