//! A character that lives.

use crate::{Affine, Character, Moment, Pose, Stack, Transform};
use std::sync::Arc;

/// One living copy of a [`Character`]: its stack, its pose, and the palette made of it. Copies
/// share the character and nothing else.
#[derive(Debug)]
pub struct Actor {
    character: Arc<Character>,
    /// The layers that move it.
    pub stack: Stack,
    pose: Pose,
    model: Vec<Affine>,
    palette: Vec<Affine>,
}

impl Actor {
    /// A copy in its rest pose, without layers.
    pub fn new(character: Arc<Character>) -> Self {
        let pose = Pose::rest(&character.rig);
        let model = vec![Affine::IDENTITY; character.rig.skeleton.len()];
        let palette = vec![Affine::IDENTITY; character.palette_layout().len()];
        let mut out = Self { character, stack: Stack::new(), pose, model, palette };
        out.refresh();
        out
    }

    /// Moves on by one moment: stack → pose → model matrices → palette. Allocates in the first
    /// call at most.
    pub fn step(&mut self, moment: &Moment) {
        self.stack.apply(moment, &self.character.rig, &mut self.pose);
        self.refresh();
    }

    /// Puts the whole body somewhere in the host's world; seen after the next step.
    pub fn place(&mut self, root: Transform) {
        self.pose.root = root;
    }

    /// What it is a copy of.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// Its pose now.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Edits the pose by hand, then brings the matrices up to date. The next step starts again
    /// from the stack; `root` is kept.
    pub fn edit(&mut self, change: impl FnOnce(&mut Pose)) {
        change(&mut self.pose);
        self.refresh();
    }

    /// Model-space matrix of each joint now (before the root).
    pub fn model(&self) -> &[Affine] {
        &self.model
    }

    /// The palette now: what the vertex function reads.
    pub fn palette(&self) -> &[Affine] {
        &self.palette
    }

    fn refresh(&mut self) {
        self.pose.to_model(&self.character.rig.skeleton, &mut self.model);
        self.character.palette_layout().write(&self.model, &mut self.palette);
    }
}
