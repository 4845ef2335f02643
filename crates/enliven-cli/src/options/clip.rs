//! `--clip Walk --clip Run:0.3`, or on a timeline `--clip Walk --clip Run@2~0.6`.

use enliven::{Character, ClipId};

use crate::failure::{Code, Failure};

/// What `--clip` said, before it is known which clips the subject has. A name may hold `:`, `@`
/// and `~` itself, so the text is split only against the real names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipOption(pub String);

/// A clip on the timeline of a film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cue {
    /// Which clip.
    pub clip: ClipId,
    /// Its weight relative to the other clips, more than 0.
    pub weight: f32,
    /// When it takes over from all earlier ones, seconds; `None`: it plays from the start beside
    /// the others of its kind.
    pub start: Option<f32>,
    /// How long the take-over lasts, seconds, not negative.
    pub fade: f32,
}

/// How long a clip takes over where nothing is said, seconds.
const FADE: f32 = 0.4;

impl ClipOption {
    /// Finds the clip and reads `[:WEIGHT][@START[~FADE]]` behind its name.
    ///
    /// # Errors
    /// [`Code::ClipUnknown`] where no clip has the name, with the list of those there are;
    /// [`Code::Option`] where a number is out of its range.
    pub fn resolve(&self, character: &Character) -> Result<Cue, Failure> {
        let text = self.0.as_str();
        // The longest name wins: a clip `Run@2` is there before a `Run` that starts at 2.
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for end in ends.rev() {
            let (name, rest) = text.split_at(end);
            let Some(clip) = find(character, name) else { continue };
            match parse(rest) {
                Some(Ok((weight, start, fade))) => return Ok(Cue { clip, weight, start, fade }),
                Some(Err(complaint)) => {
                    let message = format!("--clip {text}: {complaint}");
                    return Err(Failure::new(Code::Option, message));
                }
                None => {}
            }
        }
        Err(unknown(text, character))
    }
}

/// By name, or by number from 0 as `#3` where names are missing or the same.
fn find(character: &Character, name: &str) -> Option<ClipId> {
    if let Some(clip) = character.find_clip(name) {
        return Some(clip);
    }
    let index: usize = name.strip_prefix('#')?.parse().ok()?;
    (index < character.clips.len()).then(|| ClipId::new(index))
}

type Numbers = (f32, Option<f32>, f32);

/// Reads what stands behind the name; `None` where it does not have the form at all.
fn parse(rest: &str) -> Option<Result<Numbers, String>> {
    let (weight, time) = match rest.split_once('@') {
        Some((weight, time)) => (weight, Some(time)),
        None => (rest, None),
    };
    let weight = match weight {
        "" => 1.0,
        text => text.strip_prefix(':')?.parse().ok()?,
    };
    let (start, fade) = match time.map(|time| time.split_once('~').unwrap_or((time, ""))) {
        None => (None, FADE),
        Some((start, "")) => (Some(start.parse().ok()?), FADE),
        Some((start, fade)) => (Some(start.parse().ok()?), fade.parse().ok()?),
    };
    let bad = |value: f32| !value.is_finite() || value < 0.0;
    if bad(weight) || weight == 0.0 {
        return Some(Err("a weight is more than 0".to_owned()));
    }
    if start.is_some_and(bad) || bad(fade) {
        return Some(Err("times are in seconds and not negative".to_owned()));
    }
    Some(Ok((weight, start, fade)))
}

fn unknown(text: &str, character: &Character) -> Failure {
    let name = text.split([':', '@']).next().unwrap_or(text);
    let message = format!("{} has no clip `{name}`", character.name);
    let help = match character.clips.len() {
        0 => "it has no clips at all".to_owned(),
        count => {
            let named = character.clips.iter().enumerate().map(|(index, clip)| {
                if clip.name.is_empty() { format!("#{index}") } else { clip.name.clone() }
            });
            let shown: Vec<String> = named.take(20).collect();
            let more = if count > shown.len() { ", …" } else { "" };
            format!("its clips are: {}{more}", shown.join(", "))
        }
    };
    Failure::new(Code::ClipUnknown, message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enliven::{Channels, CharacterParts, Clip, Meta, Regions, Rig, Skeleton};

    fn character(names: &[&str]) -> Character {
        let skeleton = Skeleton::new();
        let regions = Regions::new(&skeleton, &[]);
        Character::new(CharacterParts {
            name: "fox".to_owned(),
            rig: Rig::new(skeleton, Channels::new(), regions, 1.0),
            meshes: vec![],
            skins: vec![],
            materials: vec![],
            textures: vec![],
            images: vec![],
            clips: names.iter().map(|name| Clip::new(*name, vec![])).collect(),
            meta: Meta::default(),
        })
        .unwrap()
    }

    fn check(names: &[&str], text: &str, expected: Result<(usize, f32, Option<f32>, f32), Code>) {
        let found = ClipOption(text.to_owned()).resolve(&character(names));
        let found = found
            .map(|cue| (cue.clip.index(), cue.weight, cue.start, cue.fade))
            .map_err(|failure| failure.code());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_forms() {
        let names = ["Walk", "Run"];
        check(&names, "Run", Ok((1, 1.0, None, FADE)));
        check(&names, "run", Ok((1, 1.0, None, FADE)));
        check(&names, "#0", Ok((0, 1.0, None, FADE)));
        check(&names, "Run:0.5", Ok((1, 0.5, None, FADE)));
        check(&names, "Run@2", Ok((1, 1.0, Some(2.0), FADE)));
        check(&names, "Run:0.5@2~0.25", Ok((1, 0.5, Some(2.0), 0.25)));
        check(&names, "#1@2~0", Ok((1, 1.0, Some(2.0), 0.0)));
    }

    #[test]
    fn names_with_signs_in_them() {
        let names = ["a:b", "a", "a@1", "~"];
        check(&names, "a:b", Ok((0, 1.0, None, FADE)));
        check(&names, "a:b:2", Ok((0, 2.0, None, FADE)));
        check(&names, "a:3", Ok((1, 3.0, None, FADE)));
        check(&names, "a@1", Ok((2, 1.0, None, FADE)));
        check(&names, "a@2", Ok((1, 1.0, Some(2.0), FADE)));
        check(&names, "~@1~2", Ok((3, 1.0, Some(1.0), 2.0)));
    }

    #[test]
    fn complaints() {
        let names = ["Walk", "Run"];
        for text in ["", "Fly", "Run:x", "Run@", "Run@2~x", "#2", "#x", "Walk Run"] {
            check(&names, text, Err(Code::ClipUnknown));
        }
        for text in ["Run:0", "Run:-1", "Run:NaN", "Run@-1", "Run@inf", "Run@1~-1"] {
            check(&names, text, Err(Code::Option));
        }
        let failure = ClipOption("Fly".to_owned()).resolve(&character(&names)).unwrap_err();
        assert!(failure.to_string().contains("its clips are: Walk, Run"));
    }
}
