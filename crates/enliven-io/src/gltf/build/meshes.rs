//! Meshes at nodes: one draw a primitive a node, with morph channels and binding.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use enliven::{Binding, Channel, ChannelKind, Channels, Geometry, Material, MaterialId, Mesh};

use super::{
    super::{accessor::Data, schema::Document},
    geometry,
    nodes::Nodes,
    skins::Skins,
};
use crate::{Diagnostic, Error, LimitKind, Limits, Place, Severity};

pub(super) struct Meshes {
    pub list: Vec<Mesh>,
    pub channels: Channels,
    /// Morph channels of each node; empty where it has none.
    pub morphs: Vec<Range<u32>>,
}

/// `materials` gets glTF's default material at its end when a primitive names none.
pub(super) fn build(
    document: &Document,
    nodes: &Nodes,
    skins: &Skins,
    materials: &mut Vec<Material>,
    data: &Data<'_>,
    limits: &Limits,
    found: &mut Vec<Diagnostic>,
) -> Result<Meshes, Error> {
    let mut out = Meshes {
        list: Vec::new(),
        channels: Channels::new(),
        morphs: vec![0..0; document.nodes.len()],
    };
    let mut geometries: Vec<Option<Vec<Option<Arc<Geometry>>>>> = vec![None; document.meshes.len()];
    // Geometries whose influences were cut to a skin of fewer joints, by mesh, primitive, joints.
    let mut cut: BTreeMap<(usize, usize, usize), Arc<Geometry>> = BTreeMap::new();
    let mut default_material = None;
    for (n, node) in document.nodes.iter().enumerate() {
        let Some(m) = node.mesh else {
            if node.skin.is_some() {
                let message = "a skin without a mesh; left out";
                let pointer = format!("/nodes/{n}/skin");
                found.push(Diagnostic::new(
                    Severity::Error,
                    "UNSATISFIED_DEPENDENCY",
                    pointer,
                    message,
                ));
            }
            continue;
        };
        let m = m.index();
        let Some(mesh) = document.meshes.get(m) else {
            let message = format!("there is no mesh {m}");
            let pointer = format!("/nodes/{n}/mesh");
            found.push(Diagnostic::new(Severity::Error, "UNRESOLVED_REFERENCE", pointer, message));
            continue;
        };
        let geometries =
            geometries[m].get_or_insert_with(|| geometry::primitives(mesh, m, data, found));
        let morphs = channels(document, n, m, geometries, &mut out.channels, found);
        if out.channels.len() > limits.channels {
            return Err(over(LimitKind::Channels, limits.channels, n));
        }
        out.morphs[n] = morphs.clone();
        let skin = node.skin.and_then(|skin| match skins.ids.get(skin.index()) {
            Some(id) => *id,
            None => {
                let message = format!("there is no skin {}", skin.0);
                let pointer = format!("/nodes/{n}/skin");
                let code = "UNRESOLVED_REFERENCE";
                found.push(Diagnostic::new(Severity::Error, code, pointer, message));
                None
            }
        });
        for (j, geometry) in geometries.iter().enumerate() {
            let Some(geometry) = geometry else { continue };
            let mut geometry = geometry.clone();
            let joint = nodes.joints[n];
            let binding = match (skin, &geometry.influences) {
                (Some(skin), Some(influences)) => {
                    let count = skins.list[skin.index()].joints.len();
                    if influences.joints.iter().any(|joint| usize::from(*joint) >= count) {
                        geometry = cut
                            .entry((m, j, count))
                            .or_insert_with(|| Arc::new(within(&geometry, count, (m, j), found)))
                            .clone();
                    }
                    Binding::Skin(skin)
                }
                (Some(_), None) => {
                    let message = format!(
                        "primitive {j} of mesh {m} has no joints and weights; it follows its node"
                    );
                    let pointer = format!("/nodes/{n}");
                    let code = "NODE_SKIN_WITH_NON_SKINNED_MESH";
                    found.push(Diagnostic::new(Severity::Error, code, pointer, message));
                    Binding::Rigid(joint)
                }
                (None, _) => Binding::Rigid(joint),
            };
            let primitive = &mesh.primitives[j];
            let material = primitive.material.and_then(|material| {
                let known = material.index() < document.materials.len();
                if !known {
                    let message =
                        format!("there is no material {}; the default stands in", material.0);
                    let pointer = format!("/meshes/{m}/primitives/{j}/material");
                    let code = "UNRESOLVED_REFERENCE";
                    found.push(Diagnostic::new(Severity::Error, code, pointer, message));
                }
                known.then(|| MaterialId::new(material.index()))
            });
            let material = material.unwrap_or_else(|| {
                *default_material.get_or_insert_with(|| {
                    materials.push(Material::default());
                    MaterialId::new(materials.len() - 1)
                })
            });
            let morphs = morphs.start..morphs.start + geometry.morphs.len() as u32;
            out.list.push(Mesh {
                name: mesh.name.clone().unwrap_or_default(),
                joint,
                geometry,
                material,
                binding,
                morphs,
                shown: nodes.shown[n],
            });
            if out.list.len() > limits.meshes {
                return Err(over(LimitKind::Meshes, limits.meshes, n));
            }
        }
    }
    for (m, geometries) in geometries.iter().enumerate() {
        if geometries.is_none() {
            let message = "no node has this mesh; it is kept with the document";
            let pointer = format!("/meshes/{m}");
            found.push(Diagnostic::new(Severity::Info, "UNUSED_OBJECT", pointer, message));
        }
    }
    Ok(out)
}

fn over(what: LimitKind, allowed: usize, node: usize) -> Error {
    Error::Limit { what, allowed: allowed as u64, place: Place::Pointer(format!("/nodes/{node}")) }
}

/// One channel a morph target of node `n`, which has mesh `m`.
fn channels(
    document: &Document,
    n: usize,
    m: usize,
    geometries: &[Option<Arc<Geometry>>],
    channels: &mut Channels,
    found: &mut Vec<Diagnostic>,
) -> Range<u32> {
    let start = channels.len() as u32;
    let mesh = &document.meshes[m];
    let most = geometries.iter().flatten().max_by_key(|geometry| geometry.morphs.len());
    let Some(most) = most.filter(|geometry| !geometry.morphs.is_empty()) else {
        return 0..0;
    };
    let count = most.morphs.len();
    if geometries.iter().flatten().any(|geometry| geometry.morphs.len() != count) {
        let message = "primitives with different numbers of morph targets; each has its own";
        let pointer = format!("/meshes/{m}/primitives");
        let code = "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT";
        found.push(Diagnostic::new(Severity::Error, code, pointer, message));
    }
    let (weights, pointer, code) = match (&document.nodes[n].weights, &mesh.weights) {
        (Some(weights), _) => (&weights[..], format!("/nodes/{n}/weights"), "NODE_WEIGHTS_INVALID"),
        (None, Some(weights)) => {
            (&weights[..], format!("/meshes/{m}/weights"), "MESH_INVALID_WEIGHTS_COUNT")
        }
        (None, None) => (&[][..], String::new(), ""),
    };
    if !weights.is_empty() && weights.len() != count {
        let message = format!("{} weights for {count} morph targets", weights.len());
        found.push(Diagnostic::new(Severity::Error, code, pointer, message));
    }
    for (k, target) in most.morphs.iter().enumerate() {
        let name = if target.name.is_empty() { k.to_string() } else { target.name.clone() };
        let weight = weights.get(k).map_or(0.0, |weight| *weight as f32);
        let weight = if weight.is_finite() { weight } else { 0.0 };
        channels.push(
            Channel::new(name, ChannelKind::Morph)
                .with_default(weight)
                .with_range(weight.min(0.0), weight.max(1.0)),
        );
    }
    start..start + count as u32
}

/// The geometry with influences of the first `count` joints alone.
fn within(
    geometry: &Geometry,
    count: usize,
    (m, j): (usize, usize),
    found: &mut Vec<Diagnostic>,
) -> Geometry {
    let mut geometry = geometry.clone();
    let mut outside = 0usize;
    if let Some(influences) = &mut geometry.influences {
        for (joint, weight) in influences.joints.iter_mut().zip(&mut influences.weights) {
            if usize::from(*joint) >= count {
                outside += usize::from(*weight > 0.0);
                *joint = 0;
                *weight = 0.0;
            }
        }
        influences.normalize(1.0);
    }
    let message =
        format!("influences of joints beyond the skin's {count} are left out ({outside})");
    found.push(Diagnostic::new(
        Severity::Error,
        "ACCESSOR_JOINTS_INDEX_OOB",
        format!("/meshes/{m}/primitives/{j}/attributes"),
        message,
    ));
    geometry
}
