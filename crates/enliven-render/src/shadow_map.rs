//! The depths that the sun sees.

use crate::gpu::Gpu;
use crate::pipeline::DEPTH_FORMAT;

/// Shadow map and how it is read.
pub(crate) struct ShadowMap {
    pub(crate) texels: u32,
    pub(crate) view: wgpu::TextureView,
    pub(crate) sampler: wgpu::Sampler,
}

impl ShadowMap {
    /// A map of `texels` × `texels`.
    pub(crate) fn new(gpu: &Gpu, texels: u32) -> Self {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("shadow"),
            size: wgpu::Extent3d { width: texels, height: texels, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: DEPTH_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        Self { texels, view: texture.create_view(&Default::default()), sampler }
    }
}
