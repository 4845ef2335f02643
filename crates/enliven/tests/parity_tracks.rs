//! Sampling and editing of curves against three.js.

mod parity;

use enliven::{Curve, CurveError, Ending, Endings, Interpolation};
use parity::{Ours, Outcome, agree, curve, doubles, list, num, nums, text_of};
use serde_json::Value;

fn endings(input: &Value) -> Endings {
    let one = |v: &Value| match text_of(v) {
        "zero_slope" => Ending::ZeroSlope,
        "wrap_around" => Ending::WrapAround,
        _ => Ending::ZeroCurvature,
    };
    Endings { start: one(&input["ending_start"]), end: one(&input["ending_end"]) }
}

fn name_of(i: Interpolation) -> &'static str {
    match i {
        Interpolation::Step => "discrete",
        Interpolation::Linear => "linear",
        Interpolation::Smooth => "smooth",
        Interpolation::Bezier => "bezier",
        _ => "gltf_cubicspline",
    }
}

fn sample(case: &Value, normalized: bool) -> Outcome {
    let input = &case["input"];
    let (made, labels) = curve(&input["track"]);
    let curve = made.map_err(|e| e.to_string())?;
    if curve.width() != parity::index(&input["value_size"]) {
        return Err(format!("width {}", curve.width()));
    }
    let want = &input["effective_interpolation"];
    if want.is_string() && name_of(curve.interpolation()) != text_of(want) {
        return Err(format!("interpolation {:?}", curve.interpolation()));
    }
    let tangents = matches!(curve.interpolation(), Interpolation::CubicSpline);
    let tolerance = if tangents { 1e-5 } else { 2e-6 };
    let mut hint = 0;
    for step in list(&case["steps"]) {
        let t = num(&step["t"]);
        let mut out = vec![0.0; curve.width()];
        curve.sample_at(t, endings(input), &mut hint, &mut out);
        if !labels.is_empty() {
            if labels[out[0] as usize] != text_of(&step["expect"][0]) {
                return Err(format!("t {t}: {}", labels[out[0] as usize]));
            }
            continue;
        }
        let mut want = nums(&step["expect"]);
        if normalized {
            let length = want.iter().map(|v| v * v).sum::<f64>().sqrt();
            want.iter_mut().for_each(|v| *v /= length);
        }
        agree(&format!("t {t}"), &doubles(&out), &want, tolerance)?;
    }
    Ok(())
}

fn edit(case: &Value) -> Outcome {
    let (made, _) = curve(&case["input"]["track"]);
    for step in list(&case["steps"]) {
        let call = text_of(&step["call"]);
        let expect = &step["expect"];
        // A curve that does not validate does not come into being here.
        let mut curve = match (&made, call) {
            (Ok(c), _) => c.clone(),
            (Err(_), "validate") if expect["valid"] == false => return Ok(()),
            (Err(e), _) => return Err(e.to_string()),
        };
        for step in list(&case["steps"]).iter().take_while(|s| !std::ptr::eq(*s, step)) {
            apply(&mut curve, step)?;
        }
        apply(&mut curve, step)?;
        if call == "validate" && expect["valid"] != true {
            return Err("is valid here".into());
        }
        agree("times", &doubles(curve.times()), &nums(&expect["times"]), 2e-6)?;
        agree("values", &doubles(curve.values()), &nums(&expect["values"]), 2e-6)?;
        agree("size", &[curve.width() as f64], &[num(&expect["value_size"])], 0.0)?;
        if name_of(curve.interpolation()) != text_of(&expect["interpolation"]) {
            return Err(format!("interpolation {:?}", curve.interpolation()));
        }
        if let (Some(h), false) = (curve.handles(), expect["in_tangents"].is_null()) {
            agree("in", &doubles(&h.incoming), &nums(&expect["in_tangents"]), 2e-6)?;
            agree("out", &doubles(&h.outgoing), &nums(&expect["out_tangents"]), 2e-6)?;
        }
    }
    Ok(())
}

fn apply(curve: &mut Curve, step: &Value) -> Outcome {
    let n = |key: &str| num(&step[key]) as f32;
    let done = match text_of(&step["call"]) {
        "shift" => curve.shift(n("offset")),
        "scale" => curve.scale(n("factor")),
        "trim" => {
            curve.trim(n("start"), n("end"));
            Ok(())
        }
        "optimize" => {
            curve.optimize();
            Ok(())
        }
        "set_interpolation" => {
            let to = match text_of(&step["mode"]) {
                "discrete" => Interpolation::Step,
                "smooth" => Interpolation::Smooth,
                "bezier" => Interpolation::Bezier,
                _ => Interpolation::Linear,
            };
            // What does not fit is refused and changes nothing.
            let _ = curve.set_interpolation(to);
            Ok(())
        }
        "validate" | "clone" => Ok(()),
        other => return Err(format!("unknown call {other}")),
    };
    done.map_err(|e: CurveError| e.to_string())
}

fn run(case: &Value) -> Outcome {
    match text_of(&case["kind"]) {
        "sample" => sample(case, false),
        "edit" => edit(case),
        "construct" => match curve(&case["input"]["track"]).0 {
            Err(CurveError::Empty) => Ok(()),
            other => Err(format!("{other:?}")),
        },
        other => Err(format!("unknown kind {other}")),
    }
}

#[test]
fn parity_tracks() {
    let ours = [
        Ours {
            name: "bezier quaternion is componentwise and not normalised",
            why: "a rotation is of unit length here",
            check: |case| sample(case, true),
        },
        Ours {
            name: "edit trim bezier does not trim tangents",
            why: "handles stay with their keys",
            check: |case| {
                let mut c = curve(&case["input"]["track"]).0.map_err(|e| e.to_string())?;
                let h = c.handles().cloned().ok_or("no handles")?;
                apply(&mut c, &case["steps"][0])?;
                let kept = c.handles().ok_or("handles lost")?;
                let whole = (kept.incoming == h.incoming[2..6], kept.outgoing == h.outgoing[2..6]);
                if whole == (true, true) { Ok(()) } else { Err(format!("{kept:?}")) }
            },
        },
    ];
    parity::replay("tracks.json", &ours, &[], run);
}
