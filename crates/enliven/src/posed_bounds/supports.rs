//! How far a cell reaches in any direction, from how far it reaches in some.

use glam::Vec3;

/// Cells along each edge of a face of the cube of directions.
const CELLS: usize = 4;
/// Directions on one face: the corners of its cells.
const CORNERS: usize = (CELLS + 1) * (CELLS + 1);
/// Directions on all six faces.
pub(super) const DIRECTIONS: usize = 6 * CORNERS;

/// The direction at corner (u, v) of a face: the axis is ±1, the next two run from −1 to 1.
fn direction(face: usize, u: usize, v: usize) -> [f32; 3] {
    let at = |k: usize| 2.0 * k as f32 / CELLS as f32 - 1.0;
    let axis = face / 2;
    let mut d = [0.0; 3];
    d[axis] = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    d[(axis + 1) % 3] = at(u);
    d[(axis + 2) % 3] = at(v);
    d
}

/// How far the points reach from `center` along each direction.
pub(super) fn supports(points: &[Vec3], center: Vec3) -> Vec<f32> {
    let mut out = Vec::with_capacity(DIRECTIONS);
    for face in 0..6 {
        for u in 0..=CELLS {
            for v in 0..=CELLS {
                let d = Vec3::from_array(direction(face, u, v));
                let along = points.iter().map(|p| d.dot(*p - center));
                out.push(along.fold(f32::NEG_INFINITY, f32::max));
            }
        }
    }
    out
}

/// How far the points reach along `d`, times the length of `d`: at most the sum of what they reach
/// along the corners of a triangle around it, in the parts that make `d`. Of the two ways to cut a
/// cell the nearer counts.
#[inline]
pub(super) fn reach(supports: &[f32], d: [f32; 3]) -> f32 {
    let size = d.map(f32::abs);
    let axis = if size[0] >= size[1] && size[0] >= size[2] {
        0
    } else if size[1] >= size[2] {
        1
    } else {
        2
    };
    let most = size[axis];
    if most.is_nan() || most <= 0.0 {
        return 0.0;
    }
    let scale = CELLS as f32 * 0.5;
    let by = scale / most;
    let place = |x: f32| {
        let t = x * by + scale;
        // NaN and rounding go to an end.
        let cell = (t as usize).min(CELLS - 1);
        (cell, (t - cell as f32).clamp(0.0, 1.0))
    };
    let face = 2 * axis + usize::from(d[axis] < 0.0);
    let h = &supports[face * CORNERS..][..CORNERS];
    in_cell(h, place(d[(axis + 1) % 3]), place(d[(axis + 2) % 3])) * most
}

#[inline]
fn in_cell(h: &[f32], (u, fu): (usize, f32), (v, fv): (usize, f32)) -> f32 {
    let row = CELLS + 1;
    let i = u * row + v;
    let (h00, h01, h10, h11) = (h[i], h[i + 1], h[i + row], h[i + row + 1]);
    let one = if fu >= fv {
        h00 * (1.0 - fu) + h10 * (fu - fv) + h11 * fv
    } else {
        h00 * (1.0 - fv) + h01 * (fv - fu) + h11 * fu
    };
    let other = if fu + fv <= 1.0 {
        h00 * (1.0 - fu - fv) + h10 * fu + h01 * fv
    } else {
        h11 * (fu + fv - 1.0) + h01 * (1.0 - fu) + h10 * (1.0 - fv)
    };
    one.min(other)
}

/// Whether a point lies within what is reached from `center`, in every direction that is asked for.
pub(super) fn contains(supports: &[f32], center: Vec3, p: Vec3) -> bool {
    let p = p - center;
    let slack = 1e-6 * p.abs().max_element();
    let mut k = 0;
    for face in 0..6 {
        for u in 0..=CELLS {
            for v in 0..=CELLS {
                if Vec3::from_array(direction(face, u, v)).dot(p) > supports[k] + slack {
                    return false;
                }
                k += 1;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn a_reach_is_never_too_short_and_nearly_right() {
        let mut rng = Rng::new(2, 0);
        let mut point = |s: f32| Vec3::from_array([0; 3].map(|_| rng.range(-s, s)));
        for _ in 0..100 {
            let size = point(1.0);
            let points: Vec<Vec3> = (0..40).map(|_| point(1.0) * size).collect();
            let supports = supports(&points, Vec3::ZERO);
            let width = |d: Vec3| {
                let f = |max: fn(f32, f32) -> f32, none| {
                    points.iter().map(|p| d.dot(*p)).fold(none, max)
                };
                (f(f32::max, f32::NEG_INFINITY), -f(f32::min, f32::INFINITY))
            };
            for _ in 0..100 {
                let d = point(2.0);
                let (up, down) =
                    (reach(&supports, d.to_array()), reach(&supports, (-d).to_array()));
                let (true_up, true_down) = width(d);
                let slack = 1e-5 * d.length();
                assert!(up >= true_up - slack && down >= true_down - slack);
                let whole = true_up + true_down;
                assert!(up + down <= whole + 0.2 * size.length() * d.length());
            }
        }
        assert_eq!(reach(&supports(&[Vec3::ONE], Vec3::ZERO), [0.0; 3]), 0.0);
    }
}
