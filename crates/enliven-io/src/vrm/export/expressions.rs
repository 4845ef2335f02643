//! Expressions: channels → binds of nodes and materials.

use std::collections::BTreeMap;

use enliven::{
    ChannelKind, Character, MaterialFactor, MaterialId, Severity,
    person::{Expression, Override, Person},
};
use serde_json::{Map, Value, json};

use super::super::emissive_strength;
use super::Places;
use crate::Diagnostic;
use crate::gltf::numbers::{number, numbers};

/// `expressions` of VRMC_vrm.
pub(super) fn write(
    person: &Person,
    character: &Character,
    places: &Places<'_>,
    root: &Map<String, Value>,
    found: &mut Vec<Diagnostic>,
) -> Value {
    let (mut preset, mut custom) = (Map::new(), Map::new());
    for e in &person.expressions {
        let value = expression(e, character, places, root, found);
        match e.preset {
            Some(known) => preset.insert(known.name().into(), value),
            None => custom.insert(e.name.clone(), value),
        };
    }
    let mut out = Map::new();
    for (name, list) in [("preset", preset), ("custom", custom)] {
        if !list.is_empty() {
            out.insert(name.into(), list.into());
        }
    }
    Value::Object(out)
}

/// Colours that an expression can drive, in the words of the extension.
fn color(factor: MaterialFactor) -> Option<(&'static str, u8)> {
    Some(match factor {
        MaterialFactor::BaseColor(i) => ("color", i),
        MaterialFactor::Emissive(i) => ("emissionColor", i),
        MaterialFactor::Shade(i) => ("shadeColor", i),
        MaterialFactor::Matcap(i) => ("matcapColor", i),
        MaterialFactor::Rim(i) => ("rimColor", i),
        MaterialFactor::Outline(i) => ("outlineColor", i),
        _ => return None,
    })
}

fn at_rest(character: &Character, material: MaterialId, name: &str) -> [f32; 4] {
    let make: fn(u8) -> MaterialFactor = match name {
        "color" => MaterialFactor::BaseColor,
        "emissionColor" => MaterialFactor::Emissive,
        "shadeColor" => MaterialFactor::Shade,
        "matcapColor" => MaterialFactor::Matcap,
        "rimColor" => MaterialFactor::Rim,
        _ => MaterialFactor::Outline,
    };
    let m = &character.materials[material.index()];
    [0, 1, 2, 3].map(|i| m.factor(make(i)).unwrap_or(1.0))
}

fn expression(
    e: &Expression,
    character: &Character,
    places: &Places<'_>,
    root: &Map<String, Value>,
    found: &mut Vec<Diagnostic>,
) -> Value {
    let mut morphs = Vec::new();
    let mut colors: BTreeMap<(MaterialId, &str), [f32; 4]> = BTreeMap::new();
    let mut transforms: BTreeMap<MaterialId, [f32; 4]> = BTreeMap::new();
    for bind in &e.binds {
        let channel = character.rig.channels.get(bind.channel);
        match channel.kind {
            ChannelKind::Factor(material, factor) => {
                let target = channel.default + bind.amount;
                if let Some((name, i)) = color(factor) {
                    colors
                        .entry((material, name))
                        .or_insert_with(|| at_rest(character, material, name))[usize::from(i)] =
                        target;
                } else if let MaterialFactor::UvScale(i) | MaterialFactor::UvOffset(i) = factor {
                    let scale = matches!(factor, MaterialFactor::UvScale(_));
                    let m = &character.materials[material.index()];
                    let rest = |f| m.factor(f).unwrap_or_default();
                    transforms.entry(material).or_insert_with(|| {
                        [
                            rest(MaterialFactor::UvScale(0)),
                            rest(MaterialFactor::UvScale(1)),
                            rest(MaterialFactor::UvOffset(0)),
                            rest(MaterialFactor::UvOffset(1)),
                        ]
                    })[usize::from(i) + if scale { 0 } else { 2 }] = target;
                }
            }
            _ => {
                // Primitives of one node share their channels: one bind a node.
                let mut nodes = Vec::new();
                for (mesh, node) in character.meshes.iter().zip(places.meshes) {
                    if mesh.morphs.contains(&bind.channel.0) && !nodes.contains(node) {
                        nodes.push(*node);
                        let index = bind.channel.0 - mesh.morphs.start;
                        let weight = number(bind.amount);
                        morphs.push(json!({ "node": node, "index": index, "weight": weight }));
                    }
                }
                if nodes.is_empty() {
                    let message = format!("{:?} has no place in VRM; left out", channel.name);
                    let place = format!("/extensions/VRMC_vrm/expressions/{}", e.name);
                    let code = "VRM_EXPRESSION_BIND_UNSUPPORTED";
                    found.push(Diagnostic::new(Severity::Error, code, place, message));
                }
            }
        }
    }
    let mut out = Map::new();
    if e.binary {
        out.insert("isBinary".into(), true.into());
    }
    let overrides = [
        ("overrideBlink", e.override_blink),
        ("overrideLookAt", e.override_look_at),
        ("overrideMouth", e.override_mouth),
    ];
    for (name, how) in overrides {
        match how {
            Override::None => {}
            Override::Block => drop(out.insert(name.into(), "block".into())),
            Override::Blend => drop(out.insert(name.into(), "blend".into())),
        }
    }
    let colors: Vec<Value> = colors
        .into_iter()
        .map(|((m, name), mut target)| {
            if name == "emissionColor" {
                let gain = emissive_strength(root.get("materials"), m.index());
                for v in &mut target[..3] {
                    *v /= gain;
                }
            }
            json!({ "material": m.0, "type": name, "targetValue": numbers(&target) })
        })
        .collect();
    let transforms: Vec<Value> = transforms
        .into_iter()
        .map(|(m, [a, b, c, d])| {
            json!({ "material": m.0, "scale": numbers(&[a, b]), "offset": numbers(&[c, d]) })
        })
        .collect();
    let lists = [
        ("morphTargetBinds", morphs),
        ("materialColorBinds", colors),
        ("textureTransformBinds", transforms),
    ];
    for (name, list) in lists {
        if !list.is_empty() {
            out.insert(name.into(), list.into());
        }
    }
    Value::Object(out)
}
