//! MToon of both VRM versions → [`Toon`].

use enliven::{
    AlphaMode, Material, Outline, Shading, TextureId, TextureRef, Toon,
    glam::{Vec2, Vec3},
    math,
};
use serde_json::Value;

use super::super::{
    json::escaped,
    schema::{TextureInfo, lenient, uint},
};
use super::materials::{Reader, srgb_to_linear};

/// Offsets of the render queue that VRM 1.0 has on each side.
const QUEUES: i32 = 9;

impl Reader<'_> {
    /// `VRMC_materials_mtoon` 1.0, with its defaults.
    pub(super) fn mtoon(&mut self, value: &Value, material: &mut Material) {
        const FRONT: &str = "/extensions/VRMC_materials_mtoon";
        material.shading = Shading::Toon;
        let place = |key: &str| format!("{FRONT}/{key}");
        // What is of another type is as if it were not there, and said.
        fn typed<'v, T>(
            reader: &mut Reader<'_>,
            value: &'v Value,
            key: &str,
            what: &str,
            read: impl FnOnce(&'v Value) -> Option<T>,
        ) -> Option<T> {
            let given = value.get(key)?;
            let read = read(given);
            if read.is_none() {
                let message = format!("{given} is no {what}; the default stands");
                reader.say("TYPE_MISMATCH", &format!("{FRONT}/{key}"), message);
            }
            read
        }
        let number =
            |reader: &mut Self, key: &str| typed(reader, value, key, "number", Value::as_f64);
        let color = |reader: &mut Self, key: &str, default: f32| {
            let list = typed(reader, value, key, "list of three numbers", |given| {
                let list: Option<Vec<f64>> = given.as_array()?.iter().map(Value::as_f64).collect();
                <[f64; 3]>::try_from(list?).ok()
            });
            Vec3::from(reader.units(list, [default; 3], &place(key)))
        };
        let texture = |reader: &mut Self, key: &str| -> Option<(TextureRef, Option<f32>)> {
            let info = value.get(key)?;
            let pointer = format!("{}{}", reader.pointer, place(key));
            let read: TextureInfo = lenient(info, &|| pointer.clone(), reader.found);
            let reference = reader.reference(Some(&read), &place(key))?;
            let scale = info.get("scale").and_then(Value::as_f64).map(|scale| {
                let property = format!("{}/scale", place(key));
                reader.clamped(Some(scale), 1.0, -f32::MAX..=f32::MAX, &property)
            });
            Some((reference, scale))
        };
        let any = |reader: &mut Self, key: &str, default: f32| {
            let number = number(reader, key);
            reader.clamped(number, default, -f32::MAX..=f32::MAX, &place(key))
        };
        let unit = |reader: &mut Self, key: &str, default| {
            let number = number(reader, key);
            reader.unit(number, default, &place(key))
        };
        let least = |reader: &mut Self, key: &str, default: f32| {
            let number = number(reader, key);
            reader.clamped(number, default, 0.0..=f32::MAX, &place(key))
        };
        let shift = texture(self, "shadingShiftTexture");
        let shading_shift = number(self, "shadingShiftFactor");
        let outline = typed(self, value, "outlineWidthMode", "text", Value::as_str);
        let depth_write = typed(self, value, "transparentWithZWrite", "boolean", Value::as_bool);
        let queue = number(self, "renderQueueOffsetNumber");
        let queues = QUEUES as f32;
        material.toon = Toon {
            // Black is the extension's own default.
            shade_color: color(self, "shadeColorFactor", 0.0),
            shade_texture: texture(self, "shadeMultiplyTexture").map(|t| t.0),
            shading_shift: self.clamped(
                shading_shift,
                0.0,
                -1.0..=1.0,
                &place("shadingShiftFactor"),
            ),
            shading_shift_texture: shift.map(|t| t.0),
            shading_shift_scale: shift.and_then(|t| t.1).unwrap_or(1.0),
            shading_toony: unit(self, "shadingToonyFactor", 0.9),
            gi_equalization: unit(self, "giEqualizationFactor", 0.9),
            matcap_color: color(self, "matcapFactor", 1.0),
            matcap_texture: texture(self, "matcapTexture").map(|t| t.0),
            rim_color: color(self, "parametricRimColorFactor", 0.0),
            rim_texture: texture(self, "rimMultiplyTexture").map(|t| t.0),
            rim_lighting_mix: unit(self, "rimLightingMixFactor", 1.0),
            rim_power: least(self, "parametricRimFresnelPowerFactor", 5.0),
            rim_lift: any(self, "parametricRimLiftFactor", 0.0),
            outline: match outline {
                None | Some("none") => Outline::None,
                Some("worldCoordinates") => Outline::World,
                Some("screenCoordinates") => Outline::Screen,
                Some(other) => {
                    let message = format!("{other:?} is no such mode; no outline is drawn");
                    self.say("VALUE_NOT_IN_LIST", &place("outlineWidthMode"), message);
                    Outline::None
                }
            },
            outline_width: least(self, "outlineWidthFactor", 0.0),
            outline_width_texture: texture(self, "outlineWidthMultiplyTexture").map(|t| t.0),
            outline_color: color(self, "outlineColorFactor", 0.0),
            outline_lighting_mix: unit(self, "outlineLightingMixFactor", 1.0),
            uv_animation_mask: texture(self, "uvAnimationMaskTexture").map(|t| t.0),
            uv_scroll: Vec2::new(
                any(self, "uvAnimationScrollXSpeedFactor", 0.0),
                any(self, "uvAnimationScrollYSpeedFactor", 0.0),
            ),
            uv_rotation: any(self, "uvAnimationRotationSpeedFactor", 0.0),
            depth_write: depth_write == Some(true),
            render_queue_offset: self.clamped(
                queue,
                0.0,
                -queues..=queues,
                &place("renderQueueOffsetNumber"),
            ) as i32,
        };
    }

    /// Says which of Unity's numbers are none: below they are as if they were not there.
    fn check_types(&mut self, properties: &Value) {
        let number = |value: &Value| value.as_f64().is_some_and(|v| (v as f32).is_finite());
        let four = |value: &Value| {
            value.as_array().is_some_and(|list| list.len() == 4 && list.iter().all(number))
        };
        let mut check = |list: &str, what: &str, fits: &dyn Fn(&Value) -> bool| {
            let given = properties.get(list).and_then(Value::as_object);
            for (name, value) in given.into_iter().flatten().filter(|(_, value)| !fits(value)) {
                let message = format!("{value} is no {what}; the default stands");
                self.say("TYPE_MISMATCH", &format!("/{list}/{}", escaped(name)), message);
            }
        };
        check("floatProperties", "number", &number);
        check("vectorProperties", "list of four numbers", &four);
    }

    /// An element of VRM 0's `materialProperties`: MToon as Unity has it. What means the same in
    /// other numbers in VRM 1.0 is turned into those; formulas by the range that the two shaders
    /// give the ramp.
    pub(super) fn mtoon0(&mut self, properties: &Value, material: &mut Material) {
        if properties.get("shader").and_then(Value::as_str) != Some("VRM/MToon") {
            return;
        }
        material.shading = Shading::Toon;
        self.check_types(properties);
        let float = |name: &str, default: f32| {
            let value = properties.get("floatProperties").and_then(|list| list.get(name));
            let value = value.and_then(Value::as_f64).map(|v| v as f32);
            value.filter(|v| v.is_finite()).unwrap_or(default)
        };
        let vector = |name: &str| -> Option<[f32; 4]> {
            let vector = properties.get("vectorProperties")?.get(name)?.as_array()?;
            let vector: Vec<f32> =
                vector.iter().map(|number| number.as_f64().unwrap_or(0.0) as f32).collect();
            vector.try_into().ok().filter(|vector: &[f32; 4]| vector.iter().all(|n| n.is_finite()))
        };
        // Unity's colours are sRGB.
        let linear = |[r, g, b, _]: [f32; 4]| Vec3::from([r, g, b].map(srgb_to_linear));
        let color = |name: &str, default: [f32; 3]| {
            let [r, g, b] = default;
            linear(vector(name).unwrap_or([r, g, b, 1.0]))
        };
        if let Some(base) = vector("_Color") {
            material.base_color = linear(base).extend(base[3].clamp(0.0, 1.0));
        }
        let count = self.document.textures.len();
        // One transform, of the main texture, moves all of them; v from the bottom.
        let [x, y, scale_x, scale_y] = vector("_MainTex").unwrap_or([0.0, 0.0, 1.0, 1.0]);
        let mut texture = |name: &str| -> Option<TextureRef> {
            let index = properties.get("textureProperties")?.get(name)?;
            let known = uint(index).filter(|index| index.index() < count);
            if known.is_none() {
                let message = format!("there is no texture {index}; left out");
                let property = format!("/textureProperties/{}", escaped(name));
                self.say("UNRESOLVED_REFERENCE", &property, message);
            }
            let mut reference = TextureRef::new(TextureId::new(known?.index()));
            if name != "_SphereAdd" {
                reference.scale = Vec2::new(scale_x, scale_y);
                reference.offset = Vec2::new(x, 1.0 - y - scale_y);
            }
            Some(reference)
        };
        if let Some(reference) = texture("_MainTex") {
            material.base_color_texture = Some(reference);
        }
        if let Some(reference) = texture("_BumpMap") {
            material.normal_texture = Some(reference);
            material.normal_scale = float("_BumpScale", 1.0);
        }
        if let Some(emission) = vector("_EmissionColor") {
            // Unity's curve goes on beyond white, as a power of 2.2.
            let light = |v: f32| if v > 1.0 { math::pow(v, 2.2) } else { srgb_to_linear(v) };
            let [r, g, b, _] = emission;
            material.emissive = Vec3::new(light(r), light(g), light(b));
        }
        if let Some(reference) = texture("_EmissionMap") {
            material.emissive_texture = Some(reference);
        }
        let (shift, toony) = (float("_ShadeShift", 0.0), float("_ShadeToony", 0.9));
        // Lit above `high`, shaded below `low`, both cosines.
        let (low, high) = (shift, 1.0 + (shift - 1.0) * toony);
        let shade_texture = texture("_ShadeTexture");
        let matcap_texture = texture("_SphereAdd");
        let turns_a_second = float("_UvAnimRotation", 0.0);
        material.toon = Toon {
            // The shader's default, a pale rose.
            shade_color: color("_ShadeColor", [0.97, 0.81, 0.86]),
            shade_texture,
            shading_shift: (-0.5 * (low + high)).clamp(-1.0, 1.0),
            shading_shift_texture: None,
            shading_shift_scale: 1.0,
            shading_toony: (1.0 - 0.5 * (high - low)).clamp(0.0, 1.0),
            gi_equalization: 1.0 - float("_IndirectLightIntensity", 0.1).clamp(0.0, 1.0),
            matcap_color: Vec3::ONE,
            matcap_texture,
            rim_color: color("_RimColor", [0.0; 3]),
            rim_texture: texture("_RimTexture"),
            rim_lighting_mix: float("_RimLightingMix", 0.0).clamp(0.0, 1.0),
            rim_power: float("_RimFresnelPower", 1.0).max(0.0),
            rim_lift: float("_RimLift", 0.0),
            outline: match float("_OutlineWidthMode", 0.0) as i32 {
                1 => Outline::World,
                2 => Outline::Screen,
                _ => Outline::None,
            },
            outline_width: {
                let width = 0.01 * float("_OutlineWidth", 0.5).max(0.0);
                // Of the screen's two units from edge to edge, not of its height.
                if float("_OutlineWidthMode", 0.0) as i32 == 2 { 0.5 * width } else { width }
            },
            outline_width_texture: texture("_OutlineWidthTexture"),
            outline_color: color("_OutlineColor", [0.0; 3]),
            outline_lighting_mix: match float("_OutlineColorMode", 0.0) as i32 {
                1 => float("_OutlineLightingMix", 1.0).clamp(0.0, 1.0),
                _ => 0.0,
            },
            uv_animation_mask: texture("_UvAnimMaskTexture"),
            uv_scroll: Vec2::new(float("_UvAnimScrollX", 0.0), 0.0 - float("_UvAnimScrollY", 0.0)),
            uv_rotation: turns_a_second * std::f32::consts::TAU,
            depth_write: float("_BlendMode", 0.0) as i32 == 3,
            render_queue_offset: 0,
        };
        material.alpha_mode = match float("_BlendMode", -1.0) as i32 {
            0 => AlphaMode::Opaque,
            1 => AlphaMode::Mask { cutoff: float("_Cutoff", 0.5) },
            2 | 3 => AlphaMode::Blend,
            _ => material.alpha_mode,
        };
        let cull = float("_CullMode", -1.0);
        if cull >= 0.0 {
            material.double_sided = cull == 0.0;
        }
    }
}

/// The order of mixed surfaces: VRM 0's queues are Unity's numbers, of which only the order counts.
/// Surfaces that hide what is behind keep the lowest at 0, others the highest.
pub(super) fn order0(properties: &[Value], materials: &mut [Material]) {
    let queue = |i: usize| {
        let queue = properties.get(i)?.get("renderQueue")?.as_i64()?;
        (queue >= 0).then_some(queue)
    };
    for depth_write in [false, true] {
        let mine = |m: &Material| {
            m.shading == Shading::Toon
                && m.alpha_mode == AlphaMode::Blend
                && m.toon.depth_write == depth_write
        };
        let mut queues: Vec<i64> =
            (0..materials.len()).filter(|i| mine(&materials[*i])).filter_map(queue).collect();
        queues.sort_unstable();
        queues.dedup();
        for (i, material) in materials.iter_mut().enumerate() {
            let rank =
                queue(i).filter(|_| mine(material)).and_then(|q| queues.binary_search(&q).ok());
            let Some(rank) = rank else { continue };
            material.toon.render_queue_offset = if depth_write {
                (rank as i32).min(QUEUES)
            } else {
                (rank as i32 + 1 - queues.len() as i32).max(-QUEUES)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn toon(depth_write: bool) -> Material {
        let toon = Toon { depth_write, ..Toon::default() };
        let shading = Shading::Toon;
        Material { shading, toon, alpha_mode: AlphaMode::Blend, ..Material::default() }
    }

    #[test]
    fn queues_keep_their_order() {
        let mut materials: Vec<Material> =
            [false, true, false, true, false].map(toon).into_iter().collect();
        let queues = [3000, 2501, 3100, 2600, -1].map(|q| json!({ "renderQueue": q }));
        order0(&queues, &mut materials);
        let offsets: Vec<i32> = materials.iter().map(|m| m.toon.render_queue_offset).collect();
        assert_eq!(offsets, [-1, 0, 0, 1, 0]);
    }

    #[test]
    fn more_queues_than_places_share_the_last() {
        let mut materials: Vec<Material> = (0..30).map(|i| toon(i % 2 == 0)).collect();
        let queues: Vec<Value> = (0..30).map(|q| json!({ "renderQueue": 3000 + q })).collect();
        order0(&queues, &mut materials);
        let pick = |depth: bool| {
            materials
                .iter()
                .filter(move |m| m.toon.depth_write == depth)
                .map(|m| m.toon.render_queue_offset)
        };
        assert!(pick(false).is_sorted() && pick(false).all(|o| (-9..=0).contains(&o)));
        assert!(pick(true).is_sorted() && pick(true).all(|o| (0..=9).contains(&o)));
    }
}
