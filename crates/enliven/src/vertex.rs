//! The vertex function on the CPU: the twin of the renderer's.
//!
//! morph → skin → root, in this order; a stage without data is the identity. Used for bounds,
//! baking, picking and as the truth that the GPU is tested against.

use crate::{Affine, Binding, Character, Geometry, Transform};
use glam::Vec3;

/// Everything that the vertex function of one mesh reads.
#[derive(Clone, Copy, Debug)]
pub struct VertexStage<'a> {
    geometry: &'a Geometry,
    skinned: bool,
    /// Matrices of this mesh: the palette from its base on.
    palette: &'a [Affine],
    /// Morph weights of this mesh.
    weights: &'a [f32],
    root: Affine,
}

impl<'a> VertexStage<'a> {
    /// For the mesh at `index` of `character`, with a palette written by its layout, the channels
    /// of a pose, and the pose's root.
    ///
    /// # Panics
    /// Where `index` is not a mesh, or palette and channels are not of this character.
    pub fn new(
        character: &'a Character,
        index: usize,
        palette: &'a [Affine],
        channels: &'a [f32],
        root: &Transform,
    ) -> Self {
        let mesh = &character.meshes[index];
        Self {
            geometry: &mesh.geometry,
            skinned: matches!(mesh.binding, Binding::Skin(_)),
            palette: &palette[character.palette_layout().base(index) as usize..],
            weights: &channels[mesh.morphs.start as usize..mesh.morphs.end as usize],
            root: Affine::from(root),
        }
    }

    /// Position of vertex `v`, in the host's world.
    pub fn position(&self, v: usize) -> Vec3 {
        let mut p = self.geometry.positions[v];
        for (target, &w) in self.geometry.morphs.iter().zip(self.weights) {
            if w != 0.0 && !target.positions.is_empty() {
                p += target.positions[v] * w;
            }
        }
        self.root.transform_point(self.skin(v).transform_point(p))
    }

    /// Unit normal of vertex `v`, in the host's world; +Y where the geometry has none or it
    /// collapses.
    pub fn normal(&self, v: usize) -> Vec3 {
        let Some(&(mut n)) = self.geometry.normals.get(v) else { return Vec3::Y };
        for (target, &w) in self.geometry.morphs.iter().zip(self.weights) {
            if w != 0.0 && !target.normals.is_empty() {
                n += target.normals[v] * w;
            }
        }
        // Cofactors keep the side that a mirror turns; the sign puts the normal back outside.
        let skin = self.skin(v);
        let n = skin.transform_normal(n) * skin.determinant().signum();
        let n = self.root.transform_normal(n) * self.root.determinant().signum();
        n.try_normalize().unwrap_or(Vec3::Y)
    }

    /// The blended matrix that vertex `v` follows.
    pub fn skin(&self, v: usize) -> Affine {
        let (true, Some(f)) = (self.skinned, &self.geometry.influences) else {
            return self.palette[0];
        };
        f.blend(v, self.palette)
    }
}
