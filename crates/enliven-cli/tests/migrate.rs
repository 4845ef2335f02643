//! A person of VRM 0.x and what it becomes as one of 1.0 look the same.
#![allow(clippy::unwrap_used)] // A test may panic.

mod support;

use enliven_io::gltf::{Clips, Export, export_vrm};
use enliven_io::{Limits, import_file};
use enliven_render::Picture;
use enliven_testing::{differences, percentile};
use support::{Scratch, program, repository, run, shared_assets};

/// Largest difference (0..=255) at a percentile. The same numbers by other ways: what differs is
/// how they were rounded.
const ALLOWED: [(f32, f32); 3] = [(50.0, 1.0), (99.0, 4.0), (99.9, 24.0)];

fn picture(file: &str, out: &str) -> Picture {
    let arguments = ["render", file, "-o", out, "--size", "320x320", "--at", "1"];
    let result = run(program(&arguments).current_dir(repository()));
    assert_eq!(result.code, 0, "{file}: {}", result.err);
    let image = image::open(out).unwrap().into_rgba8();
    Picture { width: image.width(), height: image.height(), rgba: image.into_raw() }
}

#[test]
fn a_migrated_person_looks_the_same() {
    let mut files = vec![repository().join("assets/Godette.vrm")];
    // The others may not be shipped.
    if let Some(assets) = shared_assets() {
        let others = assets.join("vrm0");
        files.extend(["CoolBanana.vrm", "EmissionMigration.vrm"].map(|name| others.join(name)));
    }
    let scratch = Scratch::new();
    for (i, file) in files.iter().enumerate() {
        let old = import_file(file, &Limits::default()).unwrap();
        let what =
            Export { character: &old.character, document: Some(&old.document), clips: Clips::Own };
        let new = export_vrm(&what, old.person.as_ref().unwrap());
        let made = scratch.path(&format!("{i}.vrm"));
        std::fs::write(&made, new.to_glb().unwrap()).unwrap();
        let before = picture(&file.display().to_string(), &scratch.path(&format!("{i}-old.png")));
        let after = picture(&made, &scratch.path(&format!("{i}-new.png")));
        let differences = differences(&before.rgba, &after.rgba);
        for (percent, most) in ALLOWED {
            let found = percentile(&differences, percent);
            let name = file.display();
            assert!(found <= most, "{name}: {found:.1} at {percent} %, {most} is allowed");
        }
    }
}
