//! Rules between the properties of one object, called from the tables.

use glam::{Mat4, Vec4};
use serde_json::Value;

use super::{
    codes::*,
    model::{ComponentType, ElementType},
    schema::{Json, Range, Target, index, integer, member, uint},
    walk::{Walker, shorten},
};

/// How far the length of a rotation may be from 1: the worst that 8-bit components round to.
/// Source: glTF-Validator.
pub(super) const UNIT_VEC4_TOLERANCE: f64 = 0.00769;

fn text<'a>(map: &'a Json, key: &str) -> Option<&'a str> {
    member(map, key).and_then(Value::as_str)
}

fn number(map: &Json, key: &str, range: Range) -> Option<f64> {
    member(map, key).and_then(Value::as_f64).filter(|number| range.holds(*number))
}

/// A list of exactly `N` numbers.
pub(super) fn numbers<const N: usize>(map: &Json, key: &str) -> Option<[f64; N]> {
    let list = member(map, key)?.as_array()?;
    if list.len() != N {
        return None;
    }
    let mut out = [0.0; N];
    for (out, value) in out.iter_mut().zip(list) {
        *out = value.as_f64().filter(|number| number.is_finite())?;
    }
    Some(out)
}

/// `2.0`: two runs of digits with a dot between.
pub(super) fn is_version(text: &str) -> bool {
    version(text).is_some()
}

/// The two numbers of a version; `None` unless it is one.
pub(in crate::gltf) fn version(text: &str) -> Option<(u64, u64)> {
    let part = |digits: &str| {
        let valid = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // A version too large for an integer is still a version, and none that we know.
        valid.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let (major, minor) = text.split_once('.')?;
    Some((part(major)?, part(minor)?))
}

/// A JSON pointer: empty, or `/` before each step and `~` only in `~0` and `~1`.
pub(super) fn is_pointer(text: &str) -> bool {
    let escapes_hold = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && escapes_hold
}

/// Whether the asset says that it is glTF 2; findings when not. Runs on `asset`.
pub(super) fn asset(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    let Some(version) = text(map, "version").and_then(version) else { return };
    let min = text(map, "minVersion").and_then(self::version);
    if let Some(min) = min
        && min > version
    {
        walker.report.add_at("minVersion", ASSET_MIN_VERSION_GREATER_THAN_VERSION, || {
            format!("{}.{} is above version {}.{}", min.0, min.1, version.0, version.1)
        });
    }
    if version.0 != 2 {
        walker.report.add_at("version", UNKNOWN_ASSET_MAJOR_VERSION, || {
            format!("glTF {} is not glTF 2", version.0)
        });
    } else if version.1 > 0 {
        walker.report.add_at("version", UNKNOWN_ASSET_MINOR_VERSION, || {
            format!("glTF 2.{} is newer than 2.0", version.1)
        });
    }
}

/// The major version, where the asset has a valid one.
pub(super) fn major_version(root: &Json) -> Option<u64> {
    Some(version(text(root.get("asset")?.as_object()?, "version")?)?.0)
}

/// The extension lists.
pub(super) fn root(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    if map.contains_key("extensionsRequired") && !map.contains_key("extensionsUsed") {
        walker.report.add_at("extensionsRequired", UNSATISFIED_DEPENDENCY, || {
            "'extensionsUsed' must be defined".into()
        });
    }
    let texts = |key: &str| -> Vec<&str> {
        let list = member(map, key).and_then(Value::as_array);
        list.and_then(|list| list.iter().map(Value::as_str).collect()).unwrap_or_default()
    };
    let required = texts("extensionsRequired");
    let used_set: std::collections::BTreeSet<&str> = walker.declared.iter().copied().collect();
    let used = walker.report.enter("extensionsUsed");
    for (index, name) in walker.declared.iter().enumerate() {
        let mark = walker.report.enter_index(index);
        if !is_extension_name(name) {
            walker.report.add(INVALID_EXTENSION_NAME_FORMAT, || format!("'{}'", shorten(name)));
        }
        match super::extensions::ALL.iter().find(|extension| extension.name == *name) {
            None => walker.report.add(UNSUPPORTED_EXTENSION, || {
                format!("'{}' is not checked: no table for it here", shorten(name))
            }),
            Some(extension) if extension.needed && !required.contains(name) => {
                walker.report.add(NON_REQUIRED_EXTENSION, || {
                    format!("{name} must be listed in extensionsRequired too")
                });
            }
            Some(_) => {}
        }
        walker.report.leave(mark);
    }
    walker.report.leave(used);
    let list = walker.report.enter("extensionsRequired");
    for (index, name) in required.iter().enumerate() {
        if !used_set.contains(name) {
            let mark = walker.report.enter_index(index);
            walker.report.add(UNUSED_EXTENSION_REQUIRED, || {
                format!("'{}' is not listed in extensionsUsed", shorten(name))
            });
            walker.report.leave(mark);
        }
    }
    walker.report.leave(list);
}

/// `KHR_materials_unlit`: a prefix of capitals and digits, `_`, and a name.
fn is_extension_name(name: &str) -> bool {
    name.split_once('_').is_some_and(|(prefix, rest)| {
        !prefix.is_empty()
            && prefix.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            && !rest.is_empty()
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Offsets, normalisation, and the form of the bounds.
pub(super) fn accessor<'a>(walker: &mut Walker<'a>, map: &'a Json, _: &'a Json) {
    let component = ComponentType::read(map, "componentType");
    let element = ElementType::read(map);
    if index(map, "bufferView").is_none() {
        if map.contains_key("byteOffset") {
            walker.report.add_at("byteOffset", UNSATISFIED_DEPENDENCY, || {
                "'bufferView' must be defined".into()
            });
        }
    } else if element.is_some_and(ElementType::is_matrix)
        && uint(map, "byteOffset", 0).is_some_and(|offset| offset % 4 != 0)
    {
        walker.report.add_at("byteOffset", ACCESSOR_MATRIX_ALIGNMENT, || {
            "matrices begin at a multiple of 4 bytes".into()
        });
    }
    let wide = matches!(component, Some(ComponentType::F32 | ComponentType::U32));
    if wide && member(map, "normalized") == Some(&Value::Bool(true)) {
        walker.report.add_at("normalized", ACCESSOR_NORMALIZED_INVALID, || {
            "only bytes and shorts can be normalised".into()
        });
    }
    let (Some(component), Some(element)) = (component, element) else { return };
    for key in ["min", "max"] {
        let Some(value) = member(map, key) else { continue };
        let mark = walker.report.enter(key);
        if component == ComponentType::F32 {
            walker.numbers(value, element.components(), Range::ANY);
        } else if let Some(list) = value.as_array() {
            if list.len() != element.components() {
                walker.report.add(ARRAY_LENGTH_NOT_IN_LIST, || {
                    format!("{} numbers where {} are expected", list.len(), element.components())
                });
            } else {
                for value in list {
                    match integer(value) {
                        None => walker.element_mismatch(value, "integer"),
                        Some(number) if !component.range().contains(&number) => {
                            walker.report.add(INVALID_GL_VALUE, || {
                                format!("{number} does not fit the component type")
                            });
                        }
                        Some(_) => {}
                    }
                }
            }
        } else {
            walker.mismatch(value, "array");
        }
        walker.report.leave(mark);
    }
}

/// Stride against length, step and target.
pub(super) fn buffer_view(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    let Some(stride) = uint(map, "byteStride", 4).filter(|stride| *stride <= 252) else { return };
    if let Some(length) = uint(map, "byteLength", 1)
        && stride > length
    {
        walker.report.add_at("byteStride", BUFFER_VIEW_TOO_BIG_BYTE_STRIDE, || {
            format!("a stride of {stride} in a view of {length} bytes")
        });
    }
    if stride % 4 != 0 {
        walker
            .report
            .add_at("byteStride", VALUE_MULTIPLE_OF, || format!("{stride} is no multiple of 4"));
    }
    if uint(map, "target", 0) == Some(34963) {
        walker.report.add_at("byteStride", BUFFER_VIEW_INVALID_BYTE_STRIDE, || {
            "only views of vertices have a stride".into()
        });
    }
}

/// One projection, not two.
pub(super) fn camera(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    if map.contains_key("orthographic") && map.contains_key("perspective") {
        walker
            .report
            .add(ONE_OF_MISMATCH, || "either 'orthographic' or 'perspective', not both".into());
    }
}

/// Magnification and depth.
pub(super) fn orthographic(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    depth_order(walker, map, number(map, "znear", Range::NOT_NEGATIVE));
    for key in ["xmag", "ymag"] {
        match number(map, key, Range::ANY) {
            Some(0.0) => {
                walker.report.add_at(key, CAMERA_XMAG_YMAG_ZERO, || "a view of no width".into())
            }
            Some(number) if number < 0.0 => {
                walker.report.add_at(key, CAMERA_XMAG_YMAG_NEGATIVE, || "a mirrored view".into())
            }
            _ => {}
        }
    }
}

/// Angle and depth.
pub(super) fn perspective(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    if number(map, "yfov", Range::POSITIVE).is_some_and(|angle| angle >= std::f64::consts::PI) {
        walker.report.add(CAMERA_YFOV_GEQUAL_PI, || "yfov should be below π".into());
    }
    depth_order(walker, map, number(map, "znear", Range::POSITIVE));
}

fn depth_order(walker: &mut Walker<'_>, map: &Json, near: Option<f64>) {
    if let (Some(far), Some(near)) = (number(map, "zfar", Range::POSITIVE), near)
        && far <= near
    {
        walker
            .report
            .add(CAMERA_ZFAR_LEQUAL_ZNEAR, || format!("zfar {far} is not above znear {near}"));
    }
}

/// Transforms, and what needs a mesh.
pub(super) fn node(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    if let Some(rotation) = numbers::<4>(map, "rotation")
        && rotation.iter().all(|number| Range::SIGNED_UNIT.holds(*number))
    {
        let length = rotation.iter().map(|number| number * number).sum::<f64>().sqrt();
        if (1.0 - length).abs() > UNIT_VEC4_TOLERANCE {
            walker
                .report
                .add_at("rotation", ROTATION_NON_UNIT, || format!("its length is {length}"));
        }
    }
    if index(map, "mesh").is_none() {
        for key in ["skin", "weights"] {
            let there = match key {
                "skin" => index(map, key).is_some(),
                _ => {
                    member(map, key).and_then(Value::as_array).is_some_and(|list| !list.is_empty())
                }
            };
            if there {
                walker
                    .report
                    .add_at(key, UNSATISFIED_DEPENDENCY, || "'mesh' must be defined".into());
            }
        }
    }
    let Some(matrix) = numbers::<16>(map, "matrix") else { return };
    if ["translation", "rotation", "scale"].iter().any(|key| map.contains_key(*key)) {
        walker.report.add_at("matrix", NODE_MATRIX_TRS, || {
            "a node has a matrix or translation, rotation and scale, not both".into()
        });
    }
    let matrix = Mat4::from_cols_array(&matrix.map(|number| number as f32));
    if matrix == Mat4::IDENTITY {
        walker.report.add_at("matrix", NODE_MATRIX_DEFAULT, || "the default, spelt out".into());
    } else if !is_decomposable(matrix) {
        walker.report.add_at("matrix", NODE_MATRIX_NON_TRS, || {
            "no translation, rotation and scale make this matrix".into()
        });
    }
}

/// Whether a matrix is a translation × rotation × scale, measured as the Khronos validator does:
/// the largest column sum changes by less than 5e-5 (relative, for large matrices) when the matrix
/// is taken apart and put together again.
fn is_decomposable(matrix: Mat4) -> bool {
    let last_row = matrix.row(3);
    if last_row != Vec4::W {
        return false;
    }
    let determinant = matrix.determinant();
    if determinant == 0.0 || !determinant.is_finite() {
        return false;
    }
    let norm = |matrix: Mat4| {
        let sum = |column: Vec4| column.abs().element_sum();
        sum(matrix.x_axis).max(sum(matrix.y_axis)).max(sum(matrix.z_axis)).max(sum(matrix.w_axis))
    };
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    let again = Mat4::from_scale_rotation_translation(scale, rotation, translation);
    let (before, after) = (norm(matrix), norm(again));
    (before - after).abs() < 5e-5 * before.max(1.0)
}

/// Alpha, and what meshes must know.
pub(super) fn material(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    if map.contains_key("alphaCutoff") && text(map, "alphaMode") != Some("MASK") {
        walker.report.add_at("alphaCutoff", MATERIAL_ALPHA_CUTOFF_INVALID_MODE, || {
            "only alpha mode MASK has a cutoff".into()
        });
    }
    if let Some(material) = walker.material {
        walker.materials[material].has_normal_map =
            member(map, "normalTexture").is_some_and(Value::is_object);
    }
}

fn reads_uv_set(walker: &mut Walker<'_>, map: &Json, default: Option<u64>) {
    let set = if map.contains_key("texCoord") { uint(map, "texCoord", 0) } else { default };
    if let (Some(material), Some(set)) = (walker.material, set) {
        let place = walker.report.place().to_owned();
        walker.materials[material].uv_sets.push((place, set));
    }
}

fn needs_tangents(walker: &mut Walker<'_>) {
    if let Some(material) = walker.material {
        walker.materials[material].needs_tangents = true;
    }
}

/// The texture coordinates that a texture reads.
pub(super) fn texture_info(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    reads_uv_set(walker, map, Some(0));
}

/// The texture coordinates and tangents that a normal map reads.
pub(super) fn normal_texture_info(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    reads_uv_set(walker, map, Some(0));
    needs_tangents(walker);
}

/// The texture coordinates that a transformed texture reads instead.
pub(super) fn texture_transform(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    reads_uv_set(walker, map, None);
}

/// The same texture coordinates for two textures that share a tangent space.
fn same_uv_set(
    walker: &mut Walker<'_>,
    map: &Json,
    key: &str,
    material: &Json,
    code: super::codes::Code,
) {
    let set = |map: &Json, key: &str| {
        let info = member(map, key)?.as_object()?;
        Some(if info.contains_key("texCoord") { uint(info, "texCoord", 0)? } else { 0 })
    };
    if let (Some(own), Some(normal)) = (set(map, key), set(material, "normalTexture"))
        && own != normal
    {
        walker.report.add_at(key, code, || {
            format!("reads TEXCOORD_{own}, the normal map TEXCOORD_{normal}")
        });
    }
}

/// Anisotropy goes along tangents.
pub(super) fn anisotropy(walker: &mut Walker<'_>, map: &Json, material: &Json) {
    if member(map, "anisotropyTexture").is_some_and(Value::is_object) {
        needs_tangents(walker);
    }
    same_uv_set(
        walker,
        map,
        "anisotropyTexture",
        material,
        KHR_MATERIALS_ANISOTROPY_ANISOTROPY_TEXTURE_TEXCOORD,
    );
}

/// Two normal maps, one tangent space.
pub(super) fn clearcoat(walker: &mut Walker<'_>, map: &Json, material: &Json) {
    same_uv_set(
        walker,
        map,
        "clearcoatNormalTexture",
        material,
        KHR_MATERIALS_CLEARCOAT_CLEARCOAT_NORMAL_TEXTURE_TEXCOORD,
    );
}

fn has_extension(walker: &Walker<'_>, holder: &Json, name: &str) -> bool {
    walker.is_loaded(name)
        && holder
            .get("extensions")
            .and_then(Value::as_object)
            .is_some_and(|extensions| extensions.contains_key(name))
}

/// Dispersion happens in a volume.
pub(super) fn dispersion(walker: &mut Walker<'_>, _: &Json, material: &Json) {
    if !has_extension(walker, material, "KHR_materials_volume") {
        walker.report.add(KHR_MATERIALS_DISPERSION_NO_VOLUME, || {
            "has no effect without KHR_materials_volume".into()
        });
    }
}

/// A strength of what?
pub(super) fn emissive_strength(walker: &mut Walker<'_>, map: &Json, material: &Json) {
    let strength = if map.contains_key("emissiveStrength") {
        number(map, "emissiveStrength", Range::NOT_NEGATIVE)
    } else {
        Some(1.0)
    };
    let dark = match material.get("emissiveFactor") {
        None => true,
        Some(_) => numbers::<3>(material, "emissiveFactor") == Some([0.0; 3]),
    };
    if strength.is_some_and(|strength| strength != 1.0) && dark {
        walker.report.add(KHR_MATERIALS_EMISSIVE_STRENGTH_ZERO_FACTOR, || {
            "has no effect: the emissive factor is zero".into()
        });
    }
}

/// A thickness texture and its range.
pub(super) fn iridescence(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    let (low, high) = ("iridescenceThicknessMinimum", "iridescenceThicknessMaximum");
    // Defaults of the extension, nanometres.
    let thickness = |key: &str, default: f64| {
        if map.contains_key(key) { number(map, key, Range::NOT_NEGATIVE) } else { Some(default) }
    };
    if member(map, "iridescenceThicknessTexture").is_some_and(Value::is_object) {
        let low = thickness(low, 100.0);
        if low.is_some() && low == thickness(high, 400.0) {
            walker.report.add_at(
                "iridescenceThicknessTexture",
                KHR_MATERIALS_IRIDESCENCE_THICKNESS_TEXTURE_UNUSED,
                || "has no effect: the thickness range is empty".into(),
            );
        }
    } else if number(map, low, Range::NOT_NEGATIVE).is_some() {
        walker.report.add_at(
            low,
            KHR_MATERIALS_IRIDESCENCE_THICKNESS_RANGE_WITHOUT_TEXTURE,
            || "has no effect without a thickness texture".into(),
        );
    }
}

/// A volume is seen through a surface that lets light in.
pub(super) fn volume(walker: &mut Walker<'_>, map: &Json, material: &Json) {
    let extensions = material.get("extensions").and_then(Value::as_object);
    // An extension that we do not know may let light in as well.
    let unknown =
        extensions.is_some_and(|extensions| extensions.keys().any(|name| !walker.is_loaded(name)));
    if !has_extension(walker, material, "KHR_materials_transmission") && !unknown {
        walker.report.add(KHR_MATERIALS_VOLUME_NO_TRANSMISSION, || {
            "needs an extension that lets light through the surface".into()
        });
    }
    let thick = number(map, "thicknessFactor", Range::NOT_NEGATIVE).is_some_and(|t| t > 0.0);
    if thick && material.get("doubleSided") == Some(&Value::Bool(true)) {
        walker.report.add(KHR_MATERIALS_VOLUME_DOUBLE_SIDED, || "a volume has one outside".into());
    }
}

/// What does not belong on this type of light.
pub(super) fn light(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    let kind = text(map, "type");
    if kind != Some("spot") && map.contains_key("spot") {
        walker.report.add_at("spot", EXTRA_PROPERTY, || "only spot lights have a cone".into());
    }
    if kind == Some("directional") && number(map, "range", Range::POSITIVE).is_some() {
        walker.report.add_at("range", EXTRA_PROPERTY, || "directional lights have no range".into());
    }
}

/// The inner cone is inside the outer one.
pub(super) fn spot(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    let angle = |key: &str, default: f64| {
        if map.contains_key(key) { member(map, key).and_then(Value::as_f64) } else { Some(default) }
    };
    let inner = angle("innerConeAngle", 0.0);
    let outer = angle("outerConeAngle", std::f64::consts::FRAC_PI_4);
    if let (Some(inner), Some(outer)) = (inner, outer)
        && outer <= inner
    {
        walker.report.add_at("outerConeAngle", KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES, || {
            format!("outer angle {outer} is not above inner angle {inner}")
        });
    }
}

/// Lights live at the root.
pub(super) fn light_node(walker: &mut Walker<'_>, _: &Json, _: &Json) {
    root_extension(walker, "KHR_lights_punctual");
}

fn root_extension(walker: &mut Walker<'_>, name: &str) {
    if walker.doc.extension(name).is_none() {
        walker
            .report
            .add(UNSATISFIED_DEPENDENCY, || format!("'/extensions/{name}' must be defined"));
    }
}

/// Variants live at the root.
pub(super) fn variant_mapping(walker: &mut Walker<'_>, _: &Json, _: &Json) {
    root_extension(walker, "KHR_materials_variants");
}

/// A variant has one material a primitive.
pub(super) fn variant_mappings(walker: &mut Walker<'_>, map: &Json, _: &Json) {
    if walker.doc.extension("KHR_materials_variants").is_none() {
        return;
    }
    let mut seen = std::collections::BTreeSet::new();
    let mappings = walker.report.enter("mappings");
    for (at, mapping) in super::doc::objects(map, "mappings").into_iter().flatten().enumerate() {
        let list = mapping.get("variants").and_then(Value::as_array);
        let mapping = walker.report.enter_index(at);
        let variants = walker.report.enter("variants");
        for (at, variant) in list.into_iter().flatten().enumerate() {
            let Some(variant) = integer(variant).filter(|index| *index >= 0) else { continue };
            if !seen.insert(variant) {
                let mark = walker.report.enter_index(at);
                walker.report.add(KHR_MATERIALS_VARIANTS_NON_UNIQUE_VARIANT, || {
                    format!("variant {variant} has a material already")
                });
                walker.report.leave(mark);
            }
        }
        walker.report.leave(variants);
        walker.report.leave(mapping);
    }
    walker.report.leave(mappings);
}

/// A pointer replaces node and path. `target` is the channel's target.
pub(super) fn animation_pointer(walker: &mut Walker<'_>, _: &Json, target: &Json) {
    walker.report.add(INCOMPLETE_EXTENSION_SUPPORT, || {
        "what the pointer points at is not checked here".into()
    });
    let node = index(target, "node");
    if node.is_some_and(|node| walker.doc.get(Target::Nodes, node).is_some()) {
        walker.report.add(KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE, || {
            "a channel with a pointer has no node".into()
        });
    }
    let path = text(target, "path");
    if path != Some("pointer") {
        walker.report.add(KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH, || {
            format!("the path must be 'pointer', not '{}'", shorten(path.unwrap_or_default()))
        });
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;

    #[test]
    fn versions() {
        for right in ["2.0", "2.1", "10.20", "99999999999999999999999.0"] {
            assert!(is_version(right), "{right}");
        }
        for wrong in ["", "2", "2.", ".0", "2.0.1", "2.0-dev", " 2.0", "+2.0"] {
            assert!(!is_version(wrong), "{wrong}");
        }
    }

    #[test]
    fn pointers() {
        for right in ["", "/", "/nodes/0/translation", "/a~0b~1c", "//"] {
            assert!(is_pointer(right), "{right}");
        }
        for wrong in ["nodes", "/a~", "/a~2", " /a"] {
            assert!(!is_pointer(wrong), "{wrong}");
        }
    }

    #[test]
    fn extension_names() {
        assert!(is_extension_name("KHR_materials_unlit") && is_extension_name("VRMC_vrm"));
        assert!(!is_extension_name("VRM") && !is_extension_name("khr_x"));
        assert!(!is_extension_name("KHR_") && !is_extension_name("_x"));
    }

    #[test]
    fn only_shear_and_projection_cannot_be_taken_apart() {
        let rotation = Quat::from_xyzw(0.5, -0.5, 0.5, 0.5);
        for scale in [Vec3::ONE, Vec3::new(-2.0, 3.0, 0.1), Vec3::splat(1000.0)] {
            let matrix =
                Mat4::from_scale_rotation_translation(scale, rotation, Vec3::new(4.0, 5.0, 6.0));
            assert!(is_decomposable(matrix), "{scale}");
        }
        let mut sheared = Mat4::IDENTITY;
        sheared.y_axis.x = 0.5;
        assert!(!is_decomposable(sheared));
        assert!(!is_decomposable(Mat4::ZERO));
        let mut projected = Mat4::IDENTITY;
        projected.w_axis = Vec4::new(0.0, 0.0, 0.0, 2.0);
        assert!(!is_decomposable(projected));
    }
}
