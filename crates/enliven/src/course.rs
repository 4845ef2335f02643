//! A winding closed path to run along: what a host does for a character, without a host.

use crate::{Motion, Transform, math};
use glam::Vec3;

/// The height for which the figures below are given, metres: the built-in rabbit's.
const HEIGHT: f64 = 0.45;
/// Top speed, m/s: 30 of the source's units, a unit being a tenth of a metre.
const TOP_SPEED: f64 = 3.0;
/// Speed over a lap: seconds and parts of the top speed, joined by smooth steps. It trots off,
/// runs, brakes to a stand, looks around, and goes on.
const SPEED: [(f64, f64); 13] = [
    (0.0, 0.5),
    (2.4, 0.55),
    (3.2, 0.95),
    (4.6, 1.0),
    (5.6, 0.0),
    (7.2, 0.0),
    (8.0, 0.6),
    (9.2, 1.0),
    (10.4, 0.6),
    (12.0, 0.95),
    (13.4, 0.5),
    (14.8, 0.8),
    (16.0, 0.5),
];
/// Begin and end of the jump within a lap, seconds.
const JUMP: (f64, f64) = (3.75, 4.2);
/// Standard gravity, m/s².
const GRAVITY: f64 = 9.806_65;
/// The heading swings so often in a lap, by so many radians to either side of a circle. A whole
/// number above 1 closes the path: it is then its own image turned by a part of a lap.
const SWINGS: f64 = 4.0;
const SWING: f64 = 0.92;
/// Where in a swing the lap begins, rad.
const BEGIN: f64 = -1.9;
/// Pieces of the path between which it is interpolated. At 26 m a lap they are 6 mm long, and the
/// cubic between them is off by less than a micrometre.
const PIECES: usize = 4096;
const TAU: f64 = core::f64::consts::TAU;

/// Where a carrier is at one moment and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ride {
    /// Placement of the body: on the path, heading along it, its height that of the jump.
    pub root: Transform,
    /// Velocity, acceleration and turn rate of the same moment, exactly.
    pub motion: Motion,
}

/// A closed course with left and right turns, speeds between a half and the whole, a stop and a
/// jump; 16 s a lap for a body 0.45 m tall. Lengths scale with the height of the body and times
/// with its square root, as gravity has it.
///
/// A function of time alone: every frame rate sees the same path.
#[derive(Clone, Debug)]
pub struct Course {
    /// Metres and seconds for one of the figures above.
    length_scale: f64,
    time_scale: f64,
    /// Metres of a lap, unscaled.
    length: f64,
    /// x and z at the ends of the pieces, unscaled metres.
    points: Vec<[f64; 2]>,
}

impl Course {
    /// The course for a body of that height, metres; a height that is not positive and finite
    /// counts as 1 m.
    pub fn new(height: f32) -> Self {
        let height = if height.is_finite() && height > 0.0 { f64::from(height) } else { 1.0 };
        let length = distance(lap());
        let piece = length / PIECES as f64;
        let mut at = [0.0, 0.0];
        let mut points = Vec::with_capacity(PIECES + 1);
        points.push(at);
        for i in 0..PIECES {
            // Simpson's rule over the piece.
            let dir = |k: f64| {
                let (s, c) = sin_cos(heading((i as f64 + k) / PIECES as f64));
                [s, c]
            };
            let (a, m, b) = (dir(0.0), dir(0.5), dir(1.0));
            for c in 0..2 {
                at[c] += piece / 6.0 * (a[c] + 4.0 * m[c] + b[c]);
            }
            points.push(at);
        }
        let scale = height / HEIGHT;
        Self { length_scale: scale, time_scale: libm::sqrt(scale), length, points }
    }

    /// Seconds of one lap.
    pub fn lap(&self) -> f64 {
        lap() * self.time_scale
    }

    /// Metres of one lap.
    pub fn length(&self) -> f64 {
        self.length * self.length_scale
    }

    /// Top speed, m/s.
    pub fn top_speed(&self) -> f32 {
        (TOP_SPEED * self.length_scale / self.time_scale) as f32
    }

    /// The carrier at `time` seconds; before 0 and after a lap it goes round. Not finite is 0.
    pub fn at(&self, time: f64) -> Ride {
        let time = if time.is_finite() { time } else { 0.0 };
        let laps = time / self.lap();
        let t = (laps - libm::floor(laps)) * lap();
        let (speed, push) = speed(t);
        let part = (distance(t) / self.length).clamp(0.0, 1.0);
        let angle = heading(part);
        let turn = curvature(part) / self.length * speed;
        let [x, z] = self.point(part);
        let (y, climb, fall) = jump(t);

        // Per unit: metres, metres a second, and so on, for this height.
        let (l, s) = (self.length_scale, self.time_scale);
        let (v, a, w) = (l / s, l / (s * s), 1.0 / s);
        let (sin, cos) = sin_cos(angle);
        let ahead = Vec3::new(sin as f32, 0.0, cos as f32);
        let left = Vec3::new(cos as f32, 0.0, -sin as f32);
        let up = Vec3::Y;
        let side = speed * turn;
        Ride {
            root: Transform {
                translation: Vec3::new((x * l) as f32, (y * l) as f32, (z * l) as f32),
                rotation: math::rotation(Vec3::Y, wrap(angle)),
                scale: Vec3::ONE,
            },
            motion: Motion {
                velocity: ahead * (speed * v) as f32 + up * (climb * v) as f32,
                acceleration: ahead * (push * a) as f32
                    + left * (side * a) as f32
                    + up * (fall * a) as f32,
                turn_rate: (turn * w) as f32,
                grounded: !(JUMP.0..JUMP.1).contains(&t),
            },
        }
    }

    /// Where that part of a lap is: a cubic with the path's own tangents.
    fn point(&self, part: f64) -> [f64; 2] {
        let i = ((part * PIECES as f64) as usize).min(PIECES - 1);
        let u = part * PIECES as f64 - i as f64;
        let (p, q) = (self.points[i], self.points[i + 1]);
        let tangent = |k: usize| {
            let (s, c) = sin_cos(heading(k as f64 / PIECES as f64));
            let piece = self.length / PIECES as f64;
            [s * piece, c * piece]
        };
        let (m, n) = (tangent(i), tangent(i + 1));
        let (u2, u3) = (u * u, u * u * u);
        let rise = 3.0 * u2 - 2.0 * u3;
        let (a, b) = (u3 - 2.0 * u2 + u, u3 - u2);
        [0, 1].map(|c| p[c] + (q[c] - p[c]) * rise + m[c] * a + n[c] * b)
    }
}

/// Seconds of a lap, unscaled.
fn lap() -> f64 {
    SPEED[SPEED.len() - 1].0
}

/// Speed in m/s and its change in m/s² at `t` s into a lap, unscaled.
fn speed(t: f64) -> (f64, f64) {
    let i = piece(t);
    let ((t0, v0), (t1, v1)) = (SPEED[i], SPEED[i + 1]);
    let u = ((t - t0) / (t1 - t0)).clamp(0.0, 1.0);
    let v = v0 + (v1 - v0) * (3.0 - 2.0 * u) * u * u;
    let a = (v1 - v0) * 6.0 * u * (1.0 - u) / (t1 - t0);
    (v * TOP_SPEED, a * TOP_SPEED)
}

/// Metres travelled at `t` s into a lap: the integral of [`speed`].
fn distance(t: f64) -> f64 {
    let last = piece(t);
    (0..=last)
        .map(|i| {
            let ((t0, v0), (t1, v1)) = (SPEED[i], SPEED[i + 1]);
            let long = t1 - t0;
            let u = ((t - t0) / long).clamp(0.0, 1.0);
            // ∫ 3u² − 2u³ = u³ − u⁴/2.
            (v0 * u + (v1 - v0) * (u * u * u - 0.5 * u * u * u * u)) * long * TOP_SPEED
        })
        .sum()
}

fn piece(t: f64) -> usize {
    SPEED.partition_point(|(at, _)| *at <= t).clamp(1, SPEED.len() - 1) - 1
}

/// Heading at that part of a lap, rad about +Y.
fn heading(part: f64) -> f64 {
    let swing = |p: f64| SWING * sin_cos(TAU * SWINGS * p + BEGIN).0;
    TAU * part + swing(part) - swing(0.0)
}

/// Change of the heading for one lap's length, rad.
fn curvature(part: f64) -> f64 {
    TAU + SWING * TAU * SWINGS * sin_cos(TAU * SWINGS * part + BEGIN).1
}

/// Height, climb and its change in the jump: a throw.
fn jump(t: f64) -> (f64, f64, f64) {
    let (from, to) = JUMP;
    if t < from || t >= to {
        return (0.0, 0.0, 0.0);
    }
    let (u, w) = (t - from, to - t);
    (0.5 * GRAVITY * u * w, 0.5 * GRAVITY * (w - u), -GRAVITY)
}

fn sin_cos(x: f64) -> (f64, f64) {
    (libm::sin(x), libm::cos(x))
}

/// An angle near 0, where single precision is finest.
fn wrap(angle: f64) -> f32 {
    (angle - TAU * libm::floor(angle / TAU + 0.5)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_closes() {
        let c = Course::new(0.45);
        let (a, b) = (c.at(0.0).root, c.at(c.lap() - 1e-9).root);
        assert!((a.translation - b.translation).length() < 1e-4, "{a:?} {b:?}");
        assert!(a.rotation.dot(b.rotation).abs() > 0.999_999);
        assert_eq!(c.at(3.3 + c.lap()).root.translation, c.at(3.3).root.translation);
        assert_eq!(c.at(f64::NAN), c.at(0.0));
    }

    #[test]
    fn velocity_acceleration_and_turn_rate_are_those_of_the_path() {
        let c = Course::new(0.7);
        let d = 1e-3;
        for i in 0..1600 {
            let t = i as f64 * 0.0123;
            let (before, now, after) = (c.at(t - d), c.at(t), c.at(t + d));
            if before.motion.grounded != after.motion.grounded {
                continue;
            }
            let per = (1.0 / (2.0 * d)) as f32;
            let v = (after.root.translation - before.root.translation) * per;
            assert!((v - now.motion.velocity).length() < 0.02, "{t}: {v} {:?}", now.motion);
            let a = (after.motion.velocity - before.motion.velocity) * per;
            assert!((a - now.motion.acceleration).length() < 0.1, "{t}: {a} {:?}", now.motion);
            let yaw = |r: &Ride| r.root.rotation.y.atan2(r.root.rotation.w) * 2.0;
            let w = math::wrap_angle(yaw(&after) - yaw(&before)) * per;
            assert!((w - now.motion.turn_rate).abs() < 0.01, "{t}: {w}");
            let ahead = now.root.rotation * Vec3::Z;
            let flat = now.motion.velocity * Vec3::new(1.0, 0.0, 1.0);
            assert!(flat.length() < 1e-3 || flat.normalize().dot(ahead) > 0.999_9);
        }
    }

    #[test]
    fn it_has_what_a_course_needs() {
        let c = Course::new(0.45);
        let rides: Vec<Ride> = (0..1600).map(|i| c.at(f64::from(i) * 0.01)).collect();
        let turns: Vec<f32> = rides.iter().map(|r| r.motion.turn_rate).collect();
        let most = turns.iter().fold(0.0f32, |a, b| a.max(*b));
        let least = turns.iter().fold(0.0f32, |a, b| a.min(*b));
        assert!(most > 2.0 && most < 3.2, "left {most}");
        assert!(least < -0.8 && least > -3.2, "right {least}");
        let speed = |r: &Ride| (r.motion.velocity * Vec3::new(1.0, 0.0, 1.0)).length();
        assert!(rides.iter().map(speed).fold(0.0, f32::max) > 2.9);
        assert!(rides.iter().filter(|r| speed(r) < 1e-4).count() > 100, "a stop");
        let jump: Vec<f32> =
            rides.iter().filter(|r| !r.motion.grounded).map(|r| r.root.translation.y).collect();
        assert!(jump.len() > 40 && jump.iter().all(|y| *y >= 0.0 && *y < 0.4), "a jump");
    }
}
