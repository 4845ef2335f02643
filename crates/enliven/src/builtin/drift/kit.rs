//! Puts bodies of rigid parts together.

use super::Daylight;
use crate::builtin::shapes::Shape;
use crate::{
    Binding, Channels, Character, CharacterParts, Geometry, JointId, Material, MaterialId, Mesh,
    Regions, Rig, Skeleton, Sway, Transform, Water,
};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// Material of a part; colours are the vertices'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Earth, bark, stone, feathers.
    Matte,
    /// Thin leaves, seen from both sides.
    Blade,
    /// Planks, a little worn.
    Wood,
    /// The water.
    Water,
    /// Something wet: fish, lily pads.
    Wet,
    /// Shines by itself, as the daylight has it.
    Glow,
}

const LOOKS: [Look; 6] = [Look::Matte, Look::Blade, Look::Wood, Look::Water, Look::Wet, Look::Glow];

/// A body under construction.
pub(super) struct Kit {
    name: &'static str,
    height: f32,
    skeleton: Skeleton,
    meshes: Vec<Mesh>,
    /// Light given off by [`Look::Glow`], linear RGB.
    glow: Vec3,
}

impl Kit {
    /// Nothing yet; `height` in metres scales what behaviours tune.
    pub(super) fn new(name: &'static str, height: f32) -> Self {
        let (skeleton, meshes) = (Skeleton::new(), Vec::new());
        Self { name, height, skeleton, meshes, glow: Vec3::ZERO }
    }

    /// Lets what glows give off light, as much as the daylight leaves to see.
    pub(super) fn glowing(mut self, color: Vec3, daylight: Daylight) -> Self {
        self.glow = color * daylight.lamps();
        self
    }

    pub(super) fn joint(
        &mut self,
        name: &str,
        parent: Option<JointId>,
        at: Vec3,
        turn: Quat,
    ) -> JointId {
        let rest = Transform { translation: at, rotation: turn, scale: Vec3::ONE };
        // Parents are ids that this kit gave out: they stand before their children.
        self.skeleton.push(name, parent, rest).unwrap_or(JointId(0))
    }

    /// A part in the space of its joint.
    pub(super) fn part(&mut self, name: &str, joint: JointId, look: Look, shape: Shape) {
        self.mesh(name, joint, look, shape.into_geometry());
    }

    pub(super) fn mesh(&mut self, name: &str, joint: JointId, look: Look, geometry: Geometry) {
        self.meshes.push(Mesh {
            name: name.to_owned(),
            joint,
            geometry: Arc::new(geometry),
            material: MaterialId::new(look as usize),
            binding: Binding::Rigid(joint),
            morphs: 0..0,
            shown: true,
        });
    }

    pub(super) fn finish(self) -> Character {
        let regions = Regions::new(&self.skeleton, &[]);
        let parts = CharacterParts {
            name: self.name.into(),
            rig: Rig::new(self.skeleton, Channels::new(), regions, self.height),
            meshes: self.meshes,
            skins: Vec::new(),
            materials: LOOKS.iter().map(|l| material(*l, self.glow)).collect(),
            textures: Vec::new(),
            images: Vec::new(),
            clips: Vec::new(),
            meta: crate::builtin::meta(self.name),
        };
        crate::builtin::made(parts)
    }
}

fn material(look: Look, glow: Vec3) -> Material {
    let matte = |name: &str, roughness: f32| Material {
        roughness,
        base_color: glam::Vec4::ONE,
        ..Material::matte(name, Vec3::ONE)
    };
    match look {
        Look::Matte => matte("matte", 0.95),
        Look::Blade => Material {
            double_sided: true,
            sway: Some(Sway { base: 0.0, top: 1.3, give: 0.04, flutter: 0.008 }),
            ..matte("blade", 0.7)
        },
        Look::Wood => matte("wood", 0.62),
        Look::Water => Material {
            water: Some(Water { swell: 0.02, travel: Vec3::X, ..Water::default() }),
            ..matte("water", 0.07)
        },
        Look::Wet => Material { double_sided: true, ..matte("wet", 0.28) },
        Look::Glow => Material { emissive: glow, ..matte("glow", 0.5) },
    }
}
