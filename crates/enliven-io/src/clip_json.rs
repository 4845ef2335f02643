//! Clips as three.js writes them (`AnimationClip.toJSON`).

use enliven::{
    Curve, CurveError, Handles, Interpolation, NamedClip, NamedTarget, Track, ValueKind,
};
use serde_json::{Map, Value, json};
use thiserror::Error;

/// A clip of a file, with what the file holds beside it.
#[derive(Clone, Debug)]
pub struct ClipFile {
    /// The clip; its tracks name their targets.
    pub clip: NamedClip,
    /// `userData`: anything, kept as it is.
    pub user_data: Value,
}

/// Why a clip could not be read.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ClipJsonError {
    /// The text is not JSON.
    #[error("INVALID_JSON: {0}")]
    Json(String),
    /// There is no list of tracks.
    #[error("CLIP_TRACKS_MISSING: the clip has no list of tracks")]
    NoTracks,
    /// A track has no type, or one that does not exist.
    #[error("TRACK_TYPE_UNKNOWN: /tracks/{track}: there is no type {kind:?}")]
    Type {
        /// Index of the track.
        track: usize,
        /// The type as the file names it; empty where there is none.
        kind: String,
    },
    /// A track's keys do not make a curve.
    #[error("TRACK_KEYS_INVALID: /tracks/{track}: {error}")]
    Keys {
        /// Index of the track.
        track: usize,
        /// What is wrong with them.
        error: CurveError,
    },
    /// A value is not of its track's type.
    #[error("TRACK_VALUE_INVALID: /tracks/{track}: a value is not of the track's type")]
    Value {
        /// Index of the track.
        track: usize,
    },
}

/// three.js's numbers for interpolations and blend modes (`src/constants.js`).
const DISCRETE: u64 = 2300;
const LINEAR: u64 = 2301;
const SMOOTH: u64 = 2302;
const BEZIER: u64 = 2303;
const NORMAL: u64 = 2500;
const ADDITIVE: u64 = 2501;

/// Reads a clip. Times are counted in frames where the clip has `fps`; its duration is not. A
/// duration that is missing or negative is that of the longest track. Keys may stand in a list of
/// `{time, value}`; those without a value are left out. An unknown interpolation is the usual one
/// of the type.
///
/// # Errors
/// [`ClipJsonError`] where the text is not JSON or a track is not one.
pub fn parse(text: &str) -> Result<ClipFile, ClipJsonError> {
    let json = serde_json::from_str(text).map_err(|e| ClipJsonError::Json(e.to_string()))?;
    from_value(&json)
}

/// Reads a clip that is part of a larger JSON value; see [`parse`].
///
/// # Errors
/// As [`parse`].
pub fn from_value(json: &Value) -> Result<ClipFile, ClipJsonError> {
    let list = json["tracks"].as_array().ok_or(ClipJsonError::NoTracks)?;
    let fps = json["fps"].as_f64().filter(|f| *f != 0.0).unwrap_or(1.0);
    let mut tracks = Vec::with_capacity(list.len());
    for (i, track) in list.iter().enumerate() {
        let mut track = read_track(i, track)?;
        let scaled = track.curve.scale((1.0 / fps) as f32);
        scaled.map_err(|error| ClipJsonError::Keys { track: i, error })?;
        tracks.push(track);
    }
    let mut clip = NamedClip::new(json["name"].as_str().unwrap_or(""), tracks);
    if let Some(duration) = json["duration"].as_f64().filter(|d| *d >= 0.0) {
        clip.duration = duration as f32;
    }
    clip.additive = json["blendMode"].as_u64() == Some(ADDITIVE);
    let user_data = json["userData"].as_str().and_then(|text| serde_json::from_str(text).ok());
    Ok(ClipFile { clip, user_data: user_data.unwrap_or_else(|| json!({})) })
}

fn kind_of(name: &str) -> Option<ValueKind> {
    Some(match name.to_ascii_lowercase().as_str() {
        "scalar" | "double" | "float" | "number" | "integer" => ValueKind::Number,
        "vector" | "vector2" | "vector3" | "vector4" => ValueKind::Vector,
        "color" => ValueKind::Color,
        "quaternion" => ValueKind::Quaternion,
        "bool" | "boolean" => ValueKind::Bool,
        "string" => ValueKind::String,
        _ => return None,
    })
}

fn name_of(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Bool => "bool",
        ValueKind::Color => "color",
        ValueKind::Number => "number",
        ValueKind::Quaternion => "quaternion",
        ValueKind::String => "string",
        ValueKind::Vector => "vector",
    }
}

fn read_track(track: usize, json: &Value) -> Result<Track<NamedTarget>, ClipJsonError> {
    let kind = json["type"].as_str().unwrap_or("");
    let unknown = || ClipJsonError::Type { track, kind: kind.to_owned() };
    let kind = kind_of(kind).ok_or_else(unknown)?;
    let wrong = || ClipJsonError::Value { track };
    let keys = |error| ClipJsonError::Keys { track, error };
    let empty = Vec::new();
    let list = |v: &'_ Value| v.as_array().cloned().unwrap_or_default();
    let (times, values) = if json["times"].is_null() {
        flatten(json["keys"].as_array().unwrap_or(&empty))
    } else {
        (list(&json["times"]), list(&json["values"]))
    };
    let numbers = |list: &[Value]| -> Option<Vec<f32>> {
        list.iter().map(|v| v.as_f64().map(|v| v as f32)).collect()
    };
    let times = numbers(&times).ok_or_else(wrong)?;
    let path = json["name"].as_str().unwrap_or("").to_owned();
    if kind == ValueKind::String {
        let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
        return Track::labels(path, times, &texts.ok_or_else(wrong)?).map_err(keys);
    }
    let target = NamedTarget::new(path, kind);
    if kind == ValueKind::Bool {
        let bit = |v: &Value| v.as_bool().or_else(|| v.as_f64().map(|v| v != 0.0));
        let bits: Option<Vec<bool>> = values.iter().map(bit).collect();
        let bits = bits.ok_or_else(wrong)?.into_iter().map(|b| f32::from(u8::from(b))).collect();
        return Ok(Track { target, curve: Curve::choice(times, bits).map_err(keys)? });
    }
    let values = numbers(&values).ok_or_else(wrong)?;
    let interpolation = match json["interpolation"].as_u64() {
        Some(DISCRETE) => Interpolation::Step,
        Some(SMOOTH) => Interpolation::Smooth,
        Some(BEZIER) => Interpolation::Bezier,
        _ => Interpolation::Linear,
    };
    let width = (values.len() / times.len().max(1)).max(1);
    let curve = match kind {
        ValueKind::Quaternion => Curve::rotation(times, values, interpolation),
        _ => Curve::new(times, values, width, interpolation),
    };
    let mut curve = curve.map_err(keys)?;
    let handles = |name: &str| numbers(json["settings"][name].as_array()?);
    if let (Interpolation::Bezier, Some(incoming), Some(outgoing)) =
        (interpolation, handles("inTangents"), handles("outTangents"))
    {
        curve = curve.bezier(Handles { incoming, outgoing }).map_err(keys)?;
    }
    Ok(Track { target, curve })
}

/// Times and values of a list of keys; a key's value may be a list.
fn flatten(list: &[Value]) -> (Vec<Value>, Vec<Value>) {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for key in list.iter().filter(|k| !k["value"].is_null()) {
        times.push(key["time"].clone());
        match &key["value"] {
            Value::Array(parts) => values.extend(parts.iter().cloned()),
            one => values.push(one.clone()),
        }
    }
    (times, values)
}

/// Writes a clip as three.js reads it, without a `uuid`. Interpolations are written where they are
/// not the usual ones. glTF's cubic splines have no such form: they are written as linear keys.
pub fn to_value(clip: &NamedClip, user_data: &Value) -> Value {
    json!({
        "name": clip.name,
        "duration": number(clip.duration),
        "tracks": clip.tracks.iter().map(write_track).collect::<Vec<_>>(),
        "blendMode": if clip.additive { ADDITIVE } else { NORMAL },
        "userData": user_data.to_string(),
    })
}

/// The shortest number that reads back as the same single.
fn number(v: f32) -> Value {
    json!(v.to_string().parse::<f64>().unwrap_or(f64::from(v)))
}

fn write_track(track: &Track<NamedTarget>) -> Value {
    let (target, curve) = (&track.target, &track.curve);
    let numbers = |list: &[f32]| Value::Array(list.iter().map(|v| number(*v)).collect());
    let mut out = Map::new();
    out.insert("name".into(), target.path.clone().into());
    out.insert("times".into(), numbers(curve.times()));
    let values = match target.kind {
        ValueKind::Bool => curve.values().iter().map(|v| json!(*v != 0.0)).collect(),
        ValueKind::String => {
            let label = |v: &f32| target.labels.get(*v as usize).map_or("", String::as_str);
            curve.values().iter().map(|v| json!(label(v))).collect()
        }
        _ if curve.interpolation() == Interpolation::CubicSpline => {
            let w = curve.width();
            let keys = curve.values().chunks_exact(3 * w);
            keys.flat_map(|key| &key[w..2 * w]).map(|v| number(*v)).collect()
        }
        _ => curve.values().iter().map(|v| number(*v)).collect(),
    };
    out.insert("values".into(), Value::Array(values));
    let choice = matches!(target.kind, ValueKind::Bool | ValueKind::String);
    let interpolation = match curve.interpolation() {
        Interpolation::Step => DISCRETE,
        Interpolation::Smooth => SMOOTH,
        Interpolation::Bezier => BEZIER,
        _ => LINEAR,
    };
    if !choice && interpolation != LINEAR {
        out.insert("interpolation".into(), interpolation.into());
    }
    if let Some(h) = curve.handles() {
        let settings =
            json!({ "inTangents": numbers(&h.incoming), "outTangents": numbers(&h.outgoing) });
        out.insert("settings".into(), settings);
    }
    out.insert("type".into(), name_of(target.kind).into());
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let text = r#"{"name":"c","duration":2.5,"blendMode":2501,"userData":"{\"k\":1}","tracks":[
            {"name":"a.position","type":"vector","times":[0,0.1],"values":[0.1,0.2,0.3,1,2,3],
             "interpolation":2302},
            {"name":".visible","type":"bool","times":[0,1],"values":[true,false]},
            {"name":".label","type":"string","times":[0,1,2],"values":["x","y","x"]}]}"#;
        let first = parse(text).expect("a clip");
        let written = to_value(&first.clip, &first.user_data);
        assert_eq!(written["tracks"][0]["times"], json!([0.0, 0.1]));
        let second = from_value(&written).expect("a clip");
        assert_eq!(first.clip, second.clip);
        assert_eq!(first.user_data, second.user_data);
    }

    #[test]
    fn what_is_no_track_is_refused_with_its_place() {
        let code = |track: &str| {
            let text = format!(r#"{{"tracks":[{{"name":".a",{track}}}]}}"#);
            parse(&text).expect_err("no track").to_string()
        };
        assert!(code(r#""type":"matrix""#).starts_with("TRACK_TYPE_UNKNOWN: /tracks/0"));
        let times = |t: &str| code(&format!(r#""type":"number","times":{t},"values":[1,2]"#));
        assert!(times("[1,0]").starts_with("TRACK_KEYS_INVALID"));
        assert!(times("[]").starts_with("TRACK_KEYS_INVALID"));
        assert!(times(r#"[0,"1"]"#).starts_with("TRACK_VALUE_INVALID"));
        assert!(times("[0,1e300]").starts_with("TRACK_KEYS_INVALID"));
        assert!(matches!(parse("{}"), Err(ClipJsonError::NoTracks)));
        assert!(matches!(parse("{"), Err(ClipJsonError::Json(_))));
    }
}
