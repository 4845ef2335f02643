//! Expressions: from what files say to channels.

use enliven::{
    Channel, ChannelId, ChannelKind, CharacterParts, MaterialFactor, MaterialId,
    person::{Expression, ExpressionBind, Override, Preset},
};

/// An expression as a file has it, before its channels exist.
#[derive(Clone, Debug)]
pub(super) struct Face {
    pub name: String,
    pub preset: Option<Preset>,
    pub binary: bool,
    /// Blink, look-at, mouth.
    pub overrides: [Override; 3],
    pub binds: Vec<Bind>,
}

#[derive(Clone, Debug)]
pub(super) enum Bind {
    /// A channel and how far it goes.
    Morph(ChannelId, f32),
    /// A factor and its value at weight 1.
    Factor(MaterialId, MaterialFactor, f32),
}

/// Gives the character a channel for each expression and for each factor that one drives.
pub(super) fn bind(faces: &[Face], parts: &mut CharacterParts) -> Vec<Expression> {
    // An animation may have channels of materials already.
    let known = |(id, channel): (ChannelId, &Channel)| match channel.kind {
        ChannelKind::Factor(material, factor) => Some((material, factor, id)),
        _ => None,
    };
    let mut factors: Vec<(MaterialId, MaterialFactor, ChannelId)> =
        parts.rig.channels.iter().filter_map(known).collect();
    let mut out = Vec::with_capacity(faces.len());
    for face in faces {
        let channel = parts.rig.channels.push(Channel::new(&face.name, ChannelKind::Expression));
        let mut expression = Expression::new(&face.name, channel);
        expression.preset = face.preset;
        expression.binary = face.binary;
        [expression.override_blink, expression.override_look_at, expression.override_mouth] =
            face.overrides;
        for bind in &face.binds {
            let bind = match *bind {
                Bind::Morph(channel, amount) => Some(ExpressionBind { channel, amount }),
                Bind::Factor(material, factor, target) => {
                    let look = parts.materials.get(material.index());
                    let rest = look.and_then(|m| m.factor(factor));
                    rest.map(|rest| {
                        let known =
                            factors.iter().find(|f| (f.0, f.1) == (material, factor)).map(|f| f.2);
                        let channel = known.unwrap_or_else(|| {
                            let name = format!("material {material} {factor:?}");
                            let kind = ChannelKind::Factor(material, factor);
                            let low = rest.min(target).min(0.0);
                            let high = rest.max(target).max(1.0);
                            let c = Channel::new(name, kind).with_default(rest);
                            let id = parts.rig.channels.push(c.with_range(low, high));
                            factors.push((material, factor, id));
                            id
                        });
                        ExpressionBind { channel, amount: target - rest }
                    })
                }
            };
            expression.binds.extend(bind);
        }
        out.push(expression);
    }
    out
}
