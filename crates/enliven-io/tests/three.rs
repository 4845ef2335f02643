//! The same file plays the same in three.js.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // A test may panic, and says its figures.

mod baked;

use std::collections::BTreeMap;
use std::path::PathBuf;

use enliven::{Affine, Character, Clip, Pose};
use enliven_io::gltf::{self, Document, Export, Options};
use enliven_io::{Import, Limits, NoFiles, import_file};
use enliven_testing::{node, shared};
use serde_json::Value;

/// Largest difference, in heights.
const TOLERANCE: f32 = 1e-4;

/// A file that is written, by what three.js then says of it.
struct Made {
    label: String,
    file: PathBuf,
    import: Import,
}

fn write(
    folder: &std::path::Path,
    label: &str,
    character: &Character,
    document: Option<&Document>,
    clips: Option<&[Clip]>,
) -> Made {
    let exported = gltf::export(&Export { character, document, clips: clips.into() });
    let bytes = exported.to_glb().unwrap();
    let file = folder.join(format!("{}.glb", label.replace([' ', '/'], "_")));
    std::fs::write(&file, &bytes).unwrap();
    let options = Options { binary: true, ..Options::default() };
    let import = gltf::import(bytes, &mut NoFiles, &options).unwrap();
    Made { label: label.to_owned(), file, import }
}

/// Differences of one file, and how many matrices were compared.
fn compare(made: &Made, told: &Value) -> (Vec<String>, usize) {
    let character = &made.import.character;
    let (skeleton, height) = (&character.rig.skeleton, character.rig.height);
    let clips = told["clips"].as_array().unwrap();
    let mut wrong = Vec::new();
    if clips.len() != character.clips.len() {
        wrong.push(format!("{}: {} clips and {}", made.label, clips.len(), character.clips.len()));
    }
    let mut count = 0;
    let mut worst = 0.0f32;
    let mut model = vec![Affine::IDENTITY; skeleton.len()];
    for (theirs, clip) in clips.iter().zip(&character.clips) {
        let label = format!("{}: clip {:?}", made.label, clip.name);
        let duration = theirs["duration"].as_f64().unwrap() as f32;
        if (duration - clip.duration).abs() > 1e-5 {
            wrong.push(format!("{label}: {duration} s and {} s", clip.duration));
        }
        let times = theirs["times"].as_array().unwrap();
        assert_eq!(times.len(), 10);
        for (k, time) in times.iter().enumerate() {
            let mut pose = Pose::rest(&character.rig);
            clip.sample(time.as_f64().unwrap() as f32, &mut [], &mut pose);
            pose.to_model(skeleton, &mut model);
            for (node, joint) in made.import.document.joints.iter().enumerate() {
                let matrix: Vec<f32> = theirs["nodes"][node][k]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|v| v.as_f64().unwrap() as f32)
                    .collect();
                let ours = model[joint.index()].to_mat4().to_cols_array();
                // The first three columns turn and scale a length of one height.
                let size = matrix[..12].iter().fold(1.0f32, |m, v| m.max(v.abs()));
                let off = (0..16).map(|i| {
                    let unit = if i < 12 { size } else { height };
                    (ours[i] - matrix[i]).abs() / unit
                });
                let off = off.fold(0.0, f32::max);
                worst = worst.max(off);
                count += 1;
                if off.is_nan() || off > TOLERANCE {
                    let name = skeleton.name(*joint);
                    wrong.push(format!("{label} at {time} s: {name:?} is off by {off} heights"));
                }
            }
        }
    }
    println!("{}: {count} matrices, off by at most {worst:.1e}", made.label);
    (wrong, count)
}

#[test]
fn exported_and_baked_files_play_the_same_in_three() {
    let Some(shared) = shared("") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut made = Vec::new();
    for name in ["Fox", "RobotExpressive", "kaykit/Knight", "CesiumMan"] {
        let path = shared.join("assets/rigged").join(name).with_extension("glb");
        let Import { character, document, .. } = import_file(&path, &Limits::default()).unwrap();
        let mut write = |kind: &str, document, clips| {
            let label = format!("{name} {kind}");
            made.push(write(folder.path(), &label, &character, document, clips));
        };
        write("kept", Some(&document), None);
        write("clips anew", Some(&document), Some(&character.clips));
        write("whole", None, None);
        if name == "Fox" {
            let jog = baked::fox_jogs(&character);
            write("baked", Some(&document), Some(&[jog]));
        }
    }
    for morphs in [false, true] {
        for (rabbit, clip) in baked::rabbit_runs(morphs) {
            let label = format!("rabbit {} {}", clip.name, if morphs { "morphs" } else { "scale" });
            made.push(write(folder.path(), &label, &rabbit, None, Some(&[clip])));
        }
    }

    let files: Vec<String> = made.iter().map(|m| m.file.display().to_string()).collect();
    let Some(lines) = node("three", "three", "play.mjs", &[], &files) else { return };
    let told: BTreeMap<String, Value> = lines
        .iter()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            (value["file"].as_str().unwrap().to_owned(), value)
        })
        .collect();
    let mut wrong = Vec::new();
    for made in &made {
        let (differ, count) = compare(made, &told[&made.file.display().to_string()]);
        assert!(count > 100, "{}: {count} matrices", made.label);
        wrong.extend(differ);
    }
    let shown = wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} differences:\n{shown}", wrong.len());
}
