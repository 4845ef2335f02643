//! Modes 1 and 2: lists of triangles, and other lists of indices.

use super::{Malformed, Reader, unzigzag};

/// Entries that a queue remembers.
const ENTRIES: usize = 16;

/// The last things that were put in.
struct Queue<T> {
    entries: [T; ENTRIES],
    put: usize,
}

impl<T: Copy + Default> Queue<T> {
    fn new() -> Self {
        Self { entries: [T::default(); ENTRIES], put: 0 }
    }

    fn push(&mut self, entry: T) {
        self.entries[self.put % ENTRIES] = entry;
        self.put += 1;
    }

    /// The entry that was put in `back` entries before the latest.
    fn get(&self, back: u8) -> Result<T, Malformed> {
        let back = usize::from(back);
        if back >= ENTRIES || back >= self.put {
            return Err(Malformed::Code("an edge or vertex from before the first"));
        }
        Ok(self.entries[(self.put - 1 - back) % ENTRIES])
    }
}

/// What a decoder of triangles remembers.
struct Triangles<'a> {
    data: Reader<'a>,
    edges: Queue<(u32, u32)>,
    vertices: Queue<u32>,
    /// The next index that no triangle has had.
    next: u32,
    /// The last index that was spelt out.
    last: u32,
}

impl Triangles<'_> {
    fn fresh(&mut self) -> u32 {
        let index = self.next;
        self.next = self.next.wrapping_add(1);
        index
    }

    fn spelt_out(&mut self) -> Result<u32, Malformed> {
        self.last = self.last.wrapping_add(unzigzag(self.data.varint()?));
        Ok(self.last)
    }

    /// One index by four bits, and whether it is new to the queue of vertices.
    fn by_code(&mut self, code: u8) -> Result<(u32, bool), Malformed> {
        match code {
            0 => Ok((self.fresh(), true)),
            15 => Ok((self.spelt_out()?, true)),
            back => Ok((self.vertices.get(back - 1)?, false)),
        }
    }

    fn triangle(&mut self, code: u8, table: &[u8]) -> Result<[u32; 3], Malformed> {
        let (high, low) = (code >> 4, code & 15);
        if high < 15 {
            let (a, b) = self.edges.get(high)?;
            let (c, new) = match low {
                0 => (self.fresh(), true),
                13 | 14 => {
                    let step = if low == 13 { u32::MAX } else { 1 };
                    self.last = self.last.wrapping_add(step);
                    (self.last, true)
                }
                15 => (self.spelt_out()?, true),
                back => (self.vertices.get(back)?, false),
            };
            self.edges.push((c, b));
            self.edges.push((a, c));
            if new {
                self.vertices.push(c);
            }
            return Ok([a, b, c]);
        }
        let (a, pair) = if low < 14 {
            (self.fresh(), table[usize::from(low)])
        } else {
            let pair = self.data.byte()?;
            if pair == 0 {
                self.next = 0;
            }
            (if low == 14 { self.fresh() } else { self.spelt_out()? }, pair)
        };
        let (b, new_b) = self.by_code(pair >> 4)?;
        let (c, new_c) = self.by_code(pair & 15)?;
        for edge in [(b, a), (c, b), (a, c)] {
            self.edges.push(edge);
        }
        for (vertex, new) in [(a, true), (b, new_b), (c, new_c)] {
            if new {
                self.vertices.push(vertex);
            }
        }
        Ok([a, b, c])
    }
}

/// Unpacks `count` indices of triangles, `stride` bytes each (2 or 4).
pub(super) fn triangles(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Malformed> {
    let mut reader = begin(stream, 0xe1, 16)?;
    let codes = reader.take(count / 3)?;
    let table = &stream[stream.len() - 16..];
    let nibbles = table.iter().all(|byte| byte >> 4 != 15 && byte & 15 != 15);
    if table[14] != 0 || table[15] != 0 || !nibbles {
        return Err(Malformed::Code("the table of vertex pairs is not one"));
    }
    let mut state =
        Triangles { data: reader, edges: Queue::new(), vertices: Queue::new(), next: 0, last: 0 };
    let mut out = Vec::with_capacity(count * stride);
    for code in codes {
        for index in state.triangle(*code, table)? {
            out.extend_from_slice(&index.to_le_bytes()[..stride]);
        }
    }
    state.data.done()?;
    Ok(out)
}

/// Unpacks `count` indices of any use, `stride` bytes each (2 or 4).
pub(super) fn sequence(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Malformed> {
    let mut reader = begin(stream, 0xd1, 4)?;
    if reader.left.len() < count {
        return Err(Malformed::Short);
    }
    let mut out = Vec::with_capacity(count * stride);
    let mut last = [0u32; 2];
    for _ in 0..count {
        let v = reader.varint()?;
        let last = &mut last[(v & 1) as usize];
        *last = last.wrapping_add(unzigzag(v >> 1));
        out.extend_from_slice(&last.to_le_bytes()[..stride]);
    }
    reader.done()?;
    Ok(out)
}

/// What lies between the header byte and the tail.
fn begin(stream: &[u8], header: u8, tail: usize) -> Result<Reader<'_>, Malformed> {
    match stream.first() {
        None => return Err(Malformed::Short),
        Some(first) if *first != header => return Err(Malformed::Header(*first)),
        _ => {}
    }
    let end = stream.len().checked_sub(tail).ok_or(Malformed::Short)?;
    stream.get(1..end).map(|left| Reader { left }).ok_or(Malformed::Short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    #[test]
    fn two_triangles_that_share_an_edge() {
        // All three indices new; then the edge (0, 2), the latest, with a new vertex.
        let mut stream = vec![0xe1, 0xf0, 0x00];
        stream.extend([0; 16]);
        let out = triangles(&stream, 6, 4).map(|bytes| words(&bytes));
        assert_eq!(out, Ok(vec![0, 1, 2, 0, 2, 3]));
        assert_eq!(triangles(&stream, 6, 2).map(|bytes| bytes.len()), Ok(12));
        assert_eq!(triangles(&stream, 3, 4), Err(Malformed::Long));
        assert_eq!(triangles(&stream, 9, 4), Err(Malformed::Short));
        stream[1] = 0x00;
        assert!(matches!(triangles(&stream, 6, 4), Err(Malformed::Code(_))), "no edge yet");
    }

    #[test]
    fn a_sequence_has_two_baselines() {
        // +5 on the first, +1000 on the second, −1 on the first, −1 on the second.
        let mut stream = vec![0xd1, 5 << 2];
        let v: u32 = 1000 << 2 | 1;
        stream.extend([(v & 0x7f) as u8 | 0x80, (v >> 7) as u8]);
        stream.extend([2, 3]);
        stream.extend([0; 4]);
        let out = sequence(&stream, 4, 4).map(|bytes| words(&bytes));
        assert_eq!(out, Ok(vec![5, 1000, 4, 999]));
        assert_eq!(sequence(&stream, 5, 4), Err(Malformed::Short));
        let endless = [0xd1, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0];
        assert!(matches!(sequence(&endless, 1, 4), Err(Malformed::Code(_))));
    }
}
