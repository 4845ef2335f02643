//! What is done with attributes after they were unpacked, in place.

use super::Filter;

/// Applies a filter to elements of `stride` bytes, which fits it.
pub(super) fn apply(filter: Filter, stride: usize, bytes: &mut [u8]) {
    match (filter, stride) {
        (Filter::None, _) => {}
        (Filter::Octahedral, 4) => each8(bytes, |v| octahedral(v, 127.0)),
        (Filter::Octahedral, _) => each16(bytes, |v| octahedral(v, 32767.0)),
        (Filter::Quaternion, _) => each16(bytes, quaternion),
        (Filter::Exponential, _) => exponential(bytes),
        (Filter::Color, 4) => {
            for four in bytes.chunks_exact_mut(4) {
                let signed = |b: u8| i32::from(b as i8);
                let [y, co, cg, a] = [four[0], four[1], four[2], four[3]];
                let rgba = color(y.into(), signed(co), signed(cg), a.into(), 255.0);
                four.copy_from_slice(&rgba.map(|v| v as u8));
            }
        }
        (Filter::Color, _) => {
            for eight in bytes.chunks_exact_mut(8) {
                let word = |i: usize| u16::from_le_bytes([eight[2 * i], eight[2 * i + 1]]);
                let signed = |i: usize| i32::from(word(i) as i16);
                let rgba = color(word(0).into(), signed(1), signed(2), word(3).into(), 65535.0);
                for (two, v) in eight.chunks_exact_mut(2).zip(rgba) {
                    two.copy_from_slice(&(v as u16).to_le_bytes());
                }
            }
        }
    }
}

fn each8(bytes: &mut [u8], filter: impl Fn([i32; 4]) -> [i32; 4]) {
    for four in bytes.chunks_exact_mut(4) {
        let out = filter([0, 1, 2, 3].map(|i| i32::from(four[i] as i8)));
        for (byte, v) in four.iter_mut().zip(out) {
            *byte = v as i8 as u8;
        }
    }
}

fn each16(bytes: &mut [u8], filter: impl Fn([i32; 4]) -> [i32; 4]) {
    for eight in bytes.chunks_exact_mut(8) {
        let word = |i: usize| i32::from(i16::from_le_bytes([eight[2 * i], eight[2 * i + 1]]));
        let out = filter([0, 1, 2, 3].map(word));
        for (two, v) in eight.chunks_exact_mut(2).zip(out) {
            two.copy_from_slice(&(v as i16).to_le_bytes());
        }
    }
}

/// A unit vector from its place on an octahedron; the fourth number stays.
fn octahedral([x, y, one, w]: [i32; 4], most: f32) -> [i32; 4] {
    // What encodes 1 is positive in a valid stream; otherwise the result is unspecified.
    let one = one.max(1) as f32;
    let (x, y) = (x as f32 / one, y as f32 / one);
    let z = 1.0 - x.abs() - y.abs();
    let fold = z.min(0.0);
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let length = (x * x + y * y + z * z).sqrt().max(f32::MIN_POSITIVE);
    let out = |v: f32| (v / length * most).round() as i32;
    [out(x), out(y), out(z), w]
}

/// A unit quaternion from its three smaller components.
fn quaternion([x, y, z, rest]: [i32; 4]) -> [i32; 4] {
    // What encodes 1 is positive in a valid stream; otherwise the result is unspecified.
    let one = (rest | 3).max(1) as f32;
    let scale = core::f32::consts::FRAC_1_SQRT_2 / one;
    let [x, y, z] = [x, y, z].map(|v| v as f32 * scale);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let most = (rest & 3) as usize;
    let mut out = [0; 4];
    for (i, v) in [w, x, y, z].into_iter().enumerate() {
        out[(most + i) % 4] = (v * 32767.0).round().clamp(-32767.0, 32767.0) as i32;
    }
    out
}

/// Floats from a signed exponent of 8 bits above a signed mantissa of 24.
fn exponential(bytes: &mut [u8]) {
    for four in bytes.chunks_exact_mut(4) {
        let v = i32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        let (exponent, mantissa) = (v >> 24, v << 8 >> 8);
        // Valid ones are within ±100.
        let power = f32::from_bits(((exponent.clamp(-126, 127) + 127) as u32) << 23);
        four.copy_from_slice(&(power * mantissa as f32).to_le_bytes());
    }
}

/// Red, green, blue and alpha from luma, two chromas, and an alpha whose highest bit tells the
/// number of bits.
fn color(y: i32, co: i32, cg: i32, a: i32, most: f32) -> [i32; 4] {
    let scale = (1i32 << (32 - a.leading_zeros())) - 1;
    let (r, g, b) = (y + co - cg, y + cg, y - co - cg);
    let alpha = a & (scale >> 1);
    let alpha = alpha << 1 | alpha & 1;
    let by = most / scale.max(1) as f32;
    [r, g, b, alpha].map(|v| (v as f32 * by).round().clamp(0.0, most) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(v: [i16; 4]) -> Vec<u8> {
        v.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn octahedra() {
        // +z, −z (folded to a corner), and an even mix, of 8 bits; the last number stays.
        for (from, want) in [
            ([0, 0, 127, 5], [0, 0, 127, 5]),
            ([127, 0, 127, -1], [127, 0, 0, -1]),
            ([127, 127, 127, 0], [0, 0, -127, 0]),
            ([0, 0, 7, 9], [0, 0, 127, 9]),
        ] {
            let mut bytes = from.map(|v: i8| v as u8);
            apply(Filter::Octahedral, 4, &mut bytes);
            assert_eq!(bytes.map(|v| v as i8), want, "{from:?}");
        }
        let mut bytes = words([0, -511, 511, 3]);
        apply(Filter::Octahedral, 8, &mut bytes);
        assert_eq!(bytes, words([0, -32767, 0, 3]));
    }

    #[test]
    fn quaternions() {
        // Ten bits: 511 is 1, whose lowest two bits name the largest component.
        let mut bytes = words([0, 0, 0, 511 & !3 | 3]);
        apply(Filter::Quaternion, 8, &mut bytes);
        assert_eq!(bytes, words([0, 0, 0, 32767]));
        let mut bytes = words([511, 0, 0, 511 & !3]);
        apply(Filter::Quaternion, 8, &mut bytes);
        // 1/√2 in x, the largest, and in y, the next one round.
        assert_eq!(bytes, words([23170, 23170, 0, 0]));
    }

    #[test]
    fn exponents() {
        for (exponent, mantissa, want) in [(0, 5, 5.0), (-1, 3, 1.5), (3, -7, -56.0), (-10, 0, 0.0)]
        {
            let v: i32 = exponent << 24 | (mantissa & 0x00ff_ffff);
            let mut bytes = v.to_le_bytes();
            apply(Filter::Exponential, 4, &mut bytes);
            assert_eq!(f32::from_le_bytes(bytes), want);
        }
    }

    #[test]
    fn colors() {
        // Eight bits: white, and a grey without chroma, opaque.
        let mut bytes = [255, 0, 0, 255, 128, 0, 0, 255];
        apply(Filter::Color, 4, &mut bytes);
        assert_eq!(bytes, [255, 255, 255, 255, 128, 128, 128, 255]);
        // Four bits: 15 is 1; red = y + co − cg.
        let mut bytes = [8, 7, 0, 0b1111];
        apply(Filter::Color, 4, &mut bytes);
        assert_eq!(bytes, [255, 136, 17, 255]);
    }

    #[test]
    fn nothing_that_a_stream_can_say_panics() {
        for filter in [Filter::Octahedral, Filter::Quaternion, Filter::Exponential, Filter::Color] {
            for a in [0u8, 1, 127, 128, 255] {
                for b in [0u8, 1, 127, 128, 255] {
                    let mut bytes = [a, b, a, b, b, a, a, b];
                    apply(filter, 8, &mut bytes);
                    let mut bytes = [b, a, a, b];
                    if filter != Filter::Quaternion {
                        apply(filter, 4, &mut bytes);
                    }
                }
            }
        }
    }
}
