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
}

/// Keys of `width` numbers each, at times in seconds that never decrease.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    times: Arc<[f32]>,
    values: Vec<f32>,
    width: usize,
    interpolation: Interpolation,
    rotation: bool,
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
        Self::checked(times.into(), values, width, interpolation, false)
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
        Self::checked(times.into(), values, 4, interpolation, true)
    }

    fn checked(
        times: Arc<[f32]>,
        values: Vec<f32>,
        width: usize,
        interpolation: Interpolation,
        rotation: bool,
    ) -> Result<Self, CurveError> {
        if times.is_empty() {
            return Err(CurveError::Empty);
        }
        for (i, t) in times.iter().enumerate() {
            if !t.is_finite() {
                return Err(CurveError::TimeNotFinite(i));
            }
            if i > 0 && *t < times[i - 1] {
                return Err(CurveError::TimeOrder(i));
            }
        }
        let stride = width * if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let want = times.len() * stride;
        if values.len() != want || width == 0 {
            return Err(CurveError::ValueCount { got: values.len(), want });
        }
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return Err(CurveError::ValueNotFinite(i / stride));
        }
        Ok(Self { times, values, width, interpolation, rotation })
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

    /// Whether values are unit quaternions.
    #[inline]
    pub fn is_rotation(&self) -> bool {
        self.rotation
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
    pub fn sample(&self, time: f32, hint: &mut u32, out: &mut [f32]) {
        let i = self.key_before(time, hint);
        let last = self.times.len() - 1;
        let Some(i) = i else { return out.copy_from_slice(self.value(0)) };
        if i == last || self.interpolation == Interpolation::Step {
            return out.copy_from_slice(self.value(i));
        }
        let (t0, t1) = (self.times[i], self.times[i + 1]);
        let span = t1 - t0;
        let u = (time - t0) / span;
        if self.interpolation == Interpolation::CubicSpline {
            self.hermite(i, u, span, out);
        } else if self.rotation {
            let q = math::slerp(quat(self.value(i)), quat(self.value(i + 1)), u);
            out.copy_from_slice(&q.to_array());
        } else {
            for ((o, a), b) in out.iter_mut().zip(self.value(i)).zip(self.value(i + 1)) {
                *o = a * (1.0 - u) + b * u;
            }
        }
    }

    /// Index of the last key at or before `time`; `None` before the first.
    fn key_before(&self, time: f32, hint: &mut u32) -> Option<usize> {
        let times = &self.times;
        let n = times.len();
        if time.is_nan() {
            return Some(n - 1);
        }
        let at = *hint as usize;
        let holds = |i: usize| times[i] <= time && (i + 1 == n || time < times[i + 1]);
        let i = if at < n && holds(at) {
            at
        } else if at + 1 < n && holds(at + 1) {
            at + 1
        } else {
            match times.partition_point(|t| *t <= time) {
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
    fn value(&self, key: usize) -> &[f32] {
        let w = self.width;
        match self.interpolation {
            Interpolation::CubicSpline => &self.values[(3 * key + 1) * w..][..w],
            _ => &self.values[key * w..][..w],
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
        if self.rotation && u > 0.0 {
            out.copy_from_slice(&math::normalize_or_identity(quat(out)).to_array());
        }
    }
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
