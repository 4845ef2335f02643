//! Which shells of a fur each body shows.

use std::ops::Range;

use enliven::glam::Vec3;

use crate::draws::Instance;

/// Shells that the shadow map sees: enough for a furry edge.
const SHADOW_SHELLS: u32 = 3;
/// Shells for each pixel that a hair is long: more cannot be told apart.
const SHELLS_A_PIXEL: f32 = 1.4;
/// Fewest shells that still look like fur.
const FEWEST: f32 = 6.0;

/// A fur of a model as it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coat {
    /// Shells at most.
    pub(crate) shells: u32,
    /// Metres at the model's scale.
    pub(crate) length: f32,
}

/// Instances of the bodies of a model, one for each shell of a fur.
#[derive(Clone, Debug)]
pub(crate) struct Furs {
    pub(crate) group: usize,
    pub(crate) material: usize,
    /// Body by body from the farthest, each from its inmost shell outward.
    pub(crate) instances: Range<u32>,
    /// A few of them, for the shadow.
    pub(crate) thinned: Range<u32>,
}

/// Adds the instances of a fur on the bodies that have the instances `of`. `depth` is the distance
/// of a place from the eye; `pixels` a metre at distance 1. `apart` is memory to work in.
pub(crate) fn grow(
    instances: &mut Vec<Instance>,
    apart: &mut Vec<(f32, u32)>,
    of: &Range<u32>,
    coat: Coat,
    pixels: f32,
    depth: impl Fn(Vec3) -> f32,
) -> [Range<u32>; 2] {
    apart.clear();
    for index in of.clone() {
        let place = instances[index as usize].root.map(|row| row[3]);
        apart.push((depth(Vec3::from(place)), index));
    }
    apart.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut add = |every: &dyn Fn(f32, &Instance) -> u32| {
        let start = instances.len() as u32;
        for (far, index) in apart.iter() {
            let mut instance = instances[*index as usize];
            let every = every(*far, &instance);
            // The outmost always, the skin never: it is drawn by itself.
            for shell in (1..=coat.shells).filter(|s| (coat.shells - s).is_multiple_of(every)) {
                instance.bases[3] = shell;
                instances.push(instance);
            }
        }
        start..instances.len() as u32
    };
    let all = add(&|far, instance| {
        let [x, y, z] = instance.root.map(|row| Vec3::new(row[0], row[1], row[2]));
        let scale = x.length_squared().max(y.length_squared()).max(z.length_squared()).sqrt();
        let long = coat.length * scale * pixels / far.max(1e-6);
        let wanted = (long * SHELLS_A_PIXEL).max(FEWEST);
        // Not finite where the picture has no size: all of them.
        if wanted.is_finite() { (coat.shells as f32 / wanted).round().max(1.0) as u32 } else { 1 }
    });
    [all, add(&|_, _| coat.shells.div_ceil(SHADOW_SHELLS).max(1))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    fn body(at: f32) -> Instance {
        let mut instance = Instance::zeroed();
        instance.root = [[1.0, 0.0, 0.0, at], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        instance
    }

    #[test]
    fn the_nearest_body_has_most_shells_and_comes_last() {
        let mut instances = vec![body(1.0), body(50.0), body(5.0)];
        let coat = Coat { shells: 20, length: 0.04 };
        let [all, thin] = grow(&mut instances, &mut Vec::new(), &(0..3), coat, 500.0, |p| p.x);
        let list = &instances[all.start as usize..all.end as usize];
        let of = |at: f32| list.iter().filter(|i| i.root[0][3] == at).count();
        assert_eq!([of(50.0), of(5.0), of(1.0)], [7, 7, 20]);
        assert!(list.is_sorted_by(|a, b| a.root[0][3] >= b.root[0][3]), "far to near");
        for pair in list.windows(2).filter(|w| w[0].root[0][3] == w[1].root[0][3]) {
            assert!(pair[0].bases[3] < pair[1].bases[3], "inside out");
        }
        assert!(list.iter().all(|i| (1..=20).contains(&i.bases[3])));
        assert_eq!(list.last().map(|i| i.bases[3]), Some(20), "the tips are always there");
        assert_eq!(thin.len(), 3 * 3);
    }
}
