//! The scene `drift`: the creature in a small boat on a winding lane of water, a leaf for an
//! umbrella over its head, spirits on the banks that watch it pass, and three things on the way
//! that it turns to. All of it is made in code.
//!
//! ```
//! use enliven::builtin::drift::{Drift, DriftParams};
//!
//! let mut drift = Drift::new(DriftParams::default(), 1);
//! for _ in 0..60 {
//!     drift.step(1.0 / 60.0);
//! }
//! assert!(drift.boat().speed() > 0.3);
//! assert!(drift.diagnostics().is_empty(), "every point of interest is passed near enough");
//! for (character, actor) in drift.bodies() {
//!     assert!(character < drift.characters().len() && actor.pose().is_finite());
//! }
//! ```

mod bird;
mod boat;
mod boat_body;
mod kit;
mod lane;
mod rower;
mod scenery;
mod small;
mod spirits;

pub use bird::Bird;
pub use boat::{Boat, BoatParams, Rowing, Stroke};
pub use lane::{Lane, Place};
pub use spirits::Spirit;

use crate::builtin::SpiritLook;
use crate::layers::{Dangle, DangleParams, HeldLeaf, Life};
use crate::leaf::{LeafParams, LeafState};
use crate::{
    Actor, Character, Counts, Diagnostic, JointId, LayerId, MindParams, Moment, Point, Rng, Spring,
    Targets, Ticker, Transform, check_triggers, math,
};
use glam::{Quat, Vec3};
use rower::Rower;
use std::sync::Arc;

const TAU: f64 = core::f64::consts::TAU;
/// Ticks a second: everything moves in them, whatever the frames are.
const RATE: u32 = 120;
/// How many spirits there are.
const SPIRITS: usize = 240;
/// How many fireflies there are when it is dark.
const FIREFLIES: usize = 70;
/// Where the boat begins, angle about the island.
const BEGIN: f64 = 0.55;
/// Seconds between two leaps of the fish, and of one in the air.
const LEAPS: [f32; 2] = [5.0, 9.0];
const GRAVITY: f32 = 9.81;
/// Speed of a leaping fish upward and ahead, m/s.
const LEAP: [f32; 2] = [3.1, 1.1];

/// What light there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Daylight {
    /// A clear morning.
    #[default]
    Day,
    /// After the sun has gone.
    Dusk,
    /// Under the moon.
    Night,
}

impl Daylight {
    /// All of them with their names.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Day, "day"), (Self::Dusk, "dusk"), (Self::Night, "night")];

    /// How bright lamps are, of their light at night.
    pub(crate) fn lamps(self) -> f32 {
        match self {
            Self::Day => 0.0,
            Self::Dusk => 2.2,
            Self::Night => 3.2,
        }
    }
}

/// How the scene is set up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriftParams {
    /// The light; decides what glows.
    pub daylight: Daylight,
    /// Wind, m/s in the world.
    pub wind: Vec3,
    /// The creature's mind.
    pub mind: MindParams,
    /// Its leaf.
    pub leaf: LeafParams,
    /// Its boat.
    pub boat: BoatParams,
}

impl Default for DriftParams {
    fn default() -> Self {
        Self {
            daylight: Daylight::Day,
            // About 2 m/s: with the boat's own way the leaf bends by 0.6 to 2.5 cm (A15).
            wind: Vec3::new(1.3, 0.0, -1.5),
            mind: MindParams::default(),
            leaf: LeafParams::default(),
            boat: BoatParams::default(),
        }
    }
}

/// A place to look from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where the eye is, metres.
    pub eye: Vec3,
    /// What it looks at.
    pub target: Vec3,
    /// Angle of view from bottom to top, rad.
    pub fov_y: f32,
}

/// A point of interest, with what is known of it without a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Landmark {
    /// `"lantern"`, `"bird"` or `"fish"`.
    pub name: &'static str,
    /// Distance at which the creature glances at it, metres.
    pub trigger: f32,
    /// How near the creature's eyes come to it on the lane, metres.
    pub nearest: f32,
}

const LANDMARKS: [(&str, f32); 3] = [("lantern", 5.2), ("bird", 4.6), ("fish", 4.6)];

/// Every kind of body in the scene, made once and shared between scenes.
#[derive(Clone, Debug)]
pub struct Bodies {
    characters: Vec<Arc<Character>>,
    daylight: Daylight,
    bird: Bird,
    tail: [JointId; 2],
    /// Joint of a spirit's head.
    head: JointId,
}

/// Places in [`Bodies::characters`].
const CREATURE: usize = 0;
const BOAT: usize = 1;
const PADDLE: usize = 2;
const LAND: usize = 3;
const BIRD: usize = 4;
const FISH: usize = 5;
const FIREFLY: usize = 6;
const SPIRIT: usize = 7;

impl Bodies {
    /// Makes them, for a light: what glows differs.
    pub fn new(daylight: Daylight) -> Self {
        let (bird_body, bird) = bird::body();
        let (fish, tail) = small::fish();
        let spirit = crate::builtin::spirit(5);
        let head = spirit.rig.skeleton.find("head").unwrap_or(JointId(0));
        let characters = vec![
            crate::builtin::creature(),
            boat_body::boat(daylight),
            boat_body::paddle(),
            scenery::scenery(daylight),
            bird_body,
            fish,
            small::firefly(daylight),
            spirit,
        ];
        let characters = characters.into_iter().map(Arc::new).collect();
        Self { characters, daylight, bird, tail, head }
    }

    /// The characters; what [`Drift::bodies`] counts. The creature is the first.
    pub fn characters(&self) -> &[Arc<Character>] {
        &self.characters
    }

    /// The light that they are made for.
    pub fn daylight(&self) -> Daylight {
        self.daylight
    }
}

/// One spirit with its body.
#[derive(Debug)]
struct Watcher {
    spirit: Spirit,
    body: usize,
    head: JointId,
    /// From the world to its own axes at the head.
    root: Transform,
}

/// The fish.
#[derive(Debug)]
struct Fish {
    rng: Rng,
    joints: [JointId; 2],
    /// Where it stays, and which way it leaps.
    home: Vec3,
    yaw: f32,
    wait: f32,
    /// Seconds since it left the water.
    air: Option<f32>,
    swim: f32,
}

/// Bodies by their place in the list.
#[derive(Clone, Copy, Debug)]
struct Parts {
    creature: usize,
    boat: usize,
    paddle: usize,
    bird: usize,
    fish: usize,
    fireflies: usize,
}

/// Layers of the creature.
#[derive(Clone, Copy, Debug)]
struct Ids {
    rower: LayerId,
    leaf: LayerId,
    life: LayerId,
}

/// The scene. The same seed and the same sum of steps give the same bits, whatever the frames.
#[derive(Debug)]
pub struct Drift {
    params: DriftParams,
    kinds: Bodies,
    /// Index of the character, and the body.
    bodies: Vec<(usize, Actor)>,
    parts: Parts,
    ids: Ids,
    boat: Boat,
    watchers: Vec<Watcher>,
    bird: Bird,
    bird_root: Transform,
    fish: Fish,
    landmarks: [Vec3; 3],
    eyes: Vec3,
    ticker: Ticker,
    ticks: u64,
    viewer: Option<Vec3>,
    body_turn: f32,
    /// Smoothed place and heading of the boat, for a camera that rides along.
    carriage: Spring<Vec3>,
    heading: Spring<f32>,
}

impl Drift {
    /// The scene at its beginning. `seed` decides when who does what; the place is always the same.
    pub fn new(params: DriftParams, seed: u64) -> Self {
        Self::with(&Bodies::new(params.daylight), params, seed)
    }

    /// The same with bodies that are there already; their light counts.
    pub fn with(kinds: &Bodies, params: DriftParams, seed: u64) -> Self {
        let params = DriftParams { daylight: kinds.daylight, ..params };
        let mut bodies: Vec<(usize, Actor)> = Vec::new();
        let mut stand = |kind: usize, root: Transform| {
            let mut actor = Actor::new(kinds.characters[kind].clone());
            actor.edit(|pose| pose.root = root);
            bodies.push((kind, actor));
            bodies.len() - 1
        };
        stand(LAND, Transform::IDENTITY);
        let up = Vec3::Y * (scenery::POST_TOP + 0.02);
        let bird_root = facing(Lane::beside(scenery::POST.0, scenery::POST.1), up);
        let home = Lane::beside(scenery::FISH.0, scenery::FISH.1);
        let parts = Parts {
            creature: stand(CREATURE, Transform::IDENTITY),
            boat: stand(BOAT, Transform::IDENTITY),
            paddle: stand(PADDLE, Transform::IDENTITY),
            bird: stand(BIRD, bird_root),
            fish: stand(FISH, Transform::from_translation(home)),
            fireflies: fireflies(&mut stand, params.daylight),
        };
        let watchers = crowd(&mut bodies, kinds, seed);
        let lantern = Lane::beside(scenery::LANTERN.0, scenery::LANTERN.1);
        let lantern = lantern + Vec3::Y * (scenery::height(lantern.x, lantern.z) + 0.8);
        let landmarks = [lantern, bird_root.translation + Vec3::Y * 0.2, home + Vec3::Y * 0.2];

        let body = kinds.characters[CREATURE].clone();
        let mut life = Life::new(&body, params.mind, seed);
        for (position, (_, glance)) in landmarks.iter().zip(LANDMARKS) {
            life.mind.attention.add(Point { position: *position, weight: 1.6, glance });
        }
        let eyes = life.eyes();
        let stack = &mut bodies[parts.creature].1.stack;
        let rower = stack.push(Rower::new(&body));
        stack.push(Dangle::new(&body, DangleParams::default()));
        let leaf = stack.push(HeldLeaf::new(&body, params.leaf, seed));
        let ids = Ids { rower, leaf, life: stack.push(life) };
        let boat = Boat::new(params.boat, BEGIN, seed);
        let along = Lane::at(scenery::FISH.0);
        let mut fish_rng = Rng::new(seed, 0xf154);
        let wait = fish_rng.range(LEAPS[0], LEAPS[1]);
        let start = Lane::at(BEGIN);
        let mut out = Self {
            params,
            kinds: kinds.clone(),
            bodies,
            parts,
            ids,
            boat,
            watchers,
            bird: kinds.bird.clone(),
            bird_root,
            fish: Fish {
                rng: fish_rng,
                joints: kinds.tail,
                home,
                yaw: along.yaw + 0.5,
                wait,
                air: None,
                swim: 0.0,
            },
            landmarks,
            eyes,
            ticker: Ticker::new(RATE),
            ticks: 0,
            viewer: None,
            body_turn: 0.0,
            carriage: Spring { x: start.position, v: start.ahead * params.boat.current },
            heading: Spring::at(start.yaw),
        };
        out.tick(0.0);
        out.show();
        out
    }

    /// Moves on by `dt` seconds, in whole ticks of 1/120 s; what is left over is kept for the next
    /// frame. Never allocates.
    pub fn step(&mut self, dt: f64) {
        let steps = self.ticker.frame(dt);
        for _ in 0..steps {
            self.ticks += 1;
            self.tick(self.ticker.step());
        }
        if steps > 0 {
            self.show();
        }
    }

    /// How it is set up.
    pub fn params(&self) -> &DriftParams {
        &self.params
    }

    /// Seconds since the beginning, whole ticks.
    pub fn time(&self) -> f64 {
        self.ticks as f64 / f64::from(RATE)
    }

    /// Every kind of body; what [`Drift::bodies`] counts.
    pub fn characters(&self) -> &[Arc<Character>] {
        &self.kinds.characters
    }

    /// All bodies as they are now, each with the index of its character. Their number and order
    /// never change.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = (usize, &Actor)> {
        self.bodies.iter().map(|(kind, actor)| (*kind, actor))
    }

    /// The creature.
    pub fn creature(&self) -> &Actor {
        &self.bodies[self.parts.creature].1
    }

    /// The boat.
    pub fn boat(&self) -> &Boat {
        &self.boat
    }

    /// The boat, to stop it or to decide who rows.
    pub fn boat_mut(&mut self) -> &mut Boat {
        &mut self.boat
    }

    /// The spirits.
    pub fn spirits(&self) -> impl ExactSizeIterator<Item = &Spirit> {
        self.watchers.iter().map(|w| &w.spirit)
    }

    /// The bird on its post.
    pub fn bird(&self) -> &Bird {
        &self.bird
    }

    /// The creature's mind with what moves its body.
    pub fn life(&self) -> Option<&Life> {
        self.creature().stack.get(self.ids.life)
    }

    /// The same, to change.
    pub fn life_mut(&mut self) -> Option<&mut Life> {
        self.bodies[self.parts.creature].1.stack.get_mut(self.ids.life)
    }

    /// What the creature shall look like now.
    pub fn targets(&self) -> Targets {
        self.life().map(Life::targets).unwrap_or_default()
    }

    /// What happened to the creature so far.
    pub fn counts(&self) -> Counts {
        self.life().map(|l| l.mind.counts()).unwrap_or_default()
    }

    /// The leaf now, in the creature's axes.
    pub fn leaf(&self) -> LeafState {
        let leaf: Option<&HeldLeaf> = self.creature().stack.get(self.ids.leaf);
        leaf.map(HeldLeaf::state).unwrap_or_default()
    }

    /// Tells the creature where the one is who looks.
    pub fn set_viewer(&mut self, eye: Option<Vec3>) {
        self.viewer = eye;
    }

    /// Where the creature's eyes come along in one lap, metres: dense enough to be taken as the
    /// way.
    pub fn path(&self) -> Vec<Vec3> {
        let eyes = rower::SEAT + self.eyes;
        (0..=2048)
            .map(|i| {
                let place = Lane::at(TAU * f64::from(i) / 2048.0);
                place.position + math::rotation(Vec3::Y, place.yaw) * eyes
            })
            .collect()
    }

    /// The points of interest, measured against the real path.
    pub fn landmarks(&self) -> Vec<Landmark> {
        let path = self.path();
        let near = |p: &Vec3| path.iter().map(|q| q.distance(*p)).fold(f32::MAX, f32::min);
        let all = self.landmarks.iter().zip(self.triggers());
        all.zip(LANDMARKS)
            .map(|((p, trigger), (name, _))| Landmark { name, trigger, nearest: near(p) })
            .collect()
    }

    fn triggers(&self) -> [f32; 3] {
        let points = self.life().map_or(&[][..], |l| l.mind.attention.points());
        core::array::from_fn(|i| points.get(i).map_or(0.0, |p| p.glance))
    }

    /// A warning for each point of interest whose trigger the path never reaches.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let points = self.life().map_or(&[][..], |l| l.mind.attention.points());
        check_triggers(points, &self.path())
    }

    /// Where a camera that rides along is, smoothed, and its heading: metres on the water, rad
    /// about +Y.
    pub fn ride(&self) -> (Vec3, f32) {
        (self.carriage.x, self.heading.x)
    }

    /// A good place to look from: it rides along before the bow, to the left, low over the water.
    pub fn view(&self) -> View {
        let (s, c) = math::sin_cos(self.heading.x);
        let ahead = Vec3::new(s, 0.0, c);
        let left = Vec3::new(c, 0.0, -s);
        let at = self.carriage.x;
        View {
            eye: at + ahead * 4.3 + left * 1.95 + Vec3::Y * 0.98,
            target: at + left * 0.16 + ahead * 0.1 + Vec3::Y * 0.75,
            fov_y: 30f32.to_radians(),
        }
    }

    fn tick(&mut self, h: f32) {
        let pace = self.targets().pace;
        self.boat.step(h, pace);
        let (root, motion) = (self.boat.root(), self.boat.motion());
        let moment = Moment {
            wind: self.params.wind,
            viewer: self.viewer,
            ..Moment::step(h).with_motion(motion)
        };
        self.swim(h);
        let eye = root.transform_point(rower::SEAT + self.eyes);
        self.watch(h, eye);
        self.carry(&moment, &root);
        // The camera is a little ahead of a spring's lag: it aims at where the boat will be.
        let place = Lane::at(self.boat.angle());
        let rate = 2.0;
        let lead = place.ahead * (self.boat.speed() * 2.0 / rate);
        self.carriage.step(place.position + lead, rate, h);
        let turn = math::wrap_angle(place.yaw - self.heading.x);
        self.heading.step(self.heading.x + turn, 0.9, h);
    }

    /// The creature in its boat, with paddle and leaf.
    fn carry(&mut self, moment: &Moment, root: &Transform) {
        let stroke = self.boat.stroke();
        let before = self.targets().body;
        let turn = self.body_turn;
        let actor = &mut self.bodies[self.parts.creature].1;
        let mut seat = Transform::IDENTITY;
        if let Some(rower) = actor.stack.get_mut::<Rower>(self.ids.rower) {
            rower.stroke = stroke;
            seat = rower.seat();
        }
        if let Some(leaf) = actor.stack.get_mut::<HeldLeaf>(self.ids.leaf) {
            leaf.body_turn = turn;
        }
        if let Some(life) = actor.stack.get_mut::<Life>(self.ids.life) {
            life.effort = 0.75 * stroke.weight;
            for (point, at) in life.mind.attention.points_mut().iter_mut().zip(self.landmarks) {
                point.position = at;
            }
        }
        actor.place(root.then(&seat));
        actor.step(moment);
        let after = self.targets().body;
        self.body_turn = if moment.dt > 0.0 { (after - before) / moment.dt } else { 0.0 };
    }

    /// Spirits and bird see who passes.
    fn watch(&mut self, h: f32, eye: Vec3) {
        let seen = |root: &Transform| {
            root.rotation.conjugate() * (eye - root.translation) / root.scale.x.max(1e-3)
        };
        for w in &mut self.watchers {
            // The head is above the root.
            let from = seen(&w.root) - Vec3::Y * 0.21;
            w.spirit.step(h, from * w.root.scale.x);
        }
        self.bird.step(h, seen(&self.bird_root));
    }

    fn swim(&mut self, h: f32) {
        let fish = &mut self.fish;
        fish.swim = math::fract(fish.swim + 1.7 * h);
        match &mut fish.air {
            Some(t) => {
                *t += h;
                if *t > 2.0 * LEAP[0] / GRAVITY {
                    fish.air = None;
                    fish.wait = fish.rng.range(LEAPS[0], LEAPS[1]);
                }
            }
            None => {
                fish.wait -= h;
                if fish.wait <= 0.0 {
                    fish.air = Some(0.0);
                }
            }
        }
        // What it does is looked at by its height alone: a thing that jumps aside makes one blink.
        let up = (fish.place().translation.y - fish.home.y).max(0.0);
        self.landmarks[2] = fish.home + Vec3::Y * (0.05 + up);
    }

    /// Writes what no layer moves, once a frame.
    fn show(&mut self) {
        let root = self.boat.root();
        let creature = &self.bodies[self.parts.creature].1;
        let rower: Option<&Rower> = creature.stack.get(self.ids.rower);
        let paddle =
            rower.map(|r| r.paddle(creature.model(), &creature.pose().root, root.rotation));
        self.bodies[self.parts.boat].1.edit(|pose| pose.root = root);
        if let Some(paddle) = paddle {
            self.bodies[self.parts.paddle].1.edit(|pose| pose.root = paddle);
        }
        let (bird, fish) = (&self.bird, &self.fish);
        self.bodies[self.parts.bird].1.edit(|pose| bird.write(pose));
        self.bodies[self.parts.fish].1.edit(|pose| {
            pose.root = fish.place();
            let wave = |lag: f32| 0.35 * math::sin(math::TAU * (fish.swim - lag));
            pose.set_rotation(fish.joints[0], math::rotation(Vec3::Y, wave(0.0)));
            pose.set_rotation(fish.joints[1], math::rotation(Vec3::Y, 1.2 * wave(0.16)));
        });
        for w in &self.watchers {
            let turn = w.spirit.head();
            self.bodies[w.body].1.edit(|pose| pose.set_rotation(w.head, turn));
        }
        let time = self.time();
        let flies = if self.params.daylight == Daylight::Day { 0 } else { FIREFLIES };
        for i in 0..flies {
            let at = firefly(i, time);
            self.bodies[self.parts.fireflies + i].1.edit(|pose| pose.root = at);
        }
    }
}

impl Fish {
    /// Where it is: under water at its home, or in the air along a throw.
    fn place(&self) -> Transform {
        let (s, c) = math::sin_cos(self.yaw);
        let ahead = Vec3::new(s, 0.0, c);
        let level = math::rotation(Vec3::Y, self.yaw);
        let Some(t) = self.air else {
            let (s, c) = math::sin_cos(math::TAU * self.swim * 0.5);
            let drift = Vec3::new(0.1 * s, -0.22, 0.1 * c);
            return Transform { translation: self.home + drift, rotation: level, scale: Vec3::ONE };
        };
        let rise = LEAP[0] * t - 0.5 * GRAVITY * t * t;
        let climb = math::atan2(LEAP[0] - GRAVITY * t, LEAP[1]);
        let way = LEAP[1] * (t - LEAP[0] / GRAVITY);
        Transform {
            translation: self.home + ahead * way + Vec3::Y * (rise - 0.12),
            rotation: level * math::rotation(Vec3::X, -climb),
            scale: Vec3::ONE,
        }
    }
}

/// Puts the fireflies into the list where it is dark enough for them.
fn fireflies(stand: &mut impl FnMut(usize, Transform) -> usize, daylight: Daylight) -> usize {
    let count = if daylight == Daylight::Day { 0 } else { FIREFLIES };
    let mut first = 0;
    for i in 0..count {
        let at = stand(FIREFLY, firefly(i, 0.0));
        first = if i == 0 { at } else { first };
    }
    first
}

/// Where firefly `i` is at `time`: about a place of its own over the banks. It fades by its size.
fn firefly(i: usize, time: f64) -> Transform {
    let mut rng = Rng::new(i as u64, 0xf1ef);
    let u = TAU * f64::from(rng.unit());
    let side = if rng.chance(0.6) { 1.0 } else { -1.0 };
    let home = Lane::beside(u, side * rng.range(1.0, 4.6));
    let up = rng.range(0.35, 1.5);
    let wave = |rate: f32, at: f32| {
        libm::sin(libm::fmod(time * f64::from(rate), TAU) + f64::from(at)) as f32
    };
    let (a, b, c) = (rng.range(0.0, 6.0), rng.range(0.0, 6.0), rng.range(0.0, 6.0));
    let way = Vec3::new(
        0.5 * wave(0.61, a) + 0.2 * wave(1.7, b),
        0.25 * wave(0.83, b) + 0.1 * wave(2.1, c),
        0.5 * wave(0.53, c) + 0.2 * wave(1.4, a),
    );
    let shine = math::smoothstep(-0.2, 0.6, wave(0.9, a + c));
    let ground = scenery::height(home.x, home.z).max(0.0);
    Transform {
        translation: home + Vec3::Y * (ground + up) + way,
        rotation: Quat::IDENTITY,
        scale: Vec3::splat(0.25 + 0.75 * shine),
    }
}

/// A body at a place beside the lane, lifted by `up`, that faces the middle line.
fn facing(at: Vec3, up: Vec3) -> Transform {
    let (out, u) = Lane::across(at.x, at.z);
    let ahead = Lane::at(u).ahead;
    let toward = ahead.cross(Vec3::Y) * if out > 0.0 { -1.0 } else { 1.0 };
    Transform {
        translation: at + up,
        rotation: math::rotation(Vec3::Y, math::atan2(toward.x, toward.z)),
        scale: Vec3::ONE,
    }
}

/// Spirits on both banks, in loose groups that face the water.
fn crowd(bodies: &mut Vec<(usize, Actor)>, kinds: &Bodies, seed: u64) -> Vec<Watcher> {
    let mut rng = Rng::new(23, 0x5917);
    let mut out: Vec<Watcher> = Vec::with_capacity(SPIRITS);
    let mut tries = 0;
    while out.len() < SPIRITS && tries < 40 * SPIRITS {
        tries += 1;
        // A group begins; the others of it stand near by.
        let u = TAU * f64::from(rng.unit());
        let side = if rng.chance(0.6) { 1.0 } else { -1.0 };
        let members = 2 + (rng.unit() * 5.0) as usize;
        let off = rng.range(0.35, 2.2);
        for _ in 0..members {
            let v = u + f64::from(rng.range(-0.045, 0.045));
            let edge = Lane::half_width(v) + (off + rng.range(-0.4, 0.5)).max(0.28);
            let at = Lane::beside(v, side * edge);
            let look = SpiritLook::new(u64::from(rng.next_u32()));
            let turn = rng.range(-0.5, 0.5);
            let apart = |w: &Watcher| {
                let d = w.root.translation - at;
                d.x * d.x + d.z * d.z > 0.05
            };
            if out.len() == SPIRITS || !out.iter().all(apart) {
                continue;
            }
            let ground = scenery::height(at.x, at.z);
            let mut root = facing(at, Vec3::Y * ground);
            root.rotation *= math::rotation(Vec3::Y, turn);
            root.scale = Vec3::splat(look.size);
            let mut actor = Actor::new(kinds.characters[SPIRIT].clone());
            actor.edit(|pose| {
                pose.root = root;
                look.write(pose);
            });
            bodies.push((SPIRIT, actor));
            let spirit = Spirit::new(seed.wrapping_mul(4099).wrapping_add(out.len() as u64));
            out.push(Watcher { spirit, body: bodies.len() - 1, head: kinds.head, root });
        }
    }
    out
}
