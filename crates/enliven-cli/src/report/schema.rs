//! The shape of the JSON that `enliven inspect --json` writes.
#![expect(missing_docs, reason = "docs/inspect.md documents every key")]

use serde::Serialize;

use super::person::{MotionInfo, PersonInfo};

/// Everything that a file holds. The names of the fields are the keys of the JSON; they stay.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub file: String,
    pub format: String,
    pub bytes: u64,
    pub name: String,
    pub meta: Meta,
    pub extensions: Extensions,
    pub counts: Counts,
    pub extents: Extents,
    pub joints: Vec<Joint>,
    pub regions: Vec<RegionPart>,
    pub meshes: Vec<Mesh>,
    pub skins: Vec<Skin>,
    pub channels: Vec<Channel>,
    pub clips: Vec<Clip>,
    pub materials: Vec<MaterialInfo>,
    pub textures: Vec<Texture>,
    pub images: Vec<Image>,
    pub person: Option<PersonInfo>,
    pub motions: Vec<MotionInfo>,
    pub diagnostics: Vec<Finding>,
}

/// Where a file comes from and which extensions it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The path as it was given.
    pub file: String,
    /// `glb`, `gltf`, or `built-in`.
    pub format: String,
    /// Length of the file.
    pub bytes: u64,
    /// Extensions used and required.
    pub extensions: Extensions,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Meta {
    pub title: String,
    pub version: String,
    pub authors: Vec<String>,
    pub license: String,
    pub copyright: String,
    pub generator: String,
    pub terms: Vec<Term>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Term {
    pub name: String,
    pub value: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extensions {
    pub used: Vec<String>,
    pub required: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Counts {
    pub joints: usize,
    pub meshes: usize,
    pub vertices: usize,
    pub triangles: usize,
    pub skins: usize,
    pub morphs: usize,
    pub expressions: usize,
    pub clips: usize,
    pub materials: usize,
    pub textures: usize,
    pub images: usize,
    pub errors: usize,
    pub warnings: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct Extents {
    pub rest: Option<Extent>,
    pub posed: Option<Extent>,
    pub height: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Extent {
    pub min: [f32; 3],
    pub max: [f32; 3],
    pub size: [f32; 3],
}

#[derive(Clone, Debug, Serialize)]
pub struct Joint {
    pub index: usize,
    pub name: String,
    pub parent: Option<usize>,
}

#[derive(Clone, Debug, Serialize)]
pub struct RegionPart {
    pub region: String,
    pub joints: Vec<Share>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Share {
    pub joint: usize,
    pub share: f32,
}

#[derive(Clone, Debug, Serialize)]
pub struct Mesh {
    pub index: usize,
    pub name: String,
    pub joint: usize,
    pub material: usize,
    pub binding: &'static str,
    pub skin: Option<usize>,
    pub topology: &'static str,
    pub vertices: usize,
    pub triangles: usize,
    pub attributes: Vec<String>,
    /// Influences that a vertex has room for.
    pub influences: usize,
    /// Most influences that any vertex uses.
    pub influences_used: usize,
    pub morphs: Vec<String>,
    pub shown: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Skin {
    pub index: usize,
    pub name: String,
    pub joints: usize,
    pub root: Option<usize>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Channel {
    pub index: usize,
    pub name: String,
    pub kind: &'static str,
    pub default: f32,
    pub range: [f32; 2],
}

#[derive(Clone, Debug, Serialize)]
pub struct Clip {
    pub index: usize,
    pub name: String,
    pub duration: f32,
    pub tracks: usize,
    pub keys: usize,
    pub interpolations: Vec<&'static str>,
    pub targets: Vec<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
pub struct MaterialInfo {
    pub index: usize,
    pub name: String,
    pub shading: &'static str,
    pub base_color: [f32; 4],
    pub metallic: f32,
    pub roughness: f32,
    pub emissive: [f32; 3],
    pub alpha_mode: &'static str,
    pub alpha_cutoff: Option<f32>,
    pub double_sided: bool,
    pub textures: Vec<TextureUse>,
}

#[derive(Clone, Debug, Serialize)]
pub struct TextureUse {
    pub slot: &'static str,
    pub texture: usize,
    pub uv_set: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct Texture {
    pub index: usize,
    pub name: String,
    pub image: Option<usize>,
    pub wrap: [&'static str; 2],
}

#[derive(Clone, Debug, Serialize)]
pub struct Image {
    pub index: usize,
    pub name: String,
    pub width: u32,
    pub height: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub code: String,
    pub severity: &'static str,
    pub place: String,
    pub message: String,
}
