//! Outputs that are there whole or not at all.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::failure::{Code, Failure};

/// A path to write to, which becomes the wanted one when everything went well and is removed
/// otherwise.
#[derive(Debug)]
pub(crate) struct Whole {
    wanted: PathBuf,
    temporary: PathBuf,
    kept: bool,
}

impl Whole {
    /// Prepares to write `wanted`; its folder is made when it is missing.
    pub(crate) fn new(wanted: &Path) -> Result<Self, Failure> {
        let Some(name) = wanted.file_name() else {
            let message = format!("{}: this is no name for an output", wanted.display());
            return Err(Failure::new(Code::OutputKind, message));
        };
        let folder = match wanted.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(folder).map_err(|error| Failure::output(folder, &error))?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let temporary = folder.join(hidden);
        Ok(Self { wanted: wanted.to_owned(), temporary, kept: false })
    }

    /// The path to write to for now.
    pub(crate) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// The path that the output will have.
    pub(crate) fn wanted(&self) -> &Path {
        &self.wanted
    }

    /// Creates the file to write to for now.
    pub(crate) fn create(&self) -> Result<File, Failure> {
        File::create(&self.temporary).map_err(|error| self.failure(&error))
    }

    /// A failure to write this output.
    pub(crate) fn failure(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::output(&self.wanted, error)
    }

    /// Gives the file its real name, in place of an older one.
    pub(crate) fn keep(mut self) -> Result<(), Failure> {
        std::fs::rename(&self.temporary, &self.wanted).map_err(|error| self.failure(&error))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        // Already failing: what cannot be removed stays behind under its hidden name.
        if self.temporary.is_dir() {
            let _ = std::fs::remove_dir_all(&self.temporary);
        } else {
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn an_output_appears_whole_or_not_at_all() {
        let scratch = Scratch::new();
        let path = scratch.path("new/a.txt");
        let abandoned = Whole::new(&path).unwrap();
        std::fs::write(abandoned.temporary(), "half").unwrap();
        drop(abandoned);
        assert_eq!(std::fs::read_dir(scratch.path("new")).unwrap().count(), 0);

        std::fs::write(&path, "old").unwrap();
        let whole = Whole::new(&path).unwrap();
        std::fs::write(whole.temporary(), "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        whole.keep().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(scratch.path("new")).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_output_failure() {
        let scratch = Scratch::new();
        std::fs::write(scratch.path("file"), "").unwrap();
        let failure = Whole::new(&scratch.path("file/a.png")).unwrap_err();
        assert_eq!(failure.code(), Code::Output);
    }
}
