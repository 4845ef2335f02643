//! A thin leaf that light comes through.

use glam::Vec3;

/// The look of a leaf (A16). The alpha of the base colour texture is how much of a vein there is:
/// veins stand up from the blade and let less light through. Where there is no texture the leaf has
/// no veins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafLook {
    /// Light of the sun that comes through, as one looks towards it. 0.75 glows; 1.35 blooms to
    /// lime.
    pub gain: f32,
    /// Linear RGB that the light has when it has come through.
    pub tint: Vec3,
    /// How far veins stand up from the blade, metres.
    pub bump: f32,
    /// Light that a vein keeps back, 0..1.
    pub veins: f32,
}

impl Default for LeafLook {
    /// A fresh green leaf.
    fn default() -> Self {
        Self { gain: 0.75, tint: Vec3::new(0.32, 0.52, 0.06), bump: 0.003, veins: 0.6 }
    }
}
