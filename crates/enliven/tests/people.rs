//! Bodies in conversation and faces: D2 and D3.

use enliven::glam::{Quat, Vec3};
use enliven::person::{
    Conversation, Expression, ExpressionBind, Expressions, Face, HumanBone, Humanoid, NamedParts,
    Override, Person, Presence, Preset, VoiceMode,
};
use enliven::{
    Affine, Channel, ChannelKind, Channels, Character, CharacterParts, JointId, Layer, Moment,
    Pose, Regions, Rig, Skeleton, Transform,
};

/// A person of 1.6 m in a T-pose.
fn person() -> (Rig, Humanoid) {
    let mut s = Skeleton::new();
    let mut add = |name: &str, up: Option<JointId>, x: f32, y: f32, z: f32| {
        s.push(name, up, Transform::from_translation(Vec3::new(x, y, z))).expect("parents first")
    };
    let hips = add("Hips", None, 0.0, 0.9, 0.0);
    let spine = add("Spine", Some(hips), 0.0, 0.12, 0.0);
    let chest = add("Chest", Some(spine), 0.0, 0.14, 0.0);
    let neck = add("Neck", Some(chest), 0.0, 0.22, 0.0);
    add("Head", Some(neck), 0.0, 0.08, 0.01);
    for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
        let shoulder = add(&format!("{side}Shoulder"), Some(chest), 0.04 * x, 0.18, 0.0);
        let arm = add(&format!("{side}UpperArm"), Some(shoulder), 0.12 * x, 0.0, 0.0);
        let fore = add(&format!("{side}LowerArm"), Some(arm), 0.26 * x, 0.0, 0.0);
        let hand = add(&format!("{side}Hand"), Some(fore), 0.24 * x, 0.0, 0.0);
        add(&format!("{side}HandIndex1"), Some(hand), 0.08 * x, 0.0, 0.02);
        let leg = add(&format!("{side}UpperLeg"), Some(hips), 0.09 * x, -0.05, 0.0);
        let shin = add(&format!("{side}LowerLeg"), Some(leg), 0.0, -0.4, 0.01);
        add(&format!("{side}Foot"), Some(shin), 0.0, -0.38, -0.02);
    }
    let named = NamedParts::new(&s, |_| true);
    let humanoid = named.humanoid(&s);
    let parts: Vec<_> = named.regions().iter().map(|(r, j)| (*r, j.as_slice())).collect();
    let regions = Regions::new(&s, &parts);
    (Rig::new(s, Channels::new(), regions, 1.6), humanoid)
}

struct Stage {
    rig: Rig,
    body: Humanoid,
    layer: Conversation,
    pose: Pose,
}

impl Stage {
    fn new(seed: u64) -> Self {
        let (rig, body) = person();
        let layer = Conversation::new(&rig, Some(&body), seed);
        let pose = Pose::rest(&rig);
        Self { rig, body, layer, pose }
    }

    fn step(&mut self, dt: f32) {
        self.pose = Pose::rest(&self.rig);
        self.layer.apply(&Moment::step(dt), &self.rig, &mut self.pose);
    }

    fn at(&self, bone: HumanBone) -> Vec3 {
        let mut model = vec![Affine::IDENTITY; self.rig.skeleton.len()];
        self.pose.to_model(&self.rig.skeleton, &mut model);
        model[self.body.joint(bone).expect("bone").index()].translation()
    }

    fn turns(&self) -> Vec<Quat> {
        self.rig.skeleton.joints().map(|j| self.pose.rotation(j)).collect()
    }
}

#[test]
fn nobody_ever_stands_in_a_t_pose() {
    for mode in VoiceMode::ALL {
        let mut stage = Stage::new(3);
        stage.layer.mode = mode;
        for _ in 0..600 {
            stage.step(1.0 / 60.0);
            for (a, b) in [
                (HumanBone::LeftUpperArm, HumanBone::LeftLowerArm),
                (HumanBone::RightUpperArm, HumanBone::RightLowerArm),
            ] {
                let arm = (stage.at(b) - stage.at(a)).normalize();
                // In a T-pose it is 0; the widest gesture lifts a hand to the side.
                assert!(arm.y < -0.45, "{mode:?}: an upper arm at {arm}");
            }
        }
    }
}

#[test]
fn a_change_of_mode_never_snaps() {
    let mut stage = Stage::new(5);
    stage.step(1.0 / 60.0);
    let (mut last, mut most) = (stage.turns(), 0.0f32);
    for i in 0..3000 {
        if i % 47 == 0 {
            stage.layer.mode = VoiceMode::ALL[(i / 47 * 3) % 4];
        }
        stage.step(1.0 / 60.0);
        let now = stage.turns();
        for (a, b) in last.iter().zip(&now) {
            most = most.max(a.angle_between(*b));
        }
        last = now;
    }
    // 0.12 rad a frame is 7 rad/s: the elbow of a lively hand.
    assert!(most < 0.12, "{most} rad within a frame");
}

#[test]
fn feet_stay_and_hips_do_not() {
    let mut stage = Stage::new(8);
    stage.step(1.0 / 60.0);
    let feet = [HumanBone::LeftFoot, HumanBone::RightFoot];
    let rest = feet.map(|f| stage.at(f));
    for (foot, now) in feet.into_iter().zip(rest) {
        let ankle = stage.body.rest_at(foot).expect("foot").y;
        assert!((now.y - ankle).abs() < 1e-3, "a foot on the ground: {now}");
    }
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for i in 0..3600 {
        stage.layer.mode = VoiceMode::ALL[i / 900];
        stage.step(1.0 / 60.0);
        for (f, r) in feet.into_iter().zip(rest) {
            let slip = stage.at(f).distance(r);
            assert!(slip < 2e-3, "a foot slips {slip} m");
        }
        let x = stage.at(HumanBone::Hips).x;
        (low, high) = (low.min(x), high.max(x));
    }
    assert!(high - low > 0.02, "the weight shifts: {}", high - low);
}

#[test]
fn never_still_and_all_gestures() {
    let mut stage = Stage::new(13);
    stage.layer.mode = VoiceMode::Speaking;
    let mut seen = std::collections::BTreeSet::new();
    let mut still = 0;
    stage.step(1.0 / 60.0);
    let mut last = stage.turns();
    for _ in 0..1500 {
        stage.step(1.0 / 60.0);
        seen.insert(stage.layer.gesture());
        let now = stage.turns();
        let moved: f32 = last.iter().zip(&now).map(|(a, b)| a.angle_between(*b)).sum();
        still = if moved < 1e-4 { still + 1 } else { 0 };
        assert!(still < 6, "frozen");
        last = now;
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}

#[test]
fn any_frame_rate_shows_the_same_person() {
    let run = |rate: usize| {
        let mut stage = Stage::new(21);
        for i in 0..12 * rate {
            stage.layer.mode = VoiceMode::ALL[(i / (3 * rate)) % 4];
            stage.step(1.0 / rate as f32);
        }
        [HumanBone::Head, HumanBone::LeftHand, HumanBone::RightHand].map(|b| stage.at(b))
    };
    let want = run(60);
    for rate in [20, 30, 144, 240] {
        for (a, b) in run(rate).into_iter().zip(want) {
            // An event begins with a frame, so up to a frame late; hands move 0.4 m/s.
            assert!(a.distance(b) < 0.03, "{rate}: {a} {b}");
        }
    }
}

/// A face whose moods shut the eyes with the morphs of the blink, by so much.
fn face(moods: [f32; 5], overrides: Override) -> (Rig, Person, enliven::ChannelId) {
    let mut channels = Channels::new();
    let lid = channels.push(Channel::new("lid", ChannelKind::Morph));
    let mut expressions = Vec::new();
    let mut add = |channels: &mut Channels, preset: Preset, amount: f32, how: Override| {
        let c = channels.push(Channel::new(preset.name(), ChannelKind::Expression));
        let mut e = Expression::new(preset.name(), c);
        e.override_blink = how;
        if amount > 0.0 {
            e.binds.push(ExpressionBind { channel: lid, amount });
        }
        expressions.push(e);
    };
    add(&mut channels, Preset::Blink, 1.0, Override::None);
    let names = [Preset::Happy, Preset::Angry, Preset::Sad, Preset::Relaxed, Preset::Surprised];
    for (p, amount) in names.into_iter().zip(moods) {
        add(&mut channels, p, amount, overrides);
    }
    let skeleton = Skeleton::new();
    let regions = Regions::new(&skeleton, &[]);
    let rig = Rig::new(skeleton, channels, regions, 1.6);
    let person = Person { expressions, ..Person::default() };
    (rig, person, lid)
}

#[test]
fn a_blink_goes_on_and_never_doubles() {
    let moods = [1.0, 0.25, 0.6, 0.1, 0.0];
    for how in [Override::None, Override::Block, Override::Blend] {
        let (rig, person, lid) = face(moods, how);
        for mood in 0..5 {
            for weight in [0.0, 0.3, 0.7, 1.0] {
                let mut layer = Face::new(&rig, &person, 3);
                let mut show = Expressions::new(&rig, &person.expressions);
                layer.mood[mood] = weight;
                let (mut most, mut low) = (0.0f32, f32::MAX);
                for i in 0..1200 {
                    let mut pose = Pose::rest(&rig);
                    let moment = Moment::step(1.0 / 60.0);
                    layer.apply(&moment, &rig, &mut pose);
                    show.apply(&moment, &rig, &mut pose);
                    most = most.max(pose.channel(lid));
                    if i > 120 {
                        low = low.min(pose.channel(lid));
                    }
                }
                assert!(most <= 1.0 + 1e-4, "mood {mood} at {weight}, {how:?}: lids at {most}");
                // What blocks may keep the eyes as it wants them; else they shut.
                if how == Override::None {
                    assert!(most > 0.95, "mood {mood} at {weight}: no blink, {most}");
                    assert!((low - weight * moods[mood]).abs() < 0.02, "the mood stays: {low}");
                }
            }
        }
    }
}

/// A person with a face, to be stacked as a program stacks it.
fn whole(moods: [f32; 5], how: Override, sides: bool) -> (Character, Person, enliven::ChannelId) {
    let (body, _) = person();
    let mut channels = Channels::new();
    let lid = channels.push(Channel::new("lid", ChannelKind::Morph));
    let mut expressions = Vec::new();
    let mut add = |preset: Preset, amount: f32, how: Override, binary: bool| {
        let c = channels.push(Channel::new(preset.name(), ChannelKind::Expression));
        let mut e = Expression::new(preset.name(), c);
        (e.override_blink, e.binary) = (how, binary);
        if amount > 0.0 {
            e.binds.push(ExpressionBind { channel: lid, amount });
        }
        expressions.push(e);
    };
    add(Preset::Blink, 1.0, Override::None, false);
    if sides {
        // One morph for both eyes: what a face may do, and what doubles where it is not weighed.
        add(Preset::BlinkLeft, 1.0, Override::None, true);
        add(Preset::BlinkRight, 1.0, Override::None, true);
    }
    let names = [Preset::Happy, Preset::Angry, Preset::Sad, Preset::Relaxed, Preset::Surprised];
    for (p, amount) in names.into_iter().zip(moods) {
        add(p, amount, how, false);
    }
    let person = Person { expressions, humanoid: person_bones(&body), ..Person::default() };
    let rig = Rig::new(body.skeleton, channels, body.regions, body.height);
    let parts = CharacterParts::of("whole", rig);
    (Character::new(parts).expect("a character"), person, lid)
}

fn person_bones(rig: &Rig) -> Humanoid {
    NamedParts::new(&rig.skeleton, |_| true).humanoid(&rig.skeleton)
}

/// Every pair of two moods, every override, in every mode, as the command stacks the layers: lids
/// never go beyond shut, and a blink goes on wherever a mood does not forbid it.
#[test]
fn blinks_and_pairs_of_moods_in_the_whole_stack() {
    let closing = [1.0, 0.25, 0.6, 0.1, 0.0];
    for how in [Override::None, Override::Blend, Override::Block] {
        for sides in [false, true] {
            let (character, person, lid) = whole(closing, how, sides);
            let character = std::sync::Arc::new(character);
            for (a, b) in (0..5).flat_map(|a| (0..=a).map(move |b| (a, b))) {
                for mode in VoiceMode::ALL {
                    let mut actor = enliven::Actor::new(character.clone());
                    let mut presence;
                    let params = enliven::MindParams::default();
                    (actor.stack, presence) =
                        Presence::new(&character, Some(&person), params, 11 + a as u64);
                    presence.set_mode(&mut actor.stack, mode);
                    let mut mood = [0.0; 6];
                    (mood[a], mood[b]) = (0.5, 0.5);
                    presence.set_mood(&mut actor.stack, mood);
                    let (mut most, mut blinks, mut was) = (0.0f32, 0, false);
                    for _ in 0..60 * 8 {
                        actor.step(&Moment::step(1.0 / 60.0));
                        let shut = actor.pose().channel(lid);
                        most = most.max(shut);
                        blinks += u32::from(shut > 0.95 && !was);
                        was = shut > 0.95;
                    }
                    let told = format!("{how:?} {sides} {a} {b} {mode:?}: {most}, {blinks} blinks");
                    assert!(most <= 1.0 + 1e-4, "{told}");
                    assert!(blinks > 0 || how != Override::None, "{told}");
                }
            }
        }
    }
}

/// From every mode into every other one, with moods that change meanwhile: no joint jumps, neither
/// in place nor in speed.
#[test]
fn every_change_of_mode_and_mood_is_a_cross_fade() {
    let (character, person, _) = whole([0.0; 5], Override::None, false);
    let character = std::sync::Arc::new(character);
    let joints: Vec<JointId> = character.rig.skeleton.joints().collect();
    for (from, to) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
        let mut actor = enliven::Actor::new(character.clone());
        let mut presence;
        let params = enliven::MindParams::default();
        (actor.stack, presence) = Presence::new(&character, Some(&person), params, 5 + from as u64);
        let mut last: Vec<Quat> = Vec::new();
        let mut turned: Vec<f32> = Vec::new();
        for i in 0..60 * 6 {
            let mode = VoiceMode::ALL[if i < 150 { from } else { to }];
            presence.set_mode(&mut actor.stack, mode);
            let mut mood = [0.0; 6];
            mood[(i / 70 + to) % 6] = 1.0;
            presence.set_mood(&mut actor.stack, mood);
            actor.step(&Moment::step(1.0 / 60.0));
            let now: Vec<Quat> = joints.iter().map(|j| actor.pose().rotation(*j)).collect();
            let step: Vec<f32> = last.iter().zip(&now).map(|(a, b)| a.angle_between(*b)).collect();
            for (k, angle) in step.iter().enumerate() {
                let place = format!("{from} to {to}, step {i}, joint {k}");
                // 0.14 rad a frame is 8 rad/s: the elbow of a lively hand.
                assert!(*angle < 0.14, "{place}: {angle} rad");
                // Springs of 6 rad/s that reach 2 rad further start with 0.02 rad a frame more.
                let before = turned.get(k).copied().unwrap_or(*angle);
                assert!((angle - before).abs() < 0.035, "{place}: {before} to {angle} rad");
            }
            (last, turned) = (now, step);
        }
    }
}

/// Turns every joint by chance in every frame.
struct Thrash(enliven::Rng);

impl Layer for Thrash {
    fn apply(&mut self, _: &Moment, rig: &Rig, pose: &mut Pose) {
        for joint in rig.skeleton.joints() {
            let mut any = || self.0.range(-3.0, 3.0);
            pose.set_rotation(joint, enliven::math::yaw_pitch_roll(any(), any(), any()));
        }
    }
}

/// Blinks, a mood that comes and a mouth that speaks are the same to the bit on a body that stands
/// still and on one that is thrown about, and touch no joint of either.
#[test]
fn the_face_goes_on_whatever_the_body_does() {
    let (character, person, lid) = whole([0.4, 0.25, 0.6, 0.1, 0.0], Override::None, true);
    let rig = &character.rig;
    let run = |mut body: Option<Thrash>| {
        let mut face = Face::new(rig, &person, 9);
        let mut show = Expressions::new(rig, &person.expressions);
        let mut seen = Vec::new();
        for i in 0..60 * 30 {
            let moment = Moment::step(1.0 / 60.0);
            let mut pose = Pose::rest(rig);
            if let Some(body) = &mut body {
                body.apply(&moment, rig, &mut pose);
            }
            let before: Vec<_> = rig.skeleton.joints().map(|j| pose.transform(j)).collect();
            face.babble = i > 300;
            face.mood[0] = if i > 600 { 0.8 } else { 0.0 };
            face.apply(&moment, rig, &mut pose);
            show.apply(&moment, rig, &mut pose);
            let after: Vec<_> = rig.skeleton.joints().map(|j| pose.transform(j)).collect();
            assert_eq!(before, after, "frame {i}: a joint moved");
            seen.push(pose.channels().to_vec());
        }
        seen
    };
    let still = run(None);
    assert_eq!(still, run(Some(Thrash(enliven::Rng::new(1, 2)))));
    let shut = still.windows(2).filter(|w| w[0][lid.index()] < 0.9 && w[1][lid.index()] >= 0.9);
    let blinks = shut.count();
    assert!(blinks >= 4, "{blinks} blinks in half a minute");
}
