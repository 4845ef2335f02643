//! M26 of the malformed inputs: what a host may hand over at run time. Times, weights, speeds and
//! motions that are zero, negative, huge or no numbers at all never panic, never hang, and never
//! make a pose that is not finite.

use std::{sync::Arc, time::Instant};

use enliven::glam::Vec3;
use enliven::layers::{
    Blend, Blink, Clips, Dangle, FootLock, Glance, Idle, Inertialize, Life, Locomotion, ParamId,
    Tree, motion_from_state,
};
use enliven::{
    Actor, BlinkParams, Character, Clip, ClipId, Curve, Interpolation, JointId, Layer, Loop,
    MindParams, Mixer, Mode, Moment, Motion, Playback, Pose, Property, Stack, Target, Track,
    builtin,
};

/// What no host means to say.
const BAD: [f32; 9] =
    [0.0, -1.0, 1e9, -1e9, f32::MAX, f32::MIN_POSITIVE, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

/// Seconds that any of these may take.
const SECONDS: f32 = 2.0;

fn clip(name: &str, times: Vec<f32>, interpolation: Interpolation) -> Clip {
    let keys = times.len();
    let values = if interpolation == Interpolation::CubicSpline { 3 * keys } else { keys };
    let values = (0..values).flat_map(|key| [0.1 * key as f32, 0.0, 0.0]).collect();
    let curve = Curve::new(times, values, 3, interpolation).expect("a curve");
    let target = Target::Joint(JointId(0), Property::Translation);
    Clip::new(name, vec![Track { target, curve }])
}

/// The rabbit with clips: of two keys, of one key, of no length, and none at all.
fn rabbit() -> Arc<Character> {
    let mut parts = builtin::rabbit().into_parts();
    parts.clips = vec![
        clip("two keys", vec![0.0, 1.0], Interpolation::Linear),
        clip("one key", vec![0.0], Interpolation::Linear),
        clip("one late key", vec![5.0], Interpolation::Step),
        clip("a spline", vec![0.5, 0.75, 4.0], Interpolation::CubicSpline),
        Clip::new("empty", Vec::new()),
    ];
    Arc::new(Character::new(parts).expect("sound parts"))
}

fn finite(actor: &Actor) -> bool {
    let root = actor.pose().root;
    actor.pose().is_finite()
        && root.translation.is_finite()
        && actor.palette().iter().all(|matrix| matrix.is_finite())
}

#[test]
fn playback_survives_every_time_and_speed() {
    let character = rabbit();
    let mut pose = Pose::rest(&character.rig);
    for clip in &character.clips {
        for looping in [Loop::Once, Loop::Repeat, Loop::PingPong] {
            for speed in BAD {
                for step in BAD {
                    let mut playback = Playback::new(clip, looping);
                    playback.set_speed(speed);
                    assert!(playback.speed().is_finite());
                    playback.seek(f64::from(step) * 1e20);
                    for _ in 0..3 {
                        playback.advance(step);
                        playback.sample(clip, &mut pose);
                        let time = playback.clip_time(clip);
                        assert!((0.0..=clip.duration).contains(&time), "{}: {time}", clip.name);
                        assert!(playback.time().is_finite() && pose.is_finite());
                        let _ = playback.finished(clip);
                    }
                }
            }
            let mut playback = Playback::new(clip, looping);
            for time in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                playback.seek(time);
                assert_eq!(playback.time(), 0.0);
            }
        }
    }
}

#[test]
fn no_time_changes_nothing_and_back_is_back() {
    let character = rabbit();
    let (clip, mut pose) = (&character.clips[0], Pose::rest(&character.rig));
    let mut playback = Playback::new(clip, Loop::Repeat);
    playback.advance(0.25);
    playback.sample(clip, &mut pose);
    let before = pose.digest(0);
    playback.advance(0.0);
    playback.sample(clip, &mut pose);
    assert_eq!(pose.digest(0), before);
    playback.advance(1.0);
    playback.advance(-1.0);
    playback.sample(clip, &mut pose);
    assert_eq!(pose.digest(0), before);
}

/// Every layer that comes with the crate, for a body.
fn layers(character: &Arc<Character>) -> Vec<(&'static str, Stack)> {
    fn one(layer: impl Layer) -> Stack {
        let mut stack = Stack::new();
        stack.push(layer);
        stack
    }
    let rig = &character.rig;
    let mut out = vec![
        ("idle", one(Idle::new(rig, 1))),
        ("locomotion", one(Locomotion::new(rig))),
        ("glance", one(Glance::new())),
        ("blink", one(Blink::new(character, BlinkParams::default(), 1))),
        ("life", one(Life::new(character, MindParams::default(), 1))),
        ("dangle", one(Dangle::new(character, Default::default()))),
        ("foot lock", one(FootLock::new(rig))),
        ("from state", motion_from_state(character, 1).0),
    ];
    let mut eased = motion_from_state(character, 1).0;
    let mut inertialize = Inertialize::new(0.3);
    inertialize.transition();
    eased.push(inertialize);
    out.push(("inertialized", eased));
    if !character.clips.is_empty() {
        let mut clips = Clips::new(character.clone());
        for at in 0..character.clips.len() {
            clips.add(ClipId(at as u32), Loop::Repeat, 1.0);
        }
        out.push(("clips", one(clips)));
    }
    out
}

/// Moments with one field that no host means to say.
fn bad_moments() -> Vec<(String, Moment)> {
    let good = Moment::step(1.0 / 60.0);
    let mut out = Vec::new();
    for bad in BAD {
        let vector = Vec3::new(0.0, bad, bad);
        let motion = |motion: Motion| good.with_motion(Motion { grounded: true, ..motion });
        let still = Motion::default();
        out.extend([
            (format!("dt {bad}"), Moment { dt: bad, ..good }),
            (format!("step {bad}"), Moment::step(bad)),
            (format!("velocity {bad}"), motion(Motion { velocity: vector, ..still })),
            (format!("acceleration {bad}"), motion(Motion { acceleration: vector, ..still })),
            (format!("turn rate {bad}"), motion(Motion { turn_rate: bad, ..still })),
            (format!("wind {bad}"), Moment { wind: vector, ..good }),
            (format!("viewer {bad}"), Moment { viewer: Some(vector), ..good }),
        ]);
    }
    out
}

#[test]
fn every_layer_survives_every_moment_and_recovers() {
    let good = Moment::step(1.0 / 60.0);
    let mut wrong = Vec::new();
    for character in [rabbit(), Arc::new(builtin::creature())] {
        for (moment_name, bad) in bad_moments() {
            for (name, stack) in layers(&character) {
                let start = Instant::now();
                let mut actor = Actor::new(character.clone());
                actor.stack = stack;
                let mut broken = None;
                for step in 0..60 {
                    let moment = if (10..13).contains(&step) { &bad } else { &good };
                    actor.step(moment);
                    if broken.is_none() && !finite(&actor) {
                        broken = Some(step);
                    }
                }
                let recovered = finite(&actor);
                let time = start.elapsed().as_secs_f32();
                if let Some(step) = broken {
                    let then = if recovered { "and recovers" } else { "for good" };
                    wrong.push(format!("{name}, {moment_name}: not finite at {step} {then}"));
                }
                if time > SECONDS {
                    wrong.push(format!("{name}, {moment_name}: took {time} s"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_weight_is_a_weight() {
    let character = rabbit();
    let mut actor = Actor::new(character.clone());
    let base = actor.stack.push(Idle::new(&character.rig, 1));
    let clips = actor.stack.push(Clips::playing(character.clone(), ClipId(0), Loop::Repeat));
    for mode in [Mode::Replace, Mode::Add] {
        actor.stack.set_mode(clips, mode);
        for weight in BAD {
            for id in [base, clips] {
                actor.stack.set_weight(id, weight);
                assert!((0.0..=1.0).contains(&actor.stack.weight(id)), "{weight}");
            }
            let layer: &mut Clips = actor.stack.get_mut(clips).expect("the clips");
            let other = layer.slots().len();
            if other == 1 {
                layer.add(ClipId(1), Loop::Once, 1.0);
            }
            layer.slots_mut()[0].weight = weight;
            layer.slots_mut()[0].playback.set_speed(weight);
            for _ in 0..3 {
                actor.step(&Moment::step(1.0 / 60.0));
                assert!(finite(&actor), "{mode:?} {weight}");
            }
        }
    }
}

#[test]
fn every_parameter_of_a_tree_is_taken() {
    let character = rabbit();
    let leaf = |clip, speed| Blend::Clip { clip: ClipId(clip), looping: Loop::Repeat, speed };
    for speed in BAD {
        let line = Blend::Line {
            param: ParamId(0),
            points: vec![(0.0, leaf(0, speed)), (1.0, leaf(1, 1.0)), (1.0, leaf(3, -1.0))],
            sync: true,
        };
        let add =
            Blend::Add { base: Box::new(line), add: Box::new(leaf(2, 1.0)), weight: ParamId(1) };
        let mut actor = Actor::new(character.clone());
        let id = actor.stack.push(Tree::new(character.clone(), add));
        for value in BAD {
            let tree: &mut Tree = actor.stack.get_mut(id).expect("the tree");
            tree.set(ParamId(0), value);
            tree.set(ParamId(1), value);
            for _ in 0..3 {
                actor.step(&Moment::step(1.0 / 60.0));
                assert!(finite(&actor), "speed {speed}, parameter {value}");
            }
        }
    }
}

#[test]
fn ten_thousand_layers() {
    let character = rabbit();
    let mut actor = Actor::new(character.clone());
    for at in 0..10_000 {
        let clips = Clips::playing(character.clone(), ClipId(at % 4), Loop::Repeat);
        let id = actor.stack.push(clips);
        actor.stack.set_mode(id, if at % 2 == 0 { Mode::Replace } else { Mode::Add });
        actor.stack.set_weight(id, 0.5);
    }
    let start = Instant::now();
    for _ in 0..3 {
        actor.step(&Moment::step(1.0 / 60.0));
    }
    let time = start.elapsed().as_secs_f32();
    assert!(finite(&actor));
    assert!(time < 3.0 * SECONDS, "{time} s for 3 steps");
}

#[test]
fn a_pose_that_was_spoilt_by_hand_is_whole_at_the_next_step() {
    let mut actor = Actor::new(rabbit());
    (actor.stack, _) = motion_from_state(actor.character(), 1);
    actor.step(&Moment::step(1.0 / 60.0));
    actor.edit(|pose| {
        for joint in 0..pose.joint_count() {
            pose.set_translation(JointId(joint as u32), Vec3::NAN);
            pose.set_scale(JointId(joint as u32), Vec3::INFINITY);
        }
        pose.channels_mut().fill(f32::NAN);
    });
    actor.step(&Moment::step(1.0 / 60.0));
    assert!(finite(&actor));
}

#[test]
fn the_mixer_survives_every_update() {
    let character = rabbit();
    let mut wrong = Vec::new();
    for bad in BAD.map(f64::from).into_iter().chain([1e300, f64::NAN]) {
        for what in ["update", "time scale", "weight", "fade", "start", "time"] {
            let mut pose = Pose::rest(&character.rig);
            let mut mixer = Mixer::new();
            let ids: Vec<_> =
                character.clips.iter().map(|clip| mixer.action(clip.clone())).collect();
            ids.iter().for_each(|id| mixer.play(*id));
            let start = Instant::now();
            mixer.update(0.1, &mut pose);
            match what {
                "update" => mixer.update(bad, &mut pose),
                "time" => mixer.set_time(bad, &mut pose),
                "fade" => mixer.cross_fade(ids[0], ids[3], bad, true),
                _ => {
                    let action = mixer.get_mut(ids[0]);
                    match what {
                        "time scale" => action.set_effective_time_scale(bad),
                        "weight" => action.set_effective_weight(bad),
                        _ => action.start_at(bad),
                    }
                }
            }
            let mut events = mixer.events().len();
            for _ in 0..5 {
                mixer.update(0.1, &mut pose);
                events = events.max(mixer.events().len());
            }
            let time = start.elapsed().as_secs_f32();
            if !pose.is_finite() || time > SECONDS || events > 10_000 {
                let finite = pose.is_finite();
                wrong.push(format!("{what} {bad}: finite {finite}, {events} events, {time} s"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
