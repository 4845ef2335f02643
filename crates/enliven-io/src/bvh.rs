//! BVH motion capture: hierarchy and frames as they stand, and as motion for any humanoid.
//!
//! The format says nothing of units, of which way is up or front, or of which joint is what. Units
//! do not matter: motion is scaled by the height of the hips. Up and front are found in the rest
//! pose (the head is above the hips, the left leg is at the left), bones by the joints' names.

mod write;

use enliven::{
    Curve, Interpolation, Skeleton, Transform,
    glam::{Quat, Vec3},
    math,
    person::{HumanBone, HumanoidClip, NamedParts},
};

use crate::{Error, LimitKind, Limits, Place};

/// One number of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Position along an axis (0 x, 1 y, 2 z), in the file's unit.
    Position(u8),
    /// Rotation about an axis, degrees.
    Rotation(u8),
}

/// A joint of the hierarchy, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name, as the file has it; not necessarily unique.
    pub name: String,
    /// Position of its parent in the list; `None` for a root.
    pub parent: Option<usize>,
    /// From the parent, in the file's unit.
    pub offset: Vec3,
    /// Where the chain ends below it.
    pub end: Option<Vec3>,
    /// Its numbers in a frame, in the order in which rotations apply.
    pub channels: Vec<Channel>,
    /// Position of the first of them in a frame.
    pub column: usize,
}

/// A file as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    /// Joints, parents before children.
    pub joints: Vec<Joint>,
    /// Numbers a frame.
    pub width: usize,
    /// Frames one after another, `width` numbers each.
    pub frames: Vec<f32>,
    /// Seconds from one frame to the next.
    pub frame_time: f32,
}

/// Reads a file.
///
/// # Errors
/// `BVH_PARSE_FAILED` where the structure is broken, `BVH_UNSUPPORTED_CHANNEL`,
/// `BVH_INVALID_FRAME_TIME`, `BVH_FRAME_WIDTH_MISMATCH`, `BVH_NON_FINITE_VALUE`, each with its
/// line, and what [`Limits`] forbid.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Bvh, Error> {
    let limit = |what, allowed: u64| Error::Limit { what, allowed, place: Place::Byte(0) };
    if bytes.len() as u64 > limits.total_bytes {
        return Err(limit(LimitKind::TotalBytes, limits.total_bytes));
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let mut words = Words::new(text);
    words.expect("hierarchy")?;
    let mut joints: Vec<Joint> = Vec::new();
    let mut column = 0;
    // Open blocks: a joint, or an end site.
    let mut open: Vec<Option<usize>> = Vec::new();
    loop {
        let Some((line, word)) = words.next() else {
            return Err(fail("BVH_PARSE_FAILED", words.line, "the file ends before MOTION"));
        };
        let word = word.to_ascii_lowercase();
        match (word.as_str(), open.last().copied()) {
            ("root", None) | ("joint", Some(Some(_))) => {
                let parent = open.last().copied().flatten();
                if joints.len() >= limits.nodes {
                    return Err(limit(LimitKind::Nodes, limits.nodes as u64));
                }
                joints.push(Joint {
                    name: words.rest_of_line().to_owned(),
                    parent,
                    offset: Vec3::NAN,
                    end: None,
                    channels: Vec::new(),
                    column,
                });
                words.expect("{")?;
                open.push(Some(joints.len() - 1));
            }
            ("end", Some(Some(_))) => {
                words.expect("site")?;
                words.expect("{")?;
                open.push(None);
            }
            ("offset", Some(block)) => {
                let v = Vec3::new(words.number()?, words.number()?, words.number()?);
                if !v.is_finite() {
                    return Err(fail("BVH_NON_FINITE_VALUE", line, "the offset is not finite"));
                }
                match block {
                    Some(j) => joints[j].offset = v,
                    None => {
                        let owner = open.iter().rev().copied().flatten().next();
                        if let Some(j) = owner {
                            joints[j].end = Some(v);
                        }
                    }
                }
            }
            ("channels", Some(Some(j))) => {
                let count = words.number()?;
                if !(0.0..=6.0).contains(&count) || count.fract() != 0.0 {
                    return Err(fail("BVH_PARSE_FAILED", line, "a joint has 0 to 6 channels"));
                }
                for _ in 0..count as usize {
                    let channel = words.channel()?;
                    joints[j].channels.push(channel);
                    column += 1;
                }
            }
            ("}", Some(block)) => {
                if let Some(j) = block
                    && joints[j].offset.is_nan()
                {
                    let message = format!("{:?} has no OFFSET", joints[j].name);
                    return Err(fail("BVH_PARSE_FAILED", line, message));
                }
                open.pop();
            }
            ("motion", None) if !joints.is_empty() => break,
            _ => {
                let message = format!("{word:?} is not expected here");
                return Err(fail("BVH_PARSE_FAILED", line, message));
            }
        }
    }
    // A joint's column is known only once those before it are read.
    let mut at = 0;
    for joint in &mut joints {
        joint.column = at;
        at += joint.channels.len();
    }
    words.key("frames")?;
    let line = words.line;
    let count = words.number()?;
    if !(0.0..=1e9).contains(&count) || count.fract() != 0.0 {
        return Err(fail("BVH_PARSE_FAILED", line, "the number of frames is none"));
    }
    let count = count as usize;
    if (count as u64).saturating_mul(column as u64) > limits.numbers {
        return Err(limit(LimitKind::Numbers, limits.numbers));
    }
    words.expect("frame")?;
    words.key("time")?;
    let line = words.line;
    let frame_time = words.number()?;
    let still = count <= 1 && frame_time == 0.0;
    if !(frame_time > 0.0 && frame_time.is_finite() || still) {
        let message = format!("{frame_time} s is no time between frames");
        return Err(fail("BVH_INVALID_FRAME_TIME", line, message));
    }
    let frames = rows(&words, count, column)?;
    Ok(Bvh { joints, width: column, frames, frame_time })
}

/// The frames, a line each.
fn rows(words: &Words, count: usize, width: usize) -> Result<Vec<f32>, Error> {
    let mut frames = Vec::new();
    let mut found = 0usize;
    for (k, text) in words.lines_from_here() {
        let mut n = 0;
        for word in text.split_ascii_whitespace() {
            let value: f32 = word
                .parse()
                .map_err(|_| fail("BVH_PARSE_FAILED", k, format!("{word:?} is no number")))?;
            if !value.is_finite() {
                let message = format!("{word} in a frame");
                return Err(fail("BVH_NON_FINITE_VALUE", k, message));
            }
            frames.push(value);
            n += 1;
        }
        if n == 0 && width > 0 {
            continue;
        }
        if n != width {
            let message = format!("frame {} has {n} numbers, not {width}", found + 1);
            return Err(fail("BVH_FRAME_WIDTH_MISMATCH", k, message));
        }
        found += usize::from(n > 0);
    }
    if found != count && width > 0 {
        let message = format!("{count} frames are declared, {found} are there");
        return Err(fail("BVH_PARSE_FAILED", words.line, message));
    }
    Ok(frames)
}

fn fail(code: &'static str, line: usize, message: impl Into<String>) -> Error {
    Error::Document { code, pointer: format!("line {line}"), message: message.into() }
}

/// Words of a text with their lines.
struct Words<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let bytes = self.text.as_bytes();
        while let Some(b) = bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            self.line += usize::from(*b == b'\n');
            self.at += 1;
        }
        let start = self.at;
        // Braces stand alone even where no space sets them apart.
        let brace = |b: &u8| matches!(*b, b'{' | b'}');
        while let Some(b) = bytes.get(self.at).filter(|b| !b.is_ascii_whitespace()) {
            if brace(b) && self.at > start {
                break;
            }
            self.at += 1;
            if brace(b) {
                break;
            }
        }
        (self.at > start).then(|| (self.line, &self.text[start..self.at]))
    }

    fn expect(&mut self, word: &str) -> Result<(), Error> {
        match self.next() {
            Some((_, w)) if w.eq_ignore_ascii_case(word) => Ok(()),
            Some((line, w)) => {
                let message = format!("{w:?} where {} is due", word.to_uppercase());
                Err(fail("BVH_PARSE_FAILED", line, message))
            }
            None => {
                let message = format!("the file ends where {} is due", word.to_uppercase());
                Err(fail("BVH_PARSE_FAILED", self.line, message))
            }
        }
    }

    /// A word with a colon, perhaps set apart.
    fn key(&mut self, word: &str) -> Result<(), Error> {
        let found = self.next();
        let line = self.line;
        let Some((_, w)) = found else {
            return Err(fail("BVH_PARSE_FAILED", line, format!("the file ends before {word}")));
        };
        let name = w.strip_suffix(':');
        if !name.unwrap_or(w).eq_ignore_ascii_case(word) {
            let message = format!("{w:?} where {word}: is due");
            return Err(fail("BVH_PARSE_FAILED", line, message));
        }
        if name.is_none() {
            self.expect(":")?;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<f32, Error> {
        let Some((line, w)) = self.next() else {
            return Err(fail("BVH_PARSE_FAILED", self.line, "the file ends where a number is due"));
        };
        w.parse().map_err(|_| fail("BVH_PARSE_FAILED", line, format!("{w:?} is no number")))
    }

    fn channel(&mut self) -> Result<Channel, Error> {
        let Some((line, w)) = self.next() else {
            return Err(fail("BVH_PARSE_FAILED", self.line, "the file ends among channels"));
        };
        let lower = w.to_ascii_lowercase();
        if matches!(lower.as_str(), "joint" | "end" | "offset" | "channels" | "{" | "}" | "motion")
        {
            let message = format!("{w:?} where a channel is due");
            return Err(fail("BVH_PARSE_FAILED", line, message));
        }
        let axis = lower.bytes().next().and_then(|b| b"xyz".iter().position(|a| *a == b));
        match (axis, lower.get(1..)) {
            (Some(axis), Some("position")) => Ok(Channel::Position(axis as u8)),
            (Some(axis), Some("rotation")) => Ok(Channel::Rotation(axis as u8)),
            _ => {
                let message = format!("there is no channel {w:?}");
                Err(fail("BVH_UNSUPPORTED_CHANNEL", line, message))
            }
        }
    }

    fn rest_of_line(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(['\n', '{']).unwrap_or(rest.len());
        self.at += end;
        rest[..end].trim()
    }

    fn lines_from_here(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let first = self.line;
        self.text[self.at..].lines().enumerate().map(move |(i, l)| (first + i, l))
    }
}

impl Bvh {
    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.frames.len().checked_div(self.width).unwrap_or(0)
    }

    /// Seconds from the first frame to the last.
    pub fn duration(&self) -> f32 {
        self.frame_count().saturating_sub(1) as f32 * self.frame_time
    }

    /// The hierarchy as a skeleton in the file's own unit and axes.
    pub fn skeleton(&self) -> Skeleton {
        let mut out = Skeleton::new();
        for joint in &self.joints {
            let parent = joint.parent.map(enliven::JointId::new);
            // Parents stand first in the file.
            let _ = out.push(&joint.name, parent, Transform::from_translation(joint.offset));
        }
        out
    }

    /// Local place and rotation of a joint in a frame.
    fn local(&self, joint: &Joint, frame: usize) -> (Vec3, Quat) {
        let row = &self.frames[frame * self.width..][..self.width];
        let mut at = joint.offset;
        let mut turn = Quat::IDENTITY;
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        for (c, v) in joint.channels.iter().zip(&row[joint.column..]) {
            match *c {
                Channel::Position(axis) => at[usize::from(axis)] = *v,
                Channel::Rotation(axis) => {
                    turn *= math::rotation(axes[usize::from(axis)], v.to_radians());
                }
            }
        }
        (at, turn)
    }

    /// The motion for any humanoid: rotations against a T-pose in the model's axes, facing +Z as
    /// far as the rest pose tells, starting at the origin, standing feet on the ground. A first
    /// frame that only shows the rest pose is left out, and legs are mended, see
    /// [`HumanoidClip::mend_legs`].
    ///
    /// # Errors
    /// `BVH_NO_HUMANOID` where the names of hips and limbs are not known.
    pub fn motion(&self, name: &str) -> Result<HumanoidClip, Error> {
        let skeleton = self.skeleton();
        let body = NamedParts::new(&skeleton, |_| true).humanoid(&skeleton);
        let at = |bone| body.rest_at(bone);
        let none = || Error::Document {
            code: "BVH_NO_HUMANOID",
            pointer: String::new(),
            message: "no humanoid is known by the joints' names".into(),
        };
        let hips_rest = at(HumanBone::Hips).ok_or_else(none)?;
        let known = body.bones().count();
        if known < 4 {
            return Err(none());
        }
        // Up: from the hips to the head; a file with z up is laid on its back.
        let up = at(HumanBone::Head).map_or(Vec3::Y, |h| h - hips_rest);
        let stand = if up.z.abs() > up.y.abs() {
            math::rotation(Vec3::X, -0.5 * math::PI * up.z.signum())
        } else {
            Quat::IDENTITY
        };
        // Front: the left leg (or arm) is at +X.
        let pair = |l, r| Some(at(l)? - at(r)?);
        let across = pair(HumanBone::LeftUpperLeg, HumanBone::RightUpperLeg)
            .or_else(|| pair(HumanBone::LeftUpperArm, HumanBone::RightUpperArm));
        let across = across.map_or(Vec3::X, |v| stand * v);
        let yaw = math::atan2(across.z, across.x);
        let flat = across.x * across.x + across.z * across.z;
        let yaw = if flat > 1e-12 { yaw } else { 0.0 };
        let face = math::rotation(Vec3::Y, yaw) * stand;

        // The lowest point of the rest pose is the ground.
        let model = skeleton.rest_model();
        let ground = self.joints.iter().zip(&model).fold(f32::MAX, |low, (joint, m)| {
            let at = m.translation();
            let tip = at + joint.end.unwrap_or(Vec3::ZERO);
            low.min((face * at).y).min((face * tip).y)
        });
        let hips_height = (face * hips_rest).y - ground;
        let hips_height = if hips_height > 1e-6 { hips_height } else { 1.0 };

        let bones: Vec<(HumanBone, usize)> = body.bones().map(|(b, j)| (b, j.index())).collect();
        // From a T-pose to this file's rest pose, in the turned axes.
        let rest: Vec<Quat> =
            bones.iter().map(|(b, _)| body.to_t_pose(*b, face).conjugate()).collect();
        let parents: Vec<Option<usize>> = bones
            .iter()
            .map(|(b, _)| {
                let up = body.parent(*b)?;
                bones.iter().position(|(other, _)| *other == up)
            })
            .collect();

        let skipped = usize::from(self.starts_with_rest());
        let frames = self.frame_count() - skipped;
        let mut turns = vec![Vec::with_capacity(frames * 4); bones.len()];
        let mut places = Vec::with_capacity(frames * 3);
        let mut global = vec![(Vec3::ZERO, Quat::IDENTITY); self.joints.len()];
        let mut start = None;
        // Ankles with their height above the ground at rest: a foot that stands has it again.
        let ankles: Vec<(usize, f32)> = bones
            .iter()
            .filter(|(b, _)| matches!(b, HumanBone::LeftFoot | HumanBone::RightFoot))
            .map(|(_, j)| (*j, (face * model[*j].translation()).y - ground))
            .collect();
        let mut floor = if ankles.is_empty() { 0.0 } else { f32::MAX };
        let mut last = vec![Quat::IDENTITY; bones.len()];
        for f in skipped..skipped + frames {
            for (j, joint) in self.joints.iter().enumerate() {
                let (at, turn) = self.local(joint, f);
                global[j] = match joint.parent {
                    Some(p) => {
                        let (above, q) = global[p];
                        (above + q * at, q * turn)
                    }
                    None => (at, turn),
                };
            }
            for &(j, at_rest) in &ankles {
                floor = floor.min((face * global[j].0).y - at_rest);
            }
            let world: Vec<Quat> = bones
                .iter()
                .zip(&rest)
                .map(|((_, j), rest)| face * global[*j].1 * face.conjugate() * *rest)
                .collect();
            for (b, values) in turns.iter_mut().enumerate() {
                let above = parents[b].map_or(Quat::IDENTITY, |p| world[p]);
                let mut q = math::normalize_or_identity(above.conjugate() * world[b]);
                if q.dot(last[b]) < 0.0 {
                    q = -q;
                }
                last[b] = q;
                values.extend(q.to_array());
            }
            let hips = bones.iter().find(|(b, _)| *b == HumanBone::Hips).map_or(0, |(_, j)| *j);
            let at = face * global[hips].0;
            let first = *start.get_or_insert(at);
            places.extend([at.x - first.x, at.y, at.z - first.z]);
        }
        // A standing foot is on the ground.
        for at in places.chunks_exact_mut(3) {
            at[1] -= floor;
        }
        let times: std::sync::Arc<[f32]> =
            (0..frames).map(|f| f as f32 * self.frame_time).collect();
        let how = Interpolation::Linear;
        let rotations = bones
            .iter()
            .zip(turns)
            .filter_map(|((b, _), v)| Some((*b, Curve::rotation(times.clone(), v, how).ok()?)))
            .collect();
        let mut clip = HumanoidClip {
            name: name.to_owned(),
            duration: frames.saturating_sub(1) as f32 * self.frame_time,
            hips_height,
            rotations,
            hips: Curve::new(times, places, 3, how).ok(),
            ..HumanoidClip::default()
        };
        clip.mend_legs(&body);
        Ok(clip)
    }

    /// Whether the first frame is the rest pose put before the motion, as CMU's recordings have it
    /// from cgspeed: nearly all numbers that turn joints are 0, and the next frame is far away.
    fn starts_with_rest(&self) -> bool {
        let row = |f: usize| self.frames.get(f * self.width..(f + 1) * self.width);
        let (Some(first), Some(second), Some(third)) = (row(0), row(1), row(2)) else {
            return false;
        };
        let (mut moving, mut zero) = (0, 0);
        let (mut jump, mut step) = (0.0f32, 0.0f32);
        for joint in self.joints.iter().filter(|j| j.parent.is_some()) {
            for (k, channel) in joint.channels.iter().enumerate() {
                let c = joint.column + k;
                if matches!(channel, Channel::Rotation(_)) && second[c] != 0.0 {
                    moving += 1;
                    zero += usize::from(first[c] == 0.0);
                    jump += (second[c] - first[c]).abs();
                    step += (third[c] - second[c]).abs();
                }
            }
        }
        // Six numbers, four of five at rest, ten steps at once: none of it is met by chance.
        moving >= 6 && zero * 5 >= moving * 4 && jump > 10.0 * step
    }
}
