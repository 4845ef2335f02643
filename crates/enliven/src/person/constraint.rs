//! Joints that follow other joints: VRMC_node_constraint 1.0.

use super::arc;
use crate::{Diagnostic, JointId, Layer, Moment, Pose, Rig, Severity, Skeleton, math};
use glam::{Quat, Vec3};

/// How a joint follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstraintKind {
    /// Takes over how far the source has turned from its rest.
    Rotation,
    /// Takes over only the part of that turn about one axis of its own (unit vector).
    Roll(Vec3),
    /// Points an axis of its own (unit vector) at the source.
    Aim(Vec3),
}

/// One joint that follows another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeConstraint {
    /// What follows.
    pub joint: JointId,
    /// What is followed.
    pub source: JointId,
    /// How.
    pub kind: ConstraintKind,
    /// 0 stays at rest, 1 follows wholly; may be more.
    pub weight: f32,
}

#[derive(Clone, Copy, Debug)]
struct Ready {
    spec: NodeConstraint,
    rest: Quat,
    source_rest: Quat,
}

/// The layer that makes joints follow others, each after everything that it depends on. Put it
/// above what moves the sources.
#[derive(Clone, Debug, Default)]
pub struct NodeConstraints {
    order: Vec<Ready>,
}

impl NodeConstraints {
    /// For a skeleton. Constraints that name joints outside it, weights that are not finite, and
    /// constraints that depend on themselves in a circle are left out; the second part of the
    /// result says which.
    pub fn new(skeleton: &Skeleton, constraints: &[NodeConstraint]) -> (Self, Vec<Diagnostic>) {
        let mut found = Vec::new();
        let mut leave_out = |c: &NodeConstraint, code, message: &str| {
            let place = if c.joint.index() < skeleton.len() {
                skeleton.name(c.joint).to_owned()
            } else {
                format!("joint {}", c.joint)
            };
            found.push(Diagnostic::new(Severity::Error, code, place, message));
        };
        let mut known: Vec<NodeConstraint> = Vec::new();
        for c in constraints {
            let inside = c.joint.index() < skeleton.len() && c.source.index() < skeleton.len();
            let axis_ok = match c.kind {
                ConstraintKind::Rotation => true,
                ConstraintKind::Roll(a) | ConstraintKind::Aim(a) => a.is_normalized(),
            };
            if inside && axis_ok && c.weight.is_finite() {
                known.push(*c);
            } else {
                leave_out(c, "VRM_CONSTRAINT_INVALID", "the constraint is not usable; left out");
            }
        }
        // What stands above a source (for aim: above the joint too) must be done first.
        let needs = |c: &NodeConstraint, other: &NodeConstraint| {
            skeleton.is_ancestor(other.joint, c.source)
                || matches!(c.kind, ConstraintKind::Aim(_))
                    && skeleton
                        .parent(c.joint)
                        .is_some_and(|p| skeleton.is_ancestor(other.joint, p))
        };
        let mut done = vec![false; known.len()];
        let mut order = Vec::with_capacity(known.len());
        // Each round takes what is ready, in the order given; what never is stands in a circle.
        loop {
            let next = (0..known.len()).find(|&i| {
                !done[i] && (0..known.len()).all(|k| done[k] || !needs(&known[i], &known[k]))
            });
            let Some(i) = next else { break };
            done[i] = true;
            order.push(Ready {
                spec: known[i],
                rest: skeleton.rest()[known[i].joint.index()].rotation,
                source_rest: skeleton.rest()[known[i].source.index()].rotation,
            });
        }
        for (c, _) in known.iter().zip(&done).filter(|(_, d)| !**d) {
            leave_out(
                c,
                "VRM_CONSTRAINT_CYCLE",
                "the constraint depends on itself in a circle; left out",
            );
        }
        (Self { order }, found)
    }

    /// How many constraints act.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Sets the weight of the constraint on a joint; not finite is 0.
    pub fn set_weight(&mut self, joint: JointId, weight: f32) {
        for c in self.order.iter_mut().filter(|c| c.spec.joint == joint) {
            c.spec.weight = if weight.is_finite() { weight } else { 0.0 };
        }
    }
}

impl Layer for NodeConstraints {
    fn apply(&mut self, _: &Moment, rig: &Rig, pose: &mut Pose) {
        for c in &self.order {
            let skeleton = &rig.skeleton;
            let NodeConstraint { joint, source, kind, weight } = c.spec;
            let target = match kind {
                ConstraintKind::Rotation => {
                    c.rest * (c.source_rest.conjugate() * pose.rotation(source))
                }
                ConstraintKind::Roll(axis) => {
                    // The source's turn in the joint's rest space, less what swings the axis.
                    let turn = c.rest.conjugate()
                        * pose.rotation(source)
                        * c.source_rest.conjugate()
                        * c.rest;
                    c.rest * arc((turn * axis).normalize_or_zero(), axis) * turn
                }
                ConstraintKind::Aim(axis) => {
                    let above = skeleton.parent(joint).map_or(Quat::IDENTITY, |p| {
                        pose.model_of(skeleton, p).to_transform().rotation
                    });
                    let from = pose.model_of(skeleton, joint).translation();
                    let to = pose.model_of(skeleton, source).translation();
                    let Some(toward) = (to - from).try_normalize() else { continue };
                    let along = above * (c.rest * axis);
                    above.conjugate() * arc(along, toward) * above * c.rest
                }
            };
            let q = math::slerp(c.rest, target, weight);
            pose.set_rotation(joint, math::normalize_or_identity(q));
        }
    }
}
