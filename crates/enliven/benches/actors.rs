//! Ten thousand living creatures without a skeleton of their own (E7): a mind with its blinks, breath
//! and gaze, and locomotion, from the moment to the palette of matrices that a renderer reads.
//!
//! `cargo bench -p enliven --bench actors` prints nanoseconds an actor and step; the figures are only
//! worth something beside others of the same run. For instruction counts the same program runs one
//! unit under callgrind: `actors UNIT ACTORS ROUNDS`; the difference of two runs with different
//! ROUNDS is the count, free of set-up.
#![allow(clippy::print_stdout)] // Printing is what it is for.

use enliven::builtin::{creature_anatomy, creature_statue};
use enliven::field::bind;
use enliven::glam::Vec3;
use enliven::layers::{Dangle, DangleParams, Life, Locomotion};
use enliven::{Actor, Character, Mind, MindParams, Moment, Motion, Point, Senses, Transform};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const DT: f32 = 1.0 / 60.0;
const UNITS: [&str; 4] = ["mind", "still", "lives", "hops"];

/// The same actors in one state, driven one way.
struct World {
    body: Arc<Character>,
    actors: Vec<Actor>,
    minds: Vec<Mind>,
    time: f32,
}

/// A mind with something to look at.
fn look(mind: &mut Mind) {
    for z in [-4.0, 2.0, 9.0] {
        let position = Vec3::new(3.0, 0.5, z);
        mind.attention.add(Point { position, weight: 1.0, glance: 5.0 });
    }
}

impl World {
    fn new(unit: &str, n: usize) -> Self {
        let body = bind(&creature_statue(), &creature_anatomy()).expect("it fits").character;
        let body = Arc::new(body);
        let mut out = Self { body: body.clone(), actors: vec![], minds: vec![], time: 0.0 };
        for seed in 0..n as u64 {
            if unit == "mind" {
                let mut mind = Mind::new(MindParams::default(), seed);
                look(&mut mind);
                out.minds.push(mind);
                continue;
            }
            let mut actor = Actor::new(body.clone());
            if unit != "still" {
                if unit == "hops" {
                    actor.stack.push(Locomotion::new(&body.rig));
                } else {
                    actor.stack.push(Dangle::new(&body, DangleParams::default()));
                }
                let mut life = Life::new(&body, MindParams::default(), seed);
                look(&mut life.mind);
                actor.stack.push(life);
            }
            out.actors.push(actor);
        }
        out
    }

    fn round(&mut self, unit: &str) {
        self.time += DT;
        let motion = Motion { velocity: Vec3::Z * 1.2, turn_rate: 0.4, ..Moment::step(DT).motion };
        let moment = Moment { viewer: Some(Vec3::new(0.0, 1.0, 4.0)), ..Moment::step(DT) };
        let moment = if unit == "hops" { moment.with_motion(motion) } else { moment };
        let senses = Senses {
            dt: DT,
            root: Transform::IDENTITY,
            eyes: Vec3::Y * 0.67,
            viewer: moment.viewer,
            effort: 0.0,
        };
        for mind in &mut self.minds {
            black_box(mind.step(&senses));
        }
        for (i, actor) in self.actors.iter_mut().enumerate() {
            let z = if unit == "hops" { 1.2 * self.time } else { 0.0 };
            actor.place(Transform::from_translation(Vec3::new(i as f32, 0.0, z)));
            actor.step(&moment);
        }
        black_box(&mut self.actors);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    if let [unit, n, rounds] = &args[..] {
        let number = |s: &str| s.parse::<usize>().expect("a whole number");
        let mut world = World::new(unit, number(n));
        // A first round makes room.
        (0..=number(rounds)).for_each(|_| world.round(unit));
        return;
    }
    let body = World::new("still", 1).body;
    println!("{} joints, {} matrices", body.rig.skeleton.len(), body.palette_layout().len());
    for n in [100, 10_000] {
        for unit in UNITS {
            let mut world = World::new(unit, n);
            (0..60_000 / n + 1).for_each(|_| world.round(unit));
            let rounds = (60_000 / n).max(2);
            // Best of several: the machine's own noise only ever adds.
            let best = (0..7)
                .map(|_| {
                    let start = Instant::now();
                    (0..rounds).for_each(|_| world.round(unit));
                    start.elapsed().as_nanos() as f64 / (rounds * n) as f64
                })
                .fold(f64::INFINITY, f64::min);
            println!("N={n:<6} {unit:<6} {best:8.0} ns");
        }
    }
}
