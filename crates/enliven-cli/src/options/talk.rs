//! `--mode speaking`, `--mode listening@2`, `--emotion happy:0.6`: a body in company.

use clap::Args;
use enliven::person::{Face, Preset, VoiceMode};

/// What the voice does and how it feels: options that several commands share.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Company")]
pub struct TalkOptions {
    /// What the voice is doing: idle, listening, thinking or speaking, MODE[@START]; may be given
    /// several times. Any body can listen; a person idles without being asked.
    #[arg(long = "mode", value_name = "MODE")]
    modes: Vec<Timed<VoiceMode>>,

    /// How it feels: happy, angry, sad, relaxed, surprised or neutral, NAME[:WEIGHT][@START]; may
    /// be given several times. Shows on a face that has it, and in the posture.
    #[arg(long = "emotion", value_name = "EMOTION")]
    emotions: Vec<Timed<Emotion>>,
}

/// Something from a time of the film on, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Timed<T> {
    what: T,
    start: f64,
}

/// One of [`Face::MOODS`] with its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Emotion {
    which: usize,
    weight: f32,
}

impl std::str::FromStr for Timed<VoiceMode> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, start) = split(text)?;
        let what = VoiceMode::from_name(name).ok_or_else(|| {
            let names = VoiceMode::ALL.map(VoiceMode::name).join(", ");
            format!("there is no mode `{name}`; there are: {names}")
        })?;
        Ok(Self { what, start })
    }
}

impl std::str::FromStr for Timed<Emotion> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (rest, start) = split(text)?;
        let (name, weight) = match rest.split_once(':') {
            Some((name, weight)) => (name, weight.parse().ok()),
            None => (rest, Some(1.0)),
        };
        let weight = weight.filter(|w| (0.0..=1.0).contains(w));
        let weight = weight.ok_or_else(|| format!("`{text}`: a weight is from 0 to 1"))?;
        let which = Face::MOODS.iter().position(|p| p.name() == name).ok_or_else(|| {
            let names = Face::MOODS.map(Preset::name).join(", ");
            format!("there is no emotion `{name}`; there are: {names}")
        })?;
        Ok(Self { what: Emotion { which, weight }, start })
    }
}

/// What stands before `@`, and the seconds behind it.
fn split(text: &str) -> Result<(&str, f64), String> {
    let Some((what, start)) = text.split_once('@') else { return Ok((text, 0.0)) };
    let start = start.parse().ok().filter(|s| (0.0..=86_400.0).contains(s));
    let start = start.ok_or_else(|| format!("`{text}`: a time is from 0 to 86400 seconds"))?;
    Ok((what, start))
}

/// A conversation over the time of a film: what [`TalkOptions`] came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Talk {
    /// From when on which mode; in the order of time.
    modes: Vec<Timed<VoiceMode>>,
    /// From when on how it feels; in the order of time.
    moods: Vec<(f64, [f32; 6])>,
}

impl TalkOptions {
    /// Whether anything is asked for; `None` where not.
    #[must_use]
    pub fn talk(&self) -> Option<Talk> {
        if self.modes.is_empty() && self.emotions.is_empty() {
            return None;
        }
        let mut modes = self.modes.clone();
        modes.sort_by(|a, b| a.start.total_cmp(&b.start));
        let mut emotions = self.emotions.clone();
        emotions.sort_by(|a, b| a.start.total_cmp(&b.start));
        let mut moods: Vec<(f64, [f32; 6])> = Vec::new();
        for Timed { what, start } in emotions {
            // Those of one time are felt together; a later time begins anew.
            if moods.last().is_none_or(|(last, _)| *last != start) {
                moods.push((start, [0.0; 6]));
            }
            if let Some((_, mood)) = moods.last_mut() {
                mood[what.which] = what.weight;
            }
        }
        Some(Talk { modes, moods })
    }
}

impl Talk {
    /// Whether a mode is asked for.
    #[must_use]
    pub fn has_modes(&self) -> bool {
        !self.modes.is_empty()
    }

    /// What the voice does at a time of the film.
    #[must_use]
    pub fn mode(&self, time: f64) -> VoiceMode {
        let now = self.modes.iter().rev().find(|m| m.start <= time);
        now.map_or(VoiceMode::Idle, |m| m.what)
    }

    /// How it feels at a time of the film.
    #[must_use]
    pub fn mood(&self, time: f64) -> [f32; 6] {
        let now = self.moods.iter().rev().find(|(start, _)| *start <= time);
        now.map_or([0.0; 6], |(_, mood)| *mood)
    }

    /// When the last change is, seconds: a film shows something of it.
    #[must_use]
    pub fn last_change(&self) -> f64 {
        let modes = self.modes.iter().map(|m| m.start);
        modes.chain(self.moods.iter().map(|m| m.0)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(modes: &[&str], emotions: &[&str]) -> Talk {
        let modes = modes.iter().map(|m| m.parse().unwrap()).collect();
        let emotions = emotions.iter().map(|m| m.parse().unwrap()).collect();
        TalkOptions { modes, emotions }.talk().unwrap()
    }

    #[test]
    fn modes_take_turns() {
        let t = talk(&["speaking@2", "listening", "thinking@1.5"], &[]);
        let at = [0.0, 1.4, 1.5, 1.9, 2.0, 99.0].map(|s| t.mode(s).name());
        assert_eq!(at, ["listening", "listening", "thinking", "thinking", "speaking", "speaking"]);
        assert_eq!(talk(&["speaking@2"], &[]).mode(1.0), VoiceMode::Idle);
        assert_eq!(t.last_change(), 2.0);
    }

    #[test]
    fn emotions_mix_and_change() {
        let t = talk(&[], &["happy:0.6", "surprised:0.3", "sad@3"]);
        assert_eq!(t.mood(0.0), [0.6, 0.0, 0.0, 0.0, 0.3, 0.0]);
        assert_eq!(t.mood(3.0), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert!(!t.has_modes());
        assert!(TalkOptions::default().talk().is_none());
    }

    #[test]
    fn complaints() {
        for wrong in ["", "shouting", "idle@", "idle@x", "idle@-1"] {
            assert!(wrong.parse::<Timed<VoiceMode>>().is_err(), "{wrong}");
        }
        for wrong in ["", "hungry", "happy:", "happy:2", "happy:-1", "happy:nan", "happy@x"] {
            assert!(wrong.parse::<Timed<Emotion>>().is_err(), "{wrong}");
        }
        let told = "shouting".parse::<Timed<VoiceMode>>().unwrap_err();
        assert!(told.contains("idle, listening, thinking, speaking"), "{told}");
    }
}
