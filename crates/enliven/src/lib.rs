//! Makes 3D characters live.
//!
//! Every character has joints; only the binding differs. A skinned mesh stores how far each
//! vertex follows each joint, a body of rigid parts follows one joint a part. So there is one
//! [`Pose`], one blend, one vertex function, and the same [`Layer`]s move every kind of body.
//!
//! A [`Character`] is shared and never changes. An [`Actor`] is one living copy of it: a
//! [`Stack`] of layers turns each [`Moment`] into a pose, and the pose into a palette of
//! matrices that a renderer reads.
//!
//! This crate knows no files, no clock, no GPU, no threads. Space is glTF's: right-handed, +Y up,
//! +Z forward, metres, seconds, radians. The same inputs give the same bits on every platform.

mod actor;
mod bake;
mod binding;
mod bounds;
mod breeze;
pub mod builtin;
mod channels;
mod character;
mod clip;
mod course;
mod curve;
mod diagnostic;
mod drawn_face;
mod edit;
pub mod field;
mod fur;
mod geometry;
mod group;
mod hinge;
mod id;
mod ik;
pub mod judge;
mod layer;
pub mod layers;
pub mod leaf;
mod leaf_look;
mod mask;
mod material;
pub mod math;
pub mod measure;
mod mesh;
mod mind;
mod mixer;
mod moment;
mod named;
mod packed;
mod palette;
mod path;
pub mod person;
mod playback;
mod pose;
mod posed_bounds;
mod recording;
mod region;
mod retarget;
mod rig;
mod rng;
mod root_motion;
mod skeleton;
mod spring;
mod sway;
mod tick;
mod toon;
mod transform;
mod unscaled;
mod vertex;
mod water;

pub use actor::Actor;
pub use bake::{BakeOptions, bake};
pub use binding::{BindError, Bound, Labels, Namespace};
pub use bounds::{Aabb, Sphere};
pub use breeze::Breeze;
pub use channels::{Channel, ChannelKind, Channels};
pub use character::{Character, CharacterError, CharacterParts, Meta};
pub use clip::{Axis, Clip, Mark, Property, Target, Track};
pub use course::{Course, Ride};
pub use curve::{Curve, CurveError, CurveKind, Ending, Endings, Handles, Interpolation};
pub use diagnostic::{Diagnostic, Severity};
pub use drawn_face::DrawnFace;
pub use edit::{in_order, key_order};
pub use fur::Fur;
pub use geometry::{Geometry, Influences, MorphTarget, Topology};
pub use group::Group;
pub use hinge::Hinge;
pub use id::{ChannelId, ClipId, ImageId, JointId, MaterialId, MeshId, SkinId, TextureId};
pub use ik::{Aim, TwoBoneIk};
pub use layer::{Layer, LayerId, Mode, Stack};
pub use leaf_look::LeafLook;
pub use mask::Mask;
pub use material::{
    AlphaMode, Image, Material, MaterialFactor, Sampler, Shading, Texture, TextureRef, Wrap,
};
pub use mesh::{Bind, BindMode, Binding, Mesh, Skin, palette_texture_side};
pub use mind::{
    Attention, BlinkParams, Blinker, Counts, EarParams, GazeParams, GlanceParams, Interest,
    LookParams, Mind, MindParams, Mood, Point, Senses, Targets, check_triggers,
};
pub use mixer::{Action, ActionId, ClipRef, Event, Finish, Member, Mixer};
pub use moment::{Moment, Motion};
pub use named::{NamedClip, NamedTarget, ValueKind};
pub use packed::{PackOptions, PackedClip};
pub use palette::PaletteLayout;
pub use path::{PathError, TrackPath, sanitize_node_name};
pub use playback::{Loop, Playback};
pub use pose::Pose;
pub use posed_bounds::PosedBounds;
pub use recording::{Baked, Recording};
pub use region::{Region, RegionJoint, Regions, Side};
pub use retarget::{Retarget, RetargetHips, RetargetLink, RetargetTimes};
pub use rig::Rig;
pub use rng::Rng;
pub use root_motion::{RootMotion, Travel};
pub use skeleton::{Skeleton, SkeletonError};
pub use spring::{Spring, Value};
pub use sway::Sway;
pub use tick::Ticker;
pub use toon::{Outline, Toon};
pub use transform::{Affine, Transform};
pub use vertex::VertexStage;
pub use water::{Water, Wave};

pub use glam;
