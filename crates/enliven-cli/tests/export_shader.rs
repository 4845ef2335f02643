//! `enliven export-shader`.

mod support;

use support::{Scratch, enliven};

/// A rig and its model become chunks, a description and a model with weights that fit each other.
#[test]
fn chunks_joints_and_model_fit_each_other() {
    let folder = Scratch::new();
    let at = |name: &str| folder.path(name);
    let rig = enliven(&["rig", "creature", "-o", &at("rig.toml")]);
    assert_eq!(rig.code, 0, "{}", rig.err);
    let out = at("page");
    let arguments = ["export-shader", &at("rig.toml"), "--model", "creature", "-o", &out, "--fur"];
    let written = enliven(&arguments);
    assert_eq!(written.code, 0, "{}", written.err);
    let read = |name: &str| {
        let path = folder.path(&format!("page/{name}"));
        std::fs::read(path).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let text = |name: &str| String::from_utf8(read(name)).expect("text");
    let pars = text("enliven_pars_vertex.glsl");
    assert!(text("enliven_begin_vertex.glsl").contains("enlivenFur("));
    assert!(text("enliven_beginnormal_vertex.glsl").contains("objectNormal"));
    assert!(text("enliven.js").contains("customProgramCacheKey"));
    let about: serde_json::Value = serde_json::from_str(&text("enliven.json")).expect("JSON");
    for uniform in about["uniforms"].as_array().expect("a list") {
        let name = uniform["name"].as_str().expect("a name");
        assert!(pars.contains(&format!(" {name}")), "{name} is declared");
    }
    let limits = enliven_io::Limits::default();
    let model =
        enliven_io::import_file(std::path::Path::new(&folder.path("page/model.glb")), &limits);
    let model = model.expect("a model that can be read").character;
    assert_eq!(about["meshes"].as_array().map(Vec::len), Some(model.meshes.len()));
    let entries: usize = about["meshes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|mesh| mesh["entries"].as_array().map_or(0, Vec::len))
        .sum();
    assert!(entries > model.meshes.len(), "meshes follow several joints: {entries}");
    let names: Vec<&str> = about["joints"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|j| j["name"].as_str())
        .collect();
    assert!(names.len() > 10, "{names:?}");
}

#[test]
fn a_rig_without_a_body_is_refused() {
    let folder = Scratch::new();
    let rig = folder.path("mind.toml");
    std::fs::write(&rig, "").expect("a writable file");
    let told = enliven(&["export-shader", &rig, "-o", "nowhere"]);
    assert_ne!(told.code, 0);
    assert!(told.err.contains("[body]"), "{}", told.err);
}
