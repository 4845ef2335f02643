//! How a surface looks.

use crate::{DrawnFace, Fur, ImageId, LeafLook, Sway, TextureId, Toon, Water};
use glam::{Vec2, Vec3, Vec4};

/// How light meets the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shading {
    /// Metallic-roughness, as glTF defines it.
    #[default]
    Pbr,
    /// The base colour as it is.
    Unlit,
    /// Two tones with a soft edge, for drawn characters.
    Toon,
}

/// What happens to the alpha of the base colour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// It is ignored.
    #[default]
    Opaque,
    /// Below the cutoff nothing is drawn, above it all.
    Mask {
        /// In [0, 1]; glTF's default is 0.5.
        cutoff: f32,
    },
    /// The surface is mixed with what is behind.
    Blend,
}

/// A texture as a material uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// The texture.
    pub texture: TextureId,
    /// Which texture coordinates of the geometry.
    pub uv_set: u32,
    /// KHR_texture_transform: uv' = offset + R(rotation) · (scale · uv).
    pub offset: Vec2,
    /// Radians, counter-clockwise in glTF's uv space.
    pub rotation: f32,
    /// Factors.
    pub scale: Vec2,
}

impl TextureRef {
    /// A texture on the first uv set, without transform.
    pub const fn new(texture: TextureId) -> Self {
        Self { texture, uv_set: 0, offset: Vec2::ZERO, rotation: 0.0, scale: Vec2::ONE }
    }
}

/// How a surface looks. Colours are linear.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name, as its file has it.
    pub name: String,
    /// How light meets it.
    pub shading: Shading,
    /// Linear RGBA factor.
    pub base_color: Vec4,
    /// sRGB colour, linear alpha.
    pub base_color_texture: Option<TextureRef>,
    /// 0 dielectric … 1 metal.
    pub metallic: f32,
    /// 0 mirror … 1 chalk.
    pub roughness: f32,
    /// Blue = metallic, green = roughness, linear.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Tangent-space normals.
    pub normal_texture: Option<TextureRef>,
    /// Factor on the x and y of the normal texture.
    pub normal_scale: f32,
    /// Red = ambient light that arrives.
    pub occlusion_texture: Option<TextureRef>,
    /// 0 ignores the occlusion texture, 1 takes it whole.
    pub occlusion_strength: f32,
    /// Linear RGB, `KHR_materials_emissive_strength` multiplied in.
    pub emissive: Vec3,
    /// sRGB colour.
    pub emissive_texture: Option<TextureRef>,
    /// What happens to alpha.
    pub alpha_mode: AlphaMode,
    /// Back faces are drawn too, with turned normals.
    pub double_sided: bool,
    /// Toon only: how it is drawn.
    pub toon: Toon,
    /// Hair on it. This and what follows go with every [`Shading`] and with each other.
    pub fur: Option<Fur>,
    /// A face drawn on it.
    pub face: Option<DrawnFace>,
    /// Light comes through it.
    pub leaf: Option<LeafLook>,
    /// It gives way to the wind.
    pub sway: Option<Sway>,
    /// It is the surface of water.
    pub water: Option<Water>,
}

/// One number of a [`Material`] that a channel may drive. The index is the component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MaterialFactor {
    /// Red, green, blue, alpha of the base colour.
    BaseColor(u8),
    /// Red, green, blue of the light given off.
    Emissive(u8),
    /// Red, green, blue of the shaded tone.
    Shade(u8),
    /// Red, green, blue of the picture of a lit ball.
    Matcap(u8),
    /// Red, green, blue of the glow along the silhouette.
    Rim(u8),
    /// Red, green, blue of the outline.
    Outline(u8),
    /// u, v of the offset of all textures.
    UvOffset(u8),
    /// u, v of the scale of all textures.
    UvScale(u8),
    /// Tilt, eye height, mouth and scale of the drawn face ([`DrawnFace::variant`]).
    Face(u8),
}

impl Default for Material {
    /// glTF's default material.
    fn default() -> Self {
        Self {
            name: String::new(),
            shading: Shading::Pbr,
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: Vec3::ZERO,
            emissive_texture: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            toon: Toon::default(),
            fur: None,
            face: None,
            leaf: None,
            sway: None,
            water: None,
        }
    }
}

impl Material {
    /// Every texture in use, in a fixed order.
    pub fn textures(&self) -> impl Iterator<Item = &TextureRef> {
        let Self { toon, .. } = self;
        [
            &self.base_color_texture,
            &toon.shade_texture,
            &self.emissive_texture,
            &self.normal_texture,
            &self.metallic_roughness_texture,
            &self.occlusion_texture,
            &toon.shading_shift_texture,
            &toon.matcap_texture,
            &toon.rim_texture,
            &toon.outline_width_texture,
            &toon.uv_animation_mask,
        ]
        .into_iter()
        .flatten()
    }

    fn textures_mut(&mut self) -> impl Iterator<Item = &mut TextureRef> {
        let Self { toon, .. } = self;
        [
            &mut self.base_color_texture,
            &mut toon.shade_texture,
            &mut self.emissive_texture,
            &mut self.normal_texture,
            &mut self.metallic_roughness_texture,
            &mut self.occlusion_texture,
            &mut toon.shading_shift_texture,
            &mut toon.matcap_texture,
            &mut toon.rim_texture,
            &mut toon.outline_width_texture,
            &mut toon.uv_animation_mask,
        ]
        .into_iter()
        .flatten()
    }

    /// The value of a factor; of texture transforms that of the first texture. `None` for a
    /// component that does not exist and for textures of a material without any.
    pub fn factor(&self, factor: MaterialFactor) -> Option<f32> {
        let first = || self.textures().next();
        let get = |v: &[f32], i: u8| v.get(usize::from(i)).copied();
        match factor {
            MaterialFactor::BaseColor(i) => get(self.base_color.as_ref(), i),
            MaterialFactor::Emissive(i) => get(self.emissive.as_ref(), i),
            MaterialFactor::Shade(i) => get(self.toon.shade_color.as_ref(), i),
            MaterialFactor::Matcap(i) => get(self.toon.matcap_color.as_ref(), i),
            MaterialFactor::Rim(i) => get(self.toon.rim_color.as_ref(), i),
            MaterialFactor::Outline(i) => get(self.toon.outline_color.as_ref(), i),
            MaterialFactor::UvOffset(i) => get(first()?.offset.as_ref(), i),
            MaterialFactor::UvScale(i) => get(first()?.scale.as_ref(), i),
            MaterialFactor::Face(i) => get(self.face?.variant.as_ref(), i),
        }
    }

    /// Sets a factor; of texture transforms that of every texture. A component that does not exist
    /// and a value that is not finite change nothing.
    pub fn set_factor(&mut self, factor: MaterialFactor, value: f32) {
        if !value.is_finite() {
            return;
        }
        let set = |v: &mut [f32], i: u8| {
            if let Some(v) = v.get_mut(usize::from(i)) {
                *v = value;
            }
        };
        match factor {
            MaterialFactor::BaseColor(i) => set(self.base_color.as_mut(), i),
            MaterialFactor::Emissive(i) => set(self.emissive.as_mut(), i),
            MaterialFactor::Shade(i) => set(self.toon.shade_color.as_mut(), i),
            MaterialFactor::Matcap(i) => set(self.toon.matcap_color.as_mut(), i),
            MaterialFactor::Rim(i) => set(self.toon.rim_color.as_mut(), i),
            MaterialFactor::Outline(i) => set(self.toon.outline_color.as_mut(), i),
            MaterialFactor::UvOffset(i) => {
                for t in self.textures_mut() {
                    set(t.offset.as_mut(), i);
                }
            }
            MaterialFactor::UvScale(i) => {
                for t in self.textures_mut() {
                    set(t.scale.as_mut(), i);
                }
            }
            MaterialFactor::Face(i) => {
                if let Some(face) = &mut self.face {
                    set(face.variant.as_mut(), i);
                }
            }
        }
    }

    /// A dull plastic of one colour (linear RGB).
    pub fn matte(name: impl Into<String>, color: Vec3) -> Self {
        Self {
            name: name.into(),
            base_color: color.extend(1.0),
            metallic: 0.0,
            roughness: 0.75,
            ..Self::default()
        }
    }
}

/// What a texture does outside [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// Starts again.
    #[default]
    Repeat,
    /// Starts again, mirrored.
    Mirror,
    /// Keeps the edge.
    Clamp,
}

/// How a texture is read between texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Outside [0, 1] in u.
    pub wrap_u: Wrap,
    /// Outside [0, 1] in v.
    pub wrap_v: Wrap,
    /// Larger than the screen's pixels: linear or nearest.
    pub mag_linear: bool,
    /// Smaller than the screen's pixels: linear or nearest.
    pub min_linear: bool,
    /// Whether smaller copies are used, and whether linear between them.
    pub mipmaps: Option<bool>,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            wrap_u: Wrap::Repeat,
            wrap_v: Wrap::Repeat,
            mag_linear: true,
            min_linear: true,
            mipmaps: Some(true),
        }
    }
}

/// An image with a way to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// Name, as its file has it.
    pub name: String,
    /// The image; `None` where it could not be read (drawn as white).
    pub image: Option<ImageId>,
    /// How it is read.
    pub sampler: Sampler,
}

/// Decoded picture: rows from the top, RGBA, 8 bits each, alpha not premultiplied. Whether RGB is
/// sRGB or linear depends on its use in a material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Name, as its file has it.
    pub name: String,
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// 4 · width · height bytes.
    pub rgba: Vec<u8>,
}
