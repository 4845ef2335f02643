//! Typed model → character. Each part fails alone: what cannot be read is replaced or left out, and
//! a diagnostic says so.

mod clips;
mod geometry;
mod glossy;
mod images;
mod materials;
mod meshes;
mod meta;
mod mtoon;
mod nodes;
mod pointers;
mod skins;

use std::{collections::BTreeMap, sync::Arc};

use enliven::{
    Affine, Binding, Character, CharacterError, CharacterParts, Geometry, JointId, Pose, Regions,
    Rig, glam::Vec3,
};
use serde_json::{Map, Value};

use super::{Options, Resources, accessor::Data, schema::Document};
use crate::{Error, findings::Findings};

/// Vertices up to which the height is measured on every one of them.
const EXACT_BOUNDS: u64 = 1 << 21;

/// The character and the joint that each node became.
pub(super) fn build(
    document: &Document,
    root: &Map<String, Value>,
    resources: &Resources,
    options: &Options,
    found: &mut Findings,
) -> Result<(Character, Vec<JointId>), Error> {
    let limits = &options.limits;
    let data = Data::new(document, &resources.buffers, &resources.views, limits);
    let nodes = nodes::build(document, found);
    let skins = skins::build(document, &nodes.skeleton, &nodes.joints, &data, found);
    let materials::Surfaces { mut materials, mut textures, used, glossy } =
        materials::build(document, root, found);
    let images = images::begin(document, resources, &used, limits, found);
    let (mut images, made) = images.finish(limits, found, |found| {
        let mut meshes =
            meshes::build(document, &nodes, &skins, &mut materials, &data, limits, found)?;
        let joints = &nodes.joints;
        let clips = clips::build(document, joints, &mut meshes, &materials, &data, found);
        Ok((meshes, clips))
    });
    let (meshes, clips) = made?;
    for texture in &mut textures {
        texture.image = texture.image.filter(|image| !images[image.index()].rgba.is_empty());
    }
    glossy::bake(&glossy, &mut materials, &mut textures, &mut images);
    found.extend(data.found.into_inner().into_parts().0);

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
    if let Some(height) = height(&character) {
        character.rig.height = height;
    }
    Ok((character, nodes.joints))
}

/// Height of what is shown at rest, metres.
fn height(character: &Character) -> Option<f32> {
    let shown = || character.meshes.iter().filter(|mesh| mesh.shown);
    let vertices: u64 = shown().map(|mesh| mesh.geometry.vertex_count() as u64).sum();
    let (low, high) = if vertices <= EXACT_BOUNDS {
        character.bounds(&Pose::rest(&character.rig))?
    } else {
        // A crowd of shared geometries: boxes at their joints are near enough.
        let model = character.rig.skeleton.rest_model();
        let mut boxes: BTreeMap<*const Geometry, Option<(Vec3, Vec3)>> = BTreeMap::new();
        let mut corners = Vec::new();
        for mesh in shown() {
            let ends =
                boxes.entry(Arc::as_ptr(&mesh.geometry)).or_insert_with(|| mesh.geometry.bounds());
            let Some((low, high)) = *ends else { continue };
            let at = match mesh.binding {
                Binding::Rigid(joint) => model[joint.index()],
                _ => Affine::IDENTITY,
            };
            corners.extend((0..8).map(|corner| {
                let pick =
                    |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
                at.transform_point(Vec3::new(pick(0), pick(1), pick(2)))
            }));
        }
        corners.retain(|corner| corner.is_finite());
        let first = *corners.first()?;
        corners.iter().fold((first, first), |(low, high), p| (low.min(*p), high.max(*p)))
    };
    Some(high.y - low.y).filter(|height| height.is_normal())
}

/// Parts that do not fit would be a fault of this module; an error is still better than a panic.
pub(super) fn internal(error: CharacterError) -> Error {
    Error::Document {
        code: "INTERNAL_MISMATCH",
        pointer: String::new(),
        message: error.to_string(),
    }
}
