//! What a frame draws, put in order.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use enliven::Affine;

use crate::features::Features;
use crate::model::{GpuMesh, Model, ModelInner};
use crate::pipeline::Faces;
use crate::scene::Body;

/// Layout of the instance part of `VertexIn` in `wgsl/vertex.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Instance {
    pub(crate) root: [[f32; 4]; 3],
    pub(crate) bases: [u32; 4],
    pub(crate) outline: [f32; 4],
}

/// Bodies of one model, side by side in the instance buffer.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// A body of the scene that has the model.
    pub(crate) body: usize,
    /// Those in the picture.
    pub(crate) instances: Range<u32>,
    /// Those and others that may throw a shadow into it.
    pub(crate) casters: Range<u32>,
    pub(crate) outlined: bool,
}

/// One draw of the body pass, and of those that follow from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub(crate) group: usize,
    pub(crate) mesh: usize,
    pub(crate) features: Features,
    pub(crate) mirrored: Mirrored,
    /// Whether it is mixed with what is behind it.
    pub(crate) blended: bool,
    /// Mixed, and still hides what is behind it.
    pub(crate) depth_write: bool,
    /// Order among mixed ones.
    pub(crate) queue: i32,
    /// Switches of its own outline.
    pub(crate) ink: Option<Features>,
    /// Distance from the eye, metres.
    pub(crate) far: f32,
    /// The fur that grows on it, an index into the staged furs.
    pub(crate) fur: Option<usize>,
}

/// Whether the matrices of a draw turn the surface inside out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mirrored {
    No,
    All,
    Some,
}

pub(crate) fn parts<'a>(
    groups: &[Group],
    bodies: &[Body<'a>],
    draw: &Draw,
) -> (&'a ModelInner, &'a GpuMesh) {
    let model: &'a Model = bodies[groups[draw.group].body].model;
    (&*model.inner, &model.inner.meshes[draw.mesh])
}

pub(crate) fn outlines(groups: &[Group], draw: &Draw, mesh: &GpuMesh) -> bool {
    groups[draw.group].outlined && mesh.topology == wgpu::PrimitiveTopology::TriangleList
}

/// Whether the matrices that the mesh follows turn it inside out, over all bodies of the draw.
pub(crate) fn mirrored(mesh: &GpuMesh, members: &[usize], bodies: &[Body<'_>]) -> Mirrored {
    let (mut plain, mut turned) = (false, false);
    for index in members {
        let body = &bodies[*index];
        let root = body.root.determinant() < 0.0;
        for entry in &body.palette[mesh.entries.clone()] {
            if (determinant(entry) < 0.0) != root {
                turned = true;
            } else {
                plain = true;
            }
        }
    }
    match (plain, turned) {
        (_, false) => Mirrored::No,
        (false, true) => Mirrored::All,
        (true, true) => Mirrored::Some,
    }
}

fn determinant(map: &Affine) -> f32 {
    let [x, y, z] = &map.rows;
    x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0])
        + x[2] * (y[0] * z[1] - y[1] * z[0])
}

pub(crate) fn features_of(mesh: &GpuMesh, material: Features, mirrored: Mirrored) -> Features {
    let mut features = mesh.features.and(material);
    if features.has(Features::UNLIT) {
        features = features.without(
            Features::TOON
                .and(Features::NORMAL_TEXTURE)
                .and(Features::METALLIC_ROUGHNESS_TEXTURE)
                .and(Features::OCCLUSION_TEXTURE)
                .and(Features::TOON_ONLY),
        );
    }
    if !features.has(Features::NORMAL_TEXTURE) || features.has(Features::FLAT_NORMALS) {
        features = features.without(Features::TANGENTS);
    }
    if features.has(Features::MASK) {
        features = features.and(Features::COVERAGE);
    }
    match mirrored {
        Mirrored::No => features,
        Mirrored::All => features.and(Features::MIRRORED),
        Mirrored::Some => features.and(Features::MIXED_FACING),
    }
}

/// The faces that show the inside.
pub(crate) fn inside_of(draw: &Draw) -> Faces {
    match draw.mirrored {
        Mirrored::No => Faces::Back,
        Mirrored::All => Faces::Front,
        Mirrored::Some => Faces::Both,
    }
}

/// The faces that are drawn, in order: of a blended sheet with two sides the far one first.
pub(crate) fn faces_of(draw: &Draw) -> &'static [Faces] {
    let two_sided = draw.features.has(Features::DOUBLE_SIDED);
    match (draw.mirrored, two_sided, draw.blended) {
        (Mirrored::Some, ..) | (_, true, false) => &[Faces::Both],
        (Mirrored::No, false, _) => &[Faces::Front],
        (Mirrored::All, false, _) => &[Faces::Back],
        (Mirrored::No, true, true) => &[Faces::Back, Faces::Front],
        (Mirrored::All, true, true) => &[Faces::Front, Faces::Back],
    }
}
