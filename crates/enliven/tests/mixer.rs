//! The mixer beyond the golden vectors: marks, layers, odd numbers.

use enliven::{
    ActionId, Channel, ChannelId, ChannelKind, Channels, Clip, Curve, Event, Finish, Interpolation,
    JointId, Layer, Loop, Mixer, Moment, Playback, Pose, Property, Regions, Rig, Rng, Skeleton,
    Stack, Target, Track, Transform, glam::Vec3,
};

const X: ChannelId = ChannelId(0);

fn rig() -> Rig {
    let mut skeleton = Skeleton::new();
    let up = Transform::from_translation(Vec3::Y);
    skeleton.push("a", None, up).expect("a root");
    let mut channels = Channels::new();
    channels.push(Channel::new("x", ChannelKind::Custom).with_default(10.0));
    let regions = Regions::new(&skeleton, &[]);
    Rig::new(skeleton, channels, regions, 1.0)
}

/// A channel that shows the time.
fn ramp(name: &str, seconds: f32) -> Clip {
    let curve = Curve::new(vec![0.0, seconds], vec![0.0, seconds], 1, Interpolation::Linear);
    Clip::new(name, vec![Track { target: Target::Channel(X), curve: curve.expect("curve") }])
}

fn marked(seconds: f32, marks: &[f32]) -> Clip {
    let mut clip = ramp("marked", seconds);
    marks.iter().for_each(|t| clip.add_mark(*t, "step"));
    clip
}

fn marks(mixer: &Mixer) -> Vec<u32> {
    let mark = |e: &Event| match e {
        Event::Mark { mark, .. } => Some(*mark),
        _ => None,
    };
    mixer.events().iter().filter_map(mark).collect()
}

#[test]
fn marks_fire_once_over_any_steps() {
    let mut rng = Rng::new(11, 0);
    for looping in [Loop::Once, Loop::Repeat, Loop::PingPong] {
        for speed in [1.0f32, -1.0] {
            let clip = marked(0.7, &[0.0, 0.1, 0.35, 0.35, 0.7]);
            let start = f64::from(if speed < 0.0 && looping == Loop::Once { 0.7 } else { 0.0f32 });
            // One step at a time in the smallest pieces is the truth.
            let mut counts = Vec::new();
            for run in 0..20 {
                let mut pose = Pose::rest(&rig());
                let mut mixer = Mixer::new();
                let id = mixer.action(clip.clone());
                mixer.get_mut(id).looping = looping;
                mixer.get_mut(id).time_scale = f64::from(speed);
                mixer.get_mut(id).time = start;
                mixer.play(id);
                let mut count = [0u32; 5];
                let mut left = 7.0f64;
                while left > 0.0 {
                    let dt = if run == 0 { 0.003 } else { f64::from(rng.range(0.0, 0.9)) };
                    let dt = dt.min(left);
                    left -= dt;
                    mixer.update(dt, &mut pose);
                    marks(&mixer).iter().for_each(|m| count[*m as usize] += 1);
                }
                counts.push(count);
            }
            let want = counts[0];
            let rounds = if looping == Loop::Once { 1 } else { 10 };
            assert!(want[1].abs_diff(rounds) <= 1, "{looping:?} {speed}: {want:?}");
            for count in counts {
                // The last round may end a hair before or after a mark.
                let near = count.iter().zip(want).all(|(a, b)| a.abs_diff(b) <= 1);
                assert!(near, "{looping:?} {speed}: {count:?}, want {want:?}");
            }
        }
    }
}

#[test]
fn landing_on_a_mark_fires_it_once() {
    let clip = marked(1.0, &[0.0, 0.5]);
    let mut pose = Pose::rest(&rig());
    let mut mixer = Mixer::new();
    let id = mixer.action(clip);
    mixer.play(id);
    let mut step = |mixer: &mut Mixer, dt| {
        mixer.update(dt, &mut pose);
        marks(mixer)
    };
    assert_eq!(step(&mut mixer, 0.5), [0, 1], "the start counts, the landing counts");
    assert_eq!(step(&mut mixer, 0.0), [0u32; 0]);
    assert_eq!(step(&mut mixer, -0.25), [0u32; 0], "turning round on it is not crossing it");
    assert_eq!(step(&mut mixer, 0.5), [1]);
    assert_eq!(step(&mut mixer, 0.25), [0], "the seam");
    mixer.get_mut(id).time = 0.5;
    assert_eq!(step(&mut mixer, 0.25), [1], "a jump onto it is an arrival");
    mixer.scrub(id, 0.25);
    assert_eq!(step(&mut mixer, 0.0), [1], "a scrub crosses it");
    mixer.get_mut(id).time = 0.9;
    assert_eq!(step(&mut mixer, 0.05), [0u32; 0], "a jump passes over");
}

#[test]
fn playback_crosses_marks_as_the_mixer_does() {
    let mut rng = Rng::new(4, 0);
    let clip = marked(0.7, &[0.0, 0.1, 0.35, 0.7]);
    for looping in [Loop::Once, Loop::Repeat, Loop::PingPong] {
        let mut pose = Pose::rest(&rig());
        let mut mixer = Mixer::new();
        let id = mixer.action(clip.clone());
        mixer.get_mut(id).looping = looping;
        mixer.get_mut(id).clamp_when_finished = true;
        mixer.play(id);
        let mut playback = Playback::new(&clip, looping);
        for _ in 0..200 {
            let dt = rng.range(0.0, 0.9);
            mixer.update(f64::from(dt), &mut pose);
            let mut got = Vec::new();
            playback.advance_over(&clip, dt, |m| got.push(m as u32));
            assert_eq!(got, marks(&mixer), "{looping:?} at {}", playback.time());
        }
    }
    let mut playback = Playback::new(&clip, Loop::Repeat);
    let mut got = Vec::new();
    playback.scrub(&clip, -0.5, |m| got.push(m));
    assert_eq!(got, [0, 3, 2], "backwards over the seam, from the start on");
}

#[test]
fn the_end_pose_is_shown_when_finished_is_told() {
    let mut pose = Pose::rest(&rig());
    for (looping, rounds, end) in [
        (Loop::Once, 1, 2.0),
        (Loop::Repeat, 3, 2.0),
        (Loop::PingPong, 1, 2.0),
        (Loop::PingPong, 2, 0.0),
    ] {
        for dt in [0.3, 1.7, 5.0, 100.0] {
            let mut mixer = Mixer::new();
            let id = mixer.action(ramp("r", 2.0));
            mixer.get_mut(id).set_loop(looping, Some(rounds));
            mixer.get_mut(id).clamp_when_finished = true;
            mixer.play(id);
            let finished =
                |m: &Mixer| m.events().contains(&Event::Finished { action: id, at: Finish::End });
            let mut steps = 0;
            while !finished(&mixer) {
                mixer.update(dt, &mut pose);
                steps += 1;
                assert!(steps < 100);
            }
            assert_eq!(pose.channel(X), end, "{looping:?} × {rounds}, steps of {dt}");
            mixer.update(dt, &mut pose);
            assert_eq!((pose.channel(X), mixer.events()), (end, &[][..]), "it holds");
        }
    }
}

#[test]
fn a_ping_pong_backwards_ends_at_its_start() {
    let mut pose = Pose::rest(&rig());
    let mut mixer = Mixer::new();
    let id = mixer.action(ramp("r", 2.0));
    let a = mixer.get_mut(id);
    a.set_loop(Loop::PingPong, Some(3));
    a.clamp_when_finished = true;
    a.time_scale = -1.0;
    a.time = 1.5;
    mixer.play(id);
    for _ in 0..40 {
        mixer.update(0.25, &mut pose);
    }
    // Round 2 runs as the clip does, and backwards in time: it ends at the clip's start.
    assert_eq!(pose.channel(X), 0.0);
    assert!(mixer.get(id).paused);
}

#[test]
fn time_stays_finite() {
    let odd = [0.0, -0.0, -1.0, 1e9, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN];
    let mut still = ramp("still", 1.0);
    still.duration = 0.0;
    let mut undefined = ramp("undefined", 1.0);
    undefined.duration = f32::NAN;
    for clip in [still, undefined, marked(1e-30, &[0.0]), marked(1.0, &[0.0, 0.5, 1.0])] {
        for looping in [Loop::Once, Loop::Repeat, Loop::PingPong] {
            for repetitions in [None, Some(0), Some(1), Some(u32::MAX)] {
                let mut pose = Pose::rest(&rig());
                let mut mixer = Mixer::new();
                let [a, b] = [clip.clone(), ramp("other", 2.0)].map(|c| mixer.action(c));
                mixer.play(a);
                mixer.play(b);
                for (i, v) in odd.into_iter().enumerate() {
                    for w in odd {
                        let action = mixer.get_mut(a);
                        action.set_loop(looping, repetitions);
                        (action.enabled, action.paused) = (true, false);
                        match i % 4 {
                            0 => action.time_scale = v,
                            1 => action.weight = v,
                            2 => action.time = v,
                            _ => action.set_duration(v),
                        }
                        mixer.warp(a, v, w, v);
                        mixer.cross_fade(a, b, w, true);
                        mixer.fade_in(b, v);
                        mixer.update(w, &mut pose);
                        assert!(mixer.get(a).time.is_finite(), "{v} {w}");
                        assert!(mixer.time().is_finite());
                        assert!(pose.is_finite(), "{v} {w}: {pose:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_warp_from_a_halt_starts_again() {
    let mut pose = Pose::rest(&rig());
    let mut mixer = Mixer::new();
    let id = mixer.action(ramp("r", 10.0));
    mixer.get_mut(id).time_scale = 0.0;
    mixer.play(id);
    mixer.warp(id, 0.0, 2.0, 1.0);
    for _ in 0..20 {
        mixer.update(0.125, &mut pose);
    }
    assert_eq!(mixer.get(id).time_scale, 2.0);
    assert!(mixer.get(id).time > 3.0);
}

#[test]
fn as_a_layer_it_mixes_with_what_is_below() {
    struct Below(f32);
    impl Layer for Below {
        fn apply(&mut self, _: &Moment, _: &Rig, pose: &mut Pose) {
            self.0 += 1.0;
            pose.set_channel(X, self.0);
        }
    }
    let rig = rig();
    let mut stack = Stack::new();
    stack.push(Below(100.0));
    let mut mixer = Mixer::new();
    let id = mixer.action(ramp("r", 8.0));
    mixer.get_mut(id).weight = 0.25;
    mixer.play(id);
    let layer = stack.push(mixer);
    let mut pose = Pose::rest(&rig);
    stack.apply(&Moment::step(0.25), &rig, &mut pose);
    assert_eq!(pose.channel(X), 0.75 * 101.0 + 0.25 * 0.25);
    stack.apply(&Moment::step(0.25), &rig, &mut pose);
    assert_eq!(pose.channel(X), 0.75 * 102.0 + 0.25 * 0.5, "below moves on");
    stack.get_mut::<Mixer>(layer).expect("the mixer").stop(ActionId(0));
    stack.apply(&Moment::step(0.25), &rig, &mut pose);
    assert_eq!(pose.channel(X), 103.0);
}

#[test]
fn components_and_wholes_share_a_joint() {
    let rig = rig();
    let one = |target, v: Vec<f32>| {
        let width = v.len();
        let curve = Curve::new(vec![0.0], v, width, Interpolation::Linear).expect("curve");
        Track { target, curve }
    };
    let j = JointId(0);
    let whole = one(Target::Joint(j, Property::Translation), vec![1.0, 2.0, 3.0]);
    let y = one(Target::Component(j, Property::Translation, enliven::Axis::Y), vec![7.0]);
    let mut mixer = Mixer::new();
    let id = mixer.action(Clip::new("c", vec![whole, y]));
    mixer.play(id);
    let mut pose = Pose::rest(&rig);
    mixer.update(0.1, &mut pose);
    assert_eq!(pose.translation(j), Vec3::new(1.0, 7.0, 3.0));
    mixer.stop(id);
    mixer.settle(&mut pose);
    assert_eq!(pose, Pose::rest(&rig));
}
