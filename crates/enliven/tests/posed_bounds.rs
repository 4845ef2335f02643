//! Bounds that follow the pose (C9): never smaller than the truth, hardly larger, and cheap.
// What it says is for the person who runs it.
#![allow(clippy::print_stdout)]

use enliven::glam::Vec3;
use enliven::{
    Aabb, Affine, Channel, ChannelKind, Character, Loop, Playback, Pose, PosedBounds, Rng,
    Transform, math,
};
use std::time::Instant;

struct Body {
    character: Character,
    bounds: PosedBounds,
    rough: PosedBounds,
    model: Vec<Affine>,
    palette: Vec<Affine>,
}

impl Body {
    fn new(character: Character) -> Self {
        let bounds = PosedBounds::new(&character);
        let rough = PosedBounds::rough(&character);
        let model = vec![Affine::IDENTITY; character.rig.skeleton.len()];
        let palette = vec![Affine::IDENTITY; character.palette_layout().len()];
        Self { character, bounds, rough, model, palette }
    }

    fn pose(&mut self, pose: &Pose) {
        pose.to_model(&self.character.rig.skeleton, &mut self.model);
        self.character.palette_layout().write(&self.model, &mut self.palette);
    }
}

/// A pose of one of the clips at any time, each joint turned by up to `turn` rad more.
fn random_pose(character: &Character, turn: f32, rng: &mut Rng) -> Pose {
    let rig = &character.rig;
    let mut pose = Pose::rest(rig);
    if !character.clips.is_empty() && rng.chance(0.75) {
        let clip = &character.clips[(rng.unit() * character.clips.len() as f32) as usize];
        let mut playback = Playback::new(clip, Loop::Repeat);
        playback.seek(f64::from(rng.unit() * clip.duration));
        playback.sample(clip, &mut pose);
    }
    for j in rig.skeleton.joints() {
        let axis = Vec3::from_array([0; 3].map(|_| rng.range(-1.0, 1.0)));
        let by = math::rotation(axis.try_normalize().unwrap_or(Vec3::X), rng.range(0.0, turn));
        pose.set_rotation(j, pose.rotation(j) * by);
    }
    let morphs: Vec<_> = rig
        .channels
        .iter()
        .filter(|(_, c): &(_, &Channel)| c.kind == ChannelKind::Morph)
        .map(|(id, _)| id)
        .collect();
    for id in morphs {
        if rng.chance(0.3) {
            pose.set_channel(id, rng.range(-0.2, 1.0));
        }
    }
    pose
}

/// Per axis, how much larger the box is than the truth.
fn excess(got: &Aabb, truth: &Aabb) -> Vec3 {
    let largest = truth.size().max_element();
    // A flat body has no size to compare with.
    let own = truth.size().max(Vec3::splat(0.02 * largest));
    (got.size() - truth.size()) / own
}

fn is_inside(truth: &Aabb, got: &Aabb) -> bool {
    got.contains(truth.min) && got.contains(truth.max)
}

#[test]
fn bounds_of_posed_models_hold_and_are_tight() {
    let Some(folder) = enliven_testing::shared("assets/rigged") else { return };
    let paths = enliven_testing::files(&folder, &["glb", "gltf"]);
    let poses = std::env::var("ENLIVEN_POSES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let mut seen = 0;
    let mut failed = Vec::new();
    for path in paths {
        let Ok(import) = enliven_io::import_file(&path, &enliven_io::Limits::default()) else {
            // Compressed geometry is another test's matter.
            continue;
        };
        if import.character.skins.is_empty() || import.character.meshes.is_empty() {
            continue;
        }
        seen += 1;
        let mut body = Body::new(import.character);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut rng = Rng::new(9, seen);
        let (mut most, mut sum) = (0.0f32, 0.0);
        // The shortest of all: others on the machine only add.
        let (mut cheap, mut dear) = (f64::INFINITY, f64::INFINITY);
        for i in 0..poses {
            // Clips, jitter, roots and wild poses take turns.
            // Every fourth pose is a wild one: the box holds, though it may be wider.
            let wild = i % 4 == 3;
            let mut pose = random_pose(&body.character, if wild { 3.0 } else { 0.5 }, &mut rng);
            if i % 8 == 5 {
                pose.root = Transform {
                    translation: Vec3::new(3.0, -1.0, 0.5),
                    rotation: math::yaw_pitch_roll(0.7, 0.3, -0.4),
                    scale: Vec3::splat(1.5),
                };
            }
            body.pose(&pose);
            let start = Instant::now();
            let got = body.bounds.measure(&body.palette, pose.channels(), &pose.root);
            cheap = start.elapsed().as_secs_f64().min(cheap);
            let start = Instant::now();
            let Some((min, max)) = body.character.bounds(&pose) else { continue };
            dear = start.elapsed().as_secs_f64().min(dear);
            let truth = Aabb { min, max };
            let rough = body.rough.measure(&body.palette, pose.channels(), &pose.root);
            if !is_inside(&truth, &rough) {
                failed.push(format!("{name}: pose {i}: rough {rough:?} does not hold {truth:?}"));
                break;
            }
            if !is_inside(&truth, &got) {
                failed.push(format!("{name}: pose {i}: {got:?} does not hold {truth:?}"));
                break;
            }
            if !wild {
                let e = excess(&got, &truth).max_element();
                most = most.max(e);
                sum += e;
            }
        }
        let mean = sum / (0.75 * poses as f32);
        println!(
            "{name}: {} cells, {:.1} % larger, {:.1} % at most; {:.1} % of the time of all vertices",
            body.bounds.cell_count(),
            100.0 * mean,
            100.0 * most,
            100.0 * cheap / dear,
        );
        if most > 0.15 {
            failed.push(format!("{name}: {:.1} % larger", 100.0 * most));
        }
    }
    assert!(seen > 10, "only {seen} models");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
