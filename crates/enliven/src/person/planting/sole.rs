//! Soles, from the meshes of a character.

use super::Feet;
use crate::person::{HumanBone, Humanoid};
use crate::{Affine, Binding, Character, JointId, Pose, Side, Transform, VertexStage, math};
use glam::Vec3;

/// How high above its lowest point a vertex still belongs to the sole, legs.
const SOLE: f32 = 0.02;

impl Feet {
    /// The same feet with the soles that the meshes of their character have: what follows an ankle
    /// most, toes with a joint of their own left out, stays out of the ground as far as at rest.
    pub fn with_soles(mut self, character: &Character, body: &Humanoid) -> Self {
        let skeleton = &character.rig.skeleton;
        let model = skeleton.rest_model();
        let mut palette = vec![Affine::IDENTITY; character.palette_layout().len()];
        character.palette_layout().write(&model, &mut palette);
        let pose = Pose::rest(&character.rig);
        for leg in &mut self.legs {
            let ankle = leg.ik.end;
            let toes = match leg.side {
                Side::Left => HumanBone::LeftToes,
                Side::Right => HumanBone::RightToes,
            };
            let within = |top: JointId, j| j == top || skeleton.is_ancestor(top, j);
            let mine =
                |j| within(ankle, j) && !body.joint(toes).is_some_and(|toes| within(toes, j));
            let mut points = Vec::new();
            for (i, mesh) in character.meshes.iter().enumerate() {
                let stage =
                    VertexStage::new(character, i, &palette, pose.channels(), &Transform::IDENTITY);
                for v in 0..mesh.geometry.vertex_count() {
                    if strongest(character, i, v).is_some_and(mine) {
                        points.push(stage.position(v));
                    }
                }
            }
            let low: f32 = points.iter().map(|p| p.y).fold(f32::MAX, f32::min);
            let Some(inverse) = model[ankle.index()].inverse().filter(|_| !points.is_empty())
            else {
                continue;
            };
            // The outermost of all sides, for a foot that kneels, and of those that stand on the
            // ground: what is between them is as high as they are.
            let outermost = |out: Vec3, within: f32| {
                let among = points.iter().filter(|p| p.y - low <= within);
                among.max_by(|a, b| out.dot(**a).total_cmp(&out.dot(**b)))
            };
            let all = (0..27).filter(|k| *k != 13).map(|k| {
                let out = Vec3::new((k % 3) as f32, (k / 3 % 3) as f32, (k / 9) as f32);
                outermost((out - 1.0).normalize_or(Vec3::Y), f32::MAX)
            });
            let below = (0..8).map(|k| {
                let (sine, cosine) = math::sin_cos(k as f32 * math::PI / 4.0);
                outermost(Vec3::new(cosine, 0.0, sine), SOLE * leg.long)
            });
            leg.sole = all.chain(below).flatten().map(|p| inverse.transform_point(*p)).collect();
            leg.floor = low;
        }
        self
    }
}

/// The joint that a vertex follows most.
fn strongest(character: &Character, mesh: usize, vertex: usize) -> Option<JointId> {
    let mesh = character.meshes.get(mesh)?;
    let skin = match mesh.binding {
        Binding::Rigid(joint) => return Some(joint),
        Binding::Skin(skin) => character.skins.get(skin.index())?,
    };
    let by = mesh.geometry.influences.as_ref()?;
    let own = vertex * by.per_vertex..(vertex + 1) * by.per_vertex;
    let top = own.max_by(|a, b| by.weights[*a].total_cmp(&by.weights[*b]))?;
    skin.joints.get(usize::from(by.joints[top])).copied()
}
