//! Breath.

use crate::{ChannelId, Character, Pose, Region, Rig, Side, Targets, math};
use glam::Vec3;

/// Pitch of the chest at the height of a breath, rad. By eye, beside a belly of 8 mm a metre.
const CHEST: f32 = 0.018;
/// Rise of the shoulders, of the height.
const SHOULDERS: f32 = 0.004;
/// How far a body without belly and chest swells, of its size.
const SWELL: f32 = 0.008;

/// How a body shows its breath.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// A morph target made for it.
    Belly(ChannelId),
    /// The chest of a skeleton.
    Chest,
    /// A body of one piece swells.
    Swell,
}

/// Moves belly, chest or the whole body with the breath (A6), whatever there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breathe {
    way: Way,
}

impl Breathe {
    /// Finds how a character can breathe.
    pub fn new(character: &Character) -> Self {
        let rig = &character.rig;
        let chest = [Region::Chest, Region::Spine].into_iter().any(|r| rig.regions.has(r));
        let way = match rig.channels.find("breath") {
            Some(channel) => Way::Belly(channel),
            None if chest => Way::Chest,
            None => Way::Swell,
        };
        Self { way }
    }

    /// Adds the breath to what the pose has.
    pub fn apply(&self, targets: &Targets, rig: &Rig, pose: &mut Pose) {
        let b = targets.breath;
        match self.way {
            Way::Belly(channel) => pose.set_channel(channel, b),
            Way::Chest => {
                let turn = math::yaw_pitch_roll(0.0, -CHEST * b, 0.0);
                rig.regions.rotate(pose, Region::Chest, turn);
                // The head stays level. A neck that is not there would be the chest again.
                let above = [Region::Neck, Region::Head].into_iter().find(|r| rig.regions.has(*r));
                if let Some(above) = above {
                    rig.regions.rotate(pose, above, turn.conjugate());
                }
                for side in Side::BOTH {
                    if rig.regions.has(Region::Shoulder(side)) {
                        let up = Vec3::Y * (SHOULDERS * rig.height * b);
                        rig.regions.translate(pose, Region::Shoulder(side), up);
                    }
                }
            }
            Way::Swell => {
                let wide = 1.0 + SWELL * b;
                // What it gains in width it loses a little of in height.
                let by = Vec3::new(wide, 1.0 - 0.4 * SWELL * b, wide);
                rig.regions.scale(pose, Region::Body, by);
            }
        }
    }
}
