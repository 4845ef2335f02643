//! What the tests share: a device, the shared models, and pictures to compare.

#![allow(dead_code)] // Each test file uses a part of it.

pub(crate) mod compare;
pub(crate) mod made;

use std::sync::Arc;

use enliven::Character;
use enliven_render::Gpu;

/// A device, or `None` where there is none.
pub(crate) fn gpu() -> Option<Gpu> {
    match Gpu::headless() {
        Ok(gpu) => Some(gpu),
        Err(error) => enliven_testing::skip(&error.to_string()),
    }
}

/// A model of the shared collection, or `None` where the collection is not there.
pub(crate) fn asset(path: &str) -> Option<Arc<Character>> {
    let file = enliven_testing::shared(&format!("assets/{path}"))?;
    let import = enliven_io::import_file(&file, &enliven_io::Limits::default());
    Some(Arc::new(import.unwrap_or_else(|error| panic!("{path}: {error}")).character))
}
