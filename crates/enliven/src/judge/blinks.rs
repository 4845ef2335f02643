//! How eyes shut (A10).

use super::Figure;

/// An eye counts as shut past this part of the way.
const SHUT: f32 = 0.5;
/// Two closings nearer than this are one double blink, seconds from start to start.
const DOUBLE: f32 = 0.55;

/// Watches an eyelid and tells blinks apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlinkJudge {
    time: f64,
    /// Since when the eye is not wide open.
    began: Option<f64>,
    last: Option<f64>,
    last_by_itself: bool,
    closed: bool,
    deepest: f32,
    spans: u32,
    sum: f64,
    span: Option<[f32; 2]>,
    by_itself: u32,
    doubles: u32,
    double_open: bool,
}

impl BlinkJudge {
    /// One frame of `dt` seconds: how far shut the eye is, in [0, 1], and whether something asked
    /// for a blink just now (a large turn of the gaze, a slow blink in a glance).
    pub fn see(&mut self, dt: f32, shut: f32, asked: bool) {
        self.time += f64::from(dt);
        self.deepest = self.deepest.max(shut);
        if shut > 1e-3 && self.began.is_none() {
            self.began = Some(self.time);
        }
        if shut <= 1e-3 {
            self.began = None;
        }
        let now = shut > SHUT;
        if now && !self.closed {
            self.begin(self.began.unwrap_or(self.time), asked);
        }
        self.closed = now;
    }

    fn begin(&mut self, at: f64, asked: bool) {
        if let Some(last) = self.last {
            let since = (at - last) as f32;
            if since < DOUBLE {
                // The second of a pair; a third would be a pair of its own.
                if self.last_by_itself && !self.double_open && !asked {
                    self.doubles += 1;
                    self.double_open = true;
                }
                return;
            }
            if !asked {
                self.spans += 1;
                self.sum += f64::from(since);
                let [low, high] = self.span.unwrap_or([since; 2]);
                self.span = Some([low.min(since), high.max(since)]);
            }
        }
        self.by_itself += u32::from(!asked);
        self.last_by_itself = !asked;
        self.double_open = false;
        self.last = Some(at);
    }

    /// Blinks by itself that were seen.
    pub fn count(&self) -> u32 {
        self.by_itself
    }

    /// Intervals from any blink to the next by itself, share of doubles among those, and how far
    /// the eyes shut. The range of the share allows for chance: three standard deviations about
    /// 17 % for the blinks that were seen.
    pub fn figures(&self) -> [Figure; 4] {
        let n = self.by_itself.max(1) as f32;
        let [low, high] = self.span.unwrap_or([f32::NAN; 2]);
        let share = if self.by_itself > 0 { self.doubles as f32 / n } else { f32::NAN };
        let chance = 3.0 * (0.17 * 0.83 / n).sqrt();
        let figure = |name, value, range, unit| Figure { name, value, range, unit, source: "A10" };
        [
            figure("blink.interval.least", low, [1.9, 7.1], "s"),
            figure("blink.interval.most", high, [1.9, 7.1], "s"),
            figure(
                "blink.double",
                share * 100.0,
                [(17.0 - 100.0 * chance).max(0.0), 17.0 + 100.0 * chance],
                "%",
            ),
            figure("blink.shut", self.deepest * 100.0, [99.9, 100.0], "%"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlinkParams, Blinker};

    fn watch(params: BlinkParams) -> [Figure; 4] {
        let mut lids = Blinker::new(params, 4);
        let mut judge = BlinkJudge::default();
        let dt = 1.0 / 120.0;
        for _ in 0..3600 * 120 {
            let shut = lids.step(dt);
            judge.see(dt, shut, false);
        }
        let (begun, doubles) = lids.counts();
        assert!((i64::from(judge.count()) - begun as i64).abs() <= 1, "{} {begun}", judge.count());
        assert!((i64::from(judge.doubles) - doubles as i64).abs() <= 1, "{doubles}");
        judge.figures()
    }

    #[test]
    fn an_hour_of_blinks_is_seen_as_it_was_meant() {
        for f in watch(BlinkParams::default()) {
            assert!(f.holds(), "{f:?}");
        }
    }

    #[test]
    fn spoiled_blinks_are_found() {
        let bad = |params, i: usize| assert!(!watch(params)[i].holds(), "{i}");
        bad(BlinkParams { interval: [0.9, 7.0], ..BlinkParams::default() }, 0);
        bad(BlinkParams { interval: [2.0, 11.0], ..BlinkParams::default() }, 1);
        bad(BlinkParams { double: 0.5, ..BlinkParams::default() }, 2);
    }

    #[test]
    fn nothing_seen_is_no_pass() {
        let mut judge = BlinkJudge::default();
        judge.see(1.0, 0.0, false);
        assert!(judge.figures()[..3].iter().all(|f| !f.holds()));
    }
}
