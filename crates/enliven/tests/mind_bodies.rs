//! One mind, any body (E1): every behaviour on every kind of body.

use enliven::builtin::{creature_anatomy, creature_statue, rabbit};
use enliven::field::bind;
use enliven::glam::Vec3;
use enliven::layers::{Breathe, Dangle, DangleParams, Ears, Gaze, Lids, Life, Locomotion};
use enliven::leaf::LeafParams;
use enliven::measure::measure;
use enliven::{
    Actor, Character, Interest, Layer, Mind, MindParams, Moment, Motion, Pose, Side, Targets,
    Transform, VertexStage,
};
use enliven_io::rigfile::RigFile;
use enliven_io::{Limits, import_file};
use std::path::PathBuf;
use std::sync::Arc;

fn asset(name: &str) -> Character {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(name);
    import_file(&path, &Limits::default()).expect("imports").character
}

fn measured(c: &Character) -> Character {
    bind(c, &measure(c).anatomy).expect("binds").character
}

/// The creature by the text of a rig file.
fn by_rig_file() -> Character {
    let anatomy = Some(creature_anatomy());
    let file = RigFile { anatomy, mind: MindParams::default(), leaf: LeafParams::default() };
    let file = RigFile::parse(&file.write("creature", &[])).expect("reads");
    bind(&creature_statue(), &file.anatomy.expect("has one")).expect("binds").character
}

/// Static with a rig file, static measured, another one, skinned, a VRM person, rigid parts.
fn bodies() -> Vec<(&'static str, Arc<Character>)> {
    [
        ("creature", by_rig_file()),
        ("statue", measured(&creature_statue())),
        ("squash_mob", measured(&asset("squash_mob.glb"))),
        ("Fox", asset("Fox.glb")),
        ("Godette", asset("Godette.vrm")),
        ("rabbit", rabbit()),
    ]
    .map(|(name, c)| (name, Arc::new(c)))
    .to_vec()
}

/// How far the farthest vertex moves, of the height; changes of channels count as well, since an
/// expression is spread over a face later.
fn moves(c: &Arc<Character>, change: impl FnOnce(&mut Pose)) -> f32 {
    let rest = Actor::new(c.clone());
    let mut actor = Actor::new(c.clone());
    actor.edit(change);
    let mut most = 0.0f32;
    for (i, m) in c.meshes.iter().enumerate() {
        let stage = |a: &Actor| {
            let s = VertexStage::new(c, i, a.palette(), a.pose().channels(), &a.pose().root);
            (0..m.geometry.vertex_count()).map(|v| s.position(v)).collect::<Vec<_>>()
        };
        for (p, q) in stage(&actor).into_iter().zip(stage(&rest)) {
            most = most.max(p.distance(q));
        }
    }
    let channels = actor.pose().channels().iter().zip(rest.pose().channels());
    let channels = channels.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    most / c.rig.height + channels
}

#[test]
fn every_behaviour_on_every_body() {
    let names =
        ["breath", "blink", "look", "glance", "head", "body", "pupils", "flick", "dangle", "run"];
    let mut table = String::new();
    for (name, c) in bodies() {
        let rig = &c.rig;
        let gaze = Gaze::new(&c);
        let look = |t: Targets| moves(&c, |p| gaze.apply(&t, rig, p));
        let run = |layer: &mut dyn Layer, moment: Moment| {
            moves(&c, |p| {
                for _ in 0..40 {
                    let mut q = Pose::rest(rig);
                    layer.apply(&moment, rig, &mut q);
                    q.root = Transform::IDENTITY;
                    p.copy_from(&q);
                }
            })
        };
        // What a mind makes of it: a second and a half after it was told.
        let told = |tell: &dyn Fn(&mut Mind)| {
            let mut params = MindParams::default();
            // No chance blink or flick in between.
            params.blink.interval = [100.0; 2];
            params.ears.interval = [100.0; 2];
            let mut life = Life::new(&c, params, 3);
            tell(&mut life.mind);
            let mut actor = Actor::new(c.clone());
            actor.stack.push(life);
            (0..90).for_each(|_| actor.step(&Moment::step(1.0 / 60.0)));
            moves(&c, |p| p.copy_from(actor.pose()))
        };
        let aside = Vec3::new(3.0, 0.5, 2.0) * rig.height;
        let runs = Motion { velocity: Vec3::Z * rig.height * 2.0, ..Moment::step(0.0).motion };
        let step = Moment::step(1.0 / 60.0);
        let all = [
            moves(&c, |p| {
                Breathe::new(&c).apply(&Targets { breath: 1.0, ..Targets::default() }, rig, p);
            }),
            moves(&c, |p| Lids::new(&c).shut(p, [1.0; 2])),
            told(&|mind| mind.look_at(Interest::Side(Side::Left))),
            told(&|mind| mind.glance_at(aside)),
            look(Targets { head: Vec3::new(0.5, 0.2, 0.1), ..Targets::default() }),
            look(Targets { body: 0.5, ..Targets::default() }),
            look(Targets { pupils: [0.3, 0.1], gaze: [0.5, 0.2], ..Targets::default() }),
            moves(&c, |p| {
                Ears::new(&c).apply(&Targets { flick: [0.35; 2], ..Targets::default() }, p);
            }),
            run(&mut Dangle::new(&c, DangleParams::default()), step),
            run(&mut Locomotion::new(rig), step.with_motion(runs)),
        ];
        table += name;
        for (what, m) in names.iter().zip(all) {
            assert!(m.is_finite() && m < 3.0, "{name} {what}: {m}");
            // A behaviour shows from a thousandth of the height on.
            table += &format!(" {what}:{}", if m > 1e-3 { "yes" } else { "no" });
        }
        table += "\n";
    }
    let want = "\
creature breath:yes blink:yes look:yes glance:yes head:yes body:yes pupils:yes flick:yes dangle:yes run:yes
statue breath:yes blink:yes look:yes glance:yes head:yes body:yes pupils:yes flick:yes dangle:yes run:yes
squash_mob breath:yes blink:yes look:yes glance:yes head:yes body:yes pupils:yes flick:no dangle:no run:yes
Fox breath:yes blink:no look:yes glance:yes head:yes body:yes pupils:no flick:no dangle:yes run:yes
Godette breath:yes blink:yes look:yes glance:yes head:yes body:yes pupils:yes flick:no dangle:yes run:yes
rabbit breath:yes blink:yes look:yes glance:yes head:yes body:yes pupils:yes flick:yes dangle:yes run:yes
";
    assert_eq!(table, want, "\n{table}");
}

#[test]
fn every_body_lives_a_minute_and_comes_to_no_harm() {
    for (name, c) in bodies() {
        let mut actor = Actor::new(c.clone());
        let id = actor.stack.push(Life::new(&c, MindParams::default(), 3));
        let rest = actor.pose().clone();
        let mut shut = 0.0f32;
        for i in 0..60 * 60 {
            actor.step(&Moment::step(1.0 / 60.0));
            let life: &Life = actor.stack.get(id).expect("is there");
            shut = shut.max(life.targets().shut[0]);
            assert!(actor.pose().is_finite(), "{name} {i}");
        }
        assert!(shut > 0.9, "{name} blinked");
        assert_ne!(actor.pose(), &rest, "{name}");
    }
}
