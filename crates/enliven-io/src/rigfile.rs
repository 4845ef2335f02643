//! Rig files: an [`Anatomy`] and the tuning of a mind as TOML that a person reads and corrects.
//!
//! Lengths in metres and places in the space of the model's file at rest, angles in radians, times
//! in seconds. Everything but `[body]` may be left out: what is not there does not move, and
//! numbers of `[mind.…]` and `[leaf]` that are not there keep their defaults.

mod mind;
mod text;

use enliven::field::{Anatomy, Arm, Belly, Ear, Eye, Falloff, Head, Leg, Prop, Pupil};
use enliven::glam::Vec3;
use enliven::leaf::LeafParams;
use enliven::{MindParams, Side};
use serde::Deserialize;
use thiserror::Error;

/// What a rig file says.
#[derive(Clone, Debug, PartialEq)]
pub struct RigFile {
    /// The parts of the body; `None` where the file tunes a mind only.
    pub anatomy: Option<Anatomy>,
    /// How it moves.
    pub mind: MindParams,
    /// How a leaf that it holds moves.
    pub leaf: LeafParams,
}

/// Why a rig file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RigFileError {
    /// Not TOML, or not of the shape of a rig file.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A number outside its range.
    #[error("{place}: {problem}")]
    Value {
        /// Which one, such as `eye 1: radius`.
        place: String,
        /// What it must be.
        problem: &'static str,
    },
}

impl RigFileError {
    /// Stable, in capitals.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "RIG_FILE_SYNTAX",
            Self::Value { .. } => "RIG_FILE_VALUE",
        }
    }
}

impl RigFile {
    /// Reads a rig file.
    ///
    /// # Errors
    /// With line and column where the text is not TOML, has a field of an unknown name or a wrong
    /// type; with the name of the number where one is not finite or outside its range.
    pub fn parse(text: &str) -> Result<Self, RigFileError> {
        let wire: Wire = toml::from_str(text).map_err(|e| {
            let at = e.span().map_or(0, |s| s.start.min(text.len()));
            let before = text.get(..at).unwrap_or("");
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
            RigFileError::Syntax { line, column, message: e.message().to_owned() }
        })?;
        let anatomy = wire.anatomy()?;
        let mind = wire.mind.into();
        mind::check(&mind)?;
        let leaf = wire.leaf.into();
        mind::check_leaf(&leaf)?;
        Ok(Self { anatomy, mind, leaf })
    }

    /// Writes a rig file, with a comment beside everything. [`RigFile::parse`] gives it back to the
    /// bit.
    ///
    /// `findings` go in as comments on top: what was not found.
    pub fn write(&self, model: &str, findings: &[enliven::Diagnostic]) -> String {
        text::write(self, model, findings)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    body: Option<BodyTable>,
    head: Option<HeadTable>,
    #[serde(default)]
    eye: Vec<EyeTable>,
    #[serde(default)]
    ear: Vec<EarTable>,
    #[serde(default)]
    arm: Vec<ArmTable>,
    #[serde(default)]
    leg: Vec<LegTable>,
    belly: Option<BellyTable>,
    prop: Option<PropTable>,
    #[serde(default)]
    mind: mind::MindTable,
    #[serde(default)]
    leaf: mind::LeafTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyTable {
    base: f32,
    height: f32,
    #[serde(default = "forward")]
    front: [f32; 3],
    grip: Option<[f32; 3]>,
}

fn forward() -> [f32; 3] {
    [0.0, 0.0, 1.0]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadTable {
    pivot: [f32; 3],
    limit: f32,
    field: FieldTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EyeTable {
    side: Place,
    center: [f32; 3],
    radius: f32,
    #[serde(default = "forward")]
    forward: [f32; 3],
    #[serde(default)]
    inset: bool,
    field: FieldTable,
    pupil: Option<PupilTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PupilTable {
    center: [f32; 3],
    field: FieldTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EarTable {
    side: Place,
    base: [f32; 3],
    tip: [f32; 3],
    field: FieldTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArmTable {
    side: Hand,
    shoulder: [f32; 3],
    hand: [f32; 3],
    field: FieldTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LegTable {
    side: Hand,
    knee: [f32; 3],
    foot: [f32; 3],
    field: FieldTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BellyTable {
    center: [f32; 3],
    push: f32,
    field: FieldTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PropTable {
    grip: [f32; 3],
    top: [f32; 3],
    radius: f32,
    stem: FieldTable,
    blade: FieldTable,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    Left,
    Right,
    Middle,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Hand {
    Left,
    Right,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum FieldTable {
    Everywhere,
    Ramp { axis: [f32; 3], from: f32, to: f32 },
    Sphere { center: [f32; 3], radius: f32, soft: f32 },
    Capsule { a: [f32; 3], b: [f32; 3], radius: f32, soft: f32 },
    Box { low: [f32; 3], high: [f32; 3], soft: f32 },
    Color { rgb: [f32; 3], within: f32, soft: f32 },
    Part(String),
    Piece([f32; 3]),
    All(Vec<FieldTable>),
    Any(Vec<FieldTable>),
    Not(std::boxed::Box<FieldTable>),
}

impl From<Place> for Option<Side> {
    fn from(p: Place) -> Self {
        match p {
            Place::Left => Some(Side::Left),
            Place::Right => Some(Side::Right),
            Place::Middle => None,
        }
    }
}

impl From<Hand> for Side {
    fn from(h: Hand) -> Self {
        match h {
            Hand::Left => Self::Left,
            Hand::Right => Self::Right,
        }
    }
}

impl From<&FieldTable> for Falloff {
    fn from(f: &FieldTable) -> Self {
        let list = |l: &[FieldTable]| l.iter().map(Self::from).collect();
        match *f {
            FieldTable::Everywhere => Self::Everywhere,
            FieldTable::Ramp { axis, from, to } => Self::Ramp { axis: axis.into(), from, to },
            FieldTable::Sphere { center, radius, soft } => {
                Self::Sphere { center: center.into(), radius, soft }
            }
            FieldTable::Capsule { a, b, radius, soft } => {
                Self::Capsule { a: a.into(), b: b.into(), radius, soft }
            }
            FieldTable::Box { low, high, soft } => {
                Self::Box { low: low.into(), high: high.into(), soft }
            }
            FieldTable::Color { rgb, within, soft } => {
                Self::Color { rgb: rgb.into(), within, soft }
            }
            FieldTable::Part(ref name) => Self::Part(name.clone()),
            FieldTable::Piece(at) => Self::Piece(at.into()),
            FieldTable::All(ref l) => Self::All(list(l)),
            FieldTable::Any(ref l) => Self::Any(list(l)),
            FieldTable::Not(ref f) => Self::Not(std::boxed::Box::new((&**f).into())),
        }
    }
}

fn bad<T>(place: impl Into<String>, problem: &'static str) -> Result<T, RigFileError> {
    Err(RigFileError::Value { place: place.into(), problem })
}

fn point(place: String, v: [f32; 3]) -> Result<Vec3, RigFileError> {
    let v = Vec3::from(v);
    if v.is_finite() { Ok(v) } else { bad(place, "must be three finite numbers") }
}

fn length(place: String, v: f32) -> Result<f32, RigFileError> {
    if v > 0.0 && v.is_finite() { Ok(v) } else { bad(place, "must be more than 0") }
}

fn direction(place: String, v: [f32; 3]) -> Result<Vec3, RigFileError> {
    let v = point(place.clone(), v)?;
    let l = v.length();
    // A unit vector stays as it is, to the bit.
    if (l - 1.0).abs() < 1e-5 {
        return Ok(v);
    }
    v.try_normalize().map_or_else(|| bad(place, "must have a direction"), Ok)
}

impl Wire {
    fn anatomy(&self) -> Result<Option<Anatomy>, RigFileError> {
        let Some(body) = &self.body else {
            let parts = [
                ("head", self.head.is_some()),
                ("eye", !self.eye.is_empty()),
                ("ear", !self.ear.is_empty()),
                ("arm", !self.arm.is_empty()),
                ("leg", !self.leg.is_empty()),
                ("belly", self.belly.is_some()),
                ("prop", self.prop.is_some()),
            ];
            return match parts.into_iter().find(|(_, there)| *there) {
                Some((part, _)) => bad(part, "needs a [body] with base and height"),
                None => Ok(None),
            };
        };
        point("body: base".into(), [body.base, 0.0, 0.0])?;
        let height = length("body: height".into(), body.height)?;
        let mut front = direction("body: front".into(), body.front)?;
        front.y = 0.0;
        if front.length() < 0.1 {
            return bad("body: front", "must not point up or down");
        }
        let mut out = Anatomy::unknown(body.base, height);
        out.front = front;
        out.grip = body.grip.map(|g| point("body: grip".into(), g)).transpose()?;
        if let Some(h) = &self.head {
            let limit = length("head: limit".into(), h.limit)?;
            let pivot = point("head: pivot".into(), h.pivot)?;
            out.head =
                Some(Head { pivot, limit: limit.min(enliven::math::PI), field: (&h.field).into() });
        }
        for (i, e) in self.eye.iter().enumerate() {
            let at = |what: &str| format!("eye {}: {what}", i + 1);
            let pupil = match &e.pupil {
                Some(p) => {
                    let center = point(at("pupil center"), p.center)?;
                    Some(Pupil { center, field: (&p.field).into() })
                }
                None => None,
            };
            out.eyes.push(Eye {
                side: e.side.into(),
                center: point(at("center"), e.center)?,
                radius: length(at("radius"), e.radius)?,
                forward: direction(at("forward"), e.forward)?,
                field: (&e.field).into(),
                pupil,
                inset: e.inset,
            });
        }
        for (i, e) in self.ear.iter().enumerate() {
            let at = |what: &str| format!("ear {}: {what}", i + 1);
            out.ears.push(Ear {
                side: e.side.into(),
                base: point(at("base"), e.base)?,
                tip: point(at("tip"), e.tip)?,
                field: (&e.field).into(),
            });
        }
        for (i, a) in self.arm.iter().enumerate() {
            let at = |what: &str| format!("arm {}: {what}", i + 1);
            out.arms.push(Arm {
                side: a.side.into(),
                shoulder: point(at("shoulder"), a.shoulder)?,
                hand: point(at("hand"), a.hand)?,
                field: (&a.field).into(),
            });
        }
        for (i, l) in self.leg.iter().enumerate() {
            let at = |what: &str| format!("leg {}: {what}", i + 1);
            out.legs.push(Leg {
                side: l.side.into(),
                knee: point(at("knee"), l.knee)?,
                foot: point(at("foot"), l.foot)?,
                field: (&l.field).into(),
            });
        }
        if let Some(b) = &self.belly {
            let center = point("belly: center".into(), b.center)?;
            point("belly: push".into(), [b.push, 0.0, 0.0])?;
            out.belly = Some(Belly { center, push: b.push, field: (&b.field).into() });
        }
        if let Some(p) = &self.prop {
            out.prop = Some(Prop {
                grip: point("prop: grip".into(), p.grip)?,
                top: point("prop: top".into(), p.top)?,
                radius: length("prop: radius".into(), p.radius)?,
                stem: (&p.stem).into(),
                blade: (&p.blade).into(),
            });
        }
        Ok(Some(out))
    }
}
