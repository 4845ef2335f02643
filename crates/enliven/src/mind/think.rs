//! The mind itself.

use super::ears::Flicker;
use super::{Attention, Blinker, Interest, MindParams};
use crate::{Rng, Spring, Transform, math};
use glam::Vec3;

/// Longest inner step, seconds: the pupils follow the head's way, which changes within a frame.
const STEP: f32 = 1.0 / 120.0;

/// What lies farther to the side than this is behind, and not looked at by the way, rad.
const BEHIND: f32 = 2.0;

/// What a mind knows of one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Senses {
    /// Seconds since the last moment.
    pub dt: f32,
    /// Where the body is: model space → the host's world.
    pub root: Transform,
    /// Middle of the eyes at rest, in model space.
    pub eyes: Vec3,
    /// The viewer's eye in the host's world, if anybody looks.
    pub viewer: Option<Vec3>,
    /// How hard the body works, in [0, 1]: lays the ears back.
    pub effort: f32,
}

/// What a body shall look like now. Angles in rad about the body's axes: yaw to its left, pitch
/// down, roll to its right are positive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Targets {
    /// Turn of the whole body.
    pub body: f32,
    /// Yaw, pitch and roll of the head against the body.
    pub head: Vec3,
    /// Yaw and pitch of the pupils against the head.
    pub pupils: [f32; 2],
    /// Yaw and pitch of the gaze against the body, whatever else moves the head.
    pub gaze: [f32; 2],
    /// How far the left and right eye are shut, in [0, 1].
    pub shut: [f32; 2],
    /// Flick of the left and right ear.
    pub flick: [f32; 2],
    /// How far the ears lie back.
    pub fold: f32,
    /// Breath, from −1 (out) to 1 (in).
    pub breath: f32,
    /// Pace that the carrier should take, of its own: below 1 in a glance.
    pub pace: f32,
}

/// How often things happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Changes of what is looked at, glances not counted.
    pub looks: u64,
    /// Glances at points of interest.
    pub glances: u64,
    /// Blinks; a double one counts once.
    pub blinks: u64,
    /// Double blinks among them.
    pub double_blinks: u64,
    /// Ear flicks; both ears at once count once.
    pub flicks: u64,
    /// Small jumps of the eyes.
    pub saccades: u64,
}

/// What springs of these rates lose in a step, kept while neither changes: most steps are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Decay {
    step: f32,
    rates: [f32; RATES],
    /// e^(−rate·step) of each.
    left: [f32; RATES],
    /// Half-life of memory, s, and the share of it that a step closes.
    memory: (f32, f32),
}

/// Head, tilt, body, pupils, droop, effort, pace.
const RATES: usize = 7;

impl Decay {
    fn fit(&mut self, step: f32, rates: [f32; RATES], recovery: f32) {
        let same = step == self.step;
        for ((known, left), rate) in self.rates.iter_mut().zip(&mut self.left).zip(rates) {
            if !(same && *known == rate) {
                (*known, *left) = (rate, math::exp(-rate * step));
            }
        }
        if !(same && self.memory.0 == recovery) {
            // Half of the way to 1 in `recovery` seconds.
            let rate = core::f32::consts::LN_2 / recovery.max(1e-3);
            self.memory = (recovery, math::approach(rate, step));
        }
        self.step = step;
    }
}

/// A running glance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Glance {
    t: f32,
    at: Vec3,
    point: Option<usize>,
    tilt: f32,
}

/// Attention, springs and clocks of one character. Clone it to fork a life.
#[derive(Clone, Debug, PartialEq)]
pub struct Mind {
    /// How it moves; may be changed at any time.
    pub params: MindParams,
    /// What there is to look at.
    pub attention: Attention,
    blinker: Blinker,
    flicker: Flicker,
    rng: Rng,
    head: Spring<Vec3>,
    body: Spring<f32>,
    pupils: Spring<Vec3>,
    droop: Spring<f32>,
    effort: Spring<f32>,
    pace: Spring<f32>,
    /// What is looked at, and where within it, in [−1, 1].
    look: (Interest, f32),
    /// It was its own choice.
    chosen: bool,
    hold: f32,
    saccade: [f32; 2],
    next_saccade: f32,
    glance: Option<Glance>,
    cooldown: f32,
    decay: Decay,
    breath: f32,
    counts: Counts,
    /// Yaw and pitch of the last target, for the blink that goes with a large change.
    aim: [f32; 2],
}

impl Mind {
    /// A mind at rest. The same seed lives the same life.
    pub fn new(params: MindParams, seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0x317d);
        let hold = rng.range(0.2, 1.0) * params.look.interval[1];
        let breath = rng.unit() * math::TAU;
        Self {
            params,
            attention: Attention::default(),
            blinker: Blinker::new(params.blink, seed),
            flicker: Flicker::new(&params.ears, seed),
            rng,
            head: Spring::at(Vec3::ZERO),
            body: Spring::at(0.0),
            pupils: Spring::at(Vec3::ZERO),
            droop: Spring::at(0.0),
            effort: Spring::at(0.0),
            pace: Spring::at(1.0),
            look: (Interest::Ahead, 0.0),
            chosen: true,
            hold,
            saccade: [0.0; 2],
            next_saccade: 0.5,
            glance: None,
            cooldown: 0.0,
            decay: Decay::default(),
            breath,
            counts: Counts::default(),
            aim: [0.0; 2],
        }
    }

    /// Moves on by `senses.dt` seconds. Never allocates.
    pub fn step(&mut self, senses: &Senses) -> Targets {
        let senses = clean(senses);
        self.blinker.params = self.params.blink;
        let often = self.params.mood.blinks.clamp(0.05, 20.0);
        self.blinker.params.interval = self.params.blink.interval.map(|s| s / often);
        let mut left = senses.dt;
        while left > 1e-7 {
            // Up to the next event, so that it happens at its time at any frame rate.
            let lively = self.lively();
            let h = left.min(STEP).min(self.due(lively)).max(1e-5).min(left);
            self.advance(&senses, lively, h);
            left -= h;
        }
        self.targets()
    }

    /// What a body shall look like now.
    pub fn targets(&self) -> Targets {
        let mood = &self.params.mood;
        let shut = self.blinker.shut();
        let droop = self.droop.x.clamp(0.0, 1.0);
        let breath = math::sin(self.breath);
        // A breath lifts the head a little: nothing on a body moves alone. 0.7° by eye.
        let mut head = self.head.x + Vec3::new(0.0, -0.012 * breath, 0.0);
        head.y += mood.bow;
        head.z += mood.tilt;
        // What the pupils go ahead by is a part of what is left.
        let lead = self.params.gaze.eye_lead;
        let left = if lead > 0.05 { self.pupils.x / lead } else { Vec3::ZERO };
        Targets {
            body: self.body.x,
            head,
            gaze: [self.head.x.x + left.x, self.head.x.y + left.y],
            pupils: [self.pupils.x.x, self.pupils.x.y],
            shut: [shut + (1.0 - shut) * droop; 2],
            flick: self.flicker.angles(&self.params.ears),
            fold: self.params.ears.fold * (self.effort.x + mood.ears).clamp(0.0, 1.0),
            breath,
            pace: self.pace.x,
        }
    }

    /// What is looked at now.
    pub fn interest(&self) -> Interest {
        match &self.glance {
            Some(g) if g.t < self.params.glance.back_at => {
                g.point.map_or(Interest::Viewer, Interest::Point)
            }
            _ => self.look.0,
        }
    }

    /// Seconds since the running glance began.
    pub fn glancing(&self) -> Option<f32> {
        self.glance.map(|g| g.t)
    }

    /// How often things happened so far.
    pub fn counts(&self) -> Counts {
        let (blinks, double_blinks) = self.blinker.counts();
        Counts { blinks, double_blinks, flicks: self.flicker.count, ..self.counts }
    }

    /// The eyelids, to ask for a blink.
    pub fn blinker_mut(&mut self) -> &mut Blinker {
        &mut self.blinker
    }

    /// Looks at something now, for one interval, whatever it would have chosen.
    pub fn look_at(&mut self, what: Interest) {
        self.look = (what, 0.0);
        self.chosen = false;
        self.counts.looks += 1;
        self.hold = self.params.look.interval[1];
    }

    /// Glances at a place in the host's world now, cool-down or not.
    pub fn glance_at(&mut self, at: Vec3) {
        self.begin_glance(at, None);
    }

    /// Forgets all motion: springs at rest, no glance. Clocks and memory stay.
    pub fn settle(&mut self) {
        self.head = Spring::at(Vec3::ZERO);
        self.body = Spring::at(0.0);
        self.pupils = Spring::at(Vec3::ZERO);
        self.pace = Spring::at(1.0);
        self.effort.v = 0.0;
        self.glance = None;
    }

    fn lively(&self) -> f32 {
        let l = self.params.mood.liveliness;
        if l > 0.0 { l.min(4.0) } else { 0.0 }
    }

    /// Seconds until something happens by the clock.
    fn due(&self, lively: f32) -> f32 {
        let at = |wait: f32| if lively > 0.0 { wait / lively } else { f32::MAX };
        let mut due = at(self.hold).min(at(self.next_saccade)).min(self.flicker.due(lively));
        if let Some(g) = &self.glance {
            let p = &self.params.glance;
            for t in [p.tilt_at, p.blink_at, p.back_at, p.done_at] {
                if t > g.t {
                    due = due.min(t - g.t);
                }
            }
        }
        due
    }

    fn advance(&mut self, senses: &Senses, lively: f32, h: f32) {
        let goal = self.goal(senses);
        // Only jumps count: what is followed moves a little each step.
        let turn = (goal.x - self.aim[0]).abs().max((goal.y - self.aim[1]).abs());
        if turn > self.params.look.blink_turn {
            self.blinker.flinch();
        }
        self.aim = [goal.x, goal.y];
        self.springs(senses, goal, lively, h);
        self.clocks(senses, lively, h);
        let from = senses.root.transform_point(senses.eyes);
        self.cooldown -= h;
        let ready = self.glance.is_none() && self.cooldown <= 0.0 && lively > 0.0;
        if let Some(i) = self.attention.trigger(from, ready) {
            let at = self.attention.points()[i].position;
            self.begin_glance(at, Some(i));
        }
    }

    fn clocks(&mut self, senses: &Senses, lively: f32, h: f32) {
        let p = &self.params;
        self.breath =
            math::fract((self.breath + p.gaze.breath_rate * p.mood.breath * h) / math::TAU)
                * math::TAU;
        self.blinker.step(h);
        self.flicker.step(&p.ears, lively, h);
        self.attention.recover(self.decay.memory.1);
        self.next_saccade -= h * lively;
        if self.next_saccade <= 0.0 && lively > 0.0 {
            let [low, high] = p.gaze.saccade_interval;
            let [yaw, pitch] = p.gaze.saccade;
            self.saccade = [self.rng.range(-yaw, yaw), self.rng.range(-pitch, pitch)];
            self.next_saccade += self.rng.range(low, high).max(0.02);
            self.counts.saccades += 1;
        }
        self.hold -= h * lively;
        // What has passed is let go: followed behind its back, it would whip the head round.
        let follows = self.chosen && matches!(self.look.0, Interest::Point(_));
        if follows && self.glance.is_none() && self.aim[0].abs() > BEHIND {
            self.hold = self.hold.min(0.0);
        }
        if self.hold <= 0.0 && lively > 0.0 {
            self.look_around(senses);
        }
        if let Some(g) = &mut self.glance {
            let before = g.t;
            g.t += h;
            let passed = |t: f32| before < t - 1e-5 && g.t >= t - 1e-5;
            let over = g.t >= self.params.glance.done_at - 1e-5;
            if passed(self.params.glance.blink_at) {
                self.blinker.queue(self.params.blink.sleepy);
            }
            if over {
                self.glance = None;
                self.cooldown = self.params.glance.cooldown;
                // Back on the path for a while before something else draws it.
                self.look = (Interest::Ahead, 0.0);
                self.hold = self.params.look.interval[0];
            }
        }
    }

    fn look_around(&mut self, senses: &Senses) {
        let p = &self.params.look;
        let from = senses.root.transform_point(senses.eyes);
        let viewer = match senses.viewer {
            // Only who can be looked at without turning the body.
            Some(v) if angles(senses, v)[0].abs() < 1.2 * self.params.gaze.idle_limit => {
                p.viewer * self.params.mood.viewer
            }
            _ => 0.0,
        };
        self.look = self.attention.choose(p, viewer, from, self.look.0, &mut self.rng, |at| {
            angles(senses, at)[0].abs() < BEHIND
        });
        self.hold += self.rng.range(p.interval[0], p.interval[1]).max(0.1);
        self.chosen = true;
        self.counts.looks += 1;
        self.attention.looked(self.look.0, p);
    }

    fn begin_glance(&mut self, at: Vec3, point: Option<usize>) {
        let tilt = if self.rng.chance(0.5) { 1.0 } else { -1.0 };
        self.glance = Some(Glance { t: 0.0, at, point, tilt: tilt * self.params.glance.tilt });
        self.counts.glances += 1;
        if let Some(i) = point {
            self.attention.seen(i);
            self.attention.looked(Interest::Point(i), &self.params.look);
        }
    }

    /// Where the gaze wants to go: yaw, pitch, roll against the body's rest.
    fn goal(&self, senses: &Senses) -> Vec3 {
        let p = &self.params;
        if let Some(g) = &self.glance {
            if g.t >= p.glance.back_at {
                return Vec3::new(0.0, p.look.ahead_pitch, 0.0);
            }
            let at =
                g.point.and_then(|i| self.attention.points().get(i)).map_or(g.at, |q| q.position);
            let [yaw, pitch] = angles(senses, at);
            let tilt = if g.t >= p.glance.tilt_at { g.tilt } else { 0.0 };
            return Vec3::new(yaw, pitch, tilt);
        }
        if self.lively() == 0.0 {
            return Vec3::ZERO;
        }
        let (what, within) = self.look;
        let mid = 0.5 + 0.5 * within;
        let [yaw, pitch] = match what {
            Interest::Ahead => [0.12 * within, p.look.ahead_pitch],
            Interest::Side(side) => {
                let yaw = math::lerp(p.look.side_yaw[0], p.look.side_yaw[1], mid);
                [yaw * side.sign(), p.look.ahead_pitch + 0.08 * within]
            }
            Interest::Sky => [0.35 * within, -p.look.sky_pitch],
            Interest::Viewer => senses.viewer.map_or([0.0; 2], |v| angles(senses, v)),
            Interest::Point(i) => {
                let point = self.attention.points().get(i);
                point.map_or([0.0; 2], |q| angles(senses, q.position))
            }
        };
        Vec3::new(yaw, pitch, 0.0)
    }

    fn springs(&mut self, senses: &Senses, goal: Vec3, lively: f32, h: f32) {
        let p = self.params;
        let speed = p.mood.speed.clamp(0.05, 5.0);
        let back = self.glance.is_none_or(|g| g.t >= p.glance.back_at);
        let (body_goal, limit) = if back {
            (0.0, p.gaze.idle_limit)
        } else {
            let b = p.glance.body_limit;
            ((goal.x * p.glance.body_share).clamp(-b, b), p.gaze.glance_limit)
        };
        let rates = [
            p.gaze.head_rate * speed,
            p.gaze.tilt_rate * speed,
            p.gaze.body_rate * speed,
            p.gaze.pupil_rate,
            3.0,
            4.0,
            p.glance.pace_rate,
        ];
        self.decay.fit(h, rates, p.look.recovery);
        let left = self.decay.left;
        let body_before = self.body.x;
        self.body.step_by(body_goal, rates[2], h, left[2]);
        // The head aims at where it will stand when the body has arrived.
        let want = Vec3::new(
            (goal.x - body_goal).clamp(-limit, limit),
            goal.y.clamp(p.gaze.pitch_limit[0], p.gaze.pitch_limit[1]),
            0.0,
        );
        let head_before = self.head.x;
        let roll = Spring { x: self.head.x.z, v: self.head.v.z };
        self.head.step_by(want, rates[0], h, left[0]);
        let mut tilt = roll;
        tilt.step_by(goal.z, rates[1], h, left[1]);
        (self.head.x.z, self.head.v.z) = (tilt.x, tilt.v);
        // Mean of the step: the pupils' goal moves with the head within it.
        let head = (head_before + self.head.x) * 0.5;
        let body = (body_before + self.body.x) * 0.5;
        let [ly, lp] = p.gaze.pupil_limit;
        let live = lively.min(1.5);
        let eye = Vec3::new(
            ((goal.x - body - head.x) * p.gaze.eye_lead).clamp(-ly, ly) + self.saccade[0] * live,
            ((goal.y - head.y) * p.gaze.eye_lead).clamp(-lp, lp) + self.saccade[1] * live,
            0.0,
        );
        self.pupils.step_by(eye, rates[3], h, left[3]);
        self.droop.step_by(p.mood.droop, rates[4], h, left[4]);
        self.effort.step_by(senses.effort, rates[5], h, left[5]);
        let pace = if back { 1.0 } else { p.glance.pace };
        self.pace.step_by(pace, rates[6], h, left[6]);
    }
}

/// Yaw and pitch from the eyes at rest to a place in the host's world (A11).
fn angles(senses: &Senses, at: Vec3) -> [f32; 2] {
    let turn = senses.root.rotation.conjugate();
    let d = turn * (at - senses.root.translation);
    // Sizes do not change directions but where the eyes are.
    let d = d - senses.root.scale * senses.eyes;
    let flat = (d.x * d.x + d.z * d.z).sqrt();
    if !d.is_finite() || flat + d.y.abs() < 1e-6 {
        return [0.0; 2];
    }
    [math::atan2(d.x, d.z), -math::atan2(d.y, flat)]
}

/// Nothing that a host says may break a spring.
fn clean(senses: &Senses) -> Senses {
    let finite = |v: f32| if v.is_finite() { v } else { 0.0 };
    let mut s = *senses;
    s.dt = finite(s.dt).clamp(0.0, crate::Moment::LONGEST_STEP);
    s.effort = finite(s.effort).clamp(0.0, 1.0);
    if !s.root.is_finite() {
        s.root = Transform::IDENTITY;
    }
    if !s.eyes.is_finite() {
        s.eyes = Vec3::ZERO;
    }
    s.viewer = s.viewer.filter(|v| v.is_finite());
    s
}
