//! Vertices gathered by what they follow.

use super::shape::Shape;
use super::supports::{contains, supports};
use super::{ROUNDING, Reach};
use crate::{Aabb, Affine, Binding, Character, Mesh};
use glam::Vec3;
use std::collections::BTreeMap;

/// Weights of cells are multiples of one of these parts; the first that is fine enough for a character
/// counts.
pub(super) const PARTS: [u8; 5] = [1, 2, 3, 4, 6];
/// Weights of a vertex that sum to 1 within this make a mean.
const SUM_TOLERANCE: f32 = 1e-4;

/// Palette entries and weights, rising by entry.
pub(super) type Weights = Vec<(u32, f32)>;

/// A vertex, or several in one place that follow the same.
#[derive(Clone, Debug)]
struct Point {
    at: Vec3,
    /// Its own weights, in parts of their sum.
    weights: Weights,
    sum: f32,
    /// Morph targets that move it: a vertex of a mesh.
    morphed: Option<(u32, u32)>,
}

/// Points that follow the same mean of palette entries.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) weights: Weights,
    pub(super) center: Vec3,
    /// Of a ball around it.
    pub(super) radius: f32,
    /// How far it reaches from the centre.
    pub(super) supports: Vec<f32>,
    pub(super) reaches: Vec<Reach>,
}

/// The vertices of a character, each once.
pub(super) struct Points<'a> {
    character: &'a Character,
    list: Vec<Point>,
}

impl<'a> Points<'a> {
    /// `each_once`: vertices in one place that follow the same count once.
    pub(super) fn new(character: &'a Character, each_once: bool) -> Self {
        let layout = character.palette_layout();
        let mut list = Vec::new();
        for (i, mesh) in character.meshes.iter().enumerate().filter(|(_, m)| m.shown) {
            gather(mesh, i as u32, layout.base(i), &mut list);
        }
        if !each_once {
            return Self { character, list };
        }
        let key = |p: &Point| {
            let weights = p.weights.iter().map(|(e, w)| (*e, w.to_bits())).collect::<Vec<_>>();
            (weights, p.at.to_array().map(f32::to_bits), p.morphed)
        };
        list.sort_by_cached_key(key);
        list.dedup_by(|a, b| a.morphed == b.morphed && a.at == b.at && a.weights == b.weights);
        Self { character, list }
    }

    /// For each palette entry what holds all points that follow it with any weight.
    pub(super) fn hulls(&self) -> Vec<(u32, Shape)> {
        let mut followers: BTreeMap<u32, Vec<Vec3>> = BTreeMap::new();
        for p in &self.list {
            for (entry, _) in &p.weights {
                followers.entry(*entry).or_default().push(p.at);
            }
        }
        let shape = |at: Vec<Vec3>| {
            let mut shape = Shape::of(&at);
            // The numbers above were rounded too.
            shape.axes = shape.axes.map(|a| a * (1.0 + ROUNDING));
            shape
        };
        followers.into_iter().map(|(entry, at)| (entry, shape(at))).collect()
    }

    /// Gathered by weights that are multiples of a part: each point is in the cells of all corners
    /// of which it is a mean. What cells of one entry hold in any pose is in no other cell.
    ///
    /// Without `tables` nothing is known of cells but what morph targets do to them.
    pub(super) fn cells(&self, parts: u8, tables: bool) -> Vec<Cell> {
        // What morph targets move is apart: their reach then widens the box by no more than it must.
        type Key = (bool, Vec<(u32, u32)>);
        let mut found: BTreeMap<Key, Vec<&Point>> = BTreeMap::new();
        for p in &self.list {
            for corner in corners(&p.weights, p.sum, parts) {
                let bits = corner.iter().map(|(e, w)| (*e, w.to_bits())).collect();
                found.entry((p.morphed.is_some(), bits)).or_default().push(p);
            }
        }
        let make = |(morphed, bits): &Key, points: &[&Point]| {
            let at: Vec<Vec3> = points.iter().map(|p| p.at).collect();
            let center = Aabb::of(at.iter().copied()).center();
            let supports = if tables { supports(&at, center) } else { Vec::new() };
            let members = points.iter().filter_map(|p| p.morphed).collect();
            let reaches = if *morphed { reaches(self.character, members) } else { Vec::new() };
            let weights = bits.iter().map(|(e, w)| (*e, f32::from_bits(*w))).collect();
            let radius = at.iter().map(|p| p.distance(center)).fold(0.0, f32::max);
            let radius = radius * (1.0 + ROUNDING);
            Cell { weights, center, radius, supports, reaches }
        };
        let is_pure = |key: &Key| matches!(key.1[..], [(_, w)] if w == 1f32.to_bits());
        let mut out = Vec::with_capacity(found.len());
        let mut pure: BTreeMap<u32, usize> = BTreeMap::new();
        for (key, points) in found.iter().filter(|f| is_pure(f.0)) {
            if !key.0 {
                pure.insert(key.1[0].0, out.len());
            }
            out.push(make(key, points));
        }
        let is_held = |p: &&Point| {
            let by = |cell: &Cell| contains(&cell.supports, cell.center, p.at);
            let held = |e: &(u32, f32)| pure.get(&e.0).is_some_and(|i| by(&out[*i]));
            p.sum == 1.0 && p.morphed.is_none() && p.weights.iter().all(held)
        };
        let mut mixed = Vec::new();
        for (key, points) in found.iter().filter(|f| !is_pure(f.0)) {
            let rest: Vec<&Point> = points.iter().copied().filter(|p| !is_held(p)).collect();
            if !rest.is_empty() {
                mixed.push(make(key, &rest));
            }
        }
        out.extend(mixed);
        out
    }
}

impl Cell {
    /// The mean of the matrices that the cell follows.
    pub(super) fn matrix(&self, palette: &[Affine]) -> Affine {
        let mut rows = [[0.0; 4]; 3];
        for (entry, w) in &self.weights {
            for (row, m) in rows.iter_mut().zip(&palette[*entry as usize].rows) {
                row.iter_mut().zip(m).for_each(|(o, m)| *o += m * w);
            }
        }
        Affine { rows }
    }
}

/// The vertices of a mesh.
fn gather(mesh: &Mesh, index: u32, base: u32, out: &mut Vec<Point>) {
    let g = &mesh.geometry;
    let skinned = matches!(mesh.binding, Binding::Skin(_));
    for v in (0..g.vertex_count()).filter(|v| g.positions[*v].is_finite()) {
        let moves = g.morphs.iter().any(|t| t.positions.get(v).is_some_and(|d| *d != Vec3::ZERO));
        let mut weights: Weights = Vec::new();
        let mut sum = 1.0;
        if let (true, Some(f)) = (skinned, &g.influences) {
            let span = v * f.per_vertex..(v + 1) * f.per_vertex;
            for (j, w) in f.joints[span.clone()].iter().zip(&f.weights[span]) {
                let entry = base + u32::from(*j);
                // One joint may stand in several places.
                match weights.iter_mut().find(|a| a.0 == entry) {
                    Some(a) => a.1 += w,
                    None if *w > 0.0 => weights.push((entry, *w)),
                    None => {}
                }
            }
            let total: f32 = weights.iter().map(|a| a.1).sum();
            if weights.is_empty() || total.is_nan() || total <= 0.0 {
                // Nothing holds it: it collapses to the origin.
                (weights, sum) = (vec![(base, 1.0)], 0.0);
            } else {
                sum = if (total - 1.0).abs() <= SUM_TOLERANCE { 1.0 } else { total };
                weights.iter_mut().for_each(|w| w.1 /= total);
                weights.sort_unstable_by_key(|a| a.0);
            }
        } else {
            weights.push((base, 1.0));
        }
        let morphed = moves.then_some((index, v as u32));
        out.push(Point { at: g.positions[v], weights, sum, morphed });
    }
}

/// The weights that are multiples of a part of which `all` is a mean: the corners of the simplex
/// around it in the triangulation of H. W. Kuhn ("Some combinatorial lemmas in topology", 1960).
/// In running sums of weights a simplex goes from whole numbers up by one in one coordinate after
/// the other, those with the largest fraction first. `all` sums to 1; what comes out, to `sum`.
fn corners(all: &[(u32, f32)], sum: f32, parts: u8) -> Vec<Weights> {
    let n = f32::from(parts);
    let mut running = 0.0;
    let mut floors: Vec<u8> = Vec::with_capacity(all.len());
    let mut fractions: Vec<(f32, usize)> = Vec::new();
    for (i, (_, w)) in all.iter().enumerate() {
        running += w;
        let place = if i + 1 == all.len() { n } else { (running * n).clamp(0.0, n) };
        floors.push(place as u8);
        let fraction = place - f32::from(floors[i]);
        if fraction > 0.0 {
            fractions.push((fraction, i));
        }
    }
    // Of equal fractions the later goes first: running sums never decrease then.
    fractions.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    let unit = sum / n;
    let corner = |sums: &[u8]| {
        let before = core::iter::once(0).chain(sums.iter().copied());
        let steps = sums.iter().zip(before).map(|(s, b)| s - b);
        let parts = all.iter().zip(steps).filter(|p| p.1 > 0);
        parts.map(|((entry, _), k)| (*entry, unit * f32::from(k))).collect::<Weights>()
    };
    let mut out = vec![corner(&floors)];
    for (_, i) in fractions {
        floors[i] += 1;
        out.push(corner(&floors));
    }
    out
}

/// How the morph targets move vertices, each a mesh and a vertex of it.
fn reaches(character: &Character, mut members: Vec<(u32, u32)>) -> Vec<Reach> {
    members.sort_unstable();
    let mut out = Vec::new();
    for part in members.chunk_by(|a, b| a.0 == b.0) {
        let mesh = &character.meshes[part[0].0 as usize];
        for (k, t) in mesh.geometry.morphs.iter().enumerate() {
            if t.positions.is_empty() {
                continue;
            }
            // What a target of this mesh does not move, it moves by 0.
            let zero = (part.len() < members.len()).then_some(Vec3::ZERO);
            let deltas = part.iter().map(|(_, v)| t.positions[*v as usize]).chain(zero);
            let b = Aabb::of(deltas);
            if !b.is_empty() && (b.min != Vec3::ZERO || b.max != Vec3::ZERO) {
                let channel = mesh.morph_channel(k);
                out.push(Reach { channel, center: b.center(), half: b.size() * 0.5 });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn weights_are_a_mean_of_the_corners_around_them() {
        let mut rng = Rng::new(7, 0);
        for parts in PARTS {
            for _ in 0..200 {
                let mut all: Weights = (0..4).map(|k| (k, rng.range(0.01, 1.0))).collect();
                let total: f32 = all.iter().map(|a| a.1).sum();
                all.iter_mut().for_each(|a| a.1 /= total);
                let found = corners(&all, 1.0, parts);
                let (mut low, mut high) = ([f32::MAX; 4], [0.0f32; 4]);
                for corner in &found {
                    let of = |k: u32| corner.iter().find(|c| c.0 == k).map_or(0.0, |c| c.1);
                    assert!(((0..4).map(of).sum::<f32>() - 1.0).abs() < 1e-6);
                    for k in 0..4 {
                        low[k] = low[k].min(of(k as u32));
                        high[k] = high[k].max(of(k as u32));
                    }
                }
                // The corners differ by a part at most, two where both sums beside it move.
                for k in 0..4 {
                    assert!(low[k] <= all[k].1 + 1e-4 && all[k].1 <= high[k] + 1e-4);
                    assert!(high[k] - low[k] <= 2.0 / f32::from(parts) + 1e-4);
                }
            }
        }
        assert_eq!(corners(&[(3, 1.0)], 1.0, 2), [[(3, 1.0)]]);
        assert_eq!(corners(&[(3, 0.5), (4, 0.5)], 1.0, 2), [[(3, 0.5), (4, 0.5)]]);
    }
}
