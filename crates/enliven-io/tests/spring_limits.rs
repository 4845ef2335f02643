//! VRMC_springBone_limit: read, written, read again; broken ones leave a bone that swings freely.
#![allow(clippy::unwrap_used)] // A test may panic.

use enliven::glam::Quat;
use enliven::person::{LimitShape, SpringLimit};
use enliven_io::gltf::{self, Clips, Export, Options};
use enliven_io::{Import, NoFiles};
use serde_json::{Value, json};

fn model() -> Option<Vec<u8>> {
    let file = enliven_testing::assets()?.join("vrm1/conformance/smoke_spring.vrm");
    Some(std::fs::read(file).unwrap())
}

/// The same GLB with another JSON.
fn edited(glb: &[u8], edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + word(12);
    let mut root: Value = serde_json::from_slice(&glb[20..end]).unwrap();
    edit(&mut root);
    let mut text = serde_json::to_vec(&root).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = glb[..8].to_vec();
    out.extend(((20 + text.len() + glb.len() - end) as u32).to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(&glb[16..20]);
    out.extend(text);
    out.extend(&glb[end..]);
    out
}

/// The model whose first three bones have these limits.
fn with(glb: &[u8], limits: &[Value]) -> Import {
    let glb = edited(glb, |root| {
        let joints = &mut root["extensions"]["VRMC_springBone"]["springs"][0]["joints"];
        for (i, limit) in limits.iter().enumerate() {
            joints[i]["extensions"]["VRMC_springBone_limit"] =
                json!({ "specVersion": "1.0-draft", "limit": limit });
        }
        root["extensionsUsed"].as_array_mut().unwrap().push("VRMC_springBone_limit".into());
    });
    let options = Options { binary: true, ..Options::default() };
    gltf::import(glb, &mut NoFiles, &options).unwrap()
}

fn limits(import: &Import) -> Vec<Option<SpringLimit>> {
    let chain = &import.person.as_ref().unwrap().springs.chains[0];
    chain.joints.iter().map(|j| j.limit).collect()
}

#[test]
fn every_kind_goes_round() {
    let Some(glb) = model() else { return };
    let turn = [0.0, 0.0, 0.6, 0.8];
    let import = with(
        &glb,
        &[
            json!({ "cone": { "angle": 0.5 } }),
            json!({ "hinge": { "angle": 1.25, "rotation": turn } }),
            json!({ "spherical": { "pitch": 0.75, "yaw": 0.25, "rotation": turn } }),
        ],
    );
    let turned = Quat::from_array(turn.map(|v| v as f32)).normalize();
    let hinge = LimitShape::Hinge { angle: 1.25 };
    let ball = LimitShape::Spherical { pitch: 0.75, yaw: 0.25 };
    let want = [
        Some(SpringLimit::cone(0.5)),
        Some(SpringLimit { shape: hinge, rotation: turned }),
        Some(SpringLimit { shape: ball, rotation: turned }),
    ];
    assert_eq!(limits(&import), want);
    assert!(import.diagnostics.iter().all(|d| !d.code.starts_with("VRM_")));
    for document in [true, false] {
        let export = gltf::export_vrm(
            &Export {
                character: &import.character,
                document: document.then_some(&import.document),
                clips: Clips::Own,
            },
            import.person.as_ref().unwrap(),
        );
        let options = Options { binary: true, ..Options::default() };
        let again = gltf::import(export.to_glb().unwrap(), &mut NoFiles, &options).unwrap();
        assert_eq!(limits(&again), want, "document: {document}");
    }
}

#[test]
fn broken_limits_are_said_and_left_out() {
    let Some(glb) = model() else { return };
    let broken = [
        json!({}),
        json!(null),
        json!({ "twist": { "angle": 1.0 } }),
        json!({ "cone": { "angle": 1.0 }, "hinge": { "angle": 1.0 } }),
        json!({ "cone": { "angle": -0.1 } }),
        json!({ "cone": {} }),
        json!({ "hinge": { "angle": "wide" } }),
        json!({ "hinge": 1.0 }),
        json!({ "spherical": { "pitch": 0.5 } }),
        json!({ "spherical": { "pitch": 0.5, "yaw": -1e-3 } }),
        json!({ "spherical": { "phi": 0.5, "theta": 0.5 } }),
    ];
    for limit in broken {
        let import = with(&glb, std::slice::from_ref(&limit));
        assert_eq!(limits(&import)[0], None, "{limit}");
        let place =
            "/extensions/VRMC_springBone/springs/0/joints/0/extensions/VRMC_springBone_limit";
        let told = import.diagnostics.iter().any(|d| {
            d.code == "VRM_SPRING_LIMIT_INVALID" && d.place.to_string().starts_with(place)
        });
        assert!(told, "{limit}: {:?}", import.diagnostics);
    }
    // A broken rotation costs the rotation.
    let import = with(&glb, &[json!({ "hinge": { "angle": 1.0, "rotation": [0, 0, 0, 0] } })]);
    let hinge = LimitShape::Hinge { angle: 1.0 };
    let want = Some(SpringLimit { shape: hinge, rotation: Quat::IDENTITY });
    assert_eq!(limits(&import)[0], want);
    assert!(import.diagnostics.iter().any(|d| d.code == "VRM_VALUE_INVALID"));
}
