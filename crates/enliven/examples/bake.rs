//! The rabbit hops along its course, with no clip anywhere; four seconds of it become a GLB that any
//! program plays.
//!
//! `cargo run -p enliven --example bake -- [FILE]` (without a file nothing is kept)
#![allow(clippy::print_stdout)] // Printing is what it is for.

use enliven::layers::motion_from_state;
use enliven::{Actor, BakeOptions, Course, Moment, bake, builtin};
use enliven_io::gltf::{Clips, Export, export};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rabbit = Arc::new(builtin::rabbit());
    let mut actor = Actor::new(rabbit.clone());
    (actor.stack, _) = motion_from_state(&rabbit, 7);
    let course = Course::new(rabbit.rig.height);
    let options = BakeOptions::new(4.0, rabbit.rig.height);

    // Where it is carried is not part of the performance: the host says so at every step.
    let mut time = 0.0;
    let clip = bake(&mut actor, "hop", &options, |dt| {
        time += f64::from(dt);
        Moment::step(dt).with_motion(course.at(time).motion)
    });
    let steps = options.seconds * options.rate;
    println!(
        "{} tracks, {} keys of {:.0} steps, at most {:.2} mm off",
        clip.tracks.len(),
        clip.key_count(),
        steps * clip.tracks.len() as f32,
        options.tolerance * 1000.0
    );

    let what = Export { character: &rabbit, document: None, clips: Clips::Instead(&[clip]) };
    let glb = export(&what).to_glb()?;
    println!("{} bytes of GLB", glb.len());
    match std::env::args_os().nth(1) {
        Some(file) => std::fs::write(&file, glb)?,
        None => {
            // Read again it holds the clip.
            let again = enliven_io::import(glb, &mut enliven_io::NoFiles, &Default::default())?;
            let clips = &again.character.clips;
            println!("{} of {:.2} s", clips[0].name, clips[0].duration);
        }
    }
    Ok(())
}
