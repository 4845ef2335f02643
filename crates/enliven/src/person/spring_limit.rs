//! How far a bone that swings may turn: VRMC_springBone_limit 1.0-draft.

use crate::math;
use glam::{Quat, Vec3};

/// Farthest out of a hinge's plane that counts as in it.
const FLAT: f32 = 1e-7;

/// The room that a limit leaves to a bone, about its own +Y; +Y is brought to the bone's direction
/// at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitShape {
    /// No farther away than this.
    Cone {
        /// Rad, in [0, π].
        angle: f32,
    },
    /// Only about the x axis, and no farther than this.
    Hinge {
        /// Rad, in [0, π].
        angle: f32,
    },
    /// A part of a ball.
    Spherical {
        /// About the x axis, to each side, rad, in [0, π].
        pitch: f32,
        /// Out of the plane of that, to each side, rad, in [0, π/2].
        yaw: f32,
    },
}

/// How far a bone may turn away from its rest direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringLimit {
    /// The room that is left.
    pub shape: LimitShape,
    /// Turns the room, after +Y was brought to the rest direction the short way, in the space that
    /// this leads to.
    pub rotation: Quat,
}

impl SpringLimit {
    /// A cone about the rest direction.
    pub fn cone(angle: f32) -> Self {
        Self { shape: LimitShape::Cone { angle }, rotation: Quat::IDENTITY }
    }

    /// Whether every number is finite and no angle is negative.
    pub fn is_valid(&self) -> bool {
        let ok = |a: f32| a.is_finite() && a >= 0.0;
        let shape = match self.shape {
            LimitShape::Cone { angle } | LimitShape::Hinge { angle } => ok(angle),
            LimitShape::Spherical { pitch, yaw } => ok(pitch) && ok(yaw),
        };
        shape && self.rotation.is_finite() && self.rotation.length_squared() > 1e-12
    }
}

/// A limit of one bone, ready for each step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// From the limit's space into the joint's at rest.
    turn: Quat,
    shape: LimitShape,
    /// Of a cone's or hinge's angle.
    sine: f32,
    cosine: f32,
}

impl Room {
    /// For a bone that rests along the unit vector `axis` of its joint's space.
    pub(super) fn new(limit: &SpringLimit, axis: Vec3) -> Self {
        let shape = match limit.shape {
            LimitShape::Cone { angle } => LimitShape::Cone { angle: angle.min(math::PI) },
            LimitShape::Hinge { angle } => LimitShape::Hinge { angle: angle.min(math::PI) },
            LimitShape::Spherical { pitch, yaw } => {
                LimitShape::Spherical { pitch: pitch.min(math::PI), yaw: yaw.min(0.5 * math::PI) }
            }
        };
        // The specification's way from +Y, half a turn about x where all ways are equally short.
        let to_axis = if axis.y + 1.0 < 1e-8 {
            Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)
        } else {
            let q = Quat::from_xyzw(axis.z, 0.0, -axis.x, axis.y + 1.0);
            math::normalize_or_identity(q)
        };
        let (sine, cosine) = match shape {
            LimitShape::Cone { angle } | LimitShape::Hinge { angle } => math::sin_cos(angle),
            LimitShape::Spherical { .. } => (0.0, 1.0),
        };
        let turn = to_axis * math::normalize_or_identity(limit.rotation);
        Self { turn, shape, sine, cosine }
    }

    /// The unit direction `dir` of the joint's space at rest, or the nearest one by the
    /// specification's rule that the limit allows; `None` where it is allowed.
    pub(super) fn limited(&self, dir: Vec3) -> Option<Vec3> {
        let d = self.turn.conjugate() * dir;
        let held = match self.shape {
            LimitShape::Cone { .. } => {
                if d.y >= self.cosine {
                    return None;
                }
                let side = Vec3::new(d.x, 0.0, d.z).normalize_or(Vec3::Z);
                Vec3::Y * self.cosine + side * self.sine
            }
            LimitShape::Hinge { .. } => {
                // A bone that points along the hinge's axis is nearest to all of its plane.
                let flat = Vec3::new(0.0, d.y, d.z).normalize_or(Vec3::Y);
                if flat.y >= self.cosine {
                    if d.x.abs() < FLAT {
                        return None;
                    }
                    flat
                } else {
                    let side = if flat.z < 0.0 { -self.sine } else { self.sine };
                    Vec3::new(0.0, self.cosine, side)
                }
            }
            LimitShape::Spherical { pitch, yaw } => {
                let was = [math::atan2(d.z, d.y), math::asin(d.x.clamp(-1.0, 1.0))];
                let now = [was[0].clamp(-pitch, pitch), was[1].clamp(-yaw, yaw)];
                if now == was {
                    return None;
                }
                let (sp, cp) = math::sin_cos(now[0]);
                let (sy, cy) = math::sin_cos(now[1]);
                Vec3::new(sy, cy * cp, cy * sp)
            }
        };
        Some(self.turn * held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(shape: LimitShape, rotation: Quat, axis: Vec3) -> Room {
        Room::new(&SpringLimit { shape, rotation }, axis)
    }

    fn near(a: Option<Vec3>, b: [f32; 3]) {
        let a = a.expect("beyond the limit");
        assert!(a.distance(Vec3::from_array(b)) < 2e-6, "{a} instead of {b:?}");
    }

    const HALF: f32 = 0.5;
    /// √3 / 2
    const ROOT: f32 = 0.866_025_4;
    /// 30°
    const ANGLE: f32 = math::PI / 6.0;

    #[test]
    fn a_cone_holds_on_every_side() {
        let cone = room(LimitShape::Cone { angle: ANGLE }, Quat::IDENTITY, Vec3::Y);
        near(cone.limited(Vec3::X), [HALF, ROOT, 0.0]);
        near(cone.limited(Vec3::NEG_Z), [0.0, ROOT, -HALF]);
        near(cone.limited(Vec3::new(0.6, 0.0, 0.8)), [0.3, ROOT, 0.4]);
        near(cone.limited(Vec3::NEG_Y), [0.0, ROOT, HALF]);
        assert_eq!(cone.limited(Vec3::new(0.28, 0.96, 0.0)), None);
        // Turned by 90° about z, its axis is -x.
        let turned = math::rotation(Vec3::Z, 0.5 * math::PI);
        let cone = room(LimitShape::Cone { angle: ANGLE }, turned, Vec3::Y);
        near(cone.limited(Vec3::Y), [-ROOT, HALF, 0.0]);
    }

    #[test]
    fn a_hinge_keeps_to_its_plane() {
        let hinge = room(LimitShape::Hinge { angle: ANGLE }, Quat::IDENTITY, Vec3::Y);
        near(hinge.limited(Vec3::new(0.6, 0.8, 0.0)), [0.0, 1.0, 0.0]);
        near(hinge.limited(Vec3::Z), [0.0, ROOT, HALF]);
        near(hinge.limited(Vec3::new(0.0, -0.6, -0.8)), [0.0, ROOT, -HALF]);
        near(hinge.limited(Vec3::X), [0.0, 1.0, 0.0]);
        assert_eq!(hinge.limited(Vec3::new(0.0, 0.96, 0.28)), None);
        // Turned by 90° about y, it bends about -z: x stays, z goes.
        let turned = math::rotation(Vec3::Y, 0.5 * math::PI);
        let hinge = room(LimitShape::Hinge { angle: 1.0 }, turned, Vec3::Y);
        near(hinge.limited(Vec3::new(0.48, 0.64, 0.6)), [0.6, 0.8, 0.0]);
    }

    #[test]
    fn a_part_of_a_ball_has_two_angles() {
        // The sine of this yaw is 0.6, its cosine 0.8.
        let shape = LimitShape::Spherical { pitch: ANGLE, yaw: 0.643_501_1 };
        let ball = room(shape, Quat::IDENTITY, Vec3::Y);
        // Pitch 90° goes to 30°.
        near(ball.limited(Vec3::Z), [0.0, ROOT, HALF]);
        // Yaw 90° goes to its limit, where pitch says nothing.
        near(ball.limited(Vec3::X), [0.6, 0.8, 0.0]);
        // Both: 0.8 · (cos 30°, sin 30°) are left beside -0.6.
        near(ball.limited(Vec3::new(-0.8, 0.0, 0.6)), [-0.6, 0.692_820_3, 0.4]);
        assert_eq!(ball.limited(Vec3::new(0.28, 0.96, 0.0)), None);
        // Beyond what angles can be it is all of the ball.
        let all = room(LimitShape::Spherical { pitch: 9.0, yaw: 9.0 }, Quat::IDENTITY, Vec3::Y);
        assert_eq!(all.limited(Vec3::NEG_Y), None);
    }

    #[test]
    fn rooms_lie_about_the_rest_direction() {
        // A bone along +x: +Y goes there by -90° about z, so the hinge's axis is -y.
        let hinge = room(LimitShape::Hinge { angle: ANGLE }, Quat::IDENTITY, Vec3::X);
        near(hinge.limited(Vec3::new(0.8, 0.6, 0.0)), [1.0, 0.0, 0.0]);
        near(hinge.limited(Vec3::Z), [ROOT, 0.0, HALF]);
        // Straight down it is half a turn about x: z turns round.
        let down = room(LimitShape::Hinge { angle: ANGLE }, Quat::IDENTITY, Vec3::NEG_Y);
        near(down.limited(Vec3::Z), [0.0, -ROOT, HALF]);
        near(down.limited(Vec3::new(0.6, -0.8, 0.0)), [0.0, -1.0, 0.0]);
    }

    #[test]
    fn what_is_limited_is_allowed() {
        let mut rng = crate::Rng::new(5, 0);
        let mut unit = move || {
            let mut axis = || rng.range(-1.0, 1.0);
            Vec3::new(axis(), axis(), axis()).normalize_or(Vec3::Y)
        };
        for _ in 0..2000 {
            let rotation = math::rotation(unit(), 2.0);
            let shapes = [
                LimitShape::Cone { angle: 0.4 },
                LimitShape::Hinge { angle: 2.0 },
                LimitShape::Spherical { pitch: 0.7, yaw: 0.3 },
            ];
            for shape in shapes {
                let room = room(shape, rotation, unit());
                let once = unit();
                let once = room.limited(once).unwrap_or(once);
                assert!((once.length() - 1.0).abs() < 1e-5);
                let again = room.limited(once).unwrap_or(once);
                assert!(again.distance(once) < 1e-5, "{shape:?}: {once} then {again}");
            }
        }
    }
}
