//! M17 to M22: hierarchy, skins, transforms, animations, morphs.

use enliven_io::NoFiles;
use serde_json::{Value, json};

use crate::{
    base::{
        Base, Cases, Expect, Fine, INVERSE_BINDS, ROTATIONS, Refused, Said, TIMES, WEIGHTS, floats,
    },
    common::{BYTES, alone},
};

fn list(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().expect("a list")
}

#[test]
fn m17_hierarchy() {
    let _alone = alone();
    let mut cases = Cases::default();
    let mut check = |name: &str, expect: Expect, change: &dyn Fn(&mut Value)| {
        cases.check(name, Base::with(change).glb(), expect);
    };
    let looped = Said("NODE_LOOP");
    check("own child", looped, &|json| json["nodes"][1]["children"] = json!([1]));
    check("A and B", looped, &|json| json["nodes"][1]["children"] = json!([0]));
    check("all in a ring", looped, &|json| {
        json["nodes"][1]["children"] = json!([2]);
        json["nodes"][2]["children"] = json!([0]);
    });
    check("a diamond", Said("NODE_PARENT_OVERRIDE"), &|json| {
        list(&mut json["nodes"]).push(json!({"children": [1]}));
    });
    check("child twice", Said("DUPLICATE_ELEMENTS"), &|json| {
        json["nodes"][0]["children"] = json!([1, 1]);
    });
    check("child n", Said("UNRESOLVED_REFERENCE"), &|json| {
        json["nodes"][0]["children"] = json!([3]);
    });
    check("a root that is a child", Said("SCENE_NON_ROOT_NODE"), &|json| {
        json["scenes"][0]["nodes"] = json!([0, 1, 2]);
    });
    check("no scene", Fine, &|json| {
        let json = json.as_object_mut().expect("an object");
        json.remove("scene");
        json.remove("scenes");
    });
    let chain = |json: &mut Value, length: usize| {
        let first = list(&mut json["nodes"]).len();
        json["scenes"][0]["nodes"] = json!([0, 2, first]);
        for node in first..first + length {
            let node =
                if node + 1 < first + length { json!({"children": [node + 1]}) } else { json!({}) };
            list(&mut json["nodes"]).push(node);
        }
        first
    };
    check("a chain of 100,000", Fine, &|json| {
        chain(json, 100_000);
    });
    check("a chain of 20,000 joints", Said("INVALID_IBM_ACCESSOR_COUNT"), &|json| {
        let first = chain(json, 20_000);
        let joints: Vec<usize> = (first..first + 20_000).rev().collect();
        json["skins"][0]["joints"] = json!(joints);
    });
    check("a ring of 100,000", looped, &|json| {
        let first = chain(json, 100_000);
        json["nodes"][first + 99_999] = json!({"children": [first]});
    });
    check("1,000 scenes of all nodes", Fine, &|json| {
        list(&mut json["scenes"]).extend((0..1000).map(|_| json!({"nodes": [0, 2]})));
    });
    // Three bytes of JSON become a joint of a few hundred.
    for (count, expect) in [(1_000_000, Refused("LIMIT_OBJECTS")), (120_000, Fine)] {
        let base = Base::with(|json| list(&mut json["nodes"]).extend(vec![json!({}); count]));
        let file = base.glb();
        cases.check_with(&format!("{count} empty nodes"), file, expect, &mut NoFiles, BYTES);
    }
    cases.done(14);
}

#[test]
fn m18_skins() {
    let _alone = alone();
    let mut cases = Cases::default();
    let mut check = |name: &str, expect: Expect, change: &dyn Fn(&mut Base)| {
        let mut base = Base::new();
        change(&mut base);
        cases.check(name, base.glb(), expect);
    };
    let joints =
        |value: Value| move |base: &mut Base| base.json["skins"][0]["joints"] = value.clone();
    check("no joints", Said("EMPTY_ENTITY"), &joints(json!([])));
    check("joints missing", Said("UNDEFINED_PROPERTY"), &|base| {
        base.json["skins"][0].as_object_mut().expect("an object").remove("joints");
    });
    check("a joint twice", Said("DUPLICATE_ELEMENTS"), &joints(json!([1, 1])));
    check("joint n", Said("UNRESOLVED_REFERENCE"), &joints(json!([0, 3])));
    check("no common root", Said("SKIN_NO_COMMON_ROOT"), &joints(json!([0, 2])));
    check("1,025 joints", Fine, &|base| {
        let nodes: Vec<_> = (0..1023).map(|_| json!({})).collect();
        list(&mut base.json["nodes"]).extend(nodes);
        base.json["nodes"][0]["children"] = json!((1..2).chain(3..1026).collect::<Vec<_>>());
        base.json["skins"][0] = json!({"joints": (0..2).chain(3..1026).collect::<Vec<_>>()});
    });
    check("one matrix short", Said("INVALID_IBM_ACCESSOR_COUNT"), &|base| {
        base.json["accessors"][INVERSE_BINDS]["count"] = json!(1);
    });
    check("joint index = joints", Said("ACCESSOR_JOINTS_INDEX_OOB"), &|base| {
        base.data(crate::base::JOINTS, &[0, 2, 0, 0]);
    });
    check("joint 255", Said("ACCESSOR_JOINTS_INDEX_OOB"), &|base| {
        base.data(crate::base::JOINTS, &[255; 12]);
    });
    check("a mesh without joints", Said("NODE_SKIN_WITH_NON_SKINNED_MESH"), &|base| {
        base.json["meshes"][0]["primitives"][0]["attributes"] = json!({"POSITION": 0});
    });
    check("joints without weights", Said("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH"), &|base| {
        base.json["meshes"][0]["primitives"][0]["attributes"] =
            json!({"POSITION": 0, "JOINTS_0": 1});
    });
    check("skeleton aside", Said("SKIN_SKELETON_INVALID"), &|base| {
        base.json["skins"][0]["skeleton"] = json!(2);
    });
    check("a skin without a mesh", Said("UNSATISFIED_DEPENDENCY"), &|base| {
        base.json["nodes"][1]["skin"] = json!(0);
    });
    cases.done(13);
}

#[test]
fn m19_inverse_binds_and_weights() {
    let _alone = alone();
    let mut cases = Cases::default();
    let mut check = |name: &str, code, accessor: usize, values: &[f32]| {
        let mut base = Base::new();
        base.data(accessor, &floats(values));
        cases.check(name, base.glb(), Said(code));
    };
    check("matrices of 0", "ACCESSOR_INVALID_IBM", INVERSE_BINDS, &[0.0; 32]);
    check("matrices of NaN", "ACCESSOR_INVALID_FLOAT", INVERSE_BINDS, &[f32::NAN; 32]);
    check("matrices of ∞", "ACCESSOR_INVALID_FLOAT", INVERSE_BINDS, &[f32::INFINITY; 32]);
    check("matrices of 1e38", "ACCESSOR_INVALID_IBM", INVERSE_BINDS, &[1e38; 32]);
    let mut last_row = [0.0; 16];
    (0..3).for_each(|at| last_row[at * 5] = 1.0);
    last_row[15] = 2.0;
    check("last row", "ACCESSOR_INVALID_IBM", INVERSE_BINDS, &last_row);
    check("weights of 0", "ACCESSOR_WEIGHTS_NON_NORMALIZED", WEIGHTS, &[0.0; 4]);
    check("weights of -1", "ACCESSOR_WEIGHTS_NEGATIVE", WEIGHTS, &[-1.0, 0.0, 0.0, 0.0]);
    check("weights of NaN", "ACCESSOR_INVALID_FLOAT", WEIGHTS, &[f32::NAN; 4]);
    check("a sum of 3", "ACCESSOR_WEIGHTS_NON_NORMALIZED", WEIGHTS, &[1.0, 2.0, 0.0, 0.0]);
    check("a sum of ∞", "ACCESSOR_WEIGHTS_NON_NORMALIZED", WEIGHTS, &[f32::MAX; 2]);
    check("−0.5 + 1.5", "ACCESSOR_WEIGHTS_NEGATIVE", WEIGHTS, &[-0.5, 1.5]);
    check("denormals", "ACCESSOR_WEIGHTS_NON_NORMALIZED", WEIGHTS, &[1e-42, 0.0]);
    cases.done(12);
}

#[test]
fn m20_transforms() {
    let _alone = alone();
    let mut cases = Cases::default();
    let mut check = |name: &str, expect: Expect, key: &str, value: Value| {
        let base = Base::with(|json| json["nodes"][0][key] = value);
        cases.check(name, base.glb(), expect);
    };
    check("rotation 0", Said("ROTATION_NON_UNIT"), "rotation", json!([0, 0, 0, 0]));
    check("rotation 1e20", Said("VALUE_NOT_IN_RANGE"), "rotation", json!([1e20, 0, 0, 1]));
    check("rotation of length 1.02", Said("ROTATION_NON_UNIT"), "rotation", json!([0.2, 0, 0, 1]));
    check("rotation of 3", Said("ARRAY_LENGTH_NOT_IN_LIST"), "rotation", json!([0, 0, 1]));
    check("rotation of texts", Said("ARRAY_TYPE_MISMATCH"), "rotation", json!(["0", 0, 0, 1]));
    check("scale 0", Fine, "scale", json!([0, 0, 0]));
    check("scale -1", Fine, "scale", json!([-1, 1, 1]));
    check("scale 1e-38", Fine, "scale", json!([1e-38, 1, 1]));
    check("scale 1e300", Said("VALUE_NOT_IN_RANGE"), "scale", json!([1e300, 1, 1]));
    check("translation 1e300", Said("VALUE_NOT_IN_RANGE"), "translation", json!([1e300, 0, 0]));
    let matrix = |at: usize, value: f64| {
        let mut matrix = [0.0; 16];
        (0..4).for_each(|at| matrix[at * 5] = 1.0);
        matrix[at] = value;
        json!(matrix)
    };
    check("shear", Said("NODE_MATRIX_NON_TRS"), "matrix", matrix(4, 0.5));
    check("projection", Said("NODE_MATRIX_NON_TRS"), "matrix", matrix(3, 0.5));
    check("matrix of 0", Said("NODE_MATRIX_NON_TRS"), "matrix", json!(vec![0; 16]));
    check("matrix of 1e300", Said("VALUE_NOT_IN_RANGE"), "matrix", matrix(12, 1e300));
    check("mirrored", Fine, "matrix", matrix(0, -1.0));
    check("matrix of 15", Said("ARRAY_LENGTH_NOT_IN_LIST"), "matrix", json!(vec![0; 15]));
    let both = Base::with(|json| {
        json["nodes"][1]["matrix"] = matrix(12, 1.0);
    });
    cases.check("matrix and translation", both.glb(), Said("NODE_MATRIX_TRS"));
    let text = Base::new().json.to_string().replace("[0,1,0]", "[NaN,1,0]");
    cases.check("NaN", Base::new().glb_of(&text), Refused("INVALID_JSON"));
    cases.done(18);
}

#[test]
fn m21_animations() {
    let _alone = alone();
    let mut cases = Cases::default();
    for (times, code) in [
        ([0.0, -1.0], "ACCESSOR_ANIMATION_INPUT_NEGATIVE"),
        ([f32::NAN, 1.0], "ACCESSOR_INVALID_FLOAT"),
        ([0.0, f32::INFINITY], "ACCESSOR_INVALID_FLOAT"),
        ([1.0, 0.0], "ACCESSOR_ANIMATION_INPUT_NON_INCREASING"),
        ([0.5, 0.5], "ACCESSOR_ANIMATION_INPUT_NON_INCREASING"),
        ([0.0, f32::MAX], "ACCESSOR_MAX_MISMATCH"),
    ] {
        let mut base = Base::new();
        base.data(TIMES, &floats(&times));
        cases.check(&format!("times {times:?}"), base.glb(), Said(code));
    }
    for (name, values, code) in [
        ("rotations of 0", [0.0; 8], "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION"),
        ("rotations of NaN", [f32::NAN; 8], "ACCESSOR_INVALID_FLOAT"),
        ("rotations of ∞", [f32::INFINITY; 8], "ACCESSOR_INVALID_FLOAT"),
    ] {
        let mut base = Base::new();
        base.data(ROTATIONS, &floats(&values));
        cases.check(name, base.glb(), Said(code));
    }
    let mut check = |name: &str, expect: Expect, change: &dyn Fn(&mut Value)| {
        cases.check(name, Base::with(change).glb(), expect);
    };
    let count = Said("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT");
    check("outputs n - 1", count, &|json| json["accessors"][ROTATIONS]["count"] = json!(1));
    check("cubic of n outputs", count, &|json| {
        json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
    });
    check("no such interpolation", Said("VALUE_NOT_IN_LIST"), &|json| {
        json["animations"][0]["samplers"][0]["interpolation"] = json!("SMOOTH");
    });
    check("two channels on one target", Said("ANIMATION_DUPLICATE_TARGETS"), &|json| {
        let channel = json["animations"][0]["channels"][0].clone();
        list(&mut json["animations"][0]["channels"]).push(channel);
    });
    check("target node n", Said("UNRESOLVED_REFERENCE"), &|json| {
        json["animations"][0]["channels"][0]["target"]["node"] = json!(3);
    });
    check("no target node", Fine, &|json| {
        let target = &mut json["animations"][0]["channels"][0]["target"];
        target.as_object_mut().expect("an object").remove("node");
    });
    check(
        "weights without a mesh",
        Said("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS"),
        &|json| {
            json["animations"][0]["channels"][0]["target"]["path"] = json!("weights");
        },
    );
    check("no such path", Said("VALUE_NOT_IN_LIST"), &|json| {
        json["animations"][0]["channels"][0]["target"]["path"] = json!("colour");
    });
    check("no channels", Said("EMPTY_ENTITY"), &|json| {
        json["animations"][0]["channels"] = json!([])
    });
    check("100,000 channels", Said("ANIMATION_DUPLICATE_TARGETS"), &|json| {
        let channel = json["animations"][0]["channels"][0].clone();
        json["animations"][0]["channels"] = json!(vec![channel; 100_000]);
    });
    check("a node with a matrix", Said("ANIMATION_CHANNEL_TARGET_NODE_MATRIX"), &|json| {
        json["nodes"][1] = json!({"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]});
    });
    let mut cubic = Base::new();
    let at = cubic.add("VEC4", 5126, 5, &floats(&[0.0, 0.0, 0.0, 1.0].repeat(5)), None);
    cubic.json["animations"][0]["samplers"][0] =
        json!({"input": TIMES, "output": at, "interpolation": "CUBICSPLINE"});
    cases.check("cubic 3n - 1", cubic.glb(), count);
    cases.done(20);
}

#[test]
fn m22_morphs() {
    let _alone = alone();
    let mut cases = Cases::default();
    // The base with this many morph targets, all of one accessor.
    let with_targets = |count: usize, deltas: &[f32]| {
        let mut base = Base::new();
        let at = base.add("VEC3", 5126, deltas.len() / 3, &floats(deltas), Some(34962));
        base.json["accessors"][at]["min"] = json!([0, 0, 0]);
        base.json["accessors"][at]["max"] = json!([0, 0, 0]);
        base.json["meshes"][0]["primitives"][0]["targets"] =
            json!(vec![json!({"POSITION": at}); count]);
        base
    };
    cases.check("3 targets", with_targets(3, &[0.0; 9]).glb(), Fine);
    let mut unequal = with_targets(2, &[0.0; 9]);
    let mut second = unequal.json["meshes"][0]["primitives"][0].clone();
    let target = second["targets"][0].clone();
    list(&mut second["targets"]).push(target);
    list(&mut unequal.json["meshes"][0]["primitives"]).push(second);
    cases.check("2 and 3 targets", unequal.glb(), Said("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT"));
    let mut weights = with_targets(3, &[0.0; 9]);
    weights.json["meshes"][0]["weights"] = json!([1]);
    cases.check("1 weight of 3", weights.glb(), Said("MESH_INVALID_WEIGHTS_COUNT"));
    let mut weights = with_targets(3, &[0.0; 9]);
    weights.json["nodes"][2]["weights"] = json!([1, 0]);
    cases.check("2 node weights of 3", weights.glb(), Said("NODE_WEIGHTS_INVALID"));
    let mut weights = with_targets(1, &[0.0; 9]);
    weights.json["meshes"][0]["weights"] = json!([1e300]);
    cases.check("a weight of 1e300", weights.glb(), Fine);
    let short = with_targets(1, &[0.0; 6]);
    let expect = Said("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT");
    cases.check("target of 2 for 3", short.glb(), expect);
    cases.check("10,000 targets", with_targets(10_000, &[0.0; 9]).glb(), Fine);
    let nan = with_targets(1, &[f32::NAN; 9]);
    cases.check("NaN deltas", nan.glb(), Said("ACCESSOR_INVALID_FLOAT"));
    let mut empty = with_targets(1, &[0.0; 9]);
    empty.json["meshes"][0]["primitives"][0]["targets"] = json!([{}]);
    cases.check("an empty target", empty.glb(), Said("EMPTY_ENTITY"));
    let mut base_less = with_targets(1, &[0.0; 9]);
    base_less.json["meshes"][0]["primitives"][0]["targets"][0]["NORMAL"] = json!(7);
    let expect = Said("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR");
    cases.check("normals without normals", base_less.glb(), expect);
    let mut animated = with_targets(2, &[0.0; 9]);
    let at = animated.add("SCALAR", 5126, 3, &floats(&[0.0; 3]), None);
    animated.json["animations"][0] = json!({
        "channels": [{"sampler": 0, "target": {"node": 2, "path": "weights"}}],
        "samplers": [{"input": TIMES, "output": at}],
    });
    let expect = Said("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT");
    cases.check("3 values for 2 keys of 2", animated.glb(), expect);
    cases.done(11);
}
