//! The tables of glTF 2.0.

use super::{
    rules,
    schema::{Kind::*, Object, Range, Target, optional, required, required_when},
    uri,
};

const ANY_LENGTH: usize = 0;

pub(super) static GLTF: Object = Object {
    name: "glTF",
    properties: &[
        optional("extensionsUsed", Texts),
        optional("extensionsRequired", Texts),
        // Walked first, by itself: without a known version nothing else is looked at.
        optional("asset", Elsewhere),
        optional("accessors", Collection(&ACCESSOR)),
        optional("animations", Collection(&ANIMATION)),
        optional("buffers", Collection(&BUFFER)),
        optional("bufferViews", Collection(&BUFFER_VIEW)),
        optional("cameras", Collection(&CAMERA)),
        optional("images", Collection(&IMAGE)),
        optional("materials", Collection(&MATERIAL)),
        optional("meshes", Collection(&MESH)),
        optional("nodes", Collection(&NODE)),
        optional("samplers", Collection(&SAMPLER)),
        optional("scene", Ref(Target::Scenes)),
        optional("scenes", Collection(&SCENE)),
        optional("skins", Collection(&SKIN)),
        optional("textures", Collection(&TEXTURE)),
    ],
    rule: Some(rules::root),
};

pub(super) static ASSET: Object = Object {
    name: "asset",
    properties: &[
        optional("copyright", Text),
        optional("generator", Text),
        required("version", Pattern(rules::is_version, "a version such as 2.0")),
        optional("minVersion", Pattern(rules::is_version, "a version such as 2.0")),
    ],
    rule: Some(rules::asset),
};

/// Component types: i8, u8, i16, u16, u32, f32.
pub(super) const COMPONENT_TYPES: &[u64] = &[5120, 5121, 5122, 5123, 5125, 5126];

static ACCESSOR: Object = Object {
    name: "accessor",
    properties: &[
        optional("bufferView", Ref(Target::BufferViews)),
        optional("byteOffset", Integer(0, u64::MAX)),
        required("componentType", IntegerOf(COMPONENT_TYPES)),
        required("count", Integer(1, u64::MAX)),
        required("type", OneOf(&["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"])),
        optional("normalized", Bool),
        // Their form depends on the component type: see accessors.rs.
        optional("max", Elsewhere),
        optional("min", Elsewhere),
        optional("sparse", Object(&SPARSE)),
        optional("name", Text),
    ],
    rule: Some(rules::accessor),
};

static SPARSE: Object = Object {
    name: "accessor.sparse",
    properties: &[
        required("count", Integer(1, u64::MAX)),
        required("indices", Object(&SPARSE_INDICES)),
        required("values", Object(&SPARSE_VALUES)),
    ],
    rule: None,
};

static SPARSE_INDICES: Object = Object {
    name: "accessor.sparse.indices",
    properties: &[
        required("bufferView", Ref(Target::BufferViews)),
        optional("byteOffset", Integer(0, u64::MAX)),
        required("componentType", IntegerOf(&[5121, 5123, 5125])),
    ],
    rule: None,
};

static SPARSE_VALUES: Object = Object {
    name: "accessor.sparse.values",
    properties: &[
        required("bufferView", Ref(Target::BufferViews)),
        optional("byteOffset", Integer(0, u64::MAX)),
    ],
    rule: None,
};

static ANIMATION: Object = Object {
    name: "animation",
    properties: &[
        required("channels", List(&CHANNEL)),
        required("samplers", List(&ANIMATION_SAMPLER)),
        optional("name", Text),
    ],
    rule: None,
};

static CHANNEL: Object = Object {
    name: "animation channel",
    properties: &[
        required("sampler", Ref(Target::AnimationSamplers)),
        required("target", Object(&CHANNEL_TARGET)),
    ],
    rule: None,
};

/// The paths of animation channels that need no extension.
pub(super) const ANIMATION_PATHS: &[&str] = &["translation", "rotation", "scale", "weights"];

static CHANNEL_TARGET: Object = Object {
    name: "animation channel target",
    properties: &[
        optional("node", Ref(Target::Nodes)),
        required("path", OneOfMore(ANIMATION_PATHS, &[("KHR_animation_pointer", "pointer")])),
    ],
    rule: None,
};

static ANIMATION_SAMPLER: Object = Object {
    name: "animation sampler",
    properties: &[
        required("input", Ref(Target::Accessors)),
        optional("interpolation", OneOf(&["LINEAR", "STEP", "CUBICSPLINE"])),
        required("output", Ref(Target::Accessors)),
    ],
    rule: None,
};

static BUFFER: Object = Object {
    name: "buffer",
    properties: &[
        optional("uri", Text),
        required("byteLength", Integer(1, u64::MAX)),
        optional("name", Text),
    ],
    rule: Some(uri::buffer),
};

static BUFFER_VIEW: Object = Object {
    name: "bufferView",
    properties: &[
        required("buffer", Ref(Target::Buffers)),
        optional("byteOffset", Integer(0, u64::MAX)),
        required("byteLength", Integer(1, u64::MAX)),
        optional("byteStride", Integer(4, 252)),
        optional("target", IntegerOf(&[34962, 34963])),
        optional("name", Text),
    ],
    rule: Some(rules::buffer_view),
};

static CAMERA: Object = Object {
    name: "camera",
    properties: &[
        required("type", OneOf(&["orthographic", "perspective"])),
        required_when("type", "orthographic", "orthographic", Object(&ORTHOGRAPHIC)),
        required_when("type", "perspective", "perspective", Object(&PERSPECTIVE)),
        optional("name", Text),
    ],
    rule: Some(rules::camera),
};

static ORTHOGRAPHIC: Object = Object {
    name: "orthographic camera",
    properties: &[
        required("xmag", Number(Range::ANY)),
        required("ymag", Number(Range::ANY)),
        required("zfar", Number(Range::POSITIVE)),
        required("znear", Number(Range::NOT_NEGATIVE)),
    ],
    rule: Some(rules::orthographic),
};

static PERSPECTIVE: Object = Object {
    name: "perspective camera",
    properties: &[
        optional("aspectRatio", Number(Range::POSITIVE)),
        required("yfov", Number(Range::POSITIVE)),
        optional("zfar", Number(Range::POSITIVE)),
        required("znear", Number(Range::POSITIVE)),
    ],
    rule: Some(rules::perspective),
};

static IMAGE: Object = Object {
    name: "image",
    properties: &[
        optional("bufferView", Ref(Target::BufferViews)),
        optional(
            "mimeType",
            OneOfMore(&["image/jpeg", "image/png"], &[("EXT_texture_webp", "image/webp")]),
        ),
        optional("uri", Text),
        optional("name", Text),
    ],
    rule: Some(uri::image),
};

static MATERIAL: Object = Object {
    name: "material",
    properties: &[
        optional("pbrMetallicRoughness", Object(&PBR_METALLIC_ROUGHNESS)),
        optional("normalTexture", Object(&NORMAL_TEXTURE_INFO)),
        optional("occlusionTexture", Object(&OCCLUSION_TEXTURE_INFO)),
        optional("emissiveTexture", Object(&TEXTURE_INFO)),
        optional("emissiveFactor", Numbers(3, Range::UNIT)),
        optional("alphaMode", OneOf(&["OPAQUE", "MASK", "BLEND"])),
        optional("alphaCutoff", Number(Range::NOT_NEGATIVE)),
        optional("doubleSided", Bool),
        optional("name", Text),
    ],
    rule: Some(rules::material),
};

static PBR_METALLIC_ROUGHNESS: Object = Object {
    name: "pbrMetallicRoughness",
    properties: &[
        optional("baseColorFactor", Numbers(4, Range::UNIT)),
        optional("baseColorTexture", Object(&TEXTURE_INFO)),
        optional("metallicFactor", Number(Range::UNIT)),
        optional("roughnessFactor", Number(Range::UNIT)),
        optional("metallicRoughnessTexture", Object(&TEXTURE_INFO)),
    ],
    rule: None,
};

pub(super) static TEXTURE_INFO: Object = Object {
    name: "textureInfo",
    properties: &[
        required("index", Ref(Target::Textures)),
        optional("texCoord", Integer(0, u64::MAX)),
    ],
    rule: Some(rules::texture_info),
};

pub(super) static NORMAL_TEXTURE_INFO: Object = Object {
    name: "normalTextureInfo",
    properties: &[
        required("index", Ref(Target::Textures)),
        optional("texCoord", Integer(0, u64::MAX)),
        optional("scale", Number(Range::ANY)),
    ],
    rule: Some(rules::normal_texture_info),
};

static OCCLUSION_TEXTURE_INFO: Object = Object {
    name: "occlusionTextureInfo",
    properties: &[
        required("index", Ref(Target::Textures)),
        optional("texCoord", Integer(0, u64::MAX)),
        optional("strength", Number(Range::UNIT)),
    ],
    rule: Some(rules::texture_info),
};

static MESH: Object = Object {
    name: "mesh",
    properties: &[
        required("primitives", List(&PRIMITIVE)),
        optional("weights", Numbers(ANY_LENGTH, Range::ANY)),
        optional("name", Text),
    ],
    rule: None,
};

static PRIMITIVE: Object = Object {
    name: "mesh primitive",
    properties: &[
        // Their keys are semantics: see meshes.rs.
        required("attributes", Elsewhere),
        optional("indices", Ref(Target::Accessors)),
        optional("material", Ref(Target::Materials)),
        optional("mode", Integer(0, 6)),
        optional("targets", Elsewhere),
    ],
    rule: None,
};

static NODE: Object = Object {
    name: "node",
    properties: &[
        optional("camera", Ref(Target::Cameras)),
        optional("children", Refs(Target::Nodes)),
        optional("skin", Ref(Target::Skins)),
        optional("matrix", Numbers(16, Range::ANY)),
        optional("mesh", Ref(Target::Meshes)),
        optional("rotation", Numbers(4, Range::SIGNED_UNIT)),
        optional("scale", Numbers(3, Range::ANY)),
        optional("translation", Numbers(3, Range::ANY)),
        optional("weights", Numbers(ANY_LENGTH, Range::ANY)),
        optional("name", Text),
    ],
    rule: Some(rules::node),
};

static SAMPLER: Object = Object {
    name: "sampler",
    properties: &[
        optional("magFilter", IntegerOf(&[9728, 9729])),
        optional("minFilter", IntegerOf(&[9728, 9729, 9984, 9985, 9986, 9987])),
        optional("wrapS", IntegerOf(&[33071, 33648, 10497])),
        optional("wrapT", IntegerOf(&[33071, 33648, 10497])),
        optional("name", Text),
    ],
    rule: None,
};

static SCENE: Object = Object {
    name: "scene",
    properties: &[optional("nodes", Refs(Target::Nodes)), optional("name", Text)],
    rule: None,
};

static SKIN: Object = Object {
    name: "skin",
    properties: &[
        optional("inverseBindMatrices", Ref(Target::Accessors)),
        optional("skeleton", Mention(Target::Nodes)),
        required("joints", Refs(Target::Nodes)),
        optional("name", Text),
    ],
    rule: None,
};

static TEXTURE: Object = Object {
    name: "texture",
    properties: &[
        optional("sampler", Ref(Target::Samplers)),
        optional("source", Ref(Target::Images)),
        optional("name", Text),
    ],
    rule: None,
};
