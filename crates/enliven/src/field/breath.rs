//! A breath as a morph target: the belly pushed along its normals.

use super::{Anatomy, Surface};
use crate::{Channel, ChannelKind, MorphTarget};
use glam::{Quat, Vec3};

/// Name of the channel and of the morph target.
pub(super) const NAME: &str = "breath";

/// The channel that drives it: −1 breathed out, 1 breathed in.
pub(super) fn channel() -> Channel {
    Channel::new(NAME, ChannelKind::Morph).with_range(-1.0, 1.0)
}

/// Differences of position and normal at a full breath, one pair a vertex, in the file's space.
/// `None` where nothing breathes.
pub(super) fn deltas(surface: &Surface, anatomy: &Anatomy) -> Option<Vec<(Vec3, Vec3)>> {
    let belly = anatomy.belly.as_ref()?;
    let field = belly.field.weights(surface);
    // Along joined normals, so that a seam between faces does not open.
    let along = surface.smooth_normals();
    let mut full = surface.clone();
    for (v, p) in full.points.iter_mut().enumerate() {
        *p += along[v] * (field[v] * belly.push);
    }
    // What the faces at a place turn by, each of its vertices turns by, hard edges kept.
    let after = full.smooth_normals();
    let out = (0..field.len()).map(|v| {
        let turn = Quat::from_rotation_arc(or_up(along[v]), or_up(after[v]));
        let n = surface.normals[v];
        let moved = if field[v] > 0.0 || after[v] != along[v] { turn * n - n } else { Vec3::ZERO };
        (along[v] * (field[v] * belly.push), moved)
    });
    Some(out.collect())
}

fn or_up(n: Vec3) -> Vec3 {
    if n == Vec3::ZERO { Vec3::Y } else { n }
}

/// The target of one mesh, in the bound model's space.
pub(super) fn target(deltas: &[(Vec3, Vec3)], turn: Quat) -> MorphTarget {
    MorphTarget {
        name: NAME.into(),
        positions: deltas.iter().map(|d| turn * d.0).collect(),
        normals: deltas.iter().map(|d| turn * d.1).collect(),
        tangents: Vec::new(),
    }
}
