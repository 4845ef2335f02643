//! The vertex function on the device and its twin on the processor are the same function, and
//! every pass uses it.

mod common;

use std::sync::Arc;

use enliven::glam::{Quat, Vec2, Vec3};
use enliven::{
    Actor, Affine, Binding, Breeze, Channel, ChannelKind, Channels, Character, CharacterParts,
    Geometry, Influences, JointId, MaterialId, Mesh, Meta, MorphTarget, Pose, Regions, Rig, Rng,
    Skeleton, Skin, SkinId, Transform, VertexStage, math,
};
use enliven_render::{Body, Captured, CapturedAs, Gpu, Renderer};

/// Largest distance between a position on the device and on the processor, in heights.
const POSITION: f32 = 1e-4;
/// Largest angle between normals, as the length of their difference.
const NORMAL: f32 = 2e-3;

/// Poses the character, draws its vertices in every pass, and compares.
#[track_caller]
fn check(gpu: &Gpu, name: &str, character: Arc<Character>, pose: impl Fn(&Character, &mut Pose)) {
    let mut renderer = Renderer::new(gpu);
    let model = renderer.upload(gpu, &character).expect("the model fits the device");
    let mut actor = Actor::new(Arc::clone(&character));
    actor.edit(|into| pose(&character, into));
    let body = Body::of(&model, &actor);
    let (low, high) = character.bounds(actor.pose()).expect("something is shown");
    let height = (high - low).max_element();

    let mut moved = 0;
    for (index, mesh) in character.meshes.iter().enumerate() {
        let stage = VertexStage::new(
            &character,
            index,
            actor.palette(),
            actor.pose().channels(),
            &actor.pose().root,
        );
        let passes = [CapturedAs::Body, CapturedAs::Outline, CapturedAs::Shadow, CapturedAs::Id];
        let [captured, others @ ..] = passes.map(|pass| {
            renderer.capture(gpu, &body, index, pass).expect("a capture of the vertices")
        });
        let count = mesh.geometry.vertex_count();
        assert_eq!(captured.len(), count, "{name} mesh {index}");
        for (v, vertex) in captured.iter().enumerate() {
            let label = format!("{name} mesh {index} vertex {v}");
            let position = stage.position(v);
            let off = vertex.position.distance(position) / height;
            assert!(off < POSITION, "{label}: {vertex:?} but {position} ({off} heights)");
            let normal = stage.normal(v);
            let off = vertex.normal.distance(normal);
            assert!(off < NORMAL, "{label}: {vertex:?} but {normal}");
            moved += usize::from(position != mesh.geometry.positions[v]);
        }
        // The same bits in every pass: not close, the same.
        for (pass, other) in passes[1..].iter().zip(&others) {
            let bits = |list: &[Captured]| -> Vec<[u32; 7]> {
                let words = |c: &Captured| {
                    let (p, n) = (c.position, c.normal);
                    [p.x, p.y, p.z, n.x, n.y, n.z, c.facing].map(f32::to_bits)
                };
                list.iter().map(words).collect()
            };
            assert!(bits(other) == bits(&captured), "{name} mesh {index}: {pass:?} differs");
        }
    }
    // A test that compares rest poses compares nothing.
    assert!(moved > 0, "{name}: nothing moved");
}

/// A root that turns, moves, and scales unevenly.
fn root() -> Transform {
    Transform {
        translation: Vec3::new(0.3, -1.2, 2.0),
        rotation: math::yaw_pitch_roll(0.7, -0.2, 0.4),
        scale: Vec3::new(1.2, 0.8, 1.0),
    }
}

/// The middle of a character's clip, under [`root`].
fn mid_clip(clip: usize) -> impl Fn(&Character, &mut Pose) {
    move |character, pose| {
        let clip = &character.clips[clip];
        clip.sample(clip.duration * 0.37, &mut [], pose);
        pose.root = root();
    }
}

/// Turns every joint a little, each about another axis.
fn stirred(_: &Character, pose: &mut Pose) {
    for index in 0..pose.joint_count() {
        let joint = JointId::new(index);
        let angle = 0.3 * math::sin(1.7 * index as f32 + 0.4);
        let axis = Vec3::new(math::sin(index as f32), 1.0, math::cos(index as f32)).normalize();
        pose.set_rotation(joint, math::rotation(axis, angle) * pose.rotation(joint));
    }
    pose.root = root();
}

#[test]
fn rigid_parts() {
    let Some(gpu) = common::gpu() else { return };
    check(&gpu, "rabbit", Arc::new(enliven::builtin::rabbit()), stirred);
}

#[test]
fn skinned() {
    let Some(gpu) = common::gpu() else { return };
    let Some(fox) = common::asset("rigged/Fox.glb") else { return };
    for clip in 0..fox.clips.len() {
        check(&gpu, "Fox", Arc::clone(&fox), mid_clip(clip));
    }
}

#[test]
fn morphed() {
    let Some(gpu) = common::gpu() else { return };
    for path in ["morph/MorphStressTest.gltf", "morph/AnimatedMorphCube.glb"] {
        let Some(character) = common::asset(path) else { return };
        check(&gpu, path, character, |character, pose| {
            for (index, weight) in pose.channels_mut().iter_mut().enumerate() {
                *weight = [0.6, 0.0, -0.3, 1.4][index % 4];
            }
            assert!(character.meshes.iter().any(|mesh| !mesh.morphs.is_empty()));
            pose.root = root();
        });
    }
}

#[test]
fn static_model() {
    let Some(gpu) = common::gpu() else { return };
    let Some(character) = common::asset("static/squash_mob.glb") else { return };
    check(&gpu, "squash_mob", character, |_, pose| pose.root = root());
}

/// Mirrored, flattened and collapsed joints, eight influences, morphs with normals, vertices
/// enough for several rows of the capture and of the morph texture.
#[test]
fn hard_cases() {
    let Some(gpu) = common::gpu() else { return };
    for per_vertex in [4, 8] {
        let character = Arc::new(hard(per_vertex));
        for mirror in [1.0, -1.0] {
            check(&gpu, "hard", Arc::clone(&character), |_, pose| {
                for index in 0..pose.joint_count() {
                    let joint = JointId::new(index);
                    let turn = 0.4 * index as f32 - 0.9;
                    pose.set_rotation(joint, math::yaw_pitch_roll(turn, 0.5 * turn, -turn));
                    let factors = [
                        Vec3::new(-1.0, 1.0, 1.0),
                        Vec3::new(0.5, 2.0, 1.0),
                        Vec3::new(1.0, 0.05, 1.5),
                        Vec3::splat(1.25),
                    ];
                    pose.set_scale(joint, factors[index % 4]);
                }
                pose.channels_mut().copy_from_slice(&[0.7, 0.0, -0.4]);
                pose.root = root();
                pose.root.scale.x *= mirror;
            });
        }
    }
}

/// A sheet of 60 × 60 vertices that follows six joints in a row.
fn hard(per_vertex: usize) -> Character {
    const SIDE: usize = 60;
    const JOINTS: usize = 6;
    let mut skeleton = Skeleton::new();
    let mut parent = None;
    for index in 0..JOINTS {
        let rest = Transform::from_translation(Vec3::Y * if index == 0 { 0.0 } else { 0.2 });
        parent = Some(skeleton.push(format!("j{index}"), parent, rest).expect("a parent before"));
    }
    let mut geometry = Geometry { uvs: vec![Vec::new()], ..Geometry::default() };
    let mut influences = Influences { per_vertex, ..Influences::default() };
    for v in 0..SIDE * SIDE {
        let (x, y) = ((v % SIDE) as f32 / SIDE as f32, (v / SIDE) as f32 / SIDE as f32);
        geometry.positions.push(Vec3::new(x - 0.5, y, 0.1 * math::sin(9.0 * x)));
        geometry.normals.push(Vec3::new(-0.9 * math::cos(9.0 * x), 0.0, 1.0).normalize());
        geometry.uvs[0].push(Vec2::new(x, y));
        for i in 0..per_vertex {
            influences.joints.push(((v * 7 + i * 5) % JOINTS) as u16);
            influences.weights.push(1.0 + ((v + i * i) % 5) as f32);
        }
    }
    influences.normalize(1e-6);
    geometry.influences = Some(influences);
    for row in 0..SIDE - 1 {
        for column in 0..SIDE - 1 {
            let corner = (row * SIDE + column) as u32;
            let side = SIDE as u32;
            geometry.indices.extend([corner, corner + 1, corner + side]);
            geometry.indices.extend([corner + 1, corner + side + 1, corner + side]);
        }
    }
    let mut channels = Channels::new();
    for (index, name) in ["up", "none", "bulge"].into_iter().enumerate() {
        channels.push(Channel::new(name, ChannelKind::Morph));
        // Each moves another span of the vertices, the second none at all.
        let delta = |v: usize, by: Vec3| {
            if index == 1 || v < 500 * index { Vec3::ZERO } else { by * (v % 11) as f32 * 0.02 }
        };
        geometry.morphs.push(MorphTarget {
            name: name.into(),
            positions: (0..SIDE * SIDE).map(|v| delta(v, Vec3::new(0.3, 1.0, 0.5))).collect(),
            normals: (0..SIDE * SIDE).map(|v| delta(v, Vec3::new(1.0, 0.0, -0.5))).collect(),
            tangents: Vec::new(),
        });
    }
    let model = skeleton.rest_model();
    let skin = Skin {
        joints: skeleton.joints().collect(),
        inverse_binds: model.iter().map(|m| m.inverse().expect("regular")).collect(),
        ..Skin::default()
    };
    let regions = Regions::new(&skeleton, &[]);
    let mesh = |binding| Mesh {
        name: "sheet".into(),
        joint: JointId(0),
        geometry: Arc::new(geometry.clone()),
        material: MaterialId(0),
        binding,
        morphs: 0..3,
        shown: true,
    };
    Character::new(CharacterParts {
        name: "hard".into(),
        // A second mesh of the same channels that follows one joint rigidly.
        meshes: vec![mesh(Binding::Skin(SkinId(0))), mesh(Binding::Rigid(JointId(3)))],
        rig: Rig::new(skeleton, channels, regions, 1.0),
        skins: vec![skin],
        materials: Vec::new(),
        textures: Vec::new(),
        images: Vec::new(),
        clips: Vec::new(),
        meta: Meta::default(),
    })
    .expect("parts that fit")
}

/// Several bodies in one frame read their own palettes, weights and roots.
#[test]
fn each_instance_has_its_own_pose() {
    let Some(gpu) = common::gpu() else { return };
    let character = Arc::new(hard(4));
    let mut renderer = Renderer::new(&gpu);
    let model = renderer.upload(&gpu, &character).expect("the model fits the device");
    let actors: Vec<_> = (0..150)
        .map(|index| {
            let mut actor = Actor::new(Arc::clone(&character));
            actor.edit(|pose| {
                pose.set_channel(enliven::ChannelId(0), index as f32 * 0.01);
                let turn = Quat::from_axis_angle(Vec3::Y, index as f32 * 0.02);
                pose.set_rotation(JointId(1), turn);
                pose.root.translation = Vec3::X * index as f32;
            });
            actor
        })
        .collect();
    // A body is captured alone; that its neighbours do not disturb it shows in the ids.
    let bodies: Vec<_> = actors.iter().map(|actor| Body::of(&model, actor)).collect();
    let palette = actors[9].palette();
    assert_ne!(palette, actors[8].palette());
    let points: Vec<Vec3> = [0, 149].map(|i| bodies[i].root.translation()).to_vec();
    let camera = enliven_render::Camera::from_direction(Vec3::Z, &points, 8.0);
    let bounds = enliven_render::Bounds::of(points).expect("points");
    let scene = enliven_render::Scene {
        camera,
        stage: enliven_render::Stage::under(&bounds),
        bodies: &bodies,
        lines: &[],
    };
    let ids = renderer.id_picture(&gpu, &scene, 2000, 250).expect("a picture of ids");
    let clip = camera.clip_from_world(8.0);
    for (index, body) in bodies.iter().enumerate() {
        // The middle of the rigid sheet, which its palette entry carries.
        let entry = character.palette_layout().base(1) as usize;
        let at: Affine = body.root * body.palette[entry];
        let p = clip.project_point3(at.transform_point(Vec3::new(0.0, 0.52, 0.0)));
        let (x, y) = ((p.x * 0.5 + 0.5) * 2000.0, (0.5 - p.y * 0.5) * 250.0);
        let mut seen = false;
        for (dx, dy) in [(0, 0), (-2, 0), (2, 0), (0, -2), (0, 2), (-3, 3), (3, 3)] {
            let (x, y) = (x as i64 + dx, y as i64 + dy);
            if (0..2000).contains(&x) && (0..250).contains(&y) {
                let hit = ids[(y * 2000 + x) as usize];
                seen |= hit.is_some_and(|hit| hit.body == index);
            }
        }
        assert!(seen, "body {index} is not where its pose has it");
    }
}

/// A sheet of `side` × `side` vertices on four joints in a row, with fur and morphs; rigid or
/// skinned; and it sways.
fn furry(skinned: bool, side: usize) -> Character {
    let mut skeleton = Skeleton::new();
    let mut parent = None;
    for index in 0..4 {
        let rest = Transform::from_translation(Vec3::Y * if index == 0 { 0.0 } else { 0.3 });
        parent = Some(skeleton.push(format!("j{index}"), parent, rest).expect("a parent before"));
    }
    let mut geometry = Geometry::default();
    let mut influences = Influences { per_vertex: 4, ..Influences::default() };
    for v in 0..side * side {
        let (x, y) = ((v % side) as f32 / side as f32, (v / side) as f32 / side as f32);
        geometry.positions.push(Vec3::new(x - 0.5, y, 0.1 * math::sin(5.0 * x)));
        geometry.normals.push(Vec3::new(-0.5 * math::cos(5.0 * x), 0.0, 1.0).normalize());
        geometry.colors.push(enliven::glam::Vec4::new(1.0, 1.0, 1.0, 0.3 + 0.7 * x));
        influences.joints.extend([0, 1, 2, 3]);
        influences.weights.extend([1.0 - y, y, x * y, 0.5 * x]);
    }
    influences.normalize(1e-6);
    geometry.influences = Some(influences);
    for v in 0..(side * (side - 1)) as u32 {
        geometry.indices.extend([v, v + 1, v + side as u32]);
    }
    let push = |v: usize| Vec3::new(0.0, 0.05, 0.1) * (v % 3) as f32;
    geometry.morphs.push(MorphTarget {
        name: "push".into(),
        positions: (0..side * side).map(push).collect(),
        normals: (0..side * side).map(push).collect(),
        tangents: Vec::new(),
    });
    let mut channels = Channels::new();
    channels.push(Channel::new("push", ChannelKind::Morph));
    let skin = Skin {
        joints: skeleton.joints().collect(),
        inverse_binds: skeleton
            .rest_model()
            .iter()
            .map(|m| m.inverse().expect("regular"))
            .collect(),
        ..Skin::default()
    };
    let regions = Regions::new(&skeleton, &[]);
    let binding = if skinned { Binding::Skin(SkinId(0)) } else { Binding::Rigid(JointId(2)) };
    Character::new(CharacterParts {
        name: "furry".into(),
        meshes: vec![Mesh {
            name: "sheet".into(),
            joint: JointId(0),
            geometry: Arc::new(geometry),
            material: MaterialId(0),
            binding,
            morphs: 0..1,
            shown: true,
        }],
        rig: Rig::new(skeleton, channels, regions, 1.0),
        skins: vec![skin],
        materials: vec![enliven::Material {
            fur: Some(enliven::Fur { shells: 12, ..enliven::Fur::default() }),
            sway: Some(enliven::Sway::default()),
            ..enliven::Material::default()
        }],
        textures: Vec::new(),
        images: Vec::new(),
        clips: Vec::new(),
        meta: Meta::default(),
    })
    .expect("parts that fit")
}

/// Random turns, scales, morphs, roots and winds.
fn random(rng: &mut Rng, pose: &mut Pose) -> Breeze {
    let mut number = |low: f32, high: f32| low + (high - low) * rng.unit();
    for index in 0..pose.joint_count() {
        let joint = JointId::new(index);
        let axis = Vec3::new(number(-1.0, 1.0), number(-1.0, 1.0), number(0.1, 1.0)).normalize();
        pose.set_rotation(joint, math::rotation(axis, number(-1.5, 1.5)) * pose.rotation(joint));
        pose.set_scale(joint, Vec3::new(number(0.5, 1.5), number(0.5, 1.5), number(0.5, 1.5)));
    }
    for value in pose.channels_mut() {
        *value = number(-0.5, 1.0);
    }
    pose.root = Transform {
        translation: Vec3::new(number(-3.0, 3.0), number(-1.0, 1.0), number(-3.0, 3.0)),
        rotation: math::yaw_pitch_roll(number(-3.0, 3.0), number(-1.0, 1.0), number(-1.0, 1.0)),
        scale: Vec3::splat(number(0.5, 2.0)),
    };
    let wind = Vec3::new(number(-6.0, 6.0), number(-0.5, 0.5), number(-6.0, 6.0));
    Breeze::new(wind, f64::from(number(0.0, 500.0)))
}

/// In random poses and winds body, shadow, every tested shell of the fur, its shadow and the
/// outline round its tips are where the processor has them, on every furry mesh.
fn check_fur(gpu: &Gpu, name: &str, character: Arc<Character>, poses: usize, seed: u64) {
    let mut renderer = Renderer::new(gpu);
    let model = renderer.upload(gpu, &character).expect("the model fits the device");
    let mut rng = Rng::new(seed, 1);
    let mut grown = 0;
    for number in 0..poses {
        let mut actor = Actor::new(Arc::clone(&character));
        let mut air = Breeze::CALM;
        actor.edit(|pose| air = random(&mut rng, pose));
        let body = Body::of(&model, &actor);
        let (low, high) = character.bounds(actor.pose()).expect("something is shown");
        let height = (high - low).max_element();
        for (index, mesh) in character.meshes.iter().enumerate() {
            let Some(fur) = &character.materials[mesh.material.index()].fur else { continue };
            let pose = actor.pose();
            let stage =
                VertexStage::new(&character, index, actor.palette(), pose.channels(), &pose.root)
                    .in_air(air);
            let shell = 1 + (number % usize::from(fur.shells)) as u8;
            let passes = [
                (CapturedAs::Body, 0.0),
                (CapturedAs::Shadow, 0.0),
                (CapturedAs::Id, 0.0),
                (CapturedAs::Fur(shell), f32::from(shell) / f32::from(fur.shells)),
                (CapturedAs::FurShadow(shell), f32::from(shell) / f32::from(fur.shells)),
                (CapturedAs::Outline, 1.0),
            ];
            for (pass, at) in passes {
                let captured = renderer.capture_in_air(gpu, &body, index, pass, air);
                let captured = captured.expect("a capture of the vertices");
                for (v, vertex) in captured.iter().enumerate() {
                    let position = stage.hair(v, at);
                    let off = vertex.position.distance(position) / height;
                    assert!(
                        off < POSITION,
                        "{name} pose {number} mesh {index} vertex {v} {pass:?}: {vertex:?} but \
                         {position} ({off} heights)"
                    );
                    grown += usize::from(at > 0.0 && position != stage.position(v));
                }
            }
        }
    }
    assert!(grown > 0, "{name}: no hair stood out");
}

/// A19, invariants 1 and 2: a thousand random poses, half skinned and half on one joint.
#[test]
fn fur_shadow_and_outline_in_a_thousand_poses() {
    let Some(gpu) = common::gpu() else { return };
    check_fur(&gpu, "skinned", Arc::new(furry(true, 9)), 500, 1);
    check_fur(&gpu, "rigid", Arc::new(furry(false, 9)), 500, 2);
}

/// The same of whole bodies: the built-in creature, a fox with fur, and a static model.
#[test]
fn fur_of_whole_bodies() {
    let Some(gpu) = common::gpu() else { return };
    check_fur(&gpu, "creature", Arc::new(enliven::builtin::creature()), 3, 3);
    for path in ["rigged/Fox.glb", "static/squash_mob.glb"] {
        let Some(character) = common::asset(path) else { return };
        let mut parts = (*character).clone().into_parts();
        for material in &mut parts.materials {
            material.fur =
                Some(enliven::Fur { length: 0.02 * parts.rig.height, ..Default::default() });
        }
        let character = Character::new(parts).expect("parts that fit");
        check_fur(&gpu, path, Arc::new(character), 3, 4);
    }
}

/// Water rises and falls on the device as on the processor, so that a boat lies on it.
#[test]
fn waves_are_where_a_boat_feels_them() {
    let Some(gpu) = common::gpu() else { return };
    let water = enliven::Water::default();
    let mut parts = furry(false, 20).into_parts();
    let material = enliven::Material { water: Some(water), ..enliven::Material::default() };
    parts.materials = vec![material];
    let character = Arc::new(Character::new(parts).expect("parts that fit"));
    let mut renderer = Renderer::new(&gpu);
    let model = renderer.upload(&gpu, &character).expect("the model fits the device");
    let mut actor = Actor::new(Arc::clone(&character));
    actor.edit(|pose| pose.root.scale = Vec3::new(40.0, 1.0, 40.0));
    let body = Body::of(&model, &actor);
    for time in [0.0, 1.3, 59.9, 1e4] {
        let air = Breeze::new(Vec3::ZERO, time);
        let pose = actor.pose();
        let calm = VertexStage::new(&character, 0, actor.palette(), pose.channels(), &pose.root);
        let stage = calm.in_air(air);
        let captured = renderer.capture_in_air(&gpu, &body, 0, CapturedAs::Body, air);
        for (v, vertex) in captured.expect("a capture").iter().enumerate() {
            let position = stage.position(v);
            assert!(vertex.position.distance(position) < 1e-4, "{vertex:?} {position}");
            assert!(vertex.normal.distance(stage.normal(v)) < NORMAL, "{vertex:?}");
        }
    }
}

/// What three.js gets is what naga writes for GLES: the vertex function in that language, compiled
/// by a GLES driver, agrees with the processor too.
#[test]
fn the_same_in_the_language_of_webgl2() {
    let program = std::env::current_exe().expect("this test");
    for name in ["skinned", "fur_of_whole_bodies", "waves_are_where_a_boat_feels_them"] {
        let run = std::process::Command::new(&program)
            .args(["--exact", name, "--nocapture"])
            .env("WGPU_BACKEND", "gl")
            .output()
            .expect("a test that runs");
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{name}: {told}");
        if told.contains("skipped") {
            eprintln!("skipped: {told}");
        }
    }
}
