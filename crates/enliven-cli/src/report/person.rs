//! The person that a file holds, and motion for people.

use enliven::person::{
    ColliderShape, ConstraintKind, FirstPerson, HumanoidClip, LookAtKind, Override, Person,
    RangeMap,
};
use enliven::{Character, JointId};
use serde::Serialize;

/// What makes a body a person.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct PersonInfo {
    pub bones: Vec<BoneInfo>,
    pub missing: Vec<&'static str>,
    pub expressions: Vec<ExpressionInfo>,
    pub look_at: Option<LookAtInfo>,
    pub springs: Vec<ChainInfo>,
    pub colliders: Vec<ColliderInfo>,
    pub constraints: Vec<ConstraintInfo>,
    pub first_person: Vec<FirstPersonInfo>,
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct BoneInfo {
    pub bone: &'static str,
    pub joint: usize,
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct ExpressionInfo {
    pub name: String,
    pub preset: bool,
    pub binary: bool,
    pub override_blink: &'static str,
    pub override_look_at: &'static str,
    pub override_mouth: &'static str,
    pub binds: Vec<BindInfo>,
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct BindInfo {
    pub channel: usize,
    pub amount: f32,
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct LookAtInfo {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub offset: [f32; 3],
    pub inner: RangeInfo,
    pub outer: RangeInfo,
    pub down: RangeInfo,
    pub up: RangeInfo,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct RangeInfo {
    pub limit: f32,
    pub scale: f32,
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct ChainInfo {
    pub name: String,
    pub joints: Vec<usize>,
    pub colliders: Vec<u32>,
    pub center: Option<usize>,
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct ColliderInfo {
    pub joint: usize,
    pub shape: &'static str,
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct ConstraintInfo {
    pub joint: usize,
    pub source: usize,
    pub kind: &'static str,
    pub weight: f32,
}

#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct FirstPersonInfo {
    pub mesh: usize,
    pub shown: &'static str,
}

/// Motion for any humanoid.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "docs/inspect.md documents every key")]
pub struct MotionInfo {
    pub name: String,
    pub duration: f32,
    pub bones: Vec<&'static str>,
    pub hips: bool,
    pub expressions: Vec<String>,
    pub look: bool,
}

impl PersonInfo {
    pub(super) fn new(person: &Person, character: &Character) -> Self {
        let bones = person.humanoid.bones();
        let humanoid = person.humanoid.bones().next().is_some();
        let range = |r: RangeMap| RangeInfo { limit: r.limit, scale: r.scale };
        let look_at = person.look_at.map(|l| LookAtInfo {
            kind: match l.kind {
                LookAtKind::Bones => "bone",
                LookAtKind::Expressions => "expression",
            },
            offset: l.offset.to_array(),
            inner: range(l.inner),
            outer: range(l.outer),
            down: range(l.down),
            up: range(l.up),
        });
        let chain = |c: &enliven::person::SpringChain| ChainInfo {
            name: c.name.clone(),
            joints: c.joints.iter().map(|j| j.joint.index()).collect(),
            colliders: c.colliders.clone(),
            center: c.center.map(JointId::index),
        };
        let collider = |c: &enliven::person::Collider| ColliderInfo {
            joint: c.joint.index(),
            shape: match c.shape {
                ColliderShape::Sphere { inside: false, .. } => "sphere",
                ColliderShape::Sphere { .. } => "inside-sphere",
                ColliderShape::Capsule { inside: false, .. } => "capsule",
                ColliderShape::Capsule { .. } => "inside-capsule",
                ColliderShape::Plane { .. } => "plane",
            },
        };
        let constraint = |c: &enliven::person::NodeConstraint| ConstraintInfo {
            joint: c.joint.index(),
            source: c.source.index(),
            kind: match c.kind {
                ConstraintKind::Rotation => "rotation",
                ConstraintKind::Roll(_) => "roll",
                ConstraintKind::Aim(_) => "aim",
            },
            weight: c.weight,
        };
        let first = |mesh: usize| {
            let said = person.first_person.iter().find(|(m, _)| m.index() == mesh);
            let shown = match said.map_or(FirstPerson::Auto, |(_, f)| *f) {
                FirstPerson::Auto => "auto",
                FirstPerson::Both => "both",
                FirstPerson::ThirdPersonOnly => "third-person-only",
                FirstPerson::FirstPersonOnly => "first-person-only",
            };
            FirstPersonInfo { mesh, shown }
        };
        Self {
            bones: bones.map(|(b, j)| BoneInfo { bone: b.name(), joint: j.index() }).collect(),
            missing: if humanoid {
                person.humanoid.missing().map(|b| b.name()).collect()
            } else {
                Vec::new()
            },
            expressions: person.expressions.iter().map(expression).collect(),
            look_at,
            springs: person.springs.chains.iter().map(chain).collect(),
            colliders: person.springs.colliders.iter().map(collider).collect(),
            constraints: person.constraints.iter().map(constraint).collect(),
            first_person: (0..character.meshes.len()).map(first).collect(),
        }
    }

    /// Joints that swing.
    pub(super) fn swinging(&self) -> usize {
        self.springs.iter().map(|c| c.joints.len()).sum()
    }
}

fn expression(e: &enliven::person::Expression) -> ExpressionInfo {
    let how = |o: Override| match o {
        Override::None => "none",
        Override::Block => "block",
        Override::Blend => "blend",
    };
    ExpressionInfo {
        name: e.name.clone(),
        preset: e.preset.is_some(),
        binary: e.binary,
        override_blink: how(e.override_blink),
        override_look_at: how(e.override_look_at),
        override_mouth: how(e.override_mouth),
        binds: e
            .binds
            .iter()
            .map(|b| BindInfo { channel: b.channel.index(), amount: b.amount })
            .collect(),
    }
}

impl MotionInfo {
    pub(super) fn new(motion: &HumanoidClip) -> Self {
        Self {
            name: motion.name.clone(),
            duration: motion.duration,
            bones: motion.rotations.iter().map(|(b, _)| b.name()).collect(),
            hips: motion.hips.is_some(),
            expressions: motion.expressions.iter().map(|(n, _)| n.clone()).collect(),
            look: motion.look.is_some(),
        }
    }
}
