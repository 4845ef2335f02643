//! Feet of recorded motion on another body: where they touch the ground, and that they stay there.

use super::{HumanBone, Humanoid};
use crate::{Clip, Curve, Interpolation, JointId, Pose, Property, Rig, Side, Target, Track};
use crate::{TwoBoneIk, math};
use glam::{Quat, Vec3};

/// Samples a second.
const RATE: f32 = 60.0;
/// Longest motion that is planted, samples: half an hour.
const MOST: usize = 108_000;
/// A foot touches the ground while its ball is not higher than this above where it rests, and
/// slower than this when it comes down and when it leaves; lengths in legs, times in seconds.
const TOUCH: f32 = 0.05;
const SLOW: [f32; 2] = [0.45, 0.7];
/// The same where feet are to be planted: legs of other proportions slide.
const SLIDING: [f32; 2] = [0.9, 1.2];
/// Shorter touches are none, seconds.
const SHORT: f32 = 0.07;
/// Time before and after a touch in which the foot comes to its place and leaves it, seconds.
const EASE: f32 = 0.16;
/// Most that the whole body is moved up or down to stand, in legs: what needs more does not stand.
const LIFT: f32 = 0.25;
/// Hips go down where a leg does not reach, smoothly over this time to each side, seconds.
const SINK: f32 = 0.2;
/// Longest that a leg is stretched, of its length.
const STRETCH: f32 = 0.995;

/// One time that a foot touched the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Whose.
    pub side: Side,
    /// From when until when, seconds.
    pub time: [f32; 2],
    /// Farthest that the ball of the foot got away from where it came down, metres.
    pub slide: f32,
    /// How far above (positive) or below the ground the ball was most of that time, metres.
    pub gap: f32,
}

/// A leg that can be planted.
#[derive(Clone, Copy, Debug)]
struct Leg {
    side: Side,
    ik: TwoBoneIk,
    /// Metres at rest.
    long: f32,
    /// The ball of the foot in the ankle joint's space, and its height at rest, metres.
    ball: Vec3,
    height: f32,
}

/// Legs of a body that stands on the ground at height 0.
#[derive(Clone, Debug)]
pub struct Feet {
    legs: Vec<Leg>,
    hips: Option<JointId>,
}

impl Feet {
    /// The legs of a humanoid; none where hips or a bone of a leg is missing.
    pub fn new(rig: &Rig, body: &Humanoid) -> Self {
        use HumanBone as B;
        let bones = [
            (Side::Left, [B::LeftUpperLeg, B::LeftLowerLeg, B::LeftFoot, B::LeftToes]),
            (Side::Right, [B::RightUpperLeg, B::RightLowerLeg, B::RightFoot, B::RightToes]),
        ];
        let model = rig.skeleton.rest_model();
        let leg = |(side, [upper, lower, foot, toes]): (Side, [B; 4])| {
            let (start, mid, end) = (body.joint(upper)?, body.joint(lower)?, body.joint(foot)?);
            let at = |j: JointId| model[j.index()].translation();
            let long = at(start).distance(at(mid)) + at(mid).distance(at(end));
            let chain = |a, b| a != b && rig.skeleton.is_ancestor(a, b);
            if !(long > 1e-3 && chain(start, mid) && chain(mid, end)) {
                return None;
            }
            // Without toes it is where they would be.
            let ball = body.joint(toes).map_or(at(end) + Vec3::Z * (0.15 * long), at);
            let ball = Vec3::new(ball.x, ball.y.min(at(end).y), ball.z);
            Some(Leg {
                side,
                ik: TwoBoneIk { start, mid, end, pole: Vec3::Z },
                long,
                ball: model[end.index()].inverse()?.transform_point(ball),
                height: ball.y,
            })
        };
        Self { legs: bones.into_iter().filter_map(leg).collect(), hips: body.joint(B::Hips) }
    }

    /// The touches of a motion that `sample` poses at a time, over `duration` seconds. The
    /// pose's root does not count: the ground is the model's.
    pub fn touches(
        &self,
        rig: &Rig,
        duration: f32,
        mut sample: impl FnMut(f32, &mut Pose),
    ) -> Vec<Touch> {
        let count = frames(duration);
        let mut pose = Pose::rest(rig);
        let mut paths = vec![Vec::with_capacity(count); self.legs.len()];
        for i in 0..count {
            sample(time(i, count, duration), &mut pose);
            for (leg, path) in self.legs.iter().zip(&mut paths) {
                path.push(leg.ball(rig, &pose));
            }
        }
        let step = duration / (count.max(2) - 1) as f32;
        let mut out = Vec::new();
        for (leg, path) in self.legs.iter().zip(&paths) {
            for (from, to) in leg.spans(path, step, SLOW) {
                let part = &path[from..=to];
                let flat = |p: Vec3| Vec3::new(p.x, 0.0, p.z);
                let away = |p: &Vec3| flat(*p).distance(flat(part[0]));
                // The median: at both ends it is on its way down and up.
                let mut gaps: Vec<f32> = part.iter().map(|p| p.y - leg.height).collect();
                gaps.sort_by(f32::total_cmp);
                out.push(Touch {
                    side: leg.side,
                    time: [from as f32 * step, to as f32 * step],
                    slide: part.iter().map(away).fold(0.0, f32::max),
                    gap: gaps[gaps.len() / 2],
                });
            }
        }
        out
    }

    /// The same motion with feet that stay where they come down: legs of other proportions than the
    /// recorded ones slide and hover or sink. Knees bend as they must, the hips go down where a leg
    /// does not reach; what else moves is left as it is. A motion that does not stand (it flies,
    /// sits, swims) comes back as it was.
    pub fn plant(&self, rig: &Rig, clip: &Clip) -> Clip {
        let count = frames(clip.duration);
        let (Some(hips), false) = (self.hips, self.legs.is_empty() || count < 3) else {
            return clip.clone();
        };
        let step = clip.duration / (count - 1) as f32;
        let mut hints = vec![0; clip.tracks.len()];
        let mut pose = Pose::rest(rig);
        let rest = pose.clone();
        let mut paths = vec![Vec::with_capacity(count); self.legs.len()];
        let mut lows = Vec::with_capacity(count);
        for i in 0..count {
            pose.copy_from(&rest);
            clip.sample(time(i, count, clip.duration), &mut hints, &mut pose);
            let mut low = f32::MAX;
            for (leg, path) in self.legs.iter().zip(&mut paths) {
                let ball = leg.ball(rig, &pose);
                low = low.min(ball.y - leg.height);
                path.push(ball);
            }
            lows.push(low);
        }
        // The lower foot is on the ground most of the time.
        lows.sort_by(f32::total_cmp);
        let lift = -lows[count / 4];
        let long = self.legs.iter().map(|l| l.long).fold(0.0, f32::max);
        if !lift.is_finite() || lift.abs() > LIFT * long {
            return clip.clone();
        }
        for p in paths.iter_mut().flatten() {
            p.y += lift;
        }
        let goals: Vec<Vec<(Vec3, f32)>> =
            self.legs.iter().zip(&paths).map(|(leg, path)| leg.goals(path, step)).collect();

        // How far the hips have to go down, then smoothly.
        let mut sink = vec![0.0f32; count];
        for (i, sink) in sink.iter_mut().enumerate() {
            pose.copy_from(&rest);
            clip.sample(time(i, count, clip.duration), &mut hints, &mut pose);
            for (leg, goals) in self.legs.iter().zip(&goals) {
                let (goal, weight) = goals[i];
                *sink = sink.max(weight * leg.short_by(rig, &pose, goal, lift));
            }
        }
        let sink = smooth(&sink, (SINK / step) as usize);

        let mut out = Tracks::new(self, hips, count);
        for i in 0..count {
            pose.copy_from(&rest);
            clip.sample(time(i, count, clip.duration), &mut hints, &mut pose);
            let above = rig.skeleton.parent(hips);
            let space = above.map_or(crate::Affine::IDENTITY, |p| pose.model_of(&rig.skeleton, p));
            if let Some(inverse) = space.inverse() {
                let by = inverse.transform_vector(Vec3::Y * (lift - sink[i]));
                pose.set_translation(hips, pose.translation(hips) + by);
            }
            for (leg, goals) in self.legs.iter().zip(&goals) {
                leg.solve(rig, &mut pose, goals[i].0);
            }
            out.push(&pose, time(i, count, clip.duration));
        }
        let mut planted = clip.clone();
        let tracks = out.finish();
        planted.tracks.retain(|t| tracks.iter().all(|n| n.target != t.target));
        planted.tracks.extend(tracks);
        planted
    }
}

impl Leg {
    fn ball(&self, rig: &Rig, pose: &Pose) -> Vec3 {
        pose.model_of(&rig.skeleton, self.ik.end).transform_point(self.ball)
    }

    /// First and last sample of each touch.
    fn spans(&self, path: &[Vec3], step: f32, slow: [f32; 2]) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        let mut start = None;
        let speed = |i: usize| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(path.len() - 1));
            let d = path[b] - path[a];
            (d.x * d.x + d.z * d.z).sqrt() / ((b - a).max(1) as f32 * step)
        };
        for i in 0..path.len() {
            let low = path[i].y - self.height < TOUCH * self.long;
            let most = slow[usize::from(start.is_some())] * self.long;
            let touches = low && speed(i) < most;
            match (start, touches) {
                (None, true) => start = Some(i),
                (Some(from), false) => {
                    out.push((from, i - 1));
                    start = None;
                }
                _ => {}
            }
        }
        out.extend(start.map(|from| (from, path.len() - 1)));
        out.retain(|(from, to)| (to - from) as f32 * step >= SHORT);
        out
    }

    /// Where the ball shall be at each sample, and how far it is held there, in [0, 1].
    fn goals(&self, path: &[Vec3], step: f32) -> Vec<(Vec3, f32)> {
        // A foot never goes into the ground.
        let above = |p: Vec3| Vec3::new(p.x, p.y.max(self.height), p.z);
        let mut out: Vec<(Vec3, f32)> = path.iter().map(|p| (above(*p), 0.0)).collect();
        let ease = ((EASE / step) as usize).max(1);
        let spans = self.spans(path, step, SLIDING);
        let mut offsets = vec![Vec3::ZERO; path.len()];
        let mut sums = vec![0.0f32; path.len()];
        for &(from, to) in &spans {
            let mean: Vec3 = path[from..=to].iter().copied().sum::<Vec3>() / (to - from + 1) as f32;
            let place = Vec3::new(mean.x, self.height, mean.z);
            for i in from..=to {
                out[i] = (place, 1.0);
            }
            // On the way to it and from it, what it is off by fades.
            for k in 1..=ease {
                let w = 1.0 - math::smoothstep(0.0, 1.0, k as f32 / (ease + 1) as f32);
                for (at, edge) in [(from.checked_sub(k), from), (Some(to + k), to)] {
                    let Some(at) = at.filter(|at| *at < path.len()) else { continue };
                    offsets[at] += (place - path[edge]) * w;
                    sums[at] += w;
                }
            }
        }
        for (i, (goal, weight)) in out.iter_mut().enumerate() {
            if *weight == 0.0 && sums[i] > 0.0 {
                // Between two touches close to each other both count by their parts.
                let by = offsets[i] / sums[i].max(1.0);
                *goal = above(path[i] + by);
                *weight = sums[i].min(1.0);
            }
        }
        out
    }

    /// How far the leg is too short for a goal of its ball, vertically, metres.
    fn short_by(&self, rig: &Rig, pose: &Pose, goal: Vec3, lift: f32) -> f32 {
        let foot = pose.model_of(&rig.skeleton, self.ik.end);
        let ankle = goal - (foot.transform_point(self.ball) - foot.translation());
        let hip = pose.model_of(&rig.skeleton, self.ik.start).translation() + Vec3::Y * lift;
        let d = hip - ankle;
        let flat = d.x * d.x + d.z * d.z;
        let reach = STRETCH * self.long;
        let up = (reach * reach - flat).max(0.0).sqrt();
        (d.y - up).max(0.0)
    }

    fn solve(&self, rig: &Rig, pose: &mut Pose, goal: Vec3) {
        let foot = pose.model_of(&rig.skeleton, self.ik.end);
        let ankle = goal - (foot.transform_point(self.ball) - foot.translation());
        self.ik.solve(pose, &rig.skeleton, ankle, 1.0);
    }
}

/// What is written for hips and legs.
struct Tracks {
    times: Vec<f32>,
    hips: (JointId, Vec<f32>),
    turns: Vec<(JointId, Vec<f32>)>,
}

impl Tracks {
    fn new(feet: &Feet, hips: JointId, count: usize) -> Self {
        let joints = feet.legs.iter().flat_map(|l| [l.ik.start, l.ik.mid, l.ik.end]);
        Self {
            times: Vec::with_capacity(count),
            hips: (hips, Vec::with_capacity(count * 3)),
            turns: joints.map(|j| (j, Vec::with_capacity(count * 4))).collect(),
        }
    }

    fn push(&mut self, pose: &Pose, time: f32) {
        self.times.push(time);
        self.hips.1.extend(pose.translation(self.hips.0).to_array());
        for (joint, values) in &mut self.turns {
            let mut q = pose.rotation(*joint);
            // The short way from one key to the next.
            if let Some(last) = values.rchunks_exact(4).next()
                && Quat::from_xyzw(last[0], last[1], last[2], last[3]).dot(q) < 0.0
            {
                q = -q;
            }
            values.extend(q.to_array());
        }
    }

    fn finish(self) -> Vec<Track> {
        let how = Interpolation::Linear;
        let times: std::sync::Arc<[f32]> = self.times.into();
        let mut out = Vec::with_capacity(self.turns.len() + 1);
        let place = Curve::new(times.clone(), self.hips.1, 3, how);
        let target = Target::Joint(self.hips.0, Property::Translation);
        out.extend(place.ok().map(|curve| Track { target, curve }));
        for (joint, values) in self.turns {
            let target = Target::Joint(joint, Property::Rotation);
            let turn = Curve::rotation(times.clone(), values, how);
            out.extend(turn.ok().map(|curve| Track { target, curve }));
        }
        out
    }
}

fn frames(duration: f32) -> usize {
    if duration > 0.0 && duration.is_finite() {
        ((duration * RATE) as usize).clamp(1, MOST) + 1
    } else {
        1
    }
}

fn time(i: usize, count: usize, duration: f32) -> f32 {
    if count < 2 { 0.0 } else { duration * (i as f32 / (count - 1) as f32) }
}

/// The largest within a window, then its mean: never less than what is asked for, without corners.
fn smooth(values: &[f32], reach: usize) -> Vec<f32> {
    let window = |i: usize, v: &[f32]| {
        let last = v.len() - 1;
        (i.saturating_sub(reach), (i + reach).min(last))
    };
    let most = |i: usize| {
        let (a, b) = window(i, values);
        values[a..=b].iter().copied().fold(0.0, f32::max)
    };
    let held: Vec<f32> = (0..values.len()).map(most).collect();
    let mean = |i: usize| {
        let (a, b) = window(i, &held);
        held[a..=b].iter().sum::<f32>() / (b - a + 1) as f32
    };
    (0..values.len()).map(mean).collect()
}
