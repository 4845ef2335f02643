//! `enliven rig`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use enliven::field::Anatomy;
use enliven::glam::Vec3;
use enliven::leaf::LeafParams;
use enliven::{Actor, Diagnostic, MindParams, measure};
use enliven_io::rigfile::RigFile;
use enliven_render::{Bounds, Camera, Line, Stage, points_of};

use super::print;
use crate::failure::{Code, Failure};
use crate::media::{self, Film};
use crate::studio::{FrameState, Studio};
use crate::subject::Subject;

/// Measure a static model and write a rig file.
///
/// Finds eyes, pupils, head, ears, arms, legs and belly of a model that has no skeleton, from its
/// loose pieces, their symmetry, names and colours. The rig file is TOML with units and comments:
/// correct what is wrong, then let the model live by it with `enliven render MODEL --rig rig.toml`.
/// What was not found is told, and the model lives by the rest.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  enliven rig monster.glb                                 print the rig file
  enliven rig monster.glb -o rig.toml --picture rig.png   write it, with a picture of the findings
  enliven render monster.glb --rig rig.toml -o alive.gif  see it live

In the picture: eyes violet, pupils cyan, head pivot orange, ears green, arms blue, legs brown,
belly yellow; the picture shows the front and the side.")]
pub(super) struct Rig {
    /// A model file, or `creature`.
    #[arg(value_name = "MODEL")]
    subject: String,

    /// Where to write the rig file; without it it goes to the standard output.
    #[arg(short, long = "out", value_name = "RIG.toml")]
    out: Option<PathBuf>,

    /// Draw the findings over the model.
    #[arg(long, value_name = "OUT.png")]
    picture: Option<PathBuf>,

    /// Draw what this rig file says instead of measuring: a look at your corrections.
    #[arg(long, value_name = "RIG.toml", requires = "picture")]
    show: Option<PathBuf>,
}

/// Pixels of each view.
const VIEW: u32 = 640;

impl Rig {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let subject = Subject::open_static(&self.subject)?;
        let (file, findings) = match &self.show {
            Some(path) => (crate::options::read_rig(path)?, Vec::new()),
            None => {
                let measured = measure::measure(&subject.character);
                let anatomy = Some(measured.anatomy);
                let (mind, leaf) = (MindParams::default(), LeafParams::default());
                (RigFile { anatomy, mind, leaf }, measured.diagnostics)
            }
        };
        let png = |path: &PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
        if self.picture.as_ref().is_some_and(|path| !png(path)) {
            let message = "--picture writes a .png file";
            return Err(Failure::new(Code::OutputKind, message));
        }
        if let Some(path) = &self.picture {
            let anatomy = file.anatomy.clone().unwrap_or_else(|| Anatomy::unknown(0.0, 1.0));
            picture(&subject, &anatomy, path)?;
        }
        if self.show.is_some() {
            return Ok(());
        }
        let text = file.write(&subject.source.file, &findings);
        match &self.out {
            None => print(&text)?,
            Some(path) => write(path, &text)?,
        }
        tell(&findings, file.anatomy.as_ref());
        Ok(())
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::output(path, &error))
}

fn tell(findings: &[Diagnostic], anatomy: Option<&Anatomy>) {
    let mut err = anstream::stderr().lock();
    if let Some(a) = anatomy {
        let pupils = a.eyes.iter().filter(|e| e.pupil.is_some()).count();
        let yes = |there: bool| if there { "yes" } else { "no" };
        // Nobody is left to tell when the error stream is closed.
        let _ = writeln!(
            err,
            "found: {} eyes, {pupils} pupils, head {}, {} ears, {} arms, {} legs, belly {}",
            a.eyes.len(),
            yes(a.head.is_some()),
            a.ears.len(),
            a.arms.len(),
            a.legs.len(),
            yes(a.belly.is_some()),
        );
    }
    for found in findings {
        let _ = writeln!(err, "{found}");
    }
}

/// The model from the front and from the side, with the findings drawn over it.
fn picture(subject: &Subject, anatomy: &Anatomy, path: &Path) -> Result<(), Failure> {
    let actor = Actor::new(std::sync::Arc::clone(&subject.character));
    let points = points_of(&subject.character, actor.pose());
    let Some(bounds) = Bounds::of(points.iter().copied()) else {
        let message = format!("{}: there is nothing to draw", subject.source.file);
        return Err(Failure::new(Code::Option, message));
    };
    let front = anatomy.front;
    let across = Vec3::Y.cross(front);
    let mut studio = Studio::new(std::slice::from_ref(subject), VIEW, VIEW)?;
    let film = Film {
        width: VIEW,
        height: VIEW,
        fps: 1.0,
        frames: 2,
        transparent: false,
        strip: 2,
        columns: 2,
    };
    let mut sink = media::open(path, &film)?;
    for toward in [front + Vec3::Y * 0.15, front * 0.5 + across + Vec3::Y * 0.25] {
        let camera = Camera::from_direction(toward, &points, 1.0);
        let eye = (camera.eye - camera.target).normalize_or(Vec3::Z);
        let frame = FrameState {
            bodies: vec![crate::cast::BodyState {
                subject: 0,
                palette: actor.palette().to_vec(),
                channels: actor.pose().channels().to_vec(),
                root: actor.pose().root,
            }],
            camera,
            stage: Stage::under(&bounds),
        };
        let lines = marks(anatomy, eye);
        sink.push(&studio.draw_with(&frame, &lines)?)?;
    }
    sink.finish()
}

fn line(start: Vec3, end: Vec3, [r, g, b]: [f32; 3]) -> Line {
    Line { start, end, colour: [r, g, b, 1.0], width: 2.5 }
}

// Linear RGB.
const VIOLET: [f32; 3] = [0.9, 0.1, 0.9];
const CYAN: [f32; 3] = [0.1, 0.8, 0.9];
const ORANGE: [f32; 3] = [1.0, 0.5, 0.0];
const GREEN: [f32; 3] = [0.1, 0.75, 0.1];
const BLUE: [f32; 3] = [0.15, 0.3, 1.0];
const BROWN: [f32; 3] = [0.6, 0.3, 0.1];
const YELLOW: [f32; 3] = [0.9, 0.8, 0.1];

/// Circles that face the eye, and lines between the ends of a part.
fn marks(a: &Anatomy, eye: Vec3) -> Vec<Line> {
    let mut out = Vec::new();
    let (x, y) = eye.any_orthonormal_pair();
    let mut ring = |at: Vec3, radius: f32, color: [f32; 3]| {
        const N: usize = 40;
        let on = |k: usize| {
            let t = k as f32 / N as f32 * std::f32::consts::TAU;
            at + (x * t.cos() + y * t.sin()) * radius
        };
        out.extend((0..N).map(|k| line(on(k), on(k + 1), color)));
    };
    let dot = 0.012 * a.height;
    for e in &a.eyes {
        ring(e.center, e.radius, VIOLET);
        ring(e.center, dot, VIOLET);
        if let Some(p) = &e.pupil {
            ring(p.center, dot, CYAN);
        }
    }
    if let Some(h) = &a.head {
        ring(h.pivot, 3.0 * dot, ORANGE);
    }
    for e in &a.ears {
        ring(e.base, dot, GREEN);
        ring(e.tip, dot, GREEN);
    }
    for e in &a.arms {
        ring(e.shoulder, 2.0 * dot, BLUE);
        ring(e.hand, dot, BLUE);
    }
    for e in &a.legs {
        ring(e.knee, 2.0 * dot, BROWN);
        ring(e.foot, dot, BROWN);
    }
    if let Some(b) = &a.belly {
        ring(b.center, 4.0 * dot, YELLOW);
    }
    let ends = a.eyes.iter().map(|e| (e.center, e.center + e.forward * (2.0 * e.radius), VIOLET));
    out.extend(ends.map(|(a, b, c)| line(a, b, c)));
    out.extend(a.ears.iter().map(|e| line(e.base, e.tip, GREEN)));
    out.extend(a.arms.iter().map(|e| line(e.shoulder, e.hand, BLUE)));
    out.extend(a.legs.iter().map(|e| line(e.knee, e.foot, BROWN)));
    out
}
