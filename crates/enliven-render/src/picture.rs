//! A finished picture in memory.

/// A finished picture: 8-bit RGBA, sRGB, straight (not premultiplied) alpha, rows from the top.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width · height · 4` bytes: red, green, blue, alpha.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, rgba: [u8; 4]) -> Self {
        let pixels = width as usize * height as usize;
        Self { width, height, rgba: rgba.repeat(pixels) }
    }

    /// The pixel at column `x` and row `y`, or transparent black outside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        if x >= self.width || y >= self.height {
            return [0; 4];
        }
        let at = (y as usize * self.width as usize + x as usize) * 4;
        match self.rgba.get(at..at + 4) {
            Some(&[r, g, b, a]) => [r, g, b, a],
            _ => [0; 4],
        }
    }
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({} × {})", self.width, self.height)
    }
}

/// Turns colours that were stored as `encode(linear · alpha)` into straight alpha, in place.
pub(crate) fn unpremultiply(rgba: &mut [u8]) {
    let (decode, encode) = (crate::srgb::decode_table(), crate::srgb::encode);
    for pixel in rgba.chunks_exact_mut(4) {
        let alpha = pixel[3];
        if alpha == 0 {
            pixel.copy_from_slice(&[0; 4]);
        } else if alpha != 255 {
            let scale = 255.0 / f32::from(alpha);
            for channel in &mut pixel[..3] {
                *channel = encode((decode[usize::from(*channel)] * scale).min(1.0));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_alpha_comes_back() {
        // Linear 0.5 at alpha 0.5 is stored as encode(0.25).
        let stored = crate::srgb::encode(0.25);
        let mut rgba = vec![stored, stored, stored, 128, 9, 9, 9, 0, 7, 8, 9, 255];
        unpremultiply(&mut rgba);
        assert!(rgba[0].abs_diff(crate::srgb::encode(0.5)) <= 1, "{rgba:?}");
        assert_eq!(&rgba[4..], &[0, 0, 0, 0, 7, 8, 9, 255]);
    }

    #[test]
    fn outside_is_transparent() {
        let picture = Picture::filled(2, 1, [1, 2, 3, 4]);
        assert_eq!(picture.pixel(1, 0), [1, 2, 3, 4]);
        assert_eq!(picture.pixel(2, 0), [0; 4]);
    }
}
