//! A folder of PNG frames.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::picture::write_png;
use super::whole::Whole;
use super::{Picture, Sink};
use crate::failure::{Code, Failure};

/// Frames named `frame-00000.png` and so on.
pub(super) struct Folder {
    output: Whole,
    count: usize,
}

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        // Said before an hour of drawing, not after.
        if path.exists() && !holds_only_frames(path) {
            let message = format!("{} is there and holds more than frames", path.display());
            let help = "name a new folder, or one that holds only frame-*.png";
            return Err(Failure::new(Code::Output, message).help(help));
        }
        let output = Whole::new(path)?;
        std::fs::create_dir_all(output.temporary()).map_err(|error| output.failure(&error))?;
        Ok(Self { output, count: 0 })
    }
}

/// Whether a folder is empty or holds the frames of an earlier run, which may be replaced.
fn holds_only_frames(path: &Path) -> bool {
    let Ok(mut entries) = std::fs::read_dir(path) else { return false };
    entries.all(|entry| {
        let name = entry.map(|entry| entry.file_name()).unwrap_or_default();
        let name = name.to_string_lossy();
        name.starts_with("frame-") && name.ends_with(".png")
    })
}

impl Sink for Folder {
    fn push(&mut self, frame: &Picture) -> Result<(), Failure> {
        let path = self.output.temporary().join(format!("frame-{:05}.png", self.count));
        let write = || -> Result<(), png::EncodingError> {
            let mut file = BufWriter::new(std::fs::File::create(&path)?);
            write_png(&mut file, frame)?;
            Ok(file.flush()?)
        };
        write().map_err(|error| self.output.failure(&error))?;
        self.count += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        let wanted = self.output.wanted();
        if wanted.exists() {
            if !holds_only_frames(wanted) {
                let message = "it holds more than frames now";
                return Err(self.output.failure(&message));
            }
            std::fs::remove_dir_all(wanted).map_err(|error| self.output.failure(&error))?;
        }
        self.output.keep()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{film, push_all};
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn frames_replace_frames_but_nothing_else() {
        let scratch = Scratch::new();
        let path = scratch.path("frames");
        for count in [3, 2] {
            push_all(&path, &film(2, 2, count));
            assert_eq!(std::fs::read_dir(&path).unwrap().count(), count);
        }
        assert!(path.join("frame-00001.png").exists());
        std::fs::write(path.join("thesis.txt"), "").unwrap();
        let failure = Folder::open(&path).err().unwrap();
        assert_eq!(failure.code(), Code::Output);
        assert!(path.join("thesis.txt").exists());
    }
}
