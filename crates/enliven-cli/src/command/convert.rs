//! `enliven convert`.

use std::path::PathBuf;

use clap::Args;
use enliven_io::gltf::{Export, export};
use serde_json::json;

use super::print;
use crate::failure::Failure;
use crate::model_file::{ModelFile, files_json, findings_json, size};
use crate::subject::Subject;

/// Write a model in another format.
///
/// The document is kept to the letter: nodes, meshes, quantised data, materials, clips, extras,
/// extensions that enliven does not know. Buffers and images beside the file move into it; a .gltf
/// gets one .bin file of its own name. What the format cannot hold is told with a code.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  enliven convert model.gltf model.glb        everything in one file
  enliven convert model.glb model.gltf        as text to read, with model.bin
  enliven convert Godette.vrm godette.glb     the same bytes inside: the VRM parts stay
  enliven convert rabbit rabbit.glb           a built-in character

To write motion that is made here, not in the file, use `enliven bake`.")]
pub(super) struct Convert {
    /// A .glb, .gltf or .vrm file, or the name of a built-in character.
    #[arg(value_name = "IN")]
    subject: String,

    /// Where to write to: .glb or .gltf.
    #[arg(value_name = "OUT")]
    out: PathBuf,

    /// Tell what was written as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Convert {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = ModelFile::open(&self.out)?;
        let subject = Subject::open(&self.subject)?;
        let exported = export(&Export {
            character: &subject.character,
            document: subject.document.as_ref(),
            clips: None,
        });
        let written = file.write(&exported)?;
        if self.json {
            let told = json!({
                "written": files_json(&written),
                "diagnostics": findings_json(&exported.diagnostics),
            });
            return print(&format!("{told:#}\n"));
        }
        for found in &exported.diagnostics {
            eprintln!("{found}");
        }
        for file in &written {
            eprintln!("{}: {}", file.path.display(), size(file.bytes));
        }
        Ok(())
    }
}
