//! Finds eyes, head, limbs and belly of a static model: from loose pieces, symmetry, names of
//! parts and materials, and colour.
//!
//! What cannot be found is said in a diagnostic, and the body lives by what was found. The result
//! is an [`Anatomy`] that a person can read and correct.

mod body;
mod eyes;
mod names;

use crate::field::{Anatomy, Falloff, Surface};
use crate::{Character, Diagnostic, Severity};
use glam::Vec3;
use names::Names;

/// What was found, and what was not.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The parts.
    pub anatomy: Anatomy,
    /// One for each part that was not found, or found by a guess.
    pub diagnostics: Vec<Diagnostic>,
}

/// Measures a model. Never fails: of an empty one nothing is found.
pub fn measure(character: &Character) -> Measured {
    let surface = Surface::new(character);
    let (low, high) = surface.bounds();
    let mut scan = Scan {
        names: Names::new(character, &surface),
        low,
        high,
        height: (high.y - low.y).max(1e-6),
        main: main_piece(&surface),
        surface,
        anatomy: Anatomy::unknown(low.y, (high.y - low.y).max(1e-6)),
        diagnostics: Vec::new(),
        taken: Vec::new(),
    };
    if scan.surface.points.is_empty() || !low.is_finite() || !high.is_finite() {
        scan.missing(
            "SURFACE_EMPTY",
            "",
            "no shown triangle that no skin moves: nothing to measure",
        );
        return Measured { anatomy: scan.anatomy, diagnostics: scan.diagnostics };
    }
    scan.taken = vec![false; scan.surface.pieces.len()];
    scan.eyes();
    scan.limbs(character);
    scan.ears(character);
    scan.head(character);
    scan.belly();
    Measured { anatomy: scan.anatomy, diagnostics: scan.diagnostics }
}

/// The piece with the largest box: the body.
fn main_piece(surface: &Surface) -> usize {
    let volume = |i: &usize| {
        let s = surface.pieces[*i].size();
        // A flat piece is no body, but may be all there is.
        s.x * s.y * s.z + s.length_squared() * 1e-6
    };
    (0..surface.pieces.len()).max_by(|a, b| volume(a).total_cmp(&volume(b))).unwrap_or(0)
}

struct Scan {
    surface: Surface,
    names: Names,
    low: Vec3,
    high: Vec3,
    height: f32,
    main: usize,
    anatomy: Anatomy,
    diagnostics: Vec<Diagnostic>,
    /// Pieces that are a part already.
    taken: Vec<bool>,
}

impl Scan {
    fn missing(&mut self, code: &'static str, place: &str, message: &str) {
        self.diagnostics.push(Diagnostic::new(Severity::Warning, code, place, message));
    }

    fn guessed(&mut self, code: &'static str, place: &str, message: String) {
        self.diagnostics.push(Diagnostic::new(Severity::Info, code, place, message));
    }

    /// Middle of the body's box.
    fn center(&self) -> Vec3 {
        self.surface.pieces[self.main].middle()
    }

    /// The vertices of a piece.
    fn vertices(&self, piece: usize) -> impl Iterator<Item = usize> + '_ {
        let p = &self.surface.piece;
        (0..p.len()).filter(move |v| p[*v] as usize == piece)
    }

    /// A falloff that is 1 on one piece, by the name of its material, node or mesh and its place.
    fn piece(&self, i: usize) -> Falloff {
        let c = &self.surface.pieces[i];
        let at = Falloff::Piece(c.middle());
        let [mesh, node, material] = self.surface.names(c.mesh);
        // The name that the fewest meshes share says most.
        let name = [material, node, mesh].into_iter().filter(|n| !n.is_empty()).min_by_key(|n| {
            (0..self.surface.starts.len()).filter(|m| self.surface.is_part(*m, n)).count()
        });
        match name {
            Some(name) => Falloff::All(vec![Falloff::Part(name.clone()), at]),
            None => at,
        }
    }

    /// One piece or several.
    fn pieces(&self, list: &[usize]) -> Falloff {
        match list {
            [one] => self.piece(*one),
            _ => Falloff::Any(list.iter().map(|i| self.piece(*i)).collect()),
        }
    }
}
