//! What images are, as far as their first bytes tell; decoding them is the importer's.

use serde_json::Value;

use super::{
    codes::*,
    model::{Model, ViewUse},
    report::Report,
    schema::{Target, index},
    uri::data_uri,
    walk::Walker,
};
use crate::Bytes;

/// What the head of an image file says.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    media_type: &'static str,
    width: u32,
    height: u32,
}

/// Why the head cannot be read.
#[derive(Debug, PartialEq, Eq)]
enum HeadFault {
    Unrecognized,
    TooShort,
    Invalid(&'static str),
}

const PNG: &str = "image/png";
const JPEG: &str = "image/jpeg";
const WEBP: &str = "image/webp";

/// The format by its signature. No image is shorter than 14 bytes.
fn sniff(bytes: &[u8]) -> Option<&'static str> {
    if bytes.len() < 14 {
        None
    } else if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        Some(JPEG)
    } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(PNG)
    } else if bytes.starts_with(b"RIFF") && &bytes[8..14] == b"WEBPVP" {
        Some(WEBP)
    } else {
        None
    }
}

fn head(bytes: &[u8]) -> Result<Head, HeadFault> {
    let media_type = sniff(bytes).ok_or(HeadFault::Unrecognized)?;
    let (width, height) = match media_type {
        PNG => png_size(bytes)?,
        JPEG => jpeg_size(bytes)?,
        _ => webp_size(bytes)?,
    };
    Ok(Head { media_type, width, height })
}

fn big_endian(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Width and height from the header chunk; the pixels must at least begin.
fn png_size(bytes: &[u8]) -> Result<(u32, u32), HeadFault> {
    let mut size = None;
    let mut rest = &bytes[8..];
    loop {
        let (head, tail) = rest.split_at_checked(8).ok_or(HeadFault::TooShort)?;
        let length = big_endian(&head[..4]) as usize;
        match &head[4..] {
            b"IHDR" => {
                if length != 13 {
                    return Err(HeadFault::Invalid("a PNG header has 13 bytes"));
                }
                let data = tail.get(..8).ok_or(HeadFault::TooShort)?;
                size = Some((big_endian(&data[..4]), big_endian(&data[4..])));
            }
            b"IDAT" => return size.ok_or(HeadFault::Invalid("pixels before the PNG header")),
            _ => {}
        }
        // Data and checksum.
        let end = length.checked_add(4).ok_or(HeadFault::TooShort)?;
        rest = tail.get(end..).ok_or(HeadFault::TooShort)?;
    }
}

/// Width and height from the frame header.
fn jpeg_size(bytes: &[u8]) -> Result<(u32, u32), HeadFault> {
    let mut rest = &bytes[1..];
    loop {
        let (&marker, tail) = rest.split_first().ok_or(HeadFault::TooShort)?;
        rest = tail;
        // Fill bytes, restarts, start and end stand alone.
        if matches!(marker, 0x01 | 0xD0..=0xD9 | 0xFF) {
            continue;
        }
        let (length, _) = rest.split_at_checked(2).ok_or(HeadFault::TooShort)?;
        let length = big_endian(length) as usize;
        if length < 2 {
            return Err(HeadFault::Invalid("a JPEG segment has at least 2 bytes"));
        }
        let segment = rest.get(2..length).ok_or(HeadFault::TooShort)?;
        let is_frame = matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC);
        if is_frame || marker == 0xDE {
            let frame = segment.get(..6).ok_or(HeadFault::Invalid("a short JPEG frame header"))?;
            if !matches!(frame[5], 1 | 3) {
                return Err(HeadFault::Invalid("a JPEG has 1 or 3 channels"));
            }
            return Ok((big_endian(&frame[3..5]), big_endian(&frame[1..3])));
        }
        rest = &rest[length..];
    }
}

/// Width and height from the first chunk.
fn webp_size(bytes: &[u8]) -> Result<(u32, u32), HeadFault> {
    let number = |range: std::ops::Range<usize>| {
        let bytes = bytes.get(range).ok_or(HeadFault::TooShort)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    };
    match bytes.get(12..16).ok_or(HeadFault::TooShort)? {
        b"VP8 " => Ok((number(26..28)? & 0x3FFF, number(28..30)? & 0x3FFF)),
        b"VP8L" => {
            let packed = number(21..25)?;
            Ok(((packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1))
        }
        b"VP8X" => Ok((number(24..27)? + 1, number(27..30)? + 1)),
        _ => Err(HeadFault::Invalid("an unknown WebP chunk")),
    }
}

/// Images against their views; before meshes, whose use of a view comes second.
pub(super) fn check_views(walker: &mut Walker<'_>, model: &mut Model) {
    let list = walker.report.enter("images");
    for (at, image) in walker.doc.each(Target::Images) {
        let Some(view) = index(image, "bufferView") else { continue };
        let Some(stride) = model.view(Some(view)).map(|view| view.stride.is_some()) else {
            continue;
        };
        let mark = walker.report.enter_index(at);
        model.use_view(&mut walker.report, view, ViewUse::Image, "bufferView");
        if stride {
            walker.report.add_at("bufferView", IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE, || {
                "a view of an image has no stride".into()
            });
        }
        walker.report.leave(mark);
    }
    walker.report.leave(list);
}

/// Images and the textures that show them.
pub(super) fn check_data(walker: &mut Walker<'_>, images: &[Option<Bytes>]) {
    let webp = walker.is_loaded("EXT_texture_webp");
    let mut media_types: Vec<Option<&str>> = vec![None; walker.doc.list(Target::Images).len()];
    let list = walker.report.enter("images");
    for (at, image) in walker.doc.each(Target::Images) {
        let mark = walker.report.enter_index(at);
        let declared = image.get("mimeType").and_then(Value::as_str);
        let uri = image.get("uri").and_then(Value::as_str);
        let bytes = images.get(at).and_then(Option::as_deref);
        // An extension may give the bytes another meaning.
        let extended = image.get("extensions").is_some_and(Value::is_object);
        let found = match bytes.filter(|_| !extended) {
            Some(bytes) => check_image(&mut walker.report, bytes, declared, uri, webp),
            None => None,
        };
        media_types[at] = declared.or(found);
        walker.report.leave(mark);
    }
    walker.report.leave(list);
    let list = walker.report.enter("textures");
    for (at, texture) in walker.doc.each(Target::Textures) {
        let mark = walker.report.enter_index(at);
        check_source(&mut walker.report, texture, &media_types, &[JPEG, PNG]);
        let extension = texture
            .get("extensions")
            .and_then(|extensions| extensions.get("EXT_texture_webp")?.as_object());
        if let Some(extension) = extension.filter(|_| webp) {
            let extensions = walker.report.enter("extensions");
            walker.report.enter("EXT_texture_webp");
            check_source(&mut walker.report, extension, &media_types, &[WEBP]);
            walker.report.leave(extensions);
        }
        walker.report.leave(mark);
    }
    walker.report.leave(list);
}

fn check_source(
    report: &mut Report,
    map: &super::schema::Json,
    media_types: &[Option<&str>],
    allowed: &[&str],
) {
    let media_type = index(map, "source").and_then(|source| *media_types.get(source)?);
    if let Some(media_type) = media_type.filter(|media_type| !allowed.contains(media_type)) {
        report.add_at("source", TEXTURE_INVALID_IMAGE_MIME_TYPE, || {
            format!(
                "{} where {} is expected",
                super::walk::shorten(media_type),
                allowed.join(" or ")
            )
        });
    }
}

/// Checks one image's bytes; its media type, when they can be read.
fn check_image(
    report: &mut Report,
    bytes: &[u8],
    declared: Option<&str>,
    uri: Option<&str>,
    webp: bool,
) -> Option<&'static str> {
    if let Some(Ok(uri)) = uri.and_then(data_uri)
        && !sniff(bytes).is_some_and(|found| uri.media_type.eq_ignore_ascii_case(found))
    {
        report.add_at("uri", INVALID_URI, || {
            format!("the data are {}", sniff(bytes).unwrap_or("no known image"))
        });
        return None;
    }
    match head(bytes) {
        Ok(head) => {
            if head.media_type == WEBP && !webp {
                report.add(IMAGE_NON_ENABLED_MIME_TYPE, || "WebP needs EXT_texture_webp".into());
            }
            if let Some(declared) = declared.filter(|declared| *declared != head.media_type) {
                let key = if uri.is_some() { "uri" } else { "bufferView" };
                report.add_at(key, IMAGE_MIME_TYPE_INVALID, || {
                    format!(
                        "{} is declared, {} found",
                        super::walk::shorten(declared),
                        head.media_type
                    )
                });
            }
            if !head.width.is_power_of_two() || !head.height.is_power_of_two() {
                report.add(IMAGE_NPOT_DIMENSIONS, || {
                    format!("{} × {} are no powers of two", head.width, head.height)
                });
            }
            Some(head.media_type)
        }
        Err(HeadFault::Unrecognized) => {
            report.add(IMAGE_UNRECOGNIZED_FORMAT, || "neither PNG, JPEG nor WebP".into());
            None
        }
        Err(HeadFault::TooShort) => {
            report.add(IMAGE_UNEXPECTED_EOS, || "the image ends before its pixels begin".into());
            None
        }
        Err(HeadFault::Invalid(what)) => {
            report.add(IMAGE_DATA_INVALID, || what.into());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 2, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(*b"\0\0\0\x01IDAT");
        bytes
    }

    #[test]
    fn heads_tell_format_and_size() {
        let whole = png(640, 480);
        assert_eq!(head(&whole), Ok(Head { media_type: PNG, width: 640, height: 480 }));
        for length in 14..whole.len() {
            assert_eq!(head(&whole[..length]), Err(HeadFault::TooShort), "{length}");
        }
        let jpeg = [
            0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 11, 8, 1, 0xE0, 2, 0x80, 1, 0, 0, 0,
        ];
        assert_eq!(head(&jpeg), Ok(Head { media_type: JPEG, width: 640, height: 480 }));
        let mut short = jpeg;
        short[5] = 1;
        assert!(matches!(head(&short), Err(HeadFault::Invalid(_))));
        let mut webp = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f".to_vec();
        webp.extend((639u32 | 479 << 14).to_le_bytes());
        assert_eq!(head(&webp), Ok(Head { media_type: WEBP, width: 640, height: 480 }));
        assert_eq!(head(b"GIF89a, with some more bytes"), Err(HeadFault::Unrecognized));
        assert_eq!(head(&[]), Err(HeadFault::Unrecognized));
    }
}
