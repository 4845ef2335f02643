//! Materials on the device.

use bytemuck::{Pod, Zeroable};
use enliven::glam::{Vec2, Vec3};
use enliven::{
    AlphaMode, ChannelKind, Character, Fur, Material, MaterialFactor, MaterialId, Outline, Shading,
    TextureRef, Toon,
};

use crate::features::Features;
use crate::furs::Coat;
use crate::gpu::Gpu;
use crate::motion::Motion;
use crate::pipeline::Pipelines;
use crate::texture::{self, Space};

/// Textures that a material can have: base colour, metallic-roughness, normal, occlusion,
/// emissive, shade; of MToon also shading shift, matcap, rim, outline width, mask of the motion.
pub(crate) const TEXTURES: usize = 11;
/// Those that the vertex stage reads too.
pub(crate) const VERTEX_TEXTURES: std::ops::Range<u32> = 9..11;

/// Layout of `Material` in `wgsl/surface.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MaterialUniform {
    base_colour: [f32; 4],
    emissive: [f32; 4],
    factors: [f32; 4],
    extra: [f32; 4],
    shade_colour: [f32; 4],
    tones: [f32; 4],
    matcap_colour: [f32; 4],
    rim_colour: [f32; 4],
    rim_shape: [f32; 4],
    ink_colour: [f32; 4],
    ink_shape: [f32; 4],
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
    pub(crate) uv_motion: [f32; 4],
}

/// Alpha below which a blended surface throws no shadow and cannot be picked.
const BLEND_CUTOFF: f32 = 0.5;

/// A material on the device.
pub(crate) struct GpuMaterial {
    pub(crate) group: wgpu::BindGroup,
    /// Switches that the material itself asks for.
    pub(crate) features: Features,
    pub(crate) blend: bool,
    /// Drawn in this order among mixed surfaces, and before any matter of distance.
    pub(crate) queue: i32,
    /// Mixed, and still hides what is behind it.
    pub(crate) depth_write: bool,
    /// It has an outline of its own, with these switches.
    pub(crate) ink: Option<Features>,
    /// Its textures move.
    pub(crate) motion: Option<Motion>,
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

/// Base colour 4, emissive 3, shade 3, uv offset 2, uv scale 2, drawn face 4, matcap 3, rim 3,
/// outline 3, and one to make it even.
pub(crate) const FACTORS: usize = 28;
const UV_OFFSET: usize = 10;
const UV_SCALE: usize = 12;
const FACE: usize = 14;
const MATCAP: usize = 18;
const RIM: usize = 21;
const OUTLINE: usize = 24;

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
        rest[FACE..MATCAP].copy_from_slice(&variant.to_array());
        rest[MATCAP..RIM].copy_from_slice(&material.toon.matcap_color.to_array());
        rest[RIM..OUTLINE].copy_from_slice(&material.toon.rim_color.to_array());
        rest[OUTLINE..OUTLINE + 3].copy_from_slice(&material.toon.outline_color.to_array());
        let offset = pair(MaterialFactor::UvOffset, 0.0);
        let scale = pair(MaterialFactor::UvScale, 1.0);
        Some(Self { rest, driven, offset, scale })
    }

    /// Whether a channel drives one of these.
    fn drives(&self, places: std::ops::Range<usize>) -> bool {
        self.driven.iter().any(|(_, place)| places.contains(place))
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
        MaterialFactor::Matcap(i) => (MATCAP, 3, i),
        MaterialFactor::Rim(i) => (RIM, 3, i),
        MaterialFactor::Outline(i) => (OUTLINE, 3, i),
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
        (material.toon.shading_shift_texture, Space::Data),
        (material.toon.matcap_texture, Space::Colour),
        (material.toon.rim_texture, Space::Colour),
        (material.toon.outline_width_texture, Space::Data),
        (material.toon.uv_animation_mask, Space::Data),
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
    let drives_rim = factors.as_ref().is_some_and(|f| f.drives(RIM..OUTLINE));
    let features = features_of(material)
        .and(Features::DRIVEN.when(factors.is_some()))
        .and(Features::RIM.when(material.shading == Shading::Toon && drives_rim));
    let toon = (material.shading == Shading::Toon).then_some(&material.toon);
    let blend = material.alpha_mode == AlphaMode::Blend;
    let depth_write = blend && toon.is_some_and(|toon| toon.depth_write);
    GpuMaterial {
        group,
        features,
        factors,
        blend,
        queue: queue_of(blend, toon),
        depth_write,
        ink: toon.filter(|toon| toon.outline != Outline::None && toon.outline_width > 0.0).map(
            |toon| {
                Features::INK.and(Features::INK_TEXTURE.when(toon.outline_width_texture.is_some()))
            },
        ),
        motion: toon.and_then(|toon| Motion::new(toon, buffer)),
        coat: material.fur.as_ref().and_then(coat),
        uv_sets,
    }
}

/// Mixed surfaces that hide what is behind them come before those that do not; each in the order
/// of its offset. Surfaces without MToon have the offset 0.
fn queue_of(blend: bool, toon: Option<&Toon>) -> i32 {
    let offset = toon.map_or(0, |toon| toon.render_queue_offset);
    match (blend, toon.is_some_and(|toon| toon.depth_write)) {
        (false, _) => 0,
        (true, true) => 1 + offset.clamp(0, QUEUES),
        (true, false) => 2 + 2 * QUEUES + offset.clamp(-QUEUES, 0),
    }
}

/// Most that a surface of MToon may be moved in the order of drawing.
const QUEUES: i32 = 9;

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
        .and(if toon { features_of_toon(&material.toon) } else { Features::NONE })
        .and(Features::FUR.when(material.fur.as_ref().and_then(coat).is_some()))
        .and(Features::FACE.and(Features::LOCAL).when(material.face.is_some()))
        .and(Features::LEAF.when(material.leaf.is_some()))
        .and(Features::SWAY.when(material.sway.is_some()))
        .and(Features::WATER.when(material.water.is_some()))
}

fn features_of_toon(toon: &Toon) -> Features {
    let has = |reference: &Option<TextureRef>| reference.is_some();
    let moves = Motion::is_in(toon);
    let matcap = has(&toon.matcap_texture);
    let rim = toon.rim_color != Vec3::ZERO;
    Features::SHADE_TEXTURE
        .when(has(&toon.shade_texture))
        .and(Features::SHIFT_TEXTURE.when(has(&toon.shading_shift_texture)))
        .and(Features::MATCAP.when(matcap))
        .and(Features::RIM.when(rim))
        .and(Features::RIM_TEXTURE.when(has(&toon.rim_texture)))
        .and(Features::UV_MOTION.when(moves))
        .and(Features::UV_MASK.when(moves && has(&toon.uv_animation_mask)))
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
    let toon = &material.toon;
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
        shade_colour: toon.shade_color.extend(0.0).to_array(),
        tones: [
            toon.shading_shift,
            toon.shading_toony,
            toon.shading_shift_scale,
            toon.gi_equalization,
        ],
        matcap_colour: toon.matcap_color.extend(0.0).to_array(),
        rim_colour: toon.rim_color.extend(0.0).to_array(),
        rim_shape: [toon.rim_power, toon.rim_lift, toon.rim_lighting_mix, 0.0],
        ink_colour: toon.outline_color.extend(toon.outline_lighting_mix).to_array(),
        ink_shape: [
            toon.outline_width,
            if toon.outline == Outline::Screen { 1.0 } else { 0.0 },
            0.0,
            0.0,
        ],
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
        uv_motion: [0.0; 4],
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
