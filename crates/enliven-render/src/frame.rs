//! What a pass knows of the frame, in the layout of `wgsl/frame.wgsl`.

use bytemuck::{Pod, Zeroable};

/// Sixteen bytes a row; see `wgsl/frame.wgsl` for the meaning of each.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FrameUniform {
    pub(crate) clip_from_world: [[f32; 4]; 4],
    pub(crate) shadow_from_world: [[f32; 4]; 4],
    pub(crate) eye: [f32; 4],
    pub(crate) view_right: [f32; 4],
    pub(crate) view_up: [f32; 4],
    pub(crate) view_forward: [f32; 4],
    pub(crate) sun_direction: [f32; 4],
    pub(crate) sun_colour: [f32; 4],
    pub(crate) sky_zenith: [f32; 4],
    pub(crate) sky_horizon: [f32; 4],
    pub(crate) sky_ground: [f32; 4],
    pub(crate) shadow_right: [f32; 4],
    pub(crate) shadow_up: [f32; 4],
    pub(crate) shadow: [f32; 4],
    pub(crate) ground_centre: [f32; 4],
    pub(crate) ground_colour: [f32; 4],
    pub(crate) background: [f32; 4],
    pub(crate) misc: [f32; 4],
    pub(crate) air: [f32; 4],
    pub(crate) fog: [f32; 4],
    pub(crate) ambience: [f32; 4],
    pub(crate) wake: [f32; 4],
}
