//! The bodies of a film or window, each with what moves it.

use std::sync::Arc;

use enliven::builtin::drift::{Drift, View};
use enliven::glam::Vec3;
use enliven::person::{Presence, VoiceMode};
use enliven::{Actor, Affine, Breeze, Course, MindParams, Moment, Region, Transform, layers};
use enliven_render::Stage;

use crate::failure::{Code, Failure};
use crate::options::{ClipOption, Cue, LifeWish, Talk, TalkOptions};
use crate::scene::{self, SceneSetup};
use crate::subject::Subject;
use crate::timeline::Timeline;

/// Longest step of the layers, seconds: longer frames are cut into several.
const STEP: f64 = 1.0 / 60.0;
/// Free space between two bodies that stand beside each other, a part of their mean height.
const GAP: f32 = 0.25;
/// Seconds into a scene that make a good picture, by eye.
const GOOD_MOMENT: f64 = 59.0;
/// A picture of a long clip is taken no later than this, seconds: all that comes before is played.
const LATEST_MOMENT: f64 = 60.0;
/// Longest clip, seconds: a day, as long as a film may be.
const LONGEST: f64 = 86_400.0;

/// Who plays, in the order of the command line.
pub struct Cast {
    members: Vec<Member>,
    /// Plays instead of members, where there is one.
    scene: Option<Box<Drift>>,
    time: f64,
    viewer: Option<Vec3>,
    wind: Vec3,
    talk: Talk,
    /// A mode that was chosen by hand; the film's before that.
    mode: Option<VoiceMode>,
}

/// One body with what moves it.
struct Member {
    actor: Actor,
    drive: Drive,
    /// The layers of a body in company.
    presence: Presence,
    /// Whether it lives on top of that: nothing of it comes again exactly.
    lives: bool,
    /// Where the body stands, or where its course begins.
    home: Vec3,
    /// Where its hips are at rest, in model space.
    hips: Vec3,
}

/// What moves a body.
enum Drive {
    /// Nothing: the rest pose.
    Still,
    /// Clips of its file.
    Clips(Timeline),
    /// It stands and lives: breath, weight, glances, blinks.
    Stand,
    /// It runs the winding course.
    Course(Course),
}

/// Which of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Drives {
    /// The clips that a subject has; a person without clips stands in company; another body with a
    /// head and no clips stands and lives; the built-in rabbit runs; anything else keeps still.
    #[default]
    Auto,
    /// Stand and live: breathe, shift the weight, look around, blink. A static model is measured
    /// and gets joints for it.
    Stand,
    /// Run a winding course.
    Run,
    /// Keep the rest pose.
    Still,
}

/// What a body looks like at one moment: plain data that another thread can draw.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyState {
    /// Whose body it is, by the order of the subjects.
    pub subject: usize,
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
    /// What moves the bodies that no clip moves.
    pub drives: Drives,
    /// All clips of a subject keep the same phase.
    pub sync: bool,
    /// Seed of everything that is drawn by chance.
    pub seed: u64,
    /// How the bodies live on top of that; `None`: they do not.
    pub life: Option<LifeWish>,
    /// What the voice does and how it feels; `None`: nothing is said of it.
    pub talk: Option<Talk>,
    /// What plays instead of the subjects, which are its bodies then.
    pub scene: Option<SceneSetup>,
}

impl Setup {
    /// What the options of a command say, without life and without a scene.
    #[must_use]
    pub fn asked(
        clips: &[String],
        drives: Drives,
        sync: bool,
        seed: u64,
        talk: &TalkOptions,
    ) -> Self {
        let clips = clips.iter().cloned().map(ClipOption).collect();
        Self { clips, drives, sync, seed, life: None, talk: talk.talk(), scene: None }
    }
}

impl Cast {
    /// Puts the subjects beside each other, first to the left of one who looks at their fronts.
    ///
    /// # Errors
    /// [`Code::ClipUnknown`] where no subject has a clip that is asked for; [`Code::Option`] where one
    /// lasts longer than a day.
    pub fn new(subjects: &[Subject], setup: &Setup) -> Result<Self, Failure> {
        if let Some(scene) = &setup.scene {
            let scene = Some(Box::new(scene.begin(setup.seed)));
            let (members, viewer, wind) = (Vec::new(), None, Vec3::ZERO);
            let talk = Talk::default();
            return Ok(Self { members, scene, time: 0.0, viewer, wind, talk, mode: None });
        }
        let cues = resolve(subjects, setup)?;
        let mut members: Vec<Member> = Vec::with_capacity(subjects.len());
        for (subject, cues) in subjects.iter().zip(&cues) {
            // Each body has a stream of its own, or they would all blink at once.
            let seed = setup.seed.wrapping_add(members.len() as u64);
            members.push(Member::new(subject, cues, setup, seed));
        }
        let wind = setup.life.as_ref().map_or(Vec3::ZERO, LifeWish::wind);
        let talk = setup.talk.clone().unwrap_or_default();
        let mut cast =
            Self { members, scene: None, time: 0.0, viewer: None, wind, talk, mode: None };
        // Arms that hang take less room than arms at rest: they stand as they will, then they are
        // measured.
        cast.step(0.0);
        cast.line_up();
        cast.step(0.0);
        Ok(cast)
    }

    /// Moves everything on by `dt` seconds.
    pub fn step(&mut self, dt: f64) {
        if let Some(scene) = &mut self.scene {
            scene.set_viewer(self.viewer);
        }
        let count = (dt / STEP).ceil().max(1.0);
        let part = dt / count;
        for _ in 0..count as usize {
            self.time += part;
            let (viewer, wind) = (self.viewer, self.wind);
            let moment = Moment { viewer, wind, ..Moment::step(part as f32) };
            let mode = self.mode.unwrap_or_else(|| self.talk.mode(self.time));
            let mood = self.talk.mood(self.time);
            for member in &mut self.members {
                member.presence.set_mode(&mut member.actor.stack, mode);
                member.presence.set_mood(&mut member.actor.stack, mood);
                member.step(self.time, part, moment);
            }
            if let Some(scene) = &mut self.scene {
                scene.step(part);
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
        let round = |member: &Member| match &member.drive {
            Drive::Clips(timeline) => timeline.round(),
            _ => None,
        };
        self.members.iter().filter_map(round).max_by(f64::total_cmp)
    }

    /// Seconds after which the motion of every body comes again; `None` where it never does.
    #[must_use]
    pub fn period(&self) -> Option<f64> {
        let mut all = self.members.iter().map(|member| match &member.drive {
            Drive::Clips(timeline) if !member.lives => timeline.period(),
            _ => None,
        });
        let first = all.next()??;
        all.all(|other| other.is_some_and(|other| (other - first).abs() < 1e-5)).then_some(first)
    }

    /// A moment that shows the motion well in a single picture, seconds: a little into the clip,
    /// or a look at the viewer.
    #[must_use]
    pub fn good_moment(&self) -> f64 {
        if self.scene.is_some() {
            return GOOD_MOMENT;
        }
        let middle_of_a_glance = f64::from(layers::Glance::FIRST) + 0.9;
        let change = self.talk.last_change();
        if change > 0.0 {
            return change + middle_of_a_glance;
        }
        self.round().map_or(middle_of_a_glance, |round| (round * 0.3).min(LATEST_MOMENT))
    }

    /// Whether something runs: a film is then long enough to see it.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.members.iter().any(|member| matches!(member.drive, Drive::Course(_)))
    }

    /// The mean of the places where the bodies are: a clip may carry one away from its root.
    #[must_use]
    pub fn middle(&self) -> Vec3 {
        let members = self.members.iter().map(Member::place);
        let scene = self.scene.iter().map(|scene| scene.creature().pose().root.translation);
        let sum: Vec3 = members.chain(scene).sum();
        let mean = sum / self.actors().count().max(1) as f32;
        if mean.is_finite() { mean } else { Vec3::ZERO }
    }

    /// Name of the clip that plays, or takes over, on the first body that has clips.
    #[must_use]
    pub fn clip_name(&self) -> Option<&str> {
        self.members.iter().find_map(|member| {
            let Drive::Clips(timeline) = &member.drive else { return None };
            Some(member.actor.character().clip(timeline.latest()?).name.as_str())
        })
    }

    /// A name for what moves the first body: its clips, or `stand`, `run`, `rest`.
    #[must_use]
    pub fn motion_name(&self) -> String {
        let Some(member) = self.members.first() else { return String::new() };
        match &member.drive {
            Drive::Still if member.lives => "alive".to_owned(),
            Drive::Still => "rest".to_owned(),
            Drive::Stand => "stand".to_owned(),
            Drive::Course(_) => "run".to_owned(),
            Drive::Clips(timeline) => {
                let name = |clip| member.actor.character().clip(clip).name.as_str();
                timeline.clips().map(name).collect::<Vec<_>>().join("+")
            }
        }
    }

    /// Goes over to the next clip but `by` on the first body that has clips, round and round.
    pub fn change_clip(&mut self, by: isize) {
        let time = self.time;
        let with_clips = |member: &&mut Member| matches!(member.drive, Drive::Clips(_));
        let Some(member) = self.members.iter_mut().find(with_clips) else { return };
        let Drive::Clips(timeline) = &mut member.drive else { return };
        let character = Arc::clone(member.actor.character());
        timeline.change(&mut member.actor.stack, &character, by, time);
    }

    /// What the voice does now.
    #[must_use]
    pub fn mode(&self) -> VoiceMode {
        self.mode.unwrap_or_else(|| self.talk.mode(self.time))
    }

    /// Whether some body shows what the voice does.
    #[must_use]
    pub fn talks(&self) -> bool {
        let shows = |p: &Presence| p.conversation.is_some() || p.face.is_some();
        self.members.iter().any(|member| shows(&member.presence))
    }

    /// Goes over to the next mode of the voice, round and round.
    pub fn change_mode(&mut self) {
        self.mode = Some(VoiceMode::ALL[(self.mode() as usize + 1) % VoiceMode::ALL.len()]);
    }

    /// When the last change of the conversation is, seconds; `None` where there is none.
    #[must_use]
    pub fn last_change(&self) -> Option<f64> {
        Some(self.talk.last_change()).filter(|time| *time > 0.0)
    }

    /// Tells the bodies where the one is who looks at them.
    pub fn set_viewer(&mut self, eye: Vec3) {
        self.viewer = Some(eye);
    }

    /// Seconds since the start.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Wind and time, for fur, plants and water.
    #[must_use]
    pub fn air(&self) -> Breeze {
        let wind = self.scene.as_ref().map_or(self.wind, |scene| scene.params().wind);
        Breeze::new(wind, self.time)
    }

    /// Brings a stage up to this moment: the air, and what a scene has.
    pub fn dress(&self, stage: &mut Stage) {
        stage.air = self.air();
        stage.time = self.time;
        if let Some(drift) = &self.scene {
            scene::dress(stage, drift);
        }
    }

    /// The bodies as they are now.
    #[must_use]
    pub fn states(&self) -> Vec<BodyState> {
        self.bodies()
            .map(|(subject, actor)| BodyState {
                subject,
                palette: actor.palette().to_vec(),
                channels: actor.pose().channels().to_vec(),
                root: actor.pose().root,
            })
            .collect()
    }

    /// Everything that is drawn, each with the place of its subject.
    pub fn bodies(&self) -> impl Iterator<Item = (usize, &Actor)> {
        let members = self.members.iter().map(|member| &member.actor).enumerate();
        members.chain(self.scene.iter().flat_map(|scene| scene.bodies()))
    }

    /// Those that a picture is about.
    pub fn actors(&self) -> impl Iterator<Item = &Actor> {
        let members = self.members.iter().map(|member| &member.actor);
        members.chain(self.scene.iter().map(|scene| scene.creature()))
    }

    /// The scene that plays.
    #[must_use]
    pub fn scene(&self) -> Option<&Drift> {
        self.scene.as_deref()
    }

    /// The scene that plays, to tell it something.
    pub fn scene_mut(&mut self) -> Option<&mut Drift> {
        self.scene.as_deref_mut()
    }

    /// Where a scene wants to be looked at from.
    #[must_use]
    pub fn view(&self) -> Option<View> {
        self.scene.as_ref().map(|scene| scene.view())
    }

    /// Places every body on one ground, side by side along the x axis, about the
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
            member.home = place;
            member.actor.place(Transform::from_translation(place));
            left += high.x - low.x + gap;
        }
    }
}

impl Member {
    fn new(subject: &Subject, cues: &[Cue], setup: &Setup, seed: u64) -> Self {
        let character = &subject.character;
        let person = subject.person.as_deref();
        let mut actor = Actor::new(Arc::clone(character));
        let mut presence = Presence::default();
        let alive = subject.is_built_in() || character.rig.regions.has(Region::Head);
        let asked = setup.talk.as_ref().is_some_and(Talk::has_modes);
        let company = asked || person.is_some_and(|p| p.humanoid.bones().next().is_some());
        let minded = setup.life.is_some();
        let drive = match setup.drives {
            _ if !cues.is_empty() => {
                let late = cues.iter().all(|cue| cue.start.is_some_and(|start| start > 0.0));
                if late && company {
                    presence.push_conversation(&mut actor.stack, character, person, seed);
                    let calm = LifeWish::default();
                    let wish = setup.life.as_ref().unwrap_or(&calm);
                    wish.push(&mut actor.stack, &mut presence, character, seed);
                }
                Drive::Clips(Timeline::new(&mut actor.stack, character, cues, setup.sync))
            }
            Drives::Still => Drive::Still,
            Drives::Auto if !alive && !minded && !company => Drive::Still,
            drives => {
                let rabbit = subject.is_built_in() && character.name == "rabbit";
                if drives == Drives::Run || drives == Drives::Auto && rabbit && !asked {
                    let ids;
                    (actor.stack, ids) = layers::motion_from_state(character, seed);
                    if minded {
                        // One mind a body: it glances and blinks itself.
                        actor.stack.set_weight(ids.glance, 0.0);
                        actor.stack.set_weight(ids.blink, 0.0);
                    }
                    Drive::Course(Course::new(character.rig.height))
                } else {
                    if company {
                        presence.push_conversation(&mut actor.stack, character, person, seed);
                    } else {
                        actor.stack.push(layers::Idle::new(&character.rig, seed));
                        // Its part for a body that stands: arms that rest sideways hang down.
                        actor.stack.push(layers::Locomotion::new(&character.rig));
                    }
                    if !minded {
                        let life = layers::Life::new(character, MindParams::default(), seed);
                        presence.push_life(&mut actor.stack, life);
                    }
                    Drive::Stand
                }
            }
        };
        if let (Some(wish), None) = (&setup.life, presence.life) {
            wish.push(&mut actor.stack, &mut presence, character, seed);
        }
        let lives = setup.life.is_some() || person.is_some() && !matches!(drive, Drive::Still);
        if let (Some(person), false) = (person, matches!(drive, Drive::Still)) {
            presence.push_person(&mut actor.stack, character, person, seed);
        }
        let hips = character.rig.regions.own_joints(Region::Hips).first();
        let hips = hips.map_or(Vec3::ZERO, |r| actor.model()[r.joint.index()].translation());
        Self { actor, drive, presence, lives, home: Vec3::ZERO, hips }
    }

    /// Where the body is.
    fn place(&self) -> Vec3 {
        let root = &self.actor.pose().root;
        let rig = &self.actor.character().rig;
        let hips = rig.regions.own_joints(Region::Hips).first();
        let (Drive::Clips(_), Some(hips)) = (&self.drive, hips) else { return root.translation };
        let now = self.actor.model()[hips.joint.index()].translation();
        root.transform_point((now - self.hips) * Vec3::new(1.0, 0.0, 1.0))
    }

    /// Moves on by `dt` seconds to `time`.
    fn step(&mut self, time: f64, dt: f64, mut moment: Moment) {
        match &mut self.drive {
            Drive::Still | Drive::Stand => {}
            Drive::Clips(timeline) => timeline.set(&mut self.actor.stack, time, dt),
            Drive::Course(course) => {
                let ride = course.at(time);
                let mut root = ride.root;
                root.translation += self.home;
                self.actor.place(root);
                moment = moment.with_motion(ride.motion);
            }
        }
        self.actor.step(&moment);
    }
}

/// The cues of each subject.
fn resolve(subjects: &[Subject], setup: &Setup) -> Result<Vec<Vec<Cue>>, Failure> {
    let mut cues: Vec<Vec<Cue>> = vec![Vec::new(); subjects.len()];
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
    // Who is in company does not play the first clip of its file.
    let talks = setup.talk.as_ref().is_some_and(Talk::has_modes);
    if setup.clips.is_empty() && setup.drives == Drives::Auto && !talks {
        for (subject, cues) in subjects.iter().zip(&mut cues) {
            if !subject.character.clips.is_empty() {
                let clip = enliven::ClipId::new(0);
                cues.push(Cue { clip, weight: 1.0, start: None, fade: 0.0 });
            }
        }
    }
    for (subject, cues) in subjects.iter().zip(&cues) {
        let clips = cues.iter().map(|cue| subject.character.clip(cue.clip));
        if let Some(clip) = clips.into_iter().find(|clip| f64::from(clip.duration) > LONGEST) {
            let message = format!("the clip `{}` lasts {:e} seconds", clip.name, clip.duration);
            return Err(Failure::new(Code::Option, message)
                .help("what lasts longer than a day is not played; mend the times of its keys"));
        }
    }
    Ok(cues)
}
