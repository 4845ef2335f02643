//! What a pass knows of the frame, in the layout of `wgsl/frame.wgsl`.

use bytemuck::{Pod, Zeroable};
use enliven::glam::Vec3;

use crate::data::DataTexture;
use crate::gpu::Gpu;
use crate::pipeline::Pipelines;
use crate::scene::{Background, Scene};
use crate::shadow::ShadowView;
use crate::shadow_map::ShadowMap;
use crate::srgb;
use crate::target::Attachments;

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

/// An sRGB colour in the linear light that the target stores.
pub(crate) fn display_linear(colour: [f32; 3]) -> [f32; 3] {
    colour.map(|value| srgb::decode(value.clamp(0.0, 1.0)))
}

/// The frame of the pass that shades.
pub(crate) fn frame_uniform(
    scene: &Scene<'_>,
    target: &Attachments<'_>,
    shadow: Option<&ShadowView>,
    texels: u32,
) -> FrameUniform {
    let (camera, stage) = (&scene.camera, &scene.stage);
    let (width, height) = (target.width as f32, target.height as f32);
    let aspect = width / height;
    let (right, up, toward) = camera.basis();
    let tall = enliven::math::tan(camera.fov_y * 0.5);
    let sun = stage.sun.direction.try_normalize().unwrap_or(Vec3::Y);
    let mut frame = FrameUniform {
        clip_from_world: camera.clip_from_world(aspect).to_cols_array_2d(),
        eye: camera.eye.extend(1.0).to_array(),
        view_right: (right * tall * aspect).extend(0.0).to_array(),
        view_up: (up * tall).extend(0.0).to_array(),
        view_forward: (-toward).extend(0.0).to_array(),
        sun_direction: sun.extend(stage.sun.softness).to_array(),
        sun_colour: stage.sun.colour.extend(stage.exposure).to_array(),
        sky_zenith: stage.sky.zenith.extend(0.0).to_array(),
        sky_horizon: stage.sky.horizon.extend(0.0).to_array(),
        sky_ground: stage.sky.bounce.extend(0.0).to_array(),
        misc: [0.0, 0.0, width, height],
        air: stage.air.wind.extend(stage.air.turn).to_array(),
        fog: stage.mist.colour.extend(stage.mist.density.max(0.0)).to_array(),
        ambience: [stage.sky.night, stage.sky.clouds, stage.sky.stars, stage.sky.disc],
        ..Default::default()
    };
    if let Some(wake) = &stage.wake {
        frame.wake = [wake.place.x, wake.place.z, wake.velocity.x, wake.velocity.z];
        frame.misc[1] = wake.place.y;
    }
    if let Some(shadow) = shadow {
        frame.shadow_from_world = shadow.uv_from_world.to_cols_array_2d();
        frame.shadow_right = shadow.right.extend(shadow.half_extent).to_array();
        frame.shadow_up = shadow.up.extend(shadow.half_extent).to_array();
        frame.shadow = [texels as f32, shadow.range, 1.0, shadow.widest];
    }
    if let Some(ground) = &stage.ground {
        frame.ground_centre = ground.centre.extend(ground.radius).to_array();
        frame.ground_colour = ground.colour.extend(ground.cell).to_array();
    }
    match stage.background {
        Background::Sky => {}
        Background::Colour(colour) => {
            let [r, g, b] = display_linear(colour);
            frame.background = [r, g, b, 1.0];
        }
        Background::Transparent => frame.misc[0] = 1.0,
    }
    frame
}

/// Binds what a pass knows of the frame.
pub(crate) fn frame_group(
    gpu: &Gpu,
    pipelines: &Pipelines,
    uniform: &wgpu::Buffer,
    palettes: &DataTexture,
    weights: &DataTexture,
    shadow: Option<&ShadowMap>,
) -> wgpu::BindGroup {
    let view = wgpu::BindingResource::TextureView;
    let bind = |binding, resource| wgpu::BindGroupEntry { binding, resource };
    let mut entries = vec![
        bind(0, uniform.as_entire_binding()),
        bind(1, view(&palettes.view)),
        bind(2, view(&weights.view)),
    ];
    if let Some(shadow) = shadow {
        entries.push(bind(3, view(&shadow.view)));
        entries.push(bind(4, wgpu::BindingResource::Sampler(&shadow.sampler)));
        entries.push(bind(5, view(&shadow.view)));
    }
    let layout =
        if shadow.is_some() { &pipelines.lit_frame_layout } else { &pipelines.frame_layout };
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("frame"),
        layout,
        entries: &entries,
    })
}
