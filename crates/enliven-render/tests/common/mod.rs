//! What the tests share: a device, the shared models, and pictures to compare.

#![allow(dead_code)] // Each test file uses a part of it.

pub(crate) mod compare;
pub(crate) mod made;

use std::path::PathBuf;
use std::sync::Arc;

use enliven::Character;
use enliven_render::Gpu;

/// A missing prerequisite skips a test, except on the build server, where it is a failure.
fn skip<T>(reason: &str) -> Option<T> {
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "missing: {reason}");
    eprintln!("skipped: {reason}");
    None
}

/// A device, or `None` where there is none.
pub(crate) fn gpu() -> Option<Gpu> {
    match Gpu::headless() {
        Ok(gpu) => Some(gpu),
        Err(error) => skip(&error.to_string()),
    }
}

/// A model of the shared collection, or `None` where the collection is not there.
pub(crate) fn asset(path: &str) -> Option<Arc<Character>> {
    let shared = std::env::var_os("ENLIVEN_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let file = shared.join("assets").join(path);
    if !file.exists() {
        return skip(&format!("{} is not there", file.display()));
    }
    let import = enliven_io::import_file(&file, &enliven_io::Limits::default());
    Some(Arc::new(import.unwrap_or_else(|error| panic!("{path}: {error}")).character))
}
