//! Primitives → geometries.

use std::{collections::BTreeMap, sync::Arc};

use enliven::{
    Geometry, Influences, MorphTarget, Topology,
    glam::{Vec2, Vec3, Vec4},
};
use serde_json::{Map, Value};

use super::super::{
    accessor::{Component, Data, Fault},
    json::escaped,
    schema::{Kind, Mesh, Primitive, Uint, uint},
};
use crate::{Diagnostic, Severity, findings::Findings};

/// Sets of texture coordinates that are read; a renderer has use for two.
const UV_SETS: usize = 8;
/// Sum of weights that counts as 1: eight weights of 8 bits are each off by up to 1/510.
const WEIGHT_TOLERANCE: f32 = 0.016;
/// Square length of a normal that counts as 1.
const UNIT_TOLERANCE: f32 = 1e-3;

/// The geometry of each of the mesh's primitives; `None` for those that were left out.
///
/// Primitives that share their attributes (exporters cut one vertex buffer into a part a material)
/// are read once and get the vertices that they use.
pub(super) fn primitives(
    mesh: &Mesh,
    index: usize,
    data: &Data<'_>,
    found: &mut Findings,
) -> Vec<Option<Arc<Geometry>>> {
    let names = target_names(mesh);
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (j, primitive) in mesh.primitives.iter().enumerate() {
        let mut key = Value::Object(primitive.attributes.clone()).to_string();
        for target in &primitive.targets {
            key += &Value::Object(target.clone()).to_string();
        }
        groups.entry(key).or_default().push(j);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_unstable();

    let mut geometries = vec![None; mesh.primitives.len()];
    for group in groups {
        let mut reader =
            Reader { data, pointer: format!("/meshes/{index}/primitives/{}", group[0]), found };
        let Some(vertices) = reader.vertices(&mesh.primitives[group[0]], &names) else {
            for j in &group[1..] {
                let message = "left out like the primitive with the same attributes";
                let pointer = format!("/meshes/{index}/primitives/{j}");
                reader.say(Severity::Error, "PRIMITIVE_LEFT_OUT", pointer, message);
            }
            continue;
        };
        let shared = group.len() > 1;
        let mut vertices = Some(vertices);
        for j in group {
            reader.pointer = format!("/meshes/{index}/primitives/{j}");
            let primitive = &mesh.primitives[j];
            let whole = if shared { vertices.clone() } else { vertices.take() };
            let whole = whole.unwrap_or_default();
            geometries[j] = reader.connect(primitive, whole, shared).map(Arc::new);
        }
    }
    geometries
}

/// `extras.targetNames` of the mesh, or of a primitive as VRM 0 has it.
fn target_names(mesh: &Mesh) -> Vec<String> {
    let extras = std::iter::once(&mesh.extras).chain(mesh.primitives.iter().map(|p| &p.extras));
    let names = extras.filter_map(|extras| extras.get("targetNames")?.as_array()).next();
    let name = |name: &Value| name.as_str().unwrap_or_default().to_owned();
    names.map(|names| names.iter().map(name).collect()).unwrap_or_default()
}

/// `JOINTS_n` and `WEIGHTS_n`.
type InfluenceSet = (Vec<[u16; 4]>, Vec<[f32; 4]>);

struct Reader<'a, 'b> {
    data: &'a Data<'b>,
    /// Of the primitive.
    pointer: String,
    found: &'a mut Findings,
}

impl Reader<'_, '_> {
    fn say(
        &mut self,
        severity: Severity,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.found.push(Diagnostic::new(severity, code, pointer, message));
    }

    fn fault(&mut self, fault: Fault, what: &str) {
        let Fault { code, pointer, message } = fault;
        let message = format!("{message}; {what} of {} left out", self.pointer);
        self.say(Severity::Error, code, pointer, message);
    }

    /// The accessor that `semantic` names in `attributes`, when there is one.
    fn accessor(
        &mut self,
        attributes: &Map<String, Value>,
        semantic: &str,
        place: &str,
    ) -> Option<Uint> {
        let value = attributes.get(semantic)?;
        let index = uint(value);
        if index.is_none() {
            let pointer = format!("{}{place}/{}", self.pointer, escaped(semantic));
            let message = format!("{value} is no index; the attribute is left out");
            self.say(Severity::Error, "INVALID_INDEX", pointer, message);
        }
        index
    }

    /// Reads an attribute of `N` numbers a vertex; `count` vertices when that is known.
    fn attribute<const N: usize>(
        &mut self,
        attributes: &Map<String, Value>,
        semantic: &str,
        place: &str,
        count: Option<usize>,
    ) -> Option<Vec<[f32; N]>> {
        let index = self.accessor(attributes, semantic, place)?;
        let read = self.data.floats::<N>(index).map_err(|fault| Fault {
            code: match fault.code {
                "ACCESSOR_INVALID_FORMAT" => "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
                code => code,
            },
            ..fault
        });
        self.counted(read, semantic, place, count)
    }

    fn counted<T>(
        &mut self,
        read: Result<Vec<T>, Fault>,
        semantic: &str,
        place: &str,
        count: Option<usize>,
    ) -> Option<Vec<T>> {
        match read {
            Ok(values) if count.is_none_or(|count| count == values.len()) => Some(values),
            Ok(values) => {
                let pointer = format!("{}{place}/{}", self.pointer, escaped(semantic));
                let code = match place {
                    "/attributes" => "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT",
                    _ => "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
                };
                let count = count.unwrap_or_default();
                let message = format!("{} entries for {count} vertices; left out", values.len());
                self.say(Severity::Error, code, pointer, message);
                None
            }
            Err(fault) => {
                self.fault(fault, semantic);
                None
            }
        }
    }

    /// Attributes and morph targets; `None` without positions.
    fn vertices(&mut self, primitive: &Primitive, names: &[String]) -> Option<Geometry> {
        let attributes = &primitive.attributes;
        let place = "/attributes";
        if primitive.extensions.contains_key("KHR_draco_mesh_compression")
            && !attributes.values().filter_map(uint).any(|index| self.data.has_view(index))
        {
            let message = "compressed with Draco, which is not read; the primitive is left out";
            let pointer = format!("{}/extensions/KHR_draco_mesh_compression", self.pointer);
            self.say(Severity::Error, "DRACO_UNSUPPORTED", pointer, message);
            return None;
        }
        let Some(positions) = self.attribute::<3>(attributes, "POSITION", place, None) else {
            let message = "no positions; the primitive is left out";
            let pointer = self.pointer.clone();
            self.say(Severity::Warning, "MESH_PRIMITIVE_NO_POSITION", pointer, message);
            return None;
        };
        let count = Some(positions.len());
        let mut vertices = Geometry { positions: vectors(positions), ..Default::default() };
        if let Some(normals) = self.attribute::<3>(attributes, "NORMAL", place, count) {
            vertices.normals = vectors(normals);
            self.unit_normals(&mut vertices.normals, attributes);
        }
        // Without normals tangents mean nothing (glTF 2.0, 3.7.2.1).
        if !vertices.normals.is_empty()
            && let Some(tangents) = self.attribute::<4>(attributes, "TANGENT", place, count)
        {
            vertices.tangents = tangents.into_iter().map(unit_tangent).collect();
        }
        for set in 0..UV_SETS {
            let semantic = format!("TEXCOORD_{set}");
            if let Some(uvs) = self.attribute::<2>(attributes, &semantic, place, count) {
                vertices.uvs.resize_with(set, Vec::new);
                vertices.uvs.push(uvs.into_iter().map(Vec2::from).collect());
            }
        }
        vertices.colors = self.colors(attributes, count);
        vertices.influences = self.influences(attributes, vertices.vertex_count());
        self.unread(attributes, place);
        for (k, target) in primitive.targets.iter().enumerate() {
            let place = format!("/targets/{k}");
            let mut vectors_of = |semantic: &str, base: bool| {
                let read = self.attribute::<3>(target, semantic, &place, count)?;
                if !base {
                    let pointer = format!("{}{place}/{semantic}", self.pointer);
                    let code = "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR";
                    let message = "nothing to morph; left out";
                    self.say(Severity::Error, code, pointer, message);
                    return None;
                }
                Some(vectors(read))
            };
            vertices.morphs.push(MorphTarget {
                name: names.get(k).cloned().unwrap_or_default(),
                positions: vectors_of("POSITION", true).unwrap_or_default(),
                normals: vectors_of("NORMAL", !vertices.normals.is_empty()).unwrap_or_default(),
                tangents: vectors_of("TANGENT", !vertices.tangents.is_empty()).unwrap_or_default(),
            });
            self.unread(target, &place);
        }
        Some(vertices)
    }

    /// Says which attributes have no part in a character.
    fn unread(&mut self, attributes: &Map<String, Value>, place: &str) {
        let sets = |semantic: &str, front: &str, count: usize| {
            let set =
                semantic.strip_prefix(front).filter(|set| !set.starts_with('0') || *set == "0");
            set.and_then(|set| set.parse::<usize>().ok()).is_some_and(|set| set < count)
        };
        let target = place != "/attributes";
        let read = |semantic: &str| {
            matches!(semantic, "POSITION" | "NORMAL" | "TANGENT")
                || !target
                    && (sets(semantic, "TEXCOORD_", UV_SETS)
                        || semantic == "COLOR_0"
                        || sets(semantic, "JOINTS_", usize::MAX)
                        || sets(semantic, "WEIGHTS_", usize::MAX))
        };
        let unread: Vec<&str> =
            attributes.keys().map(String::as_str).filter(|semantic| !read(semantic)).collect();
        if !unread.is_empty() {
            let message = format!("{} kept with the document but not applied", unread.join(", "));
            let pointer = format!("{}{place}", self.pointer);
            self.say(Severity::Info, "ATTRIBUTE_NOT_APPLIED", pointer, message);
        }
    }

    /// Makes integers' rounding good again; says when floats are off.
    fn unit_normals(&mut self, normals: &mut [Vec3], attributes: &Map<String, Value>) {
        let mut changed = 0usize;
        for normal in normals {
            if (normal.length_squared() - 1.0).abs() > UNIT_TOLERANCE {
                *normal = normal.try_normalize().unwrap_or(Vec3::Y);
                changed += 1;
            }
        }
        let index = attributes.get("NORMAL").and_then(uint).unwrap_or_default();
        let float = self.data.format(index).is_ok_and(|format| format.component == Component::F32);
        if changed > 0 && float {
            let message = format!("{changed} normals are not of unit length; made so");
            let pointer = format!("/accessors/{}", index.0);
            self.say(Severity::Error, "ACCESSOR_VECTOR3_NON_UNIT", pointer, message);
        }
    }

    fn colors(&mut self, attributes: &Map<String, Value>, count: Option<usize>) -> Vec<Vec4> {
        let (semantic, place) = ("COLOR_0", "/attributes");
        let Some(index) = self.accessor(attributes, semantic, place) else { return Vec::new() };
        let opaque = self.data.format(index).is_ok_and(|format| format.kind == Kind::Vec3);
        if opaque {
            let colors = self.attribute::<3>(attributes, semantic, place, count);
            let color = |color| Vec3::from(color).extend(1.0);
            colors.map(|colors| colors.into_iter().map(color).collect()).unwrap_or_default()
        } else {
            let colors = self.attribute::<4>(attributes, semantic, place, count);
            colors.map(|c| c.into_iter().map(Vec4::from).collect()).unwrap_or_default()
        }
    }

    /// `JOINTS_n` with `WEIGHTS_n`: four influences a set, at most eight a vertex.
    fn influences(&mut self, attributes: &Map<String, Value>, count: usize) -> Option<Influences> {
        let place = "/attributes";
        let mut sets = Vec::new();
        loop {
            let set = sets.len();
            let (joints, weights) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
            let (has_joints, has_weights) =
                (attributes.contains_key(&joints), attributes.contains_key(&weights));
            if !has_joints && !has_weights {
                break;
            }
            if has_joints != has_weights {
                let code = "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH";
                let message = format!("{joints} needs {weights}; the set is left out");
                self.say(Severity::Error, code, format!("{}{place}", self.pointer), message);
                break;
            }
            let index = self.accessor(attributes, &joints, place);
            let read = index.map(|index| self.data.joints(index));
            let read = read.and_then(|read| self.counted(read, &joints, place, Some(count)));
            let weights = self.attribute::<4>(attributes, &weights, place, Some(count));
            let (Some(joints), Some(weights)) = (read, weights) else { break };
            sets.push((joints, weights));
        }
        let mut influences = match sets.len() {
            0 => return None,
            1 => {
                let (joints, weights) = sets.pop()?;
                Influences {
                    per_vertex: 4,
                    joints: joints.into_flattened(),
                    weights: weights.into_flattened(),
                }
            }
            _ => self.heaviest(&sets, count),
        };
        let changed = influences.normalize(WEIGHT_TOLERANCE);
        if changed > 0 {
            let index = attributes.get("WEIGHTS_0").and_then(uint).unwrap_or_default();
            let pointer = format!("/accessors/{}", index.0);
            let message = format!("{changed} vertices whose weights do not sum to 1; made so");
            let code = "ACCESSOR_WEIGHTS_NON_NORMALIZED";
            self.say(Severity::Error, code, pointer, message);
        }
        Some(influences)
    }

    /// The eight heaviest influences of each vertex, in the order of the file.
    fn heaviest(&mut self, sets: &[InfluenceSet], count: usize) -> Influences {
        const KEPT: usize = 8;
        let mut influences = Influences {
            per_vertex: KEPT,
            joints: Vec::with_capacity(count * KEPT),
            weights: Vec::with_capacity(count * KEPT),
        };
        let mut lost = 0usize;
        let mut all: Vec<(usize, u16, f32)> = Vec::with_capacity(sets.len() * 4);
        for v in 0..count {
            all.clear();
            for (joints, weights) in sets {
                for (joint, weight) in joints[v].iter().zip(weights[v]) {
                    all.push((all.len(), *joint, weight));
                }
            }
            if all.len() > KEPT {
                all.sort_by(|a, b| b.2.total_cmp(&a.2));
                lost += usize::from(all[KEPT..].iter().any(|(.., weight)| *weight > 0.0));
                all.truncate(KEPT);
                all.sort_by_key(|(place, ..)| *place);
            }
            influences.joints.extend(all.iter().map(|(_, joint, _)| *joint));
            influences.weights.extend(all.iter().map(|(.., weight)| *weight));
        }
        if lost > 0 {
            let message = format!("{lost} vertices follow more than 8 joints; the heaviest stay");
            let pointer = format!("{}/attributes", self.pointer);
            self.say(Severity::Warning, "INFLUENCES_REDUCED", pointer, message);
        }
        influences
    }

    /// Adds indices to `vertices`; picks those that are used when others share the list.
    fn connect(
        &mut self,
        primitive: &Primitive,
        vertices: Geometry,
        shared: bool,
    ) -> Option<Geometry> {
        let mut geometry = vertices;
        let count = geometry.vertex_count();
        let pointer = self.pointer.clone();
        let order = match primitive.indices {
            None => (0..count as u32).collect(),
            Some(index) => match self.data.indices(index) {
                Ok(order) => order,
                Err(Fault { code, pointer: place, message }) => {
                    let message = format!("{message}; {pointer} is left out");
                    self.say(Severity::Error, code, place, message);
                    return None;
                }
            },
        };
        let mode = primitive.mode.map_or(4, |mode| mode.0);
        if mode > 6 {
            let message = format!("{mode} is no mode; the primitive is left out");
            self.say(Severity::Error, "VALUE_NOT_IN_LIST", pointer + "/mode", message);
            return None;
        }
        let used = order.len();
        let lists = lists(mode, order);
        if self.data.spend(lists.indices.len().saturating_sub(used), &pointer).is_err() {
            let message = "more indices than the limit allows; the primitive is left out";
            self.say(Severity::Error, "LIMIT_NUMBERS", pointer, message);
            return None;
        }
        if lists.rest > 0 {
            let message = format!("{used} indices do not fit mode {mode}; {} left out", lists.rest);
            let code = "MESH_PRIMITIVE_INCOMPATIBLE_MODE";
            self.say(Severity::Warning, code, pointer.clone(), message);
        }
        geometry.topology = lists.topology;
        geometry.indices = lists.indices;
        self.drop_outside(&mut geometry, primitive);
        if geometry.indices.is_empty() {
            let message = "nothing to draw; the primitive is left out";
            self.say(Severity::Warning, "MESH_PRIMITIVE_EMPTY", pointer, message);
            return None;
        }
        let flat = geometry.normals.is_empty() && geometry.topology == Topology::Triangles;
        let size = numbers_a_vertex(&geometry);
        if flat {
            let more = geometry.indices.len().saturating_mul(size + 3);
            if self.data.spend(more, &pointer).is_ok() {
                let order: Vec<u32> = std::mem::take(&mut geometry.indices);
                geometry = gathered(&geometry, &order);
                geometry.indices = (0..order.len() as u32).collect();
            } else {
                let message = "flat normals would pass the limit of numbers; they are smooth";
                self.say(Severity::Warning, "LIMIT_NUMBERS", pointer, message);
            }
            geometry.compute_normals();
        } else if shared {
            let used = keep_used(&mut geometry.indices, count);
            if let Err(fault) = self.data.spend(used.len().saturating_mul(size), &pointer) {
                self.fault(fault, "all");
                return None;
            }
            let indices = std::mem::take(&mut geometry.indices);
            geometry = gathered(&geometry, &used);
            geometry.indices = indices;
        }
        Some(geometry)
    }

    /// Leaves out triangles, lines and points with a vertex that is not there.
    fn drop_outside(&mut self, geometry: &mut Geometry, primitive: &Primitive) {
        let count = geometry.vertex_count();
        if geometry.indices.iter().all(|index| (*index as usize) < count) {
            return;
        }
        let corners = match geometry.topology {
            Topology::Triangles => 3,
            Topology::Lines => 2,
            Topology::Points => 1,
        };
        let before = geometry.indices.len();
        let fits = |part: &&[u32]| part.iter().all(|index| (*index as usize) < count);
        let kept = geometry.indices.chunks_exact(corners).filter(fits).flatten().copied();
        geometry.indices = kept.collect();
        let dropped = (before - geometry.indices.len()) / corners;
        let message = format!(
            "{dropped} {:?} with a vertex beyond the {count} that there are; left out of {}",
            geometry.topology, self.pointer
        );
        let pointer = match primitive.indices {
            Some(index) => format!("/accessors/{}", index.0),
            None => self.pointer.clone(),
        };
        self.say(Severity::Error, "ACCESSOR_INDEX_OOB", pointer, message);
    }
}

fn vectors(values: Vec<[f32; 3]>) -> Vec<Vec3> {
    values.into_iter().map(Vec3::from).collect()
}

fn unit_tangent(tangent: [f32; 4]) -> Vec4 {
    let tangent = Vec4::from(tangent);
    let mut direction = tangent.truncate();
    if (direction.length_squared() - 1.0).abs() > UNIT_TOLERANCE {
        direction = direction.try_normalize().unwrap_or(Vec3::X);
    }
    direction.extend(if tangent.w < 0.0 { -1.0 } else { 1.0 })
}

struct Lists {
    topology: Topology,
    indices: Vec<u32>,
    /// Indices that did not make a whole part.
    rest: usize,
}

/// Strips, loops and fans → lists, in the order of glTF 2.0, 3.7.2.1.
fn lists(mode: u64, order: Vec<u32>) -> Lists {
    let n = order.len();
    let list = |topology, indices, rest| Lists { topology, indices, rest };
    let whole = |mut order: Vec<u32>, size: usize, topology| {
        let rest = n % size;
        order.truncate(n - rest);
        list(topology, order, rest)
    };
    match mode {
        0 => list(Topology::Points, order, 0),
        1 => whole(order, 2, Topology::Lines),
        2 | 3 if n < 2 => list(Topology::Lines, Vec::new(), n),
        2 | 3 => {
            let mut lines: Vec<u32> = order.windows(2).flatten().copied().collect();
            if mode == 2 {
                lines.extend([order[n - 1], order[0]]);
            }
            list(Topology::Lines, lines, 0)
        }
        4 => whole(order, 3, Topology::Triangles),
        _ if n < 3 => list(Topology::Triangles, Vec::new(), n),
        5 => {
            let turned = |(i, corner): (usize, &[u32])| match i % 2 {
                0 => [corner[0], corner[1], corner[2]],
                _ => [corner[0], corner[2], corner[1]],
            };
            let triangles = order.windows(3).enumerate().flat_map(turned).collect();
            list(Topology::Triangles, triangles, 0)
        }
        _ => {
            let spokes = order[1..].windows(2).flat_map(|edge| [edge[0], edge[1], order[0]]);
            list(Topology::Triangles, spokes.collect(), 0)
        }
    }
}

/// How many numbers a vertex of `geometry` has.
pub(super) fn numbers_a_vertex(geometry: &Geometry) -> usize {
    let has = |present: bool, numbers: usize| if present { numbers } else { 0 };
    let morphs = geometry.morphs.iter().map(|target| {
        let lists = [&target.positions, &target.normals, &target.tangents];
        lists.iter().map(|list| has(!list.is_empty(), 3)).sum::<usize>()
    });
    3 + has(!geometry.normals.is_empty(), 3)
        + has(!geometry.tangents.is_empty(), 4)
        + has(!geometry.colors.is_empty(), 4)
        + geometry.uvs.iter().map(|set| has(!set.is_empty(), 2)).sum::<usize>()
        + geometry.influences.as_ref().map_or(0, |influences| influences.per_vertex * 2)
        + morphs.sum::<usize>()
}

/// Renumbers `indices` (each below `count`) to the vertices in use; returns which those were.
fn keep_used(indices: &mut [u32], count: usize) -> Vec<u32> {
    let mut number = vec![0u32; count];
    for index in indices.iter() {
        number[*index as usize] = 1;
    }
    let mut used = Vec::new();
    for (i, number) in number.iter_mut().enumerate().filter(|(_, number)| **number == 1) {
        *number = used.len() as u32;
        used.push(i as u32);
    }
    for index in indices {
        *index = number[*index as usize];
    }
    used
}

/// The vertices that `order` names, in that order, without indices.
fn gathered(source: &Geometry, order: &[u32]) -> Geometry {
    fn pick<T: Copy>(list: &[T], order: &[u32]) -> Vec<T> {
        if list.is_empty() {
            return Vec::new();
        }
        order.iter().map(|index| list[*index as usize]).collect()
    }
    let influences = source.influences.as_ref().map(|influences| {
        let size = influences.per_vertex;
        let span = |index: &u32| *index as usize * size..(*index as usize + 1) * size;
        Influences {
            per_vertex: size,
            joints: order.iter().flat_map(|i| &influences.joints[span(i)]).copied().collect(),
            weights: order.iter().flat_map(|i| &influences.weights[span(i)]).copied().collect(),
        }
    });
    Geometry {
        positions: pick(&source.positions, order),
        normals: pick(&source.normals, order),
        tangents: pick(&source.tangents, order),
        uvs: source.uvs.iter().map(|set| pick(set, order)).collect(),
        colors: pick(&source.colors, order),
        influences,
        indices: Vec::new(),
        topology: source.topology,
        morphs: source
            .morphs
            .iter()
            .map(|target| MorphTarget {
                name: target.name.clone(),
                positions: pick(&target.positions, order),
                normals: pick(&target.normals, order),
                tangents: pick(&target.tangents, order),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_loops_and_fans_become_lists() {
        let check = |mode, n: u32| {
            let lists = lists(mode, (0..n).collect());
            (lists.indices, lists.rest)
        };
        assert_eq!(check(1, 3), (vec![0, 1], 1));
        assert_eq!(check(2, 3), (vec![0, 1, 1, 2, 2, 0], 0));
        assert_eq!(check(3, 3), (vec![0, 1, 1, 2], 0));
        assert_eq!(check(4, 7), (vec![0, 1, 2, 3, 4, 5], 1));
        assert_eq!(check(5, 5), (vec![0, 1, 2, 1, 3, 2, 2, 3, 4], 0));
        assert_eq!(check(6, 4), (vec![1, 2, 0, 2, 3, 0], 0));
        assert_eq!(check(6, 2), (vec![], 2));
    }

    #[test]
    fn unused_vertices_go_and_the_order_stays() {
        let mut indices = [5, 2, 5, 4];
        assert_eq!(keep_used(&mut indices, 6), [2, 4, 5]);
        assert_eq!(indices, [2, 0, 2, 1]);
    }
}
