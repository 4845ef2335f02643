//! One step of a task: announced, timed, and named again when it fails.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Why a task stopped, and the command that runs the failed part again.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    rerun: Option<String>,
}

/// What every task returns.
pub(crate) type Outcome = Result<(), Failure>;

impl Failure {
    /// A failure without a command of its own to repeat.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), rerun: None }
    }

    /// The command that a person runs to see this failure again.
    pub(crate) fn rerun(mut self, command: impl Into<String>) -> Self {
        self.rerun = Some(command.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.rerun {
            Some(command) => write!(f, "\n  run this part again with: {command}"),
            None => Ok(()),
        }
    }
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The `cargo` that runs this program, so that a task uses the same tool chain.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs `work` under a heading and prints how long it took.
pub(crate) fn step<T>(name: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    println!("── {name}");
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f32();
    let word = if result.is_ok() { "done" } else { "FAILED" };
    println!("── {name}: {word} in {seconds:.1} s");
    result
}

/// Runs `command` to its end with its output shown; anything but success is a failure.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let shown = shown(command);
    println!("   $ {shown}");
    let status = command
        .status()
        .map_err(|error| Failure::new(format!("cannot start `{shown}`: {error}")))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("`{shown}` ended with {status}")).rerun(shown))
}

/// Runs a talkative `command` to its end; what it said is shown only when it fails.
pub(crate) fn run_quietly(command: &mut Command) -> Outcome {
    /// Enough to see the reason, not the pages of progress before it.
    const SHOWN_LINES: usize = 40;
    let shown = shown(command);
    println!("   $ {shown}");
    let output = command
        .output()
        .map_err(|error| Failure::new(format!("cannot start `{shown}`: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().collect();
    for line in &lines[lines.len().saturating_sub(SHOWN_LINES)..] {
        println!("     {line}");
    }
    Err(Failure::new(format!("`{shown}` ended with {}", output.status)).rerun(shown))
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={}", name.display(), quoted(&value.to_string_lossy())));
        }
    }
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    // `cargo` comes as an absolute path; everything else is shown as it was asked for.
    let program = if name == "cargo" { name } else { command.get_program() };
    words.push(quoted(&program.to_string_lossy()));
    words.extend(command.get_args().map(|argument| quoted(&argument.to_string_lossy())));
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@~+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Whether a program of this name is on the path.
pub(crate) fn has_program(name: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&file).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["test", "-p", "a b", "it's"]).env("X", "1");
        assert_eq!(shown(&command), r"X=1 cargo test -p 'a b' 'it'\''s'");
    }

    #[test]
    fn a_failure_names_the_command_to_repeat() {
        let failure = Failure::new("broken").rerun("cargo xtask tidy");
        assert_eq!(failure.to_string(), "broken\n  run this part again with: cargo xtask tidy");
    }

    #[test]
    fn a_command_that_fails_is_a_failure() {
        let failure = run(cargo().arg("no-such-subcommand").stderr(std::process::Stdio::null()));
        assert!(failure.is_err_and(|f| f.to_string().contains("cargo no-such-subcommand")));
    }
}
