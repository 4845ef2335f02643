//! What a character refuses, and what its vertex function does.
#![allow(clippy::unwrap_used)] // A test may panic.

use enliven::glam::Vec3;
use enliven::*;
use std::sync::Arc;

fn triangle() -> Geometry {
    Geometry {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals: vec![Vec3::Z; 3],
        indices: vec![0, 1, 2],
        ..Geometry::default()
    }
}

fn influences() -> Influences {
    Influences {
        per_vertex: 4,
        joints: vec![0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        weights: vec![0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    }
}

/// Two joints; one skinned triangle with a morph target, one rigid triangle.
fn parts() -> CharacterParts {
    let mut s = Skeleton::new();
    let a = s.push("a", None, Transform::from_translation(Vec3::Y)).unwrap();
    let b = s.push("b", Some(a), Transform::from_translation(Vec3::Y)).unwrap();
    let skin = Skin {
        name: "skin".into(),
        joints: vec![a, b],
        inverse_binds: s.rest_model().iter().map(|m| m.inverse().unwrap()).collect(),
        root: None,
    };
    let mut channels = Channels::new();
    channels.push(Channel::new("up", ChannelKind::Morph));
    let skinned = Geometry {
        influences: Some(influences()),
        morphs: vec![MorphTarget {
            name: "up".into(),
            positions: vec![Vec3::Y; 3],
            ..MorphTarget::default()
        }],
        ..triangle()
    };
    let mesh = |geometry: Geometry, binding, morphs| Mesh {
        name: "mesh".into(),
        joint: a,
        geometry: Arc::new(geometry),
        material: MaterialId(0),
        binding,
        morphs,
        shown: true,
    };
    let regions = Regions::new(&s, &[]);
    CharacterParts {
        name: "test".into(),
        rig: Rig::new(s, channels, regions, 2.0),
        meshes: vec![
            mesh(skinned, Binding::Skin(SkinId(0)), 0..1),
            mesh(triangle(), Binding::Rigid(b), 1..1),
        ],
        skins: vec![skin],
        materials: vec![],
        textures: vec![],
        images: vec![],
        clips: vec![],
        meta: Meta::default(),
    }
}

fn refused(change: impl FnOnce(&mut CharacterParts)) -> &'static str {
    let mut p = parts();
    change(&mut p);
    Character::new(p).map(|_| ()).expect_err("must be refused").what
}

fn geometry(p: &mut CharacterParts, mesh: usize) -> &mut Geometry {
    Arc::get_mut(&mut p.meshes[mesh].geometry).unwrap()
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    assert!(Character::new(parts()).is_ok());
    assert_eq!(refused(|p| geometry(p, 0).indices[2] = 3), "mesh");
    assert_eq!(refused(|p| geometry(p, 0).normals.truncate(2)), "mesh");
    assert_eq!(refused(|p| geometry(p, 1).uvs.push(vec![Default::default()])), "mesh");
    assert_eq!(refused(|p| geometry(p, 0).morphs[0].normals.push(Vec3::X)), "mesh");
}

#[test]
fn every_index_is_checked() {
    assert_eq!(refused(|p| geometry(p, 0).influences.as_mut().unwrap().joints[0] = 2), "mesh");
    assert_eq!(refused(|p| geometry(p, 0).influences = None), "mesh");
    assert_eq!(refused(|p| geometry(p, 0).influences.as_mut().unwrap().per_vertex = 3), "mesh");
    assert_eq!(refused(|p| p.meshes[0].morphs = 0..0), "mesh");
    assert_eq!(refused(|p| p.meshes[0].morphs = 1..2), "mesh");
    assert_eq!(refused(|p| p.meshes[0].material = MaterialId(1)), "mesh");
    assert_eq!(refused(|p| p.meshes[0].binding = Binding::Skin(SkinId(1))), "mesh");
    assert_eq!(refused(|p| p.meshes[1].binding = Binding::Rigid(JointId(2))), "mesh");
    assert_eq!(refused(|p| p.meshes[1].joint = JointId(2)), "mesh");
    assert_eq!(refused(|p| p.skins[0].joints[1] = JointId(2)), "skin");
    assert_eq!(refused(|p| p.skins[0].inverse_binds.clear()), "skin");
    assert_eq!(
        refused(|p| p.images.push(Image { width: 2, height: 2, ..Image::default() })),
        "image"
    );
    assert_eq!(
        refused(|p| p.textures.push(Texture {
            name: String::new(),
            image: Some(ImageId(0)),
            sampler: Sampler::default()
        })),
        "texture"
    );
    assert_eq!(
        refused(|p| {
            p.materials.push(Material {
                base_color_texture: Some(TextureRef::new(TextureId(0))),
                ..Material::default()
            });
        }),
        "material"
    );
    let track = |target, width| {
        let curve = Curve::new(vec![0.0], vec![0.0; width], width, Interpolation::Linear).unwrap();
        Clip::new("c", vec![Track { target, curve }])
    };
    let joint = Target::Joint(JointId(2), Property::Scale);
    assert_eq!(refused(|p| p.clips.push(track(joint, 3))), "clip");
    assert_eq!(refused(|p| p.clips.push(track(Target::Channel(ChannelId(1)), 1))), "clip");
    assert_eq!(refused(|p| p.clips.push(track(Target::Root(Property::Scale), 4))), "clip");
}

#[test]
fn morph_then_skin_then_root() {
    let character = Arc::new(Character::new(parts()).unwrap());
    let mut actor = Actor::new(character.clone());
    let at = |actor: &Actor, mesh, v| {
        let pose = actor.pose();
        VertexStage::new(&character, mesh, actor.palette(), pose.channels(), &pose.root).position(v)
    };
    // At rest the skin is the identity and the rigid part stands at its joint.
    assert_eq!(at(&actor, 0, 1), Vec3::X);
    assert_eq!(at(&actor, 1, 1), Vec3::new(1.0, 2.0, 0.0));
    actor.edit(|pose| {
        pose.set_channel(ChannelId(0), 0.5);
        // Joint b stands at (0, 2, 0) and turns a quarter about z: x → y.
        pose.set_rotation(JointId(1), math::rotation(Vec3::Z, math::PI / 2.0));
        pose.root = Transform::from_translation(Vec3::new(0.0, 0.0, 5.0));
    });
    // Vertex 1 follows b alone: (1, 0.5) − (0, 2) = (1, −1.5) → (1.5, 1) + (0, 2).
    assert!(at(&actor, 0, 1).abs_diff_eq(Vec3::new(1.5, 3.0, 5.0), 1e-5));
    // Vertex 0 follows both by half: (0, 0.5) and (0,−1.5) → (1.5, 0) + (0, 2).
    assert!(at(&actor, 0, 0).abs_diff_eq(Vec3::new(0.75, 1.25, 5.0), 1e-5));
    let (lo, hi) = character.bounds(actor.pose()).unwrap();
    assert!(lo.x < -0.99 && hi.x > 1.49, "bounds follow the pose: {lo} {hi}");
}

#[test]
fn copies_share_nothing_but_the_character() {
    let character = Arc::new(Character::new(parts()).unwrap());
    let (mut a, b) = (Actor::new(character.clone()), Actor::new(character));
    a.edit(|p| p.set_translation(JointId(0), Vec3::splat(9.0)));
    assert_ne!(a.palette(), b.palette());
    assert_eq!(b.pose(), &Pose::rest(&b.character().rig));
}
