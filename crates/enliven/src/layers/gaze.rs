//! Body, head and pupils toward what the mind looks at.

use super::eyeball::{Extent, Eyeball};
use crate::{Affine, ChannelId, Character, JointId, Pose, Region, Rig, Side, Targets, math};
use glam::{Mat3, Quat, Vec3};

/// A ball shallower than this part of its radius is a patch: what turns in a ball slides on it.
const FLAT: f32 = 0.5;

/// How far a pupil slides on a flat eye, in the eye's radius a radian. By eye: at the limit of
/// 0.35 rad it stays on the white.
const SLIDE: f32 = 1.2;

/// Turn of the eyes at which a look expression is at its full weight, rad: the limit of the pupils
/// to the sides (A9).
const LOOK: f32 = 0.35;

/// How far the eyes of a person turn to the sides, and up or down, rad: beyond that the head has
/// to follow.
const EYES: [f32; 2] = [0.7, 0.5];
/// How far a head may nod or tilt before its rim folds into the body, rad, for a head as wide from
/// its pivot as the body is tall; narrower ones may as much more. And how much farther it may twist,
/// which folds nothing. By eye, on a flat disc.
const FOLD: f32 = 0.35;
const TWIST: f32 = 2.2;

/// One pupil, in the axes of its eye.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    joint: JointId,
    /// The eye's axes (x across, y up, z forward) in the parent joint's space.
    axes: Quat,
    /// For a flat eye: from metres in the eye's axes to the parent's space.
    slide: Option<Mat3>,
}

/// Turns the body by its root, the head by [`Region::Head`], the pupils about the eye centres.
///
/// A body without a head of its own turns as a whole; one without pupils but with eyeballs turns
/// those.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaze {
    turns: Vec<Turn>,
    /// Channels that look left, right, up, down, where eyes are moved by expressions.
    looks: [Option<ChannelId>; 4],
    /// Channels of a person's look: yaw and pitch against the head, rad.
    angles: Option<[ChannelId; 2]>,
    /// The head's joint with its rest rotation in model space.
    head: Option<(JointId, Quat)>,
    /// Middle of the eyes at rest in model space.
    eyes: Vec3,
    /// Limits that the head's own shape sets, yaw and the others, ± rad.
    bend: [f32; 2],
}

impl Gaze {
    /// Finds the eyes of a character.
    pub fn new(character: &Character) -> Self {
        let rig = &character.rig;
        let model = rig.skeleton.rest_model();
        let mut turns = Vec::new();
        let mut centers = Vec::new();
        for side in Side::BOTH {
            let pupils = rig.regions.own_joints(Region::Pupil(side));
            let balls = Eyeball::find(character, side);
            for ball in &balls {
                centers.push(ball.center);
                let flat = ball.depth < FLAT * ball.radius;
                // A plain ball or patch shows no turn, and a patch must not tilt into the face.
                let joint = match pupils.first() {
                    Some(p) => p.joint,
                    None if !flat => ball.joint,
                    None => continue,
                };
                turns.extend(turn(rig, &model, ball, joint, flat));
            }
            if balls.is_empty() {
                // Eyes that nothing is bound to: a host may draw them by the joints alone.
                let own = rig.regions.own_joints(Region::Eye(side)).iter();
                for r in pupils.iter().chain(own).take(1) {
                    let m = model[r.joint.index()];
                    centers.push(m.translation());
                    turns.push(Turn {
                        joint: r.joint,
                        axes: parent_turn(rig, &model, r.joint),
                        slide: None,
                    });
                }
            }
        }
        let eyes = if centers.is_empty() {
            head_of(rig, &model)
        } else {
            centers.iter().sum::<Vec3>() / centers.len() as f32
        };
        let angles = look_angles(rig);
        if angles.is_some() {
            // Its own layer knows how far these eyes turn.
            turns.clear();
        }
        let looks =
            if turns.is_empty() && angles.is_none() { look_channels(rig) } else { [None; 4] };
        let head = rig.regions.own_joints(Region::Head).last().map(|r| r.joint);
        let head = head.map(|j| (j, model[j.index()].to_transform().rotation));
        Self { turns, looks, angles, head, eyes, bend: bend(character, &model) }
    }

    /// Middle of the eyes at rest in model space, metres; where there are none, the head's joint
    /// or the top of the body.
    pub fn eyes(&self) -> Vec3 {
        self.eyes
    }

    /// Turns what the pose has.
    pub fn apply(&self, targets: &Targets, rig: &Rig, pose: &mut Pose) {
        let body = math::yaw_pitch_roll(targets.body, 0.0, 0.0);
        if targets.body != 0.0 {
            rig.regions.rotate(pose, Region::Body, body);
            // About the model's origin, wherever the root joints are.
            for r in rig.regions.own_joints(Region::Body) {
                if rig.skeleton.parent(r.joint).is_none() {
                    pose.set_translation(r.joint, body * pose.translation(r.joint));
                }
            }
        }
        let [twist, fold] = self.bend;
        let [yaw, pitch, roll] = targets.head.to_array();
        let (yaw, pitch) = (yaw.clamp(-twist, twist), pitch.clamp(-fold, fold));
        let head = math::yaw_pitch_roll(yaw, pitch, roll.clamp(-fold, fold));
        rig.regions.rotate(pose, Region::Head, head);
        if let Some([yaw, pitch]) = self.angles {
            // The eyes stay on what they look at while the head sways and nods.
            let turn = self.head.map_or(Quat::IDENTITY, |(j, rest)| {
                pose.model_of(&rig.skeleton, j).to_transform().rotation * rest.conjugate()
            });
            let [y, p] = targets.gaze;
            let ahead = math::yaw_pitch_roll(y, p, 0.0) * Vec3::Z;
            let d = turn.conjugate() * (body * ahead);
            let y = math::atan2(d.x, d.z).clamp(-EYES[0], EYES[0]);
            let p = -math::atan2(d.y, (d.x * d.x + d.z * d.z).sqrt());
            pose.set_channel(yaw, y);
            pose.set_channel(pitch, p.clamp(-EYES[1], EYES[1]));
        }
        let [yaw, pitch] = targets.pupils;
        for (look, by) in self.looks.iter().zip([yaw, -yaw, -pitch, pitch]) {
            if let Some(c) = *look {
                pose.set_channel(c, pose.channel(c).max((by / LOOK).clamp(0.0, 1.0)));
            }
        }
        for t in &self.turns {
            if let Some(slide) = t.slide {
                let by = slide * Vec3::new(yaw, -pitch, 0.0);
                pose.set_translation(t.joint, pose.translation(t.joint) + by);
            } else {
                let q = t.axes * math::yaw_pitch_roll(yaw, pitch, 0.0) * t.axes.conjugate();
                pose.set_rotation(t.joint, q * pose.rotation(t.joint));
            }
        }
    }
}

/// The channels of a person's look.
fn look_angles(rig: &Rig) -> Option<[ChannelId; 2]> {
    Some([rig.channels.find("lookYaw")?, rig.channels.find("lookPitch")?])
}

/// How far the head can turn before it folds: from how wide it is for the height of the body.
fn bend(character: &Character, model: &[Affine]) -> [f32; 2] {
    let rig = &character.rig;
    let own = rig.regions.own_joints(Region::Head);
    let Some(pivot) = own.first().map(|r| model[r.joint.index()].translation()) else {
        return [math::PI; 2];
    };
    let wide = own
        .iter()
        .filter_map(|r| Extent::of(character, r.joint))
        .flat_map(|e| [e.low - pivot, e.high - pivot])
        .map(|d| d.x.abs().max(d.z.abs()))
        .fold(0.0, f32::max);
    let fold = (FOLD * rig.height / wide.max(1e-6)).min(math::PI);
    [(TWIST * fold).min(math::PI), fold]
}

/// The channels of an expression rig that move its eyes: left, right, up, down.
fn look_channels(rig: &Rig) -> [Option<ChannelId>; 4] {
    let mut out = [None; 4];
    for (id, c) in rig.channels.iter() {
        let name: String =
            c.name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        let slot = match name.as_str() {
            "lookleft" => 0,
            "lookright" => 1,
            "lookup" => 2,
            "lookdown" => 3,
            _ => continue,
        };
        out[slot].get_or_insert(id);
    }
    out
}

fn turn(rig: &Rig, model: &[Affine], ball: &Eyeball, joint: JointId, flat: bool) -> Option<Turn> {
    let across = ball.up.cross(ball.forward);
    let axes = Mat3::from_cols(across, ball.up, ball.forward);
    let parent = rig.skeleton.parent(joint).map_or(Affine::IDENTITY, |p| model[p.index()]);
    let to_parent = parent.inverse()?.linear();
    let slide = flat.then(|| to_parent * axes * (ball.radius * SLIDE));
    let turned = parent_turn(rig, model, joint) * Quat::from_mat3(&axes);
    Some(Turn { joint, axes: math::normalize_or_identity(turned), slide })
}

/// From the model's axes to those of a joint's parent.
fn parent_turn(rig: &Rig, model: &[Affine], joint: JointId) -> Quat {
    rig.skeleton
        .parent(joint)
        .map_or(Quat::IDENTITY, |p| model[p.index()].to_transform().rotation.conjugate())
}

fn head_of(rig: &Rig, model: &[Affine]) -> Vec3 {
    let head = rig.regions.own_joints(Region::Head).last();
    head.map_or(Vec3::Y * (0.9 * rig.height), |r| model[r.joint.index()].translation())
}
