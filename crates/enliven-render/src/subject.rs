//! What a framing and an overlay need to know of a posed character.

use enliven::glam::Vec3;
use enliven::{Affine, Character, Pose, Region, VertexStage};

use crate::scene::Line;

/// Most vertices of a mesh that a framing looks at: enough for its outline.
const ENOUGH: usize = 4096;

/// Posed positions of the shown meshes, in the world, thinned out where there are very many.
pub fn points_of(character: &Character, pose: &Pose) -> Vec<Vec3> {
    let mut model = vec![Affine::IDENTITY; character.rig.skeleton.len()];
    pose.to_model(&character.rig.skeleton, &mut model);
    let mut palette = vec![Affine::IDENTITY; character.palette_layout().len()];
    character.palette_layout().write(&model, &mut palette);
    let mut points = Vec::new();
    for (index, mesh) in character.meshes.iter().enumerate() {
        if !character.is_drawn(index, pose.channels()) {
            continue;
        }
        let stage = VertexStage::new(character, index, &palette, pose.channels(), &pose.root);
        // Only vertices that something is drawn with count.
        let step = mesh.geometry.indices.len().div_ceil(ENOUGH * 3).max(1);
        let posed = mesh.geometry.indices.iter().step_by(step);
        points.extend(posed.map(|v| stage.position(*v as usize)).filter(|p| p.is_finite()));
    }
    points
}

/// The points of [`points_of`] that belong to the head: those above the head's joint, or without
/// one the uppermost fifth.
pub fn head_points_of(character: &Character, pose: &Pose) -> Vec<Vec3> {
    let points = points_of(character, pose);
    let mut head = None;
    if character.rig.regions.has(Region::Head) {
        let mut model = vec![Affine::IDENTITY; character.rig.skeleton.len()];
        pose.to_model(&character.rig.skeleton, &mut model);
        let root = Affine::from(&pose.root);
        head = character
            .rig
            .regions
            .own_joints(Region::Head)
            .last()
            .map(|joint| root.transform_point(model[joint.joint.index()].translation()));
    }
    let (low, high) = points
        .iter()
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), p| (l.min(p.y), h.max(p.y)));
    let cut = head.map_or(high - (high - low) * 0.2, |head| head.y);
    // Arms held up are not the head: keep to as far aside as the head is tall.
    let reach = (high - cut).max((high - low) * 0.05);
    let centre = head;
    let upper = points.iter().copied().filter(|point| {
        let aside =
            centre.map_or(0.0, |c| ((point.x - c.x).powi(2) + (point.z - c.z).powi(2)).sqrt());
        point.y >= cut && aside <= reach
    });
    let upper: Vec<_> = upper.collect();
    if upper.len() < 3 { points } else { upper }
}

/// Bones as lines from parent to child and joints as dots, in the world. Replaces what `out`
/// holds; allocates only while it grows.
pub fn skeleton_lines(character: &Character, model: &[Affine], root: &Affine, out: &mut Vec<Line>) {
    out.clear();
    let skeleton = &character.rig.skeleton;
    let at = |index: usize| root.transform_point(model[index].translation());
    for (index, parent) in skeleton.parents().iter().enumerate() {
        let Some(parent) = parent else { continue };
        let bone = Line {
            start: at(parent.index()),
            end: at(index),
            colour: [0.02, 0.35, 0.85, 0.85],
            width: 2.0,
        };
        out.push(bone);
    }
    for index in 0..skeleton.len() {
        let point = at(index);
        out.push(Line { start: point, end: point, colour: [1.0, 0.55, 0.05, 1.0], width: 5.0 });
    }
}
