//! A face that the shader draws.

use glam::{Vec3, Vec4};

/// Two hollows for eyes and a mouth, drawn on a head from the place on it (A17): sharp at any
/// distance. One unit of the drawing is [`DrawnFace::size`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnFace {
    /// Middle of the head in the geometry's space, metres.
    pub center: Vec3,
    /// Out of the face. The drawing stands upright along the geometry's +Y.
    pub forward: Vec3,
    /// Half the height of the head, metres.
    pub size: f32,
    /// What tells one face from another: tilt of the hollows (rad, positive leans their tops
    /// together), height of the eyes (units above the middle), mouth (0 round … 1 a slit), scale of
    /// the whole drawing (1 as it is). Channels may drive it, see
    /// [`MaterialFactor::Face`](crate::MaterialFactor::Face), so that each body has its own.
    pub variant: Vec4,
    /// Linear RGB at the bottom of the hollows.
    pub hollow: Vec3,
}

impl Default for DrawnFace {
    /// A curious spirit with a head of radius 0.1 m about the origin, facing +Z.
    fn default() -> Self {
        Self {
            center: Vec3::ZERO,
            forward: Vec3::Z,
            size: 0.1,
            variant: Vec4::new(0.15, 0.12, 0.0, 1.0),
            hollow: Vec3::new(0.012, 0.012, 0.016),
        }
    }
}
