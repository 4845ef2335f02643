//! Recorded motion on every person of the shared collection: legs stay whole, feet stay where they
//! come down and out of the ground, and nothing snaps.

use std::{path::Path, sync::Arc};

use enliven::{
    Actor, Affine, Binding, Character, Clip, JointId, VertexStage,
    glam::{Quat, Vec3},
    person::{Feet, HumanBone, Humanoid, Touch},
};
use enliven_io::{Limits, bvh, import_file};
use enliven_testing::assets;

const RATE: f32 = 60.0;
const MOTIONS: [&str; 4] =
    ["cmu_02_01_walk", "cmu_12_01_walk", "cmu_05_06_dance", "cmu_01_01_hops"];

/// What is seen of legs over a clip.
#[derive(Debug, Default)]
struct Seen {
    /// Worst that a thigh or shin is off its length at rest, of that length.
    stretch: f32,
    /// Largest turn of a thigh, a shin, a foot from one sixtieth of a second to the next, rad.
    turn: [f32; 3],
    /// Deepest that a vertex of a foot is below the lowest of it at rest, metres.
    deep: f32,
    /// Longest time that both feet hover by more than 2 cm while one keeps still, seconds; none
    /// where there are no toes to tell.
    hover: f32,
}

fn legs(body: &Humanoid) -> Option<[[JointId; 3]; 2]> {
    use HumanBone as B;
    let leg = |bones: [B; 3]| {
        let [a, b, c] = bones.map(|b| body.joint(b));
        Some([a?, b?, c?])
    };
    Some([
        leg([B::LeftUpperLeg, B::LeftLowerLeg, B::LeftFoot])?,
        leg([B::RightUpperLeg, B::RightLowerLeg, B::RightFoot])?,
    ])
}

/// Vertices that follow a foot most, mesh by mesh.
fn soles(character: &Character, foot: JointId, toes: Option<JointId>) -> Vec<(usize, Vec<usize>)> {
    // Toes bend at a joint of their own, as the recording has them: the sole is without them.
    let skeleton = &character.rig.skeleton;
    let within = |j: JointId| j == foot || skeleton.is_ancestor(foot, j);
    let toe = |j: JointId| toes.is_some_and(|t| j == t || skeleton.is_ancestor(t, j));
    let mine = |j: JointId| within(j) && !toe(j);
    let mut out = Vec::new();
    for (i, mesh) in character.meshes.iter().enumerate() {
        let vertices = match mesh.binding {
            Binding::Rigid(joint) if mine(joint) => {
                (0..mesh.geometry.positions.len()).collect::<Vec<_>>()
            }
            Binding::Rigid(_) => continue,
            Binding::Skin(skin) => {
                let joints = &character.skins[skin.index()].joints;
                let Some(by) = &mesh.geometry.influences else { continue };
                let most = |v: usize| {
                    let of = (0..by.per_vertex).map(|k| v * by.per_vertex + k);
                    let top = of.max_by(|a, b| by.weights[*a].total_cmp(&by.weights[*b]));
                    top.is_some_and(|k| mine(joints[usize::from(by.joints[k])]))
                };
                (0..mesh.geometry.positions.len()).filter(|v| most(*v)).collect()
            }
        };
        if !vertices.is_empty() {
            out.push((i, vertices));
        }
    }
    out
}

fn lowest(actor: &Actor, soles: &[(usize, Vec<usize>)]) -> f32 {
    let pose = actor.pose();
    let mut low = f32::MAX;
    for (mesh, vertices) in soles {
        let stage = VertexStage::new(
            actor.character(),
            *mesh,
            actor.palette(),
            pose.channels(),
            &pose.root,
        );
        for v in vertices {
            low = low.min(stage.position(*v).y);
        }
    }
    low
}

fn watch(character: &Arc<Character>, body: &Humanoid, clip: &Clip) -> Seen {
    let rig = &character.rig;
    let legs = legs(body).expect("legs");
    let rest = rig.skeleton.rest_model();
    let at = |m: &[Affine], j: JointId| m[j.index()].translation();
    let long = |m: &[Affine], [hip, knee, ankle]: [JointId; 3]| {
        [at(m, hip).distance(at(m, knee)), at(m, knee).distance(at(m, ankle))]
    };
    let mut actor = Actor::new(character.clone());
    let toes = [HumanBone::LeftToes, HumanBone::RightToes].map(|b| body.joint(b));
    let soles = [0, 1].map(|k| soles(character, legs[k][2], toes[k]));
    let ground = [0, 1].map(|k| lowest(&actor, &soles[k]));
    let mut out = Seen::default();
    let mut last: Option<(Vec<Quat>, [Vec3; 2])> = None;
    let mut hovering = 0.0;
    for i in 0..=(clip.duration * RATE) as usize {
        actor.edit(|pose| clip.sample(i as f32 / RATE, &mut [], pose));
        for (k, leg) in legs.iter().enumerate() {
            for (now, want) in long(actor.model(), *leg).into_iter().zip(long(&rest, *leg)) {
                out.stretch = out.stretch.max((now / want - 1.0).abs());
            }
            out.deep = out.deep.max(ground[k] - lowest(&actor, &soles[k]));
        }
        let turns: Vec<_> = legs.iter().flatten().map(|j| actor.pose().rotation(*j)).collect();
        let balls = [0, 1].map(|k| {
            let Some(toes) = toes[k] else { return Vec3::ZERO };
            let up = at(actor.model(), toes).y - at(&rest, toes).y;
            let low = up.min(lowest(&actor, &soles[k]) - ground[k]);
            at(actor.model(), toes).with_y(low)
        });
        if let Some((before, were)) = &last {
            let still = (0..2).any(|k| were[k].distance(balls[k]) * RATE < 0.15);
            let high = balls[0].y.min(balls[1].y) > 0.02;
            hovering = if still && high { hovering + 1.0 / RATE } else { 0.0 };
            out.hover = out.hover.max(hovering);
            for (k, (a, b)) in before.iter().zip(&turns).enumerate() {
                out.turn[k % 3] = out.turn[k % 3].max(a.angle_between(*b));
            }
        }
        last = Some((turns, balls));
    }
    out
}

fn motion(assets: &Path, name: &str, body: &Humanoid) -> Clip {
    let bytes = std::fs::read(assets.join(format!("bvh/{name}.bvh"))).expect(name);
    let source = bvh::read(&bytes, &Limits::default()).expect(name);
    source.motion(name).expect("a humanoid").fit(body).retarget(body, &[], None)
}

/// Over the whole of walks, hops and a dance, on everybody who has legs to stand on: no leg is torn
/// or stretched, nothing snaps, feet do not slide and are on the ground, not in it.
#[test]
fn legs_of_everybody_stay_whole() {
    let Some(assets) = assets() else { return };
    let files =
        ["vrm0", "vrm1"].map(|folder| enliven_testing::files(&assets.join(folder), &["vrm"]));
    let mut stood = 0;
    for file in files.into_iter().flatten() {
        let import = import_file(&file, &Limits::default()).expect("a person");
        let person = import.person.expect("a person");
        let (character, body) = (Arc::new(import.character), &person.humanoid);
        let rig = &character.rig;
        let rest = |bone| body.rest_at(bone).map_or(0.0, |p: Vec3| p.y);
        // Some samples of tools are bones in a heap.
        let legless = legs(body).is_none() || rest(HumanBone::Hips) < 0.2;
        if legless {
            continue;
        }
        let feet = Feet::new(rig, body).with_soles(&character, body);
        for name in MOTIONS {
            let told = format!("{} {name}", file.display());
            let planted = feet.plant(rig, &motion(&assets, name, body));
            let touches = feet.touches(rig, planted.duration, |t, p| planted.sample(t, &mut [], p));
            let worst = |f: fn(&Touch) -> f32| touches.iter().map(f).fold(0.0, f32::max);
            let (slide, gap) = (worst(|t| t.slide), worst(|t| t.gap.abs()));
            let seen = watch(&character, body, &planted);
            assert!(touches.len() >= 3, "{told}: {} touches", touches.len());
            assert!(seen.stretch < 1e-4, "{told}: a leg is torn, {seen:?}");
            // 18 rad/s: the dancer's own kick is 17, a leg that flips 180.
            assert!(seen.turn[0] < 0.3 && seen.turn[1] < 0.3, "{told}: a leg snaps, {seen:?}");
            assert!(seen.turn[2] < 0.35, "{told}: a foot snaps, {seen:?}");
            assert!(seen.deep < 0.01, "{told}: a foot is in the ground, {seen:?}");
            assert!(seen.hover < 0.15, "{told}: it hovers, {seen:?}");
            // Hops are 22 s of small steps by the way; a shuffle among them is taken for standing,
            // most of all where toes are only guessed.
            let toes = body.has(HumanBone::LeftToes);
            let (far, high) = match (name.ends_with("hops"), toes) {
                (false, _) => (0.014, 0.01),
                (true, true) => (0.016, 0.012),
                (true, false) => (0.045, 0.012),
            };
            assert!(slide < far, "{told}: a foot slides {slide} m");
            assert!(gap < high, "{told}: a foot is {gap} m off the ground");
        }
        stood += 1;
    }
    assert!(stood >= 20, "{stood} people");
}

/// What stays behind where the robot walks off is no part of a leg: a marker of its root.
#[test]
fn only_the_marker_of_its_root_stays_behind() {
    let Some(assets) = assets() else { return };
    let import = import_file(assets.join("vrm1/DebugRobot.vrm"), &Limits::default());
    let import = import.expect("DebugRobot");
    let skeleton = &import.character.rig.skeleton;
    let hips = import.person.expect("a person").humanoid.joint(HumanBone::Hips).expect("hips");
    for mesh in &import.character.meshes {
        let Binding::Rigid(joint) = mesh.binding else { panic!("all is rigid") };
        let name = skeleton.name(joint);
        assert!(skeleton.is_ancestor(hips, joint) || name == "Root", "{name} does not go along");
    }
}
