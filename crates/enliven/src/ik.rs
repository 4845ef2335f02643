//! Inverse kinematics: joints from goals.

use crate::{Affine, JointId, Pose, Skeleton, math};
use glam::{Quat, Vec3};

/// How far a limb straightens: its reach as a part of its length. The last percent would make
/// the middle joint race (the angle's derivative has no bound at full stretch).
const REACH: f32 = 0.999;

/// Two bones, one hinge: an arm, a leg. Closed form, by the law of cosines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneIk {
    /// Shoulder or hip.
    pub start: JointId,
    /// Elbow or knee; a descendant of `start`.
    pub mid: JointId,
    /// Hand or foot; a descendant of `mid`.
    pub end: JointId,
    /// Direction, in model space, into which the middle joint bends where the limb is straight
    /// and its own bend says nothing. Need not be of unit length.
    pub pole: Vec3,
}

impl TwoBoneIk {
    /// The limb that ends at `end`: its parent and grandparent. `None` where it has none.
    pub fn of_end(skeleton: &Skeleton, end: JointId, pole: Vec3) -> Option<Self> {
        let mid = skeleton.parent(end)?;
        let start = skeleton.parent(mid)?;
        Some(Self { start, mid, end, pole })
    }

    /// Turns the two bones so that the end joint comes to `target` (metres, model space), by
    /// `weight` in [0, 1] of the way; the end joint keeps its orientation in model space. A target
    /// out of reach is pointed at. Returns the distance that is left, metres.
    ///
    /// A limb without length and a target that is not finite change nothing.
    pub fn solve(&self, pose: &mut Pose, skeleton: &Skeleton, target: Vec3, weight: f32) -> f32 {
        let weight = crate::mask::clean(weight);
        let (a, a_turn) = pose.place(skeleton, self.start);
        let (b, _) = pose.place(skeleton, self.mid);
        let (c, c_turn) = pose.place(skeleton, self.end);
        let target = c + (target - c) * weight;
        let (upper, lower) = (a.distance(b), b.distance(c));
        let size = upper + lower;
        if weight == 0.0 || !target.is_finite() || !(upper > 1e-4 * size && lower > 1e-4 * size) {
            return c.distance(target);
        }
        let to = target - a;
        let far = to.length().clamp((upper - lower).abs() + size * 1e-3, size * REACH);

        // The plane of the bend, from the limb itself; the pole decides where it is straight.
        let limb = (c - a).normalize_or(to.normalize_or(Vec3::NEG_Y));
        let out = (b - a) - limb * (b - a).dot(limb);
        let straight = math::smoothstep(0.02 * upper, 0.0, out.length());
        let pole = self.pole.normalize_or(Vec3::Z);
        let pole = pole - limb * pole.dot(limb);
        let bend = (out.normalize_or_zero() * (1.0 - straight) + pole * straight)
            .try_normalize()
            .unwrap_or(limb.any_orthonormal_vector());

        // Where the middle joint has to be if the limb kept its direction, then the whole swung.
        let cosine = (upper * upper + far * far - lower * lower) / (2.0 * upper * far);
        let cosine = cosine.clamp(-1.0, 1.0);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let swing = Quat::from_rotation_arc(limb, to.normalize_or(limb));
        let knee = swing * (limb * (upper * cosine) + bend * (upper * sine));
        let hand = swing * (limb * far);

        let first = Quat::from_rotation_arc((b - a).normalize_or(limb), knee.normalize_or(limb));
        pose.turn(skeleton, self.start, a_turn, first);
        // The lower bone after the first turn, and where it has to point.
        let (b, b_turn) = pose.place(skeleton, self.mid);
        let (c, _) = pose.place(skeleton, self.end);
        let second =
            Quat::from_rotation_arc((c - b).normalize_or(limb), (a + hand - b).normalize_or(limb));
        pose.turn(skeleton, self.mid, b_turn, second);
        let (c, now) = pose.place(skeleton, self.end);
        pose.turn(skeleton, self.end, now, c_turn * now.conjugate());
        c.distance(target)
    }
}

/// Points an axis of a joint at a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// The joint that turns.
    pub joint: JointId,
    /// Which way it looks, in its own space; unit length.
    pub forward: Vec3,
    /// Largest turn, rad.
    pub limit: f32,
}

impl Aim {
    /// Turns the joint toward `target` (metres, model space), the short way, by `weight` in
    /// [0, 1] of the angle and at most by the limit. Returns the angle that is left, rad.
    ///
    /// A target at the joint and one that is not finite change nothing.
    pub fn solve(&self, pose: &mut Pose, skeleton: &Skeleton, target: Vec3, weight: f32) -> f32 {
        let weight = crate::mask::clean(weight);
        let (at, turn) = pose.place(skeleton, self.joint);
        let (Some(to), true) = ((target - at).try_normalize(), target.is_finite()) else {
            return 0.0;
        };
        let now = (turn * self.forward).normalize_or(to);
        let angle = math::acos(now.dot(to));
        let part = (angle * weight).min(self.limit.max(0.0));
        if angle > 1e-6 && part > 0.0 {
            let arc = Quat::from_rotation_arc(now, to);
            let arc = math::slerp(Quat::IDENTITY, arc, part / angle);
            pose.turn(skeleton, self.joint, turn, arc);
        }
        angle - part
    }
}

impl Pose {
    /// Matrix of one joint in model space. Walks the joint's ancestors only.
    pub fn model_of(&self, skeleton: &Skeleton, joint: JointId) -> Affine {
        let mut out = Affine::from(&self.transform(joint));
        let mut at = skeleton.parent(joint);
        while let Some(j) = at {
            out = Affine::from(&self.transform(j)) * out;
            at = skeleton.parent(j);
        }
        out
    }

    /// Position and orientation of a joint in model space; scales move it but do not turn it.
    fn place(&self, skeleton: &Skeleton, joint: JointId) -> (Vec3, Quat) {
        let mut p = self.translation(joint);
        let mut q = self.rotation(joint);
        let mut at = skeleton.parent(joint);
        while let Some(j) = at {
            p = self.transform(j).transform_point(p);
            q = self.rotation(j) * q;
            at = skeleton.parent(j);
        }
        (p, q)
    }

    /// Turns a joint that is oriented like `now` by `by`, both in model space.
    fn turn(&mut self, skeleton: &Skeleton, joint: JointId, now: Quat, by: Quat) {
        let parent = match skeleton.parent(joint) {
            // now = parent · local
            Some(_) => now * self.rotation(joint).conjugate(),
            None => Quat::IDENTITY,
        };
        let local = parent.conjugate() * by * now;
        self.set_rotation(joint, math::normalize_or_identity(local));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channels, Regions, Rig, Rng, Transform};

    /// A leg on a turned and scaled hip: 0.45 m and 0.4 m, knee a little forward, a foot.
    fn leg(scale: f32) -> (Rig, TwoBoneIk) {
        let mut s = Skeleton::new();
        let root = Transform {
            translation: Vec3::new(0.1, 0.9, 0.0) * scale,
            rotation: math::yaw_pitch_roll(0.4, -0.3, 0.2),
            scale: Vec3::splat(scale),
        };
        let at = |x, y, z| Transform {
            translation: Vec3::new(x, y, z),
            rotation: math::yaw_pitch_roll(0.1, 0.2, -0.1),
            ..Transform::IDENTITY
        };
        let hips = s.push("hips", None, root).expect("root");
        let start = s.push("thigh", Some(hips), at(0.1, 0.0, 0.0)).expect("start");
        let mid = s.push("shin", Some(start), at(0.0, -0.45, 0.02)).expect("mid");
        let end = s.push("foot", Some(mid), at(0.0, -0.4, -0.02)).expect("end");
        let ik = TwoBoneIk::of_end(&s, end, Vec3::Z).expect("a limb");
        assert_eq!((ik.start, ik.mid), (start, mid));
        let regions = Regions::new(&s, &[]);
        (Rig::new(s, Channels::new(), regions, 1.7), ik)
    }

    #[test]
    fn reaches_every_target_within_reach_and_keeps_the_foot_level() {
        for scale in [1.0, 0.01, 100.0] {
            let (rig, ik) = leg(scale);
            let mut rng = Rng::new(3, 3);
            for _ in 0..500 {
                let mut pose = Pose::rest(&rig);
                let (hip, _) = pose.place(&rig.skeleton, ik.start);
                let (_, foot) = pose.place(&rig.skeleton, ik.end);
                let dir =
                    Vec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 0.2), rng.range(-1.0, 1.0))
                        .normalize_or(Vec3::NEG_Y);
                let target = hip + dir * (rng.range(0.1, 0.84) * scale);
                let left = ik.solve(&mut pose, &rig.skeleton, target, 1.0);
                assert!(left < 2e-4 * scale, "{left}");
                let (at, turn) = pose.place(&rig.skeleton, ik.end);
                assert!(at.distance(target) < 2e-4 * scale);
                assert!(turn.dot(foot).abs() > 0.999_9);
            }
        }
    }

    #[test]
    fn out_of_reach_it_points_and_bones_keep_their_length() {
        let (rig, ik) = leg(1.0);
        let mut pose = Pose::rest(&rig);
        let (hip, _) = pose.place(&rig.skeleton, ik.start);
        let target = hip + Vec3::new(1.0, -3.0, 0.5);
        let left = ik.solve(&mut pose, &rig.skeleton, target, 1.0);
        let (foot, _) = pose.place(&rig.skeleton, ik.end);
        assert!((foot - hip).normalize().dot((target - hip).normalize()) > 0.999_9);
        assert!((foot.distance(target) - left).abs() < 1e-6 && left > 2.0);
        let rest = Pose::rest(&rig);
        for j in rig.skeleton.joints() {
            assert_eq!(pose.translation(j), rest.translation(j));
        }
    }

    #[test]
    fn moves_smoothly_with_its_target_and_bends_toward_the_pole() {
        let (rig, ik) = leg(1.0);
        let rest = Pose::rest(&rig);
        let (hip, _) = rest.place(&rig.skeleton, ik.start);
        let mut last: Option<Vec3> = None;
        for k in 0..=400 {
            let mut pose = rest.clone();
            let target = hip + Vec3::new(0.0, -0.3 - 0.6 * k as f32 / 400.0, 0.0);
            ik.solve(&mut pose, &rig.skeleton, target, 1.0);
            let (knee, _) = pose.place(&rig.skeleton, ik.mid);
            assert!((knee - hip).z > -1e-3, "{k}: the knee bends forward, {}", knee - hip);
            if let Some(last) = last {
                assert!(knee.distance(last) < 0.02, "{k}: jumps by {}", knee.distance(last));
            }
            last = Some(knee);
        }
    }

    #[test]
    fn weight_zero_and_bad_targets_change_nothing() {
        let (rig, ik) = leg(1.0);
        let rest = Pose::rest(&rig);
        for (target, weight) in
            [(Vec3::ZERO, 0.0), (Vec3::NAN, 1.0), (Vec3::INFINITY, 1.0), (Vec3::X, f32::NAN)]
        {
            let mut pose = rest.clone();
            ik.solve(&mut pose, &rig.skeleton, target, weight);
            assert_eq!(pose, rest);
            let aim = Aim { joint: ik.start, forward: Vec3::Z, limit: 1.0 };
            aim.solve(&mut pose, &rig.skeleton, target, weight);
            assert!(pose.is_finite());
        }
    }

    #[test]
    fn aim_points_up_to_its_limit() {
        let (rig, ik) = leg(1.0);
        let mut pose = Pose::rest(&rig);
        let (at, turn) = pose.place(&rig.skeleton, ik.start);
        let target = at + turn * (math::rotation(Vec3::X, 0.8) * Vec3::Z) * 2.0;
        let aim = Aim { joint: ik.start, forward: Vec3::Z, limit: 0.5 };
        let left = aim.solve(&mut pose, &rig.skeleton, target, 1.0);
        assert!((left - 0.3).abs() < 1e-3, "{left}");
        let left = aim.solve(&mut pose, &rig.skeleton, target, 1.0);
        assert!(left.abs() < 1e-3, "the rest in the second step: {left}");
    }

    #[test]
    fn model_of_is_what_the_whole_pass_gives() {
        let (rig, ik) = leg(0.5);
        let pose = Pose::rest(&rig);
        let mut model = vec![Affine::IDENTITY; 4];
        pose.to_model(&rig.skeleton, &mut model);
        let a = model[ik.end.index()].to_mat4();
        assert!(pose.model_of(&rig.skeleton, ik.end).to_mat4().abs_diff_eq(a, 1e-6));
    }
}
