//! Animated PNG: every colour exact, no tool needed.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use super::whole::Whole;
use super::{Film, Picture, Sink};
use crate::failure::Failure;

/// An APNG file that loops for ever. Each frame stores only the rectangle that changed.
pub(super) struct Apng {
    output: Whole,
    writer: png::Writer<BufWriter<File>>,
    channels: usize,
    previous: Option<Picture>,
}

impl Apng {
    pub(super) fn open(path: &Path, film: &Film) -> Result<Self, Failure> {
        let output = Whole::new(path)?;
        let file = BufWriter::new(output.create()?);
        let open = || -> Result<_, png::EncodingError> {
            let mut encoder = png::Encoder::new(file, film.width, film.height);
            let transparent = film.transparent;
            encoder.set_color(if transparent { png::ColorType::Rgba } else { png::ColorType::Rgb });
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            encoder.set_animated(film.frames.try_into().unwrap_or(u32::MAX), 0)?;
            let (numerator, denominator) = frame_delay(film.fps);
            encoder.set_frame_delay(numerator, denominator)?;
            encoder.write_header()
        };
        let writer = open().map_err(|error| output.failure(&error))?;
        let channels = if film.transparent { 4 } else { 3 };
        Ok(Self { output, writer, channels, previous: None })
    }
}

/// The time of a frame as a fraction of a second, both parts in 16 bits.
fn frame_delay(fps: f64) -> (u16, u16) {
    let whole = fps.round();
    if (fps - whole).abs() < 1e-6 && (1.0..=65_535.0).contains(&whole) {
        return (1, whole as u16);
    }
    // In milliseconds, or in hundredths of a second for frames longer than a minute.
    let milliseconds = (1000.0 / fps).round();
    if milliseconds <= 65_535.0 {
        (milliseconds.max(1.0) as u16, 1000)
    } else {
        ((100.0 / fps).round().min(65_535.0) as u16, 100)
    }
}

impl Sink for Apng {
    fn push(&mut self, frame: &Picture) -> Result<(), Failure> {
        // The first frame is the whole picture: the format wants it so.
        let area = match &self.previous {
            None => Area { x: 0, y: 0, width: frame.width, height: frame.height },
            Some(previous) => Area::of_change(previous, frame),
        };
        let bytes = area.bytes(frame, self.channels);
        let write = |writer: &mut png::Writer<_>| -> Result<(), png::EncodingError> {
            if self.previous.is_some() {
                writer.reset_frame_position()?;
                writer.set_frame_dimension(area.width, area.height)?;
                writer.set_frame_position(area.x, area.y)?;
                writer.set_blend_op(png::BlendOp::Source)?;
            }
            writer.write_image_data(&bytes)
        };
        write(&mut self.writer).map_err(|error| self.output.failure(&error))?;
        self.previous = Some(frame.clone());
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        let Self { output, writer, .. } = *self;
        writer.finish().map_err(|error| output.failure(&error))?;
        output.keep()
    }
}

/// A rectangle of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Area {
    /// The smallest rectangle that holds every pixel that differs; one pixel when none does.
    pub(super) fn of_change(before: &Picture, after: &Picture) -> Self {
        let width = after.width as usize;
        let (mut left, mut right, mut top, mut bottom) = (width, 0, None, 0);
        let rows = before.rgba.chunks_exact(width * 4).zip(after.rgba.chunks_exact(width * 4));
        for (y, (old, new)) in rows.enumerate() {
            if old == new {
                continue;
            }
            top = top.or(Some(y));
            bottom = y;
            let differs = |x: &usize| old[x * 4..x * 4 + 4] != new[x * 4..x * 4 + 4];
            left = (0..left).find(differs).unwrap_or(left);
            right = (right..width).rev().find(differs).unwrap_or(right);
        }
        match top {
            None => Self { x: 0, y: 0, width: 1, height: 1 },
            Some(top) => Self {
                x: left as u32,
                y: top as u32,
                width: (right - left + 1) as u32,
                height: (bottom - top + 1) as u32,
            },
        }
    }

    fn bytes(&self, frame: &Picture, channels: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.width as usize * self.height as usize * channels);
        let row_bytes = frame.width as usize * 4;
        let rows = frame.rgba.chunks_exact(row_bytes);
        for row in rows.skip(self.y as usize).take(self.height as usize) {
            let pixels = row.chunks_exact(4).skip(self.x as usize).take(self.width as usize);
            pixels.for_each(|pixel| bytes.extend_from_slice(&pixel[..channels]));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{film, write};
    use super::*;
    use image::AnimationDecoder;

    #[test]
    fn frames_come_back_exactly_with_their_time() {
        for transparent in [false, true] {
            let mut film = film(7, 5, 6);
            film.transparent = transparent;
            let (bytes, frames) = write("a.apng", &film);
            let decoder = image::codecs::png::PngDecoder::new(std::io::Cursor::new(bytes)).unwrap();
            let read = decoder.apng().unwrap().into_frames().collect_frames().unwrap();
            assert_eq!(read.len(), frames.len());
            for (read, frame) in read.iter().zip(&frames) {
                assert_eq!(read.buffer().as_raw(), &frame.rgba);
                assert_eq!(read.delay().numer_denom_ms(), (100, 3));
            }
        }
    }

    #[test]
    fn the_time_of_a_frame_fits_the_format() {
        assert_eq!(frame_delay(30.0), (1, 30));
        assert_eq!(frame_delay(23.976), (42, 1000));
        assert_eq!(frame_delay(0.5), (2000, 1000));
        assert_eq!(frame_delay(0.01), (10_000, 100));
        assert_eq!(frame_delay(1e9), (1, 1000));
    }

    #[test]
    fn the_changed_rectangle_is_the_smallest() {
        let before = Picture::filled(8, 8, [0, 0, 0, 255]);
        let mut bytes = before.rgba.to_vec();
        for (x, y) in [(2, 3), (5, 6)] {
            bytes[(y * 8 + x) * 4] = 9;
        }
        let after = Picture { width: 8, height: 8, rgba: bytes };
        let area = Area::of_change(&before, &after);
        assert_eq!(area, Area { x: 2, y: 3, width: 4, height: 4 });
        assert_eq!(Area::of_change(&after, &after).width, 1);
    }
}
