//! Small spirits that watch from the banks: a lumpy head with a drawn face on a small body.

use super::shapes;
use crate::{
    Binding, Channel, ChannelId, ChannelKind, Channels, Character, CharacterParts, DrawnFace,
    Geometry, JointId, Material, MaterialFactor, MaterialId, Mesh, MorphTarget, Pose, Region,
    Regions, Rig, Rng, Skeleton, Transform, math,
};
use glam::{Vec3, Vec4};
use std::sync::Arc;

/// Height to the top of the head, metres.
const HEIGHT: f32 = 0.3;
/// Half axes of the head, metres.
const HEAD: Vec3 = Vec3::new(0.092, 0.086, 0.084);
/// Middle of the head.
const HEAD_AT: Vec3 = Vec3::new(0.0, 0.212, 0.0);
/// Where the head turns and rattles: the neck.
const NECK: Vec3 = Vec3::new(0.0, 0.135, 0.0);
/// Deepest lump, a share of the head's size at weight 1.
const LUMP: f32 = 0.2;
/// Lumps: the sine waves along this many random directions.
const LUMPS: usize = 4;
/// Names of the channels of the face: what [`DrawnFace::variant`] holds.
const FACE: [&str; 4] = ["face.tilt", "face.eyes", "face.mouth", "face.scale"];

/// What tells one spirit from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpiritLook {
    /// Tilt of the eyes (rad), their height (units of the drawing), mouth (0 round … 1 a slit) and
    /// scale: [`DrawnFace::variant`].
    pub face: Vec4,
    /// How deep the head's lumps are, each in [−1, 1].
    pub lumps: [f32; LUMPS],
    /// Factor on its size.
    pub size: f32,
}

impl SpiritLook {
    /// A look of its own for each seed.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0x5917);
        let round = rng.chance(0.55);
        Self {
            face: Vec4::new(
                rng.range(-0.25, 0.45),
                rng.range(0.02, 0.22),
                if round { rng.range(0.0, 0.2) } else { rng.range(0.7, 1.0) },
                rng.range(0.82, 1.15),
            ),
            lumps: core::array::from_fn(|_| rng.range(-1.0, 1.0)),
            size: rng.range(0.7, 1.35),
        }
    }

    /// Writes face and lumps into a pose of [`spirit`], and its size into the root.
    pub fn write(&self, pose: &mut Pose) {
        let values = self.lumps.into_iter().chain(self.face.to_array());
        for (index, value) in values.enumerate() {
            pose.set_channel(ChannelId::new(index), value);
        }
        pose.root.scale = Vec3::splat(self.size);
    }
}

/// A small spirit 0.3 m tall, facing +Z, standing at the origin: a body and a head on two joints.
/// Its channels, in this order, are four lumps of the head and the four numbers of its drawn face;
/// [`SpiritLook`] fills them, so that hundreds of different ones are one model and one draw.
///
/// `seed` chooses the directions of the lumps. Makes a new one each time; share it in an `Arc`.
pub fn spirit(seed: u64) -> Character {
    let mut skeleton = Skeleton::new();
    // Parents stand before their children: adding cannot fail.
    let mut add = |name: &str, parent, at: Vec3| {
        skeleton.push(name, parent, Transform::from_translation(at)).unwrap_or(JointId(0))
    };
    let body = add("spirit", None, Vec3::ZERO);
    let head = add("head", Some(body), NECK);
    let mut channels = Channels::new();
    for index in 0..LUMPS {
        let channel = Channel::new(format!("lump.{index}"), ChannelKind::Morph);
        channels.push(channel.with_range(-1.0, 1.0));
    }
    let face = DrawnFace {
        center: HEAD_AT - NECK,
        size: HEAD.y,
        variant: Vec4::new(0.12, 0.12, 0.0, 1.0),
        ..DrawnFace::default()
    };
    let skin = MaterialId(0);
    for (index, name) in FACE.into_iter().enumerate() {
        let kind = ChannelKind::Factor(skin, MaterialFactor::Face(index as u8));
        channels.push(Channel::new(name, kind).with_default(face.variant[index]));
    }
    let mesh = |name: &str, joint, geometry, material, morphs| Mesh {
        name: name.into(),
        joint,
        geometry: Arc::new(geometry),
        material,
        binding: Binding::Rigid(joint),
        morphs,
        shown: true,
    };
    // Below pure white, so that light and mist never make one glare.
    let white = Vec3::new(0.72, 0.74, 0.70);
    let matte = Material {
        roughness: 0.85,
        emissive: Vec3::new(0.014, 0.018, 0.016),
        ..Material::matte("spirit", white)
    };
    let parts = [(Region::Body, [(body, 1.0)]), (Region::Head, [(head, 1.0)])];
    let parts: Vec<(Region, &[(JointId, f32)])> =
        parts.iter().map(|(region, joints)| (*region, &joints[..])).collect();
    let regions = Regions::new(&skeleton, &parts);
    super::made(CharacterParts {
        name: "spirit".into(),
        meshes: vec![
            mesh("head", head, lumpy_head(seed), skin, 0..LUMPS as u32),
            mesh("body", body, small_body(), MaterialId(1), 0..0),
        ],
        rig: Rig::new(skeleton, channels, regions, HEIGHT),
        skins: vec![],
        materials: vec![
            Material { face: Some(face), ..matte.clone() },
            Material { name: "spirit body".into(), ..matte },
        ],
        textures: vec![],
        images: vec![],
        clips: vec![],
        meta: super::meta("Spirit"),
    })
}

/// A ball with a morph target for each lump: a sine wave along a random direction, pushed out along
/// the ball's normals, with the normals of the lumpy surface.
fn lumpy_head(seed: u64) -> Geometry {
    let mut ball = shapes::ellipsoid(HEAD, 20).into_geometry();
    ball.uvs.clear();
    let mut rng = Rng::new(seed, 0x10b5);
    for index in 0..LUMPS {
        // Uniform on the sphere.
        let up = rng.range(-1.0, 1.0);
        let (s, c) = math::sin_cos(rng.range(0.0, math::TAU));
        let flat = (1.0 - up * up).max(0.0).sqrt();
        let direction = Vec3::new(flat * c, up, flat * s);
        let waves = rng.range(1.6, 3.0);
        let ahead = rng.range(0.0, math::TAU);
        let size = HEAD.max_element();
        let push = |p: Vec3| {
            let wave = math::sin(waves * p.dot(direction) / size + ahead);
            LUMP / LUMPS as f32 * size * wave
        };
        let mut lumpy = ball.clone();
        for (p, n) in lumpy.positions.iter_mut().zip(&ball.normals) {
            *p += *n * push(*p);
        }
        lumpy.compute_normals();
        let mut smooth = ball.clone();
        smooth.compute_normals();
        let between = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| *a - *b).collect();
        ball.morphs.push(MorphTarget {
            name: format!("lump.{index}"),
            positions: between(&lumpy.positions, &ball.positions),
            normals: welded(&ball.positions, between(&lumpy.normals, &smooth.normals)),
            tangents: Vec::new(),
        });
    }
    for p in &mut ball.positions {
        *p += HEAD_AT - NECK;
    }
    ball
}

/// Vertices at one place, along the seam and at the poles, get the mean of their values.
fn welded(positions: &[Vec3], mut values: Vec<Vec3>) -> Vec<Vec3> {
    let key = |p: Vec3| p.to_array().map(|x| libm::roundf(x * 1e5) as i32);
    let mut sums = std::collections::BTreeMap::<[i32; 3], (Vec3, f32)>::new();
    for (p, v) in positions.iter().zip(&values) {
        let sum = sums.entry(key(*p)).or_default();
        *sum = (sum.0 + *v, sum.1 + 1.0);
    }
    for (p, v) in positions.iter().zip(&mut values) {
        if let Some((sum, count)) = sums.get(&key(*p)) {
            *v = *sum / *count;
        }
    }
    values
}

/// A pear with two stubs for arms and two for feet.
fn small_body() -> Geometry {
    let mut shape = shapes::egg(Vec3::new(0.058, 0.075, 0.052), 0.32, 14).at(Vec3::Y * 0.082);
    for side in [-1.0, 1.0] {
        let arm = shapes::capsule(0.016, 0.012, 0.045, 8)
            .turned(math::rotation(Vec3::Z, side * -2.5))
            .at(Vec3::new(0.036 * side, 0.115, 0.012));
        let foot = shapes::ellipsoid(Vec3::new(0.022, 0.016, 0.03), 8).at(Vec3::new(
            0.026 * side,
            0.014,
            0.012,
        ));
        shape = shape.with(arm).with(foot);
    }
    let mut g = shape.into_geometry();
    g.uvs.clear();
    g
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Actor, VertexStage};

    #[test]
    fn every_look_is_another_head_and_none_is_torn() {
        let character = Arc::new(spirit(3));
        let mut last = Vec::new();
        for seed in 0..8 {
            let mut actor = Actor::new(character.clone());
            actor.edit(|pose| SpiritLook::new(seed).write(pose));
            let (palette, pose) = (actor.palette(), actor.pose());
            let stage = VertexStage::new(&character, 0, palette, pose.channels(), &pose.root);
            let count = character.meshes[0].geometry.vertex_count();
            let at: Vec<Vec3> = (0..count).map(|v| stage.position(v)).collect();
            let rest = &character.meshes[0].geometry.positions;
            for (i, j) in (1..count).map(|i| (i - 1, i)) {
                // One place at rest stays one place, with one normal.
                if rest[i].distance(rest[j]) < 1e-6 {
                    assert!(at[i].distance(at[j]) < 1e-6);
                    assert!(stage.normal(i).distance(stage.normal(j)) < 0.02);
                }
            }
            let moved = at.iter().zip(&last).map(|(a, b): (&Vec3, &Vec3)| a.distance(*b));
            let most = moved.fold(0.0f32, f32::max);
            assert!(last.is_empty() || most > 0.004, "{most}");
            last = at;
        }
    }

    #[test]
    fn the_face_is_in_the_channels() {
        let character = Arc::new(spirit(1));
        let mut actor = Actor::new(character.clone());
        let look = SpiritLook::new(5);
        actor.edit(|pose| look.write(pose));
        for (index, name) in FACE.into_iter().enumerate() {
            let channel = character.rig.channels.find(name).expect("a channel of the face");
            assert_eq!(actor.pose().channel(channel), look.face[index]);
        }
    }
}
