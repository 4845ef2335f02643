//! The sound asset that every malformed one is made of by one change: one triangle, two joints,
//! one clip.

use std::{path::Path, sync::Arc};

use enliven::{Actor, Loop, Playback, Severity, VertexStage};
use enliven_io::{
    Fetch, NoFiles,
    gltf::{Import, Options},
};
use serde_json::{Value, json};

use crate::common::{Outcome, SECONDS, measured};

/// A document and the data that its first buffer holds.
pub(crate) struct Base {
    pub(crate) json: Value,
    pub(crate) bin: Vec<u8>,
}

// Accessors of the base.
pub(crate) const POSITIONS: usize = 0;
pub(crate) const JOINTS: usize = 1;
pub(crate) const WEIGHTS: usize = 2;
pub(crate) const INDICES: usize = 3;
pub(crate) const INVERSE_BINDS: usize = 4;
pub(crate) const TIMES: usize = 5;
pub(crate) const ROTATIONS: usize = 6;

pub(crate) fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

const IDENTITY: [f32; 16] =
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

impl Base {
    /// The asset without a fault.
    pub(crate) fn new() -> Self {
        let mut base = Self {
            json: json!({
                "asset": {"version": "2.0"},
                "scene": 0,
                "scenes": [{"nodes": [0, 2]}],
                "nodes": [
                    {"name": "a", "children": [1]},
                    {"name": "b", "translation": [0, 1, 0]},
                    {"name": "body", "mesh": 0, "skin": 0},
                ],
                "meshes": [{"primitives": [{
                    "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2},
                    "indices": 3,
                }]}],
                "skins": [{"joints": [0, 1], "inverseBindMatrices": 4}],
                "animations": [{
                    "name": "turn",
                    "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
                    "samplers": [{"input": 5, "output": 6}],
                }],
                "accessors": [], "bufferViews": [],
                "buffers": [{"byteLength": 0}],
            }),
            bin: Vec::new(),
        };
        let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        base.add("VEC3", 5126, 3, &floats(&corners), Some(34962));
        base.json["accessors"][POSITIONS]["min"] = json!([0, 0, 0]);
        base.json["accessors"][POSITIONS]["max"] = json!([1, 1, 0]);
        base.add("VEC4", 5121, 3, &[0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0], Some(34962));
        base.add("VEC4", 5126, 3, &floats(&[0.5, 0.5, 0.0, 0.0].repeat(3)), Some(34962));
        base.add("SCALAR", 5123, 3, &[0, 0, 1, 0, 2, 0], Some(34963));
        base.add("MAT4", 5126, 2, &floats(&IDENTITY.repeat(2)), None);
        base.add("SCALAR", 5126, 2, &floats(&[0.0, 1.0]), None);
        base.json["accessors"][TIMES]["min"] = json!([0]);
        base.json["accessors"][TIMES]["max"] = json!([1]);
        base.add("VEC4", 5126, 2, &floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]), None);
        base
    }

    /// The asset after a change to its JSON.
    pub(crate) fn with(change: impl FnOnce(&mut Value)) -> Self {
        let mut base = Self::new();
        change(&mut base.json);
        base
    }

    /// Adds an accessor with a view of its own; its index.
    pub(crate) fn add(
        &mut self,
        kind: &str,
        component: u32,
        count: usize,
        data: &[u8],
        target: Option<u32>,
    ) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": data.len()});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bin.extend(data);
        let list = |json: &mut Value, key: &str, value: Value| {
            let list = json[key].as_array_mut().expect("a list of the base");
            list.push(value);
            list.len() - 1
        };
        let view = list(&mut self.json, "bufferViews", view);
        let accessor =
            json!({"bufferView": view, "componentType": component, "count": count, "type": kind});
        self.json["buffers"][0]["byteLength"] = json!(self.bin.len());
        list(&mut self.json, "accessors", accessor)
    }

    /// Replaces the data of an accessor by as many other bytes.
    pub(crate) fn data(&mut self, accessor: usize, data: &[u8]) {
        let view = self.json["accessors"][accessor]["bufferView"].as_u64().expect("a view");
        let start = self.json["bufferViews"][view as usize]["byteOffset"].as_u64();
        let start = start.expect("an offset") as usize;
        self.bin[start..start + data.len()].copy_from_slice(data);
    }

    /// As a GLB.
    pub(crate) fn glb(&self) -> Vec<u8> {
        self.glb_of(&self.json.to_string())
    }

    /// As a GLB with other JSON text.
    pub(crate) fn glb_of(&self, text: &str) -> Vec<u8> {
        glb(&[chunk(b"JSON", text.as_bytes(), b' '), chunk(b"BIN\0", &self.bin, 0)])
    }
}

/// A chunk of a GLB, padded.
pub(crate) fn chunk(kind: &[u8; 4], data: &[u8], padding: u8) -> Vec<u8> {
    let mut out = (data.len().next_multiple_of(4) as u32).to_le_bytes().to_vec();
    out.extend(kind);
    out.extend(data);
    out.resize(8 + data.len().next_multiple_of(4), padding);
    out
}

/// A GLB of chunks.
pub(crate) fn glb(chunks: &[Vec<u8>]) -> Vec<u8> {
    let length = 12 + chunks.iter().map(Vec::len).sum::<usize>();
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend((length as u32).to_le_bytes());
    out.extend(chunks.concat());
    out
}

/// What must come of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect {
    /// One coded error.
    Refused(&'static str),
    /// A character, and a diagnostic of this code.
    Said(&'static str),
    /// A character, and a diagnostic of one of these codes.
    SaidOneOf(&'static [&'static str]),
    /// A character, and nothing of severity error.
    Fine,
}
pub(crate) use Expect::{Fine, Refused, Said, SaidOneOf};

/// Bytes that a file of this length may take: what a reader needs at all, and room for its JSON
/// as a tree, its numbers converted and its findings.
fn memory_for(length: usize) -> usize {
    (4 << 20) + 64 * length
}

/// The cases of a family: each is imported and brought to life; collects what went wrong.
#[derive(Default)]
pub(crate) struct Cases {
    wrong: Vec<String>,
    count: usize,
}

impl Cases {
    /// A file by itself.
    pub(crate) fn check(&mut self, name: &str, file: Vec<u8>, expect: Expect) {
        let memory = memory_for(file.len());
        self.check_with(name, file, expect, &mut NoFiles, memory);
    }

    /// A file that may take this much memory.
    pub(crate) fn check_with(
        &mut self,
        name: &str,
        file: Vec<u8>,
        expect: Expect,
        fetch: &mut dyn Fetch,
        memory: usize,
    ) {
        self.count += 1;
        if let Err(what) = check(file, expect, fetch, memory) {
            self.wrong.push(format!("{name}: {what}"));
        }
    }

    /// Fails if anything went wrong, or less was checked than was meant to be.
    pub(crate) fn done(self, least: usize) {
        let Self { wrong, count } = self;
        assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
        assert!(count >= least, "{count} cases");
    }
}

fn check(
    file: Vec<u8>,
    expect: Expect,
    fetch: &mut dyn Fetch,
    memory: usize,
) -> Result<(), String> {
    let options = Options { binary: true, ..Default::default() };
    let outcome = measured(file, fetch, &options, SECONDS, memory)?;
    let said: Vec<String> = outcome
        .findings()
        .into_iter()
        .filter(|(_, _, severity)| *severity != Severity::Info)
        .map(|(code, place, _)| format!("{code} {place}"))
        .take(12)
        .collect();
    let Outcome { result, .. } = outcome;
    let as_expected = match (expect, &result) {
        (Refused(code), Err((found, _))) => code == found,
        (Said(code), Ok(import)) => import.diagnostics.iter().any(|found| found.code == code),
        (SaidOneOf(codes), Ok(import)) => {
            import.diagnostics.iter().any(|found| codes.contains(&found.code))
        }
        (Fine, Ok(import)) => {
            import.diagnostics.iter().all(|found| found.severity != Severity::Error)
        }
        _ => false,
    };
    if !as_expected {
        let kind = if result.is_ok() { "read" } else { "refused" };
        return Err(format!("{expect:?} expected, {kind} with {said:?}"));
    }
    match result {
        Ok(import) => live(*import),
        Err(_) => Ok(()),
    }
}

/// Brings an import to life, to the end: clips → pose → palette → vertices. After import nothing
/// panics, and no pose is infinite.
pub(crate) fn live(import: Import) -> Result<(), String> {
    let run = || {
        let mut actor = Actor::new(Arc::new(import.character));
        let character = actor.character().clone();
        let mut finite = actor.pose().is_finite();
        for clip in character.clips.iter().take(4) {
            let mut playback = Playback::new(clip, Loop::Repeat);
            for time in [0.0, f64::from(clip.duration) / 2.0, f64::from(clip.duration), 1e9, -1.0] {
                playback.seek(time);
                actor.edit(|pose| playback.sample(clip, pose));
                finite &= actor.pose().is_finite();
            }
        }
        for (index, mesh) in character.meshes.iter().enumerate().take(16) {
            let pose = actor.pose();
            let stage =
                VertexStage::new(&character, index, actor.palette(), pose.channels(), &pose.root);
            for vertex in 0..mesh.geometry.positions.len().min(64) {
                let _ = (stage.position(vertex), stage.normal(vertex));
            }
        }
        let _ = character.bounds(actor.pose());
        finite
    };
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(true) => Ok(()),
        Ok(false) => Err("a pose is not finite".into()),
        Err(_) => Err("panicked when brought to life".into()),
    }
}

/// A folder of its own for the test of one family.
pub(crate) struct Scratch(pub(crate) std::path::PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("enliven-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("a temporary folder");
        std::fs::write(path, bytes).expect("a temporary file");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
