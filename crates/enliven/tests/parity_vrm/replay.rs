//! Reading golden files and judging cases.

use enliven::glam::{Quat, Vec3};
use enliven::{Channels, JointId, Regions, Rig, Skeleton, Transform};
use serde_json::Value;

/// A case that is not replayed as it stands, and why.
pub(crate) type Exceptions = &'static [(&'static str, &'static str)];

/// Replays every case of `file` and fails with the list of those that differ. At most 3 % of the
/// cases without flags may be exceptions.
pub(crate) fn replay(
    file: &str,
    exceptions: Exceptions,
    run: impl Fn(&Value) -> Result<(), String>,
) {
    let Some(folder) = enliven_testing::parity() else { return };
    let text = std::fs::read_to_string(folder.join(file)).expect("golden file");
    let doc: Value = serde_json::from_str(&text).expect("golden JSON");
    let cases = doc["cases"].as_array().expect("cases");
    let (mut matched, mut unflagged, mut excused, mut failed) = (0, 0, 0, Vec::new());
    for case in cases {
        let name = case["name"].as_str().expect("name");
        let flagged = case["flags"].as_array().is_some_and(|f| !f.is_empty());
        unflagged += usize::from(!flagged);
        if let Some((_, why)) = exceptions.iter().find(|(n, _)| *n == name) {
            println!("exception: {name}: {why}");
            excused += usize::from(!flagged);
            continue;
        }
        match run(case) {
            Ok(()) => matched += 1,
            Err(e) => failed.push(format!("{name}: {e}")),
        }
    }
    println!("{file}: {matched} of {} cases matched", cases.len());
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    assert!(excused * 100 <= unflagged * 3, "{excused} exceptions among {unflagged} cases");
}

pub(crate) fn num(v: &Value) -> f32 {
    match v {
        Value::String(s) if s == "NaN" => f32::NAN,
        Value::String(s) if s == "Infinity" => f32::INFINITY,
        Value::String(s) if s == "-Infinity" => f32::NEG_INFINITY,
        v => v.as_f64().unwrap_or(0.0) as f32,
    }
}

pub(crate) fn num_or(v: &Value, default: f32) -> f32 {
    if v.is_null() { default } else { num(v) }
}

pub(crate) fn vec3(v: &Value) -> Vec3 {
    Vec3::new(num(&v[0]), num(&v[1]), num(&v[2]))
}

pub(crate) fn quat(v: &Value) -> Quat {
    Quat::from_xyzw(num(&v[0]), num(&v[1]), num(&v[2]), num(&v[3]))
}

pub(crate) fn joint(v: &Value) -> Option<JointId> {
    v.as_u64().map(|i| JointId::new(i as usize))
}

pub(crate) fn transform(v: &Value, base: Transform) -> Transform {
    Transform {
        translation: if v["t"].is_null() { base.translation } else { vec3(&v["t"]) },
        rotation: if v["r"].is_null() { base.rotation } else { quat(&v["r"]) },
        scale: if v["s"].is_null() { base.scale } else { vec3(&v["s"]) },
    }
}

/// The skeleton of an input's `nodes`, whose parents stand before their children.
pub(crate) fn skeleton(nodes: &Value) -> Skeleton {
    let mut s = Skeleton::new();
    for n in nodes.as_array().expect("nodes") {
        let parent = joint(&n["parent"]);
        let name = n["name"].as_str().unwrap_or("");
        s.push(name, parent, transform(n, Transform::IDENTITY)).expect("parents first");
    }
    s
}

pub(crate) fn rig(nodes: &Value) -> Rig {
    let s = skeleton(nodes);
    let regions = Regions::new(&s, &[]);
    Rig::new(s, Channels::new(), regions, 1.6)
}

/// Compares by |got − want| ≤ tol · max(1, |want|).
pub(crate) fn close(what: &str, got: f32, want: f32, tol: f32) -> Result<(), String> {
    let same = got == want || (got - want).abs() <= tol * want.abs().max(1.0);
    if same { Ok(()) } else { Err(format!("{what}: got {got}, want {want}")) }
}

pub(crate) fn close_vec(what: &str, got: Vec3, want: &Value, tol: f32) -> Result<(), String> {
    let w = vec3(want);
    for c in 0..3 {
        close(what, got[c], w[c], tol).map_err(|_| format!("{what}: got {got}, want {w}"))?;
    }
    Ok(())
}

/// q and −q are one rotation.
pub(crate) fn close_quat(what: &str, got: Quat, want: &Value, tol: f32) -> Result<(), String> {
    let w = quat(want);
    let g = if got.dot(w) < 0.0 { -got } else { got };
    for c in 0..4 {
        let (g, w) = (g.to_array()[c], w.to_array()[c]);
        close(what, g, w, tol).map_err(|_| format!("{what}: got {got}, want {want}"))?;
    }
    Ok(())
}
