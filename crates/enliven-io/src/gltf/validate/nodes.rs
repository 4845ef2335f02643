//! Nodes, skins and scenes: the hierarchy and what hangs on it.

use serde_json::Value;

use super::{
    codes::*,
    data::{Check, DataCheck},
    formats::{INVERSE_BIND_MATRICES, describe},
    meshes::MeshFacts,
    model::{AccessorUse, Model},
    rules::numbers,
    schema::{Json, Target, index, integer},
    tree::Tree,
    walk::Walker,
};

/// Steps that the check of scenes may take; files with more skins and scenes than that are made to
/// take long.
const SCENE_STEPS: usize = 1_000_000;

const IDENTITY: [f64; 16] =
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// What the other passes must know of skins.
pub(super) struct SkinFacts {
    /// Entries of `joints`, existing or not; 0 without a valid list.
    pub(super) joints: usize,
    /// The lowest node above all joints.
    common: Option<usize>,
}

/// An existing element that a property points at.
fn existing(walker: &Walker<'_>, map: &Json, key: &str, target: Target) -> Option<usize> {
    index(map, key).filter(|index| walker.doc.get(target, *index).is_some())
}

/// The indices of a list property, whether the elements exist or not.
fn indices<'a>(map: &'a Json, key: &str) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    let list = map.get(key).and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
    list.iter()
        .enumerate()
        .filter_map(|(at, value)| Some((at, usize::try_from(integer(value)?).ok()?)))
}

/// Checks what nodes point at, and finds the hierarchy.
pub(super) fn check_nodes(walker: &mut Walker<'_>, meshes: &mut [Option<MeshFacts<'_>>]) -> Tree {
    let count = walker.doc.list(Target::Nodes).len();
    let mut parent = vec![None; count];
    let list = walker.report.enter("nodes");
    for (at, node) in walker.doc.each(Target::Nodes) {
        let mark = walker.report.enter_index(at);
        check_mesh(walker, node, meshes);
        let children = walker.report.enter("children");
        for (position, child) in indices(node, "children") {
            if walker.doc.get(Target::Nodes, child).is_none() {
                continue;
            }
            if parent[child].is_some() {
                let mark = walker.report.enter_index(position);
                walker
                    .report
                    .add(NODE_PARENT_OVERRIDE, || format!("node {child} has a parent already"));
                walker.report.leave(mark);
            }
            parent[child] = Some(at);
        }
        walker.report.leave(children);
        walker.report.leave(mark);
    }
    walker.report.leave(list);
    Tree::new(parent)
}

fn check_mesh(walker: &mut Walker<'_>, node: &Json, meshes: &mut [Option<MeshFacts<'_>>]) {
    let Some(mesh) = index(node, "mesh").and_then(|mesh| meshes.get_mut(mesh)?.as_mut()) else {
        return;
    };
    match node.get("weights").and_then(Value::as_array).filter(|weights| !weights.is_empty()) {
        Some(weights) if mesh.targets != Some(weights.len()) => {
            walker.report.add_at("weights", NODE_WEIGHTS_INVALID, || {
                format!("{} weights for {} morph targets", weights.len(), mesh.targets.unwrap_or(0))
            });
        }
        Some(_) => {}
        None => mesh.weights_used = true,
    }
    if existing(walker, node, "skin", Target::Skins).is_some() {
        if mesh.primitives.iter().all(|primitive| primitive.joint_sets == 0) {
            walker.report.add(NODE_SKIN_WITH_NON_SKINNED_MESH, || {
                "the node has a skin, its mesh no joints".into()
            });
        }
    } else if mesh.primitives.iter().any(|primitive| primitive.joint_sets != 0) {
        walker
            .report
            .add(NODE_SKINNED_MESH_WITHOUT_SKIN, || "the mesh has joints, the node no skin".into());
    }
}

/// Checks skins. The result has one element a skin.
pub(super) fn check_skins(
    walker: &mut Walker<'_>,
    model: &mut Model,
    tree: &Tree,
    data: &mut Vec<DataCheck>,
) -> Vec<SkinFacts> {
    let mut facts = Vec::new();
    facts.resize_with(walker.doc.list(Target::Skins).len(), || SkinFacts {
        joints: 0,
        common: None,
    });
    let list = walker.report.enter("skins");
    for (at, skin) in walker.doc.each(Target::Skins) {
        let mark = walker.report.enter_index(at);
        facts[at] = check_skin(walker, model, tree, data, skin);
        walker.report.leave(mark);
    }
    walker.report.leave(list);
    facts
}

fn check_skin(
    walker: &mut Walker<'_>,
    model: &mut Model,
    tree: &Tree,
    data: &mut Vec<DataCheck>,
    skin: &Json,
) -> SkinFacts {
    let joints = skin.get("joints").and_then(Value::as_array).map_or(0, Vec::len);
    let doc = &walker.doc;
    let nodes = indices(skin, "joints")
        .map(|(_, node)| node)
        .filter(|node| doc.get(Target::Nodes, *node).is_some());
    let common = tree.common(nodes);
    if joints > 0 && common.is_none() {
        walker
            .report
            .add_at("joints", SKIN_NO_COMMON_ROOT, || "no node is above all joints".into());
    }
    if let Some(at) = existing(walker, skin, "inverseBindMatrices", Target::Accessors) {
        check_inverse_binds(walker, model, data, at, joints);
    }
    if let Some(skeleton) = existing(walker, skin, "skeleton", Target::Nodes)
        && !common.is_some_and(|common| tree.is_above(skeleton, common))
    {
        walker
            .report
            .add_at("skeleton", SKIN_SKELETON_INVALID, || "it is not above all joints".into());
    }
    SkinFacts { joints, common }
}

fn check_inverse_binds(
    walker: &mut Walker<'_>,
    model: &mut Model,
    data: &mut Vec<DataCheck>,
    at: usize,
    joints: usize,
) {
    let report = &mut walker.report;
    model.use_accessor(report, at, AccessorUse::InverseBindMatrices, "inverseBindMatrices");
    let mark = report.enter("inverseBindMatrices");
    if model.view_of(at).is_some_and(|view| view.stride.is_some()) {
        report.add(SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE, || "a view of matrices has no stride".into());
    }
    let accessor = model.accessor(at);
    match accessor.and_then(|accessor| accessor.format()) {
        Some(INVERSE_BIND_MATRICES) => data.push(DataCheck {
            accessor: at,
            place: report.place().into(),
            check: Check::InverseBindMatrices,
        }),
        format => report.add(SKIN_IBM_INVALID_FORMAT, || {
            format!("{} is no format for inverse bind matrices", describe(format))
        }),
    }
    if let Some(count) = accessor.and_then(|accessor| accessor.count)
        && count < joints as u64
    {
        report.add(INVALID_IBM_ACCESSOR_COUNT, || format!("{count} matrices for {joints} joints"));
    }
    report.leave(mark);
}

/// Checks that scenes list roots.
pub(super) fn check_scenes(walker: &mut Walker<'_>, tree: &Tree) {
    let list = walker.report.enter("scenes");
    for (at, scene) in walker.doc.each(Target::Scenes) {
        let mark = walker.report.enter_index(at);
        let nodes = walker.report.enter("nodes");
        for (position, node) in indices(scene, "nodes") {
            if tree.parent.get(node).is_some_and(Option::is_some) {
                let mark = walker.report.enter_index(position);
                walker.report.add(SCENE_NON_ROOT_NODE, || format!("node {node} has a parent"));
                walker.report.leave(mark);
            }
        }
        walker.report.leave(nodes);
        walker.report.leave(mark);
    }
    walker.report.leave(list);
}

/// Whether a node moves what is on it.
fn has_transform(node: &Json) -> bool {
    let differs = |key, default: &[f64]| {
        let list = node.get(key).and_then(Value::as_array);
        list.is_some_and(|list| {
            list.len() == default.len()
                && list.iter().zip(default).any(|(value, default)| value.as_f64() != Some(*default))
        })
    };
    numbers::<16>(node, "matrix").is_some() && differs("matrix", &IDENTITY)
        || differs("translation", &[0.0; 3])
        || differs("rotation", &[0.0, 0.0, 0.0, 1.0])
        || differs("scale", &[1.0; 3])
}

/// Loops, empty nodes, and skinned meshes among their ancestors.
pub(super) fn check_hierarchy(walker: &mut Walker<'_>, tree: &Tree, skins: &[SkinFacts]) {
    let count = tree.parent.len();
    let mut is_joint = vec![false; count];
    for (_, skin) in walker.doc.each(Target::Skins) {
        for (_, node) in indices(skin, "joints") {
            if let Some(joint) = is_joint.get_mut(node) {
                *joint = true;
            }
        }
    }
    let mut moves = vec![false; count];
    for (at, node) in walker.doc.each(Target::Nodes) {
        moves[at] = has_transform(node);
    }
    let mut moved_from_above = vec![false; count];
    for &node in &tree.order {
        if let Some(parent) = tree.above(node) {
            moved_from_above[node] = moved_from_above[parent] || moves[parent];
        }
    }
    // The scenes that list a node.
    let mut scenes = vec![Vec::new(); count];
    for (at, scene) in walker.doc.each(Target::Scenes) {
        for (_, node) in indices(scene, "nodes") {
            if let Some(scenes) = scenes.get_mut(node) {
                scenes.push(at);
            }
        }
    }
    let mut steps = 0;
    let list = walker.report.enter("nodes");
    for (at, node) in walker.doc.each(Target::Nodes) {
        let mark = walker.report.enter_index(at);
        if !is_joint[at] && is_empty(walker, node) {
            walker.report.add(NODE_EMPTY, || "nothing hangs on the node".into());
        }
        if tree.in_loop[at] {
            walker.report.add(NODE_LOOP, || "the node is its own ancestor".into());
        }
        if let Some(skin) = existing(walker, node, "skin", Target::Skins) {
            if moves[at] {
                walker.report.add(NODE_SKINNED_MESH_LOCAL_TRANSFORMS, || {
                    "the transform of a skinned mesh has no effect".into()
                });
            }
            if tree.parent[at].is_some() {
                if moved_from_above[at] {
                    walker.report.add(NODE_SKINNED_MESH_PARENT_TRANSFORMS, || {
                        "the transforms above a skinned mesh have no effect".into()
                    });
                }
                walker.report.add(NODE_SKINNED_MESH_NON_ROOT, || {
                    "a skinned mesh is better a root: what is above has no effect".into()
                });
            }
            if let Some(root) = skins[skin].common.and_then(|common| tree.root(common))
                && !joints_in_scenes(tree, &scenes, at, root, &mut steps)
            {
                walker.report.add(NODE_SKIN_NO_SCENE, || {
                    "a scene shows the mesh and lacks its joints".into()
                });
            }
        }
        walker.report.leave(mark);
    }
    walker.report.leave(list);
}

/// Whether every scene that shows `node` shows `root` too, where `root` has no parent.
fn joints_in_scenes(
    tree: &Tree,
    scenes: &[Vec<usize>],
    node: usize,
    root: usize,
    steps: &mut usize,
) -> bool {
    let mut at = Some(node);
    while let Some(node) = at {
        *steps += 1 + scenes[node].len();
        if *steps > SCENE_STEPS {
            return true;
        }
        // Scenes are listed in rising order.
        if scenes[node].iter().any(|scene| scenes[root].binary_search(scene).is_err()) {
            return false;
        }
        at = tree.above(node);
    }
    true
}

fn is_empty(walker: &Walker<'_>, node: &Json) -> bool {
    let nothing = |key, target| existing(walker, node, key, target).is_none();
    let no_children =
        node.get("children").and_then(Value::as_array).is_none_or(|children| children.is_empty());
    // An extension that does not belong here is no content.
    let no_extensions = node
        .get("extensions")
        .and_then(Value::as_object)
        .is_none_or(|extensions| extensions.keys().all(|name| walker.is_misplaced(name, "node")));
    no_children
        && nothing("mesh", Target::Meshes)
        && nothing("camera", Target::Cameras)
        && no_extensions
        && node.get("extras").is_none_or(Value::is_null)
}
