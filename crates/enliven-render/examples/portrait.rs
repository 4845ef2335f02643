//! A portrait of a character: `portrait FILE OUT.png [FRAMING] [SIZE] [CLIP SECONDS]`.
//! FILE may be `rabbit`. Without arguments it is the rabbit, in the folder for temporary files.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use enliven::{Actor, Character};
use enliven_render::{
    Background, Body, Bounds, Camera, Framing, Gpu, Headless, Renderer, Scene, Stage,
    head_points_of, points_of,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        let out = std::env::temp_dir().join("enliven-portrait.png");
        arguments = vec!["rabbit".into(), out.to_string_lossy().into_owned()];
    }
    let [file, out, rest @ ..] = &arguments[..] else {
        return Err("usage: portrait FILE OUT.png [FRAMING] [SIZE] [CLIP SECONDS]".into());
    };
    let framing = rest.first().map_or(Some(Framing::ThreeQuarter), |name| Framing::named(name));
    let framing = framing.ok_or("no such framing")?;
    let size: u32 = rest.get(1).map_or(Ok(512), |text| text.parse())?;

    let character: Arc<Character> = load(file)?;
    let mut actor = Actor::new(Arc::clone(&character));
    if let [_, _, clip, at, ..] = rest {
        let clip = character.clip(character.find_clip(clip).ok_or("no such clip")?);
        let at: f32 = at.parse()?;
        actor.edit(|pose| clip.sample(at, &mut [], pose));
    }

    let gpu = Gpu::headless()?;
    let mut renderer = Renderer::new(&gpu);
    let model = renderer.upload(&gpu, &character)?;
    let points = points_of(&character, actor.pose());
    let bounds = Bounds::of(points.iter().copied()).ok_or("nothing is shown")?;
    let framed =
        if framing == Framing::Face { head_points_of(&character, actor.pose()) } else { points };
    let mut stage = Stage::under(&bounds);
    match rest.get(4).map(String::as_str) {
        Some("transparent") => stage.background = Background::Transparent,
        Some("white") => stage.background = Background::Colour([1.0; 3]),
        _ => {}
    }
    let scene = Scene {
        camera: Camera::framed(framing, &framed, 1.0),
        stage,
        bodies: &[Body::of(&model, &actor)],
        lines: &[],
    };
    let target = Headless::new(&gpu, size, size)?;
    for _ in 0..4 {
        let start = Instant::now();
        renderer.draw(&gpu, &scene, &target)?;
        gpu.wait()?;
        let drawn = start.elapsed();
        target.read(&gpu)?;
        eprintln!("draw {drawn:?}, with reading {:?}", start.elapsed());
    }
    let picture = target.read(&gpu)?;
    let image = image::RgbaImage::from_raw(picture.width, picture.height, picture.rgba);
    image.ok_or("a picture of another size")?.save(out)?;
    Ok(())
}

fn load(file: &str) -> Result<Arc<Character>, Box<dyn Error>> {
    if file == "creature" {
        return Ok(Arc::new(enliven::builtin::creature()));
    }
    if file == "rabbit" {
        return Ok(Arc::new(enliven::builtin::rabbit()));
    }
    let import = enliven_io::import_file(file, &enliven_io::Limits::default())?;
    for found in &import.diagnostics {
        eprintln!("{found}");
    }
    Ok(Arc::new(import.character))
}
