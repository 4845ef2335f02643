//! What is drawn onto: a picture in memory.

use crate::gpu::{Gpu, GpuError};
use crate::picture::{Picture, unpremultiply};
use crate::pipeline::DEPTH_FORMAT;

/// Format of pictures: the device encodes and blends in linear light.
const PICTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// Samples a pixel.
pub(crate) const SAMPLES: u32 = 4;

/// Where a renderer writes: several samples a pixel with their depth, resolved into a view.
pub struct Attachments<'a> {
    pub(crate) samples: &'a wgpu::TextureView,
    pub(crate) depth: &'a wgpu::TextureView,
    pub(crate) resolved: &'a wgpu::TextureView,
    pub(crate) format: wgpu::TextureFormat,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// Anything that a [`crate::Renderer`] draws onto: a [`Headless`] picture or a window's
/// [`crate::WindowFrame`].
pub trait Target {
    /// Where to write.
    fn attachments(&self) -> Attachments<'_>;
}

/// The multisampled colour and depth that every target needs, of one size.
pub(crate) struct Samples {
    pub(crate) colour: wgpu::TextureView,
    pub(crate) depth: wgpu::TextureView,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Samples {
    pub(crate) fn new(
        gpu: &Gpu,
        format: wgpu::TextureFormat,
        width: u32,
        height: u32,
    ) -> Result<Self, GpuError> {
        check_size(gpu, width, height)?;
        let view = |label, format| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: SAMPLES,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&Default::default())
        };
        Ok(Self {
            colour: view("samples", format),
            depth: view("depth", DEPTH_FORMAT),
            width,
            height,
        })
    }
}

fn check_size(gpu: &Gpu, width: u32, height: u32) -> Result<(), GpuError> {
    let limit = u64::from(gpu.max_size());
    let needed = u64::from(width.max(height));
    if needed > limit {
        return Err(GpuError::Limit { what: "a picture (pixels a side)", needed, limit });
    }
    if width == 0 || height == 0 {
        return Err(GpuError::Limit { what: "a picture without pixels", needed: 0, limit });
    }
    Ok(())
}

/// A picture in memory to draw onto and read back. Keep it and draw many frames.
pub struct Headless {
    samples: Samples,
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    readback: Readback,
}

impl Headless {
    /// A target of `width` × `height` pixels.
    ///
    /// # Errors
    /// [`GpuError::Limit`] when a side is 0 or longer than [`Gpu::max_size`].
    pub fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Self, GpuError> {
        let samples = Samples::new(gpu, PICTURE_FORMAT, width, height)?;
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: PICTURE_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        let readback = Readback::new(gpu, width, height, 4);
        Ok(Self { samples, texture, view, readback })
    }

    /// Pixels a row.
    pub fn width(&self) -> u32 {
        self.samples.width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.samples.height
    }

    /// The finished picture as a texture, to show it inside another application.
    pub fn view(&self) -> &wgpu::TextureView {
        &self.view
    }

    /// Waits for what was drawn and copies it out.
    ///
    /// # Errors
    /// As [`Gpu::check`].
    pub fn read(&self, gpu: &Gpu) -> Result<Picture, GpuError> {
        let mut picture = Picture { width: self.width(), height: self.height(), rgba: Vec::new() };
        self.read_into(gpu, &mut picture)?;
        Ok(picture)
    }

    /// As [`Headless::read`], into a picture whose memory is used again.
    ///
    /// # Errors
    /// As [`Gpu::check`].
    pub fn read_into(&self, gpu: &Gpu, picture: &mut Picture) -> Result<(), GpuError> {
        picture.width = self.width();
        picture.height = self.height();
        self.readback.read(gpu, &self.texture, &mut picture.rgba)?;
        unpremultiply(&mut picture.rgba);
        Ok(())
    }
}

impl Target for Headless {
    fn attachments(&self) -> Attachments<'_> {
        Attachments {
            samples: &self.samples.colour,
            depth: &self.samples.depth,
            resolved: &self.view,
            format: PICTURE_FORMAT,
            width: self.samples.width,
            height: self.samples.height,
        }
    }
}

/// A buffer that a texture is copied into and read from.
pub(crate) struct Readback {
    buffer: wgpu::Buffer,
    width: u32,
    height: u32,
    bytes_a_pixel: u32,
}

impl Readback {
    pub(crate) fn new(gpu: &Gpu, width: u32, height: u32, bytes_a_pixel: u32) -> Self {
        let stride = Self::stride(width, bytes_a_pixel);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: u64::from(stride) * u64::from(height),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { buffer, width, height, bytes_a_pixel }
    }

    fn stride(width: u32, bytes_a_pixel: u32) -> u32 {
        (width * bytes_a_pixel).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
    }

    /// Copies the texture's pixels to `out`, rows without padding.
    pub(crate) fn read(
        &self,
        gpu: &Gpu,
        texture: &wgpu::Texture,
        out: &mut Vec<u8>,
    ) -> Result<(), GpuError> {
        let stride = Self::stride(self.width, self.bytes_a_pixel);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &self.buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(stride),
                    rows_per_image: None,
                },
            },
            wgpu::Extent3d { width: self.width, height: self.height, depth_or_array_layers: 1 },
        );
        gpu.queue.submit([encoder.finish()]);
        let slice = self.buffer.slice(..);
        let (send, receive) = std::sync::mpsc::sync_channel(1);
        slice.map_async(wgpu::MapMode::Read, move |result| {
            let _ = send.send(result);
        });
        gpu.wait()?;
        let lost = |reason: String| GpuError::Lost { reason };
        match receive.recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(lost(error.to_string())),
            Err(error) => return Err(lost(error.to_string())),
        }
        {
            let mapped = slice.get_mapped_range().map_err(|error| lost(error.to_string()))?;
            out.clear();
            let row = (self.width * self.bytes_a_pixel) as usize;
            for line in mapped.chunks_exact(stride as usize) {
                out.extend_from_slice(&line[..row]);
            }
        }
        self.buffer.unmap();
        Ok(())
    }
}
