//! The path does not depend on the frame rate (A9, B7, E5): 20, 60 and 240 steps a second.

use enliven::glam::Vec3;
use enliven::layers::{Clips, motion_from_state};
use enliven::{Actor, Character, ClipId, Course, Loop, Moment, builtin};
use std::sync::Arc;

/// Places of all joints in the world at each twentieth of a second, over ten seconds.
fn path(character: &Arc<Character>, fps: u32, layers: impl Fn(&mut Actor)) -> Vec<Vec<Vec3>> {
    let mut actor = Actor::new(character.clone());
    layers(&mut actor);
    let course = Course::new(character.rig.height);
    let mut out = Vec::new();
    for i in 0..=10 * fps {
        let ride = course.at(f64::from(i) / f64::from(fps));
        actor.place(ride.root);
        let dt = if i == 0 { 0.0 } else { 1.0 / fps as f32 };
        actor.step(&Moment::step(dt).with_motion(ride.motion));
        if i % (fps / 20) == 0 {
            let root = actor.pose().root;
            let at = |m: &enliven::Affine| root.transform_point(m.translation());
            out.push(actor.model().iter().map(at).collect());
        }
    }
    out
}

/// The largest distance between two paths, in heights, and where it is.
fn apart(character: &Character, a: &[Vec<Vec3>], b: &[Vec<Vec3>]) -> (f32, String) {
    assert_eq!(a.len(), b.len());
    let mut most = (0.0f32, String::new());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        for (j, (p, q)) in a.iter().zip(b).enumerate() {
            let d = p.distance(*q) / character.rig.height;
            if d > most.0 || d.is_nan() {
                let name = character.rig.skeleton.name(enliven::JointId::new(j));
                most = (d, format!("{name:?} at {:.2} s", i as f32 / 20.0));
            }
        }
    }
    most
}

fn check(character: &Arc<Character>, layers: impl Fn(&mut Actor)) {
    let fine = path(character, 240, &layers);
    for fps in [20, 60] {
        let (far, place) = apart(character, &path(character, fps, &layers), &fine);
        assert!(far < 0.005, "{fps} steps/s: {} % of the height, {place}", far * 100.0);
    }
}

#[test]
fn the_rabbit_on_its_course() {
    let rabbit = Arc::new(builtin::rabbit());
    for seed in [1, 2, 7] {
        check(&rabbit, |actor| {
            (actor.stack, _) = motion_from_state(actor.character(), seed);
        });
    }
}

#[test]
fn the_fox_in_its_clips() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/Fox.glb");
    let fox = enliven_io::import_file(path, &enliven_io::Limits::default()).expect("Fox is read");
    let fox = Arc::new(fox.character);
    assert!(fox.clips.len() >= 3);
    check(&fox, |actor| {
        let mut clips = Clips::new(actor.character().clone());
        for i in 0..3 {
            clips.add(ClipId::new(i), Loop::Repeat, [0.2, 0.5, 0.3][i]);
        }
        actor.stack.push(clips);
    });
}
