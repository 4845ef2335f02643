//! `enliven inspect`.

use clap::Args;
use serde_json::json;

use super::print;
use crate::failure::Failure;
use crate::report::{self, Report};
use crate::subject::Subject;

/// Tell what a file holds.
///
/// Nodes, joints as a tree, meshes with their influences, morphs, clips with durations and key
/// counts, extents, materials, textures, licence and authors, extensions, the person (bones,
/// expressions, look-at, springs, constraints), and every finding with its code.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  enliven inspect Fox.glb
  enliven inspect Fox.glb --json | jq '.clips[] | {name, duration}'
  enliven inspect rabbit

The keys of the JSON are told in docs/inspect.md. A file that cannot be read gives exit code 1 and
one coded error; with --json the error is {\"error\": {\"code\", \"message\"}} on standard output.")]
pub(super) struct Inspect {
    /// A .glb, .gltf or .vrm file, or the name of a built-in character.
    #[arg(value_name = "FILE")]
    subject: String,

    /// Write JSON instead of text.
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let subject = match Subject::open(&self.subject) {
            Ok(subject) => subject,
            Err(failure) => {
                if self.json {
                    let code = failure.code().word();
                    let error = json!({"error": {"code": code, "message": failure.message()}});
                    print(&format!("{error:#}\n"))?;
                }
                return Err(failure);
            }
        };
        let report = Report::new(&subject);
        let text = if self.json {
            let json = serde_json::to_string_pretty(&report);
            json.map_err(|error| Failure::output("the report".as_ref(), &error))? + "\n"
        } else {
            let mut text = String::new();
            // Writing to a string cannot fail.
            let _ = report::write(&report, &mut text);
            text
        };
        print(&text)
    }
}
