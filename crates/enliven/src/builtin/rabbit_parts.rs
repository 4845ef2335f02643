//! The rabbit's parts: where its joints are, what hangs on them, and how it is painted.
//!
//! Places are in model space, metres, for the left side (+X) where there are two. Every shape is
//! in the space of its joint. All numbers were judged by eye on the rendered body.

use super::shapes::{Ring, Shape, arc, cap, capsule, egg, ellipsoid, lathe, sphere, tube};
use crate::{Material, Side, math};
use glam::{Quat, Vec2, Vec3, Vec4};

pub(super) const HIPS: Vec3 = Vec3::new(0.0, 0.062, -0.008);
pub(super) const CHEST: Vec3 = Vec3::new(0.0, 0.128, 0.0);
pub(super) const HEAD: Vec3 = Vec3::new(0.0, 0.168, 0.006);
pub(super) const MUZZLE: Vec3 = Vec3::new(0.0, 0.2, 0.085);
pub(super) const TAIL: Vec3 = Vec3::new(0.0, 0.062, -0.083);
pub(super) const EYE: Vec3 = Vec3::new(0.052, 0.232, 0.06);
/// Eyes look outward and up a little, rad.
pub(super) const EYE_OUT: f32 = 0.5;
pub(super) const EYE_UP: f32 = -0.06;
pub(super) const EAR: Vec3 = Vec3::new(0.034, 0.288, 0.002);
pub(super) const EAR_OUT: f32 = 0.2;
pub(super) const EAR_BACK: f32 = -0.14;
/// Ears open to the front and outward, rad.
pub(super) const EAR_OPEN: f32 = 0.3;
/// Where an ear bends, metres from its base; its widest place is between.
pub(super) const EAR_BENDS: [f32; 2] = [0.048, 0.1];
const EAR_LOWER: f32 = 0.075;
pub(super) const SHOULDER: Vec3 = Vec3::new(0.052, 0.145, 0.034);
/// From hanging straight down, forward (about −X), rad.
pub(super) const ARM_FORWARD: f32 = -0.98;
pub(super) const ARM_IN: f32 = -0.3;
pub(super) const ARM_LENGTH: f32 = 0.048;
pub(super) const LEG: Vec3 = Vec3::new(0.058, 0.07, -0.012);
pub(super) const KNEE: Vec3 = Vec3::new(0.064, 0.05, 0.01);
pub(super) const ANKLE: Vec3 = Vec3::new(0.062, 0.02, -0.022);
/// The ball of the foot, on the ground.
pub(super) const FOOT: Vec3 = Vec3::new(0.062, 0.0, 0.04);

/// Half axes of the skull.
const SKULL: Vec3 = Vec3::new(0.094, 0.08, 0.083);
/// Its centre, from the head joint.
const SKULL_AT: Vec3 = Vec3::new(0.0, 0.06, 0.006);
const EYE_HALF: Vec3 = Vec3::new(0.0255, 0.031, 0.026);

/// Materials, in the order of the character's list.
#[derive(Clone, Copy)]
pub(super) enum Look {
    Fur,
    Eye,
    Glint,
    Nose,
    Line,
}

/// sRGB → linear.
fn rgb(hex: u32) -> Vec3 {
    let channel = |shift: u32| {
        let v = ((hex >> shift) & 255) as f32 / 255.0;
        if v <= 0.040_45 { v / 12.92 } else { math::pow((v + 0.055) / 1.055, 2.4) }
    };
    Vec3::new(channel(16), channel(8), channel(0))
}

const FUR: u32 = 0xc4_9a_74;
const FUR_DARK: u32 = 0x9d_75_55;
const CREAM: u32 = 0xfb_f0_e0;
const PINK: u32 = 0xf2_a7_a0;
const BLUSH: u32 = 0xf4_9c_8e;

pub(super) fn materials() -> Vec<Material> {
    let plain =
        |name: &str, roughness: f32| Material { roughness, ..Material::matte(name, Vec3::ONE) };
    vec![
        plain("fur", 0.9),
        plain("eye", 0.12),
        Material { base_color: Vec4::ONE, emissive: Vec3::splat(0.6), ..plain("glint", 0.4) },
        plain("nose", 0.35),
        plain("line", 0.8),
    ]
}

/// 1 at `center`, 0 from `radius` on, soft between.
fn spot(p: Vec3, center: Vec3, radius: f32) -> f32 {
    1.0 - math::smoothstep(0.0, 1.0, (p - center).length() / radius)
}

/// Darker along the back, lighter below: what sunlight leaves on fur.
fn coat(n: Vec3) -> Vec3 {
    let up = math::smoothstep(-0.2, 1.0, n.y * 0.8 - n.z * 0.45);
    rgb(FUR).lerp(rgb(FUR_DARK), 0.75 * up)
}

pub(super) fn body() -> Shape {
    let cream = rgb(CREAM);
    egg(Vec3::new(0.083, 0.088, 0.08), 0.2, 28).at(Vec3::new(0.0, 0.026, 0.0)).painted(|p, n| {
        // The bib: an oval of cream on the front.
        let d = Vec2::new(p.x / 0.058, (p.y - 0.028) / 0.085).length();
        let bib = (1.0 - math::smoothstep(0.75, 1.1, d)) * math::smoothstep(0.0, 0.35, n.z);
        coat(n).lerp(cream, bib)
    })
}

pub(super) fn ruff() -> Shape {
    let cream = rgb(CREAM);
    let puff = |x: f32, y: f32, z: f32, r: f32| sphere(r, 14).at(Vec3::new(x, y, z)).colored(cream);
    puff(0.0, 0.014, 0.038, 0.026)
        .with(puff(0.018, 0.022, 0.036, 0.02))
        .with(puff(-0.018, 0.022, 0.036, 0.02))
}

pub(super) fn head() -> Shape {
    let (cream, blush) = (rgb(CREAM), rgb(BLUSH));
    let paint = move |p: Vec3, n: Vec3| {
        let side = Vec3::new(p.x.abs(), p.y, p.z);
        let face = spot(side, Vec3::new(0.03, 0.022, 0.088), 0.075);
        let stripe =
            spot(Vec3::new(p.x * 2.2, (p.y - 0.07) * 0.55, p.z), Vec3::new(0.0, 0.0, 0.09), 0.05);
        let brow = spot(side, Vec3::new(0.047, 0.108, 0.072), 0.024);
        let cheek = spot(side, Vec3::new(0.073, 0.028, 0.063), 0.034);
        coat(n)
            .lerp(cream, (face * 1.6).min(1.0))
            .lerp(cream, (stripe * 1.3).min(0.9))
            .lerp(cream, brow * 0.55)
            .lerp(blush, cheek * 0.85)
    };
    let cheek =
        |x: f32| ellipsoid(Vec3::new(0.042, 0.037, 0.037), 20).at(Vec3::new(x, 0.031, 0.036));
    ellipsoid(SKULL, 32).at(SKULL_AT).with(cheek(0.047)).with(cheek(-0.047)).painted(paint)
}

pub(super) fn muzzle() -> Shape {
    let cream = rgb(CREAM);
    let puff = |x: f32| {
        ellipsoid(Vec3::new(0.02, 0.0165, 0.017), 16).at(Vec3::new(x, -0.003, 0.008)).colored(cream)
    };
    let chin = ellipsoid(Vec3::new(0.015, 0.011, 0.012), 14).at(Vec3::new(0.0, -0.017, 0.003));
    puff(0.0145).with(puff(-0.0145)).with(chin.colored(cream))
}

pub(super) fn nose() -> Shape {
    let (pink, light) = (rgb(0xe8_83_80), rgb(0xf6_b0_a8));
    egg(Vec3::new(0.0095, 0.0068, 0.0062), -0.3, 14)
        .at(Vec3::new(0.0, 0.0115, 0.0215))
        .painted(|_, n| pink.lerp(light, math::smoothstep(0.0, 1.0, n.y)))
}

pub(super) fn mouth() -> Shape {
    let line = rgb(0x8a_4a_44);
    // Along each puff of the muzzle, a little up at the outer end: a smile.
    let half = |out: f32| {
        arc(0.0142, 1.1, 0.0012, 8).turned(math::rotation(Vec3::Z, 0.22 * out)).at(Vec3::new(
            0.0145 * out,
            -0.0032,
            0.0182,
        ))
    };
    let groove = capsule(0.0011, 0.0011, 0.011, 6).at(Vec3::new(0.0, -0.008, 0.0176));
    half(1.0).with(half(-1.0)).with(groove).colored(line)
}

pub(super) fn tail() -> Shape {
    let white = rgb(0xff_f8_ef);
    let puff = |x: f32, y: f32, z: f32, r: f32| sphere(r, 14).at(Vec3::new(x, y, z));
    puff(0.0, 0.006, -0.012, 0.032)
        .with(puff(0.012, 0.018, -0.016, 0.02))
        .with(puff(-0.012, 0.016, -0.018, 0.02))
        .with(puff(0.0, -0.004, -0.024, 0.021))
        .colored(white)
}

/// The front of a sphere along +Z, squeezed to the eyeball's shape and blown up by `scale`.
fn eye_cap(angle: f32, scale: f32, rings: usize) -> Shape {
    cap(1.0, angle, rings)
        .turned(math::rotation(Vec3::X, core::f32::consts::FRAC_PI_2))
        .scaled(EYE_HALF * scale)
}

pub(super) fn eyeball() -> Shape {
    let (white, lid) = (rgb(0xff_fa_f4), rgb(0x2a_17_12));
    let half = EYE_HALF;
    eye_cap(core::f32::consts::PI, 1.0, 24).painted(move |p, _| {
        // The rim that meets the fur is a dark lash line.
        let off = math::acos((p / half).normalize().z);
        white.lerp(lid, math::smoothstep(1.0, 1.12, off))
    })
}

pub(super) fn pupil() -> Shape {
    let (black, brown) = (rgb(0x12_0a_0a), rgb(0x6a_42_2c));
    let half = EYE_HALF;
    eye_cap(0.98, 1.02, 20).painted(move |p, _| {
        let d = p / half;
        let off = math::acos(d.normalize().z);
        // The iris glows at the bottom, where light that fell in from above leaves.
        let glow = math::smoothstep(0.25, -0.75, d.y) * math::smoothstep(0.35, 0.6, off);
        black.lerp(brown, glow * (1.0 - math::smoothstep(0.85, 0.98, off)))
    })
}

pub(super) fn glint(side: Side) -> Shape {
    // Both eyes mirror the same light, so the glints are not mirrored.
    let out = 0.5 * side.sign();
    let spot = |yaw: f32, pitch: f32, radius: f32| {
        let dir = math::rotation(Vec3::Y, yaw - out) * math::rotation(Vec3::X, pitch) * Vec3::Z;
        ellipsoid(Vec3::splat(radius), 12).at(dir * EYE_HALF * 0.975)
    };
    spot(0.32 + out * 0.9, -0.48, 0.0066)
        .with(spot(-0.3 + out * 0.9, 0.42, 0.0032))
        .colored(Vec3::ONE)
}

/// The line of a shut eye, in the head's space: it lies on the skull, under the eyeball, which
/// hides it until it is squashed away.
pub(super) fn lash(gaze: Quat, eye: Vec3) -> Shape {
    let from = eye - SKULL_AT;
    let (across, up) = (gaze * Vec3::X, gaze * Vec3::Y);
    tube(0.0017, 10, |t| {
        let x = math::lerp(-1.0, 1.0, t);
        // A smile: the ends are up.
        let p = from + across * (0.0215 * x) + up * (0.011 * x * x - 0.009);
        // Onto the skull, just proud of it.
        SKULL_AT + p * (1.006 / (p / SKULL).length())
    })
    .colored(rgb(0x3a_22_1c))
}

/// Half width of an ear at its base and at its widest, metres.
const EAR_WIDTH: [f32; 2] = [0.0135, 0.0235];
const EAR_UPPER: f32 = 0.082;
/// An ear's thickness as a share of its width.
const EAR_FLAT: f32 = 0.4;

/// Half width of an ear `y` metres above its widest place.
fn ear_width(y: f32) -> f32 {
    let [base, widest] = EAR_WIDTH;
    if y < 0.0 {
        let t = (1.0 + y / EAR_LOWER).max(0.0);
        base + (widest - base) * math::sin(t * core::f32::consts::FRAC_PI_2)
    } else {
        let t = (y / EAR_UPPER).min(1.0);
        widest * math::pow(1.0 - math::pow(t, 2.2), 0.62)
    }
}

/// The part of an ear from `low` to `high`, metres above its widest place, with round ends; the
/// origin stays at the widest place. An end is round where the ear bends, about X: as high as the
/// ear is thick.
fn ear(low: f32, high: f32) -> Shape {
    const END: usize = 8;
    const ROWS: usize = 22;
    let quarter = |i: usize| math::sin_cos(core::f32::consts::FRAC_PI_2 * i as f32 / END as f32);
    let mut rings = Vec::with_capacity(2 * END + ROWS + 1);
    let (top, bottom) = (ear_width(high), ear_width(low));
    if top > 0.0 {
        rings.extend((0..END).map(quarter).map(|(s, c)| Ring {
            radius: top * s,
            height: high + EAR_FLAT * top * c,
            normal: Vec2::new(s * EAR_FLAT, c),
        }));
    }
    rings.extend((0..=ROWS).map(|i| {
        // Rows lie closer toward the tip, where the outline turns.
        let t = math::sin(core::f32::consts::FRAC_PI_2 * (1.0 - i as f32 / ROWS as f32));
        let y = math::lerp(low, high, t);
        let d = 1e-4;
        let slope = (ear_width(y + d) - ear_width(y - d)) / (2.0 * d);
        let pole = i == 0 && top <= 0.0;
        let normal = if pole { Vec2::Y } else { Vec2::new(1.0, -slope) };
        Ring { radius: ear_width(y), height: y, normal }
    }));
    rings.extend((0..END).rev().map(quarter).map(|(s, c)| Ring {
        radius: bottom * s,
        height: low - EAR_FLAT * bottom * c,
        normal: Vec2::new(s * EAR_FLAT, -c),
    }));
    let (pink, deep) = (rgb(PINK), rgb(0xd9_80_7c));
    lathe(&rings, 32).scaled(Vec3::new(1.0, 1.0, EAR_FLAT)).painted(move |p, n| {
        // The inside of the ear: an oval that leaves a rim of fur, deeper toward its middle.
        let x = p.x.abs() / ear_width(p.y).max(1e-4);
        let y = math::smoothstep(-EAR_LOWER - 0.01, -EAR_LOWER + 0.02, p.y)
            * math::smoothstep(EAR_UPPER, EAR_UPPER - 0.02, p.y);
        let inside = math::smoothstep(0.74, 0.62, x) * y * math::smoothstep(0.0, 0.15, n.z);
        let tipped = math::smoothstep(0.0, EAR_UPPER, p.y) * 0.5 + 0.3;
        let fur = coat(Vec3::new(n.x, 0.2, n.z)).lerp(rgb(FUR_DARK), tipped);
        fur.lerp(pink.lerp(deep, math::smoothstep(0.6, 0.0, x) * 0.75), inside)
    })
}

/// The three parts of an ear, each in the space of its joint.
pub(super) fn ears() -> [Shape; 3] {
    let [a, b] = EAR_BENDS.map(|y| y - EAR_LOWER);
    let part = |low: f32, high: f32| ear(low, high).at(Vec3::new(0.0, -low, 0.0));
    [part(-EAR_LOWER, a), part(a, b), part(b, EAR_UPPER)]
}

pub(super) fn arm() -> Shape {
    capsule(0.0235, 0.0185, ARM_LENGTH, 14)
        .turned(math::rotation(Vec3::X, core::f32::consts::PI))
        .painted(|_, n| coat(Vec3::new(n.x, n.y, n.z)))
}

pub(super) fn paw() -> Shape {
    let cream = rgb(CREAM);
    ellipsoid(Vec3::new(0.0205, 0.021, 0.021), 16)
        .at(Vec3::new(0.0, -0.006, 0.002))
        .painted(|p, n| coat(n).lerp(cream, math::smoothstep(0.01, -0.012, p.y)))
}

pub(super) fn thigh(side: Side) -> Shape {
    let out = side.sign();
    ellipsoid(Vec3::new(0.036, 0.05, 0.055), 20)
        .turned(math::rotation(Vec3::Z, -0.16 * out) * math::rotation(Vec3::X, 0.25))
        .at(Vec3::new(0.006 * out, -0.004, 0.008))
        .painted(|_, n| coat(n))
}

pub(super) fn shin(length: f32) -> Shape {
    // It is stretched along its length: flat ends do not become spikes.
    const FLAT: f32 = 0.3;
    capsule(0.034, 0.0235, length / FLAT, 12)
        .scaled(Vec3::new(1.0, FLAT, 1.0))
        .turned(math::rotation(Vec3::X, core::f32::consts::PI))
        .painted(|_, n| coat(n))
}

pub(super) fn foot() -> Shape {
    let (cream, pad) = (rgb(CREAM), rgb(PINK));
    let sole = ellipsoid(Vec3::new(0.0285, 0.0185, 0.062), 20)
        .at(Vec3::new(0.0, 0.0185, -0.012))
        .painted(|p, n| coat(n).lerp(cream, math::smoothstep(-0.03, 0.03, p.z) * 0.85));
    let toe = |x: f32, z: f32| {
        sphere(0.0128, 12)
            .at(Vec3::new(x, 0.0148, z))
            .painted(|_, n| cream.lerp(pad, math::smoothstep(-0.4, -0.9, n.y)))
    };
    sole.with(toe(-0.0155, 0.034)).with(toe(0.0, 0.039)).with(toe(0.0155, 0.034))
}

pub(super) fn heel() -> Shape {
    sphere(0.0205, 14).painted(|_, n| coat(n))
}
