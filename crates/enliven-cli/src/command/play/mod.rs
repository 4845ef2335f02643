//! `enliven play`.

mod app;
mod orbit;

use clap::Args;
use enliven_render::TimeOfDay;
use winit::event_loop::{ControlFlow, EventLoop};

use crate::cast::{Cast, Drives, Setup};
use crate::failure::{Code, Failure};
use crate::motion;
use crate::options::{Background, Camera, LifeOptions, Size, TalkOptions};
use crate::scene::SceneSetup;
use crate::subject::Subject;

/// Watch a character in a window.
///
/// The window's title shows the state and the keys. A hidden window stops drawing and goes on
/// where it was.
#[derive(Debug, Args)]
#[command(after_help = "Keys:
  Space        pause, go on
  .            one step of a sixtieth of a second (pauses)
  S            slow motion: full, half, a quarter, a tenth of the speed
  C, Shift+C   next, previous clip
  J            joints over the body
  M            next mode: idle, listening, thinking, speaking
  B            hard stop of a boat
  1 to 6       front, three-quarter, side, back, face, top
  R            from the beginning
  Q, Escape    end
Mouse: drag to orbit, right drag to move, wheel to zoom.

Examples:
  enliven play rabbit
  enliven play drift --time night
  enliven play Fox.glb --clip Run
  enliven play Godette.vrm --camera face
  enliven play Godette.vrm --mode speaking --emotion happy:0.5
  enliven play Fox.glb --motion run")]
pub(super) struct Play {
    /// A file, or the name of a built-in character; several stand beside each other.
    #[arg(required = true, value_name = "SUBJECT")]
    subjects: Vec<String>,

    /// A clip to play, as for `enliven render`; may be given several times.
    #[arg(long = "clip", value_name = "CLIP")]
    clips: Vec<String>,

    /// What moves a subject that plays no clip.
    #[arg(long, value_enum, default_value_t = Drives::Auto, value_name = "MOTION")]
    motion: Drives,

    /// Keep all clips in the same phase while they are blended.
    #[arg(long)]
    sync: bool,

    /// Size of the window in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    size: Size,

    /// three-quarter, front, side, back, face, top, or a place: 'eye=X,Y,Z target=X,Y,Z fov=DEG'.
    /// Without it three-quarter; a scene has a camera of its own.
    #[arg(long)]
    camera: Option<Camera>,

    /// The light: day, dusk or night.
    #[arg(long, value_name = "TIME", value_parser = super::render::time_of_day)]
    time: Option<TimeOfDay>,

    /// Seed of everything that happens by chance (blinks, glances).
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// sky, black, white, grey or a colour like #30343c.
    #[arg(long, default_value = "sky")]
    background: Background,

    /// Show the joints from the beginning.
    #[arg(long)]
    joints: bool,

    /// Close the window by itself after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = super::render::seconds)]
    exit_after: Option<f64>,

    #[command(flatten)]
    life: LifeOptions,

    #[command(flatten)]
    talk: TalkOptions,
}

impl Play {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let scene =
            SceneSetup::named(&self.subjects, self.time.unwrap_or_default(), &self.life.wish()?)?;
        let (subjects, life) = match &scene {
            Some(scene) => (scene.subjects(), None),
            None => {
                let mut subjects = Subject::open_all(&self.subjects, self.motion)?;
                motion::learn(&mut subjects, &self.clips)?;
                let life = self.life.prepare(&mut subjects)?;
                (subjects, life)
            }
        };
        let asked = Setup::asked(&self.clips, self.motion, self.sync, self.seed, &self.talk);
        let setup = Setup { life, scene, ..asked };
        let cast = Cast::new(&subjects, &setup)?;
        let events = EventLoop::new().map_err(|error| no_display(&error))?;
        events.set_control_flow(ControlFlow::Poll);
        let mut app = app::App::new(self, subjects, setup, cast);
        events.run_app(&mut app).map_err(|error| no_display(&error))?;
        app.outcome()
    }
}

fn no_display(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Code::NoDisplay, format!("no window can be opened: {error}")).help(
        "run this on a desktop (DISPLAY or WAYLAND_DISPLAY has to be set), or make a film: \
         enliven render SUBJECT -o film.gif",
    )
}
