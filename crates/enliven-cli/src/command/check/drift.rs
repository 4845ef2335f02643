//! The scene `drift`: A9, A10, A12, A15.

use enliven::Interest;
use enliven::builtin::drift::{Bodies, Daylight, Drift, DriftParams, Rowing};
use enliven::glam::Vec3;
use enliven::judge::{BlinkJudge, Figure, LeadJudge, LeafJudge};
use enliven_io::rigfile::RigFile;

use super::Verdict;

/// One tick of the scene, seconds.
const DT: f32 = 1.0 / 120.0;
/// A swing that a stroke left in the leaf dies away in this time, seconds.
const SETTLED: f64 = 4.0;
/// Seconds that are judged in calm air and under way.
const CALM: f64 = 150.0;
const ROWING: f64 = 60.0;
/// Seconds of the leaf after a hard stop.
const STOP: f64 = 2.0;
/// Laps of the boat in which blinks and glances are judged.
const LAPS: f64 = 2.0;
/// Longest time that they may take, seconds.
const PATIENCE: f64 = 900.0;
/// Glances on demand by which the lead of the eyes is judged.
const TURNS: usize = 6;
/// Something that happened so long ago still explains a blink, seconds.
const ASKED: f32 = 0.15;

/// Plays the scene several times and judges each.
pub(super) fn judge(seed: u64, rig: Option<&RigFile>) -> Verdict {
    let defaults = DriftParams::default();
    let params = rig.map_or(defaults, |r| DriftParams { mind: r.mind, leaf: r.leaf, ..defaults });
    let bodies = Bodies::new(Daylight::Day);
    let begin = || Drift::with(&bodies, params, seed);
    let mut parts = vec![("drifting in calm air", calm(begin()).to_vec())];
    parts.push(("rowing", vec![rowing(begin())]));
    parts.push(("a hard stop", vec![stop(begin())]));
    parts.push(("eyes, head, body", turns(begin()).to_vec()));
    parts.extend(life(begin()));
    Verdict { parts }
}

fn step(drift: &mut Drift) {
    drift.step(f64::from(DT));
}

fn calm(mut drift: Drift) -> [Figure; 4] {
    drift.boat_mut().rowing = Rowing::Never;
    let mut leaf = LeafJudge::default();
    let mut settled = drift.time() + SETTLED;
    while drift.time() < CALM {
        step(&mut drift);
        // A glance turns the body, and the leaf with it: that is no calm.
        if drift.life().is_some_and(|l| l.mind.glancing().is_some()) {
            settled = drift.time() + SETTLED;
        }
        if drift.time() >= settled {
            leaf.see(&drift.leaf());
        }
    }
    leaf.calm()
}

fn rowing(mut drift: Drift) -> Figure {
    drift.boat_mut().rowing = Rowing::Always;
    let mut leaf = LeafJudge::default();
    while drift.time() < ROWING {
        step(&mut drift);
        if drift.time() > SETTLED {
            leaf.see(&drift.leaf());
        }
    }
    leaf.rowing()
}

/// From under way to nothing. The leaf's swing of the moment counts as well, so the middle of
/// several stops is taken.
fn stop(mut drift: Drift) -> Figure {
    let mut figures: Vec<Figure> = Vec::new();
    drift.boat_mut().rowing = Rowing::Always;
    while figures.len() < 5 && drift.time() < PATIENCE {
        step(&mut drift);
        let gone = drift.time() > 10.0 * (figures.len() + 1) as f64;
        // At the end of a stroke's push.
        let stroke = drift.boat().stroke();
        if !gone || stroke.weight < 0.9 || !(3.0..3.2).contains(&stroke.phase) {
            continue;
        }
        let before = drift.leaf().bend.z;
        drift.boat_mut().stop();
        let mut leaf = LeafJudge::default();
        let end = drift.time() + STOP;
        while drift.time() < end {
            step(&mut drift);
            leaf.see(&drift.leaf());
        }
        figures.push(leaf.stop(before));
    }
    figures.sort_by(|a, b| a.value.total_cmp(&b.value));
    figures.get(figures.len() / 2).copied().unwrap_or_else(|| LeafJudge::default().stop(0.0))
}

/// Glances on demand, to the left and to the right in turn, from a look ahead.
fn turns(mut drift: Drift) -> [Figure; 2] {
    drift.boat_mut().rowing = Rowing::Never;
    let mut lead = LeadJudge::default();
    for i in 0..TURNS {
        if let Some(life) = drift.life_mut() {
            life.mind.attention.points_mut().iter_mut().for_each(|p| p.glance = 0.0);
            life.mind.look_at(Interest::Ahead);
        }
        watch(&mut drift, &mut lead, 2.0);
        let body = drift.creature().pose().root;
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        if let Some(life) = drift.life_mut() {
            life.mind.glance_at(body.transform_point(Vec3::new(3.0 * side, 0.7, 2.0)));
        }
        lead.begin(&drift.targets());
        watch(&mut drift, &mut lead, 9.0);
    }
    lead.figures()
}

fn watch(drift: &mut Drift, lead: &mut LeadJudge, seconds: f64) {
    let end = drift.time() + seconds;
    while drift.time() < end {
        step(drift);
        lead.see(DT, &drift.targets());
    }
}

/// Blinks and glances over some laps.
fn life(mut drift: Drift) -> Vec<(&'static str, Vec<Figure>)> {
    let marks = drift.landmarks();
    let mut blinks = BlinkJudge::default();
    let mut glances = vec![0u32; marks.len()];
    let mut counts = drift.counts();
    let mut since = f32::MAX;
    let (mut pace, mut slowest) = (Vec::new(), f32::MAX);
    let end = drift.boat().angle() + LAPS * std::f64::consts::TAU;
    while drift.boat().angle() < end && drift.time() < PATIENCE {
        step(&mut drift);
        since += DT;
        let (now, targets) = (drift.counts(), drift.targets());
        let glancing = drift.life().and_then(|l| l.mind.glancing());
        if now.glances > counts.glances {
            slowest = f32::MAX;
            if let Some(Interest::Point(i)) = drift.life().map(|l| l.mind.interest()) {
                glances[i] += 1;
            }
        }
        // A new target may come with a blink, and so may the slow one within a glance and the look
        // back at its end.
        if now.looks > counts.looks || now.glances > counts.glances || glancing.is_some() {
            since = 0.0;
        }
        if glancing.is_some() {
            slowest = slowest.min(drift.boat().speed());
        } else if slowest < f32::MAX {
            pace.push(slowest / drift.boat().params.current);
            slowest = f32::MAX;
        }
        counts = now;
        blinks.see(DT, targets.shut[0], since < ASKED);
    }
    let trigger = |i: usize| -> Vec<Figure> {
        let (name, seen) = [
            ("glance.lantern.distance", "glance.lantern.seen"),
            ("glance.bird.distance", "glance.bird.seen"),
            ("glance.fish.distance", "glance.fish.seen"),
        ][i];
        let figure = |name, value, range, unit| Figure { name, value, range, unit, source: "A12" };
        vec![
            figure(name, marks[i].nearest, [0.0, marks[i].trigger], "m"),
            figure(seen, glances[i] as f32, [LAPS as f32, LAPS as f32], ""),
        ]
    };
    let mean = pace.iter().sum::<f32>() / pace.len() as f32;
    let mut points: Vec<Figure> = (0..marks.len()).flat_map(trigger).collect();
    points.push(Figure {
        name: "glance.pace",
        value: mean,
        range: [0.6, 0.75],
        unit: "",
        source: "A12",
    });
    vec![("blinks", blinks.figures().to_vec()), ("points of interest", points)]
}
