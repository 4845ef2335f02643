//! What holds the vertices of a cell.

use glam::{Mat3, Vec3};

/// Where a box, an ellipsoid and an octahedron with common axes overlap. How far each reaches in a
/// direction is a norm of the same three numbers: their sum, the root of their squares, the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) center: Vec3,
    /// Half axes of the box, at right angles.
    pub(super) axes: [Vec3; 3],
    /// Size of the ellipsoid, in half axes: 1 to √3.
    pub(super) round: f32,
    /// Size of the octahedron, in half axes: 1 to 3.
    pub(super) edge: f32,
}

impl Shape {
    /// Around points: along their main axes or those of space, whichever is smaller.
    pub(super) fn of(points: &[Vec3]) -> Self {
        let plain = Self::along(points, &Mat3::IDENTITY);
        let turned = Self::along(points, &main_axes(points));
        if turned.area() < plain.area() { turned } else { plain }
    }

    /// With axes along the columns of a rotation.
    fn along(points: &[Vec3], axes: &Mat3) -> Self {
        let back = axes.transpose();
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for p in points {
            let q = back * *p;
            (low, high) = (low.min(q), high.max(q));
        }
        if points.is_empty() {
            (low, high) = (Vec3::ZERO, Vec3::ZERO);
        }
        let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
        let unit = |d: f32, half: f32| if half > 0.0 { (d / half).abs() } else { 0.0 };
        let (mut round, mut edge) = (0.0f32, 0.0f32);
        for p in points {
            let d = back * *p - middle;
            let u = Vec3::new(unit(d.x, half.x), unit(d.y, half.y), unit(d.z, half.z));
            round = round.max(u.length());
            edge = edge.max(u.element_sum());
        }
        Self {
            center: *axes * middle,
            axes: [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z],
            round,
            edge,
        }
    }

    /// Half of the box's surface: what it reaches on average goes by it.
    fn area(&self) -> f32 {
        let [a, b, c] = self.axes.map(Vec3::length);
        a * b + b * c + c * a + 1e-3 * (a + b + c)
    }

    /// How far it reaches from the centre along `d`, times the length of `d`.
    #[cfg(test)]
    pub(super) fn reach(&self, d: Vec3) -> f32 {
        let [a, b, c] = self.axes.map(|x| d.dot(x).abs());
        let round = (a * a + b * b + c * c).sqrt() * self.round;
        (a + b + c).min(round).min(a.max(b).max(c) * self.edge)
    }
}

/// The axes along which points spread most, in the columns: eigenvectors of their covariance, by
/// Jacobi's rotations.
fn main_axes(points: &[Vec3]) -> Mat3 {
    let n = points.len().max(1) as f32;
    let mean = points.iter().copied().sum::<Vec3>() / n;
    let mut a = [[0.0f32; 3]; 3];
    for p in points {
        let d = *p - mean;
        for r in 0..3 {
            for c in 0..3 {
                a[r][c] += d[r] * d[c];
            }
        }
    }
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0f32]];
    for (p, q) in [(0, 1), (0, 2), (1, 2)].into_iter().cycle().take(24) {
        if a[p][q].abs() < 1e-12 * (a[p][p] + a[q][q]).abs() + 1e-30 {
            continue;
        }
        let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let s = t * c;
        for k in 0..3 {
            let (x, y) = (a[k][p], a[k][q]);
            (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
        }
        for k in 0..3 {
            let (x, y) = (a[p][k], a[q][k]);
            (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
        }
        for row in &mut v {
            let (x, y) = (row[p], row[q]);
            (row[p], row[q]) = (c * x - s * y, s * x + c * y);
        }
    }
    let column = |k: usize| Vec3::new(v[0][k], v[1][k], v[2][k]);
    // At right angles to the last bit that counts, whatever rounding did.
    let x = column(0).try_normalize().unwrap_or(Vec3::X);
    let y = (column(1) - x * x.dot(column(1))).try_normalize();
    let y = y.unwrap_or_else(|| x.any_orthonormal_vector());
    let out = Mat3::from_cols(x, y, x.cross(y));
    if out.is_finite() { out } else { Mat3::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, math};

    #[test]
    fn a_shape_holds_its_points_and_reaches_beyond_none_of_them() {
        let mut rng = Rng::new(2, 0);
        let mut point = |s: f32| Vec3::from_array([0; 3].map(|_| rng.range(-s, s)));
        for n in [1, 2, 3, 40] {
            for _ in 0..50 {
                let (size, axis) = (point(1.0), point(1.0).normalize());
                let turn = math::rotation(axis, 1.0);
                let points: Vec<Vec3> = (0..n).map(|_| turn * (point(1.0) * size)).collect();
                let shape = Shape::of(&points);
                for _ in 0..50 {
                    let d = point(2.0);
                    let middle = d.dot(shape.center);
                    let reach = shape.reach(d);
                    let slack = 1e-5 * d.length();
                    let far = points.iter().map(|p| d.dot(*p)).fold(f32::NEG_INFINITY, f32::max);
                    let near = points.iter().map(|p| d.dot(*p)).fold(f32::INFINITY, f32::min);
                    assert!(middle + reach >= far - slack && middle - reach <= near + slack);
                    assert!(2.0 * reach <= far - near + 2.0 * size.length() * d.length());
                }
            }
        }
    }

    #[test]
    fn main_axes_are_those_of_a_stick() {
        let along = Vec3::new(1.0, 2.0, -0.5).normalize();
        let points: Vec<Vec3> = (0..9).map(|k| along * k as f32 + Vec3::ONE).collect();
        let axes = main_axes(&points);
        let best = [axes.x_axis, axes.y_axis, axes.z_axis].map(|a| a.dot(along).abs());
        assert!(best.iter().any(|b| *b > 0.9999), "{best:?}");
        let shape = Shape::of(&points);
        assert!(shape.reach(along.any_orthonormal_vector()) < 1e-3);
    }
}
