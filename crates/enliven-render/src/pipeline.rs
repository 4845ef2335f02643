//! Pipelines, by pass and by the whole set of switches.
//!
//! [`Pipelines::character`] is the only place that makes a pipeline for a character, and it always
//! takes the vertex stage from the one module `vertex`, compiled apart from the pass. A pass
//! chooses a fragment stage and nothing else.

use std::collections::HashMap;
use std::num::NonZeroU64;

use crate::features::Features;
use crate::frame::FrameUniform;
use crate::shader;

/// Entry point of the one vertex stage.
pub(crate) const VERTEX_ENTRY: &str = "vertex";
/// Entry point of every pass's fragment stage.
pub(crate) const FRAGMENT_ENTRY: &str = "fragment";

/// Depth of the picture and of the shadow map.
pub(crate) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Format of the id pass: (body, mesh, joint of the mesh, 0).
pub(crate) const ID_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;
/// Format of both targets of the capture pass.
pub(crate) const CAPTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;

/// Bytes of a vertex: position, normal, tangent, two uv sets, colour.
pub(crate) const VERTEX_STRIDE: u64 = 72;
/// Bytes of an instance: root, bases, outline.
pub(crate) const INSTANCE_STRIDE: u64 = 80;

/// A way of drawing characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    Body,
    Outline,
    Shadow,
    /// Shadow of surfaces with holes.
    MaskedShadow,
    Id,
    Capture,
}

impl Pass {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 6] =
        [Self::Body, Self::Outline, Self::Shadow, Self::MaskedShadow, Self::Id, Self::Capture];

    /// The module of its fragment stage.
    pub(crate) const fn module(self) -> Option<&'static str> {
        match self {
            Self::Body => Some("body"),
            Self::Outline => Some("outline"),
            Self::Shadow => None,
            Self::MaskedShadow => Some("depth"),
            Self::Id => Some("id"),
            Self::Capture => Some("capture"),
        }
    }

    /// What the pass itself switches on in the vertex stage.
    pub(crate) const fn vertex_features(self) -> Features {
        match self {
            Self::Outline => Features::OUTLINE,
            Self::Capture => Features::CAPTURE,
            _ => Features::NONE,
        }
    }

    /// Which switches its fragment stage can read.
    pub(crate) const fn fragment_features(self) -> Features {
        match self {
            Self::Body => Features(u64::MAX)
                .without(Features::VERTEX)
                .and(Features::SWAY)
                .and(Features::WATER)
                .and(Features::INK),
            Self::Outline | Self::Id | Self::MaskedShadow => Features::SILHOUETTE,
            Self::Shadow | Self::Capture => Features::NONE,
        }
    }
}

impl Pass {
    /// The switches that its fragment stage is compiled with.
    pub(crate) const fn fragment_switches(self, features: Features) -> Features {
        // What the vertex stage hands over beyond the usual must be declared on both sides.
        features.only(self.fragment_features().and(Features::INTERFACE)).and(self.vertex_features())
    }
}

/// Which faces a draw shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Faces {
    Both,
    /// Counter-clockwise ones.
    Front,
    /// Clockwise ones.
    Back,
}

impl Faces {
    const fn cull(self) -> Option<wgpu::Face> {
        match self {
            Self::Both => None,
            Self::Front => Some(wgpu::Face::Back),
            Self::Back => Some(wgpu::Face::Front),
        }
    }
}

/// Everything that tells one character pipeline from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) pass: Pass,
    pub(crate) features: Features,
    pub(crate) faces: Faces,
    /// Whether a mixed surface still hides what is behind it.
    pub(crate) depth_write: bool,
    pub(crate) topology: wgpu::PrimitiveTopology,
    pub(crate) format: wgpu::TextureFormat,
    pub(crate) samples: u32,
}

/// Which scenery pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scenery {
    Sky,
    Ground { transparent: bool },
    Lines,
}

/// Bind group layouts, shader modules and pipelines, each made once when first needed.
pub(crate) struct Pipelines {
    device: wgpu::Device,
    pub(crate) frame_layout: wgpu::BindGroupLayout,
    /// The same with the shadow map.
    pub(crate) lit_frame_layout: wgpu::BindGroupLayout,
    pub(crate) mesh_layout: wgpu::BindGroupLayout,
    pub(crate) material_layout: wgpu::BindGroupLayout,
    lit: wgpu::PipelineLayout,
    plain: wgpu::PipelineLayout,
    scenery: wgpu::PipelineLayout,
    modules: HashMap<(&'static str, Features), wgpu::ShaderModule>,
    characters: HashMap<Key, wgpu::RenderPipeline>,
    sceneries: HashMap<(Scenery, wgpu::TextureFormat, u32), wgpu::RenderPipeline>,
}

impl Pipelines {
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        let frame = [
            uniform(0, wgpu::ShaderStages::VERTEX_FRAGMENT, size_of::<FrameUniform>()),
            data_texture(1, wgpu::ShaderStages::VERTEX),
            data_texture(2, wgpu::ShaderStages::VERTEX_FRAGMENT),
        ];
        let light = [
            entry(
                3,
                wgpu::ShaderStages::FRAGMENT,
                wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Depth,
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
            ),
            entry(
                4,
                wgpu::ShaderStages::FRAGMENT,
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison),
            ),
            data_texture(5, wgpu::ShaderStages::FRAGMENT),
        ];
        let frame_layout = layout(device, "frame", &frame);
        let lit_frame_layout = layout(device, "lit frame", &[&frame[..], &light[..]].concat());
        let mesh_layout = layout(
            device,
            "mesh",
            &[
                uniform(0, wgpu::ShaderStages::VERTEX, 32),
                data_texture(1, wgpu::ShaderStages::VERTEX),
            ],
        );
        let mut entries = vec![uniform(
            0,
            wgpu::ShaderStages::VERTEX_FRAGMENT,
            size_of::<crate::material::MaterialUniform>(),
        )];
        for texture in 0..crate::material::TEXTURES as u32 {
            let stages = if crate::material::VERTEX_TEXTURES.contains(&texture) {
                wgpu::ShaderStages::VERTEX_FRAGMENT
            } else {
                wgpu::ShaderStages::FRAGMENT
            };
            entries.push(entry(
                1 + 2 * texture,
                stages,
                wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Float { filterable: true },
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
            ));
            entries.push(entry(
                2 + 2 * texture,
                stages,
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
            ));
        }
        let material_layout = layout(device, "material", &entries);
        let pipeline_layout = |label, groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(label),
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let (frame, lit_frame) = (Some(&frame_layout), Some(&lit_frame_layout));
        let (mesh, material) = (Some(&mesh_layout), Some(&material_layout));
        Self {
            lit: pipeline_layout("lit", &[lit_frame, mesh, material]),
            plain: pipeline_layout("plain", &[frame, mesh, material]),
            scenery: pipeline_layout("scenery", &[lit_frame]),
            device: device.clone(),
            frame_layout,
            lit_frame_layout,
            mesh_layout,
            material_layout,
            modules: HashMap::new(),
            characters: HashMap::new(),
            sceneries: HashMap::new(),
        }
    }

    /// Makes the pipeline if it is not there yet.
    pub(crate) fn prepare(&mut self, key: Key) {
        if self.characters.contains_key(&key) {
            return;
        }
        let vertex_features = key.features.and(key.pass.vertex_features()).vertex();
        let vertex = self.module("vertex", vertex_features);
        let fragment = key
            .pass
            .module()
            .map(|name| self.module(name, key.pass.fragment_switches(key.features)));
        let pipeline = self.character(key, vertex_features, &vertex, fragment.as_ref());
        self.characters.insert(key, pipeline);
    }

    /// The pipeline, once prepared.
    pub(crate) fn get(&self, key: &Key) -> Option<&wgpu::RenderPipeline> {
        self.characters.get(key)
    }

    fn module(&mut self, name: &'static str, features: Features) -> wgpu::ShaderModule {
        let device = &self.device;
        self.modules
            .entry((name, features))
            .or_insert_with(|| {
                // The sources are part of the program and every variant is checked by the tests.
                let text = shader::source(name, features)
                    .unwrap_or_else(|error| unreachable!("a shader source is malformed: {error}"));
                device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(name),
                    source: wgpu::ShaderSource::Wgsl(text.into()),
                })
            })
            .clone()
    }

    /// The one place that makes a pipeline for a character.
    fn character(
        &self,
        key: Key,
        vertex_features: Features,
        vertex: &wgpu::ShaderModule,
        fragment: Option<&wgpu::ShaderModule>,
    ) -> wgpu::RenderPipeline {
        let shell = key.features.has(Features::SHELL);
        let blend = key.pass == Pass::Body && (shell || key.features.has(Features::BLEND));
        let coverage = key.pass == Pass::Body && !shell && key.features.has(Features::COVERAGE);
        let colour = |format, blend: bool| {
            Some(wgpu::ColorTargetState {
                format,
                blend: blend.then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })
        };
        let captured = [colour(CAPTURE_FORMAT, false), colour(CAPTURE_FORMAT, false)];
        let one = [colour(key.format, blend)];
        let (targets, depth): (&[_], _) = match key.pass {
            Pass::Body | Pass::Outline => (
                &one,
                Some((wgpu::CompareFunction::GreaterEqual, !blend || shell || key.depth_write)),
            ),
            Pass::Id => (&one, Some((wgpu::CompareFunction::GreaterEqual, true))),
            Pass::Shadow | Pass::MaskedShadow => {
                (&[], Some((wgpu::CompareFunction::LessEqual, true)))
            }
            Pass::Capture => (&captured, None),
        };
        let lit = matches!(key.pass, Pass::Body | Pass::Outline);
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: key.pass.module(),
            layout: Some(if lit { &self.lit } else { &self.plain }),
            vertex: wgpu::VertexState {
                module: vertex,
                entry_point: Some(VERTEX_ENTRY),
                compilation_options: Default::default(),
                buffers: vertex_buffers(vertex_features),
            },
            primitive: wgpu::PrimitiveState {
                topology: key.topology,
                cull_mode: key.faces.cull(),
                ..Default::default()
            },
            depth_stencil: depth.map(|(compare, write)| depth_state(compare, write)),
            multisample: wgpu::MultisampleState {
                count: key.samples,
                alpha_to_coverage_enabled: coverage,
                ..Default::default()
            },
            fragment: fragment.map(|module| wgpu::FragmentState {
                module,
                entry_point: Some(FRAGMENT_ENTRY),
                compilation_options: Default::default(),
                targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// Makes a scenery pipeline if it is not there yet.
    pub(crate) fn prepare_scenery(
        &mut self,
        scenery: Scenery,
        format: wgpu::TextureFormat,
        samples: u32,
    ) {
        if self.sceneries.contains_key(&(scenery, format, samples)) {
            return;
        }
        let (name, vertex, fragment) = match scenery {
            Scenery::Sky => ("backdrop", "sky_vertex", "sky_fragment"),
            Scenery::Ground { .. } => ("backdrop", "ground_vertex", "ground_fragment"),
            Scenery::Lines => ("overlay", "line_vertex", "line_fragment"),
        };
        let module = self.module(name, Features::NONE);
        let blend = !matches!(scenery, Scenery::Sky | Scenery::Ground { transparent: false });
        let (compare, write) = match scenery {
            Scenery::Lines => (wgpu::CompareFunction::Always, false),
            Scenery::Sky => (wgpu::CompareFunction::GreaterEqual, false),
            Scenery::Ground { transparent } => (wgpu::CompareFunction::GreaterEqual, !transparent),
        };
        let line_buffers = [Some(wgpu::VertexBufferLayout {
            array_stride: LINE_STRIDE,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: const {
                &wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4]
            },
        })];
        let pipeline = self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(vertex),
            layout: Some(&self.scenery),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some(vertex),
                compilation_options: Default::default(),
                buffers: if scenery == Scenery::Lines { &line_buffers } else { &[] },
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: Some(depth_state(compare, write)),
            multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some(fragment),
                compilation_options: Default::default(),
                targets: &[Some(wgpu::ColorTargetState {
                    format,
                    blend: blend.then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        });
        self.sceneries.insert((scenery, format, samples), pipeline);
    }

    /// A scenery pipeline, once prepared.
    pub(crate) fn scenery(
        &self,
        scenery: Scenery,
        format: wgpu::TextureFormat,
        samples: u32,
    ) -> Option<&wgpu::RenderPipeline> {
        self.sceneries.get(&(scenery, format, samples))
    }
}

/// Bytes of a line: two ends with width and spare, colour.
pub(crate) const LINE_STRIDE: u64 = 48;

fn vertex_buffers(features: Features) -> &'static [Option<wgpu::VertexBufferLayout<'static>>] {
    const fn per(
        step_mode: wgpu::VertexStepMode,
        array_stride: u64,
        attributes: &'static [wgpu::VertexAttribute],
    ) -> Option<wgpu::VertexBufferLayout<'static>> {
        Some(wgpu::VertexBufferLayout { array_stride, step_mode, attributes })
    }
    const SURFACE: Option<wgpu::VertexBufferLayout<'static>> = per(
        wgpu::VertexStepMode::Vertex,
        VERTEX_STRIDE,
        &wgpu::vertex_attr_array![
            0 => Float32x3, 1 => Float32x3, 2 => Float32x4, 3 => Float32x4, 4 => Float32x4
        ],
    );
    const INSTANCE: Option<wgpu::VertexBufferLayout<'static>> = per(
        wgpu::VertexStepMode::Instance,
        INSTANCE_STRIDE,
        &wgpu::vertex_attr_array![
            5 => Float32x4, 6 => Float32x4, 7 => Float32x4, 8 => Uint32x4, 9 => Float32x4
        ],
    );
    const FOUR: Option<wgpu::VertexBufferLayout<'static>> = per(
        wgpu::VertexStepMode::Vertex,
        24,
        &wgpu::vertex_attr_array![10 => Uint16x4, 11 => Float32x4],
    );
    const EIGHT: Option<wgpu::VertexBufferLayout<'static>> = per(
        wgpu::VertexStepMode::Vertex,
        48,
        &wgpu::vertex_attr_array![
            10 => Uint16x4, 11 => Float32x4, 12 => Uint16x4, 13 => Float32x4
        ],
    );
    if features.has(Features::SKIN8) {
        &[SURFACE, INSTANCE, EIGHT]
    } else if features.has(Features::SKIN4) {
        &[SURFACE, INSTANCE, FOUR]
    } else {
        &[SURFACE, INSTANCE]
    }
}

fn depth_state(compare: wgpu::CompareFunction, write: bool) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}

fn layout(
    device: &wgpu::Device,
    label: &str,
    entries: &[wgpu::BindGroupLayoutEntry],
) -> wgpu::BindGroupLayout {
    device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
}

fn entry(
    binding: u32,
    visibility: wgpu::ShaderStages,
    ty: wgpu::BindingType,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn uniform(
    binding: u32,
    visibility: wgpu::ShaderStages,
    bytes: usize,
) -> wgpu::BindGroupLayoutEntry {
    entry(
        binding,
        visibility,
        wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: NonZeroU64::new(bytes as u64),
        },
    )
}

/// A float texture that is read texel by texel.
fn data_texture(binding: u32, visibility: wgpu::ShaderStages) -> wgpu::BindGroupLayoutEntry {
    entry(
        binding,
        visibility,
        wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
    )
}
