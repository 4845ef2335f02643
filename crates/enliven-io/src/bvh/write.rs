//! Motion of a humanoid → BVH.

use std::fmt::Write as _;

use enliven::{
    Curve,
    glam::{Mat3, Quat, Vec3},
    math,
    person::{HumanBone, Humanoid, HumanoidClip},
};

use super::{Bvh, Channel, Joint};
use crate::{Error, LimitKind, Limits, Place};

/// The file's unit, which most programs take to be a centimetre, in metres.
const UNIT: f32 = 0.01;

/// Place, then the order in which most programs write rotations: z, x, y, each in the turned axes
/// of the one before.
const ROOT: [Channel; 6] = [
    Channel::Position(0),
    Channel::Position(1),
    Channel::Position(2),
    Channel::Rotation(2),
    Channel::Rotation(0),
    Channel::Rotation(1),
];

impl Bvh {
    /// The motion on a body with these bones, sampled every `frame_time` seconds: joints bear the
    /// bones' names in VRM, the rest pose is the body's own, lengths are in centimetres. Expressions
    /// and the gaze have no place in BVH.
    ///
    /// A `frame_time` that is not a positive number is 1/30 s. Without hips there are no joints.
    ///
    /// # Errors
    /// `LIMIT_NUMBERS` where there would be more frames than a reader takes ([`Limits::numbers`]).
    pub fn from_motion(
        motion: &HumanoidClip,
        humanoid: &Humanoid,
        frame_time: f32,
    ) -> Result<Self, Error> {
        let usable = frame_time.is_finite() && frame_time > 1e-4;
        let frame_time = if usable { frame_time } else { 1.0 / 30.0 };
        // Rotations against this body's rest pose.
        let motion = motion.fit(humanoid);
        let bones = in_tree_order(humanoid);
        let mut joints: Vec<Joint> = Vec::new();
        let mut width = 0;
        for &bone in &bones {
            let up = humanoid.parent(bone);
            let parent = up.and_then(|up| bones.iter().position(|b| *b == up));
            let offset = humanoid.rest_offset(bone).unwrap_or(Vec3::ZERO) / UNIT;
            let channels = if parent.is_none() { ROOT.to_vec() } else { ROOT[3..].to_vec() };
            let column = width;
            width += channels.len();
            let leaf = !bones.iter().any(|b| humanoid.parent(*b) == Some(bone));
            let end = leaf.then(|| end(humanoid, bone, offset));
            joints.push(Joint {
                name: bone.name().to_owned(),
                parent,
                offset,
                end,
                channels,
                column,
            });
        }
        let scale = humanoid.hips_height().unwrap_or(1.0) / motion.hips_height;
        let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
        let count = (f64::from(motion.duration.max(0.0)) / f64::from(frame_time)).round();
        let most = Limits::default().numbers;
        if (count + 1.0) * width as f64 > most as f64 {
            let place = Place::Pointer(String::new());
            return Err(Error::Limit { what: LimitKind::Numbers, allowed: most, place });
        }
        let count = count as usize;
        let mut curves: Vec<Option<(&Curve, u32)>> = bones
            .iter()
            .map(|bone| motion.rotations.iter().find(|(b, _)| b == bone).map(|(_, c)| (c, 0)))
            .collect();
        let mut hint = 0;
        let mut frames = Vec::with_capacity((count + 1) * width);
        let mut last = vec![[0.0f32; 3]; bones.len()];
        for f in 0..if joints.is_empty() { 0 } else { count + 1 } {
            let time = (f as f64 * f64::from(frame_time)) as f32;
            for (i, joint) in joints.iter().enumerate() {
                if joint.parent.is_none() {
                    let mut at = [0.0; 3];
                    match &motion.hips {
                        Some(curve) => {
                            curve.sample(time, &mut hint, &mut at);
                            at = at.map(|v| v * scale / UNIT);
                        }
                        None => at = joint.offset.to_array(),
                    }
                    frames.extend(at);
                }
                let mut q = [0.0, 0.0, 0.0, 1.0];
                if let Some((curve, hint)) = &mut curves[i] {
                    curve.sample(time, hint, &mut q);
                }
                let angles = zxy(Quat::from_array(q), last[i]);
                last[i] = angles;
                frames.extend(angles.map(f32::to_degrees));
            }
        }
        Ok(Self { joints, width, frames, frame_time })
    }

    /// The file's text. Reading it gives the same numbers.
    pub fn to_text(&self) -> String {
        let mut out = String::from("HIERARCHY\n");
        for (j, joint) in self.joints.iter().enumerate() {
            if joint.parent.is_none() {
                self.block(j, 0, &mut out);
            }
        }
        // Writing to a String cannot fail.
        let _ = writeln!(out, "MOTION\nFrames: {}", self.frame_count());
        let _ = writeln!(out, "Frame Time: {}", self.frame_time);
        for row in self.frames.chunks_exact(self.width.max(1)) {
            let words: Vec<String> = row.iter().map(f32::to_string).collect();
            out.push_str(&words.join(" "));
            out.push('\n');
        }
        out
    }

    fn block(&self, j: usize, depth: usize, out: &mut String) {
        let joint = &self.joints[j];
        let pad = "\t".repeat(depth);
        let kind = if joint.parent.is_none() { "ROOT" } else { "JOINT" };
        let _ = writeln!(out, "{pad}{kind} {}\n{pad}{{", joint.name);
        let Vec3 { x, y, z } = joint.offset;
        let _ = writeln!(out, "{pad}\tOFFSET {x} {y} {z}");
        let words: Vec<String> = joint
            .channels
            .iter()
            .map(|c| match *c {
                Channel::Position(axis) => format!("{}position", letter(axis)),
                Channel::Rotation(axis) => format!("{}rotation", letter(axis)),
            })
            .collect();
        let _ = writeln!(out, "{pad}\tCHANNELS {} {}", words.len(), words.join(" "));
        for (k, below) in self.joints.iter().enumerate() {
            if below.parent == Some(j) {
                self.block(k, depth + 1, out);
            }
        }
        if let Some(Vec3 { x, y, z }) = joint.end {
            let _ = writeln!(out, "{pad}\tEnd Site\n{pad}\t{{\n{pad}\t\tOFFSET {x} {y} {z}");
            let _ = writeln!(out, "{pad}\t}}");
        }
        let _ = writeln!(out, "{pad}}}");
    }
}

fn letter(axis: u8) -> char {
    match axis {
        0 => 'X',
        1 => 'Y',
        _ => 'Z',
    }
}

/// Where a bone without a next one ends: it goes on as it came, but a foot ends on the ground, by
/// which readers know how high the hips are.
fn end(humanoid: &Humanoid, bone: HumanBone, offset: Vec3) -> Vec3 {
    use HumanBone as B;
    let height = humanoid.rest_at(bone).map_or(0.0, |at| at.y) / UNIT;
    match bone {
        B::LeftFoot | B::RightFoot | B::LeftToes | B::RightToes => {
            Vec3::new(0.0, -height, height.abs())
        }
        _ => {
            let end = offset * 0.5;
            Vec3::new(end.x, end.y.max(-height), end.z)
        }
    }
}

/// Bones depth first, so that the columns of a frame are in the order of the text.
fn in_tree_order(humanoid: &Humanoid) -> Vec<HumanBone> {
    fn below(humanoid: &Humanoid, bone: HumanBone, out: &mut Vec<HumanBone>) {
        out.push(bone);
        for (child, _) in humanoid.bones() {
            if humanoid.parent(child) == Some(bone) {
                below(humanoid, child, out);
            }
        }
    }
    let mut out = Vec::new();
    if humanoid.has(HumanBone::Hips) {
        below(humanoid, HumanBone::Hips, &mut out);
    }
    out
}

/// Angles (radians) of q = Rz · Rx · Ry, the nearest of their turns to `last`.
fn zxy(q: Quat, last: [f32; 3]) -> [f32; 3] {
    let m = Mat3::from_quat(math::normalize_or_identity(q));
    let (row1, row2) = (m.row(1), m.row(2));
    let x = math::asin(row2.y.clamp(-1.0, 1.0));
    // Upright or upside down z and y turn about the same axis: y keeps still.
    let (z, y) = if row2.y.abs() > 0.999_999 {
        let row0 = m.row(0);
        let z = math::atan2(row1.x, row0.x) - last[2] * row2.y.signum();
        (z, last[2])
    } else {
        (math::atan2(-m.row(0).y, row1.y), math::atan2(-row2.x, row2.z))
    };
    // The same turn the other way round: x beyond a quarter.
    let other = [z + math::PI, math::PI - x, y + math::PI];
    let near = |angles: [f32; 3]| {
        let mut out = [0.0; 3];
        for (o, (a, l)) in out.iter_mut().zip(angles.into_iter().zip(last)) {
            *o = l + math::wrap_angle(a - l);
        }
        out
    };
    let far = |a: &[f32; 3]| a.iter().zip(last).map(|(a, l)| (a - l).abs()).sum::<f32>();
    let (a, b) = (near([z, x, y]), near(other));
    if far(&a) <= far(&b) { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned([z, x, y]: [f32; 3]) -> Quat {
        math::rotation(Vec3::Z, z) * math::rotation(Vec3::X, x) * math::rotation(Vec3::Y, y)
    }

    #[test]
    fn angles_give_the_turn_back_without_a_jump() {
        let mut rng = enliven::Rng::new(7, 0);
        let mut last = [0.0; 3];
        for _ in 0..10_000 {
            let mut unit = || rng.unit() * 2.0 - 1.0;
            let q = Quat::from_xyzw(unit(), unit(), unit(), unit());
            let q = math::normalize_or_identity(q);
            last = zxy(q, last);
            assert!(turned(last).dot(q).abs() > 1.0 - 1e-5, "{q} {last:?}");
        }
        // Over the top and on, slowly: every frame is near the one before.
        let mut last = [0.0; 3];
        for i in 0..4000 {
            let q = math::rotation(Vec3::new(0.6, 0.0, 0.8), i as f32 * 0.01);
            let next = zxy(q, last);
            assert!(turned(next).dot(q).abs() > 1.0 - 1e-5);
            if i > 0 {
                let most = next.iter().zip(last).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(most < 0.05, "{i}: {most}");
            }
            last = next;
        }
    }
}
