//! What is drawn, and which joints it follows.

use crate::{Affine, ChannelId, Geometry, JointId, MaterialId, Pose, Skeleton, SkinId};
use core::ops::Range;
use std::sync::Arc;

/// How a mesh follows joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The whole mesh follows one joint; positions are in the joint's space.
    Rigid(JointId),
    /// Each vertex follows the joints of a skin by its influences; positions are in bind space.
    Skin(SkinId),
}

/// One draw: a geometry with a material, bound to joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Name of the mesh, as its file has it.
    pub name: String,
    /// The joint (node) that carries the mesh in its file. For a skinned mesh its transform is
    /// ignored; its visibility is not.
    pub joint: JointId,
    /// Vertices; shared between meshes that differ in joint or material only.
    pub geometry: Arc<Geometry>,
    /// How it looks.
    pub material: MaterialId,
    /// Which joints it follows.
    pub binding: Binding,
    /// Channels of the morph weights, one for each of the geometry's morph targets, in order.
    /// The start is the first channel, the end one past the last.
    pub morphs: Range<u32>,
    /// Whether the mesh belongs to the scene that is shown.
    pub shown: bool,
}

impl Mesh {
    /// Channel of the `i`-th morph target.
    pub fn morph_channel(&self, i: usize) -> ChannelId {
        ChannelId(self.morphs.start + i as u32)
    }
}

/// Joints that a mesh is bound to, with the inverse of each one's matrix at the time of binding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Name, as its file has it.
    pub name: String,
    /// The joints, in the order in which influences name them.
    pub joints: Vec<JointId>,
    /// Bind space → the joint's space; one a joint.
    pub inverse_binds: Vec<Affine>,
    /// The joint that its file names as common root, if any.
    pub root: Option<JointId>,
}

impl Skin {
    /// Binds `joints` as they stand now: `model` holds the model matrix of every joint of the
    /// skeleton.
    ///
    /// # Panics
    /// Where `model` lacks one of the joints; the same holds for the other methods.
    pub fn bind(name: impl Into<String>, joints: Vec<JointId>, model: &[Affine]) -> Self {
        let inverse_binds = vec![Affine::IDENTITY; joints.len()];
        let mut out = Self { name: name.into(), joints, inverse_binds, root: None };
        out.calculate_inverses(model);
        out
    }

    /// Makes the joints' present model matrices the bind pose. A joint whose matrix has no
    /// inverse (a scale of 0) takes its vertices to its own place.
    pub fn calculate_inverses(&mut self, model: &[Affine]) {
        let inverse =
            |j: &JointId| model[j.index()].inverse().unwrap_or(Affine { rows: [[0.0; 4]; 3] });
        self.inverse_binds.clear();
        self.inverse_binds.extend(self.joints.iter().map(inverse));
    }

    /// Writes what each joint does to vertices in bind space: model × inverse bind.
    ///
    /// # Panics
    /// Where `out` has fewer matrices than the skin has joints.
    pub fn matrices(&self, model: &[Affine], out: &mut [Affine]) {
        for ((o, j), inverse) in out.iter_mut().zip(&self.joints).zip(&self.inverse_binds) {
            *o = model[j.index()] * *inverse;
        }
    }

    /// Puts the joints back to where they were when the skin was bound: each local transform
    /// becomes what carries its parent's matrix to the bind matrix. Joints outside the skin stay,
    /// and count as parents where they are now. Shear is lost, and a joint whose bind matrix or
    /// parent has no inverse stays.
    pub fn reset_pose(&self, skeleton: &Skeleton, pose: &mut Pose) {
        let mut bind: Vec<Option<Affine>> = vec![None; skeleton.len()];
        for (j, inverse) in self.joints.iter().zip(&self.inverse_binds) {
            bind[j.index()] = inverse.inverse();
        }
        let mut model: Vec<Affine> = Vec::with_capacity(skeleton.len());
        for j in skeleton.joints() {
            let parent = skeleton.parent(j).map_or(Affine::IDENTITY, |p| model[p.index()]);
            if let (Some(bind), Some(to_parent)) = (bind[j.index()], parent.inverse()) {
                pose.set_transform(j, &(to_parent * bind).to_transform());
                model.push(bind);
            } else {
                model.push(parent * Affine::from(&pose.transform(j)));
            }
        }
    }

    /// The first of its joints with that name, as an index into [`Skin::joints`].
    pub fn find(&self, skeleton: &Skeleton, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| skeleton.name(*j) == name)
    }

    /// The same skin for vertices that stand in another space: `to_bind` takes them to bind
    /// space. This is how a bind matrix comes into a skin; see [`Bind`].
    pub fn for_space(&self, to_bind: &Affine) -> Self {
        let inverse_binds = self.inverse_binds.iter().map(|m| *m * *to_bind).collect();
        Self { inverse_binds, ..self.clone() }
    }
}

/// Which space a skinned mesh is deformed in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BindMode {
    /// The mesh stays where its joints are: its own node moves nothing. glTF's way.
    #[default]
    Attached,
    /// The mesh's node carries the deformed mesh on top of what the joints do: right where the
    /// joints stand still relative to the node and both are moved by the node alone.
    Detached,
}

/// How a mesh with a node of its own is bound to joints elsewhere, as three.js has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bind {
    /// Who carries the mesh.
    pub mode: BindMode,
    /// The mesh's space → bind space: the node's model matrix when it was bound.
    pub matrix: Affine,
}

impl Bind {
    /// Bind space → the mesh's space, for the node's model matrix now: its inverse where
    /// attached, the inverse of the bind matrix where detached. `None` where there is none.
    pub fn inverse(&self, node: &Affine) -> Option<Affine> {
        match self.mode {
            BindMode::Attached => node.inverse(),
            BindMode::Detached => self.matrix.inverse(),
        }
    }

    /// What carries the deformed mesh in model space, for the node's model matrix now: nothing
    /// where attached. `None` where the bind matrix has no inverse.
    pub fn carrier(&self, node: &Affine) -> Option<Affine> {
        match self.mode {
            BindMode::Attached => Some(Affine::IDENTITY),
            BindMode::Detached => self.matrix.inverse().map(|m| *node * m),
        }
    }
}

/// Pixels along each side of a square texture of four 32-bit numbers a pixel that holds `n`
/// matrices of four pixels each; a multiple of 4. (A palette of 3×4 matrices needs three pixels a
/// matrix, and has the room.)
pub fn palette_texture_side(n: usize) -> usize {
    let mut side = 4;
    while side * side < 4 * n {
        side += 4;
    }
    side
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channels, Regions, Rig, Transform, math};
    use glam::Vec3;

    #[test]
    fn a_reset_pose_is_the_bind_pose_below_a_moved_armature() {
        let mut s = Skeleton::new();
        let up = Transform::from_translation(Vec3::Y);
        let armature = s.push("armature", None, Transform::from_scale(0.5)).expect("root");
        let a = s.push("a", Some(armature), up).expect("joint");
        let b = s.push("b", Some(a), up).expect("joint");
        let skin = Skin::bind("s", vec![b, a], &s.rest_model());
        let regions = Regions::new(&s, &[]);
        let rig = Rig::new(s, Channels::new(), regions, 1.0);
        let mut pose = Pose::rest(&rig);
        pose.set_translation(armature, Vec3::X);
        pose.set_rotation(a, math::rotation(Vec3::X, 1.0));
        pose.set_scale(b, Vec3::new(1.0, -2.0, 1.0));
        skin.reset_pose(&rig.skeleton, &mut pose);
        let mut model = vec![Affine::IDENTITY; 3];
        pose.to_model(&rig.skeleton, &mut model);
        let mut matrices = [Affine::IDENTITY; 2];
        skin.matrices(&model, &mut matrices);
        for m in matrices {
            assert!((m.translation().length() + (m.determinant() - 1.0).abs()) < 1e-6, "{m:?}");
        }
        assert_eq!(pose.translation(armature), Vec3::X, "not of the skin");
    }

    #[test]
    fn a_detached_mesh_follows_its_node() {
        let at = |x| Affine::from(&Transform::from_translation(Vec3::new(x, 0.0, 0.0)));
        let bind = Bind { mode: BindMode::Detached, matrix: at(1.0) };
        let carrier = bind.carrier(&at(3.0)).expect("invertible");
        assert_eq!(carrier.translation(), Vec3::new(2.0, 0.0, 0.0));
        let bind = Bind { mode: BindMode::Attached, ..bind };
        assert_eq!(bind.carrier(&at(3.0)), Some(Affine::IDENTITY));
        assert_eq!(bind.inverse(&Affine { rows: [[0.0; 4]; 3] }), None);
    }
}
