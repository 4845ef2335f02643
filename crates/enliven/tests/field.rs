//! A static body with fields is an ordinary skinned character.

use enliven::builtin::{creature_anatomy, creature_statue};
use enliven::field::{Falloff, Surface, bind, chain_length};
use enliven::glam::{Quat, Vec3};
use enliven::layers::Lids;
use enliven::{Actor, Binding, Character, JointId, Pose, Region, Side, VertexStage, math};
use std::sync::Arc;

fn creature() -> Arc<Character> {
    Arc::new(bind(&creature_statue(), &creature_anatomy()).expect("binds").character)
}

/// Positions of every vertex of the mesh of that node.
fn points(c: &Character, actor: &Actor, node: &str) -> Vec<Vec3> {
    let mut out = Vec::new();
    for (i, m) in c.meshes.iter().enumerate().filter(|(_, m)| m.name == node) {
        let stage =
            VertexStage::new(c, i, actor.palette(), actor.pose().channels(), &actor.pose().root);
        out.extend((0..m.geometry.vertex_count()).map(|v| stage.position(v)));
    }
    out
}

fn posed(c: &Arc<Character>, change: impl FnOnce(&mut Pose)) -> Actor {
    let mut actor = Actor::new(c.clone());
    actor.edit(change);
    actor
}

#[test]
fn at_rest_nothing_has_moved() {
    let (statue, alive) = (Arc::new(creature_statue()), creature());
    let (a, b) = (Actor::new(statue.clone()), Actor::new(alive.clone()));
    for (i, m) in statue.meshes.iter().enumerate() {
        let stage = |c, a: &Actor| {
            let s = VertexStage::new(c, i, a.palette(), a.pose().channels(), &a.pose().root);
            (0..m.geometry.vertex_count()).map(|v| (s.position(v), s.normal(v))).collect::<Vec<_>>()
        };
        for ((p, n), (q, o)) in stage(&statue, &a).into_iter().zip(stage(&alive, &b)) {
            assert!(p.distance(q) < 1e-5 && n.dot(o) > 0.9999, "{}: {p} {q}", m.name);
        }
        assert!(matches!(alive.meshes[i].binding, Binding::Skin(_)), "{}", m.name);
    }
}

#[test]
fn the_chain_keeps_to_the_exact_turn_within_half_a_percent() {
    let (c, anatomy) = (creature(), creature_anatomy());
    let head = anatomy.head.as_ref().expect("has a head");
    let surface = Surface::new(&creature_statue());
    let field = head.field.weights(&surface);
    let body = creature_statue().meshes.iter().position(|m| m.name == "body").expect("body");
    let start = surface.starts[body].expect("drawn");
    let ears: Vec<Vec<f32>> = anatomy.ears.iter().map(|e| e.field.weights(&surface)).collect();
    let mut worst = 0.0f32;
    // The limits of a glance (A11), nod and tilt on top.
    for (yaw, pitch, roll) in [
        (0.87, 0.4, 0.13),
        (-0.87, -0.5, 0.13),
        (0.87, 0.0, -0.13),
        (0.0, 0.4, 0.0),
        (0.61, -0.3, 0.0),
    ] {
        let turn = math::yaw_pitch_roll(yaw, pitch, roll);
        let actor = posed(&c, |p| c.rig.regions.rotate(p, Region::Head, turn));
        for (v, got) in points(&c, &actor, "body").into_iter().enumerate() {
            let v = start + v;
            if ears.iter().any(|e| e[v] > 0.0) {
                continue;
            }
            let part = math::slerp(Quat::IDENTITY, turn, field[v]);
            let want = head.pivot + part * (surface.points[v] - head.pivot);
            worst = worst.max(got.distance(want));
        }
    }
    assert!(worst < 0.005 * anatomy.height, "{worst}");
    assert!(worst > 1e-5, "something moved");
}

#[test]
fn a_chain_is_as_long_as_it_must_be() {
    assert_eq!(chain_length(0.0, 0.5, 1.0), 1);
    let (short, long) = (chain_length(0.5, 0.5, 1.0), chain_length(1.5, 0.5, 1.0));
    assert!(short < long && long <= 16, "{short} {long}");
    // radius · (1 − cos(limit / 2n)) is the chord's error.
    for limit in [0.3, 0.9, 1.4] {
        let n = chain_length(limit, 0.5, 1.0) as f32;
        assert!(0.5 * (1.0 - (limit / (2.0 * n)).cos()) < 0.005);
    }
}

#[test]
fn the_paw_keeps_its_grip_while_the_head_turns() {
    let c = creature();
    let turn = math::yaw_pitch_roll(0.8, 0.2, 0.1);
    let actor = posed(&c, |p| c.rig.regions.rotate(p, Region::Head, turn));
    let rest = Actor::new(c.clone());
    for arm in ["arm.L", "arm.R", "leg.L", "leg.R"] {
        for (p, q) in points(&c, &actor, arm).into_iter().zip(points(&c, &rest, arm)) {
            assert!(p.distance(q) < 1e-5, "{arm}");
        }
    }
}

#[test]
fn eyes_go_with_the_face() {
    // What the eye moves by, the skin around it moves by: no eye floats.
    let c = creature();
    let turn = math::yaw_pitch_roll(0.8, 0.2, 0.1);
    let actor = posed(&c, |p| c.rig.regions.rotate(p, Region::Head, turn));
    let rest = Actor::new(c.clone());
    let eye = creature_anatomy().eyes[0].center;
    let (body, moved) = (points(&c, &rest, "body"), points(&c, &actor, "body"));
    let (balls, turned) = (points(&c, &rest, "eyes"), points(&c, &actor, "eyes"));
    let center = |p: &[Vec3]| p[..p.len() / 2].iter().sum::<Vec3>() / (p.len() / 2) as f32;
    let shift = center(&turned) - center(&balls);
    let near = body.iter().zip(&moved).filter(|(p, _)| p.distance(eye) < 0.1);
    for (p, q) in near {
        // Points beside the centre turn as well as shift.
        assert!(((*q - *p) - shift).length() < 0.1 * 0.95, "{p}");
    }
    assert!(shift.length() > 0.08, "{shift}");
}

#[test]
fn shut_eyes_leave_nothing() {
    let c = creature();
    let lids = Lids::new(&c);
    let half = posed(&c, |p| lids.shut(p, [0.5, 0.5]));
    let shut = posed(&c, |p| lids.shut(p, [1.0, 1.0]));
    let rest = Actor::new(c.clone());
    let tall = |p: &[Vec3]| {
        p.iter().map(|p| p.y).fold(f32::MIN, f32::max)
            - p.iter().map(|p| p.y).fold(f32::MAX, f32::min)
    };
    for part in ["eyes", "pupils"] {
        let (open, half) = (points(&c, &rest, part), points(&c, &half, part));
        let ratio = tall(&half) / tall(&open);
        assert!((ratio - 0.5).abs() < 0.03, "{part}: {ratio}");
        // Every triangle has collapsed: no pixel can show it.
        let p = points(&c, &shut, part);
        let n = p.len() / 2;
        for side in [&p[..n], &p[n..]] {
            assert!(side.iter().all(|q| q.distance(side[0]) < 1e-5), "{part}");
        }
    }
    let one = posed(&c, |p| lids.shut(p, [1.0, 0.0]));
    let (p, q) = (points(&c, &one, "eyes"), points(&c, &rest, "eyes"));
    assert_eq!(p[p.len() / 2..], q[q.len() / 2..], "the right eye stays open");
}

#[test]
fn a_breath_pushes_the_belly_by_eight_millimetres() {
    let c = creature();
    let channel = c.rig.channels.find("breath").expect("has a breath");
    let rest = Actor::new(c.clone());
    for (value, want) in [(1.0, 0.008), (-1.0, 0.008), (0.0, 0.0)] {
        let actor = posed(&c, |p| p.set_channel(channel, value));
        let moved = |node: &str| {
            let (p, q) = (points(&c, &actor, node), points(&c, &rest, node));
            p.iter().zip(&q).map(|(p, q)| p.distance(*q)).fold(0.0, f32::max)
        };
        assert!((moved("body") - want).abs() < 1e-4, "{value}: {}", moved("body"));
        assert_eq!((moved("eyes"), moved("leg.L"), moved("arm.R")), (0.0, 0.0, 0.0));
    }
    // Out of the belly, not through it.
    let out = posed(&c, |p| p.set_channel(channel, 1.0));
    let front = |a: &Actor| points(&c, a, "body").iter().map(|p| p.z).fold(f32::MIN, f32::max);
    assert!(front(&out) > front(&rest) + 0.003);
}

#[test]
fn pupils_turn_about_the_eye_centres() {
    let c = creature();
    let joint = c.rig.regions.own_joints(Region::Pupil(Side::Left))[0].joint;
    let rest = Actor::new(c.clone());
    let actor = posed(&c, |p| p.set_rotation(joint, math::rotation(Vec3::Y, 0.3)));
    let eye = creature_anatomy().eyes[0].center;
    let (p, q) = (points(&c, &actor, "pupils"), points(&c, &rest, "pupils"));
    for (p, q) in p.iter().zip(&q) {
        assert!((p.distance(eye) - q.distance(eye)).abs() < 1e-5, "a turn about the centre");
    }
    assert!(p[0].distance(q[0]) > 0.01);
}

#[test]
fn another_front_turns_to_z_and_clips_keep_their_joints() {
    use enliven::{Clip, Curve, Interpolation, Property, Target, Track};
    let mut parts = creature_statue().into_parts();
    let node = parts.rig.skeleton.find("arm.R").expect("node");
    let curve =
        Curve::new([0.0, 1.0], vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0], 3, Interpolation::Linear);
    let target = Target::Joint(node, Property::Translation);
    parts.clips.push(Clip::new("wave", vec![Track { target, curve: curve.expect("curve") }]));
    let c = Character::new(parts).expect("fits");
    let mut anatomy = creature_anatomy();
    anatomy.front = Vec3::NEG_X;
    let bound = bind(&c, &anatomy).expect("binds").character;
    let Target::Joint(moved, _) = bound.clips[0].tracks[0].target else { panic!("a joint") };
    assert_eq!(bound.rig.skeleton.name(moved), "arm.R");
    assert_eq!(moved, JointId(node.0 + 1));
    // What looked along −X looks along +Z now: the face was at z = 0.25, so it is at x = 0.25.
    let bound = Arc::new(bound);
    let face = points(&bound, &Actor::new(bound.clone()), "face");
    assert!(face.iter().all(|p| p.x > 0.2), "{}", face[0]);
}

#[test]
fn falloffs_say_what_they_mean() {
    let s = Surface::new(&creature_statue());
    let at = |f: &Falloff, p: Vec3| {
        let w = f.weights(&s);
        let d = |v: &usize| s.points[*v].distance_squared(p);
        let v = (0..w.len()).min_by(|a, b| d(a).total_cmp(&d(b))).expect("has vertices");
        w[v]
    };
    let (top, foot) = (Vec3::new(0.0, 0.9, 0.0), Vec3::new(0.13, 0.0, 0.1));
    let up = Falloff::Ramp { axis: Vec3::Y, from: 0.3, to: 0.6 };
    let down = Falloff::Ramp { axis: Vec3::Y, from: 0.6, to: 0.3 };
    assert_eq!((at(&up, top), at(&up, foot)), (1.0, 0.0));
    assert_eq!((at(&down, top), at(&down, foot)), (0.0, 1.0));
    let ball = Falloff::Sphere { center: foot, radius: 0.1, soft: 0.05 };
    assert_eq!((at(&ball, top), at(&ball, foot)), (0.0, 1.0));
    let tube = Falloff::Capsule { a: foot, b: top, radius: 0.0, soft: 2.0 };
    assert!(at(&tube, Vec3::new(0.3, 0.4, 0.0)) > 0.8);
    let cube = Falloff::Box { low: foot - 0.1, high: foot + 0.1, soft: 0.01 };
    assert_eq!((at(&cube, top), at(&cube, foot)), (0.0, 1.0));
    let none = Falloff::Not(Box::new(Falloff::Everywhere));
    assert!(none.weights(&s).iter().all(|w| *w == 0.0));
    let both = Falloff::Any(vec![up.clone(), down.clone()]);
    assert!(both.weights(&s).iter().all(|w| *w > 0.7), "a ramp and its mirror cover all");
    let broken = Falloff::Ramp { axis: Vec3::NAN, from: 0.0, to: 1.0 };
    assert!(broken.weights(&s).iter().all(|w| (0.0..=1.0).contains(w)));
    let pupils = Falloff::Part("pupil".into()).weights(&s);
    let left = Falloff::All(vec![
        Falloff::Part("pupil".into()),
        Falloff::Piece(creature_anatomy().eyes[0].center),
    ]);
    let count = |w: &[f32]| w.iter().filter(|w| **w == 1.0).count();
    assert!(count(&left.weights(&s)) > 0 && count(&left.weights(&s)) < count(&pupils));
    let blue = Falloff::Color { rgb: Vec3::new(0.085, 0.15, 0.16), within: 0.02, soft: 0.02 };
    assert!(count(&blue.weights(&s)) > 100);
}
