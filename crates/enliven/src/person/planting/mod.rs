//! Feet of recorded motion on another body: where they touch the ground, and that they stay there.

mod leg;
mod sole;
mod tracks;

use self::leg::{Leg, Place, SLOW, flat};
use self::tracks::Tracks;
use super::{HumanBone, Humanoid};
use crate::{Affine, Clip, JointId, Pose, Rig, Side, TwoBoneIk};
use glam::Vec3;

/// Samples a second.
const RATE: f32 = 60.0;
/// Longest motion that is planted, samples: half an hour.
const MOST: usize = 108_000;
/// Most that the whole body is moved up or down to stand, in legs: what needs more does not stand.
const LIFT: f32 = 0.25;
/// Nobody is in the air for twice as long as this, seconds; and what is higher than this does not
/// hover, legs.
const LEAP: f32 = 0.35;
const HOVER: f32 = 0.2;
/// Hips go down where a leg does not reach, smoothly over this time to each side, seconds.
const SINK: f32 = 0.2;
/// The heel is behind the ankle by this part of the way from the ball to the ankle.
const HEEL: f32 = 0.35;
/// Least and most of the hips' way over the ground that is kept.
const STRIDE: [f32; 2] = [0.6, 1.5];
/// A touch whose foot keeps up with less of the hips' way than this, or more than its inverse,
/// glides.
const GLIDE: f32 = 0.4;
/// Steps of so many legs in all have as much say in it as the recording.
const DOUBT: f32 = 0.05;
/// The speeds of [`SLOW`] where feet are to be planted: legs of other proportions slide.
const SLIDING: [f32; 2] = [0.9, 1.2];

/// One time that a foot touched the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Whose.
    pub side: Side,
    /// From when until when, seconds.
    pub time: [f32; 2],
    /// Farthest that the ball of the foot got away from where it came down, metres.
    pub slide: f32,
    /// How far above (positive) or below the ground the foot was most of that time, metres: its
    /// ball or its sole, whatever was lower.
    pub gap: f32,
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
        let ahead = body.facing() * Vec3::Z;
        let leg = |(side, [upper, lower, foot, toes]): (Side, [B; 4])| {
            let (start, mid, end) = (body.joint(upper)?, body.joint(lower)?, body.joint(foot)?);
            let at = |j: JointId| model[j.index()].translation();
            let long = at(start).distance(at(mid)) + at(mid).distance(at(end));
            let chain = |a, b| a != b && rig.skeleton.is_ancestor(a, b);
            if !(long > 1e-3 && chain(start, mid) && chain(mid, end)) {
                return None;
            }
            // Without toes it is where they would be.
            let ball = body.joint(toes).map_or(at(end) + ahead * (0.15 * long), at);
            let ball = Vec3::new(ball.x, ball.y.min(at(end).y), ball.z);
            let ankle = at(end);
            let back = HEEL * (Vec3::new(ankle.x, 0.0, ankle.z) - Vec3::new(ball.x, 0.0, ball.z));
            let heel = Vec3::new(ankle.x, ball.y.min(0.0), ankle.z) + back;
            let inverse = model[end.index()].inverse()?;
            Some(Leg {
                side,
                ik: TwoBoneIk { start, mid, end, pole: ahead },
                long,
                ball: inverse.transform_point(ball),
                height: ball.y,
                sole: vec![inverse.transform_point(heel)],
                floor: heel.y,
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
                path.push(leg.place(rig, &pose));
            }
        }
        let step = duration / (count.max(2) - 1) as f32;
        let mut out = Vec::new();
        for (leg, path) in self.legs.iter().zip(&paths) {
            for (from, to) in leg.spans(path, step, SLOW) {
                let part = &path[from..=to];
                let away = |p: &Place| flat(p.ball).distance(flat(part[0].ball));
                // The median: at both ends it is on its way down and up.
                let mut gaps: Vec<f32> = part.iter().map(|p| leg.above_ground(p)).collect();
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
    /// recorded ones slide and hover or sink. The hips go over the ground as far as the legs step
    /// and down where a leg does not reach, knees bend as they must; what else moves is left as it
    /// is. A motion that does not stand (it flies, sits, swims) comes back as it was.
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
        let mut ways = Vec::with_capacity(count);
        let mut lows = Vec::with_capacity(count);
        for i in 0..count {
            pose.copy_from(&rest);
            clip.sample(time(i, count, clip.duration), &mut hints, &mut pose);
            let mut low = f32::MAX;
            for (leg, path) in self.legs.iter().zip(&mut paths) {
                let place = leg.place(rig, &pose);
                low = low.min(place.ball.y - leg.height);
                path.push(place);
            }
            lows.push(low);
            ways.push(flat(pose.model_of(&rig.skeleton, hips).translation()));
        }
        // The lower foot is on the ground most of the time.
        lows.sort_by(f32::total_cmp);
        let lift = -lows[count / 4];
        let long = self.legs.iter().map(|l| l.long).fold(0.0, f32::max);
        if !lift.is_finite() || lift.abs() > LIFT * long {
            return clip.clone();
        }
        for place in paths.iter_mut().flatten() {
            place.ball.y += lift;
        }
        let stride = self.stride(&ways, &paths, step);
        let rise = self.rise(&paths, step);
        for place in paths.iter_mut().flatten() {
            place.ball.y += rise;
        }
        // A body that hovers for longer than a leap stands on a floor of its own.
        let hover = self.hover(&paths, step);
        for path in &mut paths {
            for (place, by) in path.iter_mut().zip(&hover) {
                place.ball.y -= by;
            }
        }
        let lift = lift + rise;
        // How far the whole body is moved.
        let mut moves: Vec<Vec3> =
            ways.iter().map(|w| (*w - ways[0]) * (stride - 1.0) + Vec3::Y * lift).collect();
        for (by, hover) in moves.iter_mut().zip(&hover) {
            by.y -= hover;
        }
        for path in &mut paths {
            for (place, by) in path.iter_mut().zip(&moves) {
                place.ball += flat(*by);
            }
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
                *sink = sink.max(weight * leg.short_by(rig, &pose, goal, moves[i]));
            }
        }
        for (by, sink) in moves.iter_mut().zip(smooth(&sink, (SINK / step) as usize)) {
            by.y -= sink;
        }

        let mut out = Tracks::new(self, hips, count);
        for (i, by) in moves.iter().enumerate() {
            pose.copy_from(&rest);
            clip.sample(time(i, count, clip.duration), &mut hints, &mut pose);
            let above = rig.skeleton.parent(hips);
            let space = above.map_or(Affine::IDENTITY, |p| pose.model_of(&rig.skeleton, p));
            if let Some(inverse) = space.inverse() {
                let by = inverse.transform_vector(*by);
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

    /// How far up the body has to be that feet which stand are not in the ground, metres: three of
    /// four, what is left is for the knees.
    fn rise(&self, paths: &[Vec<Place>], step: f32) -> f32 {
        let mut lows = Vec::new();
        for (leg, path) in self.legs.iter().zip(paths) {
            for (from, to) in leg.spans(path, step, SLIDING) {
                lows.extend(path[from..=to].iter().map(|p| leg.above_ground(p)));
            }
        }
        lows.sort_by(f32::total_cmp);
        lows.get(lows.len() / 4).map_or(0.0, |low| -low)
    }

    /// How far the lower foot is above the ground all the time around each sample, metres: what a
    /// recorded floor, or other legs, are off by. No more than somebody on a step is.
    fn hover(&self, paths: &[Vec<Place>], step: f32) -> Vec<f32> {
        let count = paths.first().map_or(0, Vec::len);
        let long = self.legs.iter().map(|l| l.long).fold(0.0, f32::max);
        let low = |i: usize| {
            let feet = self.legs.iter().zip(paths).map(|(leg, path)| leg.above_ground(&path[i]));
            feet.fold(f32::MAX, f32::min).clamp(0.0, HOVER * long)
        };
        let lows: Vec<f32> = (0..count).map(low).collect();
        let reach = (LEAP / step) as usize;
        // The least of all around, then its mean: the other way round of what sinks.
        let turned: Vec<f32> = lows.iter().map(|low| HOVER * long - low).collect();
        smooth(&turned, reach).iter().map(|t| HOVER * long - t).collect()
    }

    /// How much of the hips' way over the ground the feet keep up with, by least squares over all
    /// times that they stand: legs that are short for their hips' height take shorter steps.
    fn stride(&self, hips: &[Vec3], paths: &[Vec<Place>], step: f32) -> f32 {
        let mut stride = 1.0;
        // Which foot stands when depends on it in turn, hardly.
        for _ in 0..3 {
            let (mut kept, mut all) = (0.0, 0.0);
            for (leg, path) in self.legs.iter().zip(paths) {
                let doubt = DOUBT * DOUBT * leg.long * leg.long;
                (kept, all) = (kept + doubt, all + doubt);
                let moved = path.iter().zip(hips).map(|(p, h)| {
                    let ball = p.ball + (*h - hips[0]) * (stride - 1.0);
                    Place { ball, ..*p }
                });
                let moved: Vec<Place> = moved.collect();
                for (from, to) in leg.spans(&moved, step, SLIDING) {
                    let (mut part, mut whole) = (0.0, 0.0);
                    for i in from..to {
                        let hips = hips[i + 1] - hips[i];
                        let foot = flat(path[i + 1].ball - path[i].ball);
                        part += (hips - foot).dot(hips);
                        whole += hips.length_squared();
                    }
                    // A foot that glides along is no step, however long the legs.
                    if (GLIDE * whole..whole / GLIDE).contains(&part) {
                        (kept, all) = (kept + part, all + whole);
                    }
                }
            }
            stride = (kept / all).clamp(STRIDE[0], STRIDE[1]);
        }
        if stride.is_finite() { stride } else { 1.0 }
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

#[cfg(test)]
mod tests;
