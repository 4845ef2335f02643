//! One frame of a VRM 1.0 person: expressions, look-at, constraints, springs, palette.
//!
//! `vrm-bench FILE…` prints nanoseconds a frame of enliven and of vrm-runtime, in turns, the
//! fastest of many rounds each. Both turn the head, set an expression, look at a point that moves, and make
//! the matrices that a renderer reads. Only the ratio says something.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use enliven::glam::{Quat, Vec3};
use enliven::person::{HumanBone, Humanoid, LookAtLayer};
use enliven::{Actor, ChannelId, Layer, Moment, Pose, Rig};

/// A round is short: on a busy machine some of many rounds are not disturbed.
const FRAMES: usize = 200;
const ROUNDS: usize = 301;
const DT: f32 = 1.0 / 60.0;

/// The motion that both get: the head turns and an expression comes and goes.
#[derive(Clone, Copy)]
struct Motion {
    yaw: f32,
    weight: f32,
    target: [f32; 3],
}

fn motion(frame: usize) -> Motion {
    let t = frame as f32 * DT;
    Motion {
        yaw: 0.5 * (2.0 * t).sin(),
        weight: 0.5 + 0.5 * (3.0 * t).sin(),
        target: [(1.3 * t).sin(), 1.5 + 0.3 * (0.7 * t).cos(), 2.0],
    }
}

/// Sets what the host of vrm-runtime sets by its calls.
struct Host {
    body: Humanoid,
    expression: Option<ChannelId>,
    now: Motion,
}

impl Layer for Host {
    fn apply(&mut self, _: &Moment, _: &Rig, pose: &mut Pose) {
        self.body.set_rotation(pose, HumanBone::Head, Quat::from_rotation_y(self.now.yaw));
        if let Some(channel) = self.expression {
            pose.set_channel(channel, self.now.weight);
        }
    }
}

/// A frame of enliven.
fn ours(file: &str) -> Result<Box<dyn FnMut(usize)>, Box<dyn std::error::Error>> {
    let import = enliven_io::import_file(file, &enliven_io::Limits::default())?;
    let person = import.person.ok_or("no person")?;
    let character = Arc::new(import.character);
    let rig = &character.rig;
    let mut actor = Actor::new(character.clone());
    let host = actor.stack.push(Host {
        body: person.humanoid.clone(),
        expression: person.expressions.first().map(|e| e.channel),
        now: motion(0),
    });
    let look = person.look_layer().map(|layer| actor.stack.push(layer));
    actor.stack.push(person.constraint_layer(rig));
    actor.stack.push(person.spring_layer(rig));
    actor.stack.push(person.expression_layer(rig));
    Ok(Box::new(move |frame| {
        let now = motion(frame);
        if let Some(host) = actor.stack.get_mut::<Host>(host) {
            host.now = now;
        }
        if let Some(look) = look.and_then(|id| actor.stack.get_mut::<LookAtLayer>(id)) {
            look.target = Some(Vec3::from(now.target));
        }
        actor.step(&Moment::step(DT));
        black_box(actor.palette());
    }))
}

/// The same frame of vrm-runtime; `Err` where it refuses the file.
fn theirs(file: &str) -> Result<Box<dyn FnMut(usize)>, Box<dyn std::error::Error>> {
    let asset = vrm_runtime::AvatarAsset::load(file)?;
    let mut runtime = vrm_runtime::AvatarRuntime::new(asset);
    let import = enliven_io::import_file(file, &enliven_io::Limits::default())?;
    let person = import.person.ok_or("no person")?;
    let expression = person.expressions.first().map(|e| e.name.clone());
    let looks = person.look_at.is_some();
    Ok(Box::new(move |frame| {
        let now = motion(frame);
        let turn = glam29::Quat::from_rotation_y(now.yaw);
        let _ = runtime.set_bone_rotation(vrm_runtime::HumanBone::Head, turn);
        if let Some(name) = &expression {
            let _ = runtime.set_expression(name, now.weight);
        }
        if looks {
            let _ = runtime.set_look_at_target(Some(glam29::Vec3::from(now.target)));
        }
        if let Ok(view) = runtime.update(DT) {
            black_box(view.skinning_palettes());
            black_box(view.world_matrices());
        }
    }))
}

/// The fastest round, nanoseconds a frame.
fn fastest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::MAX, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let mut us = ours(&file)?;
        let mut them = theirs(&file);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let run = |frame: &mut dyn FnMut(usize), out: &mut Vec<f64>| {
                let start = Instant::now();
                for i in 0..FRAMES {
                    frame(round * FRAMES + i);
                }
                out.push(start.elapsed().as_secs_f64() * 1e9 / FRAMES as f64);
            };
            run(&mut us, &mut ours);
            if let Ok(them) = &mut them {
                run(them, &mut theirs);
            }
        }
        let name = file.rsplit('/').next().unwrap_or(&file);
        let us = fastest(&ours);
        match &them {
            Ok(_) => {
                let them = fastest(&theirs);
                println!("{name}: enliven {us:.0} ns, vrm-runtime {them:.0} ns, {:.1}×", them / us);
            }
            Err(error) => println!("{name}: enliven {us:.0} ns, vrm-runtime refuses it: {error}"),
        }
    }
    Ok(())
}
