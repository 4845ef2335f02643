//! The tasks of this workspace, run as `cargo xtask TASK`.
//!
//! Every task prints what it does and how long it took; a task that fails names the command that
//! runs the failed part again.
#![expect(clippy::print_stdout, reason = "the terminal is what this program writes to")]

mod bench;
mod ci;
mod demo;
mod gallery;
mod setup;
mod step;
mod test;
mod three_vrm;
mod tidy;
mod wasm;

use std::process::ExitCode;

const HELP: &str = "\
The tasks of this workspace.

Usage: cargo xtask TASK [ARGUMENTS]

Tasks:
  demo          install what is missing, build, and make three short films in out/demo
                  --no-play   do not open the live window afterwards
                  --dev       use the quicker build that runs slower
  setup         install what the other tasks need (Debian), or say what to install
                  --check     only say what is missing; exit 1 when something is
  test          all tests, doc tests included  (arguments are passed on to the runner)
  ci            everything that CI checks: fmt, clippy, tidy, tests, docs, examples, wasm
  tidy          the rules that no compiler checks: who may know whom, file lengths, links, credits
  gallery       draw the pictures of docs/gallery again
  three-vrm     draw again, in Chromium, what three-vrm makes of the scenes that ours are held against
  wasm-digest   compare the digests of the native build with those of the wasm32 build under node
  bench         the workloads of docs/performance.md, beside three.js, with instruction counts
  help          this text
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = match arguments.split_first() {
        Some((task, rest)) => (task.as_str(), rest),
        None => ("help", &[][..]),
    };
    let outcome = match task {
        "demo" => demo::run(rest),
        "setup" => setup::run(rest),
        "test" => test::run(rest),
        "ci" => ci::run(rest),
        "tidy" => tidy::run(rest),
        "gallery" => gallery::run(rest),
        "three-vrm" => three_vrm::run(rest),
        "bench" => bench::run(rest),
        "wasm-digest" => wasm::run(rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprintln!("error: there is no task `{other}`\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nerror: {failure}");
            ExitCode::FAILURE
        }
    }
}
