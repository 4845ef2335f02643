//! Eyelids as a layer, for eyes with lids and without.

use super::eyeball::Eyeball;
use crate::{
    Affine, BlinkParams, Blinker, ChannelId, ChannelKind, Character, JointId, Layer, Moment, Pose,
    Rig, Side, math,
};
use glam::Vec3;

/// How far an eyeball without lids moves back when it is shut, in its radius (A3).
const RECESS: f32 = 0.8;

/// Shut above this the eyeball also narrows, to nothing at 1: a disc seen from above would be an
/// eye that is still there.
const VANISH: f32 = 0.9;

/// How one eye shuts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lid {
    /// A channel closes a real lid.
    Channel(ChannelId),
    /// The eyeball is squashed to its lid line and moved back.
    Ball {
        joint: JointId,
        /// The joint's own axis that points up.
        up: usize,
        /// Lid line along that axis, in the joint's space.
        line: f32,
        /// In the parent's space, at shut = 1.
        recess: Vec3,
    },
}

/// How the eyes of a body shut: by channels where it has lids (`blinkLeft`, `eyeBlinkLeft`,
/// `blink`), else by squashing its eyeballs: joints of [`Region::Eye`](crate::Region) and what hangs below them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lids {
    lids: Vec<(Side, Lid)>,
}

impl Lids {
    /// The lids of a character. Measures its eyeballs from what follows their joints.
    pub fn new(character: &Character) -> Self {
        let mut lids = Vec::new();
        let channels = blink_channels(&character.rig);
        for side in Side::BOTH {
            if let Some(channel) = channels[side as usize] {
                lids.push((side, Lid::Channel(channel)));
                continue;
            }
            let balls = Eyeball::find(character, side);
            lids.extend(balls.iter().filter_map(|e| ball(character, e)).map(|lid| (side, lid)));
        }
        Self { lids }
    }

    /// Whether there is nothing that could shut.
    pub fn is_empty(&self) -> bool {
        self.lids.is_empty()
    }

    /// Shuts the eyes on top of what the pose has: left and right, in [0, 1]. At 1 nothing of an
    /// eyeball is left.
    pub fn shut(&self, pose: &mut Pose, shut: [f32; 2]) {
        for &(side, lid) in &self.lids {
            let b = shut[side as usize].clamp(0.0, 1.0);
            if b == 0.0 {
                continue;
            }
            match lid {
                Lid::Channel(c) => pose.set_channel(c, pose.channel(c).max(b)),
                Lid::Ball { joint, up, line, recess } => {
                    let width = 1.0 - math::smoothstep(VANISH, 1.0, b);
                    let mut by = Vec3::splat(width);
                    by[up] = 1.0 - b;
                    let scale = pose.scale(joint);
                    // What the squash would move the lid line by, it is put back by.
                    let mut keep = Vec3::ZERO;
                    keep[up] = line * scale[up] * b;
                    let at =
                        pose.translation(joint) + pose.rotation(joint) * keep + recess * (b * b);
                    pose.set_translation(joint, at);
                    pose.set_scale(joint, scale * by);
                }
            }
        }
    }
}

/// Left and right, or the common one twice. A face's expressions come before bare morphs: what a
/// person feels is weighed against them there.
fn blink_channels(rig: &Rig) -> [Option<ChannelId>; 2] {
    let mut found = [None; 2];
    let mut both = None;
    let mut look = |wanted: bool| {
        for (id, c) in rig.channels.iter() {
            if (c.kind == ChannelKind::Expression) != wanted {
                continue;
            }
            let name = c.name.chars().filter(char::is_ascii_alphanumeric);
            let slot = match name.collect::<String>().to_lowercase().as_str() {
                "blinkleft" | "eyeblinkleft" | "blinkl" | "eyeblinkl" => &mut found[0],
                "blinkright" | "eyeblinkright" | "blinkr" | "eyeblinkr" => &mut found[1],
                "blink" | "eyeblink" | "eyesclosed" => &mut both,
                _ => continue,
            };
            slot.get_or_insert(id);
        }
        match found {
            [Some(_), Some(_)] => found,
            _ => [both.or(found[0]), both.or(found[1])],
        }
    };
    match look(true) {
        [Some(left), Some(right)] => [Some(left), Some(right)],
        _ => look(false),
    }
}

/// How an eyeball shuts.
fn ball(character: &Character, eye: &Eyeball) -> Option<Lid> {
    let skeleton = &character.rig.skeleton;
    let model = skeleton.rest_model();
    let own = model[eye.joint.index()];
    let along = |i: usize| own.linear().col(i).normalize_or_zero().dot(eye.up).abs();
    let up = (0..3).max_by(|&a, &b| along(a).total_cmp(&along(b)))?;
    let line = own.inverse()?.transform_point(eye.center)[up];
    let parent = skeleton.parent(eye.joint).map_or(Affine::IDENTITY, |p| model[p.index()]);
    // A patch has no depth to sink by.
    let depth = eye.radius.min(eye.depth) * RECESS;
    let recess = parent.inverse()?.transform_vector(eye.forward * -depth);
    Some(Lid::Ball { joint: eye.joint, up, line, recess })
}

/// Blinks by itself, on any body: see [`Lids`] for how, [`Blinker`] for when.
#[derive(Clone, Debug)]
pub struct Blink {
    /// When the eyes shut.
    pub blinker: Blinker,
    lids: Lids,
}

impl Blink {
    /// Blinks of a character; where nothing can shut, the layer does nothing.
    pub fn new(character: &Character, params: BlinkParams, seed: u64) -> Self {
        Self { blinker: Blinker::new(params, seed), lids: Lids::new(character) }
    }

    /// What shuts.
    pub fn lids(&self) -> &Lids {
        &self.lids
    }
}

impl Layer for Blink {
    fn apply(&mut self, moment: &Moment, _: &Rig, pose: &mut Pose) {
        let shut = self.blinker.step(moment.dt);
        self.lids.shut(pose, [shut; 2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Actor, Binding, Channel, ChannelKind, Channels, CharacterParts, Geometry, MaterialId, Mesh,
        Meta, Region, Regions, Skeleton, Transform,
    };
    use std::sync::Arc;

    /// A head with one eyeball a side; the left one hangs in a turned joint, off its centre.
    fn head(channels: Channels) -> Character {
        let mut s = Skeleton::new();
        let head = s.push("head", None, Transform::IDENTITY).expect("root");
        let turned = Transform {
            translation: Vec3::new(0.1, 0.5, 0.2),
            rotation: math::rotation(Vec3::Z, 1.5),
            scale: Vec3::splat(2.0),
        };
        let left = s.push("eye.L", Some(head), turned).expect("child");
        let right = Transform::from_translation(Vec3::new(-0.1, 0.5, 0.2));
        let right = s.push("eye.R", Some(head), right).expect("child");
        let regions = Regions::new(
            &s,
            &[
                (Region::Eye(Side::Left), &[(left, 1.0)]),
                (Region::Eye(Side::Right), &[(right, 1.0)]),
            ],
        );
        let ball = |joint, c: Vec3, r: f32| Mesh {
            name: "ball".into(),
            joint,
            geometry: Arc::new(Geometry {
                positions: [Vec3::X, Vec3::Y, Vec3::Z]
                    .into_iter()
                    .flat_map(|a| [c + a * r, c - a * r])
                    .collect(),
                indices: vec![0, 2, 4, 1, 5, 3],
                ..Geometry::default()
            }),
            material: MaterialId(0),
            binding: Binding::Rigid(joint),
            morphs: 0..0,
            shown: true,
        };
        let meshes =
            vec![ball(left, Vec3::new(0.03, 0.0, 0.0), 0.02), ball(right, Vec3::ZERO, 0.04)];
        Character::new(CharacterParts {
            name: "head".into(),
            rig: Rig::new(s, channels, regions, 1.0),
            meshes,
            skins: vec![],
            materials: vec![],
            textures: vec![],
            images: vec![],
            clips: vec![],
            meta: Meta::default(),
        })
        .expect("fits")
    }

    #[test]
    fn half_shut_is_half_as_high_and_shut_is_nothing() {
        let c = Arc::new(head(Channels::new()));
        let lids = Lids::new(&c);
        let mut actor = Actor::new(c.clone());
        let eye = |a: &Actor, i: usize| {
            let stage =
                crate::VertexStage::new(&c, i, a.palette(), a.pose().channels(), &a.pose().root);
            let p: Vec<Vec3> = (0..6).map(|v| stage.position(v)).collect();
            let lo = p.iter().fold(p[0], |a, b| a.min(*b));
            let hi = p.iter().fold(p[0], |a, b| a.max(*b));
            (lo, hi)
        };
        let rest = [eye(&actor, 0), eye(&actor, 1)];
        actor.edit(|p| lids.shut(p, [0.5, 0.5]));
        for i in 0..2 {
            let (lo, hi) = eye(&actor, i);
            let (rlo, rhi) = rest[i];
            assert!(((hi.y - lo.y) / (rhi.y - rlo.y) - 0.5).abs() < 0.06, "{i}");
            assert!(((hi.y + lo.y) - (rhi.y + rlo.y)).abs() < 2e-3, "lid line stays: {i}");
            let back = 0.25 * 0.8 * 0.04;
            assert!(((rhi.z + rlo.z) - (hi.z + lo.z) - 2.0 * back).abs() < 1e-3, "recess: {i}");
        }
        let mut actor = Actor::new(c.clone());
        actor.edit(|p| lids.shut(p, [1.0, 0.0]));
        let (lo, hi) = eye(&actor, 0);
        assert!((hi - lo).length() < 1e-6, "nothing is left: {lo} {hi}");
        assert_eq!(eye(&actor, 1), rest[1], "sides are apart");
    }

    #[test]
    fn real_lids_come_first() {
        let mut channels = Channels::new();
        let l = channels.push(Channel::new("blinkLeft", ChannelKind::Expression));
        let r = channels.push(Channel::new("Blink_R", ChannelKind::Morph));
        let c = head(channels);
        let lids = Lids::new(&c);
        let mut pose = Pose::rest(&c.rig);
        lids.shut(&mut pose, [0.75, 0.25]);
        assert_eq!((pose.channel(l), pose.channel(r)), (0.75, 0.25));
        assert_eq!(pose.scale(JointId(1)), Vec3::splat(2.0));
    }
}
