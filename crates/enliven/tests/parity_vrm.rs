//! Replays the golden vectors of three-vrm (`parity/vrm_*.json`, `vrma.json`) against the core.
//!
//! The folder is `ENLIVEN_PARITY`, else `parity` in the shared test data, which is
//! `ENLIVEN_SHARED`, else `../shared` beside the repository. Without it the tests are skipped;
//! under `CI=true` that is a failure. Cases of the same schema may be added freely: nothing here
//! knows a case but the tables of exceptions.

#![allow(clippy::print_stdout)] // A skipped test says so.

#[path = "parity_vrm/constraint.rs"]
mod constraint;
#[path = "parity_vrm/expression.rs"]
mod expression;
#[path = "parity_vrm/humanoid.rs"]
mod humanoid;
#[path = "parity_vrm/look_at.rs"]
mod look_at;
#[path = "parity_vrm/replay.rs"]
mod replay;
#[path = "parity_vrm/spring.rs"]
mod spring;
#[path = "parity_vrm/vrma.rs"]
mod vrma;
