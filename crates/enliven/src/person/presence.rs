//! A person's layers in their order.

use super::{Conversation, Face, LookAtLayer, Person, VoiceMode};
use crate::layers::Life;
use crate::{Character, Interest, LayerId, LookParams, MindParams, Stack};

/// Hair and cloth hang for so many seconds before the first frame.
const SETTLING: f32 = 3.0;

/// Where the layers of a body in company are in its stack, from bottom to top: the body in
/// conversation (or a clip instead), mind and gaze, face, eyes, joints that follow others, what
/// swings, and the expressions last.
///
/// Works for every body: one that is no person listens with what it has.
///
/// ```
/// use enliven::person::{Presence, VoiceMode};
/// use enliven::{Actor, MindParams, Moment, builtin};
/// use std::sync::Arc;
///
/// let mut actor = Actor::new(Arc::new(builtin::rabbit()));
/// let mut presence;
/// (actor.stack, presence) = Presence::new(actor.character(), None, MindParams::default(), 7);
/// presence.set_mode(&mut actor.stack, VoiceMode::Listening);
/// actor.step(&Moment::step(1.0 / 60.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Presence {
    /// [`Conversation`].
    pub conversation: Option<LayerId>,
    /// [`Life`].
    pub life: Option<LayerId>,
    /// [`Face`].
    pub face: Option<LayerId>,
    /// [`LookAtLayer`].
    pub look: Option<LayerId>,
    /// [`NodeConstraints`](super::NodeConstraints).
    pub constraints: Option<LayerId>,
    /// [`SpringBones`](super::SpringBones).
    pub springs: Option<LayerId>,
    /// [`Expressions`](super::Expressions).
    pub expressions: Option<LayerId>,
    /// What the mind looks at where no voice is in play.
    around: LookParams,
    mode: VoiceMode,
}

impl Presence {
    /// All layers of a body that is in company and has no other motion.
    pub fn new(
        character: &Character,
        person: Option<&Person>,
        params: MindParams,
        seed: u64,
    ) -> (Stack, Self) {
        let (mut stack, mut out) = (Stack::new(), Self::default());
        out.push_conversation(&mut stack, character, person, seed);
        out.push_life(&mut stack, Life::new(character, params, seed));
        if let Some(person) = person {
            out.push_person(&mut stack, character, person, seed);
        }
        (stack, out)
    }

    /// The body: the first of a stack, or above a clip that stands.
    pub fn push_conversation(
        &mut self,
        stack: &mut Stack,
        character: &Character,
        person: Option<&Person>,
        seed: u64,
    ) {
        let humanoid = person.map(|p| &p.humanoid);
        let layer = Conversation::new(&character.rig, humanoid, seed);
        self.conversation = Some(stack.push(layer));
    }

    /// The mind: above what moves the body.
    pub fn push_life(&mut self, stack: &mut Stack, mut life: Life) {
        // The body in conversation breathes itself.
        life.breathes = self.conversation.is_none();
        self.around = life.mind.params.look;
        self.life = Some(stack.push(life));
    }

    /// What a person has beyond a body: above everything that moves joints. Where a mind was
    /// pushed before, its blinks count.
    pub fn push_person(
        &mut self,
        stack: &mut Stack,
        character: &Character,
        person: &Person,
        seed: u64,
    ) {
        let rig = &character.rig;
        let mut face = Face::new(rig, person, seed);
        face.blinks = self.life.is_none();
        self.face = Some(stack.push(face));
        self.look = person.look_layer().map(|l: LookAtLayer| stack.push(l));
        let constraints = person.constraint_layer(rig);
        if !constraints.is_empty() {
            self.constraints = Some(stack.push(constraints));
        }
        let springs = person.spring_layer(rig).with_settling(SETTLING);
        if !springs.is_empty() {
            self.springs = Some(stack.push(springs));
        }
        self.expressions = Some(stack.push(person.expression_layer(rig)));
    }

    /// What the voice is doing now.
    pub fn mode(&self) -> VoiceMode {
        self.mode
    }

    /// Tells body, eyes and mouth what the voice is doing. May be called every frame; a mouth that
    /// speaks babbles until [`Face::babble`] is switched off and visemes are given.
    pub fn set_mode(&mut self, stack: &mut Stack, mode: VoiceMode) {
        if mode == self.mode {
            return;
        }
        self.mode = mode;
        if let Some(body) = self.conversation.and_then(|id| stack.get_mut::<Conversation>(id)) {
            body.mode = mode;
        }
        if let Some(life) = self.life.and_then(|id| stack.get_mut::<Life>(id)) {
            life.mind.params.look = mode.look(&self.around);
            match mode {
                VoiceMode::Idle => {}
                VoiceMode::Listening | VoiceMode::Speaking => life.mind.look_at(Interest::Viewer),
                VoiceMode::Thinking => life.mind.look_at(Interest::Sky),
            }
        }
        if let Some(face) = self.face.and_then(|id| stack.get_mut::<Face>(id)) {
            face.babble = mode == VoiceMode::Speaking;
        }
    }

    /// Tells face and body how it feels: weights as [`Face::MOODS`] has them.
    pub fn set_mood(&self, stack: &mut Stack, mood: [f32; 6]) {
        if let Some(body) = self.conversation.and_then(|id| stack.get_mut::<Conversation>(id)) {
            body.mood = mood;
        }
        if let Some(face) = self.face.and_then(|id| stack.get_mut::<Face>(id)) {
            face.mood = mood;
        }
    }
}

impl VoiceMode {
    /// What is looked at in this mode: who listens keeps his eyes on who speaks, who thinks looks
    /// away and up, who speaks looks back now and then.
    pub fn look(self, around: &LookParams) -> LookParams {
        let a = *around;
        match self {
            Self::Idle => a,
            Self::Listening => LookParams {
                interval: [2.2, 6.0],
                ahead: 0.5 * a.ahead,
                side: 0.12 * a.side,
                sky: 0.0,
                viewer: 8.0 * a.viewer,
                ..a
            },
            Self::Thinking => LookParams {
                interval: [1.0, 2.6],
                ahead: 0.25 * a.ahead,
                ahead_pitch: 0.18,
                side_yaw: [0.15, 0.4],
                sky: 5.0 * a.sky,
                sky_pitch: 0.24,
                viewer: 0.3 * a.viewer,
                ..a
            },
            Self::Speaking => LookParams {
                interval: [1.2, 3.4],
                side: 0.5 * a.side,
                side_yaw: [0.15, 0.45],
                sky: 0.4 * a.sky,
                viewer: 4.0 * a.viewer,
                ..a
            },
        }
    }
}
