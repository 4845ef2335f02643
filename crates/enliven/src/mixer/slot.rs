//! One target that actions share: what they add up to.

use crate::{CurveKind, Pose, Target, math};
use glam::Quat;

/// A value of up to four numbers.
pub(super) type Numbers = [f32; 4];

/// A target in use, with the sum of what the actions of this update say.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) target: Target,
    kind: CurveKind,
    /// Actions in play that move it.
    pub(super) users: u32,
    sum: Numbers,
    weight: f64,
    added: Numbers,
    added_weight: f64,
}

/// The value under a slot, for one body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Under {
    pub(super) value: Numbers,
    /// Whether the value was taken.
    pub(super) known: bool,
    /// Which of the last two results of a rotation was which of its two names.
    last: [Numbers; 2],
}

impl Under {
    pub(super) fn take(&mut self, target: Target, pose: &Pose) {
        let value = target.read(pose);
        *self = Self { value, known: true, last: [value; 2] };
    }

    /// Takes the value anew, every update.
    pub(super) fn follow(&mut self, target: Target, pose: &Pose) {
        if self.known {
            self.value = target.read(pose);
        } else {
            self.take(target, pose);
        }
    }
}

impl Slot {
    pub(super) fn new(target: Target) -> Self {
        Self {
            target,
            kind: CurveKind::Numbers,
            users: 0,
            sum: [0.0; 4],
            weight: 0.0,
            added: [0.0; 4],
            added_weight: 0.0,
        }
    }

    /// A curve of this kind moves the target too. One that is a choice makes the target a choice.
    pub(super) fn set_kind(&mut self, kind: CurveKind) {
        if kind != CurveKind::Numbers {
            self.kind = kind;
        }
    }

    pub(super) fn clear(&mut self) {
        (self.weight, self.added_weight) = (0.0, 0.0);
    }

    pub(super) fn accumulate(&mut self, value: &Numbers, weight: f64) {
        if self.weight == 0.0 {
            self.sum = *value;
            self.weight = weight;
        } else {
            self.weight += weight;
            self.sum = mix(self.kind, &self.sum, value, weight / self.weight);
        }
    }

    pub(super) fn accumulate_additive(&mut self, value: &Numbers, weight: f64) {
        let first = self.added_weight == 0.0;
        self.added_weight += weight;
        match self.kind {
            CurveKind::Numbers => {
                if first {
                    self.added = [0.0; 4];
                }
                self.added = add(&self.added, value, weight);
            }
            CurveKind::Rotation => {
                if first {
                    self.added = Quat::IDENTITY.to_array();
                }
                self.added = turn(&self.added, value, weight);
            }
            // A choice has no difference: one of half the weight or more takes over.
            CurveKind::Choice => {
                if weight >= 0.5 {
                    self.added = *value;
                } else if first {
                    self.added_weight = 0.0;
                }
            }
        }
    }

    /// The value for a body whose value below is `under`. `turn` alternates from update to update.
    pub(super) fn result(&self, under: &mut Under, beat: usize) -> Numbers {
        let mut out = if self.weight > 0.0 { self.sum } else { under.last[beat] };
        if self.weight < 1.0 {
            out = mix(self.kind, &out, &under.value, 1.0 - self.weight);
        }
        if self.added_weight > 0.0 {
            out = match self.kind {
                CurveKind::Numbers => add(&out, &self.added, 1.0),
                CurveKind::Rotation => turn(&out, &self.added, 1.0),
                CurveKind::Choice => self.added,
            };
        }
        under.last[beat] = out;
        out
    }
}

fn mix(kind: CurveKind, a: &Numbers, b: &Numbers, t: f64) -> Numbers {
    match kind {
        CurveKind::Numbers => {
            let one = |i: usize| (f64::from(a[i]) * (1.0 - t) + f64::from(b[i]) * t) as f32;
            [one(0), one(1), one(2), one(3)]
        }
        CurveKind::Rotation => slerp(a, b, t),
        CurveKind::Choice => {
            if t >= 0.5 {
                *b
            } else {
                *a
            }
        }
    }
}

fn slerp(a: &Numbers, b: &Numbers, t: f64) -> Numbers {
    if a == b {
        return *a;
    }
    math::slerp(Quat::from_array(*a), Quat::from_array(*b), t as f32).to_array()
}

fn add(a: &Numbers, b: &Numbers, weight: f64) -> Numbers {
    let one = |i: usize| (f64::from(a[i]) + f64::from(b[i]) * weight) as f32;
    [one(0), one(1), one(2), one(3)]
}

/// `a` with the turn `by` after it in its own frame, as far as `weight`.
fn turn(a: &Numbers, by: &Numbers, weight: f64) -> Numbers {
    let whole = (Quat::from_array(*a) * Quat::from_array(*by)).to_array();
    slerp(a, &whole, weight)
}
