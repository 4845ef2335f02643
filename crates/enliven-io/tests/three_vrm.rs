//! A person of VRM 0.x and what it was migrated to are the same person to three-vrm.
#![allow(clippy::unwrap_used)] // A test may panic.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use enliven_io::gltf::{self, Export};
use enliven_io::{Limits, import_file};
use serde_json::Value;

/// Angles pass through degrees and back.
const TOLERANCE: f64 = 2e-4;
/// three-vrm takes the colours of 0.x to the power of 2.2, we by the curve of sRGB.
const GAMMA: f64 = 0.012;

fn assets() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("ENLIVEN_SHARED").map_or_else(beside, PathBuf::from);
    let assets = shared.join("assets");
    if assets.is_dir() {
        return Some(assets);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{} is missing", assets.display());
    eprintln!("skipped: {} is missing", assets.display());
    None
}

/// What three-vrm says of each file; `None` (said) where there is no node.
fn reports(files: &[PathBuf]) -> Option<Vec<Value>> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/three-vrm");
    let has = |p: &str| Command::new(p).arg("--version").output().is_ok_and(|o| o.status.success());
    if !has("node") || !has("npm") {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "node and npm are missing");
        eprintln!("skipped: node and npm are needed for three-vrm");
        return None;
    }
    if !tool.join("node_modules/@pixiv/three-vrm").is_dir() {
        let done = Command::new("npm")
            .args(["ci", "--silent", "--no-audit", "--no-fund"])
            .current_dir(&tool)
            .status()
            .unwrap();
        assert!(done.success(), "npm ci in {}", tool.display());
    }
    let mut node = Command::new("node")
        .arg("people.mjs")
        .current_dir(&tool)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let list: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    node.stdin.take().unwrap().write_all(list.join("\n").as_bytes()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|l| serde_json::from_str(l).unwrap()).collect())
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
        let what =
            Export { character: &import.character, document: Some(&import.document), clips: None };
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
