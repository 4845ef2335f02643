//! `enliven render`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use enliven_render::TimeOfDay;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::print;
use crate::cast::{Cast, Drives, Setup};
use crate::failure::{Code, Failure};
use crate::media::{self, Film, Sink};
use crate::motion;
use crate::options::{Background, Camera, LifeOptions, Size, TalkOptions};
use crate::scene::SceneSetup;
use crate::shoot::{Order, shoot};
use crate::shot::{Shot, Wish};
use crate::subject::Subject;

/// Size of a single picture where none is asked for.
const STILL: Size = Size { width: 1280, height: 720 };
/// Size of a film's frames where none is asked for.
const MOVING: Size = Size { width: 640, height: 360 };
/// Length of a film where neither an option nor a clip tells it, seconds.
pub(super) const SECONDS: f64 = 4.0;
/// Length of a film of a run.
pub(super) const RUN_SECONDS: f64 = 6.0;
/// A film of a short clip repeats it until this time is reached, seconds.
const AT_LEAST: f64 = 2.0;
/// Most frames of one film: a day at 30 frames a second.
const MOST_FRAMES: f64 = 2_592_000.0;

/// Film a character, or take a picture of it.
///
/// SUBJECT is a .glb, .gltf or .vrm file, a built-in character (rabbit, creature, spirit), or the
/// scene `drift`, which stands alone. Several subjects stand beside each other. The ending of OUT
/// decides what is written: .png (one frame, or a filmstrip
/// with --strip), .gif, .apng, .mp4, .webm (these two need ffmpeg), or a folder of frames where
/// there is no ending. The same command writes the same bytes.
#[derive(Debug, Args)]
#[command(after_help = "Clips:
  --clip Walk                         play one clip
  --clip Walk --clip Run              blend two, half and half
  --clip Walk:3 --clip Run:1          blend two, three parts to one
  --clip Walk --clip Run@2 --clip Walk@4
                                      walk; from second 2 on run; from second 4 on walk again
  --clip Walk --clip Run@2~0.6 --sync the same with a take-over of 0.6 seconds, both in step
  --clip '#0'                         the first clip, where names are missing
  --clip walk.bvh --clip wave.vrma@3  motion from files, on any humanoid

Examples:
  enliven render rabbit -o rabbit.gif
  enliven render Fox.glb --clip Run -o fox.png --size 1920x1080
  enliven render Fox.glb -o fox.mp4 -o fox.png --strip 6 --clip Walk --clip Run@2 --sync --seconds 6
  enliven render Godette.vrm -o face.png --camera face --background '#f0e8d8'
  enliven render model.glb -o top.png --camera 'eye=0,5,0.1 target=0,0,0 fov=40'
  enliven render creature -o creature.gif --look-at viewer
  enliven render Godette.vrm -o talk.gif --mode listening --mode speaking@3 --emotion happy:0.6
  enliven render drift -o drift.mp4 --time dusk --seconds 20 --size 1280x720
  enliven render monster.glb -o alive.gif --alive --glance 2,1,3
  enliven render model.glb -o frames/ --seconds 2 --fps 24 --background transparent")]
pub(super) struct Render {
    /// A file, or the name of a built-in character; several stand beside each other.
    #[arg(required = true, value_name = "SUBJECT")]
    subjects: Vec<String>,

    /// Where to write to; may be given several times, all from the same frames.
    #[arg(short, long = "out", required = true, value_name = "OUT")]
    out: Vec<PathBuf>,

    /// A clip to play, by name: NAME[:WEIGHT][@START[~FADE]]; may be given several times. A .vrma
    /// or .bvh file moves every humanoid. Without it the first clip plays.
    #[arg(long = "clip", value_name = "CLIP")]
    clips: Vec<String>,

    /// What moves a subject that plays no clip.
    #[arg(long, value_enum, default_value_t = Drives::Auto, value_name = "MOTION")]
    motion: Drives,

    /// Keep all clips in the same phase while they are blended: steps stay steps.
    #[arg(long)]
    sync: bool,

    /// Length of the film in seconds. Without it: whole rounds of the clip, or 4 seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<f64>,

    /// Frames a second.
    #[arg(long, default_value_t = 30.0, value_parser = rate)]
    fps: f64,

    /// Where in time the picture is taken, or the film begins, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    at: Option<f64>,

    /// Number of frames that a .png shows beside each other, evenly spread over the film.
    #[arg(long, value_name = "FRAMES", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=400))]
    strip: u16,

    /// Most frames in one row of a filmstrip.
    #[arg(long, value_name = "FRAMES", default_value_t = 4,
          value_parser = clap::value_parser!(u16).range(1..=400))]
    columns: u16,

    /// Size of a frame in pixels. Without it 1280x720 for a picture, 640x360 for a film.
    #[arg(long, value_name = "WxH")]
    size: Option<Size>,

    /// three-quarter, front, side, back, face, top, or a place: 'eye=X,Y,Z target=X,Y,Z fov=DEG'.
    /// Without it three-quarter; a scene has a camera of its own.
    #[arg(long)]
    camera: Option<Camera>,

    /// Seed of everything that happens by chance (blinks, glances).
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// sky, transparent, black, white, grey or a colour like #30343c.
    #[arg(long, default_value = "sky")]
    background: Background,

    /// Light of the scene: day, dusk or night. Without it an even morning.
    #[arg(long, value_name = "TIME", value_parser = time_of_day)]
    time: Option<TimeOfDay>,

    /// Frames that are drawn at the same time. The result does not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: Option<u16>,

    #[command(flatten)]
    life: LifeOptions,

    #[command(flatten)]
    talk: TalkOptions,

    /// Tell what was written as JSON on standard output.
    #[arg(long)]
    json: bool,
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    if (0.0..=86_400.0).contains(&value) {
        Ok(value)
    } else {
        Err("seconds are from 0 to 86400 (a day)".to_owned())
    }
}

pub(super) fn time_of_day(text: &str) -> Result<TimeOfDay, String> {
    TimeOfDay::named(text).ok_or_else(|| "the times are day, dusk and night".to_owned())
}

pub(super) fn rate(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    if (0.01..=1000.0).contains(&value) {
        Ok(value)
    } else {
        Err("frames a second are from 0.01 to 1000".to_owned())
    }
}

impl Render {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let started = Instant::now();
        let film =
            self.film(started, |film| self.out.iter().map(|out| media::open(out, film)).collect())?;
        self.tell(&film, started)
    }

    /// Draws the film into what `open` makes of it.
    pub(super) fn film(
        &self,
        started: Instant,
        open: impl FnOnce(&Film) -> Result<Vec<Box<dyn Sink>>, Failure>,
    ) -> Result<Film, Failure> {
        let (subjects, setup) = self.open()?;
        let mut cast = Cast::new(&subjects, &setup)?;
        let moving = self.strip > 1 || !self.out.iter().all(|out| media::is_still(out));
        let frames = if moving { self.frames(&cast)? } else { 1 };
        let size = self.size.unwrap_or(if moving { MOVING } else { STILL });
        let film = Film {
            width: size.width,
            height: size.height,
            fps: self.fps,
            frames,
            transparent: self.background == Background::Transparent,
            strip: usize::from(self.strip),
            columns: usize::from(self.columns),
        };
        // Opened before anything is drawn: what cannot be written is told at once.
        let mut sinks = open(&film)?;
        let at = self.at.unwrap_or(if moving { 0.0 } else { cast.good_moment() });
        cast.play_to(at);
        let mut rehearsal = Cast::new(&subjects, &setup)?;
        rehearsal.play_to(at);
        let dt = 1.0 / self.fps;
        let aspect = size.width as f32 / size.height as f32;
        let (camera, background) = (self.camera, self.background);
        let stage = setup.scene.as_ref().map(SceneSetup::stage);
        let light = self.time;
        let wish = Wish { camera, stage, background, light, aspect, frames, dt };
        let shot = Shot::rehearse(rehearsal, &wish);
        let bar = progress_bar(frames, "frames", started);
        let jobs = self.jobs.map_or_else(default_jobs, usize::from);
        let order = Order { width: size.width, height: size.height, frames, dt, jobs };
        shoot(&subjects, cast, &shot, &order, &mut sinks, || bar.inc(1))?;
        bar.finish_and_clear();
        for sink in sinks {
            sink.finish()?;
        }
        Ok(film)
    }

    /// Who plays, and how.
    fn open(&self) -> Result<(Vec<Subject>, Setup), Failure> {
        if let Some(scene) =
            SceneSetup::named(&self.subjects, self.time.unwrap_or_default(), &self.life.wish()?)?
        {
            return Ok((scene.subjects(), Setup { scene: Some(scene), ..self.setup() }));
        }
        let mut subjects = Subject::open_all(&self.subjects, self.motion)?;
        motion::learn(&mut subjects, &self.clips)?;
        let life = self.life.prepare(&mut subjects)?;
        Ok((subjects, Setup { life, ..self.setup() }))
    }

    fn setup(&self) -> Setup {
        Setup::asked(&self.clips, self.motion, self.sync, self.seed, &self.talk)
    }

    /// Number of frames of a film.
    fn frames(&self, cast: &Cast) -> Result<usize, Failure> {
        let seconds = self.seconds.unwrap_or_else(|| match cast.round() {
            Some(round) => round * (AT_LEAST / round).ceil().max(1.0),
            None if cast.runs() => RUN_SECONDS,
            None => cast.last_change().unwrap_or_default() + SECONDS,
        });
        let frames = (seconds * self.fps).round().max(1.0);
        if frames > MOST_FRAMES {
            let message = format!("{frames} frames are more than one film may have");
            return Err(Failure::new(Code::Option, message).help("use fewer --seconds or --fps"));
        }
        Ok(frames as usize)
    }

    fn tell(&self, film: &Film, started: Instant) -> Result<(), Failure> {
        let Film { width, height, frames, fps, .. } = *film;
        if self.json {
            let out: Vec<String> = self.out.iter().map(|out| out.display().to_string()).collect();
            let told = json!({
                "outputs": out, "frames": frames, "width": width, "height": height, "fps": fps,
            });
            return print(&format!("{told:#}\n"));
        }
        let took = started.elapsed().as_secs_f32();
        for out in &self.out {
            let still = media::is_still(out);
            let what = match (still, self.strip, frames) {
                (true, 1, _) => "1 frame".to_owned(),
                (true, strip, _) => format!("{} frames", usize::from(strip).min(frames)),
                (false, _, frames) => format!("{frames} frames at {fps} a second"),
            };
            eprintln!("{}: {what}, {width} × {height}, in {took:.1} s", out.display());
        }
        Ok(())
    }
}

/// A bar on the error stream, and only where that is a terminal.
pub(super) fn progress_bar(count: usize, what: &str, started: Instant) -> ProgressBar {
    let bar = ProgressBar::new(count as u64);
    let style = format!("{{bar:32.cyan}} {{pos}}/{{len}} {what}  {{elapsed}} gone, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&style) {
        bar.set_style(style);
    }
    bar.with_elapsed(started.elapsed())
}

/// One device for each two cores: a software driver uses several cores for one picture already.
fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2)).min(4)
}
