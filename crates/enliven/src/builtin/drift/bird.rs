//! A bird on a post, whose wings are folded panels on hinges (A18).

use super::kit::{self, Look};
use crate::builtin::shapes::{self, Shape};
use crate::{Character, Hinge, JointId, Pose, Side, Spring, math};
use glam::{Quat, Vec3};

/// Where a wing is hinged on the left, metres.
const SHOULDER: Vec3 = Vec3::new(0.066, 0.2, 0.05);
/// Length of a wing.
const WING: f32 = 0.3;
/// How far a folded wing leans out of the flank, rad.
const FLARE: f32 = 0.1;
/// Range in which the hinge's angle is searched, rad: 100° to 120°.
const SPREAD: [f32; 2] = [100.0 * math::PI / 180.0, 120.0 * math::PI / 180.0];
/// Distance at which it spreads its wings, metres, and at which it has calmed down again.
const NEAR: f32 = 4.2;
const FAR: f32 = 6.0;
/// Beats a second while they are spread, and their height, of the spread.
const BEAT: f32 = 2.6;
const HEIGHT: f32 = 0.2;

/// The bird's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Bird {
    hinges: [Hinge; 2],
    rest: [Quat; 2],
    joints: [JointId; 2],
    head: JointId,
    spread: Spring<f32>,
    look: Spring<Vec3>,
    beat: f32,
    awake: bool,
}

/// Its body, about 0.3 m tall, sitting at the origin and facing +Z.
pub(super) fn body() -> (Character, Bird) {
    let mut kit = kit::Kit::new("bird", 0.34);
    let root = kit.joint("bird", None, Vec3::ZERO, Quat::IDENTITY);
    let (back, breast) = (Vec3::new(0.02, 0.13, 0.24), Vec3::new(0.62, 0.22, 0.05));
    let torso = shapes::egg(Vec3::new(0.078, 0.105, 0.088), 0.2, 14)
        .turned(math::rotation(Vec3::X, 0.25))
        .at(Vec3::new(0.0, 0.15, 0.0))
        .painted(move |p, n| back.lerp(breast, math::smoothstep(-0.1, 0.55, n.z - 0.5 * p.y)));
    let tail = shapes::ellipsoid(Vec3::new(0.036, 0.012, 0.1), 10)
        .turned(math::rotation(Vec3::X, -0.55))
        .at(Vec3::new(0.0, 0.075, -0.12))
        .colored(back * 0.7);
    let foot = |x: f32| {
        shapes::capsule(0.008, 0.006, 0.06, 6)
            .at(Vec3::new(x, 0.0, 0.02))
            .colored(Vec3::new(0.4, 0.12, 0.03))
    };
    kit.part("body", root, Look::Matte, torso.with(tail).with(foot(0.03)).with(foot(-0.03)));
    let head = kit.joint("head", Some(root), Vec3::new(0.0, 0.25, 0.03), Quat::IDENTITY);
    let skull = shapes::sphere(0.064, 14).at(Vec3::new(0.0, 0.025, 0.005)).painted(move |p, n| {
        let cheek = math::smoothstep(0.2, 0.7, n.z) * math::smoothstep(0.03, 0.0, p.y);
        back.lerp(Vec3::splat(0.75), cheek)
    });
    let crest = shapes::ellipsoid(Vec3::new(0.014, 0.02, 0.045), 8)
        .turned(math::rotation(Vec3::X, 0.5))
        .at(Vec3::new(0.0, 0.07, -0.045))
        .colored(back * 0.8);
    let beak = shapes::capsule(0.017, 0.004, 0.1, 8)
        .turned(math::rotation(Vec3::X, 0.5 * math::PI + 0.12))
        .at(Vec3::new(0.0, 0.02, 0.055))
        .colored(Vec3::new(0.05, 0.035, 0.03));
    let mut face = skull.with(crest).with(beak);
    for side in Side::BOTH {
        let at = Vec3::new(0.045 * side.sign(), 0.04, 0.042);
        face = face.with(shapes::sphere(0.012, 8).at(at).colored(Vec3::splat(0.008)));
        let glint = at + Vec3::new(0.004 * side.sign(), 0.006, 0.01);
        face = face.with(shapes::sphere(0.0035, 6).at(glint).colored(Vec3::splat(0.9)));
    }
    kit.part("head", head, Look::Matte, face);
    let mut joints = [root; 2];
    let mut rest = [Quat::IDENTITY; 2];
    for side in Side::BOTH {
        let out = side.sign();
        let turn = math::rotation(Vec3::Y, -FLARE * out) * math::rotation(Vec3::X, -0.3);
        let at = SHOULDER * Vec3::new(out, 1.0, 1.0);
        let name = if side == Side::Left { "wing.L" } else { "wing.R" };
        let joint = kit.joint(name, Some(root), at, turn);
        kit.part(name, joint, Look::Matte, wing(out, back));
        (joints[side as usize], rest[side as usize]) = (joint, turn);
    }
    let hinges = Side::BOTH.map(|s| hinge(s, rest[s as usize]));
    let bird = Bird {
        hinges,
        rest,
        joints,
        head,
        spread: Spring::at(0.0),
        look: Spring::at(Vec3::ZERO),
        beat: 0.0,
        awake: false,
    };
    (kit.finish(), bird)
}

/// A wing in its joint's space: folded it points back along −Z, its upper face looks outward.
fn wing(out: f32, color: Vec3) -> Shape {
    let edge = Vec3::new(0.05, 0.3, 0.42);
    let arm = shapes::ellipsoid(Vec3::new(0.011, 0.062, 0.5 * WING), 14).at(Vec3::new(
        0.004 * out,
        -0.03,
        -0.44 * WING,
    ));
    let mut panel = arm;
    // Feathers fan out below and behind.
    for k in 0..5 {
        let t = k as f32 / 4.0;
        let feather = shapes::ellipsoid(Vec3::new(0.007, 0.024, 0.075), 8)
            .turned(math::rotation(Vec3::X, -0.25 - 0.75 * (1.0 - t)))
            .at(Vec3::new(0.001 * out, -0.072 + 0.02 * t, -WING * (0.28 + 0.62 * t)));
        panel = panel.with(feather);
    }
    panel.painted(move |p, _| {
        let bar = math::smoothstep(-0.055, -0.075, p.y);
        color.lerp(edge, math::smoothstep(0.0, -WING, p.z) * 0.7).lerp(color * 0.45, bar)
    })
}

/// The hinge of a wing: it shall point outward and a little up, its upper face up.
fn hinge(side: Side, rest: Quat) -> Hinge {
    let out = side.sign();
    let spread = [Vec3::new(out, 0.18, -0.12), Vec3::new(-0.18 * out, 1.0, 0.1)];
    Hinge::search(rest, [Vec3::NEG_Z, Vec3::X * out], spread, SPREAD)
}

impl Bird {
    /// Moves on by `h` seconds; `seen` is where the carrier is, in the bird's own axes.
    pub(super) fn step(&mut self, h: f32, seen: Vec3) {
        let flat = (seen.x * seen.x + seen.z * seen.z).sqrt();
        self.awake = flat < if self.awake { FAR } else { NEAR };
        self.spread.step_damped(if self.awake { 1.0 } else { 0.0 }, 6.5, 0.6, h);
        self.beat = math::fract(self.beat + BEAT * h);
        let yaw = math::atan2(seen.x, seen.z).clamp(-1.3, 1.3);
        let goal = if flat < 9.0 { Vec3::new(yaw, 0.05, 0.0) } else { Vec3::ZERO };
        self.look.step(goal, 6.0, h);
    }

    /// How far the wings are open: 0 folded, 1 spread.
    pub fn open(&self) -> f32 {
        let spread = self.spread.x.clamp(0.0, 1.15);
        let beat = 0.5 - 0.5 * math::cos(math::TAU * self.beat);
        spread - HEIGHT * spread * beat
    }

    /// The hinges of the left and right wing.
    pub fn hinges(&self) -> &[Hinge; 2] {
        &self.hinges
    }

    pub(super) fn write(&self, pose: &mut Pose) {
        for i in 0..2 {
            pose.set_rotation(self.joints[i], self.hinges[i].apply(self.rest[i], self.open()));
        }
        pose.set_rotation(self.head, math::yaw_pitch_roll(self.look.x.x, self.look.x.y, 0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Actor, VertexStage};
    use std::sync::Arc;

    #[test]
    fn folded_wings_lie_at_the_flanks_and_spread_ones_reach_out() {
        let (character, bird) = body();
        for h in bird.hinges() {
            assert!(h.error < 0.2, "{h:?}");
            assert!((SPREAD[0]..=SPREAD[1]).contains(&h.angle), "{h:?}");
        }
        let character = Arc::new(character);
        let wing = character.meshes.iter().position(|m| m.name == "wing.L").expect("a wing");
        let reach = |open: f32| {
            let mut actor = Actor::new(character.clone());
            actor.edit(|pose| {
                for i in 0..2 {
                    let q = bird.hinges[i].apply(bird.rest[i], open);
                    pose.set_rotation(bird.joints[i], q);
                }
            });
            let root = actor.pose().root;
            let stage = VertexStage::new(&character, wing, actor.palette(), &[], &root);
            let n = character.meshes[wing].geometry.vertex_count();
            (0..n).map(|v| stage.position(v)).fold(Vec3::MIN, Vec3::max)
        };
        assert!(reach(0.0).x < 0.12, "folded {}", reach(0.0));
        assert!(reach(1.0).x > 0.066 + 0.9 * WING, "spread {}", reach(1.0));
    }
}
