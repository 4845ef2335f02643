//! Every broken file of the shared data: an error or diagnostics, never a panic, a hang or memory
//! out of proportion; and the same errors as the Khronos validator's.

mod common;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use common::{Outcome, alone, import_path};
use enliven::Severity;
use enliven_testing::{ending, files, shared};
use serde_json::Value;

/// Code and place.
type Finding = (String, String);

/// Findings of the validator without a counterpart: file, code, why. An empty code stands for all.
const WITHOUT_COUNTERPART: &[(&str, &str, &str)] = &[
    (
        "gltf-validator/base/data/animation/empty_objects.gltf",
        "UNUSED_OBJECT",
        "its pointer, /animations/2/channels/0/samplers/0, leads nowhere",
    ),
    (
        "KHR_materials_variants/data/primitive/dependency.gltf",
        "UNUSED_OBJECT",
        "the material is named by a variant, if one without a root",
    ),
    (
        "Animation_SamplerType/Animation_SamplerType_01.gltf",
        "ACCESSOR_NON_UNIT",
        "a report of 2018; what 8-bit components round to is within the tolerance since",
    ),
    (
        "gltf-validator/base/data/camera/infinite_znear.gltf",
        "VALUE_NOT_IN_RANGE",
        "1e999 is refused as JSON before anything looks at it: INVALID_JSON",
    ),
    (
        "gltf-validator/base/data/node/infinite_transform.gltf",
        "VALUE_NOT_IN_RANGE",
        "1e999 is refused as JSON before anything looks at it: INVALID_JSON",
    ),
    (
        "gltf-validator/base/data/root/undefined_used_extensions.gltf",
        "",
        "requires an unknown extension, which is refused first: UNSUPPORTED_EXTENSION",
    ),
];

/// Errors of ours on files that the validator's report calls free of errors: code, why.
const MORE_THAN_THEIRS: &[(&str, &str)] = &[
    ("UNSUPPORTED_EXTENSION", "a file that requires an unknown extension is refused"),
    ("BUFFER_NO_DATA", "a buffer without a URI is legal, and still nothing can be read from it"),
    ("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", "times of an accessor without data are all zero"),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", "weights of an accessor without data are all zero"),
    ("ACCESSOR_INVALID_IBM", "matrices of an accessor without data are all zero"),
    ("SKIN_IBM_SINGULAR", "matrices of an accessor without data are all zero"),
    ("ACCESSOR_NON_UNIT", "rotations of an accessor without data are all zero"),
];

/// The findings of a report as the validator writes it: all, and the errors among them.
fn read_report(report: &Path) -> (BTreeSet<Finding>, BTreeSet<Finding>) {
    let text = std::fs::read_to_string(report).expect("a readable report");
    let report: Value = serde_json::from_str(&text).expect("a report");
    let messages = report["issues"]["messages"].as_array().expect("messages");
    let finding = |message: &Value| {
        let code = message["code"].as_str().expect("a code").to_owned();
        let place = match (&message["pointer"], &message["offset"]) {
            (Value::String(pointer), _) if pointer == "/" => String::new(),
            (Value::String(pointer), _) => pointer.clone(),
            (_, offset) => format!("@{offset}"),
        };
        (code, place)
    };
    let errors = messages.iter().filter(|message| message["severity"] == 0);
    (messages.iter().map(finding).collect(), errors.map(finding).collect())
}

fn our_errors(outcome: &Outcome) -> BTreeSet<Finding> {
    let findings = outcome.findings().into_iter();
    findings
        .filter(|(_, _, severity)| *severity == Severity::Error)
        .map(|(code, place, _)| (code, place))
        .collect()
}

/// Whether one of our findings is the counterpart of `theirs`.
fn has_counterpart(outcome: &Outcome, theirs: &Finding, old: bool) -> bool {
    let (code, place) = theirs;
    let ours = outcome.findings();
    // What refuses a file hides what comes after; that it is one of their errors is checked
    // separately.
    outcome.result.is_err()
        || ours.iter().any(|(own, own_place, _)| {
            // The validator places faults of the JSON text nowhere, we at their byte; reports of
            // before 2019 place findings on data at the accessor.
            own == code && (own_place == place || place.is_empty() || old)
        })
}

/// Compares one file with its report; what is wrong.
fn compare(
    name: &str,
    outcome: &Outcome,
    (all, theirs): &(BTreeSet<Finding>, BTreeSet<Finding>),
    old: bool,
) -> Vec<String> {
    let excused = |code: &str| {
        WITHOUT_COUNTERPART
            .iter()
            .any(|(file, known, _)| name.ends_with(file) && (known.is_empty() || *known == code))
    };
    let mut wrong = Vec::new();
    // Old reports have warnings that the validator of today has not.
    let expected = if old { theirs } else { all };
    for theirs in expected.iter().filter(|(code, _)| !excused(code)) {
        if !has_counterpart(outcome, theirs, old) {
            wrong.push(format!("{name}: misses {} at {}", theirs.0, theirs.1));
        }
    }
    if let Err((code, place)) = &outcome.result
        && !theirs.is_empty()
        && !theirs.iter().any(|(their_code, _)| their_code == code || excused(their_code))
    {
        wrong.push(format!("{name}: refused with {code} at {place}, which the report lacks"));
    }
    if theirs.is_empty() {
        // Today's validator sees more than the old reports do.
        let khronos = khronos();
        let today = |finding: &Finding| old && khronos[name].contains(finding);
        for (code, place) in our_errors(outcome).into_iter().filter(|finding| !today(finding)) {
            if !MORE_THAN_THEIRS.iter().any(|(known, _)| *known == code) {
                wrong.push(format!("{name}: false alarm {code} at {place}"));
            }
        }
    }
    wrong
}

/// Sound files that lie among the broken ones.
const HARMLESS: &[&str] = &[
    "assimp/TestNoRootNode/SceneWithoutNodes.gltf",
    "cgltf-fuzz/Box.glb",
    "cgltf-fuzz/TriangleWithoutIndices.gltf",
    "gltf-validator/base/data/asset/valid.gltf",
    "gltf-validator/base/data/glb/valid.glb",
    "gltf-validator/base/data/root/valid.gltf",
    "gltf-validator/base/data/scene/valid.gltf",
    "sharpgltf/cube-integer-min-max-bounds.gltf",
    "tinygltf/zero-sized-bin-chunk-issue-440.glb",
];

#[test]
fn every_broken_file_is_survived() {
    let Some(shared) = shared("") else { return };
    let _alone = alone();
    let root = shared.join("assets/negative");
    let (mut count, mut slowest, mut largest) = (0, (0, String::new()), (0, String::new()));
    let mut wrong = Vec::new();
    for path in files(&root, &[]) {
        let name = path.strip_prefix(&root).expect("inside").display().to_string();
        count += 1;
        let outcome = match import_path(&path) {
            Ok(outcome) => outcome,
            Err(what) => {
                wrong.push(format!("{name}: {what}"));
                continue;
            }
        };
        slowest = slowest.max((outcome.time.as_micros(), name.clone()));
        largest = largest.max((outcome.peak, name.clone()));
        let model = ["gltf", "glb", "vrm"].contains(&ending(&path).as_str());
        match &outcome.result {
            Err((code, _)) => {
                if code.is_empty() || !code.chars().all(|c| c.is_ascii_uppercase() || c == '_') {
                    wrong.push(format!("{name}: '{code}' is no code"));
                }
            }
            Ok(_) if outcome.findings().is_empty() && !HARMLESS.contains(&name.as_str()) => {
                wrong.push(format!("{name}: nothing was found wrong"));
            }
            // Buffers, pictures, reports and BVH are no glTF.
            Ok(_) if !model => wrong.push(format!("{name}: taken for glTF")),
            Ok(_) => {}
        }
    }
    eprintln!("{count} files; slowest {} µs: {}", slowest.0, slowest.1);
    eprintln!("largest {} KiB: {}", largest.0 >> 10, largest.1);
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 900, "{count} files");
}

#[test]
fn findings_agree_with_the_reports_beside_the_files() {
    let Some(shared) = shared("") else { return };
    let _alone = alone();
    let assets = shared.join("assets");
    let mut wrong = Vec::new();
    let (mut reports, mut errors, mut findings) = (0, 0, 0);
    for folder in ["negative", "conformance"] {
        for report in files(&assets.join(folder), &[]) {
            let name = report.to_string_lossy();
            let (file, old) = if let Some(file) = name.strip_suffix(".report.json") {
                (file.to_owned(), false)
            } else if report.parent().is_some_and(|parent| parent.ends_with("ValidatorResults")) {
                (name.replace("ValidatorResults/", "").replace(".json", ".gltf"), true)
            } else {
                continue;
            };
            let file = Path::new(&file);
            if !file.is_file() {
                continue;
            }
            let name = file.strip_prefix(&assets).expect("inside").display().to_string();
            let theirs = read_report(&report);
            reports += 1;
            errors += theirs.1.len();
            findings += theirs.0.len();
            match import_path(file) {
                Ok(outcome) => wrong.extend(compare(&name, &outcome, &theirs, old)),
                Err(what) => wrong.push(format!("{name}: {what}")),
            }
        }
    }
    eprintln!("{reports} reports with {findings} findings, {errors} of them errors");
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
    assert!(reports > 400 && errors > 300, "{reports} reports, {errors} errors");
}

/// What the Khronos validator 2.0.0-dev.3.10 (npm `gltf-validator`) says of all shared files: a
/// file a line, then its errors. Files that it cannot read at all are left out.
fn khronos() -> BTreeMap<&'static str, BTreeSet<Finding>> {
    include_str!("in/khronos.tsv")
        .lines()
        .map(|line| {
            let mut cells = line.split('\t');
            let file = cells.next().unwrap_or_default();
            let finding = |cell: &str| {
                let (code, place) = cell.split_once(' ').unwrap_or((cell, ""));
                (code.to_owned(), place.to_owned())
            };
            (file, cells.map(finding).collect())
        })
        .collect()
}

#[test]
fn whole_models_raise_no_false_alarm() {
    let Some(shared) = shared("") else { return };
    let _alone = alone();
    let assets = shared.join("assets");
    let mut wrong = Vec::new();
    let mut count = 0;
    for (file, theirs) in khronos() {
        let folders = ["rigged/", "morph/", "static/", "vrm0/", "vrm1/", "vrma/"];
        if !folders.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        count += 1;
        match import_path(&assets.join(file)) {
            Err(what) => wrong.push(format!("{file}: {what}")),
            Ok(outcome) => {
                // Draco is not read; that is said.
                if matches!(&outcome.result, Err((code, _)) if code.ends_with("_UNSUPPORTED")) {
                    continue;
                }
                let ours = our_errors(&outcome);
                for (code, place) in theirs.difference(&ours) {
                    wrong.push(format!("{file}: misses {code} at {place}"));
                }
                // Repairs have places of their own; the fault must be one of theirs.
                for (code, place) in ours.difference(&theirs) {
                    let repair = REPAIRS.contains(&code.as_str()) && !theirs.is_empty();
                    if !repair && !theirs.iter().any(|(their_code, _)| their_code == code) {
                        wrong.push(format!("{file}: false alarm {code} at {place}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 80, "{count} files");
}

/// What follows from faults of another code: weights that are not numbers are taken as 0, and then
/// the sum is not 1.
const REPAIRS: &[&str] = &["ACCESSOR_WEIGHTS_NON_NORMALIZED"];
