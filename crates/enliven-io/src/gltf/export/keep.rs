//! A document written again as it was: everything stays, the data move into one buffer.

use enliven::Character;
use serde_json::{Map, Value, json};

use super::bin::{Bin, Use};
use super::trim;
use crate::Diagnostic;
use crate::Severity;
use crate::gltf::{Document, packed};

/// The document's JSON with all data in `bin`, its animations taken out where they are written
/// anew.
pub(super) fn document(
    document: &Document,
    keep_clips: bool,
    bin: &mut Bin,
    found: &mut Vec<Diagnostic>,
) -> Map<String, Value> {
    let Value::Object(mut root) = document.json.clone() else { return Map::new() };
    let mut views = take_list(&mut root, "bufferViews");
    let mut accessors = take_list(&mut root, "accessors");
    let ends = (!keep_clips).then(|| {
        trim::trim(&root, &mut accessors, &mut views);
        root.remove("animations");
        trim::ends(document, &views)
    });
    let mut offsets = Vec::new();
    for (i, bytes) in document.resources.buffers.iter().enumerate() {
        let declared = document.json["buffers"][i]["byteLength"].as_u64();
        offsets.push(bytes.as_ref().map(|b| {
            // What a file has beyond the declared length is no part of the buffer.
            let end = declared.map_or(b.len(), |d| (d as usize).min(b.len()));
            let end = end.min(ends.as_ref().map_or(usize::MAX, |ends| ends[i]));
            bin.append(&b[..end])
        }));
    }
    for (i, view) in views.iter_mut().enumerate() {
        let buffer = view["buffer"].as_u64().map_or(usize::MAX, |b| b as usize);
        match offsets.get(buffer).copied().flatten() {
            Some(offset) => move_to(view, offset, 0),
            // What it stands for is unpacked out of another buffer.
            None if move_stream(view, &offsets) => {
                let length = view["byteLength"].as_u64().unwrap_or(0);
                view["buffer"] = 1.into();
                view["byteOffset"] = bin.placeholder.into();
                bin.placeholder += length.next_multiple_of(4);
                continue;
            }
            None => found.push(Diagnostic::new(
                Severity::Error,
                "BUFFER_NO_DATA",
                format!("/bufferViews/{i}"),
                "the buffer could not be read, so the view is written without data",
            )),
        }
        move_stream(view, &offsets);
    }
    bin.views = views;
    bin.accessors = accessors;
    if let Some(Value::Array(images)) = root.get_mut("images") {
        for (i, image) in images.iter_mut().enumerate() {
            embed(i, image, document, bin, found);
        }
    }
    root
}

/// Points a view, or a stream of one, to where its buffer begins in another buffer.
fn move_to(view: &mut Value, offset: usize, buffer: usize) {
    let own = view["byteOffset"].as_u64().unwrap_or(0);
    view["buffer"] = buffer.into();
    view["byteOffset"] = (offset as u64 + own).into();
}

/// Points the meshopt stream of a view to where it is now; whether there is one with data.
fn move_stream(view: &mut Value, offsets: &[Option<usize>]) -> bool {
    packed::NAMES.iter().any(|name| {
        let Some(stream) = view.get_mut("extensions").and_then(|e| e.get_mut(*name)) else {
            return false;
        };
        let buffer = stream["buffer"].as_u64().map_or(usize::MAX, |b| b as usize);
        let Some(offset) = offsets.get(buffer).copied().flatten() else { return false };
        move_to(stream, offset, 0);
        true
    })
}

/// An image by address becomes one by view.
fn embed(
    index: usize,
    image: &mut Value,
    document: &Document,
    bin: &mut Bin,
    found: &mut Vec<Diagnostic>,
) {
    let Value::Object(image) = image else { return };
    if !image.contains_key("uri") {
        return;
    }
    let bytes = document.resources.images.get(index).and_then(Option::as_ref);
    let Some((bytes, mime)) = bytes.and_then(|b| Some((b, mime_type(b)?))) else {
        found.push(Diagnostic::new(
            Severity::Warning,
            "IMAGE_NOT_EMBEDDED",
            format!("/images/{index}"),
            "the image could not be read; it is still named by its address",
        ));
        return;
    };
    let view = bin.view(bytes, Use::Data);
    image.remove("uri");
    image.insert("bufferView".into(), view.into());
    image.insert("mimeType".into(), mime.into());
}

/// Media type by the first bytes.
fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..] => Some("image/ktx2"),
        _ => None,
    }
}

pub(super) fn take_list(root: &mut Map<String, Value>, key: &str) -> Vec<Value> {
    match root.remove(key) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

/// Node of each joint.
pub(super) fn nodes(document: &Document, character: &Character) -> Vec<usize> {
    let mut nodes = vec![0; character.rig.skeleton.len()];
    for (node, joint) in document.joints.iter().enumerate() {
        if let Some(slot) = nodes.get_mut(joint.index()) {
            *slot = node;
        }
    }
    nodes
}

/// Name of the node that carries the whole body.
const ROOT: &str = "enliven_root";

/// Puts a node above the roots of the scene, for clips that move the whole body; returns it. A
/// skinned mesh that carries nothing else stays where it is: its place is that of its joints, and
/// a place below another node would only be taken to matter.
pub(super) fn add_root(root: &mut Map<String, Value>) -> Option<usize> {
    let scene = root.get("scene").and_then(Value::as_u64).unwrap_or(0) as usize;
    let roots = root.get_mut("scenes")?.get_mut(scene)?.get_mut("nodes")?.take();
    let nodes = root.get_mut("nodes")?.as_array_mut()?;
    let stays = |node: &Value| {
        let node = node.as_u64().and_then(|n| nodes.get(n as usize));
        node.is_some_and(|n| n.get("skin").is_some() && n.get("children").is_none())
    };
    let roots = roots.as_array().cloned().unwrap_or_default();
    let (mut stay, children): (Vec<Value>, Vec<Value>) = roots.into_iter().partition(stays);
    // One that was put there for an earlier clip is enough.
    let bare = json!({ "name": ROOT, "children": [] });
    let is_root = |n: usize| {
        let mut node = nodes.get(n).cloned().unwrap_or_default();
        node["children"] = json!([]);
        node == bare
    };
    let known = match &children[..] {
        [only] => only.as_u64().map(|n| n as usize).filter(|n| is_root(*n)),
        _ => None,
    };
    let index = known.unwrap_or(nodes.len());
    if known.is_none() {
        nodes.push(json!({ "name": ROOT, "children": children }));
    }
    stay.insert(0, index.into());
    root["scenes"][scene]["nodes"] = stay.into();
    Some(index)
}
