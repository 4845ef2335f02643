//! The fox walks, breaks into a run over one second, and slows to a walk again: a mixer with
//! cross-fades that keep the paws of both gaits in step, and marks where a paw meets the ground.
//!
//! `cargo run -p enliven --example mixer`
#![allow(clippy::print_stdout)] // Printing is what it is for.

use enliven::{Actor, Clip, Event, Mixer, Moment};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/Fox.glb");
    let fox = enliven_io::import_file(file, &enliven_io::Limits::default())?;
    let character = Arc::new(fox.character);

    let clip = |name: &str| -> Result<Clip, String> {
        let id = character.find_clip(name).ok_or(format!("no clip {name:?}"))?;
        Ok(character.clip(id).clone())
    };
    let (mut walk, mut run) = (clip("Walk")?, clip("Run")?);
    walk.add_mark(0.1, "left");
    walk.add_mark(0.1 + walk.duration * 0.5, "right");
    run.add_mark(0.05, "all");

    let mut mixer = Mixer::new();
    let (walk, run) = (mixer.action(walk), mixer.action(run));
    mixer.play(walk);
    let mut actor = Actor::new(character.clone());
    let layer = actor.stack.push(mixer);

    let mut time = 0.0;
    for frame in 0..6 * 60 {
        let mixer = actor.stack.get_mut::<Mixer>(layer).ok_or("the mixer")?;
        match frame {
            60 => {
                mixer.play(run);
                mixer.cross_fade(walk, run, 1.0, true);
            }
            210 => {
                // The walk was disabled when it had faded out.
                mixer.get_mut(walk).reset();
                mixer.cross_fade(run, walk, 1.0, true);
            }
            _ => {}
        }
        actor.step(&Moment::step(1.0 / 60.0));
        time += 1.0 / 60.0;

        let mixer = actor.stack.get::<Mixer>(layer).ok_or("the mixer")?;
        for event in mixer.events() {
            if let Event::Mark { action, mark, weight } = event
                && *weight > 0.2
            {
                let clip = mixer.get(*action).clip();
                let name = &clip.marks[*mark as usize].name;
                println!("{time:5.2} s  {:4} {name:5} (weight {weight:.2})", clip.name);
            }
        }
    }
    Ok(())
}
