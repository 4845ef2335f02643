//! `KHR_animation_pointer`: which JSON pointers a character can animate.

use enliven::{Channel, ChannelId, ChannelKind, Channels, Material, MaterialFactor, MaterialId};
use serde_json::Value;

use super::super::schema::{Document, Node, Target};

/// A pointer that a plain channel of an animation could say too: `/nodes/3/rotation` → 3,
/// `rotation`.
pub(super) fn node(pointer: &str) -> Option<(usize, &str)> {
    let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    let node = node.parse().ok()?;
    matches!(path, "translation" | "rotation" | "scale" | "weights").then_some((node, path))
}

/// The most nodes whose visibility is animated: each asks all meshes below it every frame.
const MOST_SWITCHES: usize = 64;

/// `/nodes/3/extensions/KHR_node_visibility/visible` → 3.
pub(super) fn switch(pointer: &str) -> Option<usize> {
    let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    (path == "extensions/KHR_node_visibility/visible").then(|| node.parse().ok()).flatten()
}

/// Where a channel of an animation points.
pub(super) fn pointer(target: &Target) -> &str {
    let extension = target.extensions.get("KHR_animation_pointer");
    extension.and_then(|e| e.get("pointer")).and_then(Value::as_str).unwrap_or_default()
}

/// The nodes whose visibility is animated, in order of the file: the first so many.
pub(super) fn switches(document: &Document) -> Vec<usize> {
    let mut out = Vec::new();
    for channel in document.animations.iter().flat_map(|a| &a.channels) {
        let node = switch(pointer(&channel.target)).filter(|n| *n < document.nodes.len());
        if let Some(node) = node.filter(|n| !out.contains(n) && out.len() < MOST_SWITCHES) {
            out.push(node);
        }
    }
    out
}

/// Whether a node is hidden by itself.
pub(super) fn is_hidden(node: &Node) -> bool {
    let about = node.extensions.get("KHR_node_visibility");
    about.and_then(|about| about.get("visible")) == Some(&Value::Bool(false))
}

/// Numbers of a material that an animation moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors {
    material: usize,
    factor: fn(u8) -> MaterialFactor,
    /// How many they are.
    pub width: usize,
    /// By what the file's values are multiplied.
    pub gain: f32,
}

/// `/materials/0/emissiveFactor` and the like.
pub(super) fn factors(
    pointer: &str,
    document: &Document,
    materials: &[Material],
) -> Option<Factors> {
    let (material, property) = pointer.strip_prefix("/materials/")?.split_once('/')?;
    let material: usize = material.parse().ok()?;
    let source = document.materials.get(material)?;
    let look = materials.get(material)?;
    let make = |factor, width| Some(Factors { material, factor, width, gain: 1.0 });
    // A channel moves all textures of a material together.
    let alone = look.base_color_texture.is_some() && look.textures().count() == 1;
    match property {
        "pbrMetallicRoughness/baseColorFactor" => make(MaterialFactor::BaseColor, 4),
        "emissiveFactor" => {
            let strength = source.extensions.get("KHR_materials_emissive_strength");
            let strength = strength.and_then(|strength| strength.get("emissiveStrength"));
            let gain = strength.and_then(Value::as_f64).map_or(1.0, |strength| strength as f32);
            let gain = if gain.is_finite() { gain } else { 1.0 };
            Some(Factors { material, factor: MaterialFactor::Emissive, width: 3, gain })
        }
        "extensions/VRMC_materials_mtoon/shadeColorFactor" => make(MaterialFactor::Shade, 3),
        "extensions/VRMC_materials_mtoon/matcapFactor" => make(MaterialFactor::Matcap, 3),
        "extensions/VRMC_materials_mtoon/parametricRimColorFactor" => make(MaterialFactor::Rim, 3),
        "extensions/VRMC_materials_mtoon/outlineColorFactor" => make(MaterialFactor::Outline, 3),
        _ if alone => {
            let front = "pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/";
            match property.strip_prefix(front)? {
                "offset" => make(MaterialFactor::UvOffset, 2),
                "scale" => make(MaterialFactor::UvScale, 2),
                _ => None,
            }
        }
        _ => None,
    }
}

impl Factors {
    /// The channels of these numbers, made where there are none yet.
    pub(super) fn channels(
        self,
        materials: &[Material],
        channels: &mut Channels,
    ) -> Vec<ChannelId> {
        let Self { material, factor, width, .. } = self;
        let id = MaterialId::new(material);
        (0..width as u8)
            .map(|i| {
                let kind = ChannelKind::Factor(id, factor(i));
                let known = channels.iter().find(|(_, channel)| channel.kind == kind);
                if let Some((known, _)) = known {
                    return known;
                }
                let rest = materials[material].factor(factor(i)).unwrap_or_default();
                let name = format!("material {material} {:?}", factor(i));
                channels.push(
                    Channel::new(name, kind)
                        .with_default(rest)
                        .with_range(rest.min(0.0), rest.max(1.0)),
                )
            })
            .collect()
    }
}
