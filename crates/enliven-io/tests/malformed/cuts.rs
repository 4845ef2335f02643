//! M27: sound files cut short, and their numbers replaced.

use std::path::{Path, PathBuf};

use enliven_io::{Folder, gltf::Options};
use serde_json::{Value, json};

use crate::{
    base::{Base, glb, live},
    common::{BYTES, SECONDS, alone, measured},
};

/// Cuts a file; of larger files a sample, evenly spread.
const SAMPLES: usize = 250;
/// Numbers replaced a file, each by five others.
const NUMBERS: usize = 40;

/// Small sound files: the base, and some of the shared data.
fn golden() -> Vec<(String, PathBuf, Vec<u8>)> {
    let mut out = vec![("base.glb".into(), PathBuf::from("base.glb"), Base::new().glb())];
    let Some(shared) = enliven_testing::shared("") else { return out };
    let assets = shared.join("assets");
    for name in [
        "morph/AnimatedMorphCube.glb",
        "morph/MorphPrimitivesTest/MorphPrimitivesTest.gltf",
        "rigged/RiggedSimple.glb",
        "rigged/BoxAnimated.glb",
        "rigged/Fox.glb",
        "vrm1/mini/expressions.vrm",
        "conformance/asset-generator/Animation_Skin/Animation_Skin_01.gltf",
        "conformance/magnum/mesh-sparse.gltf",
    ] {
        let path = assets.join(name);
        if let Ok(bytes) = std::fs::read(&path) {
            out.push((name.into(), path, bytes));
        }
    }
    assert!(out.len() > 5, "the shared files have other names now");
    out
}

/// Imports within the bounds and brings to life; what went wrong.
fn survive(path: &Path, bytes: Vec<u8>) -> Result<(), String> {
    let options = Options {
        binary: ["glb", "vrm"].contains(&enliven_testing::ending(path).as_str()),
        ..Default::default()
    };
    let outcome = measured(bytes, &mut Folder::of(path), &options, SECONDS, BYTES)?;
    match outcome.result {
        Ok(import) => live(*import),
        Err((code, _)) if code.is_empty() => Err("an error without a code".into()),
        Err(_) => Ok(()),
    }
}

/// Of `count` things at most `most`, evenly spread.
fn sample(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let step = count.div_ceil(most).max(1);
    (0..count).step_by(step)
}

#[test]
fn m27_cut_at_each_boundary() {
    let _alone = alone();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, path, bytes) in golden() {
        for words in sample(bytes.len() / 4, SAMPLES) {
            let cut = bytes[..words * 4].to_vec();
            // As it is, and with a header that agrees.
            let mut agreeing = cut.clone();
            if let Some(length) = agreeing.get_mut(8..12) {
                length.copy_from_slice(&((words * 4) as u32).to_le_bytes());
            }
            for (what, file) in [("cut", cut), ("cut, header agreeing", agreeing)] {
                count += 1;
                if let Err(found) = survive(&path, file) {
                    wrong.push(format!("{name} {what} at {}: {found}", words * 4));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 500, "{count} cuts");
}

/// Pointers to all numbers of a document.
fn numbers(value: &Value, pointer: &str, out: &mut Vec<String>) {
    match value {
        Value::Number(_) => out.push(pointer.to_owned()),
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                numbers(value, &format!("{pointer}/{at}"), out);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
                numbers(value, &format!("{pointer}/{key}"), out);
            }
        }
        _ => {}
    }
}

/// The JSON of a file, and the rest of it when it is a GLB.
fn split(bytes: &[u8]) -> (Value, Option<Vec<u8>>) {
    if !bytes.starts_with(b"glTF") {
        return (serde_json::from_slice(bytes).expect("sound JSON"), None);
    }
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("4 bytes")) as usize;
    let json = serde_json::from_slice(&bytes[20..20 + length]).expect("sound JSON");
    (json, Some(bytes[20 + length..].to_vec()))
}

#[test]
fn m27_each_number_replaced() {
    let _alone = alone();
    let replacements = [json!(0), json!(-1), json!(u32::MAX), json!(1u64 << 53), json!(1e308)];
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, path, bytes) in golden() {
        let (mut json, rest) = split(&bytes);
        let mut pointers = Vec::new();
        numbers(&json, "", &mut pointers);
        for at in sample(pointers.len(), NUMBERS) {
            let pointer = &pointers[at];
            let original = json.pointer(pointer).cloned().expect("just listed");
            for value in &replacements {
                *json.pointer_mut(pointer).expect("just listed") = value.clone();
                let file = match &rest {
                    None => json.to_string().into_bytes(),
                    Some(rest) => {
                        let text = json.to_string();
                        glb(&[crate::base::chunk(b"JSON", text.as_bytes(), b' '), rest.clone()])
                    }
                };
                count += 1;
                if let Err(found) = survive(&path, file) {
                    wrong.push(format!("{name} {pointer} = {value}: {found}"));
                }
            }
            *json.pointer_mut(pointer).expect("just listed") = original;
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 500, "{count} replacements");
}
