//! The built-in creature: a round, furry river sprite, static and without a skeleton, so that all
//! of its life comes through an [`Anatomy`].

use super::creature_leaf as leaf;
use super::creature_surface::{blend, capsule, carve, ellipsoid, skin};
use super::shapes::{self, Shape};
use crate::field::{self, Anatomy, Arm, Belly, Ear, Eye, Falloff, Head, Leg, Pupil};
use crate::{
    Binding, Channels, Character, CharacterParts, Fur, Geometry, JointId, Material, MaterialId,
    Mesh, Regions, Rig, Side, Skeleton, Transform, math,
};
use glam::{Quat, Vec3, Vec4};
use std::sync::Arc;

/// Height from the soles to the tips of the ears, metres.
pub(super) const HEIGHT: f32 = 1.0;

// Places on the character's left, metres; the right is their mirror image.
const EYE: Vec3 = Vec3::new(0.098, 0.672, 0.158);
const EYE_RADIUS: f32 = 0.068;
/// The face is round: eyes look a little outward.
const EYE_YAW: f32 = 0.2;
const EAR_BASE: Vec3 = Vec3::new(0.135, 0.84, -0.02);
const EAR_TIP: Vec3 = Vec3::new(0.172, 0.952, -0.03);
const EAR_RADIUS: [f32; 2] = [0.062, 0.048];
const KNEE: Vec3 = Vec3::new(0.125, 0.2, 0.08);
const ANKLE: Vec3 = Vec3::new(0.135, 0.064, 0.09);
pub(super) const SHOULDER: Vec3 = Vec3::new(0.225, 0.47, 0.06);
/// The left paw rests on the belly, the right one holds something up.
pub(super) const PAWS: [Vec3; 2] = [Vec3::new(0.15, 0.335, 0.285), Vec3::new(-0.262, 0.475, 0.235)];
/// Cells of the skin, metres.
const STEP: f32 = 0.0145;

/// Material of each part.
#[derive(Clone, Copy)]
enum Look {
    Fur,
    White,
    Pupil,
    Dark,
}

/// A furry round creature, 1 m tall, facing +Z, sitting or standing at the origin: a static body
/// with loose parts for eyes, pupils, arms and legs, and no skeleton. [`creature`] is the same
/// with a rig.
pub fn creature_statue() -> Character {
    let mut skeleton = Skeleton::new();
    let mut meshes = Vec::new();
    let mut add = |name: &str, at: Vec3, parts: Vec<(Look, Geometry)>| {
        let parent = (!skeleton.is_empty()).then_some(JointId(0));
        let rest = Transform::from_translation(at);
        // The root stands before all others: adding cannot fail.
        let joint = skeleton.push(name, parent, rest).unwrap_or(JointId(0));
        for (look, mut g) in parts {
            g.positions.iter_mut().for_each(|p| *p -= at);
            meshes.push(Mesh {
                name: name.to_owned(),
                joint,
                geometry: Arc::new(g),
                material: MaterialId::new(look as usize),
                binding: Binding::Rigid(joint),
                morphs: 0..0,
                shown: true,
            });
        }
    };
    add("creature", Vec3::ZERO, vec![]);
    add("body", Vec3::ZERO, vec![(Look::Fur, body())]);
    add("face", Vec3::ZERO, vec![(Look::Dark, face())]);
    add("lids", Vec3::ZERO, Side::BOTH.map(|s| (Look::Dark, crease(s))).to_vec());
    let eyes = Side::BOTH.map(|s| eye(s).into_geometry());
    let pupils = Side::BOTH.map(pupil);
    add("eyes", Vec3::ZERO, eyes.map(|g| (Look::White, g)).to_vec());
    add("pupils", Vec3::ZERO, pupils.map(|g| (Look::Pupil, g)).to_vec());
    for side in Side::BOTH {
        let letter = if side == Side::Left { "L" } else { "R" };
        add(&format!("arm.{letter}"), on(side, SHOULDER), vec![(Look::Fur, arm(side))]);
        add(&format!("leg.{letter}"), on(side, KNEE), vec![(Look::Fur, leg(side))]);
    }
    let regions = Regions::new(&skeleton, &[]);
    let matte =
        |name: &str, roughness: f32| Material { roughness, ..Material::matte(name, Vec3::ONE) };
    let parts = CharacterParts {
        name: "creature".into(),
        rig: Rig::new(skeleton, Channels::new(), regions, HEIGHT),
        meshes,
        skins: vec![],
        materials: vec![
            Material { fur: Some(coat()), ..matte("fur", 0.95) },
            Material { base_color: Vec4::new(0.86, 0.84, 0.78, 1.0), ..matte("eye_white", 0.25) },
            matte("pupil", 0.12),
            matte("face", 0.6),
        ],
        textures: vec![],
        images: vec![],
        clips: vec![],
        meta: super::meta("Creature"),
    };
    super::made(parts)
}

/// The creature with joints, a leaf for an umbrella in its right paw: [`creature_statue`] and a
/// leaf, bound by [`creature_anatomy`] and the leaf's. Makes a new one each time; share it in an
/// `Arc`.
pub fn creature() -> Character {
    let anatomy = Anatomy { prop: Some(leaf::anatomy()), ..creature_anatomy() };
    match field::bind(&leaf::with_leaf(creature_statue()), &anatomy) {
        Ok(bound) => bound.character,
        Err(e) => unreachable!("the parts are made to fit: {e}"),
    }
}

/// How the creature was constructed: what a measurement has to find.
pub fn creature_anatomy() -> Anatomy {
    let part = |name: &str| Falloff::Part(name.into());
    let half = |side: Side| Falloff::Ramp { axis: Vec3::X * side.sign(), from: -0.001, to: 0.001 };
    let arm_field = |side: Side| part(if side == Side::Left { "arm.L" } else { "arm.R" });
    let arms = Falloff::Any(Side::BOTH.map(arm_field).to_vec());
    Anatomy {
        base: 0.0,
        height: HEIGHT,
        front: Vec3::Z,
        head: Some(Head {
            pivot: Vec3::new(0.0, 0.358, 0.0),
            field: Falloff::Ramp { axis: Vec3::Y, from: 0.358, to: 0.638 }.without(arms),
            limit: 1.0,
        }),
        eyes: Side::BOTH
            .map(|side| Eye {
                side: Some(side),
                center: on(side, EYE),
                radius: EYE_RADIUS,
                forward: math::rotation(Vec3::Y, EYE_YAW * side.sign()) * Vec3::Z,
                field: Falloff::All(vec![part("eye_white"), half(side)]),
                pupil: Some(Pupil {
                    center: on(side, EYE) + iris_center(side),
                    field: Falloff::All(vec![part("pupil"), half(side)]),
                }),
                inset: false,
            })
            .to_vec(),
        ears: Side::BOTH
            .map(|side| Ear {
                side: Some(side),
                base: Vec3::new(0.155 * side.sign(), 0.9, -0.025),
                tip: on(side, EAR_TIP) + Vec3::Y * EAR_RADIUS[1],
                field: Falloff::All(vec![
                    Falloff::Ramp { axis: Vec3::Y, from: 0.9, to: 1.01 },
                    half(side),
                ]),
            })
            .to_vec(),
        arms: Side::BOTH
            .map(|side| Arm {
                side,
                shoulder: on(side, SHOULDER),
                hand: PAWS[side as usize],
                field: arm_field(side),
            })
            .to_vec(),
        legs: Side::BOTH
            .map(|side| Leg {
                side,
                knee: on(side, KNEE),
                foot: on(side, ANKLE) + Vec3::new(0.0, -0.02, 0.04),
                // Eased in over 10 cm, so that the knee stays soft (A7).
                field: Falloff::All(vec![
                    part(if side == Side::Left { "leg.L" } else { "leg.R" }),
                    Falloff::Ramp { axis: Vec3::NEG_Y, from: -0.22, to: -0.12 },
                ]),
            })
            .to_vec(),
        belly: Some(Belly {
            center: Vec3::new(0.0, 0.37, -0.005),
            field: Falloff::All(vec![
                part("body"),
                Falloff::Ramp { axis: Vec3::Y, from: 0.12, to: 0.36 },
                Falloff::Ramp { axis: Vec3::Y, from: 0.72, to: 0.42 },
            ]),
            push: 0.008 * HEIGHT,
        }),
        grip: Some(PAWS[1]),
        prop: None,
    }
}

/// A place of the left side on either.
fn on(side: Side, p: Vec3) -> Vec3 {
    Vec3::new(p.x * side.sign(), p.y, p.z)
}

fn mirrored(p: Vec3) -> Vec3 {
    Vec3::new(p.x.abs(), p.y, p.z)
}

/// Distance to the body: a pear with a round head, muzzle, ears, a stub of a tail, and hollows for
/// the eyes.
fn body_distance(p: Vec3) -> f32 {
    let m = mirrored(p);
    let trunk = ellipsoid(p - Vec3::new(0.0, 0.37, -0.005), Vec3::new(0.285, 0.275, 0.262));
    let head = ellipsoid(p - Vec3::new(0.0, 0.67, 0.0), Vec3::new(0.238, 0.205, 0.212));
    let cheek = ellipsoid(m - Vec3::new(0.13, 0.585, 0.105), Vec3::new(0.095, 0.075, 0.09));
    let muzzle = ellipsoid(p - Vec3::new(0.0, 0.592, 0.195), Vec3::new(0.08, 0.052, 0.052));
    let ear = capsule(m, EAR_BASE, EAR_TIP, EAR_RADIUS[0], EAR_RADIUS[1]);
    // Ears are cups, open to the front.
    let cup = (m - EAR_TIP - Vec3::new(0.0, -0.03, 0.058)).length() - 0.04;
    let tail = ellipsoid(p - Vec3::new(0.0, 0.2, -0.26), Vec3::new(0.075, 0.07, 0.075));
    let mut d = blend(trunk, head, 0.17);
    d = blend(d, cheek, 0.08);
    d = blend(d, muzzle, 0.045);
    d = blend(d, carve(ear, cup, 0.02), 0.05);
    d = blend(d, tail, 0.05);
    // A shallow hollow: shut, its floor is the lid.
    let hollow = ellipsoid(m - EYE - Vec3::new(0.008, 0.0, 0.056), Vec3::new(0.076, 0.076, 0.034));
    carve(d, hollow, 0.016) * 0.9
}

// Linear RGB.
const BACK: Vec3 = Vec3::new(0.085, 0.15, 0.16);
const CREAM: Vec3 = Vec3::new(0.62, 0.5, 0.33);
const TIP: Vec3 = Vec3::new(0.035, 0.07, 0.08);
const PINK: Vec3 = Vec3::new(0.5, 0.22, 0.17);

fn body_color(p: Vec3, n: Vec3) -> Vec3 {
    let m = mirrored(p);
    let step = math::smoothstep;
    // Cream belly and muzzle, darker crown, tips and rims of the eyes.
    let belly = 1.0
        - step(0.7, 1.05, ((p - Vec3::new(0.0, 0.36, 0.24)) / Vec3::new(0.2, 0.22, 0.3)).length());
    let muzzle = 1.0
        - step(
            0.75,
            1.1,
            ((p - Vec3::new(0.0, 0.59, 0.2)) / Vec3::new(0.13, 0.075, 0.12)).length(),
        );
    let cheek = 1.0 - step(0.3, 1.0, m.distance(Vec3::new(0.155, 0.575, 0.17)) / 0.055);
    let mut c = BACK.lerp(CREAM, belly.max(muzzle));
    c = c.lerp(PINK, 0.55 * cheek);
    c = c.lerp(TIP, 0.75 * step(0.87, 0.99, p.y));
    let cup = 1.0 - step(0.6, 1.0, m.distance(EAR_TIP + Vec3::new(0.0, -0.03, 0.03)) / 0.05);
    c = c.lerp(PINK, cup * step(0.2, 0.7, n.z));
    // Three soft bands over the back, like ripples.
    let ripple = 0.5 + 0.5 * math::sin(p.y * 44.0 + 2.5 * (p.x * p.x * 12.0));
    c = c.lerp(TIP, 0.4 * ripple * ripple * step(0.05, -0.12, p.z) * step(0.15, 0.3, p.y));
    let rim = m.distance(EYE + Vec3::new(0.006, 0.0, 0.0)) / EYE_RADIUS;
    let lid = 1.0 - step(1.12, 1.4, rim);
    c.lerp(BACK.lerp(CREAM, 0.14) * 0.9, lid * 0.9)
}

/// Colours, and how long the hair is of the coat's longest.
fn painted(
    mut g: Geometry,
    color: impl Fn(Vec3, Vec3) -> Vec3,
    hair: impl Fn(Vec3) -> f32,
) -> Geometry {
    let vertices = g.positions.iter().zip(&g.normals);
    g.colors = vertices.map(|(p, n)| color(*p, *n).extend(hair(*p))).collect();
    g
}

fn coat() -> Fur {
    Fur {
        length: 0.042,
        shells: 20,
        density: 165.0,
        thickness: 0.8,
        lie: Vec3::new(0.0, -0.85, -0.5),
        comb: 0.55,
        gravity: 0.15,
        wind: 0.12,
        root_light: 0.42,
        rim: 0.55,
    }
}

/// Bare round the eyes, in the ears and on the nose, short on the muzzle.
fn body_hair(p: Vec3) -> f32 {
    let m = mirrored(p);
    let step = math::smoothstep;
    let eye = step(1.18, 2.1, m.distance(EYE) / EYE_RADIUS);
    let muzzle =
        step(0.5, 1.5, ((p - Vec3::new(0.0, 0.6, 0.235)) / Vec3::new(0.1, 0.07, 0.07)).length());
    let cup = step(0.8, 1.5, m.distance(EAR_TIP + Vec3::new(0.0, -0.03, 0.045)) / 0.05);
    let ear = 1.0 - 0.45 * step(0.86, 0.96, p.y);
    let belly =
        1.0 - 0.25 * (1.0 - step(0.7, 1.1, ((p - Vec3::new(0.0, 0.36, 0.24)) / 0.25).length()));
    eye * (0.22 + 0.78 * muzzle) * (0.1 + 0.9 * cup) * ear * belly
}

fn body() -> Geometry {
    let (low, high) = (Vec3::new(-0.36, 0.06, -0.37), Vec3::new(0.36, 1.03, 0.33));
    painted(skin(low, high, STEP, body_distance), body_color, body_hair)
}

/// Direction of an eye's look: from the model's +Z.
fn eye_turn(side: Side) -> Quat {
    math::rotation(Vec3::Y, EYE_YAW * side.sign())
}

fn eye(side: Side) -> Shape {
    shapes::sphere(EYE_RADIUS, 20).at(on(side, EYE))
}

/// Middle of the box of the iris against the eye's, before the turn of [`eye_turn`] is spread over
/// its box.
fn iris_center(side: Side) -> Vec3 {
    let g = pupil(side);
    let (low, high) = g.bounds().unwrap_or_default();
    (low + high) * 0.5 - on(side, EYE)
}

/// Iris and pupil as a cap on the ball, with a glint.
fn pupil(side: Side) -> Geometry {
    let r = EYE_RADIUS * 1.012;
    let dark = Vec3::new(0.008, 0.006, 0.006);
    let amber = Vec3::new(0.34, 0.14, 0.025);
    let angle = 0.98;
    // Caps open along +Y; the eye looks along +Z.
    let forward = math::rotation(Vec3::X, math::PI * 0.5);
    let iris = shapes::cap(r, angle, 14).painted(|p, _| {
        let a = math::acos(p.y / r) / angle;
        let edge = math::smoothstep(0.84, 0.97, a);
        let hole = 1.0 - math::smoothstep(0.56, 0.64, a);
        let ring = amber * (0.55 + 0.75 * math::smoothstep(0.55, 0.9, a));
        ring.lerp(dark, edge.max(hole))
    });
    let glint = shapes::ellipsoid(Vec3::new(0.0125, 0.005, 0.0125), 8)
        .at(Vec3::Y * (r + 0.001))
        .turned(math::rotation(Vec3::X, 0.33) * math::rotation(Vec3::Z, 0.3))
        .colored(Vec3::splat(0.9));
    // The glint sits up and to one side on both eyes: one light lights them.
    let glint = glint.turned(forward * math::rotation(Vec3::X, -0.7));
    iris.turned(forward).with(glint).turned(eye_turn(side)).at(on(side, EYE)).into_geometry()
}

/// Nose and mouth.
fn face() -> Geometry {
    let dark = Vec3::new(0.012, 0.012, 0.015);
    let nose = shapes::ellipsoid(Vec3::new(0.032, 0.022, 0.02), 12)
        .at(Vec3::new(0.0, 0.622, 0.246))
        .colored(dark);
    let smile = |side: Side| {
        shapes::arc(0.026, 0.95, 0.0045, 6)
            .at(Vec3::new(0.024 * side.sign(), 0.598, 0.2525))
            .colored(dark)
    };
    let mut shape = nose;
    for side in Side::BOTH {
        shape = shape.with(smile(side));
    }
    shape.into_geometry()
}

/// The crease of a lid: it lies on the floor of the hollow, within the eyeball, and is seen when
/// the eye is shut.
fn crease(side: Side) -> Geometry {
    shapes::arc(0.066, 0.75, 0.006, 8)
        .at(Vec3::new(0.0, 0.05, 0.032))
        .turned(eye_turn(side))
        .at(on(side, EYE))
        .colored(Vec3::new(0.012, 0.012, 0.015))
        .into_geometry()
}

fn arm(side: Side) -> Geometry {
    let (shoulder, paw) = (on(side, SHOULDER), PAWS[side as usize]);
    let elbow = (shoulder + paw) * 0.5 + Vec3::new(0.05 * side.sign(), -0.05, 0.0);
    let toe = |k: f32| paw + Vec3::new(k * 0.022, -0.012, 0.034);
    let distance = |p: Vec3| {
        let upper = capsule(p, shoulder, elbow, 0.062, 0.054);
        let lower = capsule(p, elbow, paw, 0.054, 0.048);
        let mut d = blend(upper, lower, 0.03);
        d = blend(d, p.distance(paw) - 0.056, 0.03);
        for k in [-1.0, 0.0, 1.0] {
            d = blend(d, p.distance(toe(k)) - 0.02, 0.012);
        }
        d * 0.9
    };
    let reach = Vec3::splat(0.1);
    let (low, high) = (shoulder.min(paw).min(elbow) - reach, shoulder.max(paw).max(elbow) + reach);
    let end = move |p: Vec3| 1.0 - math::smoothstep(0.03, 0.11, p.distance(paw));
    let color = move |p, _| BACK.lerp(TIP, 0.8 * end(p));
    painted(skin(low, high, STEP, distance), color, move |p| 0.8 - 0.55 * end(p))
}

fn leg(side: Side) -> Geometry {
    let (knee, ankle) = (on(side, KNEE), on(side, ANKLE));
    let foot = ankle + Vec3::new(0.008 * side.sign(), -0.005, 0.045);
    let distance = |p: Vec3| {
        let shin = capsule(p, knee, ankle, 0.078, 0.056);
        let sole = ellipsoid(p - foot, Vec3::new(0.06, 0.047, 0.085));
        let mut d = blend(shin, sole, 0.05);
        for k in [-1.0, 0.0, 1.0] {
            let toe = foot + Vec3::new(k * 0.032, -0.01, 0.075 - 0.012 * k * k);
            d = blend(d, p.distance(toe) - 0.024, 0.014);
        }
        d * 0.9
    };
    let reach = Vec3::new(0.11, 0.1, 0.15);
    let (low, high) = (knee.min(foot) - reach, knee.max(foot) + reach);
    let end = |p: Vec3| 1.0 - math::smoothstep(0.05, 0.13, p.y);
    let color = move |p, _| BACK.lerp(TIP, 0.8 * end(p));
    painted(skin(low, high, STEP, distance), color, move |p| 0.85 - 0.6 * end(p))
}
