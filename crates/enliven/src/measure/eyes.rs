//! Eyes: round pieces in mirrored pairs, or what is named so.

use super::Scan;
use crate::field::{Eye, Pupil};
use crate::{Side, math};
use glam::Vec3;

const EYE: &[&str] = &["eye", "sclera", "eyeball"];
const PUPIL: &[&str] = &["pupil", "iris", "cornea"];
/// Names of what comes in pairs too and is no eye.
const OTHER: &[&str] = &[
    "arm", "leg", "hand", "foot", "feet", "paw", "wing", "fin", "ear", "horn", "boot", "shoe",
    "wheel", "blaster", "gun", "tooth", "teeth", "fang", "tusk", "claw", "brow", "eyebrow", "lid",
    "eyelid", "lash", "cheek", "nostril", "antenna", "mouth", "nose",
];

/// A pair needs this score to be taken for eyes without a name that says so.
const ENOUGH: f32 = 3.0;

/// Pieces that may be one eye: the ball and what lies in it.
struct Group {
    ball: usize,
    inner: Vec<usize>,
}

impl Scan {
    pub(super) fn eyes(&mut self) {
        let candidates: Vec<usize> =
            (0..self.surface.pieces.len()).filter(|i| self.may_be_eye(*i)).collect();
        let pair = self.best_pair(&candidates);
        let groups: Vec<Group> = match pair {
            Some((a, b)) => [a, b].iter().map(|i| self.group(*i)).collect(),
            None => self.single(&candidates).map(|i| self.group(i)).into_iter().collect(),
        };
        if groups.is_empty() {
            self.missing(
                "EYES_NOT_FOUND",
                "eyes",
                "no pair of round pieces and no part named so; eyes that are painted on a texture \
                 do not blink. Add them by hand where the model has any",
            );
            self.missing("FRONT_UNKNOWN", "front", "without eyes +Z is taken for the front");
            return;
        }
        self.find_front(&groups);
        let lateral = Vec3::Y.cross(self.anatomy.front);
        for g in &groups {
            let eye = self.eye(g, groups.len() == 1, lateral);
            self.anatomy.eyes.push(eye);
            self.taken[g.ball] = true;
            g.inner.iter().for_each(|i| self.taken[*i] = true);
        }
        self.anatomy.eyes.sort_by_key(|e| e.side);
        if self.anatomy.eyes.iter().any(|e| e.pupil.is_none()) {
            self.missing(
                "PUPILS_NOT_FOUND",
                "eyes",
                "the eyes have no pupil of their own: the gaze is shown by the head alone",
            );
        }
    }

    fn may_be_eye(&self, i: usize) -> bool {
        let c = &self.surface.pieces[i];
        let named = self.named_eye(i);
        let size = c.size().max_element() / self.height;
        let other = self.names.any(c.mesh, OTHER);
        i != self.main && size > 0.015 && size < if named { 1.3 } else { 0.4 } && (named || !other)
    }

    fn named_eye(&self, i: usize) -> bool {
        let mesh = self.surface.pieces[i].mesh;
        // A whole character called "Eye" would name every piece so.
        let says = |m: usize| self.names.any(m, EYE) || self.names.any(m, PUPIL);
        says(mesh) && !self.surface.starts.iter().enumerate().all(|(m, s)| s.is_none() || says(m))
    }

    /// How much one piece looks like an eye; a ball, a cap or a flat patch that faces outward.
    fn score(&self, i: usize) -> f32 {
        let c = &self.surface.pieces[i];
        let mut size = c.size().to_array();
        size.sort_by(f32::total_cmp);
        let round = size[1] / size[2].max(1e-9);
        let mut score = if round > 0.7 { 1.0 } else { -1.5 };
        let flat = size[0] < 0.05 * size[2];
        score += match self.sphere_fit(i) {
            _ if flat => 0.3,
            Some((_, error)) if error < 0.04 => 1.2,
            Some((_, error)) if error < 0.12 => 0.7,
            _ => -1.0,
        };
        let facing = self.facing(i);
        if flat && facing.y.abs() > 0.7 {
            score -= 3.0; // A sole or a button.
        }
        // Eyes sit high, and stand out from the body by colour.
        let up = (c.middle().y - self.low.y) / self.height;
        score += if up > 0.45 { 0.5 } else { -0.5 };
        let body = self.surface.pieces[self.main].color;
        let contrast = (c.color - body).abs().max_element();
        score += contrast.min(1.0) * 1.2;
        if self.names.any(c.mesh, EYE) {
            score += 4.0;
        } else if self.names.any(c.mesh, PUPIL) {
            score += 3.0;
        } else if self.names.any(c.mesh, &["left", "right"]) {
            score -= 1.5;
        }
        score
    }

    fn best_pair(&self, candidates: &[usize]) -> Option<(usize, usize)> {
        let mut best: Option<(f32, (usize, usize))> = None;
        for (k, &a) in candidates.iter().enumerate() {
            for &b in &candidates[k + 1..] {
                let Some(gap) = self.mirrored(a, b) else { continue };
                // Larger pieces hold the smaller ones: the white, not the glint in it.
                let size = self.surface.pieces[a].size().max_element() / self.height;
                let score = 0.5 * (self.score(a) + self.score(b)) + 2.0 - gap + size.min(0.2);
                if score >= ENOUGH && best.is_none_or(|(s, _)| score > s) {
                    best = Some((score, (a, b)));
                }
            }
        }
        best.map(|(_, p)| p)
    }

    /// Whether two pieces are mirror images beside the middle; how far off, of the height.
    fn mirrored(&self, a: usize, b: usize) -> Option<f32> {
        let (p, q) = (&self.surface.pieces[a], &self.surface.pieces[b]);
        let tolerance = 0.03 * self.height;
        let same = (p.size() - q.size()).abs().max_element();
        if same > 0.2 * p.size().max_element() {
            return None;
        }
        let middle = (self.low + self.high) * 0.5;
        let off = [0, 2].into_iter().filter_map(|axis| {
            let (m, n) = (p.middle(), q.middle());
            let mut d = (m - n).abs();
            let apart = d[axis];
            d[axis] = ((m[axis] + n[axis]) * 0.5 - middle[axis]).abs();
            let off = d.max_element();
            (off < tolerance && apart > 0.5 * p.size()[axis]).then_some(off / self.height)
        });
        off.min_by(f32::total_cmp)
    }

    /// The eye of a one-eyed body: only what is named so.
    fn single(&self, candidates: &[usize]) -> Option<usize> {
        let named = candidates.iter().copied().filter(|i| self.named_eye(*i));
        named.max_by(|a, b| self.score(*a).total_cmp(&self.score(*b)))
    }

    /// The largest of the pieces that lie in one another at this place is the ball.
    fn group(&self, i: usize) -> Group {
        let c = &self.surface.pieces[i];
        let reach = c.size().max_element() * 0.75;
        let size = |i: usize| self.surface.pieces[i].size().max_element();
        let mut near: Vec<usize> = (0..self.surface.pieces.len())
            .filter(|&k| {
                let named = self.named_eye(k);
                k != self.main
                    && self.surface.pieces[k].middle().distance(c.middle()) < reach
                    && size(k) < if named { 1.6 } else { 1.3 } * size(i)
                    && (named || !self.names.any(self.surface.pieces[k].mesh, OTHER))
            })
            .collect();
        near.sort_by(|a, b| size(*b).total_cmp(&size(*a)).then(a.cmp(b)));
        let pupil = |i: &usize| self.names.any(self.surface.pieces[*i].mesh, PUPIL);
        let ball = near.iter().copied().find(|i| !pupil(i)).unwrap_or(i);
        let inner = near.into_iter().filter(|k| *k != ball).collect();
        Group { ball, inner }
    }

    fn find_front(&mut self, groups: &[Group]) {
        let middle = |g: &Group| self.surface.pieces[g.ball].middle();
        let mean = groups.iter().map(middle).sum::<Vec3>() / groups.len() as f32;
        // Flat patches face the front; balls lie before the middle of the body.
        let mut ahead: Vec3 = groups.iter().map(|g| self.facing(g.ball)).sum();
        ahead.y = 0.0;
        let offset = mean - (self.low + self.high) * 0.5;
        let across = match groups {
            [a, b, ..] => (middle(a) - middle(b)).abs(),
            _ => Vec3::X,
        };
        let ahead = if ahead.length() > 0.6 * groups.len() as f32 { ahead } else { offset };
        let (axis, amount) =
            if across.x >= across.z { (Vec3::Z, ahead.z) } else { (Vec3::X, ahead.x) };
        let long = (self.high - self.low).dot(axis);
        if amount.abs() < 0.02 * long.max(1e-6) {
            self.missing("FRONT_UNKNOWN", "front", "the eyes lie in the middle: +Z is taken");
            return;
        }
        self.anatomy.front = axis * amount.signum();
    }

    /// Mean normal of a piece: 0 for a closed ball, long for a cap or a patch.
    fn facing(&self, i: usize) -> Vec3 {
        let mut sum = Vec3::ZERO;
        let mut area = 0.0;
        for t in &self.surface.triangles {
            if self.surface.piece[t[0] as usize] as usize == i {
                let [a, b, c] = t.map(|v| self.surface.points[v as usize]);
                let n = (b - a).cross(c - a);
                sum += n;
                area += n.length();
            }
        }
        if area > 0.0 { sum / area } else { Vec3::ZERO }
    }

    fn eye(&self, g: &Group, single: bool, lateral: Vec3) -> Eye {
        let c = &self.surface.pieces[g.ball];
        let center = c.middle();
        let side = (!single).then(|| {
            let x = (center - (self.low + self.high) * 0.5).dot(lateral);
            if x > 0.0 { Side::Left } else { Side::Right }
        });
        let half = c.size() * 0.5;
        let pupil = (!g.inner.is_empty()).then(|| {
            let low = g.inner.iter().map(|i| self.surface.pieces[*i].low);
            let high = g.inner.iter().map(|i| self.surface.pieces[*i].high);
            let low = low.fold(Vec3::MAX, Vec3::min);
            let high = high.fold(Vec3::MIN, Vec3::max);
            Pupil { center: (low + high) * 0.5, field: self.pieces(&g.inner) }
        });
        let offset = pupil.as_ref().map_or(Vec3::ZERO, |p| p.center - center);
        let facing = self.facing(g.ball);
        let forward = if offset.length() > 0.15 * half.max_element() {
            nearest_axis(offset)
        } else if facing.length() > 0.2 {
            facing.normalize()
        } else {
            self.anatomy.front
        };
        // Half the height across the look: the lid closes along it.
        let up = if forward.y.abs() > 0.9 { self.anatomy.front } else { Vec3::Y };
        let radius = half.dot(up.abs());
        Eye {
            side,
            center,
            radius,
            forward,
            field: self.piece(g.ball),
            pupil,
            inset: self.inset(g, center, half.max_element()),
        }
    }

    /// Whether the skin has a hole where the eye is: an open edge around it.
    fn inset(&self, g: &Group, center: Vec3, radius: f32) -> bool {
        use std::collections::BTreeMap;
        let s = &self.surface;
        let mut edges: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for t in &s.triangles {
            let piece = s.piece[t[0] as usize] as usize;
            if piece == g.ball
                || g.inner.contains(&piece)
                || s.points[t[0] as usize].distance(center) > 4.0 * radius
            {
                continue;
            }
            for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                let (a, b) = (s.weld[t[a] as usize], s.weld[t[b] as usize]);
                *edges.entry((a.min(b), a.max(b))).or_default() += 1;
            }
        }
        let mut place: BTreeMap<u32, Vec3> = BTreeMap::new();
        for (v, w) in s.weld.iter().enumerate() {
            place.entry(*w).or_insert(s.points[v]);
        }
        let open = edges.iter().filter(|(_, n)| **n == 1).filter(|((a, b), _)| {
            let p = (place[a] + place[b]) * 0.5;
            p.distance(center) < 1.6 * radius
        });
        open.count() >= 3
    }

    /// Least-squares sphere through a piece's vertices: radius, and mean error in radii.
    fn sphere_fit(&self, i: usize) -> Option<(f32, f32)> {
        // |p|² = 2c·p + (r² − |c|²): linear in c and k. Normal equations of 4 unknowns.
        let middle = self.surface.pieces[i].middle();
        let unit = self.surface.pieces[i].size().max_element().max(1e-9);
        let points: Vec<Vec3> =
            self.vertices(i).map(|v| (self.surface.points[v] - middle) / unit).collect();
        let mut m = [[0.0f64; 5]; 4];
        for p in &points {
            let row = [f64::from(p.x), f64::from(p.y), f64::from(p.z), 1.0];
            let b = f64::from(p.length_squared());
            for r in 0..4 {
                for c in 0..4 {
                    m[r][c] += row[r] * row[c];
                }
                m[r][4] += row[r] * b;
            }
        }
        let x = solve(m)?;
        let c = Vec3::new(x[0] as f32, x[1] as f32, x[2] as f32) * 0.5;
        let r2 = x[3] as f32 + c.length_squared();
        if r2.is_nan() || r2 <= 0.0 {
            return None;
        }
        let r = r2.sqrt();
        let error = points.iter().map(|p| (p.distance(c) - r).abs()).sum::<f32>();
        Some((r * unit, error / (points.len() as f32 * r)))
    }
}

/// The direction itself, or the axis that it is within 6° of.
fn nearest_axis(d: Vec3) -> Vec3 {
    let d = d.normalize_or(Vec3::Z);
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    axes.into_iter().find(|a| a.dot(d) > math::cos(0.1)).unwrap_or(d)
}

/// Gauss with pivots; `None` where the points lie in a plane.
fn solve(mut m: [[f64; 5]; 4]) -> Option<[f64; 4]> {
    for i in 0..4 {
        let p = (i..4).max_by(|a, b| m[*a][i].abs().total_cmp(&m[*b][i].abs()))?;
        m.swap(i, p);
        if m[i][i].abs() < 1e-9 {
            return None;
        }
        for r in 0..4 {
            if r != i {
                let f = m[r][i] / m[i][i];
                for c in i..5 {
                    m[r][c] -= f * m[i][c];
                }
            }
        }
    }
    Some([m[0][4] / m[0][0], m[1][4] / m[1][1], m[2][4] / m[2][2], m[3][4] / m[3][3]])
}
