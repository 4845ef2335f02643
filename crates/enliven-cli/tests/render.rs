//! `enliven render` from the command line to the file.

mod support;

use std::path::Path;

use image::GenericImageView;
use support::{Scratch, asset, enliven, program, run};

fn picture(path: &str) -> image::DynamicImage {
    image::open(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn one_command_writes_every_kind_the_same_each_time_and_at_any_number_of_jobs() {
    let scratch = Scratch::new();
    let fox = asset("Fox.glb");
    let mut first: Vec<Vec<u8>> = Vec::new();
    for jobs in ["1", "2"] {
        let outs: Vec<String> =
            ["a.png", "a.gif", "a.apng"].iter().map(|name| scratch.path(name)).collect();
        let mut arguments = vec!["render", &fox, "--clip", "Walk", "--clip", "Run@0.1~0.2"];
        arguments.extend(["--sync", "--seconds", "0.3", "--fps", "20", "--size", "64x36"]);
        arguments.extend(["--strip", "3", "--jobs", jobs]);
        for out in &outs {
            arguments.extend(["-o", out]);
        }
        let result = enliven(&arguments);
        assert_eq!(result.code, 0, "{}", result.err);
        let bytes: Vec<Vec<u8>> = outs.iter().map(|out| std::fs::read(out).unwrap()).collect();
        if first.is_empty() {
            first = bytes;
        } else {
            assert!(first == bytes, "the bytes depend on the number of jobs");
        }
    }
    // Three frames in a row with gaps of four pixels.
    assert_eq!(picture(&scratch.path("a.png")).dimensions(), (64 * 3 + 8, 36));
    assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 3, "something is left");
}

#[test]
fn a_folder_of_transparent_frames() {
    let scratch = Scratch::new();
    let folder = scratch.path("frames");
    let result = enliven(&[
        "render",
        "rabbit",
        "-o",
        &folder,
        "--seconds",
        "0.1",
        "--size",
        "40",
        "--background",
        "transparent",
        "--json",
    ]);
    assert_eq!(result.code, 0, "{}", result.err);
    let told: serde_json::Value = serde_json::from_str(&result.out).unwrap();
    assert_eq!((told["frames"].as_u64(), told["width"].as_u64()), (Some(3), Some(40)));
    let frame = picture(&format!("{folder}/frame-00002.png")).to_rgba8();
    let alpha = |wanted: fn(u8) -> bool| frame.pixels().filter(|p| wanted(p.0[3])).count();
    assert!(alpha(|a| a == 255) > 100, "the rabbit is opaque");
    assert!(alpha(|a| a == 0) > 300, "the sky is transparent");
    assert!(!Path::new(&format!("{folder}/frame-00003.png")).exists());
}

#[test]
fn seeds_cameras_and_subjects_change_the_picture() {
    let scratch = Scratch::new();
    let mob = asset("squash_mob.glb");
    let variants: [&[&str]; 5] = [
        &["rabbit"],
        &["rabbit", "--camera", "face"],
        &["rabbit", "--camera", "eye=1,1,2 target=0,0.2,0 fov=40"],
        &["rabbit", "--background", "#204060"],
        &["rabbit", &mob],
    ];
    let mut seen: Vec<Vec<u8>> = Vec::new();
    for (index, variant) in variants.iter().enumerate() {
        let out = scratch.path(&format!("{index}.png"));
        let mut arguments = vec!["render"];
        arguments.extend(*variant);
        arguments.extend(["-o", &out, "--size", "64x48"]);
        let result = enliven(&arguments);
        assert_eq!(result.code, 0, "{variant:?}: {}", result.err);
        let pixels = picture(&out).to_rgb8().into_raw();
        assert!(!seen.contains(&pixels), "{variant:?} looks like an earlier one");
        seen.push(pixels);
    }
}

#[test]
fn a_missing_tool_is_exit_code_3_and_says_how_to_get_it() {
    let scratch = Scratch::new();
    let out = scratch.path("a.mp4");
    let mut command = program(&["render", "rabbit", "-o", &out]);
    let result = run(command.env("PATH", scratch.path("")));
    assert_eq!(result.code, 3, "{}", result.err);
    assert!(result.err.contains("error[CLI_FFMPEG_MISSING]"), "{}", result.err);
    assert!(result.err.contains("apt-get install ffmpeg"), "{}", result.err);
    assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 0, "something is left");
}

#[test]
fn no_driver_is_exit_code_3_and_says_what_to_install() {
    let scratch = Scratch::new();
    let out = scratch.path("a.png");
    let mut command = program(&["render", "rabbit", "-o", &out]);
    // No adapter has this name: the same as none at all.
    let result = run(command.env("WGPU_ADAPTER_NAME", "no such adapter"));
    assert_eq!(result.code, 3, "{}", result.err);
    assert!(result.err.contains("error[CLI_NO_ADAPTER]"), "{}", result.err);
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_place_that_cannot_be_written_is_exit_code_4_before_anything_is_drawn() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path("file"), "").unwrap();
    let result = enliven(&["render", "rabbit", "-o", &scratch.path("file/a.png")]);
    assert_eq!(result.code, 4, "{}", result.err);
    assert!(result.err.contains("error[CLI_OUTPUT]"), "{}", result.err);
}

#[test]
fn no_display_is_exit_code_3_and_says_what_to_do() {
    let mut command = program(&["play", "rabbit"]);
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(variable);
    }
    let result = run(&mut command);
    assert_eq!(result.code, 3, "{}", result.err);
    assert!(result.err.contains("error[CLI_NO_DISPLAY]"), "{}", result.err);
    assert!(result.err.contains("enliven render"), "{}", result.err);
}

/// Textures that move by themselves are where the film's time has them.
#[test]
fn textures_of_mtoon_move_with_the_film() {
    let Some(assets) = support::shared_assets() else { return };
    let file = assets.join("vrm1/VRMC_materials_mtoon_UV_Animation_Test.vrm");
    let file = file.display().to_string();
    let scratch = Scratch::new();
    let picture = |at: &str| {
        let out = scratch.path(&format!("{at}.png"));
        let camera = "eye=0,0.75,3 target=0,0.75,0 fov=28";
        let result = enliven(&[
            "render", &file, "-o", &out, "--at", at, "--size", "96x96", "--camera", camera,
        ]);
        assert_eq!(result.code, 0, "{}", result.err);
        image::open(&out).unwrap().into_rgba8().into_raw()
    };
    let [start, later, round] = ["0", "0.25", "1"].map(picture);
    let moved = |a: &[u8], b: &[u8]| {
        let differences = enliven_testing::differences(a, b);
        differences.iter().filter(|d| **d > 40.0).count()
    };
    assert!(moved(&start, &later) > 100, "{}", moved(&start, &later));
    // Two of the three come round once a second; the third turns on.
    assert!(moved(&start, &round) < moved(&start, &later), "{}", moved(&start, &round));
}

/// A file that lies about the length of its clip is refused by every command that plays it, at once.
#[test]
fn clips_without_end_are_refused() {
    use enliven::{Clip, Curve, Interpolation, JointId, Property, Target, Track};
    let scratch = Scratch::new();
    let fox = enliven_io::import_file(Path::new(&asset("Fox.glb")), &Default::default()).unwrap();
    let times: std::sync::Arc<[f32]> = [0.0, 1e30].into();
    let curve = Curve::new(times, vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0], 3, Interpolation::Linear);
    let target = Target::Joint(JointId(0), Property::Translation);
    let track = Track { target, curve: curve.unwrap() };
    let clip = Clip::new("Endless", vec![track]);
    let what = enliven_io::gltf::Export {
        character: &fox.character,
        document: None,
        clips: enliven_io::gltf::Clips::Instead(&[clip]),
    };
    let long = scratch.path("long.glb");
    std::fs::write(&long, enliven_io::gltf::export(&what).to_glb().unwrap()).unwrap();
    let text = std::fs::read_to_string(asset("cmu_02_01_walk.bvh")).unwrap();
    let slow = scratch.path("slow.bvh");
    std::fs::write(&slow, text.replace("Frame Time: 0.008333", "Frame Time: 1e30")).unwrap();
    assert_ne!(text, std::fs::read_to_string(&slow).unwrap(), "the time is another");
    let (godette, out) = (asset("Godette.vrm"), scratch.path("a.png"));
    let glb = scratch.path("a.glb");
    for arguments in [
        &["render", &long, "-o", &out][..],
        &["render", &godette, "--clip", &slow, "-o", &out],
        &["bake", &long, "-o", &glb],
        &["check", &godette, "--clip", &slow],
    ] {
        let result = enliven(arguments);
        assert_eq!(result.code, 2, "{arguments:?}: {}", result.err);
        assert!(result.err.contains("CLI_OPTION"), "{arguments:?}: {}", result.err);
        assert!(result.err.contains("longer than a day"), "{arguments:?}: {}", result.err);
    }
    assert!(!Path::new(&out).exists() && !Path::new(&glb).exists());
    let result = enliven(&["convert", &slow, &scratch.path("a.bvh"), "--fps", "30"]);
    assert_eq!(result.code, 4, "{}", result.err);
    assert!(result.err.contains("LIMIT_NUMBERS"), "{}", result.err);
    assert!(!Path::new(&scratch.path("a.bvh")).exists());
    // What is shorter than a day and longer than can be baked wants a length.
    std::fs::write(&slow, text.replace("Frame Time: 0.008333", "Frame Time: 30")).unwrap();
    let result = enliven(&["bake", &godette, "--clip", &slow, "-o", &glb]);
    assert_eq!(result.code, 2, "{}", result.err);
    assert!(result.err.contains("--seconds"), "{}", result.err);
}

/// Feet that never touch are out of range, and nothing is measured of them.
#[test]
fn a_check_of_nothing_has_no_numbers_that_are_none() {
    let scratch = Scratch::new();
    let text = std::fs::read_to_string(asset("cmu_02_01_walk.bvh")).unwrap();
    let (head, rows) = text.split_once("MOTION").unwrap();
    let rows: Vec<&str> = rows.lines().filter(|row| !row.trim().is_empty()).collect();
    let short = scratch.path("short.bvh");
    let motion = format!("MOTION\nFrames: 2\nFrame Time: 0.01\n{}\n{}\n", rows[2], rows[3]);
    std::fs::write(&short, format!("{head}{motion}")).unwrap();
    let result = enliven(&["check", &asset("Godette.vrm"), "--clip", &short]);
    assert_eq!(result.code, 1, "{}{}", result.out, result.err);
    assert!(result.out.contains("feet.touches"), "{}", result.out);
    assert!(!result.out.contains("NaN"), "{}", result.out);
}
