//! The scene `drift` keeps its promises (A11, A12, A14, A17, A18).

use enliven::builtin::drift::{Bodies, Daylight, Drift, DriftParams, Rowing};
use enliven::glam::Vec3;
use enliven::{Interest, Pose};
use std::sync::OnceLock;

const FRAME: f64 = 1.0 / 60.0;

fn bodies() -> &'static Bodies {
    static BODIES: OnceLock<Bodies> = OnceLock::new();
    BODIES.get_or_init(|| Bodies::new(Daylight::Dusk))
}

fn drift(seed: u64) -> Drift {
    Drift::with(bodies(), DriftParams::default(), seed)
}

fn digest(d: &Drift) -> u64 {
    d.bodies().map(|(_, a)| a.pose()).fold(0, |so_far, pose: &Pose| pose.digest(so_far))
}

#[test]
fn frames_of_any_length_show_the_same_bits() {
    let run = |fps: u32| {
        let mut d = drift(4);
        let mut out = Vec::new();
        for i in 1..=fps * 6 {
            d.step(1.0 / f64::from(fps));
            if i % (fps / 20) == 0 {
                out.push(digest(&d));
            }
        }
        out
    };
    let fine = run(240);
    assert_eq!(fine.len(), 120);
    assert_eq!(run(20), fine);
    assert_eq!(run(60), fine);
    let mut other = drift(5);
    (0..120).for_each(|_| other.step(0.05));
    assert_ne!(digest(&other), fine[119], "seeds differ");
}

#[test]
fn a_lap_has_three_glances_and_the_boat_slows_in_each() {
    let mut d = drift(2);
    d.boat_mut().rowing = Rowing::Never;
    let current = d.boat().params.current;
    let (mut seen, mut slow) = (Vec::new(), f32::MAX);
    let begin = d.boat().angle();
    while d.boat().angle() < begin + core::f64::consts::TAU {
        d.step(FRAME);
        let Some(mind) = d.life().map(|l| &l.mind) else { panic!("it lives") };
        if let (Some(t), Interest::Point(i)) = (mind.glancing(), mind.interest()) {
            if seen.last() != Some(&i) {
                seen.push(i);
                slow = f32::MAX;
            }
            slow = slow.min(d.boat().speed());
            if t > 4.3 {
                assert!((0.6..0.75).contains(&(slow / current)), "{i}: {}", slow / current);
            }
        }
        assert!(d.time() < 400.0);
    }
    let mut each = seen.clone();
    each.sort_unstable();
    assert_eq!(each, [0, 1, 2], "each point once a pass: {seen:?}");
    assert_eq!(d.counts().glances, 3);
}

#[test]
fn triggers_are_measured_against_the_real_path() {
    let mut d = drift(1);
    assert!(d.diagnostics().is_empty(), "{:?}", d.diagnostics());
    for l in d.landmarks() {
        assert!(l.nearest < l.trigger - 0.3, "{l:?}");
    }
    let nearest = d.landmarks()[1].nearest;
    if let Some(life) = d.life_mut() {
        life.mind.attention.points_mut()[1].glance = nearest - 0.3;
    }
    let found = d.diagnostics();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code, found[0].place.as_str()), ("GLANCE_NEVER_FIRES", "point 1"));
}

#[test]
fn a_hard_stop_swings_the_leaf_forward() {
    let mut d = drift(3);
    d.boat_mut().rowing = Rowing::Always;
    while d.boat().speed() < 1.1 {
        d.step(FRAME);
        assert!(d.time() < 60.0, "{}", d.boat().speed());
    }
    let before = d.leaf().bend.z;
    d.boat_mut().stop();
    let (mut most, mut still) = (f32::MIN, 0);
    for _ in 0..150 {
        d.step(FRAME);
        most = most.max(d.leaf().bend.z);
        still += i32::from(d.boat().speed() == 0.0);
    }
    assert!(most - before > 0.03, "{before} {most}");
    assert!(still > 90 && d.boat().is_stopped());
    d.boat_mut().rowing = Rowing::Never;
    (0..600).for_each(|_| d.step(FRAME));
    assert!(d.boat().speed() > 0.4, "it goes on");
}

#[test]
fn somebody_rows_now_and_then_with_ears_laid_back() {
    let mut d = drift(6);
    let (mut bouts, mut rowing, mut frames) = (0, false, 0);
    let (mut fold, mut fastest) = (0.0f32, 0.0f32);
    for _ in 0..240 * 60 {
        d.step(FRAME);
        let now = d.boat().stroke().weight > 0.5;
        bouts += i32::from(now && !rowing);
        rowing = now;
        frames += i32::from(now);
        if now {
            fold = fold.max(d.targets().fold);
        }
        fastest = fastest.max(d.boat().speed());
    }
    assert!((6..20).contains(&bouts), "{bouts} in four minutes");
    assert!(frames < 240 * 60 / 2, "it drifts most of the time: {frames}");
    assert!(fold > 0.4 && fastest > 0.8, "{fold} {fastest}");
}

#[test]
fn spirits_watch_it_pass_and_the_bird_spreads_its_wings() {
    let mut d = drift(8);
    let (mut turned, mut open, mut folded) = (vec![[f32::MAX, f32::MIN]; 400], 0.0f32, f32::MAX);
    let mut rattled = 0;
    for _ in 0..130 * 60 {
        d.step(FRAME);
        for (s, span) in d.spirits().zip(&mut turned) {
            *span = [span[0].min(s.yaw()), span[1].max(s.yaw())];
            rattled += i32::from(s.rattle().abs() > 0.15);
        }
        open = open.max(d.bird().open());
        folded = folded.min(d.bird().open());
    }
    let n = d.spirits().len();
    assert!((150..400).contains(&n), "hundreds: {n}");
    let watched = turned[..n].iter().filter(|s| s[1] - s[0] > 0.8).count();
    assert!(watched > n / 2, "{watched} of {n}");
    assert!(rattled > 1000, "{rattled}");
    assert!(open > 0.9 && folded < 0.02, "{folded} {open}");
}

#[test]
fn paw_and_paddle_stay_together_and_the_blade_dips_in() {
    let mut d = drift(6);
    d.boat_mut().rowing = Rowing::Always;
    let (mut lowest, mut highest) = (f32::MAX, f32::MIN);
    for _ in 0..10 * 60 {
        d.step(FRAME);
        let (_, paddle) = d.bodies().find(|(_, a)| a.character().name == "paddle").expect("one");
        let root = paddle.pose().root;
        let blade = root.transform_point(Vec3::NEG_Y * 0.8);
        lowest = lowest.min(blade.y);
        highest = highest.max(blade.y);
        let creature = d.creature().pose().root;
        let hand = creature.rotation.conjugate() * (root.translation - creature.translation);
        assert!((0.25..0.55).contains(&hand.y) && (0.2..0.6).contains(&hand.x), "{hand}");
    }
    assert!(lowest < -0.1 && highest > 0.05, "{lowest} {highest}");
}

#[test]
fn everything_stays_finite_for_minutes() {
    let mut d = drift(9);
    for i in 0..60 * 60 {
        // Frames as bad as they come.
        d.step([FRAME, 0.0, f64::NAN, 0.2][i % 4]);
        let creature = d.creature().pose();
        assert!(creature.is_finite() && d.leaf().bend.is_finite());
    }
    assert!(d.bodies().all(|(_, a)| a.pose().is_finite()));
}
