//! VRMC_vrm 1.0 and VRMC_node_constraint 1.0.

use enliven::{
    MaterialFactor, MaterialId,
    glam::Vec3,
    person::{
        ConstraintKind, FirstPerson, HumanBone, Humanoid, LookAt, LookAtKind, NodeConstraint,
        NodeConstraints, Override, Person, Preset, RangeMap,
    },
};
use serde_json::Value;

use super::{
    Source,
    face::{Bind, Face},
    springs,
    tree::{self, At, Path},
};
use crate::{Diagnostic, Severity};

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
    for (name, bone) in tree::pairs(bones) {
        let path = Path::Key(&path, name);
        let at = At::new(bone, &path);
        let Some(known) = HumanBone::from_name(name) else {
            at.say(found, "VRM_BONE_UNKNOWN", "not a humanoid bone; left out");
            continue;
        };
        list.push((known, at.get("node").cloned().unwrap_or(Value::Null), path.text()));
    }
    let humanoid = humanoid(source, list, found);

    let expressions = At::new(at.get("expressions").unwrap_or(&Value::Null), at.path());
    let root = Path::Key(at.path(), "expressions");
    for group in ["preset", "custom"] {
        let path = Path::Key(&root, group);
        for (name, value) in tree::pairs(expressions.get(group)) {
            let path = Path::Key(&path, name);
            let at = At::new(value, &path);
            let preset = (group == "preset").then(|| Preset::from_name(name)).flatten();
            if group == "preset" && preset.is_none() {
                at.say(found, "VRM_EXPRESSION_UNKNOWN", "no preset of that name; kept as custom");
            }
            if faces.iter().any(|f| f.name == *name) {
                at.say(found, "VRM_EXPRESSION_TWICE", "the name is taken by a preset; left out");
                continue;
            }
            let binds = binds(source, at, found);
            faces.push(Face {
                name: name.clone(),
                preset,
                binary: at.flag("isBinary"),
                overrides: ["overrideBlink", "overrideLookAt", "overrideMouth"]
                    .map(|key| overriding(at, key, found)),
                binds,
            });
        }
    }

    let path = Path::Key(at.path(), "lookAt");
    let look_at = at.get("lookAt").map(|v| look_at(At::new(v, &path), found));
    let mut first_person = Vec::new();
    let annotations = at.get("firstPerson").and_then(|f| f.get("meshAnnotations"));
    for (_, v) in tree::entries(annotations) {
        let flag = match v.get("type").and_then(Value::as_str) {
            Some("both") => FirstPerson::Both,
            Some("thirdPersonOnly") => FirstPerson::ThirdPersonOnly,
            Some("firstPersonOnly") => FirstPerson::FirstPersonOnly,
            _ => FirstPerson::Auto,
        };
        if let Some(node) = v.get("node").and_then(tree::index) {
            first_person.extend(source.meshes_of_node(node).into_iter().map(|m| (m, flag)));
        }
    }
    Person {
        humanoid,
        look_at,
        springs: springs::read(source, found),
        constraints: constraints(source, found),
        first_person,
        ..Person::default()
    }
}

/// The bones whose nodes exist; what is left out or missing is said.
pub(super) fn humanoid(
    source: &Source,
    bones: Vec<(HumanBone, Value, String)>,
    found: &mut Vec<Diagnostic>,
) -> Humanoid {
    let mut say = |code, place: &str, message: String| {
        // A body without every bone still moves; what is mapped wrongly is left out.
        let severity = match code {
            "VRM_BONES_MISSING" | "VRM_BONE_ORDER" => Severity::Warning,
            _ => Severity::Error,
        };
        found.push(Diagnostic::new(severity, code, place, message));
    };
    let mut list: Vec<(HumanBone, enliven::JointId)> = Vec::new();
    for (bone, node, place) in &bones {
        // Some writers keep a slot for every bone and put −1 where there is none.
        let joint = tree::index(node).and_then(|n| source.joint(n));
        let Some(joint) = joint else {
            let message = format!("there is no node {node}; the bone is left out");
            say("VRM_BONE_NODE_MISSING", place, message);
            continue;
        };
        if list.iter().any(|(b, _)| b == bone) {
            let message = format!("{} is mapped twice; the first stays", bone.name());
            say("VRM_BONE_TWICE", place, message);
            continue;
        }
        if let Some((other, _)) = list.iter().find(|(_, j)| *j == joint) {
            let message = format!("node {node} is {} already; left out", other.name());
            say("VRM_BONE_NODE_TWICE", place, message);
            continue;
        }
        list.push((*bone, joint));
    }
    let body = Humanoid::new(&source.character.rig.skeleton, list);
    let place = bones.first().map_or("/extensions", |b| b.2.as_str());
    let place = place.rsplit_once('/').map_or(place, |(up, _)| up);
    let missing: Vec<&str> = body.missing().map(HumanBone::name).collect();
    if !missing.is_empty() {
        let message = format!("required bones are missing: {}", missing.join(", "));
        say("VRM_BONES_MISSING", place, message);
    }
    for (bone, joint) in body.bones() {
        let Some((parent, above)) = body.parent(bone).and_then(|p| Some((p, body.joint(p)?)))
        else {
            continue;
        };
        if !source.character.rig.skeleton.is_ancestor(above, joint) {
            let message =
                format!("{} is not below {}; motion may look wrong", bone.name(), parent.name());
            say("VRM_BONE_ORDER", place, message);
        }
    }
    body
}

fn overriding(at: At, key: &str, found: &mut Vec<Diagnostic>) -> Override {
    match at.text(key) {
        None | Some("none") => Override::None,
        Some("block") => Override::Block,
        Some("blend") => Override::Blend,
        Some(other) => {
            let message = format!("{key} is {other:?}; it overrides nothing");
            at.say(found, "VRM_VALUE_INVALID", message);
            Override::None
        }
    }
}

fn binds(source: &Source, at: At, found: &mut Vec<Diagnostic>) -> Vec<Bind> {
    let mut out = Vec::new();
    let path = Path::Key(at.path(), "morphTargetBinds");
    for (i, v) in tree::entries(at.get("morphTargetBinds")) {
        let path = Path::Index(&path, i);
        let at = At::new(v, &path);
        let meshes = at.index("node").map(|n| source.meshes_of_node(n)).unwrap_or_default();
        let weight = at.number("weight", 1.0, found);
        out.extend(morphs(source, at, &meshes, weight, found));
    }
    let path = Path::Key(at.path(), "materialColorBinds");
    for (i, v) in tree::entries(at.get("materialColorBinds")) {
        let path = Path::Index(&path, i);
        let at = At::new(v, &path);
        let Some(material) = material(source, at, found) else { continue };
        let target: Vec<f32> = tree::entries(at.get("targetValue"))
            .filter_map(|(_, v)| v.as_f64().map(|v| v as f32))
            .filter(|v| v.is_finite())
            .collect();
        let Some(factor) = color(at.text("type").unwrap_or_default()) else {
            let message = format!("the colour {} is not driven", at.text("type").unwrap_or("?"));
            at.say(found, "VRM_EXPRESSION_BIND_UNSUPPORTED", message);
            continue;
        };
        let gain = match factor(0) {
            MaterialFactor::Emissive(_) => {
                super::emissive_strength(source.json.get("materials"), material.index())
            }
            _ => 1.0,
        };
        let target: Vec<f32> = target.iter().map(|v| v * gain).collect();
        out.extend(color_binds(material, factor, &target));
    }
    let path = Path::Key(at.path(), "textureTransformBinds");
    for (i, v) in tree::entries(at.get("textureTransformBinds")) {
        let path = Path::Index(&path, i);
        let at = At::new(v, &path);
        let Some(material) = material(source, at, found) else { continue };
        let pair = |key: &str, default: f32| {
            let part = |i: usize| {
                let v = at.get(key).and_then(|v| v.get(i)).and_then(Value::as_f64);
                v.map_or(default, |v| v as f32)
            };
            [part(0), part(1)]
        };
        out.extend(texture_binds(material, pair("scale", 1.0), pair("offset", 0.0)));
    }
    out
}

/// The binds of one morph target on every primitive of a mesh.
pub(super) fn morphs(
    source: &Source,
    at: At,
    meshes: &[enliven::MeshId],
    weight: f32,
    found: &mut Vec<Diagnostic>,
) -> Vec<Bind> {
    let index = at.index("index");
    let mut out = Vec::new();
    for mesh in meshes {
        let morphs = &source.character.meshes[mesh.index()].morphs;
        if let Some(i) = index.filter(|i| *i < morphs.len()) {
            let channel = enliven::ChannelId(morphs.start + i as u32);
            // Primitives at one node share their channels.
            let known = out.iter().any(|b| matches!(b, Bind::Morph(c, _) if *c == channel));
            if !known {
                out.push(Bind::Morph(channel, weight));
            }
        }
    }
    if out.is_empty() {
        let index = at.get("index").unwrap_or(&Value::Null);
        let message = format!("there is no morph target {index}; the bind is left out");
        at.say(found, "VRM_EXPRESSION_MORPH_MISSING", message);
    }
    out
}

fn material(source: &Source, at: At, found: &mut Vec<Diagnostic>) -> Option<MaterialId> {
    let known = at.index("material").filter(|m| *m < source.character.materials.len());
    if known.is_none() {
        let material = at.get("material").unwrap_or(&Value::Null);
        let message = format!("there is no material {material}; the bind is left out");
        at.say(found, "VRM_EXPRESSION_MATERIAL_MISSING", message);
    }
    known.map(MaterialId::new)
}

/// The factors of a colour type, by component.
pub(super) type Color = fn(u8) -> MaterialFactor;

fn color(name: &str) -> Option<Color> {
    match name {
        "color" => Some(MaterialFactor::BaseColor),
        "emissionColor" => Some(MaterialFactor::Emissive),
        "shadeColor" => Some(MaterialFactor::Shade),
        "matcapColor" => Some(MaterialFactor::Matcap),
        "rimColor" => Some(MaterialFactor::Rim),
        "outlineColor" => Some(MaterialFactor::Outline),
        _ => None,
    }
}

pub(super) fn color_binds(material: MaterialId, factor: Color, target: &[f32]) -> Vec<Bind> {
    // Only the base colour has an alpha.
    let parts = if matches!(factor(0), MaterialFactor::BaseColor(_)) { 4 } else { 3 };
    target
        .iter()
        .take(parts)
        .enumerate()
        .map(|(i, v)| Bind::Factor(material, factor(i as u8), *v))
        .collect()
}

pub(super) fn texture_binds(
    material: MaterialId,
    scale: [f32; 2],
    offset: [f32; 2],
) -> impl Iterator<Item = Bind> {
    (0..2u8).flat_map(move |i| {
        let k = usize::from(i);
        [
            Bind::Factor(material, MaterialFactor::UvScale(i), scale[k]),
            Bind::Factor(material, MaterialFactor::UvOffset(i), offset[k]),
        ]
    })
}

fn look_at(at: At, found: &mut Vec<Diagnostic>) -> LookAt {
    let bones = at.text("type") != Some("expression");
    let map = |key: &str, found: &mut Vec<Diagnostic>| {
        let path = Path::Key(at.path(), key);
        let at = At::new(at.get(key).unwrap_or(&Value::Null), &path);
        let limit = at.positive("inputMaxValue", 90.0, found);
        let scale = at.number("outputScale", if bones { 10.0 } else { 1.0 }, found);
        range_map(limit, scale, bones)
    };
    LookAt {
        kind: if bones { LookAtKind::Bones } else { LookAtKind::Expressions },
        offset: at.vector("offsetFromHeadBone").unwrap_or(LookAt::bones().offset),
        inner: map("rangeMapHorizontalInner", found),
        outer: map("rangeMapHorizontalOuter", found),
        down: map("rangeMapVerticalDown", found),
        up: map("rangeMapVerticalUp", found),
        front: Vec3::Z,
    }
}

/// From degrees; a limit below 0.01° counts as that, so that the map stays a slope.
pub(super) fn range_map(limit: f32, scale: f32, bones: bool) -> RangeMap {
    RangeMap {
        limit: limit.max(0.01).to_radians(),
        scale: if bones { scale.to_radians() } else { scale },
    }
}

pub(super) fn constraints(source: &Source, found: &mut Vec<Diagnostic>) -> Vec<NodeConstraint> {
    let mut out = Vec::new();
    let root = Path::Root("/nodes");
    for (i, node) in tree::entries(source.json.get("nodes")) {
        let extension = node.get("extensions").and_then(|e| e.get("VRMC_node_constraint"));
        let Some(constraint) = extension.and_then(|e| e.get("constraint")) else { continue };
        let path = Path::Index(&root, i);
        let path = Path::Key(&path, "extensions");
        let path = Path::Key(&path, "VRMC_node_constraint");
        let path = Path::Key(&path, "constraint");
        let part = |name: &str| constraint.get(name).filter(|v| v.is_object());
        let (value, kind) = if let Some(v) = part("rotation") {
            (v, Some(ConstraintKind::Rotation))
        } else if let Some(v) = part("roll") {
            (v, axis(v, "rollAxis").map(ConstraintKind::Roll))
        } else if let Some(v) = part("aim") {
            (v, axis(v, "aimAxis").map(ConstraintKind::Aim))
        } else {
            (constraint, None)
        };
        let at = At::new(value, &path);
        let source_joint = at.index("source").and_then(|n| source.joint(n));
        let (Some(kind), Some(from)) = (kind, source_joint) else {
            at.say(found, "VRM_CONSTRAINT_INVALID", "the constraint is not usable; left out");
            continue;
        };
        let weight = at.number("weight", 1.0, found);
        out.push(NodeConstraint { joint: source.joints[i], source: from, kind, weight });
    }
    // Circles are found once, here; the layer leaves the same ones out.
    found.extend(NodeConstraints::new(&source.character.rig.skeleton, &out).1);
    out
}

fn axis(value: &Value, key: &str) -> Option<Vec3> {
    Some(match value.get(key)?.as_str()? {
        "X" | "PositiveX" => Vec3::X,
        "Y" | "PositiveY" => Vec3::Y,
        "Z" | "PositiveZ" => Vec3::Z,
        "NegativeX" => Vec3::NEG_X,
        "NegativeY" => Vec3::NEG_Y,
        "NegativeZ" => Vec3::NEG_Z,
        _ => return None,
    })
}
