//! `--size 640x360`.

use std::str::FromStr;

/// Size of a picture in pixels, both at least 1 and at most 16384.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Size {
    /// Most pixels in one direction: what graphics devices commonly draw.
    pub const MOST: u32 = 16_384;
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |part: &str| -> Option<u32> {
            part.trim().parse().ok().filter(|side| (1..=Self::MOST).contains(side))
        };
        let parsed = match text.split_once(['x', 'X', '×']) {
            Some((width, height)) => side(width).zip(side(height)),
            None => side(text).map(|both| (both, both)),
        };
        let (width, height) = parsed.ok_or_else(|| {
            format!("a size is WIDTHxHEIGHT, like 640x360, each from 1 to {}", Self::MOST)
        })?;
        Ok(Self { width, height })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!("640x360".parse(), Ok(Size { width: 640, height: 360 }));
        assert_eq!("512".parse(), Ok(Size { width: 512, height: 512 }));
        for wrong in ["", "x", "0x5", "5x0", "-1x5", "99999x5", "5x5x5", "1.5x2"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
