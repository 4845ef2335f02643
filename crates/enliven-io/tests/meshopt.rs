//! Models compressed with meshopt are their uncompressed twins, and broken streams are coded
//! errors. The streams are made by the reference encoder.
#![allow(clippy::unwrap_used)] // A test may panic.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use enliven::{Character, Severity, glam::Vec3};
use enliven_io::gltf::{self, Clips, Export, Options};
use enliven_io::{Import, Limits, NoFiles, import_file};
use enliven_testing::{node, shared};
use serde_json::{Value, json};

/// A twin: the same data compressed and not.
struct Twin {
    label: String,
    packed: PathBuf,
    plain: PathBuf,
    modes: BTreeMap<String, u64>,
}

/// Compresses the files in three ways each; `None` (said) where there is no node.
fn twins(folder: &Path, files: &[PathBuf]) -> Option<Vec<Twin>> {
    let mut lines = Vec::new();
    let mut twins = Vec::new();
    for (i, file) in files.iter().enumerate() {
        for (version, filters, sequence) in [(0, false, false), (1, false, true), (1, true, false)]
        {
            let path =
                |end: &str| folder.join(format!("{i}-{version}{filters}{sequence}-{end}.glb"));
            let (packed, plain) = (path("packed"), path("plain"));
            lines.push(
                json!({
                    "in": file, "packed": packed, "plain": plain,
                    "version": version, "filters": filters, "sequence": sequence,
                })
                .to_string(),
            );
            let label = format!("{} v{version} filters {filters}", file.display());
            twins.push(Twin { label, packed, plain, modes: BTreeMap::new() });
        }
    }
    let told = node("meshopt", "meshoptimizer", "pack.mjs", &[], &lines)?;
    for (twin, line) in twins.iter_mut().zip(told) {
        let told: Value = serde_json::from_str(&line).unwrap();
        twin.modes = serde_json::from_value(told["modes"].clone()).unwrap();
    }
    Some(twins)
}

/// Farthest difference of two lists of vectors; infinite where they have different lengths.
fn far(a: &[Vec3], b: &[Vec3]) -> f32 {
    if a.len() != b.len() {
        return f32::INFINITY;
    }
    a.iter().zip(b).map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f32::max)
}

/// What differs between two characters. The reference may round what a filter makes otherwise by
/// one unit in the last place of its 8 or 16 bits.
fn differences(a: &Character, b: &Character) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |what: String, same: bool| {
        if !same {
            wrong.push(what);
        }
    };
    check("rigs".into(), a.rig.skeleton == b.rig.skeleton && a.rig.channels == b.rig.channels);
    check("skins".into(), a.skins == b.skins);
    check("materials".into(), a.materials == b.materials && a.images == b.images);
    check("number of meshes".into(), a.meshes.len() == b.meshes.len());
    for (i, (x, y)) in a.meshes.iter().zip(&b.meshes).enumerate() {
        let (g, h) = (&x.geometry, &y.geometry);
        check(format!("mesh {i} positions"), g.positions == h.positions);
        check(format!("mesh {i} indices"), g.indices == h.indices);
        check(format!("mesh {i} uvs"), g.uvs == h.uvs && g.influences == h.influences);
        check(format!("mesh {i} normals"), far(&g.normals, &h.normals) < 1.5 / 127.0);
        let tangents = |g: &enliven::Geometry| -> Vec<Vec3> {
            g.tangents.iter().map(|t| t.truncate()).collect()
        };
        check(format!("mesh {i} tangents"), far(&tangents(g), &tangents(h)) < 1.5 / 127.0);
        let colors = |g: &enliven::Geometry| -> Vec<Vec3> {
            g.colors.iter().map(|t| t.truncate()).collect()
        };
        check(format!("mesh {i} colours"), far(&colors(g), &colors(h)) < 1.5 / 255.0);
        let morphs = g.morphs.iter().zip(&h.morphs).all(|(p, q)| p.positions == q.positions);
        check(format!("mesh {i} morphs"), morphs && g.morphs.len() == h.morphs.len());
    }
    check("number of clips".into(), a.clips.len() == b.clips.len());
    for (x, y) in a.clips.iter().zip(&b.clips) {
        check(format!("clip {} tracks", x.name), x.tracks.len() == y.tracks.len());
        for (p, q) in x.tracks.iter().zip(&y.tracks) {
            let near = p.curve.values().iter().zip(q.curve.values());
            let near = near.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            let allowed = if p.curve.is_rotation() { 1.5 / 32767.0 } else { 0.0 };
            let same = p.target == q.target && p.curve.times() == q.curve.times();
            check(format!("clip {} {:?}", x.name, p.target), same && near <= allowed);
        }
    }
    wrong
}

fn assets(shared: &Path) -> Vec<PathBuf> {
    [
        "rigged/Fox.glb",
        "rigged/CesiumMan.glb",
        "rigged/RobotExpressive.glb",
        "morph/AnimatedMorphCube.glb",
        "morph/sparse_blendshape_cube.glb",
        "static/babylon_greySnapper_fish.glb",
    ]
    .iter()
    .map(|name| shared.join("assets").join(name))
    .collect()
}

#[test]
fn compressed_models_are_their_twins() {
    let Some(shared) = shared("") else { return };
    let folder = tempfile::tempdir().unwrap();
    let Some(twins) = twins(folder.path(), &assets(&shared)) else { return };
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for twin in &twins {
        let read = |path: &Path| import_file(path, &Limits::default()).unwrap();
        let (packed, plain) = (read(&twin.packed), read(&twin.plain));
        let differ = differences(&packed.character, &plain.character);
        wrong.extend(differ.iter().map(|d| format!("{}: {d}", twin.label)));
        let severe = |import: &Import| -> Vec<String> {
            let severe = import.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            severe.map(|d| format!("{} {}", d.code, d.place)).collect()
        };
        let (found, had) = (severe(&packed), severe(&plain));
        if found != had {
            wrong.push(format!("{}: {found:?}, and plain {had:?}", twin.label));
        }
        for (mode, count) in &twin.modes {
            *seen.entry(mode.clone()).or_default() += count;
        }

        // Written again to the letter the streams stay, and stay readable.
        let what = Export {
            character: &packed.character,
            document: Some(&packed.document),
            clips: Clips::Own,
        };
        let exported = gltf::export(&what);
        assert!(exported.diagnostics.is_empty(), "{}: {:?}", twin.label, exported.diagnostics);
        let options = Options { binary: true, ..Options::default() };
        let again = gltf::import(exported.to_glb().unwrap(), &mut NoFiles, &options).unwrap();
        let differ = differences(&packed.character, &again.character);
        wrong.extend(differ.iter().map(|d| format!("{} written again: {d}", twin.label)));
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    for mode in [
        "ATTRIBUTES",
        "TRIANGLES",
        "INDICES",
        "ATTRIBUTES OCTAHEDRAL",
        "ATTRIBUTES QUATERNION",
        "ATTRIBUTES EXPONENTIAL",
        "ATTRIBUTES COLOR",
    ] {
        assert!(seen.get(mode).is_some_and(|count| *count > 0), "{mode} is not among {seen:?}");
    }
}

/// The JSON and the binary chunk of a GLB.
fn parts(bytes: &[u8]) -> (Value, usize) {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[20..20 + length]).unwrap(), 28 + length)
}

#[test]
fn broken_streams_are_coded_and_bounded() {
    let Some(shared) = shared("") else { return };
    let _alone = common::alone();
    let folder = tempfile::tempdir().unwrap();
    let files = [shared.join("assets/morph/AnimatedMorphCube.glb")];
    let Some(twins) = twins(folder.path(), &files) else { return };
    let mut refused = 0;
    let mut count = 0;
    for twin in &twins {
        let whole = std::fs::read(&twin.packed).unwrap();
        let (json, start) = parts(&whole);
        let options = Options { binary: true, ..Options::default() };
        let mut check = |bytes: Vec<u8>, what: &str| {
            let outcome = common::measured(bytes, &mut NoFiles, &options, 2, 64 << 20)
                .unwrap_or_else(|error| panic!("{} {what}: {error}", twin.label));
            count += 1;
            let coded = outcome.findings().iter().any(|(code, ..)| code == "MESHOPT_MALFORMED");
            refused += usize::from(coded);
            coded
        };
        // A bit of every second byte of the streams.
        for at in (start..whole.len()).step_by(2) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at / 2 % 8);
            check(bytes, &format!("bit {} of byte {at}", at / 2 % 8));
        }
        let accessors = json["accessors"].as_array().unwrap();
        let used = |view: usize| accessors.iter().any(|a| a["bufferView"] == view);
        // Every view with each length, and with other layouts.
        for (i, view) in json["bufferViews"].as_array().unwrap().iter().enumerate() {
            let Some((name, stream)) = view["extensions"].as_object().and_then(|e| e.iter().next())
            else {
                continue;
            };
            let length = stream["byteLength"].as_u64().unwrap();
            let mut changes: Vec<(&str, Value)> = vec![
                ("count", json!(u32::MAX)),
                ("count", json!(0)),
                ("byteStride", json!(256)),
                ("byteStride", json!(3)),
                ("byteLength", json!(length + 1)),
                ("mode", json!("POINTS")),
                ("filter", json!("QUATERNION")),
                ("buffer", json!(7)),
                ("buffer", json!(1)),
                ("byteOffset", json!(u64::MAX)),
            ];
            changes.extend((0..length).step_by(7).map(|shorter| ("byteLength", json!(shorter))));
            for (key, value) in changes {
                let mut json = json.clone();
                json["bufferViews"][i]["extensions"][name][key] = value.clone();
                let exported =
                    gltf::Exported { json, bin: whole[start..].to_vec(), diagnostics: Vec::new() };
                let what = format!("view {i} {key} {value}");
                let coded = check(exported.to_glb().unwrap(), &what);
                let shorter = key == "byteLength" && value.as_u64() < Some(length);
                assert!(coded || !shorter || !used(i), "{} {what} is not said", twin.label);
            }
        }
    }
    assert!(count > 1500 && refused * 4 > count, "{refused} of {count} streams refused");
}
