//! Meshes at nodes: one draw a primitive a node, with morph channels and binding.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use enliven::{Binding, Channel, ChannelKind, Channels, Geometry, Material, MaterialId, Mesh};

use super::{
    super::{accessor::Data, schema::Document},
    geometry,
    nodes::Nodes,
    skins::Skins,
};
use crate::{Diagnostic, Error, LimitKind, Limits, Place, Severity, findings::Findings};

pub(super) struct Meshes {
    pub list: Vec<Mesh>,
    pub channels: Channels,
    /// Morph channels of each node; empty where it has none.
    pub morphs: Vec<Range<u32>>,
}

/// The geometry of a primitive, for every node that shows it.
#[derive(Clone)]
struct Shared {
    geometry: Arc<Geometry>,
    /// One past the highest joint that a vertex names.
    joints: usize,
}

impl Shared {
    fn new(geometry: Arc<Geometry>) -> Self {
        let joints = geometry.influences.as_ref().map_or(0, |influences| {
            influences.joints.iter().max().map_or(0, |joint| usize::from(*joint) + 1)
        });
        Self { geometry, joints }
    }
}

/// `materials` gets glTF's default material at its end when a primitive names none.
pub(super) fn build(
    document: &Document,
    nodes: &Nodes,
    skins: &Skins,
    materials: &mut Vec<Material>,
    data: &Data<'_>,
    limits: &Limits,
    found: &mut Findings,
) -> Result<Meshes, Error> {
    let mut out = Meshes {
        list: Vec::new(),
        channels: Channels::new(),
        morphs: vec![0..0; document.nodes.len()],
    };
    let mut geometries: Vec<Option<Vec<Option<Shared>>>> = vec![None; document.meshes.len()];
    let mut drawn = 0u64;
    // Geometries whose influences were cut to a skin of fewer joints, by mesh, primitive, joints.
    let mut cut: BTreeMap<(usize, usize, usize), Arc<Geometry>> = BTreeMap::new();
    let mut default_material = None;
    // In the order of the joints, so that a file written from the character has the same.
    for &n in &nodes.order {
        let node = &document.nodes[n];
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
        let geometries = geometries[m].get_or_insert_with(|| {
            let primitives = geometry::primitives(mesh, m, data, found);
            primitives.into_iter().map(|geometry| geometry.map(Shared::new)).collect()
        });
        let morphs = channels(document, n, m, geometries, &mut out.channels, found);
        if out.channels.len() > limits.channels {
            return Err(over(LimitKind::Channels, limits.channels as u64, n));
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
        for (j, shared) in geometries.iter().enumerate() {
            let Some(Shared { geometry, joints }) = shared else { continue };
            let mut geometry = geometry.clone();
            drawn += (geometry.vertex_count() + geometry.indices.len()) as u64;
            if drawn > limits.drawn {
                return Err(over(LimitKind::Drawn, limits.drawn, n));
            }
            let joint = nodes.joints[n];
            let binding = match (skin, geometry.influences.is_some()) {
                (Some(skin), true) => {
                    let count = skins.list[skin.index()].joints.len();
                    if count < *joints {
                        let place = (m, j, count);
                        if let Some(known) = cut.get(&place) {
                            geometry = known.clone();
                        } else if let Some(within) = within(&geometry, place, data, found) {
                            geometry = Arc::new(within);
                            cut.insert(place, geometry.clone());
                        } else {
                            continue;
                        }
                    }
                    Binding::Skin(skin)
                }
                (Some(_), false) => {
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
                return Err(over(LimitKind::Meshes, limits.meshes as u64, n));
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

fn over(what: LimitKind, allowed: u64, node: usize) -> Error {
    Error::Limit { what, allowed, place: Place::Pointer(format!("/nodes/{node}")) }
}

/// One channel a morph target of node `n`, which has mesh `m`.
fn channels(
    document: &Document,
    n: usize,
    m: usize,
    geometries: &[Option<Shared>],
    channels: &mut Channels,
    found: &mut Findings,
) -> Range<u32> {
    let start = channels.len() as u32;
    let mesh = &document.meshes[m];
    let each = || geometries.iter().flatten().map(|shared| &shared.geometry);
    let most = each().max_by_key(|geometry| geometry.morphs.len());
    let Some(most) = most.filter(|geometry| !geometry.morphs.is_empty()) else {
        return 0..0;
    };
    let count = most.morphs.len();
    if each().any(|geometry| geometry.morphs.len() != count) {
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

/// The geometry of primitive `j` of mesh `m` with influences of the first `count` joints alone;
/// `None` when one more copy would pass the limits.
fn within(
    geometry: &Geometry,
    (m, j, count): (usize, usize, usize),
    data: &Data<'_>,
    found: &mut Findings,
) -> Option<Geometry> {
    let pointer = format!("/meshes/{m}/primitives/{j}");
    let numbers = geometry::numbers_a_vertex(geometry).saturating_mul(geometry.vertex_count());
    if let Err(fault) = data.spend(numbers + geometry.indices.len(), &pointer) {
        let message = format!("{}; the primitive is left out", fault.message);
        found.push(Diagnostic::new(Severity::Error, fault.code, pointer, message));
        return None;
    }
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
    let message = format!("{outside} influences of joints beyond the skin's {count}; left out");
    let pointer = pointer + "/attributes";
    found.push(Diagnostic::new(Severity::Error, "ACCESSOR_JOINTS_INDEX_OOB", pointer, message));
    Some(geometry)
}
