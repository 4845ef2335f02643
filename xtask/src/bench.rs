//! `cargo xtask bench`: the workloads beside the libraries that they are compared with.
//!
//! Times of different runs or machines say nothing; here all of them come from one run, one after
//! the other, and instruction counts from callgrind say the rest.

use std::path::PathBuf;
use std::process::Command;

use crate::step::{self, Failure, Outcome, cargo, has_program, root, step};

/// Units of workload W2, as benches/w2.rs names them.
const UNITS: &[&str] = &["sample", "seek", "blend", "model", "d", "d2"];
/// Most instructions of all of it (d2) for one character.
const MOST_D2: u64 = 40_000;
/// Units of the living actors, as benches/actors.rs names them.
const LIVES: &[&str] = &["mind", "still", "lives", "hops"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if let Some(other) = arguments.first() {
        return Err(Failure::new(format!("`bench` takes no argument, not `{other}`")));
    }
    let program = step("build the workload", || build("enliven", "w2"))?;
    let actors = step("build the living actors", || build("enliven", "actors"))?;
    step("W2 in enliven, times", || step::run(&mut Command::new(&program)))?;
    step("W2 in three.js, times", || three("w2.mjs", &[]))?;
    step("living actors, times", || step::run(&mut Command::new(&actors)))?;
    step("W2 in enliven, instructions a character (callgrind)", || {
        goals(&count(&program, UNITS, 1000)?)
    })?;
    step("living actors, instructions a step (callgrind)", || {
        count(&actors, LIVES, 600).map(drop)
    })?;
    let bounds = step("build the bounds", || build("enliven", "bounds"))?;
    step("boxes of posed bodies beside skinning, times", || step::run(&mut Command::new(&bounds)))?;
    load()?;
    step("a person, beside vrm-runtime", person)
}

/// Files of workload `load`, in the shared assets: without pictures, which node cannot decode.
const LOADED: [&str; 6] = [
    "rigged/RobotExpressive.glb",
    "rigged/robot_quaternius.glb",
    "rigged/quaternius/KnightCharacter.glb",
    "rigged/quaternius/Trex.glb",
    "rigged/quaternius/Crab.glb",
    "rigged/RiggedFigure.glb",
];

/// Workload `load`: bytes → character, beside three's loader.
fn load() -> Outcome {
    let Some(files) = shared(&LOADED) else { return Ok(()) };
    let program = step("build the loading", || build("enliven-io", "load"))?;
    step("loading in enliven, with and without the checks of rules, µs", || {
        step::run(Command::new(&program).args(&files))
    })?;
    step("loading in three.js, µs", || three("load.mjs", &files))
}

/// Where shared files are; `None` (said) where one is absent.
fn shared(files: &[&str]) -> Option<Vec<PathBuf>> {
    let shared = std::env::var_os("ENLIVEN_SHARED");
    let shared = shared.map_or_else(|| root().join("../shared"), PathBuf::from).join("assets");
    let files: Vec<PathBuf> = files.iter().map(|file| shared.join(file)).collect();
    if let Some(absent) = files.iter().find(|file| !file.is_file()) {
        println!("skipped: {} is absent", absent.display());
        return None;
    }
    Some(files)
}

/// An optimised benchmark program.
fn build(package: &str, name: &str) -> Result<PathBuf, Failure> {
    let again = format!("cargo bench -p {package} --bench {name} --no-run");
    let output = cargo()
        .args(["bench", "-p", package, "--bench", name, "--no-run", "--message-format=json"])
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
/// Least that a frame of vrm-runtime takes, in frames of enliven.
const LEAST_RATIO: f64 = 4.0;

/// Workload `vrm`: a package of its own, so that vrm-runtime is built for this alone.
fn person() -> Outcome {
    let Some(files) = shared(&PEOPLE) else { return Ok(()) };
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--manifest-path"]);
    command.arg(root().join("tools/vrm/Cargo.toml")).arg("--").args(files);
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|e| Failure::new(format!("cargo does not start: {e}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    if !output.status.success() {
        return Err(Failure::new("the comparison does not run"));
    }
    ratios(&text, PEOPLE.len())
}

/// The goal of workload `vrm`. Each line ends with a ratio: both programs ran in turns, so that the
/// machine cancels out of it.
fn ratios(text: &str, people: usize) -> Outcome {
    let of = |line: &str| line.strip_suffix('×')?.rsplit(' ').next()?.parse::<f64>().ok();
    let found: Vec<(&str, f64)> = text.lines().filter_map(|l| Some((l, of(l)?))).collect();
    if found.len() != people {
        return Err(Failure::new(format!("{} of {people} people were compared", found.len())));
    }
    match found.iter().find(|(_, ratio)| *ratio < LEAST_RATIO) {
        Some((line, _)) => Err(Failure::new(format!("the goal is {LEAST_RATIO}×; {line}"))),
        None => Ok(()),
    }
}

/// A program of tools/three on these files.
fn three(program: &str, files: &[PathBuf]) -> Outcome {
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
    node.arg(folder.join(program)).args(files);
    step::run(&mut node)
}

/// Instructions of each unit for one character; none (said) without valgrind.
fn count(program: &PathBuf, units: &[&str], rounds: u32) -> Result<Vec<u64>, Failure> {
    if !has_program("valgrind") {
        println!("skipped: valgrind is needed (Debian: apt-get install valgrind)");
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    for unit in units {
        // The difference of two runs is free of set-up.
        let few = instructions(program, unit, rounds)?;
        let many = instructions(program, unit, 2 * rounds)?;
        out.push(many.saturating_sub(few) / u64::from(rounds));
        println!("{unit:<7} {:>7}", out[out.len() - 1]);
    }
    Ok(out)
}

/// The goals of W2 in instructions; what the machine does meanwhile does not count.
fn goals(counts: &[u64]) -> Outcome {
    let of =
        |unit: &str| UNITS.iter().position(|u| *u == unit).and_then(|i| counts.get(i).copied());
    let (Some(sample), Some(seek), Some(d2)) = (of("sample"), of("seek"), of("d2")) else {
        return Ok(());
    };
    if d2 > MOST_D2 {
        return Err(Failure::new(format!("d2 takes {d2} instructions, the goal is {MOST_D2}")));
    }
    // At most 1.2 times.
    if seek * 5 > sample * 6 {
        return Err(Failure::new(format!("seek takes {seek} instructions, sample {sample}")));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_that_are_too_slow_or_missing_are_failures() {
        let lines = |a, b| format!("a.vrm: enliven 1 ns, vrm-runtime 9 ns, {a}×\nb.vrm: {b}×\n");
        assert!(ratios(&lines("8.5", "4.0"), 2).is_ok());
        assert!(ratios(&lines("8.5", "3.9"), 2).is_err());
        assert!(ratios("a.vrm: enliven 1 ns, vrm-runtime refuses it: no\n", 1).is_err());
        assert!(ratios("", 0).is_ok());
    }

    #[test]
    fn goals_that_are_missed_are_failures() {
        // sample, seek, blend, model, d, d2
        assert!(goals(&[9000, 9000, 1, 1, 1, 31_000]).is_ok());
        assert!(goals(&[9000, 9000, 1, 1, 1, 41_000]).is_err());
        assert!(goals(&[9000, 11_000, 1, 1, 1, 31_000]).is_err());
        assert!(goals(&[]).is_ok());
    }
}
