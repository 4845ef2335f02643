//! Motion as a function of state: how a body that is carried along moves.

mod body;
mod ears;
mod feet;
mod gait;
mod legs;
mod limbs;
mod sway;

pub(super) use ears::turn as turn_ear;
pub use gait::Gait;

use crate::{Layer, Moment, Pose, Rig, Side, math};
use body::Trunk;
use ears::Ears;
use feet::{Feet, Ride};
use glam::Vec3;
use limbs::Limbs;

/// Longest inner step, seconds. Hops come four times a second and ears swing as fast: frames of
/// any length are cut into equal parts no longer than this, so that the path does not depend on
/// them.
const INNER_STEP: f32 = 1.0 / 240.0;

/// Accelerations beyond this, m/s², count as this much.
const MOST_ACCELERATION: f32 = 100.0;

/// Speeds beyond this many units (√(g·height)) count as this many.
const MOST_SPEED: f32 = 20.0;

/// Below this speed in √(g·height) it stands.
const STANDING: f32 = 0.002;

/// Top rate of turn, rad/s: where a bank reaches its cap (source, B3).
pub(super) const TOP_TURN: f32 = 3.2;

/// Moves any body by how it is carried: it hops along, banks, leans, looks into the curve, lets
/// ears, paws and tail swing after it, squashes on landing and stretches in the air.
///
/// It reads nothing but [`Moment::motion`] and the heading of `pose.root`, so motion and picture
/// cannot disagree. The phase of the hop follows the distance travelled, and a foot on the ground
/// moves exactly against the body: feet never slide. Regions say what to move: a body that lacks
/// ears or feet does without; one without any region hops as a whole. Legs with knees
/// ([`Leg`](crate::Region::Leg), [`Shin`](crate::Region::Shin) and
/// [`Foot`](crate::Region::Foot) in a chain) bend where a body of parts is squashed.
///
/// Use it as a base layer or above one that stands (breathing, a weight shift).
#[derive(Clone, Debug)]
pub struct Locomotion {
    gait: Gait,
    /// Stride phase, hops; whole numbers are the middle of a contact.
    phase: f64,
    last: Option<State>,
    /// Of the inner step before this one.
    grounded: bool,
    /// Last vertical speed in the air, m/s.
    fall: f32,
    feet: Feet,
    trunk: Trunk,
    ears: Ears,
    limbs: Limbs,
}

/// The carrier's motion in the body's own axes: x to its left, y up, z ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    velocity: Vec3,
    acceleration: Vec3,
    turn_rate: f32,
    grounded: bool,
}

impl State {
    fn read(moment: &Moment, pose: &Pose, gait: &Gait) -> Self {
        let back = pose.root.rotation.conjugate();
        let clean = |v: Vec3, most: f32| {
            let v = back * v;
            if v.is_finite() { v.clamp_length_max(most) } else { Vec3::ZERO }
        };
        let m = &moment.motion;
        let turn_rate = if m.turn_rate.is_finite() { m.turn_rate.clamp(-30.0, 30.0) } else { 0.0 };
        Self {
            velocity: clean(m.velocity, MOST_SPEED * gait.speed_unit()),
            acceleration: clean(m.acceleration, MOST_ACCELERATION),
            turn_rate,
            grounded: m.grounded,
        }
    }

    /// Part `t` of the way to the next moment, `dt` seconds away. Whether it is on the ground
    /// holds until then; where that changes, the vertical speed does not follow the change but
    /// goes on as it was.
    fn toward(&self, to: &Self, t: f32, dt: f32) -> Self {
        // A cubic with the accelerations at both ends. They are those of the world: in the body's
        // axes, which turn, the velocity changes by what is left.
        let slope = |s: &Self| (s.acceleration - Vec3::Y.cross(s.velocity) * s.turn_rate) * dt;
        let (t2, t3) = (t * t, t * t * t);
        let mut velocity = self.velocity.lerp(to.velocity, 3.0 * t2 - 2.0 * t3)
            + slope(self) * (t3 - 2.0 * t2 + t)
            + slope(to) * (t3 - t2);
        if self.grounded != to.grounded {
            velocity.y = self.velocity.y + self.acceleration.y * t * dt;
        }
        Self {
            velocity,
            acceleration: self.acceleration.lerp(to.acceleration, t),
            turn_rate: math::lerp(self.turn_rate, to.turn_rate, t),
            grounded: self.grounded,
        }
    }
}

/// One inner step as the parts of the body see it; everything without a unit is a plain ratio.
#[derive(Clone, Copy, Debug)]
struct Beat {
    dt: f32,
    /// Hop phase in [−½, ½]: 0 in the middle of a contact.
    hop: f32,
    /// How much of a full hop there is, in [0, 1).
    effort: f32,
    /// Height of the hop, metres.
    height: f32,
    /// Forward speed in √(g·height).
    ahead: f32,
    /// Forward acceleration in g.
    push: f32,
    /// Vertical speed in √(g·height).
    rise: f32,
    /// Turn rate in parts of the top one, in [−1, 1], faded out at rest.
    turn: f32,
    grounded: bool,
    /// Vertical speed at which it came down within this step, in √(g·height), positive.
    landed: f32,
}

impl Locomotion {
    /// For bodies of that rig, standing.
    pub fn new(rig: &Rig) -> Self {
        let gait = Gait::new(rig.height);
        let unit = gait.time_unit();
        let feet = Feet::new(rig);
        let trunk = Trunk::new(rig, unit, feet.knees());
        Self {
            gait,
            phase: 0.0,
            last: None,
            grounded: true,
            fall: 0.0,
            feet,
            trunk,
            ears: Ears::new(rig, unit),
            limbs: Limbs::new(rig, unit),
        }
    }

    /// How hops follow from speed.
    pub fn gait(&self) -> &Gait {
        &self.gait
    }

    /// Hops so far; whole numbers are the middle of a contact.
    pub fn phase(&self) -> f64 {
        self.phase
    }

    /// Whether that foot is on the ground and stands still in the world. False for feet that the
    /// body lacks.
    pub fn stands(&self, side: Side) -> bool {
        self.feet.stands(side)
    }

    /// How far the body leans into the turn, rad; positive to its left.
    pub fn bank(&self) -> f32 {
        self.trunk.bank()
    }

    fn inner(&mut self, before: &State, now: &State, dt: f32) {
        let mid = before.toward(now, 0.5, dt);
        let flat = |s: &State| (s.velocity.x * s.velocity.x + s.velocity.z * s.velocity.z).sqrt();
        let pace = |s: &State| self.gait.pace(flat(s), s.turn_rate);
        let (p0, p1) = (pace(before), pace(now));
        let mut landed = 0.0;
        let mut was = self.phase;
        let grounded = before.grounded;
        if grounded {
            if !self.grounded {
                // It comes down at the start of a contact.
                let duty = f64::from(self.gait.duty(p0));
                self.phase = libm::ceil(self.phase) - 0.5 * duty;
                was = self.phase;
                landed = (-self.fall / self.gait.speed_unit()).max(0.0);
            }
            let rate = 0.5 * (self.gait.rate(p0) + self.gait.rate(p1));
            self.phase += f64::from(rate * dt);
            if p1 < STANDING * self.gait.speed_unit() {
                // Whoever stands sets off from the middle of a contact.
                self.phase = libm::floor(self.phase + 0.5);
            }
        } else {
            self.fall = now.velocity.y;
        }
        self.grounded = grounded;
        let wrap = |p: f64| (p - libm::floor(p)) as f32;
        let duty = [self.gait.duty(p0), self.gait.duty(p1)];
        self.feet.step(
            &self.gait,
            &Ride {
                dt,
                velocity: mid.velocity,
                turn_rate: mid.turn_rate,
                pace: p1,
                grounded,
                phase: [wrap(was), wrap(self.phase)],
                duty,
            },
        );
        let unit = self.gait.speed_unit();
        // Whoever stands has nothing to lean against.
        let going = math::smoothstep(0.0, 0.25, flat(now) / unit);
        let beat = Beat {
            dt,
            hop: Gait::hop_phase(duty[1], wrap(self.phase)),
            effort: self.gait.effort(p1),
            height: self.gait.hop(p1),
            ahead: now.velocity.z / unit,
            push: now.acceleration.z / 9.806_65,
            rise: now.velocity.y / unit,
            turn: (now.turn_rate / TOP_TURN).clamp(-1.0, 1.0) * going,
            grounded,
            landed,
        };
        self.trunk.step(&beat);
        self.ears.step(&beat);
        self.limbs.step(&beat);
    }
}

impl Layer for Locomotion {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        let now = State::read(moment, pose, &self.gait);
        let before = self.last.replace(now).unwrap_or_else(|| {
            self.grounded = now.grounded;
            now
        });
        if moment.dt > 0.0 {
            // A frame a rounding error longer than so many steps is not one step more.
            let steps = libm::ceilf(moment.dt / INNER_STEP - 1e-3).clamp(1.0, 1000.0);
            let dt = moment.dt / steps;
            let mut from = before;
            for i in 1..=steps as u32 {
                let to = before.toward(&now, i as f32 / steps, moment.dt);
                self.inner(&from, &to, dt);
                from = to;
            }
        }
        self.trunk.write(rig, pose);
        self.ears.write(rig, pose);
        self.limbs.write(rig, pose);
        self.feet.write(rig, pose);
    }

    fn reset(&mut self) {
        self.phase = 0.0;
        self.last = None;
        self.feet.reset();
        self.trunk.reset();
        self.ears.reset();
        self.limbs.reset();
    }
}
