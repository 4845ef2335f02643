//! Characters made in code.

use std::sync::Arc;

use enliven::builtin::shapes;
use enliven::glam::{Quat, Vec2, Vec3, Vec4};
use enliven::{
    Binding, Channels, Character, CharacterParts, Geometry, Image, ImageId, Material, MaterialId,
    Mesh, Meta, Regions, Rig, Skeleton, Texture, TextureId, Transform,
};

/// Rigid pieces, each on a joint of its own.
#[derive(Default)]
pub(crate) struct Made {
    skeleton: Skeleton,
    meshes: Vec<Mesh>,
    materials: Vec<Material>,
    textures: Vec<Texture>,
    images: Vec<Image>,
    pub(crate) channels: Channels,
}

impl Made {
    pub(crate) fn material(&mut self, material: Material) -> MaterialId {
        self.materials.push(material);
        MaterialId::new(self.materials.len() - 1)
    }

    /// A texture of `size` × `size` texels, each from its column and row.
    pub(crate) fn texture(&mut self, size: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> TextureId {
        let rgba = (0..size * size).flat_map(|i| texel(i % size, i / size)).collect();
        self.images.push(Image { name: String::new(), width: size, height: size, rgba });
        let image = Some(ImageId::new(self.images.len() - 1));
        self.textures.push(Texture { name: String::new(), image, sampler: Default::default() });
        TextureId::new(self.textures.len() - 1)
    }

    pub(crate) fn piece(
        &mut self,
        geometry: impl Into<Arc<Geometry>>,
        material: MaterialId,
        at: Transform,
    ) {
        let joint = self.skeleton.push("piece", None, at).expect("a root joint");
        self.meshes.push(Mesh {
            name: "piece".into(),
            joint,
            geometry: geometry.into(),
            material,
            binding: Binding::Rigid(joint),
            morphs: 0..0,
            shown: true,
        });
    }

    pub(crate) fn finish(self) -> Arc<Character> {
        let regions = Regions::new(&self.skeleton, &[]);
        let character = Character::new(CharacterParts {
            name: "made".into(),
            rig: Rig::new(self.skeleton, self.channels, regions, 1.0),
            meshes: self.meshes,
            skins: Vec::new(),
            materials: self.materials,
            textures: self.textures,
            images: self.images,
            clips: Vec::new(),
            meta: Meta::default(),
        });
        Arc::new(character.expect("parts that fit"))
    }
}

/// At a place.
pub(crate) fn at(x: f32, y: f32, z: f32) -> Transform {
    Transform::from_translation(Vec3::new(x, y, z))
}

/// A ball of radius 0.5 on the ground.
pub(crate) fn ball() -> Geometry {
    shapes::sphere(0.5, 24).at(Vec3::Y * 0.5).into_geometry()
}

/// A square of side 1 that stands on the ground and faces +Z; (0, 0) of its texture is upper left.
pub(crate) fn sheet() -> Geometry {
    let corner = |x: f32, y: f32| (Vec3::new(x - 0.5, y, 0.0), Vec2::new(x, 1.0 - y));
    let corners = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
    Geometry {
        positions: corners.map(|(p, _)| p).to_vec(),
        normals: vec![Vec3::Z; 4],
        tangents: vec![Vec4::new(1.0, 0.0, 0.0, 1.0); 4],
        uvs: vec![corners.map(|(_, uv)| uv).to_vec()],
        indices: vec![0, 1, 2, 0, 2, 3],
        ..Geometry::default()
    }
}

/// A snow figure 1 m tall that faces +Z, its left arm raised: every side looks different.
pub(crate) fn figure() -> Made {
    let mut made = Made::default();
    let mut matte = |r, g, b| made.material(Material::matte("matte", Vec3::new(r, g, b)));
    let (snow, coal) = (matte(0.82, 0.80, 0.76), matte(0.02, 0.02, 0.03));
    let (carrot, scarf) = (matte(0.85, 0.25, 0.03), matte(0.62, 0.04, 0.06));
    let ball = |radius: f32| shapes::sphere(radius, 20).into_geometry();
    made.piece(ball(0.27), snow, at(0.0, 0.25, 0.0));
    made.piece(ball(0.20), snow, at(0.0, 0.62, 0.0));
    made.piece(ball(0.15), snow, at(0.0, 0.88, 0.0));
    made.piece(shapes::ellipsoid(Vec3::new(0.14, 0.04, 0.14), 12).into_geometry(), scarf, {
        at(0.0, 0.77, 0.0)
    });
    for side in [-1.0, 1.0] {
        made.piece(ball(0.022), coal, at(0.055 * side, 0.92, 0.135));
    }
    let forward = Transform {
        rotation: Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
        ..at(0.0, 0.88, 0.14)
    };
    made.piece(shapes::capsule(0.028, 0.008, 0.13, 10).into_geometry(), carrot, forward);
    for (side, angle) in [(1.0, -0.7), (-1.0, 2.0)] {
        let arm =
            Transform { rotation: Quat::from_rotation_z(angle), ..at(0.16 * side, 0.66, 0.0) };
        made.piece(shapes::capsule(0.025, 0.015, 0.3, 10).into_geometry(), coal, arm);
    }
    made
}
