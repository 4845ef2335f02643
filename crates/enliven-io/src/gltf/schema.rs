//! The document with types: glTF 2.0's objects as Rust's, extensions and extras kept raw on each.
//!
//! Reading never fails as a whole. A property of the wrong type is left out with a diagnostic, an
//! element that is no object at all becomes an empty one, so indices stay what they were. Every
//! property is therefore optional here; who uses it says what its absence means.

use std::fmt;

use serde::{
    Deserialize,
    de::{DeserializeOwned, Deserializer, Unexpected, Visitor},
};
use serde_json::{Map, Value};

use super::json::escaped;
use crate::{Diagnostic, Severity, findings::Findings};

/// A non-negative integer: an index, a count, an offset. Written `1`, `1.0` or `1e0`, as JSON does
/// not tell them apart; beyond 2^53 a fraction's precision is lost, so it ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Uint(pub u64);

impl Uint {
    /// As a position in a list; past every list when it does not fit.
    pub(crate) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de> Deserialize<'de> for Uint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Uint;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a non-negative integer")
            }

            fn visit_u64<E>(self, value: u64) -> Result<Uint, E> {
                Ok(Uint(value))
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Uint, E> {
                let wrong = || E::invalid_value(Unexpected::Signed(value), &self);
                u64::try_from(value).map(Uint).map_err(|_| wrong())
            }

            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Uint, E> {
                if value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&value) {
                    Ok(Uint(value as u64))
                } else {
                    Err(E::invalid_value(Unexpected::Float(value), &self))
                }
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

/// `value` as a non-negative integer, when it is one.
pub(crate) fn uint(value: &Value) -> Option<Uint> {
    Uint::deserialize(value).ok()
}

pub(crate) type Extensions = Map<String, Value>;

/// `type` of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Kind {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

impl Kind {
    /// Numbers an element.
    pub(crate) fn components(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Vec2 => 2,
            Self::Vec3 => 3,
            Self::Vec4 | Self::Mat2 => 4,
            Self::Mat3 => 9,
            Self::Mat4 => 16,
        }
    }
}

macro_rules! objects {
    ($($(#[$about:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(default, rename_all = "camelCase")]
        pub(crate) struct $name {
            $($(#[$attribute])* pub $field: $type,)*
            pub extensions: Extensions,
            // Held for whoever comes to write the file again.
            #[allow(dead_code)]
            pub extras: Value,
        }
    )*};
}

objects! {
    Asset {
        copyright: Option<String>,
        generator: Option<String>,
        version: Option<String>,
        min_version: Option<String>,
    }
    Buffer {
        uri: Option<String>,
        byte_length: Option<Uint>,
    }
    BufferView {
        buffer: Option<Uint>,
        byte_offset: Uint,
        byte_length: Option<Uint>,
        byte_stride: Option<Uint>,
    }
    Accessor {
        buffer_view: Option<Uint>,
        byte_offset: Uint,
        component_type: Option<Uint>,
        normalized: bool,
        count: Option<Uint>,
        #[serde(rename = "type")]
        kind: Option<Kind>,
        sparse: Option<Sparse>,
    }
    Sparse {
        count: Option<Uint>,
        indices: SparseIndices,
        values: SparseValues,
    }
    SparseIndices {
        buffer_view: Option<Uint>,
        byte_offset: Uint,
        component_type: Option<Uint>,
    }
    SparseValues {
        buffer_view: Option<Uint>,
        byte_offset: Uint,
    }
    Scene {
        name: Option<String>,
        nodes: Vec<Uint>,
    }
    Node {
        name: Option<String>,
        children: Vec<Uint>,
        matrix: Option<[f64; 16]>,
        translation: Option<[f64; 3]>,
        rotation: Option<[f64; 4]>,
        scale: Option<[f64; 3]>,
        mesh: Option<Uint>,
        skin: Option<Uint>,
        weights: Option<Vec<f64>>,
    }
    Skin {
        name: Option<String>,
        inverse_bind_matrices: Option<Uint>,
        skeleton: Option<Uint>,
        joints: Vec<Uint>,
    }
    Mesh {
        name: Option<String>,
        #[serde(skip)]
        primitives: Vec<Primitive>,
        weights: Option<Vec<f64>>,
    }
    Primitive {
        attributes: Map<String, Value>,
        indices: Option<Uint>,
        material: Option<Uint>,
        mode: Option<Uint>,
        targets: Vec<Map<String, Value>>,
    }
    Material {
        name: Option<String>,
        #[serde(skip)]
        pbr_metallic_roughness: MetallicRoughness,
        normal_texture: Option<TextureInfo>,
        occlusion_texture: Option<TextureInfo>,
        emissive_texture: Option<TextureInfo>,
        emissive_factor: Option<[f64; 3]>,
        alpha_mode: Option<String>,
        alpha_cutoff: Option<f64>,
        double_sided: bool,
    }
    MetallicRoughness {
        base_color_factor: Option<[f64; 4]>,
        base_color_texture: Option<TextureInfo>,
        metallic_factor: Option<f64>,
        roughness_factor: Option<f64>,
        metallic_roughness_texture: Option<TextureInfo>,
    }
    /// `KHR_materials_pbrSpecularGlossiness`.
    SpecularGlossiness {
        diffuse_factor: Option<[f64; 4]>,
        diffuse_texture: Option<TextureInfo>,
        specular_factor: Option<[f64; 3]>,
        glossiness_factor: Option<f64>,
        specular_glossiness_texture: Option<TextureInfo>,
    }
    /// `textureInfo`, with `scale` of a normal and `strength` of an occlusion texture.
    TextureInfo {
        index: Option<Uint>,
        tex_coord: Uint,
        scale: Option<f64>,
        strength: Option<f64>,
    }
    /// `KHR_texture_transform`.
    TextureTransform {
        offset: Option<[f64; 2]>,
        rotation: Option<f64>,
        scale: Option<[f64; 2]>,
        tex_coord: Option<Uint>,
    }
    Texture {
        name: Option<String>,
        sampler: Option<Uint>,
        source: Option<Uint>,
    }
    Sampler {
        mag_filter: Option<Uint>,
        min_filter: Option<Uint>,
        wrap_s: Option<Uint>,
        wrap_t: Option<Uint>,
    }
    Image {
        name: Option<String>,
        uri: Option<String>,
        mime_type: Option<String>,
        buffer_view: Option<Uint>,
    }
    Animation {
        name: Option<String>,
        #[serde(skip)]
        channels: Vec<Channel>,
        #[serde(skip)]
        samplers: Vec<AnimationSampler>,
    }
    Channel {
        sampler: Option<Uint>,
        target: Target,
    }
    Target {
        node: Option<Uint>,
        path: Option<String>,
    }
    AnimationSampler {
        input: Option<Uint>,
        interpolation: Option<String>,
        output: Option<Uint>,
    }
}

/// The document's lists, typed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    pub asset: Asset,
    pub extensions_used: Vec<String>,
    pub extensions_required: Vec<String>,
    pub scene: Option<Uint>,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub skins: Vec<Skin>,
    pub meshes: Vec<Mesh>,
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    pub samplers: Vec<Sampler>,
    pub images: Vec<Image>,
    pub animations: Vec<Animation>,
    pub accessors: Vec<Accessor>,
    pub buffer_views: Vec<BufferView>,
    pub buffers: Vec<Buffer>,
}

impl Document {
    /// Reads `root`; what does not fit goes to `found`.
    pub(crate) fn read(root: &Map<String, Value>, found: &mut Findings) -> Self {
        let mut meshes: Vec<Mesh> = list(root, "", "meshes", found);
        for (i, mesh) in meshes.iter_mut().enumerate() {
            if let Some(object) = element(root, "meshes", i) {
                mesh.primitives = list(object, &format!("/meshes/{i}"), "primitives", found);
            }
        }
        let mut materials: Vec<Material> = list(root, "", "materials", found);
        for (i, material) in materials.iter_mut().enumerate() {
            let key = "pbrMetallicRoughness";
            if let Some(value) = element(root, "materials", i).and_then(|object| object.get(key)) {
                let pointer = || format!("/materials/{i}/{key}");
                material.pbr_metallic_roughness = lenient(value, &pointer, found);
            }
        }
        let mut animations: Vec<Animation> = list(root, "", "animations", found);
        for (i, animation) in animations.iter_mut().enumerate() {
            if let Some(object) = element(root, "animations", i) {
                let pointer = format!("/animations/{i}");
                animation.channels = list(object, &pointer, "channels", found);
                animation.samplers = list(object, &pointer, "samplers", found);
            }
        }
        Self {
            asset: single(root, "asset", found),
            extensions_used: list(root, "", "extensionsUsed", found),
            extensions_required: list(root, "", "extensionsRequired", found),
            scene: single(root, "scene", found),
            scenes: list(root, "", "scenes", found),
            nodes: list(root, "", "nodes", found),
            skins: list(root, "", "skins", found),
            meshes,
            materials,
            textures: list(root, "", "textures", found),
            samplers: list(root, "", "samplers", found),
            images: list(root, "", "images", found),
            animations,
            accessors: list(root, "", "accessors", found),
            buffer_views: list(root, "", "bufferViews", found),
            buffers: list(root, "", "buffers", found),
        }
    }
}

/// How many objects [`Document::read`] would make: a few bytes of JSON become a few hundred.
pub(crate) fn count_objects(root: &Map<String, Value>) -> usize {
    fn list(value: Option<&Value>) -> &[Value] {
        value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
    let entries = |value: &Value| value.as_object().map_or(0, Map::len);
    let mut count: usize = root.values().map(|value| list(Some(value)).len()).sum();
    for primitive in list(root.get("meshes")).iter().flat_map(|mesh| list(mesh.get("primitives"))) {
        let targets = list(primitive.get("targets"));
        count += 1 + primitive.get("attributes").map_or(0, entries);
        count += targets.len() + targets.iter().map(entries).sum::<usize>();
    }
    for animation in list(root.get("animations")) {
        count += list(animation.get("channels")).len() + list(animation.get("samplers")).len();
    }
    count
}

fn element<'a>(
    root: &'a Map<String, Value>,
    key: &str,
    i: usize,
) -> Option<&'a Map<String, Value>> {
    root.get(key)?.as_array()?.get(i)?.as_object()
}

/// The value at `key` of `root`; the default when there is none.
fn single<T: DeserializeOwned + Default>(
    root: &Map<String, Value>,
    key: &str,
    found: &mut Findings,
) -> T {
    root.get(key).map(|value| lenient(value, &|| format!("/{key}"), found)).unwrap_or_default()
}

/// The list at `key` of `object`, one element each; empty when there is none.
fn list<T: DeserializeOwned + Default>(
    object: &Map<String, Value>,
    pointer: &str,
    key: &str,
    found: &mut Findings,
) -> Vec<T> {
    match object.get(key) {
        None => Vec::new(),
        Some(Value::Array(values)) => values
            .iter()
            .enumerate()
            .map(|(i, value)| lenient(value, &|| format!("{pointer}/{key}/{i}"), found))
            .collect(),
        Some(_) => {
            found.push(mismatch(format!("{pointer}/{key}"), "not a list; left out".into()));
            Vec::new()
        }
    }
}

/// Reads `value`; properties that do not fit are left out and go to `found`.
pub(crate) fn lenient<T: DeserializeOwned + Default>(
    value: &Value,
    pointer: &dyn Fn() -> String,
    found: &mut Findings,
) -> T {
    if value.is_array() {
        // Serde would take its elements as the fields of an object, in order.
        found.push(mismatch(pointer(), "a list is not expected here; left out".into()));
        return T::default();
    }
    let error = match T::deserialize(value) {
        Ok(read) => return read,
        Err(error) => error,
    };
    let Value::Object(object) = value else {
        found.push(mismatch(pointer(), format!("{error}; left out")));
        return T::default();
    };
    let mut fitting = Map::new();
    for (key, value) in object {
        let single = Value::Object([(key.clone(), value.clone())].into_iter().collect());
        match T::deserialize(&single) {
            Ok(_) => drop(fitting.insert(key.clone(), value.clone())),
            Err(error) => {
                let pointer = format!("{}/{}", pointer(), escaped(key));
                found.push(mismatch(pointer, format!("{error}; left out")));
            }
        }
    }
    // Every property has a default, so what fits one by one fits together.
    T::deserialize(&Value::Object(fitting)).unwrap_or_default()
}

fn mismatch(pointer: String, message: String) -> Diagnostic {
    Diagnostic::new(Severity::Error, "TYPE_MISMATCH", pointer, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wrong_property_is_left_out_alone() {
        let root = json!({
            "nodes": [
                {"name": "a", "mesh": -1, "children": [1.0]},
                7,
                {"name": 3, "skin": 2, "extras": {"x": 1}, "extensions": {"E": [1]}},
            ],
            "meshes": [{"primitives": [{"mode": "x", "material": 1e0}, null]}],
            "materials": [{"pbrMetallicRoughness": {"metallicFactor": true, "roughnessFactor": 0.5}}],
            "accessors": {"count": 1},
            "scene": 1.5,
        });
        let mut found = Findings::new(99);
        let document = Document::read(root.as_object().expect("an object"), &mut found);

        assert_eq!(document.nodes.len(), 3);
        assert_eq!(document.nodes[0].name.as_deref(), Some("a"));
        assert_eq!(document.nodes[0].children, [Uint(1)]);
        assert_eq!(document.nodes[2].skin, Some(Uint(2)));
        assert_eq!(document.nodes[2].extras, json!({"x": 1}));
        assert_eq!(document.nodes[2].extensions["E"], json!([1]));
        assert_eq!(document.meshes[0].primitives[0].material, Some(Uint(1)));
        assert_eq!(document.materials[0].pbr_metallic_roughness.roughness_factor, Some(0.5));
        let mut places: Vec<_> = found.list().iter().map(|found| found.place.to_string()).collect();
        places.sort();
        assert_eq!(
            places,
            [
                "/accessors",
                "/materials/0/pbrMetallicRoughness/metallicFactor",
                "/meshes/0/primitives/0/mode",
                "/meshes/0/primitives/1",
                "/nodes/0/mesh",
                "/nodes/1",
                "/nodes/2/name",
                "/scene",
            ]
        );
    }
}
