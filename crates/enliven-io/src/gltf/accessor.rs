//! All arithmetic on offsets: buffer views and accessors → lists of numbers.
//!
//! Nothing else in the crate computes where in a buffer something lies. Sums are checked, and
//! memory is reserved only after the data (or the limits) were seen to allow it.

use std::cell::{Cell, RefCell};

use super::packed::Unpacked;
use super::schema::{Accessor, BufferView, Document, Kind, Uint};
use crate::{Bytes, Diagnostic, LimitKind, Limits, Severity, findings::Findings};

/// A JSON pointer that is spelt out only when something is wrong there.
#[derive(Clone, Copy)]
struct Element {
    list: &'static str,
    index: Uint,
    /// What follows.
    rest: &'static str,
}

impl Element {
    fn accessor(index: Uint) -> Self {
        Self { list: "accessors", index, rest: "" }
    }

    fn view(index: Uint) -> Self {
        Self { list: "bufferViews", index, rest: "" }
    }

    fn at(self, rest: &'static str) -> Self {
        Self { rest, ..self }
    }
}

impl From<Element> for String {
    fn from(Element { list, index, rest }: Element) -> Self {
        format!("/{list}/{}{rest}", index.0)
    }
}

/// Why a part of the data could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub code: &'static str,
    /// JSON pointer of what is at fault.
    pub pointer: String,
    pub message: String,
}

impl Fault {
    pub(crate) fn new(
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { code, pointer: pointer.into(), message: message.into() }
    }
}

/// `componentType` of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_gl(value: u64) -> Option<Self> {
        Some(match value {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// How an accessor's elements are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub kind: Kind,
    pub component: Component,
    pub normalized: bool,
    /// Elements.
    pub count: usize,
}

/// Elements at equal distances: element `i` starts at `i * stride` and the last one ends inside.
#[derive(Clone, Copy)]
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
}

/// Elements that replace others.
struct Overrides<'a> {
    /// Rising, each below the accessor's count.
    indices: Vec<usize>,
    values: Elements<'a>,
}

/// An accessor whose extents were checked against the data.
struct Checked<'a> {
    format: Format,
    base: Option<Elements<'a>>,
    sparse: Option<Overrides<'a>>,
}

/// Reads the numbers of a document within limits.
pub(crate) struct Data<'a> {
    document: &'a Document,
    buffers: &'a [Option<Bytes>],
    /// Views that were unpacked, by their index; empty where there are none.
    views: &'a [Option<Unpacked>],
    limits: &'a Limits,
    numbers: Cell<u64>,
    zeros: Cell<u64>,
    /// What was repaired on the way.
    pub found: RefCell<Findings>,
}

impl<'a> Data<'a> {
    pub(crate) fn new(
        document: &'a Document,
        buffers: &'a [Option<Bytes>],
        views: &'a [Option<Unpacked>],
        limits: &'a Limits,
    ) -> Self {
        Self {
            document,
            buffers,
            views,
            limits,
            numbers: Cell::new(0),
            zeros: Cell::new(0),
            found: RefCell::new(Findings::new(limits.diagnostics)),
        }
    }

    /// Charges `numbers` more that are made out of what was read, so that copies count too.
    pub(crate) fn spend(&self, numbers: usize, pointer: &str) -> Result<(), Fault> {
        let limit = self.limits.numbers;
        charge(&self.numbers, numbers as u64, LimitKind::Numbers, limit, pointer)
    }

    /// The bytes of a buffer view, sharing the buffer's memory.
    pub(crate) fn view_bytes(&self, index: Uint) -> Result<Bytes, Fault> {
        if let Some(Some(unpacked)) = self.views.get(index.index()) {
            return unpacked.clone();
        }
        let (buffer, range, _) = self.view_range(index)?;
        let whole = self.buffers[buffer].as_ref();
        whole.and_then(|bytes| bytes.slice(range)).ok_or_else(|| too_long(Element::view(index)))
    }

    fn view(&self, index: Uint) -> Result<(&'a [u8], Option<usize>), Fault> {
        if let Some(Some(unpacked)) = self.views.get(index.index()) {
            let view = self.document.buffer_views.get(index.index());
            let bytes = unpacked.as_ref().map_err(Clone::clone)?;
            return Ok((bytes, view.and_then(stride)));
        }
        let (buffer, range, stride) = self.view_range(index)?;
        let whole: Option<&'a [u8]> = self.buffers[buffer].as_deref();
        match whole.and_then(|bytes| bytes.get(range)) {
            Some(bytes) => Ok((bytes, stride)),
            None => Err(too_long(Element::view(index))),
        }
    }

    /// The buffer that view `index` lies in, which is there, and its range, which fits.
    fn view_range(
        &self,
        index: Uint,
    ) -> Result<(usize, std::ops::Range<usize>, Option<usize>), Fault> {
        let pointer = Element::view(index);
        let Some(view) = self.document.buffer_views.get(index.index()) else {
            return Err(Fault::new(
                "UNRESOLVED_REFERENCE",
                pointer,
                "there is no such buffer view",
            ));
        };
        let Some(buffer) = view.buffer else {
            return Err(Fault::new("UNDEFINED_PROPERTY", pointer, "the view names no buffer"));
        };
        let Some(bytes) = self.buffers.get(buffer.index()) else {
            let message = format!("there is no buffer {}", buffer.0);
            return Err(Fault::new("UNRESOLVED_REFERENCE", pointer.at("/buffer"), message));
        };
        let Some(bytes) = bytes else {
            let message = format!("buffer {} has no data", buffer.0);
            return Err(Fault::new("BUFFER_NO_DATA", pointer, message));
        };
        let Some(length) = view.byte_length else {
            return Err(Fault::new("UNDEFINED_PROPERTY", pointer, "the view has no byteLength"));
        };
        let declared = self.document.buffers.get(buffer.index()).and_then(|b| b.byte_length);
        match part(bytes, declared, view.byte_offset, length) {
            Some(range) => Ok((buffer.index(), range, stride(view))),
            None => Err(too_long(pointer)),
        }
    }

    /// Whether accessor `index` has data of its own.
    pub(crate) fn has_view(&self, index: Uint) -> bool {
        let accessor = self.document.accessors.get(index.index());
        accessor.is_some_and(|accessor| accessor.buffer_view.is_some())
    }

    /// How accessor `index` is written; its data are not looked at.
    pub(crate) fn format(&self, index: Uint) -> Result<Format, Fault> {
        self.described(index).map(|(_, format)| format)
    }

    fn described(&self, index: Uint) -> Result<(&'a Accessor, Format), Fault> {
        let pointer = Element::accessor(index);
        let Some(accessor) = self.document.accessors.get(index.index()) else {
            return Err(Fault::new("UNRESOLVED_REFERENCE", pointer, "there is no such accessor"));
        };
        let (Some(component), Some(kind), Some(count)) =
            (accessor.component_type, accessor.kind, accessor.count)
        else {
            let message = "an accessor needs componentType, type and count";
            return Err(Fault::new("UNDEFINED_PROPERTY", pointer, message));
        };
        let Some(component) = Component::from_gl(component.0) else {
            let message = format!("unknown component type {}", component.0);
            return Err(Fault::new("VALUE_NOT_IN_LIST", pointer.at("/componentType"), message));
        };
        let normalized =
            accessor.normalized && !matches!(component, Component::U32 | Component::F32);
        let Ok(count) = usize::try_from(count.0) else {
            return Err(Fault::new("ACCESSOR_TOO_LONG", pointer, "more elements than memory"));
        };
        Ok((accessor, Format { kind, component, normalized, count }))
    }

    /// Checks accessor `index` against the data and the limits and charges for it.
    fn check(&self, index: Uint) -> Result<Checked<'a>, Fault> {
        let (accessor, format) = self.described(index)?;
        let pointer = Element::accessor(index);
        let size = format.kind.components() * format.component.bytes();
        let numbers = (format.count as u64).saturating_mul(format.kind.components() as u64);

        let base = match accessor.buffer_view {
            Some(view) => {
                let (bytes, stride) = self.view(view)?;
                let stride = stride.unwrap_or(size);
                if stride < size {
                    let message = format!("the view's stride of {stride} is below {size} bytes");
                    return Err(Fault::new("ACCESSOR_SMALL_BYTESTRIDE", pointer, message));
                }
                let elements =
                    elements(bytes, accessor.byte_offset, stride, format.count, size, pointer)?;
                Some(elements)
            }
            None => {
                charge(&self.zeros, numbers, LimitKind::Zeros, self.limits.zeros, pointer)?;
                None
            }
        };
        charge(&self.numbers, numbers, LimitKind::Numbers, self.limits.numbers, pointer)?;

        let sparse = match &accessor.sparse {
            None => None,
            Some(sparse) => {
                let pointer = pointer.at("/sparse");
                let count = sparse.count.map_or(0, Uint::index);
                if count > format.count {
                    let message = format!("{count} elements replaced of {}", format.count);
                    let code = "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE";
                    return Err(Fault::new(code, pointer.at("/sparse/count"), message));
                }
                let (Some(indices), Some(values)) =
                    (sparse.indices.buffer_view, sparse.values.buffer_view)
                else {
                    let message = "sparse data without a buffer view";
                    return Err(Fault::new("UNDEFINED_PROPERTY", pointer, message));
                };
                let kind = sparse.indices.component_type.and_then(|c| Component::from_gl(c.0));
                let Some(kind @ (Component::U8 | Component::U16 | Component::U32)) = kind else {
                    let message = "indices must be unsigned integers";
                    let pointer = pointer.at("/sparse/indices/componentType");
                    return Err(Fault::new("VALUE_NOT_IN_LIST", pointer, message));
                };
                let (bytes, _) = self.view(indices)?;
                let offset = sparse.indices.byte_offset;
                let wide = kind.bytes();
                let found =
                    elements(bytes, offset, wide, count, wide, pointer.at("/sparse/indices"))?;
                let mut indices = Vec::with_capacity(count);
                match kind {
                    Component::U8 => each(found, count, |e| indices.push(u8::read(e) as usize)),
                    Component::U16 => each(found, count, |e| indices.push(u16::read(e) as usize)),
                    _ => each(found, count, |e| indices.push(u32::read(e) as usize)),
                }
                if !indices.is_sorted_by(|a, b| a < b) {
                    let code = "ACCESSOR_SPARSE_INDICES_NON_INCREASING";
                    let message = "indices that do not rise; the last of two stays";
                    let found =
                        Diagnostic::new(Severity::Error, code, pointer.at("/sparse"), message);
                    self.found.borrow_mut().push(found);
                }
                if let Some(i) = indices.iter().position(|index| *index >= format.count) {
                    let (code, last) = ("ACCESSOR_SPARSE_INDEX_OOB", format.count);
                    let message = format!("index {} of {last} elements", indices[i]);
                    return Err(Fault::new(code, pointer.at("/sparse"), message));
                }
                let (bytes, _) = self.view(values)?;
                let offset = sparse.values.byte_offset;
                let values =
                    elements(bytes, offset, size, count, size, pointer.at("/sparse/values"))?;
                Some(Overrides { indices, values })
            }
        };
        Ok(Checked { format, base, sparse })
    }

    /// The elements of accessor `index` as `N` floats each; integers are normalised where the
    /// accessor says so. Never NaN or infinite: such numbers are taken as 0, with a diagnostic.
    ///
    /// A fault when the elements do not have `N` components.
    pub(crate) fn floats<const N: usize>(&self, index: Uint) -> Result<Vec<[f32; N]>, Fault> {
        let (_, format) = self.described(index)?;
        if format.kind.components() != N || matches!(format.kind, Kind::Mat2 | Kind::Mat3) {
            let message = format!("{:?} elements where {N} numbers are needed", format.kind);
            let pointer = Element::accessor(index);
            return Err(Fault::new("ACCESSOR_INVALID_FORMAT", pointer, message));
        }
        let checked = self.check(index)?;
        Ok(match (checked.format.component, checked.format.normalized) {
            (Component::F32, _) => {
                let mut values = collect(&checked, |value: f32| value);
                self.make_finite(values.as_flattened_mut(), index);
                values
            }
            (Component::I8, true) => collect(&checked, |v: i8| (f32::from(v) / 127.0).max(-1.0)),
            (Component::U8, true) => collect(&checked, |v: u8| f32::from(v) / 255.0),
            (Component::I16, true) => {
                collect(&checked, |v: i16| (f32::from(v) / 32767.0).max(-1.0))
            }
            (Component::U16, true) => collect(&checked, |v: u16| f32::from(v) / 65535.0),
            (Component::I8, false) => collect(&checked, |v: i8| f32::from(v)),
            (Component::U8, false) => collect(&checked, |v: u8| f32::from(v)),
            (Component::I16, false) => collect(&checked, |v: i16| f32::from(v)),
            (Component::U16, false) => collect(&checked, |v: u16| f32::from(v)),
            (Component::U32, _) => collect(&checked, |v: u32| v as f32),
        })
    }

    fn make_finite(&self, values: &mut [f32], index: Uint) {
        // x·0 is 0 for every finite x; the sum is a vector loop, unlike an early return.
        if values.iter().fold(0.0, |sum: f32, value| sum + value * 0.0) == 0.0 {
            return;
        }
        let mut count = 0;
        for value in values.iter_mut().filter(|value| !value.is_finite()) {
            *value = 0.0;
            count += 1;
        }
        self.found.borrow_mut().push(Diagnostic::new(
            Severity::Error,
            "ACCESSOR_INVALID_FLOAT",
            format!("/accessors/{}", index.0),
            format!("{count} numbers are NaN or infinite; taken as 0"),
        ));
    }

    /// The elements of accessor `index` as indices: scalars of unsigned integers.
    pub(crate) fn indices(&self, index: Uint) -> Result<Vec<u32>, Fault> {
        let checked = self.check(index)?;
        let values: Vec<[u32; 1]> = match (checked.format.kind, checked.format.component) {
            (Kind::Scalar, Component::U8) => collect(&checked, |v: u8| u32::from(v)),
            (Kind::Scalar, Component::U16) => collect(&checked, |v: u16| u32::from(v)),
            (Kind::Scalar, Component::U32) => collect(&checked, |v: u32| v),
            (kind, component) => {
                let message = format!("indices cannot be {kind:?} of {component:?}");
                let code = "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT";
                return Err(Fault::new(code, format!("/accessors/{}", index.0), message));
            }
        };
        Ok(values.into_iter().map(|[value]| value).collect())
    }

    /// The elements of accessor `index` as joints: four unsigned integers of 8 or 16 bits.
    pub(crate) fn joints(&self, index: Uint) -> Result<Vec<[u16; 4]>, Fault> {
        let checked = self.check(index)?;
        match (checked.format.kind, checked.format.component) {
            (Kind::Vec4, Component::U8) => Ok(collect(&checked, |v: u8| u16::from(v))),
            (Kind::Vec4, Component::U16) => Ok(collect(&checked, |v: u16| v)),
            (kind, component) => {
                let message = format!("joints cannot be {kind:?} of {component:?}");
                let code = "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT";
                Err(Fault::new(code, format!("/accessors/{}", index.0), message))
            }
        }
    }

    /// The numbers of accessor `index` as they are stored, not normalised, element by element and
    /// component by component. For checks: NaN and infinity stay.
    ///
    /// A fault for matrices whose columns are padded (bytes and shorts), which nothing uses.
    pub(crate) fn stored(&self, index: Uint) -> Result<Stored<'a>, Fault> {
        let (_, format) = self.described(index)?;
        let padded = format.kind == Kind::Mat2 && format.component.bytes() == 1
            || format.kind == Kind::Mat3 && format.component.bytes() < 4;
        if padded {
            let pointer = format!("/accessors/{}", index.0);
            return Err(Fault::new("ACCESSOR_INVALID_FORMAT", pointer, "padded matrices"));
        }
        let checked = self.check(index)?;
        let mut overrides = Vec::new();
        let mut values: &[u8] = &[];
        if let Some(sparse) = &checked.sparse {
            values = sparse.values.bytes;
            overrides = sparse.indices.iter().copied().zip(0..).collect();
            // Equal indices keep their order: the last of them stays.
            overrides.sort_by_key(|(index, _)| *index);
        }
        Ok(Stored {
            format: checked.format,
            base: checked.base,
            overrides,
            values,
            next_override: 0,
            element: 0,
            component: checked.format.kind.components(),
            current: None,
        })
    }
}

/// The numbers of an accessor, see [`Data::stored`].
pub(crate) struct Stored<'a> {
    format: Format,
    base: Option<Elements<'a>>,
    /// Element replaced and where in `values` its replacement stands; rising.
    overrides: Vec<(usize, usize)>,
    values: &'a [u8],
    next_override: usize,
    /// The element to begin with next.
    element: usize,
    /// The component to read next of the current element.
    component: usize,
    /// The current element; `None` for zeros.
    current: Option<&'a [u8]>,
}

impl Stored<'_> {
    /// Moves on to the next element; `None` after the last.
    fn advance(&mut self) -> Option<()> {
        if self.element == self.format.count {
            return None;
        }
        let size = self.format.kind.components() * self.format.component.bytes();
        self.current = self.base.map(|base| {
            let start = self.element * base.stride;
            &base.bytes[start..start + size]
        });
        while let Some((_, at)) =
            self.overrides.get(self.next_override).filter(|(index, _)| *index == self.element)
        {
            self.current = Some(&self.values[at * size..(at + 1) * size]);
            self.next_override += 1;
        }
        self.element += 1;
        self.component = 0;
        Some(())
    }
}

impl Stored<'_> {
    /// The lowest and highest of each component, where that is quickly told: there are elements,
    /// none is replaced, and all numbers are finite.
    pub(crate) fn bounds(&self) -> Option<[Vec<f64>; 2]> {
        let base = self.base.filter(|_| self.overrides.is_empty() && self.element == 0)?;
        let (count, n) = (self.format.count, self.format.kind.components());
        match self.format.component {
            Component::I8 => bounds_as::<i8>(base, count, n),
            Component::U8 => bounds_as::<u8>(base, count, n),
            Component::I16 => bounds_as::<i16>(base, count, n),
            Component::U16 => bounds_as::<u16>(base, count, n),
            Component::U32 => bounds_as::<u32>(base, count, n),
            Component::F32 => bounds_as::<f32>(base, count, n),
        }
    }
}

fn bounds_as<T: Number + Into<f64> + PartialOrd>(
    base: Elements<'_>,
    count: usize,
    components: usize,
) -> Option<[Vec<f64>; 2]> {
    match components {
        1 => bounds_of::<T, 1>(base, count),
        2 => bounds_of::<T, 2>(base, count),
        3 => bounds_of::<T, 3>(base, count),
        4 => bounds_of::<T, 4>(base, count),
        16 => bounds_of::<T, 16>(base, count),
        _ => None,
    }
}

/// Spelt out for each number of components, so that the compiler lays them side by side.
fn bounds_of<T: Number + Into<f64> + PartialOrd, const N: usize>(
    base: Elements<'_>,
    count: usize,
) -> Option<[Vec<f64>; 2]> {
    let read = |bytes: &[u8]| -> [T; N] {
        let bytes = &bytes[..N * T::BYTES];
        std::array::from_fn(|i| T::read(&bytes[i * T::BYTES..]))
    };
    let mut elements = base.bytes.chunks(base.stride).take(count).map(read);
    let first = elements.next()?;
    let (mut low, mut high) = (first, first);
    let mut odd = first.iter().any(|value| !(*value).into().is_finite());
    for element in elements {
        for i in 0..N {
            let value = element[i];
            low[i] = if value < low[i] { value } else { low[i] };
            high[i] = if value > high[i] { value } else { high[i] };
            // Not a number is neither, and what is infinite is seen at the end.
            odd |= value.partial_cmp(&value).is_none();
        }
    }
    let both = [low, high].map(|values| values.map(Into::into).to_vec());
    (!odd && both.iter().flatten().all(|value| value.is_finite())).then_some(both)
}

impl Iterator for Stored<'_> {
    type Item = f64;

    #[inline]
    fn next(&mut self) -> Option<f64> {
        if self.component == self.format.kind.components() {
            self.advance()?;
        }
        let component = self.component;
        self.component += 1;
        let Some(bytes) = self.current else { return Some(0.0) };
        let bytes = &bytes[component * self.format.component.bytes()..];
        Some(match self.format.component {
            Component::I8 => i8::read(bytes).into(),
            Component::U8 => u8::read(bytes).into(),
            Component::I16 => i16::read(bytes).into(),
            Component::U16 => u16::read(bytes).into(),
            Component::U32 => u32::read(bytes).into(),
            Component::F32 => f32::read(bytes).into(),
        })
    }

    /// In loops that know the component's type: `for_each` is many times quicker than `for`.
    fn fold<B, F: FnMut(B, f64) -> B>(mut self, mut sum: B, mut with: F) -> B {
        while self.component < self.format.kind.components() {
            let Some(value) = self.next() else { return sum };
            sum = with(sum, value);
        }
        let rest = self.next_override == self.overrides.len();
        let (Some(base), true) = (self.base, rest) else {
            for value in self.by_ref() {
                sum = with(sum, value);
            }
            return sum;
        };
        let count = self.format.count - self.element;
        let size = self.format.kind.components() * self.format.component.bytes();
        let bytes = base.bytes.get(self.element * base.stride..).unwrap_or_default();
        let elements = bytes.chunks(base.stride).take(count).map(|element| &element[..size]);
        match self.format.component {
            Component::I8 => fold_as::<i8, _, _>(elements, sum, with),
            Component::U8 => fold_as::<u8, _, _>(elements, sum, with),
            Component::I16 => fold_as::<i16, _, _>(elements, sum, with),
            Component::U16 => fold_as::<u16, _, _>(elements, sum, with),
            Component::U32 => fold_as::<u32, _, _>(elements, sum, with),
            Component::F32 => fold_as::<f32, _, _>(elements, sum, with),
        }
    }
}

fn fold_as<'a, T: Number + Into<f64>, B, F: FnMut(B, f64) -> B>(
    elements: impl Iterator<Item = &'a [u8]>,
    sum: B,
    mut with: F,
) -> B {
    elements.fold(sum, |sum, element| {
        element.chunks_exact(T::BYTES).fold(sum, |sum, bytes| with(sum, T::read(bytes).into()))
    })
}

/// Where `length` bytes from `start` on lie in a buffer that says to have `declared` bytes; `None`
/// where they pass its end.
pub(super) fn part(
    buffer: &[u8],
    declared: Option<Uint>,
    start: Uint,
    length: Uint,
) -> Option<std::ops::Range<usize>> {
    // GLB padding and trailing bytes of a file are no part of the buffer.
    let available = declared.map_or(u64::MAX, |length| length.0).min(buffer.len() as u64);
    let end = start.0.checked_add(length.0).filter(|end| *end <= available)?;
    // Both are at most the length of a slice.
    Some(start.0 as usize..end as usize)
}

/// Bytes from one element of a view to the next; a stride of 0 is what exporters write that mean
/// "none".
fn stride(view: &BufferView) -> Option<usize> {
    view.byte_stride.map(Uint::index).filter(|stride| *stride != 0)
}

fn too_long(pointer: Element) -> Fault {
    Fault::new("BUFFER_VIEW_TOO_LONG", pointer, "the view passes the end of its buffer")
}

fn charge(
    spent: &Cell<u64>,
    numbers: u64,
    what: LimitKind,
    limit: u64,
    pointer: impl Into<String>,
) -> Result<(), Fault> {
    let total = spent.get().saturating_add(numbers);
    if total > limit {
        let message = format!("{what} go beyond the limit of {limit}");
        return Err(Fault::new(what.code(), pointer, message));
    }
    spent.set(total);
    Ok(())
}

/// `count` elements of `size` bytes, the first at `offset`, each `stride` after the one before;
/// `stride` is at least `size`.
fn elements<'a>(
    bytes: &'a [u8],
    offset: Uint,
    stride: usize,
    count: usize,
    size: usize,
    pointer: Element,
) -> Result<Elements<'a>, Fault> {
    let end = || -> Option<u64> {
        let steps = (count as u64).checked_sub(1)?.checked_mul(stride as u64)?;
        offset.0.checked_add(steps)?.checked_add(size as u64)
    };
    let end = if count == 0 { Some(offset.0) } else { end() };
    let range = end.filter(|end| *end <= bytes.len() as u64);
    match range.and_then(|end| bytes.get(offset.index()..end as usize)) {
        Some(bytes) => Ok(Elements { bytes, stride }),
        None => {
            let message = format!(
                "{count} elements of {size} bytes from byte {} pass the end of the view of {} bytes",
                offset.0,
                bytes.len()
            );
            Err(Fault::new("ACCESSOR_TOO_LONG", pointer, message))
        }
    }
}

/// A little-endian number.
trait Number: Copy + Default {
    const BYTES: usize;
    /// Reads the front of `bytes`, which is long enough.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl Number for $type {
            const BYTES: usize = size_of::<$type>();

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                let mut front = [0; size_of::<$type>()];
                front.copy_from_slice(&bytes[..size_of::<$type>()]);
                <$type>::from_le_bytes(front)
            }
        }
    )*};
}

numbers!(i8 u8 i16 u16 u32 f32);

/// Calls `with` on the bytes of each element; the last may come with less than a stride.
#[inline]
fn each<'a>(elements: Elements<'a>, count: usize, mut with: impl FnMut(&'a [u8])) {
    if count > 0 {
        elements.bytes.chunks(elements.stride).for_each(&mut with);
    }
}

/// The elements, `N` numbers each, converted by `convert`.
fn collect<T: Number, R: Copy + Default, const N: usize>(
    checked: &Checked<'_>,
    convert: impl Fn(T) -> R,
) -> Vec<[R; N]> {
    let count = checked.format.count;
    let element = |bytes: &[u8]| -> [R; N] {
        let bytes = &bytes[..N * T::BYTES];
        std::array::from_fn(|i| convert(T::read(&bytes[i * T::BYTES..])))
    };
    let mut values = match checked.base {
        None => vec![[R::default(); N]; count],
        Some(base) => {
            let mut values = Vec::with_capacity(count);
            if base.stride == N * T::BYTES {
                // Spelt out so that the distance is a constant to the compiler.
                values.extend(base.bytes.chunks_exact(N * T::BYTES).map(element));
            } else {
                each(base, count, |bytes| values.push(element(bytes)));
            }
            values
        }
    };
    if let Some(sparse) = &checked.sparse {
        let mut indices = sparse.indices.iter();
        each(sparse.values, sparse.indices.len(), |bytes| {
            if let Some(value) = indices.next().and_then(|index| values.get_mut(*index)) {
                *value = element(bytes);
            }
        });
    }
    values
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Reads accessor 0 of `root` with `read`; buffer 0 holds `bytes`.
    fn check<T>(
        root: Value,
        bytes: &[u8],
        read: impl Fn(&Data<'_>) -> Result<T, Fault>,
    ) -> Result<T, String> {
        let mut found = Findings::new(99);
        let document = Document::read(root.as_object().expect("an object"), &mut found);
        assert!(found.list().is_empty());
        let buffers = [Some(Bytes::from(bytes.to_vec())), None];
        let limits = Limits { zeros: 1000, numbers: 2000, ..Default::default() };
        let data = Data::new(&document, &buffers, &[], &limits);
        read(&data).map_err(|fault| format!("{} {}", fault.code, fault.pointer))
    }

    fn one(view: Value, accessor: Value, bytes: &[u8]) -> Result<Vec<[f32; 2]>, String> {
        let root = json!({
            "buffers": [{"byteLength": bytes.len()}, {"byteLength": 8}],
            "bufferViews": [view],
            "accessors": [accessor],
        });
        check(root, bytes, |data| data.floats::<2>(Uint(0)))
    }

    #[test]
    fn strides_normalisation_and_zeros() {
        let bytes = [0, 127, 0, 0, 129, 128];
        let view = json!({"buffer": 0, "byteLength": 6, "byteStride": 4});
        let accessor = json!({"bufferView": 0, "componentType": 5120, "normalized": true, "count": 2, "type": "VEC2"});
        assert_eq!(one(view.clone(), accessor, &bytes), Ok(vec![[0.0, 1.0], [-1.0, -1.0]]));
        let accessor = json!({"bufferView": 0, "componentType": 5121, "count": 2, "type": "VEC2"});
        assert_eq!(one(view, accessor, &bytes), Ok(vec![[0.0, 127.0], [129.0, 128.0]]));
        let accessor = json!({"componentType": 5126, "count": 2, "type": "VEC2"});
        assert_eq!(one(json!({}), accessor, &bytes), Ok(vec![[0.0; 2]; 2]));
    }

    #[test]
    fn extents_are_checked_without_overflow() {
        let fails =
            |view: Value, accessor: Value| one(view, accessor, &[0; 16]).expect_err("a fault");
        let accessor = |offset: u64, count: u64| {
            json!({"bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": count,
                "type": "VEC2"})
        };
        let view = |offset: u64, length: u64| json!({"buffer": 0, "byteOffset": offset, "byteLength": length});
        assert_eq!(fails(view(1, 16), accessor(0, 1)), "BUFFER_VIEW_TOO_LONG /bufferViews/0");
        let half = 1 << 63;
        assert_eq!(fails(view(half, half), accessor(0, 1)), "BUFFER_VIEW_TOO_LONG /bufferViews/0");
        assert_eq!(fails(view(0, 15), accessor(0, 2)), "ACCESSOR_TOO_LONG /accessors/0");
        assert_eq!(fails(view(0, 16), accessor(u64::MAX - 7, 1)), "ACCESSOR_TOO_LONG /accessors/0");
        assert_eq!(fails(view(0, 16), accessor(0, u64::MAX)), "ACCESSOR_TOO_LONG /accessors/0");
        let small = json!({"buffer": 0, "byteLength": 16, "byteStride": 7});
        assert_eq!(fails(small, accessor(0, 2)), "ACCESSOR_SMALL_BYTESTRIDE /accessors/0");
        let other = json!({"buffer": 1, "byteLength": 8});
        assert_eq!(fails(other, accessor(0, 1)), "BUFFER_NO_DATA /bufferViews/0");
        let none = json!({"buffer": 2, "byteLength": 8});
        assert_eq!(fails(none, accessor(0, 1)), "UNRESOLVED_REFERENCE /bufferViews/0/buffer");
        let many = json!({"componentType": 5126, "count": 1u64 << 31, "type": "VEC2"});
        assert_eq!(fails(json!({}), many), "LIMIT_ZEROS /accessors/0");
        let scalar = json!({"componentType": 5126, "count": 1, "type": "SCALAR"});
        assert_eq!(fails(json!({}), scalar), "ACCESSOR_INVALID_FORMAT /accessors/0");
        assert_eq!(one(view(8, 8), accessor(0, 1), &[0; 16]), Ok(vec![[0.0; 2]]));
    }

    #[test]
    fn sparse_elements_replace_and_are_checked() {
        let file = |indices: [u8; 2], count: u64| {
            let mut bytes = indices.to_vec();
            bytes.extend([0, 0]);
            [1.0f32, 2.0, 3.0, 4.0].iter().for_each(|value| bytes.extend(value.to_le_bytes()));
            let root = json!({
                "buffers": [{"byteLength": 20}],
                "bufferViews": [{"buffer": 0, "byteLength": 2},
                    {"buffer": 0, "byteOffset": 4, "byteLength": 16}],
                "accessors": [{"componentType": 5126, "count": 3, "type": "VEC2", "sparse": {
                    "count": count,
                    "indices": {"bufferView": 0, "componentType": 5121},
                    "values": {"bufferView": 1},
                }}],
            });
            (root, bytes)
        };
        let read = |indices, count| {
            let (root, bytes) = file(indices, count);
            check(root, &bytes, |data| {
                let values = data.floats::<2>(Uint(0))?;
                Ok((values, data.found.borrow().list().len()))
            })
        };
        let stored = |indices| {
            let (root, bytes) = file(indices, 2);
            check(root, &bytes, |data| Ok(data.stored(Uint(0))?.collect::<Vec<_>>()))
        };
        assert_eq!(read([0, 2], 2), Ok((vec![[1.0, 2.0], [0.0; 2], [3.0, 4.0]], 0)));
        assert_eq!(stored([0, 2]), Ok(vec![1.0, 2.0, 0.0, 0.0, 3.0, 4.0]));
        assert_eq!(stored([2, 2]), Ok(vec![0.0, 0.0, 0.0, 0.0, 3.0, 4.0]));
        assert_eq!(read([2, 2], 2), Ok((vec![[0.0; 2], [0.0; 2], [3.0, 4.0]], 1)));
        let out = "ACCESSOR_SPARSE_INDEX_OOB /accessors/0/sparse";
        assert_eq!(read([0, 3], 2), Err(out.into()));
        let many = "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE /accessors/0/sparse/count";
        assert_eq!(read([0, 1], 4), Err(many.into()));
        let short = "ACCESSOR_TOO_LONG /accessors/0/sparse/indices";
        assert_eq!(read([0, 1], 3), Err(short.into()));
    }

    #[test]
    fn numbers_are_finite_and_integers_stay_integers() {
        let bytes: Vec<u8> =
            [1.0f32, f32::NAN, f32::INFINITY, 2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let root = |kind: &str, component: u32, count: u32| {
            json!({
                "buffers": [{"byteLength": 16}],
                "bufferViews": [{"buffer": 0, "byteLength": 16}],
                "accessors": [{"bufferView": 0, "componentType": component, "count": count,
                    "type": kind}],
            })
        };
        let read = check(root("VEC4", 5126, 1), &bytes, |data| {
            let values = data.floats::<4>(Uint(0))?;
            let found =
                data.found.borrow().list().iter().map(|found| found.code.to_string()).collect();
            Ok::<(_, Vec<String>), _>((values, found))
        });
        assert_eq!(read, Ok((vec![[1.0, 0.0, 0.0, 2.0]], vec!["ACCESSOR_INVALID_FLOAT".into()])));

        let indices = |data: &Data<'_>| data.indices(Uint(0));
        assert_eq!(
            check(root("SCALAR", 5123, 2), &[1, 0, 255, 255], indices).map_err(drop),
            Err(())
        );
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(check(root("SCALAR", 5123, 2), &bytes, indices), Ok(vec![0x0100, 0x0302]));
        let wrong = "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT /accessors/0";
        assert_eq!(check(root("SCALAR", 5126, 2), &bytes, indices), Err(wrong.into()));
        let joints = |data: &Data<'_>| data.joints(Uint(0));
        assert_eq!(check(root("VEC4", 5121, 1), &bytes, joints), Ok(vec![[0, 1, 2, 3]]));
        let wrong = "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT /accessors/0";
        assert_eq!(check(root("VEC4", 5125, 1), &bytes, joints), Err(wrong.into()));
    }

    #[test]
    fn bounds_are_those_of_the_numbers_one_by_one() {
        let stored = |values: &[f32], kind: Kind, stride: usize| {
            let bytes: Vec<u8> = values
                .chunks(kind.components())
                .flat_map(|element| {
                    let mut bytes: Vec<u8> = element.iter().flat_map(|v| v.to_le_bytes()).collect();
                    bytes.resize(stride, 0xff);
                    bytes
                })
                .collect();
            let count = values.len() / kind.components();
            let format = Format { kind, component: Component::F32, normalized: false, count };
            let bytes: &'static [u8] = bytes.leak();
            Stored {
                format,
                base: Some(Elements { bytes, stride }),
                overrides: Vec::new(),
                values: &[],
                next_override: 0,
                element: 0,
                component: kind.components(),
                current: None,
            }
        };
        let values: Vec<f32> = (0..24).map(|i| ((i * 7) % 11) as f32 - 4.5).collect();
        for (kind, stride) in
            [(Kind::Scalar, 4), (Kind::Vec3, 12), (Kind::Vec3, 20), (Kind::Vec4, 16)]
        {
            let n = kind.components();
            let [low, high] = stored(&values, kind, stride).bounds().expect("all are finite");
            let all: Vec<f64> = stored(&values, kind, stride).collect();
            for c in 0..n {
                let of = || all.iter().skip(c).step_by(n).copied();
                assert_eq!(low[c], of().fold(f64::INFINITY, f64::min), "{kind:?}");
                assert_eq!(high[c], of().fold(f64::NEG_INFINITY, f64::max), "{kind:?}");
            }
            let folded = stored(&values, kind, stride).fold(Vec::new(), |mut all, value| {
                all.push(value);
                all
            });
            assert_eq!(folded, all);
        }
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for at in [0, 5, 23] {
                let mut values = values.clone();
                values[at] = odd;
                assert_eq!(stored(&values, Kind::Vec3, 12).bounds(), None, "{odd} at {at}");
            }
        }
        assert_eq!(stored(&[], Kind::Vec3, 12).bounds(), None);
    }
}
