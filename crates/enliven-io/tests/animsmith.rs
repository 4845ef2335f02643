//! `animsmith lint` finds nothing in what is written that it does not find in the source, and
//! nothing at all in what is baked here.
#![allow(clippy::unwrap_used)] // A test may panic.

mod baked;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use enliven::{Character, Clip};
use enliven_io::gltf::{self, Document, Export};
use enliven_io::{Limits, import_file};
use enliven_testing::{shared, skip};

/// The version that `cargo xtask setup` installs.
const VERSION: &str = "0.14.0";

/// The program: where `ENLIVEN_ANIMSMITH` says, or where set-up puts it; `None` (said) where it is
/// not.
fn animsmith() -> Option<PathBuf> {
    let set = std::env::var_os("ENLIVEN_ANIMSMITH").map(PathBuf::from);
    let home = || std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| home().map(|home| PathBuf::from(home).join(".cache")));
    let name = format!("enliven/tools/animsmith-{VERSION}/bin/animsmith");
    let installed = || {
        let path = cache.unwrap_or_else(std::env::temp_dir).join(name);
        path.with_extension(std::env::consts::EXE_EXTENSION)
    };
    let program = set.unwrap_or_else(installed);
    if program.is_file() {
        return Some(program);
    }
    let what = format!("{} is absent: `cargo xtask setup` installs it", program.display());
    skip(&what)
}

/// A finding without its figures: severity, check, clip and bone.
type Finding = String;

/// What the linter finds in a file; `Err` with its words where it cannot read it.
fn lint(program: &Path, file: &Path) -> Result<BTreeSet<Finding>, String> {
    // In an empty folder, so that no configuration is picked up.
    let output = Command::new(program)
        .args(["lint", "--format", "text"])
        .arg(file)
        .current_dir(std::env::temp_dir())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    // `severity[check] clip 'walk' bone 'hips' @0.533s: words`
    let severities = ["error[", "warning[", "note["];
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| severities.iter().any(|s| line.starts_with(s)));
    Ok(lines
        .map(|line| {
            let end = line.find(" @").or_else(|| line.find(": ")).unwrap_or(line.len());
            line[..end].trim_end_matches(':').to_owned()
        })
        .collect())
}

fn write(
    folder: &Path,
    name: &str,
    character: &Character,
    document: Option<&Document>,
    clips: Option<&[Clip]>,
) -> PathBuf {
    let exported = gltf::export(&Export { character, document, clips: clips.into() });
    let file = folder.join(format!("{name}.glb"));
    std::fs::write(&file, exported.to_glb().unwrap()).unwrap();
    file
}

/// Every animated model below a folder.
fn models(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            models(&path, out);
        } else if path.extension().is_some_and(|e| e == "glb" || e == "gltf") {
            out.push(path);
        }
    }
}

#[test]
fn exported_clips_bring_nothing_new() {
    let (Some(shared), Some(program)) = (shared(""), animsmith()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for part in ["rigged", "morph", "conformance/asset-generator"] {
        models(&shared.join("assets").join(part), &mut files);
    }
    let (mut wrong, mut count, mut found) = (Vec::new(), 0, 0);
    for (i, path) in files.iter().enumerate() {
        let Ok(import) = import_file(path, &Limits::default()) else { continue };
        let character = &import.character;
        if character.clips.is_empty() {
            continue;
        }
        // What the linter cannot read, it cannot judge.
        let Ok(had) = lint(&program, path) else { continue };
        found += had.len();
        let (document, clips) = (Some(&import.document), Some(&character.clips[..]));
        for (kind, file) in [
            ("kept", write(folder.path(), &format!("{i}-kept"), character, document, None)),
            ("clips", write(folder.path(), &format!("{i}-clips"), character, document, clips)),
            ("whole", write(folder.path(), &format!("{i}-whole"), character, None, None)),
        ] {
            // A source whose picture is missing gives a texture without one, which glTF allows and
            // the linter's reader does not.
            if kind == "whole" && character.textures.iter().any(|t| t.image.is_none()) {
                continue;
            }
            count += 1;
            let label = format!("{kind} of {}", path.display());
            match lint(&program, &file) {
                Ok(now) => wrong.extend(now.difference(&had).map(|f| format!("{label}: {f}"))),
                Err(error) => wrong.push(format!("{label}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} findings:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 60 && found > 0, "{count} files, {found} findings in their sources");
}

#[test]
fn baked_clips_have_no_finding_at_all() {
    let (Some(shared), Some(program)) = (shared(""), animsmith()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (rabbit, clip) in baked::rabbit_runs(true) {
        let name = format!("rabbit-{}", clip.name);
        files.push(write(folder.path(), &name, &rabbit, None, Some(&[clip])));
    }
    let fox = import_file(shared.join("assets/rigged/Fox.glb"), &Limits::default()).unwrap();
    let jog = baked::fox_jogs(&fox.character);
    let document = Some(&fox.document);
    files.push(write(folder.path(), "fox", &fox.character, document, Some(&[jog])));
    let mut wrong = Vec::new();
    for file in &files {
        let found = lint(&program, file).unwrap();
        wrong.extend(found.iter().map(|f| format!("{}: {f}", file.display())));
    }
    assert!(wrong.is_empty(), "{} findings:\n{}", wrong.len(), wrong.join("\n"));

    // With its scale as keys the linter warns, which shows that it looks.
    let [(rabbit, clip), _] = baked::rabbit_runs(false);
    let scaled = write(folder.path(), "scaled", &rabbit, None, Some(&[clip]));
    let found = lint(&program, &scaled).unwrap();
    assert!(found.iter().any(|f| f.starts_with("warning[scale-keys]")), "{found:?}");
}
