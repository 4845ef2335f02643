//! What the box around a posed character costs, beside skinning it.
//!
//! `cargo bench -p enliven --bench bounds` prints both for every skinned shared model, in nanoseconds
//! a pose, and their ratio. For instruction counts the same program runs one unit under callgrind:
//! `bounds MODEL skin|box|root|rough ROUNDS` (`root`: a body that does not stand at the origin; `rough`:
//! hulls alone, also there); the
//! difference of two runs with different ROUNDS is the count, free of set-up.
#![allow(clippy::print_stdout)] // Printing is what it is for.

use enliven::glam::Vec3;
use enliven::{Affine, Character, Pose, PosedBounds, Transform, VertexStage, math};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

struct Body {
    character: Character,
    pose: Pose,
    palette: Vec<Affine>,
}

impl Body {
    /// In the middle of its first clip.
    fn load(path: &Path) -> Option<Self> {
        let import = enliven_io::import_file(path, &enliven_io::Limits::default()).ok()?;
        let character = import.character;
        if character.skins.is_empty() || character.meshes.is_empty() {
            return None;
        }
        let mut pose = Pose::rest(&character.rig);
        if let Some(clip) = character.clips.first() {
            clip.sample(clip.duration * 0.5, &mut [], &mut pose);
        }
        let mut model = vec![Affine::IDENTITY; character.rig.skeleton.len()];
        pose.to_model(&character.rig.skeleton, &mut model);
        let mut palette = vec![Affine::IDENTITY; character.palette_layout().len()];
        character.palette_layout().write(&model, &mut palette);
        Some(Self { character, pose, palette })
    }

    /// Positions and normals of all vertices: one blend of matrices each, nothing else.
    fn skin(&self) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (i, mesh) in self.character.meshes.iter().enumerate().filter(|(_, m)| m.shown) {
            let channels = self.pose.channels();
            let none = Transform::IDENTITY;
            let stage = VertexStage::new(&self.character, i, &self.palette, channels, &none);
            let g = &mesh.geometry;
            for v in 0..g.vertex_count() {
                let m = stage.skin(v);
                let normal = g.normals.get(v).copied().unwrap_or(Vec3::Y);
                sum += m.transform_point(g.positions[v]) + m.transform_vector(normal);
            }
        }
        sum
    }

    fn bounds(&self, bounds: &PosedBounds, root: Option<&Affine>) -> Vec3 {
        bounds.measure_at(&self.palette, self.pose.channels(), root).max
    }

    fn vertices(&self) -> usize {
        let shown = self.character.meshes.iter().filter(|m| m.shown);
        shown.map(|m| m.geometry.vertex_count()).sum()
    }
}

fn somewhere() -> Affine {
    Affine::from(&Transform {
        translation: Vec3::new(3.0, 0.0, -2.0),
        rotation: math::rotation(Vec3::Y, 0.7),
        scale: Vec3::ONE,
    })
}

fn nanoseconds(mut f: impl FnMut() -> Vec3) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..10 {
            black_box(f());
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e8);
    }
    best
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [model, unit, rounds] = &arguments[..] {
        let body = Body::load(Path::new(model)).expect("a skinned model");
        let root = somewhere();
        let bounds = match unit.as_str() {
            "skin" => PosedBounds::default(),
            "rough" => PosedBounds::rough(&body.character),
            _ => PosedBounds::new(&body.character),
        };
        for _ in 0..rounds.parse().unwrap_or(1) {
            black_box(match unit.as_str() {
                "skin" => body.skin(),
                "box" => body.bounds(&bounds, None),
                _ => body.bounds(&bounds, Some(&root)),
            });
        }
        println!("{} vertices, {} cells", body.vertices(), bounds.cell_count());
        return;
    }
    let Some(folder) = enliven_testing::shared("assets/rigged") else { return };
    for path in enliven_testing::files(&folder, &["glb", "gltf"]) {
        let Some(body) = Body::load(&path) else { continue };
        let bounds = PosedBounds::new(&body.character);
        let (skin, own) = (nanoseconds(|| body.skin()), nanoseconds(|| body.bounds(&bounds, None)));
        println!(
            "{}: {} vertices, {} cells, skin {skin:.0} ns, box {own:.0} ns, {:.2} %",
            path.display(),
            body.vertices(),
            bounds.cell_count(),
            100.0 * own / skin
        );
    }
}
