//! The face while the body does what it wants: blinking, feeling, speaking.

use super::{Expression, Override, Person, Preset};
use crate::{BlinkParams, Blinker, ChannelId, Layer, Moment, Pose, Region, Rig, Rng, Spring, math};
use glam::Vec3;

/// How a mood follows what is asked, rad/s.
const FOLLOW_MOOD: f32 = 4.0;
/// How a mouth does: a viseme is there within 60 ms.
const FOLLOW_MOUTH: f32 = 38.0;
/// Part of a mood that an open mouth takes away: words stay readable.
const MOOD_YIELDS: f32 = 0.4;
/// How far each of aa, ih, ou, ee, oh opens the mouth, for faces without them all.
const OPEN: [f32; 5] = [1.0, 0.45, 0.5, 0.4, 0.7];
/// The jaw at its widest, rad.
const JAW: f32 = 0.22;
/// Syllables a second of a voice that is not heard.
const BABBLE: [f32; 2] = [3.6, 6.5];

const MOODS: [Preset; 6] = [
    Preset::Happy,
    Preset::Angry,
    Preset::Sad,
    Preset::Relaxed,
    Preset::Surprised,
    Preset::Neutral,
];
const MOUTH: [Preset; 5] = [Preset::Aa, Preset::Ih, Preset::Ou, Preset::Ee, Preset::Oh];

/// The layer of the face: writes weights of expressions (and a jaw's joint, where a face has
/// nothing else to speak with), so it goes on whatever the body does. Put it above everything but
/// [`Expressions`](super::Expressions), which shows the weights.
///
/// Moods start from where they are; an open mouth lowers them; of the visemes the strongest two
/// are shown; a blink closes only what a mood has left open. What a face lacks is done with what
/// it has: aa alone, a jaw, nothing. Where a clip below moves the face, the stronger of both
/// counts.
#[derive(Clone, Debug)]
pub struct Face {
    /// Weights of happy, angry, sad, relaxed, surprised, neutral, in [0, 1].
    pub mood: [f32; 6],
    /// Weights of aa, ih, ou, ee, oh, in [0, 1].
    pub visemes: [f32; 5],
    /// Moves the mouth as if it spoke, for a voice that is not heard.
    pub babble: bool,
    /// Whether it blinks by itself. Where a mind below writes the blinks already (as
    /// [`Life`](crate::layers::Life) does), set it to false: those are then fitted to the mood.
    pub blinks: bool,
    blinker: Blinker,
    moods: [Spring<f32>; 6],
    mouth: [Spring<f32>; 5],
    mood_channels: [Option<ChannelId>; 6],
    /// How far each mood has the eyes shut already, in parts of a blink.
    shut: [f32; 6],
    mouth_channels: [Option<ChannelId>; 5],
    blink: Option<ChannelId>,
    blink_sides: [Option<ChannelId>; 2],
    jaw: bool,
    rng: Rng,
    syllable: [f32; 5],
    syllable_left: f32,
}

impl Face {
    /// What [`Face::mood`] weighs, in its order.
    pub const MOODS: [Preset; 6] = MOODS;

    /// For a person's expressions.
    pub fn new(rig: &Rig, person: &Person, seed: u64) -> Self {
        let find = |preset: Preset| person.expressions.iter().find(|e| e.preset == Some(preset));
        let channel = |preset| find(preset).map(|e| e.channel);
        let lids: Vec<&Expression> = [Preset::Blink, Preset::BlinkLeft, Preset::BlinkRight]
            .into_iter()
            .filter_map(find)
            .collect();
        let shut = MOODS.map(|p| find(p).map_or(0.0, |mood| closes(mood, &lids)));
        let still = Spring::at(0.0);
        Self {
            mood: [0.0; 6],
            visemes: [0.0; 5],
            babble: false,
            blinks: true,
            blinker: Blinker::new(BlinkParams::default(), seed),
            moods: [still; 6],
            mouth: [still; 5],
            mood_channels: MOODS.map(channel),
            shut,
            mouth_channels: MOUTH.map(channel),
            blink: channel(Preset::Blink),
            blink_sides: [channel(Preset::BlinkLeft), channel(Preset::BlinkRight)],
            jaw: rig.regions.has(Region::Jaw),
            rng: Rng::new(seed, 0xface),
            syllable: [0.0; 5],
            syllable_left: 0.0,
        }
    }

    /// What decides when it blinks, to ask for a blink.
    pub fn blinker(&mut self) -> &mut Blinker {
        &mut self.blinker
    }

    /// The mouth that is wanted now.
    fn words(&mut self, dt: f32) -> [f32; 5] {
        if !self.babble {
            return self.visemes.map(|v| v.clamp(0.0, 1.0));
        }
        self.syllable_left -= dt;
        if self.syllable_left <= 0.0 {
            let rate = self.rng.range(BABBLE[0], BABBLE[1]);
            self.syllable_left = 1.0 / rate;
            self.syllable = [0.0; 5];
            // Some syllables are pauses, so that it breathes.
            if !self.rng.chance(0.22) {
                let which = (self.rng.next_u32() % 5) as usize;
                self.syllable[which] = self.rng.range(0.35, 0.85);
            }
        }
        self.syllable
    }
}

/// How far a mood shuts the eyes with the very morphs that a blink uses, in parts of a blink. What
/// declares an override is lowered by the expressions themselves.
fn closes(mood: &Expression, lids: &[&Expression]) -> f32 {
    if mood.override_blink != Override::None {
        return 0.0;
    }
    let mut most = 0.0f32;
    for bind in &mood.binds {
        for lid in lids.iter().flat_map(|l| &l.binds) {
            if lid.channel == bind.channel && lid.amount > 0.0 {
                most = most.max(bind.amount / lid.amount);
            }
        }
    }
    most.clamp(0.0, 1.0)
}

fn raise(pose: &mut Pose, channel: ChannelId, to: f32) {
    pose.set_channel(channel, pose.channel(channel).max(to));
}

impl Layer for Face {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        let dt = moment.dt;
        let mut words = self.words(dt);
        // The strongest two.
        let mut order = [0, 1, 2, 3, 4];
        order.sort_by(|a, b| words[*b].total_cmp(&words[*a]));
        for i in &order[2..] {
            words[*i] = 0.0;
        }
        let mut mouth = [0.0; 5];
        for (i, m) in mouth.iter_mut().enumerate() {
            *m = self.mouth[i].step(words[i], FOLLOW_MOUTH, dt).clamp(0.0, 1.0);
        }
        let sum: f32 = mouth.iter().sum();
        let fit = if sum > 1.0 { 1.0 / sum } else { 1.0 };
        let mouth = mouth.map(|m| m * fit);
        let open: f32 = mouth.iter().zip(OPEN).map(|(m, o)| m * o).sum();

        let yields = 1.0 - MOOD_YIELDS * sum.min(1.0);
        let mut closed = 0.0;
        for (i, spring) in self.moods.iter_mut().enumerate() {
            let w = spring.step(self.mood[i].clamp(0.0, 1.0), FOLLOW_MOOD, dt).clamp(0.0, 1.0);
            let w = w * yields;
            let below = self.mood_channels[i].map_or(0.0, |c| pose.channel(c));
            closed += w.max(below) * self.shut[i];
            if let Some(c) = self.mood_channels[i] {
                raise(pose, c, w);
            }
        }

        let all = self.mouth_channels.iter().all(Option::is_some);
        match (all, self.mouth_channels[0]) {
            (true, _) => {
                for (c, w) in self.mouth_channels.iter().zip(mouth) {
                    if let Some(c) = c {
                        raise(pose, *c, w);
                    }
                }
            }
            (false, Some(aa)) => raise(pose, aa, open),
            (false, None) if self.jaw => {
                let turn = math::rotation(Vec3::X, JAW * open);
                rig.regions.rotate(pose, Region::Jaw, turn);
            }
            (false, None) => {}
        }

        let open = (1.0 - closed).clamp(0.0, 1.0);
        let own = self.blinker.step(dt);
        let lids = [self.blink, self.blink_sides[0], self.blink_sides[1]];
        if self.blinks {
            // One channel for both eyes, or one an eye.
            let both = self.blink.is_some();
            for (c, used) in lids.into_iter().zip([both, !both, !both]) {
                if let Some(c) = c.filter(|_| used) {
                    raise(pose, c, own);
                }
            }
        }
        if let [Some(both), Some(left), Some(right)] = lids {
            // What both eyes do is for the expression made for it: those of one eye may be
            // binary winks.
            let common = pose.channel(left).min(pose.channel(right));
            raise(pose, both, common);
            pose.set_channel(left, pose.channel(left) - common);
            pose.set_channel(right, pose.channel(right) - common);
        }
        for c in lids.into_iter().flatten() {
            pose.set_channel(c, pose.channel(c) * open);
        }
    }
}
