//! Materials, textures and their samplers.

use enliven::{
    AlphaMode, ImageId, Material, Sampler, Shading, Texture, TextureId, TextureRef, Wrap,
    glam::{Vec2, Vec3, Vec4},
    math,
};
use serde_json::{Map, Value};

use super::super::schema::{self, Document, TextureInfo, TextureTransform, Uint, lenient, uint};
use crate::{Diagnostic, Severity, findings::Findings};

pub(super) struct Surfaces {
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    /// Images that a material shows.
    pub used: Vec<bool>,
    /// Materials whose metallic-roughness texture is to be made of a specular-glossiness one.
    pub glossy: Vec<super::glossy::Glossy>,
}

pub(super) fn build(
    document: &Document,
    root: &Map<String, Value>,
    found: &mut Findings,
) -> Surfaces {
    let textures: Vec<Texture> =
        (0..document.textures.len()).map(|t| texture(document, t, found)).collect();
    let vrm0 = root.get("extensions").and_then(|extensions| extensions.get("VRM"));
    let vrm0 = vrm0.and_then(|vrm| vrm.get("materialProperties")).and_then(Value::as_array);
    let mut glossy = Vec::new();
    let mut materials: Vec<Material> = document
        .materials
        .iter()
        .enumerate()
        .map(|(i, source)| {
            let pointer = format!("/materials/{i}");
            let mut reader = Reader { document, pointer, found };
            let mut material = reader.material(source);
            if let Some(value) = source.extensions.get("KHR_materials_pbrSpecularGlossiness") {
                let more = reader.specular_glossiness(value, &mut material);
                glossy.extend(more.map(|more| super::glossy::Glossy { material: i, ..more }));
            }
            if let Some(value) = source.extensions.get("VRMC_materials_mtoon") {
                reader.mtoon(value, &mut material);
            } else if let Some(properties) = vrm0.and_then(|list| list.get(i)) {
                reader.pointer = format!("/extensions/VRM/materialProperties/{i}");
                reader.mtoon0(properties, &mut material);
            }
            material
        })
        .collect();
    if let Some(list) = vrm0 {
        super::mtoon::order0(list, &mut materials);
    }

    let mut used = vec![false; document.images.len()];
    let refs = materials.iter().flat_map(Material::textures).copied();
    for reference in refs.chain(glossy.iter().map(|glossy| glossy.texture)) {
        if let Some(image) = textures[reference.texture.index()].image {
            used[image.index()] = true;
        }
    }
    Surfaces { materials, textures, used, glossy }
}

fn texture(document: &Document, t: usize, found: &mut Findings) -> Texture {
    let source = &document.textures[t];
    let mut say = |code, pointer: String, message: String| {
        // A texture may be without an image; whatever else is missing should be there.
        let severity = if code == "TEXTURE_NO_IMAGE" { Severity::Warning } else { Severity::Error };
        found.push(Diagnostic::new(severity, code, pointer, message));
    };
    let webp = source.extensions.get("EXT_texture_webp").and_then(|webp| webp.get("source"));
    let image = webp.and_then(uint).or(source.source);
    let image = match image {
        Some(image) if image.index() < document.images.len() => Some(ImageId::new(image.index())),
        Some(image) => {
            let message = format!("there is no image {}; the texture is white", image.0);
            say("UNRESOLVED_REFERENCE", format!("/textures/{t}/source"), message);
            None
        }
        None => {
            let others: Vec<_> = source.extensions.keys().map(String::as_str).collect();
            let message = match &others[..] {
                [] => "no image; the texture is white".into(),
                others => format!("its image is known to {} alone; white", others.join(", ")),
            };
            say("TEXTURE_NO_IMAGE", format!("/textures/{t}"), message);
            None
        }
    };
    let sampler = source.sampler.map_or_else(Sampler::default, |index| {
        match document.samplers.get(index.index()) {
            Some(source) => sampler(source, index, &mut say),
            None => {
                let message = format!("there is no sampler {}; the default stands in", index.0);
                say("UNRESOLVED_REFERENCE", format!("/textures/{t}/sampler"), message);
                Sampler::default()
            }
        }
    });
    Texture { name: source.name.clone().unwrap_or_default(), image, sampler }
}

fn sampler(
    source: &schema::Sampler,
    index: Uint,
    say: &mut dyn FnMut(&'static str, String, String),
) -> Sampler {
    let mut wrong = |property: &str, value: Uint| {
        let message = format!("{} is no such mode; the default stands in", value.0);
        say("VALUE_NOT_IN_LIST", format!("/samplers/{}/{property}", index.0), message);
    };
    let mut wrap = |property: &str, value: Option<Uint>| match value.map_or(10497, |value| value.0)
    {
        33071 => Wrap::Clamp,
        33648 => Wrap::Mirror,
        other => {
            if other != 10497 {
                wrong(property, Uint(other));
            }
            Wrap::Repeat
        }
    };
    let wrap_u = wrap("wrapS", source.wrap_s);
    let wrap_v = wrap("wrapT", source.wrap_t);
    let mag_linear = match source.mag_filter.map_or(9729, |value| value.0) {
        9728 => false,
        other => {
            if other != 9729 {
                wrong("magFilter", Uint(other));
            }
            true
        }
    };
    let (min_linear, mipmaps) = match source.min_filter.map_or(9987, |value| value.0) {
        9728 => (false, None),
        9729 => (true, None),
        9984 => (false, Some(false)),
        9985 => (true, Some(false)),
        9986 => (false, Some(true)),
        other => {
            if other != 9987 {
                wrong("minFilter", Uint(other));
            }
            (true, Some(true))
        }
    };
    Sampler { wrap_u, wrap_v, mag_linear, min_linear, mipmaps }
}

/// Reads one material; findings are placed below its pointer.
pub(super) struct Reader<'a> {
    pub(super) document: &'a Document,
    pub(super) pointer: String,
    pub(super) found: &'a mut Findings,
}

impl Reader<'_> {
    pub(super) fn say(&mut self, code: &'static str, property: &str, message: String) {
        let pointer = format!("{}{property}", self.pointer);
        self.found.push(Diagnostic::new(Severity::Error, code, pointer, message));
    }

    /// A factor in [0, 1].
    pub(super) fn unit(&mut self, value: Option<f64>, default: f32, property: &str) -> f32 {
        self.clamped(value, default, 0.0..=1.0, property)
    }

    pub(super) fn clamped(
        &mut self,
        value: Option<f64>,
        default: f32,
        range: std::ops::RangeInclusive<f32>,
        property: &str,
    ) -> f32 {
        let Some(value) = value.map(|value| value as f32) else { return default };
        if range.contains(&value) {
            return value;
        }
        let (low, high) = range.into_inner();
        self.say("VALUE_NOT_IN_RANGE", property, format!("{value} is not in {low} to {high}"));
        value.clamp(low, high)
    }

    pub(super) fn units<const N: usize>(
        &mut self,
        values: Option<[f64; N]>,
        default: [f32; N],
        property: &str,
    ) -> [f32; N] {
        values.map_or(default, |values| {
            let mut i = 0;
            values.map(|value| {
                i += 1;
                self.unit(Some(value), 0.0, &format!("{property}/{}", i - 1))
            })
        })
    }

    pub(super) fn reference(
        &mut self,
        info: Option<&TextureInfo>,
        property: &str,
    ) -> Option<TextureRef> {
        let info = info?;
        let Some(index) = info.index.filter(|i| i.index() < self.document.textures.len()) else {
            let message = match info.index {
                Some(index) => format!("there is no texture {}; left out", index.0),
                None => "no texture is named; left out".into(),
            };
            self.say("UNRESOLVED_REFERENCE", &format!("{property}/index"), message);
            return None;
        };
        let mut reference = TextureRef::new(TextureId::new(index.index()));
        let mut set = info.tex_coord;
        if let Some(value) = info.extensions.get("KHR_texture_transform") {
            let pointer = format!("{}{property}/extensions/KHR_texture_transform", self.pointer);
            let transform: TextureTransform = lenient(value, &|| pointer.clone(), self.found);
            let finite = |pair: [f64; 2]| {
                Some(Vec2::from(pair.map(|number| number as f32))).filter(|pair| pair.is_finite())
            };
            reference.offset = transform.offset.and_then(finite).unwrap_or(Vec2::ZERO);
            reference.scale = transform.scale.and_then(finite).unwrap_or(Vec2::ONE);
            let rotation = transform.rotation.map_or(0.0, |rotation| rotation as f32);
            reference.rotation = if rotation.is_finite() { rotation } else { 0.0 };
            set = transform.tex_coord.unwrap_or(set);
        }
        reference.uv_set = u32::try_from(set.0).unwrap_or(u32::MAX);
        Some(reference)
    }

    fn material(&mut self, source: &schema::Material) -> Material {
        let pbr = &source.pbr_metallic_roughness;
        let front = "/pbrMetallicRoughness";
        let place = |property: &str| format!("{front}/{property}");
        let color = self.units(pbr.base_color_factor, [1.0; 4], &place("baseColorFactor"));
        let emissive = self.units(source.emissive_factor, [0.0; 3], "/emissiveFactor");
        let strength = |name: &str, key: &str| source.extensions.get(name)?.get(key)?.as_f64();
        let strength = strength("KHR_materials_emissive_strength", "emissiveStrength")
            .or_else(|| strength("VRMC_materials_hdr_emissiveMultiplier", "emissiveMultiplier"));
        let strength = self.clamped(
            strength,
            1.0,
            0.0..=f32::MAX,
            "/extensions/KHR_materials_emissive_strength/emissiveStrength",
        );
        let normal = source.normal_texture.as_ref();
        let occlusion = source.occlusion_texture.as_ref();
        let cutoff = self.clamped(source.alpha_cutoff, 0.5, 0.0..=f32::MAX, "/alphaCutoff");
        let alpha_mode = match source.alpha_mode.as_deref() {
            None | Some("OPAQUE") => AlphaMode::Opaque,
            Some("MASK") => AlphaMode::Mask { cutoff },
            Some("BLEND") => AlphaMode::Blend,
            Some(other) => {
                let message = format!("{other:?} is no alpha mode; the surface is opaque");
                self.say("VALUE_NOT_IN_LIST", "/alphaMode", message);
                AlphaMode::Opaque
            }
        };
        let normal_scale = normal.and_then(|normal| normal.scale).map_or(1.0, |s| s as f32);
        let strength_of_occlusion = occlusion.and_then(|occlusion| occlusion.strength);
        let unlit = source.extensions.contains_key("KHR_materials_unlit");
        Material {
            name: source.name.clone().unwrap_or_default(),
            shading: if unlit { Shading::Unlit } else { Shading::Pbr },
            base_color: Vec4::from(color),
            base_color_texture: self
                .reference(pbr.base_color_texture.as_ref(), &place("baseColorTexture")),
            metallic: self.unit(pbr.metallic_factor, 1.0, &place("metallicFactor")),
            roughness: self.unit(pbr.roughness_factor, 1.0, &place("roughnessFactor")),
            metallic_roughness_texture: self.reference(
                pbr.metallic_roughness_texture.as_ref(),
                &place("metallicRoughnessTexture"),
            ),
            normal_texture: self.reference(normal, "/normalTexture"),
            normal_scale: if normal_scale.is_finite() { normal_scale } else { 1.0 },
            occlusion_texture: self.reference(occlusion, "/occlusionTexture"),
            occlusion_strength: self.unit(strength_of_occlusion, 1.0, "/occlusionTexture/strength"),
            emissive: (Vec3::from(emissive) * strength).min(Vec3::splat(f32::MAX)),
            emissive_texture: self.reference(source.emissive_texture.as_ref(), "/emissiveTexture"),
            alpha_mode,
            double_sided: source.double_sided,
            ..Material::default()
        }
    }

    /// `KHR_materials_pbrSpecularGlossiness` → metallic-roughness. The factors at once; what has a
    /// texture comes back, to be made when its image is decoded.
    fn specular_glossiness(
        &mut self,
        value: &Value,
        material: &mut Material,
    ) -> Option<super::glossy::Glossy> {
        let front = "/extensions/KHR_materials_pbrSpecularGlossiness";
        let pointer = format!("{}{front}", self.pointer);
        let source: schema::SpecularGlossiness = lenient(value, &|| pointer.clone(), self.found);
        let place = |property: &str| format!("{front}/{property}");
        let diffuse = self.units(source.diffuse_factor, [1.0; 4], &place("diffuseFactor"));
        let specular = self.units(source.specular_factor, [1.0; 3], &place("specularFactor"));
        let glossiness = self.unit(source.glossiness_factor, 1.0, &place("glossinessFactor"));
        let texture = self.reference(source.diffuse_texture.as_ref(), &place("diffuseTexture"));
        material.base_color_texture = texture;
        let texture = self.reference(
            source.specular_glossiness_texture.as_ref(),
            &place("specularGlossinessTexture"),
        );
        let (diffuse, specular) = (Vec4::from(diffuse), Vec3::from(specular));
        let (base, metallic) = super::glossy::metal(diffuse.truncate(), specular);
        material.metallic_roughness_texture = None;
        material.roughness = 1.0 - glossiness;
        // With a diffuse texture its colour is the base colour, where a metal has nearly none.
        let textured = material.base_color_texture.is_some();
        material.base_color = if textured { diffuse } else { base.extend(diffuse.w) };
        material.metallic = if textured { 0.0 } else { metallic };
        texture.map(|texture| super::glossy::Glossy {
            material: 0,
            texture,
            diffuse: diffuse.truncate(),
            specular,
            glossiness,
        })
    }
}

/// IEC 61966-2-1, `value` clamped to [0, 1].
pub(super) fn srgb_to_linear(value: f32) -> f32 {
    let value = value.clamp(0.0, 1.0);
    if value <= 0.04045 { value / 12.92 } else { math::pow((value + 0.055) / 1.055, 2.4) }
}
