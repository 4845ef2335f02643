//! Typed model → character. Each part fails alone: what cannot be read is replaced or left out, and
//! a diagnostic says so.

mod clips;
mod geometry;
mod glossy;
mod images;
mod materials;
mod meshes;
mod meta;
mod nodes;
mod skins;

use enliven::{Character, CharacterError, CharacterParts, JointId, Pose, Regions, Rig};
use serde_json::{Map, Value};

use super::{Options, Resources, accessor::Data, schema::Document};
use crate::{Diagnostic, Error};

/// The character and the joint that each node became.
pub(super) fn build(
    document: &Document,
    root: &Map<String, Value>,
    resources: &Resources,
    options: &Options,
    found: &mut Vec<Diagnostic>,
) -> Result<(Character, Vec<JointId>), Error> {
    let limits = &options.limits;
    let data = Data::new(document, &resources.buffers, limits);
    let nodes = nodes::build(document, found);
    let skins = skins::build(document, &nodes.skeleton, &nodes.joints, &data, found);
    let materials::Surfaces { mut materials, mut textures, used, glossy } =
        materials::build(document, root, found);
    let images = images::begin(document, resources, &used, limits, found);
    let (mut images, made) = images.finish(limits, found, |found| {
        let meshes = meshes::build(document, &nodes, &skins, &mut materials, &data, limits, found)?;
        let clips = clips::build(document, &nodes.joints, &meshes.morphs, &data, found);
        Ok((meshes, clips))
    });
    let (meshes, clips) = made?;
    for texture in &mut textures {
        texture.image = texture.image.filter(|image| !images[image.index()].rgba.is_empty());
    }
    glossy::bake(&glossy, &mut materials, &mut textures, &mut images);
    found.append(&mut data.found.borrow_mut());

    let meta = meta::build(document, root);
    let name = if meta.title.is_empty() { options.name.clone() } else { meta.title.clone() };
    let regions = Regions::new(&nodes.skeleton, &[]);
    let mut character = Character::new(CharacterParts {
        name,
        rig: Rig::new(nodes.skeleton, meshes.channels, regions, 1.0),
        meshes: meshes.list,
        skins: skins.list,
        materials,
        textures,
        images,
        clips,
        meta,
    })
    .map_err(internal)?;
    let pose = Pose::rest(&character.rig);
    if let Some((low, high)) = character.bounds(&pose)
        && (high.y - low.y).is_normal()
    {
        character.rig.height = high.y - low.y;
    }
    Ok((character, nodes.joints))
}

/// Parts that do not fit would be a fault of this module; an error is still better than a panic.
pub(super) fn internal(error: CharacterError) -> Error {
    Error::Document {
        code: "INTERNAL_MISMATCH",
        pointer: String::new(),
        message: error.to_string(),
    }
}
