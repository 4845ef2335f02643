//! Files by their path.

use std::{io::Read as _, path::Path};

use crate::{Error, Folder, Import, LimitKind, Limits, Options, Place, import};

/// Reads the glTF, GLB or VRM file at `path`; what it refers to is looked for in its folder, and
/// nowhere else.
///
/// # Errors
/// As [`import()`], and [`Error::Read`] when the file cannot be read from where it lies.
pub fn import_file(path: impl AsRef<Path>, limits: &Limits) -> Result<Import, Error> {
    let path = path.as_ref();
    let bytes = read_file(path, limits)?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let options = Options {
        limits: limits.clone(),
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        binary: ["glb", "vrm", "vrma"].iter().any(|kind| ending.eq_ignore_ascii_case(kind)),
        unchecked: false,
    };
    import(bytes, &mut Folder::of(path), &options)
}

/// Reads a regular file whole, up to [`Limits::total_bytes`].
///
/// # Errors
/// [`Error::Read`] when it cannot be read or is no regular file, [`Error::Limit`] when it is longer.
pub fn read_file(path: impl AsRef<Path>, limits: &Limits) -> Result<Vec<u8>, Error> {
    let path = path.as_ref();
    let said = |error: std::io::Error| Error::Read {
        path: path.display().to_string(),
        message: error.to_string(),
    };
    let about = path.metadata().map_err(said)?;
    if !about.is_file() {
        let message = "not a regular file".into();
        return Err(Error::Read { path: path.display().to_string(), message });
    }
    let over = || Error::Limit {
        what: LimitKind::TotalBytes,
        allowed: limits.total_bytes,
        place: Place::Byte(limits.total_bytes),
    };
    if about.len() > limits.total_bytes {
        return Err(over());
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    let file = std::fs::File::open(path).map_err(said)?;
    // The file may have grown since.
    file.take(limits.total_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(said)?;
    if bytes.len() as u64 > limits.total_bytes {
        return Err(over());
    }
    Ok(bytes)
}
