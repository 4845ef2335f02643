//! A person of VRM 0.x and what it was migrated to are the same person to three-vrm.
#![allow(clippy::unwrap_used)] // A test may panic.

use std::path::PathBuf;

use enliven_io::gltf::{self, Clips, Export};
use enliven_io::{Limits, import_file};
use enliven_testing::{assets, node};
use serde_json::Value;

/// Angles pass through degrees and back.
const TOLERANCE: f64 = 2e-4;
/// three-vrm takes the colours of 0.x to the power of 2.2, we by the curve of sRGB.
const GAMMA: f64 = 0.012;

/// What three-vrm says of each file; `None` (said) where there is no node.
fn reports(files: &[PathBuf]) -> Option<Vec<Value>> {
    let list: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let lines = node("three-vrm", "@pixiv/three-vrm", "people.mjs", &[], &list)?;
    Some(lines.iter().map(|l| serde_json::from_str(l).unwrap()).collect())
}

fn differ(at: &str, a: &Value, b: &Value, out: &mut Vec<String>) {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            let color = ["/effect/", " "].iter().all(|part| at.contains(part));
            if (x - y).abs() > if color { GAMMA } else { TOLERANCE } {
                out.push(format!("{at}: {x} became {y}"));
            }
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            for (i, (x, y)) in x.iter().zip(y).enumerate() {
                differ(&format!("{at}/{i}"), x, y, out);
            }
        }
        (Value::Object(x), Value::Object(y)) if x.len() == y.len() => {
            for (key, x) in x {
                match y.get(key) {
                    Some(y) => differ(&format!("{at}/{key}"), x, y, out),
                    None => out.push(format!("{at}: no {key} any more")),
                }
            }
        }
        _ if a == b => {}
        _ => out.push(format!("{at}: {a} became {b}")),
    }
}

#[test]
fn three_vrm_sees_the_same_person() {
    let Some(assets) = assets() else { return };
    let folder = tempfile::tempdir().unwrap();
    let names = ["Godette", "CoolBanana", "CoolLoops", "EmissionMigration"];
    let mut files = Vec::new();
    for name in names {
        let path = assets.join("vrm0").join(format!("{name}.vrm"));
        let import = import_file(&path, &Limits::default()).unwrap();
        let what = Export {
            character: &import.character,
            document: Some(&import.document),
            clips: Clips::Own,
        };
        let out = gltf::export_vrm(&what, import.person.as_ref().unwrap());
        let made = folder.path().join(format!("{name}.vrm"));
        std::fs::write(&made, out.to_glb().unwrap()).unwrap();
        files.extend([path, made]);
    }
    let Some(reports) = reports(&files) else { return };
    assert_eq!(reports.len(), files.len());
    let mut wrong = Vec::new();
    for (pair, name) in reports.chunks_exact(2).zip(names) {
        let [old, new] = pair else { panic!("pairs") };
        assert!(new.get("error").is_none() && old.get("error").is_none(), "{name}: {new}");
        assert_eq!((old["meta"].as_str(), new["meta"].as_str()), (Some("0"), Some("1")));
        for part in ["bones", "expressions", "look", "springs"] {
            differ(&format!("{name}/{part}"), &old[part], &new[part], &mut wrong);
        }
        let count = |part: &str| {
            old[part].as_object().map_or(0, serde_json::Map::len)
                + old[part].as_array().map_or(0, Vec::len)
        };
        eprintln!("{name}: {} expressions, {} springs", count("expressions"), count("springs"));
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
