//! What is left behind when a document's animations go: their accessors, views and bytes.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::gltf::{Document, packed};

/// Takes the last accessors and buffer views off the lists as long as nothing but the animations
/// that went may have used them. Those before them keep their places, and so does everything that
/// refers to them; within an extension every whole number may be such a reference.
pub(super) fn trim(root: &Map<String, Value>, accessors: &mut Vec<Value>, views: &mut Vec<Value>) {
    let mut used = Used::default();
    for (key, value) in root {
        if key != "animations" {
            used.walk(key, value, key == "extensions");
        }
    }
    for part in accessors.iter().chain(views.iter()) {
        used.walk("extensions", &part["extensions"], true);
    }
    while accessors.len() > used.accessors.iter().next_back().map_or(0, |last| last + 1) {
        accessors.pop();
    }
    for accessor in accessors.iter() {
        used.walk("", accessor, false);
    }
    while views.len() > used.views.iter().next_back().map_or(0, |last| last + 1) {
        views.pop();
    }
}

/// Where the data of the views that are left end in each buffer.
pub(super) fn ends(document: &Document, views: &[Value]) -> Vec<usize> {
    let mut ends = vec![0; document.resources.buffers.len()];
    let mut note = |part: &Value| {
        let number = |key: &str| part[key].as_u64();
        let buffer = number("buffer").map_or(usize::MAX, |b| b as usize);
        let end = number("byteOffset").unwrap_or(0).checked_add(number("byteLength").unwrap_or(0));
        if let (Some(slot), Some(end)) = (ends.get_mut(buffer), end) {
            *slot = (*slot).max(usize::try_from(end).unwrap_or(usize::MAX));
        }
    };
    for view in views {
        note(view);
        for name in packed::NAMES {
            note(&view["extensions"][name]);
        }
    }
    ends
}

#[derive(Default)]
struct Used {
    accessors: BTreeSet<usize>,
    views: BTreeSet<usize>,
}

impl Used {
    fn walk(&mut self, key: &str, value: &Value, unknown: bool) {
        match value {
            Value::Object(map) => {
                let lists = matches!(key, "attributes" | "targets");
                for (inner, value) in map {
                    let key = if lists { "accessor" } else { inner.as_str() };
                    self.walk(key, value, unknown || inner == "extensions");
                }
            }
            Value::Array(list) => {
                for value in list {
                    self.walk(key, value, unknown);
                }
            }
            Value::Number(number) => {
                let Some(index) = number.as_u64().and_then(|n| usize::try_from(n).ok()) else {
                    return;
                };
                let accessor = matches!(
                    key,
                    "accessor" | "indices" | "inverseBindMatrices" | "input" | "output"
                );
                if unknown || accessor {
                    self.accessors.insert(index);
                }
                if unknown || key == "bufferView" {
                    self.views.insert(index);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_nothing_may_use_goes() {
        let root = json!({
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "skins": [{"inverseBindMatrices": 2, "joints": [9]}],
            "images": [{"bufferView": 3}],
            "animations": [{"samplers": [{"input": 4, "output": 5}]}],
        });
        let accessor = |view: u64| json!({"bufferView": view});
        let all: Vec<Value> = [0, 1, 2, 4, 5, 6].map(accessor).to_vec();
        let trimmed = |root: &Value| {
            let (mut accessors, mut views) = (all.clone(), vec![json!({}); 7]);
            trim(root.as_object().expect("an object"), &mut accessors, &mut views);
            (accessors.len(), views.len())
        };
        assert_eq!(trimmed(&root), (3, 4));
        let mut other = root.clone();
        other["extensions"] = json!({"X": {"data": [{"rig": 4}]}});
        assert_eq!(trimmed(&other), (5, 6));
        assert_eq!(trimmed(&json!({})), (0, 0));
    }
}
