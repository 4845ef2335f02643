//! One body's motion on another.

use crate::{
    Affine, Clip, Curve, Interpolation, JointId, Pose, Property, Rig, Skeleton, Target, Track,
};
use glam::{Quat, Vec3};

/// A joint that takes its rotation from a joint of another body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetLink {
    /// Whose rotation in model space counts.
    pub source: JointId,
    /// Who takes it.
    pub target: JointId,
    /// Applied before the source's rotation: what the target's axes are when the source's axes are
    /// those of the model. A unit quaternion.
    pub offset: Quat,
}

/// The joint whose place is taken over too, its rotation aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetHips {
    /// Whose place counts.
    pub source: JointId,
    /// Who takes it.
    pub target: JointId,
    /// Factor on the place, axis by axis of model space: the targets' size by the source's. 0 holds
    /// an axis still.
    pub scale: Vec3,
    /// Added after the factor, metres.
    pub shift: Vec3,
}

/// Carries poses and clips from one rig to another with other rest poses and proportions.
///
/// A linked joint stands in model space as its source does, times the link's offset. Lengths of
/// bones stay the target's own; only the hips move. What no link names keeps its local transform.
///
/// [`Retarget::by_turn`] and [`Retarget::by_direction`] find the offsets from the rest poses; with
/// offsets of your own this is three.js' `SkeletonUtils.retarget`. For people there is
/// [`HumanoidClip`](crate::person::HumanoidClip), which knows bones by meaning and keeps keys as
/// they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retarget {
    links: Vec<RetargetLink>,
    /// Who moves; nobody by default.
    pub hips: Option<RetargetHips>,
    /// The source's model space → the target's.
    pub space: Affine,
    /// Whether linked joints take over their sources' places too, so that bones become as long as
    /// the source's.
    pub stretch: bool,
    /// Link of each joint of the target.
    by_target: Vec<Option<u32>>,
    source_model: Vec<Affine>,
    target_model: Vec<Affine>,
}

/// When a clip is looked at; see [`Retarget::clip`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetTimes {
    /// The first moment, seconds into the source clip; it becomes 0 of the result.
    pub start: f32,
    /// From moment to moment, seconds; positive.
    pub step: f32,
    /// How many moments.
    pub count: usize,
    /// Whether the hips start at the origin.
    pub from_origin: bool,
}

impl RetargetTimes {
    /// The whole clip, about `rate` times a second, both ends included.
    pub fn of(clip: &Clip, rate: f32) -> Self {
        // A day at a thousand a second, which leaves room for a typing error.
        let count = (clip.duration * rate).round().clamp(2.0, 86_400_000.0) as usize;
        let step = clip.duration / (count - 1) as f32;
        Self { start: 0.0, step, count, from_origin: false }
    }
}

impl Retarget {
    /// With offsets of your own. Of two links on one target the later counts.
    pub fn new(links: impl IntoIterator<Item = RetargetLink>) -> Self {
        Self { links: links.into_iter().collect(), ..Self::default() }
    }

    /// Turns against the rest pose carry over: where the source stands at rest, the target does.
    /// For bodies that rest in the same stance, whatever the axes of their joints. `pairs` are
    /// (source, target); the first is the hips.
    pub fn by_turn(source: &Skeleton, target: &Skeleton, pairs: &[(JointId, JointId)]) -> Self {
        Self::at_rest(source, target, pairs, false)
    }

    /// As [`Retarget::by_turn`] for bodies that rest in other stances, say with arms hanging and
    /// with arms held out: limbs point where the source's do. The direction of a limb is that from
    /// a joint to the only linked joint below it; joints without one turn with the joint above.
    pub fn by_direction(
        source: &Skeleton,
        target: &Skeleton,
        pairs: &[(JointId, JointId)],
    ) -> Self {
        Self::at_rest(source, target, pairs, true)
    }

    fn at_rest(
        source: &Skeleton,
        target: &Skeleton,
        pairs: &[(JointId, JointId)],
        align: bool,
    ) -> Self {
        let (from, to) = (source.rest_model(), target.rest_model());
        let turn = |m: &Affine| m.to_transform().rotation;
        // The nearest linked joint above each target, as an index into `pairs`.
        let above = |joint: JointId| {
            let mut at = target.parent(joint);
            while let Some(j) = at {
                if let Some(i) = pairs.iter().position(|p| p.1 == j) {
                    return Some(i);
                }
                at = target.parent(j);
            }
            None
        };
        let parents: Vec<Option<usize>> = pairs.iter().map(|p| above(p.1)).collect();
        let swing = |i: usize| {
            let mut below = (0..pairs.len()).filter(|k| parents[*k] == Some(i));
            let (child, None) = (below.next()?, below.next()) else { return None };
            let along = |model: &[Affine], a: JointId, b: JointId| {
                (model[b.index()].translation() - model[a.index()].translation()).try_normalize()
            };
            let now = along(&to, pairs[i].1, pairs[child].1)?;
            let wanted = along(&from, pairs[i].0, pairs[child].0)?;
            Some(Quat::from_rotation_arc(now, wanted))
        };
        let mut links = Vec::with_capacity(pairs.len());
        for (i, (s, t)) in pairs.iter().enumerate() {
            let mut own = Quat::IDENTITY;
            let mut at = Some(i).filter(|_| align);
            while let Some(k) = at {
                if let Some(found) = swing(k) {
                    own = found;
                    break;
                }
                at = parents[k];
            }
            let offset = turn(&from[s.index()]).conjugate() * own * turn(&to[t.index()]);
            links.push(RetargetLink { source: *s, target: *t, offset: offset.normalize() });
        }
        let hips = pairs.first().map(|(s, t)| {
            let low = |model: &[Affine]| {
                model.iter().map(|m| m.translation().y).fold(f32::INFINITY, f32::min)
            };
            let (a, b) = (from[s.index()].translation(), to[t.index()].translation());
            let (a_low, b_low) = (low(&from), low(&to));
            let ratio = (b.y - b_low) / (a.y - a_low);
            let ratio = if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 };
            let shift = b - a * ratio;
            RetargetHips { source: *s, target: *t, scale: Vec3::splat(ratio), shift }
        });
        Self { hips, ..Self::new(links) }
    }

    /// The links.
    pub fn links(&self) -> &[RetargetLink] {
        &self.links
    }

    /// Writes the source's pose into the target's. Both must be of the rigs' shapes; roots are left
    /// alone. Allocates the first time, and after that only where a rig's shape changes.
    pub fn apply(&mut self, source: &Rig, from: &Pose, target: &Rig, to: &mut Pose) {
        self.source_model.resize(source.skeleton.len(), Affine::IDENTITY);
        from.to_model(&source.skeleton, &mut self.source_model);
        if self.by_target.len() != target.skeleton.len() {
            self.by_target.clear();
            self.by_target.resize(target.skeleton.len(), None);
            for (i, link) in self.links.iter().enumerate() {
                if let Some(slot) = self.by_target.get_mut(link.target.index()) {
                    *slot = Some(i as u32);
                }
            }
        }
        self.target_model.resize(target.skeleton.len(), Affine::IDENTITY);
        for joint in target.skeleton.joints() {
            let above = target
                .skeleton
                .parent(joint)
                .map_or(Affine::IDENTITY, |p| self.target_model[p.index()]);
            self.place(joint, &above, to);
            self.target_model[joint.index()] = above * Affine::from(&to.transform(joint));
        }
    }

    /// Sets one joint below `above`.
    fn place(&self, joint: JointId, above: &Affine, to: &mut Pose) {
        let link = self.by_target[joint.index()].map(|i| self.links[i as usize]);
        let hips = self.hips.filter(|h| h.target == joint);
        if link.is_none() && hips.is_none() {
            return;
        }
        // Below a joint of no size nothing can be placed.
        let Some(home) = above.inverse() else { return };
        let whole = |s: JointId| self.source_model.get(s.index()).map(|m| self.space * *m);
        if let Some(link) = link
            && let Some(m) = whole(link.source)
        {
            let turn = crate::Transform::from_rotation(m.to_transform().rotation * link.offset);
            to.set_rotation(joint, (home * Affine::from(&turn)).to_transform().rotation);
            if self.stretch {
                to.set_translation(joint, home.transform_point(m.translation()));
            }
        }
        if let Some(hips) = hips
            && let Some(m) = whole(hips.source)
        {
            let at = m.translation() * hips.scale + hips.shift;
            to.set_translation(joint, home.transform_point(at));
        }
    }

    /// A clip of the source for the target, looked at from moment to moment: rotations of all linked
    /// joints, the place of the hips. In between it is as straight as between keys.
    ///
    /// # Panics
    /// Where the clip is not of the source rig; see [`Clip::fits`].
    pub fn clip(&mut self, clip: &Clip, source: &Rig, target: &Rig, at: &RetargetTimes) -> Clip {
        let mut from = Pose::rest(source);
        let rest = Pose::rest(target);
        let mut to = rest.clone();
        let mut hints = vec![0; clip.tracks.len()];
        let times: Vec<f32> = (0..at.count).map(|k| k as f32 * at.step).collect();
        let mut place = Vec::with_capacity(at.count * 3);
        let joints: Vec<JointId> = target
            .skeleton
            .joints()
            .filter(|j| self.links.iter().any(|l| l.target == *j))
            .collect();
        let mut turns = vec![Vec::with_capacity(at.count * 4); joints.len()];
        let mut first = None;
        for t in &times {
            clip.sample(at.start + t, &mut hints, &mut from);
            to.copy_from(&rest);
            self.apply(source, &from, target, &mut to);
            if let Some(hips) = self.hips {
                let now = to.translation(hips.target);
                let home = *first.get_or_insert(if at.from_origin { now } else { Vec3::ZERO });
                place.extend((now - home).to_array());
            }
            for (joint, turns) in joints.iter().zip(&mut turns) {
                let q = to.rotation(*joint);
                let before = turns.len().checked_sub(4).map(|k| Quat::from_slice(&turns[k..]));
                let turned = before.is_some_and(|b| b.dot(q) < 0.0);
                turns.extend(if turned { -q } else { q }.to_array());
            }
        }
        let mut tracks = Vec::with_capacity(joints.len() + 1);
        let mut add = |joint, property, curve| {
            tracks.push(Track { target: Target::Joint(joint, property), curve });
        };
        let linear = Interpolation::Linear;
        // Moments that do not rise, or values that are not finite, make no curve.
        if let Some(hips) = self.hips
            && let Ok(curve) = Curve::new(times.as_slice(), place, 3, linear)
        {
            add(hips.target, Property::Translation, curve);
        }
        for (joint, turns) in joints.iter().zip(turns) {
            if let Ok(curve) = Curve::rotation(times.as_slice(), turns, linear) {
                add(*joint, Property::Rotation, curve);
            }
        }
        Clip::new(clip.name.clone(), tracks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channels, Regions, Transform, math};

    /// Hips, chest, an upper arm, a forearm, a hand and a foot; `arm` is where the arm points, and
    /// `twist` turns the axes of every joint.
    fn body(size: f32, arm: Vec3, twist: f32) -> Rig {
        let mut s = Skeleton::new();
        let axes = math::rotation(Vec3::new(0.3, 0.5, 0.2).normalize(), twist);
        let mut model: Vec<Affine> = Vec::new();
        let mut push = |name: &str, parent: Option<usize>, at: Vec3| {
            let m = Affine::from(&Transform {
                translation: at * size,
                ..Transform::from_rotation(axes)
            });
            let home = parent.and_then(|p| model[p].inverse()).unwrap_or(Affine::IDENTITY);
            s.push(name, parent.map(JointId::new), (home * m).to_transform()).expect("a tree");
            model.push(m);
        };
        let shoulder = Vec3::new(0.2, 1.4, 0.0);
        push("hips", None, Vec3::new(0.0, 1.0, 0.0));
        push("chest", Some(0), Vec3::new(0.0, 1.3, 0.0));
        push("arm", Some(1), shoulder);
        push("elbow", Some(2), shoulder + arm * 0.3);
        push("hand", Some(3), shoulder + arm * 0.55);
        push("foot", Some(0), Vec3::new(0.1, 0.0, 0.0));
        let regions = Regions::new(&s, &[]);
        Rig::new(s, Channels::new(), regions, 1.7 * size)
    }

    fn pairs() -> Vec<(JointId, JointId)> {
        (0..6).map(|i| (JointId(i), JointId(i))).collect()
    }

    fn place(rig: &Rig, pose: &Pose, joint: u32) -> Vec3 {
        pose.model_of(&rig.skeleton, JointId(joint)).translation()
    }

    fn near(a: Vec3, b: Vec3) -> bool {
        a.distance(b) < 1e-5
    }

    /// The source bends its elbow, turns its hips and walks.
    fn posed(rig: &Rig) -> Pose {
        let mut pose = Pose::rest(rig);
        let turn = |pose: &mut Pose, j: u32, q| {
            let joint = JointId(j);
            pose.set_rotation(joint, pose.rotation(joint) * q);
        };
        turn(&mut pose, 0, math::rotation(Vec3::Y, 0.4));
        turn(&mut pose, 2, math::rotation(Vec3::Z, -0.7));
        turn(&mut pose, 3, math::rotation(Vec3::X, 1.1));
        let hips = JointId(0);
        pose.set_translation(hips, pose.translation(hips) + Vec3::new(0.5, -0.1, 2.0));
        pose
    }

    #[test]
    fn one_stance_other_axes_and_size() {
        let (a, b) = (body(1.0, Vec3::X, 0.0), body(0.5, Vec3::X, 2.0));
        let mut carry = Retarget::by_turn(&a.skeleton, &b.skeleton, &pairs());
        let mut to = Pose::rest(&b);
        carry.apply(&a, &Pose::rest(&a), &b, &mut to);
        for j in 0..6 {
            assert!(near(place(&b, &to, j), place(&b, &Pose::rest(&b), j)), "rest stays rest: {j}");
        }
        let from = posed(&a);
        carry.apply(&a, &from, &b, &mut to);
        for j in 0..6 {
            let (want, got) = (place(&a, &from, j) * 0.5, place(&b, &to, j));
            assert!(near(want, got), "{j}: {got}, not {want}");
        }
    }

    #[test]
    fn an_arm_that_hangs_at_rest_points_where_the_other_does() {
        let hanging = Vec3::new(0.3, -1.0, 0.1).normalize();
        let (a, b) = (body(1.0, Vec3::X, 0.3), body(2.0, hanging, 1.0));
        let mut carry = Retarget::by_direction(&a.skeleton, &b.skeleton, &pairs());
        let from = posed(&a);
        let mut to = Pose::rest(&b);
        carry.apply(&a, &from, &b, &mut to);
        for j in 0..6 {
            let (want, got) = (place(&a, &from, j) * 2.0, place(&b, &to, j));
            assert!(want.distance(got) < 1e-4, "{j}: {got}, not {want}");
        }
        // By turns alone the arm would hang lower than the source's by as much as at rest.
        let mut carry = Retarget::by_turn(&a.skeleton, &b.skeleton, &pairs());
        carry.apply(&a, &from, &b, &mut to);
        assert!(!near(place(&b, &to, 4), place(&a, &from, 4) * 2.0));
    }

    #[test]
    fn a_clip_goes_over_as_its_poses_do() {
        let (a, b) = (body(1.0, Vec3::X, 0.3), body(0.7, Vec3::X, 1.0));
        let q = |angle: f32| math::rotation(Vec3::Y, angle).to_array();
        let curve =
            Curve::rotation(vec![0.0, 1.0], [q(0.0), q(1.0)].concat(), Interpolation::Linear);
        let target = Target::Joint(JointId(1), Property::Rotation);
        let clip = Clip::new("turn", vec![Track { target, curve: curve.expect("keys") }]);
        let mut carry = Retarget::by_turn(&a.skeleton, &b.skeleton, &pairs());
        let made = carry.clip(&clip, &a, &b, &RetargetTimes::of(&clip, 31.0));
        assert!(made.fits(6, 0));
        assert_eq!((made.duration, made.tracks.len()), (1.0, 7));
        let (mut from, mut to, mut want) = (Pose::rest(&a), Pose::rest(&b), Pose::rest(&b));
        for k in 0..=30 {
            let t = k as f32 / 30.0;
            clip.sample(t, &mut [], &mut from);
            made.sample(t, &mut [], &mut to);
            carry.apply(&a, &from, &b, &mut want);
            for j in 0..6 {
                let (want, got) = (place(&b, &want, j), place(&b, &to, j));
                assert!(near(want, got), "{t}: {j}: {got}, not {want}");
            }
        }
    }

    #[test]
    fn a_link_of_another_rig_is_not_followed() {
        let rig = body(1.0, Vec3::X, 0.0);
        let far = RetargetLink { source: JointId(99), target: JointId(1), offset: Quat::IDENTITY };
        let none = RetargetLink { source: JointId(0), target: JointId(99), offset: Quat::IDENTITY };
        let mut carry = Retarget::new([far, none]);
        let mut to = Pose::rest(&rig);
        carry.apply(&rig, &posed(&rig), &rig, &mut to);
        assert_eq!(to, Pose::rest(&rig));
    }
}
