//! M05 to M09 and M25: JSON text, indices, URIs, and what a document says of itself.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use enliven_io::Folder;
use serde_json::{Value, json};

use crate::{
    base::{Base, Cases, Expect, Fine, Refused, Said, SaidOneOf, Scratch},
    common::alone,
};

#[test]
fn m05_depth() {
    let _alone = alone();
    let mut cases = Cases::default();
    let deep = Refused("LIMIT_JSON_DEPTH");
    cases.check("open", "[".repeat(100_000).into_bytes(), deep);
    let closed = "[".repeat(100_000) + &"]".repeat(100_000);
    cases.check("closed", closed.into_bytes(), deep);
    let nested = |depth: usize| {
        let extras = r#"{"x":"#.repeat(depth) + "0" + &"}".repeat(depth);
        let text = Base::new().json.to_string();
        Base::new().glb_of(&text.replacen('{', &format!(r#"{{"extras":{extras},"#), 1))
    };
    cases.check("129 deep", nested(129), deep);
    cases.check("100 deep", nested(100), Fine);
    cases.done(4);
}

#[test]
fn m06_keys_and_texts() {
    let _alone = alone();
    let mut cases = Cases::default();
    let text = Base::new().json.to_string();
    let front = |more: &str| Base::new().glb_of(&text.replacen('{', &format!("{{{more}"), 1));
    cases.check("a key twice", front(r#""scene":0,"#), Said("DUPLICATE_KEY"));
    cases.check("__proto__", front(r#""__proto__":{"nodes":[]},"#), Said("UNEXPECTED_PROPERTY"));
    cases.check("__proto__ apart", front(r#""extras":{"__proto__":1},"#), Fine);
    cases.check(
        "byte-order mark",
        Base::new().glb_of(&format!("\u{feff}{text}")),
        Said("INVALID_JSON"),
    );
    let name = |name: &str| Base::new().glb_of(&text.replacen(r#""name":"a""#, name, 1));
    cases.check("lone surrogate", name(r#""name":"\ud800""#), Refused("INVALID_JSON"));
    cases.check("NUL", name(r#""name":"\u0000""#), Fine);
    cases.check("bare NUL", name("\"name\":\"\0\""), Refused("INVALID_JSON"));
    cases.check("10 MB name", name(&format!(r#""name":"{}""#, "x".repeat(10_000_000))), Fine);
    let many: String = (0..50_000).map(|key| format!(r#""k{key}":0,"#)).collect();
    cases.check("50,000 keys", front(&many), Said("UNEXPECTED_PROPERTY"));
    let mut latin = Base::new().glb();
    let at = latin.windows(8).position(|window| window == b"\"name\":\"").expect("a name") + 8;
    latin[at] = 0xE9;
    cases.check("not UTF-8", latin, Refused("INVALID_JSON"));
    cases.done(10);
}

/// Where indices stand in the base.
const INDICES: &[&str] = &[
    "/scene",
    "/scenes/0/nodes/0",
    "/nodes/0/children/0",
    "/nodes/2/mesh",
    "/nodes/2/skin",
    "/meshes/0/primitives/0/attributes/POSITION",
    "/meshes/0/primitives/0/attributes/JOINTS_0",
    "/meshes/0/primitives/0/indices",
    "/skins/0/joints/1",
    "/skins/0/inverseBindMatrices",
    "/animations/0/channels/0/sampler",
    "/animations/0/channels/0/target/node",
    "/animations/0/samplers/0/input",
    "/animations/0/samplers/0/output",
    "/accessors/0/bufferView",
    "/bufferViews/0/buffer",
];

#[test]
fn m07_indices() {
    let _alone = alone();
    let mut cases = Cases::default();
    // Lists of indices call each that is none an invalid index.
    const NO_INDEX: Expect = SaidOneOf(&["INVALID_INDEX", "TYPE_MISMATCH"]);
    const NOTHING_THERE: Expect = Said("UNRESOLVED_REFERENCE");
    for pointer in INDICES {
        for (text, expect) in [
            ("1.5", NO_INDEX),
            ("-1", Said("INVALID_INDEX")),
            ("1e3", NOTHING_THERE),
            ("4294967296", NOTHING_THERE),
            ("18446744073709551615", NOTHING_THERE),
            ("1e300", NO_INDEX),
            ("\"0\"", NO_INDEX),
            ("null", NO_INDEX),
            ("true", NO_INDEX),
            ("[0]", NO_INDEX),
        ] {
            cases.check(&format!("{pointer} = {text}"), with_number(pointer, text), expect);
        }
        let file = with_number(pointer, "1e400");
        cases.check(&format!("{pointer} = 1e400"), file, Refused("INVALID_JSON"));
    }
    // A whole number stays an index, however it is spelt.
    for (pointer, text) in [("/nodes/2/mesh", "0.0"), ("/scenes/0/nodes/1", "2e0")] {
        cases.check(&format!("{pointer} = {text}"), with_number(pointer, text), Fine);
    }
    cases.done(INDICES.len() * 11 + 2);
}

fn with_number(pointer: &str, text: &str) -> Vec<u8> {
    let mut base = Base::new();
    *base.json.pointer_mut(pointer).expect("a place in the base") = json!("@@");
    let json = base.json.to_string().replacen("\"@@\"", text, 1);
    base.glb_of(&json)
}

/// The base as text, its data in a URI.
fn with_uri(uri: impl Fn(String) -> String) -> Vec<u8> {
    let mut base = Base::new();
    base.json["buffers"][0]["uri"] = json!(uri(STANDARD.encode(&base.bin)));
    base.json.to_string().into_bytes()
}

#[test]
fn m08_base64() {
    let _alone = alone();
    let mut cases = Cases::default();
    let uri = |data: &str| format!("data:application/octet-stream;base64,{data}");
    let invalid = Said("INVALID_URI");
    cases.check("sound", with_uri(|data| uri(&data)), Fine);
    cases.check(
        "a space",
        with_uri(|data| uri(&format!("{} {}", &data[..8], &data[8..]))),
        invalid,
    );
    cases.check("padding inside", with_uri(|data| uri(&format!("AA=={data}"))), invalid);
    let url_safe = |data: String| uri(&format!("-_-_{}", &data[4..]));
    cases.check("url-safe alphabet", with_uri(url_safe), invalid);
    let short = Said("BUFFER_BYTE_LENGTH_MISMATCH");
    cases.check("one group short", with_uri(|data| uri(&data[..data.len() - 4])), short);
    cases.check("one letter", with_uri(|data| uri(&data[..data.len() - 3])), invalid);
    let mut long = Base::new();
    let bytes: Vec<u8> = long.bin.iter().copied().chain(vec![0; 1 << 20]).collect();
    long.json["buffers"][0]["uri"] = json!(uri(&STANDARD.encode(bytes)));
    cases.check("1 MiB long", long.json.to_string().into_bytes(), Fine);
    cases.check("nothing", with_uri(|_| uri("")), short);
    cases.check("no comma", with_uri(|_| "data:".into()), invalid);
    let media_type = |data: String| format!("data:text/plain;base64,{data}");
    cases.check("text", with_uri(media_type), Said("BUFFER_DATA_URI_MIME_TYPE_INVALID"));
    cases.done(10);
}

#[cfg(unix)]
#[test]
fn m09_files_beside() {
    let _alone = alone();
    let mut cases = Cases::default();
    let scratch = Scratch::new("m09");
    let bin = Base::new().bin;
    // One that must not be reached, and one that may.
    scratch.write("b.bin", &bin);
    scratch.write("asset/b.bin", &bin);
    scratch.write("asset/own.gltf", &with_uri(|_| "own.gltf".into()));
    std::os::unix::fs::symlink("../b.bin", scratch.0.join("asset/link.bin")).expect("a link");
    std::os::unix::fs::symlink("/dev/zero", scratch.0.join("asset/zero.bin")).expect("a link");
    std::fs::create_dir(scratch.0.join("asset/folder.bin")).expect("a folder");

    let mut folder = Folder::new(scratch.0.join("asset"));
    let mut check = |uri: &str, expect: Expect| {
        let file = with_uri(|_| uri.into());
        cases.check_with(uri, file, expect, &mut folder, 8 << 20);
    };
    check("b.bin", Fine);
    check("./x/../b.bin", Fine);
    check("../b.bin", Said("URI_OUTSIDE_FOLDER"));
    check("%2e%2e/b.bin", Said("URI_OUTSIDE_FOLDER"));
    check("..\\b.bin", Said("URI_OUTSIDE_FOLDER"));
    for uri in ["/dev/zero", "http://127.0.0.1:9/x", "C:\\b.bin", "file:///dev/zero", "b.bin#x"] {
        check(uri, Said("NON_RELATIVE_URI"));
    }
    for uri in ["link.bin", "zero.bin"] {
        check(uri, Said("URI_OUTSIDE_FOLDER"));
    }
    for uri in ["folder.bin", "none.bin", "b.bin/x"] {
        check(uri, Said("IO_ERROR"));
    }
    for uri in ["", ":", "%00", "%ff"] {
        check(uri, Said("INVALID_URI"));
    }
    // The file itself is some bytes like others.
    let own = std::fs::read(scratch.0.join("asset/own.gltf")).expect("the file");
    cases.check_with("itself", own, Said("ACCESSOR_INVALID_IBM"), &mut folder, 8 << 20);
    cases.done(20);
}

#[test]
fn m25_what_a_document_says_of_itself() {
    let _alone = alone();
    let mut cases = Cases::default();
    let mut check = |name: &str, expect: Expect, change: &dyn Fn(&mut Value)| {
        cases.check(name, Base::with(change).glb(), expect);
    };
    check("required extension", Refused("UNSUPPORTED_EXTENSION"), &|json| {
        json["extensionsUsed"] = json!(["ACME_unknown"]);
        json["extensionsRequired"] = json!(["ACME_unknown"]);
    });
    check("Draco", Refused("DRACO_UNSUPPORTED"), &|json| {
        json["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
        json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    });
    check("used extension", Said("UNSUPPORTED_EXTENSION"), &|json| {
        json["extensionsUsed"] = json!(["ACME_unknown"]);
    });
    check("no asset", Refused("UNDEFINED_PROPERTY"), &|json| {
        json.as_object_mut().expect("an object").remove("asset");
    });
    check("a list", Refused("TYPE_MISMATCH"), &|json| *json = json!([]));
    let versions = [
        (json!({"version": "3.0"}), Refused("UNKNOWN_ASSET_MAJOR_VERSION")),
        (json!({"version": "1.0"}), Refused("UNKNOWN_ASSET_MAJOR_VERSION")),
        (json!({"version": "99999999999999999999.0"}), Refused("UNKNOWN_ASSET_MAJOR_VERSION")),
        (json!({"version": ""}), Refused("PATTERN_MISMATCH")),
        (json!({"version": 2.0}), Refused("TYPE_MISMATCH")),
        (json!({}), Refused("UNDEFINED_PROPERTY")),
        (json!([]), Refused("TYPE_MISMATCH")),
        (json!({"version": "2.9"}), Said("UNKNOWN_ASSET_MINOR_VERSION")),
        (
            json!({"version": "2.0", "minVersion": "2.1"}),
            Said("ASSET_MIN_VERSION_GREATER_THAN_VERSION"),
        ),
        (json!({"version": "2.0", "minVersion": "3.0"}), Refused("UNKNOWN_ASSET_MAJOR_VERSION")),
    ];
    for (asset, expect) in versions {
        check(&asset.to_string(), expect, &|json| json["asset"] = asset.clone());
    }
    cases.done(15);
}
