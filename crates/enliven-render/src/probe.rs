//! Reading back what the passes know: ids under a pixel, and vertices as they were posed.

use enliven::glam::{Mat4, Vec3, Vec4};
use enliven::{Breeze, JointId};

use crate::gpu::{Gpu, GpuError};
use crate::pipeline::{CAPTURE_FORMAT, DEPTH_FORMAT, ID_FORMAT, Pass};
use crate::renderer::Renderer;
use crate::scene::{Body, Scene, Stage};
use crate::target::Readback;
use crate::{Bounds, Camera};

/// What a pixel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index into the scene's bodies.
    pub body: usize,
    /// Index into the character's meshes.
    pub mesh: usize,
    /// The joint that the place follows most: tells an eye from the face where both are one mesh.
    pub joint: JointId,
}

/// Which pass's vertex stage is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturedAs {
    /// The picture's.
    Body,
    /// The outline's.
    Outline,
    /// The shadow map's.
    Shadow,
    /// Picking's.
    Id,
    /// That of a shell of the fur, counted from 1, the inmost.
    Fur(u8),
    /// That of a shell of the fur in the shadow map.
    FurShadow(u8),
}

/// A vertex as the device posed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Captured {
    /// World position, metres.
    pub position: Vec3,
    /// World normal, unit length.
    pub normal: Vec3,
    /// −1 where the matrices mirror, else 1.
    pub facing: f32,
}

/// Vertices a row of the capture's targets.
const CAPTURED_A_ROW: u32 = 1024;

impl Renderer {
    /// What the scene shows at a point of the picture: `x` to the right and `y` down, 0..=1.
    ///
    /// # Errors
    /// As [`Renderer::draw`].
    pub fn pick(
        &mut self,
        gpu: &Gpu,
        scene: &Scene<'_>,
        aspect: f32,
        x: f32,
        y: f32,
    ) -> Result<Option<Hit>, GpuError> {
        // The picture is drawn so large that one pixel of a window 2,048 high fills the target.
        let zoom = 2048.0;
        let (at_x, at_y) = (x * 2.0 - 1.0, 1.0 - y * 2.0);
        let zoomed = Mat4::from_cols(
            Vec4::new(zoom / aspect, 0.0, 0.0, 0.0),
            Vec4::new(0.0, zoom, 0.0, 0.0),
            Vec4::Z,
            Vec4::new(-at_x * zoom / aspect, -at_y * zoom, 0.0, 1.0),
        );
        let clip = zoomed * scene.camera.clip_from_world(aspect);
        let ids = self.ids(gpu, scene, clip, 1, 1)?;
        Ok(ids.first().copied().flatten())
    }

    /// What each pixel of the picture shows, rows from the top.
    ///
    /// # Errors
    /// As [`Renderer::draw`].
    pub fn id_picture(
        &mut self,
        gpu: &Gpu,
        scene: &Scene<'_>,
        width: u32,
        height: u32,
    ) -> Result<Vec<Option<Hit>>, GpuError> {
        let clip = scene.camera.clip_from_world(width as f32 / height as f32);
        self.ids(gpu, scene, clip, width, height)
    }

    fn ids(
        &mut self,
        gpu: &Gpu,
        scene: &Scene<'_>,
        clip_from_world: Mat4,
        width: u32,
        height: u32,
    ) -> Result<Vec<Option<Hit>>, GpuError> {
        self.stage(gpu, scene, height as f32, false)?;
        let size = [width as f32, height as f32];
        self.set_plain_view(gpu, clip_from_world, size, &scene.stage.air);
        let ids = texture(gpu, ID_FORMAT, width, height);
        let view = ids.create_view(&Default::default());
        let depth = texture(gpu, DEPTH_FORMAT, width, height).create_view(&Default::default());
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("id"),
                color_attachments: &[Some(clear_to(&view))],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &depth,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(0.0),
                        store: wgpu::StoreOp::Discard,
                    }),
                    stencil_ops: None,
                }),
                ..Default::default()
            });
            self.id_pass(&mut pass, scene.bodies);
        }
        gpu.queue.submit([encoder.finish()]);
        let mut bytes = Vec::new();
        Readback::new(gpu, width, height, 16).read(gpu, &ids, &mut bytes)?;
        let hit = |pixel: &[u8; 16]| {
            let [body, mesh, joint, _]: [u32; 4] = bytemuck::cast(*pixel);
            let index = |id: u32| id.checked_sub(1).map(|index| index as usize);
            let (body, mesh) = (index(body)?, index(mesh)?);
            let joints = &scene.bodies.get(body)?.model.inner.meshes.get(mesh)?.joints;
            Some(Hit { body, mesh, joint: *joints.get(index(joint)?)? })
        };
        Ok(bytes.as_chunks::<16>().0.iter().map(hit).collect())
    }

    /// The vertices of a mesh of a body as the vertex function on the device poses them, in the
    /// geometry's order.
    ///
    /// # Errors
    /// As [`Renderer::draw`]; [`GpuError::Body`] when the model has no such mesh.
    pub fn capture(
        &mut self,
        gpu: &Gpu,
        body: &Body<'_>,
        mesh: usize,
        of: CapturedAs,
    ) -> Result<Vec<Captured>, GpuError> {
        self.capture_in_air(gpu, body, mesh, of, Breeze::CALM)
    }

    /// As [`Renderer::capture`], in this air.
    ///
    /// # Errors
    /// As [`Renderer::capture`].
    pub fn capture_in_air(
        &mut self,
        gpu: &Gpu,
        body: &Body<'_>,
        mesh: usize,
        of: CapturedAs,
        air: Breeze,
    ) -> Result<Vec<Captured>, GpuError> {
        let Some(gpu_mesh) = body.model.inner.meshes.get(mesh) else {
            return Err(GpuError::Body { index: 0, what: "mesh index" });
        };
        let count = gpu_mesh.vertex_count;
        if count == 0 {
            return Ok(Vec::new());
        }
        let rows = count.div_ceil(CAPTURED_A_ROW);
        if rows > gpu.max_size() {
            return Err(GpuError::Limit {
                what: "a capture of vertices (texture rows)",
                needed: u64::from(rows),
                limit: u64::from(gpu.max_size()),
            });
        }
        let camera = Camera::default();
        let nothing = Bounds { low: Vec3::ZERO, high: Vec3::ONE };
        let scene = Scene {
            camera,
            stage: Stage::under(&nothing),
            bodies: std::slice::from_ref(body),
            lines: &[],
        };
        // As for a picture of endless size: every shell.
        self.stage(gpu, &scene, f32::INFINITY, false)?;
        let size = [CAPTURED_A_ROW as f32, rows as f32];
        self.set_plain_view(gpu, camera.clip_from_world(1.0), size, &air);
        let textures = [0, 1].map(|_| texture(gpu, CAPTURE_FORMAT, CAPTURED_A_ROW, rows));
        let views = [0, 1].map(|i: usize| textures[i].create_view(&Default::default()));
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("capture"),
                color_attachments: &[Some(clear_to(&views[0])), Some(clear_to(&views[1]))],
                ..Default::default()
            });
            let (of, shell) = match of {
                CapturedAs::Body => (Pass::Body, None),
                CapturedAs::Outline => (Pass::Outline, None),
                CapturedAs::Shadow => (Pass::Shadow, None),
                CapturedAs::Id => (Pass::Id, None),
                CapturedAs::Fur(shell) => (Pass::Body, Some(shell.into())),
                CapturedAs::FurShadow(shell) => (Pass::MaskedShadow, Some(shell.into())),
            };
            self.capture_pass(&mut pass, body.model, mesh, of, shell);
        }
        gpu.queue.submit([encoder.finish()]);
        let readback = Readback::new(gpu, CAPTURED_A_ROW, rows, 16);
        let mut bytes = [Vec::new(), Vec::new()];
        for (texture, bytes) in textures.iter().zip(&mut bytes) {
            readback.read(gpu, texture, bytes)?;
        }
        let texel = |list: &[u8], v: usize| {
            let bytes = list.as_chunks::<16>().0.get(v).copied().unwrap_or_default();
            bytemuck::cast::<[u8; 16], [f32; 4]>(bytes)
        };
        let captured = (0..count as usize).map(|v| {
            let ([x, y, z, written], [nx, ny, nz, facing]) =
                (texel(&bytes[0], v), texel(&bytes[1], v));
            // A texel that was not written must not pass for a vertex at the origin.
            let position = if written == 1.0 { Vec3::new(x, y, z) } else { Vec3::splat(f32::NAN) };
            Captured { position, normal: Vec3::new(nx, ny, nz), facing }
        });
        Ok(captured.collect())
    }
}

fn texture(gpu: &Gpu, format: wgpu::TextureFormat, width: u32, height: u32) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("probe"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

fn clear_to(view: &wgpu::TextureView) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations {
            load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
            store: wgpu::StoreOp::Store,
        },
    }
}
