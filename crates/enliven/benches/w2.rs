//! Workload W2, "synthetic dense": 67 joints, 3 clips blended, no outside data.
//!
//! `cargo bench -p enliven --bench w2` prints nanoseconds a character; the figures are only worth
//! something beside others of the same run. For instruction counts the same program runs one
//! unit under callgrind: `w2 UNIT CHARACTERS ROUNDS`; the difference of two runs with different
//! ROUNDS is the count, free of set-up.
#![allow(clippy::print_stdout)] // Printing is what it is for.

use enliven::glam::Vec3;
use enliven::*;
use std::hint::black_box;
use std::time::Instant;

/// Parent of each joint; −1 is the root.
const PARENTS: [i32; 67] = [
    -1, 0, 1, 2, 3, 4, 5, 6, 7, 6, 9, 10, 11, 12, 13, 14, 15, 12, 17, 18, 19, 12, 21, 22, 23, 12,
    25, 26, 27, 12, 29, 30, 31, 6, 33, 34, 35, 36, 37, 38, 39, 36, 41, 42, 43, 36, 45, 46, 47, 36,
    49, 50, 51, 36, 53, 54, 55, 2, 57, 58, 59, 60, 2, 62, 63, 64, 65,
];
const KEYS: [usize; 3] = [31, 25, 21];
const WEIGHTS: [f32; 3] = [0.2, 0.5, 0.3];

fn rig() -> Rig {
    let mut s = Skeleton::new();
    for (j, &p) in PARENTS.iter().enumerate() {
        let y = if p < 0 { 1.0 } else { 0.1 };
        let parent = (p >= 0).then_some(JointId(p as u32));
        s.push(format!("{j}"), parent, Transform::from_translation(Vec3::new(0.0, y, 0.0)))
            .expect("parents stand before children");
    }
    let regions = Regions::new(&s, &[]);
    Rig::new(s, Channels::new(), regions, 1.7)
}

fn clip(c: usize) -> Clip {
    let n = KEYS[c];
    let times: std::sync::Arc<[f32]> = (0..n).map(|k| k as f32 / 30.0).collect();
    let u = |k: usize| k as f32 / (n - 1) as f32;
    let root = (0..n)
        .flat_map(|k| {
            let a = math::TAU * u(k);
            [0.1 * math::sin(a), 1.0 + 0.05 * math::cos(2.0 * a), 0.0]
        })
        .collect();
    let curve = Curve::new(times.clone(), root, 3, Interpolation::Linear).expect("keys");
    let target = Target::Joint(JointId(0), Property::Translation);
    let mut tracks = vec![Track { target, curve }];
    for j in 0..67 {
        let f = j as f32;
        let axis =
            Vec3::new(math::sin(1.3 * f + 1.0), math::sin(2.1 * f + 2.0), math::sin(0.7 * f + 3.0))
                .normalize();
        let values = (0..n)
            .flat_map(|k| {
                let c = c as f32;
                let turns = math::TAU * u(k) * (1 + j % 3) as f32;
                let angle = 0.4 * math::sin(turns + 0.37 * f + 0.9 * c) + 0.1 * c;
                math::rotation(axis, angle).to_array()
            })
            .collect();
        let curve = Curve::rotation(times.clone(), values, Interpolation::Linear).expect("keys");
        tracks.push(Track { target: Target::Joint(JointId(j as u32), Property::Rotation), curve });
    }
    Clip::new(format!("clip {c}"), tracks)
}

/// What one character keeps: three times, a pose, a palette.
struct State {
    times: [f32; 3],
    pose: Pose,
    palette: Vec<Affine>,
}

struct World {
    rig: Rig,
    raw: Vec<Clip>,
    clips: Vec<PackedClip>,
    inverse_binds: Vec<Affine>,
    states: Vec<State>,
    samples: [Pose; 2],
    model: Vec<Affine>,
}

impl World {
    fn new(n: usize) -> Self {
        let rig = rig();
        let raw: Vec<Clip> = (0..3).map(clip).collect();
        let options = PackOptions::default();
        let clips: Vec<_> = raw.iter().map(|c| PackedClip::new(c, &rig, &options)).collect();
        let rest = Pose::rest(&rig);
        let states = (0..n)
            .map(|i| State {
                times: [0, 1, 2].map(|c| math::fract(i as f32 * 0.618_034) * clips[c].duration()),
                pose: rest.clone(),
                palette: vec![Affine::IDENTITY; 67],
            })
            .collect();
        let inverse_binds =
            rig.skeleton.rest_model().iter().map(|m| m.inverse().expect("rest")).collect();
        let samples = [rest.clone(), rest];
        Self { rig, raw, clips, inverse_binds, states, samples, model: vec![Affine::IDENTITY; 67] }
    }

    /// Bytes a character keeps between frames.
    fn state_bytes(&self) -> usize {
        // A pose: a header, and 40 floats a joint in whole blocks of eight.
        let pose = size_of::<Pose>() + 67usize.div_ceil(8) * 8 * 10 * 4;
        size_of::<State>() - size_of::<Pose>() + pose + 67 * size_of::<Affine>()
    }

    fn sample(&mut self, i: usize, step: f32) {
        let s = &mut self.states[i];
        s.times[0] = wrap(s.times[0] + step, self.clips[0].duration());
        self.clips[0].sample(s.times[0], &mut s.pose);
    }

    fn d(&mut self, i: usize) {
        let s = &mut self.states[i];
        for (t, c) in s.times.iter_mut().zip(&self.clips) {
            *t = wrap(*t + 1.0 / 60.0, c.duration());
        }
        let [a, b] = &mut self.samples;
        self.clips[0].sample(s.times[0], &mut s.pose);
        self.clips[1].sample(s.times[1], a);
        self.clips[2].sample(s.times[2], b);
        s.pose.blend(a, WEIGHTS[1] / (WEIGHTS[0] + WEIGHTS[1]), None);
        s.pose.blend(b, WEIGHTS[2], None);
        s.pose.to_model(&self.rig.skeleton, &mut self.model);
    }

    fn d2(&mut self, i: usize) {
        self.d(i);
        let s = &mut self.states[i];
        for ((o, m), b) in s.palette.iter_mut().zip(&self.model).zip(&self.inverse_binds) {
            *o = *m * *b;
        }
    }

    fn unit(&mut self, name: &str, i: usize) {
        match name {
            "sample" => self.sample(i, 1.0 / 60.0),
            "seek" => self.sample(i, 0.618_034 * self.clips[0].duration()),
            "blend" => {
                let s = &mut self.states[i];
                s.pose.blend(&self.samples[0], 0.7, None);
                s.pose.blend(&self.samples[1], 0.3, None);
            }
            "model" => self.states[i].pose.to_model(&self.rig.skeleton, &mut self.model),
            "d" => self.d(i),
            "d2" => self.d2(i),
            "raw" => {
                let s = &mut self.states[i];
                s.times[0] = wrap(s.times[0] + 1.0 / 60.0, self.raw[0].duration);
                self.raw[0].sample(s.times[0], &mut [], &mut s.pose);
            }
            "nothing" => {}
            other => panic!("no unit {other:?}: sample, seek, blend, model, d, d2, raw, nothing"),
        }
    }

    fn run(&mut self, name: &str, rounds: usize) {
        for _ in 0..rounds {
            for i in 0..self.states.len() {
                self.unit(name, i);
            }
            black_box(&mut self.model);
        }
        black_box(&mut self.states);
    }
}

fn wrap(t: f32, d: f32) -> f32 {
    let t = if t >= d { t - d } else { t };
    if t >= d { 0.0 } else { t }
}

/// The definition's own check: what the sum of all coordinates must be at t = 0.25 s.
fn check() {
    let mut w = World::new(1);
    w.states[0].times = [0.25 - 1.0 / 60.0; 3];
    w.d2(0);
    let sum: f32 = w.model.iter().map(|m| m.translation().dot(Vec3::ONE)).sum();
    assert!((149.45..149.50).contains(&sum), "sum of translations {sum}");
}

/// Goals of the workload: bytes a character, and metres.
const MOST_STATE: usize = 8192;
const MOST_ERROR: f32 = 1e-4;

fn main() {
    check();
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    if let [unit, n, rounds] = &args[..] {
        let number = |s: &str| s.parse().expect("a whole number");
        World::new(number(n)).run(unit, number(rounds));
        return;
    }
    let w = World::new(1);
    println!("state {} bytes a character", w.state_bytes());
    assert!(w.state_bytes() <= MOST_STATE, "the goal is {MOST_STATE} bytes");
    for (c, raw) in w.clips.iter().zip(&w.raw) {
        let bytes: usize =
            raw.tracks.iter().map(|t| 4 * (t.curve.times().len() + t.curve.values().len())).sum();
        println!(
            "{}: error {:.4} mm, {} bytes packed, {bytes} raw",
            c.name(),
            c.error() * 1e3,
            c.size()
        );
        assert!(c.error() <= MOST_ERROR, "the goal is {MOST_ERROR} m");
    }
    for n in [1, 100, 1000] {
        for unit in ["sample", "seek", "blend", "model", "d", "d2", "raw"] {
            let mut w = World::new(n);
            w.run(unit, 2000 / n + 1);
            // Best of several: the machine's own noise only ever adds.
            let rounds = 20_000 / n;
            let best = (0..7)
                .map(|_| {
                    let start = Instant::now();
                    w.run(unit, rounds);
                    start.elapsed().as_nanos() as f64 / (rounds * n) as f64
                })
                .fold(f64::INFINITY, f64::min);
            println!("N={n:<5} {unit:<7} {best:8.0} ns");
        }
    }
}
