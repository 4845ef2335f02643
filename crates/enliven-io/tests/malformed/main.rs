//! Malformed files made by code, a family a test: two outcomes only, one coded error or a
//! character with coded diagnostics. Never a panic, a hang, or memory out of proportion.

#[path = "../common/mod.rs"]
mod common;

mod base;
mod container;
mod cuts;
mod data;
mod images;
mod json;
mod proportion;
mod scene;

use base::{Base, Cases, Fine};
use common::alone;
use enliven_io::{NoFiles, gltf};

#[test]
fn the_base_is_sound() {
    let _alone = alone();
    let mut cases = Cases::default();
    cases.check("base", Base::new().glb(), Fine);
    cases.done(1);
    let import = gltf::import(Base::new().glb(), &mut NoFiles, &gltf::Options::default());
    let import = import.expect("a sound file");
    assert!(import.diagnostics.is_empty(), "{:?}", import.diagnostics);
    let character = &import.character;
    assert_eq!((character.rig.skeleton.len(), character.clips.len()), (3, 1));
    assert_eq!((character.meshes.len(), character.skins.len()), (1, 1));
}
