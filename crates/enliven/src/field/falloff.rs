//! How far a body part reaches over a surface.

use super::Surface;
use crate::math;
use glam::Vec3;

/// A weight in [0, 1] for every vertex. Positions in metres in the space of the file at rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Falloff {
    /// 1 everywhere.
    Everywhere,
    /// Eases from 0 where `axis · p` = `from` to 1 where it is `to`, as `smoothstep`. `to` may lie
    /// below `from`.
    Ramp {
        /// Direction; its length counts.
        axis: Vec3,
        /// Metres along the axis.
        from: f32,
        /// Metres along the axis.
        to: f32,
    },
    /// 1 inside the radius, easing to 0 over `soft` metres outside.
    Sphere {
        /// Middle.
        center: Vec3,
        /// Metres.
        radius: f32,
        /// Metres.
        soft: f32,
    },
    /// As [`Falloff::Sphere`], about a line from `a` to `b`.
    Capsule {
        /// One end.
        a: Vec3,
        /// The other end.
        b: Vec3,
        /// Metres.
        radius: f32,
        /// Metres.
        soft: f32,
    },
    /// 1 inside the box along the axes, easing to 0 over `soft` metres outside.
    Box {
        /// Lowest corner.
        low: Vec3,
        /// Highest corner.
        high: Vec3,
        /// Metres.
        soft: f32,
    },
    /// 1 where the vertex colour (linear RGB) is nearer than `within`, easing to 0 over `soft`.
    Color {
        /// Linear RGB.
        rgb: Vec3,
        /// Distance in linear RGB.
        within: f32,
        /// Distance in linear RGB.
        soft: f32,
    },
    /// 1 on meshes of this name, of a node of this name, or of a material of this name.
    Part(String),
    /// 1 on the loose piece of mesh whose box has its middle nearest to this point. In
    /// [`Falloff::All`] only pieces that the terms before it touch are looked at.
    Piece(Vec3),
    /// The product: where all of them are.
    All(Vec<Falloff>),
    /// The complement of the product of complements: where any of them is.
    Any(Vec<Falloff>),
    /// 1 − the other.
    Not(Box<Falloff>),
}

impl Falloff {
    /// A falloff and the complement of another: what a head is without the arms.
    pub fn without(self, other: Self) -> Self {
        Self::All(vec![self, Self::Not(Box::new(other))])
    }

    /// The weight of every vertex of a surface.
    pub fn weights(&self, on: &Surface) -> Vec<f32> {
        self.within(on, None)
    }

    fn within(&self, on: &Surface, so_far: Option<&[f32]>) -> Vec<f32> {
        let at = |f: &dyn Fn(Vec3) -> f32| on.points.iter().map(|p| f(*p)).collect::<Vec<_>>();
        let out = |d: f32, soft: &f32| 1.0 - math::smoothstep(0.0, soft.max(1e-9), d);
        let mut w = match self {
            Self::Everywhere => vec![1.0; on.points.len()],
            Self::Ramp { axis, from, to } => at(&|p| {
                let x = axis.dot(p);
                if from <= to {
                    math::smoothstep(*from, *to, x)
                } else {
                    math::smoothstep(-from, -to, -x)
                }
            }),
            Self::Sphere { center, radius, soft } => {
                at(&|p| out(p.distance(*center) - radius, soft))
            }
            Self::Capsule { a, b, radius, soft } => at(&|p| {
                let (d, l) = (*b - *a, (*b - *a).length_squared());
                let t = if l > 0.0 { ((p - *a).dot(d) / l).clamp(0.0, 1.0) } else { 0.0 };
                out(p.distance(*a + d * t) - radius, soft)
            }),
            Self::Box { low, high, soft } => at(&|p| {
                let outside = (*low - p).max(p - *high).max(Vec3::ZERO);
                out(outside.length(), soft)
            }),
            Self::Color { rgb, within, soft } => on
                .paint
                .iter()
                .map(|c| c.map_or(0.0, |c| out(c.distance(*rgb) - within, soft)))
                .collect(),
            Self::Part(name) => {
                on.mesh.iter().map(|m| f32::from(on.is_part(*m as usize, name))).collect()
            }
            Self::Piece(point) => {
                let seen = |c: usize| match so_far {
                    None => true,
                    Some(w) => on.piece.iter().zip(w).any(|(p, w)| *p as usize == c && *w > 0.0),
                };
                let distance = |c: usize| (on.pieces[c].middle() - *point).length_squared();
                // Nearest first, so that `seen`, which visits every vertex, runs once or twice.
                let mut order: Vec<usize> = (0..on.pieces.len()).collect();
                order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
                let best = order.into_iter().find(|&c| seen(c));
                on.piece.iter().map(|c| f32::from(Some(*c as usize) == best)).collect()
            }
            Self::All(list) => {
                let mut w = vec![1.0; on.points.len()];
                for f in list {
                    let next = f.within(on, Some(&w));
                    w.iter_mut().zip(next).for_each(|(w, n)| *w *= n);
                }
                w
            }
            Self::Any(list) => {
                let mut rest = vec![1.0; on.points.len()];
                for f in list {
                    rest.iter_mut().zip(f.within(on, so_far)).for_each(|(r, n)| *r *= 1.0 - n);
                }
                rest.iter().map(|r| 1.0 - r).collect()
            }
            Self::Not(f) => f.within(on, None).iter().map(|w| 1.0 - w).collect(),
        };
        // Numbers that a person typed may be anything.
        w.iter_mut().for_each(|w| *w = if *w > 0.0 { w.min(1.0) } else { 0.0 });
        w
    }
}
