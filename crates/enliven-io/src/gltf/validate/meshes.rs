//! Meshes: attributes, indices, materials, morph targets.

use serde_json::Value;

use super::{
    codes::*,
    data::{Check, DataCheck},
    doc::objects,
    formats::{INDICES, attribute_takes, describe},
    model::{AccessorUse, ComponentType, Model},
    schema::{Json, Target, index, integer, uint},
    walk::{Walker, shorten},
};

/// What nodes, animations and data checks must know of a mesh.
pub(super) struct MeshFacts<'a> {
    pub(super) primitives: Vec<PrimitiveFacts<'a>>,
    /// Morph targets of the first primitive; `None` without any.
    pub(super) targets: Option<usize>,
    pub(super) has_weights: bool,
    /// Some node takes the mesh's own weights.
    pub(super) weights_used: bool,
}

/// What the data checks must know of a primitive.
pub(super) struct PrimitiveFacts<'a> {
    /// Existing accessors only.
    attributes: Vec<(&'a str, usize)>,
    /// Sets of joints and weights; 0 when they do not match.
    pub(super) joint_sets: usize,
    pub(super) vertices: Option<u64>,
}

impl PrimitiveFacts<'_> {
    pub(super) fn attribute(&self, semantic: &str) -> Option<usize> {
        self.attributes.iter().find(|(name, _)| *name == semantic).map(|(_, index)| *index)
    }
}

/// The semantics of one primitive's attributes, counted.
#[derive(Default)]
struct Semantics {
    position: bool,
    normal: bool,
    tangent: bool,
    /// Count and largest set number of the numbered semantics, in the order of `NUMBERED`.
    sets: [(usize, u64); 4],
}

const NUMBERED: [&str; 4] = ["COLOR", "JOINTS", "WEIGHTS", "TEXCOORD"];

/// A semantic's name: `Custom`, one of the plain three, or a numbered one with its set.
enum Semantic<'a> {
    Custom,
    Plain(&'a str),
    Numbered(usize, u64),
    Invalid,
}

fn semantic(name: &str) -> Semantic<'_> {
    if name.starts_with('_') {
        return Semantic::Custom;
    }
    if ["POSITION", "NORMAL", "TANGENT"].contains(&name) {
        return Semantic::Plain(name);
    }
    let Some((base, set)) = name.split_once('_') else { return Semantic::Invalid };
    let Some(base) = NUMBERED.iter().position(|known| *known == base) else {
        return Semantic::Invalid;
    };
    let digits = !set.is_empty() && set.bytes().all(|byte| byte.is_ascii_digit());
    let padded = set.len() > 1 && set.starts_with('0');
    match set.parse() {
        Ok(set) if digits && !padded => Semantic::Numbered(base, set),
        _ => Semantic::Invalid,
    }
}

/// Checks all meshes. The result has one element a mesh; `None` where it has no valid primitives.
pub(super) fn check<'a>(
    walker: &mut Walker<'a>,
    model: &mut Model,
    data: &mut Vec<DataCheck>,
) -> Vec<Option<MeshFacts<'a>>> {
    let mut facts = Vec::new();
    facts.resize_with(walker.doc.list(Target::Meshes).len(), || None);
    let list = walker.report.enter("meshes");
    for (at, mesh) in walker.doc.each(Target::Meshes) {
        let mark = walker.report.enter_index(at);
        facts[at] = check_mesh(walker, model, data, mesh);
        walker.report.leave(mark);
    }
    walker.report.leave(list);
    facts
}

/// Finding at `/meshes/i/weights` for weights that every node overrides.
pub(super) fn unused_weights(walker: &mut Walker<'_>, meshes: &[Option<MeshFacts<'_>>]) {
    let list = walker.report.enter("meshes");
    for (at, mesh) in meshes.iter().enumerate() {
        let Some(mesh) = mesh else { continue };
        if mesh.has_weights && !mesh.weights_used && walker.is_used(Target::Meshes, at) {
            let mark = walker.report.enter_index(at);
            walker.report.add_at("weights", UNUSED_MESH_WEIGHTS, || {
                "every node with this mesh has weights of its own".into()
            });
            walker.report.leave(mark);
        }
    }
    walker.report.leave(list);
}

fn check_mesh<'a>(
    walker: &mut Walker<'a>,
    model: &mut Model,
    data: &mut Vec<DataCheck>,
    mesh: &'a Json,
) -> Option<MeshFacts<'a>> {
    let primitives = objects(mesh, "primitives")?;
    let mut facts = MeshFacts {
        primitives: Vec::with_capacity(primitives.len()),
        targets: None,
        has_weights: mesh.get("weights").and_then(Value::as_array).is_some_and(|w| !w.is_empty()),
        weights_used: false,
    };
    let list = walker.report.enter("primitives");
    let mut targets = 0;
    for (at, primitive) in primitives.into_iter().enumerate() {
        let mark = walker.report.enter_index(at);
        let (primitive, own_targets) = check_primitive(walker, model, data, primitive);
        if at == 0 {
            facts.targets = own_targets;
            targets = own_targets.unwrap_or(0);
        } else if own_targets.unwrap_or(0) != targets {
            let message = || format!("the first primitive has {targets} morph targets");
            match own_targets {
                Some(_) => {
                    walker.report.add_at("targets", MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT, message);
                }
                None => walker.report.add(MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT, message),
            }
        }
        facts.primitives.push(primitive);
        walker.report.leave(mark);
    }
    walker.report.leave(list);
    if let Some(weights) = mesh.get("weights").and_then(Value::as_array)
        && !weights.is_empty()
        && weights.len() != targets
    {
        walker.report.add_at("weights", MESH_INVALID_WEIGHTS_COUNT, || {
            format!("{} weights for {targets} morph targets", weights.len())
        });
    }
    Some(facts)
}

fn check_primitive<'a>(
    walker: &mut Walker<'a>,
    model: &mut Model,
    data: &mut Vec<DataCheck>,
    primitive: &'a Json,
) -> (PrimitiveFacts<'a>, Option<usize>) {
    let (attributes, semantics) = read_attributes(walker, primitive);
    let targets = read_targets(walker, primitive);
    let mut facts = PrimitiveFacts { attributes: Vec::new(), joint_sets: 0, vertices: None };
    let counts = counted_sets(walker, attributes.is_some(), &semantics);
    facts.joint_sets = counts[1];

    if let Some(attributes) = attributes {
        let mark = walker.report.enter("attributes");
        for (name, at) in attributes {
            check_attribute(walker, model, data, name, at, false);
            let count = model.accessor(at).and_then(|accessor| accessor.count);
            match facts.vertices {
                None => facts.vertices = count,
                Some(_) if facts.vertices == count => {}
                Some(vertices) => {
                    walker.report.add_at(name, MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT, || {
                        format!("another attribute has {vertices} elements")
                    });
                }
            }
            check_packed(walker, model, name, at);
            facts.attributes.push((name, at));
        }
        walker.report.leave(mark);
    }

    let mode = if primitive.contains_key("mode") {
        uint(primitive, "mode", 0).filter(|mode| *mode <= 6)
    } else {
        Some(4)
    };
    let indices = index(primitive, "indices").filter(|at| model.accessor(*at).is_some());
    if let Some(at) = indices {
        check_indices(walker, model, data, at, facts.vertices, mode == Some(4));
    }
    let drawn = match indices.and_then(|at| model.accessor(at)) {
        Some(accessor) => accessor.count,
        None => facts.vertices,
    };
    if let (Some(mode), Some(count)) = (mode, drawn) {
        let (fits, shape) = match mode {
            1 => (count % 2 == 0, "lines"),
            2 => (count >= 2, "a line loop"),
            3 => (count >= 2, "a line strip"),
            4 => (count % 3 == 0, "triangles"),
            5 => (count >= 3, "a triangle strip"),
            6 => (count >= 3, "a triangle fan"),
            _ => (true, "points"),
        };
        if !fits {
            walker.report.add(MESH_PRIMITIVE_INCOMPATIBLE_MODE, || {
                format!("{count} vertices do not make {shape}")
            });
        }
    }

    check_material(walker, primitive, &semantics, counts[3]);

    if let Some(targets) = &targets {
        let list = walker.report.enter("targets");
        for (at, target) in targets.iter().enumerate() {
            let mark = walker.report.enter_index(at);
            for (name, at) in accessors(walker, target, false) {
                check_attribute(walker, model, data, name, at, true);
                let count = model.accessor(at).and_then(|accessor| accessor.count);
                match facts.attribute(name).and_then(|base| model.accessor(base)) {
                    None => walker.report.add_at(
                        name,
                        MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR,
                        || "the primitive has no such attribute to morph".into(),
                    ),
                    Some(base) if base.count != count => walker.report.add_at(
                        name,
                        MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT,
                        || "the attribute to morph has another count".into(),
                    ),
                    Some(_) => {}
                }
                check_packed(walker, model, name, at);
            }
            walker.report.leave(mark);
        }
        walker.report.leave(list);
    }
    (facts, targets.map(|targets| targets.len()))
}

/// The attributes and their names' rules; `None` when they are no object or empty.
fn read_attributes<'a>(
    walker: &mut Walker<'a>,
    primitive: &'a Json,
) -> (Option<Vec<(&'a str, usize)>>, Semantics) {
    let mut semantics = Semantics::default();
    // The table reports that it is missing.
    let Some(value) = primitive.get("attributes") else { return (None, semantics) };
    let mark = walker.report.enter("attributes");
    let mut out = None;
    match value.as_object() {
        None => walker.mismatch(value, "object"),
        Some(map) if map.is_empty() => {
            walker.report.add(EMPTY_ENTITY, || "attributes must not be empty".into());
        }
        Some(map) => {
            for name in map.keys() {
                match semantic(name) {
                    Semantic::Custom => {}
                    Semantic::Plain("POSITION") => semantics.position = true,
                    Semantic::Plain("NORMAL") => semantics.normal = true,
                    Semantic::Plain(_) => semantics.tangent = true,
                    Semantic::Numbered(base, set) => {
                        let (count, largest) = &mut semantics.sets[base];
                        *count += 1;
                        *largest = set.max(*largest);
                    }
                    Semantic::Invalid => invalid_attribute(walker, name),
                }
            }
            out = Some(accessors(walker, map, true));
        }
    }
    walker.report.leave(mark);
    (out, semantics)
}

fn invalid_attribute(walker: &mut Walker<'_>, name: &str) {
    walker.report.add_at(name, MESH_PRIMITIVE_INVALID_ATTRIBUTE, || {
        format!("'{}' is no attribute; own ones begin with an underscore", shorten(name))
    });
}

/// The accessors that exist, of a map from semantics to indices; `malformed` says whether indices
/// that are none at all are still to be reported.
fn accessors<'a>(walker: &mut Walker<'a>, map: &'a Json, malformed: bool) -> Vec<(&'a str, usize)> {
    let mut out = Vec::with_capacity(map.len());
    for (name, value) in map {
        let number = integer(value).unwrap_or(-1);
        if number < 0 && !malformed {
            continue;
        }
        let mark = walker.report.enter(name);
        walker.resolve(number, Target::Accessors, true);
        walker.report.leave(mark);
        if let Some(index) = usize::try_from(number).ok()
            && walker.doc.get(Target::Accessors, index).is_some()
        {
            out.push((name.as_str(), index));
        }
    }
    out
}

/// Morph targets and their names' rules; `None` when absent, empty or not all filled objects.
fn read_targets<'a>(walker: &mut Walker<'a>, primitive: &'a Json) -> Option<Vec<&'a Json>> {
    let value = primitive.get("targets")?;
    let mark = walker.report.enter("targets");
    let mut out = Some(Vec::new());
    match walker.list(value) {
        None => out = None,
        Some(list) => {
            for (at, element) in list.iter().enumerate() {
                let Some(map) = element.as_object() else {
                    walker.element_mismatch(element, "object");
                    out = None;
                    continue;
                };
                let mark = walker.report.enter_index(at);
                if map.is_empty() {
                    walker.report.add(EMPTY_ENTITY, || "a morph target must not be empty".into());
                    out = None;
                }
                for (name, value) in map {
                    // Joints and weights cannot be morphed.
                    if matches!(semantic(name), Semantic::Invalid | Semantic::Numbered(1 | 2, _)) {
                        invalid_attribute(walker, name);
                    }
                    if integer(value).is_none_or(|index| index < 0) {
                        walker.report.add_at(name, INVALID_INDEX, || {
                            "an index is an integer of at least 0".into()
                        });
                    }
                }
                walker.report.leave(mark);
                if let Some(out) = &mut out {
                    out.push(map);
                }
            }
        }
    }
    walker.report.leave(mark);
    out
}

/// Sets a numbered semantic, 0 where the numbers have gaps; joints and weights only where they
/// match.
fn counted_sets(walker: &mut Walker<'_>, there: bool, semantics: &Semantics) -> [usize; 4] {
    let mut counts = semantics.sets.map(|(count, _)| count);
    if !there {
        return counts;
    }
    let mark = walker.report.enter("attributes");
    if !semantics.position {
        walker.report.add(MESH_PRIMITIVE_NO_POSITION, || "nothing to draw without POSITION".into());
    }
    if semantics.tangent && !semantics.normal {
        walker.report.add_at("TANGENT", MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL, || {
            "tangents have no use without normals".into()
        });
    }
    for (count, ((_, largest), name)) in counts.iter_mut().zip(semantics.sets.iter().zip(NUMBERED))
    {
        if *count > 0 && largest.checked_add(1) != Some(*count as u64) {
            walker.report.add(MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY, || {
                format!("{name} has {count} sets, numbered up to {largest}: gaps are not allowed")
            });
            *count = 0;
        }
    }
    if counts[1] != counts[2] {
        walker.report.add(MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH, || {
            format!("{} sets of joints, {} of weights", counts[1], counts[2])
        });
        counts[1] = 0;
        counts[2] = 0;
    }
    walker.report.leave(mark);
    counts
}

fn check_attribute(
    walker: &mut Walker<'_>,
    model: &mut Model,
    data: &mut Vec<DataCheck>,
    name: &str,
    at: usize,
    morph: bool,
) {
    let report = &mut walker.report;
    model.use_accessor(report, at, AccessorUse::VertexAttribute, name);
    let Some(accessor) = model.accessor(at) else { return };
    if name == "POSITION" && !accessor.has_bounds() {
        report.add_at(name, MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS, || {
            "positions need 'min' and 'max'".into()
        });
    }
    let quantized = walker.declared.contains(&"KHR_mesh_quantization");
    let base = name.split('_').next().unwrap_or(name);
    let format = accessor.format();
    let takes = match format {
        Some(format) => attribute_takes(base, morph, quantized, format),
        // No attribute but one of the author's own takes what is not known.
        None => attribute_takes(base, morph, quantized, INDICES[0]).map(|_| false),
    };
    match (takes, format) {
        (Some(false), _) => {
            report.add_at(name, MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT, || {
                format!("{} is no format for this attribute", describe(format))
            });
        }
        (Some(true), Some((_, component, _))) if !morph => {
            let check = match name {
                "NORMAL" => Some(Check::UnitVectors),
                "TANGENT" => Some(Check::Tangents),
                "COLOR_0" if component == ComponentType::F32 => Some(Check::Clamped),
                _ => None,
            };
            if let Some(check) = check {
                let mark = report.enter(name);
                data.push(DataCheck { accessor: at, place: report.place().into(), check });
                report.leave(mark);
            }
        }
        (None, Some((_, ComponentType::U32, _))) if !morph => {
            report.add_at(name, MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT, || {
                "attributes are never unsigned 32-bit integers".into()
            });
        }
        _ => {}
    }
    let packed = model.view(accessor.view).is_some_and(|view| view.stride.is_none());
    let odd_offset = accessor.offset.is_some_and(|offset| offset % 4 != 0);
    let odd_length = accessor.element_length().is_some_and(|length| length % 4 != 0);
    if odd_offset || (odd_length && packed) {
        report.add_at(name, MESH_PRIMITIVE_ACCESSOR_UNALIGNED, || {
            "every vertex begins at a multiple of 4 bytes".into()
        });
    }
}

fn check_packed(walker: &mut Walker<'_>, model: &mut Model, name: &str, at: usize) {
    if !model.is_alone_on_packed_view(at) {
        walker.report.add_at(name, MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE, || {
            "accessors that share a view need a stride".into()
        });
    }
}

fn check_indices(
    walker: &mut Walker<'_>,
    model: &mut Model,
    data: &mut Vec<DataCheck>,
    at: usize,
    vertices: Option<u64>,
    triangles: bool,
) {
    let report = &mut walker.report;
    model.use_accessor(report, at, AccessorUse::Indices, "indices");
    let Some(accessor) = model.accessor(at) else { return };
    let mark = report.enter("indices");
    if model.view(accessor.view).is_some_and(|view| view.stride.is_some()) {
        report.add(MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE, || {
            "a view of indices has no stride".into()
        });
    }
    let format = accessor.format();
    if format.is_some_and(|format| INDICES.contains(&format)) {
        let check = Check::Indices { vertices: vertices.unwrap_or(0), triangles };
        data.push(DataCheck { accessor: at, place: report.place().into(), check });
    } else {
        report.add(MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT, || {
            format!("{} is no format for indices", describe(format))
        });
    }
    report.leave(mark);
}

fn check_material(
    walker: &mut Walker<'_>,
    primitive: &Json,
    semantics: &Semantics,
    uv_sets: usize,
) {
    let mut unused = vec![true; uv_sets];
    let mut needs_tangents = false;
    let mut materials = Vec::new();
    let base = walker.report.enter("material");
    if let Some(at) = index(primitive, "material") {
        materials.push((walker.report.place().to_owned(), at));
    }
    walker.report.leave(base);
    if let Some(own) = materials.first().and_then(|(_, at)| walker.materials.get(*at)) {
        needs_tangents = own.needs_tangents;
        if needs_tangents && !(semantics.normal && semantics.tangent) {
            let code = if own.has_normal_map {
                MESH_PRIMITIVE_GENERATED_TANGENT_SPACE
            } else {
                MESH_PRIMITIVE_NO_TANGENT_SPACE
            };
            walker.report.add_at("material", code, || {
                "the material needs normals and tangents, which the primitive lacks".into()
            });
        }
    }
    if walker.is_loaded("KHR_materials_variants") {
        let mappings = primitive
            .get("extensions")
            .and_then(Value::as_object)
            .and_then(|extensions| extensions.get("KHR_materials_variants")?.as_object())
            .and_then(|variants| objects(variants, "mappings"));
        let place = walker.report.place();
        for (at, mapping) in mappings.into_iter().flatten().enumerate() {
            if let Some(material) = index(mapping, "material") {
                materials.push((
                    format!("{place}/extensions/KHR_materials_variants/mappings/{at}/material"),
                    material,
                ));
            }
        }
    }
    for (place, at) in &materials {
        let Some(material) = walker.materials.get(*at) else { continue };
        for (reader, set) in &material.uv_sets {
            match usize::try_from(*set).ok().and_then(|set| unused.get_mut(set)) {
                Some(unused) => *unused = false,
                None => {
                    walker.report.add_elsewhere(place, MESH_PRIMITIVE_TOO_FEW_TEXCOORDS, || {
                        format!("{reader} needs TEXCOORD_{set}, which the primitive lacks")
                    })
                }
            }
        }
    }
    let mark = walker.report.enter("attributes");
    if semantics.tangent && !needs_tangents {
        walker
            .report
            .add_at("TANGENT", UNUSED_MESH_TANGENT, || "the material has no normal map".into());
    }
    for set in (0..unused.len()).filter(|set| unused[*set]) {
        walker.report.add_at(&format!("TEXCOORD_{set}"), UNUSED_OBJECT, || {
            "the material reads no such set".into()
        });
    }
    walker.report.leave(mark);
}
