//! What a `uri` says: data of its own, or a file beside the document.

use base64::Engine as _;

/// A `uri` understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Uri {
    /// A data URI (RFC 2397), decoded. What it says of its media type is not needed: the content
    /// tells.
    Data { bytes: Vec<u8> },
    /// A file in the document's folder, see [`Fetch`](crate::Fetch) for the form of its path.
    File(String),
}

/// Why a `uri` was refused: a code and words.
pub(super) type Refusal = (&'static str, String);

const ENGINE: base64::engine::GeneralPurpose = base64::engine::GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    base64::engine::GeneralPurposeConfig::new()
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Understands `uri`; data may decode to at most `limit` bytes.
pub(super) fn parse(uri: &str, limit: u64) -> Result<Uri, Refusal> {
    if uri.is_empty() {
        return Err(("INVALID_URI", "the URI is empty".into()));
    }
    if let Some(rest) = strip_scheme(uri, "data") {
        return data(rest, limit);
    }
    if uri.starts_with(['/', '\\']) || has_scheme(uri) {
        return Err(("NON_RELATIVE_URI", format!("{uri:?} is not relative; it is not fetched")));
    }
    if uri.contains(['?', '#']) {
        let message = format!("{uri:?} has a query or a fragment; a file's name has neither");
        return Err(("INVALID_URI", message));
    }
    let Ok(path) = String::from_utf8(percent_decoded(uri)) else {
        return Err(("INVALID_URI", format!("{uri:?} does not decode to UTF-8")));
    };
    if path.contains(|character: char| character.is_control()) {
        return Err(("INVALID_URI", format!("{uri:?} has control characters")));
    }
    // Decoded, it may have grown a drive letter or a root.
    if path.starts_with(['/', '\\']) || has_scheme(&path) {
        return Err(("NON_RELATIVE_URI", format!("{uri:?} is not relative; it is not fetched")));
    }
    let mut segments = Vec::new();
    for segment in path.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => {
                if segments.pop().is_none() {
                    let message = format!("{uri:?} leads out of the file's folder");
                    return Err(("URI_OUTSIDE_FOLDER", message));
                }
            }
            _ => segments.push(segment),
        }
    }
    if segments.is_empty() {
        return Err(("INVALID_URI", format!("{uri:?} names no file")));
    }
    Ok(Uri::File(segments.join("/")))
}

/// What follows `scheme:` in `uri`, whose case does not matter.
fn strip_scheme<'a>(uri: &'a str, scheme: &str) -> Option<&'a str> {
    let (front, rest) = uri.split_once(':')?;
    front.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// Whether `uri` starts with a scheme (RFC 3986) or a drive letter.
fn has_scheme(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(front, _)| {
        front.starts_with(|first: char| first.is_ascii_alphabetic())
            && front.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

/// `%41` → `A`; a `%` without two hexadecimal digits stays, as in browsers.
fn percent_decoded(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
    let mut rest = text.as_bytes();
    let mut decoded = Vec::with_capacity(rest.len());
    while let [first, tail @ ..] = rest {
        rest = tail;
        if let (b'%', [high, low, tail @ ..]) = (*first, rest)
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            decoded.push(high << 4 | low);
            rest = tail;
        } else {
            decoded.push(*first);
        }
    }
    decoded
}

/// The part after `data:`, `[<media type>][;base64],<data>`.
fn data(rest: &str, limit: u64) -> Result<Uri, Refusal> {
    let Some((head, body)) = rest.split_once(',') else {
        return Err(("INVALID_URI", "a data URI without a comma".into()));
    };
    let base64 =
        head.rsplit_once(';').is_some_and(|(_, last)| last.trim().eq_ignore_ascii_case("base64"));
    // Three bytes for four letters; one more group for rounding.
    if (body.len() as u64 / 4) * 3 > limit.saturating_add(3) {
        return Err(("LIMIT_TOTAL_BYTES", "the data URI is beyond the limit of bytes".into()));
    }
    let bytes = if base64 {
        ENGINE
            .decode(body)
            .map_err(|error| ("INVALID_URI", format!("the base64 of a data URI: {error}")))?
    } else {
        percent_decoded(body)
    };
    if bytes.len() as u64 > limit {
        return Err(("LIMIT_TOTAL_BYTES", "the data URI is beyond the limit of bytes".into()));
    }
    Ok(Uri::Data { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(uri: &str) -> Result<String, &'static str> {
        match parse(uri, 1 << 20) {
            Ok(Uri::File(path)) => Ok(path),
            Ok(Uri::Data { .. }) => panic!("data"),
            Err((code, _)) => Err(code),
        }
    }

    fn data(uri: &str) -> Result<Vec<u8>, &'static str> {
        match parse(uri, 8) {
            Ok(Uri::Data { bytes }) => Ok(bytes),
            Ok(Uri::File(_)) => panic!("file"),
            Err((code, _)) => Err(code),
        }
    }

    #[test]
    fn files_stay_in_the_folder() {
        assert_eq!(file("b.bin"), Ok("b.bin".into()));
        assert_eq!(file("./a//b%20c.bin"), Ok("a/b c.bin".into()));
        assert_eq!(file(r"textures\a.png"), Ok("textures/a.png".into()));
        assert_eq!(file("50%.png"), Ok("50%.png".into()));
        assert_eq!(file("a/../b.bin"), Ok("b.bin".into()));
        assert_eq!(file("../b.bin"), Err("URI_OUTSIDE_FOLDER"));
        assert_eq!(file("%2e%2e/b.bin"), Err("URI_OUTSIDE_FOLDER"));
        assert_eq!(file("a/%2E%2e%2f../b.bin"), Err("URI_OUTSIDE_FOLDER"));
        assert_eq!(file("..%5cb.bin"), Err("URI_OUTSIDE_FOLDER"));
        for uri in
            ["/dev/zero", "http://127.0.0.1:9/x", r"C:\b.bin", "%2fdev/zero", "file:b", "C%3a/b"]
        {
            assert_eq!(file(uri), Err("NON_RELATIVE_URI"), "{uri}");
        }
        for uri in ["", ".", "b.bin#x", "b.bin?x", "a%00b", "%ff"] {
            assert_eq!(file(uri), Err("INVALID_URI"), "{uri}");
        }
    }

    #[test]
    fn data_are_strict_base64_or_percent_encoded() {
        assert_eq!(data("data:application/octet-stream;base64,AQID"), Ok(vec![1, 2, 3]));
        assert_eq!(data("DATA:;charset=x;base64,AQ=="), Ok(vec![1]));
        assert_eq!(data("data:;base64,AQ"), Ok(vec![1]));
        assert_eq!(data("data:,a%01"), Ok(vec![b'a', 1]));
        assert_eq!(data("data:;base64,AQ ID"), Err("INVALID_URI"));
        assert_eq!(data("data:;base64,AQ==AQ=="), Err("INVALID_URI"));
        assert_eq!(data("data:;base64,_-__"), Err("INVALID_URI"));
        assert_eq!(data("data:;base64"), Err("INVALID_URI"));
        assert_eq!(data("data:;base64,AQIDAQIDAQIDAQID"), Err("LIMIT_TOTAL_BYTES"));
    }
}
