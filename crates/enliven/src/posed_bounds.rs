//! Boxes around posed characters without visiting their vertices.

use crate::{
    Aabb, Affine, Binding, ChannelId, Character, Geometry, Mesh, MorphTarget, Pose, Rng, Transform,
    math,
};
use glam::Vec3;
use std::collections::BTreeMap;

/// Weights of clusters are multiples of one of these parts; the first that is fine enough for a
/// character counts.
const PARTS: [u8; 5] = [1, 2, 3, 4, 6];
/// Poses on which that is tried, and how much larger than the truth the box may be on any axis
/// of any of them, as a part of the truth.
const TRIALS: usize = 64;
const ENOUGH: f32 = 0.07;
/// Each joint of such a pose is turned by up to so many radians, from rest or from a moment of a
/// clip.
const TRIAL_TURN: f32 = 0.5;
/// Cells along each edge of a face of the cube of directions.
const CELLS: usize = 4;
/// Directions on one face: the corners of its cells.
const CORNERS: usize = (CELLS + 1) * (CELLS + 1);
/// Directions on all six faces.
const DIRECTIONS: usize = 6 * CORNERS;
/// Weights of a vertex that sum to 1 within this make a mean.
const SUM_TOLERANCE: f32 = 1e-4;
/// Palette entries that a measurement can leave out; those beyond are always looked at.
const MOST_FLAGS: usize = 1024;
/// Room for rounding, relative to the size of the numbers: single precision errs by 6e-8 an
/// operation, and a vertex sums some dozens of products.
const ROUNDING: f32 = 4e-6;

/// Vertices that move nearly as one: by the same weights of the same palette entries.
#[derive(Clone, Debug, PartialEq)]
struct Cluster {
    /// Entries and weights: a range of [`PosedBounds::weights`].
    weights: (u32, u32),
    /// A ball around the vertices, in bind space.
    center: Vec3,
    radius: f32,
    /// Morphs: a range of [`PosedBounds::reaches`].
    reaches: (u32, u32),
    /// Whether its places are means of those to which its entries carry it, morphs aside.
    is_mean: bool,
}

/// A ball around all vertices that follow a palette entry with any weight.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ball {
    entry: u32,
    center: Vec3,
    radius: f32,
}

/// How far a morph target at weight 1 moves the vertices of a cluster: a box.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reach {
    channel: ChannelId,
    center: Vec3,
    half: Vec3,
}

/// What bounds a character in any pose. Made once, shared by all copies.
///
/// A vertex is a mean, by its weights, of the places to which its joints would carry it. Vertices
/// are gathered in clusters of weights that are halves (or thirds, quarters); a vertex of other
/// weights is a mean of the nearest such ones, belongs to each of their clusters, and lies within
/// the box around them. Of each cluster it is known how far it reaches in 150 directions of bind
/// space, which the cluster's matrix turns into those of any pose, and how far its morph targets
/// go. The box is never smaller than the posed character, and a few per cent larger.
///
/// Weights must not be negative; see [`Influences::normalize`](crate::Influences::normalize).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedBounds {
    /// Clusters of one entry, then mixed ones; in both those far out at rest come first.
    clusters: Vec<Cluster>,
    /// How many clusters have one entry.
    pure: usize,
    /// Entries, as indices into [`PosedBounds::balls`], and weights.
    weights: Vec<(u32, f32)>,
    balls: Vec<Ball>,
    /// [`DIRECTIONS`] distances from the centre of each cluster.
    supports: Vec<f32>,
    reaches: Vec<Reach>,
}

/// Entries and parts of a cluster, what the weights of its vertices sum to, as bits, and whether a
/// morph target moves them: the reach of morphs then widens the box by no more than it must.
type Key = (Vec<(u32, u8)>, u32, bool);
/// Mesh and vertex.
type Member = (u32, u32);

impl PosedBounds {
    /// For the shown meshes of `character`. Poses it a few times to find how fine clusters must
    /// be.
    pub fn new(character: &Character) -> Self {
        let trials = trials(character);
        let mut out = Self::default();
        for parts in PARTS {
            out = Self::with_parts(character, parts);
            let skinned = out.weights.iter().any(|w| w.1 != 1.0) || parts == 1;
            if !skinned || trials.iter().all(|t| t.is_fine(&out)) {
                break;
            }
        }
        out
    }

    fn with_parts(character: &Character, parts: u8) -> Self {
        let layout = character.palette_layout();
        let mut rest = vec![Affine::IDENTITY; layout.len()];
        layout.write(&character.rig.skeleton.rest_model(), &mut rest);
        let mut found: BTreeMap<Key, Vec<Member>> = BTreeMap::new();
        for (i, mesh) in character.meshes.iter().enumerate().filter(|(_, m)| m.shown) {
            gather(mesh, i as u32, layout.base(i), parts, &mut found);
        }
        let mut order = Vec::with_capacity(found.len());
        let mut followers: BTreeMap<u32, Vec<Vec3>> = BTreeMap::new();
        for (key, members) in &found {
            let place =
                |m: &Member| character.meshes[m.0 as usize].geometry.positions[m.1 as usize];
            let mut points: Vec<Vec3> = members.iter().map(place).collect();
            points.sort_unstable_by_key(|p| p.to_array().map(f32::to_bits));
            points.dedup();
            let center = Aabb::of(points.iter().copied()).center();
            let weights: Vec<(u32, f32)> = weights(key, parts).collect();
            let at = weights.iter().fold(Vec3::ZERO, |at, (entry, w)| {
                followers.entry(*entry).or_default().extend(&points);
                at + rest[*entry as usize].transform_point(center) * *w
            });
            order.push((weights.len() > 1, at.length(), weights, members, points, center));
        }
        order.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let mut out = Self { pure: order.iter().filter(|o| !o.0).count(), ..Self::default() };
        for (entry, points) in &followers {
            let center = Aabb::of(points.iter().copied()).center();
            out.balls.push(Ball { entry: *entry, center, radius: radius(points, center) });
        }
        for (_, _, weights, members, points, center) in order {
            let first = (out.weights.len() as u32, out.reaches.len() as u32);
            let sum: f32 = weights.iter().map(|w| w.1).sum();
            for (entry, w) in weights {
                let ball = out.balls.partition_point(|b| b.entry < entry) as u32;
                out.weights.push((ball, w));
            }
            out.reaches.extend(reaches(character, members));
            out.supports.extend(supports(&points, center));
            out.clusters.push(Cluster {
                weights: (first.0, out.weights.len() as u32),
                center,
                radius: radius(&points, center),
                reaches: (first.1, out.reaches.len() as u32),
                is_mean: (sum - 1.0).abs() <= SUM_TOLERANCE,
            });
        }
        out
    }

    /// How many clusters of vertices there are: what a measurement costs.
    pub fn cluster_count(&self) -> usize {
        self.clusters.len()
    }

    /// The box around the character in the host's world, for a palette written by its layout, the
    /// channels of a pose, and the pose's root. [`Aabb::EMPTY`] where nothing is shown.
    ///
    /// # Panics
    /// Where palette or channels are not of this character.
    pub fn measure(&self, palette: &[Affine], channels: &[f32], root: &Transform) -> Aabb {
        let root = (*root != Transform::IDENTITY).then(|| Affine::from(root));
        let mut out = Aabb::EMPTY;
        let mut size = 0.0f32;
        let placed = |m: Affine| root.as_ref().map_or(m, |root| *root * m);
        let (pure, mixed) = self.clusters.split_at(self.pure);
        let (pure_supports, mixed_supports) = self.supports.split_at(self.pure * DIRECTIONS);
        for (c, supports) in pure.iter().zip(pure_supports.chunks_exact(DIRECTIONS)) {
            let m = placed(self.matrix(c, palette));
            self.add(c, &m, supports, channels, &mut out, &mut size);
        }
        // Whatever is mixed of places inside is inside: most of the mixed clusters.
        let mut outside = [u64::MAX; MOST_FLAGS / 64];
        for (i, b) in self.balls.iter().enumerate().take(MOST_FLAGS) {
            let m = placed(palette[b.entry as usize]);
            let at = m.transform_point(b.center);
            let inside = (0..3).all(|i| {
                let reach = length(&m.rows[i]) * b.radius;
                at[i] + reach <= out.max[i] && at[i] - reach >= out.min[i]
            });
            outside[i / 64] ^= u64::from(inside) << (i % 64);
        }
        let is_outside = |ball: u32| {
            let i = ball as usize;
            i >= MOST_FLAGS || outside[i / 64] >> (i % 64) & 1 == 1
        };
        for (c, supports) in mixed.iter().zip(mixed_supports.chunks_exact(DIRECTIONS)) {
            let weights = &self.weights[c.weights.0 as usize..c.weights.1 as usize];
            let can_stick_out = !c.is_mean
                || c.reaches.0 < c.reaches.1
                || weights.iter().any(|(ball, _)| is_outside(*ball));
            if can_stick_out {
                let m = placed(self.matrix(c, palette));
                self.add(c, &m, supports, channels, &mut out, &mut size);
            }
        }
        if out.is_empty() {
            return Aabb::EMPTY;
        }
        let room = Vec3::splat(size * ROUNDING);
        Aabb { min: out.min - room, max: out.max + room }
    }

    /// Grows `out` to contain a cluster at `m`.
    #[inline]
    fn add(
        &self,
        c: &Cluster,
        m: &Affine,
        supports: &[f32],
        channels: &[f32],
        out: &mut Aabb,
        size: &mut f32,
    ) {
        let mut center = c.center;
        let mut half = Vec3::ZERO;
        for r in &self.reaches[c.reaches.0 as usize..c.reaches.1 as usize] {
            let w = channels[r.channel.index()];
            if w != 0.0 {
                center += r.center * w;
                half += r.half * w.abs();
            }
        }
        let at = m.transform_point(center);
        let mut extra = [0.0f32; 3];
        let mut inside = true;
        for i in 0..3 {
            let [x, y, z, _] = m.rows[i];
            extra[i] = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z;
            let reach = length(&m.rows[i]) * c.radius + extra[i];
            *size = size.max(at[i].abs() + reach);
            inside &= at[i] + reach <= out.max[i] && at[i] - reach >= out.min[i];
        }
        if inside {
            return;
        }
        for i in 0..3 {
            let [x, y, z, _] = m.rows[i];
            let (up, down) = reach(supports, [x, y, z]);
            out.max[i] = out.max[i].max(at[i] + up + extra[i]);
            out.min[i] = out.min[i].min(at[i] - down - extra[i]);
        }
    }

    /// The mean of the matrices that a cluster follows.
    #[inline]
    fn matrix(&self, c: &Cluster, palette: &[Affine]) -> Affine {
        let weights = &self.weights[c.weights.0 as usize..c.weights.1 as usize];
        let entry = |ball: u32| &palette[self.balls[ball as usize].entry as usize];
        if let [(ball, 1.0)] = weights {
            return *entry(*ball);
        }
        let mut rows = [[0.0; 4]; 3];
        for (ball, w) in weights {
            for (row, m) in rows.iter_mut().zip(&entry(*ball).rows) {
                for (o, m) in row.iter_mut().zip(m) {
                    *o += m * w;
                }
            }
        }
        Affine { rows }
    }
}

/// Length of the linear part of a matrix's row: how far a unit ball reaches along that axis.
#[inline]
fn length([x, y, z, _]: &[f32; 4]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}

/// Radius of a ball around points.
fn radius(points: &[Vec3], center: Vec3) -> f32 {
    points.iter().map(|p| (*p - center).length()).fold(0.0, f32::max) * (1.0 + ROUNDING)
}

fn weights(key: &Key, parts: u8) -> impl Iterator<Item = (u32, f32)> {
    let unit = f32::from_bits(key.1) / f32::from(parts);
    key.0.iter().map(move |(entry, k)| (*entry, unit * f32::from(*k)))
}

/// Sorts the vertices of a mesh into clusters.
fn gather(mesh: &Mesh, index: u32, base: u32, parts: u8, found: &mut BTreeMap<Key, Vec<Member>>) {
    let g = &mesh.geometry;
    let skinned = matches!(mesh.binding, Binding::Skin(_));
    let morphs = |v: usize| {
        let moves = |t: &MorphTarget| t.positions.get(v).is_some_and(|d| *d != Vec3::ZERO);
        g.morphs.iter().any(moves)
    };
    let mut add = |corner: Vec<(u32, u8)>, sum: f32, v: usize| {
        found.entry((corner, sum.to_bits(), morphs(v))).or_default().push((index, v as u32));
    };
    for v in (0..g.vertex_count()).filter(|v| g.positions[*v].is_finite()) {
        let (true, Some(f)) = (skinned, &g.influences) else {
            add(vec![(base, parts)], 1.0, v);
            continue;
        };
        let span = v * f.per_vertex..(v + 1) * f.per_vertex;
        let mut all: Vec<(u32, f32)> = Vec::with_capacity(f.per_vertex);
        for (j, w) in f.joints[span.clone()].iter().zip(&f.weights[span]) {
            let entry = base + u32::from(*j);
            // One joint may stand in several places.
            match all.iter_mut().find(|a| a.0 == entry) {
                Some(a) => a.1 += w,
                None if *w > 0.0 => all.push((entry, *w)),
                None => {}
            }
        }
        let total: f32 = all.iter().map(|a| a.1).sum();
        if all.is_empty() || total.is_nan() || total <= 0.0 {
            // Nothing holds it: it collapses to the origin.
            add(vec![(base, parts)], 0.0, v);
            continue;
        }
        let sum = if (total - 1.0).abs() <= SUM_TOLERANCE { 1.0 } else { total };
        all.sort_unstable_by_key(|a| a.0);
        for corner in corners(&all, total, parts) {
            add(corner, sum, v);
        }
    }
}

/// The weights that are multiples of a part of which `all` is a mean: the corners of the simplex
/// around it in the triangulation of H. W. Kuhn ("Some combinatorial lemmas in topology", 1960).
/// In running sums of weights a simplex goes from whole numbers up by one in one coordinate after
/// the other, those with the largest fraction first.
fn corners(all: &[(u32, f32)], total: f32, parts: u8) -> Vec<Vec<(u32, u8)>> {
    let n = f32::from(parts);
    let mut running = 0.0;
    let mut floors: Vec<u8> = Vec::with_capacity(all.len());
    let mut fractions: Vec<(f32, usize)> = Vec::new();
    for (i, (_, w)) in all.iter().enumerate() {
        running += w;
        let place = if i + 1 == all.len() { n } else { (running / total * n).clamp(0.0, n) };
        floors.push(place as u8);
        let fraction = place - f32::from(floors[i]);
        if fraction > 0.0 {
            fractions.push((fraction, i));
        }
    }
    // Of equal fractions the later goes first: running sums never decrease then.
    fractions.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    let corner = |sums: &[u8]| {
        let before = core::iter::once(0).chain(sums.iter().copied());
        let steps = sums.iter().zip(before).map(|(s, b)| s - b);
        let parts = all.iter().zip(steps).map(|((entry, _), k)| (*entry, k));
        parts.filter(|p| p.1 > 0).collect::<Vec<_>>()
    };
    let mut out = vec![corner(&floors)];
    for (_, i) in fractions {
        floors[i] += 1;
        out.push(corner(&floors));
    }
    out
}

/// A pose to try, with the truth of it.
struct Trial {
    palette: Vec<Affine>,
    channels: Vec<f32>,
    truth: Aabb,
}

impl Trial {
    fn is_fine(&self, bounds: &PosedBounds) -> bool {
        let got = bounds.measure(&self.palette, &self.channels, &Transform::IDENTITY).size();
        let truth = self.truth.size();
        // A flat body has no size to compare with.
        let own = truth.max(Vec3::splat(0.02 * truth.max_element()));
        (got - truth).cmple(own * ENOUGH).all()
    }
}

fn trials(character: &Character) -> Vec<Trial> {
    let rig = &character.rig;
    let layout = character.palette_layout();
    let mut rng = Rng::new(0x9e37, 0);
    let mut model = vec![Affine::IDENTITY; rig.skeleton.len()];
    let trial = |_| {
        let mut pose = Pose::rest(rig);
        if !character.clips.is_empty() && rng.chance(0.7) {
            let clip = &character.clips[(rng.unit() * character.clips.len() as f32) as usize];
            clip.sample(rng.unit() * clip.duration, &mut [], &mut pose);
        }
        for j in rig.skeleton.joints() {
            let axis = Vec3::from_array([0; 3].map(|_| rng.range(-1.0, 1.0)));
            let axis = axis.try_normalize().unwrap_or(Vec3::X);
            let turn = math::rotation(axis, rng.range(0.0, TRIAL_TURN));
            pose.set_rotation(j, pose.rotation(j) * turn);
        }
        pose.to_model(&rig.skeleton, &mut model);
        let mut palette = vec![Affine::IDENTITY; layout.len()];
        layout.write(&model, &mut palette);
        let (min, max) = character.bounds(&pose)?;
        let channels = pose.channels().to_vec();
        Some(Trial { palette, channels, truth: Aabb { min, max } })
    };
    (0..TRIALS).filter_map(trial).collect()
}

/// How the morph targets move the vertices of a cluster.
fn reaches(character: &Character, members: &[Member]) -> Vec<Reach> {
    let mut out = Vec::new();
    for part in members.chunk_by(|a, b| a.0 == b.0) {
        let mesh = &character.meshes[part[0].0 as usize];
        let g: &Geometry = &mesh.geometry;
        for (k, target) in g.morphs.iter().enumerate().filter(|(_, t)| !t.positions.is_empty()) {
            // What a target of this mesh does not move, it moves by 0.
            let zero = (part.len() < members.len()).then_some(Vec3::ZERO);
            let deltas = part.iter().map(|(_, v)| target.positions[*v as usize]).chain(zero);
            let b = Aabb::of(deltas);
            if !b.is_empty() && (b.min != Vec3::ZERO || b.max != Vec3::ZERO) {
                let channel = mesh.morph_channel(k);
                out.push(Reach { channel, center: b.center(), half: b.size() * 0.5 });
            }
        }
    }
    out
}

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
fn supports(points: &[Vec3], center: Vec3) -> Vec<f32> {
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

/// How far the points reach along `d` and against it: at most the sum of what they reach along
/// the corners of a triangle around it, in the parts that make `d`. Of the two ways to cut a
/// cell the nearer counts.
#[inline]
fn reach(supports: &[f32], d: [f32; 3]) -> (f32, f32) {
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
        return (0.0, 0.0);
    }
    let scale = CELLS as f32 * 0.5;
    let place = |x: f32| {
        let t = (x / most + 1.0) * scale;
        // NaN and rounding go to an end.
        let cell = (t as usize).min(CELLS - 1);
        (cell, (t - cell as f32).clamp(0.0, 1.0))
    };
    let (u, v) = (place(d[(axis + 1) % 3]), place(d[(axis + 2) % 3]));
    let face = 2 * axis;
    let (along, against) = if d[axis] > 0.0 { (face, face + 1) } else { (face + 1, face) };
    let turned = |p: (usize, f32)| (CELLS - 1 - p.0, 1.0 - p.1);
    let up = in_cell(&supports[along * CORNERS..][..CORNERS], u, v);
    let down = in_cell(&supports[against * CORNERS..][..CORNERS], turned(u), turned(v));
    (up * most, down * most)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn weights_are_a_mean_of_the_corners_around_them() {
        let mut rng = Rng::new(7, 0);
        for parts in PARTS {
            for _ in 0..200 {
                let mut all: Vec<(u32, f32)> = (0..4).map(|k| (k, rng.range(0.01, 1.0))).collect();
                let total: f32 = all.iter().map(|a| a.1).sum();
                all.iter_mut().for_each(|a| a.1 /= total);
                let found = corners(&all, 1.0, parts);
                let mut low = [u8::MAX; 4];
                let mut high = [0; 4];
                for corner in &found {
                    let of = |k: u32| corner.iter().find(|c| c.0 == k).map_or(0, |c| c.1);
                    assert_eq!((0..4).map(of).sum::<u8>(), parts);
                    for k in 0..4 {
                        low[k] = low[k].min(of(k as u32));
                        high[k] = high[k].max(of(k as u32));
                    }
                }
                // The corners differ by a part at most, two where both sums beside it move.
                for k in 0..4 {
                    let w = all[k].1 * f32::from(parts);
                    assert!(f32::from(low[k]) <= w + 1e-4 && w <= f32::from(high[k]) + 1e-4);
                    assert!(high[k] - low[k] <= 2);
                }
            }
        }
        assert_eq!(corners(&[(3, 1.0)], 1.0, 2), [[(3, 2)]]);
        assert_eq!(corners(&[(3, 0.5), (4, 0.5)], 1.0, 2), [[(3, 1), (4, 1)]]);
    }

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
                let (up, down) = reach(&supports, d.to_array());
                let (true_up, true_down) = width(d);
                let slack = 1e-5 * d.length();
                assert!(up >= true_up - slack && down >= true_down - slack);
                let whole = true_up + true_down;
                assert!(up + down <= whole + 0.2 * size.length() * d.length());
            }
        }
        assert_eq!(reach(&supports(&[Vec3::ONE], Vec3::ZERO), [0.0; 3]), (0.0, 0.0));
    }
}
