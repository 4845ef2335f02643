//! Clips mixed over time: actions with weights, fades, loops and events.

mod action;
mod marks;
mod slot;

pub use action::{Action, ClipRef};
pub(crate) use marks::Stride;

use crate::{Interpolation, Layer, Moment, Pose, Rig, Target};
use action::Ramp;
use slot::{Slot, Under};
use std::collections::BTreeMap;

/// An action of a [`Mixer`]; stays valid while the mixer lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub u32);

impl ActionId {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which end of a clip an action finished at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// Played forward to the end.
    End,
    /// Played backward to the start.
    Start,
}

/// Something that happened in an update. What the host does about it counts from the next update
/// on: by then the pose of this one, the exact end pose for a finished action, has been shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A round ended and the next began.
    Loop {
        /// The action.
        action: ActionId,
        /// How many rounds in this update; negative backwards.
        rounds: i64,
    },
    /// The last round ended.
    Finished {
        /// The action.
        action: ActionId,
        /// Where it ended.
        at: Finish,
    },
    /// A mark of the clip was crossed.
    Mark {
        /// The action.
        action: ActionId,
        /// Index into the clip's marks.
        mark: u32,
        /// Weight of the action in the update before: a step of a clip that hardly shows may go
        /// unheard.
        weight: f32,
    },
}

/// Plays clips together, with the semantics of three.js's `AnimationMixer` and `AnimationAction`.
///
/// Each target is the mean of the actions that move it, by weight, in the order in which they
/// began to play. Where the weights sum to less than 1, the value *below* has the rest; additive
/// actions come on top of that. An update computes the whole pose first; events are read after it.
///
/// There are two ways to use it:
/// - as a [`Layer`]: the value below is the pose that the layer gets;
/// - on a pose that stays, by [`Mixer::update`]: the value below is what the pose held when the
///   first action on that target began to play, and comes back when the last one stops.
///
/// Where it differs from three.js: values are written in every update, also unchanged ones; a clip
/// without length, a speed of 0 and undefined numbers keep time finite; a ping-pong that is
/// clamped holds the end of its last round from the first moment; additive choices (switches,
/// labels) of less than half the weight leave what is below; members of a group each mix with
/// their own value below; a forgotten action may be played again.
///
/// No update allocates after the first few: room for events grows to the most of any update.
#[derive(Clone, Debug, Default)]
pub struct Mixer {
    /// Speed of all actions together; not finite is 0.
    pub time_scale: f64,
    time: f64,
    actions: Vec<Action>,
    /// Actions in play, in order.
    active: Vec<ActionId>,
    slots: Vec<Slot>,
    by_target: BTreeMap<Target, u32>,
    own: Member,
    /// Values to put back where a target is no longer moved.
    released: Vec<u32>,
    events: Vec<Event>,
    /// Events of the next update that came before it.
    early: Vec<Event>,
    beat: usize,
}

/// What a mixer remembers of one body: the values below its targets.
#[derive(Clone, Debug, Default)]
pub struct Member {
    under: Vec<Under>,
}

impl Mixer {
    /// No actions yet, at time 0.
    pub fn new() -> Self {
        Self { time_scale: 1.0, ..Self::default() }
    }

    /// Seconds of all updates so far.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The action of a clip: the one that is known already, or a new one that does not play yet.
    /// An additive clip gets an additive action.
    pub fn action(&mut self, clip: impl Into<ClipRef>) -> ActionId {
        let clip = clip.into();
        let additive = clip.clip().additive;
        self.action_as(clip, additive)
    }

    /// The action of a clip that is played additively or not, whatever the clip says. Each of the
    /// two is an action of its own.
    pub fn action_as(&mut self, clip: impl Into<ClipRef>, additive: bool) -> ActionId {
        let clip = clip.into();
        let known = self.find(&clip).filter(|id| self.actions[id.index()].additive == additive);
        if let Some(id) = known {
            return id;
        }
        let mut slots = Vec::with_capacity(clip.clip().tracks.len());
        for track in &clip.clip().tracks {
            let next = self.slots.len() as u32;
            let slot = *self.by_target.entry(track.target).or_insert(next);
            if slot == next {
                self.slots.push(Slot::new(track.target));
                self.released.reserve(self.slots.len());
            }
            self.slots[slot as usize].set_kind(track.curve.kind());
            slots.push(slot);
        }
        self.own.under.resize(self.slots.len(), Under::default());
        self.actions.push(Action::new(clip, additive, slots));
        self.active.reserve(self.actions.len());
        ActionId(self.actions.len() as u32 - 1)
    }

    /// The latest action of a clip that is not forgotten.
    pub fn find(&self, clip: &ClipRef) -> Option<ActionId> {
        let known = |a: &Action| !a.forgotten && a.clip_ref().is(clip);
        self.actions.iter().rposition(known).map(|i| ActionId(i as u32))
    }

    /// All actions, forgotten ones included.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = (ActionId, &Action)> {
        self.actions.iter().enumerate().map(|(i, a)| (ActionId(i as u32), a))
    }

    /// An action, to read.
    ///
    /// # Panics
    /// Where `id` is not of this mixer; the same holds for the other methods.
    pub fn get(&self, id: ActionId) -> &Action {
        &self.actions[id.index()]
    }

    /// An action, to change.
    pub fn get_mut(&mut self, id: ActionId) -> &mut Action {
        &mut self.actions[id.index()]
    }

    /// Puts an action into play, after those in play already. One in play goes on.
    pub fn play(&mut self, id: ActionId) {
        let action = &mut self.actions[id.index()];
        if action.active {
            return;
        }
        action.active = true;
        for &slot in &action.slots {
            let s = &mut self.slots[slot as usize];
            s.users += 1;
            if s.users == 1 {
                let back = self.released.contains(&slot);
                // A target that was released and not yet put back keeps its value below.
                let under = &mut self.own.under[slot as usize];
                under.known &= back;
            }
        }
        self.active.push(id);
    }

    /// Takes an action out of play and resets it; see [`Action::reset`].
    pub fn stop(&mut self, id: ActionId) {
        self.release(id);
        self.actions[id.index()].reset();
    }

    fn release(&mut self, id: ActionId) {
        let action = &mut self.actions[id.index()];
        if !action.active {
            return;
        }
        action.active = false;
        for &slot in &action.slots {
            let s = &mut self.slots[slot as usize];
            s.users -= 1;
            if s.users == 0 && self.own.under[slot as usize].known && !self.released.contains(&slot)
            {
                self.released.push(slot);
            }
        }
        if let Some(i) = self.active.iter().position(|a| *a == id) {
            self.active.swap_remove(i);
        }
    }

    /// Stops all actions.
    pub fn stop_all(&mut self) {
        while let Some(&id) = self.active.last() {
            self.stop(id);
        }
    }

    /// Takes an action out of play, where it is, and lets [`Mixer::find`] and [`Mixer::action`]
    /// not find it any more. It can still be played.
    pub fn forget(&mut self, id: ActionId) {
        self.release(id);
        self.actions[id.index()].forgotten = true;
    }

    /// Lets the weight grow from 0 to its full value in `duration` seconds of the mixer's time. It
    /// starts at 0 whatever the weight is now.
    pub fn fade_in(&mut self, id: ActionId, duration: f64) {
        self.actions[id.index()].fade = Some(Ramp::new(self.time, duration, 0.0, 1.0));
    }

    /// Lets the weight shrink from its full value to 0 in `duration` seconds of the mixer's time,
    /// and disables the action once that has passed.
    pub fn fade_out(&mut self, id: ActionId, duration: f64) {
        self.actions[id.index()].fade = Some(Ramp::new(self.time, duration, 1.0, 0.0));
    }

    /// Fades `from` out and `to` in. With `warp` both change their speed on the way, so that their
    /// rounds are of one length all the time; clips without length are not warped. Does not play
    /// `to`.
    pub fn cross_fade(&mut self, from: ActionId, to: ActionId, duration: f64, warp: bool) {
        self.fade_out(from, duration);
        self.fade_in(to, duration);
        let length = |id: ActionId| f64::from(self.actions[id.index()].clip().duration);
        let (out, into) = (length(from), length(to));
        if warp && out > 0.0 && into > 0.0 {
            for (id, start, end) in [(from, 1.0, out / into), (to, into / out, 1.0)] {
                let action = &mut self.actions[id.index()];
                action.restore = Some(action.time_scale);
                action.warp_to(self.time, start, end, duration);
            }
        }
    }

    /// Changes the speed from one factor to another in `duration` seconds of the mixer's time. An
    /// action that has come to a halt is paused.
    pub fn warp(&mut self, id: ActionId, from: f64, to: f64, duration: f64) {
        self.actions[id.index()].warp_to(self.time, from, to, duration);
    }

    /// Brings an action to a halt in `duration` seconds.
    pub fn halt(&mut self, id: ActionId, duration: f64) {
        let from = self.actions[id.index()].effective_time_scale();
        self.warp(id, from, 0.0, duration);
    }

    /// Gives `id` the time and the speed of `with`, and ends its warp.
    pub fn sync_with(&mut self, id: ActionId, with: ActionId) {
        let other = &self.actions[with.index()];
        let (time, time_scale) = (other.time, other.time_scale);
        let action = &mut self.actions[id.index()];
        (action.time, action.time_scale) = (time, time_scale);
        action.stop_warping();
    }

    /// Takes an action to `time` seconds of its round as if it were played to there: the marks in
    /// between are among the events of the next update. (Setting [`Action::time`] jumps over
    /// them.) Times outside of the clip go to its ends.
    pub fn scrub(&mut self, id: ActionId, time: f64) {
        self.actions[id.index()].scrub(id, time, &mut self.early);
    }

    /// Events of the last update, in the order of the actions and, for each, of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Moves on by `dt` seconds (times the mixer's speed; negative goes back) and writes what the
    /// actions in play make into a pose that stays from update to update.
    ///
    /// # Panics
    /// Where a clip does not fit the pose; see [`Clip::fits`](crate::Clip::fits).
    pub fn update(&mut self, dt: f64, pose: &mut Pose) {
        self.settle(pose);
        self.advance(dt);
        let mut own = core::mem::take(&mut self.own);
        self.write(&mut own, pose);
        self.own = own;
    }

    /// Brings a pose that stays up to date with [`Mixer::play`] and [`Mixer::stop`] at once: puts
    /// values back that no action moves any more, and takes those below new actions.
    /// [`Mixer::update`] begins with it.
    pub fn settle(&mut self, pose: &mut Pose) {
        for slot in self.released.drain(..) {
            let target = self.slots[slot as usize].target;
            let under = &mut self.own.under[slot as usize];
            target.write(&under.value, pose);
            under.known = false;
        }
        self.take(pose);
    }

    fn take(&mut self, pose: &Pose) {
        for (slot, under) in self.slots.iter().zip(&mut self.own.under) {
            if slot.users > 0 && !under.known {
                under.take(slot.target, pose);
            }
        }
    }

    /// Goes to `time` seconds: all actions start at 0 and move on by so much in one update.
    pub fn set_time(&mut self, time: f64, pose: &mut Pose) {
        self.rewind();
        self.update(time, pose);
    }

    /// Sets the time of the mixer and of all actions to 0.
    pub fn rewind(&mut self) {
        self.time = 0.0;
        self.actions.iter_mut().for_each(|a| a.time = 0.0);
    }

    /// Moves on without a pose: for several bodies in step. Follow it by [`Mixer::write`] for each.
    pub fn advance(&mut self, dt: f64) {
        self.events.clear();
        self.events.append(&mut self.early);
        let step = dt * self.time_scale;
        // Beyond this a double no longer resolves a millisecond.
        let step = if (self.time + step).abs() < 1e12 { step } else { 0.0 };
        self.time += step;
        self.beat ^= 1;
        self.slots.iter_mut().for_each(Slot::clear);
        for i in 0..self.active.len() {
            let id = self.active[i];
            let action = &mut self.actions[id.index()];
            if !action.enabled {
                action.update_weight(self.time);
                continue;
            }
            let time = action.advance(id, self.time, step, &mut self.events);
            let weight = action.update_weight(self.time);
            if weight > 0.0 {
                sample(action, time, weight, &mut self.slots);
            }
        }
    }

    /// Writes what the last [`Mixer::advance`] made into the pose of one body. `member` holds the
    /// values below of that body, taken from the pose when an action first moves it.
    ///
    /// # Panics
    /// Where a clip does not fit the pose.
    pub fn write(&self, member: &mut Member, pose: &mut Pose) {
        member.under.resize(self.slots.len(), Under::default());
        for (slot, under) in self.slots.iter().zip(&mut member.under) {
            if slot.users == 0 {
                continue;
            }
            if !under.known {
                under.take(slot.target, pose);
            }
            let value = slot.result(under, self.beat);
            slot.target.write(&value, pose);
        }
    }

    /// Puts the values below back into the pose of one body, for the targets that no action moves
    /// any more.
    pub fn restore(&self, member: &mut Member, pose: &mut Pose) {
        for (slot, under) in self.slots.iter().zip(&mut member.under) {
            if slot.users == 0 && under.known {
                slot.target.write(&under.value, pose);
                under.known = false;
            }
        }
    }
}

fn sample(action: &mut Action, time: f64, weight: f64, slots: &mut [Slot]) {
    let mut hints = core::mem::take(&mut action.hints);
    let mut ends = core::mem::take(&mut action.ends);
    for (i, track) in action.clip().tracks.iter().enumerate() {
        let slot = &mut slots[action.slots[i] as usize];
        let hint = &mut hints[i];
        let mut v = [0.0; 4];
        let (width, _) = track.target.shape();
        if track.curve.interpolation() == Interpolation::Smooth {
            // A round with other ends bends the curve only from the next interval on, so that
            // nothing jumps within one.
            let before = *hint;
            track.curve.key_before(time, hint);
            if *hint != before {
                ends[i] = action.endings;
            }
        }
        track.curve.sample_at(time, ends[i], hint, &mut v[..width]);
        if action.additive {
            slot.accumulate_additive(&v, weight);
        } else {
            slot.accumulate(&v, weight);
        }
    }
    (action.hints, action.ends) = (hints, ends);
}

impl Layer for Mixer {
    /// As [`Mixer::update`], over the pose from below.
    fn apply(&mut self, moment: &Moment, _: &Rig, pose: &mut Pose) {
        self.released.clear();
        for (slot, under) in self.slots.iter().zip(&mut self.own.under) {
            if slot.users > 0 {
                under.follow(slot.target, pose);
            } else {
                under.known = false;
            }
        }
        self.advance(f64::from(moment.dt));
        let mut own = core::mem::take(&mut self.own);
        self.write(&mut own, pose);
        self.own = own;
    }

    /// Back to time 0.
    fn reset(&mut self) {
        self.rewind();
    }
}
