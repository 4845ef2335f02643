//! M10 to M16: views, accessors, sparse data, vertices and indices.

use serde_json::{Value, json};

use crate::{
    base::{
        Base, Cases, Expect, Fine, INDICES, INVERSE_BINDS, JOINTS, POSITIONS, ROTATIONS, Said,
        SaidOneOf, TIMES, WEIGHTS, floats,
    },
    common::alone,
};

/// A name, what must come of it, and a change to the base's JSON.
type Change<'a> = (&'a str, Expect, &'a dyn Fn(&mut Value));

fn check_changes(least: usize, changes: &[Change<'_>]) {
    let _alone = alone();
    let mut cases = Cases::default();
    for (name, expect, change) in changes {
        cases.check(name, Base::with(change).glb(), *expect);
    }
    cases.done(least);
}

#[test]
fn m10_views_and_buffers() {
    let length = Base::new().bin.len() as u64;
    let view = |key: &'static str, value: u64| {
        move |json: &mut Value| json["bufferViews"][POSITIONS][key] = json!(value)
    };
    check_changes(
        8,
        &[
            ("one past", Said("BUFFER_VIEW_TOO_LONG"), &view("byteLength", length + 1)),
            ("offset past", Said("BUFFER_VIEW_TOO_LONG"), &view("byteOffset", length)),
            ("2^63 + 2^63", Said("BUFFER_VIEW_TOO_LONG"), &|json| {
                json["bufferViews"][POSITIONS]["byteOffset"] = json!(1u64 << 63);
                json["bufferViews"][POSITIONS]["byteLength"] = json!(1u64 << 63);
            }),
            ("2^64 - 1", Said("BUFFER_VIEW_TOO_LONG"), &view("byteOffset", u64::MAX)),
            ("length 0", Said("VALUE_NOT_IN_RANGE"), &view("byteLength", 0)),
            ("buffer n", Said("UNRESOLVED_REFERENCE"), &view("buffer", 1)),
            ("buffer of 0", Said("VALUE_NOT_IN_RANGE"), &|json| {
                json["buffers"][0]["byteLength"] = json!(0);
            }),
            ("buffer of 2^62", Said("BUFFER_BYTE_LENGTH_MISMATCH"), &|json| {
                json["buffers"][0]["byteLength"] = json!(1u64 << 62);
            }),
        ],
    );
}

#[test]
fn m11_strides() {
    let stride = |value: u64| {
        move |json: &mut Value| json["bufferViews"][POSITIONS]["byteStride"] = json!(value)
    };
    check_changes(
        7,
        &[
            ("0", Said("VALUE_NOT_IN_RANGE"), &stride(0)),
            ("3", Said("VALUE_NOT_IN_RANGE"), &stride(3)),
            ("255", Said("VALUE_NOT_IN_RANGE"), &stride(255)),
            ("256", Said("VALUE_NOT_IN_RANGE"), &stride(256)),
            ("element - 1", SaidOneOf(&["ACCESSOR_SMALL_BYTESTRIDE"]), &stride(11)),
            ("8 below 12", Said("ACCESSOR_SMALL_BYTESTRIDE"), &stride(8)),
            ("252", Said("ACCESSOR_TOO_LONG"), &stride(252)),
            ("12", Fine, &stride(12)),
        ],
    );
}

#[test]
fn m12_ends_and_alignment() {
    let offset = |value: u64| {
        move |json: &mut Value| json["accessors"][POSITIONS]["byteOffset"] = json!(value)
    };
    let count =
        |value: u64| move |json: &mut Value| json["accessors"][POSITIONS]["count"] = json!(value);
    check_changes(
        8,
        &[
            ("last element a byte short", Said("ACCESSOR_TOO_LONG"), &|json| {
                json["bufferViews"][POSITIONS]["byteLength"] = json!(35);
            }),
            ("offset 1", Said("ACCESSOR_OFFSET_ALIGNMENT"), &offset(1)),
            ("offset 2^64 - 8", Said("ACCESSOR_TOO_LONG"), &offset(u64::MAX - 7)),
            ("offset 2^63", Said("ACCESSOR_TOO_LONG"), &offset(1 << 63)),
            ("view at 2", Said("ACCESSOR_TOTAL_OFFSET_ALIGNMENT"), &|json| {
                json["bufferViews"][POSITIONS]["byteOffset"] = json!(2);
            }),
            ("count 4", Said("ACCESSOR_TOO_LONG"), &count(4)),
            ("count 2^64 - 1", Said("ACCESSOR_TOO_LONG"), &count(u64::MAX)),
            ("count 0", Said("VALUE_NOT_IN_RANGE"), &count(0)),
        ],
    );
}

#[test]
fn m13_zeros_without_data() {
    let _alone = alone();
    let mut cases = Cases::default();
    let zeros = |count: u64| json!({"componentType": 5126, "count": count, "type": "VEC3"});
    // 24 GiB of legal zeros.
    for use_ in ["POSITION", "NORMAL", "_OWN"] {
        let mut base = Base::new();
        base.json["accessors"].as_array_mut().expect("a list").push(zeros(1 << 31));
        base.json["meshes"][0]["primitives"][0]["attributes"][use_] = json!(7);
        let expect = SaidOneOf(&["LIMIT_ZEROS", "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT"]);
        cases.check(&format!("2^31 as {use_}"), base.glb(), expect);
    }
    let mut sparse = Base::new();
    sparse.add("SCALAR", 5123, 1, &[0, 0], None);
    let mut accessor = zeros(1 << 31);
    accessor["sparse"] = json!({
        "count": 1,
        "indices": {"bufferView": 7, "componentType": 5123},
        "values": {"bufferView": 0},
    });
    sparse.json["accessors"][POSITIONS] = accessor;
    cases.check("2^31, one of them sparse", sparse.glb(), Said("LIMIT_ZEROS"));

    let mut many = Base::new();
    let list = many.json["accessors"].as_array_mut().expect("a list");
    list.extend((0..2000).map(|_| zeros(1_000_000)));
    cases.check("2,000 of a million, unused", many.glb(), Fine);
    many.json["accessors"][POSITIONS]["count"] = json!(1_000_000);
    let accessor = many.json["accessors"][POSITIONS].as_object_mut().expect("an object");
    accessor.remove("bufferView");
    let targets: Vec<_> = (0..2000).map(|at| json!({"POSITION": 7 + at})).collect();
    many.json["meshes"][0]["primitives"][0]["targets"] = json!(targets);
    // What the limit allows is as much memory as a large file takes.
    let file = many.glb();
    cases.check_with(
        "2,000 of a million, used",
        file,
        Said("LIMIT_ZEROS"),
        &mut enliven_io::NoFiles,
        crate::common::BYTES,
    );
    cases.done(6);
}

#[test]
fn m14_formats() {
    let _alone = alone();
    let mut cases = Cases::default();
    let mut check = |name: &str, expect, accessor: usize, kind: &str, component: u32| {
        let base = Base::with(|json| {
            json["accessors"][accessor]["type"] = json!(kind);
            json["accessors"][accessor]["componentType"] = json!(component);
            // Large enough for any of these.
            for key in ["min", "max"] {
                json["accessors"][accessor].as_object_mut().expect("an object").remove(key);
            }
        });
        let mut wide = base;
        let data = vec![0; 64];
        let view = wide.add("SCALAR", 5121, 64, &data, None);
        wide.json["accessors"][accessor]["bufferView"] = json!(view);
        wide.json["accessors"][accessor]["count"] = json!(2);
        cases.check(name, wide.glb(), expect);
    };
    let attribute = Said("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT");
    check("joints as floats", attribute, JOINTS, "VEC4", 5126);
    check("joints as u32", attribute, JOINTS, "VEC4", 5125);
    check("joints as VEC3", attribute, JOINTS, "VEC3", 5121);
    check("weights as VEC2", attribute, WEIGHTS, "VEC2", 5126);
    check("positions as VEC4", attribute, POSITIONS, "VEC4", 5126);
    check("positions as MAT4", attribute, POSITIONS, "MAT4", 5126);
    check("positions as i16", attribute, POSITIONS, "VEC3", 5122);
    let indices = Said("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT");
    check("indices as floats", indices, INDICES, "SCALAR", 5126);
    check("indices as i16", indices, INDICES, "SCALAR", 5122);
    check("indices as VEC2", indices, INDICES, "VEC2", 5123);
    check("inverse binds as VEC4", Said("SKIN_IBM_INVALID_FORMAT"), INVERSE_BINDS, "VEC4", 5126);
    check("inverse binds as MAT3", Said("SKIN_IBM_INVALID_FORMAT"), INVERSE_BINDS, "MAT3", 5126);
    let times = Said("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT");
    check("times as VEC2", times, TIMES, "VEC2", 5126);
    check("times as u16", times, TIMES, "SCALAR", 5123);
    let output = Said("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT");
    check("rotations as VEC3", output, ROTATIONS, "VEC3", 5126);
    check("rotations as plain u8", output, ROTATIONS, "VEC4", 5121);
    check("no such type", Said("VALUE_NOT_IN_LIST"), POSITIONS, "VEC5", 5126);
    check("no such component", Said("VALUE_NOT_IN_LIST"), POSITIONS, "VEC3", 5124);
    cases.done(18);
}

#[test]
fn m15_sparse() {
    let _alone = alone();
    let mut cases = Cases::default();
    let mut check = |name: &str, expect, indices: &[u8], component: u32, count: u64| {
        let mut base = Base::new();
        let at = base.add("SCALAR", 5121, indices.len(), indices, None);
        let values = base.add("VEC3", 5126, 8, &floats(&[0.0; 24]), None);
        base.json["accessors"][POSITIONS]["sparse"] = json!({
            "count": count,
            "indices": {"bufferView": at, "componentType": component},
            "values": {"bufferView": values},
        });
        // The bounds are of no interest here.
        let accessor = base.json["accessors"][POSITIONS].as_object_mut().expect("an object");
        accessor.remove("min");
        accessor.remove("max");
        cases.check(name, base.glb(), expect);
    };
    check("5, 3, 3", Said("ACCESSOR_SPARSE_INDEX_OOB"), &[5, 3, 3], 5121, 3);
    check("2, 1, 1", Said("ACCESSOR_SPARSE_INDICES_NON_INCREASING"), &[2, 1, 1], 5121, 3);
    check("more than elements", Said("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE"), &[0; 4], 5121, 4);
    check("count 2^63", Said("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE"), &[0; 4], 5121, 1 << 63);
    check("count 0", Said("VALUE_NOT_IN_RANGE"), &[0; 4], 5121, 0);
    check("as i16", Said("VALUE_NOT_IN_LIST"), &[0, 0, 1, 0], 5122, 2);
    check("as floats", Said("VALUE_NOT_IN_LIST"), &[0; 8], 5126, 2);
    check("indices cut short", Said("ACCESSOR_TOO_LONG"), &[0], 5121, 3);
    check("odd", Said("ACCESSOR_TOO_LONG"), &[0, 0, 1], 5123, 2);
    check(
        "sound but for bounds",
        Said("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS"),
        &[0, 2],
        5121,
        2,
    );
    cases.done(10);
}

#[test]
fn m16_vertices_and_indices() {
    let _alone = alone();
    let mut cases = Cases::default();
    let mut indices = |name: &str, expect, data: [u16; 3]| {
        let mut base = Base::new();
        let bytes: Vec<u8> = data.iter().flat_map(|index| index.to_le_bytes()).collect();
        base.data(INDICES, &bytes);
        cases.check(name, base.glb(), expect);
    };
    indices("index = vertices", Said("ACCESSOR_INDEX_OOB"), [0, 1, 3]);
    indices("restart", Said("ACCESSOR_INDEX_PRIMITIVE_RESTART"), [0, 1, 0xFFFF]);
    indices("all alike", Said("ACCESSOR_INDEX_TRIANGLE_DEGENERATE"), [1, 1, 1]);
    let mut four = Base::new();
    let at = four.add("SCALAR", 5123, 4, &[0, 0, 1, 0, 2, 0, 0, 0], Some(34963));
    four.json["meshes"][0]["primitives"][0]["indices"] = json!(at);
    cases.check("4 indices", four.glb(), Said("MESH_PRIMITIVE_INCOMPATIBLE_MODE"));
    let mut normals = Base::new();
    let at = normals.add("VEC3", 5126, 2, &floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]), Some(34962));
    normals.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(at);
    let unequal = Said("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT");
    cases.check("2 normals for 3 positions", normals.glb(), unequal);
    let primitive = |change: &dyn Fn(&mut Value)| {
        Base::with(|json| change(&mut json["meshes"][0]["primitives"][0])).glb()
    };
    for mode in [7, 255] {
        let file = primitive(&|primitive| primitive["mode"] = json!(mode));
        cases.check(&format!("mode {mode}"), file, Said("VALUE_NOT_IN_RANGE"));
    }
    for mode in [0, 1, 2, 3, 5, 6] {
        let file = primitive(&|primitive| primitive["mode"] = json!(mode));
        let expect = if mode == 1 { Said("MESH_PRIMITIVE_INCOMPATIBLE_MODE") } else { Fine };
        cases.check(&format!("mode {mode}"), file, expect);
    }
    let no_positions = primitive(&|primitive| {
        primitive["attributes"].as_object_mut().expect("an object").remove("POSITION");
    });
    cases.check("no positions", no_positions, Said("MESH_PRIMITIVE_NO_POSITION"));
    let no_attributes = primitive(&|primitive| primitive["attributes"] = json!({}));
    cases.check("no attributes", no_attributes, Said("EMPTY_ENTITY"));
    let strange = primitive(&|primitive| primitive["attributes"]["WEIGHT"] = json!(2));
    cases.check("no such attribute", strange, Said("MESH_PRIMITIVE_INVALID_ATTRIBUTE"));
    let sets = primitive(&|primitive| {
        for set in 1..2000 {
            primitive["attributes"][format!("JOINTS_{set}")] = json!(JOINTS);
            primitive["attributes"][format!("WEIGHTS_{set}")] = json!(WEIGHTS);
        }
    });
    cases.check("2,000 sets of joints", sets, Said("DATA_CHECKS_TRUNCATED"));
    cases.done(17);
}
