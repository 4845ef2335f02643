//! GIF: plays everywhere, 256 colours.

use std::io::{BufWriter, Write};
use std::path::Path;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::apng::Area;
use super::palette::{Histogram, MOST, Palette};
use super::picture::pixels;
use super::spool::Spool;
use super::whole::Whole;
use super::{Film, Picture, Sink};
use crate::failure::{Code, Failure};

/// Entry of the palette that shows what lies beneath.
const TRANSPARENT: u8 = MOST as u8;
/// Pixels with less alpha than this are left out.
const OPAQUE: u8 = 128;
/// Shortest time of a frame in hundredths of a second: players slow shorter ones down to ten.
const SHORTEST: u64 = 2;

/// A GIF file that loops for ever, with one palette for all frames.
pub(super) struct Gif {
    output: Whole,
    spool: Spool,
    histogram: Histogram,
    film: Film,
}

impl Gif {
    pub(super) fn open(path: &Path, film: &Film) -> Result<Self, Failure> {
        let most = u32::from(u16::MAX);
        if film.width > most || film.height > most {
            let message = format!("{}: a GIF is at most {most} pixels wide", path.display());
            return Err(Failure::new(Code::OutputKind, message));
        }
        if film.fps > 50.0 {
            let message = format!("{}: a GIF has at most 50 frames a second", path.display());
            return Err(Failure::new(Code::OutputKind, message).help("use --fps 50 or less"));
        }
        let output = Whole::new(path)?;
        let spool = Spool::new(&output, film)?;
        Ok(Self { output, spool, histogram: Histogram::new(), film: *film })
    }
}

impl Sink for Gif {
    fn push(&mut self, frame: &Picture) -> Result<(), Failure> {
        for [r, g, b, alpha] in pixels(frame) {
            if alpha >= OPAQUE {
                self.histogram.add([r, g, b]);
            }
        }
        self.spool.push(frame)
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        let Self { output, spool, histogram, film } = *self;
        let mut palette = histogram.palette();
        let mut colours: Vec<u8> = palette.colours().concat();
        colours.resize(256 * 3, 0);
        let fail = |error: &dyn std::fmt::Display| output.failure(error);
        let mut file = BufWriter::new(output.create()?);
        let (width, height) = (film.width as u16, film.height as u16);
        let mut encoder =
            Encoder::new(&mut file, width, height, &colours).map_err(|error| fail(&error))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|error| fail(&error))?;
        let mut shown: Option<Picture> = None;
        let (mut index, total) = (0, spool.count());
        spool.replay(|picture| {
            let before = if film.transparent { None } else { shown.as_ref() };
            let mut frame = encode(&picture, before, &mut palette);
            if film.transparent && total > 1 {
                frame.dispose = DisposalMethod::Background;
            }
            frame.delay = delay(index, film.fps);
            index += 1;
            encoder.write_frame(&frame).map_err(|error| fail(&error))?;
            shown = Some(picture);
            Ok(())
        })?;
        drop(encoder);
        file.flush().map_err(|error| fail(&error))?;
        drop(file);
        output.keep()
    }
}

/// The time of frame number `index` in hundredths of a second, so that the sum stays true.
fn delay(index: u64, fps: f64) -> u16 {
    let end = |index: u64| (index as f64 * 100.0 / fps).round() as u64;
    (end(index + 1) - end(index)).clamp(SHORTEST, u16::MAX.into()) as u16
}

/// The changed rectangle of a frame as entries of the palette; inside it, pixels that did not
/// change are transparent, which packs better.
fn encode(picture: &Picture, before: Option<&Picture>, palette: &mut Palette) -> Frame<'static> {
    let area = match before {
        None => Area { x: 0, y: 0, width: picture.width, height: picture.height },
        Some(before) => Area::of_change(before, picture),
    };
    let mut buffer = Vec::with_capacity(area.width as usize * area.height as usize);
    for y in area.y as usize..(area.y + area.height) as usize {
        for x in area.x as usize..(area.x + area.width) as usize {
            let at = (y * picture.width as usize + x) * 4;
            let pixel = &picture.rgba[at..at + 4];
            let same = before.is_some_and(|before| &before.rgba[at..at + 4] == pixel);
            buffer.push(if same || pixel[3] < OPAQUE {
                TRANSPARENT
            } else {
                palette.index([pixel[0], pixel[1], pixel[2]], x, y)
            });
        }
    }
    Frame {
        left: area.x as u16,
        top: area.y as u16,
        width: area.width as u16,
        height: area.height as u16,
        transparent: Some(TRANSPARENT),
        dispose: DisposalMethod::Keep,
        buffer: buffer.into(),
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{film, write};
    use super::*;
    use image::AnimationDecoder;

    fn read(bytes: Vec<u8>) -> Vec<image::Frame> {
        let decoder = image::codecs::gif::GifDecoder::new(std::io::Cursor::new(bytes)).unwrap();
        decoder.into_frames().collect_frames().unwrap()
    }

    #[test]
    fn frames_come_back_in_time_and_nearly_in_colour() {
        let (bytes, frames) = write("a.gif", &film(16, 12, 7));
        let read = read(bytes);
        assert_eq!(read.len(), frames.len());
        for (read, frame) in read.iter().zip(&frames) {
            let total: u64 = read
                .buffer()
                .as_raw()
                .iter()
                .zip(&frame.rgba)
                .map(|(a, b)| u64::from(a.abs_diff(*b)))
                .sum();
            let mean = total as f64 / frame.rgba.len() as f64;
            assert!(mean < 4.0, "mean difference {mean}");
        }
        let hundredths: Vec<u32> =
            read.iter().map(|frame| frame.delay().numer_denom_ms().0 / 10).collect();
        assert_eq!(hundredths, [3, 4, 3, 3, 4, 3, 3]);
    }

    #[test]
    fn what_stands_still_does_not_flicker() {
        // A ramp that needs dithering, and one pixel that moves over it.
        let (width, height) = (64, 64);
        let mut film = film(width, height, 4);
        film.transparent = false;
        let frames: Vec<Picture> = (0..4u32)
            .map(|t| {
                let ramp = (0..width * height).flat_map(|i| {
                    let (x, y) = (i % width, i / width);
                    if y == 0 && x == t {
                        return [255, 0, 255, 255];
                    }
                    [(x * 4) as u8, (y * 4) as u8, ((x + y) * 2) as u8, 255]
                });
                Picture { width, height, rgba: ramp.collect() }
            })
            .collect();
        let (bytes, _) = super::super::testing::write_frames("a.gif", &film, &frames);
        let read = read(bytes);
        let below = |frame: &image::Frame| frame.buffer().as_raw()[width as usize * 4..].to_vec();
        for frame in &read[1..] {
            assert!(below(frame) == below(&read[0]), "dither moved between frames");
        }
    }

    #[test]
    fn a_transparent_film_shows_each_frame_alone() {
        let mut film = film(9, 9, 3);
        film.transparent = true;
        let (bytes, frames) = write("a.gif", &film);
        for (read, frame) in read(bytes).iter().zip(&frames) {
            for (read, pixel) in read.buffer().pixels().zip(pixels(frame)) {
                assert_eq!(read.0[3] == 0, pixel[3] < OPAQUE);
            }
        }
    }

    #[test]
    fn the_delays_add_up() {
        let sum: u32 = (0..300).map(|index| u32::from(delay(index, 30.0))).sum();
        assert_eq!(sum, 1000);
        assert_eq!(delay(0, 50.0), 2);
        assert_eq!(delay(0, 0.001), u16::MAX);
    }
}
