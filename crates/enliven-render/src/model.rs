//! Characters on the device.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use enliven::glam::Vec3;
use enliven::{Affine, Binding, Character, Geometry, JointId, PosedBounds, Topology};

use crate::bounds::{Bounds, beyond};
use crate::data;
use crate::features::Features;
use crate::gpu::{Gpu, GpuError};
use crate::material::{FACTORS, Materials, buffer};
use crate::pipeline::Pipelines;

/// A character on the device: shared by all its bodies, never changed. Cheap to clone.
#[derive(Clone)]
pub struct Model {
    pub(crate) inner: Arc<ModelInner>,
}

pub(crate) struct ModelInner {
    /// Orders bodies so that those of one model stand together.
    pub(crate) id: u64,
    pub(crate) meshes: Vec<GpuMesh>,
    pub(crate) materials: Materials,
    pub(crate) palette_len: usize,
    pub(crate) channel_count: usize,
    /// Channels whose weights each body uploads, and where their list begins.
    pub(crate) weight_lists: Vec<(Range<usize>, usize)>,
    /// Materials whose factors each body uploads, and where they begin.
    pub(crate) factor_lists: Vec<(usize, usize)>,
    /// Texels of driven numbers a body.
    pub(crate) weight_len: usize,
    /// Whether any mesh is mixed with what is behind it.
    pub(crate) blended: bool,
    /// Materials whose textures move by themselves.
    pub(crate) moving: Vec<usize>,
    /// Channels that can hide a mesh.
    pub(crate) switches: Vec<usize>,
    /// How far hair, wind and waves carry anything from the surface, metres at the geometry's scale.
    beyond: f32,
    bounds: PosedBounds,
}

/// One draw.
pub(crate) struct GpuMesh {
    pub(crate) vertices: wgpu::Buffer,
    pub(crate) influences: Option<wgpu::Buffer>,
    pub(crate) indices: wgpu::Buffer,
    pub(crate) index_count: u32,
    pub(crate) vertex_count: u32,
    pub(crate) group: wgpu::BindGroup,
    pub(crate) material: usize,
    /// Switches that come from the mesh.
    pub(crate) features: Features,
    pub(crate) topology: wgpu::PrimitiveTopology,
    /// Joints that it follows.
    pub(crate) joints: Vec<JointId>,
    /// Palette entries that it follows.
    pub(crate) entries: Range<usize>,
    /// Box in bind space of a mesh that follows one joint.
    pub(crate) rigid_bounds: Option<Bounds>,
    pub(crate) shown: bool,
    /// Channels of which each must show it.
    pub(crate) switches: Vec<usize>,
}

/// Buffers of one geometry, shared between the meshes that draw it.
struct GpuGeometry {
    vertices: wgpu::Buffer,
    influences: Option<wgpu::Buffer>,
    indices: wgpu::Buffer,
    morphs: wgpu::TextureView,
    morph_stride: u32,
}

impl Model {
    pub(crate) fn upload(
        gpu: &Gpu,
        pipelines: &Pipelines,
        id: u64,
        character: &Character,
    ) -> Result<Self, GpuError> {
        let materials = Materials::upload(gpu, pipelines, character);
        let empty = data::constant(
            gpu,
            "no morphs",
            wgpu::TextureFormat::Rgba32Float,
            4,
            data::MORPHS_A_ROW,
            Vec::new(),
        )?;
        let mut geometries: HashMap<(*const Geometry, [usize; 2]), GpuGeometry> = HashMap::new();
        let mut weight_lists: Vec<(Range<usize>, usize)> = Vec::new();
        let mut weight_len = 0;
        let mut factor_lists: Vec<(usize, usize)> = Vec::new();
        let mut meshes = Vec::with_capacity(character.meshes.len());
        for (index, mesh) in character.meshes.iter().enumerate() {
            let geometry = &*mesh.geometry;
            let material = &materials.list[mesh.material.index()];
            let key = (Arc::as_ptr(&mesh.geometry), material.uv_sets);
            let shared = match geometries.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    free.insert(upload_geometry(gpu, geometry, material.uv_sets, &empty)?)
                }
            };

            let channels = mesh.morphs.start as usize..mesh.morphs.end as usize;
            let weight_base = if channels.is_empty() {
                0
            } else {
                let known = weight_lists.iter().find(|(range, _)| *range == channels);
                known.map(|(_, base)| *base).unwrap_or_else(|| {
                    let base = weight_len;
                    weight_len += channels.len() + 1;
                    weight_lists.push((channels.clone(), base));
                    base
                })
            };
            let factor_base = if material.factors.is_none() {
                0
            } else {
                let known = factor_lists.iter().find(|(m, _)| *m == mesh.material.index());
                known.map(|(_, base)| *base).unwrap_or_else(|| {
                    let base = weight_len;
                    weight_len += FACTORS / 2;
                    factor_lists.push((mesh.material.index(), base));
                    base
                })
            };
            let base = character.palette_layout().base(index) as usize;
            let skin = match mesh.binding {
                Binding::Skin(skin) => Some(&character.skins[skin.index()]),
                Binding::Rigid(_) => None,
            };
            let uniform = [
                base as u32,
                weight_base as u32,
                shared.morph_stride,
                index as u32,
                factor_base as u32,
                0,
                0,
                0,
            ];
            let uniform =
                buffer(gpu, "mesh", bytemuck::cast_slice(&uniform), wgpu::BufferUsages::UNIFORM);
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("mesh"),
                layout: &pipelines.mesh_layout,
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: wgpu::BindingResource::TextureView(&shared.morphs),
                    },
                ],
            });
            meshes.push(GpuMesh {
                vertices: shared.vertices.clone(),
                influences: skin.and(shared.influences.clone()),
                indices: shared.indices.clone(),
                index_count: geometry.indices.len() as u32,
                vertex_count: geometry.vertex_count() as u32,
                group,
                material: mesh.material.index(),
                features: features_of(geometry, skin.is_some()),
                topology: match geometry.topology {
                    Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
                    Topology::Lines => wgpu::PrimitiveTopology::LineList,
                    Topology::Points => wgpu::PrimitiveTopology::PointList,
                },
                joints: match mesh.binding {
                    Binding::Skin(skin) => character.skins[skin.index()].joints.clone(),
                    Binding::Rigid(joint) => vec![joint],
                },
                entries: base..base + skin.map_or(1, |skin| skin.joints.len()),
                rigid_bounds: match skin {
                    None => Bounds::of(geometry.positions.iter().copied()),
                    Some(_) => None,
                },
                shown: mesh.shown,
                switches: character.switches(index).iter().map(|c| c.index()).collect(),
            });
        }
        let blended = meshes.iter().any(|mesh| materials.list[mesh.material].blend);
        let mut switches: Vec<usize> =
            meshes.iter().flat_map(|mesh: &GpuMesh| mesh.switches.iter().copied()).collect();
        switches.sort_unstable();
        switches.dedup();
        let inner = ModelInner {
            id,
            meshes,
            moving: (0..materials.list.len())
                .filter(|m| materials.list[*m].motion.is_some())
                .collect(),
            materials,
            palette_len: character.palette_layout().len(),
            channel_count: character.rig.channels.len(),
            weight_lists,
            factor_lists,
            weight_len,
            blended,
            switches,
            beyond: {
                let shown = character.meshes.iter().filter(|mesh| mesh.shown);
                let look = |mesh: &enliven::Mesh| &character.materials[mesh.material.index()];
                shown.map(|mesh| beyond(look(mesh))).fold(0.0, f32::max)
            },
            bounds: PosedBounds::rough(character),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A box that holds every vertex of a body in this pose, a little loose, from the palette
    /// and the channels. `None` when nothing is shown.
    ///
    /// # Panics
    /// Where palette or channels are not of this model.
    pub fn bounds(&self, palette: &[Affine], channels: &[f32], root: &Affine) -> Option<Bounds> {
        let inner = &*self.inner;
        let mut bounds = Bounds::from(inner.bounds.measure_at(palette, channels, Some(root)));
        if inner.beyond > 0.0 {
            let longest = |m: &Affine| {
                m.rows.iter().map(|[x, y, z, _]| Vec3::new(*x, *y, *z).length()).fold(0.0, f32::max)
            };
            let scale = palette.iter().map(longest).fold(0.0, f32::max) * longest(root);
            let room = Vec3::splat(inner.beyond * scale);
            bounds = Bounds { low: bounds.low - room, high: bounds.high + room };
        }
        (bounds.low.is_finite() && bounds.high.is_finite()).then_some(bounds)
    }

    /// How many meshes it has; ids of [`crate::Hit`] count them.
    pub fn mesh_count(&self) -> usize {
        self.inner.meshes.len()
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Model({}, {} meshes)", self.inner.id, self.inner.meshes.len())
    }
}

fn features_of(geometry: &Geometry, skinned: bool) -> Features {
    let per_vertex = geometry.influences.as_ref().map_or(0, |list| list.per_vertex);
    let triangles = geometry.topology == Topology::Triangles;
    let normals = !geometry.normals.is_empty();
    Features::SKIN4
        .when(skinned && per_vertex == 4)
        .and(Features::SKIN8.when(skinned && per_vertex == 8))
        .and(Features::MORPH.when(!geometry.morphs.is_empty()))
        .and(Features::VERTEX_COLOUR.when(!geometry.colors.is_empty()))
        .and(Features::TANGENTS.when(!geometry.tangents.is_empty()))
        .and(Features::FLAT_NORMALS.when(triangles && !normals))
        // A line or point without normals faces nowhere.
        .and(Features::UNLIT.when(!triangles && !normals))
}

fn upload_geometry(
    gpu: &Gpu,
    geometry: &Geometry,
    uv_sets: [usize; 2],
    empty: &wgpu::TextureView,
) -> Result<GpuGeometry, GpuError> {
    let count = geometry.vertex_count();
    let limit = gpu.device.limits().max_buffer_size;
    let needed = count as u64 * crate::pipeline::VERTEX_STRIDE;
    if needed > limit {
        return Err(GpuError::Limit { what: "a mesh (bytes of vertices)", needed, limit });
    }
    let mut floats: Vec<f32> = Vec::with_capacity(count * 18);
    let uv = |set: usize, v: usize| {
        geometry.uvs.get(set).and_then(|uvs| uvs.get(v)).copied().unwrap_or_default()
    };
    for v in 0..count {
        floats.extend(geometry.positions[v].to_array());
        floats.extend(geometry.normals.get(v).map_or([0.0, 1.0, 0.0], |n| n.to_array()));
        floats.extend(geometry.tangents.get(v).map_or([1.0, 0.0, 0.0, 1.0], |t| t.to_array()));
        floats.extend(uv(uv_sets[0], v).to_array());
        floats.extend(uv(uv_sets[1], v).to_array());
        floats.extend(geometry.colors.get(v).map_or([1.0; 4], |c| c.to_array()));
    }
    let vertices =
        buffer(gpu, "vertices", bytemuck::cast_slice(&floats), wgpu::BufferUsages::VERTEX);
    let indices =
        buffer(gpu, "indices", bytemuck::cast_slice(&geometry.indices), wgpu::BufferUsages::INDEX);
    let influences = geometry.influences.as_ref().map(|list| {
        let mut bytes: Vec<u8> = Vec::with_capacity(list.joints.len() * 6);
        for (joints, weights) in list.joints.chunks_exact(4).zip(list.weights.chunks_exact(4)) {
            bytes.extend_from_slice(bytemuck::cast_slice(joints));
            bytes.extend_from_slice(bytemuck::cast_slice(weights));
        }
        buffer(gpu, "influences", &bytes, wgpu::BufferUsages::VERTEX)
    });
    let (morphs, morph_stride) =
        if geometry.morphs.is_empty() { (empty.clone(), 1) } else { upload_morphs(gpu, geometry)? };
    Ok(GpuGeometry { vertices, influences, indices, morphs, morph_stride })
}

/// Largest whole number that every smaller one is exact below, in an f32.
const EXACT: usize = 1 << 24;

/// A header texel a target, then the deltas of the span of vertices that the target moves.
fn upload_morphs(gpu: &Gpu, geometry: &Geometry) -> Result<(wgpu::TextureView, u32), GpuError> {
    let has_normals = geometry.morphs.iter().any(|target| !target.normals.is_empty());
    let has_tangents = geometry.morphs.iter().any(|target| !target.tangents.is_empty());
    let stride = if has_tangents { 3 } else { 1 + usize::from(has_normals) };
    let mut texels: Vec<[f32; 4]> = vec![[0.0; 4]; geometry.morphs.len()];
    for (t, target) in geometry.morphs.iter().enumerate() {
        let lists = [&target.positions, &target.normals, &target.tangents];
        let moves = |v: usize| {
            lists.iter().any(|list| list.get(v).is_some_and(|d| *d != enliven::glam::Vec3::ZERO))
        };
        let count = geometry.vertex_count();
        let first = (0..count).find(|v| moves(*v)).unwrap_or(0);
        let end = (first..count).rev().find(|v| moves(*v)).map_or(first, |last| last + 1);
        texels[t] = [texels.len() as f32, first as f32, (end - first) as f32, 0.0];
        for v in first..end {
            for list in &lists[..stride] {
                let delta = list.get(v).copied().unwrap_or_default();
                texels.push([delta.x, delta.y, delta.z, 0.0]);
            }
        }
        if texels.len() > EXACT {
            return Err(GpuError::Limit {
                what: "the morph targets of a mesh (vertices times targets)",
                needed: texels.len() as u64,
                limit: EXACT as u64,
            });
        }
    }
    let view = data::constant(
        gpu,
        "the morph targets of a mesh (texture rows)",
        wgpu::TextureFormat::Rgba32Float,
        4,
        data::MORPHS_A_ROW,
        texels.into_flattened(),
    )?;
    Ok((view, stride as u32))
}

/// The active weights of each list, (count, 0), then (target, weight) pairs; and the material
/// factors.
pub(crate) fn stage_weights(model: &ModelInner, channels: &[f32], out: &mut Vec<f32>) {
    let start = out.len();
    out.resize(start + model.weight_len * 2, 0.0);
    for (range, base) in &model.weight_lists {
        let mut at = start + base * 2;
        let head = at;
        let mut count = 0;
        for (target, weight) in channels[range.clone()].iter().enumerate() {
            if *weight != 0.0 {
                at += 2;
                out[at] = target as f32;
                out[at + 1] = *weight;
                count += 1;
            }
        }
        out[head] = count as f32;
    }
    for (material, base) in &model.factor_lists {
        if let Some(factors) = &model.materials.list[*material].factors {
            let at = start + base * 2;
            factors.write(channels, &mut out[at..at + FACTORS]);
        }
    }
}
