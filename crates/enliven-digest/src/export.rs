//! What the wasm32 module gives to node.

// Exporting a symbol counts as unsafe, since two of one name would clash; these names are ours.
#![allow(unsafe_code)]

use crate::CASES;

/// How many digests there are.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn digest_count() -> u32 {
    CASES.len() as u32
}

/// The digest at `index`; 0 beyond the last.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn digest(index: u32) -> u64 {
    CASES.get(index as usize).map_or(0, |case| (case.run)())
}
