//! Blend trees.
#![allow(clippy::unwrap_used)] // A test may panic.

use enliven::glam::{Vec2, Vec3};
use enliven::layers::{Blend, ParamId, Tree};
use enliven::*;
use std::sync::Arc;

const SPEED: ParamId = ParamId(0);
const SIDE: ParamId = ParamId(1);
const HIT: ParamId = ParamId(2);

/// hips → head; clip k holds x of the hips at k, y at the phase of its loop, lasts 1 + k s.
fn character() -> Arc<Character> {
    let mut s = Skeleton::new();
    let hips = s.push("hips", None, Transform::IDENTITY).unwrap();
    let head = s.push("head", Some(hips), Transform::IDENTITY).unwrap();
    let regions = Regions::new(&s, &[(Region::Head, &[(head, 1.0)])]);
    let clip = |k: usize| {
        let d = 1.0 + k as f32;
        let x = k as f32;
        let track = |j| Track {
            target: Target::Joint(j, Property::Translation),
            curve: Curve::new(
                vec![0.0, d],
                vec![x, 0.0, 0.0, x, 1.0, 0.0],
                3,
                Interpolation::Linear,
            )
            .unwrap(),
        };
        Clip::new(format!("clip {k}"), vec![track(hips), track(head)])
    };
    Arc::new(
        Character::new(CharacterParts {
            name: "two".into(),
            rig: Rig::new(s, Channels::new(), regions, 1.0),
            meshes: vec![],
            skins: vec![],
            materials: vec![],
            textures: vec![],
            images: vec![],
            clips: (0..4).map(clip).collect(),
            meta: Meta::default(),
        })
        .unwrap(),
    )
}

fn leaf(k: u32) -> Blend {
    Blend::Clip { clip: ClipId(k), looping: Loop::Repeat, speed: 1.0 }
}

fn line(sync: bool) -> Blend {
    Blend::Line { param: SPEED, points: vec![(0.0, leaf(0)), (1.0, leaf(1)), (3.0, leaf(3))], sync }
}

fn step(tree: &mut Tree, rig: &Rig, dt: f32) -> Pose {
    let mut pose = Pose::rest(rig);
    tree.apply(&Moment::step(dt), rig, &mut pose);
    pose
}

fn x(pose: &Pose, joint: u32) -> f32 {
    pose.translation(JointId(joint)).x
}

#[test]
fn a_line_blends_neighbours_and_holds_its_ends() {
    let c = character();
    let mut t = Tree::new(c.clone(), line(false));
    for (at, want) in [(-1.0, 0.0), (0.0, 0.0), (0.25, 0.25), (1.0, 1.0), (2.0, 2.0), (9.0, 3.0)] {
        t.set(SPEED, at);
        assert!((x(&step(&mut t, &c.rig, 0.0), 0) - want).abs() < 1e-6, "at {at}");
        let sum: f32 = t.clip_weights().map(|(_, w)| w).sum();
        assert!((sum - 1.0).abs() < 1e-6);
    }
    t.set(SPEED, f32::NAN);
    assert_eq!(t.get(SPEED), 9.0);
}

#[test]
fn clips_in_step_share_their_phase_and_blend_their_pace() {
    let c = character();
    let mut t = Tree::new(c.clone(), line(true));
    t.set(SPEED, 2.0);
    // Halfway between 2 s and 4 s: a loop takes 3 s, and both are always at one phase.
    for k in 1..=20 {
        let pose = step(&mut t, &c.rig, 0.1);
        let phase = math::fract(k as f32 * 0.1 / 3.0);
        assert!((pose.translation(JointId(0)).y - phase).abs() < 1e-5, "{k}");
    }
    // A change of speed changes the pace, never the phase.
    t.set(SPEED, 1.0);
    let pose = step(&mut t, &c.rig, 0.0);
    assert!((pose.translation(JointId(0)).y - 2.0 / 3.0).abs() < 1e-5);
}

#[test]
fn a_plane_gives_each_point_its_own_and_all_of_it_everywhere() {
    let c = character();
    let at = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::new(-1.0, -1.0)];
    let points = at.iter().zip(0u32..).map(|(p, k)| (*p, leaf(k))).collect();
    let mut t = Tree::new(c.clone(), Blend::Plane { params: [SPEED, SIDE], points, sync: false });
    for (k, p) in at.iter().enumerate() {
        t.set(SPEED, p.x);
        t.set(SIDE, p.y);
        assert!((x(&step(&mut t, &c.rig, 0.0), 0) - k as f32).abs() < 1e-5, "point {k}");
    }
    let mut before: Option<Vec<f32>> = None;
    for k in 0..200 {
        let a = k as f32 * 0.05;
        t.set(SPEED, 1.4 * math::cos(a));
        t.set(SIDE, 1.4 * math::sin(1.3 * a));
        step(&mut t, &c.rig, 0.0);
        let w: Vec<f32> = t.clip_weights().map(|(_, w)| w).collect();
        assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{w:?}");
        if let Some(b) = &before {
            let jump = w.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(jump < 0.2, "weights are continuous: {jump}");
        }
        before = Some(w);
    }
}

#[test]
fn additions_and_masks() {
    let c = character();
    let over = Blend::Over {
        base: Box::new(leaf(1)),
        over: Box::new(leaf(3)),
        mask: Mask::regions(&c.rig, &[Region::Head]),
        weight: HIT,
    };
    let mut t = Tree::new(c.clone(), over);
    t.set(HIT, 1.0);
    let pose = step(&mut t, &c.rig, 0.0);
    assert_eq!((x(&pose, 0), x(&pose, 1)), (1.0, 3.0), "attack while running");
    t.set(HIT, 0.5);
    let pose = step(&mut t, &c.rig, 0.0);
    assert_eq!((x(&pose, 0), x(&pose, 1)), (1.0, 2.0));

    let add = Blend::Add { base: Box::new(line(false)), add: Box::new(leaf(2)), weight: HIT };
    let mut t = Tree::new(c.clone(), add);
    t.set(SPEED, 1.0);
    for (w, want) in [(0.0, 1.0), (0.5, 2.0), (1.0, 3.0)] {
        t.set(HIT, w);
        assert!((x(&step(&mut t, &c.rig, 0.0), 0) - want).abs() < 1e-6);
    }
}

#[test]
fn what_no_clip_moves_keeps_the_pose_below() {
    let c = character();
    let mut t = Tree::new(c.clone(), line(true));
    let mut pose = Pose::rest(&c.rig);
    pose.set_scale(JointId(1), Vec3::splat(2.0));
    pose.root.translation = Vec3::Y;
    t.set(SPEED, 0.5);
    t.apply(&Moment::step(0.1), &c.rig, &mut pose);
    assert_eq!(pose.scale(JointId(1)), Vec3::splat(2.0));
    assert_eq!(pose.root.translation, Vec3::Y);
}
