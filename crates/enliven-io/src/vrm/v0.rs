//! VRM 0.x. Its numbers are Unity's: left-handed, z the other way round than in the glTF around
//! them, colours in sRGB, weights in percent.

use enliven::{
    JointId, MaterialFactor, MaterialId, Skeleton,
    glam::Vec3,
    math,
    person::{
        Collider, ColliderShape, FirstPerson, HumanBone, LookAt, LookAtKind, Override, Person,
        Preset, SpringChain, SpringJoint, SpringSet,
    },
};
use serde_json::Value;

use super::{
    Source,
    face::{Bind, Face},
    tree::{self, At, Path},
    v1,
};
use crate::Diagnostic;

pub(super) fn read(
    source: &Source,
    at: At,
    faces: &mut Vec<Face>,
    found: &mut Vec<Diagnostic>,
) -> Person {
    let path = Path::Key(at.path(), "humanoid");
    let path = Path::Key(&path, "humanBones");
    let bones = at.get("humanoid").and_then(|h| h.get("humanBones"));
    let mut list = Vec::new();
    for (i, v) in tree::entries(bones) {
        let path = Path::Index(&path, i);
        let at = At::new(v, &path);
        let Some(bone) = at.text("bone").and_then(HumanBone::from_name_v0) else {
            at.say(found, "VRM_BONE_UNKNOWN", "not a humanoid bone; left out");
            continue;
        };
        list.push((bone, at.get("node").cloned().unwrap_or(Value::Null), path.text()));
    }
    let humanoid = v1::humanoid(source, list, found);
    expressions(source, at, faces, found);

    let path = Path::Key(at.path(), "firstPerson");
    let first = At::new(at.get("firstPerson").unwrap_or(&Value::Null), &path);
    let look_at = at.get("firstPerson").map(|_| look_at(first, found));
    let mut first_person = Vec::new();
    for (_, v) in tree::entries(first.get("meshAnnotations")) {
        let flag = match v.get("firstPersonFlag").and_then(Value::as_str) {
            Some("Both") => FirstPerson::Both,
            Some("ThirdPersonOnly") => FirstPerson::ThirdPersonOnly,
            Some("FirstPersonOnly") => FirstPerson::FirstPersonOnly,
            _ => FirstPerson::Auto,
        };
        if let Some(mesh) = v.get("mesh").and_then(tree::index) {
            first_person.extend(source.meshes_of_mesh(mesh).into_iter().map(|m| (m, flag)));
        }
    }
    let path = Path::Key(at.path(), "secondaryAnimation");
    let springs = At::new(at.get("secondaryAnimation").unwrap_or(&Value::Null), &path);
    let springs = self::springs(source, springs, found);
    Person { humanoid, look_at, springs, first_person, ..Person::default() }
}

fn expressions(source: &Source, at: At, faces: &mut Vec<Face>, found: &mut Vec<Diagnostic>) {
    let path = Path::Key(at.path(), "blendShapeMaster");
    let path = Path::Key(&path, "blendShapeGroups");
    let groups = at.get("blendShapeMaster").and_then(|m| m.get("blendShapeGroups"));
    for (i, v) in tree::entries(groups) {
        let path = Path::Index(&path, i);
        let at = At::new(v, &path);
        let own = at.text("name").unwrap_or_default();
        let preset = at.text("presetName").filter(|p| !p.eq_ignore_ascii_case("unknown"));
        let preset = preset.and_then(|name| {
            let known = Preset::from_name_v0(name);
            if known.is_none() {
                let message = format!("there is no preset {name:?}; kept as custom");
                at.say(found, "VRM_EXPRESSION_UNKNOWN", message);
            }
            known
        });
        let name = match preset {
            Some(preset) => preset.name().to_owned(),
            None => own.to_owned(),
        };
        if faces.iter().any(|f| f.name == name) {
            let message = format!("there is an expression {name:?} already; left out");
            at.say(found, "VRM_EXPRESSION_TWICE", message);
            continue;
        }
        let mut binds = Vec::new();
        let root = Path::Key(at.path(), "binds");
        for (k, v) in tree::entries(at.get("binds")) {
            let path = Path::Index(&root, k);
            let at = At::new(v, &path);
            let meshes = at.index("mesh").map(|m| source.meshes_of_mesh(m)).unwrap_or_default();
            let weight = at.number("weight", 100.0, found) * 0.01;
            binds.extend(v1::morphs(source, at, &meshes, weight, found));
        }
        let root = Path::Key(at.path(), "materialValues");
        for (k, v) in tree::entries(at.get("materialValues")) {
            let path = Path::Index(&root, k);
            binds.extend(material_value(source, At::new(v, &path), found));
        }
        faces.push(Face {
            name,
            preset,
            binary: at.flag("isBinary"),
            overrides: [Override::None; 3],
            binds,
        });
    }
}

fn material_value(source: &Source, at: At, found: &mut Vec<Diagnostic>) -> Vec<Bind> {
    let name = at.text("materialName").unwrap_or_default();
    let property = at.text("propertyName").unwrap_or_default();
    let target: Vec<f32> = tree::entries(at.get("targetValue"))
        .filter_map(|(_, v)| v.as_f64().map(|v| v as f32))
        .filter(|v| v.is_finite())
        .collect();
    let materials: Vec<MaterialId> = (0..source.character.materials.len())
        .filter(|i| source.character.materials[*i].name == name)
        .map(MaterialId::new)
        .collect();
    if materials.is_empty() {
        let message = format!("there is no material {name:?}; left out");
        at.say(found, "VRM_EXPRESSION_MATERIAL_MISSING", message);
    }
    let mut out = Vec::new();
    for material in materials {
        if property == "_MainTex_ST" {
            if let [x, y, u, v] = target[..] {
                // v runs from the bottom there.
                out.extend(v1::texture_binds(material, [x, y], [u, 1.0 - v - y]));
            }
            continue;
        }
        let factor: v1::Color = match property {
            "_Color" => MaterialFactor::BaseColor,
            "_EmissionColor" => MaterialFactor::Emissive,
            "_ShadeColor" => MaterialFactor::Shade,
            "_RimColor" => MaterialFactor::Rim,
            "_OutlineColor" => MaterialFactor::Outline,
            other => {
                let message = format!("{other:?} is not driven");
                at.say(found, "VRM_EXPRESSION_BIND_UNSUPPORTED", message);
                continue;
            }
        };
        let linear: Vec<f32> = target
            .iter()
            .enumerate()
            .map(|(i, v)| if i < 3 { srgb_to_linear(*v) } else { *v })
            .collect();
        out.extend(v1::color_binds(material, factor, &linear));
    }
    out
}

/// IEC 61966-2-1.
fn srgb_to_linear(v: f32) -> f32 {
    if v <= 0.04045 { v / 12.92 } else { math::pow((v + 0.055) / 1.055, 2.4) }
}

/// Along z the other way round.
fn flipped(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, -v.z)
}

fn look_at(at: At, found: &mut Vec<Diagnostic>) -> LookAt {
    let bones = at.text("lookAtTypeName") != Some("BlendShape");
    let map = |key: &str, found: &mut Vec<Diagnostic>| {
        let path = Path::Key(at.path(), key);
        let at = At::new(at.get(key).unwrap_or(&Value::Null), &path);
        let limit = at.positive("xRange", 90.0, found);
        let scale = at.number("yRange", if bones { 10.0 } else { 1.0 }, found);
        v1::range_map(limit, scale, bones)
    };
    LookAt {
        kind: if bones { LookAtKind::Bones } else { LookAtKind::Expressions },
        offset: at.vector("firstPersonBoneOffset").map_or(LookAt::bones().offset, flipped),
        inner: map("lookAtHorizontalInner", found),
        outer: map("lookAtHorizontalOuter", found),
        down: map("lookAtVerticalDown", found),
        up: map("lookAtVerticalUp", found),
        front: Vec3::Z,
    }
}

fn springs(source: &Source, at: At, found: &mut Vec<Diagnostic>) -> SpringSet {
    let mut set = SpringSet::default();
    let path = Path::Key(at.path(), "colliderGroups");
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for (i, v) in tree::entries(at.get("colliderGroups")) {
        let path = Path::Index(&path, i);
        let at = At::new(v, &path);
        let mut group = Vec::new();
        let joint = at.index("node").and_then(|n| source.joint(n));
        match joint {
            Some(joint) => {
                for (_, c) in tree::entries(at.get("colliders")) {
                    let at = At::new(c, &path);
                    let offset = flipped(at.vector("offset").unwrap_or(Vec3::ZERO));
                    let radius = at.positive("radius", 0.0, found);
                    group.push(set.colliders.len() as u32);
                    let shape = ColliderShape::Sphere { offset, radius, inside: false };
                    set.colliders.push(Collider { joint, shape });
                }
            }
            None => {
                let node = at.get("node").unwrap_or(&Value::Null);
                let message = format!("there is no node {node}; its colliders are left out");
                at.say(found, "VRM_NODE_MISSING", message);
            }
        }
        groups.push(group);
    }
    let skeleton = &source.character.rig.skeleton;
    let mut taken = vec![false; skeleton.len()];
    let path = Path::Key(at.path(), "boneGroups");
    for (i, v) in tree::entries(at.get("boneGroups")) {
        let path = Path::Index(&path, i);
        let at = At::new(v, &path);
        let mut colliders = Vec::new();
        for (_, g) in tree::entries(at.get("colliderGroups")) {
            match tree::index(g).and_then(|g| groups.get(g)) {
                Some(group) => colliders.extend_from_slice(group),
                None => {
                    let message = format!("there is no collider group {g}; left out");
                    at.say(found, "VRM_SPRING_COLLIDER_GROUP_MISSING", message);
                }
            }
        }
        // Unity → the glTF around (z the other way) → turned to look along +Z.
        let dir = at.vector("gravityDir").unwrap_or(Vec3::NEG_Y);
        let dir = Vec3::new(-dir.x, dir.y, dir.z);
        let like = SpringJoint {
            // The specification's own spelling.
            stiffness: at.positive("stiffiness", 1.0, found),
            gravity_power: at.number("gravityPower", 0.0, found),
            gravity_dir: dir.try_normalize().unwrap_or(Vec3::ZERO),
            drag: at.number("dragForce", 0.4, found).clamp(0.0, 1.0),
            radius: at.positive("hitRadius", 0.02, found),
            ..SpringJoint::new(JointId(0), None)
        };
        let mut chain = SpringChain {
            name: at.text("comment").unwrap_or_default().to_owned(),
            joints: Vec::new(),
            colliders,
            center: at.index("center").and_then(|c| source.joint(c)),
        };
        for (_, bone) in tree::entries(at.get("bones")) {
            let Some(root) = tree::index(bone).and_then(|n| source.joint(n)) else {
                let message = format!("there is no node {bone}; it does not swing");
                at.say(found, "VRM_NODE_MISSING", message);
                continue;
            };
            for joint in below(skeleton, root) {
                if std::mem::replace(&mut taken[joint.index()], true) {
                    let message = format!("{:?} swings in an earlier group", skeleton.name(joint));
                    at.say(found, "VRM_SPRING_JOINT_TWICE", message);
                    continue;
                }
                let tip = skeleton.children(Some(joint)).next();
                chain.joints.push(SpringJoint { joint, tip, ..like });
            }
        }
        if chain.joints.is_empty() {
            at.warn(found, "VRM_SPRING_EMPTY", "a group in which nothing can swing; left out");
        } else {
            set.chains.push(chain);
        }
    }
    set
}

/// A joint and everything below it.
fn below(skeleton: &Skeleton, root: JointId) -> Vec<JointId> {
    let mut inside = vec![false; skeleton.len()];
    inside[root.index()] = true;
    skeleton
        .joints()
        .filter(|j| {
            let up = skeleton.parent(*j).is_some_and(|p| inside[p.index()]);
            inside[j.index()] |= up;
            inside[j.index()]
        })
        .collect()
}
