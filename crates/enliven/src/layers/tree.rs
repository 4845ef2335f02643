//! Clips blended by parameters, as data.

use crate::{Character, ClipId, Layer, Loop, Mask, Moment, Playback, Pose, Rig, math};
use glam::Vec2;
use std::sync::Arc;

/// A number that the host sets and nodes read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParamId(pub u32);

impl ParamId {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A tree of blends with clips at its leaves. Plain data: build it by hand or read it from a file.
#[derive(Clone, Debug)]
pub enum Blend {
    /// One clip.
    Clip {
        /// Which.
        clip: ClipId,
        /// What happens at its ends.
        looping: Loop,
        /// Factor on its speed.
        speed: f32,
    },
    /// Between neighbours on a line, for example walk and run by speed.
    Line {
        /// Position on the line.
        param: ParamId,
        /// Children at rising positions.
        points: Vec<(f32, Blend)>,
        /// Looping clips below keep step: all are at the same part of their loop, and the loop
        /// takes the weighted mean of their durations.
        sync: bool,
    },
    /// Between points of a plane, for example strafing by velocity: gradient bands (R. S.
    /// Johansen, "Automated Semi-Procedural Animation for Character Locomotion", 2009, § 6.3).
    Plane {
        /// Position in the plane.
        params: [ParamId; 2],
        /// Children at any points, each once.
        points: Vec<(Vec2, Blend)>,
        /// As for a line.
        sync: bool,
    },
    /// What the second differs from the rest pose by, on top of the first.
    Add {
        /// What is added to.
        base: Box<Blend>,
        /// What is added.
        add: Box<Blend>,
        /// Weight of what is added, in [0, 1].
        weight: ParamId,
    },
    /// The second over the first, where a mask lets it.
    Over {
        /// Below.
        base: Box<Blend>,
        /// Above.
        over: Box<Blend>,
        /// Where.
        mask: Mask,
        /// Weight of what is above, in [0, 1].
        weight: ParamId,
    },
}

/// Plays a [`Blend`]. Set its parameters; everything else follows from them.
///
/// Clips that have no weight keep time and are not sampled.
pub struct Tree {
    character: Arc<Character>,
    /// Children before parents; the root is last.
    nodes: Vec<Node>,
    params: Vec<f32>,
    /// Weight of each node in the whole.
    weights: Vec<f32>,
    /// Phase of each group of clips in step, in [0, 1).
    phases: Vec<f64>,
    /// Durations of a group and their weights, summed.
    spans: Vec<[f32; 2]>,
    /// One pose a level of the tree.
    poses: Vec<Pose>,
}

enum Node {
    Clip { clip: ClipId, playback: Playback, group: Option<usize> },
    Line { param: ParamId, points: Vec<(f32, usize)> },
    Plane { params: [ParamId; 2], points: Vec<(Vec2, usize)> },
    Add { base: usize, add: usize, weight: ParamId },
    Over { base: usize, over: usize, mask: Mask, weight: ParamId },
}

impl Tree {
    /// Plays `blend` with clips of `character`. All parameters are 0.
    ///
    /// # Panics
    /// Where the blend names a clip that the character does not have.
    pub fn new(character: Arc<Character>, blend: Blend) -> Self {
        let mut out = Self {
            character,
            nodes: Vec::new(),
            params: Vec::new(),
            weights: Vec::new(),
            phases: Vec::new(),
            spans: Vec::new(),
            poses: Vec::new(),
        };
        out.flatten(blend, None);
        out.weights = vec![0.0; out.nodes.len()];
        out.spans = vec![[0.0; 2]; out.phases.len()];
        out
    }

    /// Sets a parameter. One that no node reads, and a value that is not finite, are ignored.
    pub fn set(&mut self, param: ParamId, value: f32) {
        if let (Some(p), true) = (self.params.get_mut(param.index()), value.is_finite()) {
            *p = value;
        }
    }

    /// Value of a parameter.
    pub fn get(&self, param: ParamId) -> f32 {
        self.params.get(param.index()).copied().unwrap_or(0.0)
    }

    /// Weight of every clip in the last step: clip and weight, in the order of the leaves.
    pub fn clip_weights(&self) -> impl Iterator<Item = (ClipId, f32)> + '_ {
        self.nodes.iter().zip(&self.weights).filter_map(|(n, w)| match n {
            Node::Clip { clip, .. } => Some((*clip, *w)),
            _ => None,
        })
    }

    fn flatten(&mut self, blend: Blend, group: Option<usize>) -> usize {
        let node = match blend {
            Blend::Clip { clip, looping, speed } => {
                let mut playback = Playback::new(self.character.clip(clip), looping);
                playback.set_speed(speed);
                let group = group.filter(|_| looping == Loop::Repeat);
                Node::Clip { clip, playback, group }
            }
            Blend::Line { param, mut points, sync } => {
                self.know(param);
                let group = self.group(sync, group);
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                let points = points.into_iter().map(|(x, b)| (x, self.flatten(b, group))).collect();
                Node::Line { param, points }
            }
            Blend::Plane { params, points, sync } => {
                params.iter().for_each(|p| self.know(*p));
                let group = self.group(sync, group);
                let points = points.into_iter().map(|(x, b)| (x, self.flatten(b, group))).collect();
                Node::Plane { params, points }
            }
            Blend::Add { base, add, weight } => {
                self.know(weight);
                let base = self.flatten(*base, group);
                let add = self.flatten(*add, None);
                Node::Add { base, add, weight }
            }
            Blend::Over { base, over, mask, weight } => {
                self.know(weight);
                let base = self.flatten(*base, group);
                let over = self.flatten(*over, None);
                Node::Over { base, over, mask, weight }
            }
        };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn know(&mut self, param: ParamId) {
        let needed = param.index() + 1;
        if self.params.len() < needed {
            self.params.resize(needed, 0.0);
        }
    }

    /// The group that children of a blend keep step in: that of a blend above, or a new one.
    fn group(&mut self, sync: bool, above: Option<usize>) -> Option<usize> {
        above.or_else(|| {
            sync.then(|| {
                self.phases.push(0.0);
                self.phases.len() - 1
            })
        })
    }

    /// Spreads the weight of each node over its children, from the root down.
    fn weigh(&mut self) {
        let Self { nodes, params, weights, .. } = self;
        weights.fill(0.0);
        if let Some(root) = weights.last_mut() {
            *root = 1.0;
        }
        for i in (0..nodes.len()).rev() {
            let whole = weights[i];
            match &nodes[i] {
                Node::Clip { .. } => {}
                Node::Line { param, points } => {
                    line(points, params[param.index()], |child, w| weights[child] += whole * w);
                }
                Node::Plane { params: [x, y], points } => {
                    let p = Vec2::new(params[x.index()], params[y.index()]);
                    plane(points, p, |child, w| weights[child] += whole * w);
                }
                Node::Add { base, add: top, weight }
                | Node::Over { base, over: top, weight, .. } => {
                    weights[*base] += whole;
                    weights[*top] += whole * crate::mask::clean(params[weight.index()]);
                }
            }
        }
    }

    fn advance(&mut self, dt: f32) {
        self.spans.fill([0.0; 2]);
        for (node, w) in self.nodes.iter().zip(&self.weights) {
            if let Node::Clip { clip, playback, group: Some(g) } = node {
                let speed = playback.speed();
                let duration = self.character.clip(*clip).duration;
                if *w > 0.0 && duration > 0.0 && speed != 0.0 {
                    self.spans[*g][0] += w * duration / speed;
                    self.spans[*g][1] += w;
                }
            }
        }
        for (phase, [span, weight]) in self.phases.iter_mut().zip(&self.spans) {
            if *span != 0.0 {
                let next = *phase + f64::from(dt) * f64::from(*weight) / f64::from(*span);
                *phase = next - libm::floor(next);
            }
        }
        for node in &mut self.nodes {
            if let Node::Clip { clip, playback, group } = node {
                match group {
                    Some(g) => {
                        let duration = f64::from(self.character.clip(*clip).duration);
                        playback.seek(self.phases[*g] * duration);
                    }
                    None => playback.advance(dt),
                }
            }
        }
    }
}

/// Weights of the two neighbours of `x`.
fn line(points: &[(f32, usize)], x: f32, mut give: impl FnMut(usize, f32)) {
    let after = points.partition_point(|p| p.0 <= x);
    match (after.checked_sub(1).and_then(|i| points.get(i)), points.get(after)) {
        (Some(a), Some(b)) => {
            let t = math::ramp(a.0, b.0, x);
            give(a.1, 1.0 - t);
            give(b.1, t);
        }
        (Some(only), None) | (None, Some(only)) => give(only.1, 1.0),
        (None, None) => {}
    }
}

/// Weights of all points whose band reaches `p`.
fn plane(points: &[(Vec2, usize)], p: Vec2, mut give: impl FnMut(usize, f32)) {
    let band = |i: usize| {
        let (at, _) = points[i];
        points.iter().enumerate().filter(|(j, _)| *j != i).fold(1.0f32, |w, (_, (other, _))| {
            let to = *other - at;
            let l2 = to.length_squared();
            let part = if l2 > 0.0 { 1.0 - (p - at).dot(to) / l2 } else { 1.0 };
            w.min(part.clamp(0.0, 1.0))
        })
    };
    let sum: f32 = (0..points.len()).map(band).sum();
    for (i, (_, child)) in points.iter().enumerate() {
        if sum > 0.0 {
            give(*child, band(i) / sum);
        }
    }
}

impl Layer for Tree {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        self.weigh();
        self.advance(moment.dt);
        let Some(root) = self.nodes.len().checked_sub(1) else { return };
        // The last pose is the input, which no branch may change; the one before it is rest.
        let levels = depth(&self.nodes, root) + 2;
        if self.poses.len() != levels || !self.poses[0].same_shape(pose) {
            self.poses = vec![Pose::rest(rig); levels];
        }
        let (input, rest) = self.poses.split_at_mut(1);
        input[0].copy_from(pose);
        let (rest, scratch) = rest.split_at_mut(1);
        let mut run = Run {
            character: &self.character,
            nodes: &mut self.nodes,
            params: &self.params,
            weights: &self.weights,
            input: &input[0],
            rest: &rest[0],
        };
        run.node(root, pose, scratch);
    }

    fn reset(&mut self) {
        self.phases.fill(0.0);
        for node in &mut self.nodes {
            if let Node::Clip { playback, .. } = node {
                playback.seek(0.0);
            }
        }
    }
}

/// Scratch poses that a node needs for itself and below.
fn depth(nodes: &[Node], i: usize) -> usize {
    let most = |children: &mut dyn Iterator<Item = usize>| {
        children.map(|c| depth(nodes, c)).max().unwrap_or(0)
    };
    match &nodes[i] {
        Node::Clip { .. } => 0,
        Node::Line { points, .. } => 1 + most(&mut points.iter().map(|p| p.1)),
        Node::Plane { points, .. } => 1 + most(&mut points.iter().map(|p| p.1)),
        Node::Add { base, add: top, .. } | Node::Over { base, over: top, .. } => {
            1 + most(&mut [*base, *top].into_iter())
        }
    }
}

struct Run<'a> {
    character: &'a Character,
    nodes: &'a mut [Node],
    params: &'a [f32],
    weights: &'a [f32],
    input: &'a Pose,
    rest: &'a Pose,
}

impl Run<'_> {
    /// Writes the node's result over `out`, which holds the input.
    fn node(&mut self, i: usize, out: &mut Pose, scratch: &mut [Pose]) {
        match &mut self.nodes[i] {
            Node::Clip { clip, playback, .. } => {
                return playback.sample(self.character.clip(*clip), out);
            }
            Node::Line { .. } | Node::Plane { .. } => {}
            &mut Node::Add { base, add, weight } => {
                let w = crate::mask::clean(self.params[weight.index()]);
                self.node(base, out, scratch);
                if let (Some((spare, scratch)), true) = (scratch.split_first_mut(), w > 0.0) {
                    spare.copy_from(self.rest);
                    spare.root = out.root;
                    let root = out.root;
                    self.node(add, spare, scratch);
                    spare.root = self.rest.root;
                    out.add(spare, self.rest, w, None);
                    out.root = root;
                }
                return;
            }
            Node::Over { base, over, weight, .. } => {
                let (base, over) = (*base, *over);
                let w = crate::mask::clean(self.params[weight.index()]);
                self.node(base, out, scratch);
                if let (Some((spare, scratch)), true) = (scratch.split_first_mut(), w > 0.0) {
                    spare.copy_from(self.input);
                    self.node(over, spare, scratch);
                    if let Node::Over { mask, .. } = &self.nodes[i] {
                        out.blend(spare, w, Some(mask));
                    }
                }
                return;
            }
        }
        let mut sum = 0.0;
        let mut k = 0;
        while let Some(child) = self.nodes[i].child(k) {
            k += 1;
            let w = self.weights[child];
            if w <= 0.0 {
                continue;
            }
            sum += w;
            if sum == w {
                self.node(child, out, scratch);
            } else if let Some((spare, scratch)) = scratch.split_first_mut() {
                spare.copy_from(self.input);
                self.node(child, spare, scratch);
                out.blend(spare, w / sum, None);
            }
        }
    }
}

impl Node {
    /// The `k`-th child of a line or plane.
    fn child(&self, k: usize) -> Option<usize> {
        match self {
            Self::Line { points, .. } => points.get(k).map(|p| p.1),
            Self::Plane { points, .. } => points.get(k).map(|p| p.1),
            _ => None,
        }
    }
}
