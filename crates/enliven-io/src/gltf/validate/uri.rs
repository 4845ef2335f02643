//! URIs of buffers and images, as far as their text tells.

use serde_json::Value;

use super::{
    codes::*,
    schema::{Json, index},
    walk::{Walker, shorten},
};

/// A `data:` URI taken apart.
pub(super) struct DataUri<'a> {
    /// The media type as written; empty when left out.
    pub(super) media_type: &'a str,
}

/// Takes a `data:` URI apart and checks its payload's alphabet, without decoding it.
/// `None` when the text is no `data:` URI.
pub(super) fn data_uri(text: &str) -> Option<Result<DataUri<'_>, &'static str>> {
    let scheme = text.get(..5)?;
    scheme.eq_ignore_ascii_case("data:").then(|| parse_data_uri(&text[5..]))
}

fn parse_data_uri(rest: &str) -> Result<DataUri<'_>, &'static str> {
    let (head, payload) = rest.split_once(',').ok_or("a data URI has a comma")?;
    let mut parts = head.split(';');
    let media_type = parts.next().unwrap_or_default();
    if !media_type.is_empty() && !media_type.contains('/') {
        return Err("a media type has a slash");
    }
    let mut base64 = false;
    while let Some(part) = parts.next() {
        if part.eq_ignore_ascii_case("base64") && parts.clone().next().is_none() {
            base64 = true;
        } else if !part.contains('=') {
            return Err("a parameter has an equals sign");
        }
    }
    if base64 && !is_base64(payload.as_bytes()) {
        return Err("the payload is no base64");
    }
    Ok(DataUri { media_type })
}

/// Base64 in either alphabet, padded (also as `%3D`) or not.
fn is_base64(payload: &[u8]) -> bool {
    let digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
    let digits = payload.iter().position(|byte| !digit(byte)).unwrap_or(payload.len());
    match &payload[digits..] {
        b"" => digits % 4 != 1,
        b"=" | b"%3D" | b"%3d" => digits % 4 == 3,
        b"==" | b"%3D%3D" | b"%3d%3d" => digits % 4 == 2,
        _ => false,
    }
}

/// Findings on a `uri` property; `false` when it is absent or no text.
fn uri<'a>(walker: &mut Walker<'_>, map: &'a Json) -> Option<&'a str> {
    let text = map.get("uri").and_then(Value::as_str)?;
    if walker.glb {
        walker.report.add_at("uri", URI_GLB, || "a GLB should hold all of its data".into());
    }
    match data_uri(text) {
        Some(Ok(_)) => {
            if walker.glb {
                walker.report.add_at("uri", DATA_URI_GLB, || {
                    "a GLB should hold its data in the binary chunk".into()
                });
            }
        }
        Some(Err(what)) => walker.report.add_at("uri", INVALID_URI, || what.into()),
        None => {
            let (path, relative) = split_scheme(text);
            if path.is_none() {
                walker.report.add_at("uri", INVALID_URI, || {
                    format!("'{}' has a malformed scheme", shorten(text))
                });
            } else if !relative || text.starts_with('/') || text.contains(['?', '#']) {
                walker.report.add_at("uri", NON_RELATIVE_URI, || {
                    format!("'{}' is not relative to the file", shorten(text))
                });
            }
        }
    }
    Some(text)
}

/// The part after the scheme (`None` when the scheme is malformed), and whether there is no scheme.
fn split_scheme(text: &str) -> (Option<&str>, bool) {
    let end = text.find([':', '/', '?', '#']);
    let Some(end) = end.filter(|end| text.as_bytes()[*end] == b':') else {
        return (Some(text), true);
    };
    let scheme = &text[..end];
    let valid = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    (valid.then_some(&text[end + 1..]), false)
}

/// The URI of a buffer.
pub(super) fn buffer(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    let Some(text) = uri(walker, map) else { return };
    if let Some(Ok(uri)) = data_uri(text) {
        let known = ["application/gltf-buffer", "application/octet-stream"];
        if !known.iter().any(|known| uri.media_type.eq_ignore_ascii_case(known)) {
            walker.report.add_at("uri", BUFFER_DATA_URI_MIME_TYPE_INVALID, || {
                format!("'{}' is not {}", shorten(uri.media_type), known.join(" or "))
            });
        }
    }
}

/// The URI of an image, or its view.
pub(super) fn image(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    let view = index(map, "bufferView").is_some();
    let has_uri = map.get("uri").is_some_and(Value::is_string);
    if view && !map.get("mimeType").is_some_and(Value::is_string) {
        walker
            .report
            .add_at("bufferView", UNSATISFIED_DEPENDENCY, || "'mimeType' must be defined".into());
    }
    if view == has_uri {
        walker.report.add(ONE_OF_MISMATCH, || "either 'bufferView' or 'uri'".into());
    }
    uri(walker, map);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris() {
        for right in [
            "data:,",
            "data:application/octet-stream;base64,",
            "DATA:image/png;base64,AA==",
            "data:a/b;charset=utf-8;base64,AAAA",
            "data:a/b;base64,-_+/",
            "data:a/b;base64,AA%3D%3D",
            "data:a/b;base64,AA",
        ] {
            assert!(matches!(data_uri(right), Some(Ok(_))), "{right}");
        }
        for wrong in [
            "data:",
            "data:application/octet-stream;;base64,AA==",
            "data:image/png;base64,`",
            "data:a/b;base64,AA=A",
            "data:a/b;base64,A A=",
            "data:a/b;base64,A===",
            "data:a/b;base64,A",
            "data:png;base64,AAAA",
        ] {
            assert!(matches!(data_uri(wrong), Some(Err(_))), "{wrong}");
        }
        assert!(data_uri("database.bin").is_none() && data_uri("é").is_none());
    }

    #[test]
    fn schemes() {
        assert_eq!(split_scheme("a/b.bin"), (Some("a/b.bin"), true));
        assert_eq!(split_scheme("a/b:c"), (Some("a/b:c"), true));
        assert_eq!(split_scheme("http://x/y"), (Some("//x/y"), false));
        assert_eq!(split_scheme(":"), (None, false));
        assert_eq!(split_scheme("1a:b"), (None, false));
    }
}
