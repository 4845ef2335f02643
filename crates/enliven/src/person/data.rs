//! What a file says about the person that a character is.

use super::{
    Expression, Expressions, Humanoid, LookAt, LookAtLayer, NodeConstraint, NodeConstraints,
    SpringBones, SpringSet,
};
use crate::{ChannelId, MeshId, Rig};

/// When a mesh is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FirstPerson {
    /// Parts that follow the head are left out of the first-person view.
    #[default]
    Auto,
    /// Always.
    Both,
    /// Not in the first-person view.
    ThirdPersonOnly,
    /// In the first-person view alone.
    FirstPersonOnly,
}

/// A character as a person: plain data beside a [`Character`](crate::Character), shared by its
/// copies; the layers made of it move one copy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Person {
    /// Which joints are which bones.
    pub humanoid: Humanoid,
    /// Expressions, in file order.
    pub expressions: Vec<Expression>,
    /// How the eyes look at things.
    pub look_at: Option<LookAt>,
    /// Channels of the look's yaw and pitch, rad, which clips move.
    pub look: Option<[ChannelId; 2]>,
    /// What swings.
    pub springs: SpringSet,
    /// Joints that follow others.
    pub constraints: Vec<NodeConstraint>,
    /// When meshes are drawn; those that are not named are [`FirstPerson::Auto`].
    pub first_person: Vec<(MeshId, FirstPerson)>,
}

impl Person {
    /// The layer of the joint constraints; above everything that moves joints but springs.
    pub fn constraint_layer(&self, rig: &Rig) -> NodeConstraints {
        NodeConstraints::new(&rig.skeleton, &self.constraints).0
    }

    /// The layer of what swings; above everything that moves joints.
    pub fn spring_layer(&self, rig: &Rig) -> SpringBones {
        SpringBones::new(rig, &self.springs)
    }

    /// The layer of the eyes, where the body has look-at; below the expressions.
    pub fn look_layer(&self) -> Option<LookAtLayer> {
        let layer = LookAtLayer::new(self.look_at?, &self.humanoid, &self.expressions);
        Some(match self.look {
            Some([yaw, pitch]) => layer.with_channels(yaw, pitch),
            None => layer,
        })
    }

    /// The layer that shows the expressions; above everything else.
    pub fn expression_layer(&self, rig: &Rig) -> Expressions {
        Expressions::new(rig, &self.expressions)
    }
}
