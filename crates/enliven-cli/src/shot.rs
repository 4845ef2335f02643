//! Where the camera is in each frame of a film.

use enliven::glam::Vec3;
use enliven_render::{Bounds, Camera, Framing, Stage, head_points_of, points_of};

use crate::cast::Cast;
use crate::options;

/// Most moments of a film at which the bodies are looked at for the framing.
const LOOKS: usize = 16;
/// A camera follows a subject that travels farther than this, in heights of the subject.
const TRAVEL: f32 = 0.75;
/// The following camera smooths the subject's path over this time to each side, seconds.
const SMOOTHING: f64 = 0.5;

/// The camera and the light of a film.
#[derive(Clone, Debug)]
pub struct Shot {
    camera: Camera,
    stage: Stage,
    /// How far camera and ground have moved in each frame; empty: they stand still.
    path: Vec<Vec3>,
}

/// What is asked of a shot.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Where the picture is taken from.
    pub camera: options::Camera,
    /// What stands behind.
    pub background: options::Background,
    /// Width ÷ height of the picture.
    pub aspect: f32,
    /// Number of frames, at least 1.
    pub frames: usize,
    /// Seconds from one frame to the next.
    pub dt: f64,
}

impl Shot {
    /// Plans the shot by a rehearsal: `cast` stands where the film begins and plays it through.
    #[must_use]
    pub fn plan(mut cast: Cast, wish: &Wish) -> Self {
        let face = wish.camera == options::Camera::Framing(Framing::Face);
        let every = wish.frames.div_ceil(LOOKS);
        let mut places = Vec::with_capacity(wish.frames);
        let mut points = Vec::new();
        let mut first = None;
        for frame in 0..wish.frames {
            if frame > 0 {
                cast.step(wish.dt);
            }
            let place = centre_of_roots(&cast);
            places.push(place);
            // The last frame counts too: a film may end with its farthest reach.
            if frame % every == 0 || frame + 1 == wish.frames {
                let start = points.len();
                for actor in cast.actors() {
                    let (character, pose) = (actor.character(), actor.pose());
                    points.extend(if face {
                        head_points_of(character, pose)
                    } else {
                        points_of(character, pose)
                    });
                }
                first = first.or_else(|| Bounds::of(points.iter().copied()));
                points[start..].iter_mut().for_each(|point| *point -= place);
            }
        }
        // Nothing to see is framed as a person would be.
        let subject = first.unwrap_or(Bounds { low: Vec3::ZERO, high: Vec3::new(0.5, 1.7, 0.5) });
        let start = places.first().copied().unwrap_or_default();
        let height = (subject.high - subject.low).max_element();
        let travels = places.iter().any(|place| place.distance(start) > TRAVEL * height);
        let path = if travels { smooth(&places, wish.dt) } else { Vec::new() };
        if !travels {
            points.iter_mut().for_each(|point| *point += start);
        }
        let mut stage = Stage::under(&subject);
        stage.background = match wish.background {
            options::Background::Sky => enliven_render::Background::Sky,
            options::Background::Transparent => enliven_render::Background::Transparent,
            options::Background::Colour(colour) => {
                enliven_render::Background::Colour(colour.map(|part| f32::from(part) / 255.0))
            }
        };
        let mut shot = Self { camera: Camera::default(), stage, path };
        match wish.camera {
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

    /// Camera and light of frame number `index`.
    #[must_use]
    pub fn frame(&self, index: usize) -> (Camera, Stage) {
        let (mut camera, mut stage) = (self.camera, self.stage);
        if let Some(moved) = self.path.get(index) {
            camera.eye += *moved;
            camera.target += *moved;
            if let Some(ground) = &mut stage.ground {
                ground.centre += Vec3::new(moved.x, 0.0, moved.z);
            }
        }
        (camera, stage)
    }
}

fn centre_of_roots(cast: &Cast) -> Vec3 {
    let count = cast.actors().len().max(1) as f32;
    let sum: Vec3 = cast.actors().map(|actor| actor.pose().root.translation).sum();
    let mean = sum / count;
    if mean.is_finite() { mean } else { Vec3::ZERO }
}

/// The mean of the path over a window around each frame, which is what a steady hand follows.
fn smooth(places: &[Vec3], dt: f64) -> Vec<Vec3> {
    let reach = (SMOOTHING / dt.max(1e-3)).round() as usize;
    let last = places.len() - 1;
    let at = |frame: usize| {
        // Near the ends the window shrinks on both sides, so that the camera does not lag there.
        let reach = reach.min(frame).min(last - frame);
        let window = &places[frame - reach..=frame + reach];
        window.iter().sum::<Vec3>() / window.len() as f32
    };
    (0..places.len()).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_path_is_followed_without_lag() {
        let places: Vec<Vec3> = (0..100).map(|i| Vec3::X * i as f32 * 0.1).collect();
        for (smoothed, place) in smooth(&places, 1.0 / 30.0).iter().zip(&places) {
            assert!(smoothed.distance(*place) < 1e-4);
        }
    }

    #[test]
    fn a_shaking_path_is_smoothed() {
        let places: Vec<Vec3> = (0..100).map(|i| Vec3::Y * (i % 2) as f32).collect();
        for smoothed in &smooth(&places, 1.0 / 30.0)[15..85] {
            assert!((smoothed.y - 0.5).abs() < 0.05, "{smoothed}");
        }
    }
}
