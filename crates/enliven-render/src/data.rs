//! Float textures as plain memory for the vertex stage: WebGL2 has no storage buffers.

use crate::gpu::{Gpu, GpuError};

/// Palette entries a row of the palette texture; three texels each.
pub(crate) const ENTRIES_A_ROW: usize = 512;
/// Texels a row of the weight texture.
pub(crate) const WEIGHTS_A_ROW: usize = 1024;
/// Texels a row of a morph texture: the least width that every device takes.
pub(crate) const MORPHS_A_ROW: usize = 2048;

/// A texture that is written anew each frame and grows when it must.
pub(crate) struct DataTexture {
    label: &'static str,
    format: wgpu::TextureFormat,
    texels_a_row: usize,
    floats_a_texel: usize,
    texture: wgpu::Texture,
    pub(crate) view: wgpu::TextureView,
    /// What the next upload writes.
    pub(crate) staged: Vec<f32>,
}

impl DataTexture {
    pub(crate) fn new(
        gpu: &Gpu,
        label: &'static str,
        format: wgpu::TextureFormat,
        floats_a_texel: usize,
        texels_a_row: usize,
    ) -> Self {
        let (texture, view) = create(gpu, label, format, texels_a_row, 1);
        Self { label, format, texels_a_row, floats_a_texel, texture, view, staged: Vec::new() }
    }

    /// Uploads what is staged. True when the texture is a new one, so that bind groups must be
    /// made anew.
    pub(crate) fn upload(&mut self, gpu: &Gpu) -> Result<bool, GpuError> {
        let floats_a_row = self.texels_a_row * self.floats_a_texel;
        let rows = self.staged.len().div_ceil(floats_a_row);
        if rows == 0 {
            return Ok(false);
        }
        self.staged.resize(rows * floats_a_row, 0.0);
        let mut renewed = false;
        if rows > self.texture.height() as usize {
            let limit = gpu.max_size() as usize;
            if rows > limit {
                return Err(GpuError::Limit {
                    what: self.label,
                    needed: rows as u64,
                    limit: limit as u64,
                });
            }
            let grown = rows.next_power_of_two().min(limit);
            (self.texture, self.view) =
                create(gpu, self.label, self.format, self.texels_a_row, grown);
            renewed = true;
        }
        write(gpu, &self.texture, &self.staged, self.texels_a_row, rows);
        Ok(renewed)
    }
}

/// A texture that is written once.
pub(crate) fn constant(
    gpu: &Gpu,
    label: &'static str,
    format: wgpu::TextureFormat,
    floats_a_texel: usize,
    texels_a_row: usize,
    mut floats: Vec<f32>,
) -> Result<wgpu::TextureView, GpuError> {
    let floats_a_row = texels_a_row * floats_a_texel;
    let rows = floats.len().div_ceil(floats_a_row).max(1);
    let limit = gpu.max_size() as usize;
    if rows > limit {
        return Err(GpuError::Limit { what: label, needed: rows as u64, limit: limit as u64 });
    }
    floats.resize(rows * floats_a_row, 0.0);
    let (texture, view) = create(gpu, label, format, texels_a_row, rows);
    write(gpu, &texture, &floats, texels_a_row, rows);
    Ok(view)
}

fn create(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    width: usize,
    height: usize,
) -> (wgpu::Texture, wgpu::TextureView) {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: extent(width, height),
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let view = texture.create_view(&Default::default());
    (texture, view)
}

fn write(gpu: &Gpu, texture: &wgpu::Texture, floats: &[f32], width: usize, rows: usize) {
    gpu.queue.write_texture(
        texture.as_image_copy(),
        bytemuck::cast_slice(floats),
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some((floats.len() / rows * 4) as u32),
            rows_per_image: None,
        },
        extent(width, rows),
    );
}

/// Sizes here are bounded by the device's limit, which is far below 2³².
fn extent(width: usize, height: usize) -> wgpu::Extent3d {
    wgpu::Extent3d { width: width as u32, height: height as u32, depth_or_array_layers: 1 }
}
