//! Clips on the timeline of a film: who plays when, and how much.

use std::sync::Arc;

use enliven::layers::Clips;
use enliven::{Character, ClipId, LayerId, Loop, Stack};

use crate::options::Cue;

/// How long a change of the clip by hand takes, seconds.
const CHANGE: f32 = 0.3;
/// Most clips that are blended after changes by hand.
const MOST_CUES: usize = 8;

/// Drives the [`Clips`] layer of a stack by the cues of a film.
#[derive(Debug)]
pub struct Timeline {
    layer: LayerId,
    cues: Vec<Cue>,
    durations: Vec<f32>,
    /// Whether all clips keep the same phase, so that steps stay steps while two are blended.
    sync: bool,
    /// Cycles played, when the clips keep the same phase.
    phase: f64,
    weights: Vec<f32>,
    /// Whether something below moves the body until the first clip takes over.
    over: bool,
}

impl Timeline {
    /// Puts a layer with the clips of `cues` on `stack`. What lies below moves the body until the
    /// first of them begins.
    #[must_use]
    pub fn new(stack: &mut Stack, character: &Arc<Character>, cues: &[Cue], sync: bool) -> Self {
        let over = !stack.is_empty();
        let cues = in_order(cues);
        let layer = stack.push(clips(character, &cues));
        let durations = durations(character, &cues);
        let weights = vec![0.0; cues.len()];
        Self { layer, cues, durations, sync, phase: 0.0, weights, over }
    }

    /// How long one round of its longest clip takes, seconds; `None` where no clip lasts.
    #[must_use]
    pub fn round(&self) -> Option<f64> {
        let longest = self.durations.iter().copied().fold(0.0, f32::max);
        (longest > 0.0 && longest.is_finite()).then(|| f64::from(longest))
    }

    /// Seconds after which everything comes again; `None` where nothing does: clips of different
    /// lengths without a common phase, or one that takes over from another.
    #[must_use]
    pub fn period(&self) -> Option<f64> {
        period(&self.cues, &self.durations, self.sync)
    }

    /// The clips, in the order in which they take over.
    pub fn clips(&self) -> impl Iterator<Item = ClipId> {
        self.cues.iter().map(|cue| cue.clip)
    }

    /// The clip that came last.
    #[must_use]
    pub fn latest(&self) -> Option<ClipId> {
        self.cues.last().map(|cue| cue.clip)
    }

    /// Lets the clip that is `by` further in the character's list take over at `time`.
    pub fn change(&mut self, stack: &mut Stack, character: &Arc<Character>, by: isize, time: f64) {
        let count = character.clips.len() as isize;
        let Some(latest) = self.latest().filter(|_| count > 0) else { return };
        let next = (latest.index() as isize + by).rem_euclid(count) as usize;
        let mut cues = std::mem::take(&mut self.cues);
        // A clip that nothing is left of need not be carried along.
        if cues.len() >= MOST_CUES {
            cues.remove(0);
        }
        let start = Some(time as f32);
        cues.push(Cue { clip: ClipId::new(next), weight: 1.0, start, fade: CHANGE });
        self.cues = in_order(&cues);
        self.durations = durations(character, &self.cues);
        self.weights = vec![0.0; self.cues.len()];
        if let Some(layer) = stack.get_mut::<Clips>(self.layer) {
            *layer = clips(character, &self.cues);
        }
    }

    /// Sets every clip to `time` seconds after the start of the film, `dt` seconds after the last
    /// call.
    pub fn set(&mut self, stack: &mut Stack, time: f64, dt: f64) {
        weights(&self.cues, time as f32, &mut self.weights);
        if let (true, Some(Cue { start: Some(start), fade, .. })) = (self.over, self.cues.first()) {
            let fade = fade.max(f32::EPSILON);
            let share = enliven::math::smoothstep(*start, start + fade, time as f32);
            stack.set_weight(self.layer, share);
        }
        if self.sync {
            let total: f32 = self.weights.iter().sum();
            let mean = self.weights.iter().zip(&self.durations).map(|(w, d)| w * d).sum::<f32>();
            if mean > 0.0 {
                self.phase += dt * f64::from(total / mean);
            }
        }
        let Some(clips) = stack.get_mut::<Clips>(self.layer) else { return };
        for (index, slot) in clips.slots_mut().iter_mut().enumerate() {
            slot.weight = self.weights[index];
            let own = time - f64::from(self.cues[index].start.unwrap_or(0.0));
            let synced = self.phase * f64::from(self.durations[index]);
            slot.playback.seek(if self.sync { synced } else { own.max(0.0) });
        }
    }
}

/// Take-overs happen in the order of their times, whatever the order of the options.
fn in_order(cues: &[Cue]) -> Vec<Cue> {
    let mut cues = cues.to_vec();
    cues.sort_by(|a, b| a.start.unwrap_or(-1.0).total_cmp(&b.start.unwrap_or(-1.0)));
    cues
}

fn clips(character: &Arc<Character>, cues: &[Cue]) -> Clips {
    let mut clips = Clips::new(Arc::clone(character));
    for cue in cues {
        let slot = clips.add(cue.clip, Loop::Repeat, 0.0);
        // The timeline says where each clip is; the layer does not count by itself.
        clips.slots_mut()[slot].playback.set_speed(0.0);
    }
    clips
}

fn durations(character: &Character, cues: &[Cue]) -> Vec<f32> {
    cues.iter().map(|cue| character.clip(cue.clip).duration).collect()
}

fn period(cues: &[Cue], durations: &[f32], sync: bool) -> Option<f64> {
    if cues.iter().any(|cue| cue.start.is_some()) {
        return None;
    }
    let first = durations.first().copied()?;
    let period = if sync {
        let total: f32 = cues.iter().map(|cue| cue.weight).sum();
        cues.iter().zip(durations).map(|(cue, d)| cue.weight * d).sum::<f32>() / total
    } else if durations.iter().all(|d| (d - first).abs() < 1e-5) {
        first
    } else {
        return None;
    };
    (period > 0.0 && period.is_finite()).then(|| f64::from(period))
}

/// The weight of each cue at a time. Cues without a start share the beginning; each one with a
/// start takes over from all before it along a smooth step.
fn weights(cues: &[Cue], time: f32, out: &mut [f32]) {
    for (index, cue) in cues.iter().enumerate() {
        let share = match cue.start {
            None => 1.0,
            Some(start) if cue.fade > 0.0 => {
                enliven::math::smoothstep(start, start + cue.fade, time)
            }
            Some(start) => f32::from(time >= start),
        };
        if cue.start.is_some() {
            out[..index].iter_mut().for_each(|weight| *weight *= 1.0 - share);
        }
        out[index] = cue.weight * share;
    }
    // A film whose first cue starts late holds that clip's beginning rather than the rest pose.
    if let (Some(first), Some(weight)) = (cues.first(), out.first_mut())
        && first.start.is_some_and(|start| time < start)
    {
        *weight = first.weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enliven::ClipId;

    fn cue(start: Option<f32>, weight: f32) -> Cue {
        Cue { clip: ClipId::new(0), weight, start, fade: 1.0 }
    }

    fn at(cues: &[Cue], time: f32) -> Vec<f32> {
        let mut out = vec![0.0; cues.len()];
        weights(cues, time, &mut out);
        out
    }

    #[test]
    fn clips_without_a_start_play_beside_each_other() {
        assert_eq!(at(&[cue(None, 1.0), cue(None, 0.5)], 3.0), [1.0, 0.5]);
    }

    #[test]
    fn a_later_clip_takes_over_and_gives_back() {
        let cues = [cue(None, 1.0), cue(Some(2.0), 1.0), cue(Some(4.0), 1.0)];
        assert_eq!(at(&cues, 0.0), [1.0, 0.0, 0.0]);
        assert_eq!(at(&cues, 2.5), [0.5, 0.5, 0.0]);
        assert_eq!(at(&cues, 3.5), [0.0, 1.0, 0.0]);
        assert_eq!(at(&cues, 9.0), [0.0, 0.0, 1.0]);
        for step in 0..90 {
            let sum: f32 = at(&cues, step as f32 * 0.1).iter().sum();
            assert!((sum - 1.0).abs() < 1e-6, "weights sum to {sum}");
        }
    }

    #[test]
    fn a_clip_is_there_from_the_first_frame_on() {
        assert_eq!(at(&[cue(Some(2.0), 1.0)], 0.0), [1.0]);
    }

    #[test]
    fn what_comes_again_has_a_period() {
        let one = cue(None, 1.0);
        assert_eq!(period(&[one], &[1.5], false), Some(1.5));
        assert_eq!(period(&[one, one], &[1.0, 2.0], false), None);
        assert_eq!(period(&[one, cue(None, 3.0)], &[1.0, 2.0], true), Some(1.75));
        assert_eq!(period(&[one, cue(Some(2.0), 1.0)], &[1.0, 1.0], true), None);
        assert_eq!(period(&[one], &[0.0], true), None);
    }

    #[test]
    fn a_fade_of_nothing_is_a_cut() {
        let cues = [cue(None, 1.0), Cue { fade: 0.0, ..cue(Some(2.0), 1.0) }];
        assert_eq!(at(&cues, 1.99), [1.0, 0.0]);
        assert_eq!(at(&cues, 2.0), [0.0, 1.0]);
    }
}
