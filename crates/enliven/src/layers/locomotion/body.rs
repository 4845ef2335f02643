//! The trunk and the head: bounce, squash and stretch, bank, lean, and a head that stays level.

use super::Beat;
use super::gait::{TOUCH, bounce};
use super::sway::Sway;
use crate::math::{self, TAU};
use crate::{JointId, Pose, Region, Rig};
use glam::{Quat, Vec3};

/// Lean at the top rate of turn, rad (about 17°).
pub(super) const MOST_BANK: f32 = 0.3;
/// Flattest in the middle of a full hop's contact, longest on the way up and down: parts of the
/// height.
const SQUASH: f32 = 0.2;
const STRETCH: f32 = 0.13;
/// Knees give this part of the height on landing where a body without is squashed to nothing.
const CROUCH: f32 = 0.6;
/// Nose up on the way up, nose down on the way down, rad.
const ROCK: f32 = 0.17;
/// Forward lean at high speed, and of an acceleration of 1 g, rad.
const LEAN: [f32; 2] = [0.55, 0.35];
/// Part of the trunk's pitch and bank that the head takes back: the eyes stay level.
const LEVEL: [f32; 2] = [0.85, 0.6];
/// The head looks into the curve at the top rate of turn, rad.
const LOOK: f32 = 0.5;
/// Squash speed of a landing at √(g·height), parts of the height per unit of time.
const IMPACT: f32 = 2.0;
/// In a jump: stretch and pitch (nose up) at a vertical speed of √(g·height).
const JUMP: [f32; 2] = [0.16, 0.4];

#[derive(Clone, Debug)]
pub(super) struct Trunk {
    hips: Vec<Part>,
    head: Vec<Part>,
    has: Has,
    /// Height of the hips at rest, metres: what a lean and a squash about the ground move.
    hips_at: f32,
    /// Whether the legs bend.
    knees: bool,
    height: f32,
    /// √(height/g), s.
    unit: f32,
    bank: Sway,
    lean: Sway,
    impact: Sway,
    jump: Sway,
    /// The chest follows the pitch of the hips, the head the height of the body, late.
    chest: Sway,
    bob: Sway,
    nod: Sway,
    look: Sway,
    now: Shape,
}

#[derive(Clone, Copy, Debug)]
struct Has {
    chest: bool,
    head: bool,
}

/// A joint to scale, with its own axis closest to the body's up.
#[derive(Clone, Copy, Debug)]
struct Part {
    joint: JointId,
    up: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    rise: f32,
    tall: f32,
    pitch: f32,
    chest: f32,
    bob: f32,
}

impl Trunk {
    /// Springs in units of time `unit`; `knees` tells whether the legs bend.
    pub(super) fn new(rig: &Rig, unit: f32, knees: bool) -> Self {
        let model = rig.skeleton.rest_model();
        let part = |joint: JointId| {
            let m = model[joint.index()].linear();
            let rise = |i: usize| m.col(i).normalize_or_zero().y.abs();
            let up = (0..3).max_by(|&a, &b| rise(a).total_cmp(&rise(b))).unwrap_or(1);
            Part { joint, up }
        };
        let hips: Vec<Part> =
            rig.regions.joints(Region::Hips).iter().map(|r| part(r.joint)).collect();
        let head = rig.regions.own_joints(Region::Head).iter().map(|r| part(r.joint)).collect();
        let at = |p: &Part| model[p.joint.index()].translation().y;
        let hips_at = hips.first().map_or(0.0, at).clamp(0.0, rig.height);
        let sway = |omega: f32, zeta| Sway::new(omega / unit, zeta);
        Self {
            hips,
            head,
            has: Has { chest: rig.regions.has(Region::Chest), head: rig.regions.has(Region::Head) },
            hips_at,
            knees,
            height: rig.height,
            unit,
            bank: sway(3.0, 0.85),
            lean: sway(1.9, 0.5),
            impact: sway(4.6, 0.33),
            jump: sway(5.0, 1.0),
            chest: sway(4.2, 0.5),
            bob: sway(5.5, 0.5),
            nod: sway(4.4, 0.4),
            look: sway(3.4, 1.0),
            now: Shape { tall: 1.0, ..Shape::default() },
        }
    }

    pub(super) fn reset(&mut self) {
        for s in [
            &mut self.bank,
            &mut self.lean,
            &mut self.impact,
            &mut self.jump,
            &mut self.chest,
            &mut self.bob,
            &mut self.nod,
            &mut self.look,
        ] {
            s.reset();
        }
        self.now = Shape { tall: 1.0, ..Shape::default() };
    }

    pub(super) fn bank(&self) -> f32 {
        self.bank.x
    }

    pub(super) fn step(&mut self, beat: &Beat) {
        let dt = beat.dt;
        self.jump.step(if beat.grounded { 0.0 } else { 1.0 }, dt);
        let air = self.jump.x.clamp(0.0, 1.0);
        let ground = 1.0 - air;
        self.bank.step(beat.turn * MOST_BANK, dt);
        let fast = beat.ahead.max(0.0);
        let push = beat.push.clamp(-1.0, 1.0);
        let lean = LEAN[0] * fast / (fast + 1.0) - LEAN[0] * 0.3 * (-beat.ahead).clamp(0.0, 1.0);
        self.lean.step((lean + LEAN[1] * push) * ground, dt);
        self.look.step(beat.turn * LOOK, dt);
        self.impact.v -= IMPACT * beat.landed.min(2.0) / self.unit;
        self.impact.step(0.0, dt);

        let effort = beat.effort * ground;
        let hop = beat.hop;
        let near = 1.0 - math::smoothstep(0.0, 0.22, (hop - 0.015).abs());
        let flight = math::smoothstep(TOUCH, 0.28, hop.abs());
        let long = math::sin(TAU * hop).abs() * flight;
        let vertical = beat.rise.clamp(-1.5, 1.5);
        let squash = SQUASH * effort * near - self.impact.x.clamp(-0.3, 0.22);
        let stretch = STRETCH * effort * long + JUMP[0] * vertical.abs() * air;
        self.now.tall = (1.0 + stretch - squash).clamp(0.6, 1.35);
        // On knees the body is at its own height when the feet touch, and below it between.
        let touch = if self.knees { bounce(TOUCH) } else { 0.0 };
        let impact = if self.knees { self.impact.x * CROUCH * self.height } else { 0.0 };
        self.now.rise = beat.height * (bounce(hop) - touch) * ground + impact;
        let rock = -ROCK * effort * math::sin(TAU * (hop - 0.03));
        self.now.pitch = rock + self.lean.x - JUMP[1] * vertical * air * 0.8;

        self.chest.step(self.now.pitch, dt);
        self.now.chest = (self.chest.x - self.now.pitch) * 0.55;
        self.bob.step(self.now.rise, dt);
        let most = 0.035 * self.height;
        self.now.bob = ((self.bob.x - self.now.rise) * 0.3).clamp(-most, most);
        self.nod.step(effort * 0.1 * math::sin(TAU * hop), dt);
    }

    pub(super) fn write(&self, rig: &Rig, pose: &mut Pose) {
        let r = &rig.regions;
        let now = &self.now;
        // Lean to the left is a negative roll.
        let bank = math::rotation(Vec3::Z, -self.bank.x);
        let turn = bank * math::rotation(Vec3::X, now.pitch);
        // Knees bend, flesh keeps its shape.
        let tall = if self.knees { 1.0 } else { now.tall };
        // Squash and bank are about the ground below the hips.
        let foot = bank * Vec3::new(0.0, self.hips_at * tall, 0.0);
        let shift = foot - Vec3::new(0.0, self.hips_at - now.rise, 0.0);
        r.translate(pose, Region::Hips, shift);
        r.rotate(pose, Region::Hips, turn);
        squash(&self.hips, pose, tall);
        if self.has.chest {
            r.rotate(pose, Region::Chest, math::rotation(Vec3::X, now.chest));
        }
        if self.has.head {
            let pitch = -LEVEL[0] * (now.pitch + now.chest) - self.nod.x;
            let roll = LEVEL[1] * self.bank.x;
            let level: Quat = math::yaw_pitch_roll(self.look.x, pitch, roll);
            r.rotate(pose, Region::Head, level);
            r.translate(pose, Region::Head, Vec3::new(0.0, now.bob, 0.0));
            // A face keeps more of its shape than a belly.
            squash(&self.head, pose, math::lerp(1.0, 1.0 / tall, 0.6));
        }
    }
}

/// Scales along the body's up by `tall` and across it so that the volume is kept.
fn squash(parts: &[Part], pose: &mut Pose, tall: f32) {
    let mut by = Vec3::splat(1.0 / tall.sqrt());
    for p in parts {
        let across = by.x;
        by[p.up] = tall;
        pose.set_scale(p.joint, pose.scale(p.joint) * by);
        by = Vec3::splat(across);
    }
}
