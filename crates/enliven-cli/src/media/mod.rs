//! Writes frames to pictures and films: PNG, filmstrip, GIF, APNG, MP4, WebM or a folder.
//!
//! Every output is written under a temporary name and takes its real one only when it is whole.

mod apng;
mod ffmpeg;
mod folder;
mod gif;
mod palette;
mod picture;
mod sheet;
mod spool;
pub(crate) mod whole;

pub use sheet::Sheet;

use std::path::Path;

use enliven_render::Picture;

use crate::failure::{Code, Failure};

/// What is known of a film before its first frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Film {
    /// Width of a frame in pixels, at least 1.
    pub width: u32,
    /// Height of a frame in pixels, at least 1.
    pub height: u32,
    /// Frames a second, more than 0.
    pub fps: f64,
    /// Number of frames, at least 1.
    pub frames: usize,
    /// Whether the background is transparent.
    pub transparent: bool,
    /// Number of frames that a PNG shows beside each other; 1 is a single picture.
    pub strip: usize,
    /// Most of them in one row, at least 1.
    pub columns: usize,
}

/// Takes the frames of a film one after the other.
pub trait Sink {
    /// Whether this output shows frame number `index`; others need not be drawn for it.
    fn wants(&self, index: usize) -> bool {
        let _ = index;
        true
    }

    /// Takes the next frame that it wants. Frames have the size of the film.
    fn push(&mut self, frame: &Picture) -> Result<(), Failure>;

    /// Completes the output and gives it its real name.
    fn finish(self: Box<Self>) -> Result<(), Failure>;
}

/// Opens the output that the name of `path` asks for.
///
/// # Errors
/// A usage failure for an unknown extension, a missing tool for a film without `ffmpeg`, an
/// output failure when nothing can be written there.
pub fn open(path: &Path, film: &Film) -> Result<Box<dyn Sink>, Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    Ok(match extension.to_ascii_lowercase().as_str() {
        "png" => Box::new(picture::Still::open(path, film)?),
        "gif" => Box::new(gif::Gif::open(path, film)?),
        "apng" => Box::new(apng::Apng::open(path, film)?),
        "mp4" => Box::new(ffmpeg::Ffmpeg::open(path, film, ffmpeg::Kind::Mp4)?),
        "webm" => Box::new(ffmpeg::Ffmpeg::open(path, film, ffmpeg::Kind::Webm)?),
        "" => Box::new(folder::Folder::open(path)?),
        other => {
            let message = format!("{}: no format has the extension `.{other}`", path.display());
            return Err(Failure::new(Code::OutputKind, message).help(
                "use .png, .gif, .apng, .mp4, .webm, or a name without an extension for a folder \
                 of frames",
            ));
        }
    })
}

/// Whether the name of `path` asks for a picture that does not move.
#[must_use]
pub fn is_still(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}

#[cfg(test)]
mod testing {
    use super::*;
    use crate::testing::Scratch;

    /// A film at 30 frames a second.
    pub(super) fn film(width: u32, height: u32, frames: usize) -> Film {
        Film { width, height, fps: 30.0, frames, transparent: false, strip: 1, columns: 4 }
    }

    /// Frames in which a bright bar moves over a ramp; half transparent when the film is.
    fn frames(film: &Film) -> Vec<Picture> {
        let frame = |t: usize| {
            let pixels = (0..film.width * film.height).flat_map(|i| {
                let (x, y) = (i % film.width, i / film.width);
                let bar = x as usize == t % film.width as usize;
                let alpha = if film.transparent && !bar && y % 2 == 0 { 0 } else { 255 };
                let colour = if bar { [250, 240, 20] } else { [(x * 8) as u8, (y * 8) as u8, 90] };
                [colour[0], colour[1], colour[2], alpha]
            });
            Picture { width: film.width, height: film.height, rgba: pixels.collect() }
        };
        (0..film.frames).map(frame).collect()
    }

    /// Writes a film of made-up frames to `path`.
    pub(super) fn push_all(path: &Path, film: &Film) -> Vec<Picture> {
        let frames = frames(film);
        push_frames(path, film, &frames);
        frames
    }

    fn push_frames(path: &Path, film: &Film, frames: &[Picture]) {
        let mut sink = open(path, film).unwrap();
        for (index, frame) in frames.iter().enumerate() {
            if sink.wants(index) {
                sink.push(frame).unwrap();
            }
        }
        sink.finish().unwrap();
    }

    /// Writes made-up frames and reads the file back as bytes.
    pub(super) fn write(name: &str, film: &Film) -> (Vec<u8>, Vec<Picture>) {
        let frames = frames(film);
        write_frames(name, film, &frames)
    }

    /// Writes these frames and reads the file back as bytes.
    pub(super) fn write_frames(
        name: &str,
        film: &Film,
        frames: &[Picture],
    ) -> (Vec<u8>, Vec<Picture>) {
        let scratch = Scratch::new();
        let path = scratch.path(name);
        push_frames(&path, film, frames);
        assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 1, "something is left");
        (std::fs::read(&path).unwrap(), frames.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn an_unknown_extension_is_a_usage_failure() {
        let scratch = Scratch::new();
        let failure = open(&scratch.path("a.avi"), &testing::film(2, 2, 1)).err().unwrap();
        assert_eq!(failure.code(), Code::OutputKind);
        assert!(failure.to_string().contains(".avi"));
    }
}
