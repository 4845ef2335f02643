//! Clips → animations.

use std::collections::BTreeMap;

use enliven::{
    ChannelKind, Character, Clip, Curve, Interpolation, JointId, Pose, Property, Target, Track,
};
use serde_json::{Map, Value, json};

use super::bin::{Bin, Use};
use super::switches;
use crate::{Diagnostic, Severity};

/// Keys a second where a curve of a kind that glTF does not have is written as a polygon.
const RESAMPLE_RATE: f32 = 60.0;

/// What a channel of an animation moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Goal {
    Property(JointId, Property),
    Root(Property),
    /// Weights of the morph targets of the meshes at a joint, by their first channel.
    Weights(JointId, u32),
    /// Whether a joint and what is below it is shown.
    Switch(JointId),
}

/// Where things of a character are in the document.
pub(super) struct Places<'a> {
    /// Node of each joint.
    pub nodes: &'a [usize],
    /// Node of each mesh, which may be one of its own.
    pub meshes: &'a [usize],
    /// Node that carries the whole, for clips that move the root.
    pub root: Option<usize>,
}

/// Whether a clip moves the root of the pose.
pub(super) fn moves_root(clip: &Clip) -> bool {
    clip.tracks.iter().any(|t| matches!(t.target, Target::Root(_)))
}

/// One animation; `None` where nothing of it can be written.
pub(super) fn animation(
    clip: &Clip,
    character: &Character,
    places: &Places<'_>,
    bin: &mut Bin,
    found: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let mut warn = |code, message: String| {
        found.push(Diagnostic::new(Severity::Warning, code, clip.name.clone(), message));
    };
    if clip.additive {
        warn("CLIP_ADDITIVE", "an additive clip has no place in glTF; it is left out".into());
        return None;
    }
    let mut goals: BTreeMap<(usize, Goal), Vec<&Track>> = BTreeMap::new();
    let mut order: BTreeMap<Goal, usize> = BTreeMap::new();
    for track in &clip.tracks {
        let Some(goal) = goal(track.target, character) else {
            let message =
                "only joints, the root, morph weights and visibility have a place in glTF";
            warn("TRACK_NOT_WRITTEN", format!("{message}: {:?} is left out", track.target));
            continue;
        };
        let next = order.len();
        let at = *order.entry(goal).or_insert(next);
        goals.entry((at, goal)).or_default().push(track);
    }
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for ((_, goal), tracks) in &goals {
        let (node, path) = match *goal {
            Goal::Property(j, p) => (Some(places.nodes[j.index()]), path(p)),
            Goal::Root(p) => (places.root, path(p)),
            Goal::Weights(j, first) => {
                let carries = |m: &enliven::Mesh| m.joint == j && m.morphs.start == first;
                let mesh = character.meshes.iter().position(carries);
                (mesh.and_then(|mesh| places.meshes.get(mesh).copied()), Some("weights"))
            }
            Goal::Switch(j) => (Some(places.nodes[j.index()]), Some("pointer")),
        };
        let (Some(node), Some(path)) = (node, path) else {
            warn("TRACK_NOT_WRITTEN", format!("{goal:?} has no place in the document"));
            continue;
        };
        let keys = keys(*goal, tracks, clip, character);
        let times = rising(&keys.times);
        let input = bin.times(&times);
        let output = match keys.width {
            _ if matches!(goal, Goal::Switch(_)) => {
                let shown: Vec<u32> = keys.values.iter().map(|v| u32::from(*v >= 0.5)).collect();
                bin.integers(&shown, 1, Use::Data)
            }
            3 => bin.floats(&chunks::<3>(&keys.values), "VEC3", Use::Data, false),
            4 => bin.floats(&chunks::<4>(&keys.values), "VEC4", Use::Data, false),
            _ => bin.floats(&chunks::<1>(&keys.values), "SCALAR", Use::Data, false),
        };
        let mut sampler = json!({ "input": input, "output": output });
        match keys.interpolation {
            Interpolation::Step => sampler["interpolation"] = "STEP".into(),
            Interpolation::CubicSpline => sampler["interpolation"] = "CUBICSPLINE".into(),
            _ => {}
        }
        let target = match goal {
            Goal::Switch(_) => switches::target(node),
            _ => json!({ "node": node, "path": path }),
        };
        channels.push(json!({ "sampler": samplers.len(), "target": target }));
        samplers.push(sampler);
    }
    if channels.is_empty() {
        warn("CLIP_EMPTY", "nothing of the clip can be written; it is left out".into());
        return None;
    }
    let mut out = Map::new();
    if !clip.name.is_empty() {
        out.insert("name".into(), clip.name.clone().into());
    }
    out.insert("channels".into(), channels.into());
    out.insert("samplers".into(), samplers.into());
    if !clip.marks.is_empty() {
        let marks: Vec<Value> = clip
            .marks
            .iter()
            .map(|m| json!({ "time": super::bin::number(m.time), "name": m.name }))
            .collect();
        out.insert("extras".into(), json!({ "marks": marks }));
    }
    Some(Value::Object(out))
}

fn path(property: Property) -> Option<&'static str> {
    match property {
        Property::Translation => Some("translation"),
        Property::Rotation | Property::Euler => Some("rotation"),
        Property::Scale => Some("scale"),
        _ => None,
    }
}

fn goal(target: Target, character: &Character) -> Option<Goal> {
    let whole = |p| if p == Property::Euler { Property::Rotation } else { p };
    match target {
        Target::Root(p) => Some(Goal::Root(whole(p))),
        Target::Joint(j, p) | Target::Component(j, p, _) => Some(Goal::Property(j, whole(p))),
        Target::Channel(c) => {
            if let ChannelKind::Visibility(joint) = character.rig.channels.get(c).kind {
                return Some(Goal::Switch(joint));
            }
            let mesh = character.meshes.iter().find(|m| m.morphs.contains(&c.0))?;
            Some(Goal::Weights(mesh.joint, mesh.morphs.start))
        }
        _ => None,
    }
}

/// Keys of one sampler.
#[derive(Default)]
pub(super) struct Keys {
    pub times: Vec<f32>,
    pub values: Vec<f32>,
    /// Numbers an element of the output accessor.
    pub width: usize,
    pub interpolation: Interpolation,
}

fn keys(goal: Goal, tracks: &[&Track], clip: &Clip, character: &Character) -> Keys {
    let known = |c: &Curve| {
        matches!(
            c.interpolation(),
            Interpolation::Step | Interpolation::Linear | Interpolation::CubicSpline
        )
    };
    let whole = !matches!(
        tracks[0].target,
        Target::Component(..) | Target::Joint(_, Property::Euler) | Target::Root(Property::Euler)
    );
    match goal {
        Goal::Property(..) | Goal::Root(_) => {
            // The last track on a target is the one that counts.
            if let (Some(track), true) = (tracks.last(), whole)
                && known(&track.curve)
            {
                return Keys {
                    times: track.curve.times().to_vec(),
                    values: track.curve.values().to_vec(),
                    width: track.curve.width(),
                    interpolation: track.curve.interpolation(),
                };
            }
            sampled(goal, tracks, clip, character)
        }
        Goal::Switch(_) => tracks.last().map(|t| switches::keys(&t.curve)).unwrap_or_default(),
        Goal::Weights(joint, first) => interleaved(joint, first, tracks, character, known)
            .unwrap_or_else(|| sampled(goal, tracks, clip, character)),
    }
}

/// The weights of all targets in one list, where every target has a track with the same times.
fn interleaved(
    joint: JointId,
    first: u32,
    tracks: &[&Track],
    character: &Character,
    known: impl Fn(&Curve) -> bool,
) -> Option<Keys> {
    let channels = weights_of(character, joint, first);
    let mut curves: Vec<&Curve> = Vec::with_capacity(channels.len());
    for c in channels {
        let on = |t: &&&Track| matches!(t.target, Target::Channel(id) if id.0 == c);
        curves.push(&tracks.iter().rev().find(on)?.curve);
    }
    let lead = *curves.first()?;
    let same = |c: &&Curve| {
        c.times() == lead.times() && c.interpolation() == lead.interpolation() && known(c)
    };
    if !curves.iter().all(same) {
        return None;
    }
    // A key is a value, or for cubic splines in-tangents, values, out-tangents of all targets.
    let parts = lead.values().len() / lead.times().len();
    let values =
        (0..lead.values().len()).flat_map(|i| curves.iter().map(move |c| c.values()[i])).collect();
    debug_assert!(matches!(parts, 1 | 3));
    Some(Keys {
        times: lead.times().to_vec(),
        values,
        width: 1,
        interpolation: lead.interpolation(),
    })
}

fn weights_of(character: &Character, joint: JointId, first: u32) -> std::ops::Range<u32> {
    let at = |m: &&enliven::Mesh| m.joint == joint && m.morphs.start == first;
    character.meshes.iter().find(at).map_or(first..first, |m| m.morphs.clone())
}

/// The goal's value as a polygon: at every key, and at [`RESAMPLE_RATE`] between where it is no
/// polygon already.
fn sampled(goal: Goal, tracks: &[&Track], clip: &Clip, character: &Character) -> Keys {
    let mut times: Vec<f32> =
        tracks.iter().flat_map(|t| t.curve.times()).copied().filter(|t| *t >= 0.0).collect();
    let end = clip.duration.max(0.0);
    // An hour at most: longer curves keep their keys.
    let steps = (end * RESAMPLE_RATE).min(216_000.0) as usize;
    let turns =
        matches!(goal, Goal::Property(_, Property::Rotation) | Goal::Root(Property::Rotation));
    let all = |how| tracks.iter().all(|t| t.curve.interpolation() == how);
    if !all(Interpolation::Step) && (turns || !all(Interpolation::Linear)) {
        times.extend((0..=steps).map(|k| (k as f32 / RESAMPLE_RATE).min(end)));
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    if times.is_empty() {
        times.push(0.0);
    }
    let mut pose = Pose::rest(&character.rig);
    let mut values = Vec::new();
    let mut width = 1;
    for t in &times {
        for track in tracks {
            track.sample(*t, &mut 0, &mut pose);
        }
        match goal {
            Goal::Property(j, p) => {
                let v = Target::Joint(j, p).read(&pose);
                width = Target::Joint(j, p).shape().0;
                values.extend_from_slice(&v[..width]);
            }
            Goal::Switch(_) => {}
            Goal::Root(p) => {
                width = Target::Root(p).shape().0;
                values.extend_from_slice(&Target::Root(p).read(&pose)[..width]);
            }
            Goal::Weights(joint, first) => {
                let channels = weights_of(character, joint, first);
                values.extend(channels.map(|c| pose.channels()[c as usize]));
            }
        }
    }
    let step = tracks.iter().all(|t| t.curve.is_discrete());
    let interpolation = if step { Interpolation::Step } else { Interpolation::Linear };
    Keys { times, values, width, interpolation }
}

/// Times that rise strictly and start at 0 or later, as glTF wants them.
fn rising(times: &[f32]) -> Vec<f32> {
    let mut out: Vec<f32> = Vec::with_capacity(times.len());
    for t in times {
        let least = out.last().map_or(0.0, |l: &f32| l.next_up());
        out.push(t.max(least));
    }
    out
}

fn chunks<const N: usize>(values: &[f32]) -> Vec<[f32; N]> {
    values
        .chunks_exact(N)
        .map(|c| {
            let mut e = [0.0; N];
            e.copy_from_slice(c);
            e
        })
        .collect()
}
