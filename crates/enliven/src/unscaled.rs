//! Performances whose joints change their scale → the same with shapes in its place.
//!
//! Many engines and retargeters mishandle scale that moves: it is inherited by children as shear,
//! lost, or left out. A part that follows one joint does not need it: what scale does to its
//! vertices is linear, so nine morph targets say all of it, exactly.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Mat3, Quat, Vec3};

use crate::{
    Affine, Binding, Channel, ChannelKind, Character, CharacterParts, Geometry, JointId,
    MorphTarget, Pose, Recording, Rig,
};

/// The farthest that a weight of 1 moves a vertex, metres: what the error of a bake takes a
/// channel's whole range for.
const REACH: f32 = 0.1;
/// Weights below this are rounding.
const NOTHING: f32 = 1e-5;

/// What scale does to the parts at one joint.
struct Shape {
    /// Which of the nine numbers, row by row, ever differ from those of no scale.
    parts: Vec<(usize, usize)>,
    /// Metres from the joint to the farthest vertex over [`REACH`].
    factor: f32,
    /// The first channel of their weights.
    first: u32,
}

impl Recording {
    /// The same performance without scale that moves: joints turn and travel, and the parts that
    /// follow them get morph targets and channels for what scale did to their vertices. Exact for
    /// positions; normals turn to the first order.
    ///
    /// `None` where that cannot be: where a joint rests with a scale, or a skin or a mesh with
    /// morph targets of its own follows one whose scale changes. A performance without such scale
    /// comes back as it is.
    ///
    /// # Panics
    /// Where the poses are not of this character's shape.
    pub fn scale_to_morphs(&self, character: &Character) -> Option<(Character, Recording)> {
        let skeleton = &character.rig.skeleton;
        if skeleton.rest().iter().any(|t| !t.scale.abs_diff_eq(Vec3::ONE, 1e-6)) {
            return None;
        }
        let poses: Vec<Plain> =
            self.poses().iter().map(|p| Plain::new(p, &character.rig)).collect();
        let moved = moved(&poses, skeleton.len());
        let skinned = character.skins.iter().flat_map(|s| &s.joints);
        if skinned.clone().any(|j| !moved[j.index()].is_empty()) {
            return None;
        }

        let mut channels = character.rig.channels.clone();
        let mut shapes: BTreeMap<u32, Shape> = BTreeMap::new();
        let mut reach: BTreeMap<u32, f32> = BTreeMap::new();
        for mesh in &character.meshes {
            let Binding::Rigid(joint) = mesh.binding else { continue };
            if moved[joint.index()].is_empty() {
                continue;
            }
            // The morph weights of a node are one list: no place for those of another joint.
            if !mesh.geometry.morphs.is_empty() || mesh.joint != joint {
                return None;
            }
            let far = mesh.geometry.positions.iter().map(|p| p.length()).fold(0.0, f32::max);
            let most = reach.entry(joint.0).or_default();
            *most = most.max(far);
        }
        for (joint, far) in reach {
            let parts = moved[joint as usize].clone();
            let first = channels.len() as u32;
            let name = skeleton.name(JointId(joint));
            for (row, column) in &parts {
                let name = format!("{name} {}", part_name(*row, *column));
                channels.push(Channel::new(name, ChannelKind::Morph).with_range(-1e3, 1e3));
            }
            let factor = if far > 0.0 { far / REACH } else { 1.0 };
            shapes.insert(joint, Shape { parts, factor, first });
        }

        let mut known: BTreeMap<(usize, u32), Arc<Geometry>> = BTreeMap::new();
        let mut parts: CharacterParts = character.clone().into_parts();
        for mesh in &mut parts.meshes {
            let Binding::Rigid(joint) = mesh.binding else { continue };
            let Some(shape) = shapes.get(&joint.0) else { continue };
            let key = (Arc::as_ptr(&mesh.geometry) as usize, joint.0);
            let geometry =
                known.entry(key).or_insert_with(|| Arc::new(morphed(&mesh.geometry, shape)));
            mesh.geometry = geometry.clone();
            mesh.morphs = shape.first..shape.first + shape.parts.len() as u32;
        }
        let rig = &character.rig;
        parts.rig = Rig::new(rig.skeleton.clone(), channels, rig.regions.clone(), rig.height);
        let character = Character::new(parts).ok()?;

        let mut out = Recording::default();
        let mut pose = Pose::rest(&character.rig);
        for ((time, from), plain) in self.times().iter().zip(self.poses()).zip(&poses) {
            pose.root = from.root;
            pose.channels_mut()[..from.channels().len()].copy_from_slice(from.channels());
            for (j, joint) in character.rig.skeleton.joints().zip(&plain.joints) {
                pose.set_translation(j, joint.translation);
                pose.set_rotation(j, joint.rotation);
                pose.set_scale(j, Vec3::ONE);
                let Some(shape) = shapes.get(&j.0) else { continue };
                for (k, (row, column)) in shape.parts.iter().enumerate() {
                    let weight = joint.off(*row, *column) * shape.factor;
                    pose.channels_mut()[shape.first as usize + k] = weight;
                }
            }
            out.push(*time, &pose);
        }
        Some((character, out))
    }
}

fn part_name(row: usize, column: usize) -> String {
    let axis = |i: usize| ["x", "y", "z"][i];
    if row == column {
        format!("stretch {}", axis(row))
    } else {
        format!("shear {} by {}", axis(row), axis(column))
    }
}

/// The numbers that ever move at each joint.
fn moved(poses: &[Plain], joints: usize) -> Vec<Vec<(usize, usize)>> {
    (0..joints)
        .map(|j| {
            let all = (0..9).map(|i| (i / 3, i % 3));
            let moves = |(r, c): &(usize, usize)| {
                poses.iter().any(|p| p.joints[j].off(*r, *c).abs() > NOTHING)
            };
            all.filter(moves).collect()
        })
        .collect()
}

/// A pose without scale.
struct Plain {
    joints: Vec<PlainJoint>,
}

struct PlainJoint {
    translation: Vec3,
    rotation: Quat,
    /// What scale does in the joint's own space.
    shape: Mat3,
}

impl PlainJoint {
    /// How far one number of the shape is from that of no scale.
    fn off(&self, row: usize, column: usize) -> f32 {
        self.shape.col(column)[row] - if row == column { 1.0 } else { 0.0 }
    }
}

impl Plain {
    fn new(pose: &Pose, rig: &Rig) -> Self {
        let skeleton = &rig.skeleton;
        let mut model = vec![Affine::IDENTITY; skeleton.len()];
        pose.to_model(skeleton, &mut model);
        let mut turns: Vec<Quat> = Vec::with_capacity(model.len());
        let mut joints = Vec::with_capacity(model.len());
        for j in skeleton.joints() {
            let (turn, at) = match skeleton.parent(j) {
                Some(p) => (turns[p.index()], model[p.index()].translation()),
                None => (Quat::IDENTITY, Vec3::ZERO),
            };
            let own = turn * pose.rotation(j);
            let shape = Mat3::from_quat(own.conjugate()) * model[j.index()].linear();
            let translation = turn.conjugate() * (model[j.index()].translation() - at);
            joints.push(PlainJoint { translation, rotation: pose.rotation(j), shape });
            turns.push(own);
        }
        Self { joints }
    }
}

/// A geometry with a target for each number that moves: at weight 1 a vertex has moved along the
/// row's axis by its place on the column's, over the factor.
fn morphed(geometry: &Geometry, shape: &Shape) -> Geometry {
    let scale = 1.0 / shape.factor;
    let target = |&(row, column): &(usize, usize)| {
        let axis = Vec3::from_array([0, 1, 2].map(|i| if i == row { scale } else { 0.0 }));
        let other = Vec3::from_array([0, 1, 2].map(|i| if i == column { scale } else { 0.0 }));
        MorphTarget {
            name: part_name(row, column),
            positions: geometry.positions.iter().map(|p| axis * p[column]).collect(),
            // Normals go by the inverse transpose, of which this is the first order.
            normals: geometry.normals.iter().map(|n| -other * n[row]).collect(),
            tangents: Vec::new(),
        }
    };
    Geometry { morphs: shape.parts.iter().map(target).collect(), ..geometry.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Actor, Course, Moment, VertexStage, builtin, layers};

    /// Where every vertex is, as a renderer has it.
    fn vertices(character: &Character, pose: &Pose) -> Vec<Vec3> {
        let mut model = vec![Affine::IDENTITY; character.rig.skeleton.len()];
        pose.to_model(&character.rig.skeleton, &mut model);
        let mut palette = vec![Affine::IDENTITY; character.palette_layout().len()];
        character.palette_layout().write(&model, &mut palette);
        (0..character.meshes.len())
            .flat_map(|i| {
                let stage = VertexStage::new(character, i, &palette, pose.channels(), &pose.root);
                let count = character.meshes[i].geometry.vertex_count();
                (0..count).step_by(7).map(|v| stage.position(v)).collect::<Vec<_>>()
            })
            .collect()
    }

    #[test]
    fn the_rabbit_squashes_blinks_and_banks_without_scale_to_a_hair() {
        let rabbit = Arc::new(builtin::rabbit());
        let mut actor = Actor::new(rabbit.clone());
        (actor.stack, _) = layers::motion_from_state(&rabbit, 1);
        let course = Course::new(rabbit.rig.height);
        let mut recording = Recording::default();
        for k in 0..360 {
            let ride = course.at(f64::from(k) / 60.0);
            actor.place(ride.root);
            actor.step(&Moment::step(1.0 / 60.0).with_motion(ride.motion));
            recording.push(k as f32 / 60.0, actor.pose());
        }
        let squashed = |r: &Recording| {
            let scaled = |p: &Pose| {
                let joints = rabbit.rig.skeleton.joints();
                joints.filter(|j| !p.scale(*j).abs_diff_eq(Vec3::ONE, 1e-3)).count()
            };
            r.poses().iter().map(scaled).sum::<usize>()
        };
        assert!(squashed(&recording) > 100);
        let (plain, without) = recording.scale_to_morphs(&rabbit).expect("rigid parts");
        assert_eq!(squashed(&without), 0);
        assert_eq!(without.times(), recording.times());
        for (a, b) in recording.poses().iter().zip(without.poses()).step_by(13) {
            let (a, b) = (vertices(&rabbit, a), vertices(&plain, b));
            let off = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(off < 1e-5 * rabbit.rig.height, "off by {off} m");
        }
    }

    #[test]
    fn what_needs_its_scale_keeps_it() {
        let creature = builtin::creature();
        let mut pose = Pose::rest(&creature.rig);
        let joint = creature.skins[0].joints[0];
        let mut recording = Recording::default();
        recording.push(0.0, &pose);
        assert!(recording.scale_to_morphs(&creature).is_some(), "nothing is scaled");
        pose.set_scale(joint, Vec3::new(1.0, 0.5, 1.0));
        recording.push(1.0, &pose);
        assert!(recording.scale_to_morphs(&creature).is_none());
    }
}
