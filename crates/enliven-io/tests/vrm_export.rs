//! People written as VRM 1.0 and read again: of either version, from their documents and without.
#![allow(clippy::unwrap_used)] // A test may panic.

use enliven::person::{Person, SpringSet};
use enliven::{Channel, ChannelKind, Character};
use enliven_io::gltf::{self, Clips, Export, Options};
use enliven_io::{Import, Limits, NoFiles, Severity, import_file};
use enliven_testing::{assets, files};
use serde_json::json;

fn written(import: &Import, document: bool) -> (Import, Vec<enliven_io::Diagnostic>) {
    let export = gltf::export_vrm(
        &Export {
            character: &import.character,
            document: document.then_some(&import.document),
            clips: Clips::Own,
        },
        import.person.as_ref().unwrap(),
    );
    let name = import.character.name.clone();
    let options = Options { name, binary: true, ..Options::default() };
    let again = gltf::import(export.to_glb().unwrap(), &mut NoFiles, &options).unwrap();
    (again, export.diagnostics)
}

/// What a channel is, by names that survive a reordering.
fn identity(c: &Character, id: enliven::ChannelId) -> String {
    let channel: &Channel = c.rig.channels.get(id);
    match channel.kind {
        ChannelKind::Factor(m, f) => format!("{} {f:?}", c.materials[m.index()].name),
        _ => {
            let mesh = c.meshes.iter().find(|m| m.morphs.contains(&id.0)).unwrap();
            format!("{} target {}", mesh.name, id.0 - mesh.morphs.start)
        }
    }
}

fn expressions(import: &Import) -> Vec<String> {
    let c = &import.character;
    let mut out: Vec<String> = import
        .person
        .as_ref()
        .unwrap()
        .expressions
        .iter()
        .map(|e| {
            let mut binds: Vec<String> = e
                .binds
                .iter()
                // A bind that changes nothing need not be there.
                .filter(|b| b.amount.abs() > 1e-6)
                .map(|b| format!("{} by {:.4}", identity(c, b.channel), b.amount))
                .collect();
            binds.sort();
            let rules = (e.override_blink, e.override_look_at, e.override_mouth);
            format!("{} {:?} {} {rules:?} {binds:?}", e.name, e.preset, e.binary)
        })
        .collect();
    out.sort();
    out
}

/// Every swinging bone with its tip at rest and all that moves it, by name.
fn springs(c: &Character, set: &SpringSet) -> Vec<String> {
    let s = &c.rig.skeleton;
    let mut out: Vec<String> = set
        .chains
        .iter()
        .flat_map(|chain| {
            let mut around: Vec<String> = chain
                .colliders
                .iter()
                .map(|i| &set.colliders[*i as usize])
                .map(|k| format!("{} {:?}", s.name(k.joint), k.shape))
                .collect();
            around.sort();
            let center = chain.center.map(|j| s.name(j).to_owned());
            chain.joints.iter().map(move |j| {
                let tip = j.rest_tip(s);
                format!(
                    "{} tip {:.4} {:.4} {:.4} stiff {} power {} dir {} drag {} radius {} {:?} in {center:?} among {around:?}",
                    s.name(j.joint), tip.x, tip.y, tip.z,
                    j.stiffness, j.gravity_power, j.gravity_dir + enliven::glam::Vec3::ZERO, j.drag, j.radius, j.limit,
                )
            })
        })
        .collect();
    out.sort();
    out
}

fn constraints(c: &Character, person: &Person) -> Vec<String> {
    let s = &c.rig.skeleton;
    let mut out: Vec<String> = person
        .constraints
        .iter()
        .map(|k| {
            let (to, from) = (s.name(k.joint), s.name(k.source));
            format!("{to} from {from} {:?} {}", k.kind, k.weight)
        })
        .collect();
    out.sort();
    out
}

fn check(at: &str, first: &Import, again: &Import, wrong: &mut Vec<String>) {
    let mut check = |what: &str, a: String, b: String| {
        if a != b {
            wrong.push(format!("{at}: {what}:\n  {a}\n  {b}"));
        }
    };
    let (p, q) = (first.person.as_ref().unwrap(), again.person.as_ref().unwrap());
    let (a, b) = (&first.character, &again.character);
    let bones = |c: &Character, p: &Person| -> String {
        p.humanoid
            .bones()
            .map(|(bone, j)| {
                // Neither −0 nor what rounds to it.
                let at = p.humanoid.rest_at(bone).unwrap().map(|v| (v * 1e5).round() / 1e5 + 0.0);
                let name = c.rig.skeleton.name(j);
                format!("{} {name} {:.5} {:.5} {:.5}; ", bone.name(), at.x, at.y, at.z)
            })
            .collect()
    };
    check("bones", bones(a, p), bones(b, q));
    check("expressions", expressions(first).join("\n"), expressions(again).join("\n"));
    check("springs", springs(a, &p.springs).join("\n"), springs(b, &q.springs).join("\n"));
    check("constraints", constraints(a, p).join("\n"), constraints(b, q).join("\n"));
    let look = |p: &Person| {
        p.look_at.map(|l| {
            let m =
                [l.inner, l.outer, l.down, l.up].map(|m| format!("{:.5} {:.5}", m.limit, m.scale));
            format!("{:?} {} {m:?}", l.kind, l.offset)
        })
    };
    check("look-at", format!("{:?}", look(p)), format!("{:?}", look(q)));
    let flags = |c: &Character, p: &Person| {
        let mut out: Vec<String> = p
            .first_person
            .iter()
            .map(|(m, f)| format!("{} {f:?}", c.meshes[m.index()].name))
            .collect();
        out.sort();
        out.join(", ")
    };
    check("first person", flags(a, p), flags(b, q));
    check("title", a.meta.title.clone(), b.meta.title.clone());
    if !a.meta.authors.is_empty() {
        check("authors", a.meta.authors.join(", "), b.meta.authors.join(", "));
    }
    for (x, y) in a.materials.iter().zip(&b.materials) {
        let mut y = y.clone();
        if y.emissive.abs_diff_eq(x.emissive, 1e-5) {
            y.emissive = x.emissive;
        }
        check("material", format!("{x:?}"), format!("{y:?}"));
    }
}

#[test]
fn people_of_0_x_become_people_of_1_0() {
    let Some(assets) = assets() else { return };
    let mut wrong = Vec::new();
    let list = files(&assets.join("vrm0"), &["vrm"]);
    assert!(list.len() >= 5, "{}", list.len());
    for path in list {
        let first = import_file(&path, &Limits::default()).unwrap();
        if first.person.as_ref().is_none_or(|p| p.humanoid.missing().next().is_some()) {
            continue;
        }
        for document in [true, false] {
            let at = format!("{} {document}", path.file_name().unwrap().display());
            let (again, said) = written(&first, document);
            let json = &again.document.json;
            assert!(json["extensions"]["VRMC_vrm"]["specVersion"] == "1.0", "{at}");
            assert!(json["extensions"].get("VRM").is_none(), "{at}");
            assert!(!json["extensionsUsed"].as_array().unwrap().contains(&json!("VRM")), "{at}");
            check(&at, &first, &again, &mut wrong);
            wrong.extend(
                said.iter()
                    .filter(|d| {
                        // A picture that no surface shows (a thumbnail) is not decoded: only its
                        // document can write it again.
                        let undecoded = !document && d.code == "IMAGE_NOT_WRITTEN";
                        d.severity == Severity::Error && !undecoded
                    })
                    .map(|d| format!("{at}: {d}")),
            );
            let had = |code| first.diagnostics.iter().any(|d| d.code == code);
            let new =
                again.diagnostics.iter().filter(|d| d.severity == Severity::Error && !had(d.code));
            wrong.extend(new.map(|d| format!("{at}: read again: {d}")));
        }
    }
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn people_of_1_0_keep_what_they_are_without_their_document() {
    let Some(assets) = assets() else { return };
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in files(&assets.join("vrm1"), &["vrm"]) {
        let first = import_file(&path, &Limits::default()).unwrap();
        if first.person.as_ref().is_none_or(|p| p.humanoid.missing().next().is_some()) {
            continue;
        }
        count += 1;
        for document in [true, false] {
            let at = format!("{} {document}", path.file_name().unwrap().display());
            check(&at, &first, &written(&first, document).0, &mut wrong);
        }
    }
    assert!(count >= 12, "{count}");
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn terms_are_carried_over_and_none_is_invented() {
    let Some(assets) = assets() else { return };
    let first = import_file(assets.join("vrm0/Godette.vrm"), &Limits::default()).unwrap();
    let (again, _) = written(&first, true);
    let meta = &again.document.json["extensions"]["VRMC_vrm"]["meta"];
    assert_eq!(meta["name"], "Low-Poly Godette");
    assert_eq!(meta["authors"], json!(["SirRichard94"]));
    assert_eq!(meta["avatarPermission"], "everyone");
    assert_eq!(meta["creditNotation"], "required");
    assert_eq!(meta["modification"], "allowModificationRedistribution");
    assert_eq!(meta["commercialUsage"], "personalProfit");
    assert_eq!(meta["otherLicenseUrl"], "https://creativecommons.org/licenses/by/4.0/");
    assert_eq!(meta["allowExcessivelyViolentUsage"], true);
    assert!(meta.get("allowAntisocialOrHateUsage").is_none());
    let image = meta["thumbnailImage"].as_u64().unwrap() as usize;
    assert_eq!(again.document.json["textures"][4]["source"], image);
}

#[test]
fn a_body_that_is_no_person_is_not_called_one() {
    let Some(assets) = assets() else { return };
    let fox = import_file(assets.join("rigged/Fox.glb"), &Limits::default());
    let fox = fox.or_else(|_| import_file(assets.join("rigged/Fox/Fox.glb"), &Limits::default()));
    let Ok(fox) = fox else { return };
    let what =
        Export { character: &fox.character, document: Some(&fox.document), clips: Clips::Own };
    let out = gltf::export_vrm(&what, &Person::default());
    assert!(out.diagnostics.iter().any(|d| d.code == "VRM_BONES_MISSING"));
    assert!(out.json["extensions"].get("VRMC_vrm").is_none());
}

/// Every VRM animation of the collection, and a recording, written as VRMA and read again, moves
/// and colours a person as before.
#[test]
fn animations_of_people_go_round() {
    let Some(assets) = assets() else { return };
    let godette = import_file(assets.join("vrm0/Godette.vrm"), &Limits::default()).unwrap();
    let person = godette.person.as_ref().unwrap();
    let (body, rig) = (&person.humanoid, &godette.character.rig);
    let mut motions = Vec::new();
    for entry in std::fs::read_dir(assets.join("vrma")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "vrma") {
            motions.extend(import_file(&path, &Limits::default()).unwrap().motions);
        }
    }
    let walk = std::fs::read(assets.join("bvh/cmu_02_01_walk.bvh")).unwrap();
    let walk = enliven_io::bvh::read(&walk, &Limits::default()).unwrap();
    motions.push(walk.motion("walk").unwrap().fit(body));
    assert!(motions.len() >= 5, "{}", motions.len());
    for motion in &motions {
        let out = gltf::export_vrma(std::slice::from_ref(motion), body);
        let missing = |d: &&enliven_io::Diagnostic| d.code != "VRM_BONE_MISSING";
        assert_eq!(out.diagnostics.iter().filter(missing).count(), 0, "{:?}", out.diagnostics);
        if motion.rotations.is_empty() {
            continue;
        }
        let options = Options { binary: true, ..Options::default() };
        let again = gltf::import(out.to_glb().unwrap(), &mut NoFiles, &options).unwrap();
        let errors: Vec<_> =
            again.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", motion.name);
        let [read] = &again.motions[..] else { panic!("one clip") };
        let clips = [motion, read].map(|m| m.retarget(body, &person.expressions, person.look));
        let mut worst = 0.0f32;
        for i in 0..=30 {
            let time = clips[0].duration * i as f32 / 30.0;
            let poses = clips.each_ref().map(|clip| {
                let mut pose = enliven::Pose::rest(rig);
                clip.sample(time, &mut [], &mut pose);
                let mut model = vec![enliven::Affine::IDENTITY; rig.skeleton.len()];
                pose.to_model(&rig.skeleton, &mut model);
                (pose, model)
            });
            let [(p, a), (q, b)] = &poses;
            for (x, y) in a.iter().zip(b) {
                worst = worst.max(x.translation().distance(y.translation()));
            }
            for e in &person.expressions {
                worst = worst.max((p.channel(e.channel) - q.channel(e.channel)).abs());
            }
        }
        assert!(worst < 1e-4, "{}: {worst}", motion.name);
    }
}
