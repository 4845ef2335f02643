//! The drawn look: MToon of VRM 1.0.

use crate::TextureRef;
use glam::{Vec2, Vec3};

/// How a [`Material`](crate::Material) with [`Shading::Toon`](crate::Shading::Toon) is drawn.
/// Terms, ranges and defaults are those of VRMC_materials_mtoon 1.0, but for the shaded tone: a
/// surface that says nothing of it gets a cool grey here. Colours are linear RGB.
#[derive(Clone, Debug, PartialEq)]
pub struct Toon {
    /// The shaded tone itself: the base colour plays no part in it. Vertex colours play none in
    /// either tone.
    pub shade_color: Vec3,
    /// sRGB colour, multiplied with `shade_color`.
    pub shade_texture: Option<TextureRef>,
    /// Where light turns to shade, in [−1, 1]: a surface is lit where the cosine of its angle to the
    /// light, plus this, is positive.
    pub shading_shift: f32,
    /// Red, multiplied with `shading_shift_scale` and added to `shading_shift`.
    pub shading_shift_texture: Option<TextureRef>,
    /// Factor of `shading_shift_texture`.
    pub shading_shift_scale: f32,
    /// How sharp the edge between the tones is: 0 soft as a sphere's … 1 a line.
    pub shading_toony: f32,
    /// How far light from all around is made the same from every side: 0 as it is … 1 wholly.
    pub gi_equalization: f32,
    /// Factor of the picture of a lit ball that is laid over by view direction and added.
    pub matcap_color: Vec3,
    /// sRGB colour.
    pub matcap_texture: Option<TextureRef>,
    /// The glow along the silhouette.
    pub rim_color: Vec3,
    /// sRGB colour, multiplied with rim and matcap.
    pub rim_texture: Option<TextureRef>,
    /// 0 the rim shines by itself … 1 it is lit as the surface is.
    pub rim_lighting_mix: f32,
    /// Exponent of the rim: larger is thinner.
    pub rim_power: f32,
    /// Added before the exponent: larger is broader.
    pub rim_lift: f32,
    /// What the width of the outline is measured in.
    pub outline: Outline,
    /// Metres, or parts of the height of the picture.
    pub outline_width: f32,
    /// Green, multiplied with the width.
    pub outline_width_texture: Option<TextureRef>,
    /// Colour of the outline.
    pub outline_color: Vec3,
    /// 0 the outline has its colour … 1 it is lit as the surface is.
    pub outline_lighting_mix: f32,
    /// Blue, multiplied with the motion of the textures.
    pub uv_animation_mask: Option<TextureRef>,
    /// How far the textures move in u and v a second.
    pub uv_scroll: Vec2,
    /// How far they turn about their middle, radians a second.
    pub uv_rotation: f32,
    /// A mixed surface still hides what is behind it.
    pub depth_write: bool,
    /// Order among mixed surfaces: −9 … 0, with `depth_write` 0 … 9; lower is drawn earlier.
    pub render_queue_offset: i32,
}

/// What the width of an outline is measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Outline {
    /// There is no outline.
    #[default]
    None,
    /// Metres.
    World,
    /// Parts of the height of the picture.
    Screen,
}

impl Default for Toon {
    fn default() -> Self {
        Self {
            shade_color: Vec3::new(0.6, 0.6, 0.7),
            shade_texture: None,
            shading_shift: 0.0,
            shading_shift_texture: None,
            shading_shift_scale: 1.0,
            shading_toony: 0.9,
            gi_equalization: 0.9,
            matcap_color: Vec3::ONE,
            matcap_texture: None,
            rim_color: Vec3::ZERO,
            rim_texture: None,
            rim_lighting_mix: 1.0,
            rim_power: 5.0,
            rim_lift: 0.0,
            outline: Outline::None,
            outline_width: 0.0,
            outline_width_texture: None,
            outline_color: Vec3::ZERO,
            outline_lighting_mix: 1.0,
            uv_animation_mask: None,
            uv_scroll: Vec2::ZERO,
            uv_rotation: 0.0,
            depth_write: false,
            render_queue_offset: 0,
        }
    }
}
