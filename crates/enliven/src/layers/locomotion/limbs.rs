//! Front paws that swing about the shoulder, and a tail.

use super::Beat;
use super::sway::Sway;
use crate::math::{self, TAU};
use crate::{Pose, Region, Rig, Side};
use glam::{Quat, Vec3};

/// Swing of a full hop, rad, before the spring makes it more.
const SWING: f32 = 0.55;
/// Held back at high speed, rad; half of it at 1 √(g·height).
const BACK: f32 = 0.25;
/// A paw that swings back goes outward by this part of it: past the belly, not through it.
const CLEAR: f32 = 1.3;
/// In a jump, for a vertical speed of √(g·height): back on the way up, forward and up on the way
/// down, rad.
const JUMP: f32 = 1.1;
/// The right paw follows the left by this much of a hop.
const LATE: f32 = 0.07;
/// Frequency (rad per unit of time) and damping of the arm, of the hand after it and of the tail.
const ARM: [f32; 2] = [4.2, 0.42];
const HAND: [f32; 2] = [3.6, 0.35];
const TAIL: [f32; 2] = [4.8, 0.3];
/// Tail: bob of a full hop and swing at the top rate of turn, rad.
const WAG: [f32; 2] = [0.4, 0.4];
/// Swing of an arm that holds something, of a free one's.
const HOLDING: f32 = 0.12;
/// Where an arm that rests sideways (a T-pose) hangs: outward, down, ahead.
const HANG: Vec3 = Vec3::new(0.22, -0.97, 0.08);

#[derive(Clone, Debug)]
pub(super) struct Limbs {
    arms: Vec<Arm>,
    tail: Option<[Sway; 2]>,
}

#[derive(Clone, Debug)]
struct Arm {
    side: Side,
    /// Brings an arm that rests sideways down to the body.
    hang: Quat,
    has_hand: bool,
    /// What is left of its swing: an arm that holds something keeps it upright.
    free: f32,
    swing: Sway,
    hand: Sway,
}

impl Limbs {
    pub(super) fn new(rig: &Rig, unit: f32) -> Self {
        let model = rig.skeleton.rest_model();
        let arm = |side: Side| {
            let joint = rig.regions.own_joints(Region::Arm(side)).first()?.joint;
            let hand = rig.regions.own_joints(Region::Hand(side)).first().map(|r| r.joint);
            let end = hand.or_else(|| rig.skeleton.children(Some(joint)).next());
            let at = |j: crate::JointId| model[j.index()].translation();
            let dir = end.and_then(|e| (at(e) - at(joint)).try_normalize());
            let hang = match dir {
                Some(d) if d.x.abs() > 0.7 => {
                    let down = Vec3::new(HANG.x * side.sign(), HANG.y, HANG.z).normalize();
                    Quat::from_rotation_arc(d, down)
                }
                _ => Quat::IDENTITY,
            };
            let props = rig.regions.own_joints(Region::Prop).iter();
            let holds = props.map(|p| p.joint).any(|p| rig.skeleton.is_ancestor(joint, p));
            let pace = (1.0 + 0.05 * side.sign()) / unit;
            Some(Arm {
                side,
                hang,
                has_hand: hand.is_some(),
                free: if holds { HOLDING } else { 1.0 },
                swing: Sway::new(ARM[0] * pace, ARM[1]),
                hand: Sway::new(HAND[0] * pace, HAND[1]),
            })
        };
        let sway = || Sway::new(TAIL[0] / unit, TAIL[1]);
        Self {
            arms: Side::BOTH.into_iter().filter_map(arm).collect(),
            tail: rig.regions.has(Region::Tail).then(|| [sway(), sway()]),
        }
    }

    pub(super) fn reset(&mut self) {
        for a in &mut self.arms {
            a.swing.reset();
            a.hand.reset();
        }
        self.tail.iter_mut().flatten().for_each(Sway::reset);
    }

    pub(super) fn step(&mut self, beat: &Beat) {
        let fast = beat.ahead.abs();
        let back = BACK * fast / (fast + 1.0);
        for a in &mut self.arms {
            let hop = beat.hop - if a.side == Side::Right { LATE } else { 0.0 };
            // Positive swings back: the paws drag behind the way up and reach for the landing.
            let target = if beat.grounded {
                back + SWING * beat.effort * math::sin(TAU * (hop - 0.04))
            } else {
                JUMP * beat.rise.clamp(-1.2, 0.8)
            };
            a.swing.step(target, beat.dt);
            a.hand.step(a.swing.x, beat.dt);
        }
        if let Some([bob, wag]) = &mut self.tail {
            let drag = if beat.grounded {
                beat.effort * math::sin(TAU * (beat.hop - 0.02))
            } else {
                beat.rise.clamp(-1.0, 1.0)
            };
            bob.step(-WAG[0] * drag, beat.dt);
            wag.step(WAG[1] * beat.turn, beat.dt);
        }
    }

    pub(super) fn write(&self, rig: &Rig, pose: &mut Pose) {
        for a in &self.arms {
            // About the shoulder: the joint is there, so the paw stays on its arm.
            let swing = a.swing.x * a.free;
            let clear = CLEAR * swing.max(0.0) * a.side.sign();
            let turn = math::rotation(Vec3::Z, clear) * math::rotation(Vec3::X, swing) * a.hang;
            rig.regions.rotate(pose, Region::Arm(a.side), turn);
            if a.has_hand {
                let flop = math::rotation(Vec3::X, (a.hand.x - a.swing.x) * 0.9 * a.free);
                // The hand's axes are those at rest; a hung arm has turned them.
                rig.regions.rotate(pose, Region::Hand(a.side), a.hang.conjugate() * flop * a.hang);
            }
        }
        if let Some([bob, wag]) = &self.tail {
            let turn = math::rotation(Vec3::Y, wag.x) * math::rotation(Vec3::X, bob.x);
            rig.regions.rotate(pose, Region::Tail, turn);
        }
    }
}
