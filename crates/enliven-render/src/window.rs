//! What is drawn onto: a window.

use crate::gpu::{Gpu, GpuError};
use crate::target::{Attachments, Samples, Target};

/// A window's surface, kept in step with the window's size.
///
/// ```no_run
/// # fn main() -> Result<(), enliven_render::GpuError> {
/// # fn window() -> wgpu::SurfaceTarget<'static> { unimplemented!() }
/// # use enliven_render::{Gpu, Window};
/// let (gpu, surface) = Gpu::for_window(window)?;
/// let mut window = Window::new(&gpu, surface, 1280, 720)?;
/// // On a redraw:
/// if let Some(frame) = window.acquire(&gpu)? {
///     // renderer.draw(&gpu, &scene, &frame)?;
///     frame.present(&gpu);
/// }
/// # Ok(()) }
/// ```
pub struct Window {
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    view_format: wgpu::TextureFormat,
    samples: Option<Samples>,
}

/// One frame of a window; present it, or drop it to show nothing new.
pub struct WindowFrame<'a> {
    texture: wgpu::SurfaceTexture,
    view: wgpu::TextureView,
    samples: &'a Samples,
    format: wgpu::TextureFormat,
}

impl Window {
    /// Takes over a window's surface of `width` × `height` physical pixels.
    ///
    /// # Errors
    /// [`GpuError::Window`] when the device cannot draw to it.
    pub fn new(
        gpu: &Gpu,
        surface: wgpu::Surface<'static>,
        width: u32,
        height: u32,
    ) -> Result<Self, GpuError> {
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let refused = |reason: &str| GpuError::Window { reason: reason.into() };
        // An 8-bit format, whose sRGB twin is drawn to.
        let format = capabilities
            .formats
            .iter()
            .copied()
            .find(|format| format.is_srgb())
            .or_else(|| {
                let twin = |f: &wgpu::TextureFormat| f.add_srgb_suffix().is_srgb();
                capabilities.formats.iter().copied().find(twin)
            })
            .ok_or_else(|| refused("it offers no 8-bit colour format"))?;
        let view_format = format.add_srgb_suffix();
        let mut configuration = surface
            .get_default_config(&gpu.adapter, width.max(1), height.max(1))
            .ok_or_else(|| refused("the graphics adapter does not support it"))?;
        configuration.format = format;
        configuration.view_formats = if view_format == format { vec![] } else { vec![view_format] };
        configuration.present_mode = wgpu::PresentMode::AutoVsync;
        let mut window = Self { surface, configuration, view_format, samples: None };
        window.configure(gpu);
        gpu.check()?;
        Ok(window)
    }

    /// Tells the new size in physical pixels, as the window system reports it. A size of 0
    /// (minimised) keeps the old surface; nothing is drawn until there is a size again.
    pub fn resize(&mut self, gpu: &Gpu, width: u32, height: u32) {
        if (width, height) == (self.configuration.width, self.configuration.height)
            || width == 0
            || height == 0
        {
            return;
        }
        self.configuration.width = width.min(gpu.max_size());
        self.configuration.height = height.min(gpu.max_size());
        self.configure(gpu);
    }

    /// Pixels a row.
    pub fn width(&self) -> u32 {
        self.configuration.width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.configuration.height
    }

    fn configure(&mut self, gpu: &Gpu) {
        self.surface.configure(&gpu.device, &self.configuration);
    }

    /// The next frame to draw onto. `None` when there is nothing to draw onto just now (hidden,
    /// minimised, between sizes): skip this frame and ask again at the next redraw.
    ///
    /// # Errors
    /// As [`Gpu::check`]; [`GpuError::Window`] when the surface is gone for good.
    pub fn acquire(&mut self, gpu: &Gpu) -> Result<Option<WindowFrame<'_>>, GpuError> {
        let mut tries = 0;
        let texture = loop {
            match self.surface.get_current_texture() {
                wgpu::CurrentSurfaceTexture::Success(texture)
                | wgpu::CurrentSurfaceTexture::Suboptimal(texture) => break texture,
                wgpu::CurrentSurfaceTexture::Timeout | wgpu::CurrentSurfaceTexture::Occluded => {
                    return Ok(None);
                }
                wgpu::CurrentSurfaceTexture::Outdated | wgpu::CurrentSurfaceTexture::Lost => {
                    gpu.check()?;
                    if tries == 2 {
                        return Ok(None);
                    }
                    tries += 1;
                    self.configure(gpu);
                }
                wgpu::CurrentSurfaceTexture::Validation => {
                    gpu.check()?;
                    return Err(GpuError::Window { reason: "it refuses to be drawn to".into() });
                }
            }
        };
        let (width, height) = (texture.texture.width(), texture.texture.height());
        let fits = |samples: &Samples| (samples.width, samples.height) == (width, height);
        let samples = match self.samples.take().filter(fits) {
            Some(samples) => samples,
            None => Samples::new(gpu, self.view_format, width, height)?,
        };
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(self.view_format),
            ..Default::default()
        });
        Ok(Some(WindowFrame {
            texture,
            view,
            samples: self.samples.insert(samples),
            format: self.view_format,
        }))
    }
}

impl WindowFrame<'_> {
    /// Shows what was drawn.
    pub fn present(self, gpu: &Gpu) {
        gpu.queue.present(self.texture);
    }
}

impl Target for WindowFrame<'_> {
    fn attachments(&self) -> Attachments<'_> {
        Attachments {
            samples: &self.samples.colour,
            depth: &self.samples.depth,
            resolved: &self.view,
            format: self.format,
            width: self.samples.width,
            height: self.samples.height,
        }
    }
}
