//! The shader modules and their variants.

mod preprocess;

use crate::features::Features;
pub(crate) use preprocess::PreprocessError;
use preprocess::{Sources, preprocess};

/// Every WGSL file, by the name that `#import` uses.
const MODULES: &[(&str, &str)] = &[
    ("air", include_str!("wgsl/air.wgsl")),
    ("backdrop", include_str!("wgsl/backdrop.wgsl")),
    ("body", include_str!("wgsl/body.wgsl")),
    ("capture", include_str!("wgsl/capture.wgsl")),
    ("depth", include_str!("wgsl/depth.wgsl")),
    ("face", include_str!("wgsl/face.wgsl")),
    ("frame", include_str!("wgsl/frame.wgsl")),
    ("fur", include_str!("wgsl/fur.wgsl")),
    ("hair", include_str!("wgsl/hair.wgsl")),
    ("hash", include_str!("wgsl/hash.wgsl")),
    ("id", include_str!("wgsl/id.wgsl")),
    ("leaf", include_str!("wgsl/leaf.wgsl")),
    ("light", include_str!("wgsl/light.wgsl")),
    ("material", include_str!("wgsl/material.wgsl")),
    ("math", include_str!("wgsl/math.wgsl")),
    ("outline", include_str!("wgsl/outline.wgsl")),
    ("overlay", include_str!("wgsl/overlay.wgsl")),
    ("river", include_str!("wgsl/river.wgsl")),
    ("surface", include_str!("wgsl/surface.wgsl")),
    ("tone", include_str!("wgsl/tone.wgsl")),
    ("toon", include_str!("wgsl/toon.wgsl")),
    ("uv", include_str!("wgsl/uv.wgsl")),
    ("vertex", include_str!("wgsl/vertex.wgsl")),
];

struct Registry(Features);

impl Sources for Registry {
    fn module(&self, name: &str) -> Option<&str> {
        MODULES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    fn feature(&self, name: &str) -> Option<bool> {
        self.0.named(name)
    }
}

/// The WGSL of a module with the given switches.
pub(crate) fn source(module: &str, features: Features) -> Result<String, PreprocessError> {
    preprocess(&Registry(features), module)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::{FRAGMENT_ENTRY, Pass, VERTEX_ENTRY};

    fn validate(label: &str, text: &str) -> (naga::Module, naga::valid::ModuleInfo) {
        let module = naga::front::wgsl::parse_str(text)
            .unwrap_or_else(|error| panic!("{label}:\n{}", error.emit_to_string(text)));
        let mut validator = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        );
        let info = validator
            .validate(&module)
            .unwrap_or_else(|error| panic!("{label}:\n{}", error.emit_to_string(text)));
        (module, info)
    }

    /// Also writes the stage as WebGL2's language, so that nothing creeps in that it lacks.
    fn check(label: &str, module: &str, features: Features, entries: &[(naga::ShaderStage, &str)]) {
        let text = source(module, features).expect("sources are well formed");
        let (parsed, info) = validate(label, &text);
        for &(stage, entry) in entries {
            let options = naga::back::glsl::Options {
                version: naga::back::glsl::Version::new_gles(300),
                ..Default::default()
            };
            let pipeline = naga::back::glsl::PipelineOptions {
                shader_stage: stage,
                entry_point: entry.into(),
                multiview: None,
            };
            let mut out = String::new();
            naga::back::glsl::Writer::new(
                &mut out,
                &parsed,
                &info,
                &options,
                &pipeline,
                naga::proc::BoundsCheckPolicies::default(),
            )
            .and_then(|mut writer| writer.write())
            .unwrap_or_else(|error| panic!("{label} {entry}: {error}"));
        }
    }

    /// Every set of what a material may have beside its shading, with every shading.
    fn composed() -> Vec<Features> {
        let local = Features::LOCAL;
        let mut sets = vec![Features::NONE];
        for more in [
            Features::FUR,
            Features::FUR.and(Features::SHELL).and(local),
            Features::FACE.and(local),
            Features::LEAF,
            Features::SWAY,
            Features::WATER,
            Features::INK.and(Features::INK_TEXTURE),
        ] {
            let with: Vec<_> = sets.iter().map(|set| set.and(more)).collect();
            sets.extend(with);
        }
        sets.sort_unstable();
        sets.dedup();
        let driven = Features::DRIVEN.and(Features::BASE_TEXTURE).and(Features::VERTEX_COLOUR);
        let mut out = Vec::new();
        for shading in [Features::NONE, Features::UNLIT, Features::TOON] {
            for surface in [Features::NORMAL_TEXTURE, driven] {
                out.extend(sets.iter().map(|set| set.and(shading).and(surface)));
            }
        }
        out
    }

    /// Each switch alone, all of a group together, and the combinations that interact.
    fn fragment_variants() -> Vec<Features> {
        let textures = [
            Features::BASE_TEXTURE,
            Features::METALLIC_ROUGHNESS_TEXTURE,
            Features::NORMAL_TEXTURE,
            Features::OCCLUSION_TEXTURE,
            Features::EMISSIVE_TEXTURE,
            Features::SHADE_TEXTURE,
            Features::VERTEX_COLOUR,
        ];
        let all_textures = textures.iter().fold(Features::NONE, |all, one| all.and(*one));
        let mut surfaces: Vec<_> = textures.to_vec();
        surfaces.extend([Features::NONE, all_textures]);
        surfaces.push(Features::NORMAL_TEXTURE.and(Features::TANGENTS));
        surfaces.push(all_textures.and(Features::FLAT_NORMALS));
        surfaces.push(all_textures.and(Features::DRIVEN));
        surfaces.push(Features::DRIVEN);
        let drawn = [
            Features::SHIFT_TEXTURE,
            Features::MATCAP,
            Features::RIM,
            Features::RIM.and(Features::RIM_TEXTURE),
            Features::UV_MOTION,
            Features::UV_MOTION.and(Features::UV_MASK),
        ];
        let all_drawn = drawn.iter().fold(all_textures, |all, one| all.and(*one));
        surfaces.extend(drawn);
        surfaces.push(all_drawn);
        surfaces.push(all_drawn.and(Features::DRIVEN));
        surfaces.push(all_drawn.and(Features::INK).and(Features::INK_TEXTURE));
        let alphas = [
            Features::NONE,
            Features::MASK,
            Features::MASK.and(Features::COVERAGE),
            Features::BLEND,
        ];
        let sides = [
            Features::NONE,
            Features::MIRRORED,
            Features::MIXED_FACING,
            Features::MIXED_FACING.and(Features::DOUBLE_SIDED),
        ];
        let mut out = composed();
        for shading in [Features::NONE, Features::UNLIT, Features::TOON] {
            for surface in &surfaces {
                for alpha in alphas {
                    for side in sides {
                        out.push(shading.and(*surface).and(alpha).and(side));
                    }
                }
            }
        }
        out
    }

    #[test]
    fn every_vertex_variant_is_valid() {
        for bits in [Features::NONE, Features::SKIN4, Features::SKIN8] {
            let driven = Features::MORPH.and(Features::DRIVEN);
            for morph in [Features::NONE, Features::MORPH, Features::DRIVEN, driven] {
                let passes = [
                    Features::NONE,
                    Features::OUTLINE,
                    Features::CAPTURE,
                    Features::CAPTURE.and(Features::OUTLINE),
                    Features::INK,
                    Features::INK.and(Features::INK_WIDTH),
                    Features::INK.and(Features::INK_WIDTH.without(Features::UV_MASK)),
                ];
                let shell = Features::FUR.and(Features::SHELL).and(Features::LOCAL);
                let air = Features::SWAY.and(Features::WATER);
                let extras = [Features::NONE, shell, air, shell.and(air).and(Features::FACE)];
                for (pass, extra) in passes.iter().flat_map(|p| extras.map(|e| (*p, e))) {
                    let features = bits.and(morph).and(pass).and(extra);
                    let label = format!("vertex {features:?}");
                    check(&label, "vertex", features, &[(naga::ShaderStage::Vertex, VERTEX_ENTRY)]);
                }
            }
        }
    }

    #[test]
    fn every_fragment_variant_is_valid() {
        for features in fragment_variants() {
            for pass in Pass::ALL {
                let Some(module) = pass.module() else { continue };
                let used = pass.fragment_switches(features);
                let label = format!("{module} {used:?}");
                check(&label, module, used, &[(naga::ShaderStage::Fragment, FRAGMENT_ENTRY)]);
            }
        }
    }

    #[test]
    fn backdrop_and_overlay_are_valid() {
        use naga::ShaderStage::{Fragment, Vertex};
        let entries = [
            (Vertex, "sky_vertex"),
            (Fragment, "sky_fragment"),
            (Vertex, "ground_vertex"),
            (Fragment, "ground_fragment"),
        ];
        check("backdrop", "backdrop", Features::NONE, &entries);
        let entries = [(Vertex, "line_vertex"), (Fragment, "line_fragment")];
        check("overlay", "overlay", Features::NONE, &entries);
    }

    /// No pass that draws a character can have positions of its own: the one file with a vertex
    /// stage for characters is `vertex.wgsl`, and only it reads palettes and morphs.
    #[test]
    fn one_vertex_stage_for_all_passes() {
        for (name, text) in MODULES {
            let stages = text.matches("@vertex").count();
            let expected = match *name {
                "vertex" => 1,
                "backdrop" => 2,
                "overlay" => 1,
                _ => 0,
            };
            assert_eq!(stages, expected, "{name}");
            if *name != "vertex" {
                for word in ["palette_texture", "morph_texture", "VertexIn"] {
                    assert!(!text.contains(word), "{name} reads {word}");
                }
            }
        }
    }

    #[test]
    fn every_switch_is_used() {
        for (_, name) in Features::ALL {
            let used = MODULES.iter().any(|(_, text)| {
                text.lines().any(|line| {
                    let condition = line.trim().strip_prefix("@if(");
                    condition.and_then(|rest| rest.split(')').next()).is_some_and(|condition| {
                        condition.split(['|', '&', '!', ' ']).any(|word| word == *name)
                    })
                })
            });
            assert!(used, "{name}");
        }
    }
}
