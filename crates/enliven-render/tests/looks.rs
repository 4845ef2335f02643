//! The looks that have figures: the leaf's glow, the spirits' hollows, shut eyes.

mod common;

use std::sync::Arc;

use enliven::builtin::{SpiritLook, creature, spirit};
use enliven::glam::{Mat4, Vec3};
use enliven::layers::Lids;
use enliven::{Actor, Character, JointId, Region, Side, Transform};
use enliven_render::{
    Body, Bounds, Camera, Framing, Gpu, Headless, Hit, Picture, Renderer, Scene, Stage, TimeOfDay,
    points_of,
};

const SIZE: u32 = 240;

/// A picture with what each of its pixels shows.
struct Seen {
    picture: Picture,
    ids: Vec<Option<Hit>>,
    clip: Mat4,
}

impl Seen {
    /// The pixels for which the character's mesh of that name is seen.
    fn of_mesh(&self, character: &Character, name: &str) -> Vec<[u8; 4]> {
        let pixels = (0..SIZE * SIZE).filter(|i| {
            self.ids[*i as usize].is_some_and(|hit| character.meshes[hit.mesh].name == name)
        });
        pixels.map(|i| self.picture.pixel(i % SIZE, i / SIZE)).collect()
    }

    /// The brightest channel at a place of the world.
    fn at(&self, place: Vec3) -> u8 {
        let p = self.clip.project_point3(place);
        let half = SIZE as f32 * 0.5;
        let [r, g, b, _] =
            self.picture.pixel((half * (p.x + 1.0)) as u32, (half * (1.0 - p.y)) as u32);
        r.max(g).max(b)
    }
}

fn see(gpu: &Gpu, actor: &Actor, camera: Camera, change: impl FnOnce(&mut Stage)) -> Seen {
    let mut renderer = Renderer::new(gpu);
    let model = renderer.upload(gpu, actor.character()).expect("the model fits the device");
    let bounds = Bounds::of(points_of(actor.character(), actor.pose())).expect("points");
    let mut stage = Stage::under(&bounds);
    change(&mut stage);
    let scene = Scene { camera, stage, bodies: &[Body::of(&model, actor)], lines: &[] };
    let target = Headless::new(gpu, SIZE, SIZE).expect("a small target");
    renderer.draw(gpu, &scene, &target).expect("a frame");
    let picture = target.read(gpu).expect("a picture");
    let ids = renderer.id_picture(gpu, &scene, SIZE, SIZE).expect("ids");
    Seen { picture, ids, clip: camera.clip_from_world(1.0) }
}

/// The creature with another gain of its leaf, from below and against the light.
fn leaf_from_below(gpu: &Gpu, time: TimeOfDay, gain: f32) -> Vec<[u8; 4]> {
    let mut parts = creature().into_parts();
    for leaf in parts.materials.iter_mut().filter_map(|material| material.leaf.as_mut()) {
        leaf.gain = gain;
    }
    let character = Arc::new(Character::new(parts).expect("parts that fit"));
    let actor = Actor::new(Arc::clone(&character));
    let top = Vec3::new(0.0, 1.25, 0.0);
    let camera = Camera { eye: Vec3::new(0.5, 0.35, 1.1), target: top, up: Vec3::Y, fov_y: 0.9 };
    let seen = see(gpu, &actor, camera, |stage| {
        *stage = stage.lit_by(time.light());
        // Straight into the light: the brightest that a leaf can be.
        stage.sun.direction = top - camera.eye;
    });
    seen.of_mesh(&character, "blade")
}

fn mean(pixels: &[[u8; 4]]) -> f32 {
    assert!(pixels.len() > 2000, "the leaf is seen: {}", pixels.len());
    let sum: f32 = pixels.iter().map(|p| f32::from(p[1])).sum();
    sum / pixels.len() as f32
}

/// A16: light comes through the leaf at day and hardly at night, and never so much that it glares.
#[test]
fn leaf_translucency_glows_and_does_not_bloom() {
    let Some(gpu) = common::gpu() else { return };
    let dull = leaf_from_below(&gpu, TimeOfDay::Day, 0.0);
    let day = leaf_from_below(&gpu, TimeOfDay::Day, 0.75);
    let neon = leaf_from_below(&gpu, TimeOfDay::Day, 1.35);
    let night = leaf_from_below(&gpu, TimeOfDay::Night, 0.75);
    let dull_night = leaf_from_below(&gpu, TimeOfDay::Night, 0.0);
    assert!(mean(&day) > mean(&dull) + 20.0, "glows: {} {}", mean(&day), mean(&dull));
    assert!(mean(&neon) > mean(&day) + 8.0, "the gain tells: {} {}", mean(&neon), mean(&day));
    for (pixels, most) in [(&day, 242), (&night, 110)] {
        // Rims that mirror the sky are not the leaf's own light: all but one in a hundred.
        let mut bright: Vec<u8> = pixels.iter().map(|p| p[0].max(p[1]).max(p[2])).collect();
        bright.sort_unstable();
        let high = bright[bright.len() * 99 / 100];
        assert!(high <= most, "blooms: {high}");
    }
    // In linear light: the formula's (1 − 0.85·night) and a moon that is fainter than the sun.
    let linear = |pixels: &[[u8; 4]]| -> f32 {
        let sum: f32 = pixels.iter().map(|p| (f32::from(p[1]) / 255.0).powf(2.2)).sum();
        sum / pixels.len() as f32
    };
    let through_day = linear(&day) - linear(&dull);
    let through_night = linear(&night) - linear(&dull_night);
    assert!(through_night < 0.15 * through_day, "{through_night} of {through_day}");
}

/// A17: under light from behind, which draws a bright rim, hollows stay dark and the face does not.
#[test]
fn spirit_hollows_stay_dark_at_day_and_night() {
    let Some(gpu) = common::gpu() else { return };
    let character = Arc::new(spirit(2));
    let mut actor = Actor::new(Arc::clone(&character));
    let look =
        SpiritLook { face: enliven::glam::Vec4::new(0.1, 0.1, 0.0, 1.0), ..SpiritLook::new(4) };
    actor.edit(|pose| {
        look.write(pose);
        pose.root = Transform::IDENTITY;
    });
    let points = points_of(&character, actor.pose());
    let camera = Camera::framed(Framing::Front, &points, 1.0);
    let face = character.materials[0].face.expect("a face");
    let middle = face.center + Vec3::Y * 0.135;
    let place = |x: f32, y: f32| middle + Vec3::new(x, y, 0.95) * face.size;
    for time in TimeOfDay::ALL {
        for behind in [false, true] {
            let seen = see(&gpu, &actor, camera, |stage| {
                *stage = stage.lit_by(time.light());
                if behind {
                    stage.sun.direction = Vec3::new(0.3, 0.4, -0.8);
                }
                stage.mist.density = 0.2;
            });
            let hollows = [place(0.36, 0.1), place(-0.36, 0.1), place(0.0, -0.33)];
            let cheek = seen.at(place(0.0, 0.1));
            for hollow in hollows {
                let dark = seen.at(hollow);
                assert!(dark < 40 && dark * 2 < cheek, "{time:?} {behind}: {dark} beside {cheek}");
            }
        }
    }
}

/// A17: three hundred of them, each with a face and a head of its own, are one draw a mesh.
#[test]
fn hundreds_of_spirits_are_one_draw() {
    let Some(gpu) = common::gpu() else { return };
    let character = Arc::new(spirit(2));
    let actors: Vec<Actor> = (0..300)
        .map(|index| {
            let mut actor = Actor::new(Arc::clone(&character));
            actor.edit(|pose| {
                SpiritLook::new(index).write(pose);
                let (row, column) = (index / 20, index % 20);
                pose.root.translation = Vec3::new(column as f32 * 0.3, 0.0, row as f32 * -0.5);
            });
            actor
        })
        .collect();
    let mut renderer = Renderer::new(&gpu);
    let model = renderer.upload(&gpu, &character).expect("the model fits the device");
    let bodies: Vec<Body<'_>> = actors.iter().map(|actor| Body::of(&model, actor)).collect();
    let points: Vec<Vec3> = actors.iter().map(|a| a.pose().root.translation).collect();
    let bounds = Bounds::of(points.iter().copied()).expect("points");
    let scene = Scene {
        camera: Camera::from_direction(Vec3::new(0.0, 0.4, 1.0), &points, 1.0),
        stage: Stage::under(&bounds),
        bodies: &bodies,
        lines: &[],
    };
    let target = Headless::new(&gpu, SIZE, SIZE).expect("a small target");
    renderer.draw(&gpu, &scene, &target).expect("a frame");
    let cost = renderer.last_frame();
    assert_eq!((cost.bodies, cost.body_draws, cost.shadow_draws), (300, 2, 2));
    let ids = renderer.id_picture(&gpu, &scene, SIZE, SIZE).expect("ids");
    let seen: std::collections::BTreeSet<usize> =
        ids.iter().flatten().map(|hit| hit.body).collect();
    assert!(seen.len() > 250, "{} are seen", seen.len());
}

/// Pixels of eyeballs and pupils in a portrait with the lids shut so far.
fn eye_pixels(gpu: &Gpu, character: &Arc<Character>, shut: f32) -> usize {
    let regions = &character.rig.regions;
    let eyes: Vec<JointId> = Side::BOTH
        .iter()
        .flat_map(|side| [Region::Eye(*side), Region::Pupil(*side)])
        .flat_map(|region| regions.own_joints(region).iter().map(|own| own.joint))
        .collect();
    assert!(!eyes.is_empty(), "it has eyes");
    let lids = Lids::new(character);
    let mut actor = Actor::new(Arc::clone(character));
    actor.edit(|pose| lids.shut(pose, [shut; 2]));
    let rest = Actor::new(Arc::clone(character));
    let points = enliven_render::head_points_of(character, rest.pose());
    let camera = Camera::framed(Framing::Face, &points, 1.0);
    let seen = see(gpu, &actor, camera, |_| {});
    seen.ids.iter().flatten().filter(|hit| eyes.contains(&hit.joint)).count()
}

/// A3: open, half and shut, counted by the id pass. Shut shows nothing of an eyeball.
#[test]
fn a_shut_eye_shows_no_pixel_of_the_eyeball() {
    let Some(gpu) = common::gpu() else { return };
    let mut bodies = vec![Arc::new(creature())];
    let Some(mob) = common::asset("static/squash_mob.glb") else { return };
    let measured = enliven::measure::measure(&mob);
    let bound = enliven::field::bind(&mob, &measured.anatomy).expect("it can be bound");
    bodies.push(Arc::new(bound.character));
    for character in bodies {
        let [open, half, shut] = [0.0, 0.5, 1.0].map(|shut| eye_pixels(&gpu, &character, shut));
        let name = &character.name;
        assert!(open > 200, "{name}: {open} open");
        assert!(half * 10 > open * 2 && half * 10 < open * 8, "{name}: {half} of {open} half shut");
        assert_eq!(shut, 0, "{name}: {shut} shut");
    }
}
