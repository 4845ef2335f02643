//! Runs every test of the workspace.

use crate::setup;
use crate::step::{Outcome, cargo, has_program, run as run_command, step};

/// `cargo xtask test [ARGUMENTS]`: the arguments go to the test runner.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    setup::install(setup::TEST)?;
    let filters: Vec<&str> = arguments.iter().map(String::as_str).collect();
    tests(&filters)?;
    // Doc tests know nothing of the runner's filters: they belong to the full run only.
    if filters.is_empty() { doc_tests() } else { Ok(()) }
}

/// All tests but the doc tests, with nextest where it is installed.
pub(crate) fn tests(arguments: &[&str]) -> Outcome {
    step("tests", || {
        let mut command = cargo();
        if has_program("cargo-nextest") {
            command.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
        } else {
            // `--lib --bins --tests --examples`, since plain `cargo test` runs the doc tests too.
            command.args(["test", "--workspace", "--no-fail-fast"]);
            command.args(["--lib", "--bins", "--tests", "--examples"]);
        }
        run_command(command.args(arguments))
    })
}

/// The examples in the documentation and in the README.
pub(crate) fn doc_tests() -> Outcome {
    step("doc tests", || run_command(cargo().args(["test", "--workspace", "--doc"])))
}
