//! The tables of the extensions.

use super::{
    core::{NORMAL_TEXTURE_INFO, TEXTURE_INFO},
    rules,
    schema::{Kind::*, Object, Range, Target, optional, required, required_when},
};

/// An extension: its name and the objects that it puts on other objects.
pub(super) struct Extension {
    pub(super) name: &'static str,
    /// The name of an object and what the extension puts there.
    pub(super) homes: &'static [(&'static str, &'static Object)],
    /// Replaces the material, so that other extensions beside it make little sense.
    pub(super) alone: bool,
    /// Must be listed in `extensionsRequired` too.
    pub(super) needed: bool,
}

/// All extensions with a table.
pub(super) static ALL: &[&Extension] = &[
    &on("EXT_texture_webp", &[("texture", &WEBP)]),
    &on("KHR_animation_pointer", &[("animation channel target", &POINTER)]),
    &on("KHR_lights_punctual", &[("glTF", &LIGHTS), ("node", &LIGHT_NODE)]),
    &on("KHR_materials_anisotropy", &[("material", &ANISOTROPY)]),
    &on("KHR_materials_clearcoat", &[("material", &CLEARCOAT)]),
    &on("KHR_materials_dispersion", &[("material", &DISPERSION)]),
    &on("KHR_materials_emissive_strength", &[("material", &EMISSIVE_STRENGTH)]),
    &on("KHR_materials_ior", &[("material", &IOR)]),
    &on("KHR_materials_iridescence", &[("material", &IRIDESCENCE)]),
    &Extension {
        name: "KHR_materials_pbrSpecularGlossiness",
        homes: &[("material", &SPECULAR_GLOSSINESS)],
        alone: true,
        needed: false,
    },
    &on("KHR_materials_sheen", &[("material", &SHEEN)]),
    &on("KHR_materials_specular", &[("material", &SPECULAR)]),
    &on("KHR_materials_transmission", &[("material", &TRANSMISSION)]),
    &Extension {
        name: "KHR_materials_unlit",
        homes: &[("material", &UNLIT)],
        alone: true,
        needed: false,
    },
    &on("KHR_materials_variants", &[("glTF", &VARIANTS), ("mesh primitive", &VARIANT_MAPPINGS)]),
    &on("KHR_materials_volume", &[("material", &VOLUME)]),
    &Extension { name: "KHR_mesh_quantization", homes: &[], alone: false, needed: true },
    &on("KHR_node_visibility", &[("node", &VISIBILITY)]),
    &on(
        "KHR_texture_transform",
        &[
            ("textureInfo", &TEXTURE_TRANSFORM),
            ("normalTextureInfo", &TEXTURE_TRANSFORM),
            ("occlusionTextureInfo", &TEXTURE_TRANSFORM),
        ],
    ),
];

const fn on(name: &'static str, homes: &'static [(&'static str, &'static Object)]) -> Extension {
    Extension { name, homes, alone: false, needed: false }
}

static WEBP: Object = Object {
    name: "EXT_texture_webp",
    properties: &[optional("source", Ref(Target::Images))],
    rule: None,
};

static POINTER: Object = Object {
    name: "KHR_animation_pointer",
    properties: &[required("pointer", Pattern(rules::is_pointer, "a JSON pointer"))],
    rule: Some(rules::animation_pointer),
};

static LIGHTS: Object = Object {
    name: "KHR_lights_punctual",
    properties: &[required("lights", List(&LIGHT))],
    rule: None,
};

static LIGHT: Object = Object {
    name: "light",
    properties: &[
        optional("color", Numbers(3, Range::UNIT)),
        optional("intensity", Number(Range::NOT_NEGATIVE)),
        required_when("type", "spot", "spot", Object(&SPOT)),
        required("type", OneOf(&["directional", "point", "spot"])),
        optional("range", Number(Range::POSITIVE)),
        optional("name", Text),
    ],
    rule: Some(rules::light),
};

static SPOT: Object = Object {
    name: "light.spot",
    properties: &[
        optional(
            "innerConeAngle",
            Number(Range { without_max: true, ..Range::new(0.0, std::f64::consts::FRAC_PI_2) }),
        ),
        optional(
            "outerConeAngle",
            Number(Range { without_min: true, ..Range::new(0.0, std::f64::consts::FRAC_PI_2) }),
        ),
    ],
    rule: Some(rules::spot),
};

static LIGHT_NODE: Object = Object {
    name: "KHR_lights_punctual",
    properties: &[required("light", Ref(Target::Lights))],
    rule: Some(rules::light_node),
};

static ANISOTROPY: Object = Object {
    name: "KHR_materials_anisotropy",
    properties: &[
        optional("anisotropyStrength", Number(Range::UNIT)),
        optional("anisotropyRotation", Number(Range::ANY)),
        optional("anisotropyTexture", Object(&TEXTURE_INFO)),
    ],
    rule: Some(rules::anisotropy),
};

static CLEARCOAT: Object = Object {
    name: "KHR_materials_clearcoat",
    properties: &[
        optional("clearcoatFactor", Number(Range::UNIT)),
        optional("clearcoatTexture", Object(&TEXTURE_INFO)),
        optional("clearcoatRoughnessFactor", Number(Range::UNIT)),
        optional("clearcoatRoughnessTexture", Object(&TEXTURE_INFO)),
        optional("clearcoatNormalTexture", Object(&NORMAL_TEXTURE_INFO)),
    ],
    rule: Some(rules::clearcoat),
};

static DISPERSION: Object = Object {
    name: "KHR_materials_dispersion",
    properties: &[optional("dispersion", Number(Range::NOT_NEGATIVE))],
    rule: Some(rules::dispersion),
};

static EMISSIVE_STRENGTH: Object = Object {
    name: "KHR_materials_emissive_strength",
    properties: &[optional("emissiveStrength", Number(Range::NOT_NEGATIVE))],
    rule: Some(rules::emissive_strength),
};

static IOR: Object = Object {
    name: "KHR_materials_ior",
    // 0 stands for an infinite index: the specular-glossiness look.
    properties: &[optional("ior", Number(Range { also: Some(0.0), ..Range::new(1.0, f64::MAX) }))],
    rule: None,
};

static IRIDESCENCE: Object = Object {
    name: "KHR_materials_iridescence",
    properties: &[
        optional("iridescenceFactor", Number(Range::UNIT)),
        optional("iridescenceTexture", Object(&TEXTURE_INFO)),
        optional("iridescenceIor", Number(Range::new(1.0, f64::MAX))),
        optional("iridescenceThicknessMinimum", Number(Range::NOT_NEGATIVE)),
        optional("iridescenceThicknessMaximum", Number(Range::NOT_NEGATIVE)),
        optional("iridescenceThicknessTexture", Object(&TEXTURE_INFO)),
    ],
    rule: Some(rules::iridescence),
};

static SPECULAR_GLOSSINESS: Object = Object {
    name: "KHR_materials_pbrSpecularGlossiness",
    properties: &[
        optional("diffuseFactor", Numbers(4, Range::UNIT)),
        optional("diffuseTexture", Object(&TEXTURE_INFO)),
        optional("specularFactor", Numbers(3, Range::UNIT)),
        optional("glossinessFactor", Number(Range::UNIT)),
        optional("specularGlossinessTexture", Object(&TEXTURE_INFO)),
    ],
    rule: None,
};

static SHEEN: Object = Object {
    name: "KHR_materials_sheen",
    properties: &[
        optional("sheenColorFactor", Numbers(3, Range::UNIT)),
        optional("sheenColorTexture", Object(&TEXTURE_INFO)),
        optional("sheenRoughnessFactor", Number(Range::UNIT)),
        optional("sheenRoughnessTexture", Object(&TEXTURE_INFO)),
    ],
    rule: None,
};

static SPECULAR: Object = Object {
    name: "KHR_materials_specular",
    properties: &[
        optional("specularFactor", Number(Range::UNIT)),
        optional("specularTexture", Object(&TEXTURE_INFO)),
        optional("specularColorFactor", Numbers(3, Range::NOT_NEGATIVE)),
        optional("specularColorTexture", Object(&TEXTURE_INFO)),
    ],
    rule: None,
};

static TRANSMISSION: Object = Object {
    name: "KHR_materials_transmission",
    properties: &[
        optional("transmissionFactor", Number(Range::UNIT)),
        optional("transmissionTexture", Object(&TEXTURE_INFO)),
    ],
    rule: None,
};

static UNLIT: Object = Object { name: "KHR_materials_unlit", properties: &[], rule: None };

static VARIANTS: Object = Object {
    name: "KHR_materials_variants",
    properties: &[required("variants", List(&VARIANT))],
    rule: None,
};

static VARIANT: Object =
    Object { name: "variant", properties: &[required("name", Text)], rule: None };

static VARIANT_MAPPINGS: Object = Object {
    name: "KHR_materials_variants",
    properties: &[required("mappings", List(&VARIANT_MAPPING))],
    rule: Some(rules::variant_mappings),
};

static VARIANT_MAPPING: Object = Object {
    name: "variant mapping",
    properties: &[
        required("variants", Refs(Target::Variants)),
        required("material", Ref(Target::Materials)),
        optional("name", Text),
    ],
    rule: Some(rules::variant_mapping),
};

static VOLUME: Object = Object {
    name: "KHR_materials_volume",
    properties: &[
        optional("attenuationColor", Numbers(3, Range::UNIT)),
        optional("attenuationDistance", Number(Range::POSITIVE)),
        optional("thicknessFactor", Number(Range::NOT_NEGATIVE)),
        optional("thicknessTexture", Object(&TEXTURE_INFO)),
    ],
    rule: Some(rules::volume),
};

static VISIBILITY: Object =
    Object { name: "KHR_node_visibility", properties: &[optional("visible", Bool)], rule: None };

static TEXTURE_TRANSFORM: Object = Object {
    name: "KHR_texture_transform",
    properties: &[
        optional("offset", Numbers(2, Range::ANY)),
        optional("rotation", Number(Range::ANY)),
        optional("scale", Numbers(2, Range::ANY)),
        optional("texCoord", Integer(0, u64::MAX)),
    ],
    rule: Some(rules::texture_transform),
};
