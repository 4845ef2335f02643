//! Changes to curves and clips: for tools and importers, not for frames.

use crate::curve::check_times;
use crate::{Clip, Curve, CurveError, CurveKind, Endings, Handles, Interpolation, Track, math};
use glam::Quat;

impl Curve {
    /// Moves all keys (and Bezier handles) by `seconds`.
    ///
    /// # Errors
    /// [`CurveError::TimeNotFinite`]; the curve is unchanged then.
    pub fn shift(&mut self, seconds: f32) -> Result<(), CurveError> {
        if seconds == 0.0 {
            return Ok(());
        }
        self.map_times(|t| t + seconds)
    }

    /// Multiplies all key times (and those of Bezier handles, and the slopes of cubic splines by
    /// the inverse) by `factor`, so that the motion lasts that much longer.
    ///
    /// # Errors
    /// [`CurveError::TimeNotFinite`] or, for a negative factor and more than one time,
    /// [`CurveError::TimeOrder`]; the curve is unchanged then.
    pub fn scale(&mut self, factor: f32) -> Result<(), CurveError> {
        if factor == 1.0 {
            return Ok(());
        }
        self.map_times(|t| t * factor)?;
        if self.interpolation == Interpolation::CubicSpline && factor != 0.0 {
            let w = self.width;
            for key in self.values.chunks_exact_mut(3 * w) {
                let (before, rest) = key.split_at_mut(w);
                before.iter_mut().chain(&mut rest[w..]).for_each(|v| *v /= factor);
            }
        }
        Ok(())
    }

    fn map_times(&mut self, f: impl Fn(f32) -> f32) -> Result<(), CurveError> {
        let times: Vec<f32> = self.times.iter().map(|t| f(*t)).collect();
        check_times(&times)?;
        self.times = times.into();
        if let Some(h) = &mut self.handles {
            for list in [&mut h.incoming, &mut h.outgoing] {
                list.iter_mut().step_by(2).for_each(|t| *t = f(*t));
            }
        }
        Ok(())
    }

    /// Drops the keys outside of [`start`, `end`] seconds. At least one stays: the last one at or
    /// before `end`, else the first of all.
    pub fn trim(&mut self, start: f32, end: f32) {
        let n = self.times.len();
        let mut from = self.times.iter().position(|t| *t >= start).unwrap_or(n);
        let mut to = self.times.iter().rposition(|t| *t <= end).map_or(0, |i| i + 1);
        if from >= to {
            to = to.max(1);
            from = to - 1;
        }
        self.keep(|i| (from..to).contains(&i));
    }

    /// Drops keys that say nothing: of several at one time all but the last, and, where the curve
    /// is not [`Interpolation::Smooth`], those that equal both neighbours. The first and the last
    /// key stay. Between keys at one time a curve jumps; that jump is lost.
    pub fn optimize(&mut self) {
        let last = self.times.len() - 1;
        let keep: Vec<bool> = (0..=last)
            .map(|i| {
                let inner = i > 0 && i < last;
                let at = |k: usize| self.times[k];
                !inner
                    || (at(i) != at(i + 1)
                        && !(i == 1 && at(1) == at(0))
                        && !(self.equal_keys(i, i - 1) && self.equal_keys(i, i + 1)))
            })
            .collect();
        self.keep(|i| keep[i]);
    }

    /// Whether the two keys have one value and the curve does not move between them.
    fn equal_keys(&self, a: usize, b: usize) -> bool {
        let w = self.width;
        let flat = |k: usize| match (self.interpolation, &self.handles) {
            (Interpolation::Smooth, _) => false,
            (Interpolation::CubicSpline, _) => {
                let key = &self.values[3 * k * w..][..3 * w];
                key[..w].iter().chain(&key[2 * w..]).all(|v| *v == 0.0)
            }
            (Interpolation::Bezier, Some(h)) => (0..w).all(|c| {
                let i = 2 * (k * w + c) + 1;
                let v = self.values[k * w + c];
                h.incoming[i] == v && h.outgoing[i] == v
            }),
            _ => true,
        };
        self.value(a) == self.value(b) && flat(a) && flat(b)
    }

    /// Keeps the keys for which `wanted` holds.
    fn keep(&mut self, wanted: impl Fn(usize) -> bool) {
        let n = self.times.len();
        if (0..n).all(&wanted) {
            return;
        }
        fn pick(list: &[f32], stride: usize, wanted: &impl Fn(usize) -> bool) -> Vec<f32> {
            let keys = list.chunks_exact(stride).enumerate();
            keys.filter(|(i, _)| wanted(*i)).flat_map(|(_, key)| key.iter().copied()).collect()
        }
        let stride = self.values.len() / n;
        self.values = pick(&self.values, stride, &wanted);
        self.times = pick(&self.times, 1, &wanted).into();
        if let Some(h) = &mut self.handles {
            h.incoming = pick(&h.incoming, 2 * self.width, &wanted);
            h.outgoing = pick(&h.outgoing, 2 * self.width, &wanted);
        }
    }

    /// Changes how the curve goes from key to key; Bezier handles are dropped.
    ///
    /// # Errors
    /// [`CurveError::Unsupported`], the curve unchanged, for choices, for smooth rotations, and
    /// from or to cubic splines, whose keys hold other values.
    pub fn set_interpolation(&mut self, to: Interpolation) -> Result<(), CurveError> {
        if to == self.interpolation {
            return Ok(());
        }
        let cubic = |i| i == Interpolation::CubicSpline;
        if self.kind == CurveKind::Choice
            || (self.kind == CurveKind::Rotation && to == Interpolation::Smooth)
            || cubic(to)
            || cubic(self.interpolation)
        {
            return Err(CurveError::Unsupported(to));
        }
        self.interpolation = to;
        self.handles = None;
        Ok(())
    }

    /// One number of the values as a curve of its own; `None` for rotations, whose numbers belong
    /// together, and where there is no such number.
    pub fn component(&self, index: usize) -> Option<Self> {
        if index >= self.width || self.kind == CurveKind::Rotation {
            return None;
        }
        let column = |list: &[f32], stride: usize, size: usize| {
            list.chunks_exact(stride * size)
                .flat_map(|key| key[index * size..][..size].iter().copied())
                .collect::<Vec<f32>>()
        };
        let handles = self.handles.as_ref().map(|h| {
            Box::new(Handles {
                incoming: column(&h.incoming, self.width, 2),
                outgoing: column(&h.outgoing, self.width, 2),
            })
        });
        Some(Self {
            times: self.times.clone(),
            values: column(&self.values, self.width, 1),
            width: 1,
            handles,
            ..*self
        })
    }

    /// Subtracts `reference` (`width` numbers) from every key: differences of numbers, and
    /// `reference⁻¹ · value` of rotations. Choices have no difference and stay.
    fn subtract(&mut self, reference: &[f32]) {
        let w = self.width;
        let parts = if self.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        match self.kind {
            CurveKind::Choice => {}
            CurveKind::Numbers => {
                for key in self.values.chunks_exact_mut(parts * w) {
                    // Tangents are differences already.
                    let value = &mut key[(parts / 2) * w..][..w];
                    value.iter_mut().zip(reference).for_each(|(v, r)| *v -= r);
                }
                if let Some(h) = &mut self.handles {
                    for list in [&mut h.incoming, &mut h.outgoing] {
                        for (i, v) in list.iter_mut().skip(1).step_by(2).enumerate() {
                            *v -= reference[i % w];
                        }
                    }
                }
            }
            CurveKind::Rotation => {
                let back = Quat::from_slice(reference);
                let back = math::normalize_or_identity(back).conjugate();
                // The product is linear: tangents turn with the values.
                for q in self.values.chunks_exact_mut(4) {
                    let turned = back * Quat::from_slice(q);
                    q.copy_from_slice(&turned.to_array());
                }
                if let Some(h) = &mut self.handles {
                    for list in [&mut h.incoming, &mut h.outgoing] {
                        for key in list.chunks_exact_mut(8) {
                            let q = Quat::from_xyzw(key[1], key[3], key[5], key[7]);
                            let q = (back * q).to_array();
                            (0..4).for_each(|c| key[2 * c + 1] = q[c]);
                        }
                    }
                }
            }
        }
    }
}

impl<T> Clip<T> {
    /// The first clip of that name, exactly.
    pub fn find(clips: &[Self], name: &str) -> Option<usize> {
        clips.iter().position(|c| c.name == name)
    }

    /// Sets the duration to the last key of any track; 0 without tracks.
    pub fn reset_duration(&mut self) {
        self.duration = self.tracks.iter().map(|t| t.curve.end()).fold(0.0, f32::max);
    }

    /// Drops the keys and marks before 0 and after the duration; see [`Curve::trim`].
    pub fn trim(&mut self) {
        for t in &mut self.tracks {
            t.curve.trim(0.0, self.duration);
        }
        self.marks.retain(|m| (0.0..=self.duration).contains(&m.time));
    }

    /// Drops keys that say nothing; see [`Curve::optimize`].
    pub fn optimize(&mut self) {
        self.tracks.iter_mut().for_each(|t| t.curve.optimize());
    }
}

impl<T: Clone> Clip<T> {
    /// The part from `start` to `end` (not included), in frames at `fps` frames a second, moved
    /// to begin at its first key. Tracks without a key in there are left out.
    pub fn subclip(&self, name: impl Into<String>, start: f32, end: f32, fps: f32) -> Self {
        let inside = |t: f32| {
            let frame = f64::from(t) * f64::from(fps);
            frame >= f64::from(start) && frame < f64::from(end)
        };
        let mut tracks: Vec<Track<T>> = Vec::new();
        for t in &self.tracks {
            if t.curve.times().iter().any(|t| inside(*t)) {
                let mut t = t.clone();
                let times = t.curve.times.clone();
                t.curve.keep(|i| inside(times[i]));
                tracks.push(t);
            }
        }
        let first = tracks.iter().map(|t| t.curve.times()[0]).fold(f32::INFINITY, f32::min);
        let mut marks = self.marks.clone();
        if first.is_finite() {
            for t in &mut tracks {
                // Keys only move toward 0: times stay finite and in order.
                t.curve.map_times(|t| t - first).unwrap_or_default();
            }
            marks.retain(|m| inside(m.time));
            marks.iter_mut().for_each(|m| m.time -= first);
        }
        let mut out =
            Self { name: name.into(), duration: 0.0, additive: self.additive, marks, tracks };
        out.reset_duration();
        out
    }
}

impl<T: PartialEq> Clip<T> {
    /// Turns the clip into differences to what `reference` holds at `time` seconds (at its first
    /// key before it, at its last key after it), and marks it as additive. Tracks whose target the
    /// reference does not move, and choices, stay as they are.
    pub fn make_additive_to(&mut self, reference: &Self, time: f64) {
        for r in &reference.tracks {
            let value = reference_value(&r.curve, time);
            let same = |t: &&mut Track<T>| t.target == r.target && t.curve.kind == r.curve.kind;
            if let Some(t) = self.tracks.iter_mut().find(same)
                && t.curve.width == value.len()
            {
                t.curve.subtract(&value);
            }
        }
        self.additive = true;
    }

    /// Turns the clip into differences to its own values at `time` seconds; see
    /// [`Clip::make_additive_to`].
    pub fn make_additive(&mut self, time: f64) {
        for t in &mut self.tracks {
            let value = reference_value(&t.curve, time);
            t.curve.subtract(&value);
        }
        self.additive = true;
    }
}

fn reference_value(curve: &Curve, time: f64) -> Vec<f32> {
    let mut value = vec![0.0; curve.width];
    curve.sample_at(time, Endings::default(), &mut 0, &mut value);
    value
}

/// The order that sorts `times`; keys at one time keep their order.
pub fn key_order(times: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
    order
}

/// `values`, `stride` numbers a key, in the given order of keys. Keys that do not exist are left
/// out.
pub fn in_order(values: &[f32], stride: usize, order: &[usize]) -> Vec<f32> {
    let key = |i: &usize| values.get(i * stride..(i + 1) * stride);
    order.iter().filter_map(key).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubic() -> Curve {
        let values = vec![0.0, 1.0, 2.0, -1.0, 3.0, 0.0];
        Curve::new(vec![1.0, 3.0], values, 1, Interpolation::CubicSpline).expect("curve")
    }

    fn at(c: &Curve, t: f32) -> f32 {
        let mut out = [0.0];
        c.sample(t, &mut 0, &mut out);
        out[0]
    }

    #[test]
    fn a_scaled_cubic_spline_has_the_same_shape() {
        let (a, mut b) = (cubic(), cubic());
        b.scale(2.0).expect("scaled");
        b.shift(1.0).expect("shifted");
        for k in 0..=8 {
            let t = 1.0 + k as f32 * 0.25;
            assert!((at(&a, t) - at(&b, 2.0 * t + 1.0)).abs() < 1e-6, "t {t}");
        }
    }

    #[test]
    fn edits_that_break_a_curve_leave_it_alone() {
        let mut c = cubic();
        assert_eq!(c.scale(-1.0), Err(CurveError::TimeOrder(1)));
        assert_eq!(c.shift(f32::INFINITY), Err(CurveError::TimeNotFinite(0)));
        let linear = Interpolation::Linear;
        assert_eq!(c.set_interpolation(linear), Err(CurveError::Unsupported(linear)));
        assert_eq!(c, cubic());
    }

    #[test]
    fn moving_keys_of_equal_value_are_kept() {
        // Value 1 three times, but tangents at the middle key.
        let v = vec![0.0, 1.0, 0.0, 5.0, 1.0, 5.0, 0.0, 1.0, 0.0];
        let mut c = Curve::new(vec![0.0, 1.0, 2.0], v, 1, Interpolation::CubicSpline).expect("c");
        c.optimize();
        assert_eq!(c.times().len(), 3);
        let v = vec![0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let mut c = Curve::new(vec![0.0, 1.0, 2.0], v, 1, Interpolation::CubicSpline).expect("c");
        c.optimize();
        assert_eq!(c.times(), [0.0, 2.0]);
    }

    #[test]
    fn a_component_moves_as_the_whole() {
        let times = vec![0.0, 1.0, 2.0];
        let values: Vec<f32> = (0..9).map(|i| ((i * 7) % 5) as f32).collect();
        let whole = Curve::new(times, values, 3, Interpolation::Smooth).expect("curve");
        let mut all = [0.0; 3];
        whole.sample(1.3, &mut 0, &mut all);
        for c in 0..3 {
            assert_eq!(at(&whole.component(c).expect("component"), 1.3), all[c]);
        }
        assert_eq!(whole.component(3), None);
    }

    #[test]
    fn a_difference_put_back_is_the_original() {
        let turn = |a: f32| math::rotation(glam::Vec3::Y, a).to_array();
        let values: Vec<f32> = [turn(0.2), turn(1.4)].concat();
        let curve = Curve::rotation(vec![0.0, 1.0], values, Interpolation::Linear).expect("curve");
        let mut clip = Clip::new("c", vec![Track { target: 0u8, curve }]);
        clip.make_additive(0.5);
        let mut q = [0.0; 4];
        clip.tracks[0].curve.sample(1.0, &mut 0, &mut q);
        let back = math::rotation(glam::Vec3::Y, 0.8) * Quat::from_array(q);
        assert!(back.dot(math::rotation(glam::Vec3::Y, 1.4)).abs() > 0.999_999);
        assert!(clip.additive);
    }
}
