//! A thousand lives allocate nothing once they live (B6). A test of its own: the allocator counts
//! for the whole process.

use enliven::builtin::creature;
use enliven::glam::Vec3;
use enliven::layers::{Dangle, DangleParams, Life};
use enliven::{Actor, MindParams, Moment, Point, Transform};
use peak_alloc::PeakAlloc;
use std::sync::Arc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[test]
fn a_thousand_creatures_live_without_allocating() {
    let character = Arc::new(creature());
    let mut actors: Vec<Actor> = (0..1000)
        .map(|seed| {
            let mut actor = Actor::new(character.clone());
            actor.stack.push(Dangle::new(&character, DangleParams::default()));
            let mut life = Life::new(&character, MindParams::default(), seed);
            for z in [-4.0, 2.0, 9.0] {
                let position = Vec3::new(3.0, 0.5, z);
                life.mind.attention.add(Point { position, weight: 1.0, glance: 5.0 });
            }
            actor.stack.push(life);
            actor
        })
        .collect();
    let moment = Moment { viewer: Some(Vec3::new(0.0, 1.0, 4.0)), ..Moment::step(1.0 / 60.0) };
    let mut step = |frame: i32| {
        for (i, actor) in actors.iter_mut().enumerate() {
            let z = -8.0 + frame as f32 * 0.05 + i as f32 * 0.01;
            actor.place(Transform::from_translation(Vec3::new(0.0, 0.0, z)));
            actor.step(&moment);
        }
    };
    step(0);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    for frame in 1..120 {
        step(frame);
    }
    assert_eq!(MEMORY.peak_usage(), before, "bytes");
    assert_eq!(MEMORY.current_usage(), before, "bytes");
}
