//! The vertex function on the CPU: the twin of the renderer's.
//!
//! morph → skin → root → air, in this order; a stage without data is the identity. Fur grows on what
//! comes out. Used for bounds,
//! baking, picking and as the truth that the GPU is tested against.

use crate::{Affine, Binding, Breeze, Character, Fur, Geometry, Sway, Transform, Wave, water};
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
    fur: Option<&'a Fur>,
    sway: Option<&'a Sway>,
    waves: Option<[Wave; 4]>,
    air: Breeze,
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
        let material = character.materials.get(mesh.material.index());
        Self {
            geometry: &mesh.geometry,
            skinned: matches!(mesh.binding, Binding::Skin(_)),
            palette: &palette[character.palette_layout().base(index) as usize..],
            weights: &channels[mesh.morphs.start as usize..mesh.morphs.end as usize],
            root: Affine::from(root),
            fur: material.and_then(|m| m.fur.as_ref()),
            sway: material.and_then(|m| m.sway.as_ref()),
            waves: material.and_then(|m| m.water).map(|water| water.waves()),
            air: Breeze::CALM,
        }
    }

    /// The same in this air instead of a calm.
    pub fn in_air(mut self, air: Breeze) -> Self {
        self.air = air;
        self
    }

    /// Position of vertex `v`, in the host's world.
    pub fn position(&self, v: usize) -> Vec3 {
        let p = self.root.transform_point(self.skin(v).transform_point(self.morphed(v)));
        if self.sway.is_none() && self.waves.is_none() {
            return p;
        }
        self.aired(v, p, Vec3::Y).0
    }

    fn morphed(&self, v: usize) -> Vec3 {
        let mut p = self.geometry.positions[v];
        for (target, &w) in self.geometry.morphs.iter().zip(self.weights) {
            if w != 0.0 && !target.positions.is_empty() {
                p += target.positions[v] * w;
            }
        }
        p
    }

    /// What the air makes of a posed position and normal.
    fn aired(&self, v: usize, mut p: Vec3, mut n: Vec3) -> (Vec3, Vec3) {
        if let Some(sway) = self.sway {
            (p, n) = sway.moved(p, n, self.geometry.positions[v].y, &self.air);
        }
        if let Some(waves) = &self.waves {
            let height;
            (height, n) = water::surface(waves, p, &self.air);
            p.y += height;
        }
        (p, n)
    }

    /// Where the hair of vertex `v` is at a relative `height`, 0 the root and 1 the tip, in the
    /// host's world: its position where the material has no fur.
    pub fn hair(&self, v: usize, height: f32) -> Vec3 {
        let position = self.position(v);
        let Some(fur) = self.fur else { return position };
        let lie = self.skin(v).transform_vector(fur.lie_or_down());
        let lie = self.root.transform_vector(lie);
        let share = self.geometry.colors.get(v).map_or(1.0, |c| c.w);
        fur.hair(position, self.normal(v), lie, share, height, &self.air)
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
        let n = n.try_normalize().unwrap_or(Vec3::Y);
        if self.sway.is_none() && self.waves.is_none() {
            return n;
        }
        // The normal depends on where the vertex is before the air moves it.
        let p = self.morphed(v);
        self.aired(v, self.root.transform_point(skin.transform_point(p)), n).1
    }

    /// The blended matrix that vertex `v` follows.
    pub fn skin(&self, v: usize) -> Affine {
        let (true, Some(f)) = (self.skinned, &self.geometry.influences) else {
            return self.palette[0];
        };
        f.blend(v, self.palette)
    }
}
