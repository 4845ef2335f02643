//! `enliven bake` and `enliven convert` from the command line to the file.

mod support;

use std::path::Path;

use enliven::{ChannelKind, Character, Clip, Pose, Property, Severity, Target};
use enliven_io::{Import, Limits, import_file};
use serde_json::Value;
use support::{Scratch, asset, enliven};

fn read(path: &str) -> Import {
    import_file(path, &Limits::default()).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(arguments: &[&str]) -> Value {
    let result = enliven(arguments);
    assert_eq!(result.code, 0, "{arguments:?}: {}", result.err);
    serde_json::from_str(&result.out).unwrap_or_else(|error| panic!("{error}: {}", result.out))
}

/// What is wrong with a file, not what is merely said of it.
fn faults(import: &Import) -> Vec<String> {
    let worse = import.diagnostics.iter().filter(|d| d.severity > Severity::Info);
    worse.map(ToString::to_string).collect()
}

/// Where each joint is at one time of a clip, model space.
fn places(character: &Character, clip: &Clip, time: f32) -> Vec<enliven::glam::Vec3> {
    let mut pose = Pose::rest(&character.rig);
    clip.sample(time, &mut [], &mut pose);
    let skeleton = &character.rig.skeleton;
    skeleton.joints().map(|j| pose.model_of(skeleton, j).translation()).collect()
}

/// The first key of every track is its last one, and the way over the seam goes on as it came.
fn is_seamless(import: &Import, clip: &Clip) {
    let tracks = clip.tracks.iter().filter(|t| t.curve.times().len() > 1);
    for track in tracks.clone() {
        let (values, width) = (track.curve.values(), track.curve.width());
        let (first, last) = (&values[..width], &values[values.len() - width..]);
        // A rotation may have gone round: its negative is the same.
        let same = first == last
            || track.curve.is_rotation() && { first.iter().zip(last).all(|(a, b)| a == &-b) };
        assert!(same, "{:?}: {first:?} and {last:?}", track.target);
        assert_eq!(track.curve.times().last(), Some(&clip.duration), "{:?}", track.target);
    }
    assert!(tracks.count() > 5);
    // Over the seam speeds change no more than they do anywhere in the clip.
    let step = 1.0 / 60.0;
    let at = |t| places(&import.character, clip, t);
    let bend = |a, b, c| {
        let (a, b, c) = (at(a), at(b), at(c));
        let bends = a.iter().zip(&b).zip(&c).map(|((a, b), c)| (*a - *b * 2.0 + *c).length());
        bends.fold(0.0f32, f32::max)
    };
    let inside = (1..(clip.duration / step) as usize - 1).map(|k| {
        let t = k as f32 * step;
        bend(t - step, t, t + step)
    });
    let (most, seam) = (inside.fold(0.0, f32::max), bend(clip.duration - step, 0.0, step));
    assert!(seam <= most * 1.05 + 1e-6, "over the seam {seam}, inside at most {most}");
}

#[test]
fn a_blend_of_two_clips_is_baked_over_one_round_and_meets_itself() {
    let scratch = Scratch::new();
    let (fox, out) = (asset("Fox.glb"), scratch.path("jog.glb"));
    let told = json(&[
        "bake", &fox, "-o", &out, "--clip", "Walk", "--clip", "Run", "--sync", "--loop", "--json",
    ]);
    let (source, baked) = (read(&fox), read(&out));
    assert_eq!(faults(&baked), faults(&source));
    assert!(!baked.diagnostics.iter().any(|d| d.place.starts_with("/accessors")), "left behind");
    let walk = source.character.find_clip("Walk").unwrap();
    let run = source.character.find_clip("Run").unwrap();
    let mean = 0.5 * (source.character.clip(walk).duration + source.character.clip(run).duration);
    let [clip] = &baked.character.clips[..] else { panic!("one clip") };
    assert_eq!(clip.name, "Walk+Run");
    assert!((clip.duration - mean).abs() < 1e-5, "{} s", clip.duration);
    is_seamless(&baked, clip);

    // Golden: a quarter of the round, which is one of the steps, made here by hand.
    let mut want = Pose::rest(&source.character.rig);
    let mut other = want.clone();
    source.character.clip(walk).sample(
        0.25 * source.character.clip(walk).duration,
        &mut [],
        &mut want,
    );
    source.character.clip(run).sample(
        0.25 * source.character.clip(run).duration,
        &mut [],
        &mut other,
    );
    want.blend(&other, 0.5, None);
    let skeleton = &source.character.rig.skeleton;
    let tolerance = told["tolerance_mm"].as_f64().unwrap() * 1e-3;
    let h = f64::from(source.character.rig.height);
    for (j, at) in skeleton.joints().zip(places(&baked.character, clip, 0.25 * clip.duration)) {
        let off = f64::from(want.model_of(skeleton, j).translation().distance(at));
        assert!(off < tolerance + 1e-4 * h, "{}: off by {off}", skeleton.name(j));
    }

    // Everything else is the file's own.
    let strip = |import: &Import| {
        let mut json = import.document.json.clone();
        for key in ["animations", "accessors", "bufferViews", "buffers"] {
            json.as_object_mut().unwrap().remove(key);
        }
        json
    };
    assert_eq!(strip(&source), strip(&baked));

    let error = told["error_mm"].as_f64().unwrap();
    assert!(error > 0.0 && error <= told["tolerance_mm"].as_f64().unwrap(), "{told:#}");
    assert_eq!(told["clip"]["name"], "Walk+Run");
    assert_eq!(told["clip"]["keys"].as_u64(), Some(clip.key_count() as u64));
    assert_eq!(told["written"][0]["bytes"].as_u64(), std::fs::metadata(&out).ok().map(|m| m.len()));
    assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 1, "something is left");
}

#[test]
fn a_baked_clip_stands_beside_those_that_are_there() {
    let scratch = Scratch::new();
    let (fox, out, more) = (asset("Fox.glb"), scratch.path("a.glb"), scratch.path("b.glb"));
    let jog = ["--clip", "Walk", "--clip", "Run", "--sync", "--loop", "--name", "Jog", "--add"];
    let bake = |from: &str, to: &str, rest: &[&str]| {
        enliven(&[&["bake", from, "-o", to][..], rest].concat())
    };
    assert_eq!(bake(&fox, &out, &jog).code, 0);
    let (source, baked) = (read(&fox), read(&out));
    assert_eq!(faults(&baked), faults(&source));
    let names = |import: &Import| -> Vec<String> {
        import.character.clips.iter().map(|clip| clip.name.clone()).collect()
    };
    assert_eq!(names(&baked), [names(&source), vec!["Jog".to_owned()]].concat());
    // The old ones are as they were, key for key.
    for (a, b) in source.character.clips.iter().zip(&baked.character.clips) {
        assert_eq!(a.tracks, b.tracks, "{}", a.name);
    }
    // Once more, with a way over the ground: one node carries it, however often.
    let run = ["--motion", "run", "--seconds", "1", "--add"];
    for (from, to, name) in [(&out, &more, "first"), (&more, &out, "second")] {
        let result = bake(from, to, &[&run[..], &["--name", name]].concat());
        assert_eq!(result.code, 0, "{}", result.err);
    }
    let baked = read(&out);
    assert_eq!(baked.character.clips.len(), 6, "{:?}", names(&baked));
    let nodes = baked.document.json["nodes"].as_array().unwrap();
    assert!(nodes.iter().filter(|n| n["name"] == "enliven_root").count() == 1);

    let again = bake(&out, &more, &jog);
    assert_eq!(again.code, 2, "{}", again.err);
    assert!(again.err.contains("--name"), "{}", again.err);
    let godette = asset("Godette.vrm");
    let motion = bake(&godette, &scratch.path("a.vrma"), &["--add"]);
    assert_eq!(motion.code, 2, "{}", motion.err);
    // A person of 0.x, by what a file of motion teaches it: that file's clip itself is not added.
    let walk = asset("cmu_02_01_walk.bvh");
    let vrm = scratch.path("a.vrm");
    let result = bake(&godette, &vrm, &["--clip", &walk, "--name", "walk", "--add"]);
    assert_eq!(result.code, 0, "{}", result.err);
    let source = read(&godette).character.clips.len();
    assert_eq!(read(&vrm).character.clips.len(), source + 1);
}

#[test]
fn looser_tolerances_need_fewer_keys_and_the_same_command_writes_the_same_bytes() {
    let scratch = Scratch::new();
    let fox = asset("Fox.glb");
    let keys = |mm: &str, out: &str| {
        let out = scratch.path(out);
        let told = json(&["bake", &fox, "-o", &out, "--clip", "Run", "--tolerance", mm, "--json"]);
        assert!(told["error_mm"].as_f64() <= told["tolerance_mm"].as_f64(), "{told:#}");
        told["clip"]["keys"].as_u64().unwrap()
    };
    // The Fox is 79 units tall, which glTF says are metres.
    let (fine, coarse) = (keys("5", "a.glb"), keys("300", "b.glb"));
    assert!(coarse * 5 < fine * 4, "{coarse} keys and {fine}");
    assert_eq!(keys("5", "c.glb"), fine);
    let bytes = |name: &str| std::fs::read(scratch.path(name)).unwrap();
    assert!(bytes("a.glb") == bytes("c.glb"));
    assert!(bytes("b.glb").len() < bytes("a.glb").len());
}

#[test]
fn the_rabbit_runs_off_and_in_a_loop_stays_in_its_place() {
    let scratch = Scratch::new();
    let (free, held) = (scratch.path("free.glb"), scratch.path("held.gltf"));
    json(&["bake", "rabbit", "-o", &free, "--seconds", "3", "--json"]);
    let told = json(&["bake", "rabbit", "-o", &held, "--loop", "--seconds", "2", "--json"]);
    assert_eq!(told["written"].as_array().map(Vec::len), Some(2), "{told:#}");
    let (free, held) = (read(&free), read(&held));
    for import in [&free, &held] {
        assert_eq!(faults(import), [""; 0]);
    }
    let root = |import: &Import, time| {
        let joint = import.character.rig.skeleton.find("enliven_root");
        let joint = joint.unwrap_or_else(|| panic!("a root"));
        places(&import.character, &import.character.clips[0], time)[joint.index()]
    };
    let h = free.character.rig.height;
    assert!((root(&free, 3.0) - root(&free, 0.0)).length() > 3.0 * h, "it runs off");
    let clip = &held.character.clips[0];
    assert_eq!((clip.name.as_str(), clip.duration), ("run", 2.0));
    is_seamless(&held, clip);
    // What is left of the root's way, if anything, is up and down.
    if held.character.rig.skeleton.find("enliven_root").is_some() {
        for k in 0..20 {
            let at = root(&held, k as f32 * 0.1);
            assert!(at.x == 0.0 && at.z == 0.0, "{at}");
        }
    }
}

#[test]
fn a_static_model_lives_in_any_player() {
    let scratch = Scratch::new();
    let out = scratch.path("alive.glb");
    let arguments = ["bake", "creature", "-o", &out, "--loop", "--seconds", "4", "--json"];
    json(&arguments);
    let import = read(&out);
    assert_eq!(faults(&import), [""; 0]);
    let clip = &import.character.clips[0];
    is_seamless(&import, clip);
    // It breathes: a morph target's weight moves.
    let channel = |t: &enliven::Track| matches!(t.target, Target::Channel(_));
    assert!(clip.tracks.iter().any(channel));
    let turns = |t: &enliven::Track| matches!(t.target, Target::Joint(_, Property::Rotation));
    assert!(clip.tracks.iter().any(turns));
}

#[test]
fn a_person_keeps_its_expressions_as_morphs() {
    let scratch = Scratch::new();
    let (person, out) = (asset("Godette.vrm"), scratch.path("person.glb"));
    let told = json(&[
        "bake",
        &person,
        "-o",
        &out,
        "--motion",
        "stand",
        "--blink",
        "1",
        "--seconds",
        "3",
        "--json",
    ]);
    let (source, baked) = (read(&person), read(&out));
    // What is left out has no morph that shows it; expressions are not even tried.
    let said = told["diagnostics"].to_string();
    for (id, channel) in source.character.rig.channels.iter() {
        let lost = said.contains(&format!("{id:?}"));
        assert!(!lost || channel.kind != ChannelKind::Expression, "{}: {said}", channel.name);
    }
    assert_eq!(source.document.json["extensions"], baked.document.json["extensions"]);
    // It blinks: a weight of its face moves all the way.
    let clip = &baked.character.clips[0];
    let blinks = clip.tracks.iter().any(|t| {
        let most = t.curve.values().iter().copied().fold(0.0, f32::max);
        matches!(t.target, Target::Channel(_)) && most > 0.9
    });
    assert!(blinks);
}

#[test]
fn what_cannot_be_baked_is_said_and_leaves_nothing() {
    let scratch = Scratch::new();
    let out = scratch.path("a.glb");
    let still = enliven(&["bake", "rabbit", "-o", &out, "--motion", "still"]);
    assert_eq!(still.code, 2, "{}", still.err);
    assert!(still.err.contains("--motion stand"), "{}", still.err);
    let fox = asset("Fox.glb");
    for (arguments, code, word) in [
        (&["bake", "rabbit", "-o", &scratch.path("a.obj")][..], 2, "CLI_OUTPUT_KIND"),
        (&["bake", "nobody.glb", "-o", &out], 1, "CLI_SUBJECT_UNKNOWN"),
        (&["bake", &fox, "-o", &out, "--clip", "Fly"], 2, "CLI_CLIP_UNKNOWN"),
        (&["bake", "rabbit", "-o", &out, "--seconds", "0"], 2, "--seconds"),
        (&["bake", "rabbit", "-o", &out, "--tolerance", "-1"], 2, "--tolerance"),
        (&["convert", &fox, &scratch.path("fox.fbx")], 2, "CLI_OUTPUT_KIND"),
        (&["convert", "nobody.glb", &out], 1, "CLI_SUBJECT_UNKNOWN"),
    ] {
        let result = enliven(arguments);
        assert_eq!(result.code, code, "{arguments:?}: {}", result.err);
        assert!(result.err.contains(word), "{arguments:?}: {}", result.err);
    }
    assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 0);
    std::fs::write(scratch.path("file"), "").unwrap();
    let result = enliven(&["bake", "rabbit", "-o", &scratch.path("file/a.glb")]);
    assert_eq!(result.code, 4, "{}", result.err);
}

#[test]
fn a_document_goes_to_text_and_back_to_the_letter() {
    let scratch = Scratch::new();
    for name in ["Fox.glb", "Godette.vrm", "AnimatedMorphCube.glb"] {
        let (text, binary) = (scratch.path("a.gltf"), scratch.path("b.glb"));
        let told = json(&["convert", &asset(name), &text, "--json"]);
        assert_eq!(told["diagnostics"], serde_json::json!([]), "{name}");
        json(&["convert", &text, &binary, "--json"]);
        let (source, there, back) = (read(&asset(name)), read(&text), read(&binary));
        let mut uri = there.document.json.clone();
        uri["buffers"][0].as_object_mut().unwrap().remove("uri");
        assert_eq!(uri, back.document.json, "{name}");
        let lists = |import: &Import| {
            let mut json = import.document.json.clone();
            for key in ["buffers", "bufferViews"] {
                json.as_object_mut().unwrap().remove(key);
            }
            json
        };
        assert_eq!(lists(&source), lists(&back), "{name}");
        let (a, b) = (&source.character, &back.character);
        assert!(a.clips == b.clips && a.rig.skeleton == b.rig.skeleton, "{name}");
    }
    assert!(!Path::new(&scratch.path("b.bin")).exists());
    json(&["convert", "rabbit", &scratch.path("rabbit.glb"), "--json"]);
    assert_eq!(faults(&read(&scratch.path("rabbit.glb"))), [""; 0]);
}
