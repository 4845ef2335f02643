//! Eyes lead, the head follows, the body comes last (A9).

use super::Figure;
use crate::Targets;

/// A part has set out when it has gone this share of its farthest way.
const SHARE: f32 = 0.25;
/// Seconds of a turn that are watched: longer than the body needs to arrive.
const WATCHED: f32 = 2.2;
/// Frames that are kept; enough for [`WATCHED`] at 120 a second.
const FRAMES: usize = 264;
/// A turn in which eyes, head or body go less far tells nothing, rad.
const LEAST: [f32; 3] = [0.06, 0.15, 0.15];

/// Watches turns toward something and tells when eyes, head and body set out.
#[derive(Clone, Debug)]
pub struct LeadJudge {
    /// Eyes, head and body since the turn began, from where they were, rad; None: no turn runs.
    frames: Vec<[f32; 3]>,
    from: Option<[f32; 3]>,
    time: f32,
    dt: f32,
    /// Shortest lead of the eyes over the head and of the head over the body, s.
    least: [f32; 2],
    most: [f32; 2],
    turns: u32,
}

impl Default for LeadJudge {
    fn default() -> Self {
        Self {
            frames: Vec::with_capacity(FRAMES),
            from: None,
            time: 0.0,
            dt: 0.0,
            least: [f32::MAX; 2],
            most: [f32::MIN; 2],
            turns: 0,
        }
    }
}

impl LeadJudge {
    /// A turn toward something begins now.
    pub fn begin(&mut self, t: &Targets) {
        self.frames.clear();
        self.from = Some([t.pupils[0], t.head.x, t.body]);
        self.time = 0.0;
    }

    /// One frame of `dt` seconds, the same each time.
    pub fn see(&mut self, dt: f32, t: &Targets) {
        let Some(from) = self.from else { return };
        self.dt = dt;
        self.time += dt;
        if self.frames.len() < FRAMES && self.time <= WATCHED {
            let now = [t.pupils[0], t.head.x, t.body];
            self.frames.push(core::array::from_fn(|i| now[i] - from[i]));
            return;
        }
        self.from = None;
        // All count to the side that the body turns to: a head that looks there already comes back
        // when the body has arrived, and tells nothing.
        let side = self.frames.last().map_or(0.0, |f| f[2].signum());
        let far = |i: usize| self.frames.iter().map(|f| f[i] * side).fold(0.0, f32::max);
        if (0..3).any(|i| far(i) < LEAST[i]) {
            return;
        }
        let set_out = |i: usize| {
            let goal = SHARE * far(i);
            self.frames.iter().position(|f| f[i] * side >= goal).unwrap_or(0) as f32 * self.dt
        };
        let [eyes, head, body] = [set_out(0), set_out(1), set_out(2)];
        for (i, lead) in [head - eyes, body - head].into_iter().enumerate() {
            self.least[i] = self.least[i].min(lead);
            self.most[i] = self.most[i].max(lead);
        }
        self.turns += 1;
    }

    /// Turns that were large enough to tell.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// Shortest lead of the eyes over the head, and of the head over the body. The ranges go with
    /// springs of 16, 5.5 and 3.2 rad/s, whose quarter of the way takes 60, 175 and 300 ms.
    pub fn figures(&self) -> [Figure; 2] {
        let value = |i: usize| if self.turns > 0 { self.least[i] * 1e3 } else { f32::NAN };
        let figure =
            |name, i, range| Figure { name, value: value(i), range, unit: "ms", source: "A9" };
        [figure("lead.eyes", 0, [40.0, 250.0]), figure("lead.head", 1, [40.0, 400.0])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mind, MindParams, Senses, Transform};
    use glam::Vec3;

    fn watch(params: MindParams) -> [Figure; 2] {
        let mut judge = LeadJudge::default();
        for seed in 0..6 {
            let mut mind = Mind::new(params, seed);
            let dt = 1.0 / 120.0;
            let senses =
                Senses { dt, root: Transform::IDENTITY, eyes: Vec3::Y, viewer: None, effort: 0.0 };
            for _ in 0..30 {
                mind.step(&senses);
            }
            mind.glance_at(Vec3::new(4.0, 1.0, 3.0));
            judge.begin(&mind.targets());
            for _ in 0..400 {
                let t = mind.step(&senses);
                judge.see(dt, &t);
            }
        }
        assert_eq!(judge.turns(), 6);
        judge.figures()
    }

    #[test]
    fn eyes_lead_the_head_and_the_head_the_body() {
        for f in watch(MindParams::default()) {
            assert!(f.holds(), "{f:?}");
        }
    }

    #[test]
    fn eyes_that_lag_are_found() {
        let mut params = MindParams::default();
        params.gaze.pupil_rate = 3.0;
        params.gaze.body_rate = 9.0;
        for f in watch(params) {
            assert!(!f.holds(), "{f:?}");
        }
    }
}
