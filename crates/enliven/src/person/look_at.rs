//! Where a person's eyes look: VRM's look-at.

use super::{Expression, HumanBone, Humanoid, Preset};
use crate::{Affine, ChannelId, JointId, Layer, Moment, Pose, Rig, math};
use glam::{Quat, Vec3};

/// How far an angle is followed: `scale · clamp(angle / limit, 0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeMap {
    /// The angle from which on the result stays, rad.
    pub limit: f32,
    /// The result there: rad for eye bones, a weight for expressions.
    pub scale: f32,
}

impl RangeMap {
    /// The result for an angle of that size.
    pub fn map(&self, angle: f32) -> f32 {
        let t = angle / self.limit;
        // A limit of 0 follows wholly or (at 0 / 0) not at all.
        self.scale * if t > 0.0 { t.min(1.0) } else { 0.0 }
    }
}

/// What turns the eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LookAtKind {
    /// The bones of the eyes.
    Bones,
    /// The expressions lookUp, lookDown, lookLeft, lookRight.
    Expressions,
}

/// How a body looks at things: plain data, as its file has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAt {
    /// What turns the eyes.
    pub kind: LookAtKind,
    /// The middle between the eyes, in the head joint's space, metres.
    pub offset: Vec3,
    /// Toward the nose; bones only.
    pub inner: RangeMap,
    /// Away from the nose; for expressions both ways.
    pub outer: RangeMap,
    /// Downward.
    pub down: RangeMap,
    /// Upward.
    pub up: RangeMap,
    /// Where the face points at rest in model space; +Z but in foreign data.
    pub front: Vec3,
}

impl LookAt {
    /// The specification's example: up to 10° for 90°, eyes 6 cm above the head joint.
    pub fn bones() -> Self {
        let map = RangeMap { limit: 90f32.to_radians(), scale: 10f32.to_radians() };
        Self {
            kind: LookAtKind::Bones,
            offset: Vec3::new(0.0, 0.06, 0.0),
            inner: map,
            outer: map,
            down: map,
            up: map,
            front: Vec3::Z,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Eye {
    joint: JointId,
    left: Quat,
    right: Quat,
}

/// The layer that turns the eyes toward a point or by given angles, by the rules of a [`LookAt`].
///
/// Yaw turns to the body's left (+X), pitch down. With a target the angles follow from where the
/// head is now; without one they are read from the channels given to
/// [`LookAtLayer::with_channels`], which a clip may move; else they are 0.
#[derive(Clone, Debug)]
pub struct LookAtLayer {
    spec: LookAt,
    head: Option<JointId>,
    head_rest: Quat,
    /// Front of the face, as a turn from +Z.
    front: Quat,
    /// Azimuth and altitude of the front, rad.
    front_angles: (f32, f32),
    eyes: [Option<Eye>; 2],
    /// Up, down, left, right.
    expressions: [Option<ChannelId>; 4],
    angle_channels: Option<[ChannelId; 2]>,
    /// Point to look at, in the host's world.
    pub target: Option<Vec3>,
    /// Part of the angles that is used, in [0, 1].
    pub weight: f32,
}

impl LookAtLayer {
    /// For a humanoid and its expressions.
    pub fn new(spec: LookAt, humanoid: &Humanoid, expressions: &[Expression]) -> Self {
        let eye = |bone| {
            let (left, right) = humanoid.to_raw(bone)?;
            Some(Eye { joint: humanoid.joint(bone)?, left, right })
        };
        let find =
            |preset| expressions.iter().find(|e| e.preset == Some(preset)).map(|e| e.channel);
        // Nearly +Z counts as +Z, as in the reference library.
        let front = match spec.front.try_normalize() {
            Some(f) if f.distance_squared(Vec3::Z) >= 0.01 => {
                let (azimuth, altitude) = azimuth_altitude(f);
                math::rotation(Vec3::Y, 0.5 * math::PI + azimuth)
                    * math::rotation(Vec3::X, -altitude)
            }
            _ => Quat::IDENTITY,
        };
        Self {
            front_angles: azimuth_altitude(spec.front),
            spec,
            head: humanoid.joint(HumanBone::Head),
            head_rest: humanoid.rest_rotation(HumanBone::Head).unwrap_or(Quat::IDENTITY),
            front,
            eyes: [eye(HumanBone::LeftEye), eye(HumanBone::RightEye)],
            expressions: [
                find(Preset::LookUp),
                find(Preset::LookDown),
                find(Preset::LookLeft),
                find(Preset::LookRight),
            ],
            angle_channels: None,
            target: None,
            weight: 1.0,
        }
    }

    /// Reads yaw and pitch (rad) from these channels where there is no target.
    pub fn with_channels(mut self, yaw: ChannelId, pitch: ChannelId) -> Self {
        self.angle_channels = Some([yaw, pitch]);
        self
    }

    /// Where the look starts, in the host's world.
    pub fn origin(&self, rig: &Rig, pose: &Pose) -> Vec3 {
        self.start(pose, self.head_now(rig, pose).as_ref())
    }

    fn head_now(&self, rig: &Rig, pose: &Pose) -> Option<Affine> {
        self.head.map(|h| pose.model_of(&rig.skeleton, h))
    }

    fn start(&self, pose: &Pose, head: Option<&Affine>) -> Vec3 {
        let offset = self.spec.offset;
        pose.root.transform_point(head.map_or(offset, |h| h.transform_point(offset)))
    }

    /// Rotation of the head against its rest, in the host's world.
    fn head_turn(&self, pose: &Pose, head: Option<&Affine>) -> Quat {
        let now = head.map_or(self.head_rest, |h| h.to_transform().rotation);
        pose.root.rotation * now * self.head_rest.conjugate()
    }

    /// Yaw and pitch, rad, that look at a point of the host's world.
    pub fn angles_to(&self, rig: &Rig, pose: &Pose, target: Vec3) -> (f32, f32) {
        let head = self.head_now(rig, pose);
        let toward = target - self.start(pose, head.as_ref());
        let turn = self.head_turn(pose, head.as_ref()).conjugate();
        let Some(dir) = (turn * toward).try_normalize() else {
            return (0.0, 0.0);
        };
        let (azimuth, altitude) = azimuth_altitude(dir);
        let (front_azimuth, front_altitude) = self.front_angles;
        (math::wrap_angle(azimuth - front_azimuth), math::wrap_angle(front_altitude - altitude))
    }

    /// The unit direction of a look by these angles, in the host's world.
    pub fn direction(&self, rig: &Rig, pose: &Pose, yaw: f32, pitch: f32) -> Vec3 {
        let turn = self.head_turn(pose, self.head_now(rig, pose).as_ref());
        turn * self.front * (math::yaw_pitch_roll(yaw, pitch, 0.0) * Vec3::Z)
    }

    /// Turns the eyes by these angles, rad.
    pub fn turn_eyes(&self, pose: &mut Pose, yaw: f32, pitch: f32) {
        let LookAt { inner, outer, down, up, .. } = self.spec;
        match self.spec.kind {
            LookAtKind::Bones => {
                let p = if pitch < 0.0 { -up.map(-pitch) } else { down.map(pitch) };
                for (i, eye) in self.eyes.iter().enumerate() {
                    let Some(eye) = eye else { continue };
                    // Left is outward for the left eye and inward for the right one.
                    let (toward_left, toward_right) =
                        if i == 0 { (outer, inner) } else { (inner, outer) };
                    let y = if yaw < 0.0 { -toward_right.map(-yaw) } else { toward_left.map(yaw) };
                    let n = math::yaw_pitch_roll(y, p, 0.0);
                    let n = self.front * n * self.front.conjugate();
                    let raw = eye.left * n * eye.right;
                    pose.set_rotation(eye.joint, math::normalize_or_identity(raw));
                }
            }
            LookAtKind::Expressions => {
                let weights = [up.map(-pitch), down.map(pitch), outer.map(yaw), outer.map(-yaw)];
                for (channel, w) in self.expressions.iter().zip(weights) {
                    if let Some(channel) = channel {
                        pose.set_channel(*channel, w);
                    }
                }
            }
        }
    }
}

impl Layer for LookAtLayer {
    fn apply(&mut self, _: &Moment, rig: &Rig, pose: &mut Pose) {
        let (yaw, pitch) = match (self.target, self.angle_channels) {
            (Some(target), _) => self.angles_to(rig, pose, target),
            (None, Some([yaw, pitch])) => (pose.channel(yaw), pose.channel(pitch)),
            (None, None) => (0.0, 0.0),
        };
        if yaw.is_finite() && pitch.is_finite() {
            self.turn_eyes(pose, yaw * self.weight, pitch * self.weight);
        }
    }
}

/// Angle about +Y from +X, and angle above the horizon, rad.
fn azimuth_altitude(v: Vec3) -> (f32, f32) {
    (math::atan2(-v.z, v.x), math::atan2(v.y, (v.x * v.x + v.z * v.z).sqrt()))
}

/// Yaw and pitch of a rotation's forward direction, rad.
pub(crate) fn yaw_pitch(q: Quat) -> (f32, f32) {
    let f = q * Vec3::Z;
    (math::atan2(f.x, f.z), math::atan2(-f.y, (f.x * f.x + f.z * f.z).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaw_and_pitch_of_a_turn_come_back() {
        for (y, p) in [(0.3, -0.2), (-1.2, 0.7), (0.0, 0.0)] {
            let (yaw, pitch) = yaw_pitch(math::yaw_pitch_roll(y, p, 0.4));
            assert!((yaw - y).abs() < 1e-6 && (pitch - p).abs() < 1e-6);
        }
    }

    #[test]
    fn a_range_of_nothing_is_no_danger() {
        for limit in [0.0, f32::NAN, -1.0] {
            let m = RangeMap { limit, scale: 1.0 };
            for a in [0.0, 1.0, -1.0, f32::NAN] {
                assert!(m.map(a).is_finite());
            }
        }
    }
}
