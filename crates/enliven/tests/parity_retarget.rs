//! Motion from one skeleton to another, against three.js.

mod parity;

use enliven::glam::{Quat, Vec3};
use enliven::{
    Affine, Channels, JointId, Namespace, Pose, Property, Regions, Retarget, RetargetHips,
    RetargetLink, RetargetTimes, Rig, Skeleton, Target, Transform,
};
use parity::{Outcome, agree, doubles, floats, list, num, nums, text_of};
use serde_json::Value;

const TOLERANCE: f64 = 1e-5;

fn transform(n: &Value) -> Transform {
    let three = |v: &Value, or| {
        let v = floats(v);
        if v.len() == 3 { Vec3::from_slice(&v) } else { or }
    };
    let r = floats(&n["r"]);
    Transform {
        translation: three(&n["t"], Vec3::ZERO),
        rotation: if r.len() == 4 { Quat::from_slice(&r) } else { Quat::IDENTITY },
        scale: three(&n["s"], Vec3::ONE),
    }
}

/// The bones of a skinned mesh, below the mesh where it counts.
struct Body {
    rig: Rig,
    bones: Vec<JointId>,
}

impl Body {
    fn new(json: &Value, object: Option<&Transform>) -> Self {
        let mut skeleton = Skeleton::new();
        let mut push =
            |name: &str, parent, rest| skeleton.push(name, parent, rest).expect("a tree");
        let object = object.map(|t| push("", None, *t));
        let mut bones: Vec<JointId> = Vec::new();
        for n in list(&json["nodes"]) {
            let parent = n["parent"].as_u64().map_or(object, |p| Some(bones[p as usize]));
            bones.push(push(text_of(&n["name"]), parent, transform(n)));
        }
        let regions = Regions::new(&skeleton, &[]);
        Self { rig: Rig::new(skeleton, Channels::new(), regions, 1.0), bones }
    }

    fn find(&self, name: &str) -> Option<JointId> {
        self.bones.iter().copied().find(|j| self.rig.skeleton.name(*j) == name)
    }
}

/// What the library's options mean here.
struct Case {
    source: Body,
    target: Body,
    carry: Retarget,
}

fn case(input: &Value) -> Case {
    let options = &input["options"];
    let is = |key: &str, or: bool| options[key].as_bool().unwrap_or(or);
    let source = Body::new(&input["source"], Some(&transform(&input["source"]["object"])));
    let object = transform(&input["target"]["object"]);
    // By default the target's object counts as the world: it is what carries the body's model space.
    let within = is("preserve_bone_matrix", true);
    let target = Body::new(&input["target"], (!within).then_some(&object));
    let names = &options["names"];
    let source_of = |joint: JointId| text_of(&names[target.rig.skeleton.name(joint)]);
    let mut links = Vec::new();
    let mut hips = None;
    for &joint in &target.bones {
        let name = source_of(joint);
        let Some(from) = source.find(name) else { continue };
        let own = &options["local_offsets"][target.rig.skeleton.name(joint)];
        let offset = if own.is_null() {
            Quat::IDENTITY
        } else {
            let mut m = [0.0; 16];
            m.copy_from_slice(&floats(own));
            Affine::from_cols_array(&m).to_transform().rotation
        };
        links.push(RetargetLink { source: from, target: joint, offset });
        if name == options["hip"].as_str().unwrap_or("hip") {
            let scale = options["scale"].as_f64().unwrap_or(1.0) as f32;
            let vec = |key: &str, or: Vec3| {
                let v = floats(&options[key]);
                if v.len() == 3 { Vec3::from_slice(&v) } else { or }
            };
            hips = Some(RetargetHips {
                source: from,
                target: joint,
                scale: vec("hip_influence", Vec3::ONE) * scale,
                shift: vec("hip_position", Vec3::ZERO) * scale,
            });
        }
    }
    let mut carry = Retarget::new(links);
    carry.hips = hips;
    carry.stretch = !is("preserve_bone_positions", true);
    if !within && !is("use_target_matrix", false) {
        carry.space = Affine::from(&object).inverse().unwrap_or(Affine::IDENTITY);
    }
    Case { source, target, carry }
}

fn same_turn(what: &str, got: &[f64], want: &[f64]) -> Outcome {
    let turned: Vec<f64> = got.iter().map(|v| -v).collect();
    agree(what, got, want, TOLERANCE)
        .or_else(|e| agree(what, &turned, want, TOLERANCE).map_err(|_| e))
}

fn pose(input: &Value, want: &Value) -> Outcome {
    let Case { source, target, mut carry } = case(input);
    let mut from = Pose::rest(&source.rig);
    for (joint, n) in source.bones.iter().zip(list(&input["pose"])) {
        for (key, property) in
            [("t", Property::Translation), ("r", Property::Rotation), ("s", Property::Scale)]
        {
            let mut v = floats(&n[key]);
            if !v.is_empty() {
                v.resize(4, 0.0);
                Target::Joint(*joint, property).write(&[v[0], v[1], v[2], v[3]], &mut from);
            }
        }
    }
    let mut to = Pose::rest(&target.rig);
    carry.apply(&source.rig, &from, &target.rig, &mut to);
    for (joint, want) in target.bones.iter().zip(list(&want["bones"])) {
        let name = target.rig.skeleton.name(*joint);
        let got = to.transform(*joint);
        agree(name, &doubles(&got.translation.to_array()), &nums(&want[0]), TOLERANCE)?;
        same_turn(name, &doubles(&got.rotation.to_array()), &nums(&want[1]))?;
        agree(name, &doubles(&got.scale.to_array()), &nums(&want[2]), TOLERANCE)?;
    }
    agree("bones", &[target.bones.len() as f64], &[list(&want["bones"]).len() as f64], 0.0)
}

fn clip(input: &Value, want: &Value) -> Outcome {
    let Case { source, target, mut carry } = case(input);
    let options = &input["options"];
    let named = parity::clip(&input["clip"])?;
    let mesh = JointId(0);
    let mut names = Namespace::new(&source.rig.skeleton, Some(mesh));
    names.set_skin(mesh, &source.bones);
    let (clip, missed) = names.bind_clip(&named);
    if !missed.is_empty() {
        return Err(format!("{missed:?}"));
    }
    let most = clip.tracks.iter().map(|t| t.curve.times().len()).max().unwrap_or(0);
    let fps = options["fps"].as_f64().map_or(most as f32 / clip.duration, |f| f as f32);
    let mut at = RetargetTimes::of(&clip, fps);
    if let [start, end] = floats(&options["trim"])[..] {
        let first = (start * fps).round();
        at.start = start;
        at.count = ((end * fps).round().min(at.count as f32) - first) as usize;
    }
    at.from_origin = options["use_first_frame_position"] == true;
    let got = carry.clip(&clip, &source.rig, &target.rig, &at);
    let tracks = list(&want["tracks"]);
    agree("duration", &[f64::from(got.duration)], &[num(&want["duration"])], TOLERANCE)?;
    agree("tracks", &[got.tracks.len() as f64], &[tracks.len() as f64], 0.0)?;
    for (got, want) in got.tracks.iter().zip(tracks) {
        let Target::Joint(joint, property) = got.target else { return Err("no joint".into()) };
        let part = if property == Property::Rotation { "quaternion" } else { "position" };
        let path = format!(".bones[{}].{part}", target.rig.skeleton.name(joint));
        if path != text_of(&want["name"]) {
            return Err(format!("got {path}, want {}", want["name"]));
        }
        agree(&path, &doubles(got.curve.times()), &nums(&want["times"]), TOLERANCE)?;
        let (got, want) = (doubles(got.curve.values()), nums(&want["values"]));
        if property == Property::Rotation {
            agree(&path, &[got.len() as f64], &[want.len() as f64], 0.0)?;
            for (got, want) in got.chunks(4).zip(want.chunks(4)) {
                same_turn(&path, got, want)?;
            }
        } else {
            agree(&path, &got, &want, TOLERANCE)?;
        }
    }
    Ok(())
}

fn run(case: &Value) -> Outcome {
    for step in list(&case["steps"]) {
        match text_of(&step["call"]) {
            "retarget" => pose(&case["input"], &step["expect"])?,
            "retarget_clip" => clip(&case["input"], &step["expect"])?,
            other => return Err(format!("unknown call {other}")),
        }
    }
    Ok(())
}

#[test]
fn parity_retarget() {
    parity::replay("retarget.json", &[], &[], run);
}
