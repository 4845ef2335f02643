//! Draws again what three-vrm makes of the scenes that our pictures are held against.

use std::process::Command;

use crate::setup;
use crate::step::{Failure, Outcome, cargo, has_program, root, run as run_command, step};

const TOOL: &str = "tools/three-vrm";
const SCENES: &str = "crates/enliven-render/tests/in/three-vrm";

/// `cargo xtask three-vrm`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::new("usage: cargo xtask three-vrm"));
    }
    setup::install(&[setup::Need::Vulkan, setup::Need::Node, setup::Need::Chromium])?;
    let shared = std::env::var_os("ENLIVEN_SHARED")
        .map_or_else(|| root().join("../shared"), std::path::PathBuf::from);
    let tool = root().join(TOOL);
    if !tool.join("node_modules").is_dir() {
        step("three-vrm from npm", || {
            let mut npm = Command::new("npm");
            npm.args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(&tool);
            run_command(&mut npm)
        })?;
    }
    // The file of the balls is made by the test's own code.
    step("our file", || bless("the_file_is_what_the_code_makes"))?;
    step("three-vrm in Chromium", || {
        let scenes = root().join(SCENES);
        let mut node = Command::new("node");
        node.current_dir(&tool).arg("draw.mjs");
        node.arg(scenes.join("scenes.json")).arg(&scenes).arg(shared.join("assets"));
        if !has_program("chromium") && has_program("google-chrome") {
            node.env("CHROMIUM", "google-chrome");
        }
        run_command(&mut node)
    })?;
    step("ours beside theirs, docs/people/mtoon.png", || bless("as_three_vrm_draws_it"))
}

fn bless(test: &str) -> Outcome {
    let mut command = cargo();
    command.args(["test", "--quiet", "-p", "enliven-render", "--test", "mtoon", test]);
    run_command(command.env("ENLIVEN_BLESS", "1"))
}
