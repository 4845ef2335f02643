//! Springs: bones with tips → the chains of VRMC_springBone 1.0.

use std::collections::{BTreeMap, BTreeSet};

use enliven::{
    JointId, Skeleton,
    person::{Collider, ColliderShape, LimitShape, SpringChain, SpringJoint, SpringSet},
};
use serde_json::{Map, Value, json};

use super::extensions;
use crate::gltf::numbers::{number, numbers};

/// `VRMC_springBone`; bones without a tip get a node of their own for it. `None` where nothing
/// swings.
pub(super) fn write(
    set: &SpringSet,
    skeleton: &Skeleton,
    nodes: &[usize],
    root: &mut Map<String, Value>,
    used: &mut BTreeSet<&'static str>,
) -> Option<Value> {
    if set.chains.iter().all(|c| c.joints.is_empty()) {
        return None;
    }
    let colliders: Vec<Value> = set.colliders.iter().map(|c| collider(c, nodes, used)).collect();
    let mut groups: BTreeMap<&[u32], usize> = BTreeMap::new();
    let mut group_list = Vec::new();
    let mut springs = Vec::new();
    for chain in &set.chains {
        let group = (!chain.colliders.is_empty()).then(|| {
            *groups.entry(&chain.colliders).or_insert_with(|| {
                group_list.push(json!({ "colliders": chain.colliders }));
                group_list.len() - 1
            })
        });
        for (part, run) in runs(chain).into_iter().enumerate() {
            let mut joints: Vec<Value> = run.iter().map(|j| joint(j, nodes, used)).collect();
            let last = run[run.len() - 1];
            let end = match last.tip {
                Some(tip) => Some(nodes[tip.index()]),
                None => tip_node(last.joint, skeleton, nodes, root),
            };
            joints.extend(end.map(|node| json!({ "node": node })));
            let mut spring = Map::new();
            if !chain.name.is_empty() {
                let name = match part {
                    0 => chain.name.clone(),
                    _ => format!("{} {}", chain.name, part + 1),
                };
                spring.insert("name".into(), name.into());
            }
            spring.insert("joints".into(), joints.into());
            if let Some(group) = group {
                spring.insert("colliderGroups".into(), json!([group]));
            }
            if let Some(center) = chain.center {
                spring.insert("center".into(), nodes[center.index()].into());
            }
            springs.push(Value::Object(spring));
        }
    }
    let mut out = Map::new();
    out.insert("specVersion".into(), "1.0".into());
    for (name, list) in
        [("colliders", colliders), ("colliderGroups", group_list), ("springs", springs)]
    {
        if !list.is_empty() {
            out.insert(name.into(), list.into());
        }
    }
    Some(Value::Object(out))
}

/// The bones of a chain cut into lines in which each one's tip is the next one: VRM 0.x lets a
/// chain branch, 1.0 does not.
fn runs(chain: &SpringChain) -> Vec<Vec<SpringJoint>> {
    let at: BTreeMap<JointId, usize> =
        chain.joints.iter().enumerate().map(|(i, j)| (j.joint, i)).collect();
    let tips: BTreeSet<JointId> = chain.joints.iter().filter_map(|j| j.tip).collect();
    let mut done = vec![false; chain.joints.len()];
    let mut out = Vec::new();
    for (i, first) in chain.joints.iter().enumerate() {
        if tips.contains(&first.joint) {
            continue;
        }
        let mut run = Vec::new();
        let mut next = Some(i);
        while let Some(i) = next.filter(|i| !std::mem::replace(&mut done[*i], true)) {
            run.push(chain.joints[i]);
            next = chain.joints[i].tip.and_then(|t| at.get(&t).copied());
        }
        if !run.is_empty() {
            out.push(run);
        }
    }
    out
}

/// A node below a bone that ends nowhere, where VRM 0.x takes its tip to be.
fn tip_node(
    joint: JointId,
    skeleton: &Skeleton,
    nodes: &[usize],
    root: &mut Map<String, Value>,
) -> Option<usize> {
    let tip = SpringJoint::new(joint, None).rest_tip(skeleton);
    let list = root.get_mut("nodes")?.as_array_mut()?;
    let at = list.len();
    list.push(json!({
        "name": format!("{}_end", skeleton.name(joint)),
        "translation": numbers(&tip.to_array()),
    }));
    let parent = list.get_mut(nodes[joint.index()])?.as_object_mut()?;
    let children = parent.entry("children").or_insert_with(|| json!([]));
    children.as_array_mut()?.push(at.into());
    Some(at)
}

fn joint(j: &SpringJoint, nodes: &[usize], used: &mut BTreeSet<&'static str>) -> Value {
    let mut out = Map::new();
    out.insert("node".into(), nodes[j.joint.index()].into());
    out.insert("hitRadius".into(), number(j.radius));
    out.insert("stiffness".into(), number(j.stiffness));
    out.insert("gravityPower".into(), number(j.gravity_power));
    out.insert("gravityDir".into(), numbers(&j.gravity_dir.to_array()));
    out.insert("dragForce".into(), number(j.drag));
    if let Some(limit) = j.limit {
        used.insert("VRMC_springBone_limit");
        let (kind, mut shape) = match limit.shape {
            LimitShape::Cone { angle } => ("cone", json!({ "angle": number(angle) })),
            LimitShape::Hinge { angle } => ("hinge", json!({ "angle": number(angle) })),
            LimitShape::Spherical { pitch, yaw } => {
                ("spherical", json!({ "pitch": number(pitch), "yaw": number(yaw) }))
            }
        };
        shape["rotation"] = numbers(&limit.rotation.to_array());
        extensions(&mut out).insert(
            "VRMC_springBone_limit".into(),
            json!({ "specVersion": "1.0-draft", "limit": { kind: shape } }),
        );
    }
    Value::Object(out)
}

fn collider(c: &Collider, nodes: &[usize], used: &mut BTreeSet<&'static str>) -> Value {
    /// For readers that know neither planes nor insides: a ball too small to touch.
    fn nothing() -> Value {
        json!({ "sphere": { "offset": [0, 0, 0], "radius": 0 } })
    }
    let (shape, more) = match c.shape {
        ColliderShape::Sphere { offset, radius, inside } => {
            let mut v = json!({ "offset": numbers(&offset.to_array()), "radius": number(radius) });
            if inside {
                v["inside"] = true.into();
            }
            (json!({ "sphere": v }), inside)
        }
        ColliderShape::Capsule { offset, tail, radius, inside } => {
            let mut v = json!({
                "offset": numbers(&offset.to_array()),
                "tail": numbers(&tail.to_array()),
                "radius": number(radius),
            });
            if inside {
                v["inside"] = true.into();
            }
            (json!({ "capsule": v }), inside)
        }
        ColliderShape::Plane { offset, normal } => {
            let v = json!({
                "offset": numbers(&offset.to_array()),
                "normal": numbers(&normal.to_array()),
            });
            (json!({ "plane": v }), true)
        }
    };
    let mut out = Map::new();
    out.insert("node".into(), nodes[c.joint.index()].into());
    if more {
        used.insert("VRMC_springBone_extended_collider");
        out.insert("shape".into(), nothing());
        extensions(&mut out).insert(
            "VRMC_springBone_extended_collider".into(),
            json!({ "specVersion": "1.0", "shape": shape }),
        );
    } else {
        out.insert("shape".into(), shape);
    }
    Value::Object(out)
}
