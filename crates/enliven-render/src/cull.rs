//! Who need not be drawn.

use enliven::glam::{Mat4, Vec3, Vec4};

use crate::bounds::Bounds;

/// What a view can show, as planes: a point is within where it is in front of all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frustum {
    planes: [Vec4; 5],
}

/// Why a body is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sight {
    /// It is in the picture.
    Seen,
    /// It is not, but its shadow may be.
    Shadow,
    /// Neither.
    Nothing,
}

impl Frustum {
    /// Of a view with depth from 1, near, to 0 at no end; wider than the picture by `margin`, a part
    /// of its size.
    pub(crate) fn of(clip_from_world: &Mat4, margin: f32) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| clip_from_world.row(i));
        let wide = w * (1.0 + margin);
        Self { planes: [wide + x, wide - x, wide + y, wide - y, w - z] }
    }

    /// The space of an orthographic view, from depth 0 to 1.
    pub(crate) fn of_light(clip_from_world: &Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| clip_from_world.row(i));
        // What is nearer to the sun than the view would be cut off in it.
        Self { planes: [w + x, w - x, w + y, w - y, w - z] }
    }

    /// Whether a box swept along `by` may be within: false only where it is wholly before one plane.
    pub(crate) fn may_show(&self, bounds: &Bounds, by: Vec3) -> bool {
        let (centre, half) = (bounds.centre(), bounds.half());
        self.planes.iter().all(|plane| {
            let normal = plane.truncate();
            let reach = half.dot(normal.abs()) + normal.dot(by).max(0.0);
            let front = normal.dot(centre) + plane.w + reach;
            // Nobody knows where that is: it is drawn.
            front >= 0.0 || front.is_nan()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;

    fn cube(at: Vec3) -> Bounds {
        Bounds { low: at - Vec3::splat(0.5), high: at + Vec3::splat(0.5) }
    }

    #[test]
    fn what_is_beside_above_or_behind_is_not_shown() {
        let camera = Camera::default();
        let view = Frustum::of(&camera.clip_from_world(1.5), 0.0);
        let shows = |at: Vec3| view.may_show(&cube(at), Vec3::ZERO);
        assert!(shows(camera.target) && shows(Vec3::new(0.0, 1.0, -500.0)));
        assert!(!shows(Vec3::new(4.0, 1.0, 0.0)) && !shows(Vec3::new(-4.0, 1.0, 0.0)));
        assert!(!shows(Vec3::new(0.0, 4.0, 0.0)) && !shows(Vec3::new(0.0, -3.0, 0.0)));
        assert!(!shows(camera.eye + (camera.eye - camera.target)), "behind the eye");
        assert!(shows(camera.eye), "around the eye");
        let far_left = cube(Vec3::new(-4.0, 1.0, 0.0));
        assert!(view.may_show(&far_left, Vec3::new(3.0, -1.0, 0.0)), "its shadow falls into view");
        assert!(!view.may_show(&far_left, Vec3::new(-3.0, -1.0, 0.0)));
        let unknown = Bounds { low: Vec3::NAN, high: Vec3::NAN };
        assert!(view.may_show(&unknown, Vec3::ZERO));
    }
}
