//! Buffer views that are compressed with meshopt → the bytes that they stand for.

use serde_json::Value;

use super::{
    accessor::{self, Fault},
    schema::{BufferView, Document, Uint, uint},
};
use crate::{
    Bytes, LimitKind, Limits,
    meshopt::{self, Filter, Layout, Mode},
};

/// The extension's two names; the streams are the same.
pub(super) const NAMES: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Bytes that may be unpacked for each number that may be read: quantised data have two.
const BYTES_A_NUMBER: u64 = 2;

/// What became of a view that is compressed.
pub(crate) type Unpacked = Result<Bytes, Fault>;

/// Whether a buffer is only there for readers that do not know meshopt.
pub(super) fn is_fallback(extensions: &serde_json::Map<String, Value>) -> bool {
    NAMES.iter().any(|name| {
        extensions.get(*name).and_then(|e| e.get("fallback")) == Some(&Value::Bool(true))
    })
}

/// Unpacks the views whose own buffer has no data; one an element of `/bufferViews`, `None` for
/// those that are as they are. Empty where none is compressed.
pub(super) fn unpack(
    document: &Document,
    buffers: &[Option<Bytes>],
    limits: &Limits,
) -> Vec<Option<Unpacked>> {
    let missing = |view: &BufferView| {
        view.buffer.and_then(|b| buffers.get(b.index())).is_none_or(Option::is_none)
    };
    let packed = |view: &BufferView| {
        let name = NAMES.into_iter().find(|name| view.extensions.contains_key(*name))?;
        missing(view).then_some(name)
    };
    if !document.buffer_views.iter().any(|view| packed(view).is_some()) {
        return Vec::new();
    }
    let mut left = limits.numbers.saturating_mul(BYTES_A_NUMBER);
    let views = document.buffer_views.iter().enumerate();
    views
        .map(|(i, view)| {
            let name = packed(view)?;
            let pointer = format!("/bufferViews/{i}/extensions/{name}");
            Some(one(document, buffers, view, &view.extensions[name], &pointer, &mut left))
        })
        .collect()
}

fn one(
    document: &Document,
    buffers: &[Option<Bytes>],
    view: &BufferView,
    extension: &Value,
    pointer: &str,
    left: &mut u64,
) -> Unpacked {
    let fault = |code, message: String| Fault::new(code, pointer, message);
    let number = |key: &str| {
        let value = extension.get(key).and_then(uint);
        value.ok_or_else(|| fault("UNDEFINED_PROPERTY", format!("meshopt needs `{key}`")))
    };
    let (buffer, length) = (number("buffer")?, number("byteLength")?);
    let (stride, count) = (number("byteStride")?, number("count")?);
    let offset = extension.get("byteOffset").map_or(Some(Uint(0)), uint);
    let offset =
        offset.ok_or_else(|| fault("TYPE_MISMATCH", "`byteOffset` is no offset".into()))?;
    let bytes = match buffers.get(buffer.index()) {
        None => return Err(fault("UNRESOLVED_REFERENCE", format!("no buffer {}", buffer.0))),
        Some(None) => {
            return Err(fault("BUFFER_NO_DATA", format!("buffer {} has no data", buffer.0)));
        }
        Some(Some(bytes)) => bytes,
    };
    let declared = document.buffers.get(buffer.index()).and_then(|b| b.byte_length);
    let stream = accessor::part(bytes, declared, offset, length)
        .and_then(|range| bytes.slice(range))
        .ok_or_else(|| {
            fault("BUFFER_VIEW_TOO_LONG", "the stream passes the end of its buffer".into())
        })?;
    let malformed = |what: String| fault("MESHOPT_MALFORMED", what);
    let layout = Layout {
        mode: mode(extension).map_err(malformed)?,
        count: usize::try_from(count.0).unwrap_or(usize::MAX),
        stride: usize::try_from(stride.0).unwrap_or(usize::MAX),
    };
    let wanted = layout.bytes().map(|bytes| bytes as u64);
    if wanted != view.byte_length.map(|length| length.0) {
        return Err(malformed("the view is not as long as its unpacked elements".into()));
    }
    let wanted = wanted.unwrap_or(u64::MAX);
    *left = left.checked_sub(wanted).ok_or_else(|| {
        let what = LimitKind::Numbers;
        fault(what.code(), format!("{what} pass the limit: {wanted} bytes are to be unpacked"))
    })?;
    meshopt::decode(&stream, &layout).map(Bytes::from).map_err(|what| malformed(what.to_string()))
}

fn mode(extension: &Value) -> Result<Mode, String> {
    let word = |key: &str| extension.get(key).and_then(Value::as_str);
    let filter = match word("filter") {
        None | Some("NONE") => Filter::None,
        Some("OCTAHEDRAL") => Filter::Octahedral,
        Some("QUATERNION") => Filter::Quaternion,
        Some("EXPONENTIAL") => Filter::Exponential,
        Some("COLOR") => Filter::Color,
        Some(other) => return Err(format!("unknown filter {other:?}")),
    };
    match (word("mode"), filter) {
        (Some("ATTRIBUTES"), filter) => Ok(Mode::Attributes(filter)),
        (Some("TRIANGLES"), Filter::None) => Ok(Mode::Triangles),
        (Some("INDICES"), Filter::None) => Ok(Mode::Indices),
        (Some("TRIANGLES" | "INDICES"), _) => Err("indices have no filter".into()),
        (other, _) => Err(format!("unknown mode {:?}", other.unwrap_or_default())),
    }
}
