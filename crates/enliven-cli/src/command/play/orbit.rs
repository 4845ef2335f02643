//! A camera that is moved by hand round a subject.

use enliven::glam::Vec3;
use enliven::math;
use enliven_render::Camera;

/// Radians for a drag over the height of the window.
const ORBIT: f32 = 3.0;
/// Highest and lowest look, radians: short of straight up and down.
const STEEPEST: f32 = 1.5;
/// Factor of the distance for one notch of the wheel.
const NOTCH: f32 = 0.88;
/// Nearest and farthest, factors of the first distance.
const REACH: [f32; 2] = [0.05, 20.0];

/// Angles and distance about a middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Orbit {
    middle: Vec3,
    yaw: f32,
    pitch: f32,
    distance: f32,
    first_distance: f32,
    fov_y: f32,
}

impl Orbit {
    /// Starts where `camera` is.
    pub(super) fn from(camera: &Camera) -> Self {
        let arm = camera.eye - camera.target;
        let distance = arm.length().max(f32::MIN_POSITIVE);
        let pitch = math::asin((arm.y / distance).clamp(-1.0, 1.0)).clamp(-STEEPEST, STEEPEST);
        Self {
            middle: camera.target,
            yaw: math::atan2(arm.x, arm.z),
            pitch,
            distance,
            first_distance: distance,
            fov_y: camera.fov_y,
        }
    }

    /// The camera, with its middle carried along by `moved`.
    pub(super) fn camera(&self, moved: Vec3) -> Camera {
        let target = self.middle + moved;
        Camera { eye: target + self.arm(), target, up: Vec3::Y, fov_y: self.fov_y }
    }

    fn arm(&self) -> Vec3 {
        let (rise, level) = math::sin_cos(self.pitch);
        let (sin, cos) = math::sin_cos(self.yaw);
        Vec3::new(sin * level, rise, cos * level) * self.distance
    }

    /// A drag, in parts of the window's height; right and down are positive.
    pub(super) fn turn(&mut self, right: f32, down: f32) {
        self.yaw = math::wrap_angle(self.yaw - right * ORBIT);
        self.pitch = (self.pitch + down * ORBIT).clamp(-STEEPEST, STEEPEST);
    }

    /// Moves the middle so that it goes with the hand, in parts of the window's height.
    pub(super) fn shift(&mut self, right: f32, down: f32) {
        let (across, above, _) = self.camera(Vec3::ZERO).basis();
        let height = 2.0 * self.distance * math::tan(self.fov_y * 0.5);
        self.middle += (above * down - across * right) * height;
    }

    /// Notches of the wheel; positive comes nearer.
    pub(super) fn zoom(&mut self, notches: f32) {
        let [near, far] = REACH.map(|factor| factor * self.first_distance);
        self.distance = (self.distance * math::pow(NOTCH, notches)).clamp(near, far);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        let (eye, target) = (Vec3::new(2.0, 2.0, 3.0), Vec3::new(0.0, 1.0, 0.0));
        Camera { eye, target, up: Vec3::Y, fov_y: 0.5 }
    }

    #[test]
    fn it_starts_where_the_camera_was() {
        let again = Orbit::from(&camera()).camera(Vec3::ZERO);
        assert!(again.eye.distance(camera().eye) < 1e-5, "{again:?}");
        let carried = Orbit::from(&camera()).camera(Vec3::X);
        assert!(carried.eye.distance(camera().eye + Vec3::X) < 1e-5, "{carried:?}");
    }

    #[test]
    fn it_never_turns_over_and_never_meets_the_middle() {
        let mut orbit = Orbit::from(&camera());
        for step in 0..200 {
            orbit.turn(0.3, if step < 100 { 1.0 } else { -1.0 });
            orbit.zoom(if step < 100 { 5.0 } else { -5.0 });
            let camera = orbit.camera(Vec3::ZERO);
            assert!(camera.eye.is_finite() && camera.distance() > 0.1, "{camera:?}");
            assert!(camera.basis().1.y > 0.0, "upside down: {camera:?}");
        }
    }

    #[test]
    fn the_middle_goes_with_the_hand() {
        let mut orbit = Orbit::from(&camera());
        let before = orbit.camera(Vec3::ZERO);
        orbit.shift(0.5, 0.0);
        // Half a window to the right: what was in the middle is seen half a window to the right.
        let now = orbit.camera(Vec3::ZERO);
        let clip = now.clip_from_world(1.0).project_point3(before.target);
        assert!((clip.x - 1.0).abs() < 1e-3 && clip.y.abs() < 1e-3, "{clip}");
    }
}
