//! The `enliven` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    enliven_cli::run(std::env::args_os())
}
