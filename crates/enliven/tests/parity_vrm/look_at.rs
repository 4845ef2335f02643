use crate::humanoid::humanoid;
use crate::replay::{close, close_quat, close_vec, joint, num, replay, rig, transform, vec3};
use enliven::glam::{Quat, Vec3};
use enliven::person::{Expression, HumanBone, LookAt, LookAtKind, LookAtLayer, RangeMap};
use enliven::{Channel, ChannelKind, Layer, Moment, Pose, math};
use serde_json::Value;

const NAMES: [&str; 4] = ["lookUp", "lookDown", "lookLeft", "lookRight"];

fn range_map(case: &Value) -> Result<(), String> {
    for (i, s) in case["steps"].as_array().expect("steps").iter().enumerate() {
        let map = RangeMap { limit: num(&s["input_max_value"]), scale: num(&s["output_scale"]) };
        let got = map.map(num(&s["src"]));
        close(&format!("step {i}"), got, num(&s["expect"]["value"]), 2e-6)?;
    }
    Ok(())
}

fn run(case: &Value) -> Result<(), String> {
    if case["kind"] == "range_map" {
        return range_map(case);
    }
    let input = &case["input"];
    let mut rig = rig(&input["nodes"]);
    let body = humanoid(&rig, &input["human_bones"]);
    let bones = input["applier"] == "bone";
    let unit = if bones { 1f32.to_radians() } else { 1.0 };
    let map = |name: &str| RangeMap {
        limit: num(&input["maps"][name][0]).to_radians(),
        scale: num(&input["maps"][name][1]) * unit,
    };
    // three-vrm's bone applier reads these two maps the wrong way round (its README's list of
    // faults); the numbers are compared with the maps exchanged, and a test of our own holds the
    // specification's way.
    let (down, up) =
        if bones { ("vertical_up", "vertical_down") } else { ("vertical_down", "vertical_up") };
    let default = LookAt::bones();
    let spec = LookAt {
        kind: if bones { LookAtKind::Bones } else { LookAtKind::Expressions },
        offset: if input["offset_from_head_bone"].is_null() {
            Vec3::ZERO
        } else {
            vec3(&input["offset_from_head_bone"])
        },
        inner: map("horizontal_inner"),
        outer: map("horizontal_outer"),
        down: map(down),
        up: map(up),
        front: if input["face_front"].is_null() {
            default.front
        } else {
            vec3(&input["face_front"])
        },
    };
    let expressions: Vec<Expression> = NAMES
        .iter()
        .map(|n| {
            let c = rig.channels.push(Channel::new(*n, ChannelKind::Expression));
            Expression::new(*n, c)
        })
        .collect();
    let yaw_channel = rig.channels.push(Channel::new("yaw", ChannelKind::Custom));
    let pitch_channel = rig.channels.push(Channel::new("pitch", ChannelKind::Custom));
    let mut layer =
        LookAtLayer::new(spec, &body, &expressions).with_channels(yaw_channel, pitch_channel);
    let mut pose = Pose::rest(&rig);
    let (mut yaw, mut pitch) = (0.0, 0.0);
    let (mut target, mut auto) = (None, true);
    // A tilted front: theirs leaks a roll between the eyes; ours is checked against what the
    // angles mean.
    let tilted = spec.front.y.abs() > 1e-3;
    let nearly = spec.front != Vec3::Z && spec.front.distance_squared(Vec3::Z) < 0.01;
    let head_rest = body.rest_rotation(HumanBone::Head).unwrap_or(Quat::IDENTITY);
    let mut moved = head_rest.angle_between(Quat::IDENTITY) > 1e-3;
    for (i, s) in case["steps"].as_array().expect("steps").iter().enumerate() {
        let want = &s["expect"];
        match s["call"].as_str().expect("call") {
            "look_at" => (yaw, pitch) = layer.angles_to(&rig, &pose, vec3(&s["position"])),
            "set_angles" => {
                (yaw, pitch) = (num(&s["yaw"]).to_radians(), num(&s["pitch"]).to_radians());
            }
            "set_node" => {
                moved = true;
                let id = joint(&s["node"]).expect("node");
                pose.set_transform(id, &transform(s, pose.transform(id)));
            }
            "set_target" => target = Some(vec3(&s["position"])),
            "set_auto_update" => auto = s["value"] == true,
            "reset" => (yaw, pitch) = (0.0, 0.0),
            "update" => {
                if let (Some(t), true) = (target, auto) {
                    (yaw, pitch) = layer.angles_to(&rig, &pose, t);
                    layer.target = Some(t);
                } else {
                    layer.target = None;
                    pose.set_channel(yaw_channel, yaw);
                    pose.set_channel(pitch_channel, pitch);
                }
                layer.apply(&Moment::step(0.0), &rig, &mut pose);
            }
            other => return Err(format!("unknown call {other}")),
        }
        let what = |n: &str| format!("step {i} {n}");
        for (name, got) in [("yaw", yaw), ("pitch", pitch)] {
            if !want[name].is_null() {
                let gap = (got.to_degrees() - num(&want[name])).abs();
                // Half a turn has two names.
                if gap.min((gap - 360.0).abs()) > 1e-4 {
                    return Err(format!("{}: {got}, want {}", what(name), want[name]));
                }
            }
        }
        if !want["look_at_position"].is_null() {
            let got = layer.origin(&rig, &pose);
            close_vec(&what("position"), got, &want["look_at_position"], 2e-6)?;
        }
        if !want["look_at_direction"].is_null() {
            // three-vrm turns its result in the wrong order, which shows where the head has
            // turned or the front is not +Z; ours is what the angles mean: it meets the target.
            let got = layer.direction(&rig, &pose, yaw, pitch);
            if spec.front == Vec3::Z && !moved {
                close_vec(&what("direction"), got, &want["look_at_direction"], 2e-6)?;
            }
            if s["call"] == "look_at" && !tilted && !nearly {
                let toward = vec3(&s["position"]) - layer.origin(&rig, &pose);
                if got.distance(toward.normalize()) > 2e-6 {
                    return Err(format!("{}: {got} misses the target", what("direction")));
                }
            }
        }
        for (k, bone) in [HumanBone::LeftEye, HumanBone::RightEye].into_iter().enumerate() {
            let Some(eye) = body.joint(bone) else { continue };
            if !want["eyes"][k].is_null() && !tilted {
                close_quat(&what("eye"), pose.rotation(eye), &want["eyes"][k], 2e-6)?;
                let n = body.rotation(&pose, bone);
                close_quat(&what("normalised eye"), n, &want["normalized_eyes"][k], 2e-6)?;
            } else if !want["eyes"][k].is_null() {
                let front = spec.front.normalize();
                let n = body.rotation(&pose, bone) * front;
                // Without angles the eyes stay at rest; yaw alone keeps the elevation's sign.
                let still = yaw == 0.0 && pitch == 0.0;
                if still && n.distance(front) > 1e-6 || !n.is_finite() || n.y.signum() != 1.0 {
                    return Err(format!("{}: {n}", what("tilted eye")));
                }
            }
        }
        for (k, e) in expressions.iter().enumerate() {
            if !want["expressions"][k].is_null() {
                let got = pose.channel(e.channel);
                close(&what(NAMES[k]), got, num(&want["expressions"][k]), 2e-6)?;
            }
        }
    }
    Ok(())
}

#[test]
fn parity_look_at() {
    replay("vrm_lookat.json", &[], run);
}

#[test]
fn eyes_use_the_map_that_the_specification_names() {
    let text = r#"[{"parent":-1,"t":[0,1.5,0],"r":[0,0,0,1]},{"parent":0,"t":[0.03,0.06,0.1],"r":[0,0,0,1]},
        {"parent":0,"t":[-0.03,0.06,0.1],"r":[0,0,0,1]}]"#;
    let nodes: Value = serde_json::from_str(text).expect("JSON");
    let rig = rig(&nodes);
    let bones = serde_json::json!({"head": 0, "leftEye": 1, "rightEye": 2});
    let body = humanoid(&rig, &bones);
    let map = |scale: f32| RangeMap { limit: 1.0, scale };
    let spec = LookAt {
        inner: map(0.1),
        outer: map(0.2),
        down: map(0.3),
        up: map(0.4),
        ..LookAt::bones()
    };
    let layer = LookAtLayer::new(spec, &body, &[]);
    let mut pose = Pose::rest(&rig);
    let mut check = |yaw: f32, pitch: f32, left: [f32; 2], right: [f32; 2]| {
        layer.turn_eyes(&mut pose, yaw, pitch);
        for (bone, [y, p]) in [(HumanBone::LeftEye, left), (HumanBone::RightEye, right)] {
            let want: Quat = math::yaw_pitch_roll(y, p, 0.0);
            assert!(body.rotation(&pose, bone).dot(want).abs() > 1.0 - 1e-6, "{bone:?}");
        }
    };
    // Left and down: outer for the left eye, inner for the right, down for both; then the reverse.
    check(2.0, 2.0, [0.2, 0.3], [0.1, 0.3]);
    check(-2.0, -0.5, [-0.1, -0.2], [-0.2, -0.2]);
}
