//! Draws [`enliven`] characters with wgpu.
//!
//! One vertex function, `wgsl/vertex.wgsl`, poses every vertex of every pass: body, outline,
//! shadow, picking, and the capture that tests read back. Joint matrices and morph differences lie
//! in float textures, so that the same path runs on Vulkan, Metal, DirectX 12, WebGPU and WebGL2.
//! All bodies of one character are one draw a mesh and pass.
//!
//! ```no_run
//! use enliven_render::{Body, Bounds, Camera, Framing, Gpu, Headless, Renderer, Scene, Stage};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # fn some_character() -> std::sync::Arc<enliven::Character> { unimplemented!() }
//! let gpu = Gpu::headless()?;
//! let mut renderer = Renderer::new(&gpu);
//! let actor = enliven::Actor::new(some_character());
//! let model = renderer.upload(&gpu, actor.character())?;
//!
//! let points = enliven_render::points_of(actor.character(), actor.pose());
//! let bounds = Bounds::of(points.iter().copied()).ok_or("nothing to see")?;
//! let scene = Scene {
//!     camera: Camera::framed(Framing::ThreeQuarter, &points, 1.0),
//!     stage: Stage::under(&bounds),
//!     bodies: &[Body::of(&model, &actor)],
//!     lines: &[],
//! };
//! let target = Headless::new(&gpu, 512, 512)?;
//! renderer.draw(&gpu, &scene, &target)?;
//! let picture = target.read(&gpu)?;
//! assert_eq!(picture.rgba.len(), 512 * 512 * 4);
//! # Ok(()) }
//! ```
//!
//! Colours in a scene are linear RGB; pictures are sRGB. The same scene gives the same bytes on
//! the same device.

mod bounds;
mod camera;
mod cull;
mod data;
mod draws;
mod features;
mod frame;
mod furs;
mod gpu;
mod growing_buffer;
mod material;
mod model;
mod motion;
mod picture;
mod pipeline;
mod probe;
mod renderer;
mod scene;
mod shader;
mod shadow;
mod shadow_map;
mod srgb;
mod subject;
mod target;
mod texture;
mod three;
mod time_of_day;
mod window;

pub use bounds::Bounds;
pub use camera::{Camera, Framing};
pub use gpu::{Gpu, GpuError, GpuInfo};
pub use model::Model;
pub use picture::Picture;
pub use probe::{Captured, CapturedAs, Hit};
pub use renderer::{FrameCost, Renderer};
pub use scene::{Background, Body, Ground, Line, Mist, Outline, Scene, Sky, Stage, Sun, Wake};
pub use subject::{head_points_of, points_of, skeleton_lines};
pub use target::{Attachments, Headless, Target};
pub use three::{ThreeOptions, ThreeShader, ThreeUniform, three_shader};
pub use time_of_day::{Light, TimeOfDay};
pub use window::{Window, WindowFrame};

pub use wgpu;
