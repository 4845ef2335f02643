//! What an accessor may hold for each use. Source: glTF 2.0 §3.7.2 and KHR_mesh_quantization.

use super::model::{ComponentType::*, ElementType::*, Format};

/// Plain floats, or integers that stand for 0 to 1 (−1 to 1).
const NORMALIZED: bool = true;
const PLAIN: bool = false;

/// Formats of `indices`.
pub(super) const INDICES: &[Format] =
    &[(Scalar, U8, PLAIN), (Scalar, U16, PLAIN), (Scalar, U32, PLAIN)];
/// The format of animation times.
pub(super) const ANIMATION_INPUT: Format = (Scalar, F32, PLAIN);
/// The format of inverse bind matrices.
pub(super) const INVERSE_BIND_MATRICES: Format = (Mat4, F32, PLAIN);

/// Which formats an animated path takes; `None` for a path that is not known.
pub(super) fn animation_output(path: &str) -> Option<fn(Format) -> bool> {
    Some(match path {
        "translation" | "scale" => |format| format == (Vec3, F32, PLAIN),
        "rotation" => |format| format.0 == Vec4 && float_or_normalized(format),
        "weights" => |format| format.0 == Scalar && float_or_normalized(format),
        _ => return None,
    })
}

fn float_or_normalized((_, component, normalized): Format) -> bool {
    match component {
        F32 => normalized == PLAIN,
        I8 | U8 | I16 | U16 => normalized == NORMALIZED,
        U32 => false,
    }
}

fn unsigned_normalized((_, component, normalized): Format) -> bool {
    matches!(component, U8 | U16) && normalized == NORMALIZED
}

fn small((_, component, _): Format) -> bool {
    matches!(component, I8 | U8 | I16 | U16)
}

fn signed((_, component, _): Format) -> bool {
    matches!(component, I8 | I16)
}

fn float((_, component, normalized): Format) -> bool {
    component == F32 && normalized == PLAIN
}

/// Whether an attribute takes a format; `base` is the semantic without its set number. `None` for
/// an attribute of the author's own, which may hold anything.
pub(super) fn attribute_takes(
    base: &str,
    morph: bool,
    quantized: bool,
    format: Format,
) -> Option<bool> {
    let (element, component, normalized) = format;
    let takes = match (base, morph) {
        ("POSITION", false) => element == Vec3 && (float(format) || quantized && small(format)),
        ("POSITION", true) => element == Vec3 && (float(format) || quantized && signed(format)),
        ("NORMAL", _) | ("TANGENT", _) => {
            let shape = if base == "TANGENT" && !morph { Vec4 } else { Vec3 };
            let quantum = quantized && signed(format) && normalized == NORMALIZED;
            element == shape && (float(format) || quantum)
        }
        ("TEXCOORD", false) => {
            let plain = float(format) || unsigned_normalized(format);
            element == Vec2 && (plain || quantized && small(format))
        }
        ("TEXCOORD", true) => {
            element == Vec2 && (float_or_normalized(format) || quantized && signed(format))
        }
        ("COLOR", false) => {
            matches!(element, Vec3 | Vec4) && (float(format) || unsigned_normalized(format))
        }
        ("COLOR", true) => matches!(element, Vec3 | Vec4) && float_or_normalized(format),
        ("JOINTS", false) => {
            element == Vec4 && matches!(component, U8 | U16) && normalized == PLAIN
        }
        ("WEIGHTS", false) => element == Vec4 && (float(format) || unsigned_normalized(format)),
        _ => return None,
    };
    Some(takes)
}

/// A format for a message: `Vec3 of I16, normalised`.
pub(super) fn describe(format: Option<Format>) -> String {
    let Some((element, component, normalized)) = format else { return "an unknown format".into() };
    let name = format!("{element:?} of {component:?}");
    if normalized { format!("{name}, normalised") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_use() {
        let allows = |base, morph, quantized, format| {
            attribute_takes(base, morph, quantized, format).expect("a known attribute")
        };
        assert!(allows("POSITION", false, false, (Vec3, F32, PLAIN)));
        assert!(!allows("POSITION", false, false, (Vec3, I16, PLAIN)));
        assert!(allows("POSITION", false, true, (Vec3, I16, PLAIN)));
        assert!(!allows("POSITION", true, true, (Vec3, U16, PLAIN)));
        assert!(!allows("NORMAL", false, true, (Vec3, U8, NORMALIZED)));
        assert!(allows("TEXCOORD", false, false, (Vec2, U16, NORMALIZED)));
        assert!(!allows("TEXCOORD", false, false, (Vec2, U16, PLAIN)));
        assert!(allows("JOINTS", false, false, (Vec4, U8, PLAIN)));
        assert!(!allows("JOINTS", false, false, (Vec4, F32, PLAIN)));
        assert!(allows("TANGENT", true, false, (Vec3, F32, PLAIN)));
        assert!(attribute_takes("_OWN", false, false, (Scalar, I8, PLAIN)).is_none());
        assert!(attribute_takes("JOINTS", true, false, (Vec4, U8, PLAIN)).is_none());
        let rotation = animation_output("rotation").expect("a known path");
        assert!(rotation((Vec4, I8, NORMALIZED)) && !rotation((Vec3, F32, PLAIN)));
        assert!(animation_output("pointer").is_none());
    }
}
