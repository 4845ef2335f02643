//! One mind, any body.

use super::{Breathe, Ears, Gaze, Lids};
use crate::{Character, Layer, Mind, MindParams, Moment, Pose, Rig, Senses, Targets};

/// A mind with everything that it moves: breath, gaze, ears, eyelids. On top of any motion below;
/// what a body lacks is left out.
#[derive(Clone, Debug)]
pub struct Life {
    /// What it attends to and when it blinks.
    pub mind: Mind,
    /// How hard the body works, in [0, 1]; the host says so.
    pub effort: f32,
    /// Whether it moves the body with the breath; false where a layer below breathes already.
    pub breathes: bool,
    gaze: Gaze,
    lids: Lids,
    ears: Ears,
    breathe: Breathe,
}

impl Life {
    /// The life of a character. The same seed lives the same life.
    pub fn new(character: &Character, params: MindParams, seed: u64) -> Self {
        Self {
            mind: Mind::new(params, seed),
            effort: 0.0,
            breathes: true,
            gaze: Gaze::new(character),
            lids: Lids::new(character),
            ears: Ears::new(character),
            breathe: Breathe::new(character),
        }
    }

    /// What the body shall look like now.
    pub fn targets(&self) -> Targets {
        self.mind.targets()
    }

    /// Middle of the eyes at rest in model space, metres.
    pub fn eyes(&self) -> glam::Vec3 {
        self.gaze.eyes()
    }

    /// The eyelids.
    pub fn lids(&self) -> &Lids {
        &self.lids
    }
}

impl Layer for Life {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        let targets = self.mind.step(&Senses {
            dt: moment.dt,
            root: pose.root,
            eyes: self.gaze.eyes(),
            viewer: moment.viewer,
            effort: self.effort,
        });
        if self.breathes {
            self.breathe.apply(&targets, rig, pose);
        }
        self.gaze.apply(&targets, rig, pose);
        self.ears.apply(&targets, pose);
        self.lids.shut(pose, targets.shut);
    }

    fn reset(&mut self) {
        self.mind.settle();
    }
}
