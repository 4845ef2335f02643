//! Numbers of MToon that are none, or out of their range: said, and nothing else of them is lost.

use enliven::{Material, Outline, glam::Vec3};
use enliven_io::{Import, NoFiles, Options, gltf};
use serde_json::{Value, json};

/// The one material of a document whose MToon says this.
fn read(mtoon: &Value) -> (Import, Material) {
    let document = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["VRMC_materials_mtoon"],
        "images": [{ "uri": "none.png" }],
        "textures": [{ "source": 0 }],
        "materials": [{ "extensions": { "VRMC_materials_mtoon": mtoon } }],
    });
    let bytes = document.to_string().into_bytes();
    let import = gltf::import(bytes, &mut NoFiles, &Options::default()).expect("it reads");
    let material = import.character.materials[0].clone();
    (import, material)
}

#[test]
fn what_is_wrong_is_said_and_the_rest_stays() {
    let good = json!({ "specVersion": "1.0", "shadeColorFactor": [0.1, 0.2, 0.3],
        "shadingToonyFactor": 0.4, "outlineWidthMode": "screenCoordinates" });
    for (key, value, code, place) in [
        ("shadeColorFactor", json!([1, 2]), "TYPE_MISMATCH", ""),
        ("shadeColorFactor", json!([0.1, "x", 0.3]), "TYPE_MISMATCH", ""),
        ("shadingShiftFactor", json!("much"), "TYPE_MISMATCH", ""),
        ("outlineWidthMode", json!(7), "TYPE_MISMATCH", ""),
        ("outlineWidthMode", json!("wide"), "VALUE_NOT_IN_LIST", ""),
        ("outlineWidthFactor", json!(-1), "VALUE_NOT_IN_RANGE", ""),
        ("transparentWithZWrite", json!("yes"), "TYPE_MISMATCH", ""),
        ("renderQueueOffsetNumber", json!(1e12), "VALUE_NOT_IN_RANGE", ""),
        ("renderQueueOffsetNumber", json!(null), "TYPE_MISMATCH", ""),
        ("uvAnimationScrollXSpeedFactor", json!(1e300), "VALUE_NOT_IN_RANGE", ""),
        (
            "shadingShiftTexture",
            json!({ "index": 0, "scale": 1e39 }),
            "VALUE_NOT_IN_RANGE",
            "/scale",
        ),
        ("matcapTexture", json!({ "index": 9 }), "UNRESOLVED_REFERENCE", "/index"),
        ("rimMultiplyTexture", json!("x"), "TYPE_MISMATCH", ""),
    ] {
        let mut mtoon = good.clone();
        mtoon[key] = value.clone();
        let (import, material) = read(&mtoon);
        let place = format!("/materials/0/extensions/VRMC_materials_mtoon/{key}{place}");
        let said = import.diagnostics.iter().any(|d| d.code == code && d.place == place);
        assert!(said, "{key}: {value}: {:#?}", import.diagnostics);
        let toon = &material.toon;
        assert_eq!(toon.shading_toony, 0.4, "{key}");
        if key != "shadeColorFactor" {
            assert_eq!(toon.shade_color, Vec3::new(0.1, 0.2, 0.3), "{key}");
        }
        if key != "outlineWidthMode" {
            assert_eq!(toon.outline, Outline::Screen, "{key}");
        }
        let numbers = [toon.shading_shift_scale, toon.uv_scroll.x, toon.outline_width];
        assert!(numbers.iter().all(|n| n.is_finite()), "{key}: {numbers:?}");
        assert!((-9..=9).contains(&toon.render_queue_offset), "{key}");
    }
    let (import, _) = read(&good);
    let mtoon = |place: &String| place.contains("/VRMC_materials_mtoon/");
    assert!(!import.diagnostics.iter().any(|d| mtoon(&d.place)), "{:#?}", import.diagnostics);
}

#[test]
fn numbers_of_unity_that_are_none_are_said_too() {
    let document = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["VRM"],
        "materials": [{ "name": "a" }],
        "extensions": { "VRM": { "materialProperties": [{
            "name": "a",
            "shader": "VRM/MToon",
            "floatProperties": { "_ShadeShift": "x", "_ShadeToony": 0.25 },
            "vectorProperties": { "_ShadeColor": [1, 0], "_Color": [1, 1, 1, 1] },
        }] } },
    });
    let bytes = document.to_string().into_bytes();
    let import = gltf::import(bytes, &mut NoFiles, &Options::default()).expect("it reads");
    let front = "/extensions/VRM/materialProperties/0";
    for place in ["/floatProperties/_ShadeShift", "/vectorProperties/_ShadeColor"] {
        let place = format!("{front}{place}");
        let said = import.diagnostics.iter().any(|d| d.code == "TYPE_MISMATCH" && d.place == place);
        assert!(said, "{place}: {:#?}", import.diagnostics);
    }
    let said = |name: &str| import.diagnostics.iter().any(|d| d.place.ends_with(name));
    assert!(!said("_ShadeToony") && !said("_Color"), "{:#?}", import.diagnostics);
}
