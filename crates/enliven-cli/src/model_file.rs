//! Files of models and of motion as outputs: GLB and its kin, glTF with its data beside it, BVH;
//! there whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use enliven::{Diagnostic, Severity};
use enliven_io::gltf::Exported;
use serde_json::{Value, json};

use crate::failure::{Code, Failure};
use crate::media::whole::Whole;

/// What the ending of a name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.glb`: everything in one binary file.
    Glb,
    /// `.gltf`: text, with the data in a `.bin` file of the same name.
    Gltf,
    /// `.vrm`: a GLB with a person of VRM 1.0.
    Vrm,
    /// `.vrma`: a GLB with motion for any humanoid.
    Vrma,
    /// `.bvh`: motion capture.
    Bvh,
}

/// A model file to be written.
#[derive(Debug)]
pub struct ModelFile {
    kind: Kind,
    path: PathBuf,
    file: Whole,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its name.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: usize,
}

impl ModelFile {
    /// Prepares to write the file that the name of `path` asks for.
    ///
    /// # Errors
    /// [`Code::OutputKind`] for an ending that is no model's, [`Code::Output`] where the folder
    /// cannot be made.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let kind = match ending.to_ascii_lowercase().as_str() {
            "glb" => Kind::Glb,
            "gltf" => Kind::Gltf,
            "vrm" => Kind::Vrm,
            "vrma" => Kind::Vrma,
            "bvh" => Kind::Bvh,
            other => {
                let message =
                    format!("{}: no model format has the ending `.{other}`", path.display());
                return Err(Failure::new(Code::OutputKind, message)
                    .help("use .glb, .gltf or .vrm, or for motion .vrma or .bvh"));
            }
        };
        Ok(Self { kind, path: path.to_owned(), file: Whole::new(path)? })
    }

    /// What the ending asks for.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    /// [`Code::Output`] where the system does not let it be written.
    pub fn write_bytes(self, bytes: &[u8]) -> Result<Vec<Written>, Failure> {
        Ok(vec![put(self.file, &self.path, bytes)?])
    }

    /// Writes the document; of a `.gltf` the data first, so that it is never there without them.
    ///
    /// # Errors
    /// [`Code::Unwritable`] where something that the document needs is missing or too large for
    /// the format, [`Code::Output`] where the system does not let it be written.
    pub fn write(self, exported: &Exported) -> Result<Vec<Written>, Failure> {
        let Self { kind, path, file } = self;
        let missing = exported.diagnostics.iter().find(|d| d.severity == Severity::Error);
        if let Some(found) = missing {
            let message = format!("{}: {}", found.place, found.message);
            return Err(Failure::new(Code::Unwritable(found.code), message));
        }
        match kind {
            Kind::Glb | Kind::Vrm | Kind::Vrma | Kind::Bvh => {
                let bytes = exported.to_glb().map_err(|error| {
                    let start = format!("{}: ", error.code());
                    let message = error.to_string();
                    let message = message.strip_prefix(&start).unwrap_or(&message).to_owned();
                    Failure::new(Code::Unwritable(error.code()), message)
                })?;
                Ok(vec![put(file, &path, &bytes)?])
            }
            Kind::Gltf => {
                let data = path.with_extension("bin");
                let name = data.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let (text, bytes) = exported.to_gltf(&address(&name));
                let mut written = Vec::new();
                if !bytes.is_empty() {
                    written.push(put(Whole::new(&data)?, &data, &bytes)?);
                }
                written.insert(0, put(file, &path, text.as_bytes())?);
                Ok(written)
            }
        }
    }
}

fn put(file: Whole, path: &Path, bytes: &[u8]) -> Result<Written, Failure> {
    let mut out = file.create()?;
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| file.failure(&error))?;
    file.keep()?;
    Ok(Written { path: path.to_owned(), bytes: bytes.len() })
}

/// A file's name as a relative address: what an address gives a meaning to is escaped.
fn address(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// What was written, as `--json` tells it.
#[must_use]
pub fn files_json(files: &[Written]) -> Value {
    files
        .iter()
        .map(|f| json!({ "file": f.path.display().to_string(), "bytes": f.bytes }))
        .collect()
}

/// Findings, as `--json` tells them.
#[must_use]
pub fn findings_json(found: &[Diagnostic]) -> Value {
    let one = |d: &Diagnostic| {
        let severity = d.severity.as_str();
        json!({
            "code": d.code, "severity": severity, "place": d.place, "message": d.message,
        })
    };
    found.iter().map(one).collect()
}

/// A number of bytes for a person: `812 bytes`, `44.1 KB`, `3.2 MB`.
#[must_use]
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    fn exported() -> Exported {
        let character = enliven::builtin::rabbit();
        let what = enliven_io::gltf::Export {
            character: &character,
            document: None,
            clips: enliven_io::gltf::Clips::Own,
        };
        enliven_io::gltf::export(&what)
    }

    #[test]
    fn text_and_data_beside_each_other() {
        let scratch = Scratch::new();
        let path = scratch.path("a b#1.gltf");
        let written = ModelFile::open(&path).unwrap().write(&exported()).unwrap();
        assert_eq!(written[0].path, path);
        assert_eq!(written[1].path, scratch.path("a b#1.bin"));
        assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 2);
        let back = enliven_io::import_file(&path, &enliven_io::Limits::default()).unwrap();
        assert_eq!(back.document.json["buffers"][0]["uri"], "a%20b%231.bin");
        let wrong = back.diagnostics.iter().find(|d| d.severity > Severity::Info);
        assert!(wrong.is_none(), "{wrong:?}");
        assert_eq!(back.character.meshes.len(), enliven::builtin::rabbit().meshes.len());
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let scratch = Scratch::new();
        let failure = ModelFile::open(&scratch.path("a.obj")).unwrap_err();
        assert_eq!(failure.code(), Code::OutputKind);
        let mut exported = exported();
        let broken = Diagnostic::new(Severity::Error, "BUFFER_NO_DATA", "/bufferViews/0", "gone");
        exported.diagnostics.push(broken);
        let failure = ModelFile::open(&scratch.path("a.glb")).unwrap().write(&exported);
        assert_eq!(failure.unwrap_err().code(), Code::Unwritable("BUFFER_NO_DATA"));
        assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 0);
    }

    #[test]
    fn sizes() {
        assert_eq!([size(12), size(44_100), size(3_200_000)], ["12 bytes", "44.1 KB", "3.2 MB"]);
    }
}
