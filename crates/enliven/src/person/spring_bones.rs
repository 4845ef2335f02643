//! Hair, skirts, tails and ears that swing after the body.

use super::spring_limit::Room;
use super::{ColliderShape, SpringJoint, SpringLimit, SpringSet, arc};
use crate::{Affine, JointId, Layer, Moment, Pose, Rig, Transform, math};
use glam::{Quat, Vec3};

/// How time is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stepping {
    /// Equal steps of 1/60 s inside frames of any length; what is left of a frame is shown by a
    /// step that is not kept. The default: the same motion at every frame rate.
    Fixed,
    /// One step a frame, as long as the frame: the specification's formula as it stands, which
    /// depends on the frame rate. For comparison with other implementations.
    Frame,
}

/// Steps a second of [`Stepping::Fixed`]: the rate that the specification's examples and the
/// numbers in existing files are made for.
const RATE: f32 = 60.0;
/// A jump of a chain's root by more than this part of the body's height within one frame, beyond
/// what its speed explains, is a teleport.
const TELEPORT: f32 = 0.25;
/// So is a turn of more than this within a frame, rad.
const TELEPORT_TURN: f32 = 1.5;
/// What speeds up faster than this many heights of the body a second, a second, leapt: it was there
/// from the start of the frame, however long the frame is. 40 m/s² for a person of 1.6 m, beyond
/// what a head does in a fall.
const LEAP: f32 = 25.0;
/// Parts of a step that count as nothing.
const SLACK: f32 = 1e-3;
const NONE: u32 = u32::MAX;

/// A joint whose matrix the layer needs; parents stand before children.
#[derive(Clone, Copy, Debug)]
struct Node {
    joint: JointId,
    parent: u32,
    /// Index into `bones`, or `NONE`.
    bone: u32,
    /// Moved by a bone, itself or above it.
    swings: bool,
    /// Its matrix is needed with bones at rest: what stands still, and what a centre hangs from.
    framed: bool,
    /// Something hangs from it or is measured in it.
    carries: bool,
}

#[derive(Clone, Debug)]
struct Bone {
    node: u32,
    chain: u32,
    spec: SpringJoint,
    /// Rest transform, local.
    rest: Transform,
    /// Tip at rest in the joint's space.
    tip: Vec3,
    /// Its direction.
    axis: Vec3,
    /// Where it may point.
    room: Option<Room>,
    /// Tip now and one step ago: in the centre's space where there is one, else relative to the
    /// pose's root along the world's axes.
    now: Vec3,
    before: Vec3,
    /// Rotation last written.
    shown: Quat,
}

impl Bone {
    fn local(&self, pose: &Pose, rotation: Quat) -> Affine {
        let joint = self.spec.joint;
        let (translation, scale) = (pose.translation(joint), pose.scale(joint));
        Affine::from(&Transform { translation, rotation, scale })
    }
}

#[derive(Clone, Debug)]
struct Chain {
    colliders: (u32, u32),
    /// Node, or `NONE`.
    center: u32,
    /// The node that its bones hang from, or `NONE` for the root.
    anchor: u32,
}

/// The layer that makes a [`SpringSet`] swing: the algorithm of VRMC_springBone 1.0 with
/// VRMC_springBone_extended_collider and VRMC_springBone_limit, by fixed steps of 1/60 s, so that a frame rate of 30, 60 or
/// 144 shows one motion. Put it above everything that moves joints.
///
/// It feels the motion of `pose.root` (in units of the root's scale: a figure of any size swings
/// alike) and of every joint below it. Bone lengths are those of the rest pose. When a chain's
/// root jumps further than a body moves, or time has a gap of [`Moment::LONGEST_STEP`], the chain
/// is carried along as it hangs and loses its speed, instead of whipping.
#[derive(Clone, Debug)]
pub struct SpringBones {
    stepping: Stepping,
    teleport: Option<f32>,
    /// m/s².
    leap: f32,
    /// Steps taken in place at the start.
    settling: u32,
    nodes: Vec<Node>,
    bones: Vec<Bone>,
    chains: Vec<Chain>,
    /// Nodes that chains hang from, each once.
    anchors: Vec<u32>,
    /// Nodes that no bone moves and that something hangs from or is measured in.
    still: Vec<u32>,
    colliders: Vec<(u32, ColliderShape)>,
    /// Root-relative matrices of the nodes, along the world's axes: at the last frame, at this
    /// one, at the step in hand.
    last: Vec<Affine>,
    frame: Vec<Affine>,
    world: Vec<Affine>,
    /// Where each anchor was going, m/s.
    velocity: Vec<Vec3>,
    root: Vec3,
    root_velocity: Vec3,
    /// Root at the last step taken.
    stepped_root: Vec3,
    /// Time not yet stepped, in steps.
    pending: f32,
    started: bool,
}

impl SpringBones {
    /// For a rig. Bones that name joints outside it, bones named twice, tips that are not below
    /// their bone, and numbers that are not finite are left out or replaced by defaults.
    pub fn new(rig: &Rig, set: &SpringSet) -> Self {
        let skeleton = &rig.skeleton;
        let mut order: Vec<(u32, SpringJoint)> = Vec::new();
        let mut taken = vec![false; skeleton.len()];
        for (c, chain) in set.chains.iter().enumerate() {
            for spec in &chain.joints {
                let Some(slot) = taken.get_mut(spec.joint.index()) else { continue };
                let tip_ok = spec.tip.is_none_or(|t| {
                    t.index() < skeleton.len()
                        && t != spec.joint
                        && skeleton.is_ancestor(spec.joint, t)
                });
                if *slot || !tip_ok {
                    continue;
                }
                *slot = true;
                order.push((c as u32, clean(*spec)));
            }
        }
        order.sort_by_key(|(_, s)| s.joint);

        let mut needed = vec![false; skeleton.len()];
        let mut need = |j: JointId| {
            let mut at = Some(j);
            while let Some(j) = at.filter(|j| j.index() < needed.len() && !needed[j.index()]) {
                needed[j.index()] = true;
                at = skeleton.parent(j);
            }
        };
        for (_, spec) in &order {
            need(spec.joint);
        }
        for collider in &set.colliders {
            need(collider.joint);
        }
        for center in set.chains.iter().filter_map(|c| c.center) {
            need(center);
        }
        let mut slot = vec![NONE; skeleton.len()];
        let mut nodes: Vec<Node> = Vec::new();
        for j in skeleton.joints().filter(|j| needed[j.index()]) {
            let parent = skeleton.parent(j).map_or(NONE, |p| slot[p.index()]);
            let bone = order.iter().position(|(_, s)| s.joint == j).map_or(NONE, |b| b as u32);
            let above = parent != NONE && nodes[parent as usize].swings;
            slot[j.index()] = nodes.len() as u32;
            let swings = above || bone != NONE;
            nodes.push(Node { joint: j, parent, bone, swings, framed: !swings, carries: false });
        }
        let at = |j: JointId| slot.get(j.index()).copied().unwrap_or(NONE);

        let mut colliders = Vec::new();
        let mut chains = Vec::new();
        for chain in &set.chains {
            let start = colliders.len() as u32;
            for &c in &chain.colliders {
                if let Some(c) = set.colliders.get(c as usize)
                    && at(c.joint) != NONE
                    && c.shape.is_valid()
                {
                    colliders.push((at(c.joint), c.shape));
                }
            }
            let center = chain.center.map_or(NONE, at);
            chains.push(Chain { colliders: (start, colliders.len() as u32), center, anchor: NONE });
        }
        let bones: Vec<Bone> = order
            .iter()
            .map(|(chain, spec)| {
                let tip = spec.rest_tip(skeleton);
                let axis = tip.try_normalize().unwrap_or(Vec3::Y);
                Bone {
                    node: at(spec.joint),
                    chain: *chain,
                    spec: *spec,
                    rest: skeleton.rest()[spec.joint.index()],
                    tip,
                    axis,
                    room: spec.limit.map(|limit| Room::new(&limit, axis)),
                    now: Vec3::ZERO,
                    before: Vec3::ZERO,
                    shown: skeleton.rest()[spec.joint.index()].rotation,
                }
            })
            .collect();
        for bone in &bones {
            let chain = &mut chains[bone.chain as usize];
            if chain.anchor == NONE {
                // The nearest joint above that does not swing itself.
                let mut up = nodes[bone.node as usize].parent;
                while up != NONE && nodes[up as usize].swings {
                    up = nodes[up as usize].parent;
                }
                chain.anchor = up;
            }
        }
        for i in 0..nodes.len() {
            if nodes[i].parent != NONE {
                let parent = nodes[i].parent as usize;
                nodes[parent].carries = true;
            }
        }
        let centers = chains.iter().map(|c| c.center).filter(|c| *c != NONE);
        for node in colliders.iter().map(|(node, _)| *node).chain(centers.clone()) {
            nodes[node as usize].carries = true;
        }
        for center in centers {
            let mut at = center;
            while at != NONE {
                nodes[at as usize].framed = true;
                at = nodes[at as usize].parent;
            }
        }
        let mut anchors: Vec<u32> =
            chains.iter().map(|c| c.anchor).filter(|a| *a != NONE).collect();
        anchors.sort_unstable();
        anchors.dedup();
        let still = |i: &u32| !nodes[*i as usize].swings && nodes[*i as usize].carries;
        let still = (0..nodes.len() as u32).filter(still).collect();
        let (n, anchors_len) = (nodes.len(), anchors.len());
        Self {
            stepping: Stepping::Fixed,
            teleport: Some(TELEPORT * rig.height),
            leap: LEAP * rig.height,
            settling: 0,
            nodes,
            bones,
            chains,
            anchors,
            still,
            colliders,
            last: vec![Affine::IDENTITY; n],
            frame: vec![Affine::IDENTITY; n],
            world: vec![Affine::IDENTITY; n],
            velocity: vec![Vec3::ZERO; anchors_len],
            root: Vec3::ZERO,
            root_velocity: Vec3::ZERO,
            stepped_root: Vec3::ZERO,
            pending: 0.0,
            started: false,
        }
    }

    /// How time is cut.
    pub fn with_stepping(mut self, stepping: Stepping) -> Self {
        self.stepping = stepping;
        self
    }

    /// Metres (at the root's scale) of unexplained motion in one frame that count as a teleport;
    /// `None`: nothing does. A quarter of the body's height unless set.
    pub fn with_teleport(mut self, distance: Option<f32>) -> Self {
        self.teleport = distance;
        self
    }

    /// Lets everything hang for so many seconds (at most 10) before the first frame is shown, as
    /// the body stands there: hair does not fall at the start. 0 unless set, as the specification
    /// has it.
    pub fn with_settling(mut self, seconds: f32) -> Self {
        self.settling = (seconds.clamp(0.0, 10.0) * RATE) as u32;
        self
    }

    /// How many bones swing.
    pub fn len(&self) -> usize {
        self.bones.len()
    }

    /// Whether nothing swings.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// The joint of each bone, in the order of [`SpringBones::tips`].
    pub fn joints(&self) -> impl ExactSizeIterator<Item = JointId> + '_ {
        self.bones.iter().map(|b| b.spec.joint)
    }

    /// Where the tip of each bone is, in the host's world at the root's scale 1, parents before
    /// children.
    pub fn tips(&self) -> impl ExactSizeIterator<Item = Vec3> + '_ {
        self.bones.iter().map(|b| match self.chains[b.chain as usize].center {
            NONE => b.now + self.stepped_root,
            c => self.last[c as usize].transform_point(b.now) + self.root,
        })
    }

    /// Matrices of the nodes at this frame, from the pose, with swinging bones at rest; of all of
    /// them before the first. Whether everything is finite.
    fn read(&mut self, pose: &Pose) -> bool {
        let turn = Affine::from(&Transform::from_rotation(pose.root.rotation));
        let mut finite = true;
        for (i, node) in self.nodes.iter().enumerate() {
            if self.started && !node.framed {
                let t = pose.transform(node.joint);
                finite &= t.translation.is_finite() && t.scale.is_finite();
                finite &= node.bone != NONE || t.rotation.is_finite();
                continue;
            }
            let local = match node.bone {
                NONE => Affine::from(&pose.transform(node.joint)),
                b => self.bones[b as usize].local(pose, self.bones[b as usize].rest.rotation),
            };
            self.frame[i] = match node.parent {
                NONE => turn * local,
                p => self.frame[p as usize] * local,
            };
            finite &= self.frame[i].is_finite();
        }
        let s = pose.root.scale.abs();
        let scale = (s.x + s.y + s.z) * (1.0 / 3.0);
        let t = pose.root.translation;
        self.root = if scale > 1e-6 { t * (1.0 / scale) } else { t };
        finite && self.root.is_finite()
    }

    /// Tips where the pose at rest has them.
    fn settle(&mut self) {
        for bone in &mut self.bones {
            let tip = self.frame[bone.node as usize].transform_point(bone.tip);
            let local = match self.chains[bone.chain as usize].center {
                NONE => tip,
                c => into(&self.frame[c as usize], tip),
            };
            (bone.now, bone.before) = (local, local);
            bone.shown = bone.rest.rotation;
        }
        self.pending = 0.0;
        self.stepped_root = self.root;
        self.velocity.fill(Vec3::ZERO);
        self.root_velocity = Vec3::ZERO;
        self.last.copy_from_slice(&self.frame);
        self.world.copy_from_slice(&self.frame);
    }

    /// Farthest that anything which a chain hangs from, or the root itself, which went by `moved`,
    /// got from where its speed would have led it within this frame, metres.
    fn unexplained(&self, moved: Vec3, dt: f32) -> f32 {
        let mut most = (moved - self.root_velocity * dt).length();
        for (&a, velocity) in self.anchors.iter().zip(&self.velocity) {
            let (was, is) = (&self.last[a as usize], &self.frame[a as usize]);
            let step = is.translation() - was.translation() + moved;
            most = most.max((step - velocity * dt).length());
        }
        most
    }

    /// Whether anything that a chain hangs from turned round within this frame.
    fn whirled(&self) -> bool {
        self.anchors.iter().any(|&a| {
            let (was, is) = (&self.last[a as usize], &self.frame[a as usize]);
            if nearly_aligned(was, is) {
                return false;
            }
            let (p, q) = (was.to_transform().rotation, is.to_transform().rotation);
            p.dot(q).abs() < math::cos(TELEPORT_TURN * 0.5)
        })
    }

    /// Takes every chain along with what it hangs from, as it hangs, at rest.
    fn carry(&mut self, last_root: Vec3) {
        let lag = last_root - self.stepped_root;
        for bone in &mut self.bones {
            let chain = &self.chains[bone.chain as usize];
            let map = match chain.anchor {
                NONE => Affine::IDENTITY,
                a => {
                    let (was, is) = (self.last[a as usize], self.frame[a as usize]);
                    was.inverse().map_or(Affine::IDENTITY, |i| is * i)
                }
            };
            let tip = match chain.center {
                NONE => map.transform_point(bone.now - lag),
                c => {
                    let tip = self.last[c as usize].transform_point(bone.now);
                    into(&self.frame[c as usize], map.transform_point(tip))
                }
            };
            (bone.now, bone.before) = (tip, tip);
        }
        self.stepped_root = self.root;
        self.last.copy_from_slice(&self.frame);
        self.velocity.fill(Vec3::ZERO);
        self.root_velocity = Vec3::ZERO;
    }

    /// One step of `dt` seconds to the time `alpha` of the frame (0 the last frame, 1 this one).
    /// `part` is how much of a whole step it is; `keep` says whether it counts.
    fn step(&mut self, pose: &mut Pose, dt: f32, alpha: f32, root: Vec3, part: f32, keep: bool) {
        let shift = root - self.stepped_root;
        // Everything that carries colliders and centres first, whatever its place in the list.
        for &i in &self.still {
            let i = i as usize;
            self.world[i] = if alpha >= 1.0 {
                self.frame[i]
            } else {
                lerp(&self.last[i], &self.frame[i], alpha)
            };
        }
        for i in 0..self.nodes.len() {
            let Node { joint, parent, bone, swings, carries, .. } = self.nodes[i];
            if !swings {
                continue;
            }
            let above = match parent {
                NONE => Affine::from(&Transform::from_rotation(pose.root.rotation)),
                p => self.world[p as usize],
            };
            if bone == NONE {
                self.world[i] = above * Affine::from(&pose.transform(joint));
                continue;
            }
            let b = &self.bones[bone as usize];
            let chain = &self.chains[b.chain as usize];
            let center = (chain.center != NONE).then(|| self.world[chain.center as usize]);
            let at_rest = above * b.local(pose, b.rest.rotation);
            let origin = at_rest.translation();
            let reach = at_rest.transform_vector(b.tip).length();
            let place = |p: Vec3| center.as_ref().map_or(p - shift, |c| c.transform_point(p));
            let forward = at_rest.transform_vector(b.axis).try_normalize().unwrap_or(Vec3::NEG_Y);
            // Inertia works in the centre's space, forces in the world.
            let inertia = (b.now - b.before) * ((1.0 - b.spec.drag) * part);
            let drive = forward * b.spec.stiffness + b.spec.gravity_dir * b.spec.gravity_power;
            let mut tip = place(b.now + inertia) + drive * dt;
            let hold = |p: Vec3| origin + (p - origin).try_normalize().unwrap_or(forward) * reach;
            // Into the space of the joint at rest, where limits are and the turn is found.
            let inverse = at_rest.inverse();
            let toward = |p: Vec3| {
                let at = inverse.as_ref().map_or(b.tip, |m| m.transform_point(p));
                at.try_normalize().unwrap_or(b.axis)
            };
            // What a limit forbids comes back after each push, as the specification has it.
            let limit = |p: Vec3| match b.room.as_ref().and_then(|room| room.limited(toward(p))) {
                Some(held) => hold(origin + at_rest.transform_vector(held)),
                None => p,
            };
            tip = limit(hold(tip));
            let (from, to) = chain.colliders;
            for &(node, shape) in &self.colliders[from as usize..to as usize] {
                let (gap, out) = shape.distance(&self.world[node as usize], tip, b.spec.radius);
                if gap < 0.0 {
                    tip = limit(hold(tip - out * gap));
                }
            }
            let toward = toward(tip);
            let rotation = math::normalize_or_identity(b.rest.rotation * arc(b.axis, toward));
            pose.set_rotation(joint, rotation);
            if carries {
                self.world[i] = above * b.local(pose, rotation);
            }
            let b = &mut self.bones[bone as usize];
            b.shown = rotation;
            if keep {
                b.before = match center {
                    None => b.now - shift,
                    Some(_) => b.now,
                };
                b.now = match &center {
                    None => tip,
                    Some(c) => into(c, tip),
                };
            }
        }
        if keep {
            self.stepped_root = root;
        }
    }
}

impl Layer for SpringBones {
    fn apply(&mut self, moment: &Moment, _: &Rig, pose: &mut Pose) {
        if self.bones.is_empty() {
            return;
        }
        let dt = if moment.dt > 0.0 { moment.dt.min(Moment::LONGEST_STEP) } else { 0.0 };
        let mut last_root = self.root;
        if !self.read(pose) {
            self.started = false;
            return;
        }
        if !self.started {
            self.settle();
            for _ in 0..self.settling {
                self.step(pose, 1.0 / RATE, 1.0, self.root, 1.0, true);
            }
            // What hangs is at rest.
            for bone in &mut self.bones {
                bone.before = bone.now;
            }
            self.started = true;
            last_root = self.root;
        }
        let mut moved = self.root - last_root;
        let mut unexplained = self.unexplained(moved, dt);
        if self.teleport.is_some_and(|limit| {
            dt >= Moment::LONGEST_STEP || unexplained > limit || self.whirled()
        }) {
            self.carry(last_root);
            (moved, unexplained) = (Vec3::ZERO, 0.0);
        }
        if dt == 0.0 {
            // No time, no motion: every bone stays as it was against its parent.
            for bone in &self.bones {
                pose.set_rotation(bone.spec.joint, bone.shown);
            }
            core::mem::swap(&mut self.last, &mut self.frame);
            return;
        }
        if self.stepping == Stepping::Frame {
            self.step(pose, dt, 1.0, self.root, 1.0, true);
        } else {
            // Nothing that moves on its way speeds up so.
            let leapt = unexplained > self.leap * dt * dt;
            let start = self.pending;
            let span = dt * RATE;
            let end = start + span;
            // A frame of exactly one step may come out a rounding error short or long.
            let whole = libm::floorf(end + SLACK);
            for k in 1..=whole as u32 {
                let alpha = (k as f32 - start) / span;
                let alpha = if leapt || alpha > 1.0 - SLACK { 1.0 } else { alpha.max(0.0) };
                let root = self.root - moved * (1.0 - alpha);
                self.step(pose, 1.0 / RATE, alpha, root, 1.0, true);
            }
            self.pending = end - whole;
            let part = if self.pending > SLACK { self.pending } else { 0.0 };
            if part > 0.0 || whole < 1.0 {
                self.step(pose, part / RATE, 1.0, self.root, part, false);
            }
        }
        let rate = 1.0 / dt;
        self.root_velocity = moved * rate;
        for (&a, v) in self.anchors.iter().zip(&mut self.velocity) {
            let (was, is) = (&self.last[a as usize], &self.frame[a as usize]);
            *v = (is.translation() - was.translation() + moved) * rate;
        }
        core::mem::swap(&mut self.last, &mut self.frame);
        // A pose of numbers beyond all measure: it starts again.
        self.started = self.bones.iter().all(|b| b.now.is_finite());
    }

    fn reset(&mut self) {
        self.started = false;
    }
}

/// Numbers that are not finite become defaults; drag is clamped to [0, 1], radii are not negative.
fn clean(spec: SpringJoint) -> SpringJoint {
    let ok = |v: f32, default: f32| if v.is_finite() { v } else { default };
    let dir = spec.gravity_dir;
    let limit = spec.limit.filter(SpringLimit::is_valid);
    SpringJoint {
        stiffness: ok(spec.stiffness, 1.0),
        gravity_power: ok(spec.gravity_power, 0.0),
        gravity_dir: if dir.is_finite() { dir } else { Vec3::NEG_Y },
        drag: ok(spec.drag, 0.5).clamp(0.0, 1.0),
        radius: ok(spec.radius, 0.0).max(0.0),
        limit,
        ..spec
    }
}

/// A point in the space of `m`.
fn into(m: &Affine, p: Vec3) -> Vec3 {
    m.inverse().map_or(p, |i| i.transform_point(p))
}

/// Whether no axis turned by more than 0.3 rad: what is cheap to see.
fn nearly_aligned(was: &Affine, is: &Affine) -> bool {
    (0..3).all(|c| {
        let column = |m: &Affine| Vec3::new(m.rows[0][c], m.rows[1][c], m.rows[2][c]);
        (column(is) - column(was)).length_squared() < 0.09 * column(was).length_squared()
    })
}

fn lerp(a: &Affine, b: &Affine, t: f32) -> Affine {
    let mut out = *a;
    for (row, to) in out.rows.iter_mut().zip(&b.rows) {
        for (v, to) in row.iter_mut().zip(to) {
            *v = *v * (1.0 - t) + to * t;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::person::{Collider, SpringChain};
    use crate::{Channels, Regions, Skeleton};

    /// Hair of `n` bones of 10 cm, hanging from a head at 1.5 m.
    fn hair(n: usize) -> (Rig, SpringSet) {
        let mut s = Skeleton::new();
        let at = |y| Transform::from_translation(Vec3::new(0.0, y, 0.0));
        let head = s.push("head", None, at(1.5)).expect("head");
        let mut up = head;
        let mut joints = Vec::new();
        for i in 0..=n {
            let y = if i == 0 { 0.0 } else { -0.1 };
            up = s.push(format!("hair{i}"), Some(up), at(y)).expect("hair");
            joints.push(up);
        }
        let joints = (0..n)
            .map(|i| SpringJoint { drag: 0.4, ..SpringJoint::new(joints[i], Some(joints[i + 1])) });
        let chain = SpringChain { joints: joints.collect(), ..SpringChain::default() };
        let regions = Regions::new(&s, &[]);
        let set = SpringSet { colliders: Vec::new(), chains: vec![chain] };
        (Rig::new(s, Channels::new(), regions, 1.6), set)
    }

    /// Angles of the first bone from hanging straight, degrees, at each time, with root positions
    /// by `path`, and frames cut by `cut` (called with the frame's number).
    fn swing(
        (rig, set): &(Rig, SpringSet),
        cut: impl Fn(usize) -> f64,
        path: impl Fn(f64) -> Vec3,
        at: &[f64],
    ) -> Vec<f32> {
        let mut springs = SpringBones::new(rig, set);
        let mut pose = Pose::rest(rig);
        let rest = pose.clone();
        let (mut t, mut i, mut out) = (0.0, 0, Vec::new());
        springs.apply(&Moment::step(0.0), rig, &mut pose);
        while out.len() < at.len() {
            let dt = cut(i);
            i += 1;
            t += dt;
            pose.copy_from(&rest);
            pose.root.translation = path(t);
            springs.apply(&Moment::step(dt as f32), rig, &mut pose);
            if t >= at[out.len()] - 1e-6 {
                let dir = pose.rotation(JointId(1)) * Vec3::NEG_Y;
                out.push(math::atan2(dir.x, -dir.y).to_degrees());
            }
        }
        out
    }

    type Cut = Box<dyn Fn(usize) -> f64>;

    fn rates() -> Vec<(&'static str, Cut)> {
        vec![
            ("30", Box::new(|_| 1.0 / 30.0)),
            ("144", Box::new(|_| 1.0 / 144.0)),
            ("240", Box::new(|_| 1.0 / 240.0)),
            // Together 1/6 s.
            ("mixed", Box::new(|i| [4.0, 1.0, 9.0, 3.0, 7.0, 6.0][i % 6] / 180.0)),
        ]
    }

    #[test]
    fn a_jump_swings_alike_at_every_frame_rate() {
        let (rig, mut set) = hair(1);
        // Times after the jump at half a second that every rate shows.
        let at = [4.0 / 6.0, 5.0 / 6.0, 1.0, 7.0 / 6.0, 1.5];
        let jump = |t: f64| Vec3::new(if t >= 0.5 - 1e-9 { 0.05 } else { 0.0 }, 0.0, 0.0);
        for stiffness in [0.1, 0.3, 1.0] {
            set.chains[0].joints[0].stiffness = stiffness;
            let hair = (rig.clone(), set.clone());
            let want = swing(&hair, |_| 1.0 / 60.0, jump, &at);
            assert!(stiffness > 0.1 || want[0].abs() > 5.0, "it swings: {want:?}");
            for (name, cut) in rates() {
                let got = swing(&hair, cut, jump, &at);
                for (g, w) in got.iter().zip(&want) {
                    assert!((g - w).abs() < 1.0, "{name} at {stiffness}: {got:?} {want:?}");
                }
            }
        }
    }

    #[test]
    fn a_walk_swings_alike_at_every_frame_rate() {
        let hair = hair(3);
        let at: Vec<f64> = (1..=24).map(|i| f64::from(i) / 6.0).collect();
        let walk = |t: f64| {
            let t = t as f32;
            Vec3::new(0.05 * math::sin(5.0 * t), 0.03 * math::sin(10.0 * t), 1.2 * t)
        };
        let want = swing(&hair, |_| 1.0 / 60.0, walk, &at);
        for (name, cut) in rates() {
            let got = swing(&hair, cut, walk, &at);
            for (g, w) in got.iter().zip(&want) {
                assert!((g - w).abs() < 1.0, "{name}: {got:?} {want:?}");
            }
        }
    }

    #[test]
    fn a_teleport_or_a_long_pause_swings_nothing() {
        let hair = hair(3);
        let at = [0.45, 0.5, 0.55, 0.6, 0.8];
        let teleport = |t: f64| Vec3::new(if t >= 0.5 - 1e-9 { 10.0 } else { 0.0 }, 0.0, 0.0);
        let got = swing(&hair, |_| 1.0 / 60.0, teleport, &at);
        assert!(got.iter().all(|a| a.abs() < 1e-3), "{got:?}");
        let pause = |i: usize| if i == 29 { 5.0 } else { 1.0 / 60.0 };
        let drift = |t: f64| Vec3::new(if t > 3.0 { 0.3 } else { 0.0 }, 0.0, 0.0);
        let got = swing(&hair, pause, drift, &[0.45, 5.4, 5.5, 5.6]);
        assert!(got.iter().all(|a| a.abs() < 1e-3), "{got:?}");
    }

    #[test]
    fn a_figure_of_any_size_swings_alike() {
        let (rig, set) = hair(3);
        let run = |scale: f32| {
            let mut springs = SpringBones::new(&rig, &set);
            let rest = Pose::rest(&rig);
            let mut pose = rest.clone();
            for i in 0..60 {
                pose.copy_from(&rest);
                let x = scale * 0.1 * math::sin(0.1 * i as f32);
                pose.root.translation = Vec3::new(x, 0.0, 0.0);
                pose.root.scale = Vec3::splat(scale);
                springs.apply(&Moment::step(1.0 / 60.0), &rig, &mut pose);
            }
            pose.rotation(JointId(2))
        };
        for scale in [0.01, 10.0, 100.0] {
            assert!(run(scale).dot(run(1.0)).abs() > 0.999_999, "{scale}");
        }
    }

    #[test]
    fn bones_keep_their_length_and_their_cone() {
        let (rig, mut set) = hair(3);
        for j in &mut set.chains[0].joints {
            j.limit = Some(SpringLimit::cone(0.3));
            j.stiffness = 0.05;
        }
        let mut springs = SpringBones::new(&rig, &set);
        let rest = Pose::rest(&rig);
        let mut pose = rest.clone();
        let mut most = 0.0f32;
        for i in 0..120 {
            pose.copy_from(&rest);
            pose.root.translation.x = 0.3 * math::sin(0.2 * i as f32);
            springs.apply(&Moment::step(1.0 / 60.0), &rig, &mut pose);
            let tips: Vec<Vec3> = springs.tips().collect();
            assert!((tips[0].distance(tips[1]) - 0.1).abs() < 1e-4);
            for j in 1..4 {
                let dir = pose.rotation(JointId(j)) * Vec3::NEG_Y;
                most = most.max(math::acos(-dir.y));
            }
        }
        assert!(most > 0.2 && most < 0.301, "{most}");
    }

    #[test]
    fn a_hinge_holds_whatever_pushes() {
        use crate::person::{ColliderShape, LimitShape};
        let (rig, mut set) = hair(3);
        // Hair rests along -y: half a turn about x brings +y there, so it bends about x.
        let shape = LimitShape::Hinge { angle: 0.4 };
        for j in &mut set.chains[0].joints {
            j.limit = Some(SpringLimit { shape, rotation: Quat::IDENTITY });
            (j.stiffness, j.radius) = (0.05, 0.02);
        }
        // A ball that pushes it aside, out of the plane of the hinge.
        set.colliders.push(Collider {
            joint: JointId(0),
            shape: ColliderShape::Sphere {
                offset: Vec3::new(0.03, -0.15, 0.02),
                radius: 0.05,
                inside: false,
            },
        });
        set.chains[0].colliders = vec![0];
        let mut springs = SpringBones::new(&rig, &set);
        let rest = Pose::rest(&rig);
        let mut pose = rest.clone();
        let mut most = 0.0f32;
        for i in 0..120 {
            pose.copy_from(&rest);
            let t = 0.2 * i as f32;
            pose.root.translation = 0.3 * Vec3::new(math::sin(t), 0.0, math::cos(t));
            springs.apply(&Moment::step(1.0 / 60.0), &rig, &mut pose);
            for j in 1..4 {
                let dir = pose.rotation(JointId(j)) * Vec3::NEG_Y;
                assert!(dir.x.abs() < 1e-4, "step {i}, joint {j}: out of its plane, {dir}");
                most = most.max(math::acos(-dir.y));
            }
        }
        assert!(most > 0.3 && most < 0.401, "{most}");
    }

    #[test]
    fn nonsense_is_left_out() {
        let (rig, mut set) = hair(2);
        let good = set.chains[0].joints[0];
        set.chains[0].joints.extend([
            good,
            SpringJoint::new(JointId(99), None),
            SpringJoint::new(JointId(3), Some(JointId(0))),
        ]);
        set.chains[0].joints[1].stiffness = f32::INFINITY;
        set.chains[0].joints[1].radius = f32::NAN;
        set.chains[0].colliders = vec![0, 1, 7];
        set.colliders = vec![
            Collider {
                joint: JointId(99),
                shape: ColliderShape::Plane { offset: Vec3::ZERO, normal: Vec3::Y },
            },
            Collider {
                joint: JointId(0),
                shape: ColliderShape::Sphere { offset: Vec3::ZERO, radius: -1.0, inside: false },
            },
        ];
        let mut springs = SpringBones::new(&rig, &set);
        assert_eq!(springs.len(), 2);
        let mut pose = Pose::rest(&rig);
        for dt in [0.0, 1.0 / 60.0, -1.0, 1e9, f32::NAN, 0.3] {
            let moment = Moment { dt, ..Moment::step(0.0) };
            springs.apply(&moment, &rig, &mut pose);
            assert!(pose.is_finite());
        }
    }
}
