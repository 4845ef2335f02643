//! One leg: where its foot touches the ground, and where it shall.

use super::SLIDING;
use crate::{Pose, Rig, Side, TwoBoneIk, math};
use glam::Vec3;

/// A foot touches the ground while its ball is not higher than this above where it rests, and
/// slower than this when it comes down and when it leaves; lengths in legs, times in seconds.
const TOUCH: f32 = 0.05;
pub(super) const SLOW: [f32; 2] = [0.45, 0.7];
/// Shorter breaks between touches are none, seconds.
const TWITCH: f32 = 0.06;
/// Shorter touches are none, seconds.
const SHORT: f32 = 0.07;
/// Time before and after a touch in which the foot comes to its place and leaves it, seconds.
const EASE: f32 = 0.16;
/// A foot comes down to the ground from so long before a touch begins to so long after, and leaves
/// it likewise, seconds.
const LANDING: [f32; 2] = [0.03, 0.07];
/// A foot slower than this is at rest, legs a second.
const STILL: f32 = 0.1;
/// A foot that gets away farther than this while it touches the ground is let go, legs.
const DRAG: f32 = 0.25;
/// Most that hips go down for a leg, in legs: what it does not reach then it lets go.
const DEEPEST: f32 = 0.2;
/// Longest that a leg is stretched, of its length.
const STRETCH: f32 = 0.995;

/// A leg that can be planted.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    pub side: Side,
    pub ik: TwoBoneIk,
    /// Metres at rest.
    pub long: f32,
    /// The ball of the foot in the ankle joint's space, and its height at rest, metres.
    pub ball: Vec3,
    pub height: f32,
    /// Points of the sole in the ankle joint's space, and the height of the lowest at rest, metres.
    pub sole: Vec<Vec3>,
    pub floor: f32,
}

/// Where a foot is at one time, metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The ball of the foot.
    pub ball: Vec3,
    /// How far the lowest point of the sole is above it; below where negative.
    pub sole: f32,
}

impl Leg {
    pub(super) fn place(&self, rig: &Rig, pose: &Pose) -> Place {
        let foot = pose.model_of(&rig.skeleton, self.ik.end);
        let ball = foot.transform_point(self.ball);
        let low = self.sole.iter().map(|p| foot.transform_point(*p).y).fold(f32::MAX, f32::min);
        Place { ball, sole: low - ball.y }
    }

    pub(super) fn above_ground(&self, place: &Place) -> f32 {
        (place.ball.y - self.height).min(place.ball.y + place.sole - self.floor)
    }

    /// The same place, not in the ground.
    fn lifted(&self, at: Vec3, place: &Place) -> Vec3 {
        Vec3::new(at.x, at.y.max(self.height).max(self.floor - place.sole), at.z)
    }

    /// First and last sample of each touch.
    pub(super) fn spans(&self, path: &[Place], step: f32, slow: [f32; 2]) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        let mut start = None;
        let speed = |i: usize| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(path.len() - 1));
            let d = path[b].ball - path[a].ball;
            (d.x * d.x + d.z * d.z).sqrt() / ((b - a).max(1) as f32 * step)
        };
        for i in 0..path.len() {
            let low = path[i].ball.y - self.height < TOUCH * self.long;
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
    pub(super) fn goals(&self, path: &[Place], step: f32) -> Vec<(Vec3, f32)> {
        let ease = ((EASE / step) as usize).max(1);
        let touches = self.stands(path, step);
        let mut held = vec![(Vec3::ZERO, 0.0f32); path.len()];
        let mut ground = vec![0.0f32; path.len()];
        for &(from, to, place) in &touches {
            // On the way to it and from it, what it is off by fades; between two touches close to
            // each other both count by their parts.
            for k in 1..=ease {
                let w = 1.0 - math::smoothstep(0.0, 1.0, k as f32 / (ease + 1) as f32);
                for (at, edge) in [(from.checked_sub(k), from), (Some(to + k), to)] {
                    let Some((by, sum)) = at.and_then(|at| held.get_mut(at)) else { continue };
                    *by += (place - path[edge].ball) * w;
                    *sum += w;
                }
            }
        }
        for &(from, to, place) in &touches {
            for i in from..=to {
                held[i] = (place - path[i].ball, 1.0);
            }
            // A foot that rolls over its heel comes down later than it stands.
            let after = LANDING[1].min((to - from) as f32 * step / 3.0);
            let late = |i: usize, edge: usize, sign: f32| {
                let t = (i as f32 - edge as f32) * step * sign;
                math::smoothstep(-LANDING[0], after, t)
            };
            let near = (LANDING[0] / step) as usize;
            for i in from.saturating_sub(near)..=(to + near).min(path.len() - 1) {
                ground[i] = ground[i].max(late(i, from, 1.0).min(late(i, to, -1.0)));
            }
        }
        let goal = |((p, (by, sum)), ground): ((&Place, (Vec3, f32)), f32)| {
            let at = p.ball + flat(by) / sum.max(1.0);
            let at = at - Vec3::Y * (self.above_ground(p) * ground);
            (self.lifted(at, p), sum.min(1.0))
        };
        path.iter().zip(held).zip(ground).map(goal).collect()
    }

    /// First and last sample of each touch in which the foot can stand, and where it does.
    fn stands(&self, path: &[Place], step: f32) -> Vec<(usize, usize, Vec3)> {
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (from, to) in self.spans(path, step, SLIDING) {
            // A foot that only twitched went on standing.
            let twitch = |before: &&mut (usize, usize)| {
                let between = &path[before.1..=from];
                let low = |p: &Place| p.ball.y - self.height < TOUCH * self.long;
                let way = flat(path[from].ball - path[before.1].ball).length();
                (from - before.1) as f32 * step < TWITCH
                    && way < TOUCH * self.long
                    && between.iter().all(low)
            };
            match open.last_mut().filter(twitch) {
                Some(before) => before.1 = to,
                None => open.push((from, to)),
            }
        }
        let mut out = Vec::new();
        while let Some((from, to)) = open.pop() {
            let part = &path[from..=to];
            if part.len() < 2 || (to - from) as f32 * step < SHORT {
                continue;
            }
            let place = self.rest_of(part, step);
            let far = part.iter().map(|p| flat(p.ball - place).length()).fold(0.0, f32::max);
            if far <= DRAG * self.long {
                out.push((from, to, place));
                continue;
            }
            // A short step in between parts two touches; who glides evenly has none.
            let ways = part.windows(2).map(|w| flat(w[1].ball - w[0].ball).length());
            let mean = ways.clone().sum::<f32>() / (part.len() - 1) as f32;
            let fastest = ways.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((at, way)) = fastest
                && way > 2.0 * mean
            {
                open.push((from, from + at));
                open.push((from + at + 1, to));
            }
        }
        out
    }

    /// Where a foot that touches the ground rests: the mean place, the more the slower it is.
    fn rest_of(&self, path: &[Place], step: f32) -> Vec3 {
        let still = STILL * self.long * step;
        let (mut sum, mut all) = (Vec3::ZERO, 0.0);
        for pair in path.windows(2) {
            let way = flat(pair[1].ball - pair[0].ball).length() / still;
            let weight = 1.0 / (1.0 + way * way);
            sum += (pair[0].ball + pair[1].ball) * (0.5 * weight);
            all += weight;
        }
        if all > 0.0 { sum / all } else { path[0].ball }
    }

    /// How far the leg is too short for a goal of its ball, vertically, metres, once the body is
    /// moved.
    pub(super) fn short_by(&self, rig: &Rig, pose: &Pose, goal: Vec3, moved: Vec3) -> f32 {
        let foot = pose.model_of(&rig.skeleton, self.ik.end);
        let ankle = goal - (foot.transform_point(self.ball) - foot.translation());
        let hip = pose.model_of(&rig.skeleton, self.ik.start).translation() + moved;
        let d = hip - ankle;
        let flat = d.x * d.x + d.z * d.z;
        let reach = STRETCH * self.long;
        let up = (reach * reach - flat).max(0.0).sqrt();
        (d.y - up).clamp(0.0, DEEPEST * self.long)
    }

    pub(super) fn solve(&self, rig: &Rig, pose: &mut Pose, goal: Vec3) {
        let foot = pose.model_of(&rig.skeleton, self.ik.end);
        let ankle = goal - (foot.transform_point(self.ball) - foot.translation());
        self.ik.solve(pose, &rig.skeleton, ankle, 1.0);
    }
}

/// Over the ground.
pub(super) fn flat(p: Vec3) -> Vec3 {
    Vec3::new(p.x, 0.0, p.z)
}
