//! Where in a file.

use std::fmt;

/// Where in a file. Shown as [`Diagnostic::place`](enliven::Diagnostic::place) has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Bytes from the start of the file; shown as `@12`.
    Byte(u64),
    /// A JSON pointer (RFC 6901) into the document; empty for the whole document.
    Pointer(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(offset) => write!(f, "@{offset}"),
            Self::Pointer(pointer) => f.write_str(pointer),
        }
    }
}
