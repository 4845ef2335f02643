//! What is measured is what was built.

use enliven::builtin::{creature_anatomy, creature_statue};
use enliven::field::{Anatomy, bind};
use enliven::glam::{Quat, Vec3};
use enliven::measure::measure;
use enliven::{Channels, Character, CharacterParts, Regions, Rig, Skeleton, Transform, math};

/// The creature put into the world another way: turned, scaled, moved.
fn placed(at: Transform) -> Character {
    let mut parts = creature_statue().into_parts();
    let old = parts.rig.skeleton;
    let mut skeleton = Skeleton::new();
    for j in old.joints() {
        let rest = if old.parent(j).is_none() { at } else { old.rest()[j.index()] };
        skeleton.push(old.name(j), old.parent(j), rest).expect("same order");
    }
    let regions = Regions::new(&skeleton, &[]);
    parts.rig = Rig::new(skeleton, Channels::new(), regions, 1.0);
    Character::new(parts).expect("fits")
}

fn check(got: &Anatomy, at: &Transform) {
    let want = creature_anatomy();
    let h = at.scale.x;
    let near = |what: &str, a: Vec3, b: Vec3| {
        let d = a.distance(at.transform_point(b)) / h;
        assert!(d < 0.02, "{what}: {a} {} ({d})", at.transform_point(b));
    };
    assert!((got.height / h - 1.0).abs() < 0.02);
    let front = at.rotation * Vec3::Z;
    assert!(got.front.dot(front) > 0.99, "{}", got.front);
    near("head", got.head.as_ref().expect("head").pivot, want.head.as_ref().expect("head").pivot);
    assert_eq!((got.eyes.len(), got.ears.len()), (2, 2));
    for w in &want.eyes {
        let g = got.eyes.iter().find(|e| e.side == w.side).expect("same side");
        near("eye", g.center, w.center);
        assert!((g.radius / h - w.radius).abs() < 0.02);
        assert!(g.forward.dot(at.rotation * w.forward) > 0.99, "{}", g.forward);
        let (g, w) = (g.pupil.as_ref().expect("pupil"), w.pupil.as_ref().expect("pupil"));
        near("pupil", g.center, w.center);
        assert!(!w.center.is_nan());
    }
    for w in &want.ears {
        let g = got.ears.iter().find(|e| e.side == w.side).expect("same side");
        near("ear base", g.base, w.base);
        near("ear tip", g.tip, w.tip);
    }
    for w in &want.arms {
        let g = got.arms.iter().find(|e| e.side == w.side).expect("same side");
        near("shoulder", g.shoulder, w.shoulder);
        near("hand", g.hand, w.hand);
    }
    for w in &want.legs {
        let g = got.legs.iter().find(|e| e.side == w.side).expect("same side");
        near("knee", g.knee, w.knee);
        near("foot", g.foot, w.foot);
    }
    near("belly", got.belly.as_ref().expect("belly").center, want.belly.expect("belly").center);
    near("grip", got.grip.expect("grip"), want.grip.expect("grip"));
}

#[test]
fn the_creature_is_measured_as_it_was_built() {
    check(&measure(&creature_statue()).anatomy, &Transform::IDENTITY);
}

#[test]
fn a_model_may_stand_anywhere_in_any_size() {
    for (turn, scale) in
        [(0.0, 25.0), (math::PI, 1.0), (math::PI * 0.5, 0.01), (-math::PI * 0.5, 3.0)]
    {
        let at = Transform {
            translation: Vec3::new(0.4, -0.2, 1.0) * scale,
            rotation: math::rotation(Vec3::Y, turn),
            scale: Vec3::splat(scale),
        };
        check(&measure(&placed(at)).anatomy, &at);
    }
}

#[test]
fn what_is_not_found_is_said() {
    // Only the body: no eyes, no limbs.
    let mut parts = creature_statue().into_parts();
    parts.meshes.retain(|m| m.name == "body");
    let m = measure(&Character::new(parts).expect("fits"));
    let codes: Vec<_> = m.diagnostics.iter().map(|d| d.code).collect();
    for code in ["EYES_NOT_FOUND", "FRONT_UNKNOWN", "ARMS_NOT_FOUND", "LEGS_NOT_FOUND"] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    assert!(m.anatomy.head.is_some() && m.anatomy.belly.is_some(), "and it lives by the rest");
}

#[test]
fn nothing_at_all_is_measured_without_a_panic() {
    let mut skeleton = Skeleton::new();
    skeleton.push("root", None, Transform::from_rotation(Quat::IDENTITY)).expect("root");
    let regions = Regions::new(&skeleton, &[]);
    let empty =
        Character::new(CharacterParts::of("", Rig::new(skeleton, Channels::new(), regions, 1.0)))
            .expect("fits");
    let m = measure(&empty);
    assert!(m.diagnostics.iter().any(|d| d.code == "SURFACE_EMPTY"));
    let bound = bind(&empty, &m.anatomy).expect("binds");
    assert!(bound.character.meshes.is_empty());
}
