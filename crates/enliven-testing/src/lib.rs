//! What the tests and benchmarks of this workspace share: where test data is, programs beside
//! Rust, and how much two pictures differ. Only ever a dev-dependency.
//!
//! What a test needs and a machine lacks skips the test, which says so on the error stream; with
//! `CI=true` it fails.

mod data;
mod node;
mod pictures;

pub use data::{assets, ending, files, parity, repository, shared};
pub use node::{has, node, npm};
pub use pictures::{differences, percentile};

/// Says what is missing and gives `None`.
///
/// # Panics
/// With `CI=true`: there nothing may be missing.
#[track_caller]
pub fn skip<T>(what: &str) -> Option<T> {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "missing: {what}");
    eprintln!("skipped: {what}");
    None
}
