//! What a body has and where: the content of a rig file.

use super::Falloff;
use crate::Side;
use glam::Vec3;

/// The parts of a static body that behaviours move. Positions in metres in the space of the file
/// at rest; a part that was not found is `None` or missing, and the body lives by the others.
///
/// Left and right are the character's own, which with `front` +Z means left is +X.
#[derive(Clone, Debug, PartialEq)]
pub struct Anatomy {
    /// Lowest point, metres.
    pub base: f32,
    /// Height above that, metres; lengths of behaviours scale with it.
    pub height: f32,
    /// Where the face looks at rest: a horizontal unit vector.
    pub front: Vec3,
    /// What twists and nods.
    pub head: Option<Head>,
    /// Any number of eyes.
    pub eyes: Vec<Eye>,
    /// Ears or antennae.
    pub ears: Vec<Ear>,
    /// Arms, of a mesh or a part.
    pub arms: Vec<Arm>,
    /// What dangles.
    pub legs: Vec<Leg>,
    /// What breathes.
    pub belly: Option<Belly>,
    /// Where something is held: the middle of the paw.
    pub grip: Option<Vec3>,
    /// A leaf or umbrella that is held.
    pub prop: Option<Prop>,
}

/// The upper body or head.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// What it turns about.
    pub pivot: Vec3,
    /// How far each vertex turns, of the whole.
    pub field: Falloff,
    /// Largest turn that will be asked for, all axes together, rad: decides how many joints the
    /// chain gets.
    pub limit: f32,
}

/// An eyeball, or what stands for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Eye {
    /// Which one; `None` for a single one in the middle.
    pub side: Option<Side>,
    /// Middle of the ball: what the pupil turns about.
    pub center: Vec3,
    /// Half the height of the eyeball, metres.
    pub radius: f32,
    /// Where it looks at rest, a unit vector.
    pub forward: Vec3,
    /// The eyeball's vertices, the pupil's not needed.
    pub field: Falloff,
    /// What turns in it.
    pub pupil: Option<Pupil>,
    /// The eye is let into the skin around it, so that a hole is left where it shuts: it gets a
    /// lid behind.
    pub inset: bool,
}

/// What turns within an eye.
#[derive(Clone, Debug, PartialEq)]
pub struct Pupil {
    /// Its middle.
    pub center: Vec3,
    /// Its vertices.
    pub field: Falloff,
}

/// An ear, a horn that moves, an antenna.
#[derive(Clone, Debug, PartialEq)]
pub struct Ear {
    /// Which one; `None` for a single one in the middle.
    pub side: Option<Side>,
    /// Where it grows: what it turns about.
    pub base: Vec3,
    /// Its tip.
    pub tip: Vec3,
    /// Its vertices, softly from the base on.
    pub field: Falloff,
}

/// An arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Which one.
    pub side: Side,
    /// What it turns about.
    pub shoulder: Vec3,
    /// Middle of the hand or paw.
    pub hand: Vec3,
    /// Its vertices.
    pub field: Falloff,
}

/// A leg, from the knee on.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    /// Which one.
    pub side: Side,
    /// What it swings about.
    pub knee: Vec3,
    /// Its end.
    pub foot: Vec3,
    /// Its vertices, softly from the knee on.
    pub field: Falloff,
}

/// What breath moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Belly {
    /// Its middle.
    pub center: Vec3,
    /// How far each vertex takes part.
    pub field: Falloff,
    /// Metres along the normals at the height of a breath. A6: 8 mm at 1 m of height.
    pub push: f32,
}

/// A stem with a blade on top: a leaf, an umbrella.
#[derive(Clone, Debug, PartialEq)]
pub struct Prop {
    /// Where the stem is held: it bends from here on.
    pub grip: Vec3,
    /// Upper end of the stem, where the blade sits.
    pub top: Vec3,
    /// Radius of the blade, metres.
    pub radius: f32,
    /// The stem's vertices.
    pub stem: Falloff,
    /// The blade's vertices.
    pub blade: Falloff,
}

impl Anatomy {
    /// A body of which nothing is known but its size.
    pub fn unknown(base: f32, height: f32) -> Self {
        Self {
            base,
            height,
            front: Vec3::Z,
            head: None,
            eyes: Vec::new(),
            ears: Vec::new(),
            arms: Vec::new(),
            legs: Vec::new(),
            belly: None,
            grip: None,
            prop: None,
        }
    }
}
