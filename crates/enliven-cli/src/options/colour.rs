//! `--background '#30343c'`.

use std::str::FromStr;

/// What stands behind the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// The sky with its ground.
    Sky,
    /// Nothing: the picture has an alpha channel.
    Transparent,
    /// One colour, sRGB, 8 bits a channel.
    Colour([u8; 3]),
}

impl FromStr for Background {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        Ok(match text.to_ascii_lowercase().as_str() {
            "sky" => Self::Sky,
            "transparent" | "none" => Self::Transparent,
            "black" => Self::Colour([0; 3]),
            "white" => Self::Colour([255; 3]),
            "grey" | "gray" => Self::Colour([128; 3]),
            hex => {
                let digits = hex.strip_prefix('#').unwrap_or(hex);
                Self::Colour(from_hex(digits).ok_or_else(|| {
                    "a background is `sky`, `transparent`, `black`, `white`, `grey` or a colour \
                     like #30343c"
                        .to_owned()
                })?)
            }
        })
    }
}

fn from_hex(digits: &str) -> Option<[u8; 3]> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        // Each digit of the short form stands twice.
        3 => Some([8, 4, 0].map(|shift| ((value >> shift & 0xf) * 0x11) as u8)),
        6 => Some([16, 8, 0].map(|shift| (value >> shift & 0xff) as u8)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backgrounds() {
        assert_eq!("Sky".parse(), Ok(Background::Sky));
        assert_eq!("none".parse(), Ok(Background::Transparent));
        assert_eq!("#30343c".parse(), Ok(Background::Colour([0x30, 0x34, 0x3c])));
        assert_eq!("f80".parse(), Ok(Background::Colour([0xff, 0x88, 0])));
        for wrong in ["", "#", "#12", "#12345", "#1234567", "#+12345", "mauve-ish"] {
            assert!(wrong.parse::<Background>().is_err(), "{wrong}");
        }
    }
}
