//! A body that stands, listens, thinks and speaks, and is never still.

use super::{
    Humanoid,
    body::{ArmPose, Body},
    gesture::{self, GESTURES},
    posture::Posture,
};
use crate::math::{self, TAU};
use crate::{Layer, Moment, Pose, Region, Rig, Rng, Side, Spring};
use glam::Vec3;

/// What the voice is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VoiceMode {
    /// Nobody speaks.
    #[default]
    Idle,
    /// Somebody speaks to the character.
    Listening,
    /// The character looks for an answer.
    Thinking,
    /// The character speaks.
    Speaking,
}

impl VoiceMode {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Idle, Self::Listening, Self::Thinking, Self::Speaking];

    /// `"idle"`, `"listening"`, `"thinking"`, `"speaking"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Listening => "listening",
            Self::Thinking => "thinking",
            Self::Speaking => "speaking",
        }
    }

    /// The mode of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// Breaths: rad/s at ease (one in 4.3 s), and what speaking and thinking make of it.
const BREATH: f32 = TAU / 4.3;
const BREATH_MODES: [f32; 4] = [1.0, 0.95, 0.85, 1.25];
/// Chest back and shoulders up at the height of a breath, rad; chest up, heights.
const BREATH_CHEST: f32 = 0.018;
const BREATH_SHOULDERS: f32 = 0.022;
const BREATH_RISE: f32 = 0.0022;
/// Weight on one leg: hips sideways and down, heights; roll (the hip above that leg is the higher
/// one) and turn of the hips, rad.
const SHIFT_SIDE: f32 = 0.024;
const SHIFT_DOWN: f32 = 0.005;
const SHIFT_ROLL: f32 = 0.06;
const SHIFT_TURN: f32 = 0.06;
/// Knees are never locked: hips down, heights; and further down on the way from leg to leg.
const SOFT: f32 = 0.004;
const DIP: f32 = 0.004;
/// Legs shorter than this part of the height carry smaller shifts.
const LEGS: f32 = 0.45;
/// How feet stand: turned out, rad; apart and one before the other, heights.
const TOES: f32 = 0.14;
const APART: f32 = 0.008;
const AHEAD: f32 = 0.016;
/// A deep breath: so many times as deep, seconds, every so many seconds.
const SIGH: [f32; 2] = [2.6, 3.4];
const SIGH_EVERY: [f32; 2] = [11.0, 24.0];
/// Seconds from one shift to the next.
const SHIFT_EVERY: [f32; 2] = [3.2, 7.5];
/// Sway of a standing body: two sines a direction without a common beat; rad and periods in s.
const SWAY: [f32; 2] = [0.014, 0.009];
const SWAY_PERIODS: [f32; 4] = [5.9, 9.7, 7.3, 12.1];
/// Drift of the head: yaw, pitch, roll in rad, and two periods in s each.
const DRIFT: [f32; 3] = [0.028, 0.016, 0.014];
const DRIFT_PERIODS: [[f32; 2]; 3] = [[6.7, 11.3], [4.9, 8.3], [7.9, 13.7]];
/// The head turns a little elsewhere: yaw, pitch, roll in rad, every so many seconds.
const REST_HEAD: [f32; 3] = [0.11, 0.04, 0.045];
const REST_EVERY: [f32; 2] = [2.4, 6.0];
/// A nod: rad, seconds, how many in a row, every so many seconds.
const NOD: [f32; 2] = [0.14, 0.5];
const NOD_EVERY: [f32; 2] = [2.4, 5.5];
/// The side of a listener's tilt and of a thinker's look, held for so many seconds.
const SIDE_EVERY: [f32; 2] = [3.5, 7.5];
/// One gesture, seconds.
const GESTURE_LONG: [f32; 2] = [1.3, 2.4];
/// What idle arms do, seconds.
const ARMS_EVERY: [f32; 2] = [4.0, 9.0];
/// Beats of a speaking hand: rad at the elbow, times a second.
const BEAT: [f32; 2] = [0.24, 1.6];
/// A beat goes through the trunk and the head, rad.
const BEAT_TRUNK: f32 = 0.02;
const BEAT_HEAD: f32 = 0.045;
/// A glad body bobs in the knees with this period, s.
const BOB: f32 = 1.1;
/// How fast each kind of part follows, rad/s: the trunk first, fingers last.
const FOLLOW_TRUNK: f32 = 3.2;
const FOLLOW_HEAD: f32 = 5.0;
const FOLLOW_ARM: [f32; ArmPose::COUNT] = [6.4, 6.2, 5.8, 5.4, 5.0, 4.6, 4.4];
const FOLLOW_SHIFT: f32 = 2.3;
const FOLLOW_MODE: f32 = 3.0;
/// A tail sways: rad and period in s, at rest and while speaking.
const TAIL: [[f32; 2]; 2] = [[0.1, 3.7], [0.28, 1.3]];

/// Longest inner step, seconds: what is followed moves within a frame.
const STEP: f32 = 1.0 / 120.0;

/// Trunk: lean (forward), twist (left), tilt (right).
type Trunk = [f32; 3];

/// The layer of a body in conversation (the first of a stack, or above a clip that stands).
///
/// Written for body parts, so that any body takes it: arms come down from a T-pose and gesture
/// where there are free arms, feet stay where they are where there are legs, ears and tail join in
/// where there are some. Everything goes through springs, so a change of mode never snaps; periods
/// have no common beat, random numbers are drawn once an event.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// What the voice is doing; set it at any time.
    pub mode: VoiceMode,
    /// How lively, in [0, 1]: 0 breathes and stands, 1 is as tuned.
    pub liveliness: f32,
    /// How it feels, as [`Face::MOODS`](super::Face::MOODS) has it: shows in posture and pace.
    pub mood: [f32; 6],
    body: Body,
    rng: Rng,
    /// Seconds.
    clock: f64,
    breath: f32,
    modes: [Spring<f32>; 4],
    trunk: [Spring<f32>; 3],
    head: [Spring<f32>; 3],
    arms: [[Spring<f32>; ArmPose::COUNT]; 2],
    shift: Spring<f32>,
    shift_to: f32,
    shift_at: f64,
    rest_head: [f32; 3],
    rest_at: f64,
    side: f32,
    side_at: f64,
    nod_at: f64,
    nods: f32,
    gesture: usize,
    gesture_at: f64,
    gesture_began: f64,
    arms_now: usize,
    arms_at: f64,
    sigh_at: f64,
    moods: [Spring<f32>; 6],
    started: bool,
}

impl Conversation {
    /// For bodies of that rig; a humanoid's fingers join in.
    pub fn new(rig: &Rig, humanoid: Option<&Humanoid>, seed: u64) -> Self {
        // The stream keeps it apart from other draws of the same seed; any constant does.
        let mut rng = Rng::new(seed, 0xc0c0);
        let still = Spring::at(0.0);
        let side = if rng.chance(0.5) { 1.0 } else { -1.0 };
        let clock = f64::from(rng.range(0.0, 100.0));
        // Nobody begins with a sigh.
        let sigh_at = clock + f64::from(rng.range(0.4, 1.0) * SIGH_EVERY[0]);
        Self {
            mode: VoiceMode::Idle,
            liveliness: 1.0,
            mood: [0.0; 6],
            body: Body::new(rig, humanoid),
            clock,
            breath: rng.range(0.0, TAU),
            modes: [still; 4],
            trunk: [still; 3],
            head: [still; 3],
            arms: [[still; ArmPose::COUNT]; 2],
            shift: still,
            shift_to: side * 0.8,
            shift_at: 0.0,
            rest_head: [0.0; 3],
            rest_at: 0.0,
            side,
            side_at: 0.0,
            nod_at: 0.0,
            nods: 2.0,
            gesture: (rng.next_u32() % GESTURES.len() as u32) as usize,
            gesture_at: 0.0,
            gesture_began: 0.0,
            arms_now: 0,
            arms_at: 0.0,
            sigh_at,
            moods: [still; 6],
            started: false,
            rng,
        }
    }

    /// Which of the gestures a speaking body makes now.
    pub fn gesture(&self) -> &'static str {
        GESTURES[self.gesture].name
    }

    /// Draws what is due.
    fn events(&mut self) {
        let now = self.clock;
        let due = |rng: &mut Rng, at: &mut f64, every: [f32; 2]| {
            let is = now >= *at;
            if is {
                *at = now + f64::from(rng.range(every[0], every[1]));
            }
            is
        };
        if due(&mut self.rng, &mut self.shift_at, SHIFT_EVERY) && self.started {
            let far = self.rng.range(0.55, 1.0);
            self.shift_to = if self.shift_to > 0.0 { -far } else { far };
        }
        if due(&mut self.rng, &mut self.rest_at, REST_EVERY) {
            for (v, most) in self.rest_head.iter_mut().zip(REST_HEAD) {
                *v = self.rng.range(-most, most);
            }
        }
        if due(&mut self.rng, &mut self.side_at, SIDE_EVERY) && self.started {
            self.side = -self.side;
        }
        if now >= self.nod_at + f64::from(NOD[1] * self.nods) {
            self.nod_at = now + f64::from(self.rng.range(NOD_EVERY[0], NOD_EVERY[1]));
            self.nods = if self.rng.chance(0.6) { 2.0 } else { 1.0 };
        }
        if due(&mut self.rng, &mut self.arms_at, ARMS_EVERY) {
            // Mostly they just hang.
            let busy = self.started && self.arms_now == 0 && self.rng.chance(0.5);
            let which = 1 + self.rng.next_u32() as usize % (gesture::IDLE.len() - 1);
            self.arms_now = if busy { which } else { 0 };
        }
        if now >= self.sigh_at + f64::from(SIGH[1]) {
            self.sigh_at = now + f64::from(self.rng.range(SIGH_EVERY[0], SIGH_EVERY[1]));
        }
        if due(&mut self.rng, &mut self.gesture_at, GESTURE_LONG) {
            self.gesture = (self.gesture + 1) % GESTURES.len();
            self.gesture_began = now;
        }
    }

    /// Where the parts of the body want to be in the present mode.
    fn wanted(&self) -> (Trunk, [f32; 3], [ArmPose; 2]) {
        let s = self.side;
        let [y, p, r] = self.rest_head;
        match self.mode {
            VoiceMode::Idle => {
                let (arms, bow) = gesture::IDLE[self.arms_now];
                ([0.0, 0.15 * y, 0.0], [y, p + bow, r], arms)
            }
            VoiceMode::Listening => (
                [0.07, 0.03 * s, 0.02 * s],
                [0.3 * y + 0.05 * s, 0.02 + 0.3 * p, 0.15 * s],
                gesture::listening(),
            ),
            VoiceMode::Thinking => (
                [-0.02, 0.05 * s, 0.02 * s],
                [0.24 * s + 0.3 * y, -0.13 + 0.3 * p, -0.07 * s],
                gesture::thinking(),
            ),
            VoiceMode::Speaking => {
                let g = &GESTURES[self.gesture];
                let mut arms = [g.left, g.right];
                // A hand that is up beats the words.
                let beat = self.beat();
                for a in &mut arms {
                    if a.elbow > 0.7 {
                        a.elbow -= BEAT[0] * beat * self.liveliness;
                        a.wrist += 0.6 * BEAT[0] * beat * self.liveliness;
                    }
                }
                let [hy, hp, hr] = g.head;
                let head = [hy + 0.4 * y, hp + 0.4 * p + BEAT_HEAD * (beat - 0.4), hr + 0.4 * r];
                ([0.02 + BEAT_TRUNK * beat, g.twist, 0.0], head, arms)
            }
        }
    }

    /// The beat of the words, in [0, 1].
    fn beat(&self) -> f32 {
        let t = (self.clock - self.gesture_began) as f32;
        let wave = math::sin(math::PI * BEAT[1] * t);
        wave * wave
    }

    /// How much deeper the breath is now, from 0 to 1.
    fn sigh(&self) -> f32 {
        let t = ((self.clock - self.sigh_at) as f32 / SIGH[1]).clamp(0.0, 1.0);
        let s = math::sin(math::PI * t);
        s * s
    }

    fn sines(&self, periods: [f32; 2]) -> f32 {
        let wave = |period: f32| math::sin(phase(self.clock, period));
        0.6 * wave(periods[0]) + 0.4 * wave(periods[1])
    }

    fn nod(&self) -> f32 {
        let t = (self.clock - self.nod_at) as f32;
        if t <= 0.0 || t >= NOD[1] * self.nods {
            return 0.0;
        }
        let s = math::sin(math::PI * t / NOD[1]);
        // The second nod is the smaller.
        let fade = if t > NOD[1] { 0.6 } else { 1.0 };
        NOD[0] * s * s * fade
    }
}

/// Angle of a sine of that period at a time, without loss of precision as time goes by.
fn phase(clock: f64, period: f32) -> f32 {
    let turns = clock / f64::from(period);
    ((turns - libm::floor(turns)) as f32) * TAU
}

impl Conversation {
    /// Seconds until something is drawn.
    fn due(&self) -> f64 {
        let nod = self.nod_at + f64::from(NOD[1] * self.nods);
        let sigh = self.sigh_at + f64::from(SIGH[1]);
        let at = [self.shift_at, self.rest_at, self.side_at, self.gesture_at, self.arms_at];
        at.into_iter().fold(nod.min(sigh), f64::min) - self.clock
    }

    /// Moves on by `dt` seconds, cut where something happens, so that it happens at its time at any
    /// frame rate.
    fn advance(&mut self, dt: f32) {
        if !self.started {
            self.events();
            self.follow(0.0);
            self.started = true;
        }
        let mut left = dt;
        while left > 1e-6 {
            let h = left.min(STEP).min(self.due().max(1e-4) as f32);
            self.clock += f64::from(h);
            self.events();
            self.follow(h);
            left -= h;
        }
    }

    /// Lets every part follow where it wants to be.
    fn follow(&mut self, dt: f32) {
        let live = self.liveliness.clamp(0.0, 1.0);
        let (trunk, head, arms) = self.wanted();
        let started = self.started;
        let follow = |spring: &mut Spring<f32>, to: f32, rate: f32| {
            // The first frame is there already: nobody starts in a T-pose.
            if !started {
                *spring = Spring::at(to);
            }
            spring.step(to, rate, dt)
        };
        for (i, m) in self.modes.iter_mut().enumerate() {
            let to = if VoiceMode::ALL[i] == self.mode { 1.0 } else { 0.0 };
            follow(m, to, FOLLOW_MODE);
        }
        for (m, to) in self.moods.iter_mut().zip(self.mood) {
            follow(m, to.clamp(0.0, 1.0), FOLLOW_MODE);
        }
        let feel = Posture::of(&self.moods.each_ref().map(|m| m.x));
        for (spring, to) in self.trunk.iter_mut().zip(trunk) {
            follow(spring, to * live, FOLLOW_TRUNK);
        }
        for (spring, to) in self.head.iter_mut().zip(head) {
            follow(spring, to * live, FOLLOW_HEAD);
        }
        follow(&mut self.shift, self.shift_to * live, FOLLOW_SHIFT);
        let hanging = gesture::hanging();
        for (side, (springs, to)) in self.arms.iter_mut().zip(&arms).enumerate() {
            // Without liveliness the arms hang.
            let (to, from) = (to.to_array(), hanging[side].to_array());
            for (k, spring) in springs.iter_mut().enumerate() {
                let to = from[k] + (to[k] - from[k]) * live * feel.energy;
                follow(spring, to, FOLLOW_ARM[k]);
            }
        }
        let rate: f32 = self.modes.iter().zip(BREATH_MODES).map(|(m, r)| m.x * r).sum();
        self.breath = math::wrap_angle(self.breath + BREATH * (rate * feel.pace).max(0.3) * dt);
    }
}

impl Layer for Conversation {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        self.advance(moment.dt);
        let live = self.liveliness.clamp(0.0, 1.0);
        let moods = self.moods.each_ref().map(|m| m.x);
        let feel = Posture::of(&moods);
        let mut trunk: Trunk = self.trunk.each_ref().map(|s| s.x);
        let mut head = self.head.each_ref().map(|s| s.x);
        trunk[0] += feel.lean;
        // What has no upright trunk says it with the neck.
        head[1] += feel.bow * if self.body.upright { 1.0 } else { 1.7 };
        head[2] += feel.tilt;
        let shift = self.shift.x;
        let mut arm_now =
            self.arms.each_ref().map(|a| ArmPose::from_array(a.each_ref().map(|s| s.x)));
        // In is quicker than out.
        let air = 0.5 + 0.5 * math::sin(self.breath + 0.35 * math::sin(self.breath));
        let sigh = self.sigh() * live;
        let air = air * (1.0 - 0.5 * sigh) + sigh * (SIGH[0] - 0.5);
        let listening = self.modes[VoiceMode::Listening as usize].x;
        let speaking = self.modes[VoiceMode::Speaking as usize].x;

        let h = rig.height;
        let regions = &rig.regions;
        let size = self.body.legs_long().map_or(h, |legs| h.min(legs / LEGS));
        let feet = self.body.stand(rig, pose, TOES, APART * size, AHEAD * size);
        // Four legs carry a trunk that hardly leans.
        let ease = if self.body.upright { 1.0 } else { 0.35 };
        let [p0, p1, p2, p3] = SWAY_PERIODS;
        let swing = live * feel.sway;
        let sway = [self.sines([p0, p1]) * SWAY[0] * swing, self.sines([p2, p3]) * SWAY[1] * swing];

        // Hips: over one leg, with the trunk upright above them.
        let roll = SHIFT_ROLL * shift * ease;
        let turn = -SHIFT_TURN * shift * ease;
        if self.body.upright && regions.has(Region::Hips) {
            let side = size * (SHIFT_SIDE * shift + 0.4 * sway[0]);
            let bob = feel.bob * math::sin(phase(self.clock, BOB)) * live;
            let down = SOFT + SHIFT_DOWN * shift.abs() + DIP * (1.0 - shift * shift).max(0.0) - bob;
            let by = Vec3::new(side, -size * down, size * 0.3 * sway[1]);
            regions.translate(pose, Region::Hips, by);
            regions.rotate(pose, Region::Hips, math::yaw_pitch_roll(turn, 0.0, roll));
        }
        let [lean, twist, tilt] = trunk;
        let spine = math::yaw_pitch_roll(
            (twist * 0.5 - turn * 0.6) * ease,
            (lean * 0.5 + sway[1]) * ease,
            (tilt - sway[0]) * ease - roll * 0.7,
        );
        regions.rotate(pose, Region::Spine, spine);
        let chest = math::yaw_pitch_roll(
            (twist * 0.5 - turn * 0.4) * ease,
            lean * 0.5 * ease - BREATH_CHEST * (air - 0.5) * ease,
            -roll * 0.45,
        );
        if regions.has(Region::Chest) {
            regions.rotate(pose, Region::Chest, chest);
        }
        if regions.has(Region::Spine) {
            regions.translate(pose, Region::Spine, Vec3::Y * (h * BREATH_RISE * air));
        }

        // The head keeps its own counsel: it undoes most of what the trunk does.
        let drift: [f32; 3] =
            core::array::from_fn(|i| self.sines(DRIFT_PERIODS[i]) * DRIFT[i] * live);
        let words = speaking * live * 0.022 * self.sines([0.83, 1.37]);
        let yaw = head[0] + drift[0] - 0.4 * twist * ease;
        let pitch = head[1] + drift[1] + words + self.nod() * listening * live - 0.6 * lean * ease
            + 0.5 * BREATH_CHEST * (air - 0.5);
        let tip = head[2] + drift[2] + 0.3 * roll;
        regions.rotate(pose, Region::Head, math::yaw_pitch_roll(yaw, pitch, tip));

        for side in Side::BOTH {
            let s = side.sign();
            if regions.has(Region::Shoulder(side)) && self.body.upright {
                let up = BREATH_SHOULDERS * (air - 0.5) - 0.2 * s * roll + feel.shrug;
                let turn =
                    math::rotation(Vec3::Z, s * up) * math::rotation(Vec3::Y, -s * feel.round);
                regions.rotate(pose, Region::Shoulder(side), turn);
            }
            // Ears turn to who speaks, and back a little in thought.
            if regions.has(Region::Ear(side)) {
                let thought = self.modes[VoiceMode::Thinking as usize].x;
                let own = self.sines([5.3 + 0.7 * s, 8.9 - 0.9 * s]) * 0.06 * live;
                let turn = math::yaw_pitch_roll(
                    -s * 0.16 * listening * live,
                    0.08 * listening * live - 0.16 * thought * live + own - feel.ears,
                    0.0,
                );
                regions.rotate(pose, Region::Ear(side), turn);
            }
        }
        if regions.has(Region::Tail) {
            let [calm, glad] = TAIL;
            let wag = calm[0] * math::sin(phase(self.clock, calm[1])) * (1.0 - 0.7 * listening)
                + (speaking + moods[0]).min(1.0) * glad[0] * math::sin(phase(self.clock, glad[1]));
            regions.rotate(pose, Region::Tail, math::rotation(Vec3::Y, wag * live));
        }
        if self.body.has_arms() {
            for (i, a) in arm_now.iter_mut().enumerate() {
                let s = if i == 0 { 1.0 } else { -1.0 };
                // Hanging arms follow the trunk late and breathe with it.
                let loose = (1.0 - a.elbow).clamp(0.0, 1.0);
                a.out += loose * (0.012 * (air - 0.5) + feel.out + s * 0.5 * sway[0]);
                a.elbow += loose * feel.elbow;
                a.curl += feel.curl * (0.4 + 0.6 * loose);
                a.forward += loose * live * 0.014 * self.sines([6.1 + s, 10.3 - s]);
            }
            let spread = core::array::from_fn(|i| {
                0.05 * live * self.sines([4.3 + 0.6 * i as f32, 9.1 - 0.5 * i as f32])
            });
            self.body.arms(rig, pose, &arm_now, &spread);
        }
        self.body.plant(rig, pose, &feet, TOES);
    }

    fn reset(&mut self) {
        self.started = false;
    }
}
