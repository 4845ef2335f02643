//! The one way in which the command fails: a code, a sentence, and what to do next.

use std::fmt;
use std::path::Path;

/// What went wrong, as a stable word for programs and a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The file cannot be read or is not what it claims; the importer's own code says more.
    Unreadable(&'static str),
    /// No built-in and no file has the name of the subject.
    SubjectUnknown,
    /// `check` measured something that is out of its range.
    OutOfRange,
    /// No clip of the subject has this name.
    ClipUnknown,
    /// A value of an option is not understood.
    Option,
    /// The name of an output asks for nothing that can be written.
    OutputKind,
    /// The output could not be written.
    Output,
    /// What is asked for cannot be written whole; the exporter's own code says more.
    Unwritable(&'static str),
    /// `ffmpeg` is not installed.
    FfmpegMissing,
    /// Nothing can draw: no graphics adapter, not even a software one.
    NoAdapter,
    /// The graphics device was lost while drawing.
    DeviceLost,
    /// There is no display to open a window on.
    NoDisplay,
}

impl Code {
    /// The word: `CLI_…`, or the importer's or exporter's code.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Code::Unreadable(code) | Code::Unwritable(code) => code,
            Code::SubjectUnknown => "CLI_SUBJECT_UNKNOWN",
            Code::OutOfRange => "CLI_OUT_OF_RANGE",
            Code::ClipUnknown => "CLI_CLIP_UNKNOWN",
            Code::Option => "CLI_OPTION",
            Code::OutputKind => "CLI_OUTPUT_KIND",
            Code::Output => "CLI_OUTPUT",
            Code::FfmpegMissing => "CLI_FFMPEG_MISSING",
            Code::NoAdapter => "CLI_NO_ADAPTER",
            Code::DeviceLost => "CLI_DEVICE_LOST",
            Code::NoDisplay => "CLI_NO_DISPLAY",
        }
    }

    /// The exit code of the process: 1 the input, 2 the command line, 3 a tool, driver or display
    /// is missing, 4 the output.
    #[must_use]
    pub fn exit(self) -> u8 {
        match self {
            Code::Unreadable(_) | Code::SubjectUnknown | Code::OutOfRange => 1,
            Code::ClipUnknown | Code::Option | Code::OutputKind => 2,
            Code::FfmpegMissing | Code::NoAdapter | Code::DeviceLost | Code::NoDisplay => 3,
            Code::Output | Code::Unwritable(_) => 4,
        }
    }
}

/// Why the command stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    code: Code,
    message: String,
    help: Option<String>,
}

impl Failure {
    /// What the reader said of the file `name`.
    pub fn unreadable(name: &str, error: &enliven_io::Error) -> Self {
        // The message begins with the code, which is shown apart.
        let message = error.to_string();
        let start = format!("{}: ", error.code());
        let message = message.strip_prefix(&start).unwrap_or(&message);
        let message = message.strip_prefix(&format!("{name}: ")).unwrap_or(message);
        Self::new(Code::Unreadable(error.code()), format!("{name}: {message}"))
    }

    /// A failure with one sentence about it.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The output at `path` could not be written.
    #[must_use]
    pub fn output(path: &Path, error: &dyn fmt::Display) -> Self {
        Self::new(Code::Output, format!("cannot write {}: {error}", path.display()))
    }

    /// What went wrong.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// The sentence alone.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do next, where something can be done.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code.word(), self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
