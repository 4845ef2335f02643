//! Skins: joints and inverse bind matrices.

use enliven::{Affine, JointId, Skeleton, Skin, SkinId};

use super::super::{
    accessor::{Data, Fault},
    schema::{Document, Uint},
};
use crate::{Diagnostic, Severity, findings::Findings};

pub(super) struct Skins {
    pub list: Vec<Skin>,
    /// What became of each element of `/skins`; `None` for one without any joint.
    pub ids: Vec<Option<SkinId>>,
}

pub(super) fn build(
    document: &Document,
    skeleton: &Skeleton,
    joints: &[JointId],
    data: &Data<'_>,
    found: &mut Findings,
) -> Skins {
    let mut skins = Skins { list: Vec::new(), ids: Vec::new() };
    // Computed when a matrix is missing, which is rare.
    let mut rest_inverses: Option<Vec<Affine>> = None;
    for (s, skin) in document.skins.iter().enumerate() {
        let pointer = format!("/skins/{s}");
        let mut say = |code, pointer: String, message: String| {
            found.push(Diagnostic::new(Severity::Error, code, pointer, message));
        };
        let joint = |index: Uint| joints.get(index.index()).copied();
        let Some(first) = skin.joints.iter().find_map(|index| joint(*index)) else {
            say("SKIN_NO_JOINTS", pointer, "a skin without joints; left out".into());
            skins.ids.push(None);
            continue;
        };
        let mut ids = Vec::with_capacity(skin.joints.len());
        for (k, index) in skin.joints.iter().enumerate() {
            ids.push(joint(*index).unwrap_or_else(|| {
                let message = format!("there is no node {}; the first joint stands in", index.0);
                say("UNRESOLVED_REFERENCE", format!("{pointer}/joints/{k}"), message);
                first
            }));
        }
        let mut inverse_binds = match skin.inverse_bind_matrices {
            None => vec![Affine::IDENTITY; ids.len()],
            Some(index) => match data.floats::<16>(index) {
                Ok(matrices) => {
                    let off = |m: &&[f32; 16]| [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0];
                    let broken = matrices.iter().filter(off).count();
                    if broken > 0 {
                        let message = format!("{broken} matrices whose last row is not 0 0 0 1");
                        say("ACCESSOR_INVALID_IBM", format!("/accessors/{}", index.0), message);
                    }
                    matrices.iter().map(Affine::from_cols_array).collect()
                }
                Err(Fault { code, pointer, message }) => {
                    let code = match code {
                        "ACCESSOR_INVALID_FORMAT" => "SKIN_IBM_INVALID_FORMAT",
                        code => code,
                    };
                    say(code, pointer, format!("{message}; skin {s} is bound at rest"));
                    Vec::new()
                }
            },
        };
        if inverse_binds.len() < ids.len() && !inverse_binds.is_empty() {
            let (has, needs) = (inverse_binds.len(), ids.len());
            let message = format!("{has} matrices for {needs} joints; the rest is bound at rest");
            let code = "INVALID_IBM_ACCESSOR_COUNT";
            say(code, format!("{pointer}/inverseBindMatrices"), message);
        }
        inverse_binds.truncate(ids.len());
        let known = inverse_binds.len();
        let mut singular = 0usize;
        for (k, joint) in ids.iter().enumerate() {
            if k < known && inverse_binds[k].inverse().is_some() {
                continue;
            }
            let inverses = rest_inverses.get_or_insert_with(|| {
                let model = skeleton.rest_model();
                model.iter().map(|matrix| matrix.inverse().unwrap_or_default()).collect()
            });
            let inverse = inverses[joint.index()];
            if k < known {
                inverse_binds[k] = inverse;
                singular += 1;
            } else {
                inverse_binds.push(inverse);
            }
        }
        if singular > 0 {
            let message = format!("{singular} matrices without an inverse; bound at rest");
            say("SKIN_IBM_SINGULAR", format!("{pointer}/inverseBindMatrices"), message);
        }
        let root = skin.skeleton.and_then(|index| {
            let root = joint(index);
            if root.is_none() {
                let message = format!("there is no node {}; left out", index.0);
                say("UNRESOLVED_REFERENCE", format!("{pointer}/skeleton"), message);
            }
            root
        });
        skins.ids.push(Some(SkinId::new(skins.list.len())));
        let name = skin.name.clone().unwrap_or_default();
        skins.list.push(Skin { name, joints: ids, inverse_binds, root });
    }
    skins
}
