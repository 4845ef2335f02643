//! Clips as JSON, and what is done to whole clips, against three.js.

#[path = "../../enliven/tests/parity/mod.rs"]
mod parity;

use enliven::{Clip, Interpolation, NamedClip, ValueKind, in_order, key_order};
use enliven_io::clip_json;
use parity::{Outcome, agree, doubles, floats, index, list, near, num, nums, text_of};
use serde_json::{Value, json};

const TOLERANCE: f64 = 2e-6;

/// Whether two values agree; numbers within the tolerance.
fn same(got: &Value, want: &Value) -> bool {
    match (got, want) {
        (Value::Number(_), Value::Number(_)) => near(num(got), num(want), TOLERANCE),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        _ => got == want,
    }
}

fn expect(got: &Value, want: &Value) -> Outcome {
    if same(got, want) { Ok(()) } else { Err(format!("got {got}, want {want}")) }
}

/// A clip in the suite's own form.
fn described(clip: &NamedClip, user_data: &Value) -> Value {
    let tracks: Vec<Value> = clip
        .tracks
        .iter()
        .map(|t| {
            let interpolation = match t.curve.interpolation() {
                Interpolation::Step => "discrete",
                Interpolation::Smooth => "smooth",
                Interpolation::Bezier => "bezier",
                _ => "linear",
            };
            let value = |v: &f32| match t.target.kind {
                ValueKind::Bool => json!(*v != 0.0),
                ValueKind::String => json!(t.target.labels[*v as usize]),
                _ => json!(v),
            };
            let values: Vec<Value> = t.curve.values().iter().map(value).collect();
            let kind = match t.target.kind {
                ValueKind::Bool => "bool",
                ValueKind::Color => "color",
                ValueKind::Number => "number",
                ValueKind::Quaternion => "quaternion",
                ValueKind::String => "string",
                ValueKind::Vector => "vector",
            };
            let mut out = json!({
                "name": t.target.path, "type": kind, "interpolation": interpolation,
                "times": t.curve.times(), "values": values,
            });
            if let Some(h) = t.curve.handles() {
                out["in_tangents"] = json!(h.incoming);
                out["out_tangents"] = json!(h.outgoing);
            }
            out
        })
        .collect();
    let blend_mode = if clip.additive { "additive" } else { "normal" };
    json!({
        "name": clip.name, "duration": clip.duration, "blend_mode": blend_mode,
        "user_data": user_data, "tracks": tracks,
    })
}

fn names(v: &Value) -> Vec<&str> {
    list(v).iter().map(text_of).collect()
}

fn step(case: &Value, clip: &mut NamedClip, step: &Value) -> Outcome {
    let (input, want) = (&case["input"], &step["expect"]);
    let none = json!({});
    let looped = input["no_loop"] != true;
    match text_of(&step["call"]) {
        "to_json" => return expect(&clip_json::to_value(clip, &none), &want["json"]),
        "parse" => {
            return match (clip_json::from_value(&input["json"]), want["throws"] == true) {
                (Err(_), true) => Ok(()),
                (Ok(f), false) => expect(&described(&f.clip, &f.user_data), &want["clip"]),
                (got, _) => Err(format!("{got:?}")),
            };
        }
        "create_from_morph_target_sequence" => {
            let name = text_of(&want["clip"]["name"]);
            let fps = num(&input["fps"]) as f32;
            *clip = NamedClip::morph_sequence(name, &names(&input["names"]), fps, looped);
        }
        "create_clips_from_morph_target_sequences" => {
            let fps = num(&input["fps"]) as f32;
            let got = NamedClip::morph_sequences(&names(&input["names"]), fps, looped);
            let got: Vec<Value> = got.iter().map(|c| described(c, &none)).collect();
            return expect(&got.into(), &want["clips"]);
        }
        "find_by_name" => {
            let clips: Vec<NamedClip> =
                names(&input["names"]).iter().map(|n| Clip::new(*n, Vec::new())).collect();
            let got = Clip::find(&clips, text_of(&step["query"])).map_or(-1.0, |i| i as f64);
            return agree("index", &[got], &[num(&want["index"])], 0.0);
        }
        "keyframe_order" => {
            let times = floats(&input["times"]);
            let order = key_order(&times);
            let as_numbers: Vec<f64> = order.iter().map(|i| *i as f64).collect();
            agree("order", &as_numbers, &nums(&want["order"]), 0.0)?;
            return agree(
                "times",
                &doubles(&in_order(&times, 1, &order)),
                &nums(&want["times"]),
                0.0,
            );
        }
        "sorted_array" => {
            let order: Vec<usize> = list(&step["order"]).iter().map(index).collect();
            let got = in_order(&floats(&step["values"]), index(&step["stride"]), &order);
            return agree("values", &doubles(&got), &nums(&want["values"]), TOLERANCE);
        }
        "set_duration" => clip.duration = num(&step["duration"]) as f32,
        "trim" => clip.trim(),
        "reset_duration" => clip.reset_duration(),
        "optimize" => clip.optimize(),
        "validate" if want["valid"] != true => return Err("valid here".into()),
        "validate" | "clone" => {}
        "subclip" => {
            let n = |key: &str| num(&input[key]) as f32;
            let fps = if input["fps"].is_null() { 30.0 } else { n("fps") };
            let name = text_of(&want["clip"]["name"]);
            *clip = clip.subclip(name, n("start_frame"), n("end_frame"), fps);
        }
        "make_clip_additive" => {
            let fps = input["fps"].as_f64().filter(|f| *f > 0.0).unwrap_or(30.0);
            let time = input["reference_frame"].as_f64().unwrap_or(0.0) / fps;
            match &input["reference_clip"] {
                Value::Null => clip.make_additive(time),
                reference => clip.make_additive_to(&parity::clip(reference)?, time),
            }
        }
        other => return Err(format!("unknown call {other}")),
    }
    expect(&described(clip, &none), &want["clip"])
}

fn run(case: &Value) -> Outcome {
    let mut clip = parity::clip(&case["input"]["clip"])?;
    list(&case["steps"]).iter().try_for_each(|s| step(case, &mut clip, s))
}

#[test]
fn parity_clip_json() {
    parity::replay("clip_json.json", &[], &[], run);
}
