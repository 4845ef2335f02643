//! What a person sees of a performance, as figures with ranges: the measures of `enliven check`.
//!
//! A judge is fed each frame with what the body shows, never with what a behaviour intended, and
//! gives [`Figure`]s at the end.

mod blinks;
mod lead;
mod leaf;

pub use blinks::BlinkJudge;
pub use lead::LeadJudge;
pub use leaf::LeafJudge;

/// One measured number with the range that it has to be in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Stable name, such as `calm.bend.most`.
    pub name: &'static str,
    /// What was measured; NaN where nothing was seen, which is out of every range.
    pub value: f32,
    /// Lowest and highest value that is right.
    pub range: [f32; 2],
    /// Unit of both.
    pub unit: &'static str,
    /// The requirement that the range comes from.
    pub source: &'static str,
}

impl Figure {
    /// Whether the value is in its range.
    pub fn holds(&self) -> bool {
        self.value >= self.range[0] && self.value <= self.range[1]
    }
}
