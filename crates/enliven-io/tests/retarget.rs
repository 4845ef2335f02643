//! Recorded motion on people: the same whatever was loaded before, however many copies there are,
//! and wherever the model faces.
#![allow(clippy::unwrap_used)] // A test may panic.

use std::path::Path;
use std::sync::Arc;

use enliven::glam::{Quat, Vec3};
use enliven::layers::Clips;
use enliven::person::{Feet, HumanBone, Humanoid, HumanoidClip};
use enliven::{
    Actor, Affine, Character, Clip, ClipId, Loop, Moment, Pose, Rig, Skeleton, Transform, math,
};
use enliven_io::{Import, Limits, bvh, import_file};
use enliven_testing::assets;

const PEOPLE: [&str; 4] = [
    "vrm0/Godette.vrm",
    "vrm0/CoolBanana.vrm",
    "vrm1/DebugRobot.vrm",
    "vrm1/conformance/smoke_spring.vrm",
];

fn read(assets: &Path, file: &str) -> Import {
    import_file(assets.join(file), &Limits::default()).unwrap()
}

fn motion(assets: &Path, name: &str) -> HumanoidClip {
    let bytes = std::fs::read(assets.join(format!("bvh/{name}.bvh"))).unwrap();
    bvh::read(&bytes, &Limits::default()).unwrap().motion(name).unwrap()
}

fn learnt(motion: &HumanoidClip, rig: &Rig, body: &Humanoid) -> Clip {
    Feet::new(rig, body).plant(rig, &motion.fit(body).retarget(body, &[], None))
}

#[test]
fn the_order_of_loading_is_not_seen() {
    let Some(assets) = assets() else { return };
    let teach = |file: &str, names: [&str; 2]| {
        let import = read(&assets, file);
        let person = import.person.unwrap();
        let clips = names.map(|n| {
            (n.to_owned(), learnt(&motion(&assets, n), &import.character.rig, &person.humanoid))
        });
        std::collections::BTreeMap::from(clips)
    };
    let names = ["cmu_02_01_walk", "cmu_05_06_dance"];
    let alone: Vec<_> = PEOPLE.iter().map(|file| teach(file, names)).collect();
    let back = |file: &&str| teach(file, [names[1], names[0]]);
    let mut again: Vec<_> = PEOPLE.iter().rev().map(back).collect();
    again.reverse();
    assert_eq!(alone, again);
}

/// Somebody who dances with hair and eyes that live, seen after each of 90 frames.
fn dancers(character: &Arc<Character>, import: &Import, count: usize) -> Vec<Vec<Affine>> {
    let person = import.person.as_ref().unwrap();
    let mut actors: Vec<Actor> = (0..count)
        .map(|_| {
            let mut actor = Actor::new(character.clone());
            actor.stack.push(Clips::playing(character.clone(), ClipId(0), Loop::Repeat));
            actor.stack.push(person.spring_layer(&character.rig));
            actor
        })
        .collect();
    for frame in 0..90 {
        for (i, actor) in actors.iter_mut().enumerate() {
            // Each somewhere else, and those behind the first jump about.
            let place = if i == 0 { Vec3::ZERO } else { Vec3::splat((frame % (3 * i)) as f32) };
            actor.place(Transform::from_translation(place));
            actor.step(&Moment::step(1.0 / 60.0));
        }
    }
    actors.iter().map(|actor| actor.model().to_vec()).collect()
}

#[test]
fn copies_do_not_touch_each_other() {
    let Some(assets) = assets() else { return };
    let dance = motion(&assets, "cmu_05_06_dance");
    for file in ["vrm0/Godette.vrm", "vrm1/conformance/smoke_spring.vrm"] {
        let mut import = read(&assets, file);
        let body = &import.person.as_ref().unwrap().humanoid;
        let clip = learnt(&dance, &import.character.rig, body);
        let mut parts = import.character.clone().into_parts();
        parts.clips = vec![clip];
        import.character = Character::new(parts).unwrap();
        let character = Arc::new(import.character.clone());
        let one = dancers(&character, &import, 1);
        let many = dancers(&character, &import, 7);
        assert_eq!(one[0], many[0], "{file}");
        assert_ne!(many[0], many[1], "{file}: what jumps about swings otherwise");
    }
}

/// The same bones, all of it turned at rest.
fn turned(rig: &Rig, by: Quat) -> Rig {
    let mut skeleton = Skeleton::new();
    for joint in rig.skeleton.joints() {
        let mut rest = rig.skeleton.rest()[joint.index()];
        let parent = rig.skeleton.parent(joint);
        if parent.is_none() {
            rest.translation = by * rest.translation;
            rest.rotation = by * rest.rotation;
        }
        skeleton.push(rig.skeleton.name(joint), parent, rest).unwrap();
    }
    Rig::new(skeleton, rig.channels.clone(), rig.regions.clone(), rig.height)
}

#[test]
fn where_the_model_faces_it_walks() {
    let Some(assets) = assets() else { return };
    for (file, name) in PEOPLE.iter().flat_map(|f| [(f, "cmu_02_01_walk"), (f, "cmu_05_06_dance")])
    {
        let import = read(&assets, file);
        let person = import.person.unwrap();
        let motion = motion(&assets, name);
        let rig = &import.character.rig;
        let straight = learnt(&motion, rig, &person.humanoid);
        for yaw in [0.5, -1.3, 0.5 * math::PI, math::PI] {
            let by = math::rotation(Vec3::Y, yaw);
            let other = turned(rig, by);
            let bones = person.humanoid.bones().collect::<Vec<(HumanBone, _)>>();
            let body = Humanoid::new(&other.skeleton, bones.iter().copied());
            let facing = body.facing() * Vec3::Z;
            assert!(facing.distance(by * Vec3::Z) < 0.02, "{file}: faces {facing}");
            let clip = learnt(&motion, &other, &body);
            let (mut a, mut b) = (Pose::rest(rig), Pose::rest(&other));
            let mut worst = 0.0f32;
            for i in 0..=60 {
                let t = straight.duration * i as f32 / 60.0;
                straight.sample(t, &mut [], &mut a);
                clip.sample(t, &mut [], &mut b);
                for (_, joint) in &bones {
                    let at = a.model_of(&rig.skeleton, *joint).translation();
                    let is = b.model_of(&other.skeleton, *joint).translation();
                    worst = worst.max(is.distance(by * at));
                }
            }
            // Legs may be built a little uneven, by which facing is off.
            assert!(worst < 0.02, "{file} {name}, turned by {yaw}: {worst} m elsewhere");
        }
    }
}

/// What is not planted goes as far as the hips are high, and as high.
#[test]
fn hips_go_by_their_height() {
    let Some(assets) = assets() else { return };
    for name in ["cmu_02_01_walk", "cmu_05_06_dance"] {
        let motion = motion(&assets, name);
        let hips = motion.hips.as_ref().unwrap();
        for file in PEOPLE {
            let import = read(&assets, file);
            let body = &import.person.as_ref().unwrap().humanoid;
            let rig = &import.character.rig;
            let joint = body.joint(HumanBone::Hips).unwrap();
            let ratio = body.rest_at(HumanBone::Hips).unwrap().y / motion.hips_height;
            let clip = motion.fit(body).retarget(body, &[], None);
            let mut pose = Pose::rest(rig);
            for i in 0..=20 {
                let t = clip.duration * i as f32 / 20.0;
                let mut want = [0.0; 3];
                hips.sample(t, &mut 0, &mut want);
                clip.sample(t, &mut [], &mut pose);
                let is = pose.model_of(&rig.skeleton, joint).translation();
                let want = ratio * Vec3::from_array(want);
                assert!(is.distance(want) < 1e-4, "{file} {name} at {t}: {is}, not {want}");
            }
        }
    }
}
