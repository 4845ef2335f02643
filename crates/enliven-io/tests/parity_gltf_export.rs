//! What an exported file holds, against three.js' exporter.
//!
//! Compared is what a reader of the file gets. Two things are said in another way here, and are put
//! back before the comparison: a node's transform is always translation, rotation and scale, never a
//! matrix, so that it can be animated; and a skinned mesh has a node of its own at the root of the
//! scene, because glTF ignores the transform of a node with a skin and its validator warns of one
//! below others. Integers are as narrow as they can be, which no value tells.

#[path = "../../enliven/tests/parity/mod.rs"]
mod parity;

use enliven::glam::{Mat4, Quat, Vec3};
use enliven::{
    Affine, Binding, Channel, ChannelKind, Channels, Character, CharacterParts, Clip, Geometry,
    Influences, JointId, Material, MaterialId, Mesh, Meta, MorphTarget, Namespace, Regions, Rig,
    Skeleton, Skin, SkinId, Transform,
};
use enliven_io::gltf::{Clips, Export, Exported, export};
use parity::{Ours, Outcome, agree, doubles, floats, index, list, nums, text_of};
use serde_json::Value;
use std::sync::Arc;

const TOLERANCE: f64 = 1e-6;
/// Largest error of a smooth curve that is written as straight lines, of values up to 2.
const SMOOTH_ERROR: f64 = 0.02;

fn vec3s(v: &Value) -> Vec<Vec3> {
    floats(v).chunks_exact(3).map(Vec3::from_slice).collect()
}

fn transform(n: &Value) -> Transform {
    let three = |v: &Value, or| vec3s(v).first().copied().unwrap_or(or);
    let r = floats(&n["r"]);
    Transform {
        translation: three(&n["t"], Vec3::ZERO),
        rotation: if r.len() == 4 { Quat::from_slice(&r) } else { Quat::IDENTITY },
        scale: three(&n["s"], Vec3::ONE),
    }
}

fn geometry(n: &Value) -> Geometry {
    let mut out = Geometry { positions: vec3s(&n["position"]), ..Geometry::default() };
    if !n["skin_index"].is_null() {
        out.influences = Some(Influences {
            per_vertex: 4,
            joints: floats(&n["skin_index"]).iter().map(|j| *j as u16).collect(),
            weights: floats(&n["skin_weight"]),
        });
    }
    for m in list(&n["morphs"]) {
        let positions = vec3s(&m["position"]);
        let name = text_of(&m["name"]);
        out.morphs.push(if n["morph_relative"] == true {
            MorphTarget { name: name.into(), positions, ..MorphTarget::default() }
        } else {
            MorphTarget::from_absolute(name, &out.positions, &positions)
        });
    }
    out
}

/// The scene as a character, and its clips.
fn character(input: &Value) -> Result<Character, String> {
    let nodes = list(&input["nodes"]);
    let mut skeleton = Skeleton::new();
    let mut joints = Vec::new();
    for n in nodes {
        let parent = n["parent"].as_u64().map(|p| joints[p as usize]);
        let joint = skeleton.push(text_of(&n["name"]), parent, transform(n));
        joints.push(joint.map_err(|e| e.to_string())?);
    }
    let model = skeleton.rest_model();
    let mut channels = Channels::new();
    let (mut meshes, mut skins): (Vec<Mesh>, Vec<Skin>) = (Vec::new(), Vec::new());
    for (n, &joint) in nodes.iter().zip(&joints) {
        let mut binding = Binding::Rigid(joint);
        if text_of(&n["kind"]) == "skinned" {
            let bones: Vec<JointId> = list(&n["bones"]).iter().map(|b| joints[index(b)]).collect();
            let root = bones.first().copied();
            let bind = match text_of(&n["bind"]) {
                "identity" => Affine::IDENTITY,
                _ => model[joint.index()],
            };
            skins.push(Skin { root, ..Skin::bind("", bones, &model).for_space(&bind) });
            binding = Binding::Skin(SkinId::new(skins.len() - 1));
        } else if text_of(&n["kind"]) != "mesh" {
            continue;
        }
        let geometry = geometry(n);
        let first = channels.len() as u32;
        for (i, m) in geometry.morphs.iter().enumerate() {
            let weight = floats(&n["influences"]).get(i).copied().unwrap_or(0.0);
            let channel = Channel::new(m.name.clone(), ChannelKind::Morph);
            channels.push(channel.with_default(weight));
        }
        meshes.push(Mesh {
            name: text_of(&n["name"]).into(),
            joint,
            geometry: Arc::new(geometry),
            material: MaterialId(0),
            binding,
            morphs: first..channels.len() as u32,
            shown: true,
        });
    }
    let regions = Regions::new(&skeleton, &[]);
    Character::new(CharacterParts {
        name: String::new(),
        rig: Rig::new(skeleton, channels, regions, 1.0),
        meshes,
        skins,
        materials: vec![Material::default()],
        textures: Vec::new(),
        images: Vec::new(),
        clips: Vec::new(),
        meta: Meta::default(),
    })
    .map_err(|e| e.to_string())
}

fn clips(input: &Value, character: &Character) -> Result<Vec<Clip>, String> {
    let mut names = Namespace::of(character);
    // Tracks that mean nothing here are dropped.
    let bind = |c| parity::clip(c).map(|named| names.bind_clip(&named).0);
    list(&input["clips"]).iter().map(bind).collect()
}

/// A number of an accessor's numbers.
fn numbers(file: &Exported, accessor: &Value) -> Vec<f64> {
    let a = &file.json["accessors"][index(accessor)];
    let view = &file.json["bufferViews"][index(&a["bufferView"])];
    let start = view["byteOffset"].as_u64().unwrap_or(0) + a["byteOffset"].as_u64().unwrap_or(0);
    let width = match text_of(&a["type"]) {
        "SCALAR" => 1,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => 0,
    };
    let count = width * index(&a["count"]);
    let bytes = &file.bin[start as usize..];
    match a["componentType"].as_u64() {
        Some(5121) => bytes[..count].iter().map(|b| f64::from(*b)).collect(),
        Some(5123) => bytes
            .chunks_exact(2)
            .take(count)
            .map(|b| f64::from(u16::from_le_bytes([b[0], b[1]])))
            .collect(),
        _ => bytes
            .chunks_exact(4)
            .take(count)
            .map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])))
            .collect(),
    }
}

/// A node as a reader sees it.
#[derive(Clone, Debug)]
struct Node {
    name: String,
    matrix: Vec<f64>,
    mesh: Option<u64>,
    skin: Option<u64>,
    children: Vec<String>,
}

fn matrix(n: &Value) -> Vec<f64> {
    if !n["matrix"].is_null() {
        return nums(&n["matrix"]);
    }
    let v = |key: &str, or: &[f32]| {
        let v = floats(&n[key]);
        if v.is_empty() { or.to_vec() } else { v }
    };
    let m = Mat4::from_scale_rotation_translation(
        Vec3::from_slice(&v("scale", &[1.0; 3])),
        Quat::from_slice(&v("rotation", &[0.0, 0.0, 0.0, 1.0])),
        Vec3::from_slice(&v("translation", &[0.0; 3])),
    );
    doubles(&m.to_cols_array())
}

/// The nodes of a file and the roots of its scene, skinned meshes put back where they were.
fn nodes(file: &Exported, joints: usize) -> (Vec<Node>, Vec<String>) {
    let all = list(&file.json["nodes"]);
    let name = |i: &Value| text_of(&all[index(i)]["name"]).to_owned();
    let mut out: Vec<Node> = all
        .iter()
        .map(|n| Node {
            name: text_of(&n["name"]).into(),
            matrix: matrix(n),
            mesh: n["mesh"].as_u64(),
            skin: n["skin"].as_u64(),
            children: list(&n["children"]).iter().map(name).collect(),
        })
        .collect();
    let mut roots: Vec<&Value> = list(&file.json["scenes"][0]["nodes"]).iter().collect();
    for own in (joints..all.len()).rev() {
        let carrier = out.remove(own);
        if let Some(home) = out.iter_mut().find(|n| n.name == carrier.name && n.mesh.is_none()) {
            (home.mesh, home.skin) = (carrier.mesh, carrier.skin);
        }
        roots.retain(|r| index(r) != own);
    }
    (out, roots.into_iter().map(name).collect())
}

/// Where this exporter goes another way.
#[derive(Clone, Copy, Default)]
struct Differing {
    /// Smooth curves keep their shape, as many straight lines, instead of becoming few.
    smooth: bool,
    /// A clip without a name gets none.
    nameless: bool,
}

fn compare(case: &Value, differing: Differing) -> Outcome {
    let input = &case["input"];
    let character = character(input)?;
    let clips = clips(input, &character)?;
    let file =
        export(&Export { character: &character, document: None, clips: Clips::Instead(&clips) });
    for step in list(&case["steps"]) {
        if text_of(&step["call"]) != "export" {
            return Err(format!("unknown call {}", step["call"]));
        }
        let want = &step["expect"];
        let mut keys: Vec<&str> =
            file.json.as_object().into_iter().flatten().map(|(k, _)| k.as_str()).collect();
        keys.sort_unstable();
        equal("parts", &keys, &list(&want["top_level"]).iter().map(text_of).collect())?;
        let (nodes, roots) = nodes(&file, character.rig.skeleton.len());
        let want_roots: Vec<String> =
            list(&want["scene_nodes"]).iter().map(|r| text_of(r).into()).collect();
        equal("roots", &roots, &want_roots)?;
        equal("nodes", &nodes.len(), &list(&want["nodes"]).len())?;
        for (got, want) in nodes.iter().zip(list(&want["nodes"])) {
            equal("name", &got.name.as_str(), &text_of(&want["name"]))?;
            agree(&got.name, &got.matrix, &matrix(want), TOLERANCE)?;
            equal(&got.name, &got.mesh, &want["mesh"].as_u64())?;
            equal(&got.name, &got.skin, &want["skin"].as_u64())?;
            equal("has mesh", &got.mesh.is_some(), &(want["has_mesh"] == true))?;
            let children: Vec<String> =
                list(&want["children"]).iter().map(|c| text_of(c).into()).collect();
            equal(&got.name, &got.children, &children)?;
        }
        skins(&file, want)?;
        meshes(&file, want)?;
        animations(&file, want, input, &clips, differing)?;
    }
    Ok(())
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, want: &T) -> Outcome {
    if got == want { Ok(()) } else { Err(format!("{what}: got {got:?}, want {want:?}")) }
}

fn name_of<'a>(file: &'a Exported, node: &Value) -> &'a str {
    text_of(&file.json["nodes"][index(node)]["name"])
}

fn skins(file: &Exported, want: &Value) -> Outcome {
    let got = list(&file.json["skins"]);
    equal("skins", &got.len(), &list(&want["skins"]).len())?;
    for (got, want) in got.iter().zip(list(&want["skins"])) {
        let joints: Vec<&str> = list(&got["joints"]).iter().map(|j| name_of(file, j)).collect();
        equal("joints", &joints, &list(&want["joints"]).iter().map(text_of).collect())?;
        equal("skeleton", &name_of(file, &got["skeleton"]), &text_of(&want["skeleton"]))?;
        let matrices: Vec<f64> =
            list(&want["inverse_bind_matrices"]).iter().flat_map(nums).collect();
        let inverse = numbers(file, &got["inverseBindMatrices"]);
        // Rows of single precision: an inverse of distances up to 4 m.
        agree("inverse binds", &inverse, &matrices, 2.0 * TOLERANCE)?;
    }
    Ok(())
}

fn meshes(file: &Exported, want: &Value) -> Outcome {
    let got = list(&file.json["meshes"]);
    equal("meshes", &got.len(), &list(&want["meshes"]).len())?;
    for (got, want) in got.iter().zip(list(&want["meshes"])) {
        agree("weights", &nums(&got["weights"]), &nums(&want["weights"]), TOLERANCE)?;
        let names = &got["extras"]["targetNames"];
        equal("target names", &list(names), &list(&want["target_names"]))?;
        let primitive = &got["primitives"][0];
        let attributes = &primitive["attributes"];
        let keys = |v: &Value| {
            let mut keys: Vec<String> =
                v.as_object().into_iter().flatten().map(|(k, _)| k.clone()).collect();
            keys.sort_unstable();
            keys
        };
        equal("attributes", &keys(attributes), &keys(&want["attributes"]))?;
        for key in keys(attributes) {
            let (a, want) = (&attributes[&key], &want["attributes"][&key]);
            let accessor = &file.json["accessors"][index(a)];
            equal(&key, &accessor["type"], &want["type"])?;
            equal(&key, &accessor["count"], &want["count"])?;
            let float = |v: &Value| v.as_u64() == Some(5126);
            let kinds = (&accessor["componentType"], &want["component_type"]);
            equal(&key, &float(kinds.0), &float(kinds.1))?;
            if !want["values"].is_null() {
                agree(&key, &numbers(file, a), &nums(&want["values"]), TOLERANCE)?;
            }
        }
        let targets = list(&primitive["targets"]);
        equal("targets", &targets.len(), &list(&want["targets"]).len())?;
        for (got, want) in targets.iter().zip(list(&want["targets"])) {
            equal("target", &keys(got), &keys(want))?;
            for key in keys(got) {
                agree(&key, &numbers(file, &got[&key]), &nums(&want[&key]), TOLERANCE)?;
            }
        }
    }
    Ok(())
}

fn animations(
    file: &Exported,
    want: &Value,
    input: &Value,
    clips: &[Clip],
    differing: Differing,
) -> Outcome {
    let got = list(&file.json["animations"]);
    equal("animations", &got.len(), &list(&want["animations"]).len())?;
    for (i, (got, want)) in got.iter().zip(list(&want["animations"])).enumerate() {
        let nameless = differing.nameless && text_of(&input["clips"][i]["name"]).is_empty();
        let name = if nameless { "" } else { text_of(&want["name"]) };
        equal("name", &text_of(&got["name"]), &name)?;
        let channels = list(&got["channels"]);
        equal("channels", &channels.len(), &list(&want["channels"]).len())?;
        for (k, (channel, want)) in channels.iter().zip(list(&want["channels"])).enumerate() {
            equal("node", &name_of(file, &channel["target"]["node"]), &text_of(&want["node"]))?;
            let path = text_of(&channel["target"]["path"]);
            equal("path", &path, &text_of(&want["path"]))?;
            let sampler = &got["samplers"][index(&channel["sampler"])];
            let (input_of, output_of) = (&sampler["input"], &sampler["output"]);
            let accessor = |a: &Value| &file.json["accessors"][index(a)];
            let (times, values) = (numbers(file, input_of), numbers(file, output_of));
            let smooth = text_of(&input["clips"][i]["tracks"][k]["interpolation"]) == "smooth";
            if differing.smooth && smooth {
                follows(&times, &values, &clips[i], k)?;
                continue;
            }
            let interpolation = sampler["interpolation"].as_str().unwrap_or("LINEAR");
            equal("interpolation", &interpolation, &text_of(&want["interpolation"]))?;
            agree("times", &times, &nums(&want["input"]["values"]), TOLERANCE)?;
            let ends = |key: &str| nums(&accessor(input_of)[key]);
            agree("min", &ends("min"), &nums(&want["input"]["min"]), TOLERANCE)?;
            agree("max", &ends("max"), &nums(&want["input"]["max"]), TOLERANCE)?;
            equal("type", &accessor(output_of)["type"], &want["output"]["type"])?;
            equal("count", &accessor(output_of)["count"], &want["output"]["count"])?;
            agree("values", &values, &nums(&want["output"]["values"]), TOLERANCE)?;
        }
    }
    Ok(())
}

/// Whether straight lines through the keys follow a track's own curve.
fn follows(times: &[f64], values: &[f64], clip: &Clip, track: usize) -> Outcome {
    let curve = &clip.tracks[track].curve;
    let width = curve.width();
    for i in 0..=500 {
        let t = f64::from(curve.end()) * f64::from(i) / 500.0;
        let mut want = [0.0f32; 4];
        curve.sample(t as f32, &mut 0, &mut want[..width]);
        let after = times.partition_point(|k| *k <= t).clamp(1, times.len() - 1);
        let (a, b) = (times[after - 1], times[after]);
        let u = ((t - a) / (b - a)).clamp(0.0, 1.0);
        for (c, want) in want[..width].iter().enumerate() {
            let (a, b) = (values[(after - 1) * width + c], values[after * width + c]);
            let got = a + (b - a) * u;
            if (got - f64::from(*want)).abs() > SMOOTH_ERROR {
                return Err(format!("smooth at {t}: got {got}, want {want}"));
            }
        }
    }
    Ok(())
}

#[test]
fn parity_gltf_export() {
    let ours = [
        Ours {
            name: "animation linear, step, smooth",
            why: "a smooth curve is written as lines that follow it, not as lines from key to key",
            check: |case| compare(case, Differing { smooth: true, ..Differing::default() }),
        },
        Ours {
            name: "two clips, one without a name",
            why: "a clip without a name has none after a round trip either",
            check: |case| compare(case, Differing { nameless: true, ..Differing::default() }),
        },
    ];
    parity::replay("gltf_export.json", &ours, &[], |case| compare(case, Differing::default()));
}
