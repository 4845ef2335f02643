//! VRMC_vrm_animation 1.0: clips of a humanoid that fit any other.

use enliven::{
    Curve, Interpolation, JointId, Property, Target,
    person::{HumanBone, HumanoidClip},
};
use serde_json::Value;

use super::{
    Source,
    tree::{self, At, Path},
    v1,
};
use crate::Diagnostic;

pub(super) fn read(source: &Source, at: At, found: &mut Vec<Diagnostic>) -> Vec<HumanoidClip> {
    let path = Path::Key(at.path(), "humanoid");
    let path = Path::Key(&path, "humanBones");
    let bones = at.get("humanoid").and_then(|h| h.get("humanBones"));
    let mut list = Vec::new();
    for (name, v) in tree::pairs(bones) {
        let path = Path::Key(&path, name);
        let at = At::new(v, &path);
        match HumanBone::from_name(name) {
            Some(bone) => {
                list.push((bone, at.get("node").cloned().unwrap_or(Value::Null), path.text()));
            }
            None => at.say(found, "VRM_BONE_UNKNOWN", "not a humanoid bone; left out"),
        }
    }
    let body = v1::humanoid(source, list, found);

    let mut faces: Vec<(&str, JointId)> = Vec::new();
    for group in ["preset", "custom"] {
        let entries = at.get("expressions").and_then(|e| e.get(group));
        for (name, v) in tree::pairs(entries) {
            let joint = v.get("node").and_then(tree::index).and_then(|n| source.joint(n));
            faces.extend(joint.map(|j| (name.as_str(), j)));
        }
    }
    let look = at
        .get("lookAt")
        .and_then(|l| l.get("node"))
        .and_then(tree::index)
        .and_then(|n| source.joint(n));

    let mut out = Vec::new();
    for clip in &source.character.clips {
        let mut motion = HumanoidClip {
            name: clip.name.clone(),
            duration: clip.duration,
            hips_height: body.hips_height().unwrap_or(1.0),
            ..HumanoidClip::default()
        };
        for track in &clip.tracks {
            match track.target {
                Target::Joint(j, Property::Rotation) => {
                    if let Some(bone) = body.bone(j) {
                        let curve = body.normalize_rotations(bone, &track.curve);
                        motion.rotations.extend(curve.map(|c| (bone, c)));
                    } else if look == Some(j) {
                        motion.look = Some(track.curve.clone());
                    }
                }
                Target::Joint(j, Property::Translation) => {
                    if body.joint(HumanBone::Hips) == Some(j) {
                        motion.hips = body.normalize_hips(&track.curve);
                    } else if let Some((name, _)) = faces.iter().find(|(_, n)| *n == j) {
                        motion
                            .expressions
                            .extend(weight(&track.curve).map(|c| ((*name).to_owned(), c)));
                    }
                }
                _ => {}
            }
        }
        out.push(motion);
    }
    out
}

/// The weight of an expression is the x of its node's translation.
fn weight(curve: &Curve) -> Option<Curve> {
    let how = curve.interpolation();
    let x = curve.values().chunks_exact(3).map(|v| v[0]).collect();
    debug_assert!(how != Interpolation::Bezier, "glTF has none");
    Curve::new(curve.times(), x, 1, how).ok()
}
