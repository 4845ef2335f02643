//! Who moves what: layers and their stack.

use crate::{Mask, Moment, Pose, Rig, mask};
use core::any::Any;

/// One source of motion. Reads the moment and the rig, writes the pose, keeps its own small state.
///
/// A layer does not allocate after its first call and looks up no names: resolve those when it
/// is made.
pub trait Layer: Any + Send {
    /// Moves the pose on by `moment.dt` seconds.
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose);

    /// Forgets what moves: after a jump in time or place, springs start at rest.
    fn reset(&mut self) {}
}

/// How a layer's pose joins what lies below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The layer starts from the pose below and its result takes its place.
    #[default]
    Replace,
    /// The layer starts from the rest pose, and what it differs from rest by is added.
    Add,
}

/// A layer's place in a [`Stack`]: stays valid while the stack lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayerId(usize);

struct Entry {
    layer: Box<dyn Layer>,
    weight: f32,
    mask: Option<Mask>,
    mode: Mode,
}

/// Layers from bottom to top. Order is ownership: base motion, performance, gaze, constraints,
/// springs, face; a later layer has the last word on what it touches.
///
/// Weight 0 is the identity: the layer still runs (its clock goes on) but changes no bit.
#[derive(Default)]
pub struct Stack {
    entries: Vec<Entry>,
    scratch: Option<Pose>,
    rest: Option<Pose>,
}

impl Stack {
    /// No layers: the rest pose.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a layer on top, at weight 1, without a mask, replacing.
    pub fn push(&mut self, layer: impl Layer) -> LayerId {
        self.entries.push(Entry {
            layer: Box::new(layer),
            weight: 1.0,
            mask: None,
            mode: Mode::Replace,
        });
        LayerId(self.entries.len() - 1)
    }

    /// How many layers there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The layer itself, where it is of type `L`.
    pub fn get<L: Layer>(&self, id: LayerId) -> Option<&L> {
        let layer: &dyn Any = &*self.entries.get(id.0)?.layer;
        layer.downcast_ref()
    }

    /// The layer itself, to change, where it is of type `L`.
    pub fn get_mut<L: Layer>(&mut self, id: LayerId) -> Option<&mut L> {
        let layer: &mut dyn Any = &mut *self.entries.get_mut(id.0)?.layer;
        layer.downcast_mut()
    }

    /// Weight of a layer; 0 for an unknown one.
    pub fn weight(&self, id: LayerId) -> f32 {
        self.entries.get(id.0).map_or(0.0, |e| e.weight)
    }

    /// Sets the weight of a layer, clamped to [0, 1]; NaN is 0.
    pub fn set_weight(&mut self, id: LayerId, weight: f32) {
        if let Some(e) = self.entries.get_mut(id.0) {
            e.weight = mask::clean(weight);
        }
    }

    /// Limits a layer to a mask, which must be of the rig that the stack is applied to.
    pub fn set_mask(&mut self, id: LayerId, mask: Option<Mask>) {
        if let Some(e) = self.entries.get_mut(id.0) {
            e.mask = mask;
        }
    }

    /// Sets how a layer joins what lies below.
    pub fn set_mode(&mut self, id: LayerId, mode: Mode) {
        if let Some(e) = self.entries.get_mut(id.0) {
            e.mode = mode;
        }
    }

    /// Computes the pose of this moment from the rest pose upward. `pose.root` goes in as the
    /// host's placement and may be moved by layers. Layers see a step as [`Moment::step`] cleans
    /// it, whatever the host wrote there.
    ///
    /// Allocates the first time, and after that only where the rig's shape changes.
    pub fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        let moment = &Moment { dt: Moment::step(moment.dt).dt, ..*moment };
        let fits = |p: &Pose| {
            p.joint_count() == rig.skeleton.len() && p.channels().len() == rig.channels.len()
        };
        let rest = match &mut self.rest {
            Some(rest) if fits(rest) => rest,
            slot => slot.insert(Pose::rest(rig)),
        };
        let scratch = match &mut self.scratch {
            Some(scratch) if fits(scratch) => scratch,
            slot => slot.insert(rest.clone()),
        };
        let root = pose.root;
        pose.copy_from(rest);
        pose.root = root;
        for e in &mut self.entries {
            match e.mode {
                Mode::Replace if e.weight == 1.0 && e.mask.is_none() => {
                    e.layer.apply(moment, rig, pose);
                }
                Mode::Replace => {
                    scratch.copy_from(pose);
                    e.layer.apply(moment, rig, scratch);
                    pose.blend(scratch, e.weight, e.mask.as_ref());
                }
                Mode::Add => {
                    scratch.copy_from(rest);
                    e.layer.apply(moment, rig, scratch);
                    pose.add(scratch, rest, e.weight, e.mask.as_ref());
                }
            }
        }
    }

    /// Resets every layer; see [`Layer::reset`].
    pub fn reset(&mut self) {
        for e in &mut self.entries {
            e.layer.reset();
        }
    }
}

impl core::fmt::Debug for Stack {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Stack").field("layers", &self.entries.len()).finish_non_exhaustive()
    }
}
