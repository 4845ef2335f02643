//! Stack → pose → palette allocates nothing after the first step (B6).

// An allocator is unsafe to write. This one counts and hands everything on to the system's.
#![allow(unsafe_code)]

use enliven::MindParams;
use enliven::builtin::drift::{Drift, DriftParams};
use enliven::layers::{Clips, motion_from_state};
use enliven::person::Presence;
use enliven::{
    Actor, Clip, ClipId, ClipRef, Course, Event, Loop, Mixer, Moment, Playback, PosedBounds,
};
use enliven_digest::{fox_body, person_body, rabbit_body, talk};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() -> u64 {
    COUNT.with(Cell::get)
}

fn one_more() {
    // While a thread is torn down its counter is gone; nobody asks then.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: every call goes on to the system's allocator with the arguments as they came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        one_more();
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        one_more();
        // SAFETY: `pointer` came from `System` with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_counter_counts() {
    let before = count();
    let v = std::hint::black_box(vec![1u8; 100]);
    assert!(count() > before, "{}", v.len());
}

#[test]
fn the_rabbit_allocates_nothing() {
    let body = rabbit_body();
    let mut actor = Actor::new(body.clone());
    (actor.stack, _) = motion_from_state(&body, 7);
    let course = Course::new(body.rig.height);
    let mut first = 0;
    // A whole lap: hops, turns, a jump, a stop, glances, blinks, steps home.
    for i in 0..20 * 60 {
        let ride = course.at(f64::from(i) / 60.0);
        actor.place(ride.root);
        actor.step(&Moment::step(1.0 / 60.0).with_motion(ride.motion));
        if i == 0 {
            first = count();
        }
        assert_eq!(count(), first, "step {i} allocates");
    }
}

#[test]
fn the_fox_allocates_nothing() {
    let body = fox_body().expect("the fox is read");
    let mut actor = Actor::new(body.clone());
    let mut clips = Clips::new(body.clone());
    for i in 0..3 {
        clips.add(ClipId::new(i), Loop::Repeat, 0.0);
    }
    let id = actor.stack.push(clips);
    actor.stack.push(enliven::layers::Locomotion::new(&body.rig));
    let mut first = 0;
    for i in 0..10 * 60u32 {
        // Weights change all the time, as in a walk that becomes a run.
        if let Some(clips) = actor.stack.get_mut::<Clips>(id) {
            for (k, slot) in clips.slots_mut().iter_mut().enumerate() {
                slot.weight = ((i as f32 * 0.01 + k as f32).sin()).max(0.0);
            }
        }
        actor.step(&Moment::step(1.0 / 60.0));
        if i == 0 {
            first = count();
        }
        assert_eq!(count(), first, "step {i} allocates");
    }
}

#[test]
fn a_person_in_company_allocates_nothing() {
    let (body, person) = person_body().expect("the person is read");
    let fox = fox_body().expect("the fox is read");
    for (body, person) in [(body, Some(person)), (fox, None)] {
        let mut actor = Actor::new(body.clone());
        let params = MindParams::default();
        let mut presence;
        (actor.stack, presence) = Presence::new(&body, person.as_ref(), params, 7);
        let mut first = 0;
        // All modes and moods, blinks, sighs, a teleport, a long pause.
        for i in 0..30 * 60u32 {
            talk(&mut presence, &mut actor, f64::from(i) / 60.0);
            if i % 400 == 399 {
                let far = enliven::glam::Vec3::new(i as f32, 0.0, 0.0);
                actor.place(enliven::Transform::from_translation(far));
            }
            let dt = if i % 500 == 499 { 9.0 } else { 1.0 / 60.0 };
            actor.step(&Moment::step(dt));
            if i == 0 {
                first = count();
            }
            assert_eq!(count(), first, "step {i} allocates");
            assert!(actor.pose().is_finite());
        }
    }
}

#[test]
fn the_drift_allocates_nothing() {
    let mut scene = Drift::new(DriftParams::default(), 7);
    let before = count();
    // Rows, a glance, a stop, and leaps of the fish.
    for i in 0..60 * 60 {
        if i == 50 * 60 {
            scene.boat_mut().stop();
        }
        scene.set_viewer(Some(scene.view().eye));
        scene.step(1.0 / 60.0);
        assert_eq!(count(), before, "frame {i} allocates");
    }
    assert!(scene.counts().glances > 0 && scene.counts().blinks > 5);
}

#[test]
fn the_mixer_allocates_nothing() {
    let body = fox_body().expect("the fox is read");
    let mut actor = Actor::new(body.clone());
    let bounds = PosedBounds::new(&body);
    let mut mixer = Mixer::new();
    // One clip with marks, two as they are in the file.
    let mut marked: Clip = body.clip(ClipId::new(1)).clone();
    for k in 0..8 {
        marked.add_mark(k as f32 * 0.1, "step");
    }
    let mut walk = Playback::new(&marked, Loop::Repeat);
    let marked_copy = marked.clone();
    let actions = [
        mixer.action(marked),
        mixer.action(ClipRef::Of(body.clone(), ClipId::new(0))),
        mixer.action(ClipRef::Of(body.clone(), ClipId::new(2))),
    ];
    actions.iter().for_each(|a| mixer.play(*a));
    let id = actor.stack.push(mixer);
    let mut first = 0;
    let (mut marks, mut loops, mut steps) = (0, 0, 0);
    for i in 0..20 * 60usize {
        let mixer = actor.stack.get_mut::<Mixer>(id).expect("the mixer");
        let [from, to] = [0, 1].map(|k| actions[(i / 90 + k) % 3]);
        match i % 90 {
            0 => mixer.cross_fade(from, to, 0.5, true),
            45 => mixer.stop(from),
            46 => mixer.play(from),
            60 => mixer.scrub(to, 0.2),
            _ => {}
        }
        mixer.get_mut(to).enabled = true;
        actor.step(&Moment::step(1.0 / 60.0));
        let mixer = actor.stack.get::<Mixer>(id).expect("the mixer");
        for event in mixer.events() {
            match event {
                Event::Mark { .. } => marks += 1,
                Event::Loop { .. } => loops += 1,
                _ => {}
            }
        }
        walk.advance_over(&marked_copy, 1.0 / 60.0, |_| steps += 1);
        let pose = actor.pose();
        let around = bounds.measure(actor.palette(), pose.channels(), &pose.root);
        assert!(!around.is_empty());
        // The first seconds make room for the most events of one step.
        if i == 5 * 60 {
            first = count();
        }
        assert!(i <= 5 * 60 || count() == first, "step {i} allocates");
    }
    assert!(marks > 20 && loops > 10 && steps > 100, "{marks} {loops} {steps}");
}
