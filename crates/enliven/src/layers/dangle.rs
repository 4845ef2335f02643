//! Legs that hang from a seat.

use crate::{Character, Layer, Moment, Pose, Region, Rig, Side, math};

/// How legs dangle (A7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DangleParams {
    /// Largest swing about the knee, ± rad. At 3° nobody noticed; 7° is seen.
    pub swing: f32,
    /// Seconds of a beat.
    pub beat: f32,
    /// How far the right leg is behind the left, of a beat.
    pub lag: f32,
    /// Smallest swing, of the largest: each leg's reach comes and goes.
    pub least: f32,
    /// Seconds of that coming and going, left and right; no multiples of the beat.
    pub reach: [f32; 2],
}

impl Default for DangleParams {
    fn default() -> Self {
        Self {
            swing: 7.0 * math::PI / 180.0,
            beat: 6.5,
            lag: 0.37,
            least: 0.45,
            reach: [17.3, 23.9],
        }
    }
}

/// Swings what is below the knees: [`Region::Shin`], or the legs of a body whose legs begin at the
/// knee. Without legs it does nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Dangle {
    /// How; may be changed at any time.
    pub params: DangleParams,
    legs: [Option<Region>; 2],
    /// Of a beat, and of each leg's reach, in [0, 1).
    phase: [f32; 3],
}

impl Dangle {
    /// The legs of a character.
    pub fn new(character: &Character, params: DangleParams) -> Self {
        let regions = &character.rig.regions;
        let legs = Side::BOTH
            .map(|s| [Region::Shin(s), Region::Leg(s)].into_iter().find(|r| regions.has(*r)));
        Self { params, legs, phase: [0.0, 0.3, 0.8] }
    }
}

impl Layer for Dangle {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        let p = &self.params;
        let periods = [p.beat, p.reach[0], p.reach[1]];
        for (phase, period) in self.phase.iter_mut().zip(periods) {
            *phase = math::fract(*phase + moment.dt / period.max(0.1));
        }
        for (i, region) in self.legs.iter().enumerate() {
            let Some(region) = *region else { continue };
            let beat = self.phase[0] - if i == 1 { p.lag } else { 0.0 };
            let tide = 0.5 + 0.5 * math::sin(math::TAU * self.phase[1 + i]);
            let reach = p.swing * math::lerp(p.least, 1.0, tide);
            let pitch = reach * math::sin(math::TAU * beat);
            rig.regions.rotate(pose, region, math::yaw_pitch_roll(0.0, pitch, 0.0));
        }
    }
}
