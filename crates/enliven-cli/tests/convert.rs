//! `enliven convert` and `enliven bake` of persons and their motion.

mod support;

use enliven::Severity;
use enliven_io::{Import, Limits, bvh, import_file};
use support::{Scratch, asset, enliven, shared_assets};

fn read(path: &str) -> Import {
    let import =
        import_file(path, &Limits::default()).unwrap_or_else(|error| panic!("{path}: {error}"));
    let worse: Vec<_> =
        import.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(worse.is_empty(), "{path}: {worse:?}");
    import
}

fn run(arguments: &[&str]) -> String {
    let result = enliven(arguments);
    assert_eq!(result.code, 0, "{arguments:?}: {}", result.err);
    result.out
}

#[test]
fn a_person_of_0_x_becomes_one_of_1_0() {
    let scratch = Scratch::new();
    let out = scratch.path("new.vrm");
    let told = run(&["convert", &asset("Godette.vrm"), &out, "--json"]);
    assert!(
        told.contains("VRM_META_NOT_WRITTEN") || told.contains("\"diagnostics\": []"),
        "{told}"
    );
    let new = read(&out);
    assert_eq!(new.document.json["extensions"]["VRMC_vrm"]["specVersion"], "1.0");
    assert!(new.person.as_ref().is_some_and(|p| p.expressions.len() >= 15));
    // Of a person of 1.0 nothing changes.
    let again = scratch.path("again.vrm");
    run(&["convert", &out, &again]);
    assert_eq!(read(&again).document.json, new.document.json);
}

#[test]
fn what_is_no_person_is_refused_with_a_code() {
    let scratch = Scratch::new();
    for (subject, out) in [("rabbit", "a.vrm"), ("rabbit", "a.bvh"), ("creature", "a.vrma")] {
        let result = enliven(&["convert", subject, &scratch.path(out)]);
        assert_eq!(result.code, 4, "{}", result.err);
        assert!(result.err.contains("VRM_BONES_MISSING"), "{}", result.err);
    }
    assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 0);
}

#[test]
fn speech_is_baked_for_any_person() {
    let scratch = Scratch::new();
    let (vrma, file) = (scratch.path("talk.vrma"), scratch.path("talk.bvh"));
    let godette = asset("Godette.vrm");
    run(&["bake", &godette, "-o", &vrma, "--mode", "speaking", "--seconds", "3"]);
    let talk = read(&vrma);
    let [motion] = &talk.motions[..] else { panic!("one clip") };
    assert!((motion.duration - 3.0).abs() < 0.02, "{}", motion.duration);
    assert!(motion.rotations.len() > 10, "{}", motion.rotations.len());
    assert!(motion.expressions.iter().any(|(_, c)| c.values().iter().any(|v| *v > 0.2)), "a face");
    // And from there to motion capture.
    run(&["convert", &vrma, &file, "--body", &godette, "--fps", "24"]);
    let made = bvh::read(&std::fs::read(&file).unwrap(), &Limits::default()).unwrap();
    assert!((made.frame_time - 1.0 / 24.0).abs() < 1e-6);
    assert_eq!(made.frame_count(), 73);
    assert!(made.motion("talk").is_ok());
}

#[test]
fn recordings_become_motion_for_any_person() {
    let Some(assets) = shared_assets() else { return };
    let scratch = Scratch::new();
    let out = scratch.path("walk.vrma");
    let walk = assets.join("bvh/cmu_02_01_walk.bvh").display().to_string();
    run(&["convert", &walk, &out]);
    let source = bvh::read(&std::fs::read(&walk).unwrap(), &Limits::default()).unwrap();
    let made = read(&out);
    assert!((made.motions[0].duration - source.duration()).abs() < 1e-3);
    assert!(made.motions[0].rotations.len() >= 18);
    // Motion alone is no model.
    let result = enliven(&["convert", &walk, &scratch.path("walk.glb")]);
    assert_eq!(result.code, 2, "{}", result.err);
    assert!(result.err.contains("enliven bake"), "{}", result.err);
}

#[test]
fn lists_and_recordings_that_are_none_are_refused() {
    let scratch = Scratch::new();
    let out = scratch.path("sheet.png");
    let list = scratch.path("shots.txt");
    std::fs::write(&list, "# nothing\n\n").unwrap();
    let long = scratch.path("long.txt");
    std::fs::write(&long, "# \n".repeat(400_000)).unwrap();
    let binary = scratch.path("binary.txt");
    std::fs::write(&binary, [0xff, 0xfe, 0x00]).unwrap();
    let wrong = scratch.path("wrong.txt");
    std::fs::write(&wrong, "rabbit --size 16x16\nrabbit --sise 16x16\n").unwrap();
    let folder = scratch.path("");
    for (shots, code, word) in [
        (&list, 2, "no shot"),
        (&long, 1, "LIMIT"),
        (&binary, 1, "INVALID_TEXT"),
        (&wrong, 2, "wrong.txt:2"),
        (&folder, 1, "IO_ERROR"),
    ] {
        let result = enliven(&["sheet", shots, "-o", &out]);
        assert_eq!(result.code, code, "{shots}: {}", result.err);
        assert!(result.err.contains(word), "{shots}: {}", result.err);
        assert!(!std::path::Path::new(&out).exists());
    }
    // A recording that is no file of the usual kind is not read for ever.
    let endless = scratch.path("endless.bvh");
    if cfg!(unix)
        && std::process::Command::new("ln")
            .args(["-s", "/dev/zero", &endless])
            .status()
            .is_ok_and(|s| s.success())
    {
        let result = enliven(&["convert", &endless, &scratch.path("x.vrma")]);
        assert_eq!(result.code, 1, "{}", result.err);
        assert!(result.err.contains("IO_ERROR"), "{}", result.err);
    }
}
