//! Draws scenes.

use std::ops::Range;

use enliven::glam::{Mat4, Vec3};
use enliven::{Breeze, Character};

use crate::cull::{Sight, Sights};
use crate::data::{self, DataTexture};
use crate::draws::{
    Draw, Group, Instance, faces_of, features_of, inside_of, mirrored, outlines, parts,
};
use crate::features::Features;
use crate::frame::{FrameUniform, display_linear, frame_group, frame_uniform};
use crate::furs::{self, Furs};
use crate::gpu::{Gpu, GpuError};
use crate::growing_buffer::GrowingBuffer;
use crate::material::buffer;
use crate::model::{GpuMesh, Model, stage_weights};
use crate::pipeline::{self, Faces, Key, Pass, Pipelines, Scenery};
use crate::scene::{Background, Body, Line, Scene, are_alike, check, is_on, shown};
use crate::shadow_map::ShadowMap;
use crate::target::{Attachments, SAMPLES, Target};

/// What was last drawn by a pass other than the body's.
pub(crate) struct Staged {
    groups: Vec<Group>,
    draws: Vec<Draw>,
    furs: Vec<Furs>,
}

/// Draws scenes onto targets. Keeps every buffer, texture and pipeline from frame to frame; after
/// the first frames of a scene it makes no new ones.
pub struct Renderer {
    pub(crate) pipelines: Pipelines,
    palettes: DataTexture,
    weights: DataTexture,
    /// The frame of passes that shade.
    lit: View,
    /// The frame of passes that do not: it has no shadow map, which they may be writing.
    plain: View,
    shadow: ShadowMap,
    instances: GrowingBuffer,
    staged_instances: Vec<Instance>,
    line_buffer: GrowingBuffer,
    staged_lines: Vec<[f32; 12]>,
    order: Vec<usize>,
    sights: Sights,
    /// Instances of a group by their distance, for its fur.
    apart: Vec<(f32, u32)>,
    staged: Staged,
    models: u64,
    cost: FrameCost,
}

/// What the last frame took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCost {
    /// Bodies in the picture; those wholly beside it or behind the eye are not drawn.
    pub bodies: u32,
    /// Bodies in the shadow map: those, and others whose shadow may fall into the picture.
    pub shadow_bodies: u32,
    /// Draw calls of the shadow map: one a mesh of a model, however many bodies it has.
    pub shadow_draws: u32,
    /// Draw calls of the picture, scenery aside: one a mesh of a model; two for blended meshes with
    /// two sides, and one more for outlines.
    pub body_draws: u32,
}

/// A frame uniform with the bind group that holds it.
struct View {
    buffer: wgpu::Buffer,
    group: wgpu::BindGroup,
}

/// Texels a side of the shadow map, for pictures up to and beyond this many rows.
const SHADOW_SMALL: u32 = 1024;
const SHADOW_LARGE: u32 = 2048;
const SHADOW_LARGE_FROM: u32 = 700;

impl Renderer {
    /// A renderer on a device.
    pub fn new(gpu: &Gpu) -> Self {
        let pipelines = Pipelines::new(&gpu.device);
        let palettes = DataTexture::new(
            gpu,
            "the palettes of all bodies (texture rows)",
            wgpu::TextureFormat::Rgba32Float,
            4,
            data::ENTRIES_A_ROW * 3,
        );
        let weights = DataTexture::new(
            gpu,
            "the morph weights of all bodies (texture rows)",
            wgpu::TextureFormat::Rg32Float,
            2,
            data::WEIGHTS_A_ROW,
        );
        let shadow = ShadowMap::new(gpu, SHADOW_SMALL);
        let view = |shadow| {
            let uniform = FrameUniform::default();
            let bytes = bytemuck::bytes_of(&uniform);
            let buffer = buffer(gpu, "frame", bytes, wgpu::BufferUsages::UNIFORM);
            let group = frame_group(gpu, &pipelines, &buffer, &palettes, &weights, shadow);
            View { buffer, group }
        };
        Self {
            lit: view(Some(&shadow)),
            plain: view(None),
            shadow,
            instances: GrowingBuffer::new(gpu, "instances"),
            line_buffer: GrowingBuffer::new(gpu, "lines"),
            pipelines,
            palettes,
            weights,
            staged_instances: Vec::new(),
            staged_lines: Vec::new(),
            order: Vec::new(),
            staged: Staged { groups: Vec::new(), draws: Vec::new(), furs: Vec::new() },
            sights: Sights::default(),
            apart: Vec::new(),
            models: 0,
            cost: FrameCost::default(),
        }
    }

    /// What the last frame took.
    pub fn last_frame(&self) -> FrameCost {
        self.cost
    }

    /// Uploads a character: vertices, morph differences, images with their smaller copies,
    /// materials.
    ///
    /// # Errors
    /// [`GpuError::Limit`] when a mesh or its morph targets are larger than the device takes;
    /// [`GpuError::OutOfMemory`].
    pub fn upload(&mut self, gpu: &Gpu, character: &Character) -> Result<Model, GpuError> {
        self.models += 1;
        let model = Model::upload(gpu, &self.pipelines, self.models, character)?;
        gpu.check()?;
        Ok(model)
    }

    /// Draws a scene. Returns when the commands are handed over; reading or presenting waits.
    ///
    /// # Errors
    /// [`GpuError::Body`] when a body's palette or channels are not of its model;
    /// [`GpuError::Limit`] when there are more bodies than the device takes; as [`Gpu::check`].
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        scene: &Scene<'_>,
        target: &dyn Target,
    ) -> Result<(), GpuError> {
        let target = target.attachments();
        let texels = if target.height > SHADOW_LARGE_FROM { SHADOW_LARGE } else { SHADOW_SMALL };
        if texels > self.shadow.texels {
            self.shadow = ShadowMap::new(gpu, texels);
            self.renew_groups(gpu);
        }
        check(scene.bodies)?;
        let aspect = target.width as f32 / target.height as f32;
        let shadow = self.sights.look(scene, aspect, self.shadow.texels);
        self.stage(gpu, scene, target.height as f32, true)?;
        let frame = frame_uniform(scene, &target, shadow.as_ref(), self.shadow.texels);
        gpu.queue.write_buffer(&self.lit.buffer, 0, bytemuck::bytes_of(&frame));

        self.stage_lines(scene.lines);
        self.line_buffer.upload(gpu, bytemuck::cast_slice(&self.staged_lines));

        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("frame") });
        self.cost = FrameCost { bodies: self.sights.count(Sight::Seen), ..FrameCost::default() };
        if shadow.is_some() {
            self.cost.shadow_bodies = self.sights.count(Sight::Shadow);
        }
        if let Some(shadow) = &shadow {
            let frame = FrameUniform {
                clip_from_world: shadow.clip_from_world.to_cols_array_2d(),
                ..frame
            };
            gpu.queue.write_buffer(&self.plain.buffer, 0, bytemuck::bytes_of(&frame));
            self.shadow_pass(&mut encoder, scene.bodies);
        }
        self.body_pass(&mut encoder, scene, &target);
        gpu.queue.submit([encoder.finish()]);
        gpu.check()
    }

    /// Brings order into the bodies and uploads all that the vertex stage reads of them, for a
    /// picture of so many rows: of all of them, or only of those that [`Sights::look`] saw.
    pub(crate) fn stage(
        &mut self,
        gpu: &Gpu,
        scene: &Scene<'_>,
        rows: f32,
        seen: bool,
    ) -> Result<(), GpuError> {
        let bodies = scene.bodies;
        check(bodies)?;
        if !seen {
            self.sights.see_all(bodies.len());
        }
        let sights = &self.sights.list;
        let (_, _, toward) = scene.camera.basis();
        let depth = |point: Vec3| (scene.camera.eye - point).dot(toward);
        let pixels = rows * 0.5 / enliven::math::tan(scene.camera.fov_y * 0.5);
        self.order.clear();
        self.order.extend((0..bodies.len()).filter(|i| sights[*i] != Sight::Nothing));
        // Bodies of one model that show the same meshes stand together, those in the picture first;
        // of a blended model from back to front. The index keeps the order a total one.
        self.order.sort_unstable_by(|a, b| {
            let (first, second) = (&bodies[*a], &bodies[*b]);
            let model = first.model.inner.id.cmp(&second.model.inner.id);
            let far = |body: &Body<'_>| depth(body.root.translation());
            model
                .then_with(|| shown(first).cmp(shown(second)))
                .then(sights[*a].cmp(&sights[*b]))
                .then_with(|| {
                    if first.model.inner.blended {
                        far(second).total_cmp(&far(first))
                    } else {
                        std::cmp::Ordering::Equal
                    }
                })
                .then(a.cmp(b))
        });

        self.palettes.staged.clear();
        self.weights.staged.clear();
        self.staged_instances.clear();
        let staged = &mut self.staged;
        staged.groups.clear();
        staged.draws.clear();
        staged.furs.clear();
        for &index in &self.order {
            let body = &bodies[index];
            let model = &*body.model.inner;
            let palette_base = self.palettes.staged.len() / 12;
            for entry in body.palette {
                self.palettes.staged.extend_from_slice(entry.rows.as_flattened());
            }
            let weight_base = self.weights.staged.len() / 2;
            stage_weights(model, body.channels, &mut self.weights.staged);
            let outline = body.outline.unwrap_or(NO_OUTLINE);
            let instance = self.staged_instances.len() as u32;
            self.staged_instances.push(Instance {
                root: body.root.rows,
                bases: [palette_base as u32, weight_base as u32, index as u32, 0],
                outline: outline.colour.extend(outline.width).to_array(),
            });
            let outlined = body.outline.is_some();
            let visible = u32::from(sights[index] == Sight::Seen);
            match staged.groups.last_mut() {
                Some(group) if are_alike(&bodies[group.body], body) => {
                    group.instances.end += visible;
                    group.casters.end += 1;
                    group.outlined |= outlined;
                }
                _ => staged.groups.push(Group {
                    body: index,
                    instances: instance..instance + visible,
                    casters: instance..instance + 1,
                    outlined,
                }),
            }
        }
        for (group_index, group) in staged.groups.iter().enumerate() {
            let span = group.casters.start as usize..group.casters.end as usize;
            let members = &self.order[span];
            let model = &*bodies[group.body].model.inner;
            for (mesh_index, mesh) in model.meshes.iter().enumerate() {
                let channels = bodies[group.body].channels;
                let hidden = mesh.switches.iter().any(|c| !is_on(channels[*c]));
                if !mesh.shown || hidden || mesh.index_count == 0 {
                    continue;
                }
                let material = &model.materials.list[mesh.material];
                let mirrored = mirrored(mesh, members, bodies);
                let body = &bodies[group.body];
                let centre = match mesh.rigid_bounds {
                    Some(bounds) => bounds.transformed(&body.palette[mesh.entries.start]).centre(),
                    // Meshes of one skin keep their order in the file.
                    None => Vec3::ZERO,
                };
                let far = depth(body.root.transform_point(centre));
                let fur = material.coat.map(|coat| {
                    let like = |f: &Furs| f.group == group_index && f.material == mesh.material;
                    staged.furs.iter().position(like).unwrap_or_else(|| {
                        let (instances, apart) = (&mut self.staged_instances, &mut self.apart);
                        let of = &group.instances;
                        let [instances, thinned] =
                            furs::grow(instances, apart, of, coat, pixels, depth);
                        let (group, material) = (group_index, mesh.material);
                        staged.furs.push(Furs { group, material, instances, thinned });
                        staged.furs.len() - 1
                    })
                });
                staged.draws.push(Draw {
                    group: group_index,
                    mesh: mesh_index,
                    features: features_of(mesh, material.features, mirrored),
                    mirrored,
                    blended: material.blend,
                    depth_write: material.depth_write,
                    queue: material.queue,
                    ink: material
                        .ink
                        .filter(|_| mesh.topology == wgpu::PrimitiveTopology::TriangleList),
                    far,
                    fur,
                });
            }
        }
        // Solid ones first, from front to back, so that what they hide is not shaded; then blended
        // ones in their queues, each from back to front. The indices make the order a total one.
        staged.draws.sort_unstable_by(|a, b| {
            let near = a.far.total_cmp(&b.far);
            let by_depth = if a.blended { near.reverse() } else { near };
            let same_depth = (a.group, a.mesh).cmp(&(b.group, b.mesh));
            (a.blended, a.queue).cmp(&(b.blended, b.queue)).then(by_depth).then(same_depth)
        });
        for group in &staged.groups {
            let model = &*bodies[group.body].model.inner;
            for motion in
                model.moving.iter().filter_map(|m| model.materials.list[*m].motion.as_ref())
            {
                motion.write(gpu, scene.stage.time);
            }
        }

        let renewed = self.palettes.upload(gpu)? | self.weights.upload(gpu)?;
        if renewed {
            self.renew_groups(gpu);
        }
        self.instances.upload(gpu, bytemuck::cast_slice(&self.staged_instances));
        Ok(())
    }

    fn renew_groups(&mut self, gpu: &Gpu) {
        let (palettes, weights) = (&self.palettes, &self.weights);
        for (view, shadow) in [(&mut self.lit, Some(&self.shadow)), (&mut self.plain, None)] {
            view.group = frame_group(gpu, &self.pipelines, &view.buffer, palettes, weights, shadow);
        }
    }

    fn stage_lines(&mut self, lines: &[Line]) {
        self.staged_lines.clear();
        self.staged_lines.extend(lines.iter().map(|line| {
            let (a, b, c) = (line.start, line.end, line.colour);
            [a.x, a.y, a.z, line.width, b.x, b.y, b.z, 0.0, c[0], c[1], c[2], c[3]]
        }));
    }

    fn shadow_pass(&mut self, encoder: &mut wgpu::CommandEncoder, bodies: &[Body<'_>]) {
        let key = |draw: &Draw, mesh: &GpuMesh, blend: bool, shell: bool| {
            let holes = shell || blend || draw.features.has(Features::MASK);
            let pass = if holes { Pass::MaskedShadow } else { Pass::Shadow };
            let features = if shell { shelled(draw.features) } else { draw.features };
            Key {
                pass,
                features: reduced(pass, features),
                faces: Faces::Both,
                depth_write: false,
                topology: mesh.topology,
                format: pipeline::DEPTH_FORMAT,
                samples: 1,
            }
        };
        for draw in &self.staged.draws {
            let (model, mesh) = parts(&self.staged.groups, bodies, draw);
            let blend = model.materials.list[mesh.material].blend;
            self.pipelines.prepare(key(draw, mesh, blend, false));
            if draw.fur.is_some() {
                self.pipelines.prepare(key(draw, mesh, blend, true));
            }
        }
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.shadow.view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.plain.group, &[]);
        for draw in &self.staged.draws {
            let (model, mesh) = parts(&self.staged.groups, bodies, draw);
            let blend = model.materials.list[mesh.material].blend;
            // Light falls through water.
            if draw.features.has(Features::WATER) {
                continue;
            }
            let instances = self.staged.groups[draw.group].casters.clone();
            self.draw_mesh(&mut pass, bodies, draw, &key(draw, mesh, blend, false), instances);
            self.cost.shadow_draws += 1;
            if let Some(fur) = draw.fur {
                let hairs = self.staged.furs[fur].thinned.clone();
                self.draw_mesh(&mut pass, bodies, draw, &key(draw, mesh, blend, true), hairs);
                self.cost.shadow_draws += 1;
            }
        }
    }

    fn body_pass(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene<'_>,
        target: &Attachments<'_>,
    ) {
        let bodies = scene.bodies;
        let format = target.format;
        let body_key = |draw: &Draw, mesh: &GpuMesh, faces: Faces| Key {
            pass: Pass::Body,
            features: draw.features,
            faces,
            depth_write: draw.depth_write,
            topology: mesh.topology,
            format,
            samples: SAMPLES,
        };
        // The surface itself, its hull moved outward and seen from within.
        let ink_key = |draw: &Draw, mesh: &GpuMesh, ink: Features| Key {
            features: draw.features.and(ink),
            ..body_key(draw, mesh, inside_of(draw))
        };
        let shell_key = |draw: &Draw, mesh: &GpuMesh, faces: Faces| Key {
            features: shelled(draw.features),
            ..body_key(draw, mesh, faces)
        };
        let outline_key = |draw: &Draw, mesh: &GpuMesh| Key {
            pass: Pass::Outline,
            // Round the tips of the fur.
            features: reduced(
                Pass::Outline,
                if draw.fur.is_some() { shelled(draw.features) } else { draw.features },
            ),
            faces: Faces::Both,
            depth_write: false,
            topology: mesh.topology,
            format,
            samples: SAMPLES,
        };
        for draw in &self.staged.draws {
            let (_, mesh) = parts(&self.staged.groups, bodies, draw);
            for faces in faces_of(draw) {
                self.pipelines.prepare(body_key(draw, mesh, *faces));
                if draw.fur.is_some() {
                    self.pipelines.prepare(shell_key(draw, mesh, *faces));
                }
            }
            if let Some(ink) = draw.ink {
                self.pipelines.prepare(ink_key(draw, mesh, ink));
            }
            if outlines(&self.staged.groups, draw, mesh) {
                self.pipelines.prepare(outline_key(draw, mesh));
            }
        }
        let transparent = scene.stage.background == Background::Transparent;
        let sky = scene.stage.background == Background::Sky;
        let ground = Scenery::Ground { transparent };
        self.pipelines.prepare_scenery(Scenery::Sky, format, SAMPLES);
        self.pipelines.prepare_scenery(ground, format, SAMPLES);
        self.pipelines.prepare_scenery(Scenery::Lines, format, SAMPLES);

        let clear = match scene.stage.background {
            Background::Colour(colour) => {
                let [r, g, b] = display_linear(colour).map(f64::from);
                wgpu::Color { r, g, b, a: 1.0 }
            }
            _ => wgpu::Color::TRANSPARENT,
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("body"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target.samples,
                depth_slice: None,
                resolve_target: Some(target.resolved),
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(clear),
                    store: wgpu::StoreOp::Discard,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: target.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.lit.group, &[]);
        let (solid, blended) = {
            let first = self.staged.draws.partition_point(|draw| !draw.blended);
            self.staged.draws.split_at(first)
        };
        let is_seen = |draw: &&Draw| !self.staged.groups[draw.group].instances.is_empty();
        let mut draws = 0;
        for draw in solid.iter().filter(is_seen) {
            let (_, mesh) = parts(&self.staged.groups, bodies, draw);
            for faces in faces_of(draw) {
                self.draw_mesh(
                    &mut pass,
                    bodies,
                    draw,
                    &body_key(draw, mesh, *faces),
                    self.bodies_of(draw),
                );
                draws += 1;
            }
        }
        // What a hull shows of itself is little: after the surfaces, which hide the rest of it.
        for draw in solid.iter().filter(is_seen) {
            let (_, mesh) = parts(&self.staged.groups, bodies, draw);
            if let Some(ink) = draw.ink {
                let key = ink_key(draw, mesh, ink);
                self.draw_mesh(&mut pass, bodies, draw, &key, self.bodies_of(draw));
                draws += 1;
            }
        }
        for draw in solid.iter().filter(is_seen) {
            let (_, mesh) = parts(&self.staged.groups, bodies, draw);
            if outlines(&self.staged.groups, draw, mesh) {
                let key = outline_key(draw, mesh);
                self.draw_mesh(&mut pass, bodies, draw, &key, self.bodies_of(draw));
                draws += 1;
            }
        }
        // The scenery after the solid bodies: what they hide is not shaded.
        let scenery = |kind| self.pipelines.scenery(kind, format, SAMPLES);
        if let (Some(_), Some(pipeline)) = (&scene.stage.ground, scenery(ground)) {
            pass.set_pipeline(pipeline);
            pass.draw(0..6, 0..1);
        }
        if let (true, Some(pipeline)) = (sky, scenery(Scenery::Sky)) {
            pass.set_pipeline(pipeline);
            pass.draw(0..3, 0..1);
        }
        // Hair after what it may be seen against, from the farthest body to the nearest.
        for draw in self.staged.draws.iter().rev().filter(is_seen) {
            let Some(fur) = draw.fur else { continue };
            let (_, mesh) = parts(&self.staged.groups, bodies, draw);
            for faces in faces_of(draw) {
                let hairs = self.staged.furs[fur].instances.clone();
                self.draw_mesh(&mut pass, bodies, draw, &shell_key(draw, mesh, *faces), hairs);
                draws += 1;
            }
        }
        for draw in blended.iter().filter(is_seen) {
            let (_, mesh) = parts(&self.staged.groups, bodies, draw);
            // Before its surface, which is mixed with it.
            if let Some(ink) = draw.ink {
                let key = ink_key(draw, mesh, ink);
                self.draw_mesh(&mut pass, bodies, draw, &key, self.bodies_of(draw));
                draws += 1;
            }
            for faces in faces_of(draw) {
                self.draw_mesh(
                    &mut pass,
                    bodies,
                    draw,
                    &body_key(draw, mesh, *faces),
                    self.bodies_of(draw),
                );
                draws += 1;
            }
        }
        self.cost.body_draws = draws;
        if let (false, Some(pipeline)) = (self.staged_lines.is_empty(), scenery(Scenery::Lines)) {
            pass.set_pipeline(pipeline);
            pass.set_vertex_buffer(0, self.line_buffer.buffer.slice(..));
            pass.draw(0..6, 0..self.staged_lines.len() as u32);
        }
    }

    fn draw_mesh(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        bodies: &[Body<'_>],
        draw: &Draw,
        key: &Key,
        instances: Range<u32>,
    ) {
        let (model, mesh) = parts(&self.staged.groups, bodies, draw);
        let Some(pipeline) = self.pipelines.get(key) else { return };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(1, &mesh.group, &[]);
        pass.set_bind_group(2, &model.materials.list[mesh.material].group, &[]);
        self.set_vertices(pass, mesh);
        pass.set_index_buffer(mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..mesh.index_count, 0, instances);
    }

    /// The bodies of a draw.
    fn bodies_of(&self, draw: &Draw) -> Range<u32> {
        self.staged.groups[draw.group].instances.clone()
    }

    fn set_vertices(&self, pass: &mut wgpu::RenderPass<'_>, mesh: &GpuMesh) {
        pass.set_vertex_buffer(0, mesh.vertices.slice(..));
        pass.set_vertex_buffer(1, self.instances.buffer.slice(..));
        if let Some(influences) = &mesh.influences {
            pass.set_vertex_buffer(2, influences.slice(..));
        }
    }

    /// Sets the frame uniform to be no more than a view, for passes that do not shade.
    pub(crate) fn set_plain_view(
        &self,
        gpu: &Gpu,
        clip_from_world: Mat4,
        size: [f32; 2],
        air: &Breeze,
    ) {
        let frame = FrameUniform {
            clip_from_world: clip_from_world.to_cols_array_2d(),
            misc: [0.0, 0.0, size[0], size[1]],
            air: air.wind.extend(air.turn).to_array(),
            ..Default::default()
        };
        gpu.queue.write_buffer(&self.plain.buffer, 0, bytemuck::bytes_of(&frame));
    }

    /// Draws the ids of what was staged last.
    pub(crate) fn id_pass(&mut self, pass: &mut wgpu::RenderPass<'_>, bodies: &[Body<'_>]) {
        pass.set_bind_group(0, &self.plain.group, &[]);
        for at in 0..self.staged.draws.len() {
            let draw = self.staged.draws[at];
            let (model, mesh) = parts(&self.staged.groups, bodies, &draw);
            let blend = model.materials.list[mesh.material].blend;
            let features = draw.features.and(Features::MASK.when(blend));
            for faces in faces_of(&draw) {
                let key = Key {
                    pass: Pass::Id,
                    features: reduced(Pass::Id, features),
                    faces: *faces,
                    depth_write: false,
                    topology: mesh.topology,
                    format: pipeline::ID_FORMAT,
                    samples: 1,
                };
                self.pipelines.prepare(key);
                self.draw_mesh(pass, bodies, &draw, &key, self.bodies_of(&draw));
            }
        }
    }

    /// Draws each vertex of a mesh of the only staged body onto a texel of its own, with the
    /// vertex stage as `of` has it.
    pub(crate) fn capture_pass(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
        model: &Model,
        mesh: usize,
        of: Pass,
        shell: Option<u32>,
    ) {
        let mesh = &model.inner.meshes[mesh];
        let material = model.inner.materials.list[mesh.material].features;
        let features = mesh.features.and(material).only(Features::PLACE).and(of.vertex_features());
        // An outline runs round the tips.
        let tips = of == Pass::Outline && material.has(Features::FUR);
        let key = Key {
            pass: Pass::Capture,
            features: if tips || shell.is_some() { shelled(features) } else { features },
            faces: Faces::Both,
            depth_write: false,
            topology: wgpu::PrimitiveTopology::PointList,
            format: pipeline::CAPTURE_FORMAT,
            samples: 1,
        };
        self.pipelines.prepare(key);
        let Some(pipeline) = self.pipelines.get(&key) else { return };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.plain.group, &[]);
        pass.set_bind_group(1, &mesh.group, &[]);
        pass.set_bind_group(2, &model.inner.materials.list[mesh.material].group, &[]);
        self.set_vertices(pass, mesh);
        // All shells of the one body, in order.
        let furs = self.staged.furs.iter().find(|furs| furs.material == mesh.material);
        let instance = match (shell, furs) {
            (Some(shell), Some(furs)) => {
                (furs.instances.start + shell.max(1) - 1).min(furs.instances.end - 1)
            }
            _ => 0,
        };
        pass.draw(0..mesh.vertex_count, instance..instance + 1);
    }
}

const NO_OUTLINE: crate::scene::Outline = crate::scene::Outline { colour: Vec3::ZERO, width: 0.0 };

/// The switches of a draw's fur.
fn shelled(features: Features) -> Features {
    features.and(Features::SHELL).and(Features::LOCAL)
}

/// Only what the pass can read, so that materials that differ in nothing else share a pipeline.
fn reduced(pass: Pass, features: Features) -> Features {
    features.only(Features::VERTEX.and(pass.fragment_features()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Camera, Headless, Stage};

    /// A driver reset in the middle of things is an error at the next call, and at every one after.
    #[test]
    fn a_lost_device_is_an_error() {
        let Ok(gpu) = Gpu::headless() else {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "no adapter");
            eprintln!("skipped: no adapter");
            return;
        };
        let mut renderer = Renderer::new(&gpu);
        let target = Headless::new(&gpu, 16, 16).expect("a small target");
        let scene = Scene {
            camera: Camera::default(),
            stage: Stage::under(&crate::Bounds { low: Vec3::ZERO, high: Vec3::ONE }),
            bodies: &[],
            lines: &[],
        };
        renderer.draw(&gpu, &scene, &target).expect("a frame before");
        gpu.device.destroy();
        for _ in 0..2 {
            let drawn = renderer.draw(&gpu, &scene, &target);
            let read = drawn.and_then(|()| target.read(&gpu));
            let error = read.expect_err("nothing can be drawn any more");
            assert!(matches!(error, GpuError::Lost { .. }), "{error}");
        }
        let character = enliven::builtin::rabbit();
        let error = renderer.upload(&gpu, &character).expect_err("nor uploaded");
        assert!(matches!(error, GpuError::Lost { .. }), "{error}");
    }
}
