//! What the names of meshes, nodes and materials say.

use crate::field::Surface;
use crate::{Character, JointId};

/// Words of each mesh's names.
pub(super) struct Names {
    words: Vec<Vec<String>>,
    /// Node of each mesh.
    pub(super) nodes: Vec<JointId>,
}

impl Names {
    pub(super) fn new(character: &Character, surface: &Surface) -> Self {
        let words = (0..character.meshes.len())
            .map(|m| surface.names(m).iter().flat_map(|n| split(n)).collect())
            .collect();
        Self { words, nodes: character.meshes.iter().map(|m| m.joint).collect() }
    }

    /// Whether a name of the mesh holds one of these words, whole or as its start.
    pub(super) fn any(&self, mesh: usize, of: &[&str]) -> bool {
        self.words.get(mesh).is_some_and(|w| w.iter().any(|w| of.iter().any(|o| says(w, o))))
    }
}

/// `eyes`, `eye2` say `eye`; `eyebrow` does not.
fn says(word: &str, what: &str) -> bool {
    let Some(rest) = word.strip_prefix(what) else { return false };
    matches!(rest, "" | "s" | "ball" | "balls" | "white" | "whites")
        || rest.chars().all(|c| c.is_ascii_digit())
}

/// Words of a name in lower case: `ArmLeft_02.L` → arm, left, 02, l.
pub(super) fn split(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in name.chars() {
        let starts = c.is_uppercase() && before.is_lowercase();
        if (!c.is_alphanumeric() || starts) && !word.is_empty() {
            out.push(core::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(split("ArmLeft_02.L"), ["arm", "left", "02", "l"]);
        assert_eq!(split("mob_eye"), ["mob", "eye"]);
        assert!(says("eyes", "eye") && says("eyeballs", "eye") && says("eye2", "eye"));
        assert!(!says("eyebrow", "eye") && !says("eyelid", "eye") && !says("year", "ear"));
    }
}
