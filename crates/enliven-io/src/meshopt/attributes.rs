//! Mode 0: elements as differences of bytes, in blocks of up to 256 elements.

use super::{Malformed, Reader, unzigzag};

/// Elements whose differences share a width.
const GROUP: usize = 16;
/// Bytes of a block, at most.
const BLOCK_BYTES: usize = 8192;
/// Elements of a block, at most.
const BLOCK: usize = 256;

/// How the bytes of a group may be stored: bits a difference, by the two header bits.
type Widths = [u8; 4];

/// Where each version keeps what.
struct Version {
    /// Least length of the tail, so that fast decoders may read past a group.
    tail: usize,
    /// Whether blocks say how each of their bytes is stored, and the tail how each four bytes of an
    /// element differ.
    modes: bool,
}

/// How four bytes of an element differ from those of the element before.
#[derive(Clone, Copy)]
enum Channel {
    Bytes,
    Pairs,
    /// Exclusive or, turned to the left by so many bits.
    Xor(u32),
}

/// Unpacks `count` elements of `stride` bytes, a multiple of 4 from 4 to 256.
pub(super) fn decode(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Malformed> {
    let header = *stream.first().ok_or(Malformed::Short)?;
    let version = match header {
        0xa0 => Version { tail: 32, modes: false },
        0xa1 => Version { tail: 24, modes: true },
        _ => return Err(Malformed::Header(header)),
    };
    let per_block = (BLOCK_BYTES / stride / GROUP * GROUP).min(BLOCK);
    let own_tail = stride + if version.modes { stride / 4 } else { 0 };
    let tail_start = stream.len().checked_sub(own_tail.max(version.tail));
    let body = tail_start.and_then(|end| stream.get(1..end)).ok_or(Malformed::Short)?;
    // The least that so many elements take: header bits, or control bytes.
    let per_byte = if version.modes { 1 } else { 4 * per_block.div_ceil(GROUP).div_ceil(4) };
    let least = (count / per_block).saturating_mul(per_byte).saturating_mul(stride / 4);
    if body.len() < least {
        return Err(Malformed::Short);
    }
    let tail = &stream[stream.len() - own_tail..];
    let channels = match version.modes {
        true => tail[stride..].iter().map(|b| channel(*b)).collect::<Result<Vec<_>, _>>()?,
        false => vec![Channel::Bytes; stride / 4],
    };

    let mut out = Vec::with_capacity(count * stride);
    let mut before = tail[..stride].to_vec();
    let mut reader = Reader { left: body };
    let mut deltas = vec![0u8; stride * per_block];
    let mut left = count;
    while left > 0 {
        let elements = left.min(per_block);
        let control = if version.modes { reader.take(stride / 4)? } else { &[] };
        for (k, plane) in deltas.chunks_exact_mut(per_block).enumerate() {
            let control = control.get(k / 4).map(|byte| byte >> (k % 4 * 2) & 3);
            match control {
                None => groups(&mut reader, [0, 2, 4, 8], elements, plane)?,
                Some(0) => groups(&mut reader, [0, 1, 2, 4], elements, plane)?,
                Some(1) => groups(&mut reader, [1, 2, 4, 8], elements, plane)?,
                Some(2) => plane.fill(0),
                Some(_) => plane[..elements].copy_from_slice(reader.take(elements)?),
            }
        }
        for e in 0..elements {
            for (c, channel) in channels.iter().enumerate() {
                let delta = [0, 1, 2, 3].map(|b| deltas[(c * 4 + b) * per_block + e]);
                let at = c * 4..c * 4 + 4;
                let mut four = [0; 4];
                four.copy_from_slice(&before[at.clone()]);
                before[at].copy_from_slice(&add(*channel, four, delta));
            }
            out.extend_from_slice(&before);
        }
        left -= elements;
    }
    reader.done()?;
    Ok(out)
}

fn channel(byte: u8) -> Result<Channel, Malformed> {
    match (byte & 15, byte >> 4) {
        (0, 0) => Ok(Channel::Bytes),
        (1, 0) => Ok(Channel::Pairs),
        (2, turn) => Ok(Channel::Xor(turn.into())),
        _ => Err(Malformed::Code("a channel of an unknown mode")),
    }
}

/// The next four bytes by the four before.
fn add(channel: Channel, before: [u8; 4], delta: [u8; 4]) -> [u8; 4] {
    match channel {
        Channel::Bytes => {
            [0, 1, 2, 3].map(|i| before[i].wrapping_add(unzigzag(delta[i].into()) as u8))
        }
        Channel::Pairs => {
            let pair = |i: usize| {
                let [a, d] = [before, delta].map(|v| u16::from_le_bytes([v[i], v[i + 1]]));
                a.wrapping_add(unzigzag(d.into()) as u16).to_le_bytes()
            };
            let ([a, b], [c, d]) = (pair(0), pair(2));
            [a, b, c, d]
        }
        Channel::Xor(turn) => {
            let difference = u32::from_le_bytes(delta).rotate_right(turn);
            (u32::from_le_bytes(before) ^ difference).to_le_bytes()
        }
    }
}

/// One byte of all elements of a block: two header bits a group, then the groups.
fn groups(
    reader: &mut Reader<'_>,
    widths: Widths,
    elements: usize,
    plane: &mut [u8],
) -> Result<(), Malformed> {
    let count = elements.div_ceil(GROUP);
    let header = reader.take(count.div_ceil(4))?;
    for (g, group) in plane.chunks_exact_mut(GROUP).take(count).enumerate() {
        let width = widths[usize::from(header[g / 4] >> (g % 4 * 2) & 3)];
        match width {
            0 => group.fill(0),
            8 => group.copy_from_slice(reader.take(GROUP)?),
            _ => {
                let packed = reader.take(GROUP * usize::from(width) / 8)?;
                let sentinel = (1 << width) - 1;
                for (i, delta) in group.iter_mut().enumerate() {
                    let bit = i * usize::from(width);
                    let inside = (bit % 8) as u8;
                    // Single bits from the lowest on, wider ones from the highest.
                    let shift = if width == 1 { inside } else { 8 - width - inside };
                    *delta = packed[bit / 8] >> shift & sentinel;
                }
                for delta in group.iter_mut().filter(|delta| **delta == sentinel) {
                    *delta = reader.byte()?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification() {
        let bytes = [0x02, 0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5];
        let mut plane = [0; 16];
        let mut reader = Reader { left: &bytes };
        groups(&mut reader, [0, 2, 4, 8], 16, &mut plane).expect("a group");
        reader.done().expect("nothing left");
        let deltas = plane.map(|v| unzigzag(v.into()) as i8);
        assert_eq!(deltas, [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0]);
    }

    #[test]
    fn an_all_zero_block_repeats_the_baseline() {
        // Two elements of four bytes: no header bit set, then the tail.
        let mut stream = vec![0xa0, 0, 0, 0, 0];
        stream.extend([0; 28]);
        stream.extend([1, 2, 3, 4]);
        assert_eq!(decode(&stream, 2, 4), Ok(vec![1, 2, 3, 4, 1, 2, 3, 4]));
        assert_eq!(decode(&stream[..stream.len() - 1], 2, 4), Err(Malformed::Short));
        stream.insert(5, 0);
        assert_eq!(decode(&stream, 2, 4), Err(Malformed::Long));
    }

    #[test]
    fn the_three_kinds_of_difference() {
        assert_eq!(add(Channel::Bytes, [0, 1, 255, 7], [1, 2, 2, 0]), [255, 2, 0, 7]);
        assert_eq!(add(Channel::Pairs, [255, 0, 0, 0], [2, 0, 1, 0]), [0, 1, 255, 255]);
        assert_eq!(add(Channel::Xor(0), [1, 2, 3, 4], [1, 0, 0, 4]), [0, 2, 3, 0]);
        assert_eq!(add(Channel::Xor(8), [0; 4], [1, 2, 3, 4]), [2, 3, 4, 1]);
        assert!(channel(0x10).is_err() && channel(3).is_err() && channel(0xf2).is_ok());
    }
}
