//! Clips made ready to play.

use crate::{Affine, Clip, JointId, Pose, Property, Rig, Target, Track, math};
use glam::{Quat, Vec3};

/// How exactly a [`PackedClip`] must follow its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackOptions {
    /// Largest distance, in metres, between where source and packed clip put a point that stands
    /// `shell` metres off any joint, along any axis, after the whole chain. Default 0.1 mm.
    pub tolerance: f32,
    /// Distance of those points from their joint, metres. Default 3 cm.
    pub shell: f32,
    /// Highest key rate tried, keys a second. Default 240.
    pub max_rate: f32,
}

impl Default for PackOptions {
    fn default() -> Self {
        Self { tolerance: 1e-4, shell: 0.03, max_rate: 240.0 }
    }
}

impl PackOptions {
    /// The defaults for a rig of another size than a person: tolerance and shell in proportion
    /// to its height (1.7 m gives the defaults).
    pub fn for_height(height: f32) -> Self {
        let k = height / 1.7;
        let d = Self::default();
        Self { tolerance: d.tolerance * k, shell: d.shell * k, ..d }
    }
}

/// A clip for playing: keys at equal distances, 16 bits a number, eight joints side by side.
///
/// Equal distances make a look-up one multiplication, so going anywhere costs what going on
/// costs, and playing needs no state but the time. Values that do not change are stored once.
/// What equal keys cannot carry within the tolerance (steps above all) is kept as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedClip {
    name: String,
    duration: f32,
    /// Number of keys, at least 2.
    keys: u32,
    /// Keys a second.
    rate: f32,
    rotations: Vec<RotationLanes>,
    /// Key after key, `rotations.len()` blocks each.
    rotation_keys: Vec<RotationKey>,
    scalars: Vec<Scalar>,
    /// Key after key, `scalars.len()` numbers each.
    scalar_keys: Vec<i16>,
    constants: Vec<(Target, [f32; 4])>,
    raw: Vec<Track>,
    error: f32,
}

/// What turns the keys of eight joints into rotations: value = key · scale + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
struct RotationLanes {
    scale: [[f32; 8]; 4],
    offset: [[f32; 8]; 4],
    /// 1 where the clip turns the joint, else 0.
    moves: [f32; 8],
    block: u32,
    all: bool,
}

/// Quaternions x, y, z, w of eight joints. Neighbouring keys never differ in sign.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
struct RotationKey([[i16; 8]; 4]);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Scalar {
    to: Place,
    scale: f32,
    offset: f32,
}

/// Where a number of a pose lives.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Translation(JointId, u8),
    Scale(JointId, u8),
    RootTranslation(u8),
    RootScale(u8),
    Channel(u32),
}

/// Largest magnitude of a packed key.
const FULL: f32 = 32767.0;

impl PackedClip {
    /// Packs `clip` for `rig`.
    ///
    /// # Panics
    /// Where the clip does not fit the rig; see [`Clip::fits`].
    pub fn new(clip: &Clip, rig: &Rig, options: &PackOptions) -> Self {
        let (mut packable, mut raw): (Vec<&Track>, Vec<&Track>) =
            effective(clip).into_iter().partition(|t| packs(t));
        let mut rate = source_rate(clip);
        loop {
            let keys = key_count(clip.duration, rate);
            let mut out = Self::build(clip, rig, &packable, &raw, keys);
            out.error = out.measure(clip, rig, options);
            if out.error <= options.tolerance || packable.is_empty() {
                return out;
            }
            if rate < options.max_rate {
                rate = (rate * 2.0).min(options.max_rate.max(1.0));
            } else {
                // The worst tracks go back to what they were; sooner or later it fits.
                let off: Vec<f32> = packable.iter().map(|t| out.deviation(t)).collect();
                let worst = off.iter().copied().fold(0.0, f32::max);
                let mut off = off.into_iter();
                packable.retain(|t| {
                    let keep = off.next().is_some_and(|o| o < 0.5 * worst);
                    if !keep {
                        raw.push(t);
                    }
                    keep
                });
            }
        }
    }

    /// Name of the source clip.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Seconds.
    pub fn duration(&self) -> f32 {
        self.duration
    }

    /// Largest distance from the source that was measured, metres; see [`PackOptions`].
    pub fn error(&self) -> f32 {
        self.error
    }

    /// Bytes that the clip takes.
    pub fn size(&self) -> usize {
        let raw: usize = self
            .raw
            .iter()
            .map(|t| 4 * (t.curve.times().len() + t.curve.values().len()) + size_of::<Track>())
            .sum();
        size_of::<Self>()
            + size_of_val(&self.rotations[..])
            + size_of_val(&self.rotation_keys[..])
            + size_of_val(&self.scalars[..])
            + size_of_val(&self.scalar_keys[..])
            + size_of_val(&self.constants[..])
            + raw
    }

    /// Writes the values at `time` seconds into the pose; what the clip does not move stays.
    /// Before the start it is the start, after the end (and at NaN) the end.
    pub fn sample(&self, time: f32, pose: &mut Pose) {
        for (target, v) in &self.constants {
            target.write(v, pose);
        }
        let last = self.keys - 1;
        // `min` takes NaN to the end.
        let at = (time * self.rate).min(last as f32).max(0.0);
        let k = (at as u32).min(last - 1);
        let u = at - k as f32;
        let k = k as usize;

        let n = self.rotations.len();
        let here = &self.rotation_keys[k * n..][..n];
        let next = &self.rotation_keys[(k + 1) * n..][..n];
        for ((lanes, a), b) in self.rotations.iter().zip(here).zip(next) {
            pose.write_rotations(lanes.block as usize, |r| decode(lanes, a, b, u, r));
        }

        let n = self.scalars.len();
        let here = &self.scalar_keys[k * n..][..n];
        let next = &self.scalar_keys[(k + 1) * n..][..n];
        for ((s, &a), &b) in self.scalars.iter().zip(here).zip(next) {
            let (a, b) = (f32::from(a), f32::from(b));
            let v = (a + (b - a) * u) * s.scale + s.offset;
            match s.to {
                Place::Translation(j, axis) => pose.set_translation_axis(j, axis as usize, v),
                Place::Scale(j, axis) => pose.set_scale_axis(j, axis as usize, v),
                Place::RootTranslation(axis) => pose.root.translation[axis as usize] = v,
                Place::RootScale(axis) => pose.root.scale[axis as usize] = v,
                Place::Channel(c) => pose.channels_mut()[c as usize] = v,
            }
        }

        for track in &self.raw {
            track.sample(time, &mut 0, pose);
        }
    }

    fn build(clip: &Clip, rig: &Rig, packable: &[&Track], raw: &[&Track], keys: u32) -> Self {
        let duration = if clip.duration > 0.0 { clip.duration } else { 1.0 };
        let rate = (keys - 1) as f32 / duration;
        let times: Vec<f32> = (0..keys)
            .map(|k| if k + 1 == keys { clip.duration } else { k as f32 / rate })
            .collect();
        let mut out = Self {
            name: clip.name.clone(),
            duration: clip.duration,
            keys,
            rate,
            rotations: Vec::new(),
            rotation_keys: Vec::new(),
            scalars: Vec::new(),
            scalar_keys: Vec::new(),
            constants: Vec::new(),
            raw: raw.iter().map(|t| (*t).clone()).collect(),
            error: 0.0,
        };
        // One column of keys a lane; columns become rows at the end.
        let blocks = rig.skeleton.len().div_ceil(8);
        let mut lanes: Vec<Option<(RotationLanes, Vec<RotationKey>)>> = vec![None; blocks];
        let mut columns: Vec<Vec<i16>> = Vec::new();
        for track in packable {
            let values = resample(track, &times);
            let (width, is_rotation) = track.target.shape();
            let first = &values[..width];
            if values.chunks_exact(width).all(|v| v == first) {
                let mut v = [0.0; 4];
                v[..width].copy_from_slice(first);
                out.constants.push((track.target, v));
                continue;
            }
            if let (Target::Joint(j, Property::Rotation), true) = (track.target, is_rotation) {
                let (b, i) = (j.index() / 8, j.index() % 8);
                let (lanes, column) = lanes[b].get_or_insert_with(|| {
                    let empty = RotationLanes {
                        scale: [[0.0; 8]; 4],
                        offset: [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]],
                        moves: [0.0; 8],
                        block: b as u32,
                        all: false,
                    };
                    (empty, vec![RotationKey([[0; 8]; 4]); keys as usize])
                });
                lanes.moves[i] = 1.0;
                for c in 0..4 {
                    let (scale, offset) = range(values.iter().skip(c).step_by(4));
                    lanes.scale[c][i] = scale;
                    lanes.offset[c][i] = offset;
                    for (key, v) in column.iter_mut().zip(values.chunks_exact(4)) {
                        key.0[c][i] = quantise(v[c], scale, offset);
                    }
                }
                continue;
            }
            for c in 0..width {
                let axis = c as u8;
                let to = match track.target {
                    Target::Root(Property::Translation) => Place::RootTranslation(axis),
                    Target::Root(_) => Place::RootScale(axis),
                    Target::Joint(j, Property::Scale) => Place::Scale(j, axis),
                    Target::Joint(j, _) => Place::Translation(j, axis),
                    Target::Channel(c) => Place::Channel(c.0),
                    // Never packed, see `packs`.
                    Target::Component(..) => continue,
                };
                let (scale, offset) = range(values.iter().skip(c).step_by(width));
                out.scalars.push(Scalar { to, scale, offset });
                columns.push(
                    values.chunks_exact(width).map(|v| quantise(v[c], scale, offset)).collect(),
                );
            }
        }
        for key in 0..keys as usize {
            out.rotation_keys.extend(lanes.iter().flatten().map(|(_, column)| column[key]));
            out.scalar_keys.extend(columns.iter().map(|column| column[key]));
        }
        out.rotations = lanes
            .into_iter()
            .flatten()
            .map(|(l, _)| RotationLanes { all: l.moves == [1.0; 8], ..l })
            .collect();
        out
    }

    /// Largest distance between the shells of source and packed clip, at keys and between them.
    fn measure(&self, clip: &Clip, rig: &Rig, options: &PackOptions) -> f32 {
        let (mut want, mut got) = (Pose::rest(rig), Pose::rest(rig));
        let mut hints = vec![0; clip.tracks.len()];
        let joints = rig.skeleton.len();
        let (mut a, mut b) = (vec![Affine::IDENTITY; joints], vec![Affine::IDENTITY; joints]);
        let mut most = 0.0f32;
        // Four probes an interval, off the keys' beat; long clips are probed at 4,000 times.
        let probes = (4 * (self.keys - 1) + 1).min(4000);
        for p in 0..=probes {
            let t = self.duration * (p as f32 / probes as f32);
            clip.sample(t, &mut hints, &mut want);
            self.sample(t, &mut got);
            want.to_model(&rig.skeleton, &mut a);
            got.to_model(&rig.skeleton, &mut b);
            for (a, b) in a.iter().zip(&b) {
                for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                    let p = axis * options.shell;
                    most = most.max(a.transform_point(p).distance(b.transform_point(p)));
                }
            }
            most = most.max(want.root.translation.distance(got.root.translation));
            for (a, b) in want.channels().iter().zip(got.channels()) {
                // A channel at full scale counts as a tenth of a metre.
                most = most.max((a - b).abs() * 0.1);
            }
        }
        most
    }

    /// How far a track strays between the keys from the straight line through them.
    fn deviation(&self, track: &Track) -> f32 {
        let times: Vec<f32> = (0..self.keys)
            .flat_map(|k| [k as f32 / self.rate, (k as f32 + 0.5) / self.rate])
            .map(|t| t.min(self.duration))
            .collect();
        let (width, _) = track.target.shape();
        let exact = resample(track, &times);
        let mut most = 0.0f32;
        for three in exact.windows(3 * width).step_by(2 * width) {
            for c in 0..width {
                let middle = (three[c] + three[2 * width + c]) * 0.5;
                most = most.max((middle - three[width + c]).abs());
            }
        }
        most
    }
}

/// Interpolates the keys of eight joints at `u` and normalises. Same sign from key to key and one
/// scale a lane: the keys can be mixed before they are scaled.
#[inline]
fn decode(lanes: &RotationLanes, a: &RotationKey, b: &RotationKey, u: f32, r: &mut [[f32; 8]; 4]) {
    let mut q = [[0.0f32; 8]; 4];
    for c in 0..4 {
        for i in 0..8 {
            let (a, b) = (f32::from(a.0[c][i]), f32::from(b.0[c][i]));
            q[c][i] = (a + (b - a) * u) * lanes.scale[c][i] + lanes.offset[c][i];
        }
    }
    let mut n = [0.0f32; 8];
    for i in 0..8 {
        let l2 = q[0][i] * q[0][i] + q[1][i] * q[1][i] + (q[2][i] * q[2][i] + q[3][i] * q[3][i]);
        n[i] = 1.0 / l2.sqrt();
    }
    for c in 0..4 {
        for i in 0..8 {
            let v = q[c][i] * n[i];
            r[c][i] = if lanes.all || lanes.moves[i] != 0.0 { v } else { r[c][i] };
        }
    }
}

/// Of several tracks on one target the last counts.
fn effective(clip: &Clip) -> Vec<&Track> {
    let mut out: Vec<&Track> = Vec::with_capacity(clip.tracks.len());
    let mut seen = std::collections::BTreeSet::new();
    for track in clip.tracks.iter().rev() {
        if seen.insert(track.target) {
            out.push(track);
        }
    }
    out.reverse();
    out
}

/// Whether equal keys can carry the track at all: it does not jump, and its target is
/// a place of its own in the pose.
fn packs(track: &Track) -> bool {
    let times = track.curve.times();
    let jumps = track.curve.is_discrete() || times.windows(2).any(|w| w[0] == w[1]);
    let apart = matches!(
        track.target,
        Target::Root(Property::Rotation | Property::Euler)
            | Target::Joint(_, Property::Euler)
            | Target::Component(..)
    );
    (times.len() == 1 || !jumps) && !apart
}

/// Keys a second of the source: the inverse of the shortest distance between keys, at most 60.
fn source_rate(clip: &Clip) -> f32 {
    let gaps = clip.tracks.iter().flat_map(|t| t.curve.times().windows(2)).map(|w| w[1] - w[0]);
    let shortest = gaps.filter(|g| *g > 0.0).fold(f32::INFINITY, f32::min);
    (1.0 / shortest).clamp(1.0, 60.0)
}

fn key_count(duration: f32, rate: f32) -> u32 {
    // A clip of an hour at 240 keys a second; longer ones get fewer keys a second.
    ((duration * rate + 0.5) as u32).clamp(1, 864_000) + 1
}

/// Values at `times`; rotations kept in one hemisphere from key to key.
fn resample(track: &Track, times: &[f32]) -> Vec<f32> {
    let (width, rotation) = track.target.shape();
    let mut out = vec![0.0f32; width * times.len()];
    let mut hint = 0;
    for (t, v) in times.iter().zip(out.chunks_exact_mut(width)) {
        track.curve.sample(*t, &mut hint, v);
    }
    if rotation {
        let mut before = Quat::IDENTITY;
        for v in out.chunks_exact_mut(4) {
            let q = math::normalize_or_identity(Quat::from_slice(v));
            before = if before.dot(q) < 0.0 { -q } else { q };
            v.copy_from_slice(&before.to_array());
        }
    }
    out
}

/// Scale and offset that bring the values into the range of a key.
fn range<'a>(values: impl Iterator<Item = &'a f32>) -> (f32, f32) {
    let (lo, hi) =
        values.fold((f32::INFINITY, f32::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    let half = 0.5 * hi - 0.5 * lo;
    (half / FULL, lo + half)
}

fn quantise(v: f32, scale: f32, offset: f32) -> i16 {
    // Rounds half away from zero; `as` saturates.
    if scale > 0.0 { libm::roundf((v - offset) / scale) as i16 } else { 0 }
}
