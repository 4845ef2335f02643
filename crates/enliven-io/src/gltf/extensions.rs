//! Which extensions are read, which are safe to leave out, and which are neither.

use std::collections::BTreeSet;

use super::schema::Document;
use crate::{Diagnostic, Error, Severity, findings::Findings};

/// What becomes of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    /// What it says is in the character.
    Read,
    /// Kept in the document, not in the character: it refines the look or adds what a character is
    /// whole without.
    Kept,
    /// Not known, or nothing can be read rightly without it.
    Unknown,
}

fn support(name: &str) -> Support {
    match name {
        "EXT_meshopt_compression"
        | "EXT_texture_webp"
        | "KHR_animation_pointer"
        | "KHR_materials_emissive_strength"
        | "KHR_materials_pbrSpecularGlossiness"
        | "KHR_materials_unlit"
        | "KHR_mesh_quantization"
        | "KHR_meshopt_compression"
        | "KHR_node_visibility"
        | "KHR_texture_transform"
        | "VRM"
        | "VRMC_materials_hdr_emissiveMultiplier"
        | "VRMC_materials_mtoon"
        | "VRMC_node_constraint"
        | "VRMC_springBone"
        | "VRMC_springBone_extended_collider"
        | "VRMC_springBone_limit"
        | "VRMC_vrm"
        | "VRMC_vrm_animation" => Support::Read,
        "KHR_lights_punctual"
        | "KHR_materials_anisotropy"
        | "KHR_materials_clearcoat"
        | "KHR_materials_diffuse_transmission"
        | "KHR_materials_dispersion"
        | "KHR_materials_ior"
        | "KHR_materials_iridescence"
        | "KHR_materials_sheen"
        | "KHR_materials_specular"
        | "KHR_materials_transmission"
        | "KHR_materials_variants"
        | "KHR_materials_volume"
        | "KHR_node_hoverability"
        | "KHR_node_selectability"
        | "KHR_xmp_json_ld" => Support::Kept,
        _ => Support::Unknown,
    }
}

/// Refuses a document that requires an unknown extension; says what is kept but not applied.
pub(super) fn check(document: &Document, found: &mut Findings) -> Result<(), Error> {
    for (i, name) in document.extensions_required.iter().enumerate() {
        if support(name) == Support::Unknown {
            let pointer = format!("/extensionsRequired/{i}");
            return Err(Error::RequiredExtension { name: name.clone(), pointer });
        }
    }
    let required: BTreeSet<&String> = document.extensions_required.iter().collect();
    for (i, name) in document.extensions_used.iter().enumerate() {
        let message = match support(name) {
            Support::Read => continue,
            Support::Kept => format!("{name} is kept with the document but not applied"),
            Support::Unknown => format!("{name} is not known; it is kept with the document"),
        };
        let severity = if required.contains(name) { Severity::Warning } else { Severity::Info };
        let pointer = format!("/extensionsUsed/{i}");
        found.push(Diagnostic::new(severity, "UNSUPPORTED_EXTENSION", pointer, message));
    }
    Ok(())
}
