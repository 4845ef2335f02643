//! A [`Person`] → the extensions of VRM 1.0.

mod animation;
mod expressions;
mod meta;
mod migrate;
mod springs;

pub use animation::export_vrma;
pub(crate) use migrate::{is_old, migrate};

use std::collections::BTreeSet;

use enliven::{
    Character, JointId, Severity,
    person::{ConstraintKind, FirstPerson, LookAtKind, NodeConstraint, Person, RangeMap},
};
use serde_json::{Map, Value, json};

use crate::Diagnostic;
use crate::gltf::numbers::{number, numbers};

/// Where a character's parts are in the document that is written.
pub(crate) struct Places<'a> {
    /// Node of each joint.
    pub nodes: &'a [usize],
    /// Node that carries each mesh.
    pub meshes: &'a [usize],
}

/// Writes everything of `person` into a document that has the character's nodes, meshes and
/// materials. A humanoid with missing bones is left out with an error, for every reader refuses it.
pub(crate) fn write(
    person: &Person,
    character: &Character,
    places: &Places<'_>,
    root: &mut Map<String, Value>,
    found: &mut Vec<Diagnostic>,
) {
    let mut used = BTreeSet::new();
    let missing: Vec<&str> = person.humanoid.missing().map(|b| b.name()).collect();
    if missing.is_empty() {
        used.insert("VRMC_vrm");
        let vrm = person_of(person, character, places, root, found);
        extensions(root).insert("VRMC_vrm".into(), vrm);
    } else {
        found.push(Diagnostic::new(
            Severity::Error,
            "VRM_BONES_MISSING",
            "/extensions/VRMC_vrm",
            format!("not written: a VRM person needs {}", missing.join(", ")),
        ));
    }
    if let Some(springs) =
        springs::write(&person.springs, &character.rig.skeleton, places.nodes, root, &mut used)
    {
        used.insert("VRMC_springBone");
        extensions(root).insert("VRMC_springBone".into(), springs);
    }
    for c in &person.constraints {
        if constraint(c, places.nodes, root).is_some() {
            used.insert("VRMC_node_constraint");
        }
    }
    use_extensions(root, used);
}

/// The document's own extensions.
fn extensions(root: &mut Map<String, Value>) -> &mut Map<String, Value> {
    let value = root.entry("extensions").or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("made an object above"),
    }
}

/// Adds to `extensionsUsed` what is not there yet.
pub(crate) fn use_extensions(root: &mut Map<String, Value>, used: BTreeSet<&'static str>) {
    if used.is_empty() {
        return;
    }
    let list = root.entry("extensionsUsed").or_insert_with(|| json!([]));
    if let Value::Array(list) = list {
        for name in used {
            if !list.iter().any(|v| v == name) {
                list.push(name.into());
            }
        }
    }
}

fn person_of(
    person: &Person,
    character: &Character,
    places: &Places<'_>,
    root: &Map<String, Value>,
    found: &mut Vec<Diagnostic>,
) -> Value {
    let bones: Map<String, Value> = person
        .humanoid
        .bones()
        .map(|(bone, joint)| {
            (bone.name().to_owned(), json!({ "node": places.nodes[joint.index()] }))
        })
        .collect();
    let mut out = Map::new();
    out.insert("specVersion".into(), "1.0".into());
    out.insert("meta".into(), meta::write(character, root, found));
    out.insert("humanoid".into(), json!({ "humanBones": bones }));
    if !person.first_person.is_empty() {
        out.insert("firstPerson".into(), first_person(person, places));
    }
    if let Some(look) = person.look_at {
        let kind = match look.kind {
            LookAtKind::Bones => "bone",
            LookAtKind::Expressions => "expression",
        };
        let map = |m: RangeMap| {
            let scale = match look.kind {
                LookAtKind::Bones => degrees(m.scale),
                LookAtKind::Expressions => number(m.scale),
            };
            json!({ "inputMaxValue": degrees(m.limit), "outputScale": scale })
        };
        out.insert(
            "lookAt".into(),
            json!({
                "offsetFromHeadBone": numbers(&look.offset.to_array()),
                "type": kind,
                "rangeMapHorizontalInner": map(look.inner),
                "rangeMapHorizontalOuter": map(look.outer),
                "rangeMapVerticalDown": map(look.down),
                "rangeMapVerticalUp": map(look.up),
            }),
        );
    }
    if !person.expressions.is_empty() {
        out.insert(
            "expressions".into(),
            expressions::write(person, character, places, root, found),
        );
    }
    Value::Object(out)
}

/// Radians → degrees, without the digits that the way there and back made.
fn degrees(radians: f32) -> Value {
    const PRECISION: f64 = 1e5;
    let degrees = (f64::from(radians).to_degrees() * PRECISION).round() / PRECISION;
    serde_json::Number::from_f64(degrees).map_or(Value::from(0), Value::Number)
}

/// One annotation a node: the meshes of a node have the same.
fn first_person(person: &Person, places: &Places<'_>) -> Value {
    let mut seen = BTreeSet::new();
    let list: Vec<Value> = person
        .first_person
        .iter()
        .filter_map(|(mesh, flag)| {
            let node = *places.meshes.get(mesh.index())?;
            let kind = match flag {
                FirstPerson::Auto => "auto",
                FirstPerson::Both => "both",
                FirstPerson::ThirdPersonOnly => "thirdPersonOnly",
                FirstPerson::FirstPersonOnly => "firstPersonOnly",
            };
            seen.insert(node).then(|| json!({ "node": node, "type": kind }))
        })
        .collect();
    json!({ "meshAnnotations": list })
}

fn constraint(c: &NodeConstraint, nodes: &[usize], root: &mut Map<String, Value>) -> Option<()> {
    let at = |j: JointId| nodes.get(j.index()).copied();
    let (node, source) = (at(c.joint)?, at(c.source)?);
    let axis = |v: enliven::glam::Vec3, words: [&'static str; 6]| {
        let parts = [v.x, -v.x, v.y, -v.y, v.z, -v.z];
        let best = (0..6).fold(0, |b, i| if parts[i] > parts[b] { i } else { b });
        words[best]
    };
    let mut inner = json!({ "source": source, "weight": number(c.weight) });
    let kind = match c.kind {
        ConstraintKind::Rotation => "rotation",
        ConstraintKind::Roll(v) => {
            inner["rollAxis"] = axis(v, ["X", "X", "Y", "Y", "Z", "Z"]).into();
            "roll"
        }
        ConstraintKind::Aim(v) => {
            let words =
                ["PositiveX", "NegativeX", "PositiveY", "NegativeY", "PositiveZ", "NegativeZ"];
            inner["aimAxis"] = axis(v, words).into();
            "aim"
        }
    };
    let node = root.get_mut("nodes")?.get_mut(node)?.as_object_mut()?;
    extensions(node).insert(
        "VRMC_node_constraint".into(),
        json!({ "specVersion": "1.0", "constraint": { kind: inner } }),
    );
    Some(())
}
