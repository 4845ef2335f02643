//! What becomes of each part of a glTF file, and that each part fails alone.

use std::sync::Arc;

use enliven::{
    AlphaMode, Binding, ChannelId, ChannelKind, Interpolation, JointId, MaterialFactor, MaterialId,
    Outline, Property, Shading, Target, Topology,
    glam::{Quat, Vec2, Vec3},
};
use enliven_io::gltf::{Clips, Export, export};
use enliven_io::{Error, Import, Limits, NoFiles, Options, import};
use serde_json::{Value, json};

/// A GLB under construction: JSON and the bytes that its accessors lie in.
struct Glb {
    json: Value,
    bin: Vec<u8>,
}

impl Glb {
    fn new(json: Value) -> Self {
        let mut glb = Self { json, bin: Vec::new() };
        glb.json["asset"] = json!({"version": "2.0"});
        glb
    }

    /// Adds an accessor and returns its index.
    fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        for key in ["accessors", "bufferViews"] {
            if self.json[key].is_null() {
                self.json[key] = json!([]);
            }
        }
        let views = self.json["bufferViews"].as_array_mut().expect("a list");
        let view = views.len();
        let length = bytes.len();
        views.push(json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": length}));
        self.bin.extend(bytes);
        let accessors = self.json["accessors"].as_array_mut().expect("a list");
        accessors.push(
            json!({"bufferView": view, "componentType": component, "count": count, "type": kind}),
        );
        accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, values: &[[f32; N]]) -> usize {
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"].get(N).copied().unwrap_or("MAT4");
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(kind, 5126, values.len(), &bytes)
    }

    fn scalars(&mut self, values: &[f32]) -> usize {
        let values: Vec<[f32; 1]> = values.iter().map(|value| [*value]).collect();
        self.floats(&values)
    }

    fn indices(&mut self, values: &[u8]) -> usize {
        self.accessor("SCALAR", 5121, values.len(), values)
    }

    /// A primitive of one triangle with normals; more attributes can be added.
    fn triangle(&mut self) -> Value {
        let positions = self.floats(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
        let normals = self.floats(&[[0.0, 0.0, 1.0]; 3]);
        json!({"attributes": {"POSITION": positions, "NORMAL": normals}})
    }

    fn bytes(mut self) -> Vec<u8> {
        if !self.bin.is_empty() {
            self.json["buffers"] = json!([{"byteLength": self.bin.len()}]);
        }
        let mut text = self.json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let total = 12 + 8 + text.len() + 8 + self.bin.len();
        let mut file = b"glTF\x02\0\0\0".to_vec();
        file.extend((total as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &self.bin)] {
            file.extend((chunk.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(chunk);
        }
        file
    }

    fn result(self) -> Result<Import, Error> {
        import(self.bytes(), &mut NoFiles, &Options::default())
    }

    fn import(self) -> Import {
        self.result().expect("a file that can be read")
    }
}

fn codes(import: &Import) -> Vec<String> {
    import.diagnostics.iter().map(|found| format!("{} {}", found.code, found.place)).collect()
}

#[track_caller]
fn has(import: &Import, code_and_place: &str) {
    let codes = codes(import);
    assert!(codes.iter().any(|found| found == code_and_place), "{code_and_place}: {codes:#?}");
}

#[test]
fn nodes_become_joints_parents_first() {
    let import = Glb::new(json!({
        "nodes": [
            {"name": "hand", "translation": [0, 1, 0]},
            {"name": "arm.L", "children": [0], "rotation": [0, 0, 0, 2]},
            {"name": "root", "children": [1, 1, 9], "scale": [2, 2, 2]},
        ],
        "scenes": [{"nodes": [2]}],
    }))
    .import();
    let skeleton = &import.character.rig.skeleton;
    assert_eq!(import.document.joints, [JointId(2), JointId(1), JointId(0)]);
    let names: Vec<_> = skeleton.joints().map(|joint| skeleton.name(joint)).collect();
    assert_eq!(names, ["root", "arm.L", "hand"]);
    assert_eq!(skeleton.parents(), [None, Some(JointId(0)), Some(JointId(1))]);
    assert_eq!(skeleton.rest()[1].rotation, Quat::IDENTITY);
    assert_eq!(skeleton.rest_model()[2].translation(), Vec3::new(0.0, 2.0, 0.0));
    has(&import, "ROTATION_NON_UNIT /nodes/1/rotation");
    has(&import, "DUPLICATE_ELEMENTS /nodes/2/children/1");
    has(&import, "UNRESOLVED_REFERENCE /nodes/2/children/2");
}

#[test]
fn loops_and_second_parents_are_cut() {
    let import = Glb::new(json!({
        "nodes": [{"children": [1]}, {"children": [2]}, {"children": [0, 3]}, {}, {"children": [4, 3]}],
    }))
    .import();
    let parents = import.character.rig.skeleton.parents();
    assert_eq!(parents.iter().filter(|parent| parent.is_none()).count(), 2, "{parents:?}");
    assert!(codes(&import).iter().any(|found| found.starts_with("NODE_LOOP")));
    has(&import, "NODE_LOOP /nodes/4");
    has(&import, "NODE_PARENT_OVERRIDE /nodes/4/children/1");
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_is_a_chain() {
    let count = 100_000usize;
    let mut nodes: Vec<Value> = (1..count).map(|child| json!({"children": [child]})).collect();
    nodes.push(json!({}));
    let import = Glb::new(json!({"nodes": nodes})).import();
    let skeleton = &import.character.rig.skeleton;
    assert_eq!(skeleton.len(), count);
    assert_eq!(skeleton.parent(JointId::new(count - 1)), Some(JointId::new(count - 2)));
}

#[test]
fn matrices_are_split_and_what_does_not_fit_is_said() {
    let import = Glb::new(json!({"nodes": [
        {"matrix": [0, 2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1]},
        {"matrix": [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},
        {"matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},
        {"translation": [1e300, 0, 0], "scale": [0, 0, 0], "rotation": [0, 0, 0, 0]},
    ]}))
    .import();
    let rest = import.character.rig.skeleton.rest();
    assert_eq!(rest[0].translation, Vec3::new(3.0, 4.0, 5.0));
    assert!(rest[0].scale.abs_diff_eq(Vec3::new(2.0, 1.0, 1.0), 1e-6));
    let x = rest[0].rotation * Vec3::X;
    assert!(x.abs_diff_eq(Vec3::Y, 1e-6), "{x}");
    assert!(rest[2].scale.x < 0.0, "a mirror stays one");
    assert!(rest[3].is_finite());
    assert_eq!(rest[3].scale, Vec3::ZERO);
    has(&import, "NODE_MATRIX_NON_TRS /nodes/1/matrix");
    has(&import, "VALUE_NOT_IN_RANGE /nodes/3/translation");
    has(&import, "ROTATION_NON_UNIT /nodes/3/rotation");
}

#[test]
fn only_the_scene_is_shown() {
    let mut glb = Glb::new(json!({
        "nodes": [
            {"mesh": 0, "children": [1]},
            {"mesh": 0, "extensions": {"KHR_node_visibility": {"visible": false}}, "children": [2]},
            {"mesh": 0},
            {"mesh": 0},
        ],
        "scenes": [{"nodes": [3]}, {"nodes": [0, 7]}],
        "scene": 1,
        "extensionsUsed": ["KHR_node_visibility"],
    }));
    let primitive = glb.triangle();
    glb.json["meshes"] = json!([{"name": "m", "primitives": [primitive]}]);
    let import = glb.import();
    let shown: Vec<_> = import.character.meshes.iter().map(|mesh| mesh.shown).collect();
    assert_eq!(shown, [true, false, false, false]);
    let geometry = &import.character.meshes[0].geometry;
    assert!(import.character.meshes.iter().all(|mesh| Arc::ptr_eq(&mesh.geometry, geometry)));
    assert_eq!(import.character.meshes[3].binding, Binding::Rigid(JointId(3)));
    assert_eq!(import.character.rig.height, 2.0);
    has(&import, "UNRESOLVED_REFERENCE /scenes/1/nodes/1");
}

#[test]
fn without_normals_triangles_are_flat() {
    let mut glb = Glb::new(json!({"nodes": [{"mesh": 0}]}));
    let positions =
        glb.floats(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let uvs = glb.floats(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]);
    let indices = glb.indices(&[0, 1, 2, 3]);
    glb.json["meshes"] = json!([{"primitives": [{
        "attributes": {"POSITION": positions, "TEXCOORD_0": uvs},
        "indices": indices,
        "mode": 5,
    }]}]);
    let import = glb.import();
    let geometry = &import.character.meshes[0].geometry;
    assert_eq!(geometry.topology, Topology::Triangles);
    assert_eq!(geometry.vertex_count(), 6);
    assert_eq!(geometry.indices, [0, 1, 2, 3, 4, 5]);
    assert_eq!(geometry.normals[..3], [Vec3::Z; 3]);
    // The second triangle of a strip is turned: 1, 3, 2.
    let turned = Vec3::new(-1.0, 0.0, 1.0).cross(Vec3::new(-1.0, 1.0, 0.0)).normalize();
    assert!(geometry.normals[3].abs_diff_eq(turned, 1e-6), "{}", geometry.normals[3]);
    assert_eq!(geometry.uvs[0][4], Vec2::new(0.5, 0.5));
}

#[test]
fn broken_attributes_go_and_the_mesh_stays() {
    let mut glb = Glb::new(json!({
        "nodes": [{"mesh": 0}],
        "materials": [7, {"doubleSided": true}],
    }));
    let mut primitive = glb.triangle();
    let short = glb.floats(&[[0.0, 0.0]; 2]);
    let wide = glb.floats(&[[1.0, 0.0, 0.0, 1.0]; 3]);
    primitive["attributes"]["TEXCOORD_0"] = json!(short);
    primitive["attributes"]["TEXCOORD_1"] = json!(wide);
    primitive["attributes"]["COLOR_0"] = json!("x");
    primitive["attributes"]["_TEMPERATURE"] = json!(short);
    primitive["indices"] = json!(glb.indices(&[0, 1, 2, 0, 1, 3, 0]));
    primitive["material"] = json!(0);
    let good = glb.triangle();
    let mut lost = glb.triangle();
    lost["material"] = json!(5);
    let no_positions = json!({"attributes": {}});
    glb.json["meshes"] = json!([{"primitives": [primitive, no_positions, good, lost]}]);
    let import = glb.import();
    assert_eq!(import.character.meshes.len(), 3);
    let geometry = &import.character.meshes[0].geometry;
    assert_eq!(geometry.indices, [0, 1, 2]);
    assert!(geometry.uvs.iter().all(Vec::is_empty) && geometry.colors.is_empty());
    has(
        &import,
        "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT /meshes/0/primitives/0/attributes/TEXCOORD_0",
    );
    has(&import, &format!("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT /accessors/{wide}"));
    has(&import, "INVALID_INDEX /meshes/0/primitives/0/attributes/COLOR_0");
    has(&import, "ATTRIBUTE_NOT_APPLIED /meshes/0/primitives/0/attributes");
    has(&import, "MESH_PRIMITIVE_INCOMPATIBLE_MODE /meshes/0/primitives/0");
    has(&import, "MESH_PRIMITIVE_NO_POSITION /meshes/0/primitives/1");
    has(&import, "UNRESOLVED_REFERENCE /meshes/0/primitives/3/material");
    has(&import, "TYPE_MISMATCH /materials/0");
    assert!(codes(&import).iter().any(|found| found.starts_with("ACCESSOR_INDEX_OOB")));
    assert_eq!(import.character.materials.len(), 3, "two of the file and the default");
}

#[test]
fn parts_of_one_vertex_list_get_what_they_use() {
    let mut glb = Glb::new(json!({"nodes": [{"mesh": 0}]}));
    let positions: Vec<[f32; 3]> = (0..6).map(|i| [i as f32, (i % 3) as f32, 0.0]).collect();
    let positions = glb.floats(&positions);
    let normals = glb.floats(&[[0.0, 0.0, 1.0]; 6]);
    let deltas: Vec<[f32; 3]> = (0..6).map(|i| [0.0, 0.0, i as f32]).collect();
    let deltas = glb.floats(&deltas);
    let parts: Vec<Value> = [[0u8, 1, 2], [5, 4, 3]]
        .iter()
        .map(|part| {
            let indices = glb.indices(part);
            json!({
                "attributes": {"POSITION": positions, "NORMAL": normals},
                "targets": [{"POSITION": deltas}],
                "indices": indices,
            })
        })
        .collect();
    glb.json["meshes"] = json!([{"primitives": parts}]);
    let import = glb.import();
    let second = &import.character.meshes[1].geometry;
    assert_eq!(second.vertex_count(), 3);
    assert_eq!(second.indices, [2, 1, 0]);
    assert_eq!(second.positions[0].x, 3.0);
    assert_eq!(second.morphs[0].positions[2].z, 5.0);
    assert_eq!(import.character.meshes[0].morphs, import.character.meshes[1].morphs);
}

#[test]
fn morphs_have_names_and_weights_of_each_node() {
    let mut glb = Glb::new(json!({
        "nodes": [{"mesh": 0}, {"mesh": 0, "weights": [0.25, 0.5]}, {"mesh": 0, "weights": [1]}],
    }));
    let mut primitive = glb.triangle();
    let deltas = glb.floats(&[[0.0, 1.0, 0.0]; 3]);
    let short = glb.floats(&[[0.0, 1.0, 0.0]; 2]);
    primitive["targets"] = json!([{"POSITION": deltas, "NORMAL": deltas, "TANGENT": deltas},
        {"POSITION": short}]);
    glb.json["meshes"] = json!([{
        "primitives": [primitive],
        "weights": [0.75, 0],
        "extras": {"targetNames": ["smile", "blink"]},
    }]);
    let import = glb.import();
    let character = &import.character;
    let channels: Vec<_> =
        character.rig.channels.iter().map(|(_, c)| (c.name.as_str(), c.default)).collect();
    let expected = [
        ("smile", 0.75),
        ("blink", 0.0),
        ("smile", 0.25),
        ("blink", 0.5),
        ("smile", 1.0),
        ("blink", 0.0),
    ];
    assert_eq!(channels, expected);
    assert_eq!(character.meshes[1].morphs, 2..4);
    let target = &character.meshes[0].geometry.morphs[0];
    assert_eq!((target.name.as_str(), target.positions.len()), ("smile", 3));
    assert_eq!((target.normals.len(), target.tangents.len()), (3, 0));
    has(&import, "NODE_WEIGHTS_INVALID /nodes/2/weights");
    has(
        &import,
        "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT \
         /meshes/0/primitives/0/targets/1/POSITION",
    );
    has(
        &import,
        "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR /meshes/0/primitives/0/targets/0/TANGENT",
    );
}

/// A triangle on a skin of two joints, with the joints and weights of its first vertex.
fn skinned(joints: [u8; 4], weights: [f32; 4]) -> Glb {
    let mut glb = Glb::new(json!({
        "nodes": [{"mesh": 0, "skin": 0}, {"children": [2]}, {"translation": [0, 1, 0]}],
        "skins": [{"joints": [1, 2], "skeleton": 1}],
    }));
    let mut primitive = glb.triangle();
    let all: Vec<u8> = [joints, [0; 4], [0; 4]].concat();
    primitive["attributes"]["JOINTS_0"] = json!(glb.accessor("VEC4", 5121, 3, &all));
    let one = [1.0, 0.0, 0.0, 0.0];
    primitive["attributes"]["WEIGHTS_0"] = json!(glb.floats(&[weights, one, one]));
    glb.json["meshes"] = json!([{"primitives": [primitive]}]);
    glb
}

#[test]
fn skins_bind_and_their_faults_are_mended() {
    let import = skinned([1, 0, 0, 0], [0.5, 0.5, 0.0, 0.0]).import();
    let character = &import.character;
    assert!(matches!(character.meshes[0].binding, Binding::Skin(_)));
    assert_eq!(character.skins[0].root, Some(JointId(1)));
    let influences = character.meshes[0].geometry.influences.as_ref().expect("influences");
    assert_eq!((influences.per_vertex, influences.weights[..2].to_vec()), (4, vec![0.5, 0.5]));
    let faults = ["ACCESSOR_WEIGHTS_NON_NORMALIZED", "ACCESSOR_JOINTS_INDEX_OOB"];
    assert!(import.diagnostics.iter().all(|found| !faults.contains(&found.code)));

    let import = skinned([1, 7, 0, 0], [0.25, 0.75, 0.0, 0.0]).import();
    let influences = import.character.meshes[0].geometry.influences.as_ref().expect("influences");
    assert_eq!((&influences.joints[..2], influences.weights[0]), (&[1, 0][..], 1.0));
    has(&import, "ACCESSOR_JOINTS_INDEX_OOB /meshes/0/primitives/0/attributes");

    let import = skinned([1, 0, 0, 0], [-1.0, f32::NAN, 0.0, 3.0]).import();
    let influences = import.character.meshes[0].geometry.influences.as_ref().expect("influences");
    assert_eq!(influences.weights[..4], [0.0, 0.0, 0.0, 1.0]);

    let mut glb = skinned([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
    let zeros = glb.floats(&[[0.0f32; 16]]);
    glb.json["skins"][0]["inverseBindMatrices"] = json!(zeros);
    let import = glb.import();
    let inverse = import.character.skins[0].inverse_binds[1];
    assert_eq!(inverse.translation(), Vec3::new(0.0, -1.0, 0.0), "bound at rest");
    has(&import, "INVALID_IBM_ACCESSOR_COUNT /skins/0/inverseBindMatrices");
    has(&import, "SKIN_IBM_SINGULAR /skins/0/inverseBindMatrices");

    let mut glb = skinned([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
    glb.json["skins"][0]["joints"] = json!([9]);
    let import = glb.import();
    assert_eq!(import.character.meshes[0].binding, Binding::Rigid(JointId(0)));
    has(&import, "SKIN_NO_JOINTS /skins/0");
}

#[test]
fn more_than_eight_influences_keep_the_heaviest() {
    let mut glb = skinned([0, 1, 0, 1], [0.1, 0.1, 0.1, 0.1]);
    for set in 1..3 {
        let joints = glb.accessor("VEC4", 5121, 3, &[set; 12]);
        let weights = glb.floats(&[[0.01, 0.2, 0.05, 0.1], [0.0; 4], [0.0; 4]]);
        let attributes = &mut glb.json["meshes"][0]["primitives"][0]["attributes"];
        attributes[format!("JOINTS_{set}")] = json!(joints);
        attributes[format!("WEIGHTS_{set}")] = json!(weights);
    }
    glb.json["skins"][0]["joints"] = json!([0, 1, 2]);
    let import = glb.import();
    let influences = import.character.meshes[0].geometry.influences.as_ref().expect("influences");
    assert_eq!(influences.per_vertex, 8);
    assert_eq!(influences.joints[..8], [0, 1, 0, 1, 1, 1, 2, 2]);
    assert!((influences.weights[..8].iter().sum::<f32>() - 1.0).abs() < 1e-6);
    has(&import, "INFLUENCES_REDUCED /meshes/0/primitives/0/attributes");
}

#[test]
fn clips_have_tracks_of_every_path_and_interpolation() {
    let mut glb = Glb::new(json!({"nodes": [{"mesh": 0}, {"name": "still"}]}));
    let mut primitive = glb.triangle();
    let deltas = glb.floats(&[[0.0, 1.0, 0.0]; 3]);
    primitive["targets"] = json!([{"POSITION": deltas}, {"POSITION": deltas}]);
    glb.json["meshes"] = json!([{"primitives": [primitive]}]);
    let times = glb.scalars(&[0.0, 0.5]);
    let moves = glb.floats(&[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]);
    let turns = glb.floats(&[[0.0, 0.0, 0.0, 1.0], [0.0, 3.0, 0.0, 0.0]]);
    // Two targets: in-tangents 1, 2, values 3, 4, out-tangents 5, 6; then ten more of each.
    let spline: Vec<f32> = (1..=6).chain(11..=16).map(|v| v as f32).collect();
    let spline = glb.scalars(&spline);
    let unordered = glb.scalars(&[-1.0, 0.5, 0.25, 1.0]);
    let more = glb.floats(&[[9.0; 3], [1.0; 3], [9.0; 3], [2.0; 3]]);
    let sampler = |input: usize, output: usize, kind: &str| json!({"input": input, "output": output, "interpolation": kind});
    let channel = |sampler: usize, node: usize, path: &str| json!({"sampler": sampler, "target": {"node": node, "path": path}});
    let pointer = |sampler: usize, to: &str| {
        json!({"sampler": sampler, "target": {"path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": to}}}})
    };
    glb.json["animations"] = json!([{
        "name": "all",
        "samplers": [sampler(times, moves, "STEP"), sampler(times, turns, "LINEAR"),
            sampler(times, spline, "CUBICSPLINE"), sampler(unordered, more, "LINEAR")],
        "channels": [channel(0, 1, "translation"), channel(1, 1, "rotation"),
            channel(2, 0, "weights"), channel(3, 1, "scale"), channel(0, 9, "scale"),
            channel(2, 1, "weights"), channel(0, 1, "colour"), channel(9, 1, "scale"),
            channel(1, 1, "scale"), pointer(0, "/nodes/0/translation"),
            pointer(0, "/materials/0/emissiveTexture")],
    }]);
    let import = glb.import();
    let clip = &import.character.clips[0];
    let targets: Vec<_> = clip.tracks.iter().map(|track| track.target).collect();
    let still = import.document.joints[1];
    let expected = [
        Target::Joint(still, Property::Translation),
        Target::Joint(still, Property::Rotation),
        Target::Channel(ChannelId(0)),
        Target::Channel(ChannelId(1)),
        Target::Joint(still, Property::Scale),
        Target::Joint(import.document.joints[0], Property::Translation),
    ];
    assert_eq!(targets, expected);
    assert_eq!((clip.name.as_str(), clip.duration), ("all", 1.0));
    assert_eq!(clip.tracks[0].curve.interpolation(), Interpolation::Step);
    assert_eq!(clip.tracks[1].curve.values()[4..], [0.0, 1.0, 0.0, 0.0], "made of unit length");
    assert_eq!(clip.tracks[2].curve.values(), [1.0, 3.0, 5.0, 11.0, 13.0, 15.0]);
    assert_eq!(clip.tracks[3].curve.values(), [2.0, 4.0, 6.0, 12.0, 14.0, 16.0]);
    assert_eq!(clip.tracks[4].curve.times(), [0.5, 1.0]);
    assert_eq!(clip.tracks[4].curve.values(), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    has(&import, &format!("ACCESSOR_NON_UNIT /accessors/{turns}"));
    has(&import, &format!("ACCESSOR_ANIMATION_INPUT_NEGATIVE /accessors/{unordered}"));
    has(&import, &format!("ACCESSOR_ANIMATION_INPUT_NON_INCREASING /accessors/{unordered}"));
    has(&import, "UNRESOLVED_REFERENCE /animations/0/channels/4/target/node");
    has(
        &import,
        "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS /animations/0/channels/5/target/path",
    );
    has(&import, "VALUE_NOT_IN_LIST /animations/0/channels/6/target/path");
    has(&import, "UNRESOLVED_REFERENCE /animations/0/channels/7/sampler");
    has(&import, &format!("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT /accessors/{turns}"));
    has(
        &import,
        "ANIMATION_POINTER_NOT_APPLIED \
         /animations/0/channels/10/target/extensions/KHR_animation_pointer",
    );
}

#[test]
fn animated_materials_become_channels() {
    let mut glb = Glb::new(json!({
        "materials": [
            {"emissiveFactor": [0.5, 0, 0],
                "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4}}},
            {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
                "normalTexture": {"index": 0}},
        ],
        "textures": [{}],
    }));
    let times = glb.scalars(&[0.0, 1.0]);
    let colors = glb.floats(&[[0.5, 0.25, 0.0], [1.0, 0.5, 0.0]]);
    let offsets = glb.floats(&[[0.0, 0.0], [1.0, 0.5]]);
    let pointer = |sampler: usize, to: &str| {
        json!({"sampler": sampler, "target": {"path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": to}}}})
    };
    let offset = "/materials/1/pbrMetallicRoughness/baseColorTexture/extensions/\
                  KHR_texture_transform/offset";
    glb.json["animations"] = json!([{
        "samplers": [{"input": times, "output": colors}, {"input": times, "output": offsets}],
        "channels": [pointer(0, "/materials/0/emissiveFactor"), pointer(1, offset)],
    }]);
    let import = glb.import();
    let character = &import.character;
    let channels: Vec<_> =
        character.rig.channels.iter().map(|(_, c)| (c.kind, c.default)).collect();
    let factor = |i| ChannelKind::Factor(MaterialId(0), MaterialFactor::Emissive(i));
    assert_eq!(channels, [(factor(0), 2.0), (factor(1), 0.0), (factor(2), 0.0)]);
    let tracks = &character.clips[0].tracks;
    assert_eq!(tracks.len(), 3);
    assert_eq!(tracks[1].target, Target::Channel(ChannelId(1)));
    assert_eq!(tracks[1].curve.values(), [1.0, 2.0]);
    // The normal texture would move with it.
    has(
        &import,
        "ANIMATION_POINTER_NOT_APPLIED \
         /animations/0/channels/1/target/extensions/KHR_animation_pointer",
    );
}

#[test]
fn materials_and_what_their_extensions_say() {
    let import = Glb::new(json!({
        "materials": [
            {
                "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 1, 0.5], "metallicFactor": 3,
                    "baseColorTexture": {"index": 0, "texCoord": 1, "extensions": {
                        "KHR_texture_transform": {"offset": [0.5, 0], "rotation": 1, "scale": [2, 3],
                            "texCoord": 2}}}},
                "emissiveFactor": [0.5, 0, 0],
                "normalTexture": {"index": 4, "scale": 0.5},
                "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true,
                "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4}},
            },
            {"extensions": {"KHR_materials_unlit": {}}, "alphaMode": "BLEND"},
            {"extensions": {"KHR_materials_unlit": {}, "VRMC_materials_mtoon": {
                "shadeColorFactor": [0.1, 0.2, 0.3], "shadeMultiplyTexture": {"index": 0}}}},
            {"extensions": {"KHR_materials_pbrSpecularGlossiness": {
                "diffuseFactor": [0.5, 0.5, 0.5, 1], "specularFactor": [0.04, 0.04, 0.04],
                "glossinessFactor": 0.25}}},
        ],
        "textures": [{"source": 3}],
    }))
    .import();
    let [first, unlit, toon, glossy] = &import.character.materials[..] else { panic!("four") };
    assert_eq!(first.alpha_mode, AlphaMode::Mask { cutoff: 0.25 });
    assert_eq!((first.metallic, first.roughness, first.double_sided), (1.0, 1.0, true));
    assert_eq!(first.emissive, Vec3::new(2.0, 0.0, 0.0));
    let texture = first.base_color_texture.expect("a texture");
    assert_eq!((texture.uv_set, texture.rotation), (2, 1.0));
    assert_eq!((texture.offset, texture.scale), (Vec2::new(0.5, 0.0), Vec2::new(2.0, 3.0)));
    assert_eq!(first.normal_texture, None);
    assert_eq!((unlit.shading, unlit.alpha_mode), (Shading::Unlit, AlphaMode::Blend));
    assert_eq!(toon.shading, Shading::Toon);
    assert_eq!(toon.toon.shade_color, Vec3::new(0.1, 0.2, 0.3));
    assert!(toon.toon.shade_texture.is_some());
    assert!(glossy.metallic < 0.01 && (glossy.roughness - 0.75).abs() < 1e-6);
    assert!((glossy.base_color.x - 0.5).abs() < 0.01);
    has(&import, "VALUE_NOT_IN_RANGE /materials/0/pbrMetallicRoughness/metallicFactor");
    has(&import, "UNRESOLVED_REFERENCE /materials/0/normalTexture/index");
    has(&import, "UNRESOLVED_REFERENCE /textures/0/source");
}

#[test]
fn vrm_0_says_more_of_materials_and_of_its_author() {
    let import = Glb::new(json!({
        "materials": [{"name": "skin"}],
        "extensionsUsed": ["VRM"],
        "extensions": {"VRM": {
            "meta": {"title": "Doll", "version": "1", "author": "A. Maker", "licenseName": "CC0",
                "allowedUserName": "Everyone"},
            "materialProperties": [{"shader": "VRM/MToon",
                "floatProperties": {"_BlendMode": 1, "_Cutoff": 0.25, "_CullMode": 0,
                    "_ShadeShift": -0.2, "_ShadeToony": 0.5, "_OutlineWidthMode": 2,
                    "_OutlineWidth": 0.4, "_OutlineColorMode": 1, "_OutlineLightingMix": 0.25,
                    "_UvAnimScrollY": 0.5, "_IndirectLightIntensity": 0.3, "_RimLift": 0.1},
                "vectorProperties": {"_Color": [1, 0.5, 0, 1], "_ShadeColor": [0.5, 0.5, 0.5, 1],
                    "_EmissionColor": [2, 0, 0, 1]},
                "textureProperties": {"_MainTex": 7}}],
        }},
    }))
    .import();
    let material = &import.character.materials[0];
    assert_eq!(material.shading, Shading::Toon);
    // 0.5 of sRGB is 0.2140 of linear light.
    assert!((material.base_color.y - 0.2140).abs() < 1e-4, "{}", material.base_color);
    let toon = &material.toon;
    assert!((toon.shade_color.x - 0.2140).abs() < 1e-4);
    // Lit above 1 + (−0.2 − 1) · 0.5 = 0.4, shaded below −0.2.
    let (low, high) = (
        toon.shading_toony - 1.0 - toon.shading_shift,
        1.0 - toon.shading_toony - toon.shading_shift,
    );
    assert!((low + 0.2).abs() < 1e-6 && (high - 0.4).abs() < 1e-6, "{low} {high}");
    assert_eq!((toon.outline, toon.outline_width), (Outline::Screen, 0.002));
    assert_eq!((toon.outline_lighting_mix, toon.rim_lift), (0.25, 0.1));
    assert_eq!((toon.uv_scroll, toon.gi_equalization), (Vec2::new(0.0, -0.5), 0.7));
    assert!(material.emissive.abs_diff_eq(Vec3::new(4.5948, 0.0, 0.0), 1e-3));
    assert_eq!(material.alpha_mode, AlphaMode::Mask { cutoff: 0.25 });
    assert!(material.double_sided);
    let meta = &import.character.meta;
    assert_eq!((meta.title.as_str(), meta.license.as_str()), ("Doll", "CC0"));
    assert_eq!(meta.authors, ["A. Maker"]);
    assert_eq!(meta.terms, [("allowedUserName".to_owned(), "Everyone".to_owned())]);
    assert_eq!(import.character.name, "Doll");
    has(
        &import,
        "UNRESOLVED_REFERENCE /extensions/VRM/materialProperties/0/textureProperties/_MainTex",
    );
}

#[test]
fn images_come_from_views_and_uris_and_fail_alone() {
    let png = |width, height| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let red = image::RgbImage::from_pixel(width, height, image::Rgb([255, 0, 0]));
        red.write_to(&mut bytes, image::ImageFormat::Png).expect("an image");
        bytes.into_inner()
    };
    let (small, huge) = (png(1, 1), png(100, 11));
    let texture =
        |index: usize| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": index}}});
    let mut glb = Glb::new(json!({
        "materials": (0..6).map(texture).collect::<Vec<_>>(),
        "textures": (0..6).map(|i| json!({"source": i})).collect::<Vec<_>>(),
    }));
    glb.accessor("SCALAR", 5121, small.len(), &small);
    glb.accessor("SCALAR", 5121, huge.len(), &huge);
    glb.accessor("SCALAR", 5121, 40, &small[..40]);
    glb.json["images"] = json!([
        {"bufferView": 0, "mimeType": "image/jpeg", "name": "red"},
        {"bufferView": 1, "mimeType": "image/png"},
        {"bufferView": 2, "mimeType": "image/png"},
        {"uri": "beside.png"},
        {"uri": "data:image/png;base64,AAAA"},
        {"bufferView": 9},
        {"uri": "../unused.png"},
    ]);
    let limits = Limits { image_pixels: 1000, ..Default::default() };
    let options = Options { limits, ..Default::default() };
    let import = import(glb.bytes(), &mut NoFiles, &options).expect("readable");
    let images = &import.character.images;
    assert_eq!((images[0].width, images[0].height, images[0].name.as_str()), (1, 1, "red"));
    assert_eq!(images[0].rgba, [255, 0, 0, 255]);
    let shown: Vec<_> = import.character.textures.iter().map(|t| t.image.is_some()).collect();
    assert_eq!(shown, [true, false, false, false, false, false]);
    assert_eq!(import.document.resources.images[0].as_deref(), Some(&small[..]));
    has(&import, "IMAGE_MIME_TYPE_INVALID /images/0");
    has(&import, "LIMIT_IMAGE_PIXELS /images/1");
    has(&import, "IMAGE_DATA_INVALID /images/2");
    has(&import, "IO_ERROR /images/3/uri");
    has(&import, "IMAGE_UNRECOGNIZED_FORMAT /images/4");
    has(&import, "UNRESOLVED_REFERENCE /images/5/bufferView");
    has(&import, "URI_OUTSIDE_FOLDER /images/6/uri");
    has(&import, "IMAGE_NOT_SHOWN /images/6");
}

#[test]
fn what_cannot_be_trusted_is_one_error() {
    let fails = |json: Value| {
        let error = Glb { json, bin: Vec::new() }.result().expect_err("an error");
        format!("{} {}", error.code(), error.place())
    };
    let asset = json!({"version": "2.0"});
    assert_eq!(fails(json!([])), "TYPE_MISMATCH ");
    assert_eq!(fails(json!({})), "UNDEFINED_PROPERTY ");
    assert_eq!(fails(json!({"asset": {}})), "UNDEFINED_PROPERTY /asset");
    let version = json!({"asset": {"version": "3.0"}});
    assert_eq!(fails(version), "UNKNOWN_ASSET_MAJOR_VERSION /asset/version");
    let required = json!({"asset": asset, "extensionsRequired": ["KHR_mesh_quantization", "X_y"]});
    assert_eq!(fails(required), "UNSUPPORTED_EXTENSION /extensionsRequired/1");
    let draco = json!({"asset": asset, "extensionsRequired": ["KHR_draco_mesh_compression"]});
    assert_eq!(fails(draco), "DRACO_UNSUPPORTED /extensionsRequired/0");

    let many = Glb::new(json!({"nodes": vec![json!({}); 11]})).bytes();
    let limits = Limits { nodes: 10, ..Default::default() };
    let options = Options { limits, ..Default::default() };
    let error = import(many, &mut NoFiles, &options).expect_err("too many");
    assert_eq!((error.code(), error.place().to_string().as_str()), ("LIMIT_NODES", "/nodes"));
}

#[test]
fn the_list_of_findings_ends() {
    let nodes = vec![json!({"rotation": [0, 0, 0, 0]}); 50];
    let file = Glb::new(json!({"nodes": nodes})).bytes();
    let limits = Limits { diagnostics: 10, ..Default::default() };
    let options = Options { limits, ..Default::default() };
    let import = import(file, &mut NoFiles, &options).expect("readable");
    assert_eq!(import.diagnostics.len(), 11);
    assert_eq!(import.diagnostics[10].code, "LIMIT_DIAGNOSTICS");
}

#[test]
fn without_the_checks_what_is_broken_is_mended_all_the_same() {
    let file = Glb::new(json!({"nodes": [{"rotation": [0, 0, 0, 0]}], "sampler": []})).bytes();
    let read = |unchecked| {
        let options = Options { unchecked, ..Default::default() };
        import(file.clone(), &mut NoFiles, &options).expect("readable")
    };
    let (checked, unchecked) = (read(false), read(true));
    has(&checked, "UNEXPECTED_PROPERTY /sampler");
    assert!(codes(&unchecked).iter().all(|found| !found.contains("UNEXPECTED_PROPERTY")));
    has(&unchecked, "ROTATION_NON_UNIT /nodes/0/rotation");
    assert_eq!(unchecked.character.rig, checked.character.rig);
}

/// A node below a node that comes and goes, and a hidden one that comes.
#[test]
fn animated_visibility_hides_meshes_and_survives_a_round_trip() {
    let mut glb = Glb::new(json!({}));
    let corners = glb.floats(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    glb.json["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": corners}}]}]);
    glb.json["nodes"] = json!([
        {"name": "hat", "children": [1]},
        {"name": "feather", "mesh": 0, "translation": [0.0, 5.0, 0.0]},
        {"name": "ghost", "mesh": 0,
            "extensions": {"KHR_node_visibility": {"visible": false}}},
        {"name": "always", "mesh": 0, "translation": [0.0, -1.0, 0.0]},
    ]);
    glb.json["scenes"] = json!([{"nodes": [0, 2, 3]}]);
    glb.json["scene"] = json!(0);
    glb.json["extensionsUsed"] = json!(["KHR_node_visibility", "KHR_animation_pointer"]);
    let times = glb.scalars(&[0.0, 1.0, 2.0]);
    let shown = glb.indices(&[1, 0, 1]);
    let pointer = |sampler: usize, node: usize| {
        let to = format!("/nodes/{node}/extensions/KHR_node_visibility/visible");
        json!({"sampler": sampler, "target": {"path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": to}}}})
    };
    glb.json["animations"] = json!([{
        "samplers": [{"input": times, "output": shown, "interpolation": "STEP"}],
        "channels": [pointer(0, 0), pointer(0, 2)],
    }]);
    let import = glb.import();
    let check = |character: &enliven::Character| {
        let mesh = |name: &str| {
            let at = character.rig.skeleton.find(name).expect("a node");
            character.meshes.iter().position(|m| m.joint == at).expect("a mesh")
        };
        let mut pose = enliven::Pose::rest(&character.rig);
        let drawn = |pose: &enliven::Pose| {
            ["feather", "ghost", "always"].map(|n| character.is_drawn(mesh(n), pose.channels()))
        };
        assert_eq!(drawn(&pose), [true, false, true], "at rest");
        for (t, want) in [(0.5, true), (1.0, false), (1.9, false), (2.0, true)] {
            character.clips[0].sample(t, &mut [], &mut pose);
            assert_eq!(drawn(&pose), [want, want, true], "{t}");
            let (_, high) = character.bounds(&pose).expect("something is shown");
            assert_eq!(high.y, if want { 6.0 } else { 0.0 }, "{t}");
        }
    };
    check(&import.character);
    for document in [None, Some(&import.document)] {
        for clips in [None, Some(&import.character.clips[..])] {
            let what = Export { character: &import.character, document, clips: Clips::from(clips) };
            let bytes = export(&what).to_glb().expect("small");
            let again =
                enliven_io::import(bytes, &mut NoFiles, &Options::default()).expect("reads");
            check(&again.character);
        }
    }
}
