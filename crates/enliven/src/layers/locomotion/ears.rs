//! Ears that lie back with speed and flap after the hops.

use super::Beat;
use super::sway::Sway;
use crate::math::{self, TAU};
use crate::{Pose, Region, RegionJoint, Rig, Side};
use glam::Vec3;

/// Lie back at high speed, rad; half of it at this many √(g·height).
const LAY: [f32; 2] = [1.5, 0.75];
/// Flap of a full hop, rad, before the spring makes it more.
const FLAP: f32 = 0.34;
/// In a jump, for a vertical speed of √(g·height): down on the way up, up on the way down, rad.
const DRAG: f32 = 0.6;
/// Outward and inward in a turn at the top rate, rad.
const SWING: f32 = 0.28;
/// Frequency (rad per unit of time) and damping of the base and of what lies beyond: a tip is
/// slower, so it follows through.
const BASE: [f32; 2] = [4.4, 0.34];
const TIP: [f32; 2] = [3.5, 0.27];
/// No two ears are alike: this much faster on the left, slower on the right.
const UNLIKE: f32 = 0.06;
/// A tip never bends further than this from its base by lagging, rad.
const MOST_BEND: f32 = 0.8;
/// A landing at √(g·height) throws them down by this, rad per unit of time.
const THROW: f32 = 2.2;

#[derive(Clone, Debug)]
pub(super) struct Ears {
    ears: Vec<Ear>,
    unit: f32,
}

#[derive(Clone, Debug)]
struct Ear {
    side: Side,
    /// From the base outward.
    joints: Vec<RegionJoint>,
    base: Sway,
    tip: Sway,
    roll: Sway,
}

impl Ears {
    pub(super) fn new(rig: &Rig, unit: f32) -> Self {
        let ear = |side: Side| {
            let joints = rig.regions.own_joints(Region::Ear(side)).to_vec();
            let pace = (1.0 + UNLIKE * side.sign()) / unit;
            (!joints.is_empty()).then(|| Ear {
                side,
                joints,
                base: Sway::new(BASE[0] * pace, BASE[1]),
                tip: Sway::new(TIP[0] * pace, TIP[1]),
                roll: Sway::new(3.2 * pace, 0.4),
            })
        };
        Self { ears: Side::BOTH.into_iter().filter_map(ear).collect(), unit }
    }

    pub(super) fn reset(&mut self) {
        for e in &mut self.ears {
            e.base.reset();
            e.tip.reset();
            e.roll.reset();
        }
    }

    pub(super) fn step(&mut self, beat: &Beat) {
        let fast = beat.ahead.abs();
        let lay = -LAY[0] * fast / (fast + LAY[1]);
        for e in &mut self.ears {
            // The right one hears of the hop a little later.
            let hop = beat.hop - if e.side == Side::Right { 0.035 } else { 0.0 };
            let flap = if beat.grounded {
                -FLAP * beat.effort * math::sin(TAU * hop)
            } else {
                -DRAG * beat.rise.clamp(-1.5, 1.5)
            };
            e.base.v += THROW * beat.landed.min(2.0) / self.unit;
            e.base.step(lay + flap, beat.dt);
            e.tip.step(e.base.x, beat.dt);
            e.roll.step(SWING * beat.turn, beat.dt);
        }
    }

    pub(super) fn write(&self, _: &Rig, pose: &mut Pose) {
        for e in &self.ears {
            let n = e.joints.len();
            // The joints beyond the base share what the tip lags behind by: 1, 2, … parts.
            let parts = (n * n.saturating_sub(1) / 2).max(1) as f32;
            let lag = e.tip.x - e.base.x;
            let bend = lag / (1.0 + lag.abs() / MOST_BEND);
            for (i, r) in e.joints.iter().enumerate() {
                let share = r.share;
                // Sideways an ear turns at its base alone: it bends only as a leaf does.
                let roll = if i == 0 { e.roll.x } else { 0.0 };
                let back = (e.base.x * share).clamp(-1.4, 0.9) + bend * (i as f32 / parts);
                r.rotate(pose, math::rotation(Vec3::Z, roll) * math::rotation(Vec3::X, back));
            }
        }
    }
}

/// Turns an ear on top of what the pose has: every joint takes its share of the pitch, the base
/// alone the yaw and the roll; rad. Nothing where the body has no such ear.
pub(in crate::layers) fn turn(
    rig: &Rig,
    pose: &mut Pose,
    side: Side,
    [yaw, pitch, roll]: [f32; 3],
) {
    for (i, r) in rig.regions.own_joints(Region::Ear(side)).iter().enumerate() {
        let base = if i == 0 { 1.0 } else { 0.0 };
        r.rotate(pose, math::yaw_pitch_roll(yaw * base, pitch * r.share, roll * base));
    }
}
