//! Motion of a humanoid → VRMA (VRMC_vrm_animation 1.0).

use enliven::{
    Channels, Character, CharacterParts, Clip, Curve, JointId, Meta, Property, Regions, Rig,
    Severity, Skeleton, Target, Track, Transform,
    glam::{Quat, Vec3},
    person::{HumanBone, Humanoid, HumanoidClip, Preset},
};
use serde_json::{Map, Value, json};

use super::use_extensions;
use crate::Diagnostic;
use crate::gltf::{self, Clips, Export, Exported};

/// Writes motion as a VRM animation: a humanoid of nodes alone, in a T-pose with the proportions of
/// `humanoid`, and an animation for each clip. Any VRM person can play it.
pub fn export_vrma(motions: &[HumanoidClip], humanoid: &Humanoid) -> Exported {
    let mut skeleton = Skeleton::new();
    let mut joints: Vec<(HumanBone, JointId)> = Vec::new();
    let mut problems = Vec::new();
    for (bone, _) in parents_first(humanoid) {
        let up = humanoid.parent(bone);
        let parent = up.and_then(|up| joints.iter().find(|(b, _)| *b == up)).map(|(_, j)| *j);
        // The bone above, turned into a T-pose, takes this one along.
        let turn = up.map_or(Quat::IDENTITY, |up| humanoid.to_t_pose(up, Quat::IDENTITY));
        let at = turn * humanoid.rest_offset(bone).unwrap_or(Vec3::ZERO);
        if let Ok(j) = skeleton.push(bone.name(), parent, Transform::from_translation(at)) {
            joints.push((bone, j));
        }
    }
    let mut faces: Vec<(&str, JointId)> = Vec::new();
    let names = motions.iter().flat_map(|m| &m.expressions).map(|(name, _)| name.as_str());
    for name in names {
        if faces.iter().all(|(known, _)| *known != name)
            && let Ok(j) = skeleton.push(name, None, Transform::IDENTITY)
        {
            faces.push((name, j));
        }
    }
    let looks = motions.iter().any(|m| m.look.is_some());
    let look = looks.then(|| skeleton.push("lookAt", None, Transform::IDENTITY).ok()).flatten();

    let own_height = humanoid.hips_height().unwrap_or(1.0);
    let clips: Vec<Clip> = motions
        .iter()
        .map(|m| {
            let mut tracks = Vec::new();
            for (bone, curve) in &m.rotations {
                match joints.iter().find(|(b, _)| b == bone) {
                    Some((_, j)) => tracks.push(Track {
                        target: Target::Joint(*j, Property::Rotation),
                        curve: curve.clone(),
                    }),
                    None => problems.push(Diagnostic::new(
                        Severity::Warning,
                        "VRM_BONE_MISSING",
                        m.name.clone(),
                        format!("the body has no {}; its motion is left out", bone.name()),
                    )),
                }
            }
            let scale = own_height / m.hips_height;
            let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
            let hips = joints.iter().find(|(b, _)| *b == HumanBone::Hips);
            if let (Some(curve), Some((_, j))) = (&m.hips, hips) {
                let values = curve.values().iter().map(|v| v * scale).collect();
                let made = Curve::new(curve.times(), values, 3, curve.interpolation());
                tracks.extend(made.map(|curve| Track {
                    target: Target::Joint(*j, Property::Translation),
                    curve,
                }));
            }
            for (name, curve) in &m.expressions {
                let Some((_, j)) = faces.iter().find(|(known, _)| known == name) else { continue };
                // The weight of an expression is the x of its node's translation.
                let values = curve.values().iter().flat_map(|v| [*v, 0.0, 0.0]).collect();
                let made = Curve::new(curve.times(), values, 3, curve.interpolation());
                tracks.extend(made.map(|curve| Track {
                    target: Target::Joint(*j, Property::Translation),
                    curve,
                }));
            }
            if let (Some(curve), Some(j)) = (&m.look, look) {
                let target = Target::Joint(j, Property::Rotation);
                tracks.push(Track { target, curve: curve.clone() });
            }
            Clip { name: m.name.clone(), duration: m.duration, tracks, ..Clip::default() }
        })
        .collect();

    let regions = Regions::new(&skeleton, &[]);
    let parts = CharacterParts {
        name: String::new(),
        rig: Rig::new(skeleton, Channels::new(), regions, 2.0 * own_height),
        meshes: Vec::new(),
        skins: Vec::new(),
        materials: Vec::new(),
        textures: Vec::new(),
        images: Vec::new(),
        clips,
        meta: Meta::default(),
    };
    let mut out = match Character::new(parts) {
        Ok(character) => {
            gltf::export(&Export { character: &character, document: None, clips: Clips::Own })
        }
        Err(problem) => {
            // Curves and joints were made for each other above.
            let found = Diagnostic::new(Severity::Error, "INTERNAL", "", problem.to_string());
            Exported { json: json!({}), bin: Vec::new(), diagnostics: vec![found] }
        }
    };
    let bones: Map<String, Value> = joints
        .iter()
        .map(|(bone, j)| (bone.name().to_owned(), json!({ "node": j.index() })))
        .collect();
    let mut vrma = json!({ "specVersion": "1.0", "humanoid": { "humanBones": bones } });
    for (name, j) in &faces {
        let group = if Preset::from_name(name).is_some() { "preset" } else { "custom" };
        vrma["expressions"][group][*name] = json!({ "node": j.index() });
    }
    if let Some(j) = look {
        vrma["lookAt"] = json!({ "node": j.index(), "offsetFromHeadBone": [0, 0, 0] });
    }
    if let Value::Object(root) = &mut out.json {
        root.insert("extensions".into(), json!({ "VRMC_vrm_animation": vrma }));
        use_extensions(root, ["VRMC_vrm_animation"].into());
    }
    out.diagnostics.extend(problems);
    out
}

/// Bones with every parent before its children.
fn parents_first(humanoid: &Humanoid) -> Vec<(HumanBone, JointId)> {
    let mut left: Vec<(HumanBone, JointId)> = humanoid.bones().collect();
    let mut out: Vec<(HumanBone, JointId)> = Vec::new();
    while !left.is_empty() {
        let before = out.len();
        left.retain(|(bone, joint)| {
            let up = humanoid.parent(*bone);
            let ready = up.is_none_or(|up| out.iter().any(|(b, _)| *b == up));
            if ready {
                out.push((*bone, *joint));
            }
            !ready
        });
        if out.len() == before {
            break;
        }
    }
    out
}
