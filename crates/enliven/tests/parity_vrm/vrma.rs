use crate::humanoid::humanoid;
use crate::replay::{close, close_quat, close_vec, joint, num, replay, skeleton};
use enliven::glam::Vec3;
use enliven::person::{Expression, HumanBone, HumanoidClip};
use enliven::{
    Channel, ChannelKind, Channels, Clip, Curve, Interpolation, Pose, Regions, Rig, Skeleton,
    Transform, math,
};
use serde_json::Value;

fn numbers(v: &Value) -> Vec<f32> {
    v.as_array().expect("numbers").iter().map(num).collect()
}

fn interpolation(v: &Value) -> Interpolation {
    match v.as_str() {
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::CubicSpline,
        _ => Interpolation::Linear,
    }
}

fn source(input: &Value) -> Result<HumanoidClip, String> {
    let src = &input["source"];
    let s = skeleton(&src["nodes"]);
    let regions = Regions::new(&s, &[]);
    let rig = Rig::new(s, Channels::new(), regions, 1.0);
    let body = humanoid(&rig, &src["human_bones"]);
    let mut clip =
        HumanoidClip { hips_height: body.hips_height().unwrap_or(1.0), ..HumanoidClip::default() };
    for ch in src["channels"].as_array().expect("channels") {
        let node = joint(&ch["node"]).expect("node");
        let (times, values) = (numbers(&ch["times"]), numbers(&ch["values"]));
        let how = interpolation(&ch["interpolation"]);
        clip.duration = times.iter().copied().fold(clip.duration, f32::max);
        let is = |v: &Value| joint(v) == Some(node);
        let bad = |e| format!("{e}");
        let named = |kind: &str| {
            let map = src["expressions"][kind].as_object();
            map.and_then(|m| m.iter().find(|(_, n)| is(n)).map(|(name, _)| name.clone()))
        };
        if ch["path"] == "rotation" {
            let curve = Curve::rotation(times, values, how).map_err(bad)?;
            if let Some(bone) = body.bone(node) {
                let n = body.normalize_rotations(bone, &curve).ok_or("rotation")?;
                clip.rotations.push((bone, n));
            } else if is(&src["look_at"]) {
                clip.look = Some(curve);
            }
        } else if body.bone(node) == Some(HumanBone::Hips) {
            let curve = Curve::new(times, values, 3, how).map_err(bad)?;
            clip.hips = body.normalize_hips(&curve);
        } else if let Some(name) = named("preset").or_else(|| named("custom")) {
            // The weight of an expression is the x of its node.
            let x = values.chunks_exact(3).map(|v| v[0]).collect();
            clip.expressions.push((name, Curve::new(times, x, 1, how).map_err(bad)?));
        }
    }
    Ok(clip)
}

fn run(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let clip = source(input)?;
    let target = &input["target"];
    // A VRM 0.x model looks along −Z: it is turned once, at its root, so that it looks along +Z.
    let old = target["meta_version"] == "0";
    let mut s = Skeleton::new();
    let plain = skeleton(&target["nodes"]);
    let shift = usize::from(old);
    if old {
        let turn = Transform::from_rotation(math::rotation(Vec3::Y, math::PI));
        s.push("turn", None, turn).expect("root");
    }
    let moved = |i: usize| enliven::JointId::new(i + shift);
    for j in plain.joints() {
        let parent =
            plain.parent(j).map(|p| moved(p.index())).or(old.then_some(enliven::JointId(0)));
        s.push(plain.name(j), parent, plain.rest()[j.index()]).expect("parents first");
    }
    let mut channels = Channels::new();
    let mut expressions = Vec::new();
    for name in target["expressions"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("name");
        let c = channels.push(Channel::new(name, ChannelKind::Expression));
        expressions.push(Expression::new(name, c));
    }
    let yaw = channels.push(Channel::new("yaw", ChannelKind::Custom));
    let pitch = channels.push(Channel::new("pitch", ChannelKind::Custom));
    let regions = Regions::new(&s, &[]);
    let rig = Rig::new(s, channels, regions, 1.6);
    let pairs = target["human_bones"].as_object().expect("bones").iter().map(|(name, node)| {
        let node = joint(node).expect("node");
        (HumanBone::from_name(name).expect("bone"), moved(node.index()))
    });
    let body = enliven::person::Humanoid::new(&rig.skeleton, pairs);
    let look = (target["look_at"] == true).then_some([yaw, pitch]);
    let made: Clip = clip.retarget(&body, &expressions, look);
    for (i, step) in case["steps"].as_array().expect("steps").iter().enumerate() {
        let want = &step["expect"];
        match step["call"].as_str().expect("call") {
            "parse" => {
                let a = &want["vrm_animation"];
                close("duration", clip.duration, num(&a["duration"]), 1e-6)?;
                close("hips", clip.hips_height, num(&a["rest_hips_position"][1]), 1e-5)?;
                for (name, track) in a["rotation"].as_object().into_iter().flatten() {
                    let bone = HumanBone::from_name(name).ok_or("bone")?;
                    let got = clip.rotations.iter().find(|(b, _)| *b == bone).ok_or("no track")?;
                    let values = numbers(&track["values"]);
                    if got.1.interpolation() == Interpolation::CubicSpline {
                        continue; // Theirs loses the tangents.
                    }
                    for (k, w) in values.chunks_exact(4).enumerate() {
                        let g = enliven::glam::Quat::from_slice(&got.1.values()[4 * k..4 * k + 4]);
                        close_quat(name, g, &serde_json::json!(w), 1e-5)?;
                    }
                }
                if let Some(t) = a["translation"]["hips"].as_object() {
                    let got = clip.hips.as_ref().ok_or("no hips")?;
                    for (k, w) in numbers(&t["values"]).chunks_exact(3).enumerate() {
                        let g = Vec3::from_slice(&got.values()[3 * k..3 * k + 3]);
                        close_vec("hips", g, &serde_json::json!(w), 1e-5)?;
                    }
                }
            }
            "create_clip" => {
                close("duration", made.duration, num(&want["clip"]["duration"]), 1e-6)?;
                if !made.fits(rig.skeleton.len(), rig.channels.len()) {
                    return Err("the clip does not fit".into());
                }
            }
            "set_time" => {
                let mut pose = Pose::rest(&rig);
                let t = num(&step["t"]);
                let key = |c: &Clip| {
                    c.tracks.iter().any(|k| k.curve.interpolation() != Interpolation::Linear)
                };
                if key(&made) {
                    // Theirs makes lines of steps and drops tangents: compare at the keys, where
                    // all agree, and hold the step just before the next key.
                    if made.tracks.iter().all(|k| k.curve.times().contains(&t)) {
                        made.sample(t, &mut [], &mut pose);
                    } else {
                        let times = made.tracks[0].curve.times();
                        let before = times.iter().rev().find(|k| **k <= t).copied().unwrap_or(0.0);
                        let mut held = Pose::rest(&rig);
                        made.sample(t, &mut [], &mut pose);
                        made.sample(before, &mut [], &mut held);
                        let steps = made
                            .tracks
                            .iter()
                            .filter(|k| k.curve.interpolation() == Interpolation::Step);
                        for k in steps {
                            if let enliven::Target::Joint(j, enliven::Property::Rotation) = k.target
                                && pose.rotation(j) != held.rotation(j)
                            {
                                return Err(format!("step {i}: a step does not hold"));
                            }
                        }
                        continue;
                    }
                } else {
                    made.sample(t, &mut [], &mut pose);
                }
                for (name, p) in want["raw"].as_object().into_iter().flatten() {
                    let bone = HumanBone::from_name(name).ok_or("bone")?;
                    let j = body.joint(bone).ok_or("no joint")?;
                    let what = format!("step {i} {name}");
                    close_vec(&what, pose.translation(j), &p[0], 1e-5)?;
                    close_quat(&what, pose.rotation(j), &p[1], 1e-5)?;
                }
                for e in &expressions {
                    let w = &want["expressions"][&e.name];
                    if !w.is_null() {
                        close(
                            &format!("step {i} {}", e.name),
                            pose.channel(e.channel),
                            num(w),
                            1e-5,
                        )?;
                    }
                }
                for (name, c) in [("yaw", yaw), ("pitch", pitch)] {
                    if !want[name].is_null() {
                        let gap = pose.channel(c).to_degrees() - num(&want[name]);
                        if gap.abs() > 1e-3 {
                            return Err(format!("step {i} {name} is off by {gap}°"));
                        }
                    }
                }
            }
            other => return Err(format!("unknown call {other}")),
        }
    }
    Ok(())
}

#[test]
fn parity_vrma() {
    replay("vrma.json", &[], run);
}
