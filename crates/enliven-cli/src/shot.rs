//! Where the camera is in each frame of a film.

use enliven::glam::{Quat, Vec3};
use enliven::math;
use enliven_render::{Bounds, Camera, Framing, Stage, TimeOfDay, head_points_of, points_of};

use crate::cast::Cast;
use crate::options;

/// Most moments of a film at which the bodies are looked at for the framing.
const LOOKS: usize = 16;
/// A camera follows a subject that travels farther than this, in heights of the subject.
const TRAVEL: f32 = 0.75;
/// The following camera smooths the subject's path over this time to each side, seconds.
const SMOOTHING: f64 = 0.5;
/// The same for the direction that the subject faces: it swings round more calmly than it moves.
const TURN_SMOOTHING: f64 = 1.0;

/// The camera and the light of a film.
#[derive(Clone, Debug)]
pub struct Shot {
    camera: Camera,
    stage: Stage,
    /// Where the camera's frame of reference is in each frame; empty: it stands still.
    path: Vec<Carriage>,
    /// The scene says where it is looked at from.
    by_scene: bool,
}

/// A frame of reference that goes with a subject: a place and a turn about +Y.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Carriage {
    place: Vec3,
    /// Radians; 0 faces +Z.
    yaw: f32,
}

impl Carriage {
    fn turn(&self) -> Quat {
        Quat::from_rotation_y(self.yaw)
    }
}

/// What is asked of a shot.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Where the picture is taken from; `None`: as a scene likes it, or three-quarter.
    pub camera: Option<options::Camera>,
    /// Light and surroundings; `None`: a floor under the subject in the morning.
    pub stage: Option<Stage>,
    /// What stands behind.
    pub background: options::Background,
    /// The light; `None` is the default stage's.
    pub light: Option<TimeOfDay>,
    /// Width ÷ height of the picture.
    pub aspect: f32,
    /// Number of frames, at least 1.
    pub frames: usize,
    /// Seconds from one frame to the next.
    pub dt: f64,
}

impl Wish {
    fn camera(&self) -> options::Camera {
        self.camera.unwrap_or(options::Camera::Framing(Framing::ThreeQuarter))
    }
}

impl Shot {
    /// Plans the shot of a single picture of the cast as it stands now.
    #[must_use]
    pub fn still(cast: &Cast, wish: &Wish) -> Self {
        Self::of_looks(&[carriage(cast)], vec![(0, looked_at(cast, wish))], whole(cast), wish)
    }

    /// Plans the shot by a rehearsal: `cast` stands where the film begins and plays it through.
    #[must_use]
    pub fn rehearse(mut cast: Cast, wish: &Wish) -> Self {
        let subject = whole(&cast);
        let every = wish.frames.div_ceil(LOOKS);
        let mut carriages = Vec::with_capacity(wish.frames);
        // Points by the frame in which they were seen.
        let mut looks: Vec<(usize, Vec<Vec3>)> = Vec::new();
        for frame in 0..wish.frames {
            if frame > 0 {
                cast.step(wish.dt);
            }
            carriages.push(carriage(&cast));
            // The last frame counts too: a film may end with its farthest reach.
            if frame % every == 0 || frame + 1 == wish.frames {
                looks.push((frame, looked_at(&cast, wish)));
            }
        }
        Self::of_looks(&carriages, looks, subject, wish)
    }

    fn of_looks(
        carriages: &[Carriage],
        looks: Vec<(usize, Vec<Vec3>)>,
        subject: Bounds,
        wish: &Wish,
    ) -> Self {
        let start = carriages.first().map_or(Vec3::ZERO, |carriage| carriage.place);
        let height = (subject.high - subject.low).max_element();
        let travels = |c: &Carriage| c.place.distance(start) > TRAVEL * height;
        let path = if carriages.iter().any(travels) { smooth(carriages, wish.dt) } else { vec![] };
        let mut points = Vec::new();
        for (frame, seen) in looks {
            let Some(carriage) = path.get(frame) else {
                points.extend(seen);
                continue;
            };
            let back = carriage.turn().conjugate();
            points.extend(seen.into_iter().map(|point| back * (point - carriage.place)));
        }
        let mut stage = wish.stage.unwrap_or_else(|| Stage::under(&subject));
        if let (Some(time), None) = (wish.light, wish.stage) {
            stage = stage.lit_by(time.light());
        }
        stage.background = match wish.background {
            options::Background::Sky => enliven_render::Background::Sky,
            options::Background::Transparent => enliven_render::Background::Transparent,
            options::Background::Colour(colour) => {
                enliven_render::Background::Colour(colour.map(|part| f32::from(part) / 255.0))
            }
        };
        let by_scene = wish.camera.is_none() && wish.stage.is_some();
        let mut shot = Self { camera: Camera::default(), stage, path, by_scene };
        match wish.camera() {
            options::Camera::Framing(framing) => {
                shot.camera = Camera::framed(framing, &points, wish.aspect);
            }
            options::Camera::Place { eye, target, fov } => {
                let target = target.map_or(subject.centre(), Vec3::from);
                let (eye, fov_y) = (Vec3::from(eye), fov.to_radians());
                shot.camera = Camera { eye, target, up: Vec3::Y, fov_y };
                // A camera by place stays in its place.
                shot.path.clear();
            }
        }
        shot
    }

    /// Camera and light of frame number `index`, for the cast as it is in it.
    #[must_use]
    pub fn frame(&self, index: usize, cast: &Cast) -> (Camera, Stage) {
        if let (true, Some(view)) = (self.by_scene, cast.view()) {
            let (eye, target, fov_y) = (view.eye, view.target, view.fov_y);
            return (Camera { eye, target, up: Vec3::Y, fov_y }, self.stage);
        }
        let (mut camera, mut stage) = (self.camera, self.stage);
        if let Some(carriage) = self.path.get(index) {
            let turn = carriage.turn();
            camera.eye = carriage.place + turn * camera.eye;
            camera.target = carriage.place + turn * camera.target;
            camera.up = turn * camera.up;
            if let Some(ground) = &mut stage.ground {
                ground.centre.x = carriage.place.x;
                ground.centre.z = carriage.place.z;
            }
        }
        (camera, stage)
    }
}

/// The box of the whole bodies, whatever part of them the picture shows: the ground lies under it.
fn whole(cast: &Cast) -> Bounds {
    let points = cast.actors().flat_map(|actor| points_of(actor.character(), actor.pose()));
    // Nothing to see is framed as a person would be.
    Bounds::of(points).unwrap_or(Bounds { low: Vec3::ZERO, high: Vec3::new(0.5, 1.7, 0.5) })
}

/// The points that the picture has to hold.
fn looked_at(cast: &Cast, wish: &Wish) -> Vec<Vec3> {
    let face = wish.camera() == options::Camera::Framing(Framing::Face);
    let look = if face { head_points_of } else { points_of };
    cast.actors().flat_map(|actor| look(actor.character(), actor.pose())).collect()
}

/// The middle of the bodies' roots, and the way that they face together.
fn carriage(cast: &Cast) -> Carriage {
    let ahead: Vec3 = cast.actors().map(|actor| actor.pose().root.rotation * Vec3::Z).sum();
    let yaw = math::atan2(ahead.x, ahead.z);
    Carriage { place: cast.middle(), yaw: if yaw.is_finite() { yaw } else { 0.0 } }
}

/// The mean of the path over a window around each frame, which is what a steady hand follows.
fn smooth(path: &[Carriage], dt: f64) -> Vec<Carriage> {
    // Angles that go on instead of jumping by a turn.
    let mut yaws: Vec<f32> = Vec::with_capacity(path.len());
    for carriage in path {
        let last = yaws.last().copied().unwrap_or(carriage.yaw);
        yaws.push(last + math::wrap_angle(carriage.yaw - last));
    }
    let last = path.len().saturating_sub(1);
    let window = |frame: usize, seconds: f64| {
        // Near the ends it shrinks on both sides, so that the camera does not lag there.
        let reach = (seconds / dt.max(1e-3)).round() as usize;
        let reach = reach.min(frame).min(last - frame);
        frame - reach..=frame + reach
    };
    let at = |frame: usize| {
        let places = &path[window(frame, SMOOTHING)];
        let yaws = &yaws[window(frame, TURN_SMOOTHING)];
        let place = places.iter().map(|c| c.place).sum::<Vec3>() / places.len() as f32;
        Carriage { place, yaw: yaws.iter().sum::<f32>() / yaws.len() as f32 }
    };
    (0..path.len()).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(at: impl Fn(f32) -> (Vec3, f32)) -> Vec<Carriage> {
        let carriage = |(place, yaw)| Carriage { place, yaw };
        (0..100).map(|i| carriage(at(i as f32))).collect()
    }

    #[test]
    fn a_straight_path_is_followed_without_lag() {
        let path = path(|i| (Vec3::X * i * 0.1, 0.02 * i));
        for (smoothed, carriage) in smooth(&path, 1.0 / 30.0).iter().zip(&path) {
            assert!(smoothed.place.distance(carriage.place) < 1e-4);
            assert!((smoothed.yaw - carriage.yaw).abs() < 1e-4);
        }
    }

    #[test]
    fn a_shaking_path_is_smoothed() {
        let path = path(|i| (Vec3::Y * (i % 2.0), 0.0));
        for smoothed in &smooth(&path, 1.0 / 30.0)[15..85] {
            assert!((smoothed.place.y - 0.5).abs() < 0.05, "{smoothed:?}");
        }
    }

    #[test]
    fn a_turn_past_the_back_goes_on() {
        let path = path(|i| (Vec3::ZERO, math::wrap_angle(i * 0.1)));
        for (i, pair) in smooth(&path, 1.0 / 30.0).windows(2).enumerate() {
            let turned = pair[1].yaw - pair[0].yaw;
            assert!((turned - 0.1).abs() < 1e-3, "frame {i} turns by {turned}");
        }
    }
}
