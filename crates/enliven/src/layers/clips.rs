//! Recorded motion as a layer.

use crate::{Character, ClipId, Layer, Loop, Moment, Playback, Pose, Rig};
use std::sync::Arc;

/// One clip of a [`Clips`] layer.
#[derive(Clone, Debug)]
pub struct ClipSlot {
    /// Which clip.
    pub clip: ClipId,
    /// Where it is.
    pub playback: Playback,
    /// Its share, relative to those of the other slots; not negative.
    pub weight: f32,
}

/// Plays clips of a character, blended by weight. All clips keep time, weight 0 included, so that
/// a clip that fades in later is where it would have been.
///
/// A joint that no playing clip moves keeps the pose from below: the rest pose in a base layer.
pub struct Clips {
    character: Arc<Character>,
    slots: Vec<ClipSlot>,
    scratch: Option<Pose>,
    input: Option<Pose>,
}

impl Clips {
    /// No clips yet.
    pub fn new(character: Arc<Character>) -> Self {
        Self { character, slots: Vec::new(), scratch: None, input: None }
    }

    /// One clip, at full weight.
    pub fn playing(character: Arc<Character>, clip: ClipId, looping: Loop) -> Self {
        let mut out = Self::new(character);
        out.add(clip, looping, 1.0);
        out
    }

    /// Adds a clip from its start; returns the index of its slot.
    ///
    /// # Panics
    /// Where `clip` is not of the layer's character.
    pub fn add(&mut self, clip: ClipId, looping: Loop, weight: f32) -> usize {
        let playback = Playback::new(self.character.clip(clip), looping);
        self.slots.push(ClipSlot { clip, playback, weight });
        self.slots.len() - 1
    }

    /// The clips, to read.
    pub fn slots(&self) -> &[ClipSlot] {
        &self.slots
    }

    /// The clips, to weight and seek.
    pub fn slots_mut(&mut self) -> &mut [ClipSlot] {
        &mut self.slots
    }
}

impl Layer for Clips {
    fn apply(&mut self, moment: &Moment, _: &Rig, pose: &mut Pose) {
        // The first clip that counts is written straight into the pose; each later one is mixed
        // in by its part of the weight so far, which makes the weighted mean.
        let mut sum = 0.0;
        let input = self.input.get_or_insert_with(|| pose.clone());
        input.copy_from(pose);
        // Now, not when a second clip first counts: that may be in the middle of a performance.
        if self.slots.len() > 1 {
            self.scratch.get_or_insert_with(|| pose.clone());
        }
        for slot in &mut self.slots {
            slot.playback.advance(moment.dt);
            let w = slot.weight;
            if !(w > 0.0 && w.is_finite()) {
                continue;
            }
            let clip = self.character.clip(slot.clip);
            sum += w;
            if sum == w {
                slot.playback.sample(clip, pose);
            } else {
                let scratch = self.scratch.get_or_insert_with(|| input.clone());
                scratch.copy_from(input);
                slot.playback.sample(clip, scratch);
                pose.blend(scratch, w / sum, None);
            }
        }
    }

    fn reset(&mut self) {
        for slot in &mut self.slots {
            slot.playback.seek(0.0);
        }
    }
}
