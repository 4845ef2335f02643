//! Motion from files of its own: `--clip walk.bvh`, `--clip wave.vrma`.

use std::path::Path;
use std::sync::Arc;

use enliven::person::{Feet, HumanBone, HumanoidClip};
use enliven::{Character, CharacterParts};
use enliven_io::{Limits, bvh};

use crate::failure::{Code, Failure};
use crate::subject::Subject;

/// Endings of files that hold motion for any humanoid.
const ENDINGS: [&str; 2] = [".vrma", ".bvh"];

/// Gives every humanoid among the subjects the motion of the files that are named by `clips`, as
/// clips of those names.
///
/// # Errors
/// Where a file cannot be read, and where no subject is a humanoid.
pub fn learn(subjects: &mut [Subject], clips: &[String]) -> Result<(), Failure> {
    let mut known: Vec<&str> = Vec::new();
    for text in clips {
        let Some(name) = file_of(text).filter(|name| !known.contains(name)) else { continue };
        known.push(name);
        // A subject may have a clip of that very name.
        if subjects.iter().any(|s| s.character.find_clip(name).is_some()) {
            continue;
        }
        let motion = read(name)?;
        let mut learnt = false;
        for subject in subjects.iter_mut() {
            learnt |= teach(subject, name, &motion)?;
        }
        if !learnt {
            let message = format!("no subject is a humanoid that `{name}` could move");
            return Err(Failure::new(Code::ClipUnknown, message)
                .help("`enliven inspect SUBJECT` shows the bones that were found"));
        }
    }
    Ok(())
}

/// The name of a file of motion at the start of a clip option, weights and times cut off.
fn file_of(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let ends = ENDINGS.iter().flat_map(|ending| {
        lower.match_indices(ending).map(|(at, found)| at + found.len()).collect::<Vec<_>>()
    });
    let rest_fits = |end: &usize| text[*end..].is_empty() || text[*end..].starts_with([':', '@']);
    ends.filter(rest_fits).max().map(|end| &text[..end])
}

fn read(name: &str) -> Result<HumanoidClip, Failure> {
    let none = || {
        let message = format!("{name}: it holds no motion of a humanoid");
        Failure::new(Code::Unreadable("NO_HUMANOID"), message)
    };
    read_all(name)?.0.into_iter().next().ok_or_else(none)
}

/// Every motion of a .vrma or .bvh file, and the length of a frame where the file has frames.
///
/// # Errors
/// Where it cannot be read.
pub fn read_all(name: &str) -> Result<(Vec<HumanoidClip>, Option<f32>), Failure> {
    let path = Path::new(name);
    let unreadable = |error: enliven_io::Error| Failure::unreadable(name, &error);
    if name.to_ascii_lowercase().ends_with(".bvh") {
        let bytes = enliven_io::read_file(path, &Limits::default()).map_err(unreadable)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let file = bvh::read(&bytes, &Limits::default()).map_err(unreadable)?;
        return Ok((vec![file.motion(&stem).map_err(unreadable)?], Some(file.frame_time)));
    }
    let import = enliven_io::import_file(path, &Limits::default()).map_err(unreadable)?;
    Ok((import.motions, None))
}

/// Whether the subject could learn it.
fn teach(subject: &mut Subject, name: &str, motion: &HumanoidClip) -> Result<bool, Failure> {
    let Some(person) = &subject.person else { return Ok(false) };
    let body = &person.humanoid;
    if !body.has(HumanBone::Hips) {
        return Ok(false);
    }
    let mut clip = motion.fit(body).retarget(body, &person.expressions, person.look);
    let rig = &subject.character.rig;
    clip = Feet::new(rig, body).with_soles(&subject.character, body).plant(rig, &clip);
    name.clone_into(&mut clip.name);
    let mut parts: CharacterParts = Character::clone(&subject.character).into_parts();
    parts.clips.push(clip);
    let character = Character::new(parts).map_err(|error| {
        Failure::new(Code::Unreadable("NO_HUMANOID"), format!("{name}: {error}"))
    })?;
    subject.character = Arc::new(character);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_in_clip_options() {
        assert_eq!(file_of("a/walk.bvh"), Some("a/walk.bvh"));
        assert_eq!(file_of("Wave.VRMA:0.5@2~1"), Some("Wave.VRMA"));
        assert_eq!(file_of("a.bvh/b.vrma@1"), Some("a.bvh/b.vrma"));
        for other in ["Walk", "Walk@2", "bvh", "walk.bvhx", ""] {
            assert_eq!(file_of(other), None, "{other}");
        }
    }

    #[test]
    fn a_body_that_is_no_humanoid_says_so() {
        let mut rabbit = [Subject::open("rabbit").unwrap()];
        let missing = learn(&mut rabbit, &["no such.bvh".to_owned()]).unwrap_err();
        assert_eq!(missing.code(), Code::Unreadable("IO_ERROR"));
        learn(&mut rabbit, &["Hop".to_owned()]).unwrap();
    }
}
