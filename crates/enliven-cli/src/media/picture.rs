//! PNG files of one frame or of several beside each other.

use std::io::BufWriter;
use std::path::Path;

use enliven_render::Picture;

use super::whole::Whole;
use super::{Film, Sink};
use crate::failure::Failure;

/// The pixels one by one, row by row from the top left.
pub(super) fn pixels(picture: &Picture) -> impl Iterator<Item = [u8; 4]> {
    picture.rgba.as_chunks().0.iter().copied()
}

/// Writes `frame` into `picture` with its top left corner at `(x, y)`; what would lie outside is
/// cut off.
pub(super) fn paste(picture: &mut Picture, frame: &Picture, x: u32, y: u32) {
    let width = frame.width.min(picture.width.saturating_sub(x)) as usize * 4;
    for row in 0..frame.height.min(picture.height.saturating_sub(y)) {
        let from = row as usize * frame.width as usize * 4;
        let to = ((y + row) as usize * picture.width as usize + x as usize) * 4;
        picture.rgba[to..to + width].copy_from_slice(&frame.rgba[from..from + width]);
    }
}

/// Space between the frames of a filmstrip, in pixels.
pub(super) const GAP: u32 = 4;
/// Colour of the space between the frames.
pub(super) const GAP_COLOUR: [u8; 4] = [24, 24, 28, 255];

/// A PNG file: one frame, or a filmstrip of frames evenly spread over the film.
pub(super) struct Still {
    output: Whole,
    picture: Picture,
    indices: Vec<usize>,
    columns: usize,
    taken: usize,
}

impl Still {
    pub(super) fn open(path: &Path, film: &Film) -> Result<Self, Failure> {
        let count = film.strip.clamp(1, film.frames.max(1));
        let last = film.frames.saturating_sub(1);
        // A single picture is the first frame; a strip goes from the first frame to the last.
        let indices = (0..count).map(|i| if count == 1 { 0 } else { i * last / (count - 1) });
        let rows = count.div_ceil(film.columns.max(1));
        let columns = count.div_ceil(rows);
        let span = |size: u32, count: usize| size * count as u32 + GAP * (count as u32 - 1);
        let (width, height) = (span(film.width, columns), span(film.height, rows));
        Ok(Self {
            output: Whole::new(path)?,
            picture: Picture::filled(width, height, GAP_COLOUR),
            indices: indices.collect(),
            columns,
            taken: 0,
        })
    }
}

impl Sink for Still {
    fn wants(&self, index: usize) -> bool {
        self.indices.contains(&index)
    }

    fn push(&mut self, frame: &Picture) -> Result<(), Failure> {
        let (column, row) = (self.taken % self.columns, self.taken / self.columns);
        let x = column as u32 * (frame.width + GAP);
        let y = row as u32 * (frame.height + GAP);
        paste(&mut self.picture, frame, x, y);
        self.taken += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        save(self.output, &self.picture)
    }
}

/// Writes a picture as a whole PNG file.
pub(super) fn save(output: Whole, picture: &Picture) -> Result<(), Failure> {
    let mut file = BufWriter::new(output.create()?);
    write_png(&mut file, picture).map_err(|error| output.failure(&error))?;
    std::io::Write::flush(&mut file).map_err(|error| output.failure(&error))?;
    drop(file);
    output.keep()
}

/// Writes a PNG file: RGB when every pixel is opaque, RGBA otherwise.
pub(super) fn write_png(
    file: &mut impl std::io::Write,
    picture: &Picture,
) -> Result<(), png::EncodingError> {
    let opaque = pixels(picture).all(|pixel| pixel[3] == 255);
    let mut encoder = png::Encoder::new(file, picture.width, picture.height);
    encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    if opaque {
        let rgb: Vec<u8> = pixels(picture).flat_map(|[r, g, b, _]| [r, g, b]).collect();
        writer.write_image_data(&rgb)?;
    } else {
        writer.write_image_data(&picture.rgba)?;
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{film, write};
    use super::*;

    #[test]
    fn a_png_holds_the_first_frame_exactly() {
        let film = film(5, 3, 4);
        let (bytes, frames) = write("a.png", &film);
        let read = image::load_from_memory(&bytes).unwrap();
        assert!(matches!(read, image::DynamicImage::ImageRgb8(_)), "opaque pictures are RGB");
        assert_eq!(read.to_rgba8().into_raw(), frames[0].rgba);
    }

    #[test]
    fn a_transparent_png_keeps_its_alpha() {
        let mut film = film(5, 3, 1);
        film.transparent = true;
        let (bytes, frames) = write("a.png", &film);
        let read = image::load_from_memory(&bytes).unwrap();
        assert_eq!(read.into_rgba8().into_raw(), frames[0].rgba);
    }

    #[test]
    fn a_strip_goes_from_the_first_frame_to_the_last() {
        let mut film = film(5, 3, 11);
        film.strip = 6;
        let (bytes, frames) = write("a.png", &film);
        let read = image::load_from_memory(&bytes).unwrap().to_rgba8();
        // Six frames stand in two rows of three.
        assert_eq!(read.dimensions(), (5 * 3 + GAP * 2, 3 * 2 + GAP));
        for (place, index) in [0, 2, 4, 6, 8, 10].into_iter().enumerate() {
            let (x, y) = (place as u32 % 3 * (5 + GAP), place as u32 / 3 * (3 + GAP));
            let part = image::imageops::crop_imm(&read, x, y, 5, 3).to_image();
            assert_eq!(part.into_raw(), frames[index].rgba, "frame {index}");
        }
        assert_eq!(read.get_pixel(5, 0).0, GAP_COLOUR);
    }

    #[test]
    fn a_strip_longer_than_the_film_shows_every_frame_once() {
        let mut film = film(2, 2, 3);
        film.strip = 10;
        let (bytes, _) = write("a.png", &film);
        assert_eq!(image::load_from_memory(&bytes).unwrap().width(), 2 * 3 + GAP * 2);
    }
}
