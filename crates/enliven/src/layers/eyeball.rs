//! What the eyes of a body are like, measured from the meshes that follow their joints.

use crate::{Affine, Binding, Character, JointId, Region, Side};
use glam::Vec3;

/// One eyeball at rest. Directions and lengths in model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Eyeball {
    pub(crate) joint: JointId,
    /// Middle of its box.
    pub(crate) center: Vec3,
    /// Half the height along `up`, metres.
    pub(crate) radius: f32,
    /// Extent along `forward`, metres; 0 for a patch.
    pub(crate) depth: f32,
    /// Where it looks: a unit vector.
    pub(crate) forward: Vec3,
    /// Across the look, upward: a unit vector.
    pub(crate) up: Vec3,
}

impl Eyeball {
    /// The eyeballs of one side: joints of [`Region::Eye`] that any vertex follows.
    pub(crate) fn find(character: &Character, side: Side) -> Vec<Self> {
        let regions = &character.rig.regions;
        let pupils = regions.own_joints(Region::Pupil(side));
        let eyes = regions.own_joints(Region::Eye(side)).iter();
        eyes.filter_map(|r| Self::new(character, r.joint, pupils.first().map(|p| p.joint)))
            .collect()
    }

    fn new(character: &Character, joint: JointId, pupil: Option<JointId>) -> Option<Self> {
        let ball = Extent::of(character, joint)?;
        let center = ball.middle();
        let half = (ball.high - ball.low) * 0.5;
        let offset = pupil
            .filter(|p| *p != joint)
            .and_then(|p| Extent::of(character, p))
            .map_or(Vec3::ZERO, |p| p.middle() - center);
        let forward = if offset.length() > 0.15 * half.max_element() {
            offset.normalize_or(Vec3::Z)
        } else if ball.facing.length() > 0.2 {
            ball.facing.normalize_or(Vec3::Z)
        } else {
            Vec3::Z
        };
        // An eye on top of the head has its upper lid at the back.
        let above = if forward.y.abs() > 0.9 { Vec3::NEG_Z } else { Vec3::Y };
        let up = (above - forward * above.dot(forward)).normalize_or(Vec3::Y);
        Some(Self {
            joint,
            center,
            radius: half.dot(up.abs()),
            depth: 2.0 * half.dot(forward.abs()),
            forward,
            up,
        })
    }
}

/// What follows a joint at rest, in model space.
pub(crate) struct Extent {
    pub(crate) low: Vec3,
    pub(crate) high: Vec3,
    /// Mean normal: 0 for a closed ball, long for a cap or a patch.
    facing: Vec3,
}

impl Extent {
    pub(crate) fn middle(&self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// The vertices that follow the joint by more than half, or else those of the joints below.
    pub(crate) fn of(character: &Character, joint: JointId) -> Option<Self> {
        let skeleton = &character.rig.skeleton;
        let model = skeleton.rest_model();
        let mut out: [Option<(Vec3, Vec3)>; 2] = [None; 2];
        let mut facing = [(Vec3::ZERO, 0.0f32); 2];
        let slot = |owner: JointId| match owner {
            o if o == joint => Some(0),
            o if skeleton.is_ancestor(joint, o) => Some(1),
            _ => None,
        };
        for mesh in &character.meshes {
            let g = &mesh.geometry;
            // Slot and place of each vertex.
            let owner = |v: usize| -> Option<(usize, Affine)> {
                match mesh.binding {
                    Binding::Rigid(owner) => Some((slot(owner)?, model[owner.index()])),
                    Binding::Skin(skin) => {
                        let skin = &character.skins[skin.index()];
                        let f = g.influences.as_ref()?;
                        let span = v * f.per_vertex..(v + 1) * f.per_vertex;
                        let mut of = f.joints[span.clone()].iter().zip(&f.weights[span]);
                        let j = usize::from(*of.find(|(_, w)| **w > 0.5)?.0);
                        let owner = skin.joints[j];
                        Some((slot(owner)?, model[owner.index()] * skin.inverse_binds[j]))
                    }
                }
            };
            let placed: Vec<Option<(usize, Vec3)>> = (0..g.vertex_count())
                .map(|v| owner(v).map(|(s, to)| (s, to.transform_point(g.positions[v]))))
                .collect();
            for &(s, p) in placed.iter().flatten() {
                let (lo, hi) = out[s].unwrap_or((p, p));
                out[s] = Some((lo.min(p), hi.max(p)));
            }
            for t in g.indices.chunks_exact(3) {
                let [a, b, c] = [t[0], t[1], t[2]].map(|v| placed[v as usize]);
                if let (Some((s, a)), Some((_, b)), Some((_, c))) = (a, b, c) {
                    let n = (b - a).cross(c - a);
                    facing[s].0 += n;
                    facing[s].1 += n.length();
                }
            }
        }
        let s = usize::from(out[0].is_none());
        let (low, high) = out[s]?;
        let (sum, area) = facing[s];
        Some(Self { low, high, facing: if area > 0.0 { sum / area } else { Vec3::ZERO } })
    }
}
