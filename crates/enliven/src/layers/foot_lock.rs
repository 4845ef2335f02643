//! Feet that stand where they stand.

use crate::{Affine, JointId, Layer, Moment, Pose, Region, Rig, Side, Spring, TwoBoneIk};
use glam::Vec3;

/// What counts as contact, and how a foot is let go. Lengths are parts of the rig's height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootLockParams {
    /// A foot that moves slower than this (heights a second) near the ground is held…
    pub catch_speed: f32,
    /// … and let go once the motion below moves it faster than this (heights a second).
    pub release_speed: f32,
    /// Near the ground: less than this above the rest height of its ankle (heights).
    pub near: f32,
    /// A held foot is let go once the motion below is this far from it (heights).
    pub stretch: f32,
    /// Speed at which a foot that was let go returns to its motion, rad/s.
    pub omega: f32,
}

impl Default for FootLockParams {
    fn default() -> Self {
        // A walk's stance foot drifts below 0.15 heights a second and swings at over 1.5; the
        // values between leave room for both.
        Self { catch_speed: 0.25, release_speed: 0.6, near: 0.035, stretch: 0.12, omega: 14.0 }
    }
}

/// Holds feet in place while they touch the ground: a foot that the motion below would let slide
/// stays where it came down, by two-bone IK, and eases back when it lifts.
///
/// Works in the host's world, so the root must move as the host means it to.
#[derive(Clone, Debug)]
pub struct FootLock {
    /// Thresholds.
    pub params: FootLockParams,
    feet: Vec<Foot>,
}

#[derive(Clone, Debug)]
struct Foot {
    ik: TwoBoneIk,
    /// Height of the ankle at rest in model space, metres.
    rest: f32,
    held: Option<Vec3>,
    before: Option<Vec3>,
    offset: Spring<Vec3>,
}

impl FootLock {
    /// For the feet of a rig: every [`Region::Foot`] that it has with a shin and a thigh above.
    pub fn new(rig: &Rig) -> Self {
        let ends = Side::BOTH
            .into_iter()
            .filter_map(|side| rig.regions.own_joints(Region::Foot(side)).first().map(|r| r.joint));
        Self::with_ends(rig, ends)
    }

    /// For limbs that end at these joints: their parents and grandparents bend.
    pub fn with_ends(rig: &Rig, ends: impl IntoIterator<Item = JointId>) -> Self {
        let model = rig.skeleton.rest_model();
        let feet = ends
            .into_iter()
            .filter_map(|end| {
                Some(Foot {
                    ik: TwoBoneIk::of_end(&rig.skeleton, end, Vec3::Z)?,
                    rest: model[end.index()].translation().y,
                    held: None,
                    before: None,
                    offset: Spring::at(Vec3::ZERO),
                })
            })
            .collect();
        Self { params: FootLockParams::default(), feet }
    }

    /// Which feet are held now, in the order of the limbs.
    pub fn held(&self) -> impl Iterator<Item = bool> + '_ {
        self.feet.iter().map(|f| f.held.is_some())
    }
}

impl Layer for FootLock {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        let root = Affine::from(&pose.root);
        let Some(back) = root.inverse() else { return };
        let p = self.params;
        // Lengths in the world: the root may scale the body.
        let height = rig.height * pose.root.scale.y.abs();
        for foot in &mut self.feet {
            let model = pose.model_of(&rig.skeleton, foot.ik.end).translation();
            let input = root.transform_point(model);
            if !input.is_finite() {
                continue;
            }
            let velocity = match foot.before {
                Some(before) if moment.dt > 0.0 => (input - before) / moment.dt,
                _ => Vec3::ZERO,
            };
            if moment.dt > 0.0 || foot.before.is_none() {
                foot.before = Some(input);
            }
            let speed = velocity.length();
            let low = model.y - foot.rest < p.near * rig.height && moment.motion.grounded;
            foot.held = match foot.held {
                Some(at)
                    if low
                        && speed < p.release_speed * height
                        && at.distance(input) < p.stretch * height =>
                {
                    Some(at)
                }
                None if low && speed < p.catch_speed * height && moment.dt > 0.0 => {
                    Some(input + foot.offset.x)
                }
                _ => None,
            };
            if let Some(at) = foot.held {
                foot.offset = Spring { x: at - input, v: -velocity };
            } else {
                foot.offset.step(Vec3::ZERO, p.omega, moment.dt);
            }
            if foot.offset.x.length() > 1e-6 * height {
                let target = back.transform_point(input + foot.offset.x);
                foot.ik.solve(pose, &rig.skeleton, target, 1.0);
            }
        }
    }

    fn reset(&mut self) {
        for foot in &mut self.feet {
            foot.held = None;
            foot.before = None;
            foot.offset = Spring::at(Vec3::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channels, Regions, Skeleton, Stack, Transform, math};

    /// One leg whose ankle swings along z by ±0.25 m and lifts on its way forward, on a root that
    /// moves at the host's speed.
    struct Walk {
        time: f32,
        /// Part of the stance speed that the legs do not make up for: what would slide.
        slip: f32,
    }

    const CYCLE: f32 = 1.0;
    const SPEED: f32 = 1.0;

    impl Layer for Walk {
        fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
            self.time += moment.dt;
            let phase = math::fract(self.time / CYCLE);
            pose.root.translation = Vec3::new(0.0, 0.0, SPEED * (1.0 + self.slip) * self.time);
            let (z, y) = if phase < 0.5 {
                (0.25 - SPEED * CYCLE * phase, 0.0)
            } else {
                let u = (phase - 0.5) * 2.0;
                (-0.25 + 0.5 * math::smoothstep(0.0, 1.0, u), 0.15 * math::sin(math::PI * u))
            };
            // A walk bends its knees: both ends of the stride are within reach.
            pose.set_translation(JointId(0), Vec3::new(0.0, 0.73, 0.0));
            let ik = TwoBoneIk::of_end(&rig.skeleton, JointId(2), Vec3::Z).expect("leg");
            ik.solve(pose, &rig.skeleton, Vec3::new(0.0, y, z), 1.0);
        }
    }

    fn rig() -> Rig {
        let mut s = Skeleton::new();
        let t = |y, z| Transform::from_translation(Vec3::new(0.0, y, z));
        let hip = s.push("hip", None, t(0.8, 0.0)).expect("hip");
        let knee = s.push("knee", Some(hip), t(-0.42, 0.05)).expect("knee");
        let foot = s.push("foot", Some(knee), t(-0.38, -0.05)).expect("foot");
        let regions = Regions::new(&s, &[(Region::Foot(Side::Left), &[(foot, 1.0)])]);
        Rig::new(s, Channels::new(), regions, 1.7)
    }

    /// Longest way that the ankle slides in one stance, and fastest step of it in a frame.
    fn slide(lock: bool) -> (f32, f32) {
        let rig = rig();
        let mut stack = Stack::new();
        stack.push(Walk { time: 0.0, slip: 0.15 });
        if lock {
            stack.push(FootLock::new(&rig));
        }
        let mut pose = Pose::rest(&rig);
        let (mut slid, mut fastest) = (0.0f32, 0.0f32);
        let mut stance: Option<Vec3> = None;
        let mut last: Option<Vec3> = None;
        for k in 0..600 {
            stack.apply(&Moment::step(1.0 / 120.0), &rig, &mut pose);
            let at = Affine::from(&pose.root)
                .transform_point(pose.model_of(&rig.skeleton, JointId(2)).translation());
            let phase = math::fract((k + 1) as f32 / 120.0 / CYCLE);
            if (0.08..0.42).contains(&phase) {
                slid = slid.max(stance.get_or_insert(at).distance(at));
            } else {
                stance = None;
            }
            fastest = last.map_or(fastest, |l| fastest.max(l.distance(at)));
            last = Some(at);
        }
        (slid, fastest)
    }

    #[test]
    fn a_held_foot_does_not_slide_and_lets_go_gently() {
        let (free, _) = slide(false);
        assert!(free > 0.04, "the motion slides by itself: {free}");
        let (held, fastest) = slide(true);
        assert!(held < 1e-3, "{held}");
        // The swing itself moves by 0.016 a frame.
        assert!(fastest < 0.03, "{fastest}");
    }
}
