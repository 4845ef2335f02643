//! Images on the device, with smaller copies made here so that they are the same everywhere.

use enliven::{Image, Sampler, Wrap};

use crate::gpu::Gpu;
use crate::srgb;

/// What the numbers of an image mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// sRGB colour, linear alpha.
    Colour,
    /// Plain numbers.
    Data,
}

/// One size of an image.
struct Level {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
}

/// Uploads an image with all its smaller copies. An image larger than the device takes starts at
/// the first copy that fits.
pub(crate) fn upload(gpu: &Gpu, image: &Image, space: Space) -> wgpu::TextureView {
    let limit = gpu.max_size() as usize;
    let white = || Level { width: 1, height: 1, rgba: vec![255; 4] };
    let mut first = Level {
        width: image.width as usize,
        height: image.height as usize,
        rgba: image.rgba.clone(),
    };
    if first.width == 0 || first.height == 0 {
        first = white();
    }
    while first.width > limit || first.height > limit {
        first = halve(&first, space);
    }
    let format = match space {
        Space::Colour => wgpu::TextureFormat::Rgba8UnormSrgb,
        Space::Data => wgpu::TextureFormat::Rgba8Unorm,
    };
    let levels = first.width.max(first.height).ilog2() + 1;
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("image"),
        size: extent(&first),
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let mut level = first;
    for mip_level in 0..levels {
        if mip_level > 0 {
            level = halve(&level, space);
        }
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() },
            &level.rgba,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(level.width as u32 * 4),
                rows_per_image: None,
            },
            extent(&level),
        );
    }
    texture.create_view(&Default::default())
}

fn extent(level: &Level) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: level.width as u32,
        height: level.height as u32,
        depth_or_array_layers: 1,
    }
}

/// Half the size, rounded down. Colour is averaged in linear light and by opacity, so that what
/// hides behind alpha 0 does not bleed into edges.
fn halve(from: &Level, space: Space) -> Level {
    let (width, height) = ((from.width / 2).max(1), (from.height / 2).max(1));
    let mut rgba = Vec::with_capacity(width * height * 4);
    let decode = srgb::decode_table();
    let at = |x: usize, y: usize| {
        let i = (y.min(from.height - 1) * from.width + x.min(from.width - 1)) * 4;
        [from.rgba[i], from.rgba[i + 1], from.rgba[i + 2], from.rgba[i + 3]]
    };
    for y in 0..height {
        for x in 0..width {
            let texels = [
                at(2 * x, 2 * y),
                at(2 * x + 1, 2 * y),
                at(2 * x, 2 * y + 1),
                at(2 * x + 1, 2 * y + 1),
            ];
            let mean = |channel: usize| {
                (texels.iter().map(|texel| u32::from(texel[channel])).sum::<u32>() + 2) / 4
            };
            let alpha = mean(3) as u8;
            if space == Space::Data || texels[1..].iter().all(|texel| *texel == texels[0]) {
                rgba.extend([mean(0) as u8, mean(1) as u8, mean(2) as u8, alpha]);
                continue;
            }
            let opacity: u32 = texels.iter().map(|texel| u32::from(texel[3])).sum();
            for channel in 0..3 {
                let weighted: f32 = texels
                    .iter()
                    .map(|texel| {
                        let weight = if opacity == 0 { 1.0 } else { f32::from(texel[3]) };
                        decode[usize::from(texel[channel])] * weight
                    })
                    .sum();
                let total = if opacity == 0 { 4.0 } else { opacity as f32 };
                rgba.push(srgb::encode(weighted / total));
            }
            rgba.push(alpha);
        }
    }
    Level { width, height, rgba }
}

/// The device's sampler for a material's.
pub(crate) fn sampler(gpu: &Gpu, sampler: &Sampler) -> wgpu::Sampler {
    let wrap = |wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    let filter = |linear| if linear { wgpu::FilterMode::Linear } else { wgpu::FilterMode::Nearest };
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("material"),
        address_mode_u: wrap(sampler.wrap_u),
        address_mode_v: wrap(sampler.wrap_v),
        mag_filter: filter(sampler.mag_linear),
        min_filter: filter(sampler.min_linear),
        mipmap_filter: match sampler.mipmaps {
            Some(true) => wgpu::MipmapFilterMode::Linear,
            _ => wgpu::MipmapFilterMode::Nearest,
        },
        lod_max_clamp: if sampler.mipmaps.is_some() { 32.0 } else { 0.0 },
        ..Default::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(space: Space, texels: [[u8; 4]; 4], expect: [u8; 4]) {
        let level = Level { width: 2, height: 2, rgba: texels.concat() };
        assert_eq!(halve(&level, space).rgba, expect);
    }

    #[test]
    fn colour_is_averaged_in_linear_light() {
        let (black, white) = ([0, 0, 0, 255], [255; 4]);
        check(Space::Colour, [black, white, black, white], [188, 188, 188, 255]);
        check(Space::Data, [black, white, black, white], [128, 128, 128, 255]);
    }

    #[test]
    fn hidden_colour_does_not_bleed() {
        let (leaf, hole) = ([10, 200, 30, 255], [255, 0, 255, 0]);
        check(Space::Colour, [leaf, hole, hole, hole], [10, 200, 30, 64]);
        check(Space::Colour, [hole; 4], [255, 0, 255, 0]);
    }

    #[test]
    fn odd_sizes_shrink_to_one() {
        let mut level = Level { width: 5, height: 1, rgba: vec![77; 20] };
        for width in [2, 1, 1] {
            level = halve(&level, Space::Data);
            assert_eq!((level.width, level.height, level.rgba.len()), (width, 1, width * 4));
        }
        assert!(level.rgba.iter().all(|byte| *byte == 77));
    }
}
