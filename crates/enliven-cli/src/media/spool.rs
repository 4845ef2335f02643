//! Keeps the frames of a film on disk, for writers that must see them all before they begin.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};

use super::whole::Whole;
use super::{Film, Picture};
use crate::failure::Failure;

/// Raw frames in a temporary file beside the output.
pub(super) struct Spool {
    // Never kept: dropping it removes the file.
    place: Whole,
    file: BufWriter<File>,
    width: u32,
    height: u32,
    count: usize,
}

impl Spool {
    /// Opens a spool beside `output`.
    pub(super) fn new(output: &Whole, film: &Film) -> Result<Self, Failure> {
        let mut name = output.wanted().file_name().unwrap_or_default().to_owned();
        name.push(".frames");
        let place = Whole::new(&output.wanted().with_file_name(name))?;
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        let file = options.open(place.temporary()).map_err(|error| place.failure(&error))?;
        let file = BufWriter::new(file);
        Ok(Self { place, file, width: film.width, height: film.height, count: 0 })
    }

    /// Number of frames taken.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Adds a frame.
    pub(super) fn push(&mut self, frame: &Picture) -> Result<(), Failure> {
        self.file.write_all(&frame.rgba).map_err(|error| self.place.failure(&error))?;
        self.count += 1;
        Ok(())
    }

    /// Hands each frame to `take`, in order.
    pub(super) fn replay(
        self,
        mut take: impl FnMut(Picture) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Self { place, file, width, height, count } = self;
        let failure = |error: &dyn std::fmt::Display| place.failure(error);
        let mut file = file.into_inner().map_err(|error| failure(&error))?;
        file.rewind().map_err(|error| failure(&error))?;
        let mut file = BufReader::new(file);
        for _ in 0..count {
            let mut picture = Picture::filled(width, height, [0; 4]);
            file.read_exact(&mut picture.rgba).map_err(|error| failure(&error))?;
            take(picture)?;
        }
        Ok(())
    }
}
