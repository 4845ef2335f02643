//! VRMC_springBone 1.0 with VRMC_springBone_extended_collider and VRMC_springBone_limit.

use enliven::{
    glam::{Quat, Vec3},
    person::{
        Collider, ColliderShape, LimitShape, SpringChain, SpringJoint, SpringLimit, SpringSet,
    },
};
use serde_json::Value;

use super::{
    Source,
    tree::{self, At, Path},
};
use crate::Diagnostic;

pub(super) fn read(source: &Source, found: &mut Vec<Diagnostic>) -> SpringSet {
    let name = "VRMC_springBone";
    let Some(value) = source.json.get("extensions").and_then(|e| e.get(name)) else {
        return SpringSet::default();
    };
    let root = Path::Root("/extensions/VRMC_springBone");
    let at = At::new(value, &root);
    let mut set = SpringSet::default();

    // Indices of the file → indices of what could be read.
    let path = Path::Key(&root, "colliders");
    let colliders: Vec<Option<u32>> = tree::entries(at.get("colliders"))
        .map(|(i, v)| {
            let path = Path::Index(&path, i);
            let collider = collider(source, At::new(v, &path), found)?;
            set.colliders.push(collider);
            Some(set.colliders.len() as u32 - 1)
        })
        .collect();
    let path = Path::Key(&root, "colliderGroups");
    let groups: Vec<Vec<u32>> = tree::entries(at.get("colliderGroups"))
        .map(|(i, v)| {
            let path = Path::Index(&path, i);
            let at = At::new(v, &path);
            let mut group = Vec::new();
            for (_, c) in tree::entries(at.get("colliders")) {
                match tree::index(c).and_then(|c| colliders.get(c)) {
                    Some(known) => group.extend(*known),
                    None => at.say(
                        found,
                        "VRM_SPRING_COLLIDER_MISSING",
                        format!("there is no collider {c}; left out"),
                    ),
                }
            }
            group
        })
        .collect();

    let path = Path::Key(&root, "springs");
    let mut taken = vec![false; source.character.rig.skeleton.len()];
    for (i, v) in tree::entries(at.get("springs")) {
        let path = Path::Index(&path, i);
        set.chains.extend(chain(source, At::new(v, &path), &groups, &mut taken, found));
    }
    set
}

fn node(source: &Source, at: At, found: &mut Vec<Diagnostic>) -> Option<enliven::JointId> {
    let joint = at.index("node").and_then(|n| source.joint(n));
    if joint.is_none() {
        let node = at.get("node").unwrap_or(&Value::Null);
        at.say(found, "VRM_NODE_MISSING", format!("there is no node {node}; left out"));
    }
    joint
}

fn collider(source: &Source, at: At, found: &mut Vec<Diagnostic>) -> Option<Collider> {
    let joint = node(source, at, found)?;
    let extended = at
        .get("extensions")
        .and_then(|e| e.get("VRMC_springBone_extended_collider"))
        .and_then(|e| e.get("shape"));
    let shape = extended.and_then(|s| shape(at, s, found));
    let shape = match shape {
        Some(shape) => Some(shape),
        None => at.get("shape").and_then(|s| self::shape(at, s, found)),
    };
    match shape {
        Some(shape) if shape.is_valid() => Some(Collider { joint, shape }),
        _ => {
            at.say(found, "VRM_SPRING_COLLIDER_INVALID", "no usable shape; left out");
            None
        }
    }
}

fn shape(at: At, value: &Value, found: &mut Vec<Diagnostic>) -> Option<ColliderShape> {
    let path = Path::Key(at.path(), "shape");
    let part = |kind: &str| value.get(kind).filter(|v| v.is_object());
    if let Some(v) = part("sphere") {
        let at = At::new(v, &path);
        return Some(ColliderShape::Sphere {
            offset: at.vector("offset").unwrap_or(Vec3::ZERO),
            radius: at.number("radius", 0.0, found),
            inside: at.flag("inside"),
        });
    }
    if let Some(v) = part("capsule") {
        let at = At::new(v, &path);
        return Some(ColliderShape::Capsule {
            offset: at.vector("offset").unwrap_or(Vec3::ZERO),
            tail: at.vector("tail").unwrap_or(Vec3::ZERO),
            radius: at.number("radius", 0.0, found),
            inside: at.flag("inside"),
        });
    }
    let v = part("plane")?;
    let at = At::new(v, &path);
    Some(ColliderShape::Plane {
        offset: at.vector("offset").unwrap_or(Vec3::ZERO),
        normal: at.vector("normal").unwrap_or(Vec3::Z),
    })
}

fn chain(
    source: &Source,
    at: At,
    groups: &[Vec<u32>],
    taken: &mut [bool],
    found: &mut Vec<Diagnostic>,
) -> Option<SpringChain> {
    let mut colliders = Vec::new();
    for (_, g) in tree::entries(at.get("colliderGroups")) {
        match tree::index(g).and_then(|g| groups.get(g)) {
            Some(group) => colliders.extend_from_slice(group),
            None => at.say(
                found,
                "VRM_SPRING_COLLIDER_GROUP_MISSING",
                format!("there is no collider group {g}; left out"),
            ),
        }
    }
    let path = Path::Key(at.path(), "joints");
    let joints: Vec<(usize, &Value)> = tree::entries(at.get("joints")).collect();
    let skeleton = &source.character.rig.skeleton;
    let mut out = SpringChain {
        name: at.text("name").unwrap_or_default().to_owned(),
        joints: Vec::new(),
        colliders,
        center: None,
    };
    if let Some(center) = at.get("center").filter(|c| c.as_i64() != Some(-1)) {
        out.center = tree::index(center).and_then(|c| source.joint(c));
        if out.center.is_none() {
            at.say(found, "VRM_NODE_MISSING", format!("there is no node {center} for a centre"));
        }
    }
    // Each joint but the last is a bone whose tip is the next one.
    for pair in joints.windows(2) {
        let path = Path::Index(&path, pair[0].0);
        let at = At::new(pair[0].1, &path);
        let Some(joint) = node(source, at, found) else { continue };
        let tip = pair[1].1.get("node").and_then(tree::index).and_then(|n| source.joint(n));
        let Some(tip) = tip.filter(|t| *t != joint && skeleton.is_ancestor(joint, *t)) else {
            at.say(
                found,
                "VRM_SPRING_JOINT_NOT_BELOW",
                "the next joint of the spring is not below this one; it does not swing",
            );
            continue;
        };
        if std::mem::replace(&mut taken[joint.index()], true) {
            at.say(found, "VRM_SPRING_JOINT_TWICE", "the node swings in an earlier spring already");
            continue;
        }
        out.joints.push(joint_of(SpringJoint::new(joint, Some(tip)), at, found));
    }
    if out.joints.is_empty() {
        at.warn(found, "VRM_SPRING_EMPTY", "a spring in which nothing can swing; left out");
        return None;
    }
    Some(out)
}

fn joint_of(default: SpringJoint, at: At, found: &mut Vec<Diagnostic>) -> SpringJoint {
    let dir = at.vector("gravityDir").unwrap_or(Vec3::NEG_Y);
    let extension = |name: &str| at.get("extensions").and_then(|e| e.get(name));
    let angle = extension("VRMC_springBone_extended_collider")
        .and_then(|e| e.get("angleLimit"))
        .and_then(Value::as_f64)
        .map(|degrees| SpringLimit::cone((degrees as f32).to_radians()));
    let extensions = Path::Key(at.path(), "extensions");
    let path = Path::Key(&extensions, "VRMC_springBone_limit");
    let limit =
        extension("VRMC_springBone_limit").and_then(|v| self::limit(At::new(v, &path), found));
    SpringJoint {
        stiffness: at.positive("stiffness", 1.0, found),
        gravity_power: at.number("gravityPower", 0.0, found),
        gravity_dir: dir.try_normalize().unwrap_or(Vec3::ZERO),
        drag: at.number("dragForce", 0.5, found).clamp(0.0, 1.0),
        radius: at.positive("hitRadius", 0.0, found),
        limit: limit.or(angle.filter(SpringLimit::is_valid)),
        ..default
    }
}

/// The limit of one joint; a broken one is left out, so that the bone swings freely.
fn limit(at: At, found: &mut Vec<Diagnostic>) -> Option<SpringLimit> {
    let code = "VRM_SPRING_LIMIT_INVALID";
    let path = Path::Key(at.path(), "limit");
    let value = at.get("limit").unwrap_or(&Value::Null);
    let at = At::new(value, &path);
    let kinds = ["cone", "hinge", "spherical"];
    let mut given = kinds.into_iter().filter_map(|kind| Some((kind, at.get(kind)?)));
    let (Some((kind, value)), None) = (given.next(), given.next()) else {
        at.say(found, code, "not one of cone, hinge and spherical; left out");
        return None;
    };
    let path = Path::Key(&path, kind);
    let at = At::new(value, &path);
    let mut angle = |key: &str| {
        let angle = at.get(key).and_then(Value::as_f64).map(|a| a as f32);
        let angle = angle.filter(|a| a.is_finite() && *a >= 0.0);
        if angle.is_none() {
            let value = at.get(key).unwrap_or(&Value::Null);
            at.say(found, code, format!("{value} is no {key} in radians from 0 on; left out"));
        }
        angle
    };
    let shape = match kind {
        "cone" => LimitShape::Cone { angle: angle("angle")? },
        "hinge" => LimitShape::Hinge { angle: angle("angle")? },
        _ => LimitShape::Spherical { pitch: angle("pitch")?, yaw: angle("yaw")? },
    };
    let rotation = at.quaternion("rotation");
    if rotation.is_none() && at.get("rotation").is_some() {
        at.say(found, "VRM_VALUE_INVALID", "'rotation' is no rotation; none stands in");
    }
    Some(SpringLimit { shape, rotation: rotation.unwrap_or(Quat::IDENTITY) })
}
