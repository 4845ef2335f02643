//! The figures of B1 to B7: motion as a function of state.

use enliven::glam::Vec3;
use enliven::layers::{Gait, Glance, Idle, Locomotion, motion_from_state};
use enliven::{
    Actor, Affine, Channels, Character, CharacterParts, Course, JointId, Layer, LayerId, Moment,
    Motion, Pose, Region, Regions, Rig, Side, Skeleton, Transform, builtin, math,
};
use std::f32::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

/// Metres for one of the source's units, at the rabbit's height.
const UNIT: f32 = 0.1;
const FPS: u32 = 240;
const DT: f32 = 1.0 / FPS as f32;

/// A body that is carried by hand.
struct Carried {
    actor: Actor,
    layer: LayerId,
    root: Transform,
    yaw: f32,
}

impl Carried {
    fn new(character: Character) -> Self {
        let mut actor = Actor::new(Arc::new(character));
        let locomotion = Locomotion::new(&actor.character().rig);
        let layer = actor.stack.push(locomotion);
        Self { actor, layer, root: Transform::IDENTITY, yaw: 0.0 }
    }

    fn rabbit() -> Self {
        Self::new(builtin::rabbit())
    }

    fn layer(&self) -> &Locomotion {
        self.actor.stack.get(self.layer).expect("it is a locomotion layer")
    }

    /// One step ahead at `speed` m/s, turning at `turn` rad/s.
    fn step(&mut self, speed: f32, turn: f32) {
        let middle = math::rotation(Vec3::Y, self.yaw + turn * DT * 0.5);
        self.root.translation += middle * Vec3::Z * (speed * DT);
        self.yaw += turn * DT;
        self.root.rotation = math::rotation(Vec3::Y, self.yaw);
        let velocity = self.root.rotation * Vec3::Z * speed;
        let motion = Motion { velocity, turn_rate: turn, grounded: true, ..Motion::default() };
        self.actor.place(self.root);
        self.actor.step(&Moment::step(DT).with_motion(motion));
    }

    fn run(&mut self, seconds: f32, speed: f32, turn: f32) {
        for _ in 0..(seconds * FPS as f32).round() as u32 {
            self.step(speed, turn);
        }
    }

    fn joint(&self, region: Region) -> JointId {
        self.actor.character().rig.regions.joints(region)[0].joint
    }

    fn model(&self, region: Region) -> Affine {
        self.actor.model()[self.joint(region).index()]
    }

    /// Place of a region's joint in the world.
    fn world(&self, region: Region) -> Vec3 {
        self.root.transform_point(self.model(region).translation())
    }

    /// Rotation of a region's joint about the body's X since rest, rad; positive nods.
    fn pitch(&self, region: Region) -> f32 {
        let joint = self.joint(region);
        let rest = self.actor.character().rig.skeleton.rest()[joint.index()].rotation;
        let turn = self.actor.pose().rotation(joint) * rest.conjugate();
        2.0 * math::atan2(turn.x, turn.w)
    }
}

#[test]
fn b1_no_clip_moves_it() {
    let rabbit = builtin::rabbit();
    assert!(rabbit.clips.is_empty() && rabbit.skins.is_empty());
    let mut c = Carried::rabbit();
    c.run(1.0, 1.2, 0.0);
    let rest = Pose::rest(&rabbit.rig);
    let moved = |j: &JointId| c.actor.pose().transform(*j) != rest.transform(*j);
    let joints = rabbit.rig.skeleton.joints().filter(moved).count();
    assert!(joints > 15, "{joints} joints move");
}

#[test]
fn b2_hops_follow_the_distance_and_tighten() {
    for (units, rate) in [(12.0, 3.05), (21.0, 3.67), (30.0, 4.0)] {
        let mut c = Carried::rabbit();
        c.run(1.0, units * UNIT, 0.0);
        let start = c.layer().phase();
        c.run(10.0, units * UNIT, 0.0);
        let hops = c.layer().phase() - start;
        assert!((hops / 10.0 - rate).abs() < 0.03, "{units} units: {} hops/s", hops / 10.0);
        let stride = f64::from(c.layer().gait().stride(units * UNIT));
        let distance = f64::from(units * UNIT) * 10.0;
        assert!((hops * stride / distance - 1.0).abs() < 1e-3, "phase is distance");
    }
}

#[test]
fn b2_the_bounce_is_the_absolute_sine() {
    let mut c = Carried::rabbit();
    let hips = c.joint(Region::Hips);
    let rest = c.actor.character().rig.skeleton.rest()[hips.index()].translation.y;
    let speed = 2.0;
    c.run(2.0, speed, 0.0);
    let (duty, height) = (c.layer().gait().duty(speed), c.layer().gait().hop(speed));
    let mut flights = 0;
    for _ in 0..FPS * 2 {
        c.step(speed, 0.0);
        // The squash is about the ground: what is left is the bounce.
        let tall = c.actor.pose().scale(hips).y;
        let rise = c.actor.pose().translation(hips).y - rest * tall;
        let p = (c.layer().phase().fract()) as f32;
        if p > duty * 0.5 && p < 1.0 - duty * 0.5 {
            // Through the air the hop's phase runs evenly, from 0.13 to 0.87 of the sine's arch.
            let t = (p - duty * 0.5) / (1.0 - duty);
            let want = height * (std::f32::consts::PI * (0.13 + 0.74 * t)).sin().abs();
            assert!((rise - want).abs() < 0.002, "{p}: {rise} for {want}");
            flights += 1;
        } else {
            assert!(rise < height * 0.42, "{p}: {rise} on the ground");
        }
        assert!(rise > -1e-5);
    }
    assert!(flights > 200);
}

#[test]
fn b2_squash_near_the_landing_stretch_in_the_air_volume_kept() {
    let mut c = Carried::rabbit();
    let hips = c.joint(Region::Hips);
    c.run(1.0, 2.4, 0.0);
    let (mut flat, mut long) = ((1.0f32, 0.0f64), (1.0f32, 0.0f64));
    for _ in 0..FPS * 2 {
        c.step(2.4, 0.0);
        let s = c.actor.pose().scale(hips);
        assert!((s.x * s.y * s.z - 1.0).abs() < 1e-4, "volume: {s}");
        let phase = c.layer().phase();
        if s.y < flat.0 {
            flat = (s.y, phase);
        }
        if s.y > long.0 {
            long = (s.y, phase);
        }
    }
    let from_contact = |p: f64| (p - p.round()).abs();
    assert!(flat.0 < 0.87 && from_contact(flat.1) < 0.06, "flattest {flat:?}");
    assert!(long.0 > 1.06 && from_contact(long.1) > 0.15, "longest {long:?}");
}

#[test]
fn b3_bank_is_proportional_to_the_turn_and_capped() {
    let bank = |turn: f32| {
        let mut c = Carried::rabbit();
        c.run(3.0, 1.5, turn);
        let head = c.model(Region::Head).translation();
        assert!(turn == 0.0 || head.x.signum() == turn.signum(), "leans into the turn: {head}");
        c.layer().bank()
    };
    let cap = bank(3.2);
    assert!((0.2..0.45).contains(&cap), "{cap}");
    assert!((bank(1.6) / cap - 0.5).abs() < 1e-3);
    assert!((bank(-0.8) / cap + 0.25).abs() < 1e-3);
    assert!((bank(9.0) / cap - 1.0).abs() < 1e-3, "capped at the top rate");
    assert_eq!(bank(0.0), 0.0);
}

/// Pitch of a joint over some time: mean, and the phase (in hops) of the hop's own frequency.
fn swing(c: &mut Carried, region: Region, joint: usize, speed: f32) -> (f32, f32, f32) {
    let id = c.actor.character().rig.regions.own_joints(region)[joint].joint;
    let rest = c.actor.character().rig.skeleton.rest()[id.index()].rotation;
    let (mut mean, mut re, mut im, mut n) = (0.0, 0.0, 0.0, 0.0f32);
    let start = c.layer().phase();
    while c.layer().phase() < start + 12.0 {
        c.step(speed, 0.0);
        let turn = c.actor.pose().rotation(id) * rest.conjugate();
        let pitch = 2.0 * math::atan2(turn.x, turn.w);
        let a = (c.layer().phase().fract() as f32) * TAU;
        mean += pitch;
        re += pitch * a.cos();
        im += pitch * a.sin();
        n += 1.0;
    }
    let (re, im) = (re / n * 2.0, im / n * 2.0);
    // pitch ≈ amplitude · sin(a + angle)
    (mean / n, re.hypot(im), re.atan2(im) / TAU)
}

#[test]
fn b4_ears_lie_back_with_speed_and_flap_late() {
    let mut last = 0.05;
    for units in [6.0, 12.0, 20.0, 30.0] {
        let mut c = Carried::rabbit();
        c.run(3.0, units * UNIT, 0.0);
        let (base, flap, beat) = swing(&mut c, Region::Ear(Side::Left), 0, units * UNIT);
        let (mid, ..) = swing(&mut c, Region::Ear(Side::Left), 1, units * UNIT);
        let (tip, _, tip_beat) = swing(&mut c, Region::Ear(Side::Left), 2, units * UNIT);
        let lie = base + mid + tip;
        assert!(lie < last - 0.1, "{units} units: {lie} after {last}");
        last = lie;
        assert!(flap > 0.08, "{units} units: flap {flap} with the hops");
        // The drag of the hop is −sin of its phase, half a turn; a swing that is later than the
        // drag has a smaller angle, and the tip is later than the base.
        let late = (0.5 - beat).rem_euclid(1.0);
        assert!((0.05..0.5).contains(&late), "{units} units: {late} of a hop late");
        let follow = (beat - tip_beat).rem_euclid(1.0);
        assert!((0.01..0.5).contains(&follow), "{units} units: tip {follow} of a hop after");
    }
    assert!(last < -0.8, "far back at full speed: {last}");
}

#[test]
fn b4_ears_overshoot_when_it_stops() {
    let mut c = Carried::rabbit();
    c.run(3.0, 3.0, 0.0);
    let (mut most, mut end) = (f32::MIN, 0.0);
    for _ in 0..FPS * 3 {
        c.step(0.0, 0.0);
        end = c.pitch(Region::Ear(Side::Left));
        most = most.max(end);
    }
    assert!(most > 0.1, "they swing past upright: {most}");
    assert!(end.abs() < 0.02, "and come to rest: {end}");
}

#[test]
fn b4_it_blinks_about_every_three_seconds() {
    let mut actor = Actor::new(Arc::new(builtin::rabbit()));
    let (stack, ids) = motion_from_state(actor.character(), 3);
    actor.stack = stack;
    let eye = actor.character().rig.regions.joints(Region::Eye(Side::Left))[0].joint;
    let mut shut = 0;
    let mut was = false;
    for _ in 0..600 * 60 {
        actor.step(&Moment::step(1.0 / 60.0));
        let is = actor.pose().scale(eye).y < 0.15;
        shut += u32::from(is && !was);
        was = is;
    }
    let blink: &enliven::layers::Blink = actor.stack.get(ids.blink).expect("a blink layer");
    let (begun, doubles) = blink.blinker.counts();
    let every = 600.0 / begun as f32;
    assert!((2.8..3.4).contains(&every), "every {every} s");
    let seen = begun + doubles;
    assert!(u64::from(shut).abs_diff(seen) <= 2, "{shut} shut eyes for {seen} blinks");
}

#[test]
fn b4_paws_swing_about_the_shoulder() {
    let mut c = Carried::rabbit();
    let (arm, paw) = (c.joint(Region::Arm(Side::Left)), c.joint(Region::Hand(Side::Left)));
    let rest = &c.actor.character().rig.skeleton.rest().to_vec();
    c.run(1.0, 2.0, 0.0);
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for _ in 0..FPS {
        c.step(2.0, 0.0);
        let pose = c.actor.pose();
        assert_eq!(pose.translation(arm), rest[arm.index()].translation, "the shoulder stays");
        assert_eq!(pose.translation(paw), rest[paw.index()].translation, "the paw stays on it");
        let pitch = c.pitch(Region::Arm(Side::Left));
        (low, high) = (low.min(pitch), high.max(pitch));
    }
    assert!(high - low > 0.5, "a swing of {} rad", high - low);
}

/// Yaw of the head in the body's axes, by the glance layer alone.
fn glance_at(seconds: f32, viewer: Option<Vec3>) -> (f32, f32) {
    let mut actor = Actor::new(Arc::new(builtin::rabbit()));
    actor.stack.push(Glance::new());
    let moment = Moment { viewer, ..Moment::step(1.0 / 240.0) };
    for _ in 0..(seconds * 240.0).round() as u32 {
        actor.step(&moment);
    }
    let r = &actor.character().rig.regions;
    let nose = actor.model()[r.joints(Region::Head)[0].joint.index()].transform_vector(Vec3::Z);
    let eye = r.joints(Region::Pupil(Side::Left))[0].joint;
    let rest = actor.character().rig.skeleton.rest()[eye.index()].rotation;
    let ahead = actor.pose().rotation(eye) * rest.conjugate() * Vec3::Z;
    (math::atan2(nose.x, nose.z), math::atan2(ahead.x, ahead.z))
}

#[test]
fn b5_the_glance_is_half_a_sine_to_minus_1_6() {
    for (t, want) in [
        (0.5, 0.0),
        (0.79, 0.0),
        (1.25, -1.6 * (FRAC_PI_2 * 0.5).sin()),
        (1.7, -1.6),
        (2.15, -1.6 * (FRAC_PI_2 * 0.5).sin()),
        (2.61, 0.0),
        (4.0, 0.0),
        (5.2 + 1.7, -1.6),
        (10.4 + 0.5, 0.0),
        (10.4 + 1.7, -1.6),
    ] {
        let (yaw, _) = glance_at(t, None);
        // The tilt of the head takes a little from the yaw of the nose.
        assert!((yaw - want).abs() < 0.04, "{t} s: {yaw}, not {want}");
    }
    // Eased at both ends: it starts and stops slowly.
    let speed = |t: f32| (glance_at(t + 0.02, None).0 - glance_at(t, None).0).abs() / 0.02;
    assert!(speed(1.69) < 0.3 && speed(1.2) > 1.5);
}

#[test]
fn b5_eyes_lead_and_the_look_ends_at_the_viewer() {
    let (head, eyes) = glance_at(0.78, None);
    assert!(head.abs() < 1e-3 && eyes < -0.1, "eyes first: {head} {eyes}");
    let (_, eyes) = glance_at(2.5, None);
    assert!(eyes > 0.1, "and first to come back: {eyes}");
    let (head, _) = glance_at(1.7, Some(Vec3::new(2.0, 0.27, 2.0)));
    assert!((head - 0.785).abs() < 0.04, "at who stands to its left: {head}");
    let (head, _) = glance_at(1.7, Some(Vec3::new(-0.5, 0.27, -3.0)));
    assert!((head + 1.6).abs() < 0.04, "as far as the neck goes: {head}");
}

/// Runs a body along the course and returns the furthest that a standing foot moved in the world
/// during one contact, metres, and how many contacts there were.
fn slide(character: Character, fps: u32, seconds: u32) -> (f32, u32) {
    let mut c = Carried::new(character);
    let course = Course::new(c.actor.character().rig.height);
    let mut planted = [None::<Vec3>; 2];
    let (mut most, mut contacts) = (0.0f32, 0);
    for i in 0..seconds * fps {
        let ride = course.at(f64::from(i) / f64::from(fps));
        c.root = ride.root;
        c.actor.place(ride.root);
        let dt = if i == 0 { 0.0 } else { 1.0 / fps as f32 };
        c.actor.step(&Moment::step(dt).with_motion(ride.motion));
        for side in Side::BOTH {
            let slot = &mut planted[side as usize];
            if !c.layer().stands(side) {
                *slot = None;
                continue;
            }
            let at = c.world(Region::Foot(side));
            let first = *slot.get_or_insert_with(|| {
                contacts += 1;
                at
            });
            most = most.max((at - first).length());
        }
    }
    (most, contacts)
}

#[test]
fn b7_feet_never_slide() {
    for fps in [30, 60, 144, 240] {
        let (most, contacts) = slide(builtin::rabbit(), fps, 17);
        assert!(most < 0.01, "{fps} frames/s: {most} m");
        assert!(contacts > 60, "{contacts} contacts");
    }
}

#[test]
fn b7_feet_come_home_after_a_stop_one_at_a_time() {
    let mut c = Carried::rabbit();
    for i in 0..200 {
        c.run(0.005, 1.5 * (1.0 - i as f32 / 200.0), 0.4);
    }
    let mut both = 0;
    for _ in 0..FPS * 3 {
        c.step(0.0, 0.0);
        both += u32::from(!c.layer().stands(Side::Left) && !c.layer().stands(Side::Right));
    }
    assert!(both < FPS / 5, "both feet in the air for {both} frames");
    for side in Side::BOTH {
        let foot = c.model(Region::Foot(side)).translation();
        let rest = Carried::rabbit().model(Region::Foot(side)).translation();
        assert!((foot - rest).length() < 0.05 * 0.45 + 1e-3, "{side:?} {foot} {rest}");
    }
}

/// A person of joints only, 1.7 m tall, in a T-pose.
fn person() -> Character {
    let mut s = Skeleton::new();
    let mut places: Vec<Vec3> = Vec::new();
    let mut joint = |name: &str, parent: Option<JointId>, x: f32, y: f32, z: f32| {
        let at = Vec3::new(x, y, z);
        let base = parent.map_or(Vec3::ZERO, |p| places[p.index()]);
        places.push(at);
        s.push(name, parent, Transform::from_translation(at - base)).expect("parents first")
    };
    let root = joint("root", None, 0.0, 0.0, 0.0);
    let hips = joint("hips", Some(root), 0.0, 0.95, 0.0);
    let chest = joint("chest", Some(hips), 0.0, 1.25, 0.0);
    let head = joint("head", Some(chest), 0.0, 1.5, 0.0);
    let mut parts = vec![
        (Region::Hips, vec![(hips, 1.0)]),
        (Region::Chest, vec![(chest, 1.0)]),
        (Region::Head, vec![(head, 1.0)]),
    ];
    for side in Side::BOTH {
        let x = side.sign();
        let arm = joint("arm", Some(chest), 0.18 * x, 1.4, 0.0);
        let hand = joint("hand", Some(arm), 0.7 * x, 1.4, 0.0);
        let leg = joint("leg", Some(hips), 0.1 * x, 0.9, 0.0);
        let shin = joint("shin", Some(leg), 0.1 * x, 0.48, 0.01);
        let foot = joint("foot", Some(shin), 0.1 * x, 0.08, 0.0);
        parts.extend([
            (Region::Arm(side), vec![(arm, 1.0)]),
            (Region::Hand(side), vec![(hand, 1.0)]),
            (Region::Leg(side), vec![(leg, 1.0)]),
            (Region::Shin(side), vec![(shin, 1.0)]),
            (Region::Foot(side), vec![(foot, 1.0)]),
        ]);
    }
    bare(s, &parts, 1.7)
}

fn bare(s: Skeleton, parts: &[(Region, Vec<(JointId, f32)>)], height: f32) -> Character {
    let parts: Vec<_> = parts.iter().map(|(r, j)| (*r, j.as_slice())).collect();
    let regions = Regions::new(&s, &parts);
    Character::new(CharacterParts::of("bare", Rig::new(s, Channels::new(), regions, height)))
        .expect("it fits together")
}

#[test]
fn b7_the_same_layer_hops_a_person_with_knees() {
    let (most, contacts) = slide(person(), 60, 17);
    assert!(most < 0.01 * 1.7 / 0.45, "{most} m");
    assert!(contacts > 20, "{contacts} contacts");
    let mut c = Carried::new(person());
    c.run(1.0, 2.5, 0.0);
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for _ in 0..FPS * 2 {
        c.step(2.5, 0.0);
        let hips = c.model(Region::Hips);
        assert_eq!(c.actor.pose().scale(c.joint(Region::Hips)), Vec3::ONE, "flesh keeps its shape");
        let knee = c.model(Region::Shin(Side::Left)).translation();
        let thigh = (knee - c.model(Region::Leg(Side::Left)).translation()).length();
        assert!((thigh - 0.42).abs() < 0.01, "{thigh}");
        let y = hips.translation().y;
        (low, high) = (low.min(y), high.max(y));
    }
    assert!(low < 0.95 && high > 1.1, "from {low} to {high}");
    let hand = c.model(Region::Hand(Side::Left)).translation();
    let shoulder = c.model(Region::Arm(Side::Left)).translation();
    assert!(hand.y < shoulder.y - 0.25, "arms do not stand out: {hand} {shoulder}");
}

#[test]
fn b7_a_body_without_regions_hops_as_a_whole() {
    let mut s = Skeleton::new();
    s.push("pot", None, Transform::IDENTITY).expect("root");
    let mut c = Carried::new(bare(s, &[], 0.3));
    let speed = c.layer().gait().speed_unit();
    c.run(1.0, speed, 0.0);
    let mut top = 0.0f32;
    for _ in 0..FPS {
        c.step(speed, 0.0);
        top = top.max(c.actor.model()[0].translation().y);
    }
    assert!((0.04..0.1).contains(&top), "{top}");
    assert!(!c.layer().stands(Side::Left), "it has no feet");
}

#[test]
fn a_jump_stretches_and_its_landing_squashes_and_springs_back() {
    let mut c = Carried::rabbit();
    let hips = c.joint(Region::Hips);
    c.run(1.0, 0.0, 0.0);
    let dt = DT;
    let (mut y, mut v) = (0.0f32, 2.2f32);
    let mut tall = Vec::new();
    loop {
        let grounded = y < 0.0;
        let velocity = if grounded { Vec3::ZERO } else { Vec3::Y * v };
        let acceleration = if grounded { Vec3::ZERO } else { Vec3::NEG_Y * 9.8 };
        let motion = Motion { velocity, acceleration, grounded, ..Motion::default() };
        c.actor.place(Transform::from_translation(Vec3::Y * y.max(0.0)));
        c.actor.step(&Moment::step(dt).with_motion(motion));
        tall.push((grounded, c.actor.pose().scale(hips).y));
        if grounded && tall.iter().filter(|t| t.0).count() > 2 * FPS as usize {
            break;
        }
        if !grounded {
            y += v * dt;
            v -= 9.8 * dt;
        }
    }
    let of = |on: bool| tall.iter().filter(move |t| t.0 == on).map(|t| t.1);
    assert!(of(false).fold(0.0, f32::max) > 1.08, "long in the air");
    assert!(of(true).fold(2.0, f32::min) < 0.85, "flat on landing");
    assert!(of(true).fold(0.0, f32::max) > 1.02, "and over the other way");
    assert!((tall.last().expect("frames").1 - 1.0).abs() < 0.01, "and still");
}

#[test]
fn standing_is_never_frozen_and_stays_put() {
    let mut actor = Actor::new(Arc::new(builtin::rabbit()));
    (actor.stack, _) = motion_from_state(actor.character(), 11);
    let foot = actor.character().rig.regions.joints(Region::Foot(Side::Right))[0].joint;
    let rest = actor.model()[foot.index()];
    let mut last = 0;
    for i in 0..600 {
        actor.step(&Moment::step(1.0 / 60.0));
        let digest = actor.pose().digest(0);
        assert_ne!(digest, last, "frame {i} is as the one before");
        last = digest;
        assert!((actor.model()[foot.index()].translation() - rest.translation()).length() < 1e-4);
    }
}

#[test]
fn two_of_a_kind_do_not_move_as_one() {
    let digest = |seed| {
        let mut actor = Actor::new(Arc::new(builtin::rabbit()));
        (actor.stack, _) = motion_from_state(actor.character(), seed);
        (0..120).for_each(|_| actor.step(&Moment::step(1.0 / 60.0)));
        actor.pose().digest(0)
    };
    assert_ne!(digest(1), digest(2));
    assert_eq!(digest(1), digest(1));
}

#[test]
fn no_state_makes_the_pose_unfinite() {
    let mut actor = Actor::new(Arc::new(builtin::rabbit()));
    (actor.stack, _) = motion_from_state(actor.character(), 1);
    let odd = [0.0, -1.0, 1e9, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-40];
    for (i, a) in odd.into_iter().enumerate() {
        for b in odd {
            let motion = Motion {
                velocity: Vec3::new(b, a, a),
                acceleration: Vec3::new(a, b, b),
                turn_rate: a,
                grounded: i % 2 == 0,
            };
            let viewer = Some(Vec3::new(a, b, 0.0));
            actor.step(&Moment { viewer, ..Moment::step(b).with_motion(motion) });
            actor.step(&Moment { dt: 1.0 / 60.0, viewer, ..Moment::step(0.0).with_motion(motion) });
            assert!(actor.pose().is_finite(), "{a} {b}");
        }
    }
    // And it recovers.
    (0..600).for_each(|_| actor.step(&Moment::step(1.0 / 60.0)));
    let head = actor.character().rig.regions.joints(Region::Head)[0].joint;
    let at = actor.model()[head.index()].translation();
    assert!((at - Vec3::new(0.0, 0.17, 0.0)).length() < 0.03, "{at}");
}

#[test]
fn resets_forget_motion() {
    let rabbit = Arc::new(builtin::rabbit());
    let mut layer = Locomotion::new(&rabbit.rig);
    let still = |layer: &mut Locomotion| {
        let mut pose = Pose::rest(&rabbit.rig);
        layer.apply(&Moment::step(1.0 / 60.0), &rabbit.rig, &mut pose);
        pose
    };
    let fresh = still(&mut layer);
    let run = Motion { velocity: Vec3::Z * 3.0, grounded: true, ..Motion::default() };
    for _ in 0..100 {
        let mut pose = Pose::rest(&rabbit.rig);
        layer.apply(&Moment::step(1.0 / 60.0).with_motion(run), &rabbit.rig, &mut pose);
    }
    assert_ne!(still(&mut layer), fresh);
    layer.reset();
    assert_eq!(still(&mut layer), fresh);
    // The gait is a plain figure of the height.
    assert_eq!(*layer.gait(), Gait::new(rabbit.rig.height));
    let mut idle = Idle::new(&rabbit.rig, 1);
    idle.reset();
}
