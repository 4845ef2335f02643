//! Where the files that a document refers to come from.

use thiserror::Error;

/// Gets the files that a document refers to.
///
/// Paths are relative to the document's folder, already decoded and tidy: segments joined by `/`,
/// none of them empty, `.` or `..`, and no scheme or drive letter in front.
pub trait Fetch {
    /// The bytes of the file at `path`, at most `limit` of them.
    ///
    /// # Errors
    /// Why there are none; a longer file is [`FetchError::TooLong`], not a part of it.
    fn fetch(&mut self, path: &str, limit: u64) -> Result<Vec<u8>, FetchError>;
}

/// Why a file that a document refers to could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FetchError {
    /// There is no such file.
    #[error("there is no such file")]
    NotFound,
    /// The path leads out of the document's folder, through a symbolic link.
    #[error("the path leads out of the file's folder")]
    Outside,
    /// A folder, a device or a pipe.
    #[error("not a regular file")]
    NotAFile,
    /// More bytes than asked for.
    #[error("the file is longer than the {0} bytes that are left of the limit")]
    TooLong(u64),
    /// Nothing is fetched here, see [`NoFiles`].
    #[error("no files beside this one are at hand")]
    Unavailable,
    /// What the system said.
    #[error("{0}")]
    System(String),
}

/// Has no files: for documents that carry everything inside.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Fetch for NoFiles {
    fn fetch(&mut self, _: &str, _: u64) -> Result<Vec<u8>, FetchError> {
        Err(FetchError::Unavailable)
    }
}

/// The files of one folder and the folders in it, and nothing else: a symbolic link that leads out
/// is an error, and so is anything but a regular file.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Debug)]
pub struct Folder {
    root: std::path::PathBuf,
}

#[cfg(not(target_arch = "wasm32"))]
impl Folder {
    /// The folder at `root`.
    pub fn new(root: impl Into<std::path::PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder that the file at `path` lies in.
    pub fn of(path: &std::path::Path) -> Self {
        match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => Self::new(parent),
            _ => Self::new("."),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Fetch for Folder {
    fn fetch(&mut self, path: &str, limit: u64) -> Result<Vec<u8>, FetchError> {
        use std::{
            io::{ErrorKind, Read as _},
            path::{Component, Path},
        };

        let said = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => FetchError::NotFound,
            _ => FetchError::System(error.to_string()),
        };
        let relative = Path::new(path);
        if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(FetchError::Outside);
        }
        let root = self.root.canonicalize().map_err(said)?;
        let full = root.join(relative).canonicalize().map_err(said)?;
        if !full.starts_with(&root) {
            return Err(FetchError::Outside);
        }
        // Asked before opening: opening a pipe waits for somebody to write to it.
        let about = full.metadata().map_err(said)?;
        if !about.is_file() {
            return Err(FetchError::NotAFile);
        }
        if about.len() > limit {
            return Err(FetchError::TooLong(limit));
        }
        let mut bytes = Vec::with_capacity(about.len() as usize);
        let file = std::fs::File::open(&full).map_err(said)?;
        // The file may have grown since.
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(said)?;
        if bytes.len() as u64 > limit { Err(FetchError::TooLong(limit)) } else { Ok(bytes) }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_what_lies_inside_and_nothing_else() {
        let root = std::env::temp_dir().join(format!("enliven-fetch-{}", std::process::id()));
        let inside = root.join("asset/deep");
        std::fs::create_dir_all(&inside).expect("a temporary folder");
        std::fs::write(inside.join("ö b.bin"), b"1234").expect("a temporary file");
        std::fs::write(root.join("secret"), b"x").expect("a temporary file");
        std::os::unix::fs::symlink("../../secret", inside.join("out")).expect("a link");
        std::os::unix::fs::symlink("ö b.bin", inside.join("in")).expect("a link");
        std::os::unix::fs::symlink("/dev/zero", inside.join("zero")).expect("a link");
        let mut folder = Folder::of(&root.join("asset/a.gltf"));

        assert_eq!(folder.fetch("deep/ö b.bin", 4), Ok(b"1234".to_vec()));
        assert_eq!(folder.fetch("deep/in", 4), Ok(b"1234".to_vec()));
        assert_eq!(folder.fetch("deep/ö b.bin", 3), Err(FetchError::TooLong(3)));
        assert_eq!(folder.fetch("deep", 9), Err(FetchError::NotAFile));
        assert_eq!(folder.fetch("b.bin", 9), Err(FetchError::NotFound));
        assert_eq!(folder.fetch("deep/out", 9), Err(FetchError::Outside));
        assert_eq!(folder.fetch("deep/zero", 9), Err(FetchError::Outside));
        assert_eq!(folder.fetch("../secret", 9), Err(FetchError::Outside));
        assert_eq!(folder.fetch("/dev/zero", 9), Err(FetchError::Outside));
        std::fs::remove_dir_all(root).expect("our own folder");
    }
}
