use crate::replay::{close_quat, close_vec, joint, quat, replay, rig, transform, vec3};
use enliven::glam::{Quat, Vec3};
use enliven::person::{HumanBone, Humanoid};
use enliven::{Affine, JointId, Pose, Rig};
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) fn humanoid(rig: &Rig, bones: &Value) -> Humanoid {
    let bones = bones.as_object().expect("human_bones").iter();
    let pairs = bones.map(|(name, node)| {
        (HumanBone::from_name(name).expect("bone"), joint(node).expect("node"))
    });
    Humanoid::new(&rig.skeleton, pairs)
}

fn bone(v: &Value) -> HumanBone {
    HumanBone::from_name(v.as_str().expect("bone")).expect("bone name")
}

fn run(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let rig = rig(&input["nodes"]);
    let body = humanoid(&rig, &input["human_bones"]);
    let auto = input["auto_update"] != false;
    let rest = Pose::rest(&rig);
    let mut pose = rest.clone();
    let mut turns: BTreeMap<HumanBone, Quat> = BTreeMap::new();
    // Their normalised bones have translations too, of which only the hips' are transferred.
    let mut offsets: BTreeMap<HumanBone, Vec3> = BTreeMap::new();
    let scene = JointId(0);
    let offset = |o: &BTreeMap<HumanBone, Vec3>, b| {
        o.get(&b).copied().or(body.rest_offset(b)).unwrap_or(Vec3::ZERO)
    };
    for (i, step) in case["steps"].as_array().expect("steps").iter().enumerate() {
        let want = &step["expect"];
        match step["call"].as_str().expect("call") {
            "create" => {
                for (name, rest) in want["normalized"].as_object().expect("normalized") {
                    let b = HumanBone::from_name(name).expect("bone");
                    let got = body.rest_offset(b).ok_or("bone is missing")?;
                    close_vec(name, got, &rest["position"], 5e-6)?;
                    let parent = rest["parent"].as_str().and_then(HumanBone::from_name);
                    if body.parent(b) != parent {
                        return Err(format!("{name} hangs from {:?}", body.parent(b)));
                    }
                }
                continue;
            }
            "set_normalized" => {
                if !step["r"].is_null() {
                    turns.insert(bone(&step["bone"]), quat(&step["r"]));
                }
                if !step["t"].is_null() {
                    offsets.insert(bone(&step["bone"]), vec3(&step["t"]));
                }
            }
            "set_normalized_pose" => {
                for (name, p) in step["pose"].as_object().expect("pose") {
                    let Some(b) = HumanBone::from_name(name).filter(|b| body.has(*b)) else {
                        continue;
                    };
                    if !p["rotation"].is_null() {
                        turns.insert(b, quat(&p["rotation"]));
                    }
                    if !p["position"].is_null() {
                        let at = body.rest_offset(b).unwrap_or(Vec3::ZERO);
                        offsets.insert(b, at + vec3(&p["position"]));
                    }
                }
            }
            "reset_normalized_pose" => {
                turns.clear();
                offsets.clear();
            }
            "set_raw" => {
                let id = body.joint(bone(&step["bone"])).ok_or("no bone")?;
                pose.set_transform(id, &transform(step, pose.transform(id)));
            }
            "set_raw_pose" => {
                for (name, p) in step["pose"].as_object().expect("pose") {
                    let Some(id) = HumanBone::from_name(name).and_then(|b| body.joint(b)) else {
                        continue;
                    };
                    if !p["rotation"].is_null() {
                        pose.set_rotation(id, quat(&p["rotation"]) * rest.rotation(id));
                    }
                    if !p["position"].is_null() {
                        pose.set_translation(id, rest.translation(id) + vec3(&p["position"]));
                    }
                }
            }
            "reset_raw_pose" => {
                for (_, id) in body.bones() {
                    pose.set_transform(id, &rest.transform(id));
                }
            }
            "set_node" => {
                let id = joint(&step["node"]).expect("node");
                pose.set_transform(id, &transform(step, pose.transform(id)));
            }
            "update" if auto => {
                for (b, _) in body.bones() {
                    let turn = turns.get(&b).copied().unwrap_or(Quat::IDENTITY);
                    body.set_rotation(&mut pose, b, turn);
                    let back = body.rotation(&pose, b);
                    if back.dot(turn).abs() < 1.0 - 1e-5 {
                        return Err(format!("{b:?}: {turn} comes back as {back}"));
                    }
                }
                // Their normalised bones hang from the scene, node 0.
                let to_model = Affine::from(&pose.transform(scene));
                let hips = to_model.transform_point(offset(&offsets, HumanBone::Hips));
                body.set_hips(&mut pose, &rig.skeleton, hips);
            }
            "update" => {}
            "get_normalized_pose" | "get_raw_pose" | "get_raw_absolute_pose" => {}
            other => return Err(format!("unknown call {other}")),
        }
        for (name, p) in want["raw"].as_object().into_iter().flatten() {
            let b = HumanBone::from_name(name).expect("bone");
            let id = body.joint(b).ok_or("no bone")?;
            let what = format!("step {i} {name}");
            close_vec(&what, pose.translation(id), &p[0], 2e-6)?;
            close_quat(&what, pose.rotation(id), &p[1], 2e-6)?;
        }
        for (name, p) in want["normalized"].as_object().into_iter().flatten() {
            let b = HumanBone::from_name(name).expect("bone");
            let what = format!("step {i} normalised {name}");
            close_vec(&what, offset(&offsets, b), &p[0], 5e-6)?;
            let turn = turns.get(&b).copied().unwrap_or(Quat::IDENTITY);
            close_quat(&what, turn, &p[1], 2e-6)?;
        }
        let call = step["call"].as_str().expect("call");
        for (name, p) in want["pose"].as_object().into_iter().flatten() {
            let b = HumanBone::from_name(name).expect("bone");
            let id = body.joint(b).ok_or("no bone")?;
            let at_rest = body.rest_offset(b).unwrap_or(Vec3::ZERO);
            let (t, r) = match call {
                "get_normalized_pose" => (
                    offset(&offsets, b) - at_rest,
                    turns.get(&b).copied().unwrap_or(Quat::IDENTITY),
                ),
                "get_raw_pose" => (
                    pose.translation(id) - rest.translation(id),
                    pose.rotation(id) * rest.rotation(id).conjugate(),
                ),
                _ => (pose.translation(id), pose.rotation(id)),
            };
            let what = format!("step {i} {call} {name}");
            close_vec(&what, t, &p["position"], 5e-6)?;
            close_quat(&what, r, &p["rotation"], 2e-6)?;
        }
    }
    Ok(())
}

#[test]
fn parity_humanoid() {
    replay("vrm_humanoid.json", &[], run);
}
