//! Character → glTF 2.0 and GLB.

mod bin;
mod clips;
mod full;
mod keep;
mod meshes;
mod mtoon;
mod surfaces;
mod switches;
mod trim;

use std::collections::BTreeSet;

use enliven::{Character, Clip, person::Person};
use serde_json::{Map, Value};

use super::Document;
use crate::{Diagnostic, Error, vrm};
use bin::{Bin, set_list};
pub(crate) use surfaces::material;

/// What to write.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The character. Without a document everything is written from it.
    pub character: &'a Character,
    /// The file that the character came from, unchanged since. Everything in it is kept to the
    /// letter: nodes, meshes, quantised data, materials, extras, unknown extensions, VRM parts.
    pub document: Option<&'a Document>,
    /// Its animations.
    pub clips: Clips<'a>,
}

/// Which animations are written.
#[derive(Clone, Copy, Debug, Default)]
pub enum Clips<'a> {
    /// A document's as they are, or the character's clips where there is no document.
    #[default]
    Own,
    /// These in their place.
    Instead(&'a [Clip]),
    /// These after them. Names are not compared: two may have one name, as glTF allows.
    Beside(&'a [Clip]),
}

impl<'a> From<Option<&'a [Clip]>> for Clips<'a> {
    /// Those instead of its own; its own where there are none.
    fn from(clips: Option<&'a [Clip]>) -> Self {
        clips.map_or(Self::Own, Self::Instead)
    }
}

/// A document that was written.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The JSON; its one buffer has no address.
    pub json: Value,
    /// The data of its one buffer.
    pub bin: Vec<u8>,
    /// What could not be written, and what stands in its place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Writes a character, with its file's document where it has one.
pub fn export(what: &Export<'_>) -> Exported {
    write(what, None)
}

/// Writes a character as a person of VRM 1.0, with its file's document where it has one.
///
/// A document of VRM 1.0 keeps its own person. One of VRM 0.x becomes one of 1.0: it is turned to
/// look along +Z by its roots, and its surfaces, expressions, springs and terms are put into the
/// words of 1.0. What those cannot say is in the diagnostics.
pub fn export_vrm(what: &Export<'_>, person: &Person) -> Exported {
    write(what, Some(person))
}

fn write(what: &Export<'_>, person: Option<&Person>) -> Exported {
    let mut bin = Bin::default();
    let mut diagnostics = Vec::new();
    let character = what.character;
    let has = |d: &Document, name| d.json["extensions"].get(name).is_some();
    let person = person.filter(|_| !what.document.is_some_and(|d| has(d, "VRMC_vrm")));
    let old = person.is_some() && what.document.is_some_and(|d| vrm::is_old(&d.json));
    // Animations of the old document would move roots that look the other way.
    let turned = old && !character.clips.is_empty();
    let own = if what.document.is_some() && !turned { &[] } else { &character.clips[..] };
    let (before, clips): (&[Clip], &[Clip]) = match what.clips {
        Clips::Own => (own, &[]),
        Clips::Instead(clips) => (&[], clips),
        Clips::Beside(clips) => (own, clips),
    };
    let keep = what.document.is_some() && !turned && !matches!(what.clips, Clips::Instead(_));
    let (mut root, nodes, meshes) = match what.document {
        Some(document) => {
            let nodes = keep::nodes(document, character);
            let meshes = character.meshes.iter().map(|m| nodes[m.joint.index()]).collect();
            (keep::document(document, keep, &mut bin, &mut diagnostics), nodes, meshes)
        }
        None => {
            let (root, meshes) = full::document(character, &mut bin, &mut diagnostics);
            (root, (0..character.rig.skeleton.len()).collect(), meshes)
        }
    };
    if let Some(person) = person {
        let mut used = BTreeSet::new();
        if old {
            vrm::migrate(character, &nodes, &mut root, &mut used);
        }
        let places = vrm::Places { nodes: &nodes, meshes: &meshes };
        vrm::write(person, character, &places, &mut root, &mut diagnostics);
        vrm::use_extensions(&mut root, used);
    }
    let new = || before.iter().chain(clips);
    if !keep || new().next().is_some() {
        let moved = new().any(clips::moves_root);
        let place = if moved { keep::add_root(&mut root) } else { None };
        let places = clips::Places { nodes: &nodes, meshes: &meshes, root: place };
        let mut written = keep::take_list(&mut root, "animations");
        written.extend(
            new().filter_map(|c| {
                clips::animation(c, character, &places, &mut bin, &mut diagnostics)
            }),
        );
        set_list(&mut root, "animations", written);
    }
    switches::write(character, &nodes, &mut root);
    let bin = bin.finish(&mut root);
    Exported { json: Value::Object(sorted(root)), bin, diagnostics }
}

/// The usual order of a document's parts, so that a person finds the head at the head.
fn sorted(mut root: Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for key in ["asset", "extensionsUsed", "extensionsRequired", "scene", "scenes", "nodes"] {
        if let Some(value) = root.remove(key) {
            out.insert(key.into(), value);
        }
    }
    out.append(&mut root);
    out
}

impl Exported {
    /// As one binary file (GLB, VRM).
    ///
    /// # Errors
    /// `GLB_TOO_LARGE` where it would be over 4 GiB, which GLB cannot say.
    pub fn to_glb(&self) -> Result<Vec<u8>, Error> {
        let mut json = self.json.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let bin = if self.bin.is_empty() { 0 } else { 8 + self.bin.len() };
        let total = 12 + 8 + json.len() + bin;
        if u32::try_from(total).is_err() {
            return Err(Error::Document {
                code: "GLB_TOO_LARGE",
                pointer: String::new(),
                message: format!("{total} bytes do not fit into a GLB; write .gltf instead"),
            });
        }
        let mut out = Vec::with_capacity(total);
        let word = |out: &mut Vec<u8>, v: usize| out.extend((v as u32).to_le_bytes());
        out.extend(b"glTF");
        word(&mut out, 2);
        word(&mut out, total);
        word(&mut out, json.len());
        out.extend(b"JSON");
        out.extend(json);
        if bin > 0 {
            word(&mut out, self.bin.len());
            out.extend(b"BIN\0");
            out.extend(&self.bin);
        }
        Ok(out)
    }

    /// As text and data apart: the text of the `.gltf`, which names the data by `bin_uri`, and the
    /// data.
    pub fn to_gltf(&self, bin_uri: &str) -> (String, Vec<u8>) {
        let mut json = self.json.clone();
        if let Some(buffer) = json["buffers"].get_mut(0) {
            buffer["uri"] = bin_uri.into();
        }
        (format!("{json:#}\n"), self.bin.clone())
    }
}
