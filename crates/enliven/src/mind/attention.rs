//! What is looked at next.

use super::LookParams;
use crate::{Diagnostic, Rng, Severity, Side};
use glam::Vec3;

/// Something in the world that may be looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it is, in the host's world; may move.
    pub position: Vec3,
    /// How interesting it is beside [`LookParams::ahead`] and its like; 0 is never looked at by
    /// the way.
    pub weight: f32,
    /// Distance at which the character turns to it with its whole body, metres; 0 never.
    pub glance: f32,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interest {
    /// The path ahead.
    #[default]
    Ahead,
    /// A bank, a roadside.
    Side(Side),
    /// The sky.
    Sky,
    /// The viewer's eye.
    Viewer,
    /// The point of that index.
    Point(usize),
}

/// What is remembered of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory {
    /// What is left of its weight, in [0, 1].
    fresh: f32,
    /// It was glanced at in this pass.
    seen: bool,
    /// Nearest distance of this pass, metres; a pass is within twice the trigger.
    nearest: f32,
    /// It was passed without a glance because it never came near enough.
    missed: Option<f32>,
}

impl Memory {
    const NEW: Self = Self { fresh: 1.0, seen: false, nearest: f32::MAX, missed: None };
}

/// Points with what is remembered of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attention {
    points: Vec<Point>,
    memory: Vec<Memory>,
}

impl Attention {
    /// Adds a point; returns its index.
    pub fn add(&mut self, point: Point) -> usize {
        self.points.push(point);
        self.memory.push(Memory::NEW);
        self.points.len() - 1
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        self.points.clear();
        self.memory.clear();
    }

    /// The points.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The points, to move. What is remembered of them stays.
    pub fn points_mut(&mut self) -> &mut [Point] {
        &mut self.points
    }

    /// Points that were passed without a glance although they ask for one, with the nearest
    /// distance: their trigger does not fit the path.
    pub fn misses(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.memory.iter().enumerate().filter_map(|(i, m)| Some((i, m.missed?)))
    }

    /// Time passes: what was looked at gets interesting again, by a share `k` of what is missing.
    pub(super) fn recover(&mut self, k: f32) {
        for m in &mut self.memory {
            m.fresh += (1.0 - m.fresh) * k;
        }
    }

    /// A look at a point takes some of its interest.
    pub(super) fn looked(&mut self, at: Interest, params: &LookParams) {
        if let Interest::Point(i) = at
            && let Some(m) = self.memory.get_mut(i)
        {
            m.fresh *= params.habituation.clamp(0.0, 1.0);
        }
    }

    /// The point that wants a glance now: in reach, not seen in this pass. Keeps track of passes.
    pub(super) fn trigger(&mut self, from: Vec3, ready: bool) -> Option<usize> {
        let mut best: Option<(f32, usize)> = None;
        for (i, (p, m)) in self.points.iter().zip(&mut self.memory).enumerate() {
            if p.glance.is_nan() || p.glance <= 0.0 {
                continue;
            }
            let d = p.position.distance(from);
            if d <= 2.0 * p.glance {
                m.nearest = m.nearest.min(d);
            } else if m.nearest < f32::MAX {
                // The pass is over.
                if !m.seen && m.nearest >= p.glance {
                    m.missed = Some(m.nearest);
                }
                m.seen = false;
                m.nearest = f32::MAX;
            }
            if ready && !m.seen && d < p.glance && best.is_none_or(|(b, _)| d < b) {
                best = Some((d, i));
            }
        }
        let (_, i) = best?;
        self.seen(i);
        Some(i)
    }

    pub(super) fn seen(&mut self, i: usize) {
        if let Some(m) = self.memory.get_mut(i) {
            m.seen = true;
            m.missed = None;
        }
    }

    /// Draws the next thing to look at. Two numbers are drawn, whatever comes out: one for what,
    /// one for where within it.
    pub(super) fn choose(
        &self,
        params: &LookParams,
        viewer: f32,
        from: Vec3,
        now: Interest,
        rng: &mut Rng,
        ahead: impl Fn(Vec3) -> bool,
    ) -> (Interest, f32) {
        let draw = rng.unit();
        let within = rng.range(-1.0, 1.0);
        let weight = |w: f32, what: Interest| {
            // The same again is no change; it is less likely, not impossible.
            let again = if what == now { 0.3 } else { 1.0 };
            if w > 0.0 { w * again } else { 0.0 }
        };
        let fixed = [
            (Interest::Ahead, params.ahead),
            (Interest::Side(Side::Left), params.side),
            (Interest::Side(Side::Right), params.side),
            (Interest::Sky, params.sky),
            (Interest::Viewer, viewer),
        ];
        let point = |i: usize| {
            let (p, m) = (&self.points[i], &self.memory[i]);
            let d = p.position.distance(from);
            if ahead(p.position) {
                p.weight * m.fresh / (1.0 + d / params.reach.max(1e-3))
            } else {
                0.0
            }
        };
        let all = || {
            let points = (0..self.points.len()).map(|i| (Interest::Point(i), point(i)));
            fixed.iter().copied().chain(points).map(|(what, w)| (what, weight(w, what)))
        };
        let sum: f32 = all().map(|(_, w)| w).sum();
        let mut left = draw * sum;
        for (what, w) in all() {
            if w > 0.0 && left < w {
                return (what, within);
            }
            left -= w;
        }
        (Interest::Ahead, within)
    }
}

/// Whether each point's glance can fire on a path: a 5 m trigger on a lane that passes at 5.3 m
/// never does (A12). `path` are positions of the character's head along the way, dense enough that
/// the straight line between two of them is the way.
pub fn check_triggers(points: &[Point], path: &[Vec3]) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (i, p) in points.iter().enumerate().filter(|(_, p)| p.glance > 0.0) {
        let to_segment = |w: &[Vec3]| {
            let (a, d) = (w[0], w[w.len() - 1] - w[0]);
            let l = d.length_squared();
            let t = if l > 0.0 { ((p.position - a).dot(d) / l).clamp(0.0, 1.0) } else { 0.0 };
            (a + d * t).distance(p.position)
        };
        let pairs = path.windows(2).map(to_segment);
        let nearest = pairs.chain(path.first().map(|a| a.distance(p.position)));
        let nearest = nearest.fold(f32::MAX, f32::min);
        if nearest >= p.glance {
            out.push(Diagnostic::new(
                Severity::Warning,
                "GLANCE_NEVER_FIRES",
                format!("point {i}"),
                format!(
                    "the trigger is {:.2} m, but the path comes no nearer than {nearest:.2} m",
                    p.glance
                ),
            ));
        }
    }
    out
}
