//! Layers, masks and modes on a small rig.
#![allow(clippy::unwrap_used)] // A test may panic.

use enliven::glam::{Quat, Vec3};
use enliven::*;

/// hips → spine → head, hips → leg; one channel.
fn rig() -> Rig {
    let mut s = Skeleton::new();
    let up = |y| Transform::from_translation(Vec3::new(0.0, y, 0.0));
    let hips = s.push("hips", None, up(1.0)).unwrap();
    let spine = s.push("spine", Some(hips), up(0.3)).unwrap();
    let head = s.push("head", Some(spine), up(0.4)).unwrap();
    let leg = s.push("leg", Some(hips), up(-0.1)).unwrap();
    let mut channels = Channels::new();
    channels.push(Channel::new("smile", ChannelKind::Morph).with_default(0.25));
    let regions = Regions::new(
        &s,
        &[
            (Region::Hips, &[(hips, 1.0)]),
            (Region::Spine, &[(spine, 1.0)]),
            (Region::Head, &[(head, 1.0)]),
            (Region::Leg(Side::Left), &[(leg, 1.0)]),
        ],
    );
    Rig::new(s, channels, regions, 1.8)
}

const HEAD: JointId = JointId(2);
const LEG: JointId = JointId(3);
const SMILE: ChannelId = ChannelId(0);

/// Turns every joint by `angle` about +Y and sets the channel.
struct Turn {
    angle: f32,
    channel: f32,
    calls: u32,
}

impl Turn {
    fn by(angle: f32, channel: f32) -> Self {
        Self { angle, channel, calls: 0 }
    }
}

impl Layer for Turn {
    fn apply(&mut self, _: &Moment, rig: &Rig, pose: &mut Pose) {
        self.calls += 1;
        for j in rig.skeleton.joints() {
            pose.set_rotation(j, math::rotation(Vec3::Y, self.angle) * pose.rotation(j));
        }
        pose.set_channel(SMILE, self.channel);
    }

    fn reset(&mut self) {
        self.calls = 0;
    }
}

fn yaw(q: Quat) -> f32 {
    2.0 * math::atan2(q.y, q.w)
}

fn now() -> Moment {
    Moment::step(1.0 / 60.0)
}

#[test]
fn an_empty_stack_is_the_rest_pose_and_keeps_the_root() {
    let rig = rig();
    let mut pose = Pose::rest(&rig);
    pose.root.translation = Vec3::X;
    pose.set_rotation(HEAD, math::rotation(Vec3::Y, 1.0));
    Stack::new().apply(&now(), &rig, &mut pose);
    let mut want = Pose::rest(&rig);
    want.root.translation = Vec3::X;
    assert_eq!(pose, want);
}

#[test]
fn weight_zero_changes_no_bit_but_the_layer_runs() {
    let rig = rig();
    for mode in [Mode::Replace, Mode::Add] {
        let mut stack = Stack::new();
        stack.push(Turn::by(0.3, 0.5));
        let id = stack.push(Turn::by(1.0, 0.9));
        let mut pose = Pose::rest(&rig);
        stack.set_weight(id, 0.0);
        stack.set_mode(id, mode);
        stack.apply(&now(), &rig, &mut pose);
        let mut below = Pose::rest(&rig);
        Turn::by(0.3, 0.5).apply(&now(), &rig, &mut below);
        assert_eq!(pose.digest(0), below.digest(0), "{mode:?}");
        assert_eq!(stack.get::<Turn>(id).unwrap().calls, 1);
        stack.reset();
        assert_eq!(stack.get::<Turn>(id).unwrap().calls, 0);
    }
}

#[test]
fn replace_blends_by_weight_and_add_adds_to_what_is_below() {
    let rig = rig();
    let mut stack = Stack::new();
    stack.push(Turn::by(0.4, 0.5));
    let top = stack.push(Turn::by(0.2, 1.0));
    stack.set_weight(top, 0.5);
    let mut pose = Pose::rest(&rig);
    stack.apply(&now(), &rig, &mut pose);
    assert!((yaw(pose.rotation(HEAD)) - 0.5).abs() < 1e-4, "halfway from 0.4 to 0.6");
    assert!((pose.channel(SMILE) - 0.75).abs() < 1e-6);

    stack.set_mode(top, Mode::Add);
    stack.set_weight(top, 1.0);
    stack.apply(&now(), &rig, &mut pose);
    assert!((yaw(pose.rotation(HEAD)) - 0.6).abs() < 1e-4);
    assert!((pose.channel(SMILE) - (0.5 + 1.0 - 0.25)).abs() < 1e-6);
}

#[test]
fn a_mask_keeps_a_layer_to_its_regions_and_what_hangs_on_them() {
    let rig = rig();
    for mode in [Mode::Replace, Mode::Add] {
        let mut stack = Stack::new();
        let id = stack.push(Turn::by(0.6, 1.0));
        stack.set_mask(id, Some(Mask::regions(&rig, &[Region::Spine])));
        stack.set_mode(id, mode);
        let mut pose = Pose::rest(&rig);
        stack.apply(&now(), &rig, &mut pose);
        let rest = Pose::rest(&rig);
        assert_eq!(pose.transform(LEG), rest.transform(LEG));
        assert_eq!(pose.transform(JointId(0)), rest.transform(JointId(0)));
        assert_eq!(pose.channel(SMILE), 0.25);
        assert!((yaw(pose.rotation(HEAD)) - 0.6).abs() < 1e-5, "the head hangs on the spine");
    }
}

#[test]
fn attack_while_running_does_not_average() {
    // Upper body from one layer, legs from another, each whole.
    let rig = rig();
    let mut stack = Stack::new();
    stack.push(Turn::by(0.1, 0.0));
    let attack = stack.push(Turn::by(0.8, 0.0));
    stack.set_mask(attack, Some(Mask::regions(&rig, &[Region::Spine])));
    let mut pose = Pose::rest(&rig);
    stack.apply(&now(), &rig, &mut pose);
    assert!((yaw(pose.rotation(LEG)) - 0.1).abs() < 1e-5);
    assert!((yaw(pose.rotation(HEAD)) - 0.9).abs() < 1e-5);
}

#[test]
fn masks_are_made_of_regions_subtrees_and_single_parts() {
    let rig = rig();
    let mut m = Mask::subtree(&rig, JointId(1));
    assert_eq!((m.joint(JointId(0)), m.joint(HEAD), m.joint(LEG)), (0.0, 1.0, 0.0));
    m.set_joint(LEG, 7.0);
    m.set_channel(SMILE, f32::NAN);
    m.set_root(-1.0);
    assert_eq!((m.joint(LEG), m.channel(SMILE), m.root()), (1.0, 0.0, 0.0));
    assert_eq!(m.inverted().joint(HEAD), 0.0);
    assert_eq!(Mask::regions(&rig, &[Region::Tail]), Mask::none(&rig), "no tail, nothing");
}

#[test]
fn weights_are_clamped_and_nan_is_nothing() {
    let rig = rig();
    let mut stack = Stack::new();
    let id = stack.push(Turn::by(0.6, 1.0));
    for (given, kept) in [(f32::NAN, 0.0), (-3.0, 0.0), (7.0, 1.0), (f32::INFINITY, 1.0)] {
        stack.set_weight(id, given);
        assert_eq!(stack.weight(id), kept);
        let mut pose = Pose::rest(&rig);
        stack.apply(&now(), &rig, &mut pose);
        assert!(pose.is_finite());
    }
}

#[test]
fn moments_are_never_negative_endless_or_undefined() {
    for (dt, want) in [(-1.0, 0.0), (f32::NAN, 0.0), (1e9, Moment::LONGEST_STEP), (0.01, 0.01)] {
        assert_eq!(Moment::step(dt).dt, want);
    }
}

#[test]
fn one_stack_may_serve_rigs_of_other_shapes() {
    let mut small = Skeleton::new();
    small.push("only", None, Transform::IDENTITY).unwrap();
    let regions = Regions::new(&small, &[]);
    let mut channels = Channels::new();
    channels.push(Channel::new("c", ChannelKind::Custom));
    let small = Rig::new(small, channels, regions, 1.0);
    let big = rig();
    let mut stack = Stack::new();
    let id = stack.push(Turn::by(0.5, 1.0));
    stack.set_weight(id, 0.5);
    for rig in [&big, &small, &big] {
        let mut pose = Pose::rest(rig);
        stack.apply(&now(), rig, &mut pose);
        assert!((yaw(pose.rotation(JointId(0))) - 0.25).abs() < 1e-4);
    }
}
