//! A rig file as text, for a person.

use super::RigFile;
use enliven::field::{Anatomy, Falloff};
use enliven::glam::Vec3;
use enliven::leaf::LeafParams;
use enliven::{Diagnostic, Side};
use std::fmt::Write;

/// The shortest digits that give the number back to the bit.
pub(super) fn number(v: f32) -> String {
    // −0 is 0 to a person.
    let v = if v == 0.0 { 0.0 } else { v };
    format!("{v:?}")
}

pub(super) fn list(v: &[f32]) -> String {
    let all: Vec<String> = v.iter().map(|v| number(*v)).collect();
    format!("[{}]", all.join(", "))
}

fn point(v: Vec3) -> String {
    list(&v.to_array())
}

fn string(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}

fn field(f: &Falloff) -> String {
    let many = |name: &str, l: &[Falloff]| {
        let all: Vec<String> = l.iter().map(field).collect();
        format!("{{ {name} = [{}] }}", all.join(", "))
    };
    match f {
        Falloff::Everywhere => "\"everywhere\"".into(),
        Falloff::Ramp { axis, from, to } => format!(
            "{{ ramp = {{ axis = {}, from = {}, to = {} }} }}",
            point(*axis),
            number(*from),
            number(*to)
        ),
        Falloff::Sphere { center, radius, soft } => format!(
            "{{ sphere = {{ center = {}, radius = {}, soft = {} }} }}",
            point(*center),
            number(*radius),
            number(*soft)
        ),
        Falloff::Capsule { a, b, radius, soft } => format!(
            "{{ capsule = {{ a = {}, b = {}, radius = {}, soft = {} }} }}",
            point(*a),
            point(*b),
            number(*radius),
            number(*soft)
        ),
        Falloff::Box { low, high, soft } => format!(
            "{{ box = {{ low = {}, high = {}, soft = {} }} }}",
            point(*low),
            point(*high),
            number(*soft)
        ),
        Falloff::Color { rgb, within, soft } => format!(
            "{{ color = {{ rgb = {}, within = {}, soft = {} }} }}",
            point(*rgb),
            number(*within),
            number(*soft)
        ),
        Falloff::Part(name) => format!("{{ part = {} }}", string(name)),
        Falloff::Piece(at) => format!("{{ piece = {} }}", point(*at)),
        Falloff::All(l) => many("all", l),
        Falloff::Any(l) => many("any", l),
        Falloff::Not(f) => format!("{{ not = {} }}", field(f)),
    }
}

fn side(s: Option<Side>) -> &'static str {
    match s {
        Some(Side::Left) => "\"left\"",
        Some(Side::Right) => "\"right\"",
        None => "\"middle\"",
    }
}

pub(super) fn write(file: &RigFile, model: &str, findings: &[Diagnostic]) -> String {
    let mut out = String::new();
    // A name may hold a line break; a comment may not.
    let plain = |s: &str| s.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let model: String = plain(model);
    let _ = writeln!(out, "# Rig of {model}.");
    out.push_str(HEAD);
    if !findings.is_empty() {
        out.push_str("#\n# What was noticed while measuring:\n");
        for d in findings {
            let text: String = plain(&d.to_string());
            let _ = writeln!(out, "#   {text}");
        }
    }
    if let Some(a) = &file.anatomy {
        anatomy(a, &mut out);
    }
    out.push_str("\n# How it moves. What is left out here keeps its default.\n");
    super::mind::write(&file.mind, &mut out);
    let holds = file.anatomy.as_ref().is_some_and(|a| a.prop.is_some());
    if holds || file.leaf != LeafParams::default() {
        super::mind::write_leaf(&file.leaf, &mut out);
    }
    out
}

const HEAD: &str = "\
# Places and lengths in metres, in the space of the model's file at rest (+Y up); angles in radians;
# times in seconds. Left and right are the character's own. Correct what is wrong, delete what does
# not fit: what is not here does not move.
#
# field = how far a part reaches, 0 to 1 at each vertex:
#   \"everywhere\"
#   { ramp = { axis, from, to } }            eases from 0 to 1 along an axis
#   { sphere = { center, radius, soft } }    1 inside, eases to 0 over `soft` outside
#   { capsule = { a, b, radius, soft } }     the same about a line
#   { box = { low, high, soft } }            the same about a box
#   { color = { rgb, within, soft } }        by vertex colour, linear RGB
#   { part = \"name\" }                        a mesh, node or material
#   { piece = [x, y, z] }                    the loose piece of mesh whose box has its middle nearest
#   { all = [...] }  { any = [...] }  { not = ... }
";

fn anatomy(a: &Anatomy, out: &mut String) {
    let mut line = |set: String, about: &str| {
        let _ = match about {
            "" => writeln!(out, "{set}"),
            _ => writeln!(out, "{set:<44} # {about}"),
        };
    };
    line("\n[body]".into(), "");
    line(format!("base = {}", number(a.base)), "lowest point");
    line(format!("height = {}", number(a.height)), "lengths of behaviours scale with it");
    line(format!("front = {}", point(a.front)), "where the face looks; level");
    if let Some(g) = a.grip {
        line(format!("grip = {}", point(g)), "where something is held");
    }
    if let Some(h) = &a.head {
        line("\n[head]".into(), "");
        line(format!("pivot = {}", point(h.pivot)), "what it twists and nods about");
        line(format!("limit = {}", number(h.limit)), "largest turn; decides the chain's length");
        line(format!("field = {}", field(&h.field)), "");
    }
    for e in &a.eyes {
        line("\n[[eye]]".into(), "");
        line(format!("side = {}", side(e.side)), "");
        line(format!("center = {}", point(e.center)), "what the pupil turns about");
        line(format!("radius = {}", number(e.radius)), "half the height of the eyeball");
        line(format!("forward = {}", point(e.forward)), "where it looks at rest");
        line(format!("inset = {}", e.inset), "true: a hole is behind it, make a lid");
        line(format!("field = {}", field(&e.field)), "");
        if let Some(p) = &e.pupil {
            let set = format!("{{ center = {}, field = {} }}", point(p.center), field(&p.field));
            line(format!("pupil = {set}"), "");
        }
    }
    for e in &a.ears {
        line("\n[[ear]]".into(), "");
        line(format!("side = {}", side(e.side)), "");
        line(format!("base = {}", point(e.base)), "what it turns about");
        line(format!("tip = {}", point(e.tip)), "");
        line(format!("field = {}", field(&e.field)), "");
    }
    for e in &a.arms {
        line("\n[[arm]]".into(), "");
        line(format!("side = {}", side(Some(e.side))), "");
        line(format!("shoulder = {}", point(e.shoulder)), "what it turns about");
        line(format!("hand = {}", point(e.hand)), "");
        line(format!("field = {}", field(&e.field)), "");
    }
    for e in &a.legs {
        line("\n[[leg]]".into(), "");
        line(format!("side = {}", side(Some(e.side))), "");
        line(format!("knee = {}", point(e.knee)), "what it swings about");
        line(format!("foot = {}", point(e.foot)), "");
        line(format!("field = {}", field(&e.field)), "");
    }
    if let Some(b) = &a.belly {
        line("\n[belly]".into(), "");
        line(format!("center = {}", point(b.center)), "");
        line(format!("push = {}", number(b.push)), "along the normals at the height of a breath");
        line(format!("field = {}", field(&b.field)), "");
    }
    if let Some(p) = &a.prop {
        line("\n[prop]".into(), "");
        line(format!("grip = {}", point(p.grip)), "the stem bends from here on");
        line(format!("top = {}", point(p.top)), "where the blade sits");
        line(format!("radius = {}", number(p.radius)), "of the blade");
        line(format!("stem = {}", field(&p.stem)), "");
        line(format!("blade = {}", field(&p.blade)), "");
    }
}
