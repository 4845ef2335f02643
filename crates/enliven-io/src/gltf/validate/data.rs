//! What the accessors hold: bounds, directions, times, indices, influences.
//!
//! Each accessor is read once for each kind of check, however many objects point at it.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
};

use super::{
    codes::*,
    meshes::{MeshFacts, PrimitiveFacts},
    model::{Accessor, ComponentType, Model},
    nodes::SkinFacts,
    report::Report,
    rules::UNIT_VEC4_TOLERANCE,
    schema::{Target, index},
    walk::Walker,
};
use crate::gltf::{
    accessor::{Data, Stored},
    schema::Uint,
};

/// How far the length of a normal may be from 1: the worst that 8-bit components round to.
/// Source: glTF-Validator.
const UNIT_VEC3_TOLERANCE: f64 = 0.00674;
/// How far each weight may push a sum of weights from 1. Source: glTF 2.0 §3.7.3.3.
const WEIGHT_TOLERANCE: f64 = 2e-7;
/// Sets of four influences a vertex that are checked; no character needs more than two.
const INFLUENCE_SETS: usize = 16;

/// A check to be made on an accessor's numbers, with the place that asks for it.
pub(super) struct DataCheck {
    pub(super) accessor: usize,
    pub(super) place: String,
    pub(super) check: Check,
}

/// What the numbers must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Check {
    /// Directions of length 1.
    UnitVectors,
    /// Directions of length 1 and a sign.
    Tangents,
    /// 0 to 1.
    Clamped,
    /// Matrices whose last row is 0, 0, 0, 1.
    InverseBindMatrices,
    /// Not negative, and rising.
    Times,
    /// Quaternions of length 1; of cubic splines only the values, not the tangents.
    Rotations { cubic: bool },
    /// Below the count of vertices, and none the restart value.
    Indices { vertices: u64, triangles: bool },
}

/// The first of several equal findings, and how many there are.
#[derive(Default)]
struct Tally {
    count: u64,
    first: (u64, f64),
}

impl Tally {
    fn add(&mut self, at: u64, value: f64) {
        if self.count == 0 {
            self.first = (at, value);
        }
        self.count += 1;
    }

    fn message(&self, what: &str) -> String {
        let (at, value) = self.first;
        match self.count {
            1 => format!("element {at} {what}: {value}"),
            count => format!("element {at} {what}: {value}; so do {} more", count - 1),
        }
    }
}

/// What is known of the indices of an accessor.
struct IndexFacts {
    /// The largest, and where.
    largest: (u64, f64),
    restart: Tally,
    degenerate: u64,
    count: u64,
}

/// Reads numbers for checks.
struct Reader<'r, 'a> {
    data: Data<'a>,
    model: &'r Model,
    /// Accessors whose data cannot be read, so that they are not tried again.
    broken: RefCell<BTreeSet<usize>>,
    truncated: Cell<bool>,
}

impl<'a> Reader<'_, 'a> {
    /// The numbers of an accessor as stored, component by component, where all are there.
    fn numbers(&self, at: usize) -> Option<Stored<'a>> {
        let accessor = self.model.accessor(at)?;
        let no_data = accessor.view.is_none() && accessor.sparse.is_none();
        if no_data || self.broken.borrow().contains(&at) {
            return None;
        }
        match self.data.stored(Uint(at as u64)) {
            Ok(numbers) => Some(numbers),
            Err(fault) => {
                self.truncated.set(self.truncated.get() || fault.code.starts_with("LIMIT_"));
                self.broken.borrow_mut().insert(at);
                None
            }
        }
    }
}

/// Turns stored integers into what they stand for.
fn normalizer(accessor: &Accessor) -> impl Fn(f64) -> f64 + use<> {
    let (_, component, normalized) =
        accessor.format().unwrap_or((super::model::ElementType::Scalar, ComponentType::F32, false));
    let integer = normalized && component != ComponentType::F32;
    let top = if integer { *component.range().end() as f64 } else { 1.0 };
    move |value| if integer { (value / top).max(-1.0) } else { value }
}

/// All checks on numbers.
pub(super) fn check(
    walker: &mut Walker<'_>,
    model: &Model,
    data: Data<'_>,
    checks: &[DataCheck],
    meshes: &[Option<MeshFacts<'_>>],
    skins: &[SkinFacts],
) {
    let reader = Reader { data, model, broken: RefCell::default(), truncated: Cell::new(false) };
    check_accessors(&mut walker.report, &reader);
    check_uses(&mut walker.report, &reader, checks);
    check_influences(walker, &reader, meshes, skins);
    if reader.truncated.get() {
        walker.report.add(DATA_CHECKS_TRUNCATED, || {
            "more numbers than the limits allow; not all of them were checked".into()
        });
    }
}

/// Sparse indices, finite numbers, bounds.
fn check_accessors(report: &mut Report, reader: &Reader<'_, '_>) {
    let list = report.enter("accessors");
    let model = reader.model;
    for (at, accessor) in model.accessors.iter().enumerate() {
        let Some(accessor) = accessor else { continue };
        let Some((element, component, _)) = accessor.format() else { continue };
        let mark = report.enter_index(at);
        if accessor.sparse.is_some() {
            check_sparse(report, reader, at);
        }
        let float = component == ComponentType::F32;
        let bounded = accessor.min.is_some() || accessor.max.is_some();
        if (float || bounded)
            && let Some(numbers) = reader.numbers(at)
        {
            check_numbers(report, accessor, element.components(), float, numbers);
        }
        report.leave(mark);
    }
    report.leave(list);
}

fn check_sparse(report: &mut Report, reader: &Reader<'_, '_>, at: usize) {
    // The reader of accessors finds both faults; here they get their place in the order.
    drop(reader.data.found.borrow_mut().take());
    match reader.data.stored(Uint(at as u64)) {
        Err(fault) if fault.code == ACCESSOR_SPARSE_INDEX_OOB.name => {
            report.add_at("sparse", ACCESSOR_SPARSE_INDEX_OOB, || fault.message);
        }
        _ => {}
    }
    let found = reader.data.found.borrow_mut().take();
    if found.iter().any(|found| found.code == ACCESSOR_SPARSE_INDICES_NON_INCREASING.name) {
        report.add_at("sparse", ACCESSOR_SPARSE_INDICES_NON_INCREASING, || {
            "the indices of replaced elements must rise".into()
        });
    }
}

fn check_numbers(
    report: &mut Report,
    accessor: &Accessor,
    components: usize,
    float: bool,
    numbers: Stored<'_>,
) {
    let mut low = [f64::INFINITY; 16];
    let mut high = [f64::NEG_INFINITY; 16];
    let mut invalid = Tally::default();
    if let Some([lows, highs]) = numbers.bounds() {
        low[..components].copy_from_slice(&lows);
        high[..components].copy_from_slice(&highs);
    } else {
        let (mut any, mut component) = (false, 0);
        numbers.enumerate().for_each(|(at, value)| {
            any = true;
            low[component] = low[component].min(value);
            high[component] = high[component].max(value);
            if !value.is_finite() {
                invalid.add(at as u64, value);
            }
            component += 1;
            if component == components {
                component = 0;
            }
        });
        if !any {
            return;
        }
    }
    if float && invalid.count > 0 {
        report.add(ACCESSOR_INVALID_FLOAT, || invalid.message("is no finite number"));
    }
    let bounds = [
        ("min", &accessor.min, &low, ACCESSOR_MIN_MISMATCH, ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND),
        ("max", &accessor.max, &high, ACCESSOR_MAX_MISMATCH, ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND),
    ];
    for (key, declared, actual, mismatch, outside) in bounds {
        let Some(declared) = declared else { continue };
        let mark = report.enter(key);
        for (component, (declared, actual)) in declared.iter().zip(actual).enumerate() {
            if declared == actual {
                continue;
            }
            let mark = report.enter_index(component);
            report.add(mismatch, || format!("declared {declared}, found {actual}"));
            let below = if key == "min" { actual < declared } else { actual > declared };
            if below {
                report.add(outside, || format!("numbers up to {actual} lie outside {declared}"));
            }
            report.leave(mark);
        }
        report.leave(mark);
    }
}

/// The checks that the uses of accessors ask for.
fn check_uses(report: &mut Report, reader: &Reader<'_, '_>, checks: &[DataCheck]) {
    let mut found: BTreeMap<(usize, Check), Vec<(Code, String)>> = BTreeMap::new();
    let mut indices: BTreeMap<usize, Option<IndexFacts>> = BTreeMap::new();
    for check in checks {
        if let Check::Indices { vertices, triangles } = check.check {
            let facts = indices
                .entry(check.accessor)
                .or_insert_with(|| index_facts(reader, check.accessor));
            if let Some(facts) = facts {
                check_indices(report, &check.place, facts, vertices, triangles);
            }
            continue;
        }
        let found = match found.entry((check.accessor, check.check)) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place) => {
                place.insert(check_use(reader, check.accessor, check.check).unwrap_or_default())
            }
        };
        for (code, message) in found {
            report.add_elsewhere(&check.place, *code, || message.clone());
        }
    }
}

fn index_facts(reader: &Reader<'_, '_>, at: usize) -> Option<IndexFacts> {
    let (_, component, _) = reader.model.accessor(at)?.format()?;
    let restart = *component.range().end() as f64;
    let mut facts =
        IndexFacts { largest: (0, -1.0), restart: Tally::default(), degenerate: 0, count: 0 };
    let mut triangle = [0.0; 3];
    reader.numbers(at)?.enumerate().for_each(|(at, value)| {
        if value > facts.largest.1 {
            facts.largest = (at as u64, value);
        }
        if value == restart {
            facts.restart.add(at as u64, value);
        }
        triangle[at % 3] = value;
        if at % 3 == 2 {
            let [a, b, c] = triangle;
            facts.degenerate += u64::from(a == b || b == c || c == a);
        }
        facts.count += 1;
    });
    Some(facts)
}

fn check_indices(
    report: &mut Report,
    place: &str,
    facts: &IndexFacts,
    vertices: u64,
    triangles: bool,
) {
    let (at, largest) = facts.largest;
    if largest >= vertices as f64 {
        report.add_elsewhere(place, ACCESSOR_INDEX_OOB, || {
            format!("element {at} is {largest}, with {vertices} vertices")
        });
    }
    if facts.restart.count > 0 {
        report.add_elsewhere(place, ACCESSOR_INDEX_PRIMITIVE_RESTART, || {
            facts.restart.message("is the restart value")
        });
    }
    if triangles && facts.degenerate > 0 {
        report.add_elsewhere(place, ACCESSOR_INDEX_TRIANGLE_DEGENERATE, || {
            format!("{} of {} triangles have no area", facts.degenerate, facts.count / 3)
        });
    }
}

fn check_use(reader: &Reader<'_, '_>, at: usize, check: Check) -> Option<Vec<(Code, String)>> {
    let accessor = reader.model.accessor(at)?;
    let components = accessor.element?.components();
    let value_of = normalizer(accessor);
    let numbers = reader.numbers(at)?;
    let (mut element, mut component) = (0u64, 0);
    let elements = numbers.map(move |value| {
        let out = (element, component, value_of(value));
        component += 1;
        if component == components {
            (element, component) = (element + 1, 0);
        }
        out
    });
    let (mut first, mut second) = (Tally::default(), Tally::default());
    let mut sum = 0.0;
    let mut last = f64::NEG_INFINITY;
    let rows = |first: Tally, first_code, first_what, second: Tally, second_code, second_what| {
        let mut out = Vec::new();
        if first.count > 0 {
            out.push((first_code, first.message(first_what)));
        }
        if second.count > 0 {
            out.push((second_code, second.message(second_what)));
        }
        out
    };
    Some(match check {
        Check::UnitVectors | Check::Tangents => {
            elements.for_each(|(element, component, value)| {
                if component == 3 {
                    if value.abs() != 1.0 {
                        second.add(element, value);
                    }
                    return;
                }
                sum += value * value;
                if component == 2 {
                    if (sum.sqrt() - 1.0).abs() > UNIT_VEC3_TOLERANCE {
                        first.add(element, sum.sqrt());
                    }
                    sum = 0.0;
                }
            });
            rows(
                first,
                ACCESSOR_VECTOR3_NON_UNIT,
                "is not of length 1",
                second,
                ACCESSOR_INVALID_SIGN,
                "has a sign that is neither 1 nor -1",
            )
        }
        Check::Clamped => {
            elements.for_each(|(element, _, value)| {
                if !(0.0..=1.0).contains(&value) && !value.is_nan() {
                    first.add(element, value);
                }
            });
            rows(first, ACCESSOR_NON_CLAMPED, "is not in 0 to 1", second, ACCESSOR_NON_CLAMPED, "")
        }
        Check::InverseBindMatrices => {
            elements.for_each(|(element, component, value)| {
                let expected = if component == 15 { 1.0 } else { 0.0 };
                if component % 4 == 3 && value != expected {
                    first.add(element, value);
                }
            });
            rows(
                first,
                ACCESSOR_INVALID_IBM,
                "has a last row other than 0, 0, 0, 1",
                second,
                ACCESSOR_INVALID_IBM,
                "",
            )
        }
        Check::Times => {
            elements.for_each(|(element, _, value)| {
                if value < 0.0 {
                    first.add(element, value);
                } else {
                    if element != 0 && value <= last {
                        second.add(element, value);
                    }
                    last = value;
                }
            });
            rows(
                first,
                ACCESSOR_ANIMATION_INPUT_NEGATIVE,
                "is a time before 0",
                second,
                ACCESSOR_ANIMATION_INPUT_NON_INCREASING,
                "is not after the time before it",
            )
        }
        Check::Rotations { cubic } => {
            elements.for_each(|(element, component, value)| {
                // In tangent, value, out tangent.
                if cubic && element % 3 != 1 {
                    return;
                }
                sum += value * value;
                if component == 3 {
                    if (sum.sqrt() - 1.0).abs() > UNIT_VEC4_TOLERANCE {
                        first.add(element, sum.sqrt());
                    }
                    sum = 0.0;
                }
            });
            let code = ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION;
            rows(first, code, "is not of length 1", second, code, "")
        }
        Check::Indices { .. } => Vec::new(),
    })
}

/// Joints and weights, which only together mean something.
fn check_influences(
    walker: &mut Walker<'_>,
    reader: &Reader<'_, '_>,
    meshes: &[Option<MeshFacts<'_>>],
    skins: &[SkinFacts],
) {
    // Of the skins that a mesh is used with, the one with the fewest joints.
    let mut limits: Vec<Option<(usize, usize)>> = vec![None; meshes.len()];
    for (_, node) in walker.doc.each(Target::Nodes) {
        let (Some(mesh), Some(skin)) = (index(node, "mesh"), index(node, "skin")) else { continue };
        let (Some(limit), Some(facts)) = (limits.get_mut(mesh), skins.get(skin)) else { continue };
        if facts.joints > 0 && limit.is_none_or(|(joints, _)| facts.joints < joints) {
            *limit = Some((facts.joints, skin));
        }
    }
    let mut known = BTreeMap::new();
    let report = &mut walker.report;
    let list = report.enter("meshes");
    for (at, (mesh, limit)) in meshes.iter().zip(limits).enumerate() {
        let (Some(mesh), Some((joints, skin))) = (mesh, limit) else { continue };
        let mark = report.enter_index(at);
        let primitives = report.enter("primitives");
        for (at, primitive) in mesh.primitives.iter().enumerate() {
            let Some(sets) = influence_sets(reader.model, primitive) else { continue };
            let key = (sets, joints);
            let found = match known.entry(key) {
                Entry::Occupied(found) => found.into_mut(),
                Entry::Vacant(place) => {
                    let (sets, joints) = place.key();
                    let found = read_influences(reader, sets, *joints, skin);
                    place.insert(found.unwrap_or_default())
                }
            };
            let primitive = report.enter_index(at);
            let attributes = report.enter("attributes");
            for (semantic, code, message) in found.iter() {
                report.add_at(semantic, *code, || message.clone());
            }
            report.leave(attributes);
            report.leave(primitive);
        }
        report.leave(primitives);
        report.leave(mark);
    }
    report.leave(list);
}

/// The accessors of joints and weights, set by set; `None` when one is missing or of another count.
fn influence_sets(model: &Model, primitive: &PrimitiveFacts<'_>) -> Option<Vec<(usize, usize)>> {
    let vertices = primitive.vertices?;
    let sets: Option<Vec<_>> = (0..primitive.joint_sets)
        .map(|set| {
            let accessor = |semantic: &str| {
                let at = primitive.attribute(&format!("{semantic}_{set}"))?;
                let accessor = model.accessor(at)?;
                (accessor.count == Some(vertices)
                    && accessor.element?.components() == 4
                    && accessor.component.is_some())
                .then_some(at)
            };
            Some((accessor("JOINTS")?, accessor("WEIGHTS")?))
        })
        .collect();
    sets.filter(|sets| !sets.is_empty())
}

/// Findings on the influences of one primitive: attribute, code, message.
type InfluenceFindings = Vec<(String, Code, String)>;

fn read_influences(
    reader: &Reader<'_, '_>,
    sets: &[(usize, usize)],
    joint_count: usize,
    skin: usize,
) -> Option<InfluenceFindings> {
    if sets.len() > INFLUENCE_SETS {
        reader.truncated.set(true);
        return None;
    }
    let mut columns = Vec::with_capacity(sets.len());
    for (joints, weights) in sets {
        let weight_of = normalizer(reader.model.accessor(*weights)?);
        columns.push((reader.numbers(*joints)?, reader.numbers(*weights)?.map(weight_of)));
    }
    let mut tallies: BTreeMap<(usize, Code), Tally> = BTreeMap::new();
    let mut tally = |set: usize, code: Code, at: u64, value: f64| {
        tallies.entry((set, code)).or_default().add(at, value);
    };
    let mut used: Vec<u64> = Vec::with_capacity(sets.len() * 4);
    let (mut sum, mut tolerance) = (0.0f32, 0.0);
    let mut at: u64 = 0;
    'vertices: loop {
        let vertex = at / 4;
        for (set, (joints, weights)) in columns.iter_mut().enumerate() {
            let (Some(joint), Some(weight)) = (joints.next(), weights.next()) else {
                break 'vertices;
            };
            if joint >= joint_count as f64 {
                tally(set, ACCESSOR_JOINTS_INDEX_OOB, vertex, joint);
                continue;
            }
            if weight == 0.0 {
                if joint != 0.0 {
                    tally(set, ACCESSOR_JOINTS_USED_ZERO_WEIGHT, vertex, joint);
                }
                continue;
            }
            let again = used.contains(&(joint as u64));
            if again {
                tally(set, ACCESSOR_JOINTS_INDEX_DUPLICATE, vertex, joint);
            } else {
                used.push(joint as u64);
            }
            if weight < 0.0 {
                tally(set, ACCESSOR_WEIGHTS_NEGATIVE, vertex, weight);
            } else if !again {
                // The sum that a reader of single precision gets.
                sum = (f64::from(sum) + weight) as f32;
                tolerance += WEIGHT_TOLERANCE;
            }
        }
        at += 1;
        if at.is_multiple_of(4) {
            if (f64::from(sum) - 1.0).abs() > tolerance {
                for set in 0..sets.len() {
                    tally(set, ACCESSOR_WEIGHTS_NON_NORMALIZED, vertex, sum.into());
                }
            }
            used.clear();
            (sum, tolerance) = (0.0, 0.0);
        }
    }
    let describe = |((set, code), tally): ((usize, Code), Tally)| {
        let (semantic, what) = match code {
            ACCESSOR_JOINTS_INDEX_OOB => {
                ("JOINTS", format!("names a joint that skin {skin} of {joint_count} joints lacks"))
            }
            ACCESSOR_JOINTS_USED_ZERO_WEIGHT => ("JOINTS", "names a joint without weight".into()),
            ACCESSOR_JOINTS_INDEX_DUPLICATE => ("JOINTS", "names a joint twice".into()),
            ACCESSOR_WEIGHTS_NEGATIVE => ("WEIGHTS", "has a negative weight".into()),
            _ => ("WEIGHTS", "has weights whose sum is not 1".into()),
        };
        (format!("{semantic}_{set}"), code, tally.message(&what))
    };
    Some(tallies.into_iter().map(describe).collect())
}
