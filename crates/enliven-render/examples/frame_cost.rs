//! What a frame costs: `frame_cost [FILE] [SIZE] [FRAMES]`. FILE may be `rabbit`, the default.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use enliven::Actor;
use enliven_render::{
    Body, Bounds, Camera, Framing, Gpu, Headless, Renderer, Scene, Stage, points_of,
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.first().map_or("rabbit", String::as_str);
    let number = |at: usize, otherwise: u32| {
        arguments.get(at).map_or(Ok(otherwise), |text| text.parse::<u32>())
    };
    let (size, frames) = (number(1, 512)?, number(2, 20)?);
    let character = if file == "rabbit" {
        enliven::builtin::rabbit()
    } else {
        enliven_io::import_file(file, &enliven_io::Limits::default())?.character
    };
    let character = Arc::new(character);
    let actor = Actor::new(Arc::clone(&character));
    let gpu = Gpu::headless()?;
    let mut renderer = Renderer::new(&gpu);
    let start = Instant::now();
    let model = renderer.upload(&gpu, &character)?;
    gpu.wait()?;
    eprintln!("upload      {:8.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let points = points_of(&character, actor.pose());
    let bounds = Bounds::of(points.iter().copied()).ok_or("nothing is shown")?;
    let scene = Scene {
        camera: Camera::framed(Framing::ThreeQuarter, &points, 1.0),
        stage: Stage::under(&bounds),
        bodies: &[Body::of(&model, &actor)],
        lines: &[],
    };
    let target = Headless::new(&gpu, size, size)?;
    let mut times = Vec::new();
    for _ in 0..frames.max(2) {
        let start = Instant::now();
        renderer.draw(&gpu, &scene, &target)?;
        target.read(&gpu)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    eprintln!("first frame {:8.1} ms (pipelines are made)", times[0]);
    times[1..].sort_by(f64::total_cmp);
    let (best, median) = (times[1], times[1 + (times.len() - 1) / 2]);
    eprintln!("frame       {best:8.1} ms at best, {median:.1} ms median, read back");
    Ok(())
}
