//! Pictures of every kind of surface against goldens; see `common/compare.rs`.

mod common;

use std::sync::Arc;

use common::compare::{check, differences, percentile};
use common::made::{Made, at, ball, sheet};
use enliven::glam::{Vec2, Vec3, Vec4};
use enliven::{
    Actor, AlphaMode, Channel, ChannelKind, Character, Geometry, Material, MaterialFactor, Shading,
    TextureRef, Topology, Transform,
};
use enliven_render::{
    Background, Body, Bounds, Camera, FrameCost, Framing, Gpu, Headless, Outline, Picture,
    Renderer, Scene, Stage, head_points_of, points_of, skeleton_lines,
};

/// Draws one actor, framed, on a stage that `change` may alter.
fn draw(
    gpu: &Gpu,
    actor: &Actor,
    framing: Framing,
    size: [u32; 2],
    change: impl Fn(&mut Stage, &mut Body<'_>),
) -> Picture {
    let mut renderer = Renderer::new(gpu);
    let model = renderer.upload(gpu, actor.character()).expect("the model fits the device");
    let points = points_of(actor.character(), actor.pose());
    let bounds = Bounds::of(points.iter().copied()).expect("something is shown");
    let framed = match framing {
        Framing::Face => head_points_of(actor.character(), actor.pose()),
        _ => points,
    };
    let mut stage = Stage::under(&bounds);
    let mut body = Body::of(&model, actor);
    change(&mut stage, &mut body);
    let camera = Camera::framed(framing, &framed, size[0] as f32 / size[1] as f32);
    let scene = Scene { camera, stage, bodies: &[body], lines: &[] };
    let target = Headless::new(gpu, size[0], size[1]).expect("a small target");
    renderer.draw(gpu, &scene, &target).expect("a frame");
    target.read(gpu).expect("a picture")
}

fn plain(_: &mut Stage, _: &mut Body<'_>) {}

fn figure() -> Actor {
    Actor::new(common::made::figure().finish())
}

const SMALL: [u32; 2] = [160, 160];
const WIDE: [u32; 2] = [320, 128];

#[test]
fn framings() {
    let Some(gpu) = common::gpu() else { return };
    for (framing, name) in Framing::ALL {
        let picture = draw(&gpu, &figure(), framing, [128, 160], plain);
        check(&format!("framing_{name}"), &picture);
    }
}

#[test]
fn skinned_clip() {
    let Some(gpu) = common::gpu() else { return };
    let Some(fox) = common::asset("rigged/Fox.glb") else { return };
    let mut actor = Actor::new(fox);
    let character = Arc::clone(actor.character());
    actor.edit(|pose| character.clips[2].sample(0.4, &mut [], pose));
    check("fox_run", &draw(&gpu, &actor, Framing::ThreeQuarter, SMALL, plain));
}

#[test]
fn backgrounds() {
    let Some(gpu) = common::gpu() else { return };
    let transparent = draw(&gpu, &figure(), Framing::Front, SMALL, |stage, _| {
        stage.background = Background::Transparent;
    });
    check("background_transparent", &transparent);
    assert_eq!(transparent.pixel(2, 2), [0; 4], "nothing there");
    assert_eq!(transparent.pixel(80, 110)[3], 255, "the body is solid");
    let colour = draw(&gpu, &figure(), Framing::Front, SMALL, |stage, _| {
        stage.background = Background::Colour([0.2, 0.4, 0.6]);
        stage.ground = None;
    });
    assert_eq!(colour.pixel(2, 2), [51, 102, 153, 255], "the colour as given");
    check("background_colour", &colour);
}

#[test]
fn outline() {
    let Some(gpu) = common::gpu() else { return };
    let picture = draw(&gpu, &figure(), Framing::ThreeQuarter, SMALL, |_, body| {
        body.outline = Some(Outline { colour: Vec3::new(0.9, 0.25, 0.02), width: 0.01 });
    });
    check("outline", &picture);
}

/// Metals and plastics from smooth to rough.
#[test]
fn roughness() {
    let Some(gpu) = common::gpu() else { return };
    let mut made = Made::default();
    for (row, metallic) in [1.0, 0.0].into_iter().enumerate() {
        for column in 0..5 {
            let material = made.material(Material {
                base_color: Vec4::new(0.85, 0.45, 0.2, 1.0),
                metallic,
                roughness: column as f32 / 4.0,
                ..Material::default()
            });
            made.piece(ball(), material, at(1.1 * (column as f32 - 2.0), 0.0, -1.1 * row as f32));
        }
    }
    let actor = Actor::new(made.finish());
    check(
        "roughness",
        &draw(&gpu, &actor, Framing::Front, WIDE, |stage, _| {
            stage.sun.direction = Vec3::new(-0.4, 0.7, 0.8);
        }),
    );
}

/// The three ways of shading, lit and with textures.
#[test]
fn shadings() {
    let Some(gpu) = common::gpu() else { return };
    let mut made = Made::default();
    let checks = made.texture(64, |x, y| {
        if (x / 8 + y / 8) % 2 == 0 { [235, 190, 70, 255] } else { [60, 110, 160, 255] }
    });
    let bumps = made.texture(64, |x, y| {
        let slope = |i: u32| (128.0 + 90.0 * f32::sin(i as f32 * 0.785)) as u8;
        [slope(x), slope(y), 220, 255]
    });
    for (column, shading) in [Shading::Pbr, Shading::Unlit, Shading::Toon].into_iter().enumerate() {
        let material = made.material(Material {
            shading,
            base_color_texture: Some(TextureRef::new(checks)),
            metallic: 0.0,
            roughness: 0.5,
            ..Material::default()
        });
        made.piece(ball(), material, at(1.1 * column as f32 - 2.2, 0.0, 0.0));
    }
    let bumpy = made.material(Material {
        base_color: Vec4::new(0.7, 0.7, 0.72, 1.0),
        normal_texture: Some(TextureRef::new(bumps)),
        metallic: 0.0,
        roughness: 0.4,
        ..Material::default()
    });
    made.piece(ball(), bumpy, at(1.1, 0.0, 0.0));
    let glowing = made.material(Material {
        base_color: Vec4::new(0.02, 0.02, 0.02, 1.0),
        emissive: Vec3::new(0.3, 1.6, 2.4),
        metallic: 0.0,
        ..Material::default()
    });
    made.piece(ball(), glowing, at(2.2, 0.0, 0.0));
    let actor = Actor::new(made.finish());
    check("shadings", &draw(&gpu, &actor, Framing::Front, WIDE, plain));
}

/// A normal map looks the same with stored tangents and with a frame from derivatives.
#[test]
fn tangent_frames() {
    let Some(gpu) = common::gpu() else { return };
    let stand = |tangents: bool, mirror: f32| {
        let mut made = Made::default();
        // Four slopes: left, right, up, down.
        let slopes = made.texture(64, |x, y| match (x < 32, y < 32) {
            (true, true) => [30, 128, 210, 255],
            (false, true) => [225, 128, 210, 255],
            (true, false) => [128, 225, 210, 255],
            (false, false) => [128, 30, 210, 255],
        });
        let material = made.material(Material {
            normal_texture: Some(TextureRef::new(slopes)),
            metallic: 0.0,
            ..Material::default()
        });
        let mut geometry = sheet();
        if !tangents {
            geometry.tangents.clear();
        }
        made.piece(geometry, material, at(0.0, 0.0, 0.0));
        let mut actor = Actor::new(made.finish());
        actor.edit(|pose| pose.root.scale.x = mirror);
        draw(&gpu, &actor, Framing::Front, SMALL, |stage, _| {
            stage.sun.direction = Vec3::new(-0.8, 0.5, 0.5);
        })
    };
    let stored = stand(true, 1.0);
    check("normal_map", &stored);
    for mirror in [1.0, -1.0] {
        let (stored, derived) = (stand(true, mirror), stand(false, mirror));
        let found = percentile(&differences(&stored, &derived), 98.0);
        assert!(found < 3.0, "mirror {mirror}: {found}");
    }
    // Slopes that face the sun (from the upper left) are brighter.
    let [left, right] = [stored.pixel(60, 50), stored.pixel(100, 50)].map(|p| i32::from(p[1]));
    let [up, down] = [stored.pixel(60, 110), stored.pixel(100, 110)].map(|p| i32::from(p[1]));
    assert!(left > right + 20 && up > down + 20, "{left} {right} {up} {down}");
}

/// Opaque, cut out, mixed; holes throw shadows with holes; two sides; what is behind shows.
#[test]
fn alpha_modes() {
    let Some(gpu) = common::gpu() else { return };
    let mut made = Made::default();
    let ring = made.texture(64, |x, y| {
        let (x, y) = (x as f32 - 31.5, y as f32 - 31.5);
        let radius = (x * x + y * y).sqrt();
        let alpha = (255.0 * (1.0 - (radius - 22.0).abs() / 10.0)).clamp(0.0, 255.0);
        [220, 60, 50, alpha as u8]
    });
    let modes = [AlphaMode::Opaque, AlphaMode::Mask { cutoff: 0.5 }, AlphaMode::Blend];
    for (column, alpha_mode) in modes.into_iter().enumerate() {
        let material = made.material(Material {
            base_color_texture: Some(TextureRef::new(ring)),
            alpha_mode,
            double_sided: true,
            metallic: 0.0,
            ..Material::default()
        });
        made.piece(sheet(), material, at(1.1 * column as f32 - 1.65, 0.0, 0.0));
    }
    // Three panes behind each other, given from front to back.
    for (depth, colour) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
        let material = made.material(Material {
            base_color: (colour * 0.8).extend(0.5),
            alpha_mode: AlphaMode::Blend,
            double_sided: true,
            metallic: 0.0,
            ..Material::default()
        });
        let place = at(1.55 + 0.15 * depth as f32, 0.1 * depth as f32, -0.3 * depth as f32);
        made.piece(sheet(), material, place);
    }
    let actor = Actor::new(made.finish());
    check("alpha_modes", &draw(&gpu, &actor, Framing::Front, WIDE, plain));
}

/// An arrow that tells up from down and left from right, plain and through texture transforms.
#[test]
fn textures() {
    let Some(gpu) = common::gpu() else { return };
    let mut made = Made::default();
    let arrow = made.texture(64, |x, y| {
        // Up, and red to the left.
        let (across, down) = ((x as f32 - 31.5).abs(), y as f32);
        let head = down > 6.0 && down < 30.0 && across < (down - 6.0) * 0.9;
        let shaft = (30.0..58.0).contains(&down) && across < 7.0;
        match (head || shaft, x < 32) {
            (true, true) => [220, 40, 40, 255],
            (true, false) => [40, 90, 220, 255],
            _ => [235, 235, 225, 255],
        }
    });
    let plain_reference = TextureRef::new(arrow);
    let references = [
        plain_reference,
        TextureRef { scale: Vec2::splat(3.0), ..plain_reference },
        // A quarter turn about the middle: the arrow points to the right.
        TextureRef {
            rotation: std::f32::consts::FRAC_PI_2,
            offset: Vec2::new(0.0, 1.0),
            ..plain_reference
        },
    ];
    for (column, reference) in references.into_iter().enumerate() {
        let material = made.material(Material {
            shading: Shading::Unlit,
            base_color_texture: Some(reference),
            ..Material::default()
        });
        made.piece(sheet(), material, at(1.1 * column as f32 - 1.1, 0.0, 0.0));
    }
    let actor = Actor::new(made.finish());
    let picture = draw(&gpu, &actor, Framing::Front, WIDE, plain);
    check("textures", &picture);
}

/// Channels drive numbers of a material, each body's its own, in one draw.
#[test]
fn driven_factors() {
    let Some(gpu) = common::gpu() else { return };
    let mut made = Made::default();
    // Left half white, right half black.
    let halves = made.texture(64, |x, _| if x < 32 { [255; 4] } else { [0, 0, 0, 255] });
    let material = made.material(Material {
        shading: Shading::Unlit,
        base_color: Vec4::new(1.0, 0.0, 0.0, 1.0),
        base_color_texture: Some(TextureRef {
            offset: Vec2::new(0.05, 0.0),
            ..TextureRef::new(halves)
        }),
        ..Material::default()
    });
    let driven = [
        (MaterialFactor::BaseColor(0), 1.0),
        (MaterialFactor::BaseColor(1), 0.0),
        (MaterialFactor::Emissive(2), 0.0),
        (MaterialFactor::UvOffset(0), 0.05),
        (MaterialFactor::UvScale(1), 1.0),
        (MaterialFactor::Shade(7), 0.0),
    ];
    for (factor, rest) in driven {
        let kind = ChannelKind::Factor(material, factor);
        made.channels.push(Channel::new("factor", kind).with_default(rest));
    }
    made.piece(sheet(), material, at(0.0, 0.0, 0.0));
    let character = made.finish();
    let mut actors: Vec<_> = (0..2).map(|_| Actor::new(Arc::clone(&character))).collect();
    actors[1].edit(|pose| {
        pose.root.translation.x = 1.0;
        pose.channels_mut().copy_from_slice(&[0.0, 1.0, 1.0, 0.55, f32::NAN, 3.0]);
    });
    let mut renderer = Renderer::new(&gpu);
    let model = renderer.upload(&gpu, &character).expect("the model fits the device");
    let points: Vec<_> =
        actors.iter().flat_map(|actor| points_of(&character, actor.pose())).collect();
    let bodies: Vec<_> = actors.iter().map(|actor| Body::of(&model, actor)).collect();
    let scene = Scene {
        camera: Camera::framed(Framing::Front, &points, 2.0),
        stage: Stage::under(&Bounds::of(points.iter().copied()).expect("points")),
        bodies: &bodies,
        lines: &[],
    };
    let target = Headless::new(&gpu, 200, 100).expect("a small target");
    renderer.draw(&gpu, &scene, &target).expect("a frame");
    let picture = target.read(&gpu).expect("a picture");
    let clip = scene.camera.clip_from_world(2.0);
    let colour = |x: f32| {
        let p = clip.project_point3(Vec3::new(x, 0.5, 0.0));
        picture.pixel((100.0 * (p.x + 1.0)) as u32, (50.0 * (1.0 - p.y)) as u32)
    };
    // At rest red where the texture is white; driven green, its halves changed, and blue added.
    assert_eq!([colour(-0.25), colour(0.25)], [[255, 0, 0, 255], [0, 0, 0, 255]]);
    assert_eq!([colour(0.75), colour(1.25)], [[0, 0, 255, 255], [0, 255, 255, 255]]);
}

/// Nothing at all is a picture too.
#[test]
fn empty_scene() {
    let Some(gpu) = common::gpu() else { return };
    let scene = Scene {
        camera: Camera::default(),
        stage: Stage::under(&Bounds { low: Vec3::ZERO, high: Vec3::ONE }),
        bodies: &[],
        lines: &[],
    };
    let target = Headless::new(&gpu, 64, 64).expect("a small target");
    Renderer::new(&gpu).draw(&gpu, &scene, &target).expect("a frame");
    let picture = target.read(&gpu).expect("a picture");
    assert!(picture.rgba.as_chunks::<4>().0.iter().all(|pixel| pixel[3] == 255));
    assert_ne!(picture.pixel(32, 2), picture.pixel(32, 62), "sky above, ground below");
}

/// A mirrored body looks like its mirror picture would: outside stays outside.
#[test]
fn mirrored() {
    let Some(gpu) = common::gpu() else { return };
    let stand = |mirror: f32| {
        let mut actor = figure();
        actor.edit(|pose| pose.root.scale.x = mirror);
        draw(&gpu, &actor, Framing::Front, SMALL, |stage, _| {
            stage.sun.direction.x = 0.0;
        })
    };
    let (plain, mut mirrored) = (stand(1.0), stand(-1.0));
    for row in mirrored.rgba.chunks_exact_mut(160 * 4) {
        row.as_chunks_mut::<4>().0.reverse();
    }
    let differences = differences(&plain, &mirrored);
    assert!(percentile(&differences, 97.0) < 4.0, "{}", percentile(&differences, 97.0));
}

/// A joint inside a body that mirrors one of its parts.
#[test]
fn one_mirrored_part() {
    let Some(gpu) = common::gpu() else { return };
    let mut made = Made::default();
    let material = made.material(Material::matte("blue", Vec3::new(0.1, 0.3, 0.8)));
    made.piece(ball(), material, at(-0.6, 0.0, 0.0));
    let mirrored = Transform { scale: Vec3::new(-1.0, 1.0, 1.0), ..at(0.6, 0.0, 0.0) };
    made.piece(ball(), material, mirrored);
    let actor = Actor::new(made.finish());
    let picture = draw(&gpu, &actor, Framing::Front, [240, 160], |stage, _| {
        stage.sun.direction = Vec3::new(0.0, 0.8, 0.8);
    });
    check("one_mirrored_part", &picture);
    // Both balls are lit from the same side.
    let (left, right) = (picture.pixel(75, 60), picture.pixel(165, 60));
    assert!(left[2].abs_diff(right[2]) < 12, "{left:?} {right:?}");
}

/// The same picture whether the model is a millimetre or a kilometre tall.
#[test]
fn sizes() {
    let Some(gpu) = common::gpu() else { return };
    let stand = |scale: f32| {
        let mut actor = figure();
        actor.edit(|pose| pose.root = Transform::from_scale(scale));
        draw(&gpu, &actor, Framing::ThreeQuarter, SMALL, |stage, _| {
            // The grid jumps in tenfold steps; here it shall be the same.
            if let Some(ground) = &mut stage.ground {
                ground.cell = 0.1 * scale;
            }
        })
    };
    let normal = stand(1.0);
    check("size", &normal);
    for scale in [0.002, 2000.0] {
        let differences = differences(&normal, &stand(scale));
        let found = percentile(&differences, 99.0);
        assert!(found < 6.0, "{scale}: {found}");
    }
}

#[test]
fn points_and_lines() {
    let Some(gpu) = common::gpu() else { return };
    let mut made = Made::default();
    let material = made
        .material(Material { base_color: Vec4::new(0.8, 0.1, 0.1, 1.0), ..Material::default() });
    let spiral = |topology, to: fn(u32) -> Vec<u32>| Geometry {
        positions: (0..200)
            .map(|i| {
                let t = i as f32 * 0.1;
                Vec3::new(0.4 * t.cos(), 0.005 * i as f32, 0.4 * t.sin())
            })
            .collect(),
        indices: (0..199).flat_map(to).collect(),
        topology,
        ..Geometry::default()
    };
    made.piece(spiral(Topology::Lines, |i| vec![i, i + 1]), material, at(-0.5, 0.0, 0.0));
    made.piece(spiral(Topology::Points, |i| vec![i]), material, at(0.5, 0.0, 0.0));
    let actor = Actor::new(made.finish());
    check("points_and_lines", &draw(&gpu, &actor, Framing::Front, [200, 128], plain));
}

/// Bodies of two models, one of them several times, and bones over them.
#[test]
fn crowd_and_bones() {
    let Some(gpu) = common::gpu() else { return };
    let mut renderer = Renderer::new(&gpu);
    let figure: Arc<Character> = common::made::figure().finish();
    let model = renderer.upload(&gpu, &figure).expect("the model fits the device");
    let mut made = Made::default();
    let red = made.material(Material::matte("red", Vec3::new(0.7, 0.08, 0.05)));
    made.piece(ball(), red, Transform { scale: Vec3::splat(0.6), ..at(0.0, 0.0, 0.0) });
    let ball = made.finish();
    let ball_model = renderer.upload(&gpu, &ball).expect("the model fits the device");
    let mut actors = Vec::new();
    for index in 0..9 {
        let which = if index == 4 { &ball } else { &figure };
        let mut actor = Actor::new(Arc::clone(which));
        actor.edit(|pose| {
            let place = Vec3::new((index % 3) as f32 - 1.0, 0.0, (index / 3) as f32 - 1.0);
            pose.root.translation = place * 1.3;
            pose.root.rotation = enliven::math::yaw_pitch_roll(0.5 * index as f32 - 2.0, 0.0, 0.0);
        });
        actors.push(actor);
    }
    let bodies: Vec<_> = actors
        .iter()
        .enumerate()
        .map(|(i, actor)| Body::of(if i == 4 { &ball_model } else { &model }, actor))
        .collect();
    let points: Vec<Vec3> =
        actors.iter().flat_map(|actor| points_of(actor.character(), actor.pose())).collect();
    let bounds = Bounds::of(points.iter().copied()).expect("points");
    let mut lines = Vec::new();
    skeleton_lines(&figure, actors[0].model(), &bodies[0].root, &mut lines);
    let scene = Scene {
        camera: Camera::from_direction(Vec3::new(0.4, 0.6, 1.0), &points, 1.5),
        stage: Stage::under(&bounds),
        bodies: &bodies,
        lines: &lines,
    };
    let target = Headless::new(&gpu, 288, 192).expect("a small target");
    renderer.draw(&gpu, &scene, &target).expect("a frame");
    let first = target.read(&gpu).expect("a picture");
    check("crowd_and_bones", &first);
    // One draw a mesh and pass, however many bodies there are.
    let meshes = (figure.meshes.len() + ball.meshes.len()) as u32;
    let cost = FrameCost { bodies: 9, shadow_bodies: 9, shadow_draws: meshes, body_draws: meshes };
    assert_eq!(renderer.last_frame(), cost);
    // The same scene, the same bytes: again here, and with a renderer of its own.
    renderer.draw(&gpu, &scene, &target).expect("a frame");
    assert!(target.read(&gpu).expect("a picture") == first, "a second frame differs");

    // Picking finds what the picture shows.
    for (index, body) in bodies.iter().enumerate() {
        let middle = body.root.translation() + Vec3::Y * 0.25;
        let p = scene.camera.clip_from_world(1.5).project_point3(middle);
        let hit = renderer
            .pick(&gpu, &scene, 1.5, p.x * 0.5 + 0.5, 0.5 - p.y * 0.5)
            .expect("a pick")
            .map(|hit| hit.body);
        assert_eq!(hit, Some(index));
    }
    let sky = renderer.pick(&gpu, &scene, 1.5, 0.02, 0.02).expect("a pick");
    assert_eq!(sky, None);
}

#[test]
fn faults_are_named() {
    let Some(gpu) = common::gpu() else { return };
    let mut renderer = Renderer::new(&gpu);
    let actor = figure();
    let model = renderer.upload(&gpu, actor.character()).expect("the model fits the device");
    let target = Headless::new(&gpu, 8, 8).expect("a small target");
    let mut body = Body::of(&model, &actor);
    body.palette = &body.palette[1..];
    let scene = Scene {
        camera: Camera::default(),
        stage: Stage::under(&Bounds { low: Vec3::ZERO, high: Vec3::ONE }),
        bodies: &[body],
        lines: &[],
    };
    let error = renderer.draw(&gpu, &scene, &target).expect_err("a palette too short");
    assert_eq!(error.to_string(), "the palette of body 0 is not of its model");
    let error = Headless::new(&gpu, 0, 8).err().expect("no pixels");
    assert!(error.to_string().contains("without pixels"), "{error}");
    let error = Headless::new(&gpu, gpu.max_size() + 1, 8).err().expect("too many pixels");
    assert!(error.to_string().contains("at most"), "{error}");
}

/// Bodies beside the picture and behind the eye are not drawn; one of them still throws its shadow
/// into it. What a channel hides is not drawn, body by body.
#[test]
fn what_is_out_of_sight_is_not_drawn() {
    let Some(gpu) = common::gpu() else { return };
    let mut renderer = Renderer::new(&gpu);
    let figure: Arc<Character> = common::made::figure().finish();
    let model = renderer.upload(&gpu, &figure).expect("the model fits the device");
    let standing = |x: f32, z: f32| {
        let mut actor = Actor::new(Arc::clone(&figure));
        actor.edit(|pose| pose.root.translation = Vec3::new(x, 0.0, z));
        actor
    };
    // In the picture; beside it toward the sun, which stands on the left; on the other side; behind
    // the eye.
    let points = points_of(&figure, standing(0.0, 0.0).pose());
    let bounds = Bounds::of(points.iter().copied()).expect("points");
    let (wide, high) = (bounds.half().x, bounds.high.y - bounds.low.y);
    let actors = [(0.0, 0.0), (-0.6 * high - wide, 0.0), (9.0 * high, 0.0), (0.0, 9.0 * high)]
        .map(|(x, z)| standing(x, z));
    let mut stage = Stage::under(&bounds);
    stage.sun.direction = Vec3::new(-1.0, 0.7, 0.0);
    let target = Headless::new(&gpu, 96, 144).expect("a small target");
    let camera = Camera::framed(Framing::Front, &points, 96.0 / 144.0);
    let meshes = figure.meshes.len() as u32;
    let mut draw = |actors: &[&Actor]| {
        let bodies: Vec<_> = actors.iter().map(|actor| Body::of(&model, actor)).collect();
        let scene = Scene { camera, stage, bodies: &bodies, lines: &[] };
        renderer.draw(&gpu, &scene, &target).expect("a frame");
        (target.read(&gpu).expect("a picture"), renderer.last_frame())
    };
    let (_, cost) = draw(&actors.each_ref());
    let expected =
        FrameCost { bodies: 1, shadow_bodies: 2, shadow_draws: meshes, body_draws: meshes };
    assert_eq!(cost, expected);
    let (alone, _) = draw(&[&actors[0]]);
    let (shaded, cost) = draw(&[&actors[0], &actors[1]]);
    assert_eq!((cost.bodies, cost.shadow_bodies), (1, 2));
    assert!(shaded != alone, "the shadow of the one beside falls into the picture");
    let (same, cost) = draw(&[&actors[0], &actors[2], &actors[3]]);
    assert_eq!((cost.bodies, cost.shadow_bodies), (1, 1));
    assert!(same == alone, "the others leave no trace");
    let (nothing, cost) = draw(&[&actors[2]]);
    assert_eq!((cost.bodies, cost.body_draws), (0, 0));
    assert!(nothing != alone);
}

#[test]
fn hidden_meshes_are_not_drawn() {
    let Some(gpu) = common::gpu() else { return };
    let mut renderer = Renderer::new(&gpu);
    let figure: Arc<Character> = common::made::figure().finish();
    let mut parts = Character::clone(&figure).into_parts();
    // Hides the first mesh with all that hangs on its joint.
    let joint = parts.meshes[0].joint;
    let switch = enliven::Channel::new("visible", enliven::ChannelKind::Visibility(joint));
    let switch = parts.rig.channels.push(switch.with_default(1.0));
    let figure = Arc::new(Character::new(parts).expect("fits"));
    let model = renderer.upload(&gpu, &figure).expect("the model fits the device");
    let actors = [0.0, 1.5].map(|x: f32| {
        let mut actor = Actor::new(Arc::clone(&figure));
        actor.edit(|pose| {
            pose.root.translation = Vec3::new(x, 0.0, 0.0);
            pose.set_channel(switch, if x > 0.0 { 0.0 } else { 1.0 });
        });
        actor
    });
    let bodies = actors.each_ref().map(|actor| Body::of(&model, actor));
    let rest = enliven::Pose::rest(&figure.rig);
    let mut points = points_of(&figure, &rest);
    points.extend(points.clone().iter().map(|p| *p + Vec3::X * 1.5));
    let scene = Scene {
        camera: Camera::framed(Framing::Front, &points, 1.5),
        stage: Stage::under(&Bounds::of(points.iter().copied()).expect("points")),
        bodies: &bodies,
        lines: &[],
    };
    let ids = renderer.id_picture(&gpu, &scene, 144, 96).expect("ids");
    let seen = |body: usize| {
        let of = |mesh: usize| ids.iter().flatten().any(|h| h.body == body && h.mesh == mesh);
        (0..figure.meshes.len()).map(of).collect::<Vec<_>>()
    };
    let drawn = |body: usize| {
        let channels = actors[body].pose().channels();
        (0..figure.meshes.len()).map(|m| figure.is_drawn(m, channels)).collect::<Vec<_>>()
    };
    assert!(!seen(1)[0] && seen(0)[0]);
    for body in [0, 1] {
        for (mesh, seen) in seen(body).iter().enumerate() {
            assert!(!seen || drawn(body)[mesh], "mesh {mesh} of body {body} is hidden");
        }
    }
    assert!(drawn(0) != drawn(1));
}
