//! Everything that CI checks, so that one command tells beforehand what CI will say.

use std::env::consts::EXE_EXTENSION;
use std::path::Path;
use std::process::Command;

use crate::setup;
use crate::step::{Failure, Outcome, cargo, root, run as run_command, step};
use crate::{demo, test, tidy, wasm};

/// `cargo xtask ci`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::new("usage: cargo xtask ci"));
    }
    setup::install(setup::TEST)?;
    // The quick checks first: a slip in the formatting should not take twenty minutes to show.
    step("format", || run_command(cargo().args(["fmt", "--all", "--check"])))?;
    step("tidy", tidy::check)?;
    step("clippy", || {
        let targets = ["clippy", "--workspace", "--all-targets", "--quiet"];
        run_command(cargo().args(targets).args(["--", "-D", "warnings"]))
    })?;
    test::tests(&[])?;
    test::doc_tests()?;
    step("documentation", || {
        let arguments = ["doc", "--workspace", "--no-deps", "--quiet"];
        run_command(cargo().args(arguments).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    examples()?;
    demo::check(&wasm::target_folder()?.join("debug"))?;
    wasm::check()?;
    wasm::digest()
}

/// Runs every example: each is one idea that ends by itself with exit code 0.
fn examples() -> Outcome {
    step("examples", || {
        // All at once, as the tests are built: a build for one package has other features of the
        // shared libraries, and would build those again.
        let everything = ["build", "--workspace", "--bins", "--examples", "--quiet"];
        run_command(cargo().args(everything))?;
        let folder_of_programs = wasm::target_folder()?.join("debug/examples");
        let mut count = 0;
        for (package, folder) in example_folders() {
            let mut names: Vec<String> = std::fs::read_dir(&folder)
                .into_iter()
                .flatten()
                .flatten()
                .filter_map(|entry| {
                    let name = entry.file_name().into_string().ok()?;
                    name.strip_suffix(".rs").map(str::to_owned)
                })
                .collect();
            names.sort();
            for name in &names {
                let rerun = format!("cargo run -p {package} --example {name}");
                let program = folder_of_programs.join(name).with_extension(EXE_EXTENSION);
                run_command(Command::new(program).current_dir(root()))
                    .map_err(|failure| failure.rerun(rerun))?;
            }
            count += names.len();
        }
        println!("   {count} examples ran");
        Ok(())
    })
}

fn example_folders() -> Vec<(String, std::path::PathBuf)> {
    let mut folders: Vec<_> = std::fs::read_dir(root().join("crates"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .map(|(package, folder)| (package, folder.join("examples")))
        .filter(|(_, folder)| Path::is_dir(folder))
        .collect();
    folders.sort();
    folders
}
