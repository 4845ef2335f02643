//! `cargo xtask bench`: the workloads beside the libraries that they are compared with.
//!
//! Times of different runs or machines say nothing; here all of them come from one run, one after
//! the other, and instruction counts from callgrind say the rest.

use std::path::PathBuf;
use std::process::Command;

use crate::step::{self, Failure, Outcome, cargo, has_program, root, step};

/// Units of workload W2, as benches/w2.rs names them.
const UNITS: &[&str] = &["sample", "seek", "blend", "model", "d", "d2"];
/// Units of the living actors, as benches/actors.rs names them.
const LIVES: &[&str] = &["mind", "still", "lives", "hops"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if let Some(other) = arguments.first() {
        return Err(Failure::new(format!("`bench` takes no argument, not `{other}`")));
    }
    let program = step("build the workload", || build("w2"))?;
    let actors = step("build the living actors", || build("actors"))?;
    step("W2 in enliven, times", || step::run(&mut Command::new(&program)))?;
    step("W2 in three.js, times", three)?;
    step("living actors, times", || step::run(&mut Command::new(&actors)))?;
    step("W2 in enliven, instructions a character (callgrind)", || count(&program, UNITS, 1000))?;
    step("living actors, instructions a step (callgrind)", || count(&actors, LIVES, 600))?;
    step("a person, beside vrm-runtime", person)
}

/// An optimised benchmark program.
fn build(name: &str) -> Result<PathBuf, Failure> {
    let again = format!("cargo bench -p enliven --bench {name} --no-run");
    let output = cargo()
        .args(["bench", "-p", "enliven", "--bench", name, "--no-run", "--message-format=json"])
        .output()
        .map_err(|e| Failure::new(format!("cargo does not start: {e}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let key = "\"executable\":\"";
    text.lines()
        .filter(|line| line.contains(&format!("\"name\":\"{name}\"")))
        .find_map(|line| line.split_once(key)?.1.split('"').next())
        .map(PathBuf::from)
        .ok_or_else(|| Failure::new("the workload does not build").rerun(again))
}

/// Files of workload `vrm`, in the shared assets.
const PEOPLE: [&str; 2] = ["vrm1/DebugRobot.vrm", "vrm1/conformance/smoke_spring.vrm"];

/// Workload `vrm`: a package of its own, so that vrm-runtime is built for this alone.
fn person() -> Outcome {
    let shared = std::env::var_os("ENLIVEN_SHARED");
    let shared = shared.map_or_else(|| root().join("../shared"), PathBuf::from).join("assets");
    let files: Vec<PathBuf> = PEOPLE.iter().map(|file| shared.join(file)).collect();
    if let Some(absent) = files.iter().find(|file| !file.is_file()) {
        println!("skipped: {} is absent", absent.display());
        return Ok(());
    }
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--manifest-path"]);
    command.arg(root().join("tools/vrm/Cargo.toml")).arg("--").args(files);
    step::run(&mut command)
}

fn three() -> Outcome {
    let folder = root().join("tools/three");
    if !has_program("node") || !has_program("npm") {
        println!("skipped: node and npm are needed (Debian: apt-get install nodejs npm)");
        return Ok(());
    }
    if !folder.join("node_modules/three").is_dir() {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(&folder);
        match npm.status() {
            Ok(status) if status.success() => {}
            _ => {
                println!("skipped: npm could not install three into {}", folder.display());
                return Ok(());
            }
        }
    }
    let mut node = Command::new("node");
    node.arg(folder.join("w2.mjs"));
    step::run(&mut node)
}

fn count(program: &PathBuf, units: &[&str], rounds: u32) -> Outcome {
    if !has_program("valgrind") {
        println!("skipped: valgrind is needed (Debian: apt-get install valgrind)");
        return Ok(());
    }
    for unit in units {
        // The difference of two runs is free of set-up.
        let few = instructions(program, unit, rounds)?;
        let many = instructions(program, unit, 2 * rounds)?;
        println!("{unit:<7} {:>7}", many.saturating_sub(few) / u64::from(rounds));
    }
    Ok(())
}

fn instructions(program: &PathBuf, unit: &str, rounds: u32) -> Result<u64, Failure> {
    let rounds = rounds.to_string();
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([unit, "1", &rounds])
        .output()
        .map_err(|e| Failure::new(format!("valgrind does not start: {e}")))?;
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines()
        .find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
        .ok_or_else(|| Failure::new(format!("callgrind counted nothing:\n{text}")))
}
