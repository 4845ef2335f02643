//! Files that tests read.

use std::path::{Path, PathBuf};

use crate::skip;

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A part of the shared test data (empty: all of it), which lies in `ENLIVEN_SHARED`, else in `../shared` beside the
/// repository; `None` (said) where it is absent.
#[track_caller]
pub fn shared(part: &str) -> Option<PathBuf> {
    let beside = || repository().join("../shared");
    let path = std::env::var_os("ENLIVEN_SHARED").map_or_else(beside, PathBuf::from).join(part);
    if path.exists() { Some(path) } else { skip(&format!("{} is absent", path.display())) }
}

/// The shared models, clips and recordings; `None` (said) where they are absent.
#[track_caller]
pub fn assets() -> Option<PathBuf> {
    shared("assets")
}

/// The golden cases, in `ENLIVEN_PARITY` where that is set; `None` (said) where they are absent.
#[track_caller]
pub fn parity() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("ENLIVEN_PARITY").map(PathBuf::from) else {
        return shared("parity");
    };
    if folder.is_dir() { Some(folder) } else { skip(&format!("{} is absent", folder.display())) }
}

/// All files below a folder whose names end with one of `endings` (in lower case, without the dot;
/// none: all files), in order of their paths.
///
/// # Panics
/// Where a folder cannot be read.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder);
        let entries = entries.unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.unwrap_or_else(|e| panic!("{}: {e}", folder.display())).path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            if endings.is_empty() || endings.contains(&ending(&path).as_str()) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// The lower-case ending of a path, without the dot.
pub fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_a_folder_are_found_by_their_ending() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let names = |endings: &[&str]| -> Vec<String> {
            let name = |path: &PathBuf| path.file_name().map(|n| n.to_string_lossy().into_owned());
            files(here, endings).iter().filter_map(name).collect()
        };
        assert_eq!(names(&["toml"]), ["Cargo.toml"]);
        assert_eq!(names(&["rs"]), ["data.rs", "lib.rs", "node.rs", "pictures.rs"]);
        assert_eq!(names(&[]).len(), 5);
    }
}
