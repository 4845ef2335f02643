//! What a picture shows, as plain data.

use enliven::glam::Vec3;
use enliven::{Affine, Breeze, math};

use crate::bounds::Bounds;
use crate::camera::Camera;
use crate::gpu::GpuError;
use crate::model::Model;

/// Everything that one picture shows. Borrowed: a scene is put together anew each frame for
/// nothing.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Where the eye is.
    pub camera: Camera,
    /// Light and surroundings.
    pub stage: Stage,
    /// Who stands there. Bodies of one model are one draw a mesh and pass.
    pub bodies: &'a [Body<'a>],
    /// Lines over everything.
    pub lines: &'a [Line],
}

/// One living copy of a model.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// What it is a copy of.
    pub model: &'a Model,
    /// Palette as [`enliven::Actor::palette`] has it.
    pub palette: &'a [Affine],
    /// Channels of its pose; morph weights are read from it.
    pub channels: &'a [f32],
    /// Where it stands in the world.
    pub root: Affine,
    /// A line round its silhouette.
    pub outline: Option<Outline>,
}

impl<'a> Body<'a> {
    /// An actor as it stands now.
    pub fn of(model: &'a Model, actor: &'a enliven::Actor) -> Self {
        Self {
            model,
            palette: actor.palette(),
            channels: actor.pose().channels(),
            root: Affine::from(&actor.pose().root),
            outline: None,
        }
    }
}

/// A line round a silhouette.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// Linear display colour.
    pub colour: Vec3,
    /// Width, a fraction of the picture's height (0.003 is a thin line).
    pub width: f32,
}

/// A straight line of even width, drawn over everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// One end, metres. A line without length is a square dot.
    pub start: Vec3,
    /// The other end.
    pub end: Vec3,
    /// Linear display colour and opacity.
    pub colour: [f32; 4],
    /// Pixels.
    pub width: f32,
}

/// Light and surroundings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// The sun.
    pub sun: Sun,
    /// The sky, which also lights.
    pub sky: Sky,
    /// What the bodies stand on.
    pub ground: Option<Ground>,
    /// What is behind everything.
    pub background: Background,
    /// Factor on all light before the tone map; 0.9 suits the default sun and sky.
    pub exposure: f32,
    /// Mist that hides what is far.
    pub mist: Mist,
    /// Wind and time, for fur, plants and water.
    pub air: Breeze,
    /// A boat that water shows the wake of.
    pub wake: Option<Wake>,
    /// Seconds; textures that move by themselves are where they are at this time.
    pub time: f64,
}

/// Mist that is everywhere the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mist {
    /// Linear RGB radiance of mist without end.
    pub colour: Vec3,
    /// 1/m: after this distance inverted a third of the light is left; 0 is clear air.
    pub density: f32,
}

/// What moves through the water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wake {
    /// Middle of the boat, on the water, metres.
    pub place: Vec3,
    /// m/s; y is ignored.
    pub velocity: Vec3,
}

/// A far light with a shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Towards the sun; any length but zero.
    pub direction: Vec3,
    /// Linear RGB, the light that a white surface facing it sends back.
    pub colour: Vec3,
    /// Penumbra width per unit of distance between blocker and receiver; the real sun has 0.009.
    pub softness: f32,
    /// Whether it throws shadows.
    pub shadow: bool,
    /// Where shadows are drawn; `None`: wherever a body is. A wide landscape keeps them sharp by
    /// naming its middle.
    pub within: Option<Bounds>,
}

/// The dome above. Linear RGB radiance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Overhead.
    pub zenith: Vec3,
    /// At the horizon.
    pub horizon: Vec3,
    /// Light that comes back from below.
    pub bounce: Vec3,
    /// 0 day … 1 night: less light comes through leaves, and drawn colours are dimmed.
    pub night: f32,
    /// How much of the sky clouds cover, 0..1.
    pub clouds: f32,
    /// Brightness of the stars, 0 none … 1.
    pub stars: f32,
    /// Radius of the disc of the sun or moon, radians; 0: it is not seen.
    pub disc: f32,
}

/// A floor that fades into the distance and carries the shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Its middle; the y is the floor's height.
    pub centre: Vec3,
    /// Where it has wholly faded, metres from the middle.
    pub radius: f32,
    /// Linear albedo.
    pub colour: Vec3,
    /// Size of a grid cell, metres.
    pub cell: f32,
}

/// What is behind everything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Background {
    /// The sky.
    #[default]
    Sky,
    /// One colour, sRGB 0..=1, as it will stand in the picture.
    Colour([f32; 3]),
    /// Nothing: the picture's alpha is the coverage; of the ground only the shadow remains.
    Transparent,
}

impl Default for Sun {
    /// A warm morning sun from the upper left of one who looks at a character's front.
    fn default() -> Self {
        Self {
            direction: Vec3::new(-0.42, 0.78, 0.60),
            colour: Vec3::new(3.00, 2.55, 1.95),
            softness: 0.07,
            shadow: true,
            within: None,
        }
    }
}

impl Default for Sky {
    fn default() -> Self {
        Self {
            zenith: Vec3::new(0.18, 0.62, 1.70),
            horizon: Vec3::new(1.85, 1.74, 1.45),
            bounce: Vec3::new(0.58, 0.54, 0.34),
            night: 0.0,
            clouds: 0.0,
            stars: 0.0,
            disc: 0.0,
        }
    }
}

impl Ground {
    /// A floor under a subject: its grid and its reach go with the subject's height.
    pub fn under(subject: &Bounds) -> Self {
        let centre = subject.centre();
        let size = subject.half() * 2.0;
        let height = size.max_element().max(f32::MIN_POSITIVE);
        Self {
            centre: Vec3::new(centre.x, subject.low.y, centre.z),
            radius: height * 40.0,
            colour: Vec3::new(0.24, 0.31, 0.14),
            cell: cell_for(height),
        }
    }
}

/// A fifth of the power of ten next to the height: a person's grid is 0.2 m.
fn cell_for(height: f32) -> f32 {
    let exponent = (math::ln(height) / std::f32::consts::LN_10).round();
    0.2 * math::pow(10.0, exponent)
}

impl Stage {
    /// The default stage under a subject.
    pub fn under(subject: &Bounds) -> Self {
        Self {
            sun: Sun::default(),
            sky: Sky::default(),
            ground: Some(Ground::under(subject)),
            background: Background::Sky,
            exposure: 0.9,
            mist: Mist::default(),
            air: Breeze::CALM,
            wake: None,
            time: 0.0,
        }
    }
}

/// Whether bodies have the palettes and channels of their models.
pub(crate) fn check(bodies: &[Body<'_>]) -> Result<(), GpuError> {
    for (index, body) in bodies.iter().enumerate() {
        let model = &*body.model.inner;
        if body.palette.len() != model.palette_len {
            return Err(GpuError::Body { index, what: "palette" });
        }
        if body.channels.len() != model.channel_count {
            return Err(GpuError::Body { index, what: "channels" });
        }
    }
    Ok(())
}

pub(crate) fn is_on(channel: f32) -> bool {
    channel >= enliven::Character::SHOWN_FROM
}

/// Which of the channels that hide meshes show.
pub(crate) fn shown<'a>(body: &'a Body<'_>) -> impl Iterator<Item = bool> + 'a {
    body.model.inner.switches.iter().map(|c| is_on(body.channels[*c]))
}

/// Whether bodies are drawn together.
pub(crate) fn are_alike(a: &Body<'_>, b: &Body<'_>) -> bool {
    a.model.inner.id == b.model.inner.id && shown(a).eq(shown(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_goes_with_the_height() {
        for (height, cell) in [(1.7, 0.2), (0.001, 0.0002), (1000.0, 200.0)] {
            assert!((cell_for(height) / cell - 1.0).abs() < 1e-4, "{height}: {}", cell_for(height));
        }
    }
}
