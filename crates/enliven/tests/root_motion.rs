//! The way that a clip goes: kept in its joint or given to the root.

use enliven::glam::{Quat, Vec3};
use enliven::layers::Clips;
use enliven::{
    Actor, Affine, Channels, Character, CharacterParts, Clip, ClipId, Curve, Interpolation,
    JointId, Loop, Meta, Moment, Property, Regions, Rig, RootMotion, Skeleton, Target, Track,
    Transform, math,
};
use std::sync::Arc;

const HIPS: JointId = JointId(1);
const HEAD: JointId = JointId(2);

/// An armature as exporters write it (centimetres, lying on its back), hips and a head, and two
/// clips: a walk along a bend that bobs and sways, and a straight run of twice the length.
fn walker() -> Arc<Character> {
    let mut s = Skeleton::new();
    let lying = Transform {
        rotation: math::rotation(Vec3::X, -core::f32::consts::FRAC_PI_2),
        scale: Vec3::splat(0.01),
        ..Transform::IDENTITY
    };
    let armature = s.push("armature", None, lying).expect("root");
    let up = |z: f32| Transform::from_translation(Vec3::new(0.0, 0.0, z));
    let hips = s.push("hips", Some(armature), up(100.0)).expect("hips");
    s.push("head", Some(hips), up(60.0)).expect("head");
    // In the armature's space up is z and ahead is −y.
    let walk = |name: &str, length: f32, bend: f32, seconds: f32| {
        let keys = 9;
        let u = |k: usize| k as f32 / (keys - 1) as f32;
        let times: Vec<f32> = (0..keys).map(|k| u(k) * seconds).collect();
        let (mut moves, mut turns) = (Vec::new(), Vec::new());
        for k in 0..keys {
            let turn = bend * u(k);
            let bob = 3.0 * math::sin(2.0 * core::f32::consts::TAU * u(k));
            moves.extend([40.0 * turn * u(k) * length, -100.0 * length * u(k), 100.0 + bob]);
            let sway = 0.1 * math::sin(core::f32::consts::TAU * u(k));
            let q = math::rotation(Vec3::Z, turn) * math::rotation(Vec3::X, sway);
            turns.extend(q.to_array());
        }
        let linear = Interpolation::Linear;
        let translation = Curve::new(times.clone(), moves, 3, linear).expect("keys");
        let rotation = Curve::rotation(times, turns, linear).expect("keys");
        let track = |property, curve| Track { target: Target::Joint(HIPS, property), curve };
        Clip::new(
            name,
            vec![track(Property::Translation, translation), track(Property::Rotation, rotation)],
        )
    };
    let regions = Regions::new(&s, &[]);
    let character = Character::new(CharacterParts {
        name: "walker".into(),
        rig: Rig::new(s, Channels::new(), regions, 1.7),
        meshes: vec![],
        skins: vec![],
        materials: vec![],
        textures: vec![],
        images: vec![],
        clips: vec![walk("bend", 1.0, 0.6, 1.0), walk("run", 2.0, 0.0, 0.5)],
        meta: Meta::default(),
    });
    Arc::new(character.expect("fits"))
}

/// Plays clips at their weights, their ways extracted or kept.
fn playing(clips: &[(u32, f32)], looping: Loop, extract: bool) -> (Actor, enliven::LayerId) {
    let character = walker();
    let mut layer = Clips::new(character.clone());
    for (clip, weight) in clips {
        layer.add(ClipId(*clip), looping, *weight);
    }
    if extract {
        for slot in layer.slots_mut() {
            let clip = character.clip(slot.clip);
            slot.root = RootMotion::of(clip, &character.rig.skeleton);
        }
    }
    let mut actor = Actor::new(character);
    let id = actor.stack.push(layer);
    (actor, id)
}

fn place(actor: &Actor, joint: JointId) -> Vec3 {
    let root = Affine::from(&actor.pose().root);
    root.transform_point(actor.model()[joint.index()].translation())
}

fn run(actor: &mut Actor, seconds: f32, steps: usize) {
    for _ in 0..steps {
        actor.step(&Moment::step(seconds / steps as f32));
    }
}

#[test]
fn the_first_round_looks_the_same() {
    let (mut kept, _) = playing(&[(0, 1.0)], Loop::Repeat, false);
    let (mut given, _) = playing(&[(0, 1.0)], Loop::Repeat, true);
    for k in 0..60 {
        let moment = Moment::step(if k == 0 { 0.0 } else { 1.0 / 61.0 });
        kept.step(&moment);
        given.step(&moment);
        for joint in [HIPS, HEAD] {
            let (a, b) = (place(&kept, joint), place(&given, joint));
            assert!(a.distance(b) < 1e-5, "{k}: {joint:?}: {a} and {b}");
        }
        let hips = given.model()[HIPS.index()].translation();
        assert!(
            hips.x.abs() < 1e-5 && hips.z.abs() < 1e-5,
            "the joint stays over the root: {hips}"
        );
        assert_eq!(given.pose().root.translation.y, 0.0, "height stays in the joint");
    }
    assert_eq!(kept.pose().root, Transform::IDENTITY);
}

#[test]
fn rounds_go_on_without_a_jump() {
    let (mut actor, _) = playing(&[(0, 1.0)], Loop::Repeat, true);
    let dt = 1.0 / 120.0;
    actor.step(&Moment::step(0.0));
    let (mut last, mut way, mut fastest) = (place(&actor, HEAD), 0.0, 0.0f32);
    for _ in 0..600 {
        actor.step(&Moment::step(dt));
        let now = place(&actor, HEAD);
        way += now.distance(last);
        fastest = fastest.max(now.distance(last) / dt);
        last = now;
    }
    assert!((4.5..6.5).contains(&way), "five rounds of a metre: {way}");
    assert!(fastest < 2.5, "no step is a jump: {fastest} m/s");
    // Each round turns by 0.6 rad.
    let ahead = actor.pose().root.rotation * Vec3::Z;
    assert!(ahead.distance(math::rotation(Vec3::Y, 5.0 * 0.6) * Vec3::Z) < 1e-3, "{ahead}");
}

#[test]
fn any_frame_rate_and_a_seek_lead_to_one_place() {
    let root = |steps| {
        let (mut actor, _) = playing(&[(0, 1.0)], Loop::Repeat, true);
        run(&mut actor, 7.3, steps);
        actor.pose().root
    };
    let (mut sought, id) = playing(&[(0, 1.0)], Loop::Repeat, true);
    sought.stack.get_mut::<Clips>(id).expect("clips").slots_mut()[0].playback.seek(7.3);
    sought.step(&Moment::step(0.0));
    let want = sought.pose().root;
    assert!(want.translation.length() > 0.5);
    for steps in [37, 146, 438, 1752, 1999] {
        let got = root(steps);
        let off = got.translation.distance(want.translation);
        assert!(off < 2e-5, "{steps}: {off}");
        assert!(got.rotation.dot(want.rotation).abs() > 1.0 - 1e-6, "{steps}");
    }
    // And back again.
    sought.stack.get_mut::<Clips>(id).expect("clips").slots_mut()[0].playback.set_speed(-1.0);
    run(&mut sought, 7.3, 97);
    assert!(sought.pose().root.translation.length() < 2e-5, "{}", sought.pose().root.translation);
}

#[test]
fn shares_mix_and_the_host_may_move_the_body() {
    // Both straight enough: a metre a second and four.
    let (mut actor, _) = playing(&[(1, 1.0)], Loop::Repeat, true);
    run(&mut actor, 2.0, 120);
    assert!((actor.pose().root.translation.z - 8.0).abs() < 1e-4);
    let moved = Transform {
        translation: Vec3::new(10.0, 0.0, -3.0),
        rotation: math::rotation(Vec3::Y, core::f32::consts::FRAC_PI_2),
        scale: Vec3::splat(2.0),
    };
    actor.place(moved);
    run(&mut actor, 1.0, 33);
    let root = actor.pose().root;
    let want = Vec3::new(10.0 + 8.0, 0.0, -3.0);
    assert!(root.translation.distance(want) < 1e-3, "{} at twice the size", root.translation);
    assert_eq!(root.scale, moved.scale);

    let (mut half, _) = playing(&[(1, 0.5), (1, 0.5)], Loop::Repeat, true);
    run(&mut half, 2.0, 120);
    assert!((half.pose().root.translation.z - 8.0).abs() < 1e-4);
}

#[test]
fn a_clip_that_ends_stays_where_it_led() {
    let (mut actor, id) = playing(&[(1, 1.0)], Loop::Once, true);
    run(&mut actor, 3.0, 90);
    assert!((actor.pose().root.translation.z - 2.0).abs() < 1e-4);
    // After a reset the way begins anew from here.
    actor.stack.reset();
    run(&mut actor, 3.0, 90);
    assert!((actor.pose().root.translation.z - 4.0).abs() < 1e-4);
    let slots = actor.stack.get::<Clips>(id).expect("clips").slots();
    assert!((slots[0].root.as_ref().expect("way").round().moved[2] - 2.0).abs() < 1e-6);
}

#[test]
fn additive_clips_come_on_top() {
    let character = walker();
    let mut nod = character.clips[0].clone();
    let q = |angle: f32| math::rotation(Vec3::X, angle).to_array();
    let turns = [q(0.2), q(0.5)].concat();
    let curve = Curve::rotation(vec![0.0, 1.0], turns, Interpolation::Linear).expect("keys");
    nod.tracks = vec![Track { target: Target::Joint(HEAD, Property::Rotation), curve }];
    nod.make_additive(0.0);
    let mut parts = Character::clone(&character).into_parts();
    parts.clips.push(nod);
    let character = Arc::new(Character::new(parts).expect("fits"));
    let angle = |weight: f32| {
        let mut layer = Clips::playing(character.clone(), ClipId(0), Loop::Once);
        layer.add(ClipId(2), Loop::Once, weight);
        let mut actor = Actor::new(character.clone());
        actor.stack.push(layer);
        run(&mut actor, 1.0, 10);
        let hips = actor.pose().translation(HIPS);
        assert!((hips.y + 100.0).abs() < 1e-3, "the walk has its full weight: {hips}");
        let head: Quat = actor.pose().rotation(HEAD);
        2.0 * math::asin(head.x)
    };
    assert!((angle(1.0) - 0.3).abs() < 1e-5);
    assert!((angle(0.5) - 0.15).abs() < 1e-3);
    assert!(angle(0.0).abs() < 1e-6);
}
