//! What swings on a body: plain data.

use super::{Collider, SpringLimit};
use crate::{Affine, JointId, Skeleton};
use glam::Vec3;

/// Length of a tip without a joint, metres (VRM 0.x).
const VIRTUAL_TIP: f32 = 0.07;

/// One bone that swings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringJoint {
    /// The joint that turns.
    pub joint: JointId,
    /// The joint at its tip, anywhere below it; `None` gives it a tip 7 cm further along the line
    /// from its parent, as VRMC_springBone has it for the last bone of VRM 0.x chains.
    pub tip: Option<JointId>,
    /// Pull back to the rest direction: m/s that the tip is driven along it.
    pub stiffness: f32,
    /// m/s that the tip is driven along `gravity_dir`.
    pub gravity_power: f32,
    /// Unit vector in the host's world.
    pub gravity_dir: Vec3,
    /// Part of its speed that the tip loses each 1/60 s, in [0, 1].
    pub drag: f32,
    /// Radius of the tip against colliders, metres.
    pub radius: f32,
    /// How far it may turn.
    pub limit: Option<SpringLimit>,
}

impl SpringJoint {
    /// The defaults of VRMC_springBone 1.0.
    pub fn new(joint: JointId, tip: Option<JointId>) -> Self {
        Self {
            joint,
            tip,
            stiffness: 1.0,
            gravity_power: 0.0,
            gravity_dir: Vec3::NEG_Y,
            drag: 0.5,
            radius: 0.0,
            limit: None,
        }
    }

    /// Where the tip is at rest, in the space of the bone (metres). A bone that ends nowhere is
    /// taken to go on by 7 cm, as in VRM 0.x.
    pub fn rest_tip(&self, skeleton: &Skeleton) -> Vec3 {
        match self.tip {
            Some(tip) => {
                let mut chain = Affine::IDENTITY;
                let mut at = tip;
                while at != self.joint {
                    chain = Affine::from(&skeleton.rest()[at.index()]) * chain;
                    match skeleton.parent(at) {
                        Some(up) => at = up,
                        None => break,
                    }
                }
                chain.translation()
            }
            None => {
                let from_parent = skeleton.rest()[self.joint.index()].translation;
                from_parent.try_normalize().unwrap_or(Vec3::NEG_Y) * VIRTUAL_TIP
            }
        }
    }
}

/// Bones that share colliders and a centre.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringChain {
    /// Name, as its file has it.
    pub name: String,
    /// Its bones, in any order.
    pub joints: Vec<SpringJoint>,
    /// Indices into [`SpringSet::colliders`]; applied in this order.
    pub colliders: Vec<u32>,
    /// Motion of this joint is not felt; `None`: motion in the host's world is.
    pub center: Option<JointId>,
}

/// Everything that swings on a body: plain data, shared by its copies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringSet {
    /// Shapes.
    pub colliders: Vec<Collider>,
    /// Chains.
    pub chains: Vec<SpringChain>,
}
