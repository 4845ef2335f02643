//! The graphics device: how it is found, what is asked of it, and how it fails.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use thiserror::Error;

/// Why nothing can be drawn. Every message is complete: print it and leave.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GpuError {
    /// No driver offers an adapter, not even a software one.
    #[error("no graphics adapter was found ({reason}). {}", install_hint())]
    NoAdapter {
        /// What the driver loader said.
        reason: String,
    },
    /// An adapter exists but refuses to open a device.
    #[error("the graphics adapter {adapter} gives no device: {reason}")]
    NoDevice {
        /// The adapter's name.
        adapter: String,
        /// What the driver said.
        reason: String,
    },
    /// The device went away while in use (driver reset, card unplugged, machine slept).
    /// Everything made with it is gone: make a new [`Gpu`] and upload again.
    #[error("the graphics device was lost: {reason}. Open it anew and upload the models again")]
    Lost {
        /// What the driver said.
        reason: String,
    },
    /// Something asked for is larger than the device takes.
    #[error("{what} needs {needed}, this graphics device takes at most {limit}")]
    Limit {
        /// What was asked for.
        what: &'static str,
        /// The amount asked for.
        needed: u64,
        /// The amount that the device takes.
        limit: u64,
    },
    /// The device ran out of memory.
    #[error("the graphics device is out of memory: {reason}")]
    OutOfMemory {
        /// What the driver said.
        reason: String,
    },
    /// The device refused a command. This is a fault of enliven-render, not of the caller.
    #[error("the graphics device refused a command: {reason}")]
    Refused {
        /// What the device said.
        reason: String,
    },
    /// A body of a scene does not fit its model.
    #[error("the {what} of body {index} is not of its model")]
    Body {
        /// Index into the scene's bodies.
        index: usize,
        /// What does not fit.
        what: &'static str,
    },
    /// The window cannot be drawn to.
    #[error("the window cannot be drawn to: {reason}")]
    Window {
        /// What the window system said.
        reason: String,
    },
}

/// What a person can do when there is no adapter, by platform.
fn install_hint() -> &'static str {
    if cfg!(target_os = "linux") {
        "Install a Vulkan driver; one that needs no graphics card is \
         `apt-get install mesa-vulkan-drivers` on Debian and Ubuntu, \
         `dnf install mesa-vulkan-drivers` on Fedora, `pacman -S vulkan-swrast` on Arch"
    } else if cfg!(target_os = "windows") {
        "Update the graphics driver; Windows 10 and later bring a software one (WARP)"
    } else if cfg!(target_os = "macos") {
        "Metal is part of macOS 10.13 and later; a virtual machine may need its graphics switched on"
    } else {
        "Install a Vulkan driver for this system"
    }
}

/// What kind of device draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuInfo {
    /// The adapter's name, as the driver gives it.
    pub name: String,
    /// Vulkan, Metal, Dx12, Gl or BrowserWebGpu.
    pub backend: String,
    /// True when the processor draws (lavapipe, WARP, SwiftShader): right, but slow.
    pub software: bool,
}

/// Faults that the driver reports between calls.
#[derive(Default)]
struct Faults {
    lost: OnceLock<String>,
    first: Mutex<Option<GpuError>>,
}

/// An open graphics device. Cheap to share by reference; not to be dropped while in use.
///
/// Honours `WGPU_BACKEND` and `WGPU_ADAPTER_NAME`.
pub struct Gpu {
    pub(crate) instance: wgpu::Instance,
    pub(crate) adapter: wgpu::Adapter,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    faults: Arc<Faults>,
}

impl Gpu {
    /// Opens the best adapter there is, without a window: a graphics card when there is one,
    /// else a software driver.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], [`GpuError::NoDevice`].
    pub fn headless() -> Result<Self, GpuError> {
        let mut failed = None;
        for backends in backends() {
            let instance = new_instance(backends);
            match pollster::block_on(find_adapter(&instance, None)) {
                Ok(adapter) => return pollster::block_on(Self::open(instance, adapter)),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or_else(no_backend))
    }

    /// Opens a device that can draw to a window, and the window's surface. `window` is asked for
    /// the window's handle once for each family of drivers that is tried.
    ///
    /// # Errors
    /// [`GpuError::Window`] when the window system refuses, else as [`Gpu::headless`].
    pub fn for_window<T: Into<wgpu::SurfaceTarget<'static>>>(
        window: impl Fn() -> T,
    ) -> Result<(Self, wgpu::Surface<'static>), GpuError> {
        let mut failed = None;
        for backends in backends() {
            let instance = new_instance(backends);
            let surface = match instance.create_surface(window()) {
                Ok(surface) => surface,
                Err(error) => {
                    let error = GpuError::Window { reason: error.to_string() };
                    failed = failed.or(Some(error));
                    continue;
                }
            };
            match pollster::block_on(find_adapter(&instance, Some(&surface))) {
                Ok(adapter) => {
                    let gpu = pollster::block_on(Self::open(instance, adapter))?;
                    return Ok((gpu, surface));
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or_else(no_backend))
    }

    /// The surface of one more window, to be drawn to with this device.
    ///
    /// # Errors
    /// [`GpuError::Window`] when the window system refuses.
    pub fn surface(
        &self,
        window: impl Into<wgpu::SurfaceTarget<'static>>,
    ) -> Result<wgpu::Surface<'static>, GpuError> {
        let surface = self.instance.create_surface(window);
        surface.map_err(|error| GpuError::Window { reason: error.to_string() })
    }

    /// Takes over a device that someone else opened (an application framework, say).
    pub fn from_parts(
        instance: wgpu::Instance,
        adapter: wgpu::Adapter,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Self {
        let faults = Arc::new(Faults::default());
        let seen = Arc::clone(&faults);
        device.set_device_lost_callback(move |_, message| {
            let _ = seen.lost.set(message);
        });
        let seen = Arc::clone(&faults);
        device.on_uncaptured_error(Arc::new(move |error| {
            let fault = match error {
                wgpu::Error::OutOfMemory { source } => {
                    GpuError::OutOfMemory { reason: source.to_string() }
                }
                other => GpuError::Refused { reason: chain(&other) },
            };
            let mut first = seen.first.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(fault);
        }));
        Self { instance, adapter, device, queue, faults }
    }

    async fn open(instance: wgpu::Instance, adapter: wgpu::Adapter) -> Result<Self, GpuError> {
        let limits = wgpu::Limits::downlevel_webgl2_defaults().using_resolution(adapter.limits());
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("enliven"),
            // Nothing beyond WebGL2 is asked for, so that nothing beyond it can creep in.
            required_features: wgpu::Features::empty(),
            required_limits: limits,
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(|error| {
            GpuError::NoDevice { adapter: adapter.get_info().name, reason: error.to_string() }
        })?;
        Ok(Self::from_parts(instance, adapter, device, queue))
    }

    /// What kind of device this is.
    pub fn info(&self) -> GpuInfo {
        let info = self.adapter.get_info();
        GpuInfo {
            name: info.name,
            backend: format!("{:?}", info.backend),
            software: info.device_type == wgpu::DeviceType::Cpu,
        }
    }

    /// The largest width and height of a picture, in pixels.
    pub fn max_size(&self) -> u32 {
        self.device.limits().max_texture_dimension_2d
    }

    /// The first fault since the last call, if the driver reported one.
    ///
    /// # Errors
    /// [`GpuError::Lost`] (for good), [`GpuError::OutOfMemory`], [`GpuError::Refused`].
    pub fn check(&self) -> Result<(), GpuError> {
        if let Some(reason) = self.faults.lost.get() {
            return Err(GpuError::Lost { reason: reason.clone() });
        }
        let mut first = self.faults.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.take().map_or(Ok(()), Err)
    }

    /// Waits until everything submitted has run.
    ///
    /// # Errors
    /// As [`Gpu::check`].
    pub fn wait(&self) -> Result<(), GpuError> {
        if let Err(error) = self.device.poll(wgpu::PollType::wait_indefinitely()) {
            self.check()?;
            return Err(GpuError::Lost { reason: error.to_string() });
        }
        self.check()
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("info", &self.info()).finish_non_exhaustive()
    }
}

/// Families of drivers in the order in which they are tried: OpenGL only where nothing better is,
/// since opening it prints to the terminal on machines without a display.
fn backends() -> Vec<wgpu::Backends> {
    match wgpu::Backends::from_env() {
        Some(chosen) => vec![chosen],
        None => vec![wgpu::Backends::PRIMARY, wgpu::Backends::GL],
    }
}

fn no_backend() -> GpuError {
    GpuError::NoAdapter { reason: "no family of drivers is built in".into() }
}

fn new_instance(backends: wgpu::Backends) -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    // The driver's own validation layer is for people who debug wgpu; wgpu itself checks always.
    descriptor.flags = wgpu::InstanceFlags::empty().with_env();
    descriptor.backends = backends;
    wgpu::Instance::new(descriptor)
}

async fn find_adapter(
    instance: &wgpu::Instance,
    surface: Option<&wgpu::Surface<'_>>,
) -> Result<wgpu::Adapter, GpuError> {
    // By hand: wgpu's own helper panics when no adapter has the name.
    if let Ok(wanted) = std::env::var("WGPU_ADAPTER_NAME") {
        let fits = |adapter: &wgpu::Adapter| {
            adapter.get_info().name.to_lowercase().contains(&wanted.to_lowercase())
                && surface.is_none_or(|surface| adapter.is_surface_supported(surface))
        };
        let adapters = instance.enumerate_adapters(wgpu::Backends::all()).await;
        return adapters.into_iter().find(fits).ok_or_else(|| GpuError::NoAdapter {
            reason: format!("none has `{wanted}` in its name, as WGPU_ADAPTER_NAME asks for"),
        });
    }
    let mut reason = String::new();
    for force_fallback_adapter in [false, true] {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            force_fallback_adapter,
            compatible_surface: surface,
            ..Default::default()
        };
        match instance.request_adapter(&options).await {
            Ok(adapter) => return Ok(adapter),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(GpuError::NoAdapter { reason })
}

/// An error and its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_to_do() {
        let text = GpuError::NoAdapter { reason: "none".into() }.to_string();
        assert!(text.contains("none") && text.len() > 60, "{text}");
        #[cfg(target_os = "linux")]
        assert!(text.contains("apt-get install mesa-vulkan-drivers"), "{text}");
        let text = GpuError::Limit { what: "a picture", needed: 9, limit: 8 }.to_string();
        assert!(text.contains("a picture needs 9"), "{text}");
    }
}
