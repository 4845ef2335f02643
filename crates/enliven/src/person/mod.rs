//! What makes a body a person: a humanoid's bones, expressions, a gaze, hair that swings.
//!
//! Plain data and the layers that act on it; reading VRM files is `enliven-io`'s.

mod average;
mod body;
mod bone;
mod collider;
mod constraint;
mod conversation;
mod data;
mod expression;
mod face;
mod gesture;
mod humanoid;
mod humanoid_clip;
mod look_at;
mod mend;
mod names;
mod planting;
mod posture;
mod presence;
mod source;
mod spring_bones;
mod spring_limit;
mod spring_set;

pub use bone::HumanBone;
pub use collider::{Collider, ColliderShape};
pub use constraint::{ConstraintKind, NodeConstraint, NodeConstraints};
pub use conversation::{Conversation, VoiceMode};
pub use data::{FirstPerson, Person};
pub use expression::{Expression, ExpressionBind, Expressions, Group, Override, Preset};
pub use face::Face;
pub use humanoid::Humanoid;
pub use humanoid_clip::HumanoidClip;
pub use look_at::{LookAt, LookAtKind, LookAtLayer, RangeMap};
pub use names::NamedParts;
pub use planting::{Feet, Touch};
pub use presence::Presence;
pub use spring_bones::{SpringBones, Stepping};
pub use spring_limit::{LimitShape, SpringLimit};
pub use spring_set::{SpringChain, SpringJoint, SpringSet};

use glam::{Quat, Vec3};

/// The shortest rotation that turns the unit vector `a` into the unit vector `b`; for opposite
/// ones half a turn about an axis perpendicular to `a`.
pub(crate) fn arc(a: Vec3, b: Vec3) -> Quat {
    let w = 1.0 + a.dot(b);
    let q = if w < 1e-6 {
        let n = if a.x.abs() > a.z.abs() {
            Vec3::new(-a.y, a.x, 0.0)
        } else {
            Vec3::new(0.0, -a.z, a.y)
        };
        Quat::from_xyzw(n.x, n.y, n.z, 0.0)
    } else {
        let n = a.cross(b);
        Quat::from_xyzw(n.x, n.y, n.z, w)
    };
    crate::math::normalize_or_identity(q)
}
