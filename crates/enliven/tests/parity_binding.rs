//! Property paths against three.js: parsing, names, nodes, targets, groups.

mod parity;

use enliven::glam::Quat;
use enliven::{
    Bound, Channel, ChannelId, ChannelKind, Channels, Group, JointId, Namespace, Pose, Property,
    Regions, Rig, Skeleton, Target, TrackPath, Transform, sanitize_node_name,
};
use parity::{Outcome, agree, floats, index, list, num, nums, text_of};
use serde_json::Value;

fn parse(step: &Value) -> Outcome {
    let text = step["track"].as_str().ok_or("no path in the step")?;
    let expect = &step["expect"];
    let parsed = match (TrackPath::parse(text), expect["throws"] == true) {
        (Err(_), true) => return Ok(()),
        (Ok(p), false) => p,
        (got, _) => return Err(format!("{text:?}: {got:?}")),
    };
    let want = &expect["parsed"];
    let same = parsed.node == want["node_name"].as_str()
        && parsed.object == want["object_name"].as_str()
        && parsed.object_index == want["object_index"].as_str()
        && Some(parsed.property) == want["property_name"].as_str()
        && parsed.property_index == want["property_index"].as_str();
    if same { Ok(()) } else { Err(format!("{text:?}: {parsed:?}, want {want}")) }
}

fn find_node(case: &Value) -> Outcome {
    let input = &case["input"];
    let mut skeleton = Skeleton::new();
    for n in list(&input["nodes"]) {
        let parent = n["parent"].as_u64().map(|p| JointId::new(p as usize));
        let name = text_of(&n["name"]);
        skeleton.push(name, parent, Transform::IDENTITY).map_err(|e| e.to_string())?;
    }
    let root = JointId::new(index(&input["root"]));
    let mut names = Namespace::new(&skeleton, Some(root));
    for j in skeleton.joints() {
        names.set_id(j, format!("uuid-{j}"));
    }
    let bones: Vec<JointId> =
        list(&input["skeleton"]).iter().map(|b| JointId::new(index(b))).collect();
    names.set_skin(root, &bones);
    for step in list(&case["steps"]) {
        let got = names.find(step["query"].as_str()).map_or(-1.0, |j| f64::from(j.0));
        let what = step["query"].to_string();
        agree(&what, &[got], &[num(&step["expect"]["node"])], 0.0)?;
    }
    Ok(())
}

/// The scene of the `bind` cases, as `about.bind_scene` describes it.
struct Scene {
    rig: Rig,
    /// Node, name of a property, where it is.
    properties: Vec<(usize, &'static str, Bound)>,
}

impl Scene {
    fn new() -> Self {
        let mut skeleton = Skeleton::new();
        let nodes = [
            ("root", None),
            ("body", Some(0)),
            ("skin", Some(0)),
            ("hip", Some(2)),
            ("knee.L", Some(3)),
            ("multi", Some(0)),
        ];
        for (name, parent) in nodes {
            let rest = Transform::IDENTITY;
            skeleton.push(name, parent.map(JointId), rest).expect("parents come first");
        }
        let mut channels = Channels::new();
        let mut add = |kind, defaults: &[f32]| -> Vec<ChannelId> {
            let one = |v: &f32| channels.push(Channel::new("", kind).with_default(*v));
            defaults.iter().map(one).collect()
        };
        let mut properties = Vec::new();
        for node in 0..nodes.len() {
            let j = JointId::new(node);
            let part = |p| Bound::One(Target::Joint(j, p));
            properties.push((node, "position", part(Property::Translation)));
            properties.push((node, "quaternion", part(Property::Rotation)));
            properties.push((node, "rotation", part(Property::Euler)));
            properties.push((node, "scale", part(Property::Scale)));
            let visible = add(ChannelKind::Visibility(j), &[1.0]);
            properties.push((node, "visible", Bound::Channels(visible)));
        }
        let mut channels_of = |node, name, kind, defaults: &[f32]| {
            properties.push((node, name, Bound::Channels(add(kind, defaults))));
        };
        channels_of(1, "morphTargetInfluences", ChannelKind::Morph, &[0.0; 2]);
        channels_of(1, "material.opacity", ChannelKind::Material, &[1.0]);
        channels_of(1, "material.color", ChannelKind::Material, &[1.0; 3]);
        channels_of(1, "material.map.offset", ChannelKind::Material, &[0.0; 2]);
        channels_of(5, "material.0.opacity", ChannelKind::Material, &[1.0]);
        channels_of(5, "material.1.opacity", ChannelKind::Material, &[1.0]);
        let regions = Regions::new(&skeleton, &[]);
        Self { rig: Rig::new(skeleton, channels, regions, 1.0), properties }
    }

    fn names(&self) -> Namespace<'_> {
        let mut names = Namespace::new(&self.rig.skeleton, Some(JointId(0)));
        names.set_skin(JointId(2), &[JointId(3), JointId(4)]);
        for (node, name, bound) in &self.properties {
            let (Bound::Channels(channels), j) = (bound, JointId::new(*node)) else { continue };
            match name.split('.').collect::<Vec<_>>()[..] {
                ["morphTargetInfluences"] => {
                    names.add_morph(j, "smile", channels[0]);
                    names.add_morph(j, "blink", channels[1]);
                }
                ["material", "map", property] => {
                    names.define(j, "map", None, property, channels);
                }
                ["material", at, property] => {
                    names.define(j, "material", Some(at), property, channels);
                }
                ["material", property] => names.define(j, "material", None, property, channels),
                [property] => names.define(j, "", None, property, channels),
                _ => unreachable!("all names are above"),
            }
        }
        names
    }
}

fn read(bound: &Bound, pose: &Pose) -> Vec<f64> {
    let numbers = |t: Target| t.read(pose).into_iter().take(t.shape().0).map(f64::from);
    bound.targets().into_iter().flat_map(|t| numbers(t).collect::<Vec<_>>()).collect()
}

fn write(bound: &Bound, value: &[f32], pose: &mut Pose) {
    let mut rest = value;
    for t in bound.targets() {
        let (n, _) = t.shape();
        let mut v = [0.0; 4];
        v[..n].copy_from_slice(&rest[..n]);
        rest = &rest[n..];
        t.write(&v, pose);
    }
}

fn bind(step: &Value) -> Outcome {
    let scene = Scene::new();
    let names = scene.names();
    let expect = &step["expect"];
    let bound = match (names.bind(text_of(&step["path"])), expect["unbound"] == true) {
        (Err(_), true) => return Ok(()),
        (Ok(b), false) => b,
        (got, _) => return Err(format!("{got:?}")),
    };
    let rest = Pose::rest(&scene.rig);
    let mut pose = rest.clone();
    write(&bound, &floats(&step["value"]), &mut pose);
    agree("read back", &read(&bound, &pose), &nums(&expect["read_back"]), 1e-6)?;
    let changed = list(&expect["changed"]);
    for (node, name, bound) in &scene.properties {
        let same_place = |c: &&Value| index(&c[0]) == *node && text_of(&c[1]) == *name;
        let got = read(bound, &pose);
        let turns = |name: &str| ["rotation", "quaternion"].contains(&name);
        let turned = |c: &Value| index(&c[0]) == *node && turns(text_of(&c[1]));
        match changed.iter().find(same_place) {
            Some(c) => agree(name, &got, &nums(&c[2]), 1e-6)?,
            // One rotation under two names.
            None if turns(name) && changed.iter().any(turned) => {}
            None => agree(name, &got, &read(bound, &rest), 0.0)?,
        }
    }
    Ok(())
}

fn group(case: &Value) -> Outcome {
    let objects = |v: &Value| list(v).iter().map(index).collect::<Vec<_>>();
    let mut group = Group::new(objects(&case["input"]["initial"]));
    for step in list(&case["steps"]) {
        for o in objects(&step["objects"]) {
            match text_of(&step["call"]) {
                "add" => group.add(o),
                "remove" => group.remove(&o),
                "uncache" => group.forget(&o),
                other => return Err(format!("unknown call {other}")),
            }
        }
        let e = &step["expect"];
        let active: Vec<f64> = group.active().iter().map(|o| *o as f64).collect();
        agree("active", &active, &nums(&e["active"]), 0.0)?;
        let counts = [group.resting(), group.len(), group.active().len()].map(|n| n as f64);
        agree("counts", &counts, &["cached", "total", "in_use"].map(|k| num(&e[k])), 0.0)?;
    }
    Ok(())
}

fn run(case: &Value) -> Outcome {
    let steps = list(&case["steps"]);
    match text_of(&case["kind"]) {
        "parse" => steps.iter().try_for_each(parse),
        "sanitize" => steps.iter().try_for_each(|s| {
            let got = sanitize_node_name(text_of(&s["text"]));
            if got == text_of(&s["expect"]["text"]) { Ok(()) } else { Err(got) }
        }),
        "find_node" => find_node(case),
        "bind" => steps.iter().try_for_each(bind),
        "group" => group(case),
        other => Err(format!("unknown kind {other}")),
    }
}

#[test]
fn parity_binding() {
    parity::replay("binding.json", &[], &[], run);
}

#[test]
fn parity_binding_rotation_is_one_rotation() {
    // `.rotation` and `.quaternion` are two names of one rotation.
    let scene = Scene::new();
    let names = scene.names();
    let mut pose = Pose::rest(&scene.rig);
    let at = |path| names.bind(path).expect("bound");
    write(&at("body.rotation"), &[0.3, -0.2, 0.1], &mut pose);
    let q = Quat::from_euler(enliven::glam::EulerRot::XYZ, 0.3, -0.2, 0.1);
    let want: Vec<f64> = q.to_array().into_iter().map(f64::from).collect();
    agree("quaternion", &read(&at("body.quaternion"), &pose), &want, 1e-6).expect("the same");
}
