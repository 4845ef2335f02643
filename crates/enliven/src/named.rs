//! Clips that name what they move.

use crate::{Clip, Curve, CurveError, Interpolation, Track};

/// What the values of a named track are called in three.js files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// No or yes; steps.
    Bool,
    /// Linear red, green, blue.
    Color,
    /// Any numbers.
    Number,
    /// Unit quaternion.
    Quaternion,
    /// One of a list of texts; steps.
    String,
    /// Any numbers.
    Vector,
}

/// What a named track moves; see [`TrackPath`](crate::TrackPath) for the text's parts.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTarget {
    /// Path to the property.
    pub path: String,
    /// What its values are.
    pub kind: ValueKind,
    /// Texts that the values of a [`ValueKind::String`] track count; otherwise empty.
    pub labels: Vec<String>,
}

impl NamedTarget {
    /// A target without labels.
    pub fn new(path: impl Into<String>, kind: ValueKind) -> Self {
        Self { path: path.into(), kind, labels: Vec::new() }
    }
}

/// A clip whose tracks name their targets: for clips from other files, and to edit. Bind it to a
/// body with [`Namespace::bind_clip`](crate::Namespace::bind_clip).
pub type NamedClip = Clip<NamedTarget>;

impl Track<NamedTarget> {
    /// A track of texts: each key holds one until the next.
    ///
    /// # Errors
    /// As [`Curve::new`].
    pub fn labels<S: AsRef<str>>(
        path: impl Into<String>,
        times: Vec<f32>,
        values: &[S],
    ) -> Result<Self, CurveError> {
        let mut target = NamedTarget::new(path, ValueKind::String);
        let mut numbers = Vec::with_capacity(values.len());
        for v in values {
            let v = v.as_ref();
            let known = target.labels.iter().position(|l| l == v);
            numbers.push(known.unwrap_or(target.labels.len()) as f32);
            if known.is_none() {
                target.labels.push(v.to_owned());
            }
        }
        Ok(Self { target, curve: Curve::choice(times, numbers)? })
    }
}

impl NamedClip {
    /// A clip that shows morph targets one after the other at `fps` a second, each fading into the
    /// next; looped, the last fades into the first. Zero or undefined rates count as 1.
    pub fn morph_sequence<S: AsRef<str>>(
        name: impl Into<String>,
        morphs: &[S],
        fps: f32,
        looped: bool,
    ) -> Self {
        let n = morphs.len();
        let frame = if fps > 0.0 && fps.is_finite() { 1.0 / f64::from(fps) } else { 1.0 };
        let tracks = morphs.iter().enumerate().filter_map(|(i, morph)| {
            let mut keys = [((i + n - 1) % n, 0.0), (i, 1.0), ((i + 1) % n, 0.0)].to_vec();
            keys.sort_by_key(|k| k.0);
            if looped && keys[0].0 == 0 {
                keys.push((n, keys[0].1));
            }
            let times: Vec<f32> = keys.iter().map(|k| (k.0 as f64 * frame) as f32).collect();
            let values = keys.iter().map(|k| k.1).collect();
            let path = format!(".morphTargetInfluences[{}]", morph.as_ref());
            let target = NamedTarget::new(path, ValueKind::Number);
            let curve = Curve::new(times, values, 1, Interpolation::Linear).ok()?;
            Some(Track { target, curve })
        });
        Self::new(name, tracks.collect())
    }

    /// One [`NamedClip::morph_sequence`] for each family of morph targets named by a common
    /// beginning and a number (`Walk_001`, `Walk_002`); other names are left out. The beginning,
    /// of letters, digits, `_` and `-`, is the clip's name.
    pub fn morph_sequences<S: AsRef<str>>(morphs: &[S], fps: f32, looped: bool) -> Vec<Self> {
        let mut families: Vec<(&str, Vec<&str>)> = Vec::new();
        for name in morphs.iter().map(AsRef::as_ref) {
            let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if family.len() == name.len() || !family.chars().all(plain) {
                continue;
            }
            match families.iter_mut().find(|f| f.0 == family) {
                Some(f) => f.1.push(name),
                None => families.push((family, vec![name])),
            }
        }
        families.iter().map(|(name, list)| Self::morph_sequence(*name, list, fps, looped)).collect()
    }
}
