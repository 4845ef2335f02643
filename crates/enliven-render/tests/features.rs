//! What a material may have besides its shading: each shows, alone and beside all others.

mod common;

use common::compare::{differences, percentile};
use common::made::{Made, at, ball};
use enliven::glam::{Vec3, Vec4};
use enliven::{Actor, Breeze, DrawnFace, Fur, LeafLook, Material, Shading, Sway, TextureRef};
use enliven_render::{
    Body, Bounds, Camera, Gpu, Headless, Picture, Renderer, Scene, Stage, points_of,
};

const SIZE: u32 = 96;

/// A ball on the ground, seen from the front and against the sun.
fn draw(gpu: &Gpu, material: impl FnOnce(&mut Made) -> Material) -> Picture {
    let mut made = Made::default();
    let material = material(&mut made);
    let material = made.material(material);
    made.piece(ball(), material, at(0.0, 0.0, 0.0));
    let actor = Actor::new(made.finish());
    let mut renderer = Renderer::new(gpu);
    let model = renderer.upload(gpu, actor.character()).expect("the model fits the device");
    let points = points_of(actor.character(), actor.pose());
    let bounds = Bounds::of(points.iter().copied()).expect("points");
    let mut stage = Stage::under(&bounds);
    stage.air = Breeze::new(Vec3::new(5.0, 0.0, 2.0), 3.0);
    stage.sun.direction = Vec3::new(-0.5, 0.5, -0.4);
    let scene = Scene {
        camera: Camera::from_direction(Vec3::new(0.1, 0.2, 1.0), &points, 1.0),
        stage,
        bodies: &[Body::of(&model, &actor)],
        lines: &[],
    };
    let target = Headless::new(gpu, SIZE, SIZE).expect("a small target");
    renderer.draw(gpu, &scene, &target).expect("a frame");
    target.read(gpu).expect("a picture")
}

/// Bits: which of fur, face, leaf and sway the material has.
fn with(made: &mut Made, shading: Shading, set: u32) -> Material {
    let has = |bit: u32| set & 1 << bit != 0;
    // Stripes of veins.
    let veins = made.texture(32, |x, _| [120, 190, 90, if x % 8 < 3 { 255 } else { 0 }]);
    Material {
        shading,
        base_color: Vec4::new(0.8, 0.75, 0.6, 1.0),
        base_color_texture: Some(TextureRef::new(veins)),
        metallic: 0.0,
        fur: has(0).then(|| Fur { length: 0.08, density: 40.0, ..Fur::default() }),
        face: has(1).then(|| DrawnFace {
            center: Vec3::Y * 0.5,
            size: 0.45,
            ..DrawnFace::default()
        }),
        leaf: has(2).then(|| LeafLook { bump: 0.02, ..LeafLook::default() }),
        sway: has(3).then(|| Sway { give: 0.06, ..Sway::default() }),
        ..Material::default()
    }
}

/// A20: of every set of features on one toon material, and of all on a physical one, taking one
/// away changes the picture. If one overwrote another, or two sets shared a pipeline, one of these
/// pairs would be the same.
#[test]
fn every_feature_shows_beside_every_other() {
    let Some(gpu) = common::gpu() else { return };
    let all = 15;
    for shading in [Shading::Toon, Shading::Pbr] {
        let mut pictures: [Option<Picture>; 16] = std::array::from_fn(|_| None);
        let sets = (0..=all).filter(|set: &u32| shading == Shading::Toon || set.count_ones() > 2);
        for set in sets {
            pictures[set as usize] = Some(draw(&gpu, |made| with(made, shading, set)));
        }
        for set in 0..=all {
            for bit in (0..4).filter(|bit| set & 1 << bit != 0) {
                let pair = [set, set & !(1 << bit)].map(|set| pictures[set as usize].as_ref());
                let [Some(with), Some(without)] = pair else { continue };
                // Something of the ball, which covers half the picture, looks clearly different.
                let clear = percentile(&differences(with, without), 98.5);
                assert!(clear > 6.0, "{shading:?} {set:04b}: feature {bit} changes {clear}");
            }
        }
    }
}
