//! The bones that every humanoid shares.

/// Declares the bones with their VRM 1.0 names and the bone each hangs from.
macro_rules! bones {
    ($($name:ident $text:literal $parent:ident;)*) => {
        /// A humanoid bone as VRM 1.0 names them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)] // The names say it.
        #[repr(u8)]
        pub enum HumanBone { $($name,)* }

        impl HumanBone {
            /// All of them, parents before children; [`HumanBone::index`] is the position here.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$name,)*];
            /// How many there are.
            pub const COUNT: usize = [$(stringify!($name),)*].len();

            /// The name in VRM 1.0 files: `leftUpperArm`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The bone that it hangs from where a body has all bones; the hips name themselves.
            const fn above(self) -> Self {
                match self { $(Self::$name => Self::$parent,)* }
            }
        }
    };
}

bones! {
    Hips "hips" Hips;
    Spine "spine" Hips;
    Chest "chest" Spine;
    UpperChest "upperChest" Chest;
    Neck "neck" UpperChest;
    Head "head" Neck;
    LeftEye "leftEye" Head;
    RightEye "rightEye" Head;
    Jaw "jaw" Head;
    LeftUpperLeg "leftUpperLeg" Hips;
    LeftLowerLeg "leftLowerLeg" LeftUpperLeg;
    LeftFoot "leftFoot" LeftLowerLeg;
    LeftToes "leftToes" LeftFoot;
    RightUpperLeg "rightUpperLeg" Hips;
    RightLowerLeg "rightLowerLeg" RightUpperLeg;
    RightFoot "rightFoot" RightLowerLeg;
    RightToes "rightToes" RightFoot;
    LeftShoulder "leftShoulder" UpperChest;
    LeftUpperArm "leftUpperArm" LeftShoulder;
    LeftLowerArm "leftLowerArm" LeftUpperArm;
    LeftHand "leftHand" LeftLowerArm;
    RightShoulder "rightShoulder" UpperChest;
    RightUpperArm "rightUpperArm" RightShoulder;
    RightLowerArm "rightLowerArm" RightUpperArm;
    RightHand "rightHand" RightLowerArm;
    LeftThumbMetacarpal "leftThumbMetacarpal" LeftHand;
    LeftThumbProximal "leftThumbProximal" LeftThumbMetacarpal;
    LeftThumbDistal "leftThumbDistal" LeftThumbProximal;
    LeftIndexProximal "leftIndexProximal" LeftHand;
    LeftIndexIntermediate "leftIndexIntermediate" LeftIndexProximal;
    LeftIndexDistal "leftIndexDistal" LeftIndexIntermediate;
    LeftMiddleProximal "leftMiddleProximal" LeftHand;
    LeftMiddleIntermediate "leftMiddleIntermediate" LeftMiddleProximal;
    LeftMiddleDistal "leftMiddleDistal" LeftMiddleIntermediate;
    LeftRingProximal "leftRingProximal" LeftHand;
    LeftRingIntermediate "leftRingIntermediate" LeftRingProximal;
    LeftRingDistal "leftRingDistal" LeftRingIntermediate;
    LeftLittleProximal "leftLittleProximal" LeftHand;
    LeftLittleIntermediate "leftLittleIntermediate" LeftLittleProximal;
    LeftLittleDistal "leftLittleDistal" LeftLittleIntermediate;
    RightThumbMetacarpal "rightThumbMetacarpal" RightHand;
    RightThumbProximal "rightThumbProximal" RightThumbMetacarpal;
    RightThumbDistal "rightThumbDistal" RightThumbProximal;
    RightIndexProximal "rightIndexProximal" RightHand;
    RightIndexIntermediate "rightIndexIntermediate" RightIndexProximal;
    RightIndexDistal "rightIndexDistal" RightIndexIntermediate;
    RightMiddleProximal "rightMiddleProximal" RightHand;
    RightMiddleIntermediate "rightMiddleIntermediate" RightMiddleProximal;
    RightMiddleDistal "rightMiddleDistal" RightMiddleIntermediate;
    RightRingProximal "rightRingProximal" RightHand;
    RightRingIntermediate "rightRingIntermediate" RightRingProximal;
    RightRingDistal "rightRingDistal" RightRingIntermediate;
    RightLittleProximal "rightLittleProximal" RightHand;
    RightLittleIntermediate "rightLittleIntermediate" RightLittleProximal;
    RightLittleDistal "rightLittleDistal" RightLittleIntermediate;
}

impl HumanBone {
    /// Bones without which a body is no humanoid (VRM 1.0).
    pub const REQUIRED: [Self; 15] = [
        Self::Hips,
        Self::Spine,
        Self::Head,
        Self::LeftUpperLeg,
        Self::LeftLowerLeg,
        Self::LeftFoot,
        Self::RightUpperLeg,
        Self::RightLowerLeg,
        Self::RightFoot,
        Self::LeftUpperArm,
        Self::LeftLowerArm,
        Self::LeftHand,
        Self::RightUpperArm,
        Self::RightLowerArm,
        Self::RightHand,
    ];

    /// Position in [`HumanBone::ALL`].
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The bone that it hangs from where a body has all bones. `None` for the hips.
    pub const fn parent(self) -> Option<Self> {
        match self {
            Self::Hips => None,
            other => Some(other.above()),
        }
    }

    /// The bone of that VRM 1.0 name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|b| b.name() == name)
    }

    /// The bone of that VRM 0.x name, whose thumbs are called one joint further out.
    pub fn from_name_v0(name: &str) -> Option<Self> {
        match name {
            "leftThumbProximal" => Some(Self::LeftThumbMetacarpal),
            "leftThumbIntermediate" => Some(Self::LeftThumbProximal),
            "rightThumbProximal" => Some(Self::RightThumbMetacarpal),
            "rightThumbIntermediate" => Some(Self::RightThumbProximal),
            "leftThumbMetacarpal" | "rightThumbMetacarpal" => None,
            other => Self::from_name(other),
        }
    }
}
