//! What is drawn, and which joints it follows.

use crate::{Affine, ChannelId, Geometry, JointId, MaterialId, SkinId};
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
