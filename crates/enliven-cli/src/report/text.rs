//! A report for people: aligned, in colour where the terminal shows colours.

use std::fmt::{self, Display, Write};

use anstyle::{AnsiColor, Style};

use super::{
    Clip, ExpressionInfo, Extent, Joint, MaterialInfo, Mesh, MotionInfo, PersonInfo, Report,
};

const HEADING: Style = AnsiColor::Cyan.on_default().bold();
const FAINT: Style = Style::new().dimmed();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Longest list of one kind that is shown; the JSON has everything.
const MOST_ROWS: usize = 60;

/// Writes the report as text with ANSI styles.
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Report, out: &mut impl Write) -> fmt::Result {
    head(report, out)?;
    list(out, "Meshes", &report.meshes, mesh_row)?;
    joint_tree(report, out)?;
    let regions: Vec<&str> = report.regions.iter().map(|part| part.region.as_str()).collect();
    if regions.len() > 1 {
        heading(out, "Regions", regions.len())?;
        wrapped(out, &regions)?;
    }
    let morphs = report.channels.iter().filter(|c| c.kind == "morph");
    let morphs: Vec<&str> = morphs.map(|c| c.name.as_str()).collect();
    if !morphs.is_empty() {
        heading(out, "Morphs", morphs.len())?;
        wrapped(out, &morphs)?;
    }
    if let Some(person) = &report.person {
        write_person(person, report, out)?;
    }
    list(out, "Motions", &report.motions, motion_row)?;
    list(out, "Clips", &report.clips, clip_row)?;
    list(out, "Materials", &report.materials, material_row)?;
    list(out, "Images", &report.images, |image| {
        format!("{:28} {} × {}", name(&image.name), image.width, image.height)
    })?;
    extensions(report, out)?;
    diagnostics(report, out)
}

fn head(report: &Report, out: &mut impl Write) -> fmt::Result {
    let title = if report.name.is_empty() { &report.file } else { &report.name };
    writeln!(out, "{HEADING}{title}{HEADING:#}  {FAINT}{}{FAINT:#}", report.file)?;
    let counts = &report.counts;
    field(out, "format", format_args!("{}, {}", report.format, bytes(report.bytes)))?;
    field(
        out,
        "holds",
        format_args!(
            "{} joints, {} meshes, {} vertices, {} triangles",
            counts.joints, counts.meshes, counts.vertices, counts.triangles
        ),
    )?;
    if let Some(extent) = &report.extents.rest {
        field(out, "at rest", Size(extent))?;
    }
    if let (Some(extent), Some(clip)) = (&report.extents.posed, report.clips.first()) {
        field(out, "posed", format_args!("{}  (over `{}`)", Size(extent), clip.name))?;
    }
    let meta = &report.meta;
    for (key, value) in [
        ("title", &meta.title),
        ("version", &meta.version),
        ("authors", &meta.authors.join(", ")),
        ("licence", &meta.license),
        ("copyright", &meta.copyright),
        ("made with", &meta.generator),
    ] {
        if !value.is_empty() {
            field(out, key, value)?;
        }
    }
    for term in meta.terms.iter().filter(|term| !term.value.is_empty()) {
        field(out, &term.name, &term.value)?;
    }
    Ok(())
}

fn field(out: &mut impl Write, key: &str, value: impl Display) -> fmt::Result {
    writeln!(out, "  {FAINT}{key:12}{FAINT:#} {value}")
}

fn heading(out: &mut impl Write, title: &str, count: usize) -> fmt::Result {
    writeln!(out, "\n{HEADING}{title}{HEADING:#} {FAINT}{count}{FAINT:#}")
}

fn list<T>(
    out: &mut impl Write,
    title: &str,
    items: &[T],
    row: impl Fn(&T) -> String,
) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    heading(out, title, items.len())?;
    for (index, item) in items.iter().take(MOST_ROWS).enumerate() {
        writeln!(out, "  {FAINT}{index:3}{FAINT:#} {}", row(item))?;
    }
    rest(out, items.len())
}

fn rest(out: &mut impl Write, count: usize) -> fmt::Result {
    if count > MOST_ROWS {
        writeln!(out, "  {FAINT}… and {} more (--json has all){FAINT:#}", count - MOST_ROWS)?;
    }
    Ok(())
}

/// Words after each other, in lines of a width that fits most terminals.
fn wrapped(out: &mut impl Write, words: &[&str]) -> fmt::Result {
    let mut line = String::from(" ");
    for word in words {
        if line.len() + word.len() > 92 && line.len() > 1 {
            writeln!(out, "{line}")?;
            line = String::from(" ");
        }
        let _ = write!(line, " {}", name(word));
    }
    writeln!(out, "{line}")
}

fn name(name: &str) -> &str {
    if name.is_empty() { "(no name)" } else { name }
}

fn write_person(person: &PersonInfo, report: &Report, out: &mut impl Write) -> fmt::Result {
    let bones: Vec<&str> = person.bones.iter().map(|b| b.bone).collect();
    if !bones.is_empty() {
        heading(out, "Bones", bones.len())?;
        wrapped(out, &bones)?;
    }
    if !person.missing.is_empty() {
        field(out, "missing", person.missing.join(", "))?;
    }
    list(out, "Expressions", &person.expressions, expression_row)?;
    let about = person.look_at.is_some() || person.swinging() + person.constraints.len() > 0;
    if about {
        writeln!(out, "\n{HEADING}Person{HEADING:#}")?;
    }
    if let Some(look) = &person.look_at {
        let map = |r: super::RangeInfo| match look.kind {
            "bone" => format!("{:.0}° of {:.0}°", r.scale.to_degrees(), r.limit.to_degrees()),
            _ => format!("{:.2} at {:.0}°", r.scale, r.limit.to_degrees()),
        };
        let told = format_args!(
            "by {}; inward {}, outward {}, down {}, up {}",
            look.kind,
            map(look.inner),
            map(look.outer),
            map(look.down),
            map(look.up)
        );
        field(out, "look-at", told)?;
    }
    if person.swinging() > 0 {
        let (chains, colliders) = (person.springs.len(), person.colliders.len());
        let told = format_args!(
            "{} joints swing in {chains} chains, {colliders} colliders",
            person.swinging()
        );
        field(out, "springs", told)?;
    }
    for kind in ["rotation", "roll", "aim"] {
        let count = person.constraints.iter().filter(|c| c.kind == kind).count();
        if count > 0 {
            field(out, "constraints", format_args!("{count} of {kind}"))?;
        }
    }
    for first in person.first_person.iter().filter(|f| f.shown != "auto") {
        let mesh = report.meshes.get(first.mesh).map_or("", |m| m.name.as_str());
        field(out, "first person", format_args!("{}: {}", name(mesh), first.shown))?;
    }
    Ok(())
}

fn expression_row(e: &ExpressionInfo) -> String {
    let word = if e.binds.len() == 1 { "bind" } else { "binds" };
    let mut text = format!("{:28} {:2} {word}", name(&e.name), e.binds.len());
    if !e.preset {
        text.push_str(", custom");
    }
    if e.binary {
        text.push_str(", binary");
    }
    let overrides =
        [("blink", e.override_blink), ("look-at", e.override_look_at), ("mouth", e.override_mouth)];
    for (what, how) in overrides.into_iter().filter(|(_, how)| *how != "none") {
        let _ = write!(text, ", {how}s {what}");
    }
    text
}

fn motion_row(m: &MotionInfo) -> String {
    let mut text = format!("{:28} {:7.3} s  {:3} bones", name(&m.name), m.duration, m.bones.len());
    if m.hips {
        text.push_str(", hips move");
    }
    if !m.expressions.is_empty() {
        let _ = write!(text, ", {} expressions", m.expressions.len());
    }
    if m.look {
        text.push_str(", a look");
    }
    text
}

fn mesh_row(mesh: &Mesh) -> String {
    let bound = match mesh.binding {
        "skin" => format!(
            "skin {}, {} of {} influences",
            mesh.skin.unwrap_or_default(),
            mesh.influences_used,
            mesh.influences
        ),
        other => format!("{other}, joint {}", mesh.joint),
    };
    let morphs = match mesh.morphs.len() {
        0 => String::new(),
        count => format!(", {count} morphs"),
    };
    let hidden = if mesh.shown { "" } else { ", not in the scene" };
    let count = match mesh.topology {
        "triangles" => format!("{:>7} triangles", mesh.triangles),
        other => format!("{:>7} vertices of {other}", mesh.vertices),
    };
    format!("{:28} {count}  {bound}{morphs}{hidden}", name(&mesh.name))
}

fn clip_row(clip: &Clip) -> String {
    format!(
        "{:28} {:7.3} s  {:4} tracks {:6} keys  {}",
        name(&clip.name),
        clip.duration,
        clip.tracks,
        clip.keys,
        clip.interpolations.join(", ")
    )
}

fn material_row(material: &MaterialInfo) -> String {
    let [r, g, b, a] = material.base_color;
    let textures: Vec<&str> = material.textures.iter().map(|texture| texture.slot).collect();
    let textures = match textures.len() {
        0 => String::new(),
        _ => format!("  textures: {}", textures.join(", ")),
    };
    let sided = if material.double_sided { ", double-sided" } else { "" };
    format!(
        "{:28} {}, {}{sided}  colour {r:.2} {g:.2} {b:.2} {a:.2}{textures}",
        name(&material.name),
        material.shading,
        material.alpha_mode
    )
}

/// The joints as a tree, drawn without recursion: a chain of joints may be as long as it likes.
fn joint_tree(report: &Report, out: &mut impl Write) -> fmt::Result {
    let joints = &report.joints;
    if joints.is_empty() {
        return Ok(());
    }
    heading(out, "Joints", joints.len())?;
    let mut children = vec![Vec::new(); joints.len()];
    let mut roots = Vec::new();
    for joint in joints {
        match joint.parent {
            Some(parent) => children[parent].push(joint.index),
            None => roots.push(joint.index),
        }
    }
    // Each entry: the joint, the lines to its left, and whether it is the last of its parent.
    let mut open: Vec<(usize, String, bool)> =
        roots.iter().rev().map(|root| (*root, String::new(), true)).collect();
    let mut rows = 0;
    while let Some((index, left, last)) = open.pop() {
        rows += 1;
        if rows > MOST_ROWS * 3 {
            let more = joints.len() - rows + 1;
            writeln!(out, "  {FAINT}… and {more} more (--json has all){FAINT:#}")?;
            break;
        }
        let joint: &Joint = &joints[index];
        let root = joint.parent.is_none();
        let branch = match (root, last) {
            (true, _) => "",
            (false, true) => "└ ",
            (false, false) => "├ ",
        };
        writeln!(out, "  {FAINT}{index:3} {left}{branch}{FAINT:#}{}", name(&joint.name))?;
        // Beyond this depth the lines would leave every screen.
        let inner = match (root, last) {
            _ if left.chars().count() > 60 => left,
            (true, _) => left,
            (false, true) => format!("{left}  "),
            (false, false) => format!("{left}│ "),
        };
        let count = children[index].len();
        for (place, child) in children[index].iter().enumerate().rev() {
            open.push((*child, inner.clone(), place + 1 == count));
        }
    }
    Ok(())
}

fn extensions(report: &Report, out: &mut impl Write) -> fmt::Result {
    let extensions = &report.extensions;
    if extensions.used.is_empty() && extensions.required.is_empty() {
        return Ok(());
    }
    heading(out, "Extensions", extensions.used.len().max(extensions.required.len()))?;
    for used in &extensions.used {
        let required = if extensions.required.contains(used) { "  (required)" } else { "" };
        writeln!(out, "  {used}{required}")?;
    }
    for only in extensions.required.iter().filter(|name| !extensions.used.contains(name)) {
        writeln!(out, "  {only}  (required, not declared as used)")?;
    }
    Ok(())
}

fn diagnostics(report: &Report, out: &mut impl Write) -> fmt::Result {
    if report.diagnostics.is_empty() {
        return Ok(());
    }
    heading(out, "Diagnostics", report.diagnostics.len())?;
    for finding in report.diagnostics.iter().take(MOST_ROWS) {
        let style = match finding.severity {
            "error" => ERROR,
            "warning" => WARNING,
            _ => FAINT,
        };
        let place = &finding.place;
        let gap = if place.is_empty() { "" } else { " " };
        let (severity, code) = (finding.severity, &finding.code);
        writeln!(
            out,
            "  {style}{severity}[{code}]{style:#}{gap}{FAINT}{place}{FAINT:#}: {}",
            finding.message
        )?;
    }
    rest(out, report.diagnostics.len())
}

struct Size<'a>(&'a Extent);

impl Display for Size<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], [low_x, low_y, low_z]) = (self.0.size, self.0.min);
        write!(f, "{x:.3} × {y:.3} × {z:.3} m, from {low_x:.3} {low_y:.3} {low_z:.3}")
    }
}

fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} bytes"),
        1024..1_048_576 => format!("{:.1} KiB", count as f64 / 1024.0),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;
    use crate::subject::Subject;
    use enliven::{
        Channels, Character, CharacterParts, Diagnostic, JointId, Meta, Regions, Rig, Severity,
        Skeleton, Transform,
    };

    fn report(parents: &[Option<usize>]) -> Report {
        let mut skeleton = Skeleton::new();
        for (index, parent) in parents.iter().enumerate() {
            let parent = parent.map(JointId::new);
            skeleton.push(format!("j{index}"), parent, Transform::default()).unwrap();
        }
        let regions = Regions::new(&skeleton, &[]);
        let character = Character::new(CharacterParts {
            name: "thing".to_owned(),
            rig: Rig::new(skeleton, Channels::new(), regions, 1.0),
            meshes: vec![],
            skins: vec![],
            materials: vec![],
            textures: vec![],
            images: vec![],
            clips: vec![],
            meta: Meta { license: "CC0".to_owned(), ..Meta::default() },
        });
        let found = Diagnostic::new(Severity::Warning, "ODD", "/nodes/1", "it is odd");
        Report::new(&Subject {
            character: character.unwrap().into(),
            person: None,
            motions: vec![],
            diagnostics: vec![found],
            document: None,
            source: Source::default(),
        })
    }

    fn plain(report: &Report) -> String {
        let mut text = String::new();
        write(report, &mut text).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn joints_are_a_tree() {
        let text = plain(&report(&[None, Some(0), Some(0), Some(1), Some(3), None]));
        let tree = "    0 j0\n    1 ├ j1\n    3 │ └ j3\n    4 │   └ j4\n    2 └ j2\n    5 j5\n";
        assert!(text.contains(tree), "{text}");
    }

    #[test]
    fn a_chain_of_many_joints_is_neither_slow_nor_deep() {
        let parents: Vec<Option<usize>> = (0..50_000usize).map(|i| i.checked_sub(1)).collect();
        let text = plain(&report(&parents));
        assert!(text.len() < 100_000);
        assert!(text.contains("more (--json has all)"));
    }

    #[test]
    fn licence_and_diagnostics_are_shown() {
        let text = plain(&report(&[None]));
        assert!(text.contains("licence      CC0"), "{text}");
        assert!(text.contains("warning[ODD] /nodes/1: it is odd"), "{text}");
    }
}
