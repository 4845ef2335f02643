//! Switches of the shaders.

/// A set of shader switches; the whole set is part of a pipeline's key, so two features on one
/// material never overwrite each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Features(pub(crate) u64);

macro_rules! features {
    ($($(#[$doc:meta])* $bit:literal $constant:ident $name:literal;)*) => {
        impl Features {
            $($(#[$doc])* pub(crate) const $constant: Self = Self(1 << $bit);)*
            /// Every switch with its name in the sources.
            pub(crate) const ALL: &'static [(Self, &'static str)] =
                &[$((Self::$constant, $name)),*];
        }
    };
}

features! {
    /// Four influences a vertex.
    0 SKIN4 "skin4";
    /// Eight influences a vertex.
    1 SKIN8 "skin8";
    /// Morph targets.
    2 MORPH "morph";
    /// The hull is moved outward on the screen.
    3 OUTLINE "outline";
    /// Vertices land on texels to be read back.
    4 CAPTURE "capture";
    /// Channels drive numbers of the material.
    5 DRIVEN "driven";
    6 UNLIT "unlit";
    7 TOON "toon";
    8 BASE_TEXTURE "base_texture";
    9 METALLIC_ROUGHNESS_TEXTURE "metallic_roughness_texture";
    10 NORMAL_TEXTURE "normal_texture";
    11 OCCLUSION_TEXTURE "occlusion_texture";
    12 EMISSIVE_TEXTURE "emissive_texture";
    13 SHADE_TEXTURE "shade_texture";
    14 VERTEX_COLOUR "vertex_colour";
    /// No normals in the file: each triangle its own.
    15 FLAT_NORMALS "flat_normals";
    /// Tangents in the file; else the frame comes from derivatives.
    16 TANGENTS "tangents";
    17 MASK "mask";
    18 BLEND "blend";
    /// Mask drawn as sample coverage.
    19 COVERAGE "coverage";
    20 DOUBLE_SIDED "double_sided";
    /// Every matrix of the draw mirrors.
    21 MIRRORED "mirrored";
    /// Some matrices of the draw mirror, some do not.
    22 MIXED_FACING "mixed_facing";
    /// Hair grows on it.
    23 FUR "fur";
    /// The draw shows the shells of the fur and not the skin.
    24 SHELL "shell";
    /// A face is drawn on it.
    25 FACE "face";
    /// Light comes through it.
    26 LEAF "leaf";
    /// It gives way to the wind.
    27 SWAY "sway";
    /// It is the surface of water.
    28 WATER "water";
    /// The fragment stage knows the vertex as the geometry has it.
    29 LOCAL "local";
    /// MToon: a texture moves the edge between the tones.
    30 SHIFT_TEXTURE "shift_texture";
    /// MToon: a picture of a lit ball laid over.
    31 MATCAP "matcap";
    /// MToon: a glow along the silhouette.
    32 RIM "rim";
    33 RIM_TEXTURE "rim_texture";
    /// MToon: its textures move.
    34 UV_MOTION "uv_motion";
    /// MToon: not everywhere alike.
    35 UV_MASK "uv_mask";
    /// MToon: the draw shows the inside of the hull, which is the outline.
    36 INK "ink";
    /// MToon: the hull is not everywhere as far out.
    37 INK_TEXTURE "ink_texture";
}

impl Features {
    /// No switch.
    pub(crate) const NONE: Self = Self(0);
    /// Those that change what the vertex stage hands over; both stages must agree on them.
    pub(crate) const INTERFACE: Self = Self(Self::DRIVEN.0 | Self::SHELL.0 | Self::LOCAL.0);
    /// Those that change the vertex stage.
    pub(crate) const VERTEX: Self =
        Self(0b11_1111 | Self::INTERFACE.0 | Self::SWAY.0 | Self::WATER.0 | Self::INK.0);
    /// Those that say where an outline of MToon is, beside [`Self::INK`] itself.
    pub(crate) const INK_WIDTH: Self =
        Self(Self::INK_TEXTURE.0 | Self::UV_MOTION.0 | Self::UV_MASK.0);
    /// Those that change where a vertex is.
    pub(crate) const PLACE: Self = Self(0b1_1111 | Self::SHELL.0 | Self::SWAY.0 | Self::WATER.0);
    /// Those that mean nothing without [`Self::TOON`].
    pub(crate) const TOON_ONLY: Self = Self(
        Self::SHADE_TEXTURE.0
            | Self::SHIFT_TEXTURE.0
            | Self::MATCAP.0
            | Self::RIM.0
            | Self::RIM_TEXTURE.0
            | Self::UV_MOTION.0
            | Self::UV_MASK.0,
    );
    /// Those that the depth, outline and id passes need beyond the vertex stage.
    pub(crate) const SILHOUETTE: Self = Self(
        Self::BASE_TEXTURE.0
            | Self::VERTEX_COLOUR.0
            | Self::MASK.0
            | Self::TOON.0
            | Self::UV_MOTION.0
            | Self::UV_MASK.0
            | Self::FUR.0
            | Self::WATER.0
            | Self::DOUBLE_SIDED.0
            | Self::MIRRORED.0
            | Self::MIXED_FACING.0,
    );

    /// Those that the vertex stage reads.
    pub(crate) const fn vertex(self) -> Self {
        self.only(if self.has(Self::INK) {
            Self::VERTEX.and(Self::INK_WIDTH)
        } else {
            Self::VERTEX
        })
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn only(self, mask: Self) -> Self {
        Self(self.0 & mask.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn when(self, yes: bool) -> Self {
        if yes { self } else { Self::NONE }
    }

    /// Whether the switch of that name is on; `None` when there is no such switch.
    pub(crate) fn named(self, name: &str) -> Option<bool> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(bit, _)| self.has(*bit))
    }
}
