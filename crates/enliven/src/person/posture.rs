//! What a mood makes of a body that stands.

/// Additions to a standing body, rad unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Posture {
    /// Trunk forward.
    pub(super) lean: f32,
    /// Head down.
    pub(super) bow: f32,
    /// Head to its right.
    pub(super) tilt: f32,
    /// Shoulders up.
    pub(super) shrug: f32,
    /// Shoulders forward.
    pub(super) round: f32,
    /// Hanging arms off the body.
    pub(super) out: f32,
    /// Bend of hanging elbows.
    pub(super) elbow: f32,
    /// Fingers; fists at 1.
    pub(super) curl: f32,
    /// Ears back.
    pub(super) ears: f32,
    /// Up and down in the knees, heights.
    pub(super) bob: f32,
    /// Factor on the sway.
    pub(super) sway: f32,
    /// Factor on the size of gestures.
    pub(super) energy: f32,
    /// Factor on the rate of breath.
    pub(super) pace: f32,
}

const CALM: Posture = Posture {
    lean: 0.0,
    bow: 0.0,
    tilt: 0.0,
    shrug: 0.0,
    round: 0.0,
    out: 0.0,
    elbow: 0.0,
    curl: 0.0,
    ears: 0.0,
    bob: 0.0,
    sway: 1.0,
    energy: 1.0,
    pace: 1.0,
};

/// By eye, in the order of [`Face::MOODS`](super::Face::MOODS): happy, angry, sad, relaxed,
/// surprised, neutral.
const POSTURES: [Posture; 6] = [
    Posture {
        lean: -0.035,
        bow: -0.07,
        tilt: 0.06,
        round: -0.06,
        out: 0.1,
        elbow: 0.16,
        ears: -0.12,
        bob: 0.0035,
        sway: 2.0,
        energy: 1.12,
        pace: 1.15,
        ..CALM
    },
    Posture {
        lean: 0.08,
        bow: 0.1,
        shrug: 0.07,
        out: 0.14,
        elbow: 0.4,
        curl: 0.95,
        ears: 0.5,
        sway: 0.5,
        energy: 1.12,
        pace: 1.5,
        ..CALM
    },
    Posture {
        lean: 0.11,
        bow: 0.26,
        tilt: 0.05,
        shrug: -0.05,
        round: 0.14,
        out: -0.03,
        elbow: 0.06,
        ears: 0.45,
        sway: 0.6,
        energy: 0.6,
        pace: 0.8,
        ..CALM
    },
    Posture {
        lean: -0.02,
        tilt: 0.08,
        shrug: -0.03,
        elbow: 0.08,
        ears: 0.12,
        sway: 1.4,
        energy: 0.85,
        pace: 0.85,
        ..CALM
    },
    Posture {
        lean: -0.08,
        bow: -0.1,
        shrug: 0.12,
        round: -0.05,
        out: 0.26,
        elbow: 0.65,
        curl: -0.25,
        ears: -0.2,
        sway: 0.6,
        energy: 1.12,
        pace: 1.6,
        ..CALM
    },
    CALM,
];

impl Posture {
    /// The mixture of moods by their weights in [0, 1]; what is missing to a sum of 1 is calm.
    pub(super) fn of(moods: &[f32; 6]) -> Self {
        let sum: f32 = moods.iter().sum();
        let fit = if sum > 1.0 { 1.0 / sum } else { 1.0 };
        let mut out = CALM;
        for (p, w) in POSTURES.iter().zip(moods) {
            let w = w * fit;
            out.lean += w * p.lean;
            out.bow += w * p.bow;
            out.tilt += w * p.tilt;
            out.shrug += w * p.shrug;
            out.round += w * p.round;
            out.out += w * p.out;
            out.elbow += w * p.elbow;
            out.curl += w * p.curl;
            out.ears += w * p.ears;
            out.bob += w * p.bob;
            out.sway += w * (p.sway - 1.0);
            out.energy += w * (p.energy - 1.0);
            out.pace += w * (p.pace - 1.0);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mood_is_calm_and_mixtures_lie_between() {
        assert_eq!(Posture::of(&[0.0; 6]), CALM);
        assert_eq!(Posture::of(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]), CALM);
        let sad = Posture::of(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let mixed = Posture::of(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        assert!(sad.bow > 0.2 && (mixed.bow - 0.5 * sad.bow).abs() < 1e-6);
    }
}
