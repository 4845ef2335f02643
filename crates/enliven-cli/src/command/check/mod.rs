//! `enliven check`: judges what a person sees of a performance.

mod drift;
mod feet;

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use enliven::judge::Figure;
use serde_json::json;

use super::print;
use crate::failure::{Code, Failure};
use crate::options;

/// Judge what a person sees of a performance.
///
/// Plays it without drawing, measures what the bodies show, and prints each figure with the range
/// that it has to be in. A figure out of its range gives exit code 1.
#[derive(Debug, Args)]
#[command(after_help = "What can be judged:
  drift   the leaf in calm air, under way and in a hard stop; blinks; how far the eyes lead the
          head and the head the body; whether each point of interest is glanced at
  FILE    a humanoid in its clip, or idle: whether its feet slide or hover where they touch the
          ground

Examples:
  enliven check drift
  enliven check drift --json | jq '.figures[] | select(.holds | not)'
  enliven check Godette.vrm --clip walk.bvh
  enliven check drift --rig rig.toml      with the [mind] and [leaf] of a rig file")]
pub(super) struct Check {
    /// What to judge: `drift`, or a file with a humanoid.
    #[arg(value_name = "SUBJECT")]
    subject: String,

    /// A clip of the file, or a .vrma or .bvh file, as for `enliven render`.
    #[arg(long = "clip", value_name = "CLIP")]
    clips: Vec<String>,

    /// Seed of everything that happens by chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Take the numbers of mind and leaf from this rig file.
    #[arg(long, value_name = "RIG.toml")]
    rig: Option<PathBuf>,

    /// Write JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// The figures of one judged thing.
struct Verdict {
    /// Figures by what was going on.
    parts: Vec<(&'static str, Vec<Figure>)>,
}

impl Check {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let rig = self.rig.as_deref().map(options::read_rig).transpose()?;
        let verdict = match self.subject.to_ascii_lowercase().as_str() {
            "drift" => drift::judge(self.seed, rig.as_ref()),
            other if !std::path::Path::new(&self.subject).exists() => {
                let message = format!("nothing is known to judge of `{other}`, and it is no file");
                return Err(Failure::new(Code::Option, message).help("try: enliven check drift"));
            }
            _ => feet::judge(&self.subject, &self.clips, self.seed)?,
        };
        print(&if self.json { self.json(&verdict) } else { text(&verdict) })?;
        let all = verdict.parts.iter().flat_map(|(_, figures)| figures);
        let wrong: Vec<&str> = all.filter(|f| !f.holds()).map(|f| f.name).collect();
        if wrong.is_empty() {
            return Ok(());
        }
        let message = format!("out of range: {}", wrong.join(", "));
        Err(Failure::new(Code::OutOfRange, message))
    }

    fn json(&self, verdict: &Verdict) -> String {
        let mut figures = Vec::new();
        for (part, list) in &verdict.parts {
            for f in list {
                // JSON has no NaN: what was not seen has no value.
                let value = f.value.is_finite().then_some(f.value);
                figures.push(json!({
                    "part": part, "name": f.name, "value": value, "range": f.range,
                    "unit": f.unit, "source": f.source, "holds": f.holds(),
                }));
            }
        }
        let told = json!({ "subject": self.subject, "seed": self.seed, "figures": figures });
        format!("{told:#}\n")
    }
}

fn text(verdict: &Verdict) -> String {
    let mut out = String::new();
    for (part, figures) in &verdict.parts {
        let _ = writeln!(out, "{part}");
        for f in figures {
            let [low, high] = f.range;
            let verdict = if f.holds() { "ok   " } else { "WRONG" };
            // Some figures have no upper bound.
            let high = if high < f32::MAX { format!("{high:.2}") } else { String::new() };
            let _ = writeln!(
                out,
                "  {verdict} {:<24} {:>8.2} {:<3} {low:>7.2} … {high:<7} {}",
                f.name, f.value, f.unit, f.source
            );
        }
    }
    out
}
