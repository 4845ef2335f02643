//! Every shared model goes import → export → import and stays what it was; the Khronos validator
//! finds nothing in what is written that it does not find in the source.
#![allow(clippy::unwrap_used)] // A test may panic.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use enliven::glam::{Vec3, Vec4};
use enliven::{Binding, Character, Clip, Interpolation, JointId, Target};
use enliven_io::gltf::{self, Clips, Export, Exported, Options};
use enliven_io::{Import, Limits, NoFiles, Severity, import_file};
use enliven_testing::{node, shared};
use serde_json::Value;

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
        clips: clips.into(),
    })
}

/// Which joint of one import is which of the other: by their place among the document's nodes. The
/// whole writer makes node i of joint i.
fn joints(first: &Import, again: &Import, full: bool) -> BTreeMap<JointId, JointId> {
    let ours = (0..first.character.rig.skeleton.len() as u32).map(JointId);
    let theirs = again.document.joints.iter().copied();
    if full {
        return ours.zip(theirs).collect();
    }
    first.document.joints.iter().copied().zip(theirs).collect()
}

/// Which mesh of one character is which of the other. A skinned mesh that the whole writer gives a
/// node of its own comes after the others.
fn same_meshes(a: &Character, b: &Character) -> Vec<Option<usize>> {
    let mut left: Vec<usize> = (0..b.meshes.len()).collect();
    let id = |m: &enliven::Mesh| (m.name.clone(), m.material, m.shown, m.morphs.len());
    let mut found = |x: &enliven::Mesh| {
        let at = left.iter().position(|i| {
            let y = &b.meshes[*i];
            id(x) == id(y) && x.geometry.positions == y.geometry.positions
        })?;
        Some(left.remove(at))
    };
    a.meshes.iter().map(&mut found).collect()
}

/// Where two imports differ that should be the same. What the whole writer has no place for is
/// said by its diagnostics: channels of other kinds than morphs.
fn differences(first: &Import, again: &Import, full: bool) -> Vec<String> {
    let (a, b) = (&first.character, &again.character);
    let mut out = Vec::new();
    let mut check = |what: &str, same: bool| {
        if !same {
            out.push(what.to_string());
        }
    };
    let (s, t) = (&a.rig.skeleton, &b.rig.skeleton);
    // The full writer may add nodes for meshes that cannot share one.
    check("nodes", if full { t.len() >= s.len() } else { t.len() == s.len() });
    let to = joints(first, again, full);
    check("every node", to.len() == s.len());
    for (x, y) in &to {
        let label = format!("node {} {:?}", x.0, s.name(*x));
        check(&format!("{label}: name"), s.name(*x) == t.name(*y));
        let parent = s.parent(*x).and_then(|p| to.get(&p).copied());
        check(&format!("{label}: parent"), parent == t.parent(*y));
        check(&format!("{label}: rest"), s.rest()[x.index()] == t.rest()[y.index()]);
    }
    let names = |c: &Character| (c.name.clone(), c.meta.copyright.clone(), c.rig.height);
    check("name, copyright, height", names(a) == names(b));

    let pairs = same_meshes(a, b);
    check("meshes", a.meshes.len() == b.meshes.len());
    if !full {
        check("order of meshes", pairs.iter().enumerate().all(|(i, p)| *p == Some(i)));
        check("channels", a.rig.channels == b.rig.channels && a.rig.regions == b.rig.regions);
    }
    // Channels of morphs by their place in their mesh.
    let mut channels: BTreeMap<u32, u32> = BTreeMap::new();
    for (i, pair) in pairs.iter().enumerate() {
        let label = format!("mesh {i} {:?}", a.meshes[i].name);
        let Some(pair) = pair else {
            check(&format!("{label} is lost"), false);
            continue;
        };
        let (x, y) = (&a.meshes[i], &b.meshes[*pair]);
        let bound = match (x.binding, y.binding) {
            (Binding::Rigid(j), Binding::Rigid(k)) => {
                // A second mesh of one joint gets a node below it, which rests on it.
                let rest = t.rest()[k.index()] == enliven::Transform::IDENTITY;
                to[&j] == k || full && rest && t.parent(k) == Some(to[&j])
            }
            (Binding::Skin(p), Binding::Skin(q)) => p == q,
            _ => false,
        };
        check(&format!("{label} binding"), bound);
        for (c, d) in x.morphs.clone().zip(y.morphs.clone()) {
            channels.insert(c, d);
            let channel = |c: &Character, id| {
                let channel = c.rig.channels.get(enliven::ChannelId(id));
                (channel.name.clone(), channel.kind, channel.default.to_bits())
            };
            check(&format!("{label} channel {c}"), channel(a, c) == channel(b, d));
        }
        let (g, h) = (&x.geometry, &y.geometry);
        check(&format!("{label} indices"), g.indices == h.indices && g.topology == h.topology);
        check(&format!("{label} normals"), near(&g.normals, &h.normals));
        let tangents = |g: &enliven::Geometry| -> (Vec<Vec3>, Vec<bool>) {
            g.tangents.iter().map(|t| (t.truncate(), t.w < 0.0)).unzip()
        };
        let ((p, p_side), (q, q_side)) = (tangents(g), tangents(h));
        // Where a tangent has no direction the writer has to make one up.
        check(&format!("{label} tangents"), p_side == q_side && near(&p, &q));
        check(&format!("{label} uvs"), g.uvs == h.uvs);
        let clamp = |v: Vec4| if full { v.clamp(Vec4::ZERO, Vec4::ONE) } else { v };
        let colors = g.colors.len() == h.colors.len()
            && g.colors.iter().zip(&h.colors).all(|(a, b)| clamp(*a).abs_diff_eq(*b, 1e-6));
        check(&format!("{label} colours"), colors);
        check(&format!("{label} morph targets"), g.morphs == h.morphs);
        check(&format!("{label} influences"), same_influences(g, h));
    }
    check("skins", a.skins.len() == b.skins.len());
    for (i, (x, y)) in a.skins.iter().zip(&b.skins).enumerate() {
        let moved: Vec<JointId> = x.joints.iter().map(|j| to[j]).collect();
        check(&format!("skin {i} joints"), moved == y.joints && x.name == y.name);
        check(&format!("skin {i} root"), x.root.map(|j| to[&j]) == y.root);
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
        let label = format!("clip {:?}", x.name);
        let head = |c: &Clip| (c.name.clone(), c.duration, c.additive, c.marks.clone());
        check(&format!("{label} name, length, marks"), head(x) == head(y));
        // Targets by what they are now; what has no place is left out.
        let moved = |target| match target {
            Target::Joint(j, p) => Some(Target::Joint(*to.get(&j)?, p)),
            Target::Channel(c) if full => {
                Some(Target::Channel(enliven::ChannelId(*channels.get(&c.0)?)))
            }
            other => Some(other),
        };
        let ours: BTreeMap<Target, _> =
            x.tracks.iter().filter_map(|t| Some((moved(t.target)?, &t.curve))).collect();
        let theirs: BTreeMap<Target, _> = y.tracks.iter().map(|t| (t.target, &t.curve)).collect();
        check(&format!("{label} tracks"), ours.keys().eq(theirs.keys()));
        check(&format!("{label} keys"), ours == theirs);
    }
    out
}

/// glTF asks for unit vectors; a source may have others.
fn near(a: &[Vec3], b: &[Vec3]) -> bool {
    let same = |(a, b): (&Vec3, &Vec3)| {
        let unit = a.try_normalize();
        a.abs_diff_eq(*b, 1e-5) || unit.is_none_or(|unit| unit.abs_diff_eq(*b, 1e-5))
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
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

/// The same without animations and the data that they are in.
fn but_clips(json: &Value) -> Value {
    let mut json = meaning(json);
    for key in ["animations", "accessors"] {
        json.as_object_mut().unwrap().remove(key);
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
    let Some(shared) = shared("") else { return };
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
        let differ = differences(&first, &again, false);
        wrong.extend(differ.iter().map(|d| format!("{at}: kept: {d}")));

        // With its clips written anew.
        let clips = written(&first, true, Some(&first.character.clips));
        let again = read(clips.to_glb().unwrap(), &name);
        let (had, has) = (&first.document.json, &again.document.json);
        if but_clips(had) != but_clips(has) {
            wrong.push(format!("{at}: clips anew: the JSON differs beside the clips"));
        }
        let differ = differences(&first, &again, false);
        wrong.extend(differ.iter().map(|d| format!("{at}: clips anew: {d}")));

        // From the character alone.
        let full = written(&first, false, None);
        let again = read(full.to_glb().unwrap(), &name);
        let differ = differences(&first, &again, true);
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

/// Runs the validator over the files; `None` (said) where there is no node.
fn validate(files: &[PathBuf]) -> Option<BTreeMap<String, Vec<(String, u64)>>> {
    let list: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let lines = node("validator", "gltf-validator", "check.mjs", &[], &list)?;
    let mut out = BTreeMap::new();
    for line in lines {
        let report: Value = serde_json::from_str(&line).unwrap();
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
    let Some(shared) = shared("") else { return };
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
                let what = Export { character: &first.character, document, clips: Clips::Own };
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
    let out =
        gltf::export(&Export { character: &rabbit, document: None, clips: Clips::Instead(&clips) });
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
