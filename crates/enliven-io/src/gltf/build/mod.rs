//! Typed model → character. Each part fails alone: what cannot be read is replaced or left out, and
//! a diagnostic says so.

mod nodes;

use enliven::{Character, CharacterParts, JointId, Meta, Regions, Rig};
use serde_json::{Map, Value};

use super::{Options, Resources, schema::Document};
use crate::{Diagnostic, Error};

/// The character and the joint that each node became.
pub(super) fn build(
    document: &Document,
    root: &Map<String, Value>,
    resources: &Resources,
    options: &Options,
    found: &mut Vec<Diagnostic>,
) -> Result<(Character, Vec<JointId>), Error> {
    let _ = (root, resources);
    let nodes = nodes::build(document, found);
    let parts = CharacterParts {
        name: options.name.clone(),
        rig: Rig::new(
            nodes.skeleton.clone(),
            enliven::Channels::new(),
            Regions::new(&nodes.skeleton, &[]),
            1.0,
        ),
        meshes: Vec::new(),
        skins: Vec::new(),
        materials: Vec::new(),
        textures: Vec::new(),
        images: Vec::new(),
        clips: Vec::new(),
        meta: Meta::default(),
    };
    let character = Character::new(parts).map_err(internal)?;
    Ok((character, nodes.joints))
}

/// Parts that do not fit are a fault of this library; an error is still better than a panic.
fn internal(error: enliven::CharacterError) -> Error {
    Error::Document {
        code: "INTERNAL_MISMATCH",
        pointer: String::new(),
        message: error.to_string(),
    }
}
