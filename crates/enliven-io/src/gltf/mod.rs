//! glTF 2.0 and GLB: bytes → container → JSON → checks → typed model → character.

mod accessor;
mod build;
mod container;
mod export;
mod extensions;
mod json;
pub(crate) mod numbers;
mod packed;
mod resources;
mod schema;
mod uri;
pub mod validate;

pub use crate::vrm::export_vrma;
pub(crate) use export::material;
pub use export::{Clips, Export, Exported, export, export_vrm};

use std::collections::BTreeSet;

use enliven::{
    Character, JointId,
    person::{HumanoidClip, Person},
};
use serde_json::Value;

use crate::{
    Bytes, Diagnostic, Error, Fetch, LimitKind, Limits, Place, Severity, findings::Findings,
};

/// What wraps the JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Container {
    /// Text alone (`.gltf`).
    Json,
    /// Binary (`.glb`, `.vrm`).
    Glb {
        /// Length of the BIN chunk in bytes, padding included; `None` without one.
        bin: Option<usize>,
    },
}

/// What the document refers to, fetched and unpacked.
#[derive(Clone, Debug)]
pub struct Resources {
    /// What wrapped the JSON.
    pub container: Container,
    /// One an element of `/buffers`: all the bytes there are, which may be more or fewer than
    /// `byteLength` says. `None` when they could not be had (a diagnostic says why).
    pub buffers: Vec<Option<Bytes>>,
    /// One an element of `/images`: the encoded bytes. `None` when they could not be had.
    pub images: Vec<Option<Bytes>>,
    /// What the buffer views that are compressed with meshopt stand for, one an element of
    /// `/bufferViews`; empty where none is.
    pub(crate) views: Vec<Option<packed::Unpacked>>,
}

/// The file as it was, for whoever wants to write it again or to read what a [`Character`] does not
/// hold: extras, unknown extensions, the encoded images.
#[derive(Clone, Debug)]
pub struct Document {
    /// The whole JSON, keys in file order.
    pub json: Value,
    /// The data that it refers to; shared with the file's bytes, not copied.
    pub resources: Resources,
    /// The joint that each element of `/nodes` became.
    pub joints: Vec<JointId>,
}

/// A file read.
#[derive(Clone, Debug)]
pub struct Import {
    /// What a program draws and moves.
    pub character: Character,
    /// The file it came from.
    pub document: Document,
    /// Everything found wrong or noteworthy, each with what was done about it. Never longer than
    /// [`Limits::diagnostics`] and one more that counts the rest.
    pub diagnostics: Vec<Diagnostic>,
    /// What the file says of the person that the character is (VRM 0.x and 1.0, or its parts for
    /// springs and constraints), or the humanoid that the joints' names make; `None` where there is
    /// neither.
    pub person: Option<Person>,
    /// Motion for any humanoid (VRMC_vrm_animation).
    pub motions: Vec<HumanoidClip>,
}

/// How to read a file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much the file may ask for.
    pub limits: Limits,
    /// Name of a character whose file gives none; usually the file's name without its ending.
    pub name: String,
    /// Whether the file is expected to be binary. It is read either way; this picks the error for
    /// bytes that are neither GLB nor JSON.
    pub binary: bool,
    /// Leaves out the checks of rules that reading does not depend on ([`validate::validate`]),
    /// which take a good part of the time: for files that were checked before. Whatever is broken
    /// is mended or left out all the same, and said.
    pub unchecked: bool,
}

/// Reads a glTF, GLB or VRM file from its bytes.
///
/// # Errors
/// One coded [`Error`] when the structure cannot be trusted or needs an extension that is not
/// known. Everything else is repaired or left out, and said in [`Import::diagnostics`].
pub fn import(
    file: impl Into<Bytes>,
    fetch: &mut dyn Fetch,
    options: &Options,
) -> Result<Import, Error> {
    let file = file.into();
    let limits = &options.limits;
    if file.len() as u64 > limits.total_bytes {
        return Err(Error::Limit {
            what: LimitKind::TotalBytes,
            allowed: limits.total_bytes,
            place: Place::Byte(limits.total_bytes),
        });
    }
    let mut diagnostics = Findings::new(limits.diagnostics);
    let unpacked = container::unpack(&file, options.binary, &mut diagnostics)?;
    let json = json::parse(&unpacked.json, unpacked.json_offset, limits, &mut diagnostics)?;
    let Value::Object(root) = &json else {
        return Err(Error::Document {
            code: "TYPE_MISMATCH",
            pointer: String::new(),
            message: "the document is not an object".into(),
        });
    };
    if schema::count_objects(root) > limits.objects {
        return Err(Error::Limit {
            what: LimitKind::Objects,
            allowed: limits.objects as u64,
            place: Place::Pointer(String::new()),
        });
    }
    let mut repaired = Findings::new(limits.diagnostics);
    let document = schema::Document::read(root, &mut repaired);
    check_asset(root, &document.asset)?;
    extensions::check(&document, &mut repaired)?;
    if document.nodes.len() > limits.nodes {
        return Err(Error::Limit {
            what: LimitKind::Nodes,
            allowed: limits.nodes as u64,
            place: Place::Pointer("/nodes".into()),
        });
    }
    let resources = resources::resolve(
        &document,
        unpacked.container,
        unpacked.bin,
        file.len() as u64,
        fetch,
        limits,
        &mut repaired,
    );
    let checked = match options.unchecked {
        false => validate::check(&json, &document, &resources, limits),
        true => Vec::new(),
    };
    let (character, joints) = build::build(&document, root, &resources, options, &mut repaired)?;
    diagnostics.extend(checked);
    let mut found = Vec::new();
    let (character, crate::vrm::Parts { person, motions }) =
        crate::vrm::attach(character, &json, &joints, &mut found).map_err(build::internal)?;
    repaired.extend(found);

    let (mut diagnostics, mut more) = diagnostics.into_parts();
    let (repaired, unlisted) = repaired.into_parts();
    more += unlisted;
    let places: BTreeSet<String> = diagnostics.iter().map(|found| found.place.clone()).collect();
    // The checks name what is wrong inside a value that did not fit.
    let named = |found: &Diagnostic| {
        let inside = places.range(found.place.clone()..).next();
        found.code == "TYPE_MISMATCH"
            && inside
                .and_then(|place| place.strip_prefix(found.place.as_str()))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut seen: BTreeSet<(&'static str, String)> =
        diagnostics.iter().map(|found| (found.code, found.place.clone())).collect();
    for found in repaired {
        if named(&found) || !seen.insert((found.code, found.place.clone())) {
            continue;
        }
        if diagnostics.len() < limits.diagnostics {
            diagnostics.push(found);
        } else {
            more += 1;
        }
    }
    if more > 0 {
        let message = format!("{more} more findings are not listed");
        diagnostics.push(Diagnostic::new(Severity::Warning, "LIMIT_DIAGNOSTICS", "", message));
    }
    Ok(Import {
        character,
        document: Document { json, resources, joints },
        diagnostics,
        person,
        motions,
    })
}

/// The document must say that it is glTF 2.
fn check_asset(root: &serde_json::Map<String, Value>, asset: &schema::Asset) -> Result<(), Error> {
    let fail = |code, pointer: &str, message: String| {
        Err(Error::Document { code, pointer: pointer.into(), message })
    };
    match root.get("asset") {
        None => {
            let message = "the document has no asset, so it is not glTF 2".into();
            return fail("UNDEFINED_PROPERTY", "", message);
        }
        Some(Value::Object(_)) => {}
        Some(_) => return fail("TYPE_MISMATCH", "/asset", "the asset is no object".into()),
    }
    let Some(version) = &asset.version else {
        return match root["asset"].get("version") {
            None => fail("UNDEFINED_PROPERTY", "/asset", "the asset has no version".into()),
            Some(_) => fail("TYPE_MISMATCH", "/asset/version", "the version is no text".into()),
        };
    };
    let major = |version: &str| validate::version(version).map(|(major, _)| major);
    match major(version) {
        Some(2) => {}
        // Not quite a version, yet clear enough; the checks say what is wrong with it.
        None if version == "2" || version.starts_with("2.") => {}
        Some(_) => {
            let message = format!("version {version:?}; only glTF 2 can be read");
            return fail("UNKNOWN_ASSET_MAJOR_VERSION", "/asset/version", message);
        }
        None => {
            let message = format!("{version:?} is not a version");
            return fail("PATTERN_MISMATCH", "/asset/version", message);
        }
    }
    if let Some(least) = &asset.min_version
        && major(least).is_some_and(|major| major > 2)
    {
        let message = format!("a reader of glTF {least} is needed");
        return fail("UNKNOWN_ASSET_MAJOR_VERSION", "/asset/minVersion", message);
    }
    Ok(())
}
