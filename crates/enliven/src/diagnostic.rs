//! What was found wrong, and where.

use core::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is lost; worth knowing.
    Info,
    /// Works, but probably not as meant.
    Warning,
    /// A part was replaced or left out.
    Error,
}

impl Severity {
    /// `"info"`, `"warning"` or `"error"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One finding: a stable code for programs, a place, a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable, in capitals, such as `ACCESSOR_INDEX_OOB`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where: a JSON pointer, a byte offset (`@12`), a joint's name; empty for the whole file.
    pub place: String,
    /// What is wrong and what was done about it.
    pub message: String,
}

impl Diagnostic {
    /// A finding.
    pub fn new(
        severity: Severity,
        code: &'static str,
        place: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { code, severity, place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.severity.as_str(), self.code)?;
        if !self.place.is_empty() {
            write!(f, " {}", self.place)?;
        }
        write!(f, ": {}", self.message)
    }
}
