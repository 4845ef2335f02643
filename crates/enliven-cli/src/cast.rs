//! The bodies of a film or window, each with what moves it.

use std::sync::Arc;

use enliven::glam::Vec3;
use enliven::{Actor, Affine, Moment, Transform};

use crate::failure::{Code, Failure};
use crate::options::{ClipOption, Cue};
use crate::subject::Subject;
use crate::timeline::Timeline;

/// Longest step of the layers, seconds: longer frames are cut into several.
const STEP: f64 = 1.0 / 60.0;
/// Free space between two bodies that stand beside each other, a part of their mean height.
const GAP: f32 = 0.25;

/// Who plays, in the order of the command line.
pub struct Cast {
    members: Vec<Member>,
    time: f64,
}

/// One body with what moves it.
struct Member {
    actor: Actor,
    timeline: Option<Timeline>,
}

/// What a body looks like at one moment: plain data that another thread can draw.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyState {
    /// Palette of matrices.
    pub palette: Vec<Affine>,
    /// Channels of the pose.
    pub channels: Vec<f32>,
    /// Where it stands.
    pub root: Transform,
}

/// How a cast is set up.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The clips; empty: the first clip of each subject.
    pub clips: Vec<ClipOption>,
    /// No clips at all.
    pub rest: bool,
    /// All clips of a subject keep the same phase.
    pub sync: bool,
    /// Seed of everything that is drawn by chance.
    pub seed: u64,
}

impl Cast {
    /// Puts the subjects beside each other, first to the left of one who looks at their fronts.
    ///
    /// # Errors
    /// [`Code::ClipUnknown`] where no subject has a clip that is asked for.
    pub fn new(subjects: &[Subject], setup: &Setup) -> Result<Self, Failure> {
        let cues = resolve(subjects, setup)?;
        let mut members: Vec<Member> = Vec::with_capacity(subjects.len());
        for (subject, cues) in subjects.iter().zip(&cues) {
            let mut actor = Actor::new(Arc::clone(&subject.character));
            let timeline = (!cues.is_empty())
                .then(|| Timeline::new(&mut actor.stack, &subject.character, cues, setup.sync));
            members.push(Member { actor, timeline });
        }
        let mut cast = Self { members, time: 0.0 };
        cast.step(0.0);
        cast.line_up();
        Ok(cast)
    }

    /// Moves everything on by `dt` seconds.
    pub fn step(&mut self, dt: f64) {
        let count = (dt / STEP).ceil().max(1.0);
        let part = dt / count;
        for _ in 0..count as usize {
            self.time += part;
            for member in &mut self.members {
                if let Some(timeline) = &mut member.timeline {
                    timeline.set(&mut member.actor.stack, self.time, part);
                }
                member.actor.step(&Moment::step(part as f32));
            }
        }
    }

    /// Moves on to `time` seconds after the start, in steps of a film.
    pub fn play_to(&mut self, time: f64) {
        let left = time - self.time;
        if left > 0.0 {
            self.step(left);
        }
    }

    /// How long one round of the clips takes, seconds; `None` without clips.
    #[must_use]
    pub fn round(&self) -> Option<f64> {
        let rounds = self.members.iter().filter_map(|member| member.timeline.as_ref()?.round());
        rounds.max_by(f64::total_cmp)
    }

    /// A moment that shows the motion well in a single picture, seconds: a little into the clip.
    #[must_use]
    pub fn good_moment(&self) -> f64 {
        self.round().map_or(1.0, |round| round * 0.3)
    }

    /// Seconds since the start.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The bodies as they are now.
    #[must_use]
    pub fn states(&self) -> Vec<BodyState> {
        self.actors()
            .map(|actor| BodyState {
                palette: actor.palette().to_vec(),
                channels: actor.pose().channels().to_vec(),
                root: actor.pose().root,
            })
            .collect()
    }

    /// The living bodies.
    pub fn actors(&self) -> impl ExactSizeIterator<Item = &Actor> {
        self.members.iter().map(|member| &member.actor)
    }

    /// Places every body on the ground of the first, side by side along the x axis, about the
    /// origin. A single body stays where its file has it.
    fn line_up(&mut self) {
        if self.members.len() < 2 {
            return;
        }
        let boxes: Vec<(Vec3, Vec3)> = self
            .actors()
            .map(|actor| actor.character().bounds(actor.pose()).unwrap_or_default())
            .collect();
        let heights: f32 = boxes.iter().map(|(low, high)| high.y - low.y).sum();
        let gap = GAP * heights / boxes.len() as f32;
        let width: f32 = boxes.iter().map(|(low, high)| high.x - low.x).sum::<f32>()
            + gap * (boxes.len() - 1) as f32;
        let mut left = -0.5 * width;
        for (member, (low, high)) in self.members.iter_mut().zip(boxes) {
            let place = Vec3::new(left - low.x, -low.y, -0.5 * (low.z + high.z));
            member.actor.edit(|pose| pose.root.translation += place);
            left += high.x - low.x + gap;
        }
    }
}

/// The cues of each subject.
fn resolve(subjects: &[Subject], setup: &Setup) -> Result<Vec<Vec<Cue>>, Failure> {
    let mut cues = vec![Vec::new(); subjects.len()];
    for option in &setup.clips {
        let mut first = None;
        let mut found = false;
        for (subject, cues) in subjects.iter().zip(&mut cues) {
            match option.resolve(&subject.character) {
                Ok(cue) => {
                    cues.push(cue);
                    found = true;
                }
                // A number out of range is wrong for every subject; a missing clip only if all
                // lack it.
                Err(failure) if failure.code() == Code::ClipUnknown => {
                    first.get_or_insert(failure);
                }
                Err(failure) => return Err(failure),
            }
        }
        if let (false, Some(failure)) = (found, first) {
            return Err(failure);
        }
    }
    if setup.clips.is_empty() && !setup.rest {
        for (subject, cues) in subjects.iter().zip(&mut cues) {
            if !subject.character.clips.is_empty() {
                let clip = enliven::ClipId::new(0);
                cues.push(Cue { clip, weight: 1.0, start: None, fade: 0.0 });
            }
        }
    }
    Ok(cues)
}
