//! Motion of a humanoid that fits any body.

use super::{Expression, HumanBone, Humanoid, look_at};
use crate::{Affine, ChannelId, Clip, Curve, Interpolation, Property, Rig, Target, Track, math};
use glam::{Quat, Vec3};

/// Motion in normalised terms: rotations a bone in the model's axes against the rest pose, the
/// place of the hips, expression weights, a look. What VRMA files hold and BVH files become.
///
/// Only the hips move; lengths of bones stay the target's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HumanoidClip {
    /// Name, as its file has it.
    pub name: String,
    /// Seconds.
    pub duration: f32,
    /// Height of the source's hips at rest, metres.
    pub hips_height: f32,
    /// Normalised rotations, one curve of quaternions a bone.
    pub rotations: Vec<(HumanBone, Curve)>,
    /// Place of the hips in the source's model space, metres: curves of three numbers.
    pub hips: Option<Curve>,
    /// Weights by expression name.
    pub expressions: Vec<(String, Curve)>,
    /// Rotation whose +Z is where the eyes look, against the head.
    pub look: Option<Curve>,
}

/// The largest error of the look's angles between keys, rad.
const LOOK_ERROR: f32 = 2e-6;
/// The most keys that one interval of the look is cut into.
const LOOK_CUTS: usize = 1024;

impl HumanoidClip {
    /// The same motion for a body. `look` are its channels for yaw and pitch, where it has them.
    /// Bones and expressions that the body lacks are dropped. The hips move as far as their height
    /// says: target ÷ source.
    ///
    /// Exact for every interpolation: what turns one into the other is linear in the keys.
    pub fn retarget(
        &self,
        humanoid: &Humanoid,
        expressions: &[Expression],
        look: Option<[ChannelId; 2]>,
    ) -> Clip {
        let mut tracks = Vec::new();
        if let (Some(curve), Some(joint)) = (&self.hips, humanoid.joint(HumanBone::Hips)) {
            let scale = humanoid.hips_height().unwrap_or(1.0) / self.hips_height;
            let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
            let space = humanoid.hips_space();
            let place = |v: Vec3, point: bool| map_point(&space, v * scale, point);
            if let Some(curve) = map_vectors(curve, place) {
                tracks.push(Track { target: Target::Joint(joint, Property::Translation), curve });
            }
        }
        for (bone, curve) in &self.rotations {
            let (Some(joint), Some((left, right))) =
                (humanoid.joint(*bone), humanoid.to_raw(*bone))
            else {
                continue;
            };
            if let Some(curve) = map_quats(curve, |q| left * q * right) {
                tracks.push(Track { target: Target::Joint(joint, Property::Rotation), curve });
            }
        }
        for (name, curve) in &self.expressions {
            if let Some(e) = expressions.iter().find(|e| e.name == *name) {
                tracks.push(Track { target: Target::Channel(e.channel), curve: curve.clone() });
            }
        }
        if let (Some(curve), Some(channels)) = (&self.look, look) {
            for (channel, curve) in channels.into_iter().zip(look_angles(curve)) {
                tracks.extend(curve.map(|curve| Track { target: Target::Channel(channel), curve }));
            }
        }
        Clip { name: self.name.clone(), duration: self.duration, tracks, ..Clip::default() }
    }

    /// The same motion for a body that does not rest in a T-pose or lacks bones that this motion
    /// has: limbs point where the motion has them, and what a missing bone turns goes into the
    /// bones below it. A body that rests facing elsewhere than +Z moves ahead of itself. Give the
    /// result to [`HumanoidClip::retarget`].
    pub fn fit(&self, humanoid: &Humanoid) -> Self {
        let track = |bone| self.rotations.iter().find(|(b, _)| *b == bone).map(|(_, c)| c);
        let mut out = Self { rotations: Vec::new(), ..self.clone() };
        let facing = humanoid.facing();
        let back = facing.conjugate();
        for (bone, curve) in self.rotations.iter().filter(|(b, _)| humanoid.has(*b)) {
            let mut curve = curve.clone();
            let mut up = bone.parent();
            while let Some(above) = up.filter(|b| !humanoid.has(*b)) {
                if let Some(missing) = track(above) {
                    curve = after(missing, &curve).unwrap_or(curve);
                }
                up = above.parent();
            }
            let own = humanoid.to_t_pose(*bone, back);
            let above =
                humanoid.parent(*bone).map_or(Quat::IDENTITY, |p| humanoid.to_t_pose(p, back));
            let (left, right) = (facing * above.conjugate(), own * back);
            let turned = map_quats(&curve, |q| left * q * right);
            out.rotations.extend(turned.map(|c| (*bone, c)));
        }
        if let Some(hips) = &self.hips {
            out.hips = map_vectors(hips, |v, _| facing * v).or(out.hips);
        }
        out
    }

    /// Reads the humanoid part of a clip of one body, to be retargeted to others: the other way
    /// round. Tracks of joints that are no bones are dropped.
    pub fn from_clip(clip: &Clip, humanoid: &Humanoid, rig: &Rig) -> Self {
        let mut out = Self {
            name: clip.name.clone(),
            duration: clip.duration,
            hips_height: humanoid.hips_height().unwrap_or(1.0),
            ..Self::default()
        };
        let space = humanoid.hips_space().inverse().unwrap_or(Affine::IDENTITY);
        for track in &clip.tracks {
            match track.target {
                Target::Joint(joint, Property::Rotation) => {
                    let Some(bone) = humanoid.bone(joint) else { continue };
                    let Some((left, right)) = humanoid.to_raw(bone) else { continue };
                    let (left, right) = (left.conjugate(), right.conjugate());
                    out.rotations
                        .extend(map_quats(&track.curve, |q| left * q * right).map(|c| (bone, c)));
                }
                Target::Joint(joint, Property::Translation)
                    if humanoid.joint(HumanBone::Hips) == Some(joint) =>
                {
                    out.hips = map_vectors(&track.curve, |v, point| map_point(&space, v, point));
                }
                Target::Channel(c)
                    if rig.channels.get(c).kind == crate::ChannelKind::Expression =>
                {
                    let name = rig.channels.get(c).name.clone();
                    out.expressions.push((name, track.curve.clone()));
                }
                _ => {}
            }
        }
        out
    }
}

/// `above · below`, key by key where both have the same keys.
fn after(above: &Curve, below: &Curve) -> Option<Curve> {
    let cubic = Interpolation::CubicSpline;
    if above.times() != below.times() || above.interpolation() == cubic {
        return None;
    }
    let mut values = Vec::with_capacity(below.values().len());
    for (a, b) in above.values().chunks_exact(4).zip(below.values().chunks_exact(4)) {
        let q = |v: &[f32]| Quat::from_xyzw(v[0], v[1], v[2], v[3]);
        values.extend((q(a) * q(b)).to_array());
    }
    Curve::rotation(below.times(), values, below.interpolation()).ok()
}

fn map_point(space: &Affine, v: Vec3, point: bool) -> Vec3 {
    if point { space.transform_point(v) } else { space.transform_vector(v) }
}

/// Every value and tangent of a curve of vectors through `f`, whose second argument says whether
/// it is a value.
fn map_vectors(curve: &Curve, f: impl Fn(Vec3, bool) -> Vec3) -> Option<Curve> {
    let cubic = curve.interpolation() == Interpolation::CubicSpline;
    let mut values = Vec::with_capacity(curve.values().len());
    for (i, v) in curve.values().chunks_exact(3).enumerate() {
        let point = !cubic || i % 3 == 1;
        values.extend(f(Vec3::new(v[0], v[1], v[2]), point).to_array());
    }
    Curve::new(curve.times(), values, 3, curve.interpolation()).ok()
}

/// Every value and tangent of a curve of quaternions through the linear `f`.
fn map_quats(curve: &Curve, f: impl Fn(Quat) -> Quat) -> Option<Curve> {
    let mut values = Vec::with_capacity(curve.values().len());
    for v in curve.values().chunks_exact(4) {
        values.extend(f(Quat::from_xyzw(v[0], v[1], v[2], v[3])).to_array());
    }
    Curve::rotation(curve.times(), values, curve.interpolation()).ok()
}

/// Yaw and pitch of a curve of rotations. Angles of a slerp are no straight lines: intervals are
/// cut until they are.
fn look_angles(curve: &Curve) -> [Option<Curve>; 2] {
    let mut hint = 0;
    let mut at = |t: f32| {
        let mut v = [0.0; 4];
        curve.sample(t, &mut hint, &mut v);
        look_at::yaw_pitch(Quat::from_array(v))
    };
    let step = curve.interpolation() == Interpolation::Step;
    let keys = curve.times();
    let mut times = Vec::new();
    let mut angles: [Vec<f32>; 2] = [Vec::new(), Vec::new()];
    let mut push = |t: f32, (yaw, pitch): (f32, f32)| {
        // A turn through the back stays continuous.
        let yaw = angles[0].last().map_or(yaw, |l| l + math::wrap_angle(yaw - l));
        times.push(t);
        angles[0].push(yaw);
        angles[1].push(pitch);
    };
    for (i, &a) in keys.iter().enumerate() {
        push(a, at(a));
        let Some(&b) = keys.get(i + 1).filter(|b| **b > a && !step) else { continue };
        let mut cuts = 1;
        while cuts < LOOK_CUTS {
            let worst = (0..cuts).map(|k| {
                let t = |k: f32| a + (b - a) * (k / cuts as f32);
                let (p, q, m) = (at(t(k as f32)), at(t(k as f32 + 1.0)), at(t(k as f32 + 0.5)));
                let yaw = math::wrap_angle(m.0 - p.0) - 0.5 * math::wrap_angle(q.0 - p.0);
                let pitch = m.1 - 0.5 * (p.1 + q.1);
                yaw.abs().max(pitch.abs())
            });
            if worst.fold(0.0, f32::max) < LOOK_ERROR {
                break;
            }
            cuts *= 2;
        }
        for k in 1..cuts {
            let t = a + (b - a) * (k as f32 / cuts as f32);
            push(t, at(t));
        }
    }
    let how = if step { Interpolation::Step } else { Interpolation::Linear };
    angles.map(|v| Curve::new(times.as_slice(), v, 1, how).ok())
}
