//! Body parts by meaning, so that one behaviour drives any body.

use crate::{Affine, JointId, Pose, Skeleton, math};
use glam::{Mat3, Quat, Vec3};

/// Left or right, as the character itself has them: its left is +X.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The character's left, +X.
    Left,
    /// The character's right, −X.
    Right,
}

impl Side {
    /// Both, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// +1 for left, −1 for right: the sign of x on that side.
    pub const fn sign(self) -> f32 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }
}

/// A body part by meaning.
///
/// The forelegs of an animal are its arms; an animal's paws are hands and feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // The names say it.
pub enum Region {
    /// Everything; what every body has.
    Body,
    Hips,
    Spine,
    Chest,
    Neck,
    Head,
    Jaw,
    /// The eyeball with its lid: what a blink squashes.
    Eye(Side),
    /// What turns within the eye.
    Pupil(Side),
    Ear(Side),
    /// Collar bone or shoulder blade.
    Shoulder(Side),
    /// Upper arm, from the shoulder joint on.
    Arm(Side),
    Forearm(Side),
    Hand(Side),
    /// Thigh, from the hip joint on.
    Leg(Side),
    Shin(Side),
    Foot(Side),
    Tail,
    /// What is held or worn.
    Prop,
}

impl Region {
    /// How many regions there are, both sides counted.
    pub const COUNT: usize = 9 + 10 * 2;

    /// All of them; [`Region::index`] is the position here.
    pub const ALL: [Self; Self::COUNT] = {
        use Region::{
            Arm, Body, Chest, Ear, Eye, Foot, Forearm, Hand, Head, Hips, Jaw, Leg, Neck, Prop,
            Pupil, Shin, Shoulder, Spine, Tail,
        };
        use Side::{Left, Right};
        [
            Body,
            Hips,
            Spine,
            Chest,
            Neck,
            Head,
            Jaw,
            Tail,
            Prop,
            Eye(Left),
            Eye(Right),
            Pupil(Left),
            Pupil(Right),
            Ear(Left),
            Ear(Right),
            Shoulder(Left),
            Shoulder(Right),
            Arm(Left),
            Arm(Right),
            Forearm(Left),
            Forearm(Right),
            Hand(Left),
            Hand(Right),
            Leg(Left),
            Leg(Right),
            Shin(Left),
            Shin(Right),
            Foot(Left),
            Foot(Right),
        ]
    };

    /// Position in [`Region::ALL`].
    pub const fn index(self) -> usize {
        match self {
            Self::Body => 0,
            Self::Hips => 1,
            Self::Spine => 2,
            Self::Chest => 3,
            Self::Neck => 4,
            Self::Head => 5,
            Self::Jaw => 6,
            Self::Tail => 7,
            Self::Prop => 8,
            Self::Eye(s) => sided_index(9, s),
            Self::Pupil(s) => sided_index(11, s),
            Self::Ear(s) => sided_index(13, s),
            Self::Shoulder(s) => sided_index(15, s),
            Self::Arm(s) => sided_index(17, s),
            Self::Forearm(s) => sided_index(19, s),
            Self::Hand(s) => sided_index(21, s),
            Self::Leg(s) => sided_index(23, s),
            Self::Shin(s) => sided_index(25, s),
            Self::Foot(s) => sided_index(27, s),
        }
    }

    /// The region that moves in its stead where a body lacks it. `None` for [`Region::Body`].
    pub const fn parent(self) -> Option<Self> {
        Some(match self {
            Self::Body => return None,
            Self::Hips | Self::Prop => Self::Body,
            Self::Spine | Self::Tail | Self::Leg(_) => Self::Hips,
            Self::Chest => Self::Spine,
            Self::Neck | Self::Shoulder(_) => Self::Chest,
            Self::Head => Self::Neck,
            Self::Jaw | Self::Eye(_) | Self::Ear(_) => Self::Head,
            Self::Pupil(s) => Self::Eye(s),
            Self::Arm(s) => Self::Shoulder(s),
            Self::Forearm(s) => Self::Arm(s),
            Self::Hand(s) => Self::Forearm(s),
            Self::Shin(s) => Self::Leg(s),
            Self::Foot(s) => Self::Shin(s),
        })
    }
}

const fn sided_index(base: usize, side: Side) -> usize {
    base + side as usize
}

/// One joint's part in a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionJoint {
    /// The joint.
    pub joint: JointId,
    /// Its share of the region's rotation; the shares of a region sum to 1.
    pub share: f32,
    /// Rest rotation of the joint's parent in model space: turns the character's axes into the
    /// joint's.
    frame: Quat,
    /// Inverse of the parent's rest linear map: turns a shift in model space into a local one.
    to_parent: Mat3,
}

impl RegionJoint {
    /// Turns this joint alone by `turn`, given in the character's axes at rest, on top of what
    /// the pose has. Its share is not read.
    #[inline]
    pub fn rotate(&self, pose: &mut Pose, turn: Quat) {
        let local = self.frame.conjugate() * turn * self.frame;
        pose.set_rotation(self.joint, local * pose.rotation(self.joint));
    }

    /// Shifts this joint alone by `by` metres along the character's axes at rest.
    #[inline]
    pub fn translate(&self, pose: &mut Pose, by: Vec3) {
        pose.set_translation(self.joint, pose.translation(self.joint) + self.to_parent * by);
    }
}

/// Which joints make up which region.
#[derive(Clone, Debug, PartialEq)]
pub struct Regions {
    joints: Vec<RegionJoint>,
    /// Range in `joints` of each region that the body has itself.
    own: [Option<(u32, u32)>; Region::COUNT],
    /// The same with fallbacks followed.
    resolved: [(u32, u32); Region::COUNT],
}

impl Regions {
    /// The regions of `skeleton`: a list of region → joints with shares, in any order.
    ///
    /// Shares are normalised to sum 1 a region. [`Region::Body`], where not given, is the roots of
    /// the skeleton at full share each. A region named twice keeps its last entry; joints outside
    /// the skeleton are left out.
    pub fn new(skeleton: &Skeleton, parts: &[(Region, &[(JointId, f32)])]) -> Self {
        let model = skeleton.rest_model();
        let mut out = Self {
            joints: Vec::new(),
            own: [None; Region::COUNT],
            resolved: [(0, 0); Region::COUNT],
        };
        let make = |joint: JointId, share: f32| {
            let parent = skeleton.parent(joint).map_or(Affine::IDENTITY, |p| model[p.index()]);
            RegionJoint {
                joint,
                share,
                frame: parent.to_transform().rotation,
                to_parent: parent.inverse().map_or(Mat3::IDENTITY, |i| i.linear()),
            }
        };
        for (region, joints) in parts {
            let known = || joints.iter().filter(|(j, _)| j.index() < skeleton.len());
            let sum: f32 = known().map(|(_, s)| s).sum();
            if known().next().is_none() || sum <= 0.0 || !sum.is_finite() {
                continue;
            }
            let start = out.joints.len() as u32;
            out.joints.extend(known().map(|&(j, s)| make(j, s / sum)));
            out.own[region.index()] = Some((start, out.joints.len() as u32));
        }
        if out.own[0].is_none() {
            let start = out.joints.len() as u32;
            out.joints.extend(skeleton.children(None).map(|j| make(j, 1.0)));
            out.own[0] = Some((start, out.joints.len() as u32));
        }
        for region in Region::ALL {
            let mut at = region;
            let range = loop {
                match (out.own[at.index()], at.parent()) {
                    (Some(range), _) => break range,
                    (None, Some(parent)) => at = parent,
                    (None, None) => break (0, 0),
                }
            };
            out.resolved[region.index()] = range;
        }
        out
    }

    /// Whether the body has this region itself, not only one that stands in for it.
    #[inline]
    pub fn has(&self, region: Region) -> bool {
        self.own[region.index()].is_some()
    }

    /// The joints that move for this region: its own, or those of the nearest region above it.
    #[inline]
    pub fn joints(&self, region: Region) -> &[RegionJoint] {
        let (a, b) = self.resolved[region.index()];
        &self.joints[a as usize..b as usize]
    }

    /// The joints of the region itself; empty where the body lacks it.
    #[inline]
    pub fn own_joints(&self, region: Region) -> &[RegionJoint] {
        self.own[region.index()].map_or(&[], |(a, b)| &self.joints[a as usize..b as usize])
    }

    /// Turns a region by `turn`, given in the character's axes at rest, on top of what the pose
    /// has; joints of a chain take their shares.
    pub fn rotate(&self, pose: &mut Pose, region: Region, turn: Quat) {
        // Joints of a chain mostly have one share: its part of the turn is found once.
        let mut part = (1.0, turn);
        for r in self.joints(region) {
            if r.share != part.0 {
                let whole = r.share == 1.0;
                let turned = if whole { turn } else { math::slerp(Quat::IDENTITY, turn, r.share) };
                part = (r.share, turned);
            }
            r.rotate(pose, part.1);
        }
    }

    /// Shifts a region by `by` metres along the character's axes at rest.
    pub fn translate(&self, pose: &mut Pose, region: Region, by: Vec3) {
        for r in self.joints(region) {
            r.translate(pose, by);
        }
    }

    /// Scales a region by `by` along its joints' own axes.
    pub fn scale(&self, pose: &mut Pose, region: Region, by: Vec3) {
        for r in self.joints(region) {
            pose.set_scale(r.joint, pose.scale(r.joint) * by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channels, Rig, Transform};

    #[test]
    fn index_is_the_position_in_all() {
        for (i, r) in Region::ALL.into_iter().enumerate() {
            assert_eq!(r.index(), i);
        }
    }

    fn teapot() -> Rig {
        let mut s = Skeleton::new();
        s.push("pot", None, Transform::IDENTITY).expect("root");
        let regions = Regions::new(&s, &[]);
        Rig::new(s, Channels::new(), regions, 0.2)
    }

    #[test]
    fn a_nod_moves_a_teapot() {
        let rig = teapot();
        assert!(!rig.regions.has(Region::Head));
        let mut pose = Pose::rest(&rig);
        rig.regions.rotate(&mut pose, Region::Head, math::rotation(Vec3::X, 0.3));
        assert!(pose.rotation(JointId(0)).x > 0.1);
    }

    #[test]
    fn turns_are_in_the_characters_axes_whatever_the_joints_are() {
        let mut s = Skeleton::new();
        let tilted = Transform {
            rotation: math::yaw_pitch_roll(0.7, -0.4, 1.9),
            scale: Vec3::splat(0.01),
            ..Transform::IDENTITY
        };
        let root = s.push("armature", None, tilted).expect("root");
        let neck = s.push("neck", Some(root), tilted).expect("child");
        let head = s.push("head", Some(neck), tilted).expect("child");
        let regions = Regions::new(&s, &[(Region::Head, &[(neck, 0.35), (head, 0.65)])]);
        let rig = Rig::new(s, Channels::new(), regions, 1.0);
        let rest = rig.skeleton.rest_model()[head.index()];
        let mut pose = Pose::rest(&rig);
        let turn = math::yaw_pitch_roll(0.5, 0.0, 0.0);
        rig.regions.rotate(&mut pose, Region::Head, turn);
        let mut model = vec![Affine::IDENTITY; 3];
        pose.to_model(&rig.skeleton, &mut model);
        let want = turn * rest.to_transform().rotation;
        let got = model[head.index()].to_transform().rotation;
        assert!(got.dot(want).abs() > 0.999_99);
        // A shift along +Y in the character's axes is that shift in model space.
        let before = model[neck.index()].translation();
        rig.regions.translate(&mut pose, Region::Head, Vec3::new(0.0, 0.1, 0.0));
        pose.to_model(&rig.skeleton, &mut model);
        let moved = model[neck.index()].translation() - before;
        assert!(moved.abs_diff_eq(Vec3::new(0.0, 0.1, 0.0), 1e-5), "{moved}");
    }
}
