//! Digests of simulated motion: the same on every platform and any number of threads (E5).
//!
//! Natively the binary prints one line `NAME HEX` a digest. On wasm32 the module exports
//! `digest_count` and `digest`, which `cargo xtask wasm-digest` calls under node and compares.

mod export;

use enliven::builtin::drift::{Drift, DriftParams};
use enliven::layers::{Clips, motion_from_state};
use enliven::person::{Person, Presence, VoiceMode};
use enliven::{Actor, Character, ClipId, Course, Loop, MindParams, Moment, builtin, glam::Vec3};
use std::sync::Arc;

/// Steps a second.
const RATE: u32 = 60;
/// Simulated seconds.
const SECONDS: u32 = 10;

/// The fox that is shipped with the repository, compiled in so that wasm32 has it too.
static FOX: &[u8] = include_bytes!("../../../assets/Fox.glb");
/// And a person.
static GODETTE: &[u8] = include_bytes!("../../../assets/Godette.vrm");

/// A digest by name.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What is simulated.
    pub name: &'static str,
    /// Computes the digest.
    pub run: fn() -> u64,
    /// What it must be.
    pub golden: u64,
}

/// All digests, in the order in which they are printed.
pub const CASES: &[Case] = &[
    Case { name: "rabbit", run: || rabbit(&rabbit_body(), 7), golden: 0x56808ae70ccfb993 },
    Case {
        name: "fox",
        run: || fox_body().map_or(0, |fox| fox_clips(&fox, 7)),
        golden: 0xaddf74f9882217ca,
    },
    Case {
        name: "person",
        run: || person_body().map_or(0, |(body, person)| company(&body, Some(&person), 7)),
        golden: 0x01246d11e8c87af0,
    },
    Case {
        name: "listening fox",
        run: || fox_body().map_or(0, |fox| company(&fox, None, 7)),
        golden: 0xc94ac6523c5240a9,
    },
    Case { name: "drift", run: || drift(7), golden: 0xc8c8b2352651461c },
];

/// The built-in rabbit, to share.
pub fn rabbit_body() -> Arc<Character> {
    Arc::new(builtin::rabbit())
}

/// The fox, to share; `None` where the importer refuses it.
pub fn fox_body() -> Option<Arc<Character>> {
    let options = enliven_io::Options { binary: true, ..enliven_io::Options::default() };
    let import = enliven_io::import(FOX.to_vec(), &mut enliven_io::NoFiles, &options).ok()?;
    Some(Arc::new(import.character))
}

/// A VRM person, to share; `None` where the importer refuses it.
pub fn person_body() -> Option<(Arc<Character>, Person)> {
    let options = enliven_io::Options { binary: true, ..enliven_io::Options::default() };
    let import = enliven_io::import(GODETTE.to_vec(), &mut enliven_io::NoFiles, &options).ok()?;
    Some((Arc::new(import.character), import.person?))
}

/// The mode of the voice and the mood at a time: all of them come up in ten seconds.
pub fn talk(presence: &mut Presence, actor: &mut Actor, time: f64) {
    let part = (time / 1.3) as usize;
    presence.set_mode(&mut actor.stack, VoiceMode::ALL[part % 4]);
    let mut mood = [0.0; 6];
    mood[part % 6] = 0.8;
    presence.set_mood(&mut actor.stack, mood);
}

/// Ten seconds of a body in company, with somebody who walks past.
pub fn company(body: &Arc<Character>, person: Option<&Person>, seed: u64) -> u64 {
    let mut actor = Actor::new(body.clone());
    let (stack, mut presence) = Presence::new(body, person, MindParams::default(), seed);
    actor.stack = stack;
    simulate(&mut actor, |actor, time, dt| {
        talk(&mut presence, actor, time);
        let viewer = Some(Vec3::new(0.3 * time as f32 - 1.5, 1.4, 2.0));
        Moment { viewer, ..Moment::step(dt) }
    })
}

/// Ten seconds of the rabbit on its course: every bit of every pose and of the last palette.
pub fn rabbit(body: &Arc<Character>, seed: u64) -> u64 {
    let mut actor = Actor::new(body.clone());
    (actor.stack, _) = motion_from_state(body, seed);
    let course = Course::new(body.rig.height);
    simulate(&mut actor, |actor, time, dt| {
        let ride = course.at(time);
        actor.place(ride.root);
        Moment::step(dt).with_motion(ride.motion)
    })
}

/// Ten seconds of a body in its first three clips, mixed by weights that `seed` sets.
pub fn fox_clips(body: &Arc<Character>, seed: u64) -> u64 {
    let mut actor = Actor::new(body.clone());
    let mut clips = Clips::new(body.clone());
    for i in 0..body.clips.len().min(3) {
        let weight = ((seed >> i) & 7) as f32 + 1.0;
        clips.add(ClipId::new(i), Loop::Repeat, weight);
    }
    actor.stack.push(clips);
    simulate(&mut actor, |_, _, dt| Moment::step(dt))
}

/// Ten seconds of the scene `drift`: every bit of every pose in it, once a second.
pub fn drift(seed: u64) -> u64 {
    let mut scene = Drift::new(DriftParams::default(), seed);
    let mut digest = 0;
    for step in 1..=RATE * SECONDS {
        scene.step(1.0 / f64::from(RATE));
        if step % RATE == 0 {
            digest = scene.bodies().fold(digest, |d, (_, actor)| actor.pose().digest(d));
        }
    }
    digest
}

fn simulate(actor: &mut Actor, mut moment: impl FnMut(&mut Actor, f64, f32) -> Moment) -> u64 {
    let mut digest = 0;
    for step in 1..=RATE * SECONDS {
        let now = moment(actor, f64::from(step) / f64::from(RATE), 1.0 / RATE as f32);
        actor.step(&now);
        digest = actor.pose().digest(digest);
    }
    // FNV-1a once more, over the matrices that are drawn.
    for v in actor.palette().iter().flat_map(|m| m.rows).flatten() {
        digest = (digest ^ u64::from(v.to_bits())).wrapping_mul(0x0000_0100_0000_01b3);
    }
    digest
}
