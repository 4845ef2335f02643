//! How strongly a layer acts on each part of a pose.

use crate::{ChannelId, JointId, Region, Rig};

/// One weight for the root, one a joint, one a channel; each in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    pub(crate) root: f32,
    /// Blocks of eight, as in a pose.
    pub(crate) joints: Vec<[f32; 8]>,
    pub(crate) channels: Vec<f32>,
}

impl Mask {
    /// The same weight everywhere.
    pub fn uniform(rig: &Rig, weight: f32) -> Self {
        let weight = clean(weight);
        Self {
            root: weight,
            joints: vec![[weight; 8]; rig.skeleton.len().div_ceil(8)],
            channels: vec![weight; rig.channels.len()],
        }
    }

    /// Acts everywhere.
    pub fn all(rig: &Rig) -> Self {
        Self::uniform(rig, 1.0)
    }

    /// Acts nowhere.
    pub fn none(rig: &Rig) -> Self {
        Self::uniform(rig, 0.0)
    }

    /// Weight 1 on the joints of these regions and on everything below them, 0 elsewhere. A
    /// region that the body lacks adds nothing.
    pub fn regions(rig: &Rig, regions: &[Region]) -> Self {
        let mut mask = Self::none(rig);
        for &region in regions {
            for r in rig.regions.own_joints(region) {
                mask.set_subtree(rig, r.joint, 1.0);
            }
        }
        mask
    }

    /// Weight 1 on `joint` and on everything below it, 0 elsewhere.
    pub fn subtree(rig: &Rig, joint: JointId) -> Self {
        let mut mask = Self::none(rig);
        mask.set_subtree(rig, joint, 1.0);
        mask
    }

    /// Sets the weight of `joint` and of everything below it.
    pub fn set_subtree(&mut self, rig: &Rig, joint: JointId, weight: f32) {
        // Parents stand before children: one forward pass finds the subtree.
        let mut inside = vec![false; rig.skeleton.len()];
        for j in rig.skeleton.joints() {
            let below = rig.skeleton.parent(j).is_some_and(|p| inside[p.index()]);
            if j == joint || below {
                inside[j.index()] = true;
                self.set_joint(j, weight);
            }
        }
    }

    /// Sets the weight of one joint.
    pub fn set_joint(&mut self, joint: JointId, weight: f32) {
        self.joints[joint.index() / 8][joint.index() % 8] = clean(weight);
    }

    /// Sets the weight of one channel.
    pub fn set_channel(&mut self, channel: ChannelId, weight: f32) {
        self.channels[channel.index()] = clean(weight);
    }

    /// Sets the weight of the root transform.
    pub fn set_root(&mut self, weight: f32) {
        self.root = clean(weight);
    }

    /// Weight of the root transform.
    pub fn root(&self) -> f32 {
        self.root
    }

    /// Weight of one joint.
    pub fn joint(&self, joint: JointId) -> f32 {
        self.joints[joint.index() / 8][joint.index() % 8]
    }

    /// Weight of one channel.
    pub fn channel(&self, channel: ChannelId) -> f32 {
        self.channels[channel.index()]
    }

    /// What this mask leaves: 1 − weight everywhere.
    pub fn inverted(&self) -> Self {
        Self {
            root: 1.0 - self.root,
            joints: self.joints.iter().map(|b| b.map(|w| 1.0 - w)).collect(),
            channels: self.channels.iter().map(|w| 1.0 - w).collect(),
        }
    }
}

/// Into [0, 1]; not a number is 0.
pub(crate) fn clean(weight: f32) -> f32 {
    if weight > 0.0 { weight.min(1.0) } else { 0.0 }
}
