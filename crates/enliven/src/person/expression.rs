//! Faces: named weights that drive morphs and materials, with rules for who gives way.

use crate::{ChannelId, Layer, Moment, Pose, Rig};

/// An expression that every face may have, by VRM 1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names say it.
pub enum Preset {
    Happy,
    Angry,
    Sad,
    Relaxed,
    Surprised,
    Neutral,
    /// Mouth shapes.
    Aa,
    Ih,
    Ou,
    Ee,
    Oh,
    Blink,
    BlinkLeft,
    BlinkRight,
    LookUp,
    LookDown,
    LookLeft,
    LookRight,
}

/// What an expression belongs to: others may lower it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Shuts the eyes.
    Blink,
    /// Turns the eyes.
    LookAt,
    /// Moves the mouth.
    Mouth,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::Happy,
        Self::Angry,
        Self::Sad,
        Self::Relaxed,
        Self::Surprised,
        Self::Neutral,
        Self::Aa,
        Self::Ih,
        Self::Ou,
        Self::Ee,
        Self::Oh,
        Self::Blink,
        Self::BlinkLeft,
        Self::BlinkRight,
        Self::LookUp,
        Self::LookDown,
        Self::LookLeft,
        Self::LookRight,
    ];

    /// The name in VRM 1.0 files: `blinkLeft`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Happy => "happy",
            Self::Angry => "angry",
            Self::Sad => "sad",
            Self::Relaxed => "relaxed",
            Self::Surprised => "surprised",
            Self::Neutral => "neutral",
            Self::Aa => "aa",
            Self::Ih => "ih",
            Self::Ou => "ou",
            Self::Ee => "ee",
            Self::Oh => "oh",
            Self::Blink => "blink",
            Self::BlinkLeft => "blinkLeft",
            Self::BlinkRight => "blinkRight",
            Self::LookUp => "lookUp",
            Self::LookDown => "lookDown",
            Self::LookLeft => "lookLeft",
            Self::LookRight => "lookRight",
        }
    }

    /// The preset of that VRM 1.0 name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// The preset of that VRM 0.x name, any case.
    pub fn from_name_v0(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "joy" => Self::Happy,
            "angry" => Self::Angry,
            "sorrow" => Self::Sad,
            "fun" => Self::Relaxed,
            "surprised" => Self::Surprised,
            "neutral" => Self::Neutral,
            "a" => Self::Aa,
            "i" => Self::Ih,
            "u" => Self::Ou,
            "e" => Self::Ee,
            "o" => Self::Oh,
            "blink" => Self::Blink,
            "blink_l" => Self::BlinkLeft,
            "blink_r" => Self::BlinkRight,
            "lookup" => Self::LookUp,
            "lookdown" => Self::LookDown,
            "lookleft" => Self::LookLeft,
            "lookright" => Self::LookRight,
            _ => return None,
        })
    }

    /// The group that others may lower it in.
    pub const fn group(self) -> Option<Group> {
        match self {
            Self::Blink | Self::BlinkLeft | Self::BlinkRight => Some(Group::Blink),
            Self::LookUp | Self::LookDown | Self::LookLeft | Self::LookRight => Some(Group::LookAt),
            Self::Aa | Self::Ih | Self::Ou | Self::Ee | Self::Oh => Some(Group::Mouth),
            _ => None,
        }
    }
}

/// How an expression lowers a group while it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Override {
    /// Not at all.
    #[default]
    None,
    /// To nothing, as soon as it shows at all.
    Block,
    /// By its own weight.
    Blend,
}

/// What one expression does to one channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpressionBind {
    /// A morph or a factor of a material.
    pub channel: ChannelId,
    /// Added to the channel's value at rest at weight 1: a morph's weight, or target − rest.
    pub amount: f32,
}

/// A named look of the face.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Name, as its file has it (a preset's VRM 1.0 name).
    pub name: String,
    /// Which preset it is.
    pub preset: Option<Preset>,
    /// Its weight: a channel of kind [`Expression`](crate::ChannelKind::Expression).
    pub channel: ChannelId,
    /// Shows wholly above weight 0.5, and not at all below or when lowered.
    pub binary: bool,
    /// How it lowers blinking.
    pub override_blink: Override,
    /// How it lowers the turning of the eyes.
    pub override_look_at: Override,
    /// How it lowers the mouth shapes.
    pub override_mouth: Override,
    /// What it does.
    pub binds: Vec<ExpressionBind>,
}

impl Expression {
    /// An expression that does nothing yet.
    pub fn new(name: impl Into<String>, channel: ChannelId) -> Self {
        let name = name.into();
        let preset = Preset::from_name(&name);
        Self {
            name,
            preset,
            channel,
            binary: false,
            override_blink: Override::None,
            override_look_at: Override::None,
            override_mouth: Override::None,
            binds: Vec::new(),
        }
    }

    /// What counts of a weight: itself, or 0 or 1 for a binary expression.
    pub fn output(&self, weight: f32) -> f32 {
        if !self.binary {
            return weight;
        }
        if weight > 0.5 { 1.0 } else { 0.0 }
    }
}

/// The layer that turns expression weights into morphs and material factors: the last of a stack.
///
/// Every channel that an expression is bound to starts at its rest value, then each expression
/// adds its part, lowered by the overrides of those that show: what is left of a group is
/// max(0, 1 − Σ amounts), where a blocking expression counts 1 and a blending one its weight.
#[derive(Clone, Debug, Default)]
pub struct Expressions {
    list: Vec<Expression>,
    /// Bound channels with their rest values, each once.
    rest: Vec<(ChannelId, f32)>,
}

impl Expressions {
    /// For a rig. Binds to channels outside it and amounts that are not finite are left out, as
    /// are expressions whose own channel does not exist.
    pub fn new(rig: &Rig, expressions: &[Expression]) -> Self {
        let channels = rig.channels.len();
        let mut list = Vec::with_capacity(expressions.len());
        let mut rest: Vec<(ChannelId, f32)> = Vec::new();
        for e in expressions.iter().filter(|e| e.channel.index() < channels) {
            let mut e = e.clone();
            e.binds.retain(|b| b.channel.index() < channels && b.amount.is_finite());
            for b in &e.binds {
                if rest.iter().all(|(c, _)| *c != b.channel) {
                    rest.push((b.channel, rig.channels.get(b.channel).default));
                }
            }
            list.push(e);
        }
        Self { list, rest }
    }

    /// All of them, in file order.
    pub fn list(&self) -> &[Expression] {
        &self.list
    }

    /// What is left of blinking, of the turning of the eyes and of the mouth shapes while the
    /// weights of a pose show, each in [0, 1].
    pub fn left(&self, pose: &Pose) -> [f32; 3] {
        let mut left = [1.0f32; 3];
        for e in &self.list {
            let out = e.output(pose.channel(e.channel));
            let overrides = [e.override_blink, e.override_look_at, e.override_mouth];
            for (left, how) in left.iter_mut().zip(overrides) {
                *left -= match how {
                    Override::None => 0.0,
                    Override::Block if out > 0.0 => 1.0,
                    Override::Block => 0.0,
                    Override::Blend => out,
                };
            }
        }
        left.map(|l| l.max(0.0))
    }
}

impl Layer for Expressions {
    fn apply(&mut self, _: &Moment, _: &Rig, pose: &mut Pose) {
        let left = self.left(pose);
        for &(channel, rest) in &self.rest {
            pose.set_channel(channel, rest);
        }
        for e in &self.list {
            let mut w = e.output(pose.channel(e.channel));
            if let Some(group) = e.preset.and_then(Preset::group) {
                w *= left[group as usize];
            }
            if e.binary && w < 1.0 {
                w = 0.0;
            }
            if w == 0.0 || !w.is_finite() {
                continue;
            }
            for b in &e.binds {
                pose.set_channel(b.channel, pose.channel(b.channel) + b.amount * w);
            }
        }
    }
}
