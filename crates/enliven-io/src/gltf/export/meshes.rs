//! Meshes and skins of a character → the document's.

use std::collections::BTreeMap;
use std::sync::Arc;

use enliven::glam::{Vec3, Vec4};
use enliven::{Affine, Binding, Character, Geometry, Influences, Mesh, Skin, Topology};
use serde_json::{Map, Value, json};

use super::bin::{Bin, Use, numbers};

/// Meshes of one node: the primitives of one glTF mesh.
pub(super) struct Group<'a> {
    pub members: Vec<&'a Mesh>,
    /// Which ones they are in the character.
    pub indices: Vec<usize>,
}

/// Meshes in order, those in a row that share joint, name, binding and morph channels together.
pub(super) fn groups(character: &Character) -> Vec<Group<'_>> {
    let mut out: Vec<Group<'_>> = Vec::new();
    for (index, mesh) in character.meshes.iter().enumerate() {
        let same = |g: &&mut Group<'_>| {
            let m = g.members[0];
            (m.joint, m.binding, &m.morphs, &m.name, m.shown)
                == (mesh.joint, mesh.binding, &mesh.morphs, &mesh.name, mesh.shown)
        };
        match out.last_mut().filter(same) {
            Some(group) => {
                group.members.push(mesh);
                group.indices.push(index);
            }
            None => out.push(Group { members: vec![mesh], indices: vec![index] }),
        }
    }
    out
}

/// Writes each different mesh once.
#[derive(Default)]
pub(super) struct Meshes {
    pub list: Vec<Value>,
    known: BTreeMap<(String, Vec<(usize, u32)>), usize>,
    geometries: BTreeMap<usize, Map<String, Value>>,
}

impl Meshes {
    /// The mesh of a group.
    pub(super) fn index(
        &mut self,
        group: &Group<'_>,
        character: &Character,
        bin: &mut Bin,
    ) -> usize {
        let first = group.members[0];
        let id = |m: &&Mesh| (Arc::as_ptr(&m.geometry) as usize, m.material.0);
        let key = (first.name.clone(), group.members.iter().map(id).collect::<Vec<_>>());
        if let Some(index) = self.known.get(&key) {
            return *index;
        }
        let primitives: Vec<Value> = group
            .members
            .iter()
            .map(|m| {
                let at = Arc::as_ptr(&m.geometry) as usize;
                let mut primitive =
                    self.geometries.entry(at).or_insert_with(|| geometry(&m.geometry, bin)).clone();
                primitive.insert("material".into(), m.material.0.into());
                Value::Object(primitive)
            })
            .collect();
        let mut mesh = Map::new();
        if !first.name.is_empty() {
            mesh.insert("name".into(), first.name.clone().into());
        }
        mesh.insert("primitives".into(), primitives.into());
        let morphs = &first.geometry.morphs;
        if !morphs.is_empty() {
            mesh.insert("weights".into(), numbers(&weights(first, character)));
            let names: Vec<&str> = morphs.iter().map(|m| m.name.as_str()).collect();
            if names.iter().any(|n| !n.is_empty()) {
                mesh.insert("extras".into(), json!({ "targetNames": names }));
            }
        }
        self.list.push(Value::Object(mesh));
        self.known.insert(key, self.list.len() - 1);
        self.list.len() - 1
    }
}

/// Morph weights of a mesh at rest.
pub(super) fn weights(mesh: &Mesh, character: &Character) -> Vec<f32> {
    (0..mesh.geometry.morphs.len())
        .map(|i| character.rig.channels.get(mesh.morph_channel(i)).default)
        .collect()
}

/// A primitive without its material.
fn geometry(g: &Geometry, bin: &mut Bin) -> Map<String, Value> {
    let mut attributes = Map::new();
    let mut set = |name: String, accessor: usize| {
        attributes.insert(name, accessor.into());
    };
    let threes = |v: &[Vec3]| v.iter().map(Vec3::to_array).collect::<Vec<_>>();
    let fours = |v: &[Vec4]| v.iter().map(Vec4::to_array).collect::<Vec<_>>();
    set("POSITION".into(), bin.floats(&threes(&g.positions), "VEC3", Use::Vertices, true));
    if !g.normals.is_empty() {
        let unit: Vec<_> =
            g.normals.iter().map(|n| n.try_normalize().unwrap_or(Vec3::Y).to_array()).collect();
        set("NORMAL".into(), bin.floats(&unit, "VEC3", Use::Vertices, false));
    }
    if !g.tangents.is_empty() {
        let unit: Vec<_> = g
            .tangents
            .iter()
            .map(|t| {
                let side = if t.w < 0.0 { -1.0 } else { 1.0 };
                t.truncate().try_normalize().unwrap_or(Vec3::X).extend(side).to_array()
            })
            .collect();
        set("TANGENT".into(), bin.floats(&unit, "VEC4", Use::Vertices, false));
    }
    for (i, uv) in g.uvs.iter().enumerate().filter(|(_, uv)| !uv.is_empty()) {
        let uv: Vec<[f32; 2]> = uv.iter().map(|v| v.to_array()).collect();
        set(format!("TEXCOORD_{i}"), bin.floats(&uv, "VEC2", Use::Vertices, false));
    }
    if !g.colors.is_empty() {
        let clamped: Vec<Vec4> = g.colors.iter().map(|c| c.clamp(Vec4::ZERO, Vec4::ONE)).collect();
        set("COLOR_0".into(), bin.floats(&fours(&clamped), "VEC4", Use::Vertices, false));
    }
    if let Some(f) = &g.influences {
        let clean = tidy(f);
        for set_index in 0..f.per_vertex / 4 {
            let part = |v: usize| v * f.per_vertex + set_index * 4;
            let vertices = 0..g.vertex_count();
            let joints: Vec<u32> =
                vertices.clone().flat_map(|v| clean.0[part(v)..part(v) + 4].to_vec()).collect();
            let weights: Vec<[f32; 4]> =
                vertices.map(|v| [0, 1, 2, 3].map(|i| clean.1[part(v) + i])).collect();
            set(format!("JOINTS_{set_index}"), bin.integers(&joints, 4, Use::Vertices));
            set(format!("WEIGHTS_{set_index}"), bin.floats(&weights, "VEC4", Use::Vertices, false));
        }
    }
    let mut out = Map::new();
    out.insert("attributes".into(), attributes.into());
    if !g.indices.is_empty() {
        out.insert("indices".into(), bin.integers(&g.indices, 1, Use::Indices).into());
    }
    match g.topology {
        Topology::Triangles => {}
        Topology::Lines => drop(out.insert("mode".into(), 1.into())),
        Topology::Points => drop(out.insert("mode".into(), 0.into())),
    }
    if !g.morphs.is_empty() {
        let zeros = vec![[0.0f32; 3]; g.vertex_count()];
        let targets: Vec<Value> = g
            .morphs
            .iter()
            .map(|m| {
                let mut target = Map::new();
                let mut add = |name: &str, deltas: &[Vec3], bin: &mut Bin, bounds| {
                    if !deltas.is_empty() {
                        let all = threes(deltas);
                        let accessor = bin.floats(&all, "VEC3", Use::Vertices, bounds);
                        target.insert(name.into(), accessor.into());
                    }
                };
                add("POSITION", &m.positions, bin, true);
                add("NORMAL", &m.normals, bin, false);
                add("TANGENT", &m.tangents, bin, false);
                if target.is_empty() {
                    let accessor = bin.floats(&zeros, "VEC3", Use::Vertices, true);
                    target.insert("POSITION".into(), accessor.into());
                }
                Value::Object(target)
            })
            .collect();
        out.insert("targets".into(), targets.into());
    }
    out
}

/// Influences as glTF wants them: no joint twice a vertex, joint 0 where the weight is 0.
fn tidy(f: &Influences) -> (Vec<u32>, Vec<f32>) {
    let mut joints: Vec<u32> = f.joints.iter().map(|j| u32::from(*j)).collect();
    let mut weights = f.weights.clone();
    for v in 0..joints.len() / f.per_vertex.max(1) {
        let span = v * f.per_vertex..(v + 1) * f.per_vertex;
        let (joints, weights) = (&mut joints[span.clone()], &mut weights[span]);
        for i in 0..joints.len() {
            if let Some(first) = (0..i).find(|k| joints[*k] == joints[i] && weights[*k] > 0.0) {
                weights[first] += weights[i];
                weights[i] = 0.0;
            }
            if weights[i] == 0.0 {
                joints[i] = 0;
            }
        }
    }
    (joints, weights)
}

/// One skin.
pub(super) fn skin(skin: &Skin, nodes: &[usize], bin: &mut Bin) -> Value {
    let matrices: Vec<[f32; 16]> = skin.inverse_binds.iter().map(columns).collect();
    let mut out = Map::new();
    if !skin.name.is_empty() {
        out.insert("name".into(), skin.name.clone().into());
    }
    let accessor = bin.floats(&matrices, "MAT4", Use::Data, false);
    out.insert("inverseBindMatrices".into(), accessor.into());
    let joints: Vec<usize> = skin.joints.iter().map(|j| nodes[j.index()]).collect();
    out.insert("joints".into(), joints.into());
    if let Some(root) = skin.root {
        out.insert("skeleton".into(), nodes[root.index()].into());
    }
    Value::Object(out)
}

fn columns(m: &Affine) -> [f32; 16] {
    let mut out = m.to_mat4().to_cols_array();
    // Exactly (0, 0, 0, 1), which validators ask for.
    (out[3], out[7], out[11], out[15]) = (0.0, 0.0, 0.0, 1.0);
    out
}

/// Whether a group is bound to a skin, and to which.
pub(super) fn skin_of(group: &Group<'_>) -> Option<u32> {
    match group.members[0].binding {
        Binding::Skin(s) => Some(s.0),
        Binding::Rigid(_) => None,
    }
}
