//! The document's lists, found once.

use serde_json::Value;

use super::schema::{Json, Target};

/// The document and its lists.
pub(super) struct Doc<'a> {
    pub(super) root: &'a Json,
    lists: [&'a [Value]; LISTS.len()],
}

/// The lists at the root, in the order of [`Target`].
const LISTS: [&str; 12] = [
    "accessors",
    "buffers",
    "bufferViews",
    "cameras",
    "images",
    "materials",
    "meshes",
    "nodes",
    "samplers",
    "scenes",
    "skins",
    "textures",
];

fn list<'a>(object: Option<&'a Json>, key: &str) -> &'a [Value] {
    object.and_then(|object| object.get(key)).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl<'a> Doc<'a> {
    pub(super) fn new(root: &'a Json) -> Self {
        Self { root, lists: LISTS.map(|name| list(Some(root), name)) }
    }

    /// A list; empty when absent or no list.
    pub(super) fn list(&self, target: Target) -> &'a [Value] {
        match target {
            Target::Lights => list(self.extension("KHR_lights_punctual"), "lights"),
            Target::Variants => list(self.extension("KHR_materials_variants"), "variants"),
            Target::AnimationSamplers => &[],
            _ => self.lists[target as usize],
        }
    }

    /// A list at the root that nothing points into.
    pub(super) fn list_of(&self, name: &str) -> &'a [Value] {
        list(Some(self.root), name)
    }

    /// An element that is an object.
    pub(super) fn get(&self, target: Target, index: usize) -> Option<&'a Json> {
        self.list(target).get(index)?.as_object()
    }

    /// An extension's object at the root.
    pub(super) fn extension(&self, name: &str) -> Option<&'a Json> {
        self.root.get("extensions")?.as_object()?.get(name)?.as_object()
    }

    /// The objects of a list with their indices.
    pub(super) fn each(&self, target: Target) -> impl Iterator<Item = (usize, &'a Json)> + use<'a> {
        self.list(target)
            .iter()
            .enumerate()
            .filter_map(|(index, value)| Some((index, value.as_object()?)))
    }
}

/// The name of a list at the root.
pub(super) fn list_name(target: Target) -> &'static str {
    match target {
        Target::Lights => "lights",
        Target::Variants => "variants",
        Target::AnimationSamplers => "samplers",
        _ => LISTS[target as usize],
    }
}

/// The objects of an object's list property; `None` unless it is a list of nothing but objects,
/// and not empty.
pub(super) fn objects<'a>(object: &'a Json, key: &str) -> Option<Vec<&'a Json>> {
    let list: Option<Vec<_>> = object.get(key)?.as_array()?.iter().map(Value::as_object).collect();
    list.filter(|list| !list.is_empty())
}
