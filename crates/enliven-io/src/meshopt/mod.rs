//! The decoder of EXT_meshopt_compression and KHR_meshopt_compression, written from their
//! specifications (Khronos glTF registry): streams of vertex attributes (versions 0 and 1),
//! triangles and indices, and the filters.
//!
//! Streams come from files that nobody can trust: every read is checked, and nothing is reserved
//! before the stream was seen to be long enough for it.

mod attributes;
mod filters;
mod indices;

use std::fmt;

/// What a stream holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Attributes(Filter),
    Triangles,
    Indices,
}

/// What is done with the attributes of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// Elements that a stream unpacks into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub mode: Mode,
    /// Elements.
    pub count: usize,
    /// Bytes an element.
    pub stride: usize,
}

/// Why a stream cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// Size and number of elements do not fit the mode or the filter.
    Layout(&'static str),
    /// The first byte is of no version that is known.
    Header(u8),
    /// It ends before all elements are there.
    Short,
    /// Bytes are left when all elements are there.
    Long,
    /// It asks for something that was not there before, or that no version has.
    Code(&'static str),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout(what) => f.write_str(what),
            Self::Header(byte) => write!(f, "the stream begins with {byte:#04x}"),
            Self::Short => f.write_str("the stream ends too early"),
            Self::Long => f.write_str("the stream goes on after its last element"),
            Self::Code(what) => f.write_str(what),
        }
    }
}

impl Layout {
    /// Bytes that it unpacks into, which fit a `usize`.
    pub(crate) fn bytes(&self) -> Option<usize> {
        self.count.checked_mul(self.stride)
    }

    fn check(&self) -> Result<(), Malformed> {
        let wrong = |what| Err(Malformed::Layout(what));
        match self.mode {
            Mode::Attributes(filter) => {
                if self.stride == 0 || !self.stride.is_multiple_of(4) || self.stride > 256 {
                    return wrong("attributes need a stride of 4 to 256, in steps of 4");
                }
                match filter {
                    Filter::Octahedral | Filter::Color if !matches!(self.stride, 4 | 8) => {
                        wrong("this filter needs a stride of 4 or 8")
                    }
                    Filter::Quaternion if self.stride != 8 => {
                        wrong("quaternions need a stride of 8")
                    }
                    _ => Ok(()),
                }
            }
            Mode::Triangles if !self.count.is_multiple_of(3) => {
                wrong("triangles need three indices each")
            }
            Mode::Triangles | Mode::Indices if !matches!(self.stride, 2 | 4) => {
                wrong("indices need a stride of 2 or 4")
            }
            _ => Ok(()),
        }
    }
}

/// Unpacks a stream into `count` elements of `stride` bytes.
pub(crate) fn decode(stream: &[u8], layout: &Layout) -> Result<Vec<u8>, Malformed> {
    layout.check()?;
    let Layout { mode, count, stride } = *layout;
    match mode {
        Mode::Attributes(filter) => {
            let mut out = attributes::decode(stream, count, stride)?;
            filters::apply(filter, stride, &mut out);
            Ok(out)
        }
        Mode::Triangles => indices::triangles(stream, count, stride),
        Mode::Indices => indices::sequence(stream, count, stride),
    }
}

/// Reads a stream from its front.
struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, left) = self.left.split_at_checked(count).ok_or(Malformed::Short)?;
        self.left = left;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        self.take(1).map(|taken| taken[0])
    }

    /// An unsigned LEB128 number of at most five bytes.
    fn varint(&mut self) -> Result<u32, Malformed> {
        let mut value = 0u32;
        for part in 0..5 {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << (7 * part);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed::Code("a number of more than five bytes"))
    }

    fn done(&self) -> Result<(), Malformed> {
        if self.left.is_empty() { Ok(()) } else { Err(Malformed::Long) }
    }
}

/// A difference that was stored with its sign in the lowest bit.
fn unzigzag(v: u32) -> u32 {
    (v >> 1) ^ (v & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(mode: Mode, count: usize, stride: usize) -> Layout {
        Layout { mode, count, stride }
    }

    #[test]
    fn layouts_that_fit_no_mode_are_refused_before_anything_is_read() {
        let plain = Mode::Attributes(Filter::None);
        for wrong in [
            layout(plain, 1, 0),
            layout(plain, 1, 6),
            layout(plain, 1, 260),
            layout(Mode::Attributes(Filter::Octahedral), 1, 12),
            layout(Mode::Attributes(Filter::Quaternion), 1, 4),
            layout(Mode::Attributes(Filter::Color), 1, 16),
            layout(Mode::Triangles, 4, 2),
            layout(Mode::Triangles, 3, 1),
            layout(Mode::Indices, 3, 8),
        ] {
            assert!(matches!(decode(&[], &wrong), Err(Malformed::Layout(_))), "{wrong:?}");
        }
    }

    #[test]
    fn short_streams_of_huge_layouts_reserve_nothing() {
        for (header, mode, stride) in [
            (0xa0, Mode::Attributes(Filter::None), 256),
            (0xa1, Mode::Attributes(Filter::None), 256),
            (0xe1, Mode::Triangles, 4),
            (0xd1, Mode::Indices, 4),
        ] {
            let mut stream = vec![0; 400];
            stream[0] = header;
            let huge = layout(mode, usize::MAX / 256 / 3 * 3, stride);
            assert_eq!(decode(&stream, &huge), Err(Malformed::Short), "{mode:?}");
        }
    }

    #[test]
    fn other_headers_are_refused() {
        for mode in [Mode::Attributes(Filter::None), Mode::Triangles, Mode::Indices] {
            for header in 0..=255u8 {
                let mut stream = vec![0; 64];
                stream[0] = header;
                let known = matches!(
                    (mode, header),
                    (Mode::Attributes(_), 0xa0 | 0xa1)
                        | (Mode::Triangles, 0xe1)
                        | (Mode::Indices, 0xd1)
                );
                let refused =
                    decode(&stream, &layout(mode, 3, 4)) == Err(Malformed::Header(header));
                assert_eq!(refused, !known, "{mode:?} {header:#x}");
            }
        }
        let empty = decode(&[], &layout(Mode::Indices, 0, 4));
        assert_eq!(empty, Err(Malformed::Short));
    }
}
