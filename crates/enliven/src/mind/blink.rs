//! When eyes shut, and how far.

use crate::{Rng, math};

/// How a character blinks. Figures: A10 of the specification, from the timing of animals' lids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlinkParams {
    /// Seconds from open to shut.
    pub close: f32,
    /// Seconds shut.
    pub hold: f32,
    /// Seconds from shut to open.
    pub open: f32,
    /// Factor on all three in a sleepy blink.
    pub sleepy: f32,
    /// Shortest and longest time from one blink to the next by itself, seconds.
    pub interval: [f32; 2],
    /// Chance that a blink is a double one, in [0, 1].
    pub double: f32,
    /// Seconds between the two of a double blink.
    pub gap: f32,
}

impl Default for BlinkParams {
    fn default() -> Self {
        Self {
            close: 0.07,
            hold: 0.04,
            open: 0.12,
            sleepy: 2.6,
            interval: [2.0, 7.0],
            double: 0.17,
            gap: 0.09,
        }
    }
}

impl BlinkParams {
    /// Seconds that one blink takes, stretched by `stretch`.
    pub fn length(&self, stretch: f32) -> f32 {
        (self.close + self.hold + self.open) * stretch
    }

    /// How far shut, in [0, 1], `t` seconds into a blink stretched by `stretch`; 0 before and after.
    pub fn curve(&self, t: f32, stretch: f32) -> f32 {
        let shut = self.close * stretch;
        let lift = shut + self.hold * stretch;
        let end = lift + self.open * stretch;
        if !(t > 0.0 && t < end) {
            0.0
        } else if t < shut {
            math::smoothstep(0.0, shut, t)
        } else if t <= lift {
            1.0
        } else {
            1.0 - math::smoothstep(lift, end, t)
        }
    }
}

/// One event: a blink or a double one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    /// Seconds since it began.
    t: f32,
    stretch: f32,
    double: bool,
}

impl Event {
    fn length(&self, params: &BlinkParams) -> f32 {
        let one = params.length(self.stretch);
        if self.double { 2.0 * one + params.gap } else { one }
    }

    fn shut(&self, params: &BlinkParams) -> f32 {
        let one = params.length(self.stretch);
        let second = self.t - one - params.gap;
        let t = if self.double && second > 0.0 { second } else { self.t };
        params.curve(t, self.stretch)
    }
}

/// The clock of a pair of eyelids: blinks by itself every few seconds and when asked to.
///
/// Random numbers are drawn once an event, so the course does not depend on the frame rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Blinker {
    /// How it blinks; may be changed at any time.
    pub params: BlinkParams,
    rng: Rng,
    /// Seconds until the next blink by itself.
    wait: f32,
    event: Option<Event>,
    queued: Option<f32>,
    begun: u64,
    doubles: u64,
}

impl Blinker {
    /// Eyes open, the first blink somewhere in the first interval.
    pub fn new(params: BlinkParams, seed: u64) -> Self {
        // The stream keeps lids apart from other draws of the same seed; any constant does.
        let mut rng = Rng::new(seed, 0xb11c);
        let wait = rng.range(0.3, 1.0) * params.interval[1].max(0.1);
        Self { params, rng, wait, event: None, queued: None, begun: 0, doubles: 0 }
    }

    /// Moves on by `dt` seconds; returns how far shut the eyes are, in [0, 1].
    pub fn step(&mut self, dt: f32) -> f32 {
        self.wait -= dt;
        if let Some(event) = &mut self.event {
            event.t += dt;
            let over = event.t - event.length(&self.params);
            if over >= 0.0 {
                self.event = None;
                if let Some(stretch) = self.queued.take() {
                    self.begin(stretch, false, over);
                }
            }
        }
        if self.wait <= 0.0 {
            let late = -self.wait;
            // One that is asked for may still run; then this one is left out.
            let double = self.rng.chance(self.params.double);
            if self.event.is_none() {
                self.begin(1.0, double, late);
            } else {
                self.again(late);
            }
        }
        self.shut()
    }

    /// How far shut the eyes are now, in [0, 1].
    pub fn shut(&self) -> f32 {
        self.event.map_or(0.0, |e| e.shut(&self.params))
    }

    /// Asks for one blink, stretched by `stretch` (1 = quick, [`BlinkParams::sleepy`] = sleepy;
    /// 170 makes it last 40 s, to look at). It starts now, or when the one that runs is over.
    /// The next blink by itself follows an interval after it.
    pub fn queue(&mut self, stretch: f32) {
        let stretch = if stretch > 0.0 && stretch.is_finite() { stretch } else { 1.0 };
        if self.event.is_some() {
            self.queued = Some(stretch);
        } else {
            self.begin(stretch, false, 0.0);
        }
    }

    /// Asks for a quick blink unless one runs already: what goes with a large turn of the gaze.
    pub fn flinch(&mut self) {
        if self.event.is_none() {
            self.begin(1.0, false, 0.0);
        }
    }

    /// Whether a blink runs now.
    pub fn is_blinking(&self) -> bool {
        self.event.is_some()
    }

    /// Blinks begun so far (a double counts once), and how many of them were double.
    pub fn counts(&self) -> (u64, u64) {
        (self.begun, self.doubles)
    }

    /// `late` is how far the event already is, so that it does not wait for a frame.
    fn begin(&mut self, stretch: f32, double: bool, late: f32) {
        self.event = Some(Event { t: late, stretch, double });
        self.begun += 1;
        self.doubles += u64::from(double);
        self.again(late);
    }

    fn again(&mut self, late: f32) {
        let [low, high] = self.params.interval;
        self.wait = (self.rng.range(low, high) - late).max(0.01);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_closes_holds_and_opens_in_its_times() {
        let p = BlinkParams::default();
        for (t, want) in
            [(0.0, 0.0), (0.035, 0.5), (0.07, 1.0), (0.11, 1.0), (0.17, 0.5), (0.23, 0.0)]
        {
            assert!((p.curve(t, 1.0) - want).abs() < 1e-3, "{t}: {}", p.curve(t, 1.0));
            assert!((p.curve(t * 2.6, 2.6) - want).abs() < 1e-3, "sleepy {t}");
        }
        assert_eq!((p.curve(-1.0, 1.0), p.curve(9.0, 1.0)), (0.0, 0.0));
    }

    #[test]
    fn a_blink_can_be_asked_for_and_stretched() {
        let mut b = Blinker::new(BlinkParams::default(), 1);
        b.queue(40.0 / BlinkParams::default().length(1.0));
        let mut shut = 0;
        for _ in 0..40 * 60 {
            shut += i32::from(b.step(1.0 / 60.0) > 0.999);
        }
        // 0.04 of 0.23 of 40 s.
        assert!((shut as f32 / 60.0 - 40.0 * 0.04 / 0.23).abs() < 0.7, "{shut}");
    }

    #[test]
    fn a_slow_blink_asked_for_in_a_blink_comes_after_it() {
        let mut b = Blinker::new(BlinkParams::default(), 1);
        b.queue(1.0);
        b.step(0.05);
        b.queue(2.6);
        b.flinch();
        assert_eq!(b.counts().0, 1);
        b.step(0.2);
        assert_eq!(b.counts().0, 2);
        b.step(0.2);
        assert!(b.shut() > 0.9, "{}", b.shut());
    }

    #[test]
    fn intervals_and_doubles_over_ten_hours() {
        for seed in 0..3 {
            let mut b = Blinker::new(BlinkParams::default(), seed);
            let dt = 1.0 / 60.0;
            let (mut last, mut before) = (None, 0);
            let (mut low, mut high) = (f64::MAX, 0.0f64);
            for i in 0..36_000 * 60u64 {
                b.step(dt);
                if b.counts().0 > before {
                    before = b.counts().0;
                    let now = i as f64 / 60.0;
                    if let Some(last) = last.replace(now) {
                        low = low.min(now - last);
                        high = high.max(now - last);
                    }
                }
            }
            let (n, doubles) = b.counts();
            assert!(low > 1.95 && high < 7.05, "{low} {high}");
            assert!((7_800..8_200).contains(&n), "mean interval 4.5 s: {n}");
            let share = doubles as f64 / n as f64;
            assert!((0.15..0.19).contains(&share), "{share}");
        }
    }

    #[test]
    fn the_course_is_the_same_at_any_frame_rate() {
        let run = |fps: u32| {
            let mut b = Blinker::new(BlinkParams::default(), 7);
            // Values at each tenth of a second.
            (0..600)
                .map(|_| (0..fps / 10).map(|_| b.step(1.0 / fps as f32)).last().unwrap_or(0.0))
                .collect::<Vec<_>>()
        };
        let (a, b, c) = (run(20), run(60), run(240));
        for i in 0..600 {
            assert!(
                (a[i] - c[i]).abs() < 0.02 && (b[i] - c[i]).abs() < 0.02,
                "{i}: {} {} {}",
                a[i],
                b[i],
                c[i]
            );
        }
    }
}
