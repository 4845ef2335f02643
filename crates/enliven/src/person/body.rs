//! A body measured for standing and talking: arms that come down, feet that stay.

use super::{HumanBone, Humanoid, arc};
use crate::{Pose, Region, Rig, Side, TwoBoneIk, math};
use glam::{Quat, Vec3};

/// How far a hanging arm stands off the body, rad, and how far it hangs forward.
const HANG_OUT: f32 = 0.2;
const HANG_FORWARD: f32 = 0.05;

/// Angles of one arm, rad, from hanging at the side with the palm to the thigh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ArmPose {
    /// Upper arm up to the front.
    pub(super) forward: f32,
    /// Upper arm up to the side.
    pub(super) out: f32,
    /// Upper arm about itself: forearm toward the middle.
    pub(super) twist: f32,
    /// Bend of the elbow.
    pub(super) elbow: f32,
    /// Forearm about itself: palm up.
    pub(super) palm: f32,
    /// Hand toward the palm.
    pub(super) wrist: f32,
    /// Fingers.
    pub(super) curl: f32,
}

impl ArmPose {
    pub(super) const COUNT: usize = 7;

    pub(super) fn to_array(self) -> [f32; Self::COUNT] {
        [self.forward, self.out, self.twist, self.elbow, self.palm, self.wrist, self.curl]
    }

    pub(super) fn from_array(v: [f32; Self::COUNT]) -> Self {
        let [forward, out, twist, elbow, palm, wrist, curl] = v;
        Self { forward, out, twist, elbow, palm, wrist, curl }
    }
}

#[derive(Clone, Copy, Debug)]
struct Arm {
    side: Side,
    /// Rest directions of upper arm and forearm, in the character's axes.
    upper: Vec3,
    fore: Vec3,
    /// From rest to hanging.
    lower: Quat,
    forearm: bool,
    hand: bool,
}

impl Arm {
    /// `None` for what is no free arm: missing, or a foreleg that stands on the ground.
    fn measure(rig: &Rig, side: Side) -> Option<Self> {
        let model = rig.skeleton.rest_model();
        let at = |region| {
            let own = rig.regions.own_joints(region).first()?;
            Some(model[own.joint.index()].translation())
        };
        let shoulder = at(Region::Arm(side))?;
        let elbow = at(Region::Forearm(side));
        let hand = at(Region::Hand(side));
        let outward = Vec3::new(side.sign(), 0.0, 0.0);
        let along = |a: Vec3, b: Option<Vec3>| b.and_then(|b| (b - a).try_normalize());
        // An arm of one piece hangs from its shoulder by what its mesh says; taken as straight out.
        let upper = along(shoulder, elbow.or(hand)).unwrap_or(outward);
        let fore = elbow.and_then(|e| along(e, hand)).unwrap_or(upper);
        let low = (elbow.or(hand).unwrap_or(shoulder)).min(hand.unwrap_or(shoulder));
        if low.y < 0.2 * rig.height && elbow.is_some() {
            return None;
        }
        let hang = Vec3::new(
            side.sign() * math::sin(HANG_OUT),
            -math::cos(HANG_OUT),
            math::sin(HANG_FORWARD),
        );
        // What hangs lower already stays.
        let hang = hang.normalize_or(Vec3::NEG_Y);
        let lower = if upper.y < hang.y { Quat::IDENTITY } else { arc(upper, hang) };
        Some(Self { side, upper, fore, lower, forearm: elbow.is_some(), hand: hand.is_some() })
    }

    fn pose(&self, rig: &Rig, pose: &mut Pose, a: &ArmPose) {
        let s = self.side.sign();
        let turn = |axis: Vec3, angle: f32| math::rotation(axis, angle);
        let swing = turn(Vec3::Z, s * a.out) * turn(Vec3::X, -a.forward);
        let upper = swing * self.lower * turn(self.upper, s * a.twist);
        rig.regions.rotate(pose, Region::Arm(self.side), upper);
        // What follows is given for an arm that hangs, and needed at rest.
        let hanging = |q: Quat| self.lower.conjugate() * q * self.lower;
        if self.forearm {
            let bend = hanging(turn(Vec3::X, -a.elbow)) * turn(self.fore, -s * a.palm);
            rig.regions.rotate(pose, Region::Forearm(self.side), bend);
        }
        if self.hand {
            let axis = hanging_axis(self.upper, s);
            rig.regions.rotate(pose, Region::Hand(self.side), turn(axis, a.wrist));
        }
    }
}

/// The axis about which wrist and fingers of an arm with its palm down close, at rest.
fn hanging_axis(upper: Vec3, s: f32) -> Vec3 {
    arc(Vec3::new(s, 0.0, 0.0), upper) * Vec3::new(0.0, 0.0, -s)
}

#[derive(Clone, Copy, Debug)]
struct Leg {
    ik: TwoBoneIk,
    /// Metres at rest.
    long: f32,
}

/// One finger's joint.
#[derive(Clone, Copy, Debug)]
struct Finger {
    bone: HumanBone,
    side: Side,
    axis: Vec3,
    /// 0 thumb … 4 little finger.
    which: u8,
}

/// What a body can do while it stands and talks.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Stands upright on two legs.
    pub(super) upright: bool,
    arms: [Option<Arm>; 2],
    legs: [Option<Leg>; 2],
    humanoid: Humanoid,
    fingers: Vec<Finger>,
}

/// Places and rotations of the feet before the hips moved.
pub(super) type Feet = [Option<(Vec3, Quat)>; 2];

impl Body {
    pub(super) fn new(rig: &Rig, humanoid: Option<&Humanoid>) -> Self {
        let model = rig.skeleton.rest_model();
        let own = |region| rig.regions.own_joints(region);
        let at = |region| {
            let joint = own(region).last()?.joint;
            Some(model[joint.index()].translation())
        };
        let upright = match (at(Region::Hips), at(Region::Head)) {
            (Some(hips), Some(head)) => {
                let up = head - hips;
                up.y > Vec3::new(up.x, 0.0, up.z).length()
            }
            _ => false,
        };
        let arms = Side::BOTH.map(|s| if upright { Arm::measure(rig, s) } else { None });
        let legs = Side::BOTH.map(|s| {
            let joint = |region| own(region).first().map(|r| r.joint);
            let (start, mid, end) =
                (joint(Region::Leg(s))?, joint(Region::Shin(s))?, joint(Region::Foot(s))?);
            let chain = |a, b| a != b && rig.skeleton.is_ancestor(a, b);
            let fits = upright && chain(start, mid) && chain(mid, end);
            let at = |j: crate::JointId| model[j.index()].translation();
            let long = at(start).distance(at(mid)) + at(mid).distance(at(end));
            fits.then_some(Leg { ik: TwoBoneIk { start, mid, end, pole: Vec3::Z }, long })
        });
        let humanoid = humanoid.cloned().unwrap_or_default();
        let mut fingers = Vec::new();
        for (i, side) in Side::BOTH.into_iter().enumerate() {
            let Some(arm) = &arms[i] else { continue };
            let first = if side == Side::Left {
                HumanBone::LeftThumbMetacarpal
            } else {
                HumanBone::RightThumbMetacarpal
            };
            for k in 0..15u8 {
                let bone = HumanBone::ALL[first.index() + usize::from(k)];
                if !humanoid.has(bone) {
                    continue;
                }
                // A thumb closes across the palm, about the hand's upright axis.
                let close = hanging_axis(arm.upper, side.sign());
                let axis = if k < 3 {
                    let across = Vec3::new(0.0, side.sign(), 0.0);
                    (arc(Vec3::new(side.sign(), 0.0, 0.0), arm.upper) * across + close * 0.5)
                        .normalize_or(close)
                } else {
                    close
                };
                fingers.push(Finger { bone, side, axis, which: k / 3 });
            }
        }
        Self { upright, arms, legs, humanoid, fingers }
    }

    pub(super) fn has_arms(&self) -> bool {
        self.arms.iter().any(Option::is_some)
    }

    /// Poses both arms and hands; `spread` are small additions to the curl of the five fingers.
    pub(super) fn arms(&self, rig: &Rig, pose: &mut Pose, arms: &[ArmPose; 2], spread: &[f32; 5]) {
        for (arm, a) in self.arms.iter().zip(arms) {
            if let Some(arm) = arm {
                arm.pose(rig, pose, a);
            }
        }
        for f in &self.fingers {
            let curl = arms[f.side as usize].curl + spread[usize::from(f.which)];
            // The thumb closes less; the little finger leads.
            let part = [0.35, 0.85, 0.95, 1.05, 1.15][usize::from(f.which)];
            self.humanoid.turn(pose, f.bone, math::rotation(f.axis, curl * part));
        }
    }

    /// Length of the longer leg at rest, metres.
    pub(super) fn legs_long(&self) -> Option<f32> {
        self.legs.iter().flatten().map(|l| l.long).reduce(f32::max)
    }

    /// Where the feet stand: from where the pose has them turned out by `toes` rad, apart by twice
    /// `apart` and the left one ahead of the right one by twice `ahead`, metres.
    pub(super) fn stand(&self, rig: &Rig, pose: &Pose, toes: f32, apart: f32, ahead: f32) -> Feet {
        [0, 1].map(|i| {
            let leg = self.legs[i].as_ref()?;
            let s = if i == 0 { 1.0 } else { -1.0 };
            let t = pose.model_of(&rig.skeleton, leg.ik.end).to_transform();
            let by = Vec3::new(s * apart, 0.0, s * ahead);
            Some((t.translation + by, math::rotation(Vec3::Y, s * toes) * t.rotation))
        })
    }

    /// Puts the feet where they stand; the knees bend as they must, and point where the `toes` do.
    pub(super) fn plant(&self, rig: &Rig, pose: &mut Pose, feet: &Feet, toes: f32) {
        for ((leg, foot), side) in self.legs.iter().zip(feet).zip(Side::BOTH) {
            let (Some(leg), Some((at, rotation))) = (leg, foot) else { continue };
            let out = math::rotation(Vec3::Y, 0.7 * side.sign() * toes);
            rig.regions.rotate(pose, Region::Leg(side), out);
            leg.ik.solve(pose, &rig.skeleton, *at, 1.0);
            let above = rig.skeleton.parent(leg.ik.end).map_or(Quat::IDENTITY, |p| {
                pose.model_of(&rig.skeleton, p).to_transform().rotation
            });
            let local = math::normalize_or_identity(above.conjugate() * *rotation);
            pose.set_rotation(leg.ik.end, local);
        }
    }
}
