//! Named scalars beside the joints.

use crate::{ChannelId, JointId, MaterialFactor, MaterialId};

/// What a channel's number drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChannelKind {
    /// Weight of a morph target; 0 leaves the mesh as it is, 1 applies the whole target.
    Morph,
    /// Weight of an expression, which a layer spreads over morphs and materials.
    Expression,
    /// A factor of a material, known by its name alone.
    Material,
    /// One number of one material's look; at rest the material's own.
    Factor(MaterialId, MaterialFactor),
    /// Whether the meshes at a joint and at all joints below it are drawn: hidden under a half.
    Visibility(JointId),
    /// An input of a deformer.
    Deformer,
    /// Anything else that a host or a layer wants to carry in a pose.
    Custom,
}

/// One named scalar.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Name, as its file has it; not necessarily unique.
    pub name: String,
    /// What it drives.
    pub kind: ChannelKind,
    /// Value at rest.
    pub default: f32,
    /// Lowest and highest sensible value. A hint for sliders and checks; poses may exceed it.
    pub range: [f32; 2],
}

impl Channel {
    /// A channel from 0 to 1 that rests at 0.
    pub fn new(name: impl Into<String>, kind: ChannelKind) -> Self {
        Self { name: name.into(), kind, default: 0.0, range: [0.0, 1.0] }
    }

    /// The same with another value at rest.
    pub fn with_default(mut self, default: f32) -> Self {
        self.default = default;
        self
    }

    /// The same with another range.
    pub fn with_range(mut self, low: f32, high: f32) -> Self {
        self.range = [low, high];
        self
    }
}

/// The list of a rig's channels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Channels {
    list: Vec<Channel>,
}

impl Channels {
    /// No channels.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a channel after all others.
    pub fn push(&mut self, channel: Channel) -> ChannelId {
        self.list.push(channel);
        ChannelId::new(self.list.len() - 1)
    }

    /// How many channels there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ChannelId, &Channel)> {
        self.list.iter().enumerate().map(|(i, c)| (ChannelId::new(i), c))
    }

    /// One of them.
    ///
    /// # Panics
    /// Where `id` is not of this list.
    #[inline]
    pub fn get(&self, id: ChannelId) -> &Channel {
        &self.list[id.index()]
    }

    /// The first channel of that name. A search: resolve names once, not per frame.
    pub fn find(&self, name: &str) -> Option<ChannelId> {
        self.list.iter().position(|c| c.name == name).map(ChannelId::new)
    }
}
