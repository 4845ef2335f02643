//! The binary half of what is written: buffer views and accessors over one growing buffer.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub(super) use crate::gltf::numbers::{number, numbers};

/// What a buffer view is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Vertex attributes.
    Vertices,
    /// Indices of vertices.
    Indices,
    /// Anything that no vertex stage reads.
    Data,
}

/// One buffer with its views and accessors.
#[derive(Debug, Default)]
pub(super) struct Bin {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
    /// Length of a second buffer without data, which stands for what meshopt unpacks; 0 without.
    pub placeholder: u64,
    /// Accessors of times, by their bits: many tracks share one beat.
    times: BTreeMap<Vec<u32>, usize>,
}

impl Bin {
    /// Appends bytes at a multiple of four; returns where they start.
    pub(super) fn append(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start
    }

    /// A new view over `bytes`.
    pub(super) fn view(&mut self, bytes: &[u8], usage: Use) -> usize {
        let start = self.append(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() });
        let target = match usage {
            Use::Vertices => Some(34962),
            Use::Indices => Some(34963),
            Use::Data => None,
        };
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// An accessor of floats, `N` an element; with the bounds of the data where asked for.
    pub(super) fn floats<const N: usize>(
        &mut self,
        elements: &[[f32; N]],
        kind: &str,
        usage: Use,
        bounds: bool,
    ) -> usize {
        let bytes: Vec<u8> = elements.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes, usage);
        let mut accessor = json!({
            "bufferView": view,
            "componentType": 5126,
            "count": elements.len(),
            "type": kind,
        });
        if bounds {
            let pick = |f: fn(f32, f32) -> f32, start: f32| {
                let all = elements.iter().fold([start; N], |mut m, e| {
                    for (m, v) in m.iter_mut().zip(e) {
                        *m = f(*m, *v);
                    }
                    m
                });
                Value::from(all.map(f64::from).to_vec())
            };
            accessor["min"] = pick(f32::min, f32::INFINITY);
            accessor["max"] = pick(f32::max, f32::NEG_INFINITY);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// An accessor of the times of a sampler: rising, not negative. Shared where equal.
    pub(super) fn times(&mut self, times: &[f32]) -> usize {
        let key: Vec<u32> = times.iter().map(|t| t.to_bits()).collect();
        if let Some(index) = self.times.get(&key) {
            return *index;
        }
        let elements: Vec<[f32; 1]> = times.iter().map(|t| [*t]).collect();
        let index = self.floats(&elements, "SCALAR", Use::Data, true);
        self.times.insert(key, index);
        index
    }

    /// An accessor of unsigned integers, `width` an element, in the smallest type that holds them.
    pub(super) fn integers(&mut self, values: &[u32], width: usize, usage: Use) -> usize {
        let most = values.iter().copied().max().unwrap_or(0);
        // 255 and 65535 restart primitives and may not be used as indices.
        let (component, bytes): (u32, Vec<u8>) = if usage != Use::Indices && most < 256 {
            (5121, values.iter().map(|v| *v as u8).collect())
        } else if most < 65535 {
            (5123, values.iter().flat_map(|v| (*v as u16).to_le_bytes()).collect())
        } else {
            (5125, values.iter().flat_map(|v| v.to_le_bytes()).collect())
        };
        let view = self.view(&bytes, usage);
        let kind = if width == 4 { "VEC4" } else { "SCALAR" };
        self.accessors.push(json!({
            "bufferView": view,
            "componentType": component,
            "count": values.len() / width,
            "type": kind,
        }));
        self.accessors.len() - 1
    }

    /// Moves the lists into the document.
    pub(super) fn finish(self, root: &mut Map<String, Value>) -> Vec<u8> {
        let Self { mut bytes, views, accessors, placeholder, .. } = self;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        set_list(root, "accessors", accessors);
        set_list(root, "bufferViews", views);
        if bytes.is_empty() {
            root.remove("buffers");
        } else {
            let mut buffers = vec![json!({ "byteLength": bytes.len() })];
            if placeholder > 0 {
                buffers.push(json!({ "byteLength": placeholder }));
            }
            root.insert("buffers".into(), buffers.into());
        }
        bytes
    }
}

/// Sets a list of the document; an empty one may not be there at all.
pub(super) fn set_list(root: &mut Map<String, Value>, key: &str, list: Vec<Value>) {
    if list.is_empty() {
        root.remove(key);
    } else {
        root.insert(key.into(), Value::Array(list));
    }
}
