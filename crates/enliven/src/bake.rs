//! Performances → clips.

use crate::{
    Actor, Affine, Baked, Clip, Curve, Interpolation, Moment, Pose, Property, Recording, Rig,
    Target, Track, math,
};
use glam::{Quat, Vec3};

/// How a performance becomes keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BakeOptions {
    /// Length, seconds; the clip has a key at 0 and at its end.
    pub seconds: f32,
    /// Steps a second of the performance, and most keys a second of the clip. Default 60.
    pub rate: f32,
    /// Largest distance, metres, between where the performance and the clip put a point `shell`
    /// metres off any joint, at every step, after the whole chain. Default 0.1 mm.
    pub tolerance: f32,
    /// Distance of those points from their joint, metres. Default 3 cm.
    pub shell: f32,
}

impl BakeOptions {
    /// The defaults, for so many seconds of a character of that height: tolerance and shell in
    /// proportion to it (1.7 m gives the defaults).
    pub fn new(seconds: f32, height: f32) -> Self {
        let k = height / 1.7;
        Self { seconds, rate: 60.0, tolerance: 1e-4 * k, shell: 0.03 * k }
    }

    /// Number of steps, and seconds a step: whole steps, never fewer a second than the rate.
    pub fn steps(&self) -> (usize, f32) {
        let rate = if self.rate.is_finite() { self.rate.clamp(1.0, 1000.0) } else { 60.0 };
        let seconds = if self.seconds > 0.0 { self.seconds.min(86_400.0) } else { 0.0 };
        let steps = libm::ceilf(seconds * rate - 1e-3).max(0.0) as usize;
        (steps, if steps > 0 { seconds / steps as f32 } else { 0.0 })
    }
}

/// Plays what an actor does for a while and records it as a clip on joints, root and channels,
/// with as few keys as the tolerance allows. What never leaves the rest pose gets no track.
///
/// `moment` is asked for every step, with the step's length; the first has length 0 and is the
/// clip's start. Rates and lengths that are not positive give a clip of one moment.
pub fn bake(
    actor: &mut Actor,
    name: impl Into<String>,
    options: &BakeOptions,
    mut moment: impl FnMut(f32) -> Moment,
) -> Clip {
    let (steps, dt) = options.steps();
    let mut recording = Recording::default();
    for k in 0..=steps {
        actor.step(&moment(if k == 0 { 0.0 } else { dt }));
        let time = if k == steps { dt * steps as f32 } else { k as f32 * dt };
        recording.push(time, actor.pose());
    }
    let character = actor.character().clone();
    recording.to_clip(&character.rig, name, options).clip
}

/// The poses at `times` as a clip within the tolerance, and how far off it is.
pub(crate) fn reduce(
    name: String,
    rig: &Rig,
    times: &[f32],
    poses: &[Pose],
    options: &BakeOptions,
) -> Baked {
    let reach = reach(rig, options.shell);
    let recorded = record(rig, poses);
    let rest = Pose::rest(rig);
    let mut part = 0.5;
    loop {
        let tracks = recorded
            .iter()
            .filter_map(|(target, values)| {
                let lever = match target {
                    Target::Joint(j, Property::Rotation | Property::Scale) => reach[j.index()],
                    // A channel's whole range counts as a tenth of a metre.
                    Target::Channel(_) => 0.1,
                    Target::Root(Property::Rotation | Property::Scale) => rig.height,
                    _ => 1.0,
                };
                let tolerance = options.tolerance * part / lever.max(1e-6);
                let curve = simplify(*target, times, values, &target.read(&rest), tolerance)?;
                Some(Track { target: *target, curve })
            })
            .collect();
        let clip = Clip {
            duration: times.last().copied().unwrap_or(0.0),
            ..Clip::new(name.clone(), tracks)
        };
        // Errors of a chain add up: tighten until the whole is right. Below a hundredth nothing
        // is left out any more.
        let error = off(&clip, rig, times, poses, options.shell);
        if part < 0.01 || error <= options.tolerance {
            return Baked { clip, error };
        }
        part = if part < 0.02 { 0.0 } else { part * 0.5 };
    }
}

/// Distance to the farthest joint below each joint at rest, and the shell on top.
fn reach(rig: &Rig, shell: f32) -> Vec<f32> {
    let model = rig.skeleton.rest_model();
    let mut out = vec![shell; model.len()];
    for j in rig.skeleton.joints() {
        let end = model[j.index()].translation();
        let mut at = rig.skeleton.parent(j);
        while let Some(a) = at {
            let far = model[a.index()].translation().distance(end) + shell;
            out[a.index()] = out[a.index()].max(far);
            at = rig.skeleton.parent(a);
        }
    }
    out
}

/// All values of everything that leaves the rest pose.
fn record(rig: &Rig, poses: &[Pose]) -> Vec<(Target, Vec<f32>)> {
    let rest = Pose::rest(rig);
    let mut targets = Vec::new();
    for p in [Property::Translation, Property::Rotation, Property::Scale] {
        targets.push(Target::Root(p));
    }
    for j in rig.skeleton.joints() {
        for p in [Property::Translation, Property::Rotation, Property::Scale] {
            targets.push(Target::Joint(j, p));
        }
    }
    targets.extend(rig.channels.iter().map(|(c, _)| Target::Channel(c)));
    targets
        .into_iter()
        .filter_map(|target| {
            let (width, rotation) = target.shape();
            let still = target.read(&rest);
            let mut values: Vec<f32> = Vec::with_capacity(width * poses.len());
            let mut before = Quat::IDENTITY;
            let mut moves = false;
            for pose in poses {
                let mut v = target.read(pose);
                if rotation {
                    let q = Quat::from_array(v);
                    moves |= q.dot(Quat::from_array(still)).abs() < 1.0 - 1e-7;
                    before = if before.dot(q) < 0.0 { -q } else { q };
                    v = before.to_array();
                } else {
                    moves |= v[..width] != still[..width];
                }
                values.extend_from_slice(&v[..width]);
            }
            moves.then_some((target, values))
        })
        .collect()
}

/// How far two values are apart: rad for rotations, else the length of their difference.
fn apart(rotation: bool, a: &[f32], b: &[f32]) -> f32 {
    if rotation {
        let (a, b) = (Quat::from_slice(a), Quat::from_slice(b));
        let a = if a.dot(b) < 0.0 { -a } else { a };
        // The chord between unit quaternions is half the angle.
        2.0 * (a - b).length()
    } else {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
    }
}

/// The fewest keys, taken from the front, whose straight lines stay within the tolerance; none
/// where the rest pose does.
fn simplify(
    target: Target,
    times: &[f32],
    values: &[f32],
    rest: &[f32],
    tolerance: f32,
) -> Option<Curve> {
    let (width, rotation) = target.shape();
    let n = times.len();
    let value = |k: usize| &values[k * width..][..width];
    let still = |at: &[f32]| (0..n).all(|k| apart(rotation, at, value(k)) <= tolerance);
    if still(&rest[..width]) {
        return None;
    }
    let near = |a: usize, b: usize| {
        (a + 1..b).all(|k| {
            let u = (times[k] - times[a]) / (times[b] - times[a]);
            let (a, b) = (value(a), value(b));
            let mut at = [0.0; 4];
            if rotation {
                at = math::slerp(Quat::from_slice(a), Quat::from_slice(b), u).to_array();
            } else {
                for c in 0..width {
                    at[c] = a[c] + (b[c] - a[c]) * u;
                }
            }
            apart(rotation, &at[..width], value(k)) <= tolerance
        })
    };
    let mut keys = vec![0];
    while let Some(&a) = keys.last().filter(|a| **a + 1 < n) {
        // Doubling, then halving, finds the end of the run with few looks at it.
        let (mut good, mut step) = (a + 1, 1);
        while good + step < n && near(a, good + step) {
            good += step;
            step *= 2;
        }
        while step > 0 {
            if good + step < n && near(a, good + step) {
                good += step;
            }
            step /= 2;
        }
        keys.push(good);
    }
    // What stands still needs one key.
    if still(value(0)) {
        keys.truncate(1);
    }
    let kept: Vec<f32> = keys.iter().map(|k| times[*k]).collect();
    let out: Vec<f32> = keys.iter().flat_map(|k| value(*k)).copied().collect();
    let linear = Interpolation::Linear;
    // Poses that are not finite make no curve.
    if rotation {
        Curve::rotation(kept, out, linear).ok()
    } else {
        Curve::new(kept, out, width, linear).ok()
    }
}

/// Largest distance between the shells of clip and performance.
fn off(clip: &Clip, rig: &Rig, times: &[f32], poses: &[Pose], shell: f32) -> f32 {
    let joints = rig.skeleton.len();
    let (mut a, mut b) = (vec![Affine::IDENTITY; joints], vec![Affine::IDENTITY; joints]);
    let mut hints = vec![0; clip.tracks.len()];
    let mut pose = Pose::rest(rig);
    let mut most = 0.0f32;
    for (t, want) in times.iter().zip(poses) {
        clip.sample(*t, &mut hints, &mut pose);
        pose.to_model(&rig.skeleton, &mut a);
        want.to_model(&rig.skeleton, &mut b);
        let (ra, rb) = (Affine::from(&pose.root), Affine::from(&want.root));
        for j in 0..joints {
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let p = axis * shell;
                let x = ra.transform_point(a[j].transform_point(p));
                let y = rb.transform_point(b[j].transform_point(p));
                most = most.max(x.distance(y));
            }
        }
        for (x, y) in pose.channels().iter().zip(want.channels()) {
            most = most.max((x - y).abs() * 0.1);
        }
    }
    most
}

/// Where a joint is in the host's world.
#[cfg(test)]
fn world(rig: &Rig, pose: &Pose, joint: crate::JointId) -> Vec3 {
    Affine::from(&pose.root).transform_point(pose.model_of(&rig.skeleton, joint).translation())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JointId;
    use crate::{
        Channel, ChannelId, ChannelKind, Channels, Character, CharacterParts, Layer, Regions,
        Skeleton, Transform,
    };
    use std::sync::Arc;

    /// A chain that waves, a root that walks, a channel that blinks.
    struct Wave {
        time: f32,
    }

    impl Layer for Wave {
        fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
            self.time += moment.dt;
            for j in rig.skeleton.joints().skip(1) {
                let a = 0.3 * math::sin(3.0 * self.time + j.index() as f32);
                pose.set_rotation(j, math::rotation(Vec3::Z, a));
            }
            pose.root.translation = Vec3::new(0.0, 0.0, self.time);
            let blink = math::smoothstep(0.4, 0.5, self.time);
            pose.set_channel(ChannelId(0), blink);
        }
    }

    fn actor() -> Actor {
        let mut s = Skeleton::new();
        let mut parent = None;
        for i in 0..8 {
            let t = Transform::from_translation(Vec3::new(0.0, 0.2, 0.0));
            parent = Some(s.push(format!("{i}"), parent, t).expect("chain"));
        }
        let mut channels = Channels::new();
        channels.push(Channel::new("blink", ChannelKind::Morph));
        channels.push(Channel::new("never", ChannelKind::Morph));
        let regions = Regions::new(&s, &[]);
        let character =
            Character::new(CharacterParts::of("chain", Rig::new(s, channels, regions, 1.7)));
        let mut actor = Actor::new(Arc::new(character.expect("fits")));
        actor.stack.push(Wave { time: 0.0 });
        actor
    }

    #[test]
    fn the_clip_is_the_performance_within_the_tolerance_with_fewer_keys() {
        let options = BakeOptions::new(2.0, 1.7);
        let clip = bake(&mut actor(), "wave", &options, Moment::step);
        assert_eq!((clip.name.as_str(), clip.duration), ("wave", 2.0));
        let moving = |j: u32| {
            clip.tracks.iter().any(|t| t.target == Target::Joint(JointId(j), Property::Rotation))
        };
        assert!(!moving(0) && moving(1) && moving(7), "what rests gets no track");
        assert!(!clip.tracks.iter().any(|t| t.target == Target::Channel(ChannelId(1))));
        assert!(clip.key_count() < 121 * 7, "{} keys", clip.key_count());
        let root = clip.tracks.iter().find(|t| matches!(t.target, Target::Root(_)));
        assert_eq!(root.map(|t| t.curve.times().len()), Some(2), "a straight way has two keys");

        let mut live = actor();
        let rig = live.character().rig.clone();
        let mut pose = Pose::rest(&rig);
        for k in 0..=120 {
            live.step(&Moment::step(if k == 0 { 0.0 } else { 1.0 / 60.0 }));
            clip.sample(k as f32 / 60.0, &mut [], &mut pose);
            let (a, b) = (world(&rig, live.pose(), JointId(7)), world(&rig, &pose, JointId(7)));
            assert!(a.distance(b) < 1.1e-4, "{k}: {}", a.distance(b));
            let blink = live.pose().channel(ChannelId(0)) - pose.channel(ChannelId(0));
            assert!(blink.abs() < 2e-3, "{k}: {blink}");
        }
    }

    #[test]
    fn a_looser_tolerance_needs_fewer_keys_and_none_keeps_all() {
        let at = |tolerance| {
            let options = BakeOptions { tolerance, ..BakeOptions::new(2.0, 1.7) };
            bake(&mut actor(), "wave", &options, Moment::step).key_count()
        };
        assert!(at(1e-2) < at(1e-3) && at(1e-3) < at(1e-4) && at(1e-4) < at(0.0));
    }

    #[test]
    fn no_time_is_one_moment() {
        for seconds in [0.0, -1.0, f32::NAN] {
            let clip = bake(&mut actor(), "c", &BakeOptions::new(seconds, 1.7), Moment::step);
            assert_eq!(clip.duration, 0.0);
            assert!(clip.tracks.iter().all(|t| t.curve.times() == [0.0]));
        }
    }
}
