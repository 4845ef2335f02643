//! What the tests of the command share.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code outside of test functions")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

#[allow(unused_imports, reason = "each test file uses a part of it")]
pub(crate) use enliven_testing::{assets as shared_assets, repository};

/// What a run of the command gave.
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs the command with these arguments, in a folder of its own choice, without a terminal.
pub(crate) fn enliven(arguments: &[&str]) -> Output {
    run(&mut program(arguments))
}

/// The command with these arguments, to add to.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_enliven"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Output {
        code: output.status.code().unwrap_or(-1),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// Path of a shipped asset.
pub(crate) fn asset(name: &str) -> String {
    repository().join("assets").join(name).display().to_string()
}

/// A temporary folder, removed again at the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("enliven-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
