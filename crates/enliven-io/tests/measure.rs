//! Real static models are measured where a person would point, and live by it.

use enliven::field::{Anatomy, bind};
use enliven::glam::Vec3;
use enliven::layers::{Lids, Life};
use enliven::measure::measure;
use enliven::{Actor, Character, MindParams, Moment, Side, VertexStage};
use enliven_io::{Limits, import_file};
use std::sync::Arc;

/// A shared asset, or `None` with a message where the collection is absent.
fn load(file: &str) -> Option<Character> {
    let path = enliven_testing::shared(&format!("assets/static/{file}"))?;
    Some(import_file(&path, &Limits::default()).expect("imports").character)
}

/// Eyes of these sides at these places (by hand, from a picture), within a twentieth of the height.
fn check(file: &str, front: Vec3, eyes: &[(Option<Side>, Vec3)]) -> Option<(Character, Anatomy)> {
    let character = load(file)?;
    let anatomy = measure(&character).anatomy;
    assert_eq!(anatomy.front, front, "{file}");
    assert_eq!(anatomy.eyes.len(), eyes.len(), "{file}");
    for (eye, (side, at)) in anatomy.eyes.iter().zip(eyes) {
        assert_eq!(eye.side, *side, "{file}");
        let off = eye.center.distance(*at) / anatomy.height;
        assert!(off < 0.05, "{file}: {} {at}", eye.center);
    }
    Some((character, anatomy))
}

const LEFT: Option<Side> = Some(Side::Left);
const RIGHT: Option<Side> = Some(Side::Right);

#[test]
fn squash_mob_has_one_eye_on_top() {
    let at = Vec3::new(0.01, 0.5, 0.08);
    let Some((c, a)) = check("squash_mob.glb", Vec3::NEG_Z, &[(None, at)]) else { return };
    assert!(a.eyes[0].forward.y > 0.99, "{}", a.eyes[0].forward);
    assert!(a.eyes[0].pupil.is_some());
    shut_shows_nothing(&c, &a, &["mob_eye", "pupil"]);
}

#[test]
fn kenney_alien_looks_along_minus_z() {
    let eyes = [(LEFT, Vec3::new(-0.062, 0.596, -0.13)), (RIGHT, Vec3::new(0.062, 0.596, -0.13))];
    let Some((c, a)) = check("kenney_alien.glb", Vec3::NEG_Z, &eyes) else { return };
    assert!(a.head.as_ref().is_some_and(|h| (h.pivot.y - 0.483).abs() < 0.02));
    assert_eq!((a.arms.len(), a.legs.len(), a.ears.len()), (2, 2, 2));
    // Its eyes are let into the face: behind them comes a lid.
    let bound = bind(&c, &a).expect("binds").character;
    assert_eq!(bound.meshes.iter().filter(|m| m.name.starts_with("lid")).count(), 2);
}

#[test]
fn suzanne_has_two_eyes_in_one_mesh() {
    let eyes = [(LEFT, Vec3::new(0.35, 0.25, 0.7)), (RIGHT, Vec3::new(-0.35, 0.25, 0.7))];
    let Some((_, a)) = check("suzanne_monkey.glb", Vec3::Z, &eyes) else { return };
    assert!((a.eyes[0].radius - 0.27).abs() < 0.02);
}

#[test]
fn the_fish_lies_and_looks_to_its_sides() {
    let eyes = [(LEFT, Vec3::new(2.24, 0.6, 15.7)), (RIGHT, Vec3::new(-2.24, 0.6, 15.7))];
    let Some((_, a)) = check("babylon_greySnapper_fish.glb", Vec3::Z, &eyes) else { return };
    assert!(a.eyes[0].forward.x > 0.8);
    // The head is the front of a body that lies, not its upper half.
    let pivot = a.head.expect("has a head").pivot;
    assert!(pivot.z > 0.0 && pivot.z < 14.0, "{pivot}");
    assert_eq!(a.arms.len(), 2, "fins");
}

#[test]
fn the_platformer_character_has_flat_eyes() {
    let eyes = [(LEFT, Vec3::new(0.105, 0.54, 0.31)), (RIGHT, Vec3::new(-0.105, 0.54, 0.31))];
    let Some((_, a)) = check("kenney_platformer/character.glb", Vec3::Z, &eyes) else { return };
    assert_eq!((a.arms.len(), a.legs.len()), (2, 2));
    let up = |l: &enliven::field::Leg| l.knee.y - l.foot.y;
    assert!(a.legs.iter().all(|l| up(l) > 0.1));
}

#[test]
fn painted_eyes_are_said_not_to_be_found() {
    let Some(c) = load("cat_statue_webp.glb") else { return };
    let m = measure(&c);
    assert!(m.diagnostics.iter().any(|d| d.code == "EYES_NOT_FOUND"));
    assert!(m.anatomy.head.is_some());
}

/// At full shut every triangle of these materials has no area.
fn shut_shows_nothing(c: &Character, a: &Anatomy, materials: &[&str]) {
    let c = Arc::new(bind(c, a).expect("binds").character);
    let lids = Lids::new(&c);
    let mut actor = Actor::new(c.clone());
    actor.edit(|p| lids.shut(p, [1.0; 2]));
    for (i, m) in c.meshes.iter().enumerate() {
        if !materials.contains(&c.materials[m.material.index()].name.as_str()) {
            continue;
        }
        let stage =
            VertexStage::new(&c, i, actor.palette(), actor.pose().channels(), &actor.pose().root);
        for t in m.geometry.indices.chunks_exact(3) {
            let [a, b, c] = [t[0], t[1], t[2]].map(|v| stage.position(v as usize));
            assert!((b - a).cross(c - a).length() < 1e-9);
        }
    }
}

#[test]
fn every_static_model_lives() {
    for file in [
        "squash_mob.glb",
        "kenney_alien.glb",
        "suzanne_monkey.glb",
        "babylon_greySnapper_fish.glb",
        "babylon_seagulf.glb",
        "cat_statue_webp.glb",
        "just_a_girl/scene.gltf",
        "kenney_platformer/character.glb",
        "kenney_fps/enemy-flying.glb",
    ] {
        let Some(c) = load(file) else { return };
        let anatomy = measure(&c).anatomy;
        let c = Arc::new(bind(&c, &anatomy).expect("binds").character);
        let mut actor = Actor::new(c.clone());
        actor.stack.push(Life::new(&c, MindParams::default(), 1));
        let rest = actor.pose().clone();
        let (low, high) = c.bounds(&rest).expect("shown");
        let mut moved = false;
        for _ in 0..20 * 60 {
            actor.step(&Moment::step(1.0 / 60.0));
            assert!(actor.pose().is_finite(), "{file}");
            moved |= actor.pose() != &rest;
        }
        assert!(moved, "{file}");
        // It moves, but does not fly apart.
        let (a, b) = c.bounds(actor.pose()).expect("shown");
        let room = (high - low).length() * 0.35;
        assert!((low - a).max_element() < room && (b - high).max_element() < room, "{file}");
    }
}
