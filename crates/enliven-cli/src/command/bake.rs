//! `enliven bake`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use enliven::{BakeOptions, Baked, ChannelKind, Character, Clip, Recording, Target};
use enliven_io::gltf::{Clips, Document, Export};
use serde_json::json;

use super::print;
use super::render::{RUN_SECONDS, SECONDS, progress_bar, rate, seconds};
use crate::cast::{Cast, Drives, Setup};
use crate::failure::{Code, Failure};
use crate::model_file::{ModelFile, Written, files_json, findings_json, size};
use crate::motion;
use crate::options::{LifeOptions, TalkOptions};
use crate::person_file;
use crate::subject::Subject;

/// A loop of what never comes again exactly turns its end into its run-up within this time,
/// seconds, or a third of its length where that is shorter.
const SEAM: f64 = 0.75;
/// Longest clip, seconds: every pose of it is held in memory.
const MOST_SECONDS: f64 = 3600.0;

/// Play what moves a character and write it as a clip.
///
/// Everything that `enliven render` can film becomes keys on joints, morph weights and the root:
/// blended clips, a run, standing and living, a glance. SUBJECT is a file, which is kept to the
/// letter but for its clips, or a built-in character (rabbit, creature). As few keys are written
/// as the tolerance allows; the largest distance between the performance and its clip is told.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  enliven bake rabbit -o rabbit.glb                          the run, six seconds of it
  enliven bake rabbit -o hop.glb --motion run --loop --seconds 4
  enliven bake Fox.glb -o jog.glb --clip Walk --clip Run --sync --loop --name Jog
  enliven bake Fox.glb -o start.glb --clip Walk --clip Run@1~0.5 --sync --seconds 3
  enliven bake monster.glb -o alive.glb --alive --loop --seconds 20
  enliven bake Godette.vrm -o glance.gltf --motion stand --glance 2,1,3 --seconds 5
  enliven bake person.vrm -o walk.glb --clip walk.bvh
  enliven bake Godette.vrm -o talk.vrma --mode speaking --seconds 20
  enliven bake Fox.glb -o more.glb --clip Walk --clip Run --sync --loop --name Jog --add
  enliven bake Fox.glb -o small.glb --clip Run --tolerance 2

With --loop the last key is the first one. Clips that come round are baked over whole rounds; of
anything else the end turns into what came before the start, and the body stays in its place.
See docs/bake.md.")]
pub(super) struct Bake {
    /// A .glb, .gltf or .vrm file, or the name of a built-in character.
    #[arg(value_name = "SUBJECT")]
    subject: String,

    /// Where to write to: .glb, or .gltf with a .bin file beside it; of persons .vrm, and their
    /// motion alone as .vrma or .bvh.
    #[arg(short, long = "out", value_name = "OUT")]
    out: PathBuf,

    /// A clip to play, by name: NAME[:WEIGHT][@START[~FADE]]; may be given several times, as for
    /// `enliven render`. A .vrma or .bvh file moves every humanoid. Without it the first clip plays.
    #[arg(long = "clip", value_name = "CLIP")]
    clips: Vec<String>,

    /// What moves a subject that plays no clip.
    #[arg(long, visible_alias = "behaviour", value_enum, default_value_t = Drives::Auto,
          value_name = "MOTION")]
    motion: Drives,

    /// Keep all clips in the same phase while they are blended: steps stay steps.
    #[arg(long)]
    sync: bool,

    /// Length of the clip. Without it: one round of the clips, 6 seconds of a run, 4 otherwise.
    #[arg(long, value_name = "SECONDS", value_parser = length)]
    seconds: Option<f64>,

    /// Where in the performance the clip begins, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value_t = 0.0)]
    at: f64,

    /// Make the clip repeat without a seam.
    #[arg(long = "loop")]
    looped: bool,

    /// Leave the way over the ground out: the body stays at the origin and faces +Z.
    #[arg(long)]
    in_place: bool,

    /// How far any point near a joint may be off, in millimetres. Without it 0.1 mm for a body of
    /// 1.7 m, and in proportion.
    #[arg(long, value_name = "MM", value_parser = millimetres,
          allow_negative_numbers = true)]
    tolerance: Option<f32>,

    /// Most keys a second.
    #[arg(long, default_value_t = 60.0, value_parser = rate)]
    fps: f64,

    /// What becomes of joints whose scale moves, which many engines mishandle.
    #[arg(long, value_enum, default_value_t = Scale::Auto, value_name = "HOW")]
    scale: Scale,

    /// Write the clip beside those that the file has, not in their place.
    #[arg(long)]
    add: bool,

    /// Name of the clip. Without it the names of the clips that play, or of the motion.
    #[arg(long)]
    name: Option<String>,

    /// Seed of everything that happens by chance (blinks, glances).
    #[arg(long, default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    life: LifeOptions,

    #[command(flatten)]
    talk: TalkOptions,

    /// Tell what was written as JSON on standard output.
    #[arg(long)]
    json: bool,
}

/// What becomes of scale that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Scale {
    /// Morphs for a built-in body of rigid parts, keys for everything else.
    Auto,
    /// Keys on joints, as it was played.
    Keys,
    /// Morph targets that show the same, for parts that follow one joint each.
    Morphs,
}

fn length(text: &str) -> Result<f64, String> {
    let value = seconds(text)?;
    if value > 0.0 && value <= MOST_SECONDS {
        return Ok(value);
    }
    Err(format!("a clip lasts more than 0 and at most {MOST_SECONDS} seconds"))
}

fn millimetres(text: &str) -> Result<f32, String> {
    let value = text.parse().ok().filter(|v: &f32| (0.0..=1e6).contains(v));
    value.ok_or_else(|| format!("`{text}`: a tolerance is in millimetres, 0 or more"))
}

/// How long is recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plan {
    /// Length of the clip.
    seconds: f64,
    /// Length of the run-up that the end of a loop turns into; 0 without one.
    seam: f64,
    /// Whether the end is the beginning by itself.
    round: bool,
}

impl Bake {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let started = Instant::now();
        let file = ModelFile::open(&self.out)?;
        let mut subjects = Subject::open_all(std::slice::from_ref(&self.subject), self.motion)?;
        let own_clips = subjects[0].character.clips.len();
        motion::learn(&mut subjects, &self.clips)?;
        let life = self.life.prepare(&mut subjects)?;
        let asked = Setup::asked(&self.clips, self.motion, self.sync, self.seed, &self.talk);
        let setup = Setup { life, ..asked };
        let mut cast = Cast::new(&subjects, &setup)?;
        let plan = self.plan(&cast)?;
        let subject = &subjects[0];
        let height = subject.character.rig.height;
        let mut options = BakeOptions::new(plan.seconds as f32, height);
        options.rate = self.fps as f32;
        if let Some(mm) = self.tolerance {
            options.tolerance = mm * 1e-3;
        }
        let recording = self.record(&mut cast, &plan, &options, started);
        let (mut character, document, recording) = self.without_scale(subject, recording)?;
        let name = self.name.clone().unwrap_or_else(|| cast.motion_name());
        let mut baked = recording.to_clip(&character.rig, name, &options);
        // What an expression does is in the morphs that it moves; only VRMA has words for itself.
        let words = self.out.extension().is_some_and(|e| e.eq_ignore_ascii_case("vrma"));
        let channels = &character.rig.channels;
        let expression = |target| match target {
            Target::Channel(c) => channels.get(c).kind == ChannelKind::Expression,
            _ => false,
        };
        baked.clip.tracks.retain(|track| words || !expression(track.target));
        if baked.clip.tracks.is_empty() {
            let message = format!("{}: nothing moves, so there is nothing to bake", self.subject);
            return Err(Failure::new(Code::Option, message)
                .help("--alive, --motion stand or --motion run make it move"));
        }
        if self.add {
            if character.clips.len() > own_clips {
                // What a file of motion taught it is not its own.
                Arc::make_mut(&mut character).clips.truncate(own_clips);
            }
            self.check_addition(&character, &baked.clip.name)?;
        }
        let clips = std::slice::from_ref(&baked.clip);
        let what = Export {
            character: &character,
            document,
            clips: if self.add { Clips::Beside(clips) } else { Clips::Instead(clips) },
        };
        let frame_time = (1.0 / self.fps) as f32;
        let (written, said) = person_file::write(file, &what, subject, frame_time)?;
        self.tell(&baked, &plan, &options, &said, &written, started)
    }

    /// What stands beside others needs a name of its own, and a file that holds more than one.
    fn check_addition(&self, character: &Character, name: &str) -> Result<(), Failure> {
        if person_file::is_motion(&self.out.to_string_lossy()) {
            let message = format!("{}: it holds one motion and no others", self.out.display());
            return Err(Failure::new(Code::Option, message).help("leave --add out"));
        }
        if character.clips.iter().any(|clip| clip.name == name) {
            let message = format!("{}: it has a clip {name:?} already", self.subject);
            return Err(Failure::new(Code::Option, message).help("give the new one a --name"));
        }
        Ok(())
    }

    /// How long is recorded, by the options and by what plays.
    fn plan(&self, cast: &Cast) -> Result<Plan, Failure> {
        let plan = self.plan_of(cast);
        if plan.seconds > MOST_SECONDS {
            let message = format!("a clip of {} s: the most are {MOST_SECONDS}", plan.seconds);
            return Err(Failure::new(Code::Option, message).help("give its length by --seconds"));
        }
        Ok(plan)
    }

    fn plan_of(&self, cast: &Cast) -> Plan {
        let wanted = self.seconds.or(cast.round()).unwrap_or(match cast.runs() {
            true => RUN_SECONDS,
            false => SECONDS,
        });
        if !self.looped {
            return Plan { seconds: wanted, seam: 0.0, round: false };
        }
        match cast.period() {
            Some(period) => {
                let rounds = self.seconds.map_or(1.0, |wanted| (wanted / period).round().max(1.0));
                Plan { seconds: rounds * period, seam: 0.0, round: true }
            }
            None => Plan { seconds: wanted, seam: SEAM.min(wanted / 3.0), round: false },
        }
    }

    fn record(
        &self,
        cast: &mut Cast,
        plan: &Plan,
        options: &BakeOptions,
        started: Instant,
    ) -> Recording {
        let (steps, dt) = options.steps();
        let dt = f64::from(dt);
        let lead = if dt > 0.0 { (plan.seam / dt).round() as usize } else { 0 };
        cast.play_to(self.at);
        let bar = progress_bar(lead + steps, "poses", started);
        let mut recording = Recording::default();
        for k in 0..=lead + steps {
            if k > 0 {
                cast.step(dt);
            }
            let time = if k == lead + steps { plan.seconds } else { (k as f64 - lead as f64) * dt };
            if let Some(actor) = cast.actors().next() {
                recording.push(time as f32, actor.pose());
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        if self.in_place || self.looped {
            recording.stay_in_place();
        }
        if plan.round {
            recording.close();
        } else if self.looped {
            recording.fold(lead);
        }
        recording
    }

    /// Puts morphs in place of scale that moves, where that is asked for.
    fn without_scale<'a>(
        &self,
        subject: &'a Subject,
        recording: Recording,
    ) -> Result<(Arc<Character>, Option<&'a Document>, Recording), Failure> {
        let character = Arc::clone(&subject.character);
        let document = subject.document.as_ref();
        if self.scale == Scale::Keys || self.scale == Scale::Auto && document.is_some() {
            return Ok((character, document, recording));
        }
        match recording.scale_to_morphs(&character) {
            // Nothing was scaled: the file stays to the letter.
            Some((same, _)) if same.rig.channels.len() == character.rig.channels.len() => {
                Ok((character, document, recording))
            }
            Some((character, recording)) => Ok((Arc::new(character), None, recording)),
            None if self.scale == Scale::Auto => Ok((character, document, recording)),
            None => {
                let message = format!(
                    "{}: morphs cannot stand for its scale: it bends skin, or rests on joints",
                    self.subject
                );
                Err(Failure::new(Code::Option, message).help("--scale keys writes it as it is"))
            }
        }
    }

    fn tell(
        &self,
        baked: &Baked,
        plan: &Plan,
        options: &BakeOptions,
        found: &[enliven::Diagnostic],
        written: &[Written],
        started: Instant,
    ) -> Result<(), Failure> {
        let Clip { name, tracks, duration, .. } = &baked.clip;
        let (keys, error) = (baked.clip.key_count(), f64::from(baked.error) * 1e3);
        let allowed = f64::from(options.tolerance) * 1e3;
        if self.json {
            let told = json!({
                "written": files_json(written),
                "clip": {
                    "name": name,
                    "seconds": plan.seconds,
                    "loop": self.looped,
                    "tracks": tracks.len(),
                    "keys": keys,
                },
                "error_mm": error,
                "tolerance_mm": allowed,
                "diagnostics": findings_json(found),
            });
            return print(&format!("{told:#}\n"));
        }
        for found in found {
            eprintln!("{found}");
        }
        let kind = if self.looped { "loop" } else { "clip" };
        eprintln!(
            "{kind} `{name}`: {duration:.3} s, {} tracks, {keys} keys, off by {error:.3} mm of {allowed:.3} mm",
            tracks.len(),
        );
        let took = started.elapsed().as_secs_f32();
        for file in written {
            eprintln!("{}: {}, in {took:.1} s", file.path.display(), size(file.bytes));
        }
        Ok(())
    }
}
