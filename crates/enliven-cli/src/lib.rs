//! The `enliven` command as a library, so that tests and tools can call its parts.

pub mod cast;
mod command;
pub mod failure;
pub mod media;
pub mod model_file;
pub mod motion;
pub mod options;
pub mod person_file;
pub mod report;
pub mod scene;
pub mod shoot;
pub mod shot;
pub mod studio;
pub mod subject;
pub mod timeline;

#[cfg(test)]
mod testing;

/// The examples of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

use std::ffi::OsString;
use std::process::ExitCode;

pub use command::command;

/// Runs the command with its arguments, the program's name first, and returns its exit code.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match command::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(code) => ExitCode::from(code),
    }
}
