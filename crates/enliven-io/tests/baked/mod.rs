//! Clips baked here, for programs beside Rust to be held against.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, reason = "test code outside of test functions")]

use std::sync::Arc;

use enliven::{Actor, BakeOptions, Character, Clip, Course, Loop, Moment, Recording, layers};

/// Runs of the built-in rabbit over its course, and in a loop in its place, each baked with the
/// character that it is of: with scale, or with morphs in its place.
pub(crate) fn rabbit_runs(morphs: bool) -> [(Character, Clip); 2] {
    let rabbit = Arc::new(enliven::builtin::rabbit());
    let height = rabbit.rig.height;
    let record = |from: f64, seconds: f64| {
        let mut actor = Actor::new(rabbit.clone());
        (actor.stack, _) = layers::motion_from_state(&rabbit, 1);
        let course = Course::new(height);
        let mut recording = Recording::default();
        let rate = 60.0;
        let lead = (from * rate) as usize;
        for k in 0..=lead + (seconds * rate) as usize {
            let ride = course.at(k as f64 / rate);
            actor.place(ride.root);
            let dt = if k == 0 { 0.0 } else { 1.0 / rate as f32 };
            actor.step(&Moment::step(dt).with_motion(ride.motion));
            recording.push(((k as f64 - lead as f64) / rate) as f32, actor.pose());
        }
        recording
    };
    let options = BakeOptions::new(0.0, height);
    let mut round = record(0.75, 4.0);
    round.stay_in_place();
    round.fold(45);
    [("run", record(0.0, 6.0)), ("round", round)].map(|(name, recording)| {
        let (character, recording) = match morphs {
            true => recording.scale_to_morphs(&rabbit).unwrap(),
            false => (rabbit.as_ref().clone(), recording),
        };
        let baked = recording.to_clip(&character.rig, name, &options);
        assert!(baked.error <= options.tolerance);
        (character, baked.clip)
    })
}

/// Walk and run of the Fox in step, half and half, baked over one round.
pub(crate) fn fox_jogs(fox: &Character) -> Clip {
    let shared = Arc::new(fox.clone());
    let mut actor = Actor::new(shared.clone());
    let mut clips = layers::Clips::new(shared.clone());
    let mut durations = Vec::new();
    for name in ["Walk", "Run"] {
        let clip = fox.find_clip(name).unwrap();
        durations.push(fox.clip(clip).duration);
        let slot = clips.add(clip, Loop::Repeat, 0.5);
        clips.slots_mut()[slot].playback.set_speed(0.0);
    }
    let layer = actor.stack.push(clips);
    let round = 0.5 * (durations[0] + durations[1]);
    let options = BakeOptions::new(round, fox.rig.height);
    let (steps, _) = options.steps();
    let mut recording = Recording::default();
    for k in 0..=steps {
        let phase = k as f32 / steps as f32;
        let clips = actor.stack.get_mut::<layers::Clips>(layer).unwrap();
        for (slot, duration) in clips.slots_mut().iter_mut().zip(&durations) {
            slot.playback.seek(f64::from(phase * duration));
        }
        actor.step(&Moment::step(if k == 0 { 0.0 } else { round / steps as f32 }));
        recording.push(phase * round, actor.pose());
    }
    recording.close();
    let baked = recording.to_clip(&fox.rig, "Jog", &options);
    assert!(baked.error <= options.tolerance);
    baked.clip
}
