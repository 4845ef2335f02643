//! What a document of VRM 0.x needs to become one of 1.0, beside the new extensions.

use std::collections::BTreeSet;

use enliven::{Character, Shading, Transform};
use serde_json::{Map, Value, json};

use crate::gltf::{material, numbers::numbers};

/// Whether a document is of VRM 0.x alone.
pub(crate) fn is_old(json: &Value) -> bool {
    let has = |name| json.get("extensions").is_some_and(|e| e.get(name).is_some());
    has("VRM") && !has("VRMC_vrm")
}

/// Turns the roots, as the character's are turned already, puts the drawn look where 1.0 has it,
/// and takes out what only 0.x reads.
pub(crate) fn migrate(
    character: &Character,
    nodes: &[usize],
    root: &mut Map<String, Value>,
    used: &mut BTreeSet<&'static str>,
) {
    let skeleton = &character.rig.skeleton;
    for j in skeleton.joints().filter(|j| skeleton.parent(*j).is_none()) {
        let node = root.get_mut("nodes").and_then(|n| n.get_mut(nodes[j.index()]));
        let Some(Value::Object(node)) = node else { continue };
        // Where a skinned mesh stands does not matter, and a transform there is warned of.
        if node.contains_key("skin") && !node.contains_key("children") {
            continue;
        }
        let (rest, none) = (skeleton.rest()[j.index()], Transform::IDENTITY);
        for key in ["matrix", "translation", "rotation", "scale"] {
            node.remove(key);
        }
        if rest.translation != none.translation {
            node.insert("translation".into(), numbers(&rest.translation.to_array()));
        }
        if rest.rotation != none.rotation {
            node.insert("rotation".into(), numbers(&rest.rotation.to_array()));
        }
        if rest.scale != none.scale {
            node.insert("scale".into(), numbers(&rest.scale.to_array()));
        }
    }
    let list = root.get_mut("materials").and_then(Value::as_array_mut);
    for (value, look) in list.into_iter().flatten().zip(&character.materials) {
        if look.shading == Shading::Toon
            && let Value::Object(old) = value
        {
            // A surface says of the drawn look all that a material says; what it does not know
            // (extras, other extensions) stays.
            let Value::Object(new) = material(look, used) else { continue };
            for key in ["alphaMode", "alphaCutoff", "doubleSided", "emissiveFactor"] {
                old.remove(key);
            }
            let kept = old.remove("extensions");
            old.extend(new);
            if let Some(Value::Object(kept)) = kept {
                let all = old.entry("extensions").or_insert_with(|| json!({}));
                for (name, value) in kept {
                    // Readers that do not know the drawn look shade the surface instead.
                    let plain = name == "KHR_materials_unlit";
                    if !plain && let Value::Object(all) = all {
                        all.entry(name).or_insert(value);
                    }
                }
            }
        }
    }
    if let Some(Value::Object(extensions)) = root.get_mut("extensions") {
        extensions.remove("VRM");
    }
    let unlit = root.get("materials").and_then(Value::as_array).is_some_and(|list| {
        list.iter().any(|m| m["extensions"].get("KHR_materials_unlit").is_some())
    });
    for list in ["extensionsUsed", "extensionsRequired"] {
        if let Some(Value::Array(names)) = root.get_mut(list) {
            names.retain(|n| n != "VRM" && (unlit || n != "KHR_materials_unlit"));
            if names.is_empty() {
                root.remove(list);
            }
        }
    }
}
