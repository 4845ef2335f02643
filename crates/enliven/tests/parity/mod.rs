//! Replays golden vectors: inputs and outputs of three.js r187 as JSON (see the README beside
//! them). The folder comes from `ENLIVEN_PARITY`, else from the shared data.
// Each replayer uses its part; what it says is for the person who runs it.
#![allow(dead_code, clippy::print_stdout)]

use enliven::{
    Curve, CurveError, Handles, Interpolation, NamedClip, NamedTarget, Track, ValueKind,
};
use serde_json::Value;

pub(crate) type Outcome = Result<(), String>;

/// A case that differs on purpose: its name, why, and the check that holds instead.
pub(crate) struct Ours {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
    pub(crate) check: fn(&Value) -> Outcome,
}

/// The files of skeletal animation, and how many of a file's cases without a flag may go another way
/// than the library: 3 % of them all together, see `parity_files.rs`.
pub(crate) const FILES: [(&str, usize); 7] = [
    ("tracks.json", 0),
    ("mixer.json", 1),
    ("binding.json", 0),
    ("skeleton.json", 0),
    ("clip_json.json", 0),
    ("retarget.json", 0),
    ("gltf_export.json", 1),
];

/// Runs every case of `file`. A case without a flag must agree. One that is flagged as a fault or
/// surprise of the library may differ, and is named then; those in `ours` must pass their own
/// check. `unmatched` names unflagged cases that do not agree, with the reason. Of cases without a
/// flag no more go another way than [`FILES`] says; 3 % of a file that it does not name.
pub(crate) fn replay(
    file: &str,
    ours: &[Ours],
    unmatched: &[(&str, &str)],
    run: impl Fn(&Value) -> Outcome,
) {
    let Some(folder) = enliven_testing::parity() else { return };
    let text = std::fs::read_to_string(folder.join(file)).expect("golden vectors");
    let suite: Value = serde_json::from_str(&text).expect("golden vectors are JSON");
    let cases = suite["cases"].as_array().expect("cases");
    assert!(!cases.is_empty(), "{file} has no cases");
    let (mut matched, mut differ, mut failed, mut excused) = (0, Vec::new(), Vec::new(), 0);
    for case in cases {
        let name = text_of(&case["name"]);
        if let Some(o) = ours.iter().find(|o| o.name == name) {
            excused += usize::from(!flagged(case));
            match (o.check)(case) {
                Ok(()) => differ.push(format!("{name}: {}", o.why)),
                Err(e) => failed.push(format!("{name} (ours): {e}")),
            }
            continue;
        }
        match run(case) {
            Ok(()) => matched += 1,
            Err(e) if flagged(case) => differ.push(format!("{name}: flagged; {e}")),
            Err(e) => match unmatched.iter().find(|(n, _)| *n == name) {
                Some((_, why)) => {
                    excused += 1;
                    println!("unmatched: {name}: {why}");
                }
                None => failed.push(format!("{name}: {e}")),
            },
        }
    }
    println!("{file}: {matched} of {} cases match", cases.len());
    for d in &differ {
        println!("differs on purpose: {d}");
    }
    let unflagged = cases.iter().filter(|c| !flagged(c)).count();
    let known = FILES.iter().find(|f| f.0 == file);
    let most = known.map_or(unflagged * 3 / 100, |f| f.1);
    assert!(excused <= most, "{excused} of {unflagged} cases are excused");
    assert!(failed.is_empty(), "{} cases of {file} fail:\n{}", failed.len(), failed.join("\n"));
}

/// Flags that allow a case to differ.
pub(crate) fn flagged(case: &Value) -> bool {
    let free = [
        "three_bug",
        "three_surprise",
        "edge_sensitive",
        "f32_edge",
        "solver_dependent",
        "nonfinite",
    ];
    case["flags"].as_array().is_some_and(|f| f.iter().any(|f| free.contains(&text_of(f))))
}

/// A number; "NaN" and "Infinity" are strings in the data.
pub(crate) fn num(v: &Value) -> f64 {
    match v {
        Value::Number(n) => n.as_f64().expect("a double"),
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::String(s) => s.parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

pub(crate) fn nums(v: &Value) -> Vec<f64> {
    v.as_array().map(|a| a.iter().map(num).collect()).unwrap_or_default()
}

pub(crate) fn floats(v: &Value) -> Vec<f32> {
    nums(v).into_iter().map(|v| v as f32).collect()
}

pub(crate) fn text_of(v: &Value) -> &str {
    v.as_str().unwrap_or("")
}

pub(crate) fn list(v: &Value) -> &[Value] {
    v.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn index(v: &Value) -> usize {
    v.as_u64().unwrap_or(u64::MAX) as usize
}

pub(crate) fn near(got: f64, want: f64, tolerance: f64) -> bool {
    got == want
        || (got.is_nan() && want.is_nan())
        || (got - want).abs() <= tolerance * want.abs().max(1.0)
}

/// Whether all numbers agree within `tolerance`, absolute and relative.
pub(crate) fn agree(what: &str, got: &[f64], want: &[f64], tolerance: f64) -> Outcome {
    let same =
        got.len() == want.len() && got.iter().zip(want).all(|(g, w)| near(*g, *w, tolerance));
    if same { Ok(()) } else { Err(format!("{what}: got {got:?}, want {want:?}")) }
}

pub(crate) fn doubles(v: &[f32]) -> Vec<f64> {
    v.iter().map(|v| f64::from(*v)).collect()
}

/// The curve of a track, and the labels that the values of a string track stand for.
pub(crate) fn curve(track: &Value) -> (Result<Curve, CurveError>, Vec<String>) {
    let times = floats(&track["times"]);
    let kind = text_of(&track["type"]);
    let asked = match text_of(&track["interpolation"]) {
        "discrete" => Interpolation::Step,
        "smooth" => Interpolation::Smooth,
        "gltf_cubicspline" => Interpolation::CubicSpline,
        "bezier" => Interpolation::Bezier,
        _ => Interpolation::Linear,
    };
    let mut labels: Vec<String> = Vec::new();
    let values: Vec<f32> = match kind {
        "string" => list(&track["values"])
            .iter()
            .map(|v| {
                let v = text_of(v);
                labels.iter().position(|l| l == v).unwrap_or_else(|| {
                    labels.push(v.to_owned());
                    labels.len() - 1
                }) as f32
            })
            .collect(),
        _ => floats(&track["values"]),
    };
    let parts = if asked == Interpolation::CubicSpline { 3 } else { 1 };
    let width = (values.len() / times.len().max(1) / parts).max(1);
    let out = match kind {
        "bool" | "string" => Curve::choice(times, values),
        "quaternion" => Curve::rotation(times, values, asked),
        _ => Curve::new(times, values, width, asked),
    };
    let handles = (!track["in_tangents"].is_null()).then(|| Handles {
        incoming: floats(&track["in_tangents"]),
        outgoing: floats(&track["out_tangents"]),
    });
    (out.and_then(|c| handles.map_or(Ok(c.clone()), |h| c.bezier(h))), labels)
}

/// A clip of the suites' own form: `{name, duration, blend_mode, tracks}`.
pub(crate) fn clip(json: &Value) -> Result<NamedClip, String> {
    let mut tracks = Vec::new();
    for track in list(&json["tracks"]) {
        let kind = match text_of(&track["type"]) {
            "bool" => ValueKind::Bool,
            "color" => ValueKind::Color,
            "quaternion" => ValueKind::Quaternion,
            "string" => ValueKind::String,
            "vector" => ValueKind::Vector,
            _ => ValueKind::Number,
        };
        let (curve, labels) = curve(track);
        let path = text_of(&track["name"]).to_owned();
        let curve = curve.map_err(|e| format!("{path}: {e}"))?;
        tracks.push(Track { target: NamedTarget { path, kind, labels }, curve });
    }
    let mut out = NamedClip::new(text_of(&json["name"]), tracks);
    if let Some(duration) = json["duration"].as_f64().filter(|d| *d >= 0.0) {
        out.duration = duration as f32;
    }
    out.additive = text_of(&json["blend_mode"]) == "additive";
    Ok(out)
}
