//! Faults that recordings by markers have in their legs.

use super::{HumanBone, Humanoid, HumanoidClip, arc};
use crate::{Curve, Interpolation, Side, math};
use glam::{Quat, Vec3};

/// How far a knee points outward and inward of straight ahead, rad: somewhat more than hips turn.
const OUTWARD: f32 = 1.92;
const INWARD: f32 = 1.22;
/// Fastest turn of the plane in which a knee bends, and of a foot against the shin, rad/s.
const PLANE_RATE: f32 = 12.0;
const FOOT_RATE: f32 = 16.0;
/// A knee shows where it points once it is off the line from hip to ankle by this part of the
/// thigh.
const BENT: f32 = 0.1;
/// Seconds that a knee may be one radian beyond its range before turning it costs less.
const PATIENCE: f32 = 0.05;
/// After so many seconds without a bent knee it may point anywhere.
const FORGET: f32 = 0.1;
/// Smaller corrections are none, rad.
const NOTHING: f32 = 1e-4;
/// A leg whose corrections are all smaller than this is sound, rad; a foot that turns faster than
/// it can by less than this part too. So what was mended is not mended again.
const SOUND: f32 = 0.05;

impl HumanoidClip {
    /// Turns legs back that a recording has inside out. Markers say where an ankle is, hardly where
    /// a knee points: solvers let whole legs flip by half a turn about the line from hip to ankle
    /// from one frame to the next. Ankles stay where they are, knees point where hips let them, and
    /// neither they nor feet turn faster than anybody could. Legs without such faults keep their
    /// bits.
    ///
    /// `body` is the one that was recorded: its lengths of thighs and shins count.
    pub fn mend_legs(&mut self, body: &Humanoid) {
        use HumanBone as B;
        for (side, [upper, lower, foot]) in [
            (Side::Left, [B::LeftUpperLeg, B::LeftLowerLeg, B::LeftFoot]),
            (Side::Right, [B::RightUpperLeg, B::RightLowerLeg, B::RightFoot]),
        ] {
            let long = |bone| body.rest_offset(bone).map_or(0.0, Vec3::length);
            let lengths = [long(lower), long(foot)];
            let find = |bone| self.rotations.iter().position(|(b, _)| *b == bone);
            let (Some(upper), Some(lower)) = (find(upper), find(lower)) else { continue };
            let foot = find(foot);
            let Some(mut leg) = Leg::new(self, [Some(upper), Some(lower), foot], lengths) else {
                continue;
            };
            let turned = leg.mend_knee(side);
            let calmed = calm_turns(&leg.times, &mut leg.feet);
            for (at, values, changed) in [
                (Some(upper), leg.thighs, turned),
                (foot.filter(|_| !leg.feet.is_empty()), leg.feet, turned || calmed),
            ] {
                let Some(at) = at.filter(|_| changed) else { continue };
                if let Ok(curve) = curve(&leg.times, &values) {
                    self.rotations[at].1 = curve;
                }
            }
        }
    }
}

/// Rotations of one leg at its keys.
struct Leg {
    times: std::sync::Arc<[f32]>,
    /// Metres of thigh and shin.
    lengths: [f32; 2],
    thighs: Vec<Quat>,
    shins: Vec<Quat>,
    /// Empty where the foot has no keys at those times.
    feet: Vec<Quat>,
}

impl Leg {
    fn new(clip: &HumanoidClip, at: [Option<usize>; 3], lengths: [f32; 2]) -> Option<Self> {
        let curves = at.map(|i| i.map(|i| &clip.rotations[i].1));
        let times: std::sync::Arc<[f32]> = curves[0]?.times().into();
        let keys = |curve: Option<&Curve>| {
            let linear = |c: &&Curve| c.interpolation() == Interpolation::Linear;
            let same = |c: &&Curve| c.times() == &*times;
            let curve = curve.filter(linear).filter(same)?;
            let q = |v: &[f32]| Quat::from_xyzw(v[0], v[1], v[2], v[3]);
            Some(curve.values().chunks_exact(4).map(q).collect::<Vec<_>>())
        };
        let (thighs, shins) = (keys(curves[0])?, keys(curves[1])?);
        let feet = keys(curves[2]).unwrap_or_default();
        let sound = lengths.iter().all(|l| l.is_finite() && *l > 0.0);
        (sound && thighs.len() > 1).then_some(Self { times, lengths, thighs, shins, feet })
    }

    /// The direction from hip to ankle, and by how much the knee is turned about it from straight
    /// ahead, rad, where it is bent.
    fn plane(&self, i: usize) -> (Vec3, Option<f32>) {
        let knee = self.thighs[i] * (Vec3::NEG_Y * self.lengths[0]);
        let ankle = knee + self.thighs[i] * self.shins[i] * (Vec3::NEG_Y * self.lengths[1]);
        let along = ankle.normalize_or(Vec3::NEG_Y);
        let off = knee - along * knee.dot(along);
        let ahead = arc(Vec3::NEG_Y, along) * Vec3::Z;
        let angle = math::atan2(off.dot(along.cross(ahead)), off.dot(ahead));
        (along, (off.length() > BENT * self.lengths[0]).then_some(angle))
    }

    /// Whether anything had to be turned.
    fn mend_knee(&mut self, side: Side) -> bool {
        // About the line from hip to ankle a right knee turns outward by positive angles.
        let (low, high) = match side {
            Side::Left => (-OUTWARD, INWARD),
            Side::Right => (-INWARD, OUTWARD),
        };
        let planes: Vec<_> = (0..self.thighs.len()).map(|i| self.plane(i)).collect();
        let (mut keys, mut times, mut angles) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (_, angle)) in planes.iter().enumerate() {
            if let Some(angle) = angle {
                keys.push(i);
                times.push(self.times[i]);
                angles.push(*angle);
            }
        }
        let mut wanted = unflip(&times, &angles, low, high);
        calm(&times, &mut wanted);
        let by: Vec<f32> =
            wanted.iter().zip(&angles).map(|(a, b)| math::wrap_angle(a - b)).collect();
        if by.iter().all(|a| a.abs() < SOUND) {
            return false;
        }
        let mut k = 0;
        for (i, (along, _)) in planes.iter().enumerate() {
            while k + 1 < keys.len() && keys[k + 1] <= i {
                k += 1;
            }
            let next = (k + 1).min(keys.len() - 1);
            // A straight leg between two bent ones turns from one to the other.
            let span = (self.times[keys[next]] - self.times[keys[k]]).max(1e-6);
            let part = ((self.times[i] - self.times[keys[k]]) / span).clamp(0.0, 1.0);
            let angle = by[k] + math::wrap_angle(by[next] - by[k]) * part;
            if angle.abs() >= NOTHING {
                self.turn(i, math::rotation(*along, angle));
            }
        }
        true
    }

    /// Turns the leg at a key; the foot stays as it was or goes with it, whatever is nearer to how
    /// a foot rests.
    fn turn(&mut self, i: usize, by: Quat) {
        if let Some(foot) = self.feet.get_mut(i) {
            let shin = self.thighs[i] * self.shins[i];
            let kept =
                math::normalize_or_identity(shin.conjugate() * by.conjugate() * shin * *foot);
            if kept.w.abs() > foot.w.abs() {
                *foot = kept;
            }
        }
        self.thighs[i] = math::normalize_or_identity(by * self.thighs[i]);
    }
}

/// The same angles, each perhaps half a turn away, such that they change least and stay between
/// `low` and `high` as far as that goes: the cheapest of all ways through.
fn unflip(times: &[f32], angles: &[f32], low: f32, high: f32) -> Vec<f32> {
    let either = |a: f32| [a, math::wrap_angle(a + math::PI)];
    let mut costs = [0.0f32; 2];
    let mut ways: Vec<[usize; 2]> = Vec::with_capacity(angles.len());
    for (i, angle) in angles.iter().enumerate() {
        let mut next = [0.0; 2];
        let mut way = [0, 1];
        let before = i.checked_sub(1).map(|b| (either(angles[b]), times[i] - times[b]));
        for (state, a) in either(*angle).into_iter().enumerate() {
            let from = |s: usize| match before {
                Some((last, gap)) if gap < FORGET => costs[s] + math::wrap_angle(a - last[s]).abs(),
                _ => costs[s],
            };
            // Between equals it stays as it is.
            way[state] = if from(1 - state) < from(state) { 1 - state } else { state };
            let beyond = (a - high).max(low - a).max(0.0);
            let time = before.map_or(0.0, |(_, gap)| gap.min(FORGET));
            next[state] = from(way[state]) + beyond * time / PATIENCE;
        }
        costs = next;
        ways.push(way);
    }
    let mut state = usize::from(costs[1] < costs[0]);
    let mut out = vec![0.0; angles.len()];
    for i in (0..angles.len()).rev() {
        out[i] = either(angles[i])[state].clamp(low, high);
        state = ways[i][state];
    }
    out
}

/// Limits how fast angles change, half before and half after a jump.
fn calm(times: &[f32], angles: &mut [f32]) {
    let step = |a: f32, b: f32, gap: f32| a + (b - a).clamp(-PLANE_RATE * gap, PLANE_RATE * gap);
    let mut late = angles.to_vec();
    let mut early = late.clone();
    for i in 1..late.len() {
        late[i] = step(late[i - 1], late[i], times[i] - times[i - 1]);
    }
    for i in (1..early.len()).rev() {
        early[i - 1] = step(early[i], early[i - 1], times[i] - times[i - 1]);
    }
    for ((a, l), e) in angles.iter_mut().zip(late).zip(early) {
        if l != *a || e != *a {
            *a = 0.5 * (l + e);
        }
    }
}

/// Where rotations change too fast, the way there takes as much time as it needs, half of it before
/// and half after; whether anything was too fast.
fn calm_turns(times: &[f32], turns: &mut [Quat]) -> bool {
    let angle = |a: Quat, b: Quat| 2.0 * math::acos(a.dot(b).abs().min(1.0));
    let (mut i, mut changed) = (0, false);
    while i + 1 < turns.len() {
        let slow = |a: usize, b: usize, turns: &[Quat], most: f32| {
            angle(turns[a], turns[b]) <= most * (times[b] - times[a])
        };
        if slow(i, i + 1, turns, FOOT_RATE * (1.0 + SOUND)) {
            i += 1;
            continue;
        }
        let (mut a, mut b) = (i, i + 1);
        while !slow(a, b, turns, FOOT_RATE) && (a > 0 || b + 1 < turns.len()) {
            a = a.saturating_sub(1);
            b = (b + 1).min(turns.len() - 1);
        }
        let (from, to) = (turns[a], turns[b]);
        for k in a + 1..b {
            let part = (times[k] - times[a]) / (times[b] - times[a]);
            turns[k] = math::slerp(from, to, part);
        }
        changed = true;
        i = b.max(i + 1);
    }
    changed
}

fn curve(times: &std::sync::Arc<[f32]>, turns: &[Quat]) -> Result<Curve, crate::CurveError> {
    let mut values = Vec::with_capacity(turns.len() * 4);
    let mut last = Quat::IDENTITY;
    for q in turns {
        last = if q.dot(last) < 0.0 { -*q } else { *q };
        values.extend(last.to_array());
    }
    Curve::rotation(times.clone(), values, Interpolation::Linear)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JointId, Skeleton, Transform};

    const RATE: f32 = 120.0;

    /// Hips at 0.9 m, thighs of 0.45 m, shins of 0.4 m.
    fn body() -> Humanoid {
        use HumanBone as B;
        let mut s = Skeleton::new();
        let mut add = |up: Option<JointId>, x: f32, y: f32| {
            let place = Transform::from_translation(Vec3::new(x, y, 0.0));
            s.push("joint", up, place).expect("in order")
        };
        let hips = add(None, 0.0, 0.9);
        let mut bones = vec![(B::Hips, hips)];
        for (x, leg) in [
            (0.1, [B::LeftUpperLeg, B::LeftLowerLeg, B::LeftFoot]),
            (-0.1, [B::RightUpperLeg, B::RightLowerLeg, B::RightFoot]),
        ] {
            let mut up = hips;
            for (bone, place) in leg.into_iter().zip([(x, 0.0), (0.0, -0.45), (0.0, -0.4)]) {
                up = add(Some(up), place.0, place.1);
                bones.push((bone, up));
            }
        }
        Humanoid::new(&s, bones)
    }

    /// A right leg that swings with a bent knee, flipped in some frames as solvers flip it.
    fn swinging(flipped: impl Fn(usize) -> bool) -> HumanoidClip {
        let mut leg = Leg {
            times: (0..120).map(|i| i as f32 / RATE).collect(),
            lengths: [0.45, 0.4],
            thighs: Vec::new(),
            shins: Vec::new(),
            feet: Vec::new(),
        };
        for i in 0..120 {
            let u = i as f32 / 20.0;
            leg.thighs.push(math::yaw_pitch_roll(-0.2, -0.6 + 0.5 * math::sin(u), 0.1));
            leg.shins.push(math::rotation(Vec3::X, 0.7 + 0.3 * math::cos(u)));
            leg.feet.push(math::rotation(Vec3::X, 0.1 * math::sin(2.0 * u)));
            let (along, _) = leg.plane(i);
            if flipped(i) {
                let by = math::rotation(along, math::PI);
                let shin = leg.thighs[i] * leg.shins[i];
                leg.feet[i] = shin.conjugate() * by.conjugate() * shin * leg.feet[i];
                leg.thighs[i] = by * leg.thighs[i];
            }
        }
        use HumanBone as B;
        let curve = |q: &[Quat]| curve(&leg.times, q).expect("a curve");
        HumanoidClip {
            duration: 119.0 / RATE,
            rotations: vec![
                (B::RightUpperLeg, curve(&leg.thighs)),
                (B::RightLowerLeg, curve(&leg.shins)),
                (B::RightFoot, curve(&leg.feet)),
            ],
            ..HumanoidClip::default()
        }
    }

    fn turns(clip: &HumanoidClip, k: usize) -> Vec<Quat> {
        let q = |v: &[f32]| Quat::from_xyzw(v[0], v[1], v[2], v[3]);
        clip.rotations[k].1.values().chunks_exact(4).map(q).collect()
    }

    #[test]
    fn a_sound_leg_keeps_its_bits() {
        let sound = swinging(|_| false);
        let mut mended = sound.clone();
        mended.mend_legs(&body());
        assert_eq!(mended, sound);
    }

    #[test]
    fn flipped_frames_are_turned_back() {
        let sound = swinging(|_| false);
        let mut mended = swinging(|i| (30..41).contains(&i) || i == 60 || i > 100);
        assert!(turns(&mended, 0)[30].angle_between(turns(&sound, 0)[30]) > 3.0, "it is flipped");
        mended.mend_legs(&body());
        for k in 0..3 {
            for (i, (a, b)) in turns(&mended, k).iter().zip(turns(&sound, k)).enumerate() {
                let angle = a.angle_between(b);
                assert!(angle < 2e-3, "curve {k}, frame {i}: {angle} rad off");
            }
        }
    }

    #[test]
    fn a_knee_that_jumps_is_calmed_and_the_ankle_stays() {
        let mut clip = swinging(|_| false);
        // From one frame to the next the plane of the knee is another by 1.2 rad.
        let mut leg = Leg::new(&clip, [Some(0), Some(1), Some(2)], [0.45, 0.4]).expect("a leg");
        let ankles = |leg: &Leg| -> Vec<Vec3> { (0..120).map(|i| leg.plane(i).0).collect() };
        for i in 50..120 {
            let (along, _) = leg.plane(i);
            leg.thighs[i] = math::rotation(along, 1.2) * leg.thighs[i];
        }
        let before = ankles(&leg);
        clip.rotations[0].1 = curve(&leg.times, &leg.thighs).expect("a curve");
        clip.mend_legs(&body());
        let leg = Leg::new(&clip, [Some(0), Some(1), Some(2)], [0.45, 0.4]).expect("a leg");
        for (i, (a, b)) in ankles(&leg).iter().zip(before).enumerate() {
            assert!(a.distance(b) < 1e-4, "frame {i}: the ankle is elsewhere");
        }
        let planes: Vec<f32> = (0..120).map(|i| leg.plane(i).1.expect("bent")).collect();
        let most = planes.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f32::max);
        assert!(most < PLANE_RATE / RATE * 1.01, "{most} rad a frame");
        // Half of the turn is done where it was all done at once.
        assert!((planes[50] - planes[20] - 0.6).abs() < 0.3, "{}", planes[50] - planes[20]);
    }
}
