//! Materials, textures and images of a character → the document's.

use std::collections::{BTreeMap, BTreeSet};

use enliven::glam::Vec2;
use enliven::{AlphaMode, Character, Image, Material, Sampler, Shading, TextureRef, Wrap};
use serde_json::{Map, Value, json};

use super::bin::{Bin, Use, number, numbers, set_list};
use super::mtoon::mtoon;
use crate::{Diagnostic, Severity};

/// Writes the three lists; the names of the extensions used go to `used`.
pub(super) fn write(
    character: &Character,
    root: &mut Map<String, Value>,
    bin: &mut Bin,
    used: &mut BTreeSet<&'static str>,
    found: &mut Vec<Diagnostic>,
) {
    let mut samplers = Vec::new();
    let mut known: BTreeMap<[u32; 4], usize> = BTreeMap::new();
    let textures = character
        .textures
        .iter()
        .map(|t| {
            let codes = codes(&t.sampler);
            let next = samplers.len();
            let sampler = *known.entry(codes).or_insert(next);
            if sampler == next {
                let [s, t, mag, min] = codes;
                samplers.push(json!({
                    "wrapS": s, "wrapT": t, "magFilter": mag, "minFilter": min,
                }));
            }
            let mut out = Map::new();
            if !t.name.is_empty() {
                out.insert("name".into(), t.name.clone().into());
            }
            out.insert("sampler".into(), sampler.into());
            if let Some(image) = t.image {
                out.insert("source".into(), image.0.into());
            }
            Value::Object(out)
        })
        .collect();
    let images = character
        .images
        .iter()
        .enumerate()
        .map(|(i, image)| {
            let mut out = Map::new();
            if !image.name.is_empty() {
                out.insert("name".into(), image.name.clone().into());
            }
            let bytes = png(image).unwrap_or_else(|problem| {
                found.push(Diagnostic::new(
                    Severity::Warning,
                    "IMAGE_NOT_WRITTEN",
                    format!("/images/{i}"),
                    format!("{problem}; a white pixel stands in its place"),
                ));
                png(&Image { name: String::new(), width: 1, height: 1, rgba: vec![255; 4] })
                    .unwrap_or_default()
            });
            out.insert("bufferView".into(), bin.view(&bytes, Use::Data).into());
            out.insert("mimeType".into(), "image/png".into());
            Value::Object(out)
        })
        .collect();
    let materials = character.materials.iter().map(|m| material(m, used)).collect();
    set_list(root, "samplers", samplers);
    set_list(root, "textures", textures);
    set_list(root, "images", images);
    set_list(root, "materials", materials);
}

fn png(image: &Image) -> Result<Vec<u8>, String> {
    let whole = image::RgbaImage::from_raw(image.width, image.height, image.rgba.clone())
        .filter(|i| i.width() > 0 && i.height() > 0)
        .ok_or("the image is empty")?;
    let mut out = std::io::Cursor::new(Vec::new());
    whole.write_to(&mut out, image::ImageFormat::Png).map_err(|e| e.to_string())?;
    Ok(out.into_inner())
}

fn codes(s: &Sampler) -> [u32; 4] {
    let wrap = |w| match w {
        Wrap::Repeat => 10497,
        Wrap::Mirror => 33648,
        Wrap::Clamp => 33071,
    };
    let min = match (s.min_linear, s.mipmaps) {
        (false, None) => 9728,
        (true, None) => 9729,
        (false, Some(false)) => 9984,
        (true, Some(false)) => 9985,
        (false, Some(true)) => 9986,
        (true, Some(true)) => 9987,
    };
    [wrap(s.wrap_u), wrap(s.wrap_v), if s.mag_linear { 9729 } else { 9728 }, min]
}

/// One material, as an object of the document.
pub(crate) fn material(m: &Material, used: &mut BTreeSet<&'static str>) -> Value {
    let mut out = Map::new();
    if !m.name.is_empty() {
        out.insert("name".into(), m.name.clone().into());
    }
    let mut pbr = Map::new();
    pbr.insert("baseColorFactor".into(), numbers(&m.base_color.to_array()));
    pbr.insert("metallicFactor".into(), number(m.metallic));
    pbr.insert("roughnessFactor".into(), number(m.roughness));
    if let Some(t) = &m.base_color_texture {
        pbr.insert("baseColorTexture".into(), texture(t, used));
    }
    if let Some(t) = &m.metallic_roughness_texture {
        pbr.insert("metallicRoughnessTexture".into(), texture(t, used));
    }
    out.insert("pbrMetallicRoughness".into(), pbr.into());
    if let Some(t) = &m.normal_texture {
        let mut info = texture(t, used);
        info["scale"] = number(m.normal_scale);
        out.insert("normalTexture".into(), info);
    }
    if let Some(t) = &m.occlusion_texture {
        let mut info = texture(t, used);
        info["strength"] = number(m.occlusion_strength);
        out.insert("occlusionTexture".into(), info);
    }
    if let Some(t) = &m.emissive_texture {
        out.insert("emissiveTexture".into(), texture(t, used));
    }
    let mut extensions = Map::new();
    let strength = m.emissive.max_element();
    if strength > 1.0 {
        used.insert("KHR_materials_emissive_strength");
        out.insert("emissiveFactor".into(), numbers(&(m.emissive / strength).to_array()));
        extensions.insert(
            "KHR_materials_emissive_strength".into(),
            json!({ "emissiveStrength": number(strength) }),
        );
    } else if strength > 0.0 {
        out.insert("emissiveFactor".into(), numbers(&m.emissive.to_array()));
    }
    match m.alpha_mode {
        AlphaMode::Opaque => {}
        AlphaMode::Mask { cutoff } => {
            out.insert("alphaMode".into(), "MASK".into());
            out.insert("alphaCutoff".into(), number(cutoff));
        }
        AlphaMode::Blend => drop(out.insert("alphaMode".into(), "BLEND".into())),
    }
    if m.double_sided {
        out.insert("doubleSided".into(), true.into());
    }
    if m.shading == Shading::Toon {
        used.insert("VRMC_materials_mtoon");
        extensions.insert("VRMC_materials_mtoon".into(), mtoon(&m.toon, used));
    }
    if m.shading == Shading::Unlit {
        used.insert("KHR_materials_unlit");
        extensions.insert("KHR_materials_unlit".into(), json!({}));
    }
    if !extensions.is_empty() {
        out.insert("extensions".into(), extensions.into());
    }
    Value::Object(out)
}

pub(super) fn texture(t: &TextureRef, used: &mut BTreeSet<&'static str>) -> Value {
    let mut out = json!({ "index": t.texture.0 });
    if t.uv_set != 0 {
        out["texCoord"] = t.uv_set.into();
    }
    if (t.offset, t.rotation, t.scale) != (Vec2::ZERO, 0.0, Vec2::ONE) {
        used.insert("KHR_texture_transform");
        out["extensions"] = json!({ "KHR_texture_transform": {
            "offset": numbers(&t.offset.to_array()),
            "rotation": number(t.rotation),
            "scale": numbers(&t.scale.to_array()),
        }});
    }
    out
}
