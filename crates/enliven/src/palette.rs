//! The matrices that the vertex function reads.

use crate::{Affine, Binding, JointId, Mesh, Skin};

/// Where the palette of a character comes from: one flat list of joint and inverse bind matrix.
/// Every skin has a range of entries, and so has every joint that a rigid mesh follows, so that
/// rigid and skinned meshes run through the same vertex function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaletteLayout {
    joints: Vec<JointId>,
    inverse_binds: Vec<Affine>,
    /// First entry of each mesh.
    bases: Vec<u32>,
}

impl PaletteLayout {
    /// The layout for `meshes`, which refer to `skins`.
    pub(crate) fn new(meshes: &[Mesh], skins: &[Skin], joints: usize) -> Self {
        let mut out = Self::default();
        let mut skin_bases: Vec<Option<u32>> = vec![None; skins.len()];
        let mut rigid_bases: Vec<Option<u32>> = vec![None; joints];
        for mesh in meshes {
            let next = out.joints.len() as u32;
            let base = match mesh.binding {
                Binding::Rigid(joint) => *rigid_bases[joint.index()].get_or_insert_with(|| {
                    out.joints.push(joint);
                    out.inverse_binds.push(Affine::IDENTITY);
                    next
                }),
                Binding::Skin(skin) => *skin_bases[skin.index()].get_or_insert_with(|| {
                    let skin = &skins[skin.index()];
                    out.joints.extend_from_slice(&skin.joints);
                    out.inverse_binds.extend_from_slice(&skin.inverse_binds);
                    next
                }),
            };
            out.bases.push(base);
        }
        out
    }

    /// How many matrices the palette has.
    #[inline]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether nothing is bound to anything.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// First palette entry of the mesh at `index` of the character's list; the joint indices of
    /// its influences count from here.
    #[inline]
    pub fn base(&self, index: usize) -> u32 {
        self.bases[index]
    }

    /// Writes the palette from the model matrices of the joints: model × inverse bind.
    ///
    /// # Panics
    /// Where `model` has fewer matrices than the skeleton has joints, or `out` is not of
    /// [`PaletteLayout::len`].
    pub fn write(&self, model: &[Affine], out: &mut [Affine]) {
        assert_eq!(out.len(), self.len(), "one matrix an entry");
        for ((o, j), inverse) in out.iter_mut().zip(&self.joints).zip(&self.inverse_binds) {
            *o = model[j.index()] * *inverse;
        }
    }
}
