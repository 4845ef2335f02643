//! `enliven sheet`.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, FromArgMatches};

use enliven_io::Limits;

use super::render::Render;
use crate::failure::{Code, Failure};
use crate::media::Sheet as Picture;

/// Longest list that is read, bytes: thousands of shots.
const MOST_BYTES: u64 = 1 << 20;

/// Draw many shots into one picture.
///
/// SHOTS is a text file with the arguments of `enliven render` on each line, the output left out;
/// an empty line begins the next row, and # begins a comment. Paths are taken from the folder that
/// the command runs in. Of a film the first frame is shown.
#[derive(Debug, Args)]
#[command(after_help = "Example of SHOTS:
  # everybody at rest, then in a glance
  rabbit --size 200x200
  creature --size 200x200

  rabbit --alive --glance 3,1,2 --at 1.2 --size 200x200
  creature --alive --glance 3,1,2 --at 1.2 --size 200x200

Example:
  enliven sheet shots.txt -o sheet.png")]
pub(super) struct Sheet {
    /// The list of shots.
    #[arg(value_name = "SHOTS")]
    shots: PathBuf,

    /// The .png file to write.
    #[arg(short, long = "out", value_name = "OUT")]
    out: PathBuf,
}

impl Sheet {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let started = Instant::now();
        let name = self.shots.display().to_string();
        let limits = Limits { total_bytes: MOST_BYTES, ..Limits::default() };
        let bytes = enliven_io::read_file(&self.shots, &limits)
            .map_err(|error| Failure::unreadable(&name, &error))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Failure::new(Code::Unreadable("INVALID_TEXT"), format!("{name}: it is no UTF-8 text"))
        })?;
        if text.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#')) {
            let message = format!("{name}: there is no shot in it");
            return Err(Failure::new(Code::Option, message)
                .help("write the arguments of `enliven render` on each line"));
        }
        if !crate::media::is_still(&self.out) {
            let message = format!("{}: a sheet is a picture", self.out.display());
            return Err(Failure::new(Code::OutputKind, message).help("use .png"));
        }
        let mut sheet = Picture::open(&self.out)?;
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                sheet.next_row();
            } else if !line.starts_with('#') {
                let shot = shot(line).map_err(|error| {
                    let said = error.render().to_string();
                    let said = said.lines().next().unwrap_or_default().to_owned();
                    Failure::new(Code::Option, format!("{name}:{}: {said}", i + 1))
                })?;
                sheet.add(|open| shot.film(started, |film| Ok(open(film))).map(drop))?;
            }
        }
        let count = sheet.finish()?;
        let took = started.elapsed().as_secs_f32();
        eprintln!("{}: {count} pictures, in {took:.1} s", self.out.display());
        Ok(())
    }
}

/// The shot of a line, as `enliven render` would read it.
fn shot(line: &str) -> Result<Render, clap::Error> {
    // Its own output is never opened; the ending says that a picture is wanted.
    let words = ["render", "-o", "shot.png"].into_iter().chain(line.split_whitespace());
    let command = Render::augment_args(clap::Command::new("render"));
    Render::from_arg_matches(&command.try_get_matches_from(words)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_render_would() {
        assert!(shot("rabbit --size 200x200 --at 1").is_ok());
        assert!(shot("rabbit --sise 200x200").is_err());
    }
}
