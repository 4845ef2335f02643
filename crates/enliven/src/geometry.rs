//! Vertices, what connects them, and how they morph.

use crate::Affine;
use glam::{Vec2, Vec3, Vec4};

/// What the indices of a geometry connect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Three indices a triangle, counter-clockwise from the front.
    #[default]
    Triangles,
    /// Two indices a line.
    Lines,
    /// One index a point.
    Points,
}

/// Which palette entries each vertex follows, and how far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// Influences a vertex: 4 or 8.
    pub per_vertex: usize,
    /// Indices into the mesh's skin, `per_vertex` a vertex.
    pub joints: Vec<u16>,
    /// Weights, `per_vertex` a vertex; non-negative, those of a vertex sum to 1.
    pub weights: Vec<f32>,
}

impl Influences {
    /// The mean of `matrices` that a vertex follows, by its weights as they are: those of a
    /// vertex without weights collapse to the origin.
    ///
    /// # Panics
    /// Where there is no such vertex, or a matrix is missing.
    pub fn blend(&self, vertex: usize, matrices: &[Affine]) -> Affine {
        let span = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        let mut rows = [[0.0f32; 4]; 3];
        for (&j, &w) in self.joints[span.clone()].iter().zip(&self.weights[span]) {
            if w != 0.0 {
                let m = &matrices[usize::from(j)].rows;
                for (row, m) in rows.iter_mut().zip(m) {
                    for (a, b) in row.iter_mut().zip(m) {
                        *a += b * w;
                    }
                }
            }
        }
        Affine { rows }
    }

    /// Makes every vertex's weights sum to 1. A vertex without any weight follows its first joint
    /// alone, as the reference libraries have it. Negative and non-finite weights count as 0.
    /// Returns how many vertices had to be changed by more than `tolerance`.
    pub fn normalize(&mut self, tolerance: f32) -> usize {
        let mut changed = 0;
        for w in self.weights.chunks_exact_mut(self.per_vertex.max(1)) {
            let mut bad = false;
            for v in w.iter_mut() {
                if !(*v >= 0.0 && v.is_finite()) {
                    *v = 0.0;
                    bad = true;
                }
            }
            let sum: f32 = w.iter().sum();
            if sum > 0.0 && sum.is_finite() {
                bad |= (sum - 1.0).abs() > tolerance;
                if sum != 1.0 {
                    w.iter_mut().for_each(|v| *v /= sum);
                }
            } else {
                w.fill(0.0);
                w[0] = 1.0;
                bad = true;
            }
            changed += usize::from(bad);
        }
        changed
    }
}

/// A named set of differences to the vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Name, as its file has it; may be empty.
    pub name: String,
    /// Added to positions at weight 1; empty or one a vertex.
    pub positions: Vec<Vec3>,
    /// Added to normals at weight 1; empty or one a vertex.
    pub normals: Vec<Vec3>,
    /// Added to tangents' directions at weight 1; empty or one a vertex.
    pub tangents: Vec<Vec3>,
}

impl MorphTarget {
    /// From positions at weight 1 instead of differences; `base` are the unmorphed ones.
    pub fn from_absolute(name: impl Into<String>, base: &[Vec3], positions: &[Vec3]) -> Self {
        let positions = positions.iter().zip(base).map(|(p, b)| *p - *b).collect();
        Self { name: name.into(), positions, ..Self::default() }
    }
}

/// Vertices as a structure of arrays. Every attribute is empty or has one entry a vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// Metres, in bind space.
    pub positions: Vec<Vec3>,
    /// Unit vectors; never empty for triangles after import.
    pub normals: Vec<Vec3>,
    /// Unit vectors and the sign of the bitangent in w.
    pub tangents: Vec<Vec4>,
    /// Texture coordinates, a list a set; (0, 0) is the image's upper left corner.
    pub uvs: Vec<Vec<Vec2>>,
    /// Linear RGBA, multiplied onto the base colour.
    pub colors: Vec<Vec4>,
    /// Skin weights; `None` for meshes that follow one joint.
    pub influences: Option<Influences>,
    /// Indices into the attributes; always present, each below the vertex count.
    pub indices: Vec<u32>,
    /// What the indices connect.
    pub topology: Topology,
    /// Morph targets, in file order.
    pub morphs: Vec<MorphTarget>,
}

impl Geometry {
    /// How many vertices there are.
    #[inline]
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Lowest and highest corner of the unmorphed positions; `None` without vertices.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold((first, first), |(lo, hi), p| (lo.min(*p), hi.max(*p))))
    }

    /// Replaces the normals by the area-weighted mean of the faces at each vertex. Vertices
    /// without a face get +Y.
    pub fn compute_normals(&mut self) {
        self.normals.clear();
        self.normals.resize(self.positions.len(), Vec3::ZERO);
        if self.topology == Topology::Triangles {
            for t in self.indices.chunks_exact(3) {
                let [a, b, c] = [t[0], t[1], t[2]].map(|i| self.positions[i as usize]);
                let n = (b - a).cross(c - a);
                for &i in t {
                    self.normals[i as usize] += n;
                }
            }
        }
        for n in &mut self.normals {
            *n = n.try_normalize().unwrap_or(Vec3::Y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_made_to_sum_to_one() {
        let mut i = Influences {
            per_vertex: 4,
            joints: vec![0; 16],
            weights: vec![
                0.5,
                0.5,
                0.0,
                0.0, // right already
                1.0,
                1.0,
                1.0,
                1.0, // too heavy
                0.0,
                0.0,
                0.0,
                0.0, // none
                f32::NAN,
                -1.0,
                0.25,
                0.25, // broken
            ],
        };
        assert_eq!(i.normalize(1e-3), 3);
        assert_eq!(i.weights[4..8], [0.25; 4]);
        assert_eq!(i.weights[8..12], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(i.weights[12..16], [0.0, 0.0, 0.5, 0.5]);
    }
}
