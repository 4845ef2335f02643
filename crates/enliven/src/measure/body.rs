//! Head, ears, arms, legs, belly.

use super::{Scan, names};
use crate::field::{Arm, Belly, Ear, Falloff, Head, Leg};
use crate::{Character, JointId, Side};
use glam::Vec3;

/// A2: the head's ramp in fractions of the height.
const HEAD: [f32; 2] = [0.50, 0.78];
/// A5: the ears' ramp in fractions of the height.
const EARS: [f32; 2] = [0.90, 1.01];
/// A6: metres of breath at a metre of height.
const BREATH: f32 = 0.008;
/// Glance limit of the head (A11) with a nod and a tilt on top, rad.
const HEAD_LIMIT: f32 = 1.0;

/// Least part of the body's vertices that must lie within the ramp, for it to bend there.
const BENDS: f32 = 0.1;

/// Slices in which the body's width is taken.
const LEVELS: usize = 32;

const ARM: &[&str] = &["arm", "hand", "paw", "flipper", "wing", "foreleg", "forepaw"];
const LEG: &[&str] = &["leg", "foot", "feet", "boot", "shoe", "hindleg"];
const EAR: &[&str] = &["ear", "antenna", "antennae", "feeler"];

impl Scan {
    fn lateral(&self) -> Vec3 {
        Vec3::Y.cross(self.anatomy.front)
    }

    /// Left, right or the middle.
    fn side(&self, p: Vec3) -> Option<Side> {
        let x = (p - self.center()).dot(self.lateral());
        match x.abs() > 0.04 * self.height {
            true if x > 0.0 => Some(Side::Left),
            true => Some(Side::Right),
            false => None,
        }
    }

    /// Nodes that carry a mesh and are named so, with the meshes on them and below them.
    fn named_nodes(&self, character: &Character, of: &[&str]) -> Vec<(JointId, Vec<usize>)> {
        let skeleton = &character.rig.skeleton;
        let says = |j: JointId| {
            let words = names::split(skeleton.name(j));
            words.iter().any(|w| of.iter().any(|o| w == o || w.strip_suffix('s') == Some(o)))
        };
        let mut out: Vec<(JointId, Vec<usize>)> = Vec::new();
        for j in skeleton.joints().filter(|j| says(*j)) {
            if out.iter().any(|(up, _)| skeleton.is_ancestor(*up, j)) {
                continue;
            }
            let meshes: Vec<usize> = (0..self.names.nodes.len())
                .filter(|m| self.surface.starts[*m].is_some())
                .filter(|m| skeleton.is_ancestor(j, self.names.nodes[*m]))
                .collect();
            if !meshes.is_empty() {
                out.push((j, meshes));
            }
        }
        out
    }

    fn mesh_points(&self, meshes: &[usize]) -> Vec<Vec3> {
        let m = &self.surface.mesh;
        (0..m.len())
            .filter(|v| meshes.contains(&(m[*v] as usize)))
            .map(|v| self.surface.points[v])
            .collect()
    }

    fn mesh_field(&self, character: &Character, meshes: &[usize]) -> Falloff {
        let skeleton = &character.rig.skeleton;
        let mut names: Vec<&str> =
            meshes.iter().map(|m| skeleton.name(self.names.nodes[*m])).collect();
        names.dedup();
        match names[..] {
            [one] => Falloff::Part(one.into()),
            _ => Falloff::Any(names.iter().map(|n| Falloff::Part((*n).into())).collect()),
        }
    }

    pub(super) fn limbs(&mut self, character: &Character) {
        let model = character.rig.skeleton.rest_model();
        let mut seen = Vec::new();
        for (list, is_arm) in [(ARM, true), (LEG, false)] {
            for (node, meshes) in self.named_nodes(character, list) {
                let points = self.mesh_points(&meshes);
                let (a, b) = corners(&points);
                let Some(side) = self.side((a + b) * 0.5) else { continue };
                // An author puts a part's origin at its joint; else it is where it meets the body.
                let origin = model[node.index()].translation();
                let root = if origin.cmpge(a - 1e-3).all() && origin.cmple(b + 1e-3).all() {
                    origin
                } else {
                    nearest(&points, self.center())
                };
                let tip = end(&points, root);
                let mut field = self.mesh_field(character, &meshes);
                if !is_arm {
                    field = field.soft_knee(root, self.height);
                }
                self.limb(is_arm, side, root, tip, field);
                seen.extend(meshes);
            }
        }
        for (i, c) in self.surface.pieces.iter().enumerate() {
            self.taken[i] |= seen.contains(&c.mesh);
        }
        self.loose_limbs();
        if self.anatomy.arms.is_empty() {
            self.missing(
                "ARMS_NOT_FOUND",
                "arms",
                "no part named so and no loose pair at the sides",
            );
        }
        if self.anatomy.legs.is_empty() {
            self.missing("LEGS_NOT_FOUND", "legs", "no part named so: nothing dangles");
        }
        let side = |s| self.anatomy.arms.iter().find(|a| a.side == s);
        self.anatomy.grip = side(Side::Right).or(side(Side::Left)).map(|a| a.hand);
    }

    fn limb(&mut self, is_arm: bool, side: Side, root: Vec3, end: Vec3, field: Falloff) {
        if is_arm {
            if self.anatomy.arms.iter().all(|a| a.side != side) {
                self.anatomy.arms.push(Arm { side, shoulder: root, hand: end, field });
            }
        } else if self.anatomy.legs.iter().all(|l| l.side != side) {
            self.anatomy.legs.push(Leg { side, knee: root, foot: end, field });
        }
    }

    /// The loose pair that stands out most at the sides is taken for arms.
    fn loose_limbs(&mut self) {
        if !self.anatomy.arms.is_empty() {
            return;
        }
        let out = |i: &usize| {
            let c = &self.surface.pieces[*i];
            let l = self.lateral();
            let half = c.size().dot(l.abs()) * 0.5;
            (c.middle() - self.center()).dot(l).abs() + half
        };
        let body = self.surface.pieces[self.main].size().dot(self.lateral().abs()) * 0.5;
        let size = |i: &usize| self.surface.pieces[*i].size().max_element();
        let loose: Vec<usize> = (0..self.surface.pieces.len())
            .filter(|i| !self.taken[*i] && *i != self.main)
            .filter(|i| size(i) > 0.15 * self.height && out(i) > 0.9 * body)
            .collect();
        let best = |side: Side| {
            let of = loose
                .iter()
                .copied()
                .filter(|i| self.side(self.surface.pieces[*i].middle()) == Some(side));
            of.max_by(|a, b| out(a).total_cmp(&out(b)))
        };
        let (Some(l), Some(r)) = (best(Side::Left), best(Side::Right)) else { return };
        for (i, side) in [(l, Side::Left), (r, Side::Right)] {
            let points: Vec<Vec3> = self.vertices(i).map(|v| self.surface.points[v]).collect();
            let root = nearest(&points, self.center());
            let field = self.piece(i);
            self.limb(true, side, root, end(&points, root), field);
            self.taken[i] = true;
        }
        self.guessed("ARMS_GUESSED", "arms", "a loose pair at the sides is taken for arms".into());
    }

    pub(super) fn ears(&mut self, character: &Character) {
        let model = character.rig.skeleton.rest_model();
        for (node, meshes) in self.named_nodes(character, EAR) {
            let points = self.mesh_points(&meshes);
            let origin = model[node.index()].translation();
            let (low, high) = corners(&points);
            let inside = origin.cmpge(low - 1e-3).all() && origin.cmple(high + 1e-3).all();
            let base = if inside { origin } else { nearest(&points, self.center()) };
            let tip = farthest(&points, base);
            let side = self.side((low + high) * 0.5);
            let field = self.mesh_field(character, &meshes).soft_from(base, tip);
            self.anatomy.ears.push(Ear { side, base, tip, field });
        }
        if self.anatomy.ears.is_empty() {
            self.ears_of_the_outline();
        }
        if self.anatomy.ears.is_empty() {
            self.missing("EARS_NOT_FOUND", "ears", "no part named so and no two tips on top");
        }
    }

    /// Two tips on top with nothing between them.
    fn ears_of_the_outline(&mut self) {
        let y = |f: f32| self.low.y + f * self.height;
        let lateral = self.lateral();
        let x = |p: Vec3| (p - self.center()).dot(lateral);
        let piece = |v: usize| !self.taken[self.surface.piece[v] as usize];
        let top: Vec<Vec3> = (0..self.surface.points.len())
            .filter(|v| piece(*v))
            .map(|v| self.surface.points[v])
            .filter(|p| p.y > y(EARS[0]))
            .collect();
        if top.iter().any(|p| x(*p).abs() < 0.03 * self.height) {
            return;
        }
        let mut found = Vec::new();
        for side in Side::BOTH {
            let tip = top.iter().copied().filter(|p| x(*p) * side.sign() > 0.0);
            let Some(tip) = tip.max_by(|a, b| a.y.total_cmp(&b.y)) else { return };
            // The middle of what the ear is at the foot of the ramp.
            let near: Vec<Vec3> = self
                .surface
                .points
                .iter()
                .copied()
                .filter(|p| {
                    x(*p) * side.sign() > 0.0 && (p.y - y(EARS[0])).abs() < 0.015 * self.height
                })
                .filter(|p| (x(*p) - x(tip)).abs() < 0.12 * self.height)
                .collect();
            let (a, b) = corners(&near);
            let mut base = if near.is_empty() { tip } else { (a + b) * 0.5 };
            base.y = y(EARS[0]);
            let ramp = Falloff::Ramp { axis: Vec3::Y, from: y(EARS[0]), to: y(EARS[1]) };
            let axis = lateral * side.sign();
            let zero = self.center().dot(axis);
            let half = Falloff::Ramp { axis, from: zero, to: zero + 0.02 * self.height };
            let field = Falloff::All(vec![ramp, half]);
            found.push(Ear { side: Some(side), base, tip, field });
        }
        self.anatomy.ears = found;
        self.guessed("EARS_GUESSED", "ears", "two tips on top are taken for ears".into());
    }

    pub(super) fn head(&mut self, character: &Character) {
        let model = character.rig.skeleton.rest_model();
        let arms = self.anatomy.arms.iter().map(|a| a.field.clone());
        let not_arms: Vec<Falloff> = arms.map(|f| Falloff::Not(Box::new(f))).collect();
        let named = self.named_nodes(character, &["head", "skull"]);
        // A body that is all head has nothing to turn against.
        let named = named
            .into_iter()
            .find(|(_, m)| m.len() < self.surface.starts.iter().filter(|s| s.is_some()).count());
        if let Some((node, meshes)) = named {
            let points = self.mesh_points(&meshes);
            let (low, high) = corners(&points);
            let origin = model[node.index()].translation();
            let mut pivot = (low + high) * 0.5;
            pivot.y = low.y;
            if origin.cmpge(low - 1e-3).all() && origin.cmple(high + 1e-3).all() {
                pivot = origin;
            }
            let field = self.mesh_field(character, &meshes);
            self.anatomy.head = Some(Head { pivot, field, limit: HEAD_LIMIT });
            return;
        }
        let front = self.anatomy.front;
        let long = (self.high - self.low).dot(front.abs());
        let eyes: Vec<Vec3> = self.anatomy.eyes.iter().map(|e| e.center).collect();
        let eye = eyes.iter().sum::<Vec3>() / eyes.len().max(1) as f32;
        let ahead = (eye - (self.low + self.high) * 0.5).dot(front);
        let (ramp, pivot) = if !eyes.is_empty() && long > 1.3 * self.height && ahead > 0.2 * long {
            // A body that lies: the head is its front end.
            let to = eye.dot(front) - 0.12 * long;
            let from = to - 0.22 * long;
            let mut pivot = self.section(|p| (p.dot(front) - from).abs() < 0.06 * long);
            pivot += front * (from - pivot.dot(front));
            (Falloff::Ramp { axis: front, from, to }, pivot)
        } else {
            // The eyes must follow the head whole.
            let y = |f: f32| self.low.y + f * self.height;
            let eye_foot = self.anatomy.eyes.iter().map(|e| e.center.y - 0.5 * e.radius);
            let to = eye_foot.fold(y(HEAD[1]), f32::min).max(y(0.2));
            let from = (to - (HEAD[1] - HEAD[0]) * self.height).max(y(0.02));
            let mut pivot = self.section(|p| (p.y - from).abs() < 0.08 * self.height);
            pivot.y = from;
            (Falloff::Ramp { axis: Vec3::Y, from, to }, pivot)
        };
        let (mut terms, mut pivot) = (vec![ramp], pivot);
        if !self.bends(&terms[0]) {
            // A box twists into a wreck: it turns whole, without the limbs.
            let c = &self.surface.pieces[self.main];
            pivot = Vec3::new(c.middle().x, c.low.y, c.middle().z);
            let legs = self.anatomy.legs.iter().map(|l| Falloff::Not(Box::new(l.field.clone())));
            terms = vec![Falloff::Everywhere];
            terms.extend(legs);
        }
        terms.extend(not_arms);
        let field = if terms.len() == 1 { terms.remove(0) } else { Falloff::All(terms) };
        self.anatomy.head = Some(Head { pivot, field, limit: HEAD_LIMIT });
        self.guessed(
            "HEAD_GUESSED",
            "head",
            format!("no part named head: the upper body turns about {pivot:.3}"),
        );
    }

    /// Whether the body has enough vertices where the ramp lies to bend smoothly there.
    fn bends(&self, ramp: &Falloff) -> bool {
        let w = ramp.weights(&self.surface);
        let all = self.vertices(self.main).count();
        let within = self.vertices(self.main).filter(|v| w[*v] > 0.1 && w[*v] < 0.9).count();
        within as f32 > BENDS * all as f32
    }

    /// Middle of the body's vertices that `near` takes.
    fn section(&self, near: impl Fn(Vec3) -> bool) -> Vec3 {
        let points: Vec<Vec3> =
            self.vertices(self.main).map(|v| self.surface.points[v]).filter(|p| near(*p)).collect();
        if points.is_empty() {
            return self.center();
        }
        let (a, b) = corners(&points);
        (a + b) * 0.5
    }

    /// The belly lies where the body is widest.
    pub(super) fn belly(&mut self) {
        let c = &self.surface.pieces[self.main];
        let (low, size) = (c.low.y, c.size().y);
        let lateral = self.lateral();
        let mut wide = [(f32::MAX, f32::MIN); LEVELS];
        for v in self.vertices(self.main) {
            let p = self.surface.points[v];
            let k = ((p.y - low) / size * LEVELS as f32) as usize;
            let w = &mut wide[k.min(LEVELS - 1)];
            *w = (w.0.min(p.dot(lateral)), w.1.max(p.dot(lateral)));
        }
        let width = |k: usize| wide[k].1 - wide[k].0;
        let most = (0..LEVELS).map(width).fold(0.0, f32::max);
        // The middle of all levels that are as wide: a box has many.
        let widest: Vec<f32> = (0..LEVELS)
            .filter(|k| width(*k) > 0.97 * most)
            .map(|k| low + (k as f32 + 0.5) / LEVELS as f32 * size)
            .collect();
        let level = widest.iter().sum::<f32>() / widest.len().max(1) as f32;
        let mut center = self.section(|p| (p.y - level).abs() < size / LEVELS as f32);
        center.y = level;
        let h = self.height;
        let foot = (level - 0.26 * h).max(low);
        let rise = Falloff::Ramp { axis: Vec3::Y, from: foot, to: level - 0.02 * h };
        let fall = Falloff::Ramp { axis: Vec3::Y, from: level + 0.34 * h, to: level + 0.05 * h };
        let field = Falloff::All(vec![self.piece(self.main), rise, fall]);
        self.anatomy.belly = Some(Belly { center, field, push: BREATH * h });
    }
}

impl Falloff {
    /// The same, easing in over the first third of the way from `base` to `tip`.
    fn soft_from(self, base: Vec3, tip: Vec3) -> Self {
        let axis = (tip - base).normalize_or(Vec3::Y);
        let length = tip.distance(base);
        let from = axis.dot(base) - 0.05 * length;
        Self::All(vec![self, Self::Ramp { axis, from, to: from + 0.35 * length }])
    }
}

impl Falloff {
    /// The same, easing in over 10 cm at 1 m of height downward from the knee (A7).
    fn soft_knee(self, knee: Vec3, height: f32) -> Self {
        let from = -knee.y - 0.02 * height;
        Self::All(vec![self, Self::Ramp { axis: Vec3::NEG_Y, from, to: from + 0.1 * height }])
    }
}

fn corners(points: &[Vec3]) -> (Vec3, Vec3) {
    let Some(first) = points.first() else { return (Vec3::ZERO, Vec3::ZERO) };
    points.iter().fold((*first, *first), |(a, b), p| (a.min(*p), b.max(*p)))
}

fn nearest(points: &[Vec3], to: Vec3) -> Vec3 {
    let d = |p: &Vec3| p.distance_squared(to);
    points.iter().copied().min_by(|a, b| d(a).total_cmp(&d(b))).unwrap_or(to)
}

/// Middle of the far end of a limb: what lies beyond three quarters of its reach.
fn end(points: &[Vec3], root: Vec3) -> Vec3 {
    let reach = farthest(points, root).distance(root);
    let far: Vec<Vec3> =
        points.iter().copied().filter(|p| p.distance(root) > 0.75 * reach).collect();
    let (a, b) = corners(&far);
    if far.is_empty() { root } else { (a + b) * 0.5 }
}

fn farthest(points: &[Vec3], from: Vec3) -> Vec3 {
    let d = |p: &Vec3| p.distance_squared(from);
    points.iter().copied().max_by(|a, b| d(a).total_cmp(&d(b))).unwrap_or(from)
}
