//! Three short films, from a bare machine, in one command.

use std::env::consts::{EXE_EXTENSION, EXE_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::setup;
use crate::step::{Failure, Outcome, cargo, root, run as run_command, step};
use crate::wasm::target_folder;

/// A film: its name, and the arguments of `enliven render` that make it.
struct Film {
    name: &'static str,
    what: &'static str,
    arguments: &'static [&'static str],
}

const FILMS: &[Film] = &[
    Film {
        name: "rabbit",
        what: "the built-in rabbit runs its winding course",
        arguments: &["rabbit", "--seconds", "6"],
    },
    Film {
        name: "fox",
        what: "the Fox walks, runs and walks again",
        arguments: &[
            "assets/Fox.glb",
            "--clip",
            "Walk",
            "--clip",
            "Run@2~0.6",
            "--clip",
            "Walk@4.4~0.6",
            "--sync",
            "--seconds",
            "6",
        ],
    },
    Film {
        name: "standing",
        what: "a creature that began as a static mesh, and a VRM person, stand and live",
        arguments: &["creature", "assets/Godette.vrm", "--motion", "stand", "--seconds", "6"],
    },
];

/// Small enough for a software driver on two cores.
const SIZE: &str = "640x360";

/// Less than this is no film of six seconds and no strip of six pictures.
const SMALLEST_BYTES: u64 = 20_000;

/// `cargo xtask demo [--no-play] [--dev]`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (mut play, mut release) = (true, true);
    for argument in arguments {
        match argument.as_str() {
            "--no-play" => play = false,
            "--dev" => release = false,
            _ => return Err(Failure::new("usage: cargo xtask demo [--no-play] [--dev]")),
        }
    }
    setup::install(setup::DEMO)?;
    let program = build(release)?;
    let folder = root().join("out/demo");
    make_films(&program, &folder)?;
    println!("\nThe films and their filmstrips:");
    for film in FILMS {
        for extension in ["mp4", "png"] {
            println!("  {}", folder.join(film.name).with_extension(extension).display());
        }
    }
    if play && has_display() {
        println!("\nOpening the live window (close it or press Q to end).");
        // Without a working window system the films are still what was asked for.
        if let Err(failure) = run_command(Command::new(&program).args(["play", "rabbit"])) {
            println!("{failure}");
        }
    }
    Ok(())
}

/// Makes the same films with the program that the tests left in `built`, so that CI fails when the
/// demo would.
pub(crate) fn check(built: &Path) -> Outcome {
    let folder = built.join("demo");
    make_films(&built.join("enliven").with_extension(EXE_EXTENSION), &folder)?;
    for film in FILMS {
        for extension in ["mp4", "png"] {
            let file = folder.join(film.name).with_extension(extension);
            let size = std::fs::metadata(&file).map(|data| data.len()).unwrap_or(0);
            if size < SMALLEST_BYTES {
                let what = format!("{} has {size} bytes", file.display());
                return Err(Failure::new(what).rerun("cargo xtask demo --dev"));
            }
        }
    }
    Ok(())
}

fn make_films(program: &Path, folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::new(format!("cannot make the folder {}: {error}", folder.display()))
    })?;
    for film in FILMS {
        step(film.what, || run_command(&mut render(program, film, folder)))?;
    }
    Ok(())
}

fn render(program: &Path, film: &Film, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).arg("render").args(film.arguments);
    quiet_drivers(&mut command);
    for extension in ["mp4", "png"] {
        command.arg("-o").arg(folder.join(film.name).with_extension(extension));
    }
    command.args(["--strip", "6", "--fps", "30", "--size", SIZE]);
    command
}

/// Without this variable a layer of Mesa complains on every start, on machines without a desktop.
pub(crate) fn quiet_drivers(command: &mut Command) {
    const FOLDER: &str = "XDG_RUNTIME_DIR";
    if std::env::var_os(FOLDER).is_none() {
        command.env(FOLDER, std::env::temp_dir());
    }
}

/// Builds the `enliven` command and returns where it is.
pub(crate) fn build(release: bool) -> Result<PathBuf, Failure> {
    step("build", || {
        let mut command = cargo();
        command.args(["build", "-p", "enliven-cli"]);
        if release {
            command.arg("--release");
        }
        run_command(&mut command)?;
        let profile = if release { "release" } else { "debug" };
        let name = format!("enliven{}", EXE_SUFFIX);
        Ok(target_folder()?.join(profile).join(name))
    })
}

fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    std::env::consts::OS != "linux" || set("DISPLAY") || set("WAYLAND_DISPLAY")
}
