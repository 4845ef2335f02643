//! The leaf that the creature holds over its head.

use super::creature::PAWS;
use super::shapes;
use crate::field::{Falloff, Prop};
use crate::{
    Binding, Character, Geometry, Image, ImageId, JointId, LeafLook, Material, MaterialId, Mesh,
    Regions, Rig, Sampler, Texture, TextureId, TextureRef, Transform, Wrap, math,
};
use glam::{Vec2, Vec3};
use std::sync::Arc;

/// Where the blade sits, metres.
const TOP: Vec3 = Vec3::new(-0.04, 1.27, 0.03);
/// How far the stem hangs below the paw.
const BELOW: f32 = 0.13;
/// Radius of the blade.
const RADIUS: f32 = 0.46;
/// How far the rim hangs below the middle.
const DROOP: f32 = 0.15;
/// Pixels of the picture of veins, each way.
const PIXELS: u32 = 512;
/// Facets: rings outward and segments around.
const RINGS: usize = 14;
const SEGMENTS: usize = 48;

/// What the leaf is, for [`field::bind`](crate::field::bind).
pub(super) fn anatomy() -> Prop {
    Prop {
        grip: PAWS[1],
        top: TOP,
        radius: RADIUS,
        stem: Falloff::Part("stem".into()),
        blade: Falloff::Part("blade".into()),
    }
}

/// The same character with a leaf in its paw.
pub(super) fn with_leaf(character: Character) -> Character {
    let mut parts = character.into_parts();
    let mut skeleton = parts.rig.skeleton;
    let root = (!skeleton.is_empty()).then_some(JointId(0));
    let green = MaterialId::new(parts.materials.len());
    parts.materials.push(Material {
        base_color_texture: Some(TextureRef::new(TextureId::new(parts.textures.len()))),
        roughness: 0.62,
        double_sided: true,
        leaf: Some(LeafLook::default()),
        ..Material::matte("leaf", Vec3::ONE)
    });
    parts.textures.push(Texture {
        name: "veins".into(),
        image: Some(ImageId::new(parts.images.len())),
        sampler: Sampler { wrap_u: Wrap::Clamp, wrap_v: Wrap::Clamp, ..Sampler::default() },
    });
    parts.images.push(veins());
    let wood = MaterialId::new(parts.materials.len());
    parts.materials.push(Material { roughness: 0.7, ..Material::matte("stalk", STALK) });
    for (name, geometry, material) in [("stem", stem(), wood), ("blade", blade(), green)] {
        // The root stands before all others: adding cannot fail.
        let joint = skeleton.push(name, root, Transform::IDENTITY).unwrap_or(JointId(0));
        parts.meshes.push(Mesh {
            name: name.into(),
            joint,
            geometry: Arc::new(geometry),
            material,
            binding: Binding::Rigid(joint),
            morphs: 0..0,
            shown: true,
        });
    }
    let regions = Regions::new(&skeleton, &[]);
    parts.rig = Rig::new(skeleton, parts.rig.channels, regions, parts.rig.height);
    super::made(parts)
}

// Linear RGB.
const STALK: Vec3 = Vec3::new(0.16, 0.2, 0.05);
const BLADE: Vec3 = Vec3::new(0.1, 0.26, 0.045);
const VEIN: Vec3 = Vec3::new(0.42, 0.55, 0.2);

fn axis() -> Vec3 {
    (TOP - PAWS[1]).normalize_or(Vec3::Y)
}

/// From +Y to the stem's axis.
fn lean() -> glam::Quat {
    glam::Quat::from_rotation_arc(Vec3::Y, axis())
}

/// The stem leans to the middle; the blade hangs nearly level from its end.
fn lean_of_blade() -> glam::Quat {
    glam::Quat::IDENTITY.slerp(lean(), 0.3) * math::rotation(Vec3::X, 0.1)
}

fn stem() -> Geometry {
    // Rings along the whole length, so that it can bend.
    let length = TOP.distance(PAWS[1]) + BELOW;
    let rings: Vec<shapes::Ring> = (0..=40)
        .map(|i| {
            let t = 1.0 - i as f32 / 40.0;
            let end = if i == 0 || i == 40 { 0.0 } else { 1.0 };
            shapes::Ring {
                radius: (0.0125 - 0.005 * t) * end,
                height: t * length,
                normal: Vec2::new(end, if i == 0 { 1.0 } else { end - 1.0 }),
            }
        })
        .collect();
    shapes::lathe(&rings, 10).turned(lean()).at(PAWS[1] - axis() * BELOW).into_geometry()
}

/// Outline by angle, of the radius: rounded, with a notch at the back and a soft tip in front.
fn outline(angle: f32) -> f32 {
    let tip = 0.5 + 0.5 * math::cos(angle);
    let notch = math::smoothstep(0.75, 1.0, 0.5 - 0.5 * math::cos(angle));
    let ripple = 0.018 * math::sin(9.0 * angle);
    0.86 + 0.14 * tip * tip * tip - 0.3 * notch * notch + ripple
}

fn blade() -> Geometry {
    let mut g = Geometry { uvs: vec![Vec::new()], ..Geometry::default() };
    for ring in 0..=RINGS {
        let r = ring as f32 / RINGS as f32;
        for k in 0..=SEGMENTS {
            let u = if k == SEGMENTS { 0.0 } else { k as f32 / SEGMENTS as f32 };
            // Angle 0 is the front, +Z.
            let a = u * math::TAU;
            let (s, c) = math::sin_cos(a);
            let reach = r * outline(a);
            // A dish that hangs at the rim, creased a little along the main veins.
            let crease = 0.012 * r * math::cos(7.0 * a);
            let y = -DROOP * reach * reach + 0.02 * r + crease;
            g.positions.push(Vec3::new(RADIUS * reach * s, y, RADIUS * reach * c));
            g.uvs[0].push(Vec2::new(0.5 + 0.48 * reach * s, 0.5 + 0.48 * reach * c));
        }
    }
    let row = SEGMENTS as u32 + 1;
    for ring in 0..RINGS as u32 {
        for k in 0..SEGMENTS as u32 {
            let (a, b) = (ring * row + k, (ring + 1) * row + k);
            g.indices.extend([a, b, b + 1]);
            if ring > 0 {
                g.indices.extend([a, b + 1, a + 1]);
            }
        }
    }
    let tilt = lean_of_blade();
    for p in &mut g.positions {
        *p = TOP + tilt * *p;
    }
    g.compute_normals();
    // The seam of the turn has two vertices at one place: they share a normal.
    for ring in 0..=RINGS {
        let (a, b) = (ring * row as usize, ring * row as usize + SEGMENTS);
        let n = (g.normals[a] + g.normals[b]).normalize_or(Vec3::Y);
        (g.normals[a], g.normals[b]) = (n, n);
    }
    // So does the middle.
    g.normals[..row as usize].fill(tilt * Vec3::Y);
    g
}

/// How much of a vein is at a place of the blade, in [0, 1]; the middle is (0, 0), the tip (0, 1).
fn vein(p: Vec2) -> f32 {
    const MAIN: f32 = 7.0;
    let r = p.length();
    let a = math::atan2(p.x, p.y);
    // Angle to the next main vein.
    let cell = math::TAU / MAIN;
    let off = (math::fract(a / cell + 0.5) - 0.5) * cell;
    let side = off.abs() * r;
    let main = 1.0 - math::smoothstep(0.0, 1.0, side / (0.02 * (1.1 - r)).max(1e-4));
    // Secondary veins leave the main ones at a slant, every tenth of the radius.
    let along = r - side * 0.9;
    let rung = (math::fract(along * 9.0) - 0.5).abs() / 9.0;
    let second = 0.6 * (1.0 - math::smoothstep(0.0, 0.007, rung)) * math::smoothstep(0.08, 0.2, r);
    // A fine net between them.
    let net = |k: f32, q: f32| 1.0 - math::smoothstep(0.0, 0.1, (math::fract(k * q) - 0.5).abs());
    let fine = 0.16 * net(40.0, along).max(net(34.0, r + 0.5 * off));
    main.max(second).max(fine)
}

/// Colour of the blade with its veins, sRGB; alpha is the veins alone.
fn veins() -> Image {
    let byte = |c: f32| {
        // IEC 61966-2-1.
        let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * math::pow(c, 1.0 / 2.4) - 0.055 };
        (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
    };
    let mut rgba = Vec::with_capacity((PIXELS * PIXELS * 4) as usize);
    for y in 0..PIXELS {
        for x in 0..PIXELS {
            let at = |v: u32| ((v as f32 + 0.5) / PIXELS as f32 - 0.5) / 0.48;
            let p = Vec2::new(at(x), at(y));
            let edge = math::smoothstep(0.55, 1.0, p.length());
            let v = vein(p);
            let c = (BLADE * (1.0 - 0.25 * edge)).lerp(VEIN, v);
            rgba.extend([byte(c.x), byte(c.y), byte(c.z), (v * 255.0 + 0.5) as u8]);
        }
    }
    Image { name: "veins".into(), width: PIXELS, height: PIXELS, rgba }
}
