//! How a held leaf moves (A15).

use super::Figure;
use crate::leaf::LeafState;

/// Largest and smallest of what a leaf showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafJudge {
    bend: [f32; 2],
    twist: f32,
    nod: f32,
    forward: f32,
}

impl Default for LeafJudge {
    fn default() -> Self {
        Self { bend: [f32::MAX, f32::MIN], twist: 0.0, nod: 0.0, forward: f32::MIN }
    }
}

impl LeafJudge {
    /// One frame.
    pub fn see(&mut self, s: &LeafState) {
        let bend = s.bend.length();
        self.bend = [self.bend[0].min(bend), self.bend[1].max(bend)];
        self.twist = self.twist.max(s.twist.abs());
        self.nod = self.nod.max(s.nod.abs());
        self.forward = self.forward.max(s.bend.z);
    }

    fn seen(&self, value: f32) -> f32 {
        if self.bend[1] >= self.bend[0] { value } else { f32::NAN }
    }

    /// The frames were calm: nobody rowed, turned or braked.
    pub fn calm(&self) -> [Figure; 4] {
        let figure = |name, value: f32, range, unit| Figure {
            name,
            value: self.seen(value),
            range,
            unit,
            source: "A15",
        };
        [
            figure("calm.bend.least", self.bend[0] * 100.0, [0.6, 2.5], "cm"),
            figure("calm.bend.most", self.bend[1] * 100.0, [0.6, 2.5], "cm"),
            figure("calm.twist", self.twist.to_degrees(), [0.0, 3.0], "°"),
            figure("calm.nod", self.nod * 100.0, [0.0, 2.0], "cm"),
        ]
    }

    /// Somebody rowed: it bends farther than in calm air, and no farther than 10 cm.
    pub fn rowing(&self) -> Figure {
        let value = self.seen(self.bend[1] * 100.0);
        Figure { name: "rowing.bend.most", value, range: [2.5, 10.0], unit: "cm", source: "A15" }
    }

    /// The holder stopped hard: how far the tip swung forward of where it was. About 7 cm.
    pub fn stop(&self, before: f32) -> Figure {
        let value = self.seen((self.forward - before) * 100.0);
        Figure { name: "stop.forward", value, range: [5.5, 8.5], unit: "cm", source: "A15" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn figures_are_those_of_what_was_seen() {
        assert!(LeafJudge::default().calm().iter().all(|f| !f.holds()), "nothing was seen");
        let mut j = LeafJudge::default();
        for (z, twist) in [(0.01, 0.02), (-0.02, -0.04), (0.008, 0.0)] {
            j.see(&LeafState { bend: Vec3::Z * z, twist, nod: 0.01, ..LeafState::default() });
        }
        let [least, most, turn, nod] = j.calm();
        assert!((least.value - 0.8).abs() < 1e-4 && (most.value - 2.0).abs() < 1e-4);
        assert!((turn.value - 2.29).abs() < 0.01 && nod.holds());
        assert!((j.stop(-0.05).value - 6.0).abs() < 1e-4 && j.stop(-0.05).holds());
        assert!(!j.rowing().holds(), "2 cm is calm");
    }
}
