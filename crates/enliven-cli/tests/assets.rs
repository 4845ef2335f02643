//! Every shared model is inspected and drawn.

mod support;

use std::path::Path;

use enliven_cli::cast::{Cast, Setup};
use enliven_cli::options::{Background, Camera};
use enliven_cli::report::Report;
use enliven_cli::shot::{Shot, Wish};
use enliven_cli::studio::{FrameState, Studio};
use enliven_cli::subject::Subject;
use enliven_render::Framing;

/// Pixels a side: enough to see that something is there.
const SIDE: u32 = 48;
/// Fewer opaque pixels than this are nothing.
const SEEN: usize = 12;

/// Files that are refused, each with the code that says why.
const REFUSED: &[(&str, &str)] = &[
    // Compressed with Draco, which is not read.
    ("draco/", "DRACO_UNSUPPORTED"),
    ("Astronaut_FinnTheFrog-transformed.glb", "DRACO_UNSUPPORTED"),
    ("Enemy_Small-transformed.glb", "DRACO_UNSUPPORTED"),
    // Requires the extension FAKE_materials_quantumRendering, to see how a reader takes it.
    ("Compatibility/Compatibility_05.gltf", "UNSUPPORTED_EXTENSION"),
];

const MODELS: &[&str] = &["glb", "gltf", "vrm"];

/// Reads, reports and draws every model of a folder; with one device for all.
fn walk(folder: &str) {
    let Some(assets) = support::shared_assets() else { return };
    let files = enliven_testing::files(&assets.join(folder), MODELS);
    assert!(!files.is_empty(), "{folder} holds no models");
    let mut studio = Studio::new(&[], SIDE, SIDE).unwrap_or_else(|failure| panic!("{failure}"));
    let mut faults = Vec::new();
    for file in &files {
        if let Err(fault) = check(file, &mut studio) {
            faults.push(format!("{}: {fault}", file.display()));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), files.len(), faults.join("\n"));
}

fn check(file: &Path, studio: &mut Studio) -> Result<(), String> {
    let name = file.to_str().ok_or("no text")?;
    let refused = REFUSED.iter().find(|(part, _)| name.contains(part)).map(|(_, code)| *code);
    let subject = match (Subject::open(name), refused) {
        (Ok(subject), None) => subject,
        (Err(failure), Some(code)) if failure.code().word() == code => {
            return if failure.code().exit() == 1 { Ok(()) } else { Err(failure.to_string()) };
        }
        (Err(failure), _) => return Err(failure.to_string()),
        (Ok(_), Some(code)) => return Err(format!("is read after all, without {code}")),
    };
    let report = Report::new(&subject);
    let json = serde_json::to_value(&report).map_err(|error| error.to_string())?;
    let joints = json["counts"]["joints"].as_u64();
    if joints != Some(subject.character.rig.skeleton.len() as u64) {
        return Err(format!("the report counts {joints:?} joints"));
    }
    let mut text = String::new();
    enliven_cli::report::write(&report, &mut text).map_err(|error| error.to_string())?;

    let subjects = [subject];
    let fail = |failure: enliven_cli::failure::Failure| failure.to_string();
    studio.recast(&subjects).map_err(fail)?;
    let mut cast = Cast::new(&subjects, &Setup::default()).map_err(fail)?;
    cast.play_to(cast.good_moment());
    let wish = Wish {
        camera: Some(Camera::Framing(Framing::ThreeQuarter)),
        stage: None,
        background: Background::Transparent,
        light: None,
        aspect: 1.0,
        frames: 1,
        dt: 1.0 / 30.0,
    };
    let (camera, mut stage) = Shot::still(&cast, &wish).frame(0, &cast);
    // Without the ground there is no shadow, and what is opaque is the model.
    stage.ground = None;
    let picture =
        studio.draw(&FrameState { bodies: cast.states(), camera, stage }).map_err(fail)?;
    let seen = picture.rgba.chunks_exact(4).filter(|pixel| pixel[3] > 32).count();
    // Files of clips or bones alone hold nothing to see.
    let empty = report.counts.vertices == 0;
    match (seen >= SEEN, empty) {
        (true, false) | (false, true) => Ok(()),
        (true, true) => Err("something is seen of a file without meshes".to_owned()),
        (false, false) => Err(format!("only {seen} pixels are seen")),
    }
}

#[test]
fn rigged() {
    walk("rigged");
}

#[test]
fn morph() {
    walk("morph");
}

#[test]
fn static_models() {
    walk("static");
}

#[test]
fn vrm0() {
    walk("vrm0");
}

#[test]
fn vrm1() {
    walk("vrm1");
}

#[test]
fn asset_generator() {
    walk("conformance/asset-generator");
}

#[test]
fn shipped() {
    let mut studio = Studio::new(&[], SIDE, SIDE).unwrap_or_else(|failure| panic!("{failure}"));
    let files = enliven_testing::files(&support::repository().join("assets"), MODELS);
    assert_eq!(files.len(), 5);
    for file in files {
        check(&file, &mut studio).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
    }
}
