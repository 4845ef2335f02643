//! VRM 0.x and 1.0: a person out of a character and the document that it came from.
//!
//! Everything ends in one canonical space: models of VRM 0.x look along −Z and are turned once, at
//! their roots, by half a turn about Y. Parts that cannot be used are left out one by one, each
//! with a diagnostic.

mod animation;
mod export;
mod face;
mod springs;
mod tree;
mod v0;
mod v1;

use enliven::{
    Channel, ChannelKind, Character, CharacterError, Interpolation, JointId, MeshId, Property,
    Regions, Target, Transform,
    glam::{Quat, Vec3},
    person::{HumanoidClip, NamedParts, Person},
};
use serde_json::Value;

pub use export::export_vrma;
pub(crate) use export::{Places, is_old, migrate, use_extensions, write};

use crate::Diagnostic;
use tree::{At, Path};

/// What the readers of all versions work on.
struct Source<'a> {
    json: &'a Value,
    character: &'a Character,
    /// Joint of each node.
    joints: &'a [JointId],
}

impl Source<'_> {
    fn joint(&self, node: usize) -> Option<JointId> {
        self.joints.get(node).copied()
    }

    /// Meshes (one a primitive) that a node carries.
    fn meshes_of_node(&self, node: usize) -> Vec<MeshId> {
        let Some(joint) = self.joint(node) else { return Vec::new() };
        let meshes = self.character.meshes.iter().enumerate();
        meshes.filter(|(_, m)| m.joint == joint).map(|(i, _)| MeshId::new(i)).collect()
    }

    /// Meshes made of one of the document's meshes, at every node that has it.
    fn meshes_of_mesh(&self, mesh: usize) -> Vec<MeshId> {
        tree::entries(self.json.get("nodes"))
            .filter(|(_, n)| n.get("mesh").and_then(tree::index) == Some(mesh))
            .flat_map(|(i, _)| self.meshes_of_node(i))
            .collect()
    }
}

/// By what the emissive colours of a material are multiplied.
fn emissive_strength(materials: Option<&Value>, index: usize) -> f32 {
    materials
        .and_then(|list| list.get(index)?.get("extensions")?.get("KHR_materials_emissive_strength"))
        .and_then(|extension| extension.get("emissiveStrength")?.as_f64())
        .map(|strength| strength as f32)
        .filter(|strength| strength.is_finite() && *strength > 0.0)
        .unwrap_or(1.0)
}

/// What a document says beyond its character.
pub(crate) struct Parts {
    pub person: Option<Person>,
    pub motions: Vec<HumanoidClip>,
}

/// Reads the person and its motion, and gives the character what they need: body parts, channels
/// of expressions, and for VRM 0.x its front.
pub(crate) fn attach(
    character: Character,
    json: &Value,
    joints: &[JointId],
    found: &mut Vec<Diagnostic>,
) -> Result<(Character, Parts), CharacterError> {
    let extension = |name: &str| json.get("extensions").and_then(|e| e.get(name));
    let (new, old) = (extension("VRMC_vrm"), extension("VRM"));
    let old = old.filter(|_| new.is_none());
    let mut character = character;
    if old.is_some() {
        character = turned(character)?;
    }
    let mut person = None;
    let mut faces = Vec::new();
    let say = |name: &str, found: &mut Vec<Diagnostic>| {
        let root = format!("/extensions/{name}");
        let path = Path::Root(&root);
        At::new(&Value::Null, &path).say(
            found,
            "VRM_EXTENSION_INVALID",
            "the extension is no object; the character is read without it",
        );
    };
    {
        let source = Source { json, character: &character, joints };
        if let Some(vrm) = new {
            if vrm.is_object() {
                let path = Path::Root("/extensions/VRMC_vrm");
                person = Some(v1::read(&source, At::new(vrm, &path), &mut faces, found));
            } else {
                say("VRMC_vrm", found);
            }
        } else if let Some(vrm) = old {
            if vrm.is_object() {
                let path = Path::Root("/extensions/VRM");
                person = Some(v0::read(&source, At::new(vrm, &path), &mut faces, found));
            } else {
                say("VRM", found);
            }
        } else if extension("VRMC_springBone").is_some() || has_constraints(json) {
            person = Some(Person {
                springs: springs::read(&source, found),
                constraints: v1::constraints(&source, found),
                ..Person::default()
            });
        }
    }

    // A mesh called like a joint is no body part: where there are skins, only their joints count.
    let mut bound = vec![character.skins.is_empty(); character.rig.skeleton.len()];
    for joint in character.skins.iter().flat_map(|s| &s.joints) {
        bound[joint.index()] = true;
    }
    let named = NamedParts::new(&character.rig.skeleton, |j| bound[j.index()]);
    let mut regions = named.regions().to_vec();
    if person.is_none() {
        // A body with all its bones, by their names, can take motion of any humanoid.
        let humanoid = named.humanoid(&character.rig.skeleton);
        if humanoid.missing().next().is_none() && humanoid.is_upright() {
            person = Some(Person { humanoid, ..Person::default() });
        }
    } else if let Some(p) = &person
        && p.humanoid.bones().next().is_some()
    {
        // What the file says wins over what names suggest; ears and tails only names know.
        let own = p.humanoid.regions();
        use enliven::Region as R;
        regions.retain(|(r, _)| matches!(r, R::Ear(_) | R::Tail | R::Prop));
        regions.extend(own);
    }

    let mut parts = character.into_parts();
    let list: Vec<(enliven::Region, &[(JointId, f32)])> =
        regions.iter().map(|(r, j)| (*r, j.as_slice())).collect();
    parts.rig.regions = Regions::new(&parts.rig.skeleton, &list);
    if let Some(person) = &mut person {
        person.expressions = face::bind(&faces, &mut parts);
        if person.look_at.is_some() {
            let mut angle = |name: &str| {
                let c = Channel::new(name, ChannelKind::Custom);
                parts.rig.channels.push(c.with_range(-1.5, 1.5))
            };
            person.look = Some([angle("lookYaw"), angle("lookPitch")]);
        }
    }
    let character = Character::new(parts)?;
    let motions = match extension("VRMC_vrm_animation") {
        Some(value) => {
            let source = Source { json, character: &character, joints };
            let path = Path::Root("/extensions/VRMC_vrm_animation");
            animation::read(&source, At::new(value, &path), found)
        }
        None => Vec::new(),
    };
    Ok((character, Parts { person, motions }))
}

fn has_constraints(json: &Value) -> bool {
    tree::entries(json.get("nodes"))
        .any(|(_, n)| n.get("extensions").is_some_and(|e| e.get("VRMC_node_constraint").is_some()))
}

/// The character turned by half a turn about Y, at the roots of its skeleton.
fn turned(character: Character) -> Result<Character, CharacterError> {
    // (x, y, z) → (−x, y, −z), without rounding.
    let half = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);
    let point = |v: Vec3| Vec3::new(-v.x, v.y, -v.z);
    let mut parts = character.into_parts();
    let old = &parts.rig.skeleton;
    let mut skeleton = enliven::Skeleton::new();
    for j in old.joints() {
        let rest = old.rest()[j.index()];
        let rest = match old.parent(j) {
            Some(_) => rest,
            None => Transform {
                translation: point(rest.translation),
                rotation: half * rest.rotation,
                scale: rest.scale,
            },
        };
        // The order is that of a skeleton, so it cannot be refused.
        let _ = skeleton.push(old.name(j), old.parent(j), rest);
    }
    let is_root = |j: JointId| skeleton.parent(j).is_none();
    for clip in &mut parts.clips {
        for track in &mut clip.tracks {
            let curve = &track.curve;
            let width = curve.width();
            let mut values = curve.values().to_vec();
            match track.target {
                Target::Joint(j, Property::Translation) if is_root(j) => {
                    for v in values.chunks_exact_mut(3) {
                        (v[0], v[2]) = (-v[0], -v[2]);
                    }
                }
                Target::Joint(j, Property::Rotation) if is_root(j) => {
                    for v in values.chunks_exact_mut(4) {
                        let q = half * Quat::from_xyzw(v[0], v[1], v[2], v[3]);
                        v.copy_from_slice(&q.to_array());
                    }
                }
                _ => continue,
            }
            let how = curve.interpolation();
            let times = curve.times().to_vec();
            let made = if curve.is_rotation() {
                enliven::Curve::rotation(times, values, how)
            } else {
                enliven::Curve::new(times, values, width, how)
            };
            if let Ok(made) = made {
                track.curve = made;
            }
            debug_assert!(how != Interpolation::Bezier, "glTF has none");
        }
    }
    parts.rig.skeleton = skeleton;
    Character::new(parts)
}
