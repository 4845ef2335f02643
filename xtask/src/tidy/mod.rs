//! The rules of this repository that no compiler checks.

mod assets;
mod docs;
mod edges;
mod sources;

use std::path::{Path, PathBuf};

use crate::step::{Failure, Outcome, root, step};

/// One broken rule: where, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    place: String,
    message: String,
}

impl Finding {
    fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

/// `cargo xtask tidy`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(Failure::new("usage: cargo xtask tidy"));
    }
    step("tidy", check)
}

/// Checks the whole repository and prints every finding.
pub(crate) fn check() -> Outcome {
    let tree = Tree::read(&root())?;
    let mut findings = Vec::new();
    edges::check(&tree, &mut findings);
    sources::check(&tree, &mut findings);
    docs::check(&tree, &mut findings);
    assets::check(&tree, &mut findings);
    for finding in &findings {
        println!("   {}: {}", finding.place, finding.message);
    }
    if findings.is_empty() {
        println!("   {} files, nothing to say", tree.files.len());
        return Ok(());
    }
    Err(Failure::new(format!("{} findings", findings.len())).rerun("cargo xtask tidy"))
}

/// The files of the repository, by their path from its root with `/` between the parts.
struct Tree {
    root: PathBuf,
    files: Vec<String>,
}

impl Tree {
    /// Lists every file but those that git does not keep.
    fn read(root: &Path) -> Result<Self, Failure> {
        let mut files = Vec::new();
        walk(root, "", &mut files)
            .map_err(|error| Failure::new(format!("cannot list {}: {error}", root.display())))?;
        files.sort();
        Ok(Self { root: root.to_owned(), files })
    }

    /// The text of a file, or nothing when it is missing or not text.
    fn text(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(file)).ok()
    }

    fn with_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = &'a str> {
        self.files
            .iter()
            .map(String::as_str)
            .filter(move |file| Path::new(file).extension().is_some_and(|found| found == extension))
    }
}

fn walk(folder: &Path, prefix: &str, files: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        if entry.file_type()?.is_dir() {
            let ignored = [".git", "target", "out", "node_modules"].contains(&name.as_str());
            if !ignored {
                walk(&entry.path(), &path, files)?;
            }
        } else if name != ".git" {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod testing {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A repository in a temporary folder, removed again at the end.
    pub(super) struct Scratch(Tree);

    impl Scratch {
        pub(super) fn new(files: &[(&str, &str)]) -> Self {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("xtask-tidy-{}-{number}", std::process::id());
            let root = std::env::temp_dir().join(name);
            for (path, text) in files {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Self(Tree::read(&root).unwrap())
        }

        pub(super) fn findings(&self, check: fn(&Tree, &mut Vec<Finding>)) -> Vec<String> {
            let mut findings = Vec::new();
            check(&self.0, &mut findings);
            findings.iter().map(|f| format!("{}: {}", f.place, f.message)).collect()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0.root);
        }
    }
}
