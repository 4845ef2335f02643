//! [`Toon`] → `VRMC_materials_mtoon` 1.0.

use std::collections::BTreeSet;

use enliven::{Outline, TextureRef, Toon};
use serde_json::{Map, Value};

use super::bin::{number, numbers};
use super::surfaces::texture;

/// The extension's object. What is at the extension's own default is left out.
pub(crate) fn mtoon(toon: &Toon, used: &mut BTreeSet<&'static str>) -> Value {
    let mut out = Map::new();
    out.insert("specVersion".into(), "1.0".into());
    let set = |out: &mut Map<String, Value>, key: &str, value: f32, default: f32| {
        if value != default {
            out.insert(key.into(), number(value));
        }
    };
    let color = |out: &mut Map<String, Value>, key: &str, value: enliven::glam::Vec3| {
        out.insert(key.into(), numbers(&value.to_array()));
    };
    let mut place = |out: &mut Map<String, Value>, key: &str, t: &Option<TextureRef>| {
        if let Some(t) = t {
            out.insert(key.into(), texture(t, used));
        }
    };
    if toon.depth_write {
        out.insert("transparentWithZWrite".into(), true.into());
    }
    if toon.render_queue_offset != 0 {
        out.insert("renderQueueOffsetNumber".into(), toon.render_queue_offset.into());
    }
    color(&mut out, "shadeColorFactor", toon.shade_color);
    place(&mut out, "shadeMultiplyTexture", &toon.shade_texture);
    set(&mut out, "shadingShiftFactor", toon.shading_shift, 0.0);
    place(&mut out, "shadingShiftTexture", &toon.shading_shift_texture);
    if let Some(info) = out.get_mut("shadingShiftTexture") {
        info["scale"] = number(toon.shading_shift_scale);
    }
    set(&mut out, "shadingToonyFactor", toon.shading_toony, 0.9);
    set(&mut out, "giEqualizationFactor", toon.gi_equalization, 0.9);
    color(&mut out, "matcapFactor", toon.matcap_color);
    place(&mut out, "matcapTexture", &toon.matcap_texture);
    color(&mut out, "parametricRimColorFactor", toon.rim_color);
    place(&mut out, "rimMultiplyTexture", &toon.rim_texture);
    set(&mut out, "rimLightingMixFactor", toon.rim_lighting_mix, 1.0);
    set(&mut out, "parametricRimFresnelPowerFactor", toon.rim_power, 5.0);
    set(&mut out, "parametricRimLiftFactor", toon.rim_lift, 0.0);
    let outline = match toon.outline {
        Outline::None => "none",
        Outline::World => "worldCoordinates",
        Outline::Screen => "screenCoordinates",
    };
    out.insert("outlineWidthMode".into(), outline.into());
    set(&mut out, "outlineWidthFactor", toon.outline_width, 0.0);
    place(&mut out, "outlineWidthMultiplyTexture", &toon.outline_width_texture);
    color(&mut out, "outlineColorFactor", toon.outline_color);
    set(&mut out, "outlineLightingMixFactor", toon.outline_lighting_mix, 1.0);
    place(&mut out, "uvAnimationMaskTexture", &toon.uv_animation_mask);
    set(&mut out, "uvAnimationScrollXSpeedFactor", toon.uv_scroll.x, 0.0);
    set(&mut out, "uvAnimationScrollYSpeedFactor", toon.uv_scroll.y, 0.0);
    set(&mut out, "uvAnimationRotationSpeedFactor", toon.uv_rotation, 0.0);
    Value::Object(out)
}
