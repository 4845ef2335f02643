//! Every shared model goes import → export → import and stays what it was; the Khronos validator
//! finds nothing in what is written that it does not find in the source.
#![allow(clippy::unwrap_used)] // A test may panic.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use enliven::{Character, Clip, Interpolation, Target};
use enliven_io::gltf::{self, Export, Exported, Options};
use enliven_io::{Import, Limits, NoFiles, Severity, import_file};
use serde_json::Value;

fn shared() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("ENLIVEN_SHARED").map_or_else(beside, PathBuf::from);
    if shared.is_dir() {
        return Some(shared);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{} is missing", shared.display());
    eprintln!("skipped: {} is missing", shared.display());
    None
}

/// Every model under these folders, in order.
fn models(root: &Path, folders: &[&str]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut todo: Vec<PathBuf> = folders.iter().map(|f| root.join(f)).collect();
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            if path.is_dir() {
                todo.push(path);
            } else if matches!(ending, "glb" | "gltf" | "vrm" | "vrma") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

fn read(bytes: Vec<u8>, name: &str) -> Import {
    let options = Options { name: name.into(), binary: true, ..Options::default() };
    gltf::import(bytes, &mut NoFiles, &options).unwrap()
}

fn written(import: &Import, document: bool, clips: Option<&[Clip]>) -> Exported {
    gltf::export(&Export {
        character: &import.character,
        document: document.then_some(&import.document),
        clips,
    })
}

/// Where two characters differ that should be the same.
fn differences(a: &Character, b: &Character, full: bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut check = |what: &str, same: bool| {
        if !same {
            out.push(what.to_string());
        }
    };
    let n = a.rig.skeleton.len();
    // The full writer may add nodes for meshes that cannot share one.
    check("nodes", if full { b.rig.skeleton.len() >= n } else { b.rig.skeleton.len() == n });
    let by_name = |c: &Character| {
        let s = &c.rig.skeleton;
        let mut all: Vec<_> = s
            .joints()
            .map(|j| {
                let parent = s.parent(j).map(|p| s.name(p).to_owned());
                let t = s.rest()[j.index()];
                // Adding 0 makes −0 and 0 one number.
                let zero = enliven::glam::Vec3::ZERO;
                let r = t.rotation.to_array().map(|v| v + 0.0);
                let rest = format!("{} {:?} {}", t.translation + zero, r, t.scale + zero);
                (s.name(j).to_owned(), parent, rest)
            })
            .collect();
        all.sort();
        all
    };
    let (nodes_a, nodes_b) = (by_name(a), by_name(b));
    check("node names, parents, transforms", {
        let mut rest = nodes_b.iter();
        nodes_a.iter().all(|x| rest.any(|y| x == y))
    });
    // Without its document a person's expressions are not written.
    let written = |kind| !full || kind == enliven::ChannelKind::Morph;
    let channel = |c: &Character| -> Vec<_> {
        let channels = c.rig.channels.iter().filter(|(_, c)| written(c.kind));
        channels.map(|(_, c)| (c.name.clone(), c.kind, c.default.to_bits())).collect()
    };
    check("channels", channel(a) == channel(b));
    check("meshes", a.meshes.len() == b.meshes.len());
    // A skinned mesh that gets a node of its own comes after the others.
    let meshes = |c: &'_ Character| -> Vec<enliven::Mesh> {
        let mut all = c.meshes.clone();
        if full {
            all.sort_by(|a, b| a.name.cmp(&b.name));
        }
        all
    };
    for (i, (x, y)) in meshes(a).iter().zip(&meshes(b)).enumerate() {
        check(&format!("mesh {i} name"), x.name == y.name);
        check(&format!("mesh {i} material"), x.material == y.material);
        check(&format!("mesh {i} morphs"), x.morphs == y.morphs);
        let (g, h) = (&x.geometry, &y.geometry);
        check(&format!("mesh {i} positions"), g.positions == h.positions);
        check(&format!("mesh {i} indices"), g.indices == h.indices && g.topology == h.topology);
        // glTF asks for unit normals; a source may have others.
        let near = |a: &[enliven::glam::Vec3], b: &[enliven::glam::Vec3]| {
            let same = |(a, b): (&enliven::glam::Vec3, &enliven::glam::Vec3)| {
                let unit = a.try_normalize().unwrap_or(enliven::glam::Vec3::Y);
                a.abs_diff_eq(*b, 1e-5) || unit.abs_diff_eq(*b, 1e-5)
            };
            a.len() == b.len() && a.iter().zip(b).all(same)
        };
        check(&format!("mesh {i} normals"), near(&g.normals, &h.normals));
        check(&format!("mesh {i} uvs"), g.uvs == h.uvs);
        let colors = g.colors.len() == h.colors.len()
            && g.colors.iter().zip(&h.colors).all(|(a, b)| a.abs_diff_eq(*b, 1e-6));
        check(&format!("mesh {i} colours"), full || colors);
        check(&format!("mesh {i} morph targets"), g.morphs == h.morphs);
        check(&format!("mesh {i} influences"), same_influences(g, h));
    }
    check("skins", a.skins.len() == b.skins.len());
    for (i, (x, y)) in a.skins.iter().zip(&b.skins).enumerate() {
        let names = |c: &Character, s: &enliven::Skin| -> Vec<String> {
            s.joints.iter().map(|j| c.rig.skeleton.name(*j).to_owned()).collect()
        };
        check(&format!("skin {i} joints"), names(a, x) == names(b, y) && x.name == y.name);
        check(&format!("skin {i} inverse binds"), x.inverse_binds == y.inverse_binds);
    }
    check("materials", a.materials.len() == b.materials.len());
    for (i, (x, y)) in a.materials.iter().zip(&b.materials).enumerate() {
        let mut y = y.clone();
        if full && y.emissive.abs_diff_eq(x.emissive, 1e-5) {
            y.emissive = x.emissive;
        }
        check(&format!("material {i}"), *x == y);
    }
    // What no material uses is not decoded, so the whole writer has nothing to write of it.
    let used: Vec<usize> = a
        .materials
        .iter()
        .flat_map(|m| {
            [
                m.base_color_texture,
                m.metallic_roughness_texture,
                m.normal_texture,
                m.occlusion_texture,
                m.emissive_texture,
            ]
        })
        .flatten()
        .map(|t| t.texture.index())
        .collect();
    check("textures", a.textures.len() == b.textures.len() && a.images.len() == b.images.len());
    for (i, (x, y)) in a.textures.iter().zip(&b.textures).enumerate() {
        check(&format!("texture {i}"), (&x.name, x.sampler) == (&y.name, y.sampler));
        if used.contains(&i) || !full {
            let pixels = |c: &Character, t: &enliven::Texture| {
                t.image.map(|image| c.images[image.index()].clone())
            };
            check(&format!("texture {i} pixels"), pixels(a, x) == pixels(b, y));
        }
    }
    check("clips", a.clips.len() == b.clips.len());
    for (x, y) in a.clips.iter().zip(&b.clips) {
        let named = |c: &Character, clip: &Clip| -> BTreeMap<String, _> {
            clip.tracks
                .iter()
                .map(|t| {
                    let target = match t.target {
                        Target::Joint(j, p) => {
                            format!("{} {} {p:?}", position(c, j.index()), c.rig.skeleton.name(j))
                        }
                        other => format!("{other:?}"),
                    };
                    (target, t.curve.clone())
                })
                .collect()
        };
        let (p, q) = (named(a, x), named(b, y));
        check(&format!("clip {:?} name", x.name), x.name == y.name && x.duration == y.duration);
        check(&format!("clip {:?} tracks", x.name), p.keys().eq(q.keys()));
        check(&format!("clip {:?} keys", x.name), p.values().eq(q.values()));
    }
    out
}

/// Which of the joints of one name it is.
fn position(c: &Character, joint: usize) -> usize {
    let s = &c.rig.skeleton;
    let name = s.name(enliven::JointId(joint as u32));
    s.joints().take(joint).filter(|j| s.name(*j) == name).count()
}

/// Joints and weights of each vertex, in any order; the reader normalises again.
fn same_influences(a: &enliven::Geometry, b: &enliven::Geometry) -> bool {
    let of = |g: &enliven::Geometry, v: usize| {
        let mut out: BTreeMap<u16, f32> = BTreeMap::new();
        if let Some(f) = &g.influences {
            for i in v * f.per_vertex..(v + 1) * f.per_vertex {
                if f.weights[i] > 0.0 {
                    *out.entry(f.joints[i]).or_default() += f.weights[i];
                }
            }
        }
        out
    };
    a.influences.is_some() == b.influences.is_some()
        && (0..a.vertex_count()).all(|v| {
            let (x, y) = (of(a, v), of(b, v));
            x.keys().eq(y.keys()) && x.values().zip(y.values()).all(|(x, y)| (x - y).abs() < 1e-5)
        })
}

/// Everything of the JSON that says what something is: without data offsets and image addresses.
fn meaning(json: &Value) -> Value {
    let mut json = json.clone();
    let root = json.as_object_mut().unwrap();
    for key in ["buffers", "bufferViews"] {
        root.remove(key);
    }
    for image in root.get_mut("images").and_then(Value::as_array_mut).into_iter().flatten() {
        for key in ["uri", "bufferView", "mimeType"] {
            image.as_object_mut().map(|o| o.remove(key));
        }
    }
    json
}

const FOLDERS: &[&str] = &[
    "assets/rigged",
    "assets/morph",
    "assets/static",
    "assets/vrm0",
    "assets/vrm1",
    "assets/vrma",
    "assets/conformance/asset-generator",
];

#[test]
fn every_shared_model_survives_the_round_trip() {
    let Some(shared) = shared() else { return };
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in models(&shared, FOLDERS) {
        let Ok(first) = import_file(&path, &Limits::default()) else { continue };
        let at = path.strip_prefix(&shared).unwrap().display().to_string();
        count += 1;
        let name = first.character.name.clone();

        // As it was: the same document.
        let kept = written(&first, true, None);
        let again = read(kept.to_glb().unwrap(), &name);
        if meaning(&first.document.json) != meaning(&again.document.json) {
            wrong.push(format!("{at}: kept: the JSON differs"));
        }
        let differ = differences(&first.character, &again.character, false);
        wrong.extend(differ.iter().map(|d| format!("{at}: kept: {d}")));

        // With its clips written anew.
        let clips = written(&first, true, Some(&first.character.clips));
        let again = read(clips.to_glb().unwrap(), &name);
        let differ = differences(&first.character, &again.character, false);
        wrong.extend(differ.iter().map(|d| format!("{at}: clips anew: {d}")));

        // From the character alone.
        let full = written(&first, false, None);
        let again = read(full.to_glb().unwrap(), &name);
        let differ = differences(&first.character, &again.character, true);
        wrong.extend(differ.iter().map(|d| format!("{at}: whole: {d}")));
        // A fault of the source that the reader repaired by leaving something out may show again.
        let had = |code| first.diagnostics.iter().any(|d| d.code == code);
        let missing = first.character.textures.iter().any(|t| t.image.is_none());
        let errors = again.diagnostics.iter().filter(|d| {
            d.severity == Severity::Error
                && !had(d.code)
                && !(missing && d.code == "TEXTURE_NO_IMAGE")
        });
        wrong.extend(errors.map(|d| format!("{at}: whole: {d}")));
    }
    assert!(count > 120, "{count} models");
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
}

/// Installs the validator and runs it over the files; `None` (said) where there is no node.
fn validate(files: &[PathBuf]) -> Option<BTreeMap<String, Vec<(String, u64)>>> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/validator");
    let has = |p: &str| Command::new(p).arg("--version").output().is_ok_and(|o| o.status.success());
    if !has("node") || !has("npm") {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "node and npm are missing");
        eprintln!("skipped: node and npm are needed for the validator");
        return None;
    }
    if !tool.join("node_modules/gltf-validator").is_dir() {
        let done = Command::new("npm")
            .args(["ci", "--silent", "--no-audit", "--no-fund"])
            .current_dir(&tool)
            .status()
            .unwrap();
        assert!(done.success(), "npm ci in {}", tool.display());
    }
    let mut node = Command::new("node")
        .arg("check.mjs")
        .current_dir(&tool)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let list: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let mut stdin = node.stdin.take().unwrap();
    let feed = std::thread::spawn(move || stdin.write_all(list.join("\n").as_bytes()));
    let output = node.wait_with_output().unwrap();
    feed.join().unwrap().unwrap();
    assert!(output.status.success());
    let mut out = BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let report: Value = serde_json::from_str(line).unwrap();
        let issues = report["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|i| (i[0].as_str().unwrap().to_owned(), i[1].as_u64().unwrap()))
            .collect();
        out.insert(report["file"].as_str().unwrap().to_owned(), issues);
    }
    Some(out)
}

#[test]
fn the_validator_finds_nothing_new() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut sources = Vec::new();
    let mut made = Vec::new();
    for (i, path) in models(&shared, FOLDERS).into_iter().enumerate() {
        let Ok(first) = import_file(&path, &Limits::default()) else { continue };
        let clips = &first.character.clips;
        let whole = written(&first, false, None);
        let mut exports = vec![
            ("kept", written(&first, true, None)),
            ("clips", written(&first, true, Some(clips))),
            ("whole", whole),
        ];
        if let Some(person) =
            first.person.as_ref().filter(|_| path.extension().is_some_and(|e| e == "vrm"))
        {
            let person = |document: bool| {
                let document = document.then_some(&first.document);
                let what = Export { character: &first.character, document, clips: None };
                gltf::export_vrm(&what, person)
            };
            exports.push(("person", person(true)));
            exports.push(("person-whole", person(false)));
        }
        for (kind, export) in exports {
            let file = folder.path().join(format!("{i}-{kind}.glb"));
            std::fs::write(&file, export.to_glb().unwrap()).unwrap();
            made.push((file, path.clone()));
        }
        sources.push(path);
    }
    let all: Vec<PathBuf> = sources.iter().chain(made.iter().map(|(f, _)| f)).cloned().collect();
    let Some(reports) = validate(&all) else { return };
    let mut wrong = Vec::new();
    for (file, source) in &made {
        let had = &reports[&source.display().to_string()];
        let kind = file.file_stem().unwrap().to_string_lossy();
        for issue in &reports[&file.display().to_string()] {
            if !had.contains(issue) {
                wrong.push(format!("{kind} of {}: {issue:?}", source.display()));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} findings:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn curves_that_gltf_lacks_become_polygons_and_the_rest_is_said() {
    let rabbit = enliven::builtin::rabbit();
    let joint = rabbit.rig.skeleton.joints().nth(3).unwrap();
    let times = vec![0.0, 0.5, 1.0];
    let smooth = enliven::Curve::new(
        times.clone(),
        vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        3,
        Interpolation::Smooth,
    )
    .unwrap();
    let root = enliven::Curve::new(
        times,
        vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0],
        3,
        Interpolation::Linear,
    )
    .unwrap();
    let property = enliven::Property::Translation;
    let tracks = vec![
        enliven::Track { target: Target::Joint(joint, property), curve: smooth.clone() },
        enliven::Track { target: Target::Root(property), curve: root },
    ];
    let clip = Clip::new("jump", tracks);
    let additive = Clip { additive: true, ..clip.clone() };
    let clips = [clip, additive];
    let out = gltf::export(&Export { character: &rabbit, document: None, clips: Some(&clips) });
    assert_eq!(out.diagnostics.len(), 1);
    assert_eq!(out.diagnostics[0].code, "CLIP_ADDITIVE");
    let back = read(out.to_glb().unwrap(), "rabbit").character;
    assert_eq!(back.clips.len(), 1);
    let find = |name: &str| back.rig.skeleton.find(name).unwrap();
    let carrier = find("enliven_root");
    let moved = find(rabbit.rig.skeleton.name(joint));
    let mut pose = enliven::Pose::rest(&back.rig);
    for k in 0..=20 {
        let t = k as f32 / 20.0;
        back.clips[0].sample(t, &mut [], &mut pose);
        let mut want = [0.0; 3];
        smooth.sample(t, &mut 0, &mut want);
        let want = enliven::glam::Vec3::from_array(want);
        assert!(pose.translation(moved).abs_diff_eq(want, 2e-3), "{t}");
        assert!((pose.translation(carrier).z - 2.0 * t).abs() < 1e-5, "{t}");
    }
}
