//! That no file of golden vectors goes without a replayer, and how many cases go another way.

#[path = "../../enliven/tests/parity/mod.rs"]
mod parity;

use parity::{FILES, flagged, list};
use serde_json::Value;
use std::path::Path;

/// The text of all replayers.
fn replayers() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut out = String::new();
    for folder in ["tests", "../enliven/tests"] {
        for entry in std::fs::read_dir(here.join(folder)).expect("tests").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let source = name.starts_with("parity_") && name.ends_with(".rs");
            if source && name != "parity_files.rs" {
                out += &std::fs::read_to_string(entry.path()).expect("source");
            }
        }
    }
    out
}

#[test]
fn parity_of_every_file_and_3_percent_in_all() {
    let replayers = replayers();
    let (mut unflagged, mut allowed) = (0, 0);
    for (file, most) in FILES {
        assert!(replayers.contains(&format!("parity::replay(\"{file}\"")), "{file}: no replayer");
        let Some(folder) = enliven_testing::parity() else { return };
        let text = std::fs::read_to_string(folder.join(file)).expect("golden vectors");
        let suite: Value = serde_json::from_str(&text).expect("golden vectors are JSON");
        unflagged += list(&suite["cases"]).iter().filter(|c| !flagged(c)).count();
        allowed += most;
    }
    assert!(unflagged > 0);
    assert!(allowed * 100 <= unflagged * 3, "{allowed} of {unflagged} cases may differ");
}
