//! Boxes around posed characters without visiting their vertices.

mod cells;
mod shape;
mod supports;
mod trials;

use crate::{Aabb, Affine, ChannelId, Character, Transform};
use cells::{Cell, PARTS, Points};
use glam::Vec3;
use shape::Shape;
use supports::{DIRECTIONS, reach};

/// Hulls side by side, so that one instruction can work on all of them.
const LANES: usize = 4;
/// Room for rounding, relative to the size of the numbers: single precision errs by 6e-8 an
/// operation, and a vertex sums some dozens of products.
const ROUNDING: f32 = 4e-6;

/// One number a hull.
type Lanes = [f32; LANES];
/// Highest along x, y, z, then highest against them; two places are spare.
type Faces = [f32; 8];

/// What holds all vertices that follow a palette entry, four entries at a time.
#[derive(Clone, Debug, PartialEq)]
struct Block {
    entries: [u32; LANES],
    center: [Lanes; 3],
    /// Half axes, each with its three components.
    axes: [[Lanes; 3]; 3],
    round: Lanes,
    edge: Lanes,
}

/// Vertices that follow one mean of palette entries.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    /// A range of [`PosedBounds::weights`].
    weights: (u32, u32),
    center: Vec3,
    /// Of a ball around the vertices.
    radius: f32,
    /// What its weights lack to sum to 1.
    lack: f32,
    /// A range of [`PosedBounds::reaches`].
    reaches: (u32, u32),
}

/// A palette entry, with the place of its hull, and a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weight {
    hull: u32,
    entry: u32,
    weight: f32,
}

/// What a morph target at weight 1 does to a cell: a box of differences.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reach {
    channel: ChannelId,
    center: Vec3,
    half: Vec3,
}

/// What bounds a character in any pose. Made once, shared by all copies.
///
/// A vertex is a mean, by its weights, of the places to which its joints would carry it. So of every
/// joint's vertices one hull is kept: the space in which a box, an ellipsoid and an octahedron of the
/// same axes overlap. How far hulls reach, weighted as a vertex is, bounds how far it can reach.
/// For those that may stick out there are cells: vertices of weights that are halves (or thirds,
/// quarters), with a table of how far they reach in 150 directions of bind space, which the cell's
/// matrix turns into those of the pose; a vertex of other weights is a mean of the nearest such
/// ones and belongs to the cell of each. Cells that often make the box come first, so most of the
/// others are passed over by their hulls. The box is never smaller than the posed character, and a
/// few per cent larger.
///
/// Meshes that a channel of visibility can hide count as shown. Weights must not be negative; see
/// [`Influences::normalize`](crate::Influences::normalize).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedBounds {
    hulls: Vec<Block>,
    cells: Vec<Part>,
    weights: Vec<Weight>,
    /// [`DIRECTIONS`] distances from the centre of each cell.
    supports: Vec<f32>,
    reaches: Vec<Reach>,
}

impl PosedBounds {
    /// Tight, for the shown meshes of `character`. Poses it some dozens of times to find how fine
    /// cells must be.
    pub fn new(character: &Character) -> Self {
        let points = Points::new(character, true);
        let trials = trials::trials(character);
        let mut out = Self::default();
        for parts in PARTS {
            let mut cells = points.cells(parts, true);
            trials::order(&mut cells, &trials);
            let is_mixed = cells.iter().any(|c| c.weights.len() > 1);
            out = Self::of(points.hulls(), cells);
            if (!is_mixed && parts > 1) || trials.iter().all(|t| t.is_fine(&out)) {
                break;
            }
        }
        out
    }

    /// Hulls alone: quick to make and to measure, and no smaller than the truth either; enough to tell
    /// what is out of sight.
    pub fn rough(character: &Character) -> Self {
        let points = Points::new(character, false);
        Self::of(points.hulls(), points.cells(PARTS[0], false))
    }

    fn of(hulls: Vec<(u32, Shape)>, cells: Vec<Cell>) -> Self {
        let mut out = Self::default();
        for cell in cells {
            let first = (out.weights.len() as u32, out.reaches.len() as u32);
            let sum: f32 = cell.weights.iter().map(|w| w.1).sum();
            out.weights.extend(cell.weights.iter().map(|(entry, weight)| {
                let hull = hulls.partition_point(|h| h.0 < *entry) as u32;
                Weight { hull, entry: *entry, weight: *weight }
            }));
            out.supports.extend(cell.supports);
            out.reaches.extend(cell.reaches);
            out.cells.push(Part {
                weights: (first.0, out.weights.len() as u32),
                center: cell.center,
                radius: cell.radius,
                // Means are means whatever rounding says.
                lack: if (sum - 1.0).abs() < 1e-6 { 0.0 } else { 1.0 - sum },
                reaches: (first.1, out.reaches.len() as u32),
            });
        }
        out.hulls = hulls.chunks(LANES).map(Block::new).collect();
        out
    }

    /// How many cells of vertices there are.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// The box around the character in the host's world, for a palette written by its layout, the
    /// channels of a pose, and the pose's root. [`Aabb::EMPTY`] where nothing is shown.
    ///
    /// # Panics
    /// Where palette or channels are not of this character.
    pub fn measure(&self, palette: &[Affine], channels: &[f32], root: &Transform) -> Aabb {
        let root = (*root != Transform::IDENTITY).then(|| Affine::from(root));
        self.measure_at(palette, channels, root.as_ref())
    }

    /// As [`PosedBounds::measure`], with the root as a matrix; `None` is the identity.
    ///
    /// # Panics
    /// As [`PosedBounds::measure`].
    pub fn measure_at(&self, palette: &[Affine], channels: &[f32], root: Option<&Affine>) -> Aabb {
        // Room for the hulls on the stack, no more of it than is needed.
        match self.hulls.len() {
            0..=4 => self.measure_in(&mut [[0.0; 8]; 16], palette, channels, root),
            5..=8 => self.measure_in(&mut [[0.0; 8]; 32], palette, channels, root),
            9..=16 => self.measure_in(&mut [[0.0; 8]; 64], palette, channels, root),
            17..=64 => self.measure_in(&mut [[0.0; 8]; 256], palette, channels, root),
            _ => self.measure_in(&mut [[0.0; 8]; 1024], palette, channels, root),
        }
    }

    fn measure_in(
        &self,
        hulls: &mut [Faces],
        palette: &[Affine],
        channels: &[f32],
        root: Option<&Affine>,
    ) -> Aabb {
        let mut far: Lanes = [0.0; LANES];
        // Hulls beyond the room are taken for endless below.
        for (block, out) in self.hulls.iter().zip(hulls.chunks_exact_mut(LANES)) {
            block.faces(palette, root, out, &mut far);
        }
        let mut best: Faces = [f32::NEG_INFINITY; 8];
        let mut tables = self.supports.chunks_exact(DIRECTIONS);
        for cell in &self.cells {
            let table = tables.next().unwrap_or_default();
            let weights = &self.weights[cell.weights.0 as usize..cell.weights.1 as usize];
            let mut most: Faces = [0.0; 8];
            for w in weights {
                let hull = hulls.get(w.hull as usize).unwrap_or(&ENDLESS);
                for f in 0..8 {
                    most[f] += hull[f] * w.weight;
                }
            }
            let hull = most;
            let mut moved = (Vec3::ZERO, Vec3::ZERO);
            if cell.reaches.0 < cell.reaches.1 {
                let reaches = &self.reaches[cell.reaches.0 as usize..cell.reaches.1 as usize];
                moved = morphed(reaches, channels);
                if moved != (Vec3::ZERO, Vec3::ZERO) {
                    most = ENDLESS;
                }
            }
            if cell.lack != 0.0 {
                most = ENDLESS;
            }
            let mut sticks_out = false;
            for f in 0..8 {
                sticks_out |= most[f] > best[f];
            }
            if sticks_out {
                let cell = Close { cell, weights, palette, root, table, hull, moved };
                cell.grow(&most, &mut best);
            }
        }
        finish(&best, &far)
    }
}

/// What may reach anywhere. The spare places are never beyond anything.
const ENDLESS: Faces = {
    let i = f32::INFINITY;
    [i, i, i, f32::NEG_INFINITY, i, i, i, f32::NEG_INFINITY]
};

/// How morph targets move a cell: its centre, and how far around it.
fn morphed(reaches: &[Reach], channels: &[f32]) -> (Vec3, Vec3) {
    let (mut moved, mut half) = (Vec3::ZERO, Vec3::ZERO);
    for r in reaches {
        let w = channels[r.channel.index()];
        if w != 0.0 {
            moved += r.center * w;
            half += r.half * w.abs();
        }
    }
    (moved, half)
}

/// A cell that is looked at closely.
struct Close<'a> {
    cell: &'a Part,
    weights: &'a [Weight],
    palette: &'a [Affine],
    root: Option<&'a Affine>,
    /// Empty where only hulls are known.
    table: &'a [f32],
    hull: Faces,
    moved: (Vec3, Vec3),
}

impl Close<'_> {
    /// Moves the faces out that the cell sticks out of.
    fn grow(&self, most: &Faces, best: &mut Faces) {
        for r in 0..3 {
            let (up, down) = (most[r] > best[r], most[r + 4] > best[r + 4]);
            if !(up || down) {
                continue;
            }
            let [x, y, z, t] = self.row(r);
            let row = Vec3::new(x, y, z);
            let at = row.dot(self.cell.center + self.moved.0) + t;
            let extra = row.abs().dot(self.moved.1);
            if self.table.is_empty() {
                let extra = extra + row.dot(self.moved.0).abs();
                // What weights lack, the root has.
                let own = self.root.map_or(0.0, |root| root.rows[r][3]) * self.cell.lack;
                best[r] = larger(self.hull[r] + own + extra, best[r]);
                best[r + 4] = larger(self.hull[r + 4] - own + extra, best[r + 4]);
                continue;
            }
            // Most are within the box by a ball around them already.
            let ball = row.length() * self.cell.radius + extra;
            if up && at + ball > best[r] {
                let far = at + reach(self.table, [x, y, z]) + extra;
                best[r] = larger(smaller(far, most[r]), best[r]);
            }
            if down && ball - at > best[r + 4] {
                let far = reach(self.table, [-x, -y, -z]) + extra - at;
                best[r + 4] = larger(smaller(far, most[r + 4]), best[r + 4]);
            }
        }
    }

    /// A row of the cell's matrix.
    #[inline]
    fn row(&self, r: usize) -> [f32; 4] {
        let mean = |r: usize| {
            let mut row = [0.0f32; 4];
            for w in self.weights {
                let m = &self.palette[w.entry as usize].rows[r];
                for k in 0..4 {
                    row[k] += m[k] * w.weight;
                }
            }
            row
        };
        let Some(root) = self.root else { return mean(r) };
        let [a, b, c, t] = root.rows[r];
        let (x, y, z) = (mean(0), mean(1), mean(2));
        let mut row = [0.0, 0.0, 0.0, t];
        for k in 0..4 {
            row[k] += a * x[k] + b * y[k] + c * z[k];
        }
        row
    }
}

impl Block {
    /// Up to four hulls; free places repeat the first.
    fn new(hulls: &[(u32, Shape)]) -> Self {
        let at = |i: usize| hulls.get(i).unwrap_or(&hulls[0]);
        let lanes = |f: &dyn Fn(&Shape) -> f32| core::array::from_fn(|i| f(&at(i).1));
        Self {
            entries: core::array::from_fn(|i| at(i).0),
            center: core::array::from_fn(|k| lanes(&|s| s.center[k])),
            axes: core::array::from_fn(|a| core::array::from_fn(|k| lanes(&|s| s.axes[a][k]))),
            round: lanes(&|s| s.round),
            edge: lanes(&|s| s.edge),
        }
    }

    /// How far each hull reaches. `far` grows to the largest translation of a matrix, which rounding
    /// goes by.
    #[inline]
    fn faces(&self, palette: &[Affine], root: Option<&Affine>, out: &mut [Faces], far: &mut Lanes) {
        let m: [&Affine; LANES] = core::array::from_fn(|i| &palette[self.entries[i] as usize]);
        let mut rows = [[[0.0f32; LANES]; 4]; 3];
        for (r, rows) in rows.iter_mut().enumerate() {
            let four: [[f32; 4]; LANES] = [m[0].rows[r], m[1].rows[r], m[2].rows[r], m[3].rows[r]];
            for (k, lanes) in rows.iter_mut().enumerate() {
                *lanes = [four[0][k], four[1][k], four[2][k], four[3][k]];
            }
        }
        if let Some(root) = root {
            rows = placed(root, &rows);
        }
        for (r, [x, y, z, t]) in rows.iter().enumerate() {
            // How far the three half axes reach along this axis of the world.
            let mut reaches = [[0.0f32; LANES]; 3];
            for (reach, a) in reaches.iter_mut().zip(&self.axes) {
                for i in 0..LANES {
                    reach[i] = (x[i] * a[0][i] + y[i] * a[1][i] + z[i] * a[2][i]).abs();
                }
            }
            let c = &self.center;
            let (mut high, mut low) = ([0.0f32; LANES], [0.0f32; LANES]);
            for i in 0..LANES {
                let [a, b, d] = [reaches[0][i], reaches[1][i], reaches[2][i]];
                let round = (a * a + b * b + d * d).sqrt() * self.round[i];
                let edge = larger(a, larger(b, d)) * self.edge[i];
                let within = smaller(a + b + d, smaller(round, edge));
                let at = x[i] * c[0][i] + y[i] * c[1][i] + z[i] * c[2][i] + t[i];
                high[i] = within + at;
                low[i] = within - at;
                far[i] = larger(t[i].abs(), far[i]);
            }
            for i in 0..LANES {
                out[i][r] = high[i];
                out[i][r + 4] = low[i];
            }
        }
        // The spare places are never beyond anything.
        for out in out {
            (out[3], out[7]) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
        }
    }
}

/// The larger; `b` where `a` is not a number. One instruction, unlike `f32::max`.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

fn finish(best: &Faces, far: &Lanes) -> Aabb {
    let max = Vec3::new(best[0], best[1], best[2]);
    let min = -Vec3::new(best[4], best[5], best[6]);
    if !min.cmple(max).all() {
        return Aabb::EMPTY;
    }
    let far = far.iter().copied().fold(0.0, larger);
    let size = min.abs().max(max.abs()).max_element() + far;
    let room = Vec3::splat(size * ROUNDING);
    Aabb { min: min - room, max: max + room }
}

/// The rows of four matrices below a root.
#[inline]
fn placed(root: &Affine, m: &[[Lanes; 4]; 3]) -> [[Lanes; 4]; 3] {
    let mut out = [[[0.0f32; LANES]; 4]; 3];
    for (out, [x, y, z, t]) in out.iter_mut().zip(root.rows) {
        for (k, out) in out.iter_mut().enumerate() {
            let own = if k == 3 { t } else { 0.0 };
            for i in 0..LANES {
                out[i] = x * m[0][k][i] + y * m[1][k][i] + z * m[2][k][i] + own;
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
    fn hulls_side_by_side_reach_as_far_as_one_by_one() {
        let mut rng = Rng::new(3, 0);
        let mut vec = |s: f32| Vec3::from_array([0; 3].map(|_| rng.range(-s, s)));
        let palette: Vec<Affine> =
            (0..3).map(|_| Affine::from_cols(vec(1.0), vec(1.0), vec(1.0), vec(2.0))).collect();
        let mut shape = || Shape::of(&core::array::from_fn::<Vec3, 9, _>(|_| vec(1.0)));
        let hulls: Vec<(u32, Shape)> = (0..3).map(|e| (e, shape())).collect();
        let root = Affine::from_cols(Vec3::Y, Vec3::new(-2.0, 0.0, 0.1), Vec3::Z, Vec3::splat(5.0));
        for root in [None, Some(&root)] {
            let mut got = [[0.0; 8]; LANES];
            Block::new(&hulls).faces(&palette, root, &mut got, &mut [0.0; LANES]);
            for (k, (entry, shape)) in hulls.iter().enumerate() {
                let m = palette[*entry as usize];
                let m = root.map_or(m, |root| *root * m);
                let at = m.transform_point(shape.center);
                for r in 0..3 {
                    let [x, y, z, _] = m.rows[r];
                    let within = shape.reach(Vec3::new(x, y, z));
                    assert!((got[k][r] - (at[r] + within)).abs() < 1e-4);
                    assert!((got[k][r + 4] - (within - at[r])).abs() < 1e-4);
                }
            }
        }
        assert!(PosedBounds::default().measure_at(&[], &[], None).is_empty());
    }
}
