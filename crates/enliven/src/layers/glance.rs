//! A look over the shoulder, and a smile with it.

use super::locomotion::turn_ear;
use crate::math::{self, PI};
use crate::{Layer, Moment, Pose, Region, Rig, Side};
use glam::Vec3;

/// Seconds from one glance to the next, and its window in them (source, B5).
const EVERY: f64 = 5.2;
const WINDOW: [f32; 2] = [0.8, 2.6];
/// Yaw of the head at its middle, rad: to its right, where nobody looks from a certain place.
const YAW: f32 = -1.6;
/// The chest's part of it.
const CHEST: f32 = 0.14;
/// Highest and lowest look, rad.
const PITCH: f32 = 0.28;
/// Eyes run ahead of the head by this many seconds, at most this far, rad.
const EYES_AHEAD: f32 = 0.13;
const EYES_MOST: f32 = 0.3;
/// The tilt comes later than the turn, s, and goes to the side that the head turns to, rad.
const TILT_LATE: f32 = 0.16;
const TILT: f32 = 0.17;
/// Ears perk up and turn toward what is looked at, rad; the far one later, s.
const PERK: f32 = 0.42;
const EAR_TURN: f32 = 0.35;
const EAR_LATE: f32 = 0.1;
/// The smile: eyes narrow to this, the mouth widens to this and goes up by so many heights.
const SQUINT: f32 = 0.84;
const SMILE: f32 = 1.2;
const CHEEK: f32 = 0.006;

/// Every 5.2 s the head looks round toward the viewer, eyes first, smiles, and goes back.
///
/// Half a sine, which eases at both ends. Where [`Moment::viewer`] is known the look ends at the
/// viewer, as far as the neck goes; else it goes 1.6 rad to the right.
#[derive(Clone, Debug, Default)]
pub struct Glance {
    /// Seconds into the cycle.
    clock: f64,
    aim: Option<[f32; 2]>,
}

impl Glance {
    /// The first one after [`Glance::FIRST`] s.
    pub fn new() -> Self {
        Self::default()
    }

    /// Seconds before the first glance begins.
    pub const FIRST: f32 = WINDOW[0];

    /// Glances now, whatever the clock says.
    pub fn now(&mut self) {
        self.clock = f64::from(WINDOW[0]);
        self.aim = None;
    }

    /// How far into a glance it is `lag` seconds ago, in [0, 1].
    fn amount(&self, lag: f32) -> f32 {
        let t = self.clock as f32 - lag;
        if t > WINDOW[0] && t < WINDOW[1] {
            math::sin((t - WINDOW[0]) / (WINDOW[1] - WINDOW[0]) * PI)
        } else {
            0.0
        }
    }
}

/// Yaw and pitch from the head to the viewer, in the body's own axes.
fn aim(moment: &Moment, rig: &Rig, pose: &Pose) -> [f32; 2] {
    let Some(viewer) = moment.viewer.filter(|v| v.is_finite()) else { return [YAW, 0.0] };
    let to = pose.root.rotation.conjugate() * (viewer - pose.root.translation)
        - Vec3::new(0.0, rig.height * 0.6, 0.0);
    let flat = (to.x * to.x + to.z * to.z).sqrt();
    let most = YAW.abs();
    let pitch = math::atan2(-to.y, flat).clamp(-PITCH, PITCH);
    [math::atan2(to.x, to.z).clamp(-most, most), pitch]
}

impl Layer for Glance {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        self.clock += f64::from(moment.dt);
        if self.clock >= EVERY {
            self.clock -= EVERY * libm::floor(self.clock / EVERY);
            self.aim = None;
        }
        // Eyes begin before the head and the last ear comes back after it.
        let t = self.clock as f32;
        if t <= WINDOW[0] - EYES_AHEAD || t >= WINDOW[1] + TILT_LATE + EAR_LATE {
            return;
        }
        let [yaw, pitch] = *self.aim.get_or_insert_with(|| aim(moment, rig, pose));
        let r = &rig.regions;
        let (g, late) = (self.amount(0.0), self.amount(TILT_LATE));
        let side = if yaw < 0.0 { -1.0 } else { 1.0 };
        let chest = if r.has(Region::Chest) && r.has(Region::Head) { CHEST } else { 0.0 };
        if chest > 0.0 {
            r.rotate(pose, Region::Chest, math::rotation(Vec3::Y, yaw * chest * g));
        }
        // The tilt is about the face's own axis: after the turn.
        let turn = math::yaw_pitch_roll(yaw * (1.0 - chest) * g, 0.0, 0.0);
        let tilt = math::yaw_pitch_roll(0.0, pitch * g, TILT * -side * late);
        r.rotate(pose, Region::Head, turn * tilt);
        let lead = (self.amount(-EYES_AHEAD) - g) * yaw;
        for s in Side::BOTH {
            if r.has(Region::Pupil(s)) {
                let yaw = lead.clamp(-EYES_MOST, EYES_MOST);
                r.rotate(pose, Region::Pupil(s), math::rotation(Vec3::Y, yaw));
            }
            if r.has(Region::Eye(s)) {
                let narrow = 1.0 + (SQUINT - 1.0) * late;
                r.scale(pose, Region::Eye(s), Vec3::new(1.0, narrow, 1.0));
            }
            let near = s.sign() * side > 0.0;
            let e = self.amount(TILT_LATE + if near { 0.0 } else { EAR_LATE });
            let turn = EAR_TURN * side * e * if near { 1.0 } else { 0.5 };
            turn_ear(rig, pose, s, [turn, PERK * e, 0.0]);
        }
        if r.has(Region::Jaw) {
            let by = Vec3::new(math::lerp(1.0, SMILE, late), 1.0, 1.0);
            r.scale(pose, Region::Jaw, by);
            r.translate(pose, Region::Jaw, Vec3::new(0.0, CHEEK * rig.height * late, 0.0));
        }
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}
