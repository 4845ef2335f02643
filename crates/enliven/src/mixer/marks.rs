//! Which marks of a clip a step crosses.

use crate::Mark;

/// Rounds of a loop whose marks one step reports: a step through more (a long pause, a clip of a
/// millisecond) reports those of the first so many.
const MOST_ROUNDS: u64 = 64;

/// A step of time through a clip. Times count in the direction of the clip within a round; in odd
/// rounds of a ping-pong they count from its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stride {
    /// Length of a round, seconds.
    pub(crate) duration: f64,
    /// Where it begins, in [0, duration].
    pub(crate) from: f64,
    /// Where it ends, in [0, duration].
    pub(crate) to: f64,
    /// Ends of a round that are crossed in between.
    pub(crate) rounds: u64,
    /// Whether time runs backwards.
    pub(crate) backward: bool,
    /// Whether each round turns round.
    pub(crate) ping_pong: bool,
    /// Whether the first round is one that runs from the clip's end.
    pub(crate) odd: bool,
    /// Whether a mark at `from` counts: the clip has just come there by a jump.
    pub(crate) fresh: bool,
}

impl Stride {
    /// Calls `f` with the index of each mark that is crossed, in order. The end of a step counts,
    /// its beginning does not: of two steps that meet at a mark, the first has it.
    pub(crate) fn cross(&self, marks: &[Mark], mut f: impl FnMut(usize)) {
        if marks.is_empty() {
            return;
        }
        for r in 0..=self.rounds.min(MOST_ROUNDS - 1) {
            let (first, last) = (r == 0, r == self.rounds);
            let reversed = self.ping_pong && (self.odd != (r % 2 == 1));
            let place = |i: usize| {
                let t = f64::from(marks[i].time);
                if reversed { self.duration - t } else { t }
            };
            // At the turn of a ping-pong both rounds have the mark: the one before counts it.
            let enters = if first { self.fresh } else { !self.ping_pong };
            let crossed = |t: f64| {
                if self.backward {
                    let begin = if first { self.from } else { self.duration };
                    let end = if last { self.to } else { 0.0 };
                    t >= end && (t < begin || (t == begin && enters))
                } else {
                    let begin = if first { self.from } else { 0.0 };
                    let end = if last { self.to } else { self.duration };
                    t <= end && (t > begin || (t == begin && enters))
                }
            };
            let n = marks.len();
            for k in 0..n {
                let i = if reversed != self.backward { n - 1 - k } else { k };
                if crossed(place(i)) {
                    f(i);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks() -> Vec<Mark> {
        let at = |time| Mark { time, name: String::new() };
        vec![at(0.0), at(0.25), at(0.75), at(1.0)]
    }

    fn crossed(s: Stride) -> Vec<usize> {
        let mut out = Vec::new();
        s.cross(&marks(), |i| out.push(i));
        out
    }

    #[test]
    fn a_seam_is_crossed_once_in_both_directions() {
        let s = Stride {
            duration: 1.0,
            from: 0.5,
            to: 0.25,
            rounds: 1,
            backward: false,
            ping_pong: false,
            odd: false,
            fresh: false,
        };
        assert_eq!(crossed(s), [2, 3, 0, 1]);
        assert_eq!(crossed(Stride { from: 0.25, to: 0.5, rounds: 0, ..s }), [0usize; 0]);
        assert_eq!(crossed(Stride { from: 0.25, to: 0.5, rounds: 0, fresh: true, ..s }), [1]);
        let back = Stride { from: 0.5, to: 0.75, backward: true, ..s };
        assert_eq!(crossed(back), [1, 0, 3, 2]);
    }

    #[test]
    fn a_turn_has_its_mark_once() {
        let s = Stride {
            duration: 1.0,
            from: 0.5,
            to: 0.5,
            rounds: 2,
            backward: false,
            ping_pong: true,
            odd: false,
            fresh: false,
        };
        assert_eq!(crossed(s), [2, 3, 2, 1, 0, 1]);
        assert_eq!(crossed(Stride { odd: true, rounds: 1, ..s }), [1, 0, 1]);
        assert_eq!(crossed(Stride { backward: true, rounds: 1, ..s }), [1, 0, 1]);
    }

    #[test]
    fn a_long_pause_is_bounded() {
        let s = Stride {
            duration: 1.0,
            from: 0.0,
            to: 0.5,
            rounds: u64::MAX,
            backward: false,
            ping_pong: false,
            odd: false,
            fresh: false,
        };
        assert!(crossed(s).len() <= 4 * MOST_ROUNDS as usize);
    }
}
