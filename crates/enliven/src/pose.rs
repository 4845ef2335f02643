//! What a body does at one moment.

use crate::{Affine, ChannelId, JointId, Mask, Rig, Skeleton, Transform, mask};
use glam::{Quat, Vec3};

/// Eight joints side by side, so that one instruction can work on all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
struct Block {
    t: [[f32; 8]; 3],
    r: [[f32; 8]; 4],
    s: [[f32; 8]; 3],
}

impl Block {
    const IDENTITY: Self =
        Self { t: [[0.0; 8]; 3], r: [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]], s: [[1.0; 8]; 3] };

    /// The eight local matrices; the same numbers as `Affine::from`.
    #[inline]
    fn write_locals(&self, out: &mut [Affine; 8]) {
        let [x, y, z, w] = &self.r;
        let s = &self.s;
        let mut m = [[0.0f32; 8]; 9];
        for i in 0..8 {
            let (x, y, z, w) = (x[i], y[i], z[i], w[i]);
            let (x2, y2, z2) = (x + x, y + y, z + z);
            let (xx, yy, zz) = (x * x2, y * y2, z * z2);
            let (xy, xz, yz) = (x * y2, x * z2, y * z2);
            let (wx, wy, wz) = (w * x2, w * y2, w * z2);
            m[0][i] = (1.0 - (yy + zz)) * s[0][i];
            m[1][i] = (xy - wz) * s[1][i];
            m[2][i] = (xz + wy) * s[2][i];
            m[3][i] = (xy + wz) * s[0][i];
            m[4][i] = (1.0 - (xx + zz)) * s[1][i];
            m[5][i] = (yz - wx) * s[2][i];
            m[6][i] = (xz - wy) * s[0][i];
            m[7][i] = (yz + wx) * s[1][i];
            m[8][i] = (1.0 - (xx + yy)) * s[2][i];
        }
        for (i, o) in out.iter_mut().enumerate() {
            for r in 0..3 {
                o.rows[r] = [m[3 * r][i], m[3 * r + 1][i], m[3 * r + 2][i], self.t[r][i]];
            }
        }
    }
}

/// A root transform, one local transform a joint, one number a channel; shaped by a
/// [`Rig`]. Plain data, cheap to copy onto another of the same rig.
///
/// `root` places the whole body in the host's world and is applied last, after skinning.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// Model space → the host's world.
    pub root: Transform,
    joints: usize,
    blocks: Vec<Block>,
    channels: Vec<f32>,
}

impl Pose {
    /// The rest pose of `rig`.
    pub fn rest(rig: &Rig) -> Self {
        let joints = rig.skeleton.len();
        let mut pose = Self {
            root: Transform::IDENTITY,
            joints,
            blocks: vec![Block::IDENTITY; joints.div_ceil(8)],
            channels: rig.channels.iter().map(|(_, c)| c.default).collect(),
        };
        for (j, t) in rig.skeleton.joints().zip(rig.skeleton.rest()) {
            pose.set_transform(j, t);
        }
        pose
    }

    /// How many joints the pose has.
    #[inline]
    pub fn joint_count(&self) -> usize {
        self.joints
    }

    /// Local transform of a joint.
    ///
    /// # Panics
    /// Where `joint` is not of this pose's rig; the same holds for the other accessors.
    #[inline]
    pub fn transform(&self, joint: JointId) -> Transform {
        Transform {
            translation: self.translation(joint),
            rotation: self.rotation(joint),
            scale: self.scale(joint),
        }
    }

    /// Sets the local transform of a joint. The rotation must be of unit length.
    #[inline]
    pub fn set_transform(&mut self, joint: JointId, t: &Transform) {
        self.set_translation(joint, t.translation);
        self.set_rotation(joint, t.rotation);
        self.set_scale(joint, t.scale);
    }

    /// Local translation of a joint, metres.
    #[inline]
    pub fn translation(&self, joint: JointId) -> Vec3 {
        let (b, i) = self.at(joint);
        Vec3::new(b.t[0][i], b.t[1][i], b.t[2][i])
    }

    /// Sets the local translation of a joint, metres.
    #[inline]
    pub fn set_translation(&mut self, joint: JointId, v: Vec3) {
        let (b, i) = self.at_mut(joint);
        (b.t[0][i], b.t[1][i], b.t[2][i]) = (v.x, v.y, v.z);
    }

    /// Local rotation of a joint.
    #[inline]
    pub fn rotation(&self, joint: JointId) -> Quat {
        let (b, i) = self.at(joint);
        Quat::from_xyzw(b.r[0][i], b.r[1][i], b.r[2][i], b.r[3][i])
    }

    /// Sets the local rotation of a joint, a unit quaternion.
    #[inline]
    pub fn set_rotation(&mut self, joint: JointId, q: Quat) {
        let (b, i) = self.at_mut(joint);
        (b.r[0][i], b.r[1][i], b.r[2][i], b.r[3][i]) = (q.x, q.y, q.z, q.w);
    }

    /// Local scale of a joint.
    #[inline]
    pub fn scale(&self, joint: JointId) -> Vec3 {
        let (b, i) = self.at(joint);
        Vec3::new(b.s[0][i], b.s[1][i], b.s[2][i])
    }

    /// Sets the local scale of a joint.
    #[inline]
    pub fn set_scale(&mut self, joint: JointId, v: Vec3) {
        let (b, i) = self.at_mut(joint);
        (b.s[0][i], b.s[1][i], b.s[2][i]) = (v.x, v.y, v.z);
    }

    /// Value of a channel.
    #[inline]
    pub fn channel(&self, channel: ChannelId) -> f32 {
        self.channels[channel.index()]
    }

    /// Sets the value of a channel.
    #[inline]
    pub fn set_channel(&mut self, channel: ChannelId, value: f32) {
        self.channels[channel.index()] = value;
    }

    /// All channels, in the rig's order.
    #[inline]
    pub fn channels(&self) -> &[f32] {
        &self.channels
    }

    /// All channels, to write.
    #[inline]
    pub fn channels_mut(&mut self) -> &mut [f32] {
        &mut self.channels
    }

    /// Whether both have the same number of joints and channels.
    #[inline]
    pub fn same_shape(&self, other: &Self) -> bool {
        self.joints == other.joints && self.channels.len() == other.channels.len()
    }

    /// Becomes a copy of `other` without allocating where both are of one shape.
    pub fn copy_from(&mut self, other: &Self) {
        self.root = other.root;
        self.joints = other.joints;
        self.blocks.clone_from(&other.blocks);
        self.channels.clone_from(&other.channels);
    }

    /// Moves toward `other` by `weight` in [0, 1], times the mask where there is one: lerp of
    /// translations, scales and channels, normalised lerp of rotations along the shorter arc.
    /// Weight 0 changes no bit, weight 1 takes every value of `other` (rotations up to sign).
    ///
    /// # Panics
    /// In debug builds, where the shapes differ.
    pub fn blend(&mut self, other: &Self, weight: f32, mask: Option<&Mask>) {
        debug_assert!(self.same_shape(other));
        let weight = mask::clean(weight);
        if weight == 0.0 {
            return;
        }
        let root = weight * mask.map_or(1.0, |m| m.root);
        if root > 0.0 {
            self.root = self.root.blend(&other.root, root);
        }
        for (k, (a, b)) in self.blocks.iter_mut().zip(&other.blocks).enumerate() {
            let w = mask.map_or([weight; 8], |m| m.joints[k].map(|m| m * weight));
            blend_block(a, b, &w);
        }
        for (k, (a, b)) in self.channels.iter_mut().zip(&other.channels).enumerate() {
            let w = weight * mask.map_or(1.0, |m| m.channels[k]);
            *a = mix(*a, *b, w);
        }
    }

    /// Adds what `other` differs from `reference` by, times `weight` in [0, 1] and the mask:
    /// translations and channels by difference, scales by ratio, rotations by the local
    /// difference `reference⁻¹ · other`, applied after the own one. Weight 0 changes no bit.
    ///
    /// # Panics
    /// In debug builds, where the shapes differ.
    pub fn add(&mut self, other: &Self, reference: &Self, weight: f32, mask: Option<&Mask>) {
        debug_assert!(self.same_shape(other) && self.same_shape(reference));
        let weight = mask::clean(weight);
        if weight == 0.0 {
            return;
        }
        let root = weight * mask.map_or(1.0, |m| m.root);
        if root > 0.0 {
            self.root = add_transform(&self.root, &other.root, &reference.root, root);
        }
        for (k, a) in self.blocks.iter_mut().enumerate() {
            let w = mask.map_or([weight; 8], |m| m.joints[k].map(|m| m * weight));
            add_block(a, &other.blocks[k], &reference.blocks[k], &w);
        }
        for (k, a) in self.channels.iter_mut().enumerate() {
            let w = weight * mask.map_or(1.0, |m| m.channels[k]);
            *a += (other.channels[k] - reference.channels[k]) * w;
        }
    }

    /// Writes the model-space matrix of every joint (before `root`) into `out`.
    ///
    /// # Panics
    /// Where `skeleton` or `out` has another number of joints than the pose.
    pub fn to_model(&self, skeleton: &Skeleton, out: &mut [Affine]) {
        assert_eq!(skeleton.len(), self.joints, "a pose of another skeleton");
        assert_eq!(out.len(), self.joints, "one matrix a joint");
        let mut locals = [Affine::IDENTITY; 8];
        for (k, block) in self.blocks.iter().enumerate() {
            let first = k * 8;
            let count = (self.joints - first).min(8);
            block.write_locals(&mut locals);
            let parents = &skeleton.parents()[first..first + count];
            for (i, (parent, local)) in parents.iter().zip(&locals).enumerate() {
                out[first + i] = match parent {
                    Some(p) => out[p.index()] * *local,
                    None => *local,
                };
            }
        }
    }

    /// Whether every number of the pose is finite.
    pub fn is_finite(&self) -> bool {
        self.root.is_finite()
            && self.channels.iter().all(|v| v.is_finite())
            && (0..self.joints).all(|j| self.transform(JointId::new(j)).is_finite())
    }

    /// A 64-bit FNV-1a digest of every bit of the pose: equal poses have equal digests, on every
    /// platform. Chain poses by passing the digest so far; start with 0.
    pub fn digest(&self, so_far: u64) -> u64 {
        // FNV-1a offset basis and prime (http://www.isthe.com/chongo/tech/comp/fnv/).
        let mut h = so_far ^ 0xcbf2_9ce4_8422_2325;
        let mut eat = |v: f32| {
            for byte in v.to_bits().to_le_bytes() {
                h = (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        let mut transform = |t: &Transform| {
            t.translation.to_array().into_iter().for_each(&mut eat);
            t.rotation.to_array().into_iter().for_each(&mut eat);
            t.scale.to_array().into_iter().for_each(&mut eat);
        };
        transform(&self.root);
        for j in 0..self.joints {
            transform(&self.transform(JointId::new(j)));
        }
        self.channels.iter().copied().for_each(&mut eat);
        h
    }

    /// Lets `f` rewrite the rotations x, y, z, w of the eight joints of one block.
    #[inline]
    pub(crate) fn write_rotations(&mut self, block: usize, f: impl FnOnce(&mut [[f32; 8]; 4])) {
        f(&mut self.blocks[block].r);
    }

    #[inline]
    pub(crate) fn set_translation_axis(&mut self, joint: JointId, axis: usize, v: f32) {
        let (b, i) = self.at_mut(joint);
        b.t[axis][i] = v;
    }

    #[inline]
    pub(crate) fn set_scale_axis(&mut self, joint: JointId, axis: usize, v: f32) {
        let (b, i) = self.at_mut(joint);
        b.s[axis][i] = v;
    }

    #[inline]
    fn at(&self, joint: JointId) -> (&Block, usize) {
        debug_assert!(joint.index() < self.joints);
        (&self.blocks[joint.index() / 8], joint.index() % 8)
    }

    #[inline]
    fn at_mut(&mut self, joint: JointId) -> (&mut Block, usize) {
        debug_assert!(joint.index() < self.joints);
        (&mut self.blocks[joint.index() / 8], joint.index() % 8)
    }
}

/// a(1 − w) + b·w; at weight 0 `a` to the bit, whatever `b` is.
#[inline]
fn mix(a: f32, b: f32, w: f32) -> f32 {
    let m = a * (1.0 - w) + b * w;
    if w == 0.0 { a } else { m }
}

/// Loops over lanes, one operation each: the compiler makes vector code of them.
fn blend_block(a: &mut Block, b: &Block, w: &[f32; 8]) {
    for c in 0..3 {
        for i in 0..8 {
            a.t[c][i] = mix(a.t[c][i], b.t[c][i], w[i]);
        }
        for i in 0..8 {
            a.s[c][i] = mix(a.s[c][i], b.s[c][i], w[i]);
        }
    }
    let mut toward = [0.0f32; 8];
    for i in 0..8 {
        let dot = (a.r[0][i] * b.r[0][i] + a.r[1][i] * b.r[1][i])
            + (a.r[2][i] * b.r[2][i] + a.r[3][i] * b.r[3][i]);
        toward[i] = if dot < 0.0 { -w[i] } else { w[i] };
    }
    let mut q = [[0.0f32; 8]; 4];
    for c in 0..4 {
        for i in 0..8 {
            q[c][i] = a.r[c][i] * (1.0 - w[i]) + b.r[c][i] * toward[i];
        }
    }
    let mut n = [0.0f32; 8];
    for i in 0..8 {
        let l2 = (q[0][i] * q[0][i] + q[1][i] * q[1][i]) + (q[2][i] * q[2][i] + q[3][i] * q[3][i]);
        let inverse = 1.0 / l2.sqrt();
        // Opposite rotations may cancel out; and at weight 1 the value is taken to the bit.
        n[i] = if l2 > 1e-30 { inverse } else { 1.0 };
        n[i] = if w[i] == 1.0 { 1.0 } else { n[i] };
    }
    for c in 0..4 {
        for i in 0..8 {
            let v = q[c][i] * n[i];
            a.r[c][i] = if w[i] == 0.0 { a.r[c][i] } else { v };
        }
    }
}

fn add_block(a: &mut Block, o: &Block, r: &Block, w: &[f32; 8]) {
    for i in 0..8 {
        if w[i] == 0.0 {
            continue;
        }
        let get = |b: &Block| Transform {
            translation: Vec3::new(b.t[0][i], b.t[1][i], b.t[2][i]),
            rotation: Quat::from_xyzw(b.r[0][i], b.r[1][i], b.r[2][i], b.r[3][i]),
            scale: Vec3::new(b.s[0][i], b.s[1][i], b.s[2][i]),
        };
        let t = add_transform(&get(a), &get(o), &get(r), w[i]);
        for c in 0..3 {
            a.t[c][i] = t.translation[c];
            a.s[c][i] = t.scale[c];
        }
        for (c, v) in t.rotation.to_array().into_iter().enumerate() {
            a.r[c][i] = v;
        }
    }
}

fn add_transform(a: &Transform, o: &Transform, r: &Transform, w: f32) -> Transform {
    let ratio = |o: f32, r: f32| if r == 0.0 { 1.0 } else { o / r };
    let scale = Vec3::new(
        ratio(o.scale.x, r.scale.x),
        ratio(o.scale.y, r.scale.y),
        ratio(o.scale.z, r.scale.z),
    );
    let turn = r.rotation.conjugate() * o.rotation;
    Transform {
        translation: a.translation + (o.translation - r.translation) * w,
        rotation: crate::math::normalize_or_identity(
            a.rotation * crate::math::nlerp(Quat::IDENTITY, turn, w),
        ),
        scale: a.scale * (Vec3::ONE + (scale - Vec3::ONE) * w),
    }
}
