//! How a mind behaves over time.

use enliven::glam::{Quat, Vec3};
use enliven::{
    Counts, GazeParams, Interest, Mind, MindParams, Mood, Point, Senses, Targets, Transform,
    check_triggers, math,
};

const EYES: Vec3 = Vec3::new(0.0, 0.67, 0.16);

fn senses(dt: f32) -> Senses {
    Senses { dt, root: Transform::IDENTITY, eyes: EYES, viewer: None, effort: 0.0 }
}

fn mind(seed: u64) -> Mind {
    Mind::new(MindParams::default(), seed)
}

/// Something to look at now and then.
fn pond(seed: u64) -> Mind {
    let mut m = mind(seed);
    for (x, z) in [(2.0, 3.0), (-3.0, 2.0), (0.5, 6.0)] {
        m.attention.add(Point { position: Vec3::new(x, 0.2, z), weight: 1.5, glance: 0.0 });
    }
    m
}

#[test]
fn ten_hours_stay_in_the_ranges() {
    for seed in 0..3 {
        let mut m = pond(seed);
        let p = GazeParams::default();
        let s = Senses { viewer: Some(Vec3::new(0.3, 1.0, 3.0)), ..senses(1.0 / 30.0) };
        let hours = 10.0;
        let (mut last_flick, mut flicks) = (0.0f64, 0);
        let (mut low, mut high) = (f64::MAX, 0.0f64);
        let mut seen = [0u32; 6];
        let mut last_blink: Option<f64> = None;
        let mut longest_open = 0.0f64;
        for i in 0..(hours * 3600.0 * 30.0) as u64 {
            let t = m.step(&s);
            let now = i as f64 / 30.0;
            assert!(t.head.x.abs() <= p.idle_limit + 1e-3, "{}", t.head.x);
            assert!(t.pupils[0].abs() <= p.pupil_limit[0] + p.saccade[0] + 1e-3);
            assert!(t.pupils[1].abs() <= p.pupil_limit[1] + p.saccade[1] + 1e-3);
            assert!(t.body.abs() < 1e-4 && t.shut.iter().all(|b| (0.0..=1.0).contains(b)));
            let c = m.counts();
            if c.flicks > flicks {
                if flicks > 0 {
                    low = low.min(now - last_flick);
                    high = high.max(now - last_flick);
                }
                (last_flick, flicks) = (now, c.flicks);
            }
            if t.shut[0] > 0.5 {
                last_blink = Some(now);
            } else if let Some(b) = last_blink {
                longest_open = longest_open.max(now - b);
            }
            seen[match m.interest() {
                Interest::Ahead => 0,
                Interest::Side(_) => 1,
                Interest::Sky => 2,
                Interest::Viewer => 3,
                Interest::Point(_) => 4,
            }] += 1;
        }
        let c = m.counts();
        // Every 2–7 s by themselves, more with the turns of the gaze.
        let rate = c.blinks as f64 / (hours * 60.0);
        assert!((12.0..25.0).contains(&rate), "seed {seed}: {rate} blinks a minute");
        assert!(longest_open < 7.3, "seed {seed}: open for {longest_open} s");
        assert!(low > 5.9 && high < 15.1, "seed {seed}: flicks {low}–{high} s");
        assert!((3000..3900).contains(&c.flicks), "seed {seed}: {}", c.flicks);
        let looks = c.looks as f64 / (hours * 60.0);
        assert!((15.0..20.0).contains(&looks), "seed {seed}: {looks} looks a minute");
        let all: u32 = seen.iter().sum();
        for (k, n) in seen.iter().take(5).enumerate() {
            let share = f64::from(*n) / f64::from(all);
            assert!((0.03..0.6).contains(&share), "seed {seed}: kind {k} {share}");
        }
        assert_eq!(c.glances, 0, "nothing asks for one");
    }
}

#[test]
fn blinks_by_themselves_keep_their_statistics() {
    // Nothing moves the gaze: what is left is the clock of the lids.
    for seed in 0..3 {
        let mut params = MindParams::default();
        params.mood.liveliness = 0.0;
        let mut m = Mind::new(params, seed);
        let s = senses(1.0 / 60.0);
        for _ in 0..36_000 * 60 {
            m.step(&s);
        }
        let Counts { blinks, double_blinks, looks, flicks, saccades, .. } = m.counts();
        assert!((7_800..8_200).contains(&blinks), "{blinks}");
        let share = double_blinks as f64 / blinks as f64;
        assert!((0.15..0.19).contains(&share), "{share}");
        assert_eq!((looks, flicks, saccades), (0, 0, 0), "a still mind keeps still");
    }
}

/// A glance and nothing else, at so many steps a second, sampled so many times a second.
fn glance(fps: u32, samples: u32, yaw: f32) -> Vec<Targets> {
    let mut params = MindParams::default();
    params.mood.liveliness = 1e-3;
    params.blink.interval = [1e3, 1e3];
    let mut m = Mind::new(params, 4);
    m.step(&senses(0.0));
    m.glance_at(EYES + Vec3::new(yaw.sin(), 0.0, yaw.cos()) * 4.0);
    let steps = fps * 7;
    let every = fps / samples;
    (0..steps)
        .map(|_| m.step(&senses(1.0 / fps as f32)))
        .enumerate()
        .filter_map(|(i, t)| ((i as u32 + 1).is_multiple_of(every)).then_some(t))
        .collect()
}

#[test]
fn the_path_is_the_same_at_20_60_and_240_steps_a_second() {
    let (a, b, c) = (glance(20, 20, 1.2), glance(60, 20, 1.2), glance(240, 20, 1.2));
    for i in 0..a.len() {
        for x in [&a[i], &b[i]] {
            let y = &c[i];
            let pupils = (x.pupils[0] - y.pupils[0]).abs().max((x.pupils[1] - y.pupils[1]).abs());
            assert!((x.body - y.body).abs() < 1e-3, "{i}: body {} {}", x.body, y.body);
            assert!((x.head - y.head).abs().max_element() < 1e-3, "{i}: {} {}", x.head, y.head);
            assert!(pupils < 4e-3, "{i}: {:?} {:?}", x.pupils, y.pupils);
            assert!((x.shut[0] - y.shut[0]).abs() < 0.02, "{i}: {:?} {:?}", x.shut, y.shut);
            assert!((x.pace - y.pace).abs() < 1e-3, "{i}: {} {}", x.pace, y.pace);
        }
    }
}

#[test]
fn a_whole_life_is_the_same_at_any_rate() {
    // Events happen at their times, not at frames: five minutes later the lives still agree.
    let run = |fps: u32| {
        let mut m = pond(11);
        for _ in 0..fps * 300 {
            m.step(&senses(1.0 / fps as f32));
        }
        (m.counts(), m.targets())
    };
    let (a, b, c) = (run(20), run(60), run(240));
    assert_eq!(a.0, c.0);
    assert_eq!(b.0, c.0);
    assert!((a.1.head - c.1.head).abs().max_element() < 0.01, "{} {}", a.1.head, c.1.head);
    assert!((b.1.head - c.1.head).abs().max_element() < 0.01);
}

#[test]
fn the_same_seed_lives_the_same_life_to_the_bit() {
    let run = |seed| {
        let mut m = pond(seed);
        let all = (0..3_000).map(|_| m.step(&senses(1.0 / 60.0))).collect::<Vec<_>>();
        (all, m)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).0, run(2).0);
}

#[test]
fn eyes_lead_then_head_then_body() {
    let path = glance(240, 240, 1.0);
    let last = &path[(4.2 * 240.0) as usize];
    // When each has made a tenth of its largest way.
    let onset = |f: &dyn Fn(&Targets) -> f32| {
        let most = path.iter().map(f).fold(0.0, f32::max);
        path.iter().position(|t| f(t) > 0.1 * most).expect("moves") as f32 / 0.24
    };
    let (pupils, head) = (onset(&|t| t.pupils[0]), onset(&|t| t.head.x));
    let body = onset(&|t| t.body);
    assert!(pupils + 20.0 < head && head + 20.0 < body, "ms: {pupils} {head} {body}");
    let most = path.iter().map(|t| t.pupils[0]).fold(0.0, f32::max);
    assert!(most > 0.25, "they jump: {most}");
    assert!(last.pupils[0].abs() < 0.06, "and are in the middle again: {}", last.pupils[0]);
    // 55 % body, the rest head.
    assert!((last.body - 0.55).abs() < 0.01 && (last.head.x - 0.45).abs() < 0.01, "{last:?}");
}

#[test]
fn a_glance_keeps_its_times() {
    let path = glance(60, 20, 1.0);
    let at = |t: f32| &path[(t * 20.0) as usize - 1];
    assert!(at(1.4).head.z.abs() < 1e-3, "no tilt yet");
    assert!((at(4.4).head.z.abs() - 0.13).abs() < 0.01, "{}", at(4.4).head.z);
    // The slow blink: 2.6 × 0.23 s from 1.9 s on.
    assert!(at(1.85).shut[0] == 0.0 && at(2.15).shut[0] > 0.9 && at(2.6).shut[0] == 0.0);
    assert!((at(4.0).pace - 0.65).abs() < 0.02, "{}", at(4.0).pace);
    assert!(at(6.2).body.abs() < 0.03 && at(7.0).pace > 0.9, "{} {}", at(6.2).body, at(7.0).pace);
}

/// Drifts along a lane at 1 m/s past points beside it; the glances' times.
fn drift(points: &[Point], laps: u32) -> (Mind, Vec<f32>) {
    let mut m = mind(2);
    points.iter().for_each(|p| {
        m.attention.add(*p);
    });
    let dt = 1.0 / 60.0;
    let (mut fired, mut before) = (Vec::new(), 0);
    for lap in 0..laps {
        for i in 0..100 * 60 {
            let z = -50.0 + i as f32 * dt;
            let root = Transform::from_translation(Vec3::new(0.0, 0.0, z));
            m.step(&Senses { root, ..senses(dt) });
            if m.counts().glances > before {
                before = m.counts().glances;
                fired.push(lap as f32 * 100.0 + 50.0 + z);
            }
        }
    }
    (m, fired)
}

#[test]
fn each_point_once_a_pass_with_a_rest_between() {
    let point = |z: f32| Point { position: Vec3::new(3.0, 0.5, z), weight: 0.0, glance: 5.0 };
    let (m, fired) = drift(&[point(-20.0), point(-5.0), point(20.0)], 2);
    // The second comes within the rest of the first and is past before it is over.
    assert_eq!(fired.len(), 4, "{fired:?}");
    for (got, want) in fired.iter().zip([26.0, 66.0, 126.0, 166.0]) {
        assert!((got - want).abs() < 0.3, "{fired:?}");
    }
    assert_eq!(m.attention.misses().count(), 0);
}

#[test]
fn a_trigger_that_never_fires_is_told_of() {
    // The lane passes at 5.3 m; the trigger is 5 m (seeds/1).
    let off = Vec3::new(5.3, 0.67, 0.0) - Vec3::new(0.0, 0.0, -EYES.z);
    let p = Point { position: off, weight: 0.0, glance: 5.0 };
    let (m, fired) = drift(&[p], 1);
    assert!(fired.is_empty());
    let missed: Vec<_> = m.attention.misses().collect();
    assert_eq!(missed.len(), 1);
    assert!((missed[0].1 - 5.3).abs() < 0.05, "{missed:?}");
    let path: Vec<Vec3> = (-50..50).map(|z| Vec3::new(0.0, 0.67, z as f32)).collect();
    let found = check_triggers(&[p], &path);
    assert_eq!(found[0].code, "GLANCE_NEVER_FIRES");
    assert!(check_triggers(&[Point { glance: 5.5, ..p }], &path).is_empty());
}

#[test]
fn aim_is_in_the_carriers_frame() {
    let mut m = mind(1);
    m.params.mood.liveliness = 1e-3;
    // A carrier that is turned a quarter left at (10, 0, 5): a thing on its left is at −Z.
    let root = Transform {
        translation: Vec3::new(10.0, 0.0, 5.0),
        rotation: math::rotation(Vec3::Y, math::PI * 0.5),
        scale: Vec3::ONE,
    };
    let eyes = root.transform_point(EYES);
    m.attention.add(Point { position: eyes + Vec3::new(2.0, 0.5, -1.0), weight: 0.0, glance: 0.0 });
    m.look_at(Interest::Point(0));
    let s = Senses { root, ..senses(1.0 / 60.0) };
    let mut t = Targets::default();
    for _ in 0..180 {
        t = m.step(&s);
    }
    assert!((t.head.x - (1.0f32).atan2(2.0)).abs() < 0.02, "{}", t.head.x);
    // Breath and micro-motion stay below 0.03.
    assert!((t.head.y + (0.5f32).atan2(5f32.sqrt())).abs() < 0.03, "{}", t.head.y);
}

#[test]
fn a_large_change_of_target_comes_with_a_blink() {
    let mut m = mind(3);
    m.params.mood.liveliness = 1e-3;
    m.attention.add(Point { position: EYES + Vec3::new(1.0, 0.0, 2.0), weight: 0.0, glance: 0.0 });
    m.step(&senses(0.01));
    let before = m.counts().blinks;
    m.look_at(Interest::Point(0));
    m.step(&senses(0.02));
    m.step(&senses(0.04));
    assert_eq!(m.counts().blinks, before + 1);
    assert!(m.targets().shut[0] > 0.3, "{}", m.targets().shut[0]);
}

#[test]
fn what_was_looked_at_bores_for_a_while() {
    let mut m = mind(5);
    for x in [-1.0, 1.0] {
        m.attention.add(Point {
            position: EYES + Vec3::new(x, 0.0, 3.0),
            weight: 50.0,
            glance: 0.0,
        });
    }
    let s = senses(1.0 / 60.0);
    let (mut changes, mut last) = (0, m.interest());
    let (mut now, mut longest) = (0, 0);
    for _ in 0..60 * 600 {
        m.step(&s);
        now += 1;
        if m.interest() != last {
            changes += 1;
            last = m.interest();
            now = 0;
        }
        longest = longest.max(now);
    }
    assert!(changes > 100, "{changes}");
    assert!(longest < 60 * 25, "{longest}");
}

#[test]
fn moods_show() {
    let run = |mood: Mood| {
        let mut m = Mind::new(MindParams { mood, ..MindParams::default() }, 6);
        let mut head = 0.0;
        for _ in 0..60 * 600 {
            head += m.step(&senses(1.0 / 60.0)).head.y;
        }
        (m.counts(), m.targets(), head / 36_000.0)
    };
    let (calm, sleepy, curious) = (run(Mood::CALM), run(Mood::SLEEPY), run(Mood::CURIOUS));
    assert!(curious.0.looks > calm.0.looks && calm.0.looks > sleepy.0.looks);
    assert!(sleepy.1.shut[0] >= 0.44 && calm.1.shut[0] < sleepy.1.shut[0].max(0.5));
    assert!(sleepy.2 > calm.2 + 0.08 && sleepy.0.blinks > calm.0.blinks * 9 / 10);
    assert!(run(Mood::SHY).1.fold > 0.3);
}

#[test]
fn effort_lays_the_ears_back() {
    let mut m = mind(7);
    let mut t = Targets::default();
    for _ in 0..120 {
        t = m.step(&Senses { effort: 1.0, ..senses(1.0 / 60.0) });
    }
    assert!((t.fold - 0.8).abs() < 0.02, "{}", t.fold);
}

#[test]
fn nonsense_breaks_nothing() {
    let mut m = pond(8);
    m.attention.add(Point { position: Vec3::NAN, weight: f32::NAN, glance: f32::NAN });
    for dt in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9, 1e-30, 0.1] {
        let root = Transform {
            translation: Vec3::splat(f32::INFINITY),
            rotation: Quat::IDENTITY,
            scale: Vec3::ZERO,
        };
        let s = Senses { dt, root, eyes: Vec3::NAN, viewer: Some(Vec3::NAN), effort: f32::NAN };
        for _ in 0..100 {
            let t = m.step(&s);
            assert!(t.head.is_finite() && t.body.is_finite() && t.pupils[0].is_finite(), "{dt}");
        }
    }
    for liveliness in [f32::NAN, -1.0, f32::INFINITY] {
        m.params.mood.liveliness = liveliness;
        m.look_at(Interest::Point(3));
        assert!(m.step(&senses(0.2)).head.is_finite());
    }
}
