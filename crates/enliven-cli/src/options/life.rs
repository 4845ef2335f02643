//! `--alive`, `--rig`, `--look-at`: how subjects live.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use enliven::glam::Vec3;
use enliven::layers::{HeldLeaf, Life};
use enliven::leaf::LeafParams;
use enliven::person::Presence;
use enliven::{Character, Interest, Mind, MindParams, Mood, Point, Region, Stack};
use enliven_io::rigfile::RigFile;

use crate::failure::{Code, Failure};
use crate::subject::Subject;

/// How subjects live: options that several commands share.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Life")]
pub struct LifeOptions {
    /// Let the subjects live: breathe, blink, look around. A static model is measured first; see
    /// `enliven rig`.
    #[arg(long)]
    alive: bool,

    /// Live by this rig file; implies --alive. With several subjects it is for the first one.
    #[arg(long, value_name = "RIG.toml")]
    rig: Option<PathBuf>,

    /// Look at a place, X,Y,Z in metres, or at the `viewer`, or `around` as it pleases.
    #[arg(long, value_name = "WHAT", default_value = "around", allow_hyphen_values = true)]
    look_at: LookAt,

    /// Start with a glance at a place, X,Y,Z in metres: eyes, head, body, a tilt, a slow blink.
    #[arg(long, value_name = "PLACE", value_parser = place, allow_hyphen_values = true)]
    glance: Option<Vec3>,

    /// Start with a blink that is stretched to so many seconds, to look at it shut.
    #[arg(long, value_name = "SECONDS", value_parser = stretch)]
    blink: Option<f32>,

    /// Wind, X,Y,Z in metres a second: moves a held leaf. Without it a light breeze.
    #[arg(long, value_name = "WIND", value_parser = place, allow_hyphen_values = true)]
    wind: Option<Vec3>,

    /// How it feels.
    #[arg(long, value_enum, value_name = "MOOD")]
    mood: Option<MoodName>,

    /// 0 keeps still but for breath and blinks, 1 is as tuned, 2 is restless.
    #[arg(long, value_name = "NUMBER", value_parser = liveliness)]
    liveliness: Option<f32>,
}

/// What `--look-at` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum LookAt {
    #[default]
    Around,
    Viewer,
    Place(Vec3),
}

impl std::str::FromStr for LookAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "around" => Ok(Self::Around),
            "viewer" => Ok(Self::Viewer),
            _ => place(text).map(Self::Place),
        }
    }
}

/// A mood by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MoodName {
    Calm,
    Curious,
    Sleepy,
    Shy,
}

fn place(text: &str) -> Result<Vec3, String> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if Vec3::new(x, y, z).is_finite() => Ok(Vec3::new(x, y, z)),
        _ => Err(format!("`{text}`: a place is X,Y,Z in metres, like 2,1.2,3")),
    }
}

fn stretch(text: &str) -> Result<f32, String> {
    let value = text.parse().ok().filter(|v| (0.1..=3600.0).contains(v));
    value.ok_or_else(|| format!("`{text}`: a blink lasts 0.1 to 3600 seconds"))
}

fn liveliness(text: &str) -> Result<f32, String> {
    let value = text.parse().ok().filter(|v| (0.0..=4.0).contains(v));
    value.ok_or_else(|| format!("`{text}`: liveliness is from 0 to 4"))
}

/// How the bodies of a cast live: what [`LifeOptions`] came to.
#[derive(Clone, Debug, Default)]
pub struct LifeWish {
    params: MindParams,
    leaf: LeafParams,
    look_at: LookAt,
    glance: Option<Vec3>,
    blink: Option<f32>,
    wind: Option<Vec3>,
}

/// A light breeze, m/s.
const BREEZE: Vec3 = Vec3::new(1.2, 0.0, -1.4);

impl LifeOptions {
    /// Whether anything is asked to live.
    #[must_use]
    pub fn asked(&self) -> bool {
        let shown = self.glance.is_some() || self.blink.is_some() || self.wind.is_some();
        let fixed = self.look_at != LookAt::Around || shown;
        self.alive
            || self.rig.is_some()
            || fixed
            || self.mood.is_some()
            || self.liveliness.is_some()
    }

    /// How bodies live by these options.
    ///
    /// # Errors
    /// Where the rig file cannot be read.
    pub fn wish(&self) -> Result<LifeWish, Failure> {
        let file = self.rig.as_deref().map(read).transpose()?;
        Ok(self.wish_with(file.as_ref()))
    }

    fn wish_with(&self, file: Option<&RigFile>) -> LifeWish {
        let mut params = file.map_or_else(MindParams::default, |f| f.mind);
        let leaf = file.map_or_else(LeafParams::default, |f| f.leaf);
        if let Some(mood) = self.mood {
            params.mood = match mood {
                MoodName::Calm => Mood::CALM,
                MoodName::Curious => Mood::CURIOUS,
                MoodName::Sleepy => Mood::SLEEPY,
                MoodName::Shy => Mood::SHY,
            };
        }
        if let Some(liveliness) = self.liveliness {
            params.mood.liveliness = liveliness;
        }
        let (look_at, glance, blink, wind) = (self.look_at, self.glance, self.blink, self.wind);
        LifeWish { params, leaf, look_at, glance, blink, wind }
    }

    /// Gives static subjects joints, and tells how all live; `None` where nothing is asked for.
    ///
    /// # Errors
    /// Where the rig file cannot be read.
    pub fn prepare(&self, subjects: &mut [Subject]) -> Result<Option<LifeWish>, Failure> {
        if !self.asked() && !subjects.iter().any(Subject::is_creature) {
            return Ok(None);
        }
        let file = self.rig.as_deref().map(read).transpose()?;
        for (i, subject) in subjects.iter_mut().enumerate() {
            let given = file.as_ref().and_then(|f| f.anatomy.as_ref()).filter(|_| i == 0);
            subject.come_alive(given)?;
        }
        Ok(Some(self.wish_with(file.as_ref())))
    }
}

impl LifeWish {
    /// Wind, m/s.
    #[must_use]
    pub fn wind(&self) -> Vec3 {
        self.wind.unwrap_or(BREEZE)
    }

    /// Wind that was asked for, m/s.
    #[must_use]
    pub fn asked_wind(&self) -> Option<Vec3> {
        self.wind
    }

    /// The numbers of a held leaf.
    #[must_use]
    pub fn leaf(&self) -> LeafParams {
        self.leaf
    }

    /// The numbers of the mind.
    #[must_use]
    pub fn params(&self) -> MindParams {
        let mut params = self.params;
        if self.look_at == LookAt::Viewer {
            params.look.viewer *= 1e6;
        }
        params
    }

    /// What makes one character live, on top of a stack.
    pub fn push(
        &self,
        stack: &mut Stack,
        presence: &mut Presence,
        character: &Character,
        seed: u64,
    ) {
        if character.rig.regions.has(Region::Prop) {
            stack.push(HeldLeaf::new(character, self.leaf, seed));
        }
        presence.push_life(stack, self.life(character, seed));
    }

    fn life(&self, character: &Character, seed: u64) -> Life {
        let mut life = Life::new(character, self.params(), seed);
        self.direct(&mut life.mind);
        life
    }

    /// Tells a mind what to look at, and asks it for a glance or a blink.
    pub fn direct(&self, mind: &mut Mind) {
        match self.look_at {
            LookAt::Around => {}
            LookAt::Viewer => mind.look_at(Interest::Viewer),
            LookAt::Place(position) => {
                let point = Point { position, weight: 1e6, glance: 0.0 };
                let i = mind.attention.add(point);
                mind.look_at(Interest::Point(i));
            }
        }
        if let Some(at) = self.glance {
            mind.glance_at(at);
        }
        if let Some(seconds) = self.blink {
            mind.blinker_mut().queue(seconds / self.params.blink.length(1.0));
        }
    }
}

/// Reads a rig file.
///
/// # Errors
/// [`Code::Unreadable`] with what is wrong and where.
pub fn read(path: &Path) -> Result<RigFile, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        Failure::new(Code::Unreadable("IO_ERROR"), message)
    })?;
    RigFile::parse(&text).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        Failure::new(Code::Unreadable(error.code()), message)
            .help("`enliven rig MODEL -o rig.toml` writes one that fits")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn places_and_looks() {
        assert_eq!("viewer".parse(), Ok(LookAt::Viewer));
        assert_eq!("1,-2,3.5".parse(), Ok(LookAt::Place(Vec3::new(1.0, -2.0, 3.5))));
        for wrong in ["", "1,2", "1,2,3,4", "1,2,NaN", "left"] {
            assert!(wrong.parse::<LookAt>().is_err(), "{wrong}");
        }
        assert!(stretch("40").is_ok() && stretch("0").is_err() && stretch("nan").is_err());
        assert!(liveliness("0").is_ok() && liveliness("5").is_err());
    }

    #[test]
    fn a_static_subject_is_measured_and_a_moving_one_is_left_alone() {
        let statue = |character| Subject {
            character: Arc::new(character),
            person: None,
            motions: vec![],
            diagnostics: vec![],
            source: crate::report::Source::default(),
            document: None,
        };
        let mut subjects =
            [statue(enliven::builtin::creature_statue()), statue(enliven::builtin::rabbit())];
        let options = LifeOptions { alive: true, ..LifeOptions::default() };
        let wish = options.prepare(&mut subjects).unwrap().unwrap();
        assert!(subjects[0].character.rig.regions.has(Region::Head));
        assert!(subjects[0].character.rig.channels.find("breath").is_some());
        assert_eq!(subjects[1].character.skins.len(), 0);
        assert!(!wish.life(&subjects[0].character, 1).lids().is_empty());
        assert!(LifeOptions::default().prepare(&mut subjects).unwrap().is_none());
    }
}
