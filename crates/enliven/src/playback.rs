//! Where a clip is.

use crate::mixer::Stride;
use crate::{Clip, Pose};

/// What happens at the ends of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Loop {
    /// Plays to the end and holds the last frame.
    Once,
    /// Starts again.
    #[default]
    Repeat,
    /// Goes back and forth.
    PingPong,
}

/// A cursor on one clip: time, speed, loop, and where each track was last read. Reads the clip,
/// never changes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Playback {
    /// Seconds played, at speed 1; grows past the duration when looping.
    time: f64,
    speed: f32,
    looping: Loop,
    hints: Vec<u32>,
    /// Whether it has moved on since the last jump.
    moved: bool,
}

impl Playback {
    /// At the start of `clip`, at speed 1.
    pub fn new(clip: &Clip, looping: Loop) -> Self {
        Self { time: 0.0, speed: 1.0, looping, hints: vec![0; clip.tracks.len()], moved: false }
    }

    /// Speed as a factor; negative plays backwards.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// Sets the speed; not finite is 0.
    pub fn set_speed(&mut self, speed: f32) {
        self.speed = if speed.is_finite() { speed } else { 0.0 };
    }

    /// Seconds since the start, not yet folded into the clip.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Goes to `time` seconds; not finite is 0.
    pub fn seek(&mut self, time: f64) {
        self.time = if time.is_finite() { time } else { 0.0 };
        self.moved = false;
    }

    /// Moves on by `dt` seconds times the speed; not finite is 0.
    pub fn advance(&mut self, dt: f32) {
        let step = f64::from(dt) * f64::from(self.speed);
        let next = self.time + if step.is_finite() { step } else { 0.0 };
        // Beyond this a double no longer resolves a millisecond.
        if next.abs() < 1e12 {
            self.time = next;
            self.moved |= step != 0.0;
        }
    }

    /// As [`Playback::advance`], and calls `on_mark` with the index of each mark of the clip that
    /// is crossed, in order: once each, forward, backward and over the seam of a loop. A mark at
    /// the very place where it starts, or where it was put by [`Playback::seek`], counts when it
    /// moves on. Of a step through more than 64 rounds the first so many count.
    pub fn advance_over(&mut self, clip: &Clip, dt: f32, on_mark: impl FnMut(usize)) {
        let (from, fresh) = (self.time, !self.moved);
        self.advance(dt);
        self.cross(clip, from, fresh, on_mark);
    }

    /// Goes to `time` seconds as if it were played to there: calls `on_mark` for each mark in
    /// between; see [`Playback::advance_over`]. Not finite is 0.
    pub fn scrub(&mut self, clip: &Clip, time: f64, on_mark: impl FnMut(usize)) {
        let (from, fresh) = (self.time, !self.moved);
        self.time = if time.is_finite() { time } else { 0.0 };
        self.moved |= self.time != from;
        self.cross(clip, from, fresh, on_mark);
    }

    fn cross(&self, clip: &Clip, from: f64, fresh: bool, on_mark: impl FnMut(usize)) {
        let d = f64::from(clip.duration);
        if d.is_nan() || d <= 0.0 || from == self.time {
            return;
        }
        let once = self.looping == Loop::Once;
        let place = |t: f64| {
            if once { (t.clamp(0.0, d), 0.0) } else { (wrap(t, d), libm::floor(t / d)) }
        };
        let ((from, first), (to, last)) = (place(from), place(self.time));
        let stride = Stride {
            duration: d,
            from,
            to,
            // At most 10¹² s of clips no shorter than 10⁻³⁸ s: `as` saturates.
            rounds: (last - first).abs() as u64,
            backward: (last, to) < (first, from),
            ping_pong: self.looping == Loop::PingPong,
            odd: first.rem_euclid(2.0) == 1.0,
            fresh,
        };
        stride.cross(&clip.marks, on_mark);
    }

    /// The time within the clip, in [0, duration].
    pub fn clip_time(&self, clip: &Clip) -> f32 {
        let d = f64::from(clip.duration);
        if d.is_nan() || d <= 0.0 {
            return 0.0;
        }
        let folded = match self.looping {
            Loop::Once => self.time.clamp(0.0, d),
            Loop::Repeat => wrap(self.time, d),
            Loop::PingPong => {
                let t = wrap(self.time, 2.0 * d);
                if t > d { 2.0 * d - t } else { t }
            }
        };
        folded as f32
    }

    /// Whole rounds that a repeating clip has behind it, negative backwards; 0 for other loops.
    pub fn rounds(&self, clip: &Clip) -> f64 {
        let d = f64::from(clip.duration);
        if self.looping != Loop::Repeat || d.is_nan() || d <= 0.0 {
            return 0.0;
        }
        // As `wrap` has it: rounding may carry a time over the end.
        libm::round((self.time - wrap(self.time, d)) / d)
    }

    /// Whether a clip that plays once has reached its end (in the direction of play).
    pub fn finished(&self, clip: &Clip) -> bool {
        let end = f64::from(clip.duration);
        self.looping == Loop::Once
            && if self.speed < 0.0 { self.time <= 0.0 } else { self.time >= end }
    }

    /// Writes the clip at the cursor into the pose.
    ///
    /// # Panics
    /// Where the clip does not fit the pose; see [`Clip::fits`].
    pub fn sample(&mut self, clip: &Clip, pose: &mut Pose) {
        let time = self.clip_time(clip);
        clip.sample(time, &mut self.hints, pose);
    }

    /// Adds an additive clip at the cursor to the pose; see [`Clip::add`].
    ///
    /// # Panics
    /// Where the clip does not fit the pose; see [`Clip::fits`].
    pub fn add(&mut self, clip: &Clip, weight: f32, pose: &mut Pose) {
        let time = self.clip_time(clip);
        clip.add(time, weight, &mut self.hints, pose);
    }
}

/// `t` folded into [0, d).
fn wrap(t: f64, d: f64) -> f64 {
    let r = t - libm::floor(t / d) * d;
    if r >= d || r < 0.0 { 0.0 } else { r }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, ChannelId, ChannelKind, Channels, Curve, Interpolation, Regions, Rig};
    use crate::{Skeleton, Target, Track};

    fn clip() -> (Rig, Clip) {
        let mut channels = Channels::new();
        channels.push(Channel::new("x", ChannelKind::Custom));
        let s = Skeleton::new();
        let regions = Regions::new(&s, &[]);
        let curve = Curve::new(vec![0.0, 2.0], vec![0.0, 2.0], 1, Interpolation::Linear);
        let track = Track { target: Target::Channel(ChannelId(0)), curve: curve.expect("curve") };
        (Rig::new(s, channels, regions, 1.0), Clip::new("ramp", vec![track]))
    }

    #[test]
    fn loops_fold_time() {
        let (rig, clip) = clip();
        let mut pose = Pose::rest(&rig);
        let mut at = |looping, t: f64| {
            let mut p = Playback::new(&clip, looping);
            p.seek(t);
            p.sample(&clip, &mut pose);
            pose.channel(ChannelId(0))
        };
        assert_eq!(at(Loop::Once, 3.0), 2.0);
        assert_eq!(at(Loop::Once, -1.0), 0.0);
        assert_eq!(at(Loop::Repeat, 2.5), 0.5);
        assert_eq!(at(Loop::Repeat, -0.5), 1.5);
        assert_eq!(at(Loop::PingPong, 2.5), 1.5);
        assert_eq!(at(Loop::PingPong, 4.5), 0.5);
    }

    #[test]
    fn nothing_makes_time_unfinite() {
        let (rig, clip) = clip();
        let mut pose = Pose::rest(&rig);
        let empty = Clip::default();
        for looping in [Loop::Once, Loop::Repeat, Loop::PingPong] {
            let mut p = Playback::new(&clip, looping);
            for v in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e9, f32::MAX] {
                p.set_speed(v);
                p.advance(v);
                p.sample(&clip, &mut pose);
                assert!((0.0..=2.0).contains(&pose.channel(ChannelId(0))));
                assert_eq!(p.clip_time(&empty), 0.0);
                p.seek(f64::NAN);
                assert_eq!(p.time(), 0.0);
            }
        }
    }
}
