//! The fox walks and looks around at once: one clip below, another on the neck and what hangs on it,
//! kept to it by a mask that fades in.
//!
//! `cargo run -p enliven --example masks`
#![allow(clippy::print_stdout)] // Printing is what it is for.

use enliven::glam::Vec3;
use enliven::layers::Clips;
use enliven::{Actor, Loop, Mask, Moment};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/Fox.glb");
    let character = Arc::new(enliven_io::import_file(file, &Default::default())?.character);
    let clip = |name: &str| character.find_clip(name).ok_or(format!("no clip {name:?}"));
    let joint = |name: &str| character.rig.skeleton.find(name).ok_or(format!("no {name:?}"));
    let (neck, head, paw) = (joint("b_Neck_04")?, joint("b_Head_05")?, joint("b_LeftHand_011")?);

    let mut actor = Actor::new(character.clone());
    actor.stack.push(Clips::playing(character.clone(), clip("Walk")?, Loop::Repeat));
    let look = actor.stack.push(Clips::playing(character.clone(), clip("Survey")?, Loop::Repeat));
    actor.stack.set_mask(look, Some(Mask::subtree(&character.rig, neck)));

    for frame in 0..=180 {
        // A second to fade in, a second of both, a second to fade out.
        let time = frame as f32 / 60.0;
        actor.stack.set_weight(look, time.min(3.0 - time).clamp(0.0, 1.0));
        actor.step(&Moment::step(if frame == 0 { 0.0 } else { 1.0 / 60.0 }));
        if frame % 15 == 0 {
            let ahead = actor.model()[head.index()].transform_vector(Vec3::Y).normalize_or_zero();
            let step = actor.model()[paw.index()].translation().z;
            let weight = actor.stack.weight(look);
            println!("{time:4.2} s  look {weight:4.2}  head to {ahead:5.2}  paw {step:6.2} ahead");
        }
    }
    Ok(())
}
