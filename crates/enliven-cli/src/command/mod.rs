//! The subcommands, one a file, and what they share.

mod bake;
mod check;
mod completions;
mod convert;
mod export_shader;
mod inspect;
mod man;
mod play;
mod render;
mod rig;
mod sheet;

use std::ffi::OsString;
use std::io::Write;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::failure::Failure;

/// Exit code of a command line that is not understood.
const USAGE: u8 = 2;

/// Makes 3D characters live: look into a file, film it, watch it, or bake its motion into clips.
#[derive(Debug, Parser)]
#[command(
    name = "enliven",
    version,
    after_help = "Exit codes:
  0  done
  1  the input cannot be read: one coded error says why; or `check` found a figure out of range
  2  the command line is not understood, or asks for what the input does not have
  3  something is missing on this machine: ffmpeg, a graphics driver, a display
  4  the output cannot be written

Start with:
  enliven render rabbit -o rabbit.gif
  enliven inspect model.glb
  enliven bake rabbit -o rabbit.glb",
    propagate_version = true,
    arg_required_else_help = true
)]
struct Arguments {
    /// Say more of what happens (twice: everything), on the error stream.
    #[arg(short, long, action = ArgAction::Count, global = true)]
    verbose: u8,

    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Inspect(inspect::Inspect),
    Render(render::Render),
    Play(play::Play),
    Bake(bake::Bake),
    Convert(convert::Convert),
    Check(check::Check),
    Rig(rig::Rig),
    Sheet(sheet::Sheet),
    ExportShader(export_shader::ExportShader),
    Completions(completions::Completions),
    Man(man::Man),
}

/// The whole command line, for completions and manual pages.
#[must_use]
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Parses and runs; on failure it has been told, and the exit code comes back.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), u8> {
    let parsed = command()
        .try_get_matches_from(arguments)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too, to the standard output and without an error.
            let _ = error.print();
            return if error.use_stderr() { Err(USAGE) } else { Ok(()) };
        }
    };
    log_to_stderr(arguments.verbose);
    let outcome = match &arguments.task {
        Task::Inspect(task) => task.run(),
        Task::Render(task) => task.run(),
        Task::Play(task) => task.run(),
        Task::Bake(task) => task.run(),
        Task::Convert(task) => task.run(),
        Task::Check(task) => task.run(),
        Task::Rig(task) => task.run(),
        Task::Sheet(task) => task.run(),
        Task::ExportShader(task) => task.run(),
        Task::Completions(task) => task.run(),
        Task::Man(task) => task.run(),
    };
    outcome.map_err(|failure| {
        tell(&failure);
        failure.code().exit()
    })
}

/// Shows a failure on the error stream: the code, the sentence, the advice.
fn tell(failure: &Failure) {
    use anstyle::{AnsiColor, Style};
    const ERROR: Style = AnsiColor::Red.on_default().bold();
    const HELP: Style = AnsiColor::Cyan.on_default().bold();
    let mut stderr = anstream::stderr().lock();
    let (code, message) = (failure.code().word(), failure.message());
    // Nobody is left to tell when the error stream is closed.
    let _ = writeln!(stderr, "{ERROR}error[{code}]{ERROR:#}: {message}");
    if let Some(help) = failure.advice() {
        let _ = writeln!(stderr, "  {HELP}help{HELP:#}: {help}");
    }
}

fn log_to_stderr(verbose: u8) {
    use tracing_subscriber::filter::LevelFilter;
    let level = match verbose {
        // Libraries warn of what a person can do nothing about.
        0 => LevelFilter::ERROR,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()));
    // A test may have set one already.
    let _ = subscriber.try_init();
}

/// Writes text to the standard output. A reader that has seen enough (`| head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::output("the standard output".as_ref(), &error))
        }
        _ => Ok(()),
    }
}
