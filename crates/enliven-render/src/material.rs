//! Materials on the device.

use bytemuck::{Pod, Zeroable};
use enliven::glam::{Vec2, Vec3};
use enliven::{
    AlphaMode, ChannelKind, Character, Fur, Material, MaterialFactor, MaterialId, Shading,
    TextureRef,
};

use crate::features::Features;
use crate::furs::Coat;
use crate::gpu::Gpu;
use crate::pipeline::Pipelines;
use crate::texture::{self, Space};

/// Textures that a material can have: base colour, metallic-roughness, normal, occlusion,
/// emissive, shade.
pub(crate) const TEXTURES: usize = 6;

/// Layout of `Material` in `wgsl/surface.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MaterialUniform {
    base_colour: [f32; 4],
    emissive: [f32; 4],
    factors: [f32; 4],
    extra: [f32; 4],
    shade_colour: [f32; 4],
    rim_colour: [f32; 4],
    uv_transforms: [[f32; 4]; 2 * TEXTURES],
    fur_lie: [f32; 4],
    fur_shape: [f32; 4],
    fur_look: [f32; 4],
    face_at: [f32; 4],
    face_forward: [f32; 4],
    face_variant: [f32; 4],
    face_hollow: [f32; 4],
    leaf_light: [f32; 4],
    leaf_veins: [f32; 4],
    sway: [f32; 4],
    water_deep: [f32; 4],
    water_shallow: [f32; 4],
    waves: [[f32; 4]; 4],
}

/// Where the toon ramp has its edge, as the cosine between normal and sun; and half its width.
/// Chosen by eye: a shade a little smaller than the unlit half, an edge that is soft but reads.
const TOON_EDGE: f32 = 0.08;
const TOON_SOFTNESS: f32 = 0.06;
/// Rim light of the toon look, linear. Chosen by eye.
const TOON_RIM: f32 = 0.12;

/// Alpha below which a blended surface throws no shadow and cannot be picked.
const BLEND_CUTOFF: f32 = 0.5;

/// A material on the device.
pub(crate) struct GpuMaterial {
    pub(crate) group: wgpu::BindGroup,
    /// Switches that the material itself asks for.
    pub(crate) features: Features,
    pub(crate) blend: bool,
    pub(crate) coat: Option<Coat>,
    /// Numbers at rest and the channels that drive them.
    pub(crate) factors: Option<Factors>,
    /// The uv sets of the geometry that the two slots of a vertex hold.
    pub(crate) uv_sets: [usize; 2],
}

/// Numbers of a material that a body's channels drive.
pub(crate) struct Factors {
    rest: [f32; FACTORS],
    /// Channel, place in the list.
    driven: Vec<(usize, usize)>,
    /// uv offset and scale of the material, against which the channels' are taken.
    offset: Vec2,
    scale: Vec2,
}

/// Base colour 4, emissive 3, shade 3, uv offset 2, uv scale 2, drawn face 4.
pub(crate) const FACTORS: usize = 18;
const UV_OFFSET: usize = 10;
const UV_SCALE: usize = 12;
const FACE: usize = 14;

impl Factors {
    /// Those of a material that some channel drives.
    fn new(character: &Character, id: MaterialId) -> Option<Self> {
        let material = &character.materials[id.index()];
        let driven: Vec<_> = character
            .rig
            .channels
            .iter()
            .filter_map(|(channel, about)| match about.kind {
                ChannelKind::Factor(of, factor) if of == id => {
                    Some((channel.index(), place_of(factor)?))
                }
                _ => None,
            })
            .collect();
        if driven.is_empty() {
            return None;
        }
        let at_rest = |factor| material.factor(factor);
        let pair = |of: fn(u8) -> MaterialFactor, otherwise: f32| {
            Vec2::new(at_rest(of(0)).unwrap_or(otherwise), at_rest(of(1)).unwrap_or(otherwise))
        };
        let mut rest = [0.0; FACTORS];
        rest[..4].copy_from_slice(&material.base_color.to_array());
        rest[4..7].copy_from_slice(&material.emissive.to_array());
        rest[7..10].copy_from_slice(&material.toon.shade_color.to_array());
        rest[UV_SCALE..FACE].fill(1.0);
        let variant = material.face.unwrap_or_default().variant;
        rest[FACE..].copy_from_slice(&variant.to_array());
        let offset = pair(MaterialFactor::UvOffset, 0.0);
        let scale = pair(MaterialFactor::UvScale, 1.0);
        Some(Self { rest, driven, offset, scale })
    }

    /// The numbers for a body with these channels. What is not finite stays at rest.
    pub(crate) fn write(&self, channels: &[f32], out: &mut [f32]) {
        out.copy_from_slice(&self.rest);
        for &(channel, place) in &self.driven {
            let value = channels[channel];
            if !value.is_finite() {
                continue;
            }
            out[place] = match place {
                UV_OFFSET..UV_SCALE => value - self.offset[place - UV_OFFSET],
                UV_SCALE..FACE if self.scale[place - UV_SCALE] != 0.0 => {
                    value / self.scale[place - UV_SCALE]
                }
                _ => value,
            };
        }
    }
}

/// Where a factor stands in the list; `None` for a component that does not exist.
fn place_of(factor: MaterialFactor) -> Option<usize> {
    let (first, components, component) = match factor {
        MaterialFactor::BaseColor(i) => (0, 4, i),
        MaterialFactor::Emissive(i) => (4, 3, i),
        MaterialFactor::Shade(i) => (7, 3, i),
        MaterialFactor::UvOffset(i) => (UV_OFFSET, 2, i),
        MaterialFactor::UvScale(i) => (UV_SCALE, 2, i),
        MaterialFactor::Face(i) => (FACE, 4, i),
        _ => return None,
    };
    (component < components).then_some(first + usize::from(component))
}

/// Images, samplers and materials of one character.
pub(crate) struct Materials {
    pub(crate) list: Vec<GpuMaterial>,
}

/// The textures of a material, in slot order, with what their numbers mean.
fn references(material: &Material) -> [(Option<TextureRef>, Space); TEXTURES] {
    [
        (material.base_color_texture, Space::Colour),
        (material.metallic_roughness_texture, Space::Data),
        (material.normal_texture, Space::Data),
        (material.occlusion_texture, Space::Data),
        (material.emissive_texture, Space::Colour),
        (material.toon.shade_texture, Space::Colour),
    ]
}

impl Materials {
    pub(crate) fn upload(gpu: &Gpu, pipelines: &Pipelines, character: &Character) -> Self {
        let white =
            enliven::Image { width: 1, height: 1, rgba: vec![255; 4], ..Default::default() };
        let white = texture::upload(gpu, &white, Space::Data);
        let plain = texture::sampler(gpu, &enliven::Sampler::default());
        // Each image once a colour space, each texture's sampler once.
        let mut images: Vec<[Option<wgpu::TextureView>; 2]> =
            character.images.iter().map(|_| [None, None]).collect();
        let samplers: Vec<_> =
            character.textures.iter().map(|t| texture::sampler(gpu, &t.sampler)).collect();

        let list = character
            .materials
            .iter()
            .enumerate()
            .map(|(index, material)| {
                let factors = Factors::new(character, MaterialId::new(index));
                let references = references(material);
                let mut bound = Vec::with_capacity(TEXTURES);
                for (reference, space) in references {
                    let Some(reference) = reference else {
                        bound.push((white.clone(), plain.clone()));
                        continue;
                    };
                    let index = reference.texture.index();
                    let image = character.textures[index].image;
                    let view = image.map_or_else(
                        || white.clone(),
                        |id| {
                            images[id.index()][space as usize]
                                .get_or_insert_with(|| {
                                    texture::upload(gpu, &character.images[id.index()], space)
                                })
                                .clone()
                        },
                    );
                    bound.push((view, samplers[index].clone()));
                }
                material_group(gpu, pipelines, material, factors, &references, &bound)
            })
            .collect();
        Self { list }
    }
}

fn material_group(
    gpu: &Gpu,
    pipelines: &Pipelines,
    material: &Material,
    factors: Option<Factors>,
    references: &[(Option<TextureRef>, Space); TEXTURES],
    bound: &[(wgpu::TextureView, wgpu::Sampler)],
) -> GpuMaterial {
    let uv_sets = uv_sets(references);
    let uniform = uniform_of(material, references, uv_sets);
    let buffer = buffer(gpu, "material", bytemuck::bytes_of(&uniform), wgpu::BufferUsages::UNIFORM);
    let mut entries =
        vec![wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }];
    for (slot, (view, sampler)) in bound.iter().enumerate() {
        let binding = 1 + 2 * slot as u32;
        entries.push(wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        });
        entries.push(wgpu::BindGroupEntry {
            binding: binding + 1,
            resource: wgpu::BindingResource::Sampler(sampler),
        });
    }
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("material"),
        layout: &pipelines.material_layout,
        entries: &entries,
    });
    GpuMaterial {
        group,
        features: features_of(material).and(Features::DRIVEN.when(factors.is_some())),
        factors,
        blend: material.alpha_mode == AlphaMode::Blend,
        coat: material.fur.as_ref().and_then(coat),
        uv_sets,
    }
}

/// The first two uv sets that are read; further ones share the second.
fn uv_sets(references: &[(Option<TextureRef>, Space); TEXTURES]) -> [usize; 2] {
    let mut used = references.iter().filter_map(|(r, _)| r.map(|r| r.uv_set as usize));
    let first = used.next().unwrap_or(0);
    let second = used.find(|set| *set != first).unwrap_or(first);
    [first, second]
}

fn features_of(material: &Material) -> Features {
    let shading = match material.shading {
        Shading::Pbr => Features::NONE,
        Shading::Unlit => Features::UNLIT,
        Shading::Toon => Features::TOON,
    };
    let alpha = match material.alpha_mode {
        AlphaMode::Opaque => Features::NONE,
        AlphaMode::Mask { .. } => Features::MASK,
        AlphaMode::Blend => Features::BLEND,
    };
    // Each shading reads only what it knows, so that a needless texture costs nothing.
    let pbr = material.shading == Shading::Pbr;
    let toon = material.shading == Shading::Toon;
    let has = |reference: &Option<TextureRef>| reference.is_some();
    shading
        .and(alpha)
        .and(Features::DOUBLE_SIDED.when(material.double_sided))
        .and(Features::BASE_TEXTURE.when(has(&material.base_color_texture)))
        .and(
            Features::METALLIC_ROUGHNESS_TEXTURE
                .when(pbr && has(&material.metallic_roughness_texture)),
        )
        .and(Features::NORMAL_TEXTURE.when((pbr || toon) && has(&material.normal_texture)))
        .and(Features::OCCLUSION_TEXTURE.when(pbr && has(&material.occlusion_texture)))
        .and(Features::EMISSIVE_TEXTURE.when(has(&material.emissive_texture)))
        .and(Features::SHADE_TEXTURE.when(toon && has(&material.toon.shade_texture)))
        .and(Features::FUR.when(material.fur.as_ref().and_then(coat).is_some()))
        .and(Features::FACE.and(Features::LOCAL).when(material.face.is_some()))
        .and(Features::LEAF.when(material.leaf.is_some()))
        .and(Features::SWAY.when(material.sway.is_some()))
        .and(Features::WATER.when(material.water.is_some()))
}

/// A fur as it is drawn; `None` of one that has no length.
fn coat(fur: &Fur) -> Option<Coat> {
    let shells = u32::from(fur.shells.min(Fur::MOST_SHELLS));
    (fur.length > 0.0 && shells > 0).then_some(Coat { shells, length: fur.length })
}

fn uniform_of(
    material: &Material,
    references: &[(Option<TextureRef>, Space); TEXTURES],
    uv_sets: [usize; 2],
) -> MaterialUniform {
    let cutoff = match material.alpha_mode {
        AlphaMode::Mask { cutoff } => cutoff,
        AlphaMode::Blend => BLEND_CUTOFF,
        AlphaMode::Opaque => 0.0,
    };
    let mut second = 0;
    let mut uv_transforms = [[0.0; 4]; 2 * TEXTURES];
    for (slot, (reference, _)) in references.iter().enumerate() {
        let reference = reference.unwrap_or(TextureRef::new(enliven::TextureId(0)));
        if reference.uv_set as usize != uv_sets[0] {
            second |= 1 << slot;
        }
        let [u, v] = uv_rows(&reference);
        uv_transforms[2 * slot] = u;
        uv_transforms[2 * slot + 1] = v;
    }
    let shade = material.toon.shade_color;
    let fur = material.fur.unwrap_or_default();
    let face = material.face.unwrap_or_default();
    let leaf = material.leaf.unwrap_or_default();
    let sway = material.sway.unwrap_or_default();
    let water = material.water.unwrap_or_default();
    let waves = water.waves().map(|w| [w.along.x, w.along.y, w.beats, w.amplitude]);
    MaterialUniform {
        base_colour: material.base_color.to_array(),
        emissive: material.emissive.extend(0.0).to_array(),
        factors: [
            material.metallic,
            material.roughness,
            material.normal_scale,
            material.occlusion_strength,
        ],
        extra: [cutoff, second as f32, 0.0, 0.0],
        shade_colour: [shade.x, shade.y, shade.z, TOON_EDGE],
        rim_colour: [TOON_RIM, TOON_RIM, TOON_RIM, TOON_SOFTNESS],
        uv_transforms,
        fur_lie: fur.lie_or_down().extend(fur.comb).to_array(),
        fur_shape: [
            fur.length,
            coat(&fur).map_or(1.0, |coat| coat.shells as f32),
            fur.gravity,
            fur.wind,
        ],
        fur_look: [fur.density, fur.thickness, fur.root_light, fur.rim],
        face_at: face.center.extend(face.size.max(f32::MIN_POSITIVE)).to_array(),
        face_forward: face.forward.try_normalize().unwrap_or(Vec3::Z).extend(0.0).to_array(),
        face_variant: face.variant.to_array(),
        face_hollow: face.hollow.extend(0.0).to_array(),
        leaf_light: leaf.tint.extend(leaf.gain).to_array(),
        leaf_veins: [leaf.bump, leaf.veins, 0.0, 0.0],
        sway: [sway.base, sway.top, sway.give, sway.flutter],
        water_deep: water.deep.extend(water.ripples).to_array(),
        water_shallow: water.shallow.extend(water.foam).to_array(),
        waves,
    }
}

/// KHR_texture_transform as two rows: translation · rotation · scale, the rotation
/// counter-clockwise where v grows downward.
fn uv_rows(reference: &TextureRef) -> [[f32; 4]; 2] {
    let (sin, cos) = enliven::math::sin_cos(reference.rotation);
    let (scale, offset) = (reference.scale, reference.offset);
    [[cos * scale.x, sin * scale.y, offset.x, 0.0], [-sin * scale.x, cos * scale.y, offset.y, 0.0]]
}

/// A buffer with contents.
pub(crate) fn buffer(
    gpu: &Gpu,
    label: &str,
    bytes: &[u8],
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    // Sizes are multiples of four; an empty buffer cannot be bound.
    let size = (bytes.len().max(4) as u64).next_multiple_of(4);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let whole = bytes.len() & !3;
    gpu.queue.write_buffer(&buffer, 0, &bytes[..whole]);
    if whole < bytes.len() {
        let mut last = [0; 4];
        last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
        gpu.queue.write_buffer(&buffer, whole as u64, &last);
    }
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;
    use enliven::TextureId;

    #[test]
    fn texture_transform_turns_as_the_extension_says() {
        // KHR_texture_transform's sample: offset, then rotation, then scale innermost.
        let reference = TextureRef {
            offset: Vec2::new(0.5, 0.25),
            rotation: std::f32::consts::FRAC_PI_2,
            scale: Vec2::new(2.0, 3.0),
            ..TextureRef::new(TextureId(0))
        };
        let [u, v] = uv_rows(&reference);
        let at = |row: [f32; 4], x: f32, y: f32| row[0] * x + row[1] * y + row[2];
        // (1, 0) → scaled (2, 0) → a quarter turn (0, −2) → moved.
        assert!((at(u, 1.0, 0.0) - 0.5).abs() < 1e-5);
        assert!((at(v, 1.0, 0.0) + 1.75).abs() < 1e-5);
        // (0, 1) → (0, 3) → (3, 0) → moved.
        assert!((at(u, 0.0, 1.0) - 3.5).abs() < 1e-5);
        assert!((at(v, 0.0, 1.0) - 0.25).abs() < 1e-5);
    }

    #[test]
    fn two_uv_sets_find_their_slots() {
        let mut material = Material {
            base_color_texture: Some(TextureRef { uv_set: 3, ..TextureRef::new(TextureId(0)) }),
            normal_texture: Some(TextureRef { uv_set: 1, ..TextureRef::new(TextureId(0)) }),
            ..Default::default()
        };
        let list = references(&material);
        assert_eq!(uv_sets(&list), [3, 1]);
        assert_eq!(uniform_of(&material, &list, [3, 1]).extra[1] as u32 & 0b101, 0b100);
        material.normal_texture = None;
        assert_eq!(uv_sets(&references(&material)), [3, 3]);
    }
}
