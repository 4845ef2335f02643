//! Bodies made in code: no file, no licence, always there.

mod creature;
mod creature_leaf;
mod creature_surface;
pub mod drift;
mod rabbit;
mod rabbit_parts;
pub mod shapes;
mod spirit;

pub use creature::{creature, creature_anatomy, creature_statue};
pub use rabbit::rabbit;
pub use spirit::{SpiritLook, spirit};

use crate::{Character, CharacterParts, Meta};

/// What the file of a body would say of it.
fn meta(title: &str) -> Meta {
    Meta {
        title: title.into(),
        authors: vec!["the enliven developers".into()],
        license: "MIT OR Apache-2.0".into(),
        ..Meta::default()
    }
}

/// The character of parts that are made to fit.
fn made(parts: CharacterParts) -> Character {
    match Character::new(parts) {
        Ok(character) => character,
        Err(error) => unreachable!("the parts are made to fit: {error}"),
    }
}
