//! Lists of a million: whatever they hold, memory and time stay within the bounds for any file.
//! A few bytes of JSON become an object of a few hundred bytes; the limits keep that in hand.

use enliven_io::{NoFiles, gltf::Options};
use serde_json::{Value, json};

use crate::{
    base::{Base, live},
    common::{BYTES, SECONDS, alone, measured},
};

/// Imports the base with `element` so many times at `pointer`; what went wrong.
fn check(pointer: &str, element: &str, many: usize) -> Result<(), String> {
    let mut base = Base::new();
    let (holder, key) = pointer.rsplit_once('/').expect("a pointer");
    let list = base.json.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
    let front: String = list.iter().map(|value| format!("{value},")).collect();
    base.json.pointer_mut(holder).expect("a place in the base")[key] = json!("@@");
    let text = base.json.to_string();
    let (before, after) = text.split_once("\"@@\"").expect("just put there");
    let mut file = String::with_capacity(text.len() + many * (element.len() + 12));
    file.push_str(before);
    if let Some(pattern) = element.strip_prefix("key ") {
        // An object of as many keys.
        file.push('{');
        for at in 0..many {
            file.push_str(&format!("\"k{at}\":{pattern},"));
        }
        file.push_str("\"k\":0}");
    } else {
        file.push('[');
        file.push_str(&front);
        for _ in 1..many {
            file.push_str(element);
            file.push(',');
        }
        file.push_str(element);
        file.push(']');
    }
    file.push_str(after);
    let file = base.glb_of(&file);
    let outcome = measured(file, &mut NoFiles, &Options::default(), SECONDS, BYTES)?;
    outcome.result.map_or(Ok(()), |import| live(*import))
}

#[test]
fn lists_of_a_million() {
    let _alone = alone();
    let mut wrong = Vec::new();
    let mut check = |pointer: &str, element: &str, many: usize| {
        if let Err(what) = check(pointer, element, many) {
            wrong.push(format!("{pointer} of {many} {element}: {what}"));
        }
    };
    // Beyond the limits.
    check("/accessors", "{}", 900_000);
    check("/materials", "0", 900_000);
    check("/meshes/0/primitives", "{}", 900_000);
    check("/animations/0/channels", "0", 900_000);
    check("/extensionsUsed", "0", 900_000);
    // No objects.
    check("/skins/0/joints", "0", 900_000);
    check("/nodes/0/children", "-1", 900_000);
    check("/nodes/2/weights", "0", 900_000);
    check("/nodes/0/extensions", "key {}", 900_000);
    check("/nodes/0/extras", "key 0", 900_000);
    // Just below the limits.
    let mut check = |pointer: &str, element: &str| check(pointer, element, 130_000);
    for list in [
        "/accessors",
        "/animations",
        "/buffers",
        "/bufferViews",
        "/cameras",
        "/images",
        "/materials",
        "/meshes",
        "/nodes",
        "/samplers",
        "/scenes",
        "/skins",
        "/textures",
    ] {
        check(list, "{}");
        check(list, "0");
    }
    for list in ["/meshes/0/primitives", "/animations/0/channels", "/animations/0/samplers"] {
        check(list, "{}");
        check(list, "0");
    }
    check("/meshes/0/primitives/0/targets", r#"{"POSITION":0}"#);
    check("/meshes/0/primitives/0/targets", "{}");
    for list in ["/nodes/0/children", "/scenes/0/nodes", "/skins/0/joints", "/nodes/2/weights"] {
        check(list, "0");
        check(list, "-1");
        check(list, "{}");
    }
    check("/extensionsUsed", "\"x\"");
    check("/extensionsUsed", "0");
    check("/meshes/0/primitives/0/attributes", "key 0");
    check("/nodes/0/extensions", "key {}");
    check("/nodes/0/extras", "key 0");
    check("/nodes/0/x", "key 0");
    let twice = "\"x\":0,".repeat(900_000);
    let deep = format!("{}{{{twice}\"x\":0}}{}", "{\"x\":".repeat(100), "}".repeat(100));
    let text = Base::new().json.to_string().replacen('{', &format!("{{\"extras\":{deep},"), 1);
    let file = Base::new().glb_of(&text);
    if let Err(what) = measured(file, &mut NoFiles, &Options::default(), SECONDS, BYTES) {
        wrong.push(format!("keys twice, deep down: {what}"));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
