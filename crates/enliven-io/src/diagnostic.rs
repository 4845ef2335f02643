//! What was found wrong, and where.

use std::{borrow::Cow, fmt};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Breaks a rule of the format; the part was replaced or left out.
    Error,
    /// Legal or harmless, yet likely not what the author meant.
    Warning,
    /// Worth knowing.
    Info,
}

/// Where in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Bytes from the start of the file.
    Byte(u64),
    /// A JSON pointer (RFC 6901) into the document; empty for the whole document.
    Pointer(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Pointer(pointer) if pointer.is_empty() => f.write_str("/"),
            Self::Pointer(pointer) => f.write_str(pointer),
        }
    }
}

/// A coded finding about one place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable, for programs: `ACCESSOR_INDEX_OOB`. The names are the Khronos validator's wherever
    /// it has one.
    pub code: Cow<'static, str>,
    /// How much it matters.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// For people: what is wrong and what was done about it.
    pub message: String,
}

impl Diagnostic {
    /// A finding at a JSON pointer.
    pub fn new(
        code: &'static str,
        severity: Severity,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code: Cow::Borrowed(code),
            severity,
            place: Place::Pointer(pointer.into()),
            message: message.into(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}: {}", self.code, self.place, self.message)
    }
}
