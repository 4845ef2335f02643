//! Transitions at any time, also inside each other, never snap.
#![allow(clippy::unwrap_used)] // A test may panic.

use enliven::glam::Vec3;
use enliven::layers::Inertialize;
use enliven::*;

const JOINTS: usize = 3;

fn rig() -> Rig {
    let mut s = Skeleton::new();
    let mut parent = None;
    for i in 0..JOINTS {
        parent = Some(s.push(format!("{i}"), parent, Transform::IDENTITY).unwrap());
    }
    let mut channels = Channels::new();
    channels.push(Channel::new("c", ChannelKind::Custom));
    let regions = Regions::new(&s, &[]);
    Rig::new(s, channels, regions, 1.0)
}

/// Several smooth motions, far from each other; the test says which one plays.
struct Motions {
    time: f32,
    which: usize,
}

impl Layer for Motions {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        self.time += moment.dt;
        let k = self.which as f32;
        let t = self.time;
        for j in rig.skeleton.joints() {
            let f = 1.0 + 0.3 * j.index() as f32 + 0.2 * k;
            let axis = Vec3::new(math::sin(k), math::cos(2.0 * k), math::sin(k + 1.0)).normalize();
            let angle = 0.8 * math::sin(f * t) + 0.7 * k;
            pose.set_rotation(j, math::rotation(axis, angle));
            pose.set_translation(j, Vec3::new(k, math::sin(f * t), -k) * 0.3);
            pose.set_scale(j, Vec3::splat(1.0 + 0.2 * math::sin(t + k)));
        }
        pose.set_channel(ChannelId(0), 0.5 + 0.4 * math::sin(2.0 * t + k));
    }
}

/// Largest step and change of step of anything, between three poses in a row.
fn jumps(a: &Pose, b: &Pose, c: &Pose) -> (f32, f32) {
    let (mut first, mut second) = (0.0f32, 0.0f32);
    let mut see = |a: Vec3, b: Vec3, c: Vec3| {
        first = first.max((c - b).length());
        second = second.max(((c - b) - (b - a)).length());
    };
    for j in (0..JOINTS).map(JointId::new) {
        see(a.translation(j), b.translation(j), c.translation(j));
        see(a.scale(j), b.scale(j), c.scale(j));
        for v in [Vec3::X, Vec3::Y, Vec3::Z] {
            see(a.rotation(j) * v, b.rotation(j) * v, c.rotation(j) * v);
        }
    }
    let ch = |p: &Pose| Vec3::X * p.channel(ChannelId(0));
    see(ch(a), ch(b), ch(c));
    (first, second)
}

#[test]
fn interrupted_at_random_the_pose_and_its_velocity_stay_smooth() {
    let rig = rig();
    let dt = 1.0 / 60.0;
    for seed in 0..40 {
        let mut rng = Rng::new(seed, 7);
        let mut stack = Stack::new();
        let motions = stack.push(Motions { time: 0.0, which: 0 });
        let smooth = stack.push(Inertialize::new(0.4));
        let mut poses = vec![Pose::rest(&rig); 3];
        let mut next = 30;
        for frame in 0..600 {
            if frame == next {
                let m = stack.get_mut::<Motions>(motions).unwrap();
                m.which = (m.which + 1 + rng.next_u32() as usize % 3) % 4;
                stack.get_mut::<Inertialize>(smooth).unwrap().transition();
                // Often before the last one has faded.
                next += 2 + (rng.next_u32() % 40) as usize;
            }
            poses.rotate_left(1);
            stack.apply(&Moment::step(dt), &rig, &mut poses[2]);
            if frame < 3 {
                continue;
            }
            let (first, second) = jumps(&poses[0], &poses[1], &poses[2]);
            // The motions themselves step by up to 0.03 and change that by 0.001 a frame; a cut
            // between them is a step of about 1. The spring (ω = 11.9 rad/s) changes the step of
            // an offset d by up to ω²·d·dt² = 0.039·d a frame, and d is up to π.
            assert!(first < 0.25, "seed {seed} frame {frame}: steps {first}");
            assert!(second < 0.16, "seed {seed} frame {frame}: changes by {second}");
        }
    }
}

#[test]
fn without_the_layer_the_same_switch_is_a_cut() {
    let rig = rig();
    let mut motions = Motions { time: 1.0, which: 0 };
    let mut poses = vec![Pose::rest(&rig); 3];
    for (k, pose) in poses.iter_mut().enumerate() {
        motions.which = usize::from(k == 2);
        motions.apply(&Moment::step(1.0 / 60.0), &rig, pose);
    }
    let (first, second) = jumps(&poses[0], &poses[1], &poses[2]);
    assert!(first > 0.4 && second > 0.4, "{first} {second}");
}

#[test]
fn a_transition_ends_in_the_new_motion_to_the_bit() {
    let rig = rig();
    let mut stack = Stack::new();
    let motions = stack.push(Motions { time: 0.0, which: 0 });
    let smooth = stack.push(Inertialize::new(0.3));
    let mut pose = Pose::rest(&rig);
    let mut step = |stack: &mut Stack| {
        stack.apply(&Moment::step(1.0 / 60.0), &rig, &mut pose);
        pose.digest(0)
    };
    for _ in 0..10 {
        step(&mut stack);
    }
    stack.get_mut::<Motions>(motions).unwrap().which = 2;
    stack.get_mut::<Inertialize>(smooth).unwrap().transition();
    step(&mut stack);
    assert!(stack.get::<Inertialize>(smooth).unwrap().is_active());
    for _ in 0..120 {
        step(&mut stack);
    }
    assert!(!stack.get::<Inertialize>(smooth).unwrap().is_active());
    let got = step(&mut stack);
    let time = stack.get::<Motions>(motions).unwrap().time;
    let mut want = Pose::rest(&rig);
    Motions { time, which: 2 }.apply(&Moment::step(0.0), &rig, &mut want);
    assert_eq!(got, want.digest(0));
}

#[test]
fn no_time_no_history_and_long_frames_are_harmless() {
    let rig = rig();
    let mut stack = Stack::new();
    let motions = stack.push(Motions { time: 0.0, which: 0 });
    let smooth = stack.push(Inertialize::new(f32::NAN));
    let mut pose = Pose::rest(&rig);
    for (i, dt) in [0.0, 0.0, 1e9, 0.0, 1e-9, 0.016, -1.0, f32::NAN, 0.016].into_iter().enumerate()
    {
        stack.get_mut::<Inertialize>(smooth).unwrap().transition();
        stack.get_mut::<Motions>(motions).unwrap().which = i % 4;
        stack.apply(&Moment::step(dt), &rig, &mut pose);
        assert!(pose.is_finite(), "step {i}");
    }
}
