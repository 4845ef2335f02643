//! Recorded motion as a layer.

use crate::{
    Character, ClipId, Layer, Loop, Moment, Playback, Pose, Rig, RootMotion, Transform, Travel,
};
use std::sync::Arc;

/// One clip of a [`Clips`] layer.
#[derive(Clone, Debug)]
pub struct ClipSlot {
    /// Which clip.
    pub clip: ClipId,
    /// Where it is.
    pub playback: Playback,
    /// Its share, relative to those of the other slots; not negative. An additive clip is added so
    /// many times to what the others make.
    pub weight: f32,
    /// Takes the way of the clip out of its joint and gives it to the root; without, the joint keeps
    /// it. No part of an additive clip.
    pub root: Option<RootMotion>,
    /// The way up to where the root is now.
    gone: Travel,
}

/// Plays clips of a character, blended by weight. All clips keep time, weight 0 included, so that
/// a clip that fades in later is where it would have been.
///
/// A joint that no playing clip moves keeps the pose from below: the rest pose in a base layer.
///
/// Where a slot has [`ClipSlot::root`] the body walks: the root goes as far as the clips have gone,
/// by their shares, over the seams of loops too, forward, backward and by a seek, and the way does not
/// depend on the steps in between. The host may put the body elsewhere at any time.
pub struct Clips {
    character: Arc<Character>,
    slots: Vec<ClipSlot>,
    /// The way from where the host last put the body, the place itself, and where that led to.
    way: Travel,
    home: Transform,
    led: Transform,
    scratch: Option<Pose>,
    input: Option<Pose>,
}

impl Clips {
    /// No clips yet.
    pub fn new(character: Arc<Character>) -> Self {
        let (way, home) = (Travel::default(), Transform::IDENTITY);
        Self { character, slots: Vec::new(), way, home, led: home, scratch: None, input: None }
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
        let gone = Travel::default();
        self.slots.push(ClipSlot { clip, playback, weight, root: None, gone });
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
        let mut step = Travel::default();
        for slot in &mut self.slots {
            slot.playback.advance(moment.dt);
            let clip = self.character.clip(slot.clip);
            if clip.additive {
                continue;
            }
            let mut way = Travel::default();
            if let Some(root) = &slot.root {
                let gone = root.travel(clip, &slot.playback);
                way = slot.gone.inverse().then(&gone).wrapped();
                slot.gone = gone;
            }
            let w = slot.weight;
            if !(w > 0.0 && w.is_finite()) {
                continue;
            }
            sum += w;
            let mut share = 1.0;
            let mut show = |pose: &mut Pose| {
                slot.playback.sample(clip, pose);
                if let Some(root) = &slot.root {
                    root.remove(clip, slot.playback.clip_time(clip), pose);
                }
            };
            if sum == w {
                show(pose);
            } else {
                let scratch = self.scratch.get_or_insert_with(|| input.clone());
                scratch.copy_from(input);
                show(scratch);
                share = w / sum;
                pose.blend(scratch, share, None);
            }
            let share = f64::from(share);
            for (step, way) in step.moved.iter_mut().zip(way.moved) {
                *step += (way - *step) * share;
            }
            step.turned += (way.turned - step.turned) * share;
        }
        for slot in &mut self.slots {
            let clip = self.character.clip(slot.clip);
            if clip.additive && slot.weight > 0.0 && slot.weight.is_finite() {
                slot.playback.add(clip, slot.weight, pose);
            }
        }
        if self.slots.iter().any(|s| s.root.is_some()) {
            if input.root != self.led {
                (self.way, self.home) = (Travel::default(), input.root);
            }
            self.way = self.way.then(&step);
            pose.root = self.home.then(&self.way.to_transform());
            self.led = pose.root;
        }
    }

    fn reset(&mut self) {
        for slot in &mut self.slots {
            slot.playback.seek(0.0);
            slot.gone = Travel::default();
        }
        // A place that no pose has: the next one is taken anew.
        self.led.translation = glam::Vec3::NAN;
    }
}
