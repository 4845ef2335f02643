//! The built-in rabbit: rigid parts and no clip, so that all of its motion comes from state.

use super::rabbit_parts::{self as parts, Look};
use super::shapes::Shape;
use crate::{
    Binding, Channels, Character, CharacterParts, JointId, MaterialId, Mesh, Meta, Region, Regions,
    Rig, Side, Skeleton, Transform, math,
};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Height from the soles to the tips of the ears at rest, metres.
pub(super) const HEIGHT: f32 = 0.45;

/// A toy rabbit, 0.45 m tall, facing +Z, standing on its hind feet at the origin: about thirty
/// spheres, eggs and capsules on 29 joints, with every [`Region`] that it has named.
///
/// Its hind feet hang from the root and not from the legs: they stay on the ground while the body
/// squashes and leans above them. Each leg is aimed at its ankle by whoever moves it
/// ([`Locomotion`](crate::layers::Locomotion) does).
///
/// Makes a new one each time; share it in an `Arc`.
pub fn rabbit() -> Character {
    Builder::default().build()
}

#[derive(Default)]
struct Builder {
    skeleton: Skeleton,
    /// Rest position of each joint in model space.
    places: Vec<Vec3>,
    turns: Vec<Quat>,
    regions: Vec<(Region, Vec<(JointId, f32)>)>,
    meshes: Vec<Mesh>,
}

impl Builder {
    /// Adds a joint at a place in model space, turned by `turn` in model space.
    fn joint(&mut self, name: String, parent: Option<JointId>, at: Vec3, turn: Quat) -> JointId {
        let (base, frame) = parent.map_or((Vec3::ZERO, Quat::IDENTITY), |p| {
            (self.places[p.index()], self.turns[p.index()])
        });
        let back = frame.conjugate();
        let rest =
            Transform { translation: back * (at - base), rotation: back * turn, scale: Vec3::ONE };
        self.places.push(at);
        self.turns.push(turn);
        // Parents are ids that this builder gave out: they stand before their children.
        self.skeleton.push(name, parent, rest).unwrap_or(JointId(0))
    }

    fn region(&mut self, region: Region, joints: &[(JointId, f32)]) {
        self.regions.push((region, joints.to_vec()));
    }

    /// A part that follows `joint`; `shape` is in the joint's space.
    fn part(&mut self, name: &str, joint: JointId, look: Look, shape: Shape) {
        self.meshes.push(Mesh {
            name: name.to_owned(),
            joint,
            geometry: Arc::new(shape.into_geometry()),
            material: MaterialId::new(look as usize),
            binding: Binding::Rigid(joint),
            morphs: 0..0,
            shown: true,
        });
    }

    fn build(mut self) -> Character {
        let none = Quat::IDENTITY;
        let root = self.joint("rabbit".into(), None, Vec3::ZERO, none);
        let hips = self.joint("hips".into(), Some(root), parts::HIPS, none);
        let chest = self.joint("chest".into(), Some(hips), parts::CHEST, none);
        let head = self.joint("head".into(), Some(chest), parts::HEAD, none);
        let muzzle = self.joint("muzzle".into(), Some(head), parts::MUZZLE, none);
        let tail = self.joint("tail".into(), Some(hips), parts::TAIL, none);
        self.region(Region::Body, &[(root, 1.0)]);
        self.region(Region::Hips, &[(hips, 1.0)]);
        self.region(Region::Chest, &[(chest, 1.0)]);
        self.region(Region::Head, &[(head, 1.0)]);
        self.region(Region::Jaw, &[(muzzle, 1.0)]);
        self.region(Region::Tail, &[(tail, 1.0)]);
        self.part("body", hips, Look::Fur, parts::body());
        self.part("ruff", chest, Look::Fur, parts::ruff());
        self.part("head", head, Look::Fur, parts::head());
        self.part("muzzle", muzzle, Look::Fur, parts::muzzle());
        self.part("nose", muzzle, Look::Nose, parts::nose());
        self.part("mouth", muzzle, Look::Line, parts::mouth());
        self.part("tail", tail, Look::Fur, parts::tail());
        for side in Side::BOTH {
            self.side(side, [root, hips, chest, head]);
        }
        let borrowed: Vec<(Region, &[(JointId, f32)])> =
            self.regions.iter().map(|(r, j)| (*r, j.as_slice())).collect();
        let regions = Regions::new(&self.skeleton, &borrowed);
        let character = Character::new(CharacterParts {
            name: "rabbit".into(),
            rig: Rig::new(self.skeleton, Channels::new(), regions, HEIGHT),
            meshes: self.meshes,
            skins: Vec::new(),
            materials: parts::materials(),
            textures: Vec::new(),
            images: Vec::new(),
            clips: Vec::new(),
            meta: Meta {
                title: "Rabbit".into(),
                license: "MIT OR Apache-2.0".into(),
                generator: concat!("enliven ", env!("CARGO_PKG_VERSION")).into(),
                ..Meta::default()
            },
        });
        // A constant of the program: the test below builds it.
        character.expect("the parts above fit together")
    }

    fn side(&mut self, side: Side, [root, hips, chest, head]: [JointId; 4]) {
        let suffix = if side == Side::Left { 'L' } else { 'R' };
        let name = |part: &str| format!("{part}.{suffix}");
        let mirror = Vec3::new(side.sign(), 1.0, 1.0);
        let none = Quat::IDENTITY;

        let gaze = math::rotation(Vec3::Y, parts::EYE_OUT * side.sign())
            * math::rotation(Vec3::X, parts::EYE_UP);
        let eye = self.joint(name("eye"), Some(head), parts::EYE * mirror, gaze);
        let pupil = self.joint(name("pupil"), Some(eye), parts::EYE * mirror, gaze);
        self.region(Region::Eye(side), &[(eye, 1.0)]);
        self.region(Region::Pupil(side), &[(pupil, 1.0)]);
        self.part("eyeball", eye, Look::Eye, parts::eyeball());
        self.part("pupil", pupil, Look::Eye, parts::pupil());
        self.part("glint", eye, Look::Glint, parts::glint(side));
        // Under the eyeball: what is seen of a shut eye.
        self.part("lash", head, Look::Line, parts::lash(gaze, (parts::EYE - parts::HEAD) * mirror));

        let lean = math::rotation(Vec3::Z, -parts::EAR_OUT * side.sign())
            * math::rotation(Vec3::X, parts::EAR_BACK)
            * math::rotation(Vec3::Y, parts::EAR_OPEN * side.sign());
        let at = parts::EAR * mirror;
        let ear = self.joint(name("ear"), Some(head), at, lean);
        let [mid_at, tip_at] = parts::EAR_BENDS.map(|y| at + lean * (Vec3::Y * y));
        let mid = self.joint(name("ear.mid"), Some(ear), mid_at, lean);
        let tip = self.joint(name("ear.tip"), Some(mid), tip_at, lean);
        self.region(Region::Ear(side), &[(ear, 0.6), (mid, 0.22), (tip, 0.18)]);
        for ((part, joint), shape) in
            [("ear", ear), ("ear.mid", mid), ("ear.tip", tip)].into_iter().zip(parts::ears())
        {
            self.part(part, joint, Look::Fur, shape);
        }

        let hang = math::rotation(Vec3::X, parts::ARM_FORWARD)
            * math::rotation(Vec3::Z, parts::ARM_IN * side.sign());
        let shoulder = parts::SHOULDER * mirror;
        let arm = self.joint(name("arm"), Some(chest), shoulder, hang);
        let wrist = shoulder + hang * (Vec3::NEG_Y * parts::ARM_LENGTH);
        let hand = self.joint(name("paw"), Some(arm), wrist, hang);
        self.region(Region::Arm(side), &[(arm, 1.0)]);
        self.region(Region::Hand(side), &[(hand, 1.0)]);
        self.part("arm", arm, Look::Fur, parts::arm());
        self.part("paw", hand, Look::Fur, parts::paw());

        let leg = self.joint(name("leg"), Some(hips), parts::LEG * mirror, none);
        let ankle_at = parts::ANKLE * mirror;
        let knee = parts::KNEE * mirror;
        let aim = Quat::from_rotation_arc(Vec3::NEG_Y, (ankle_at - knee).normalize());
        let shin = self.joint(name("shin"), Some(hips), knee, aim);
        let foot = self.joint(name("foot"), Some(root), parts::FOOT * mirror, none);
        let ankle = self.joint(name("ankle"), Some(foot), ankle_at, none);
        self.region(Region::Leg(side), &[(leg, 1.0)]);
        self.region(Region::Shin(side), &[(shin, 1.0)]);
        self.region(Region::Foot(side), &[(foot, 1.0)]);
        self.part("thigh", leg, Look::Fur, parts::thigh(side));
        self.part("shin", shin, Look::Fur, parts::shin((ankle_at - knee).length()));
        self.part("foot", foot, Look::Fur, parts::foot());
        self.part("heel", ankle, Look::Fur, parts::heel());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;

    #[test]
    fn it_stands_on_the_ground_and_is_as_tall_as_it_says() {
        let rabbit = rabbit();
        let (lo, hi) = rabbit.bounds(&Pose::rest(&rabbit.rig)).expect("it is shown");
        assert!(lo.y.abs() < 0.002, "soles at {}", lo.y);
        assert!((hi.y - HEIGHT).abs() < 0.01, "ears to {}", hi.y);
        assert!((lo.x + hi.x).abs() < 1e-3, "as far to the left as to the right");
    }

    #[test]
    fn it_has_the_regions_that_motion_needs() {
        let r = &rabbit().rig.regions;
        let sided =
            [Region::Eye, Region::Pupil, Region::Ear, Region::Arm, Region::Hand, Region::Leg]
                .map(|f| Side::BOTH.map(f));
        let single = [Region::Body, Region::Hips, Region::Chest, Region::Head, Region::Tail];
        for region in sided.into_iter().flatten().chain(single) {
            assert!(r.has(region), "{region:?}");
        }
        assert!(!r.has(Region::Prop));
    }

    #[test]
    fn every_part_is_closed_under_its_material() {
        let rabbit = rabbit();
        for m in &rabbit.meshes {
            assert!(m.geometry.vertex_count() > 100, "{} is coarse", m.name);
            assert_eq!(m.geometry.colors.len(), m.geometry.vertex_count(), "{}", m.name);
        }
        let vertices: usize = rabbit.meshes.iter().map(|m| m.geometry.vertex_count()).sum();
        assert!(vertices < 40_000, "{vertices}");
    }
}
