//! Reads every model of the shared collection and holds the figures that its manifest gives.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use enliven::{ChannelKind, Topology};
use enliven_io::{Import, Limits, Severity, import_file};
use enliven_testing::assets;
use serde_json::Value;

/// A line of MANIFEST.tsv about a model: its path and its figures, `nodes=1 meshes=1 …`.
struct Entry {
    path: String,
    figures: BTreeMap<String, String>,
}

fn entries(assets: &std::path::Path, folders: &[&str]) -> Vec<Entry> {
    let text = std::fs::read_to_string(assets.join("MANIFEST.tsv")).expect("the manifest");
    let mut entries = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (path, about) = (fields[0], fields[6]);
        let model = [".glb", ".gltf", ".vrm", ".vrma"].iter().any(|ending| path.ends_with(ending));
        let Some((_, figures)) = about.split_once(" | ") else { continue };
        if model && folders.iter().any(|folder| path.starts_with(folder)) {
            let figures = figures.split(' ').filter_map(|figure| figure.split_once('='));
            let figures = figures.map(|(name, value)| (name.into(), value.into())).collect();
            entries.push(Entry { path: path.into(), figures });
        }
    }
    entries
}

/// Whether the Khronos validator reports `code` on a file too: `in/khronos.tsv`, which
/// `negative.rs` explains.
fn khronos_says(path: &str, code: &str) -> bool {
    let mut lines = include_str!("in/khronos.tsv").lines();
    let line = lines.find(|line| line.split('\t').next() == Some(path));
    line.is_some_and(|line| {
        line.split('\t').skip(1).any(|found| found.split(' ').next() == Some(code))
    })
}

/// Faults that files of the collection do have beside those that the Khronos validator reports:
/// the path's start, the code. Each must be found.
const FAULTS: &[(&str, &str)] = &[
    // A required extension that does not exist, on purpose.
    ("conformance/asset-generator/Compatibility/Compatibility_05.gltf", "UNSUPPORTED_EXTENSION"),
    ("conformance/magnum/animation-embedded.glb", "ANIMATION_NO_KEYS"),
    ("conformance/magnum/animation-embedded.gltf", "ANIMATION_NO_KEYS"),
    ("conformance/magnum/animation-patching.gltf", "ACCESSOR_NON_UNIT"),
    ("conformance/magnum/animation-splines-single-or-no-keyframes.gltf", "ANIMATION_NO_KEYS"),
    ("conformance/magnum/animation.glb", "ANIMATION_NO_KEYS"),
    ("conformance/magnum/animation.gltf", "ANIMATION_NO_KEYS"),
    ("conformance/magnum/mesh-duplicate-attributes.gltf", "DUPLICATE_KEY"),
    // The Khronos validator stops at the data URI, whose last bits are not zero.
    (
        "conformance/magnum/mesh-multiple-primitives.gltf",
        "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS",
    ),
    ("conformance/magnum/mesh-sparse.gltf", "DUPLICATE_KEY"),
    ("conformance/magnum/scene-transformation-patching.gltf", "ROTATION_NON_UNIT"),
    ("conformance/magnum/scene-transformation.gltf", "NODE_MATRIX_TRS"),
    ("rigged/RobotExpressive.glb", "ACCESSOR_WEIGHTS_NON_NORMALIZED"),
    ("rigged/draco/pirate-captain.gltf", "DRACO_UNSUPPORTED"),
    ("rigged/draco/skater-male.gltf", "DRACO_UNSUPPORTED"),
    ("rigged/kenney_mini_character-female-a.glb", "IO_ERROR"),
    ("rigged/quaternius/Astronaut_FinnTheFrog-transformed.glb", "DRACO_UNSUPPORTED"),
    ("rigged/quaternius/Bee.glb", "ACCESSOR_INVALID_FLOAT"),
    ("rigged/quaternius/Bee.glb", "ACCESSOR_WEIGHTS_NON_NORMALIZED"),
    ("rigged/quaternius/Crab.glb", "ACCESSOR_INVALID_FLOAT"),
    ("rigged/quaternius/Crab.glb", "ACCESSOR_WEIGHTS_NON_NORMALIZED"),
    ("rigged/quaternius/Enemy_Small-transformed.glb", "DRACO_UNSUPPORTED"),
    ("vrm0/addon/sphere_FMS_Cat.vrm", "ACCESSOR_VECTOR3_NON_UNIT"),
];

#[test]
fn the_collection_is_read() {
    let Some(assets) = assets() else { return };
    let folders = ["rigged/", "morph/", "static/", "vrm0/", "vrm1/", "vrma/", "conformance/"];
    let entries = entries(&assets, &folders);
    let mut wrong = Vec::new();
    let mut faults = BTreeSet::new();
    for entry in &entries {
        let path = entry.path.as_str();
        match import_file(assets.join(path), &Limits::default()) {
            Ok(import) => {
                wrong.extend(compare(entry, &import).iter().map(|bad| format!("{path}: {bad}")));
                for found in import.diagnostics.iter().filter(|d| d.severity == Severity::Error) {
                    faults.insert((path, found.code));
                }
            }
            Err(error) => {
                faults.insert((path, error.code()));
            }
        }
    }
    assert!(entries.len() > 200, "{}", entries.len());
    for expected in FAULTS {
        if !faults.remove(expected) {
            wrong.push(format!("{}: {} was not found", expected.0, expected.1));
        }
    }
    faults.retain(|(path, code)| !khronos_says(path, code));
    wrong.extend(faults.iter().map(|(path, code)| format!("{path}: unexpected {code}")));
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
}

/// Where the manifest's figures and the character's differ.
fn compare(entry: &Entry, import: &Import) -> Vec<String> {
    let character = &import.character;
    let json = &import.document.json;
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let primitives: Vec<Value> =
        list(json, "meshes").iter().flat_map(|mesh| list(mesh, "primitives")).collect();

    let mut wrong = Vec::new();
    let mut check = |name: &str, got: String| {
        if entry.figures[name] != got {
            wrong.push(format!("{name}={} expected, {got} read", entry.figures[name]));
        }
    };
    let joints: Vec<_> = character.skins.iter().map(|skin| skin.joints.len().to_string()).collect();
    check("joints", if joints.is_empty() { "0".into() } else { joints.join("/") });
    check("nodes", character.rig.skeleton.len().to_string());
    check("skins", character.skins.len().to_string());
    check("clips", character.clips.len().to_string());
    // A converted specular-glossiness texture is added to those of the file.
    let images = list(json, "images").len();
    check("images", images.to_string());
    assert!(character.images.len() >= images);
    assert_eq!(import.document.resources.images.len(), images);

    // Geometries are shared by the nodes that show them.
    let mut seen = BTreeSet::new();
    let geometries: Vec<_> = character
        .meshes
        .iter()
        .map(|mesh| &mesh.geometry)
        .filter(|geometry| seen.insert(Arc::as_ptr(geometry)))
        .collect();
    let unused: BTreeSet<_> = (0..list(json, "meshes").len() as u64)
        .filter(|m| list(json, "nodes").iter().all(|node| node["mesh"].as_u64() != Some(*m)))
        .collect();
    if !unused.is_empty() {
        let said = |m: &u64| {
            let place = format!("/meshes/{m}");
            import.diagnostics.iter().any(|d| d.code == "UNUSED_OBJECT" && d.place == place)
        };
        assert!(unused.iter().all(said), "{}", entry.path);
        return wrong;
    }
    let channels = character.rig.channels.iter();
    let morphs = channels.filter(|(_, c)| c.kind == ChannelKind::Morph).count();
    let instanced = character.meshes.len() > geometries.len();
    if !instanced {
        check("morphs", morphs.to_string());
    }
    // The manifest divides by three whatever the mode.
    if primitives.iter().all(|primitive| primitive["mode"].as_u64().unwrap_or(4) == 4) {
        let triangles: usize = geometries.iter().map(|g| g.indices.len() / 3).sum();
        check("tris", triangles.to_string());
    }
    // Flat normals need vertices of their own; parts of a shared list get what they use.
    let mut lists = BTreeSet::new();
    let plain = |primitive: &Value| {
        primitive["attributes"]["NORMAL"].is_u64()
            && lists.insert(primitive["attributes"]["POSITION"].as_u64())
    };
    if primitives.iter().all(plain) {
        let vertices: usize = geometries.iter().map(|g| g.vertex_count()).sum();
        check("verts", vertices.to_string());
    }
    for geometry in &geometries {
        let triangles = geometry.topology == Topology::Triangles;
        assert!(!triangles || geometry.normals.len() == geometry.vertex_count());
    }
    wrong
}
