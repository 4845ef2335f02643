//! `enliven convert`.

use std::path::PathBuf;

use clap::Args;
use enliven_io::gltf::{Clips, Export};
use serde_json::json;

use super::print;
use crate::failure::Failure;
use crate::model_file::{ModelFile, files_json, findings_json, size};
use crate::person_file;
use crate::subject::Subject;

/// Write a model or motion in another format.
///
/// The document is kept to the letter: nodes, meshes, quantised data, materials, clips, extras,
/// extensions that enliven does not know. Buffers and images beside the file move into it; a .gltf
/// gets one .bin file of its own name. To .vrm, a person of VRM 0.x or any complete humanoid becomes
/// one of VRM 1.0; of a person of 1.0 nothing changes. Motion of humanoids goes between .vrma and
/// .bvh. What the format cannot hold is told with a code.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  enliven convert model.gltf model.glb        everything in one file
  enliven convert model.glb model.gltf        as text to read, with model.bin
  enliven convert old.vrm new.vrm             VRM 0.x becomes VRM 1.0
  enliven convert hero.glb hero.vrm           a humanoid found by its joints' names
  enliven convert Godette.vrm godette.glb     the same bytes inside: the VRM parts stay
  enliven convert walk.bvh walk.vrma          motion for any VRM person
  enliven convert wave.vrma wave.bvh --body Godette.vrm
  enliven convert rabbit rabbit.glb           a built-in character

To write motion that is made here, not in the file, use `enliven bake`.")]
pub(super) struct Convert {
    /// A .glb, .gltf, .vrm, .vrma or .bvh file, or the name of a built-in character.
    #[arg(value_name = "IN")]
    subject: String,

    /// Where to write to: .glb, .gltf, .vrm, .vrma or .bvh.
    #[arg(value_name = "OUT")]
    out: PathBuf,

    /// For motion alone: the person whose proportions the file gets. Without it usual ones.
    #[arg(long, value_name = "PERSON")]
    body: Option<String>,

    /// Frames a second of a .bvh file. Without it those of the source, or 30.
    #[arg(long, value_parser = super::render::rate)]
    fps: Option<f64>,

    /// Tell what was written as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Convert {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = ModelFile::open(&self.out)?;
        let frame_time = self.fps.map(|fps| (1.0 / fps) as f32);
        let (written, said) = if person_file::is_motion(&self.subject) {
            let body = self.body.as_deref().map(Subject::open).transpose()?;
            person_file::convert_motion(file, &self.subject, body.as_ref(), frame_time)?
        } else {
            let subject = Subject::open(&self.subject)?;
            let what = Export {
                character: &subject.character,
                document: subject.document.as_ref(),
                clips: Clips::Own,
            };
            person_file::write(file, &what, &subject, frame_time.unwrap_or(1.0 / 30.0))?
        };
        if self.json {
            let told = json!({
                "written": files_json(&written),
                "diagnostics": findings_json(&said),
            });
            return print(&format!("{told:#}\n"));
        }
        for found in &said {
            eprintln!("{found}");
        }
        for file in &written {
            eprintln!("{}: {}", file.path.display(), size(file.bytes));
        }
        Ok(())
    }
}
