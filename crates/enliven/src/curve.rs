//! Values over time.

use crate::math;
use glam::Quat;
use std::sync::Arc;
use thiserror::Error;

/// How a curve goes from key to key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Interpolation {
    /// Holds a key's value until the next key.
    Step,
    /// Straight; rotations along the shorter arc.
    #[default]
    Linear,
    /// glTF's cubic Hermite spline: a key has in-tangent, value, out-tangent, and tangents are
    /// scaled by the interval's length.
    CubicSpline,
    /// A cubic through the keys whose slope at a key comes from its neighbours; at the two ends
    /// from [`Endings`]. Rotations have no such curve: they are [`Interpolation::Linear`].
    Smooth,
    /// Cubic Bezier curves with two handles a key, each a time and a value; see
    /// [`Curve::bezier`]. Without handles it is [`Interpolation::Linear`].
    Bezier,
}

/// What the values of a curve are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CurveKind {
    /// Numbers: mixed in proportion.
    #[default]
    Numbers,
    /// Unit quaternions x, y, z, w: mixed along the shorter arc.
    Rotation,
    /// One number that names a choice (0 and 1 for no and yes, or an index into a list of
    /// labels): steps only, one or the other, never something between.
    Choice,
}

/// What a [`Interpolation::Smooth`] curve does at one of its ends, where a neighbour is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Ends without curvature, as a natural spline.
    #[default]
    ZeroCurvature,
    /// Comes to rest.
    ZeroSlope,
    /// The neighbour is the key at the other end: the seam of a loop is smooth.
    WrapAround,
}

/// Both ends of a [`Interpolation::Smooth`] curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Endings {
    /// At the first key.
    pub start: Ending,
    /// At the last key.
    pub end: Ending,
}

/// Why keys do not make a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CurveError {
    /// There is no key.
    #[error("a curve needs at least one key")]
    Empty,
    /// A time is NaN or infinite.
    #[error("time of key {0} is not finite")]
    TimeNotFinite(usize),
    /// A time is before the one before it.
    #[error("time of key {0} is before that of the key before it")]
    TimeOrder(usize),
    /// A value is NaN or infinite.
    #[error("value of key {0} is not finite")]
    ValueNotFinite(usize),
    /// Values are not as many as keys × width (× 3 for cubic splines).
    #[error("{got} values where {want} are needed")]
    ValueCount {
        /// Values given.
        got: usize,
        /// Values needed.
        want: usize,
    },
    /// The values do not go together with this interpolation.
    #[error("{0:?} interpolation does not fit the curve")]
    Unsupported(Interpolation),
}

/// The handles of a Bezier curve: for each key and each number of its value a time in seconds and
/// a value, `2 × width` a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Handles {
    /// Before each key.
    pub incoming: Vec<f32>,
    /// After each key.
    pub outgoing: Vec<f32>,
}

/// Keys of `width` numbers each, at times in seconds that never decrease.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub(crate) times: Arc<[f32]>,
    pub(crate) values: Vec<f32>,
    pub(crate) width: usize,
    pub(crate) interpolation: Interpolation,
    pub(crate) kind: CurveKind,
    pub(crate) handles: Option<Box<Handles>>,
}

impl Curve {
    /// A curve of vectors of `width` numbers.
    ///
    /// # Errors
    /// Where the keys do not make a curve; see [`CurveError`].
    pub fn new(
        times: impl Into<Arc<[f32]>>,
        values: Vec<f32>,
        width: usize,
        interpolation: Interpolation,
    ) -> Result<Self, CurveError> {
        Self::checked(times.into(), values, width, interpolation, CurveKind::Numbers)
    }

    /// A curve of unit quaternions x, y, z, w.
    ///
    /// # Errors
    /// As [`Curve::new`].
    pub fn rotation(
        times: impl Into<Arc<[f32]>>,
        values: Vec<f32>,
        interpolation: Interpolation,
    ) -> Result<Self, CurveError> {
        Self::checked(times.into(), values, 4, interpolation, CurveKind::Rotation)
    }

    /// Steps from choice to choice, one number each; see [`CurveKind::Choice`].
    ///
    /// # Errors
    /// As [`Curve::new`].
    pub fn choice(times: impl Into<Arc<[f32]>>, values: Vec<f32>) -> Result<Self, CurveError> {
        Self::checked(times.into(), values, 1, Interpolation::Step, CurveKind::Choice)
    }

    /// The same keys with Bezier curves between them. Within an interval the curve parameter is
    /// solved for time; a handle beyond its interval is cut at the parameter's ends.
    ///
    /// # Errors
    /// [`CurveError::Unsupported`] for choices and cubic splines, [`CurveError::ValueCount`] where
    /// a list of handles has not `2 × width` numbers a key, [`CurveError::ValueNotFinite`].
    pub fn bezier(mut self, handles: Handles) -> Result<Self, CurveError> {
        self.set_interpolation(Interpolation::Bezier)?;
        let want = 2 * self.width * self.times.len();
        for list in [&handles.incoming, &handles.outgoing] {
            if list.len() != want {
                return Err(CurveError::ValueCount { got: list.len(), want });
            }
            if let Some(i) = list.iter().position(|v| !v.is_finite()) {
                return Err(CurveError::ValueNotFinite(i / (2 * self.width)));
            }
        }
        self.handles = Some(Box::new(handles));
        Ok(self)
    }

    fn checked(
        times: Arc<[f32]>,
        values: Vec<f32>,
        width: usize,
        interpolation: Interpolation,
        kind: CurveKind,
    ) -> Result<Self, CurveError> {
        if times.is_empty() {
            return Err(CurveError::Empty);
        }
        check_times(&times)?;
        let stride = width * if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let want = times.len() * stride;
        if values.len() != want || width == 0 {
            return Err(CurveError::ValueCount { got: values.len(), want });
        }
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return Err(CurveError::ValueNotFinite(i / stride));
        }
        let smooth_turn = kind == CurveKind::Rotation && interpolation == Interpolation::Smooth;
        let interpolation = if smooth_turn { Interpolation::Linear } else { interpolation };
        Ok(Self { times, values, width, interpolation, kind, handles: None })
    }

    /// Key times, seconds.
    #[inline]
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// Key values; for cubic splines in-tangent, value, out-tangent of each key.
    #[inline]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Numbers a value.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// How it goes from key to key.
    #[inline]
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Whether values jump from key to key.
    #[inline]
    pub fn is_discrete(&self) -> bool {
        self.interpolation == Interpolation::Step
    }

    /// What its values are.
    #[inline]
    pub fn kind(&self) -> CurveKind {
        self.kind
    }

    /// Whether values are unit quaternions.
    #[inline]
    pub fn is_rotation(&self) -> bool {
        self.kind == CurveKind::Rotation
    }

    /// The handles of a Bezier curve.
    #[inline]
    pub fn handles(&self) -> Option<&Handles> {
        self.handles.as_deref()
    }

    /// Time of the last key, seconds.
    #[inline]
    pub fn end(&self) -> f32 {
        self.times[self.times.len() - 1]
    }

    /// The value at `time` seconds into `out` (`width` numbers). Before the first key it is the
    /// first value, after the last (and at NaN) the last. Of keys at one time the last counts.
    ///
    /// `hint` is where the last look-up ended; it makes forward play cheap and never changes the
    /// result. Start with 0.
    ///
    /// # Panics
    /// Where `out` has another length than `width`.
    #[inline]
    pub fn sample(&self, time: f32, hint: &mut u32, out: &mut [f32]) {
        self.sample_at(f64::from(time), Endings::default(), hint, out);
    }

    /// As [`Curve::sample`], with a time of double precision (a clock that has run for hours) and
    /// with the ends that a [`Interpolation::Smooth`] curve is to have.
    ///
    /// # Panics
    /// Where `out` has another length than `width`.
    pub fn sample_at(&self, time: f64, endings: Endings, hint: &mut u32, out: &mut [f32]) {
        let i = self.key_before(time, hint);
        let last = self.times.len() - 1;
        let Some(i) = i else { return out.copy_from_slice(self.value(0)) };
        if i == last || self.interpolation == Interpolation::Step {
            return out.copy_from_slice(self.value(i));
        }
        let (t0, t1) = (f64::from(self.times[i]), f64::from(self.times[i + 1]));
        let span = t1 - t0;
        let u = (time - t0) / span;
        match (self.interpolation, &self.handles) {
            (Interpolation::CubicSpline, _) => self.hermite(i, u as f32, span as f32, out),
            (Interpolation::Smooth, _) => self.smooth(i, u, endings, out),
            (Interpolation::Bezier, Some(handles)) => self.bezier_at(i, time, handles, out),
            _ => self.linear(i, u as f32, out),
        }
    }

    /// Index of the last key at or before `time`; `None` before the first.
    pub(crate) fn key_before(&self, time: f64, hint: &mut u32) -> Option<usize> {
        let times = &self.times;
        let n = times.len();
        if time.is_nan() {
            return Some(n - 1);
        }
        let at = *hint as usize;
        let begun = |i: usize| f64::from(times[i]) <= time;
        let holds = |i: usize| begun(i) && (i + 1 == n || !begun(i + 1));
        let i = if at < n && holds(at) {
            at
        } else if at.wrapping_add(1) < n && holds(at.wrapping_add(1)) {
            at.wrapping_add(1)
        } else {
            match times.partition_point(|t| f64::from(*t) <= time) {
                0 => {
                    *hint = 0;
                    return None;
                }
                k => k - 1,
            }
        };
        *hint = i as u32;
        Some(i)
    }

    #[inline]
    pub(crate) fn value(&self, key: usize) -> &[f32] {
        let w = self.width;
        match self.interpolation {
            Interpolation::CubicSpline => &self.values[(3 * key + 1) * w..][..w],
            _ => &self.values[key * w..][..w],
        }
    }

    fn linear(&self, i: usize, u: f32, out: &mut [f32]) {
        if self.kind == CurveKind::Rotation {
            let q = math::slerp(quat(self.value(i)), quat(self.value(i + 1)), u);
            return out.copy_from_slice(&q.to_array());
        }
        for ((o, a), b) in out.iter_mut().zip(self.value(i)).zip(self.value(i + 1)) {
            *o = a * (1.0 - u) + b * u;
        }
    }

    /// Hermite form of the cubic through four keys at uneven times; the slope at an inner key is
    /// the mean of the slopes of the two chords beside it, weighted by the interval's length.
    fn smooth(&self, i: usize, u: f64, endings: Endings, out: &mut [f32]) {
        let last = self.times.len() - 1;
        let t = |k: usize| f64::from(self.times[k]);
        let (t0, t1) = (t(i), t(i + 1));
        let (before, t_before) = match (i, endings.start) {
            (0, Ending::ZeroSlope) => (1, 2.0 * t0 - t1),
            (0, Ending::WrapAround) => (last - 1, t0 + t(last - 1) - t(last)),
            (0, Ending::ZeroCurvature) => (1, t1),
            _ => (i - 1, t(i - 1)),
        };
        let (after, t_after) = match (i + 1 == last, endings.end) {
            (true, Ending::ZeroSlope) => (last, 2.0 * t1 - t0),
            (true, Ending::WrapAround) => (1, t1 + t(1) - t(0)),
            (true, Ending::ZeroCurvature) => (i, t0),
            (false, _) => (i + 2, t(i + 2)),
        };
        // Two keys at one time have no chord between them.
        let weight = |d: f64| if d == 0.0 { 0.0 } else { (t1 - t0) * 0.5 / d };
        let (wp, wn) = (weight(t0 - t_before), weight(t_after - t1));
        let (u2, u3) = (u * u, u * u * u);
        let sp = -wp * u3 + 2.0 * wp * u2 - wp * u;
        let s0 = (1.0 + wp) * u3 + (-1.5 - 2.0 * wp) * u2 + (-0.5 + wp) * u + 1.0;
        let s1 = (-1.0 - wn) * u3 + (1.5 + wn) * u2 + 0.5 * u;
        let sn = wn * u3 - wn * u2;
        let v = |k: usize, c: usize| f64::from(self.values[k * self.width + c]);
        for (c, o) in out.iter_mut().enumerate() {
            *o = (sp * v(before, c) + s0 * v(i, c) + s1 * v(i + 1, c) + sn * v(after, c)) as f32;
        }
    }

    fn bezier_at(&self, i: usize, time: f64, handles: &Handles, out: &mut [f32]) {
        let w = self.width;
        let (t0, t1) = (f64::from(self.times[i]), f64::from(self.times[i + 1]));
        let at = |list: &[f32], key: usize, c: usize| {
            let k = 2 * (key * w + c);
            (f64::from(list[k]), f64::from(list[k + 1]))
        };
        for (c, o) in out.iter_mut().enumerate() {
            let (x0, y0) = at(&handles.outgoing, i, c);
            let (x1, y1) = at(&handles.incoming, i + 1, c);
            let s = solve_bezier(time, [t0, x0, x1, t1]);
            let v = |k: usize| f64::from(self.values[k * w + c]);
            *o = bezier(s, [v(i), y0, y1, v(i + 1)]) as f32;
        }
        if self.kind == CurveKind::Rotation {
            out.copy_from_slice(&math::normalize_or_identity(quat(out)).to_array());
        }
    }

    /// The glTF 2.0 specification, appendix C, "Cubic spline interpolation".
    fn hermite(&self, i: usize, u: f32, span: f32, out: &mut [f32]) {
        let w = self.width;
        let key = |k: usize, part: usize| &self.values[(3 * k + part) * w..][..w];
        let (v0, b0, a1, v1) = (key(i, 1), key(i, 2), key(i + 1, 0), key(i + 1, 1));
        let (u2, u3) = (u * u, u * u * u);
        let s2 = -2.0 * u3 + 3.0 * u2;
        let s3 = u3 - u2;
        let s0 = 1.0 - s2;
        let s1 = s3 - u2 + u;
        for c in 0..w {
            out[c] = s0 * v0[c] + s1 * span * b0[c] + s2 * v1[c] + s3 * span * a1[c];
        }
        if self.kind == CurveKind::Rotation && u > 0.0 {
            out.copy_from_slice(&math::normalize_or_identity(quat(out)).to_array());
        }
    }
}

/// Times must be finite and never decrease.
pub(crate) fn check_times(times: &[f32]) -> Result<(), CurveError> {
    for (i, t) in times.iter().enumerate() {
        if !t.is_finite() {
            return Err(CurveError::TimeNotFinite(i));
        }
        if i > 0 && *t < times[i - 1] {
            return Err(CurveError::TimeOrder(i));
        }
    }
    Ok(())
}

/// Value of a cubic Bezier curve with four control values at parameter `s`.
fn bezier(s: f64, p: [f64; 4]) -> f64 {
    let k = 1.0 - s;
    k * k * k * p[0] + 3.0 * k * k * s * p[1] + 3.0 * k * s * s * p[2] + s * s * s * p[3]
}

/// The parameter in [0, 1] at which the curve has value `x`, by Newton's method from the straight
/// line's: eight steps at most, done where the error or the slope falls under 1e-10. The reference
/// library has the same limits, which show where a handle lies outside its interval.
fn solve_bezier(x: f64, p: [f64; 4]) -> f64 {
    let mut s = (x - p[0]) / (p[3] - p[0]);
    for _ in 0..8 {
        let error = bezier(s, p) - x;
        if error.abs() < 1e-10 {
            break;
        }
        let k = 1.0 - s;
        let slope =
            3.0 * k * k * (p[1] - p[0]) + 6.0 * k * s * (p[2] - p[1]) + 3.0 * s * s * (p[3] - p[2]);
        if slope.abs() < 1e-10 {
            break;
        }
        s = (s - error / slope).clamp(0.0, 1.0);
    }
    s
}

fn quat(v: &[f32]) -> Quat {
    Quat::from_xyzw(v[0], v[1], v[2], v[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_must_make_a_curve() {
        let new = |t: &[f32], v: &[f32], i| Curve::new(t, v.to_vec(), 1, i).map(|_| ());
        let lin = Interpolation::Linear;
        assert_eq!(new(&[], &[], lin), Err(CurveError::Empty));
        assert_eq!(new(&[0.0, f32::NAN], &[0.0; 2], lin), Err(CurveError::TimeNotFinite(1)));
        assert_eq!(new(&[1.0, 0.0], &[0.0; 2], lin), Err(CurveError::TimeOrder(1)));
        assert_eq!(new(&[0.0], &[f32::INFINITY], lin), Err(CurveError::ValueNotFinite(0)));
        assert_eq!(
            new(&[0.0], &[0.0], Interpolation::CubicSpline),
            Err(CurveError::ValueCount { got: 1, want: 3 })
        );
        assert_eq!(new(&[0.0, 0.0], &[0.0; 2], lin), Ok(()));
    }

    #[test]
    fn the_hint_never_changes_the_result() {
        let times: Vec<f32> = (0..50).map(|i| (i * i) as f32 * 0.01).collect();
        let values = times.iter().map(|t| t * t).collect();
        let c = Curve::new(times, values, 1, Interpolation::Linear).expect("curve");
        for k in 0..200 {
            let t = (k * 37 % 200) as f32 * 0.13 - 0.5;
            let mut want = [0.0];
            c.sample(t, &mut 0, &mut want);
            for mut hint in [0u32, 7, 48, 49, 50, u32::MAX] {
                let mut got = [0.0];
                c.sample(t, &mut hint, &mut got);
                assert_eq!(got, want, "t {t}");
            }
        }
    }
}
