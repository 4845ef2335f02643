//! Poses on which bounds are tried.

use super::PosedBounds;
use super::cells::Cell;
use super::supports::reach;
use crate::{Aabb, Affine, ChannelKind, Character, Pose, Rng, Transform, math};
use glam::Vec3;

/// So many poses, fewer for many vertices.
const TRIALS: usize = 64;
const LEAST_TRIALS: usize = 16;
const VERTICES: usize = 2_000_000;
/// How much larger than the truth the box may be on any axis of any of them, as a part of the truth.
const ENOUGH: f32 = 0.07;
/// Each joint of such a pose is turned by up to so many radians, from rest or from a moment of a
/// clip.
const TRIAL_TURN: f32 = 0.5;

/// A pose to try, with the truth of it.
pub(super) struct Trial {
    palette: Vec<Affine>,
    channels: Vec<f32>,
    truth: Aabb,
}

impl Trial {
    fn size(&self) -> Vec3 {
        let size = self.truth.size();
        // A flat body has no size to compare with.
        size.max(Vec3::splat((0.02 * size.max_element()).max(f32::MIN_POSITIVE)))
    }

    pub(super) fn is_fine(&self, bounds: &PosedBounds) -> bool {
        let got = bounds.measure(&self.palette, &self.channels, &Transform::IDENTITY).size();
        (got - self.truth.size()).cmple(self.size() * ENOUGH).all()
    }
}

/// Puts the cells that make most faces of the box first: the others are then found to lie within.
pub(super) fn order(cells: &mut Vec<Cell>, trials: &[Trial]) {
    let mut wins = vec![0u32; cells.len()];
    for t in trials {
        let mut best = [(0, f32::NEG_INFINITY); 6];
        for (i, c) in cells.iter().enumerate() {
            let m = c.matrix(&t.palette);
            let at = m.transform_point(c.center);
            for (f, best) in best.iter_mut().enumerate() {
                let [x, y, z, _] = m.rows[f % 3];
                let far = match f {
                    0..3 => at[f] + reach(&c.supports, [x, y, z]),
                    _ => reach(&c.supports, [-x, -y, -z]) - at[f - 3],
                };
                if far > best.1 {
                    *best = (i, far);
                }
            }
        }
        best.iter().for_each(|b| wins[b.0] += 1);
    }
    let mut keyed: Vec<(u32, Cell)> = wins.into_iter().zip(cells.drain(..)).collect();
    keyed.sort_by_key(|k| core::cmp::Reverse(k.0));
    cells.extend(keyed.into_iter().map(|k| k.1));
}

pub(super) fn trials(character: &Character) -> Vec<Trial> {
    let rig = &character.rig;
    let layout = character.palette_layout();
    let mut rng = Rng::new(0x9e37, 0);
    let mut model = vec![Affine::IDENTITY; rig.skeleton.len()];
    let vertices: usize = character.meshes.iter().map(|m| m.geometry.vertex_count()).sum();
    let count = (VERTICES / vertices.max(1)).clamp(LEAST_TRIALS, TRIALS);
    let trial = |_| {
        let mut pose = Pose::rest(rig);
        if !character.clips.is_empty() && rng.chance(0.7) {
            let clip = &character.clips[(rng.unit() * character.clips.len() as f32) as usize];
            clip.sample(rng.unit() * clip.duration, &mut [], &mut pose);
        }
        for j in rig.skeleton.joints() {
            let axis = Vec3::from_array([0; 3].map(|_| rng.range(-1.0, 1.0)));
            let axis = axis.try_normalize().unwrap_or(Vec3::X);
            let turn = math::rotation(axis, rng.range(0.0, TRIAL_TURN));
            pose.set_rotation(j, pose.rotation(j) * turn);
        }
        // What a channel hides would make the truth small.
        for (id, c) in rig.channels.iter() {
            if matches!(c.kind, ChannelKind::Visibility(_)) {
                pose.set_channel(id, 1.0);
            }
        }
        pose.to_model(&rig.skeleton, &mut model);
        let mut palette = vec![Affine::IDENTITY; layout.len()];
        layout.write(&model, &mut palette);
        let (min, max) = character.bounds(&pose)?;
        let channels = pose.channels().to_vec();
        Some(Trial { palette, channels, truth: Aabb { min, max } })
    };
    (0..count).filter_map(trial).collect()
}
