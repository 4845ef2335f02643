//! The joints of a rig.

use crate::{Affine, JointId, Transform};
use thiserror::Error;

/// A tree (or several) of joints, each with a name and a rest transform.
///
/// Invariant: a parent stands before its children, so one forward pass visits parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    names: Vec<String>,
    parents: Vec<Option<JointId>>,
    rest: Vec<Transform>,
}

/// Why a joint could not be added.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SkeletonError {
    /// The parent does not stand before the joint.
    #[error("joint {joint} ({name:?}) names parent {parent}, which does not stand before it")]
    ParentAfterChild {
        /// Index that the joint would have had.
        joint: usize,
        /// Its name.
        name: String,
        /// The parent that it named.
        parent: JointId,
    },
}

impl Skeleton {
    /// A skeleton without joints.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a joint after all others.
    ///
    /// # Errors
    /// [`SkeletonError::ParentAfterChild`] where `parent` is not a joint already added.
    pub fn push(
        &mut self,
        name: impl Into<String>,
        parent: Option<JointId>,
        rest: Transform,
    ) -> Result<JointId, SkeletonError> {
        let joint = self.len();
        let name = name.into();
        if let Some(parent) = parent.filter(|p| p.index() >= joint) {
            return Err(SkeletonError::ParentAfterChild { joint, name, parent });
        }
        self.names.push(name);
        self.parents.push(parent);
        self.rest.push(rest);
        Ok(JointId::new(joint))
    }

    /// How many joints there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no joints.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// All joints, parents before children.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = JointId> + use<> {
        (0..self.len()).map(JointId::new)
    }

    /// Parent of each joint.
    #[inline]
    pub fn parents(&self) -> &[Option<JointId>] {
        &self.parents
    }

    /// Rest transform of each joint, local to its parent.
    #[inline]
    pub fn rest(&self) -> &[Transform] {
        &self.rest
    }

    /// The joint's parent, `None` for a root.
    ///
    /// # Panics
    /// Where `joint` is not of this skeleton; the same holds for the other accessors.
    #[inline]
    pub fn parent(&self, joint: JointId) -> Option<JointId> {
        self.parents[joint.index()]
    }

    /// The joint's name, exactly as its file has it. Not necessarily unique, possibly empty.
    #[inline]
    pub fn name(&self, joint: JointId) -> &str {
        &self.names[joint.index()]
    }

    /// The first joint of that name. A search: resolve names once, not per frame.
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.names.iter().position(|n| n == name).map(JointId::new)
    }

    /// The joints whose parent is `joint` (for `None`: the roots).
    pub fn children(&self, joint: Option<JointId>) -> impl Iterator<Item = JointId> + '_ {
        self.joints().filter(move |j| self.parents[j.index()] == joint)
    }

    /// Whether `ancestor` is `joint` itself or stands above it.
    pub fn is_ancestor(&self, ancestor: JointId, joint: JointId) -> bool {
        let mut at = Some(joint);
        while let Some(j) = at {
            if j == ancestor {
                return true;
            }
            at = self.parent(j);
        }
        false
    }

    /// Rest matrix of each joint in model space (before the root transform of a pose).
    pub fn rest_model(&self) -> Vec<Affine> {
        let mut out: Vec<Affine> = Vec::with_capacity(self.len());
        for (parent, rest) in self.parents.iter().zip(&self.rest) {
            let local = Affine::from(rest);
            out.push(parent.map_or(local, |p| out[p.index()] * local));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn parents_stand_before_children() {
        let mut s = Skeleton::new();
        let a = s.push("a", None, Transform::IDENTITY).expect("root");
        assert_eq!(
            s.push("b", Some(JointId(1)), Transform::IDENTITY),
            Err(SkeletonError::ParentAfterChild { joint: 1, name: "b".into(), parent: JointId(1) })
        );
        assert_eq!(s.len(), 1, "a refused joint leaves nothing behind");
        let b = s.push("Arm.L", Some(a), Transform::IDENTITY).expect("child");
        assert_eq!((s.name(b), s.find("Arm.L"), s.find("ArmL")), ("Arm.L", Some(b), None));
        assert!(s.is_ancestor(a, b) && !s.is_ancestor(b, a));
        assert_eq!(s.children(Some(a)).collect::<Vec<_>>(), [b]);
    }

    #[test]
    fn rest_model_multiplies_down_the_chain() {
        let mut s = Skeleton::new();
        let step = Transform::from_translation(Vec3::new(0.0, 0.5, 0.0));
        let mut parent = None;
        for i in 0..10 {
            parent = Some(s.push(format!("{i}"), parent, step).expect("chain"));
        }
        let y = s.rest_model()[9].translation().y;
        assert!((y - 5.0).abs() < 1e-6);
    }
}
