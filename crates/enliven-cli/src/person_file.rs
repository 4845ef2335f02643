//! Persons and their motion as files: VRM, VRMA, BVH.

use std::path::Path;

use enliven::person::{Humanoid, HumanoidClip};
use enliven::{Clip, Diagnostic};
use enliven_io::bvh::Bvh;
use enliven_io::gltf::{Clips, Export, Exported, export, export_vrm, export_vrma};

use crate::failure::{Code, Failure};
use crate::model_file::{Kind, ModelFile, Written};
use crate::motion;
use crate::subject::Subject;

/// Height of a body for motion that comes without one, metres.
const AVERAGE_HEIGHT: f32 = 1.7;

/// What was written, and what there is to say of it.
pub type Told = (Vec<Written>, Vec<Diagnostic>);

/// Writes a character as the ending of the file asks for. Where that is a file of motion, the clips
/// go into it: those of `what.clips`, or all that the character has.
///
/// # Errors
/// [`Code::Unwritable`] where a file of persons is asked for and there is no person with all its
/// bones, and as [`ModelFile::write`].
pub fn write(
    file: ModelFile,
    what: &Export<'_>,
    subject: &Subject,
    frame_time: f32,
) -> Result<Told, Failure> {
    let exported = match file.kind() {
        Kind::Glb | Kind::Gltf => export(what),
        Kind::Vrm => {
            let person = subject.person.as_ref().ok_or_else(|| no_person(subject))?;
            export_vrm(what, person)
        }
        Kind::Vrma | Kind::Bvh => {
            let person = subject.person.as_ref().ok_or_else(|| no_person(subject))?;
            let clips: &[Clip] = match what.clips {
                Clips::Own => &what.character.clips,
                Clips::Instead(clips) | Clips::Beside(clips) => clips,
            };
            let of = |clip| HumanoidClip::from_clip(clip, &person.humanoid, &what.character.rig);
            let motions: Vec<HumanoidClip> = clips.iter().map(of).collect();
            return write_motion(file, &motions, &person.humanoid, frame_time);
        }
    };
    put(file, exported)
}

fn put(file: ModelFile, exported: Exported) -> Result<Told, Failure> {
    Ok((file.write(&exported)?, exported.diagnostics))
}

fn no_person(subject: &Subject) -> Failure {
    let message = format!("{}: no humanoid was found in it", subject.character.name);
    Failure::new(Code::Unwritable("VRM_BONES_MISSING"), message)
        .help("`enliven inspect` shows the bones that were found; use .glb for other bodies")
}

/// Whether the name is that of a file of motion.
pub fn is_motion(name: &str) -> bool {
    let ending = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default();
    ["vrma", "bvh"].iter().any(|kind| ending.eq_ignore_ascii_case(kind))
}

/// Writes a file of motion in the other format, on a body of these or of usual proportions.
///
/// # Errors
/// Where the file cannot be read or holds no humanoid's motion, where the output is a model's, and
/// as [`ModelFile::write`].
pub fn convert_motion(
    file: ModelFile,
    name: &str,
    body: Option<&Subject>,
    frame_time: Option<f32>,
) -> Result<Told, Failure> {
    if !matches!(file.kind(), Kind::Vrma | Kind::Bvh) {
        let message = format!("{name}: motion alone has no body to write");
        return Err(Failure::new(Code::OutputKind, message)
            .help("use .vrma or .bvh, or `enliven bake PERSON --clip FILE -o OUT`"));
    }
    let (motions, own_time) = motion::read_all(name)?;
    let body = match body {
        Some(subject) => {
            let person = subject.person.as_ref().ok_or_else(|| no_person(subject))?;
            person.humanoid.clone()
        }
        None => Humanoid::average(AVERAGE_HEIGHT),
    };
    let frame_time = frame_time.or(own_time).unwrap_or(1.0 / 30.0);
    write_motion(file, &motions, &body, frame_time)
}

fn write_motion(
    file: ModelFile,
    motions: &[HumanoidClip],
    body: &Humanoid,
    frame_time: f32,
) -> Result<Told, Failure> {
    if motions.is_empty() {
        let message = "there is no clip to write".to_owned();
        return Err(Failure::new(Code::Unwritable("NO_CLIP"), message));
    }
    if file.kind() == Kind::Vrma {
        return put(file, export_vrma(motions, body));
    }
    let text = Bvh::from_motion(&motions[0], body, frame_time)
        .map_err(|error| {
            let message = format!("the motion lasts {:e} seconds", motions[0].duration);
            Failure::new(Code::Unwritable(error.code()), message)
                .help("that is more frames than a file may have; use a lower --fps")
        })?
        .to_text();
    let mut said = Vec::new();
    let mut warn = |code, message: String| {
        said.push(Diagnostic::new(
            enliven::Severity::Warning,
            code,
            motions[0].name.clone(),
            message,
        ));
    };
    if motions.len() > 1 {
        let rest = motions.len() - 1;
        warn("CLIP_NOT_WRITTEN", format!("BVH holds one clip; {rest} more are left out"));
    }
    if !motions[0].expressions.is_empty() || motions[0].look.is_some() {
        warn("TRACK_NOT_WRITTEN", "BVH holds neither faces nor gazes; they are left out".into());
    }
    Ok((file.write_bytes(text.as_bytes())?, said))
}
