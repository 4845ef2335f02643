//! Nodes that come and go: `KHR_node_visibility`, animated by `KHR_animation_pointer`.

use enliven::{ChannelKind, Character, Curve, Interpolation};
use serde_json::{Map, Value, json};

use super::clips::Keys;

const VISIBILITY: &str = "KHR_node_visibility";
const POINTER: &str = "KHR_animation_pointer";

/// The target of a channel that shows and hides a node.
pub(super) fn target(node: usize) -> Value {
    let to = format!("/nodes/{node}/extensions/{VISIBILITY}/visible");
    json!({ "path": "pointer", "extensions": { (POINTER): { "pointer": to } } })
}

/// A curve of 0 and 1 as steps; where it goes from one to the other in between, a key stands where it
/// passes a half.
pub(super) fn keys(curve: &Curve) -> Keys {
    let (mut times, mut values): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
    let at = |t: f32| {
        let mut v = [0.0];
        curve.sample(t, &mut 0, &mut v);
        if v[0] >= 0.5 { 1.0 } else { 0.0 }
    };
    let mut add = |t: f32, v: f32| {
        if values.last() != Some(&v) {
            times.push(t);
            values.push(v);
        }
    };
    for (i, &t) in curve.times().iter().enumerate() {
        let Some(&next) = curve.times().get(i + 1) else {
            add(t, at(t));
            break;
        };
        add(t, at(t));
        if !curve.is_discrete() && at(t) != at(next) {
            let (mut a, mut b) = (t, next);
            // Halved until no float lies between.
            while a + (b - a) * 0.5 > a && a + (b - a) * 0.5 < b {
                let middle = a + (b - a) * 0.5;
                if at(middle) == at(t) { a = middle } else { b = middle }
            }
            add(b, at(next));
        }
    }
    Keys { times, values, width: 1, interpolation: Interpolation::Step }
}

/// Gives nodes that a channel shows and hides their state at rest, where they have none yet, and
/// names the extensions that are used.
pub(super) fn write(character: &Character, nodes: &[usize], root: &mut Map<String, Value>) {
    let mut any = false;
    for (_, channel) in character.rig.channels.iter() {
        let ChannelKind::Visibility(joint) = channel.kind else { continue };
        let node = nodes.get(joint.index()).and_then(|n| root.get_mut("nodes")?.get_mut(*n));
        if let Some(Value::Object(node)) = node {
            let extensions = node.entry("extensions").or_insert_with(|| json!({}));
            if let Value::Object(extensions) = extensions {
                let visible = channel.default >= 0.5;
                extensions.entry(VISIBILITY).or_insert_with(|| json!({ "visible": visible }));
                any = true;
            }
        }
    }
    if any {
        use_extension(root, VISIBILITY);
    }
    let animations = root.get("animations").and_then(Value::as_array);
    let points = animations.into_iter().flatten().any(|a| {
        let channels = a["channels"].as_array();
        channels.into_iter().flatten().any(|c| c["target"]["path"] == "pointer")
    });
    if points {
        use_extension(root, POINTER);
    }
}

/// Hides a node for good.
pub(super) fn hide(node: &mut Map<String, Value>) {
    node.insert("extensions".into(), json!({ (VISIBILITY): { "visible": false } }));
}

/// The name of the extension that [`hide`] uses.
pub(super) fn hidden() -> &'static str {
    VISIBILITY
}

fn use_extension(root: &mut Map<String, Value>, name: &str) {
    let used = root.entry("extensionsUsed").or_insert_with(|| json!([]));
    if let Value::Array(used) = used
        && !used.iter().any(|u| u == name)
    {
        used.push(name.into());
    }
}
