//! A contact sheet: pictures of different shots in rows.

use std::path::Path;
use std::sync::{Arc, Mutex};

use enliven_render::Picture;

use super::picture::{GAP, GAP_COLOUR, paste, save};
use super::whole::Whole;
use super::{Film, Sink};
use crate::failure::{Code, Failure};

/// Pictures in rows, each with its top left corner at its place; written as one PNG file.
#[derive(Debug)]
pub struct Sheet {
    output: Whole,
    rows: Vec<Vec<Picture>>,
}

/// Most pixels of a sheet, 512 MiB of them.
const MOST_PIXELS: u64 = 1 << 27;

/// What a shot left behind.
type Slot = Arc<Mutex<Option<Picture>>>;

/// Keeps the first frame of a film.
struct Keep(Slot);

impl Sink for Keep {
    fn wants(&self, index: usize) -> bool {
        index == 0
    }

    fn push(&mut self, frame: &Picture) -> Result<(), Failure> {
        if let Ok(mut slot) = self.0.lock() {
            *slot = Some(frame.clone());
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        Ok(())
    }
}

impl Sheet {
    /// Prepares to write the file.
    ///
    /// # Errors
    /// Where nothing can be written there.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Ok(Self { output: Whole::new(path)?, rows: vec![Vec::new()] })
    }

    /// Begins the next row; a row without pictures stays the current one.
    pub fn next_row(&mut self) {
        if self.rows.last().is_some_and(|row| !row.is_empty()) {
            self.rows.push(Vec::new());
        }
    }

    /// Adds the first frame that `draw` gives to the output it is handed.
    ///
    /// # Errors
    /// Those of `draw`; where the sheet would be too large.
    pub fn add(
        &mut self,
        draw: impl FnOnce(&mut dyn FnMut(&Film) -> Vec<Box<dyn Sink>>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let slot = Slot::default();
        draw(&mut |_| vec![Box::new(Keep(Arc::clone(&slot)))])?;
        let picture = slot.lock().ok().and_then(|mut slot| slot.take());
        if let (Some(picture), Some(row)) = (picture, self.rows.last_mut()) {
            row.push(picture);
        }
        let [width, height] = self.size();
        if width * height > MOST_PIXELS {
            let message = format!("a sheet of {width} × {height} pixels is too large");
            return Err(
                Failure::new(Code::Option, message).help("use fewer shots or a smaller --size")
            );
        }
        Ok(())
    }

    /// Width and height of the sheet, pixels.
    fn size(&self) -> [u64; 2] {
        let with_gaps = |sizes: &mut dyn Iterator<Item = u64>| {
            sizes.fold(0, |sum: u64, size| sum + size + if sum > 0 { u64::from(GAP) } else { 0 })
        };
        let rows = || self.rows.iter().filter(|row| !row.is_empty());
        let wide = |row: &Vec<Picture>| with_gaps(&mut row.iter().map(|p| u64::from(p.width)));
        let height = with_gaps(&mut rows().map(|row| u64::from(tallest(row))));
        [rows().map(wide).max().unwrap_or(1), height.max(1)]
    }

    /// Writes the file; how many pictures it shows.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn finish(mut self) -> Result<usize, Failure> {
        self.rows.retain(|row| !row.is_empty());
        // Neither is above the most pixels.
        let [width, height] = self.size().map(|size| size as u32);
        let mut sheet = Picture::filled(width, height, GAP_COLOUR);
        let (mut y, mut count) = (0, 0);
        for row in &self.rows {
            let mut x = 0;
            for picture in row {
                paste(&mut sheet, picture, x, y);
                x += picture.width + GAP;
                count += 1;
            }
            y += tallest(row) + GAP;
        }
        save(self.output, &sheet)?;
        Ok(count)
    }
}

fn tallest(row: &[Picture]) -> u32 {
    row.iter().map(|picture| picture.height).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn a_sheet_has_a_largest_size() {
        let scratch = Scratch::new();
        let path = scratch.path("sheet.png");
        let mut sheet = Sheet::open(&path).unwrap();
        let mut add = |width: u32, height: u32| {
            let film = super::super::testing::film(width, height, 1);
            sheet.next_row();
            sheet.add(|open| {
                open(&film).remove(0).push(&Picture::filled(width, height, [9, 9, 9, 255]))
            })
        };
        // Few pixels each, but the sheet is as wide as the one and as high as the other.
        add(20_000, 1).unwrap();
        let failure = add(1, 20_000).unwrap_err();
        assert!(failure.to_string().contains("20000 × 20"), "{failure}");
        drop(sheet);
        assert!(!path.exists());
    }

    #[test]
    fn pictures_stand_in_their_rows() {
        let scratch = Scratch::new();
        let path = scratch.path("sheet.png");
        let mut sheet = Sheet::open(&path).unwrap();
        let film = super::super::testing::film(2, 3, 1);
        let add = |sheet: &mut Sheet, shade: u8| {
            sheet
                .add(|open| {
                    for mut sink in open(&film) {
                        sink.push(&Picture::filled(2, 3, [shade, 0, 0, 255]))?;
                        sink.finish()?;
                    }
                    Ok(())
                })
                .unwrap();
        };
        sheet.next_row();
        add(&mut sheet, 10);
        add(&mut sheet, 20);
        sheet.next_row();
        sheet.next_row();
        add(&mut sheet, 30);
        assert_eq!(sheet.finish().unwrap(), 3);
        let image = image::open(&path).unwrap().into_rgba8();
        assert_eq!(image.dimensions(), (2 + GAP + 2, 3 + GAP + 3));
        assert_eq!(image.get_pixel(0, 0)[0], 10);
        assert_eq!(image.get_pixel(2 + GAP, 2)[0], 20);
        assert_eq!(image.get_pixel(1, 3 + GAP)[0], 30);
        assert_eq!(image.get_pixel(2 + GAP, 3 + GAP).0, GAP_COLOUR);
    }
}
