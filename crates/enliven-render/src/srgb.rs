//! The sRGB transfer function (IEC 61966-2-1), for textures and pictures on the CPU.

use std::sync::LazyLock;

static DECODE: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|i| decode(i as f32 / 255.0)));

/// Boundaries, in linear light, between neighbouring 8-bit codes.
static BOUNDARY: LazyLock<[f32; 255]> =
    LazyLock::new(|| std::array::from_fn(|i| decode((i as f32 + 0.5) / 255.0)));

/// Linear light of a code in 0..=1.
pub(crate) fn decode(code: f32) -> f32 {
    if code <= 0.04045 { code / 12.92 } else { enliven::math::pow((code + 0.055) / 1.055, 2.4) }
}

/// Linear light of each 8-bit code, 0..=1.
pub(crate) fn decode_table() -> &'static [f32; 256] {
    &DECODE
}

/// The 8-bit code nearest to a linear value; values outside 0..=1 are clamped.
pub(crate) fn encode(linear: f32) -> u8 {
    let boundary: &[f32; 255] = &BOUNDARY;
    // 255 boundaries: the count below is at most 255, so the cast is exact.
    boundary.partition_point(|&edge| edge <= linear) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives() {
        for code in 0..=255u8 {
            assert_eq!(encode(decode_table()[usize::from(code)]), code);
        }
        assert_eq!((encode(-1.0), encode(2.0), encode(f32::NAN)), (0, 255, 0));
        // 18 % grey: the photographer's fixed point.
        assert_eq!(encode(0.18), 118);
    }
}
