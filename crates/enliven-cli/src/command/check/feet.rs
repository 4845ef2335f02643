//! A humanoid in a clip or in company: its feet stay where they touch the ground (D18).

use enliven::judge::Figure;
use enliven::person::Feet;

use super::Verdict;
use crate::cast::{Cast, Setup};
use crate::failure::{Code, Failure};
use crate::motion;
use crate::options::ClipOption;
use crate::subject::Subject;

/// Seconds of a body that plays no clip.
const IDLE: f64 = 20.0;
/// Of a longer clip this much is judged, seconds.
const JUDGED: f64 = 1800.0;
/// Most that the ball of a foot may slide while it touches the ground, and be off it, metres.
const SLIDE: f32 = 0.02;
const GAP: f32 = 0.01;

/// Plays the subject as `enliven render` does and judges every touch of its feet.
pub(super) fn judge(name: &str, clips: &[String], seed: u64) -> Result<Verdict, Failure> {
    let mut subjects = [Subject::open(name)?];
    motion::learn(&mut subjects, clips)?;
    let clips = clips.iter().cloned().map(ClipOption).collect();
    let setup = Setup { clips, seed, ..Setup::default() };
    let mut cast = Cast::new(&subjects, &setup)?;
    let [subject] = &subjects;
    let Some(person) = &subject.person else {
        let message = format!("`{name}` is no humanoid with feet that could be judged");
        return Err(Failure::new(Code::Option, message)
            .help("`enliven inspect SUBJECT` shows the bones that were found"));
    };
    let rig = &subject.character.rig;
    let seconds = cast.round().unwrap_or(IDLE).min(JUDGED);
    let body = &person.humanoid;
    let feet = Feet::new(rig, body).with_soles(&subject.character, body);
    let touches = feet.touches(rig, seconds as f32, |time, pose| {
        cast.play_to(f64::from(time).min(seconds - 1e-4));
        if let Some(actor) = cast.actors().next() {
            pose.copy_from(actor.pose());
        }
    });
    let most =
        |of: &dyn Fn(&enliven::person::Touch) -> f32| touches.iter().map(of).fold(0.0, f32::max);
    let figure = |name, value, range, unit| Figure { name, value, range, unit, source: "D18" };
    let mut figures = vec![figure("feet.touches", touches.len() as f32, [1.0, f32::MAX], "")];
    // Where nothing touched there is nothing more to measure, and that is out of range itself.
    if !touches.is_empty() {
        figures.push(figure("feet.slide", most(&|t| t.slide), [0.0, SLIDE], "m"));
        figures.push(figure("feet.gap", most(&|t| t.gap.abs()), [0.0, GAP], "m"));
    }
    Ok(Verdict { parts: vec![("feet on the ground", figures)] })
}
