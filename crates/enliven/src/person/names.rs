//! Which joint is which part, by the names that tools give.

use super::{HumanBone, Humanoid};
use crate::{JointId, Region, Side, Skeleton};
use glam::Vec3;

/// What one word, or several run together, says of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Hips,
    Trunk,
    Neck,
    Head,
    Jaw,
    Eye,
    Ear,
    Tail,
    Prop,
    /// Collar bone or shoulder blade, for certain.
    Collar,
    /// A collar bone, or the upper arm where a collar bone stands above it.
    Shoulder,
    UpperArm,
    /// Any part of an arm: its place in the chain decides.
    Arm,
    LowerArm,
    Hand,
    UpperLeg,
    /// With a side: a thigh where nothing better is named so.
    HipSide,
    /// Any part of a leg.
    Leg,
    LowerLeg,
    Foot,
    Toes,
    Finger(u8),
}

/// Words run together, lower case, without sides, numbers and noise. Mixamo, Blender and Rigify,
/// Quaternius, KayKit, Kenney, CMU, 3ds Max, VRoid, Khronos samples.
const WORDS: &[(&str, Part)] = &[
    ("hips", Part::Hips),
    ("hip", Part::Hips),
    ("pelvis", Part::Hips),
    ("bodylow", Part::Hips),
    ("lowerbody", Part::Hips),
    ("spine", Part::Trunk),
    ("torso", Part::Trunk),
    ("abdomen", Part::Trunk),
    ("belly", Part::Trunk),
    ("stomach", Part::Trunk),
    ("waist", Part::Trunk),
    ("chest", Part::Trunk),
    ("upperchest", Part::Trunk),
    ("ribcage", Part::Trunk),
    ("ribs", Part::Trunk),
    ("back", Part::Trunk),
    ("lowerback", Part::Trunk),
    ("upperback", Part::Trunk),
    ("bodyup", Part::Trunk),
    ("upperbody", Part::Trunk),
    ("neck", Part::Neck),
    ("head", Part::Head),
    ("skull", Part::Head),
    ("jaw", Part::Jaw),
    ("lowerjaw", Part::Jaw),
    ("chin", Part::Jaw),
    ("mouth", Part::Jaw),
    ("lowermouth", Part::Jaw),
    ("eye", Part::Eye),
    ("eyeball", Part::Eye),
    ("eyes", Part::Eye),
    ("faceeye", Part::Eye),
    ("ear", Part::Ear),
    ("tail", Part::Tail),
    ("handslot", Part::Prop),
    ("weapon", Part::Prop),
    ("sockethand", Part::Prop),
    ("prop", Part::Prop),
    ("item", Part::Prop),
    ("clavicle", Part::Collar),
    ("collar", Part::Collar),
    ("collarbone", Part::Collar),
    ("scapula", Part::Collar),
    ("shoulderblade", Part::Collar),
    ("frontshoulder", Part::Collar),
    ("shoulder", Part::Shoulder),
    ("upperarm", Part::UpperArm),
    ("uparm", Part::UpperArm),
    ("armupper", Part::UpperArm),
    ("frontupleg", Part::UpperArm),
    ("frontupperleg", Part::UpperArm),
    ("arm", Part::Arm),
    ("frontleg", Part::Arm),
    ("foreleg", Part::Arm),
    ("forearm", Part::LowerArm),
    ("lowerarm", Part::LowerArm),
    ("lowarm", Part::LowerArm),
    ("armlower", Part::LowerArm),
    ("elbow", Part::LowerArm),
    ("frontlowleg", Part::LowerArm),
    ("frontlowerleg", Part::LowerArm),
    ("hand", Part::Hand),
    ("wrist", Part::Hand),
    ("palm", Part::Hand),
    ("fist", Part::Hand),
    ("frontfoot", Part::Hand),
    ("frontpaw", Part::Hand),
    ("thigh", Part::UpperLeg),
    ("upleg", Part::UpperLeg),
    ("upperleg", Part::UpperLeg),
    ("legupper", Part::UpperLeg),
    ("backupleg", Part::UpperLeg),
    ("backupperleg", Part::UpperLeg),
    ("hindupperleg", Part::UpperLeg),
    ("hipjoint", Part::HipSide),
    ("backhip", Part::HipSide),
    ("leg", Part::Leg),
    ("backleg", Part::Leg),
    ("hindleg", Part::Leg),
    ("rearleg", Part::Leg),
    ("shin", Part::LowerLeg),
    ("calf", Part::LowerLeg),
    ("knee", Part::LowerLeg),
    ("lowleg", Part::LowerLeg),
    ("lowerleg", Part::LowerLeg),
    ("leglower", Part::LowerLeg),
    ("backlowleg", Part::LowerLeg),
    ("backlowerleg", Part::LowerLeg),
    ("foot", Part::Foot),
    ("ankle", Part::Foot),
    ("backfoot", Part::Foot),
    ("hindfoot", Part::Foot),
    ("backpaw", Part::Foot),
    ("toe", Part::Toes),
    ("toes", Part::Toes),
    ("toebase", Part::Toes),
    ("forefoot", Part::Toes),
    ("thumb", Part::Finger(0)),
    ("handthumb", Part::Finger(0)),
    ("fthumb", Part::Finger(0)),
    ("index", Part::Finger(1)),
    ("handindex", Part::Finger(1)),
    ("indexfinger", Part::Finger(1)),
    ("findex", Part::Finger(1)),
    ("middle", Part::Finger(2)),
    ("handmiddle", Part::Finger(2)),
    ("middlefinger", Part::Finger(2)),
    ("fmiddle", Part::Finger(2)),
    ("ring", Part::Finger(3)),
    ("handring", Part::Finger(3)),
    ("ringfinger", Part::Finger(3)),
    ("fring", Part::Finger(3)),
    ("pinky", Part::Finger(4)),
    ("little", Part::Finger(4)),
    ("handpinky", Part::Finger(4)),
    ("handlittle", Part::Finger(4)),
    ("littlefinger", Part::Finger(4)),
    ("fpinky", Part::Finger(4)),
];

/// Words that say nothing of the part.
const NOISE: &[&str] = &[
    "mixamorig",
    "def",
    "org",
    "joint",
    "jnt",
    "bone",
    "skeleton",
    "armature",
    "bip",
    "j",
    "b",
    "c",
    "sec",
    "adj",
    "rig",
    "valve",
    "biped",
    "base",
];

/// Words of joints that control others or end a chain.
const NOT_PARTS: &[&str] = &[
    "ik",
    "ikc",
    "ctrl",
    "control",
    "pole",
    "target",
    "end",
    "nub",
    "orient",
    "roll",
    "tracker",
    "headtracker",
    "socket",
    "twist",
    "helper",
    "legcontrol",
    "legorient",
    "armcontrol",
    "armorient",
    "footik",
    "kneeik",
    "elbowik",
    "handik",
    "heelik",
    "mch",
    "end",
];

/// What a name says: the part and the side.
fn read(name: &str) -> Option<(Part, Option<Side>)> {
    let name = name.rsplit_once(':').map_or(name, |(_, own)| own);
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in name.chars() {
        let fresh = c.is_ascii_uppercase() && !last.is_ascii_uppercase()
            || c.is_ascii_alphabetic() && !last.is_ascii_alphabetic();
        if c.is_ascii_alphabetic() {
            if fresh {
                words.push(String::new());
            }
            words.last_mut()?.push(c.to_ascii_lowercase());
        }
        last = c;
    }
    // `LHip` is one capital run into the next word.
    if let Some(first) = words.first()
        && first.len() > 2
        && name.chars().take(2).all(|c| c.is_ascii_uppercase())
        && matches!(first.as_bytes()[0], b'l' | b'r')
        && name.chars().nth(2).is_some_and(|c| c.is_ascii_lowercase())
    {
        let (side, rest) = (first[..1].to_owned(), first[1..].to_owned());
        words[0] = side;
        words.insert(1, rest);
    }
    let mut side = None;
    words.retain(|w| {
        let found = match w.as_str() {
            "l" | "left" => Some(Side::Left),
            "r" | "right" => Some(Side::Right),
            _ => None,
        };
        side = side.or(found);
        found.is_none() && !NOISE.contains(&w.as_str())
    });
    // `handslot` is a prop although `slot` is none of a body.
    let joined = words.concat();
    if joined != "sockethand" && words.iter().any(|w| NOT_PARTS.contains(&w.as_str())) {
        return None;
    }
    let find = |name: &str| WORDS.iter().find(|(w, _)| *w == name).map(|(_, p)| *p);
    let part = find(&joined).or_else(|| {
        // VRM's own names: `leftIndexProximal`. Which of the three it is, the chain tells.
        let (last, front) = words.split_last()?;
        let segment = ["metacarpal", "proximal", "intermediate", "distal"].contains(&last.as_str());
        find(&front.concat()).filter(|p| segment && matches!(p, Part::Finger(_)))
    })?;
    let part = if part == Part::Hips && side.is_some() { Part::HipSide } else { part };
    Some((part, side))
}

/// What the names of a skeleton's joints say about its body.
#[derive(Clone, Debug, Default)]
pub struct NamedParts {
    bones: Vec<(HumanBone, JointId)>,
    regions: Vec<(Region, Vec<(JointId, f32)>)>,
}

impl NamedParts {
    /// Reads the names of the joints for which `counts` holds (the joints of the skins, where there
    /// are skins: a mesh called like a joint is no part).
    pub fn new(skeleton: &Skeleton, counts: impl Fn(JointId) -> bool) -> Self {
        let known: Vec<(JointId, Part, Option<Side>)> = skeleton
            .joints()
            .filter(|j| counts(*j))
            .filter_map(|j| read(skeleton.name(j)).map(|(part, side)| (j, part, side)))
            .collect();
        let mut out = Self::default();
        Finder { skeleton, known: &known }.find(&mut out);
        out
    }

    /// The joints as humanoid bones; perhaps not all that a humanoid needs.
    pub fn humanoid(&self, skeleton: &Skeleton) -> Humanoid {
        Humanoid::new(skeleton, self.bones.iter().copied())
    }

    /// Body parts with joints and shares, for [`Regions::new`](crate::Regions::new).
    pub fn regions(&self) -> &[(Region, Vec<(JointId, f32)>)] {
        &self.regions
    }
}

struct Finder<'a> {
    skeleton: &'a Skeleton,
    known: &'a [(JointId, Part, Option<Side>)],
}

impl Finder<'_> {
    fn all(&self, part: Part, side: Option<Side>) -> impl Iterator<Item = JointId> + '_ {
        self.known.iter().filter(move |k| k.1 == part && k.2 == side).map(|k| k.0)
    }

    fn first(&self, part: Part, side: Option<Side>) -> Option<JointId> {
        self.all(part, side).next()
    }

    /// The first of these parts that is below `above` (where there is one), nearest first.
    fn below(&self, parts: &[Part], side: Side, above: Option<JointId>) -> Option<JointId> {
        parts.iter().find_map(|part| {
            self.all(*part, Some(side))
                .filter(|j| above.is_none_or(|a| *j != a && self.skeleton.is_ancestor(a, *j)))
                .min_by_key(|j| self.depth(*j))
        })
    }

    fn depth(&self, joint: JointId) -> usize {
        let mut n = 0;
        let mut at = joint;
        while let Some(up) = self.skeleton.parent(at) {
            n += 1;
            at = up;
        }
        n
    }

    /// Joints from `from` (exclusive) down to `to` (exclusive), top first.
    fn between(&self, from: JointId, to: JointId) -> Vec<JointId> {
        let mut path = Vec::new();
        let mut at = self.skeleton.parent(to);
        while let Some(j) = at.filter(|j| *j != from) {
            path.push(j);
            at = self.skeleton.parent(j);
        }
        path.reverse();
        path
    }

    fn common(&self, a: JointId, b: JointId) -> Option<JointId> {
        let mut at = Some(a);
        while let Some(j) = at {
            if self.skeleton.is_ancestor(j, b) {
                return Some(j);
            }
            at = self.skeleton.parent(j);
        }
        None
    }

    /// A run of joints of one part that starts at its topmost, each the child of the last.
    fn chain(&self, part: Part, side: Option<Side>) -> Vec<JointId> {
        let Some(top) = self.all(part, side).min_by_key(|j| self.depth(*j)) else {
            return Vec::new();
        };
        let mut out = vec![top];
        let mut joints: Vec<JointId> = self.all(part, side).collect();
        joints.sort();
        for j in joints {
            let end = out[out.len() - 1];
            if j != end && self.skeleton.is_ancestor(end, j) {
                out.push(j);
            }
        }
        out
    }

    fn find(&self, out: &mut NamedParts) {
        let mut limbs = Vec::new();
        for side in Side::BOTH {
            self.leg(side, &mut limbs);
            self.arm(side, &mut limbs);
        }
        let of = |limbs: &[(HumanBone, JointId)], bone| {
            limbs.iter().find(|(b, _)| *b == bone).map(|(_, j)| *j)
        };
        let thighs = [of(&limbs, HumanBone::LeftUpperLeg), of(&limbs, HumanBone::RightUpperLeg)];

        let necks = self.necks();
        let head = self.head(&necks);
        // A neck without a head: its last joint is the head.
        let (head, necks) = match (head, necks.split_last()) {
            (Some(head), _) => (Some(head), necks),
            (None, Some((last, rest))) => (Some(*last), rest.to_vec()),
            (None, None) => (None, necks),
        };
        let legs_meet = match thighs {
            [Some(a), Some(b)] => self.common(a, b),
            [a, b] => a.or(b).and_then(|j| self.skeleton.parent(j)),
        };
        let hips = self.first(Part::Hips, None).or(legs_meet);
        let top = necks.first().copied().or(head);
        let mut trunk: Vec<JointId> = match (hips, top) {
            (Some(hips), Some(top)) => match self.common(hips, top) {
                Some(from) => self.between(from, top),
                None => Vec::new(),
            },
            _ => self.known.iter().filter(|k| k.1 == Part::Trunk).map(|k| k.0).collect(),
        };
        trunk.retain(|j| Some(*j) != hips);

        let mut bones: Vec<(HumanBone, JointId)> = Vec::new();
        let mut regions: Vec<(Region, Vec<(JointId, f32)>)> = Vec::new();
        let one = |j: JointId| vec![(j, 1.0)];
        if let Some(j) = hips {
            bones.push((HumanBone::Hips, j));
            regions.push((Region::Hips, one(j)));
        }
        let n = trunk.len();
        let marks = match n {
            0 => [None; 3],
            1 => [Some(0), None, None],
            2 => [Some(0), Some(1), None],
            _ => [Some(0), Some(n / 2), Some(n - 1)],
        };
        for (bone, i) in
            [HumanBone::Spine, HumanBone::Chest, HumanBone::UpperChest].into_iter().zip(marks)
        {
            bones.extend(i.map(|i| (bone, trunk[i])));
        }
        let even =
            |list: &[JointId]| -> Vec<(JointId, f32)> { list.iter().map(|j| (*j, 1.0)).collect() };
        if n > 0 {
            // The lower half bends as the spine, the upper half as the chest.
            let cut = n.div_ceil(2);
            regions.push((Region::Spine, even(&trunk[..cut])));
            if n > 1 {
                regions.push((Region::Chest, even(&trunk[cut..])));
            }
        }
        if !necks.is_empty() {
            bones.push((HumanBone::Neck, necks[0]));
            regions.push((Region::Neck, even(&necks)));
        }
        if let Some(head) = head {
            bones.push((HumanBone::Head, head));
            let share = 0.35 / necks.len().max(1) as f32;
            let mut parts: Vec<(JointId, f32)> = necks.iter().map(|j| (*j, share)).collect();
            parts.push((head, 0.65));
            regions.push((Region::Head, parts));
        }
        if let Some(j) = self.first(Part::Jaw, None) {
            bones.push((HumanBone::Jaw, j));
            regions.push((Region::Jaw, one(j)));
        }
        for side in Side::BOTH {
            let eye = if side == Side::Left { HumanBone::LeftEye } else { HumanBone::RightEye };
            if let Some(j) = self.first(Part::Eye, Some(side)) {
                bones.push((eye, j));
                regions.push((Region::Eye(side), one(j)));
                regions.push((Region::Pupil(side), one(j)));
            }
            if let Some(j) = self.chain(Part::Ear, Some(side)).first() {
                regions.push((Region::Ear(side), one(*j)));
            }
            if let Some(j) = self.first(Part::Prop, Some(side)) {
                regions.push((Region::Prop, one(j)));
            }
        }
        let tail = self.chain(Part::Tail, None);
        if !tail.is_empty() {
            regions.push((Region::Tail, even(&tail)));
        }
        for (bone, joint) in &limbs {
            if let Some(region) = region_of(*bone) {
                regions.push((region, one(*joint)));
            }
        }
        bones.extend(limbs);
        out.bones = bones;
        out.regions = regions;
    }

    fn necks(&self) -> Vec<JointId> {
        self.chain(Part::Neck, None)
    }

    /// Of several heads the one below a neck, else the first.
    fn head(&self, necks: &[JointId]) -> Option<JointId> {
        let below = |j: &JointId| necks.iter().any(|n| self.skeleton.is_ancestor(*n, *j));
        self.all(Part::Head, None)
            .find(below)
            .or_else(|| self.all(Part::Head, None).min_by_key(|j| self.depth(*j)))
    }

    fn leg(&self, side: Side, out: &mut Vec<(HumanBone, JointId)>) {
        let b = bones_of(side);
        let upper = self
            .below(&[Part::UpperLeg], side, None)
            .or_else(|| self.below(&[Part::HipSide], side, None))
            .or_else(|| self.below(&[Part::Leg], side, None));
        let lower = upper.and_then(|u| self.below(&[Part::LowerLeg, Part::Leg], side, Some(u)));
        let from = lower.or(upper);
        let foot = self
            .below(&[Part::Foot], side, from)
            .or_else(|| lower.and_then(|l| self.below(&[Part::Leg], side, Some(l))))
            .or_else(|| self.below(&[Part::Foot], side, None));
        let toes =
            foot.and_then(|f| self.below(&[Part::Toes, Part::Leg, Part::Foot], side, Some(f)));
        let found = [(b[0], upper), (b[1], lower), (b[2], foot), (b[3], toes)];
        out.extend(found.into_iter().filter_map(|(b, j)| Some((b, j?))));
    }

    fn arm(&self, side: Side, out: &mut Vec<(HumanBone, JointId)>) {
        let b = bones_of(side);
        let named = self.below(&[Part::UpperArm], side, None);
        let generic = self.below(&[Part::Arm], side, None);
        let shoulder = self.below(&[Part::Shoulder], side, None);
        let collar = self.below(&[Part::Collar], side, None);
        let upper = named.or(generic).or(shoulder);
        let collar = collar
            .or(shoulder)
            .filter(|c| upper.is_some_and(|u| *c != u && self.skeleton.is_ancestor(*c, u)));
        let lower = upper.and_then(|u| self.below(&[Part::LowerArm, Part::Arm], side, Some(u)));
        let from = lower.or(upper);
        let hand = self
            .below(&[Part::Hand], side, from)
            .into_iter()
            .chain(lower.and_then(|l| self.below(&[Part::Arm], side, Some(l))))
            .next()
            .or_else(|| self.below(&[Part::Hand], side, None));
        let found = [(b[4], collar), (b[5], upper), (b[6], lower), (b[7], hand)];
        out.extend(found.into_iter().filter_map(|(b, j)| Some((b, j?))));
        for finger in 0..5u8 {
            let chain = self.chain(Part::Finger(finger), Some(side));
            let first = b[8].index() + 3 * usize::from(finger);
            // Two thumb joints are those that everyone has: the outer two.
            let skip = usize::from(finger == 0 && chain.len() == 2);
            for (i, joint) in chain.into_iter().take(3).enumerate() {
                out.push((HumanBone::ALL[first + skip + i], joint));
            }
        }
    }
}

/// Thigh, shin, foot, toes, shoulder, upper arm, forearm, hand, first of the fingers.
const fn bones_of(side: Side) -> [HumanBone; 9] {
    use HumanBone as B;
    match side {
        Side::Left => [
            B::LeftUpperLeg,
            B::LeftLowerLeg,
            B::LeftFoot,
            B::LeftToes,
            B::LeftShoulder,
            B::LeftUpperArm,
            B::LeftLowerArm,
            B::LeftHand,
            B::LeftThumbMetacarpal,
        ],
        Side::Right => [
            B::RightUpperLeg,
            B::RightLowerLeg,
            B::RightFoot,
            B::RightToes,
            B::RightShoulder,
            B::RightUpperArm,
            B::RightLowerArm,
            B::RightHand,
            B::RightThumbMetacarpal,
        ],
    }
}

/// The body part of a limb's bone.
fn region_of(bone: HumanBone) -> Option<Region> {
    Side::BOTH.into_iter().find_map(|side| {
        let [leg, shin, foot, _, shoulder, arm, forearm, hand, _] = bones_of(side);
        [
            (leg, Region::Leg(side)),
            (shin, Region::Shin(side)),
            (foot, Region::Foot(side)),
            (shoulder, Region::Shoulder(side)),
            (arm, Region::Arm(side)),
            (forearm, Region::Forearm(side)),
            (hand, Region::Hand(side)),
        ]
        .into_iter()
        .find(|(b, _)| *b == bone)
        .map(|(_, r)| r)
    })
}

impl Humanoid {
    /// Whether the body stands upright on two legs at rest: its head is above its hips by more
    /// than it is before or beside them.
    pub fn is_upright(&self) -> bool {
        let (Some(hips), Some(head)) =
            (self.rest_at(HumanBone::Hips), self.rest_at(HumanBone::Head))
        else {
            return false;
        };
        let up = head - hips;
        up.y > Vec3::new(up.x, 0.0, up.z).length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_tools_are_read() {
        use Part as P;
        let (l, r) = (Some(Side::Left), Some(Side::Right));
        for (name, want) in [
            ("mixamorig:LeftUpLeg", Some((P::UpperLeg, l))),
            ("mixamorig:Hips", Some((P::Hips, None))),
            ("DEF-upper_arm.L", Some((P::UpperArm, l))),
            ("DEF-f_index.01.R", Some((P::Finger(1), r))),
            ("b_RightForeArm_07", Some((P::LowerArm, r))),
            ("b_Tail03_014", Some((P::Tail, None))),
            ("Skeleton_arm_joint_L__4_", Some((P::Arm, l))),
            ("Bip01 R Calf", Some((P::LowerLeg, r))),
            ("J_Bip_L_UpperArm", Some((P::UpperArm, l))),
            ("LHipJoint", Some((P::HipSide, l))),
            ("LeftHandIndex1", Some((P::Finger(1), l))),
            ("upperarm.l", Some((P::UpperArm, l))),
            ("arm-left", Some((P::Arm, l))),
            ("FrontUpLeg.L", Some((P::UpperArm, l))),
            ("Ear1.R", Some((P::Ear, r))),
            ("handslot.r", Some((P::Prop, r))),
            ("PoleTarget.L", None),
            ("heelIK.l", None),
            ("control-toe-roll.l", None),
            ("LeftFootIK", None),
            ("Head_end", None),
            ("headtracker", None),
            ("", None),
            ("ξ", None),
            ("LThumb", Some((P::Finger(0), l))),
            ("leftThumbMetacarpal", Some((P::Finger(0), l))),
            ("leftIndexDistal", Some((P::Finger(1), l))),
            ("leftHandDistal", None),
        ] {
            assert_eq!(read(name), want, "{name}");
        }
    }
}
