//! Who need not be drawn.

use enliven::glam::{Mat4, Vec3, Vec4};

use crate::bounds::Bounds;
use crate::scene::Scene;
use crate::shadow::ShadowView;

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

/// Why each body of a scene is drawn.
#[derive(Debug, Default)]
pub(crate) struct Sights {
    pub(crate) list: Vec<Sight>,
    boxes: Vec<Option<Bounds>>,
}

impl Sights {
    /// All of so many are seen.
    pub(crate) fn see_all(&mut self, count: usize) {
        self.list.clear();
        self.list.resize(count, Sight::Seen);
    }

    /// How many are drawn for that reason or a better one.
    pub(crate) fn count(&self, up_to: Sight) -> u32 {
        self.list.iter().filter(|sight| **sight <= up_to).count() as u32
    }

    /// Finds out who is in the picture and whose shadow may be; returns the sun's view of those.
    pub(crate) fn look(
        &mut self,
        scene: &Scene<'_>,
        aspect: f32,
        texels: u32,
    ) -> Option<ShadowView> {
        let sun = &scene.stage.sun;
        self.boxes.clear();
        self.boxes.extend(
            scene
                .bodies
                .iter()
                .map(|body| body.model.bounds(body.palette, body.channels, &body.root)),
        );
        let outline = scene.bodies.iter().filter_map(|body| body.outline.map(|o| o.width));
        let margin = outline.fold(0.0, f32::max) * 2.0;
        let view = Frustum::of(&scene.camera.clip_from_world(aspect), margin);
        let all = self.boxes.iter().flatten().copied().reduce(Bounds::union);
        // A shadow falls as far as the ground and the lowest body.
        let toward = sun.direction.try_normalize().unwrap_or(Vec3::Y);
        let low = all.map_or(0.0, |all| all.low.y);
        let low = scene.stage.ground.map_or(low, |ground| low.min(ground.centre.y));
        let fall = |bounds: &Bounds| {
            let down = (bounds.high.y - low).max(0.0);
            // Of a sun near the horizon shadows are endless: as long as a hundred heights.
            toward * -(down / toward.y.max(0.01))
        };
        self.list.clear();
        self.list.extend(self.boxes.iter().map(|bounds| match bounds {
            Some(bounds) if view.may_show(bounds, Vec3::ZERO) => Sight::Seen,
            Some(bounds) if sun.shadow && view.may_show(bounds, fall(bounds)) => Sight::Shadow,
            Some(_) => Sight::Nothing,
            // Nothing is known of where it is.
            None => Sight::Seen,
        }));
        if !sun.shadow {
            return None;
        }
        let casting = self.boxes.iter().zip(&self.list);
        let casting = casting.filter(|(_, sight)| **sight <= Sight::Shadow);
        let casters = casting.filter_map(|(bounds, _)| *bounds).reduce(Bounds::union)?;
        let shadow = ShadowView::new(sun, &sun.within.unwrap_or(casters), texels);
        let light = Frustum::of_light(&shadow.clip_from_world);
        for (bounds, sight) in self.boxes.iter().zip(&mut self.list) {
            let beside = bounds.is_some_and(|bounds| !light.may_show(&bounds, Vec3::ZERO));
            if *sight == Sight::Shadow && beside {
                *sight = Sight::Nothing;
            }
        }
        Some(shadow)
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
