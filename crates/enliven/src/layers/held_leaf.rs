//! A held leaf in the wind.

use crate::leaf::{Air, Leaf, LeafParams, LeafState};
use crate::{ChannelId, Character, JointId, Layer, Moment, Pose, Region, Rig, math};
use glam::{Quat, Vec3};

/// Names of the channels that shape a blade, in this order: cupping away from air along the
/// holder's +X and +Z, rise of the rim, and three waves around it as cosine and sine. At weight 1
/// each moves the rim by 1 m.
pub const LEAF_CHANNELS: [&str; 7] = [
    "leaf.cup.x",
    "leaf.cup.z",
    "leaf.nod",
    "leaf.wave3.cos",
    "leaf.wave3.sin",
    "leaf.wave5.cos",
    "leaf.wave5.sin",
];

/// One joint of the stem, with the place of its ends along it, in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Link {
    joint: JointId,
    /// From the character's axes at rest to the parent's.
    frame: Quat,
    start: f32,
    end: f32,
}

/// Bends and twists a stem, and shapes the blade that rides its tip, by the wind, the carrier's
/// motion and turns (A13, A14). The stem is the joint chain of [`Region::Prop`], from the grip up;
/// a body that holds nothing is left alone.
#[derive(Clone, Debug)]
pub struct HeldLeaf {
    /// How it moves.
    pub leaf: Leaf,
    /// Turn of the body on its carrier, rad/s; the host may say so.
    pub body_turn: f32,
    links: Vec<Link>,
    channels: [Option<ChannelId>; 7],
    axis: Vec3,
    length: f32,
}

impl HeldLeaf {
    /// The stem of a character.
    pub fn new(character: &Character, params: LeafParams, seed: u64) -> Self {
        let rig = &character.rig;
        let model = rig.skeleton.rest_model();
        let own = rig.regions.own_joints(Region::Prop);
        let places: Vec<Vec3> = own.iter().map(|r| model[r.joint.index()].translation()).collect();
        // Links are of one length; the last has no child to tell its own.
        let whole = match places[..] {
            [first, .., last] => (last - first) / (places.len() - 1) as f32 * places.len() as f32,
            _ => Vec3::ZERO,
        };
        let n = own.len().max(1) as f32;
        let links = own
            .iter()
            .enumerate()
            .map(|(i, r)| {
                let parent = rig.skeleton.parent(r.joint);
                let frame = parent.map_or(Quat::IDENTITY, |p| {
                    model[p.index()].to_transform().rotation.conjugate()
                });
                Link { joint: r.joint, frame, start: i as f32 / n, end: (i + 1) as f32 / n }
            })
            .collect();
        Self {
            leaf: Leaf::new(params, seed),
            body_turn: 0.0,
            links,
            channels: LEAF_CHANNELS.map(|name| rig.channels.find(name)),
            axis: whole.normalize_or(Vec3::Y),
            length: whole.length(),
        }
    }

    /// What the leaf looks like now.
    pub fn state(&self) -> LeafState {
        self.leaf.state()
    }

    /// Writes a state into the pose.
    pub fn write(&self, s: &LeafState, pose: &mut Pose) {
        let mut before = s.tilt(self.axis, self.length, 0.0);
        for link in &self.links {
            // Each joint adds what the slope grows by over its link, taken at the link's middle.
            let mid = (link.start + link.end) * 0.5;
            let tilt = s.tilt(self.axis, self.length, mid);
            let twist = math::rotation(self.axis, s.twist * (link.end - link.start));
            let turn = tilt * before.conjugate() * twist;
            before = tilt;
            let local = link.frame * turn * link.frame.conjugate();
            pose.set_rotation(link.joint, local * pose.rotation(link.joint));
        }
        let (s3, c3) = math::sin_cos(s.phase);
        let (s5, c5) = math::sin_cos(1.62 * s.phase);
        let cup = -self.leaf.params.cup;
        let values = [
            cup * s.air.x,
            cup * s.air.z,
            s.nod,
            0.6 * s.flutter * c3,
            0.6 * s.flutter * s3,
            0.4 * s.flutter * c5,
            0.4 * s.flutter * s5,
        ];
        for (channel, v) in self.channels.iter().zip(values) {
            if let Some(c) = *channel {
                pose.set_channel(c, v);
            }
        }
    }
}

impl Layer for HeldLeaf {
    fn apply(&mut self, moment: &Moment, _: &Rig, pose: &mut Pose) {
        let state = self.leaf.step(
            moment.dt,
            &Air {
                wind: moment.wind,
                motion: moment.motion,
                root: pose.root,
                body_turn: self.body_turn,
            },
        );
        self.write(&state, pose);
    }

    fn reset(&mut self) {
        self.leaf.settle();
    }
}
