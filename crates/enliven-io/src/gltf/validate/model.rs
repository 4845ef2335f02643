//! Buffer views and accessors as numbers, and what they are used for.
//!
//! Reads silently: the tables report what is wrong with a property, here it is then absent.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use serde_json::Value;

use super::{
    codes::*,
    doc::Doc,
    report::Report,
    schema::{Json, Range, Target, index, integer, uint},
    walk::Walker,
};

/// The type of one component of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComponentType {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl ComponentType {
    pub(super) fn read(map: &Json, key: &str) -> Option<Self> {
        Some(match uint(map, key, 0)? {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// Bytes.
    pub(super) fn size(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The integers that fit; all for floats.
    pub(super) fn range(self) -> RangeInclusive<i128> {
        match self {
            Self::I8 => -0x80..=0x7F,
            Self::U8 => 0..=0xFF,
            Self::I16 => -0x8000..=0x7FFF,
            Self::U16 => 0..=0xFFFF,
            Self::U32 => 0..=0xFFFF_FFFF,
            Self::F32 => i128::MIN..=i128::MAX,
        }
    }
}

/// The shape of one element of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementType {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

impl ElementType {
    pub(super) fn read(map: &Json) -> Option<Self> {
        Some(match map.get("type")?.as_str()? {
            "SCALAR" => Self::Scalar,
            "VEC2" => Self::Vec2,
            "VEC3" => Self::Vec3,
            "VEC4" => Self::Vec4,
            "MAT2" => Self::Mat2,
            "MAT3" => Self::Mat3,
            "MAT4" => Self::Mat4,
            _ => return None,
        })
    }

    /// Columns and rows.
    fn shape(self) -> (u64, u64) {
        match self {
            Self::Scalar => (1, 1),
            Self::Vec2 => (1, 2),
            Self::Vec3 => (1, 3),
            Self::Vec4 => (1, 4),
            Self::Mat2 => (2, 2),
            Self::Mat3 => (3, 3),
            Self::Mat4 => (4, 4),
        }
    }

    pub(super) fn components(self) -> usize {
        let (columns, rows) = self.shape();
        (columns * rows) as usize
    }

    pub(super) fn is_matrix(self) -> bool {
        self.shape().0 > 1
    }
}

/// Type, components and normalisation together: what the rules call a format.
pub(super) type Format = (ElementType, ComponentType, bool);

/// A buffer view.
pub(super) struct View {
    pub(super) buffer: Option<usize>,
    pub(super) offset: Option<u64>,
    pub(super) length: Option<u64>,
    pub(super) stride: Option<u64>,
    target: Option<u64>,
    used_for: Option<ViewUse>,
    /// Vertex accessors that use the view without a stride.
    packed: BTreeSet<usize>,
}

/// What a buffer view is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ViewUse {
    InverseBindMatrices,
    Image,
    Indices,
    Vertices,
    Other,
}

/// An accessor.
pub(super) struct Accessor {
    /// The index of an existing view.
    pub(super) view: Option<usize>,
    pub(super) offset: Option<u64>,
    pub(super) component: Option<ComponentType>,
    pub(super) element: Option<ElementType>,
    pub(super) count: Option<u64>,
    normalized: bool,
    pub(super) min: Option<Bound>,
    pub(super) max: Option<Bound>,
    pub(super) sparse: Option<Sparse>,
    used_for: Option<AccessorUse>,
}

/// The sparse part of an accessor.
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparsePart,
    pub(super) values: SparsePart,
}

/// Indices or values of a sparse part.
pub(super) struct SparsePart {
    pub(super) view: Option<usize>,
    pub(super) offset: Option<u64>,
    pub(super) component: Option<ComponentType>,
}

/// What an accessor is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessorUse {
    AnimationInput,
    AnimationOutput,
    InverseBindMatrices,
    Indices,
    VertexAttribute,
}

/// Smallest or largest value a component, as declared.
pub(super) type Bound = Vec<f64>;

impl Accessor {
    /// What the accessor holds; `None` when a part of it is unknown.
    pub(super) fn format(&self) -> Option<Format> {
        Some((self.element?, self.component?, self.normalized))
    }

    /// Bytes of one element: columns of matrices begin at multiples of four.
    pub(super) fn element_length(&self) -> Option<u64> {
        let (columns, rows) = self.element?.shape();
        let column = rows * self.component?.size();
        Some(if columns == 1 {
            column
        } else {
            column.next_multiple_of(4) * (columns - 1) + column
        })
    }

    /// Bytes from one element to the next where no stride is given.
    pub(super) fn packed_stride(&self) -> Option<u64> {
        let (columns, rows) = self.element?.shape();
        let column = rows * self.component?.size();
        Some(if columns == 1 { column } else { column.next_multiple_of(4) * columns })
    }

    /// Whether both bounds are declared, and well formed.
    pub(super) fn has_bounds(&self) -> bool {
        self.min.is_some() && self.max.is_some()
    }
}

/// All buffer views and accessors; `None` for an element that is no object.
pub(super) struct Model {
    pub(super) views: Vec<Option<View>>,
    pub(super) accessors: Vec<Option<Accessor>>,
}

impl Model {
    pub(super) fn new(doc: &Doc<'_>) -> Self {
        let views =
            doc.list(Target::BufferViews).iter().map(|value| Some(view(value.as_object()?)));
        let accessors = doc.list(Target::Accessors).iter();
        Self {
            views: views.collect(),
            accessors: accessors.map(|value| Some(accessor(doc, value.as_object()?))).collect(),
        }
    }

    pub(super) fn view(&self, index: Option<usize>) -> Option<&View> {
        self.views.get(index?)?.as_ref()
    }

    pub(super) fn accessor(&self, index: usize) -> Option<&Accessor> {
        self.accessors.get(index)?.as_ref()
    }

    /// The view of an accessor.
    pub(super) fn view_of(&self, accessor: usize) -> Option<&View> {
        self.view(self.accessor(accessor)?.view)
    }

    /// Notes a use of a view; `key` is where the report's place leads to it.
    pub(super) fn use_view(&mut self, report: &mut Report, view: usize, use_: ViewUse, key: &str) {
        let Some(Some(view)) = self.views.get_mut(view) else { return };
        let from_target = match view.target {
            Some(34962) => Some(ViewUse::Vertices),
            Some(34963) => Some(ViewUse::Indices),
            _ => None,
        };
        match view.used_for.or(from_target) {
            None => {
                if matches!(use_, ViewUse::Indices | ViewUse::Vertices) {
                    report.add_at(key, BUFFER_VIEW_TARGET_MISSING, || {
                        "the view of vertices or indices should say so in 'target'".into()
                    });
                }
                view.used_for = Some(use_);
            }
            Some(first) => {
                view.used_for = Some(first);
                if first != use_ {
                    report.add_at(key, BUFFER_VIEW_TARGET_OVERRIDE, || {
                        format!("the view is for {first:?}, not for {use_:?}")
                    });
                }
            }
        }
    }

    /// Notes a use of an accessor, and of its view.
    pub(super) fn use_accessor(
        &mut self,
        report: &mut Report,
        accessor: usize,
        use_: AccessorUse,
        key: &str,
    ) {
        let Some(Some(accessor)) = self.accessors.get_mut(accessor) else { return };
        match accessor.used_for {
            None => accessor.used_for = Some(use_),
            Some(first) if first != use_ => report.add_at(key, ACCESSOR_USAGE_OVERRIDE, || {
                format!("the accessor is for {first:?}, not for {use_:?}")
            }),
            Some(_) => {}
        }
        let view_use = match use_ {
            AccessorUse::AnimationInput | AccessorUse::AnimationOutput => ViewUse::Other,
            AccessorUse::InverseBindMatrices => ViewUse::InverseBindMatrices,
            AccessorUse::Indices => ViewUse::Indices,
            AccessorUse::VertexAttribute => ViewUse::Vertices,
        };
        if let Some(view) = accessor.view {
            self.use_view(report, view, view_use, key);
        }
    }

    /// Notes a vertex accessor on a view without a stride; `false` when another is there already.
    pub(super) fn is_alone_on_packed_view(&mut self, accessor: usize) -> bool {
        let view = self.accessor(accessor).and_then(|accessor| accessor.view);
        let Some(view) = view.and_then(|view| self.views.get_mut(view)?.as_mut()) else {
            return true;
        };
        view.stride.is_some() || !view.packed.insert(accessor) || view.packed.len() == 1
    }
}

fn offset(map: &Json) -> Option<u64> {
    if map.contains_key("byteOffset") { uint(map, "byteOffset", 0) } else { Some(0) }
}

fn existing(doc: &Doc<'_>, map: &Json, key: &str, target: Target) -> Option<usize> {
    index(map, key).filter(|index| doc.get(target, *index).is_some())
}

fn view(map: &Json) -> View {
    View {
        buffer: index(map, "buffer"),
        offset: offset(map),
        length: uint(map, "byteLength", 1),
        stride: uint(map, "byteStride", 4).filter(|stride| *stride <= 252),
        target: uint(map, "target", 0),
        used_for: None,
        packed: BTreeSet::new(),
    }
}

fn accessor(doc: &Doc<'_>, map: &Json) -> Accessor {
    let component = ComponentType::read(map, "componentType");
    let element = ElementType::read(map);
    let names_view = index(map, "bufferView").is_some();
    let bound = |key| bound(map.get(key)?, component?, element?);
    Accessor {
        view: existing(doc, map, "bufferView", Target::BufferViews),
        offset: if names_view { offset(map) } else { Some(0) },
        component,
        element,
        count: uint(map, "count", 1),
        normalized: map.get("normalized") == Some(&Value::Bool(true)),
        min: bound("min"),
        max: bound("max"),
        sparse: map.get("sparse").and_then(|value| sparse(doc, value.as_object()?)),
        used_for: None,
    }
}

/// A declared bound as the component type holds it.
fn bound(value: &Value, component: ComponentType, element: ElementType) -> Option<Bound> {
    let list = value.as_array().filter(|list| list.len() == element.components())?;
    list.iter()
        .map(|value| match component {
            // Files may spell a float with more digits than it has.
            ComponentType::F32 => value
                .as_f64()
                .filter(|number| Range::ANY.holds(*number))
                .map(|number| f64::from(number as f32)),
            _ => integer(value)
                .filter(|number| component.range().contains(number))
                .map(|number| number as f64),
        })
        .collect()
}

fn sparse(doc: &Doc<'_>, map: &Json) -> Option<Sparse> {
    let part = |key| {
        let map = map.get(key)?.as_object()?;
        Some(SparsePart {
            view: existing(doc, map, "bufferView", Target::BufferViews),
            offset: offset(map),
            component: ComponentType::read(map, "componentType").filter(|component| {
                matches!(component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32)
            }),
        })
    };
    Some(Sparse {
        count: uint(map, "count", 1)?,
        indices: part("indices")?,
        values: part("values")?,
    })
}

/// Views against buffers.
pub(super) fn check_views(walker: &mut Walker<'_>, model: &Model) {
    let views = walker.report.enter("bufferViews");
    // A buffer's length, read once.
    let mut lengths: BTreeMap<usize, Option<u64>> = BTreeMap::new();
    for (index, view) in model.views.iter().enumerate() {
        let Some(view) = view else { continue };
        let Some(buffer) = view.buffer else { continue };
        let doc = &walker.doc;
        let declared = lengths.entry(buffer).or_insert_with(|| {
            doc.get(Target::Buffers, buffer).and_then(|map| uint(map, "byteLength", 1))
        });
        let (Some(declared), Some(offset)) = (*declared, view.offset) else { continue };
        let end = view.length.map(|length| u128::from(offset) + u128::from(length));
        let key = if offset >= declared {
            "byteOffset"
        } else if end.is_some_and(|end| end > declared.into()) {
            "byteLength"
        } else {
            continue;
        };
        let mark = walker.report.enter_index(index);
        walker.report.add_at(key, BUFFER_VIEW_TOO_LONG, || {
            format!("the view ends after buffer {buffer}, which has {declared} bytes")
        });
        walker.report.leave(mark);
    }
    walker.report.leave(views);
}

/// Accessors against views.
pub(super) fn check_accessors(walker: &mut Walker<'_>, model: &mut Model) {
    let list = walker.report.enter("accessors");
    for index in 0..model.accessors.len() {
        let mark = walker.report.enter_index(index);
        check_accessor(walker, model, index);
        walker.report.leave(mark);
    }
    walker.report.leave(list);
}

fn check_accessor(walker: &mut Walker<'_>, model: &mut Model, index: usize) {
    let report = &mut walker.report;
    let Some(accessor) = model.accessor(index) else { return };
    let (Some(component), Some(count)) = (accessor.component, accessor.count) else { return };
    let Some(length) = accessor.element_length() else { return };
    let packed = accessor.packed_stride().unwrap_or(length);
    if let Some(view) = model.view(accessor.view) {
        if let Some(stride) = view.stride
            && stride < length
        {
            report.add(ACCESSOR_SMALL_BYTESTRIDE, || {
                format!("a stride of {stride} for elements of {length} bytes")
            });
        }
        let stride = u128::from(view.stride.unwrap_or(packed));
        let total = stride * u128::from(count - 1) + u128::from(length);
        fits(report, accessor.offset, component, total, view);
    }
    let Some(sparse) = &accessor.sparse else { return };
    let mark = report.enter("sparse");
    if sparse.count > count {
        report.add_at("count", ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE, || {
            format!("{} elements replaced of {count}", sparse.count)
        });
    }
    let element = accessor.element.map_or(0, |element| element.components() as u128);
    let values = u128::from(component.size()) * element;
    let parts = [
        ("indices", &sparse.indices, sparse.indices.component, None),
        ("values", &sparse.values, Some(component), Some(values)),
    ];
    let mut used = Vec::new();
    for (key, part, component, bytes) in parts {
        let (Some(index), Some(view)) = (part.view, model.view(part.view)) else { continue };
        let mark = report.enter(key);
        used.push((key, index));
        if view.stride.is_some() {
            report.add_at("bufferView", BUFFER_VIEW_INVALID_BYTE_STRIDE, || {
                "only views of vertices have a stride".into()
            });
        }
        if let Some(component) = component {
            let bytes = bytes.unwrap_or_else(|| component.size().into());
            fits(report, part.offset, component, bytes * u128::from(sparse.count), view);
        }
        report.leave(mark);
    }
    for (key, view) in used {
        let mark = report.enter(key);
        model.use_view(report, view, ViewUse::Other, "bufferView");
        report.leave(mark);
    }
    report.leave(mark);
}

/// Alignment of an offset, and `length` bytes from there inside the view.
fn fits(
    report: &mut Report,
    offset: Option<u64>,
    component: ComponentType,
    length: u128,
    view: &View,
) {
    let Some(offset) = offset else { return };
    let size = component.size();
    if offset % size != 0 {
        report.add_at("byteOffset", ACCESSOR_OFFSET_ALIGNMENT, || {
            format!("{offset} is no multiple of the component's {size} bytes")
        });
    }
    let Some(view_offset) = view.offset else { return };
    let total = u128::from(view_offset) + u128::from(offset);
    if total % u128::from(size) != 0 {
        report.add(ACCESSOR_TOTAL_OFFSET_ALIGNMENT, || {
            format!("offset {total} in the buffer is no multiple of the component's {size} bytes")
        });
    }
    let Some(available) = view.length else { return };
    let end = u128::from(offset) + length;
    let message = || format!("bytes {offset} to {end} of a view of {available} bytes");
    if offset > available {
        report.add_at("byteOffset", ACCESSOR_TOO_LONG, message);
    } else if end > available.into() {
        report.add(ACCESSOR_TOO_LONG, message);
    }
}
