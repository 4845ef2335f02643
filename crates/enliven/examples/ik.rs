//! The fox walks on the spot while one paw keeps hold of a point that moves: inverse kinematics after
//! the clip.
//!
//! `cargo run -p enliven --example ik`
#![allow(clippy::print_stdout)] // Printing is what it is for.

use enliven::glam::Vec3;
use enliven::layers::Clips;
use enliven::{Actor, Loop, Moment, TwoBoneIk, math};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/Fox.glb");
    let character = Arc::new(enliven_io::import_file(file, &Default::default())?.character);
    let skeleton = &character.rig.skeleton;
    let paw = skeleton.find("b_LeftHand_011").ok_or("no paw")?;
    let walk = character.find_clip("Walk").ok_or("no walk")?;
    // An elbow bends backward where the leg is straight.
    let leg = TwoBoneIk::of_end(skeleton, paw, Vec3::NEG_Z).ok_or("no leg")?;

    let mut actor = Actor::new(character.clone());
    actor.stack.push(Clips::playing(character.clone(), walk, Loop::Repeat));
    let home = actor.model()[paw.index()].translation();
    let size = character.rig.height;
    for frame in 0..=120 {
        let time = frame as f32 / 60.0;
        actor.step(&Moment::step(1.0 / 60.0));
        let circle = Vec3::new(0.0, math::sin(3.0 * time), math::cos(3.0 * time)) * 0.1 * size;
        let goal = home + circle + Vec3::new(0.0, 0.15 * size, 0.1 * size);
        let mut left = 0.0;
        actor.edit(|pose| left = leg.solve(pose, skeleton, goal, 1.0));
        if frame % 10 == 0 {
            let at = actor.model()[paw.index()].translation();
            println!(
                "{time:4.2} s  goal {goal:6.2}  paw {at:6.2}  {:.4} of the height off",
                left / size
            );
        }
    }
    Ok(())
}
