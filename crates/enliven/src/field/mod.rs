//! From position to skin weights: how a static mesh comes to follow joints.
//!
//! A [`Falloff`] says how far a part reaches. An [`Anatomy`] names the parts of a body with their
//! falloffs. [`bind`] evaluates them once and gives back an ordinary skinned character.

mod anatomy;
mod bind;
mod breath;
mod falloff;
mod prop;
mod surface;

pub use anatomy::{Anatomy, Arm, Belly, Ear, Eye, Head, Leg, Prop, Pupil};
pub use bind::{Bound, bind, chain_length};
pub use falloff::Falloff;
pub use surface::{Component, Surface};
