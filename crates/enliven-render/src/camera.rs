//! Where the eye is, and named ways to frame a subject.

use enliven::glam::{Mat4, Vec3, Vec4};
use enliven::math;

/// An eye that looks at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is, metres.
    pub eye: Vec3,
    /// What it looks at.
    pub target: Vec3,
    /// Roughly up in the picture.
    pub up: Vec3,
    /// Angle of view from bottom to top, radians.
    pub fov_y: f32,
}

impl Default for Camera {
    /// Before a person's upper body.
    fn default() -> Self {
        Self {
            eye: Vec3::new(0.0, 1.2, 4.0),
            target: Vec3::new(0.0, 0.9, 0.0),
            up: Vec3::Y,
            fov_y: FOV_Y,
        }
    }
}

/// A long lens: a person's features keep their proportions. 26° is a 52 mm lens on 24 mm film.
const FOV_Y: f32 = 0.4538;

/// Named framings. A character faces +Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Framing {
    /// Straight from the front.
    Front,
    /// From the front and its left side, slightly from above.
    #[default]
    ThreeQuarter,
    /// From its right side, so that it walks to the right of the picture.
    Side,
    /// From behind.
    Back,
    /// The head from the front, a little from the side.
    Face,
    /// From above, its front downward in the picture.
    Top,
}

impl Framing {
    /// All of them with their names.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Front, "front"),
        (Self::ThreeQuarter, "three-quarter"),
        (Self::Side, "side"),
        (Self::Back, "back"),
        (Self::Face, "face"),
        (Self::Top, "top"),
    ];

    /// The framing of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(framing, _)| *framing)
    }

    /// Towards the eye, and up in the picture.
    fn axes(self) -> (Vec3, Vec3) {
        // Azimuth from the front towards the character's left, and elevation, degrees.
        let (azimuth, elevation) = match self {
            Self::Front => (0.0, 4.0),
            Self::ThreeQuarter => (32.0, 7.0),
            Self::Side => (-90.0, 4.0),
            Self::Back => (180.0, 6.0),
            Self::Face => (16.0, 2.0),
            Self::Top => return (Vec3::Y, Vec3::NEG_Z),
        };
        let (sin, cos) = math::sin_cos(f32::to_radians(azimuth));
        let (rise, level) = math::sin_cos(f32::to_radians(elevation));
        (Vec3::new(sin * level, rise, cos * level), Vec3::Y)
    }
}

/// Free margin on each side, a fraction of the picture: left and right, top, bottom. The bottom
/// has more for the shadow.
const MARGINS: [f32; 3] = [0.09, 0.10, 0.13];
/// Margins of a face: it fills the picture from brow to chin.
const FACE_MARGINS: [f32; 3] = [0.14, 0.12, 0.10];

impl Camera {
    /// Frames a set of points as tightly as the margins allow, in a picture of `aspect` (width ÷
    /// height). Without any finite point it is [`Camera::default`].
    pub fn framed(framing: Framing, points: &[Vec3], aspect: f32) -> Self {
        let margins = if framing == Framing::Face { FACE_MARGINS } else { MARGINS };
        let (toward, up) = framing.axes();
        Self::fit(toward, up, points, aspect, margins)
    }

    /// Frames points from a direction; see [`Camera::framed`].
    pub fn from_direction(toward_eye: Vec3, points: &[Vec3], aspect: f32) -> Self {
        let toward = toward_eye.try_normalize().unwrap_or(Vec3::Z);
        let up = if toward.y.abs() > 0.999 { Vec3::NEG_Z } else { Vec3::Y };
        Self::fit(toward, up, points, aspect, MARGINS)
    }

    /// Each side of the view is a plane through the eye. Pushed against the points, left and right
    /// planes meet where the eye must be across, top and bottom where it must be in height; the
    /// farther of the two distances holds both.
    fn fit(toward: Vec3, up: Vec3, points: &[Vec3], aspect: f32, margins: [f32; 3]) -> Self {
        let aspect = if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 };
        let right = up.cross(toward).normalize();
        let above = toward.cross(right);
        let tall = math::tan(FOV_Y * 0.5);
        let wide = tall * aspect * (1.0 - 2.0 * margins[0]);
        let (high, low) = (tall * (1.0 - 2.0 * margins[1]), tall * (1.0 - 2.0 * margins[2]));

        // Largest of ±(p · axis) + slope · (p · toward) over all points, for the four planes.
        let mut reach = [f32::NEG_INFINITY; 4];
        let mut nearest = f32::NEG_INFINITY;
        let mut middle = (f32::INFINITY, f32::NEG_INFINITY);
        for point in points.iter().filter(|point| point.is_finite()) {
            let (x, y, z) = (point.dot(right), point.dot(above), point.dot(toward));
            let sides = [x + wide * z, wide * z - x, y + high * z, low * z - y];
            for (reach, side) in reach.iter_mut().zip(sides) {
                *reach = reach.max(side);
            }
            nearest = nearest.max(z);
            middle = (middle.0.min(z), middle.1.max(z));
        }
        if !reach.iter().all(|reach| reach.is_finite()) {
            return Self::default();
        }
        // x + wide · z ≤ eye_x + wide · eye_z and its three siblings, met with equality in pairs.
        let eye_x = (reach[0] - reach[1]) * 0.5;
        let far_x = (reach[0] + reach[1]) * 0.5 / wide;
        let far_y = (reach[2] + reach[3]) / (high + low);
        let size = (middle.1 - middle.0).max((reach[0] + reach[1]) - 2.0 * wide * nearest);
        // A lone point is looked at from near by, as far as its coordinates can tell apart.
        let size = size.max(nearest.abs() * 1e-3).max(1e-6);
        let eye_z = far_x.max(far_y).max(nearest + size * 0.05);
        // Where the width decides, the free height is shared out as the margins are.
        let slack = (high + low) * eye_z - (reach[2] + reach[3]);
        let eye_y = reach[2] - high * eye_z + slack * high / (high + low);
        // Where the height decides, perspective leaves the width a little off the middle.
        let mut eye_x = eye_x;
        for _ in 0..4 {
            let (mut left, mut right_most) = (f32::INFINITY, f32::NEG_INFINITY);
            for point in points.iter().filter(|point| point.is_finite()) {
                let across = (point.dot(right) - eye_x) / (eye_z - point.dot(toward));
                left = left.min(across);
                right_most = right_most.max(across);
            }
            eye_x += (left + right_most) * 0.5 * (eye_z - nearest);
        }
        let eye = right * eye_x + above * eye_y + toward * eye_z;
        let target = eye - toward * (eye_z - (middle.0 + middle.1) * 0.5);
        Self { eye, target, up, fov_y: FOV_Y }
    }

    /// Unit vectors right, up and towards the eye.
    pub fn basis(&self) -> (Vec3, Vec3, Vec3) {
        let toward = (self.eye - self.target).try_normalize().unwrap_or(Vec3::Z);
        let right = self.up.cross(toward);
        let right = right.try_normalize().unwrap_or_else(|| toward.any_orthonormal_vector());
        (right, toward.cross(right), toward)
    }

    /// Distance between eye and target, never zero.
    pub fn distance(&self) -> f32 {
        self.eye.distance(self.target).max(f32::MIN_POSITIVE)
    }

    /// World → clip space with reversed depth: 1 near, 0 infinitely far, so that any size of
    /// subject has depth to spare.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        let (right, up, toward) = self.basis();
        let scale = 1.0 / math::tan(self.fov_y * 0.5);
        let near = self.distance() * NEAR;
        let row = |axis: Vec3, factor: f32| (axis * factor).extend(-axis.dot(self.eye) * factor);
        let depth = -row(toward, 1.0);
        Mat4::from_cols(
            row(right, scale / aspect),
            row(up, scale),
            Vec4::new(0.0, 0.0, 0.0, near),
            depth,
        )
        .transpose()
    }
}

/// Near plane, a fraction of the distance to the target.
const NEAR: f32 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Bounds;

    /// Corners of the points' picture: lowest x, highest x, lowest y, highest y, −1..1.
    fn picture(camera: &Camera, points: &[Vec3], aspect: f32) -> [f32; 4] {
        let clip = camera.clip_from_world(aspect);
        let mut out = [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY];
        for point in points {
            let p = clip.project_point3(*point);
            out = [out[0].min(p.x), out[1].max(p.x), out[2].min(p.y), out[3].max(p.y)];
            assert!(p.z > 0.0 && p.z < 1.0, "{p}");
        }
        out
    }

    #[test]
    fn framings_fill_the_picture_at_any_size() {
        for scale in [0.001, 1.0, 1000.0] {
            for shape in [Vec3::new(0.5, 1.7, 0.3), Vec3::new(3.0, 0.4, 1.0), Vec3::ONE] {
                let bounds = Bounds { low: Vec3::ZERO, high: shape * scale };
                for (framing, name) in Framing::ALL {
                    for aspect in [0.5, 1.0, 1.78] {
                        let points = bounds.corners();
                        let camera = Camera::framed(framing, &points, aspect);
                        let [left, right, bottom, top] = picture(&camera, &points, aspect);
                        let label = format!("{name} {shape} {scale} {aspect}");
                        assert!(left > -0.9 && right < 0.9, "{label}: {left} {right}");
                        assert!(bottom > -0.9 && top < 0.9, "{label}: {bottom} {top}");
                        let filled = (right - left).max(top - bottom);
                        assert!(filled > 1.4, "{label}: {filled}");
                        assert!((left + right).abs() < 0.02, "{label}: off centre");
                    }
                }
            }
        }
    }

    #[test]
    fn degenerate_subjects_have_a_camera() {
        assert_eq!(Camera::framed(Framing::Front, &[], 1.0), Camera::default());
        assert_eq!(Camera::framed(Framing::Front, &[Vec3::NAN], 1.0), Camera::default());
        for points in [&[Vec3::ONE][..], &[Vec3::ONE, Vec3::ONE * 1e30]] {
            let camera = Camera::framed(Framing::ThreeQuarter, points, 1.0);
            assert!(camera.eye.is_finite() && camera.eye != camera.target, "{camera:?}");
        }
    }

    #[test]
    fn the_side_shows_a_walk_to_the_right() {
        let points = [Vec3::ZERO, Vec3::Y, Vec3::Z];
        let camera = Camera::framed(Framing::Side, &points, 1.0);
        let clip = camera.clip_from_world(1.0);
        assert!(clip.project_point3(Vec3::Z).x > clip.project_point3(Vec3::ZERO).x);
        assert_eq!(Framing::named("side"), Some(Framing::Side));
        assert_eq!(Framing::named("Side"), None);
    }
}
