//! Arms of standing, listening and thinking, and the six gestures of speaking. All angles in rad,
//! tuned by eye on people of VRM files; see [`ArmPose`] for what they mean.

use super::body::ArmPose;

/// What speaking hands do for one phrase.
pub(super) struct Gesture {
    pub(super) name: &'static str,
    pub(super) left: ArmPose,
    pub(super) right: ArmPose,
    /// Yaw, pitch, roll.
    pub(super) head: [f32; 3],
    /// Turn of the trunk to the left.
    pub(super) twist: f32,
}

const fn arm(v: [f32; 7]) -> ArmPose {
    let [forward, out, twist, elbow, palm, wrist, curl] = v;
    ArmPose { forward, out, twist, elbow, palm, wrist, curl }
}

const LEFT: ArmPose = arm([0.03, 0.0, 0.22, 0.24, -0.05, 0.06, 0.3]);
const RIGHT: ArmPose = arm([0.05, 0.01, 0.26, 0.3, -0.05, 0.05, 0.34]);

/// Both arms at the sides, no two alike.
pub(super) const fn hanging() -> [ArmPose; 2] {
    [LEFT, RIGHT]
}

/// What arms do while nothing happens, and how far the head looks down at it: they hang, hands
/// meet before the body, a hand is looked at.
pub(super) const IDLE: [([ArmPose; 2], f32); 3] = [
    ([LEFT, RIGHT], 0.0),
    (
        [
            arm([0.2, -0.06, 0.72, 0.82, 0.0, 0.1, 0.42]),
            arm([0.22, -0.06, 0.74, 0.88, 0.0, 0.08, 0.46]),
        ],
        0.0,
    ),
    ([arm([0.26, 0.02, 0.5, 1.45, 0.75, 0.1, 0.3]), RIGHT], 0.16),
];

/// Hands together before the body.
pub(super) const fn listening() -> [ArmPose; 2] {
    [arm([0.2, -0.06, 0.66, 0.74, 0.0, 0.1, 0.4]), arm([0.22, -0.05, 0.7, 0.8, 0.0, 0.08, 0.44])]
}

/// The right hand toward the chin, the left forearm across the body under it.
pub(super) const fn thinking() -> [ArmPose; 2] {
    [
        arm([0.22, -0.02, 0.95, 1.35, -0.2, 0.1, 0.32]),
        arm([0.5, -0.04, 0.66, 2.02, 0.1, 0.25, 0.75]),
    ]
}

/// The cycle of a speaking body.
pub(super) const GESTURES: [Gesture; 6] = [
    Gesture {
        name: "open",
        left: arm([0.36, 0.3, 0.05, 1.2, 1.05, -0.12, 0.1]),
        right: arm([0.4, 0.28, 0.08, 1.26, 1.0, -0.14, 0.12]),
        head: [0.0, -0.04, 0.06],
        twist: 0.0,
    },
    Gesture {
        name: "point it out",
        left: LEFT,
        right: arm([0.55, 0.12, 0.25, 1.6, 0.35, -0.05, 0.5]),
        head: [-0.1, 0.06, -0.08],
        twist: -0.1,
    },
    Gesture {
        name: "offer",
        left: arm([0.62, 0.42, -0.15, 0.9, 1.3, -0.14, 0.06]),
        right: arm([0.1, 0.03, 0.3, 0.5, 0.0, 0.05, 0.32]),
        head: [0.16, 0.0, 0.09],
        twist: 0.13,
    },
    Gesture {
        name: "hold it",
        left: arm([0.42, 0.06, 0.5, 1.5, 0.25, 0.05, 0.34]),
        right: arm([0.4, 0.07, 0.52, 1.54, 0.2, 0.05, 0.36]),
        head: [0.0, 0.08, 0.0],
        twist: 0.0,
    },
    Gesture {
        name: "sweep",
        left: arm([0.1, 0.02, 0.3, 0.62, 0.05, 0.05, 0.3]),
        right: arm([0.5, 0.66, -0.3, 0.75, 0.9, -0.18, 0.05]),
        head: [-0.18, -0.04, -0.07],
        twist: -0.16,
    },
    Gesture {
        name: "me",
        left: LEFT,
        right: arm([0.4, 0.12, 0.98, 1.9, -0.1, 0.1, 0.18]),
        head: [0.06, 0.05, 0.1],
        twist: 0.05,
    },
];
