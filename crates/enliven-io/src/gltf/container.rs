//! Bytes → JSON text and BIN chunk.

use super::Container;
use crate::{Bytes, Diagnostic, Error, GlbFault, Place, Severity, findings::Findings};

const MAGIC: [u8; 4] = *b"glTF";
const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");
/// Bytes of the file's header: magic, version, length.
const HEADER: usize = 12;
/// Bytes of a chunk's header: length, type.
const CHUNK_HEADER: usize = 8;

/// A file taken out of its wrapping.
pub(super) struct Unpacked {
    /// The JSON text, byte-order mark and padding included.
    pub json: Bytes,
    /// Where `json` starts in the file.
    pub json_offset: u64,
    /// The BIN chunk, padding included.
    pub bin: Option<Bytes>,
    pub container: Container,
}

/// Takes JSON and BIN out of `file`, whether text or GLB; the content decides. `binary` says which
/// kind was expected of a file that is neither.
pub(super) fn unpack(
    file: &Bytes,
    binary: bool,
    diagnostics: &mut Findings,
) -> Result<Unpacked, Error> {
    if file.starts_with(&MAGIC) {
        return unpack_glb(file, diagnostics);
    }
    let text = file.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(file);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    if binary && !matches!(first, Some(b'{' | b'[')) {
        return Err(match file.first_chunk::<4>() {
            Some(magic) if file.len() >= HEADER => glb(GlbFault::Magic(*magic), 0),
            _ => glb(GlbFault::EndOfHeader, file.len()),
        });
    }
    Ok(Unpacked { json: file.clone(), json_offset: 0, bin: None, container: Container::Json })
}

fn glb(fault: GlbFault, offset: usize) -> Error {
    Error::Glb { fault, offset: offset as u64 }
}

fn unpack_glb(file: &Bytes, diagnostics: &mut Findings) -> Result<Unpacked, Error> {
    let word = |at: usize| -> Option<u32> {
        file.get(at..at.checked_add(4)?)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    };
    let (Some(version), Some(declared)) = (word(4), word(8)) else {
        return Err(glb(GlbFault::EndOfHeader, file.len()));
    };
    if version != 2 {
        return Err(glb(GlbFault::Version(version), 4));
    }
    let length = declared as usize;
    if length <= HEADER {
        return Err(glb(GlbFault::LengthTooSmall(declared), 8));
    }
    let mut found = |code: &'static str, severity, offset: usize, message: String| {
        let place = Place::Byte(offset as u64).to_string();
        diagnostics.push(Diagnostic::new(severity, code, place, message));
    };
    if file.len() > length {
        let more = file.len() - length;
        let message = format!("{more} bytes after the declared end of the file, left out");
        found("GLB_EXTRA_DATA", Severity::Warning, length, message);
    }

    let (mut json, mut bin) = (None, None);
    let mut at = HEADER;
    let mut index = 0;
    while at < length {
        let (Some(size), Some(kind)) = (word(at), word(at + 4)) else {
            let fault = match file.len() == at {
                true => GlbFault::LengthMismatch { declared, found: file.len() as u64 },
                false => GlbFault::EndOfChunkHeader,
            };
            return Err(glb(fault, file.len()));
        };
        let start = at + CHUNK_HEADER;
        // Both fit 64 bits; on 32 bits a sum that does not is past every file.
        let end = start.checked_add(size as usize).filter(|end| *end <= length);
        let Some(end) = end else {
            return Err(glb(GlbFault::ChunkTooBig(size), at));
        };
        let Some(chunk) = file.slice(start..end) else {
            return Err(glb(GlbFault::EndOfChunkData, file.len()));
        };
        if index == 0 && kind != JSON {
            return Err(glb(GlbFault::FirstChunk(kind), at));
        }
        if !size.is_multiple_of(4) {
            let message = format!("a chunk of {size} bytes is not a multiple of 4 long");
            found("GLB_CHUNK_LENGTH_UNALIGNED", Severity::Error, at, message);
        }
        match kind {
            JSON if json.is_none() => {
                if size == 0 {
                    return Err(glb(GlbFault::EmptyChunk, at));
                }
                json = Some((chunk, start as u64));
            }
            BIN if bin.is_none() => {
                if size == 0 {
                    let message = "the BIN chunk is empty and could be left out".into();
                    found("GLB_EMPTY_BIN_CHUNK", Severity::Info, at, message);
                }
                if index != 1 {
                    let message = "the BIN chunk is not the second one; it is used".into();
                    found("GLB_UNEXPECTED_BIN_CHUNK", Severity::Error, at, message);
                }
                bin = Some(chunk);
            }
            JSON | BIN => {
                let message = "a second chunk of its type, left out".into();
                found("GLB_DUPLICATE_CHUNK", Severity::Error, at, message);
            }
            _ => {
                let message = format!("a chunk of unknown type {kind:#010x}, left out");
                found("GLB_UNKNOWN_CHUNK_TYPE", Severity::Warning, at, message);
            }
        }
        at = end;
        index += 1;
    }
    let Some((json, json_offset)) = json else {
        return Err(glb(GlbFault::EndOfChunkHeader, file.len()));
    };
    let container = Container::Glb { bin: bin.as_ref().map(|bin| bin.len()) };
    Ok(Unpacked { json, json_offset, bin, container })
}
