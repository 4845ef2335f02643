//! Transitions that carry on from where the body is and how it moves.

use crate::{JointId, Layer, Moment, Pose, Rig, Spring, Transform, math};
use glam::{Quat, Vec3};

/// ωt at which 5 % of an offset is left: (1 + x)·e^(−x) = 0.05.
const SETTLED: f32 = 4.744;

/// An offset below this (metres, radians, factors, channel units) is let go.
const NOTHING: f32 = 1e-6;

/// Takes the jump out of whatever changes abruptly below it, without playing two motions at once
/// (D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War", GDC 2018).
///
/// Put it above the layers that may switch, and call [`Inertialize::transition`] when they do. In
/// that step the pose goes on as it moved before; what the new motion differs by becomes an
/// offset, which a critically damped spring takes to nothing in `seconds`. A transition in the
/// middle of a transition starts from where the body then is: nothing ever snaps.
///
/// The root is left alone: it is the host's.
#[derive(Clone, Debug)]
pub struct Inertialize {
    omega: f32,
    requested: bool,
    /// How many steps of output are remembered, up to 2.
    known: u8,
    /// Whether the offsets still lack the velocity of the new motion.
    fresh: bool,
    active: bool,
    /// Seconds between the last two outputs.
    last_dt: f32,
    joints: Vec<Track>,
    channels: Vec<ChannelTrack>,
}

/// What is remembered of one joint.
#[derive(Clone, Copy, Debug)]
struct Track {
    out: [Transform; 2],
    input: Transform,
    translation: Spring<Vec3>,
    /// Rotation vector of the offset: output = e^x · input.
    rotation: Spring<Vec3>,
    scale: Spring<Vec3>,
}

#[derive(Clone, Copy, Debug)]
struct ChannelTrack {
    out: [f32; 2],
    input: f32,
    offset: Spring<f32>,
}

impl Inertialize {
    /// Transitions that have faded to 5 % after `seconds` (at least 1 ms).
    pub fn new(seconds: f32) -> Self {
        Self {
            omega: SETTLED / if seconds > 1e-3 { seconds } else { 1e-3 },
            requested: false,
            known: 0,
            fresh: false,
            active: false,
            last_dt: 0.0,
            joints: Vec::new(),
            channels: Vec::new(),
        }
    }

    /// The next step is the first of a new motion.
    pub fn transition(&mut self) {
        self.requested = true;
    }

    /// Whether anything of a transition is left.
    pub fn is_active(&self) -> bool {
        self.active
    }

    fn fit(&mut self, rig: &Rig, pose: &Pose) {
        if self.joints.len() == rig.skeleton.len() && self.channels.len() == rig.channels.len() {
            return;
        }
        self.known = 0;
        self.active = false;
        let still = Spring::at(Vec3::ZERO);
        self.joints = rig
            .skeleton
            .joints()
            .map(|j| {
                let t = pose.transform(j);
                Track { out: [t; 2], input: t, translation: still, rotation: still, scale: still }
            })
            .collect();
        self.channels = pose
            .channels()
            .iter()
            .map(|v| ChannelTrack { out: [*v; 2], input: *v, offset: Spring::at(0.0) })
            .collect();
    }
}

impl Layer for Inertialize {
    fn apply(&mut self, moment: &Moment, rig: &Rig, pose: &mut Pose) {
        self.fit(rig, pose);
        let dt = moment.dt;
        let start = core::mem::take(&mut self.requested) && self.known > 0;
        // Velocity before the transition, from the last two outputs.
        let back = if self.known > 1 && self.last_dt > 0.0 { 1.0 / self.last_dt } else { 0.0 };
        let step = Step { dt, omega: self.omega, back, start, fresh: self.fresh };
        let run = start || self.active;
        let mut most = 0.0f32;
        for (i, track) in self.joints.iter_mut().enumerate() {
            let joint = JointId::new(i);
            let input = pose.transform(joint);
            let out = if run { track.step(&input, &step, &mut most) } else { input };
            if run {
                pose.set_transform(joint, &out);
            }
            track.input = input;
            if dt > 0.0 {
                track.out = [out, track.out[0]];
            } else {
                track.out[0] = out;
            }
        }
        for (track, value) in self.channels.iter_mut().zip(pose.channels_mut()) {
            let input = *value;
            if run {
                *value = track.step(input, &step, &mut most);
            }
            track.input = input;
            track.out = [*value, if dt > 0.0 { track.out[0] } else { track.out[1] }];
        }
        if start {
            self.fresh = true;
        } else if dt > 0.0 {
            self.fresh = false;
        }
        self.active = run && (start || self.fresh || most > NOTHING);
        if dt > 0.0 {
            self.last_dt = dt;
            self.known = (self.known + 1).min(2);
        } else {
            self.known = self.known.max(1);
        }
    }

    fn reset(&mut self) {
        self.known = 0;
        self.active = false;
        self.requested = false;
        self.fresh = false;
    }
}

struct Step {
    dt: f32,
    omega: f32,
    /// 1 / seconds between the last two outputs, 0 where unknown.
    back: f32,
    start: bool,
    fresh: bool,
}

impl Track {
    fn step(&mut self, input: &Transform, s: &Step, most: &mut f32) -> Transform {
        let [last, before] = self.out;
        let moved = (last.translation - before.translation) * s.back;
        let turned = log(last.rotation * before.rotation.conjugate()) * s.back;
        let grown = (last.scale - before.scale) * s.back;
        if s.start {
            // Go on as before; the offset takes up the difference. Its velocity is that of the
            // body now, until the next step shows how the new motion moves.
            let on = exp(turned * s.dt) * last.rotation;
            let offset = log(on * input.rotation.conjugate());
            self.translation =
                Spring { x: last.translation + moved * s.dt - input.translation, v: moved };
            self.rotation = Spring { x: offset, v: turned };
            self.scale = Spring { x: last.scale + grown * s.dt - input.scale, v: grown };
        } else {
            if s.fresh && s.dt > 0.0 {
                let rate = 1.0 / s.dt;
                self.translation.v -= (input.translation - self.input.translation) * rate;
                self.scale.v -= (input.scale - self.input.scale) * rate;
                // ω_out = ω_offset + R(offset)·ω_in; then from angular velocity to the rate of
                // the rotation vector.
                let w = log(input.rotation * self.input.rotation.conjugate()) * rate;
                let offset = self.rotation.x;
                let own = self.rotation.v - exp(offset) * w;
                self.rotation.v = rotation_vector_rate(offset, own);
            }
            self.translation.step(Vec3::ZERO, s.omega, s.dt);
            self.rotation.step(Vec3::ZERO, s.omega, s.dt);
            self.scale.step(Vec3::ZERO, s.omega, s.dt);
        }
        for spring in [&self.translation, &self.rotation, &self.scale] {
            *most = most.max(spring.x.abs().max_element());
        }
        Transform {
            translation: input.translation + self.translation.x,
            rotation: math::normalize_or_identity(exp(self.rotation.x) * input.rotation),
            scale: input.scale + self.scale.x,
        }
    }
}

impl ChannelTrack {
    fn step(&mut self, input: f32, s: &Step, most: &mut f32) -> f32 {
        let velocity = (self.out[0] - self.out[1]) * s.back;
        if s.start {
            self.offset = Spring { x: self.out[0] + velocity * s.dt - input, v: velocity };
        } else {
            if s.fresh && s.dt > 0.0 {
                self.offset.v -= (input - self.input) / s.dt;
            }
            self.offset.step(0.0, s.omega, s.dt);
        }
        *most = most.max(self.offset.x.abs());
        input + self.offset.x
    }
}

/// Rotation vector (axis × angle, at most π) of a unit quaternion.
fn log(q: Quat) -> Vec3 {
    let (v, w) = if q.w < 0.0 { (-q.xyz(), -q.w) } else { (q.xyz(), q.w) };
    let l = v.length();
    // For small angles 2·atan2(l, w)/l tends to 2/w.
    if l < 1e-6 { v * (2.0 / w) } else { v * (2.0 * math::atan2(l, w) / l) }
}

/// Unit quaternion of a rotation vector.
fn exp(v: Vec3) -> Quat {
    let angle = v.length();
    if angle < 1e-9 { Quat::IDENTITY } else { math::rotation(v / angle, angle) }
}

/// Rate of the rotation vector `r` that turns at angular velocity `w`: the inverse of the left
/// Jacobian of SO(3) (T. Barfoot, "State Estimation for Robotics", 2017, eq. 7.77).
fn rotation_vector_rate(r: Vec3, w: Vec3) -> Vec3 {
    let angle = r.length();
    let k = if angle < 1e-2 {
        // 1/θ² − cot(θ/2)/(2θ) → 1/12.
        1.0 / 12.0
    } else {
        1.0 / (angle * angle) - 1.0 / (2.0 * angle * math::tan(angle * 0.5))
    };
    w - r.cross(w) * 0.5 + r.cross(r.cross(w)) * k
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_undoes_exp() {
        for v in [Vec3::ZERO, Vec3::new(1e-8, 0.0, 0.0), Vec3::new(0.3, -1.0, 2.0), Vec3::Y * 3.1] {
            assert!(log(exp(v)).abs_diff_eq(v, 2e-3), "{v} {}", log(exp(v)));
        }
        assert!(log(-exp(Vec3::X)).abs_diff_eq(Vec3::X, 1e-5), "both signs are one rotation");
    }

    #[test]
    fn the_rate_of_a_rotation_vector_is_its_derivative() {
        let (r, w) = (Vec3::new(0.4, -0.9, 1.1), Vec3::new(0.3, 2.0, -0.7));
        let h = 1e-3;
        let ahead = log(exp(w * h) * exp(r));
        let behind = log(exp(w * -h) * exp(r));
        let want = (ahead - behind) / (2.0 * h);
        assert!(rotation_vector_rate(r, w).abs_diff_eq(want, 2e-2), "{want}");
    }
}
