//! Nodes → joints: who is whose parent, where each stands, which ones the scene shows.

use super::super::schema::{Document, Node};
use super::pointers;
use crate::{Diagnostic, Severity, findings::Findings};
use enliven::{
    Affine, JointId, Skeleton, Transform,
    glam::{Quat, Vec3},
};

pub(super) struct Nodes {
    pub skeleton: Skeleton,
    /// The joint of each node.
    pub joints: Vec<JointId>,
    /// All nodes in the order of their joints.
    pub order: Vec<usize>,
    /// Whether each node belongs to the scene that is shown and is not hidden.
    pub shown: Vec<bool>,
}

/// Never deeper than a loop: a chain of a hundred thousand nodes is as good as any.
pub(super) fn build(document: &Document, found: &mut Findings) -> Nodes {
    let nodes = &document.nodes;
    let parents = parents(nodes, found);
    let order = parents_first(&parents);
    let mut skeleton = Skeleton::new();
    let mut joints = vec![JointId(0); nodes.len()];
    for &i in &order {
        let rest = rest(&nodes[i], i, found);
        let parent = parents[i].map(|parent| joints[parent]);
        let name = nodes[i].name.clone().unwrap_or_default();
        // The order makes every parent come first.
        if let Ok(joint) = skeleton.push(name, parent, rest) {
            joints[i] = joint;
        }
    }
    let shown = shown(document, &parents, &order, found);
    Nodes { skeleton, joints, order, shown }
}

/// The parent of each node, without loops; of two parents the first stays.
fn parents(nodes: &[Node], found: &mut Findings) -> Vec<Option<usize>> {
    let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        for (k, child) in node.children.iter().enumerate() {
            let mut fail = |code, message: String| {
                let pointer = format!("/nodes/{i}/children/{k}");
                found.push(Diagnostic::new(Severity::Error, code, pointer, message));
            };
            let child = child.index();
            match parents.get(child) {
                None => fail("UNRESOLVED_REFERENCE", format!("there is no node {child}")),
                Some(_) if child == i => {
                    let message = "a node is its own child; the link is cut";
                    let pointer = format!("/nodes/{i}");
                    found.push(Diagnostic::new(Severity::Error, "NODE_LOOP", pointer, message));
                }
                Some(Some(first)) if *first == i => {
                    fail("DUPLICATE_ELEMENTS", "the child is listed twice".into());
                }
                Some(Some(first)) => {
                    let message = format!("node {child} stays a child of node {first}");
                    fail("NODE_PARENT_OVERRIDE", message);
                }
                Some(None) => parents[child] = Some(i),
            }
        }
    }
    // Walks up from every node until ground that is known to end.
    let mut walk = vec![0usize; nodes.len()];
    for start in 0..nodes.len() {
        let mut at = start;
        // 0: not seen, start + 1: on this walk, else: ends.
        while walk[at] == 0 {
            walk[at] = start + 1;
            let Some(parent) = parents[at] else { break };
            if walk[parent] == start + 1 {
                parents[at] = None;
                let message = format!("node {at} is its own ancestor; it becomes a root");
                let pointer = format!("/nodes/{at}");
                found.push(Diagnostic::new(Severity::Error, "NODE_LOOP", pointer, message));
                break;
            }
            at = parent;
        }
    }
    parents
}

/// All nodes in the order of the file, but each after its parent.
fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut placed = vec![false; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    let mut chain = Vec::new();
    for start in 0..parents.len() {
        let mut at = Some(start);
        while let Some(i) = at.filter(|i| !placed[*i]) {
            placed[i] = true;
            chain.push(i);
            at = parents[i];
        }
        order.extend(chain.drain(..).rev());
    }
    order
}

/// The node's transform at rest.
fn rest(node: &Node, i: usize, found: &mut Findings) -> Transform {
    let mut fail = |code, property: &str, message: String| {
        let pointer = format!("/nodes/{i}{property}");
        found.push(Diagnostic::new(Severity::Error, code, pointer, message));
    };
    if let Some(matrix) = node.matrix {
        if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
            fail("NODE_MATRIX_TRS", "/matrix", "matrix and TRS together; the matrix counts".into());
        }
        let matrix = matrix.map(|number| number as f32);
        let affine = Affine::from_cols_array(&matrix);
        if !affine.is_finite() {
            let message = "numbers beyond f32; the node does not move its children".into();
            fail("VALUE_NOT_IN_RANGE", "/matrix", message);
            return Transform::IDENTITY;
        }
        let transform = affine.to_transform();
        // f32 rounding stays far below; what a person would see lies above.
        let sheared = affine.shear() > 1e-3;
        if sheared || [matrix[3], matrix[7], matrix[11], matrix[15]] != [0.0, 0.0, 0.0, 1.0] {
            let message = "not translation, rotation and scale; what cannot be is left out".into();
            fail("NODE_MATRIX_NON_TRS", "/matrix", message);
        }
        return if transform.is_finite() { transform } else { Transform::IDENTITY };
    }
    let vector = |value: Option<[f64; 3]>, default: Vec3| {
        value.map_or(Ok(default), |value| {
            let value = Vec3::from(value.map(|number| number as f32));
            if value.is_finite() { Ok(value) } else { Err(default) }
        })
    };
    let mut usable = |property: &str, value: Result<Vec3, Vec3>| {
        value.unwrap_or_else(|default| {
            fail("VALUE_NOT_IN_RANGE", property, "numbers beyond f32; left out".into());
            default
        })
    };
    let translation = usable("/translation", vector(node.translation, Vec3::ZERO));
    let scale = usable("/scale", vector(node.scale, Vec3::ONE));
    let rotation = node.rotation.map_or(Quat::IDENTITY, |rotation| {
        let length = rotation.iter().map(|number| number * number).sum::<f64>().sqrt();
        if !(length.is_finite() && length > 1e-12) {
            let message = "a rotation without direction; left out".into();
            fail("ROTATION_NON_UNIT", "/rotation", message);
            return Quat::IDENTITY;
        }
        // What the Khronos validator lets pass: 8-bit components round as far as this.
        if (length - 1.0).abs() > 0.00769 {
            let message = format!("a rotation of length {length}; normalised");
            fail("ROTATION_NON_UNIT", "/rotation", message);
        }
        // Rounded in the file, it is left as it is: 1e-6 is below what f32 holds.
        let by = if (length - 1.0).abs() > 1e-6 { length } else { 1.0 };
        Quat::from_array(rotation.map(|number| (number / by) as f32))
    });
    Transform { translation, rotation, scale }
}

/// Which nodes the default scene (else the first) reaches and nothing hides. Without scenes all of
/// them are shown.
fn shown(
    document: &Document,
    parents: &[Option<usize>],
    order: &[usize],
    found: &mut Findings,
) -> Vec<bool> {
    let chosen = document.scene.map_or(0, |scene| scene.index());
    let scene = document.scenes.get(chosen).or_else(|| {
        if let Some(scene) = document.scene {
            let message = format!("there is no scene {}; the first is shown", scene.0);
            let code = "UNRESOLVED_REFERENCE";
            found.push(Diagnostic::new(Severity::Error, code, "/scene", message));
        }
        document.scenes.first()
    });
    let mut roots = vec![scene.is_none(); document.nodes.len()];
    for (k, node) in scene.map_or(&[][..], |scene| &scene.nodes).iter().enumerate() {
        match roots.get_mut(node.index()) {
            Some(root) => *root = true,
            None => {
                let pointer = format!("/scenes/{chosen}/nodes/{k}");
                let message = format!("there is no node {}", node.0);
                let code = "UNRESOLVED_REFERENCE";
                found.push(Diagnostic::new(Severity::Error, code, pointer, message));
            }
        }
    }
    // Where it is animated a channel says so.
    let animated = pointers::switches(document);
    let hidden = |i: usize| pointers::is_hidden(&document.nodes[i]) && !animated.contains(&i);
    let mut reached = roots;
    let mut visible = vec![true; document.nodes.len()];
    for &i in order {
        if let Some(parent) = parents[i] {
            reached[i] |= reached[parent];
            visible[i] = visible[parent];
        }
        visible[i] &= !hidden(i);
    }
    reached.iter().zip(visible).map(|(reached, visible)| *reached && visible).collect()
}
