//! Checks that the portable crates build for wasm32 and give the same bits there.
//!
//! The digests come from the package `enliven-digest`: natively its binary prints one line
//! `NAME HEX` a digest; on wasm32 its `cdylib` exports `digest_count() -> u32` and
//! `digest(index: u32) -> u64`, which node calls in the same order.

use std::path::PathBuf;
use std::process::Command;

use crate::step::{Failure, Outcome, cargo, root, run as run_command, shown, step};

const TARGET: &str = "wasm32-unknown-unknown";
/// The crates that every platform can build: those that know no GPU, window or terminal.
const PORTABLE: &[&str] = &["enliven", "enliven-io"];
const DIGEST: &str = "enliven-digest";
const RERUN: &str = "cargo xtask wasm-digest";

/// Prints every digest of a wasm module in hexadecimal, one a line.
const NODE: &str = r"
const fs = require('fs');
WebAssembly.instantiate(fs.readFileSync(process.argv[1]), {}).then(({ instance }) => {
  const { digest_count, digest } = instance.exports;
  for (let i = 0; i < digest_count(); i++) {
    console.log(BigInt.asUintN(64, digest(i)).toString(16).padStart(16, '0'));
  }
}).catch((error) => { console.error(error); process.exit(1); });
";

/// `cargo xtask wasm-digest`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::new(format!("usage: {RERUN}")));
    }
    digest()
}

/// Type-checks the portable crates for wasm32.
pub(crate) fn check() -> Outcome {
    step("wasm32 check", || {
        for package in PORTABLE {
            let arguments = ["check", "--quiet", "-p", package, "--target", TARGET];
            run_command(cargo().args(arguments))?;
        }
        Ok(())
    })
}

/// Compares the digests of the native build with those of the wasm32 build.
pub(crate) fn digest() -> Outcome {
    step("wasm32 digests", || {
        let native = output(cargo().args(["run", "--quiet", "-p", DIGEST]))?;
        let arguments = ["build", "--quiet", "--lib", "-p", DIGEST, "--target", TARGET];
        run_command(cargo().args(arguments))?;
        let module = target_folder()?.join(TARGET).join("debug/enliven_digest.wasm");
        let wasm = output(Command::new("node").args(["-e", NODE]).arg(module))?;
        compare(&native, &wasm)
    })
}

/// Holds `NAME HEX` lines against bare `HEX` lines in the same order.
fn compare(native: &str, wasm: &str) -> Outcome {
    let native: Vec<&str> = native.lines().collect();
    let wasm: Vec<&str> = wasm.lines().collect();
    if native.is_empty() || native.len() != wasm.len() {
        let counts = format!("{} native digests, {} of wasm32", native.len(), wasm.len());
        return Err(Failure::new(counts).rerun(RERUN));
    }
    let mut wrong = 0;
    for (line, theirs) in native.iter().zip(&wasm) {
        let (name, ours) = line.rsplit_once(' ').unwrap_or(("?", line));
        let same = ours == *theirs;
        wrong += usize::from(!same);
        let verdict = if same { "same" } else { "DIFFERS" };
        println!("   {name:32} native {ours}  wasm32 {theirs}  {verdict}");
    }
    if wrong == 0 {
        return Ok(());
    }
    Err(Failure::new(format!("{wrong} of {} digests differ", native.len())).rerun(RERUN))
}

/// What `command` prints to its standard output.
fn output(command: &mut Command) -> Result<String, Failure> {
    let shown = shown(command);
    let short = shown.lines().next().unwrap_or_default();
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| Failure::new(format!("cannot start `{short}`: {error}")))?;
    if !output.status.success() {
        return Err(Failure::new(format!("`{short}` ended with {}", output.status)).rerun(RERUN));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The folder that cargo builds into.
pub(crate) fn target_folder() -> Result<PathBuf, Failure> {
    let metadata = output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    // One string of a large JSON document is all that is wanted of it.
    let key = "\"target_directory\":\"";
    let folder = metadata
        .find(key)
        .and_then(|at| metadata[at + key.len()..].split('"').next())
        .map(|path| path.replace("\\\\", "\\"))
        .ok_or_else(|| Failure::new("`cargo metadata` names no target folder"))?;
    Ok(root().join(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_digests_pass_and_others_fail() {
        assert!(compare("fox 00ff\nrabbit 1\n", "00ff\n1\n").is_ok());
        assert!(compare("fox 00ff\n", "00fe\n").is_err());
        assert!(compare("fox 00ff\n", "").is_err());
        assert!(compare("", "").is_err());
    }

    #[test]
    fn the_target_folder_exists() {
        assert!(target_folder().is_ok_and(|folder| folder.is_dir()));
    }
}
