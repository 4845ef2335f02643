//! One clip that a mixer plays.

use super::marks::Stride;
use super::{ActionId, Event, Finish};
use crate::{Character, Clip, ClipId, Ending, Endings, Loop};
use std::sync::Arc;

/// A clip, shared.
#[derive(Clone, Debug)]
pub enum ClipRef {
    /// A clip of its own.
    Own(Arc<Clip>),
    /// A clip of a character.
    Of(Arc<Character>, ClipId),
}

impl ClipRef {
    /// The clip.
    #[inline]
    pub fn clip(&self) -> &Clip {
        match self {
            Self::Own(clip) => clip,
            Self::Of(character, id) => character.clip(*id),
        }
    }

    /// Whether both are one and the same clip, not only equal ones.
    pub fn is(&self, other: &Self) -> bool {
        core::ptr::eq(self.clip(), other.clip())
    }
}

impl From<Arc<Clip>> for ClipRef {
    fn from(clip: Arc<Clip>) -> Self {
        Self::Own(clip)
    }
}

impl From<Clip> for ClipRef {
    fn from(clip: Clip) -> Self {
        Self::Own(Arc::new(clip))
    }
}

/// A straight line between two values, from one time to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ramp {
    times: [f64; 2],
    values: [f64; 2],
}

/// A time as keys hold it, single precision, while that resolves a tenth of a millisecond: whether
/// a ramp has passed its end is the same then as in the reference library.
fn key_time(t: f64) -> f64 {
    let single = f64::from(t as f32);
    if (single - t).abs() < 1e-4 { single } else { t }
}

impl Ramp {
    pub(super) fn new(now: f64, duration: f64, from: f64, to: f64) -> Self {
        let duration = if duration > 0.0 && duration.is_finite() { duration } else { 0.0 };
        let single = |v: f64| f64::from(v as f32);
        Self {
            times: [key_time(now), key_time(now + duration)],
            values: [single(from), single(to)],
        }
    }

    fn at(&self, time: f64) -> f64 {
        let ([t0, t1], [a, b]) = (self.times, self.values);
        if time >= t1 {
            b
        } else if time < t0 {
            a
        } else {
            let u = (time - t0) / (t1 - t0);
            a * (1.0 - u) + b * u
        }
    }

    fn is_over(&self, time: f64) -> bool {
        time > self.times[1]
    }
}

/// Settings and state of one clip in a [`Mixer`](super::Mixer). The public fields may be changed
/// at any time; what is not finite counts as 0.
#[derive(Clone, Debug)]
pub struct Action {
    clip: ClipRef,
    /// What happens at the ends of the clip. The default repeats.
    pub looping: Loop,
    /// Rounds of a loop before it finishes, at least one; `None` goes on for ever.
    pub repetitions: Option<u32>,
    /// Whether the last frame is held when finished. Otherwise the action is disabled then, and
    /// what lies below it shows.
    pub clamp_when_finished: bool,
    /// Seconds into the present round. Setting it is a jump.
    pub time: f64,
    /// Speed as a factor; negative plays backwards.
    pub time_scale: f64,
    /// Share in the blend, not negative. Where the weights of all actions on a target sum to less
    /// than 1, the value below has the rest.
    pub weight: f64,
    /// Stands still, at full weight.
    pub paused: bool,
    /// Off: neither moves on nor has weight.
    pub enabled: bool,
    /// Whether a smooth curve comes to rest at the clip's start, where no round is before it;
    /// otherwise it has no curvature there.
    pub zero_slope_at_start: bool,
    /// The same at the clip's end.
    pub zero_slope_at_end: bool,
    pub(super) additive: bool,
    pub(super) active: bool,
    pub(super) forgotten: bool,
    pub(super) slots: Vec<u32>,
    /// Interval of each track in the last update.
    pub(super) hints: Vec<u32>,
    /// Ends of each track's curve when it came into that interval.
    pub(super) ends: Vec<Endings>,
    pub(super) endings: Endings,
    effective_weight: f64,
    effective_time_scale: f64,
    /// Rounds begun; −1 before the first.
    rounds: i64,
    /// Where the last step ended, to notice a jump.
    arrived: f64,
    pub(super) start: Option<f64>,
    pub(super) fade: Option<Ramp>,
    pub(super) warp: Option<Ramp>,
    /// A warp holds speeds, not factors of `time_scale`, because that was 0.
    warp_is_speed: bool,
    pub(super) restore: Option<f64>,
}

fn finite(v: f64) -> f64 {
    if v.is_finite() { v } else { 0.0 }
}

impl Action {
    pub(super) fn new(clip: ClipRef, additive: bool, slots: Vec<u32>) -> Self {
        Self {
            // No interval yet.
            hints: vec![u32::MAX; slots.len()],
            ends: vec![Endings::default(); slots.len()],
            clip,
            looping: Loop::Repeat,
            repetitions: None,
            clamp_when_finished: false,
            time: 0.0,
            time_scale: 1.0,
            weight: 1.0,
            paused: false,
            enabled: true,
            zero_slope_at_start: true,
            zero_slope_at_end: true,
            additive,
            active: false,
            forgotten: false,
            slots,
            endings: Endings::default(),
            effective_weight: 1.0,
            effective_time_scale: 1.0,
            rounds: -1,
            arrived: f64::NAN,
            start: None,
            fade: None,
            warp: None,
            warp_is_speed: false,
            restore: None,
        }
    }

    /// What it plays.
    #[inline]
    pub fn clip(&self) -> &Clip {
        self.clip.clip()
    }

    /// What it plays, shared.
    pub fn clip_ref(&self) -> &ClipRef {
        &self.clip
    }

    /// Whether its values are added to what the others make.
    pub fn is_additive(&self) -> bool {
        self.additive
    }

    /// Weight in the last update, fades included; 0 while disabled.
    pub fn effective_weight(&self) -> f64 {
        self.effective_weight
    }

    /// Speed in the last update, warps included; 0 while paused.
    pub fn effective_time_scale(&self) -> f64 {
        self.effective_time_scale
    }

    /// Rounds begun since the start; −1 before the first.
    pub fn rounds(&self) -> i64 {
        self.rounds
    }

    /// Whether the mixer has it in play, running or not.
    pub fn is_scheduled(&self) -> bool {
        self.active
    }

    /// Whether it moves: in play, enabled, not paused, its start time come, its speed not 0.
    pub fn is_running(&self) -> bool {
        self.enabled
            && !self.paused
            && self.time_scale != 0.0
            && self.start.is_none()
            && self.active
    }

    /// Sets loop and rounds.
    pub fn set_loop(&mut self, looping: Loop, repetitions: Option<u32>) {
        (self.looping, self.repetitions) = (looping, repetitions);
    }

    /// Back to the start, enabled, not paused; forgets rounds, start time, fade and warp. Keeps
    /// speed, weight and loop.
    pub fn reset(&mut self) {
        self.paused = false;
        self.enabled = true;
        self.time = 0.0;
        self.rounds = -1;
        self.arrived = f64::NAN;
        self.start = None;
        self.stop_fading();
        self.stop_warping();
    }

    /// Starts when the mixer's time is `time`; before that it holds its first frame. A time in
    /// the past starts with all the time since.
    pub fn start_at(&mut self, time: f64) {
        self.start = time.is_finite().then_some(time);
    }

    /// Sets the weight and ends any fade.
    pub fn set_effective_weight(&mut self, weight: f64) {
        self.weight = weight;
        self.effective_weight = if self.enabled { weight } else { 0.0 };
        self.stop_fading();
    }

    /// Ends any fade: the weight alone counts again.
    pub fn stop_fading(&mut self) {
        self.fade = None;
    }

    /// Sets the speed and ends any warp.
    pub fn set_effective_time_scale(&mut self, time_scale: f64) {
        self.time_scale = time_scale;
        self.effective_time_scale = if self.paused { 0.0 } else { time_scale };
        self.stop_warping();
    }

    /// Sets the speed so that a round takes `seconds`; not positive is ignored.
    pub fn set_duration(&mut self, seconds: f64) {
        if seconds > 0.0 {
            self.time_scale = f64::from(self.clip().duration) / seconds;
        }
        self.stop_warping();
    }

    /// Ends any warp: the speed stays what it was set to.
    pub fn stop_warping(&mut self) {
        self.warp = None;
        self.restore = None;
    }

    pub(super) fn warp_to(&mut self, now: f64, from: f64, to: f64, duration: f64) {
        // The ramp is a factor, so that a change of the speed on the way counts too.
        self.warp_is_speed = self.time_scale == 0.0 || !self.time_scale.is_finite();
        let unit = if self.warp_is_speed { 1.0 } else { self.time_scale };
        self.warp = Some(Ramp::new(now, duration, finite(from) / unit, finite(to) / unit));
    }

    /// Weight at the mixer's `time`.
    pub(super) fn update_weight(&mut self, time: f64) -> f64 {
        let mut weight = 0.0;
        if self.enabled {
            weight = finite(self.weight);
            if let Some(fade) = self.fade {
                let value = fade.at(time);
                weight *= value;
                if fade.is_over(time) {
                    self.fade = None;
                    if value == 0.0 {
                        self.enabled = false;
                    }
                }
            }
        }
        self.effective_weight = weight;
        weight
    }

    fn update_time_scale(&mut self, time: f64) -> f64 {
        let mut scale = 0.0;
        if !self.paused {
            scale = finite(self.time_scale);
            if let Some(warp) = self.warp {
                let value = warp.at(time);
                scale = if self.warp_is_speed { value } else { scale * value };
                if warp.is_over(time) {
                    if scale == 0.0 {
                        self.paused = true;
                    } else {
                        scale = self.restore.unwrap_or(scale);
                        self.time_scale = scale;
                    }
                    self.stop_warping();
                }
            }
        }
        self.effective_time_scale = scale;
        scale
    }

    /// Moves on; `time` is the mixer's after `step`. Returns the time in the clip.
    pub(super) fn advance(
        &mut self,
        id: ActionId,
        time: f64,
        step: f64,
        events: &mut Vec<Event>,
    ) -> f64 {
        let mut step = step;
        if let Some(start) = self.start {
            let direction = if step > 0.0 { 1.0 } else { -1.0 };
            let running = (time - start) * direction;
            if step == 0.0 || running < 0.0 {
                step = 0.0;
            } else {
                self.start = None;
                step = direction * running;
            }
        }
        let delta = finite(step * self.update_time_scale(time));
        self.time = finite(self.time);
        let out = self.step(id, delta, events);
        self.arrived = self.time;
        out
    }

    /// Time in the clip of a time in the present round.
    fn in_clip(&self, time: f64, duration: f64) -> f64 {
        let turned = self.looping == Loop::PingPong && self.rounds & 1 == 1;
        if turned { duration - time } else { time }
    }

    fn step(&mut self, id: ActionId, delta: f64, events: &mut Vec<Event>) -> f64 {
        let duration = f64::from(self.clip().duration).max(0.0);
        if delta == 0.0 {
            let begun = self.rounds != -1;
            return if begun { self.in_clip(self.time, duration) } else { self.time };
        }
        let backward = delta < 0.0;
        let ping_pong = self.looping == Loop::PingPong;
        let stride = Stride {
            duration,
            from: self.time,
            to: 0.0,
            rounds: 0,
            backward,
            ping_pong,
            odd: self.rounds.max(if backward { -1 } else { 0 }) & 1 == 1,
            fresh: self.time != self.arrived,
        };
        let mut time = self.time + delta;
        if self.looping == Loop::Once {
            if self.rounds == -1 {
                self.rounds = 0;
                self.set_endings(true, true);
            }
            let ends = time >= duration || time < 0.0;
            if ends {
                time = if time >= duration { duration } else { 0.0 };
            }
            self.time = time;
            self.mark(id, Stride { to: time, ..stride }, events);
            if ends {
                self.finish(id, backward, events);
            }
            return time;
        }
        if self.rounds == -1 {
            if backward {
                // Backwards from the start, the first passage through 0 begins the first round.
                self.set_endings(self.repetitions == Some(0), true);
            } else {
                self.rounds = 0;
                self.set_endings(true, self.repetitions == Some(0));
            }
        }
        if (0.0..duration).contains(&time) {
            self.time = time;
            self.mark(id, Stride { to: time, ..stride }, events);
            return self.in_clip(time, duration);
        }
        // A clip without length is everywhere at once: it has no rounds to count.
        let passed = if duration > 0.0 { libm::floor(time / duration) } else { 0.0 };
        // Beyond 2⁵³ rounds a double does not count any more.
        let count = passed.abs().min(9e15) as i64;
        let rounds = self.rounds.saturating_add(count);
        let left = self.repetitions.map(|r| i64::from(r) - rounds);
        if duration == 0.0 && left.is_none() {
            self.time = 0.0;
            return 0.0;
        }
        if duration == 0.0 || left.is_some_and(|n| n <= 0) {
            let last = self.repetitions.map_or(0, |r| i64::from(r).max(1) - 1);
            let crossed = (last - self.rounds.min(last)) as u64;
            self.rounds = last;
            self.time = if backward { 0.0 } else { duration };
            self.mark(id, Stride { to: self.time, rounds: crossed, ..stride }, events);
            self.finish(id, backward, events);
            // The end of the last round, not of the one that would follow.
            return self.in_clip(self.time, duration);
        }
        time -= duration * passed;
        // Rounding may leave it a hair outside.
        time = if (0.0..duration).contains(&time) { time } else { 0.0 };
        match left {
            Some(1) => self.set_endings(backward, !backward),
            _ => self.set_endings(false, false),
        }
        self.rounds = rounds;
        self.time = time;
        self.mark(id, Stride { to: time, rounds: count as u64, ..stride }, events);
        let rounds = if backward { -count } else { count };
        events.push(Event::Loop { action: id, rounds });
        self.in_clip(time, duration)
    }

    pub(super) fn scrub(&mut self, id: ActionId, time: f64, events: &mut Vec<Event>) {
        let duration = f64::from(self.clip().duration).max(0.0);
        let to = finite(time).clamp(0.0, duration);
        let stride = Stride {
            duration,
            from: self.time,
            to,
            rounds: 0,
            backward: to < self.time,
            ping_pong: self.looping == Loop::PingPong,
            odd: self.rounds.max(0) & 1 == 1,
            fresh: self.time != self.arrived,
        };
        if to != self.time {
            self.mark(id, stride, events);
            self.time = to;
            self.arrived = to;
        }
    }

    fn finish(&mut self, id: ActionId, backward: bool, events: &mut Vec<Event>) {
        if self.clamp_when_finished {
            self.paused = true;
        } else {
            self.enabled = false;
        }
        let at = if backward { Finish::Start } else { Finish::End };
        events.push(Event::Finished { action: id, at });
    }

    fn mark(&self, id: ActionId, stride: Stride, events: &mut Vec<Event>) {
        let weight = self.effective_weight as f32;
        stride.cross(&self.clip().marks, |mark| {
            events.push(Event::Mark { action: id, mark: mark as u32, weight });
        });
    }

    /// What smooth curves do at the ends of this round: whether it has none before and after it.
    fn set_endings(&mut self, at_start: bool, at_end: bool) {
        let end = |alone: bool, rests: bool| match (self.looping, alone, rests) {
            (Loop::PingPong, ..) | (_, true, true) => Ending::ZeroSlope,
            (_, true, false) => Ending::ZeroCurvature,
            (_, false, _) => Ending::WrapAround,
        };
        self.endings = Endings {
            start: end(at_start, self.zero_slope_at_start),
            end: end(at_end, self.zero_slope_at_end),
        };
    }
}
