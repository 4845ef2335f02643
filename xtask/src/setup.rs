//! Installs what the other tasks need and is not there yet, or says what to install.

use std::env::consts::EXE_EXTENSION;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::step::{Failure, Outcome, has_program, root, run as run_command, run_quietly, step};

/// Something outside the workspace that a task needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A Vulkan driver, the software one when the machine has no GPU.
    Vulkan,
    /// `ffmpeg`, for MP4 and WebM.
    Ffmpeg,
    /// The wasm32 standard library, for the checks that results do not depend on the platform.
    Wasm,
    /// `node`, which runs the wasm32 build, and `npm`, which fetches the Khronos validator.
    Node,
    /// A virtual display with its libraries, so that the live window is tested too.
    Display,
    /// `animsmith`, a linter of animation clips that baked files are held against.
    Animsmith,
    /// `glslangValidator` and a GLES driver, for the GLSL that three.js takes.
    Gles,
    /// `chromium`, in which three-vrm draws the pictures that ours are held against.
    Chromium,
}

/// What the films need.
pub(crate) const DEMO: &[Need] = &[Need::Vulkan, Need::Ffmpeg];
/// What the tests need.
pub(crate) const TEST: &[Need] = &[
    Need::Vulkan,
    Need::Ffmpeg,
    Need::Wasm,
    Need::Node,
    Need::Display,
    Need::Animsmith,
    Need::Gles,
];

const WASM: &str = "wasm32-unknown-unknown";
/// The version that the tests know; crates/enliven-io/tests/animsmith.rs looks for the same.
const ANIMSMITH: &str = "0.14.0";

impl Need {
    fn name(self) -> &'static str {
        match self {
            Need::Vulkan => "a Vulkan driver (drawing)",
            Need::Ffmpeg => "ffmpeg (MP4 and WebM)",
            Need::Wasm => "the wasm32-unknown-unknown target (same bits everywhere)",
            Need::Node => "node and npm (run the wasm32 build and the Khronos validator)",
            Need::Display => "a virtual display (tests of the live window)",
            Need::Animsmith => "animsmith (lint of baked clips)",
            Need::Gles => "glslangValidator and a GLES driver (GLSL for three.js)",
            Need::Chromium => "chromium (three-vrm's pictures)",
        }
    }

    fn packages(self) -> &'static [&'static str] {
        match self {
            Need::Vulkan => &["mesa-vulkan-drivers", "libvulkan1"],
            Need::Ffmpeg => &["ffmpeg"],
            Need::Wasm | Need::Animsmith => &[],
            Need::Node => &["nodejs", "npm"],
            Need::Gles => &["glslang-tools", "libegl1", "libegl-mesa0", "libgles2"],
            Need::Chromium => &["chromium"],
            Need::Display => &[
                "xvfb",
                "xauth",
                "libx11-xcb1",
                "libxcursor1",
                "libxi6",
                "libxkbcommon-x11-0",
                "libxrandr2",
            ],
        }
    }

    fn present(self) -> bool {
        match self {
            Need::Vulkan => has_vulkan(),
            Need::Ffmpeg => has_program("ffmpeg"),
            Need::Wasm => has_wasm_target(),
            Need::Node => has_program("node") && has_program("npm"),
            Need::Animsmith => {
                animsmith_root().join("bin/animsmith").with_extension(EXE_EXTENSION).is_file()
            }
            Need::Gles => has_program("glslangValidator") && has_library("libEGL.so.1"),
            Need::Chromium => has_program("chromium") || has_program("google-chrome"),
            Need::Display => {
                has_program("Xvfb")
                    && has_library("libXcursor.so.1")
                    && has_library("libxkbcommon-x11.so.0")
            }
        }
    }

    /// What to do by hand where this program cannot install it.
    fn by_hand(self) -> &'static str {
        match (self, std::env::consts::OS) {
            (Need::Vulkan, "macos") => "nothing to install: macOS draws with Metal",
            (Need::Vulkan, "windows") => "install the driver of your graphics card",
            (Need::Vulkan, _) => {
                "install Mesa's Vulkan drivers (Fedora: mesa-vulkan-drivers; Arch: vulkan-swrast)"
            }
            (Need::Ffmpeg, "macos") => "brew install ffmpeg",
            (Need::Ffmpeg, "windows") => "winget install Gyan.FFmpeg",
            (Need::Ffmpeg, _) => "install the package ffmpeg of your system",
            (Need::Wasm, _) => "rustup target add wasm32-unknown-unknown",
            (Need::Node, "macos") => "brew install node",
            (Need::Node, "windows") => "winget install OpenJS.NodeJS.LTS",
            (Need::Node, _) => "install the packages nodejs and npm of your system",
            (Need::Animsmith, _) => "cargo install animsmith --no-default-features",
            (Need::Gles, _) => "optional: install glslang and Mesa's EGL and GLES",
            (Need::Chromium, _) => "install Chromium, and name it in $CHROMIUM",
            (Need::Display, _) => "optional: install Xvfb to test the live window without a screen",
        }
    }

    /// Whether the tasks can do without it, with a part of the work skipped.
    fn optional(self) -> bool {
        matches!(self, Need::Display | Need::Gles)
    }
}

/// `cargo xtask setup [--check]`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => install(TEST),
        [flag] if flag == "--check" => check(TEST),
        _ => Err(Failure::new("usage: cargo xtask setup [--check]")),
    }
}

/// Says what is missing and installs nothing.
fn check(needs: &[Need]) -> Outcome {
    let mut missing = 0;
    for need in needs {
        let there = need.present();
        println!("   {} {}", if there { "there  " } else { "MISSING" }, need.name());
        missing += usize::from(!there && !need.optional());
    }
    if missing == 0 {
        return Ok(());
    }
    Err(Failure::new(format!("{missing} missing")).rerun("cargo xtask setup"))
}

/// Installs those of `needs` that are missing and skips what is there.
pub(crate) fn install(needs: &[Need]) -> Outcome {
    step("set-up", || {
        let missing: Vec<Need> = needs.iter().copied().filter(|need| !need.present()).collect();
        if missing.is_empty() {
            println!("   everything is there already");
        }
        if missing.contains(&Need::Wasm) {
            add_wasm_target()?;
        }
        if missing.contains(&Need::Animsmith) {
            install_animsmith()?;
        }
        let packages: Vec<&str> =
            missing.iter().flat_map(|need| need.packages()).copied().collect();
        if !packages.is_empty() {
            if has_program("apt-get") {
                apt_install(&packages)?;
            } else {
                let by_hand = |need: &&Need| !need.packages().is_empty();
                say_by_hand(missing.iter().filter(by_hand).copied());
            }
        }
        let still: Vec<&str> = missing
            .iter()
            .filter(|need| !need.optional() && !need.present())
            .map(|need| need.name())
            .collect();
        if !has_program("cargo-nextest") && needs == TEST {
            println!("   cargo-nextest is not there: tests run with the slower `cargo test`");
        }
        if still.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("still missing: {}", still.join(", "))).rerun("cargo xtask setup"))
    })
}

fn say_by_hand(needs: impl Iterator<Item = Need>) {
    println!("   This system has no apt-get, so please install by hand:");
    for need in needs {
        println!("     {}: {}", need.name(), need.by_hand());
    }
}

fn add_wasm_target() -> Outcome {
    if !has_program("rustup") {
        return Err(Failure::new(format!(
            "the {WASM} target is missing and there is no rustup to add it: install it with the \
             package manager that Rust came from"
        )));
    }
    run_command(Command::new("rustup").args(["target", "add", WASM]).current_dir(root()))
}

/// Where animsmith is installed, once for all checkouts: a folder of its version in the user's
/// cache.
fn animsmith_root() -> PathBuf {
    let home = || std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| home().map(|home| PathBuf::from(home).join(".cache")));
    let name = format!("enliven/tools/animsmith-{ANIMSMITH}");
    cache.unwrap_or_else(std::env::temp_dir).join(name)
}

/// Builds animsmith: about four minutes on two cores, and never again on this machine.
fn install_animsmith() -> Outcome {
    let mut command = Command::new("cargo");
    command.args(["install", "animsmith", "--version", ANIMSMITH, "--locked", "--quiet"]);
    // Without its C++ part for FBX and its reports.
    command.args(["--no-default-features", "--root"]).arg(animsmith_root());
    run_command(&mut command)
}

fn apt_install(packages: &[&str]) -> Outcome {
    let apt = || {
        let mut command = if is_root() || !has_program("sudo") {
            Command::new("apt-get")
        } else {
            let mut command = Command::new("sudo");
            command.arg("apt-get");
            command
        };
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command.stdin(Stdio::null());
        command
    };
    println!("   installing: {}", packages.join(" "));
    // A stale or empty package list is the usual state of a bare machine; when the update fails
    // (one dead source among many), the install still tells best what is wrong.
    if let Err(failure) = run_quietly(apt().args(["update", "-qq"])) {
        println!("   {failure}");
    }
    run_quietly(apt().args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|out| out.stdout.trim_ascii() == b"0")
}

/// Whether `rustc` has a standard library for wasm32, with rustup or without.
fn has_wasm_target() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", WASM])
        .current_dir(root())
        .stderr(Stdio::null())
        .output();
    output.is_ok_and(|out| {
        let folder = String::from_utf8_lossy(&out.stdout).trim().to_owned();
        out.status.success() && Path::new(&folder).is_dir()
    })
}

/// Whether something can draw: the software driver, or a driver together with a GPU.
///
/// A driver's file alone proves nothing, since Mesa installs those of GPUs that are not there.
fn has_vulkan() -> bool {
    if std::env::consts::OS != "linux" {
        return true;
    }
    let drivers = vulkan_drivers();
    let software = drivers
        .iter()
        .any(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvp")));
    has_library("libvulkan.so.1") && (software || !drivers.is_empty() && has_gpu())
}

fn vulkan_drivers() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        if let Some(list) = std::env::var_os(variable) {
            files.extend(std::env::split_paths(&list).filter(|file| file.is_file()));
        }
    }
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folders = [
        PathBuf::from("/usr/share/vulkan/icd.d"),
        PathBuf::from("/usr/local/share/vulkan/icd.d"),
        PathBuf::from("/etc/vulkan/icd.d"),
        home.join(".local/share/vulkan/icd.d"),
    ];
    for folder in folders {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files.extend(entries.map(|entry| entry.path()));
    }
    files
}

fn has_gpu() -> bool {
    let nodes = std::fs::read_dir("/dev/dri").into_iter().flatten().flatten();
    let render = |name: std::ffi::OsString| name.to_string_lossy().starts_with("renderD");
    nodes.map(|entry| entry.file_name()).any(render) || Path::new("/dev/nvidia0").exists()
}

fn has_library(name: &str) -> bool {
    let cached = ["/sbin/ldconfig", "ldconfig"].iter().any(|program| {
        let output = Command::new(program).arg("-p").stderr(Stdio::null()).output();
        output.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains(name))
    });
    let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib"];
    cached || folders.iter().any(|folder| Path::new(folder).join(name).exists())
}
