//! Typed indices: a joint cannot be taken for a channel.

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its list.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// From a position in its list. Lists here never reach 2³² entries.
            #[inline]
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id! {
    /// A joint of a [`Skeleton`](crate::Skeleton).
    JointId;
    /// A named scalar of [`Channels`](crate::Channels).
    ChannelId;
    /// A mesh of a [`Character`](crate::Character).
    MeshId;
    /// A skin of a [`Character`](crate::Character).
    SkinId;
    /// A material of a [`Character`](crate::Character).
    MaterialId;
    /// A texture of a [`Character`](crate::Character).
    TextureId;
    /// An image of a [`Character`](crate::Character).
    ImageId;
    /// A clip of a [`Character`](crate::Character).
    ClipId;
}
