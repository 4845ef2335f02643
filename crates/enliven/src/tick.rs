//! Fixed steps inside variable frames.

/// Turns frame times of any length into a whole number of equal steps.
///
/// Time is counted in double precision and never drifts: after n seconds of frames, rate × n
/// steps have been taken (to one step), whatever the frames were.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticker {
    rate: u32,
    most: u32,
    pending: f64,
}

impl Ticker {
    /// `rate` steps a second (at least 1). One frame gives at most a quarter second of steps; a
    /// longer pause is forgotten, so that a hidden window resumes without a rush.
    pub fn new(rate: u32) -> Self {
        let rate = rate.max(1);
        Self { rate, most: rate.div_ceil(4), pending: 0.0 }
    }

    /// Seconds a step.
    pub fn step(&self) -> f32 {
        1.0 / self.rate as f32
    }

    /// Takes a frame of `dt` seconds; returns how many steps to run now. Negative and non-finite
    /// frames count as 0.
    pub fn frame(&mut self, dt: f64) -> u32 {
        if dt > 0.0 && dt.is_finite() {
            self.pending += dt * f64::from(self.rate);
        }
        // A frame of exactly one step may come out a rounding error short.
        let steps = libm::floor(self.pending + 1e-9);
        if steps > f64::from(self.most) {
            self.pending = 0.0;
            return self.most;
        }
        self.pending -= steps;
        steps as u32
    }

    /// How far the present lies between the last step (0) and the next (1).
    pub fn fraction(&self) -> f32 {
        (self.pending as f32).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_frame_rate_gives_the_same_number_of_steps() {
        for fps in [7.0, 20.0, 30.0, 59.94, 60.0, 144.0, 240.0] {
            let mut t = Ticker::new(120);
            let frames = (fps * 10.0) as usize;
            let steps: u32 = (0..frames).map(|_| t.frame(1.0 / fps)).sum();
            let want = (frames as f64 / fps * 120.0).round() as i64;
            assert!((i64::from(steps) - want).abs() <= 1, "{fps}: {steps} {want}");
        }
    }

    #[test]
    fn bad_frames_and_long_pauses_are_harmless() {
        let mut t = Ticker::new(60);
        for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(t.frame(dt), 0);
        }
        assert_eq!(t.frame(1e9), 15);
        assert_eq!(t.frame(1.0 / 60.0), 1);
    }
}
