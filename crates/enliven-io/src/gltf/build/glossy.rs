//! Specular-glossiness → metallic-roughness.

use enliven::{Image, ImageId, Material, Texture, TextureId, TextureRef, glam::Vec3};

use super::materials::srgb_to_linear;

/// A material whose metallic-roughness texture is still to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glossy {
    /// Index of the material.
    pub material: usize,
    /// RGB = specular colour (sRGB), A = glossiness.
    pub texture: TextureRef,
    /// Linear factors.
    pub diffuse: Vec3,
    pub specular: Vec3,
    pub glossiness: f32,
}

/// Reflectance of a dielectric at normal incidence, as glTF has it.
const DIELECTRIC: f32 = 0.04;

/// Brightness as people see it (ITU-R BT.601 luma weights on squares, the Khronos converter's).
fn brightness(color: Vec3) -> f32 {
    let squares = color * color;
    (0.299 * squares.x + 0.587 * squares.y + 0.114 * squares.z).sqrt()
}

/// Base colour and metalness of a surface with these diffuse and specular colours (linear): the
/// metalness solves for equal reflection in both models, as in the Khronos sample converter of
/// `KHR_materials_pbrSpecularGlossiness`.
pub(super) fn metal(diffuse: Vec3, specular: Vec3) -> (Vec3, f32) {
    let left = 1.0 - specular.max_element();
    let metallic = metalness(brightness(diffuse), brightness(specular), left);
    let from_diffuse = diffuse * (left / (1.0 - DIELECTRIC) / (1.0 - metallic).max(1e-6));
    let from_specular =
        (specular - Vec3::splat(DIELECTRIC * (1.0 - metallic))) / metallic.max(1e-6);
    let base = from_diffuse.lerp(from_specular, metallic * metallic);
    (base.clamp(Vec3::ZERO, Vec3::ONE), metallic)
}

fn metalness(diffuse: f32, specular: f32, left: f32) -> f32 {
    if specular < DIELECTRIC {
        return 0.0;
    }
    let a = DIELECTRIC;
    let b = diffuse * left / (1.0 - DIELECTRIC) + specular - 2.0 * DIELECTRIC;
    let c = DIELECTRIC - specular;
    let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
    ((root - b) / (2.0 * a)).clamp(0.0, 1.0)
}

/// Makes the texture of each of `glossy` and adds it after those of the file. Blue = metalness,
/// green = roughness.
pub(super) fn bake(
    glossy: &[Glossy],
    materials: &mut [Material],
    textures: &mut Vec<Texture>,
    images: &mut Vec<Image>,
) {
    // Of 8-bit sRGB.
    let linear: Vec<f32> = (0..=255u8).map(|v| srgb_to_linear(f32::from(v) / 255.0)).collect();
    for glossy in glossy {
        let source = &textures[glossy.texture.texture.index()];
        let Some(image) = source.image.map(|id| &images[id.index()]) else { continue };
        let pixels = image.rgba.chunks_exact(4).flat_map(|pixel| {
            let color = |i: usize| linear[usize::from(pixel[i])];
            let specular = glossy.specular * Vec3::new(color(0), color(1), color(2));
            let roughness = 1.0 - glossy.glossiness * (f32::from(pixel[3]) / 255.0);
            let (_, metallic) = metal(glossy.diffuse, specular);
            let byte = |value: f32| (value * 255.0 + 0.5) as u8;
            [0, byte(roughness), byte(metallic), 255]
        });
        let made = Image {
            name: format!("{} (metallic-roughness)", image.name),
            width: image.width,
            height: image.height,
            rgba: pixels.collect(),
        };
        let texture = Texture {
            name: source.name.clone(),
            image: Some(ImageId::new(images.len())),
            sampler: source.sampler,
        };
        images.push(made);
        let reference = TextureRef { texture: TextureId::new(textures.len()), ..glossy.texture };
        textures.push(texture);
        let material = &mut materials[glossy.material];
        material.metallic_roughness_texture = Some(reference);
        material.metallic = 1.0;
        material.roughness = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plastics_stay_and_metals_are_seen() {
        let (base, metallic) = metal(Vec3::new(0.5, 0.2, 0.1), Vec3::splat(0.04));
        assert!(metallic < 0.01, "{metallic}");
        assert!(base.abs_diff_eq(Vec3::new(0.5, 0.2, 0.1), 0.01), "{base}");
        let gold = Vec3::new(1.0, 0.77, 0.34);
        let (base, metallic) = metal(Vec3::ZERO, gold);
        assert!(metallic > 0.99, "{metallic}");
        assert!(base.abs_diff_eq(gold, 0.02), "{base}");
    }
}
