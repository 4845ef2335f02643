//! Springs swing the same at any frame rate, and what is no motion swings nothing (D1).

use enliven::glam::Vec3;
use enliven::person::{SpringBones, SpringChain, SpringJoint, SpringSet};
use enliven::{
    Affine, Channels, JointId, Layer, Moment, Pose, Regions, Rig, Rng, Skeleton, Transform,
};

/// A bone of 10 cm that hangs at a person's head.
struct Hair {
    rig: Rig,
    springs: SpringBones,
    bone: JointId,
    tip: JointId,
    at: Vec3,
}

impl Hair {
    fn new(stiffness: f32, drag: f32) -> Self {
        let mut s = Skeleton::new();
        let mut add = |name: &str, up: Option<JointId>, y: f32| {
            s.push(name, up, Transform::from_translation(Vec3::new(0.0, y, 0.0))).expect("in order")
        };
        let head = add("head", None, 1.4);
        let bone = add("hair", Some(head), 0.1);
        let tip = add("tip", Some(bone), -0.1);
        let regions = Regions::new(&s, &[]);
        let rig = Rig::new(s, Channels::new(), regions, 1.6);
        let joint = SpringJoint { stiffness, drag, ..SpringJoint::new(bone, Some(tip)) };
        let chain = SpringChain {
            name: String::new(),
            joints: vec![joint],
            colliders: Vec::new(),
            center: None,
        };
        let springs =
            SpringBones::new(&rig, &SpringSet { colliders: Vec::new(), chains: vec![chain] });
        Self { rig, springs, bone, tip, at: Vec3::ZERO }
    }

    /// One frame; returns how far the bone hangs to the side, degrees.
    fn step(&mut self, dt: f32) -> f32 {
        let mut pose = Pose::rest(&self.rig);
        pose.root.translation = self.at;
        self.springs.apply(&Moment::step(dt), &self.rig, &mut pose);
        let mut model = vec![Affine::IDENTITY; self.rig.skeleton.len()];
        pose.to_model(&self.rig.skeleton, &mut model);
        let along = model[self.tip.index()].translation() - model[self.bone.index()].translation();
        along.x.atan2(-along.y).to_degrees()
    }
}

/// The stiffness and drag that VRM gives where a file says nothing.
const USUAL: (f32, f32) = (1.0, 0.5);
/// Swings for a second and more.
const SOFT: (f32, f32) = (0.2, 0.1);

/// Degrees at every tenth of a second while the head goes where `path` (metres by seconds) has it;
/// `frame` gives the length of each frame, cut where a tenth ends.
fn swing(
    (stiffness, drag): (f32, f32),
    path: fn(f32) -> f32,
    mut frame: impl FnMut() -> f32,
) -> Vec<f32> {
    const TENTH: f32 = 0.1;
    let mut hair = Hair::new(stiffness, drag);
    for _ in 0..60 {
        hair.step(1.0 / 60.0);
    }
    (0..12)
        .map(|tenth| {
            let (mut done, mut angle) = (0.0, 0.0);
            while TENTH - done > 1e-5 {
                let dt = frame().min(TENTH - done);
                done += dt;
                hair.at.x = path(tenth as f32 * TENTH + done);
                angle = hair.step(dt);
            }
            angle
        })
        .collect()
}

/// The largest angle at any tenth at 60 frames a second, and how far other rates are from it at
/// each.
fn spread(spring: (f32, f32), path: fn(f32) -> f32) -> (f32, Vec<f32>) {
    let want = swing(spring, path, || 1.0 / 60.0);
    let mut rng = Rng::new(3, 0);
    let others = [
        swing(spring, path, || 1.0 / 30.0),
        swing(spring, path, || 1.0 / 144.0),
        swing(spring, path, || rng.range(1.0 / 144.0, 1.0 / 30.0)),
    ];
    let apart = (0..want.len())
        .map(|i| others.iter().map(|got| (want[i] - got[i]).abs()).fold(0.0, f32::max))
        .collect();
    (want.iter().fold(0.0, |m: f32, a| m.max(a.abs())), apart)
}

#[test]
fn a_jump_swings_the_same_at_any_frame_rate() {
    let (most, apart) = spread(USUAL, |_| 0.05);
    assert!(most > 1.0, "it swings: {most}°");
    assert!(apart.iter().all(|a| *a < 1.0), "{apart:?}°");
}

/// The same 5 cm within a tenth of a second, on a bone that goes on swinging.
#[test]
fn a_push_swings_the_same_at_any_frame_rate() {
    let push = |t: f32| {
        let u = (t / 0.1).clamp(0.0, 1.0);
        0.05 * u * u * (3.0 - 2.0 * u)
    };
    let (most, apart) = spread(SOFT, push);
    assert!(most > 10.0, "it swings: {most}°");
    assert!(apart.iter().all(|a| *a < 0.2), "{apart:?}°");
}

#[test]
fn a_teleport_swings_nothing() {
    for rate in [30, 60, 144] {
        let mut hair = Hair::new(USUAL.0, USUAL.1);
        for _ in 0..rate {
            hair.step(1.0 / rate as f32);
        }
        hair.at = Vec3::new(10.0, 0.0, -4.0);
        for _ in 0..2 * rate {
            let angle = hair.step(1.0 / rate as f32);
            assert!(angle.abs() < 0.1, "{rate}: {angle}°");
        }
    }
}

#[test]
fn a_long_pause_whips_nothing() {
    let mut hair = Hair::new(USUAL.0, USUAL.1);
    for _ in 0..60 {
        hair.step(1.0 / 60.0);
    }
    // A hidden page: the body went on meanwhile.
    hair.at.x += 0.8;
    let mut most = hair.step(5.0).abs();
    for _ in 0..120 {
        most = most.max(hair.step(1.0 / 60.0).abs());
    }
    assert!(most < 60.0, "{most}°");
}
