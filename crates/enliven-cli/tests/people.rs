//! People on the command line: modes, emotions, motion from files, what `inspect` tells of them.

mod support;

use enliven::glam::Vec3;
use enliven::person::HumanBone;
use enliven_cli::cast::{Cast, Setup};
use enliven_cli::options::ClipOption;
use enliven_cli::subject::Subject;
use support::{Scratch, asset, program, run, shared_assets};

/// Draws a small picture; the bytes of the file.
fn picture(name: &str, arguments: &[&str]) -> Vec<u8> {
    let scratch = Scratch::new();
    let out = scratch.path(name);
    let mut command = program(&["render", "-o", &out, "--size", "120x160", "--at", "1.5"]);
    let result = run(command.args(arguments));
    assert_eq!(result.code, 0, "{arguments:?}: {}", result.err);
    std::fs::read(out).expect("the picture was written")
}

#[test]
fn every_mode_and_emotion_shows_on_a_person_and_on_an_animal() {
    for body in [asset("Godette.vrm"), asset("Fox.glb")] {
        let mut seen = std::collections::BTreeSet::new();
        for mode in ["idle", "listening", "thinking", "speaking"] {
            assert!(seen.insert(picture("a.png", &[&body, "--mode", mode])), "{body} {mode}");
        }
        for emotion in ["happy", "angry", "sad", "relaxed:0.8", "surprised"] {
            let picture = picture("a.png", &[&body, "--mode", "idle", "--emotion", emotion]);
            assert!(seen.insert(picture), "{body} {emotion}");
        }
    }
}

#[test]
fn a_person_without_options_idles_and_the_mode_may_come_later() {
    let godette = asset("Godette.vrm");
    let plain = picture("a.png", &[&godette]);
    assert!(plain == picture("a.png", &[&godette, "--mode", "idle"]));
    assert!(plain != picture("a.png", &[&godette, "--motion", "still"]));
    // Until then nothing is different.
    assert!(plain == picture("a.png", &[&godette, "--mode", "speaking@1.6"]));
    assert!(plain != picture("a.png", &[&godette, "--mode", "speaking@0.5"]));
}

#[test]
fn motion_from_files_moves_humanoids_alone() {
    let godette = asset("Godette.vrm");
    let (walk, idle) = (asset("cmu_02_01_walk.bvh"), asset("ChatVRM_idle_loop.vrma"));
    let walking = picture("a.png", &[&godette, "--clip", &walk]);
    let waiting = picture("a.png", &[&godette, "--clip", &idle]);
    assert!(walking != waiting);
    let both = [format!("{walk}:3"), format!("{idle}@1~1")];
    assert!(walking != picture("a.png", &[&godette, "--clip", &both[0], "--clip", &both[1]]));
    // Before a clip that begins late the body stands in company.
    let late = format!("{walk}@3");
    assert!(picture("a.png", &[&godette]) == picture("a.png", &[&godette, "--clip", &late]));

    let scratch = Scratch::new();
    let out = scratch.path("a.png");
    for (subject, clip, code, word) in [
        (asset("Fox.glb"), walk.clone(), 2, "CLI_CLIP_UNKNOWN"),
        (godette.clone(), "nowhere.bvh".to_owned(), 1, "IO_ERROR"),
        (godette.clone(), asset("licences/CMU-BVH-conversion.txt") + ".bvh", 1, "IO_ERROR"),
    ] {
        let result = run(&mut program(&["render", &subject, "-o", &out, "--clip", &clip]));
        assert_eq!(result.code, code, "{clip}: {}", result.err);
        assert!(result.err.contains(word), "{}", result.err);
    }
}

#[test]
fn inspect_tells_of_the_person() {
    let result = run(&mut program(&["inspect", &asset("Godette.vrm")]));
    for told in ["Bones 45", "blinkRight", "binary", "look-at", "16 joints swing", "CC_BY"] {
        assert!(result.out.contains(told), "{told}: {}", result.out);
    }
    let result = run(&mut program(&["inspect", "--json", &asset("Godette.vrm")]));
    let json: serde_json::Value = serde_json::from_str(&result.out).unwrap();
    let person = &json["person"];
    assert_eq!(person["bones"].as_array().unwrap().len(), 45);
    assert_eq!(person["look_at"]["type"], "expression");
    assert_eq!(person["expressions"][15]["binary"], true);
    assert_eq!(person["first_person"].as_array().unwrap().len(), 4);

    let result = run(&mut program(&["inspect", "--json", &asset("ChatVRM_idle_loop.vrma")]));
    let json: serde_json::Value = serde_json::from_str(&result.out).unwrap();
    assert_eq!(json["motions"][0]["bones"].as_array().unwrap().len(), 21);
}

#[test]
fn overrides_and_constraints_are_told() {
    let Some(shared) = shared_assets() else { return };
    let file = shared.join("vrm1/VRMC_vrm_expressions_isBinary_Overrides.vrm");
    let result = run(&mut program(&["inspect", &file.display().to_string()]));
    assert!(result.out.contains("blocks ") || result.out.contains("blends "), "{}", result.out);
    let file = shared.join("vrm1/mini/constraints.vrm");
    let result = run(&mut program(&["inspect", &file.display().to_string()]));
    assert!(result.out.contains("constraints"), "{}", result.out);
}

/// Ten seconds of every person of the shared collection: never a T-pose, feet on the ground, and
/// nothing that is not a number.
#[test]
fn everybody_idles_on_the_ground() {
    let Some(shared) = shared_assets() else { return };
    let mut humans = 0;
    for file in files(&shared, &["vrm0", "vrm1"], &["vrm"]) {
        let name = file.display().to_string();
        let subjects = [Subject::open(&name).unwrap_or_else(|f| panic!("{name}: {f}"))];
        let mut cast = Cast::new(&subjects, &Setup::default()).unwrap();
        let person = subjects[0].person.clone().unwrap_or_else(|| panic!("{name}: a person"));
        let body = &person.humanoid;
        let rest = subjects[0].character.rig.skeleton.rest_model();
        let feet = [HumanBone::LeftFoot, HumanBone::RightFoot].map(|b| body.joint(b));
        // One test file lies askew.
        let up = |hips: Vec3, head: Vec3| (head - hips).normalize_or_zero().y > 0.8;
        let upright = body.rest_at(HumanBone::Hips).zip(body.rest_at(HumanBone::Head));
        let whole = body.missing().next().is_none() && upright.is_some_and(|(a, b)| up(a, b));
        humans += usize::from(whole);
        for _ in 0..100 {
            cast.step(0.1);
            let actor = cast.actors().next().unwrap();
            assert!(actor.pose().is_finite(), "{name}");
            let at = |j: enliven::JointId| actor.model()[j.index()].translation();
            for foot in feet.into_iter().flatten().filter(|_| whole) {
                let off = at(foot).y - rest[foot.index()].translation().y;
                assert!(off.abs() < 0.01, "{name}: a foot is {off} m off the ground");
            }
            use HumanBone as B;
            for (arm, elbow) in
                [(B::LeftUpperArm, B::LeftLowerArm), (B::RightUpperArm, B::RightLowerArm)]
            {
                let (Some(a), Some(b)) = (body.joint(arm), body.joint(elbow)) else { continue };
                let down = (at(b) - at(a)).normalize_or_zero();
                assert!(!whole || down.y < -0.5, "{name}: an arm points to {down}");
            }
        }
    }
    assert!(humans >= 12, "{humans} whole humanoids");
}

/// Every recorded motion of the shared collection on Godette.
#[test]
fn every_recorded_motion_moves_godette() {
    let Some(shared) = shared_assets() else { return };
    let mut moved = 0;
    for file in files(&shared, &["vrma", "bvh"], &["vrma", "bvh"]) {
        let name = file.display().to_string();
        let mut subjects = [Subject::open(&asset("Godette.vrm")).unwrap()];
        match enliven_cli::motion::learn(&mut subjects, std::slice::from_ref(&name)) {
            Ok(()) => {}
            // Shapes of the format with a joint or two are no humanoids.
            Err(failure) => {
                assert!(name.contains("bvh"), "{failure}");
                assert_eq!(failure.code().word(), "BVH_NO_HUMANOID", "{failure}");
                continue;
            }
        }
        moved += 1;
        let setup = Setup { clips: vec![ClipOption(name.clone())], ..Setup::default() };
        let mut cast = Cast::new(&subjects, &setup).unwrap();
        for _ in 0..40 {
            cast.step(0.1);
            let actor = cast.actors().next().unwrap();
            assert!(actor.pose().is_finite(), "{name}");
            let bounds = actor.character().bounds(actor.pose()).unwrap();
            assert!((bounds.1 - bounds.0).max_element() < 3.0, "{name}: {bounds:?}");
        }
    }
    assert!(moved >= 11, "{moved} motions");
}

fn files(shared: &std::path::Path, folders: &[&str], endings: &[&str]) -> Vec<std::path::PathBuf> {
    let mut open: Vec<_> = folders.iter().map(|f| shared.join(f)).collect();
    let mut out = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if endings.iter().any(|e| path.extension().is_some_and(|x| x == *e)) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// The linter judges what is shown: feet of recorded motion on bodies of other proportions.
#[test]
fn check_judges_the_feet() {
    let walk = asset("cmu_02_01_walk.bvh");
    let check = |arguments: &[&str]| {
        let mut command = program(&["check", "--json"]);
        let result = run(command.args(arguments));
        let json: serde_json::Value = serde_json::from_str(&result.out).unwrap_or_default();
        (result, json)
    };
    let godette = asset("Godette.vrm");
    let (result, json) = check(&[&godette, "--clip", &walk]);
    assert_eq!(result.code, 0, "{}{}", result.out, result.err);
    let figures = json["figures"].as_array().expect("figures");
    let value = |name: &str| {
        let found = figures.iter().find(|f| f["name"] == name);
        found.and_then(|f| f["value"].as_f64()).unwrap_or_else(|| panic!("{name}: {json}"))
    };
    assert!(value("feet.touches") >= 4.0 && value("feet.slide") < 0.02, "{json}");
    assert_eq!(check(&[&godette]).0.code, 0);
    assert_eq!(check(&[&asset("Fox.glb")]).0.code, 2);
    let Some(shared) = shared_assets() else { return };
    for body in ["Godette", "CoolBanana"] {
        for motion in ["cmu_02_01_walk", "cmu_05_06_dance"] {
            let body = shared.join(format!("vrm0/{body}.vrm")).display().to_string();
            let motion = shared.join(format!("bvh/{motion}.bvh")).display().to_string();
            let (result, json) = check(&[&body, "--clip", &motion]);
            assert_eq!(result.code, 0, "{body} {motion}: {json}{}", result.err);
        }
    }
}
