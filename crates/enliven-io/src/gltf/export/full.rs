//! A document made from a character alone.

use std::collections::BTreeSet;

use enliven::{Character, JointId, Transform};
use serde_json::{Map, Value, json};

use super::bin::{Bin, numbers, set_list};
use super::meshes::{self, Meshes};
use super::{surfaces, switches};
use crate::Diagnostic;

/// The document without animations, and the node of each mesh. Node i is joint i.
pub(super) fn document(
    character: &Character,
    bin: &mut Bin,
    found: &mut Vec<Diagnostic>,
) -> (Map<String, Value>, Vec<usize>) {
    let mut root = Map::new();
    let mut asset = json!({
        "version": "2.0",
        "generator": concat!("enliven ", env!("CARGO_PKG_VERSION")),
    });
    if !character.meta.copyright.is_empty() {
        asset["copyright"] = character.meta.copyright.clone().into();
    }
    root.insert("asset".into(), asset);
    let mut used = BTreeSet::new();
    surfaces::write(character, &mut root, bin, &mut used, found);

    let skeleton = &character.rig.skeleton;
    let nodes: Vec<usize> = (0..skeleton.len()).collect();
    let skins = character.skins.iter().map(|s| meshes::skin(s, &nodes, bin)).collect();
    let mut list: Vec<Map<String, Value>> =
        skeleton.joints().map(|j| node(skeleton.name(j), &skeleton.rest()[j.index()])).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
    let mut roots = Vec::new();
    for j in skeleton.joints() {
        match skeleton.parent(j) {
            Some(p) => children[p.index()].push(j.index()),
            None => roots.push(j.index()),
        }
    }
    let mut written = Meshes::default();
    let mut places = Vec::with_capacity(character.meshes.len());
    for group in meshes::groups(character) {
        let mesh = written.index(&group, character, bin);
        let joint: JointId = group.members[0].joint;
        let skin = meshes::skin_of(&group);
        // A node carries one mesh. A second one gets a node of its own below; a skinned one
        // stands at the root, where no transform can be taken to matter.
        let first = &group.members[0];
        let own = list[joint.index()].contains_key("mesh")
            || !first.shown
            || skin.is_some() && needs_own(character, joint, group.indices[0]);
        let at = if own {
            list.push(node(&group.members[0].name, &Transform::IDENTITY));
            children.push(Vec::new());
            let at = list.len() - 1;
            if skin.is_some() {
                roots.push(at);
            } else {
                children[joint.index()].push(at);
            }
            at
        } else {
            joint.index()
        };
        places.resize(places.len() + group.members.len(), at);
        list[at].insert("mesh".into(), mesh.into());
        if !first.shown {
            switches::hide(&mut list[at]);
            used.insert(switches::hidden());
        }
        if let Some(skin) = skin {
            list[at].insert("skin".into(), skin.into());
        }
        let weights = meshes::weights(group.members[0], character);
        if !weights.is_empty() && written.list[mesh]["weights"] != numbers(&weights) {
            list[at].insert("weights".into(), numbers(&weights));
        }
    }
    for (node, children) in list.iter_mut().zip(children) {
        if !children.is_empty() {
            node.insert("children".into(), children.into());
        }
    }
    set_list(&mut root, "meshes", written.list);
    set_list(&mut root, "skins", skins);
    set_list(&mut root, "nodes", list.into_iter().map(Value::Object).collect());
    let mut scene = Map::new();
    if !character.name.is_empty() {
        scene.insert("name".into(), character.name.clone().into());
    }
    if !roots.is_empty() {
        scene.insert("nodes".into(), roots.into());
    }
    root.insert("scenes".into(), json!([scene]));
    root.insert("scene".into(), 0.into());
    if !used.is_empty() {
        root.insert("extensionsUsed".into(), used.into_iter().collect::<Vec<_>>().into());
    }
    (root, places)
}

/// Whether a skinned mesh at this joint would stand below another node: its transform would be
/// ignored, which validators warn of. One that is shown and hidden with its node stays there.
fn needs_own(character: &Character, joint: JointId, mesh: usize) -> bool {
    let skeleton = &character.rig.skeleton;
    if !character.switches(mesh).is_empty() {
        return false;
    }
    skeleton.parent(joint).is_some() || skeleton.rest()[joint.index()] != Transform::IDENTITY
}

fn node(name: &str, t: &Transform) -> Map<String, Value> {
    let mut out = Map::new();
    if !name.is_empty() {
        out.insert("name".into(), name.into());
    }
    let rest = Transform::IDENTITY;
    if t.translation != rest.translation {
        out.insert("translation".into(), numbers(&t.translation.to_array()));
    }
    if t.rotation != rest.rotation {
        out.insert("rotation".into(), numbers(&t.rotation.to_array()));
    }
    if t.scale != rest.scale {
        out.insert("scale".into(), numbers(&t.scale.to_array()));
    }
    out
}
