//! The one place where transcendental functions come from.
//!
//! The standard library's `sin`, `exp` and friends differ from platform to platform; these come
//! from `libm` in pure Rust, so that the same inputs give the same bits on x86-64, aarch64 and
//! wasm32. Use these in everything that touches a pose. (`glam` is built with the same library.)

use glam::{Quat, Vec3};

/// π as f32.
pub const PI: f32 = core::f32::consts::PI;
/// One full turn, 2π rad.
pub const TAU: f32 = core::f32::consts::TAU;

/// Sine of `x` rad.
#[inline]
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// Cosine of `x` rad.
#[inline]
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

/// Sine and cosine of `x` rad.
#[inline]
pub fn sin_cos(x: f32) -> (f32, f32) {
    (libm::sinf(x), libm::cosf(x))
}

/// Tangent of `x` rad.
#[inline]
pub fn tan(x: f32) -> f32 {
    libm::tanf(x)
}

/// Arc sine in rad; `x` is clamped to [−1, 1].
#[inline]
pub fn asin(x: f32) -> f32 {
    libm::asinf(x.clamp(-1.0, 1.0))
}

/// Arc cosine in rad; `x` is clamped to [−1, 1].
#[inline]
pub fn acos(x: f32) -> f32 {
    libm::acosf(x.clamp(-1.0, 1.0))
}

/// Angle of the vector (x, y) in rad, in (−π, π].
#[inline]
pub fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2f(y, x)
}

/// `e` to the power `x`.
#[inline]
pub fn exp(x: f32) -> f32 {
    libm::expf(x)
}

/// Natural logarithm.
#[inline]
pub fn ln(x: f32) -> f32 {
    libm::logf(x)
}

/// `x` to the power `y`.
#[inline]
pub fn pow(x: f32, y: f32) -> f32 {
    libm::powf(x, y)
}

/// `x` wrapped into [0, 1).
#[inline]
pub fn fract(x: f32) -> f32 {
    let f = x - libm::floorf(x);
    // A tiny negative x rounds up to exactly 1.
    if f >= 1.0 { 0.0 } else { f }
}

/// An angle wrapped into [−π, π).
#[inline]
pub fn wrap_angle(x: f32) -> f32 {
    (fract(x / TAU + 0.5) - 0.5) * TAU
}

/// `a` at t = 0, `b` at t = 1.
#[inline]
pub fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// Where `x` lies between `a` (0) and `b` (1), clamped. A zero-width interval is a step at `b`.
#[inline]
pub fn ramp(a: f32, b: f32, x: f32) -> f32 {
    if a == b {
        return if x < b { 0.0 } else { 1.0 };
    }
    ((x - a) / (b - a)).clamp(0.0, 1.0)
}

/// Hermite ease from 0 at `a` to 1 at `b`: 3t² − 2t³ of the clamped ramp, as GLSL's `smoothstep`.
#[inline]
pub fn smoothstep(a: f32, b: f32, x: f32) -> f32 {
    let t = ramp(a, b, x);
    t * t * (3.0 - 2.0 * t)
}

/// The share of a gap that closes in `dt` seconds at `rate` per second: 1 − e^(−rate·dt).
/// Two half steps close exactly as much as a whole one, so a filter built on it does not depend
/// on the frame rate.
#[inline]
pub fn approach(rate: f32, dt: f32) -> f32 {
    -libm::expm1f(-rate * dt)
}

/// A rotation of `angle` rad about a unit `axis`.
#[inline]
pub fn rotation(axis: Vec3, angle: f32) -> Quat {
    let (s, c) = sin_cos(angle * 0.5);
    Quat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}

/// The rotation yaw (about +Y), then pitch (about the yawed +X), then roll (about the resulting
/// +Z), all in rad: q = yaw × pitch × roll.
///
/// For a figure that faces +Z: positive yaw turns to its left (+X), positive pitch nods the face
/// down, positive roll leans the top of the head to its right (−X).
#[inline]
pub fn yaw_pitch_roll(yaw: f32, pitch: f32, roll: f32) -> Quat {
    rotation(Vec3::Y, yaw) * rotation(Vec3::X, pitch) * rotation(Vec3::Z, roll)
}

/// The rotation by `angles` rad about +X, then the turned +Y, then the turned +Z: q = x · y · z.
#[inline]
pub fn from_euler(angles: Vec3) -> Quat {
    rotation(Vec3::X, angles.x) * rotation(Vec3::Y, angles.y) * rotation(Vec3::Z, angles.z)
}

/// The angles of [`from_euler`], x and z in (−π, π], y in ±π/2. Where y is ±π/2, x and z turn
/// about one axis; z is 0 then.
pub fn to_euler(q: Quat) -> Vec3 {
    let m = glam::Mat3::from_quat(q);
    let (m11, m12, m13) = (m.x_axis.x, m.y_axis.x, m.z_axis.x);
    let y = asin(m13);
    if m13.abs() < 0.999_999_9 {
        Vec3::new(atan2(-m.z_axis.y, m.z_axis.z), y, atan2(-m12, m11))
    } else {
        Vec3::new(atan2(m.y_axis.z, m.y_axis.y), y, 0.0)
    }
}

/// Spherical interpolation along the shorter arc, as the reference libraries do it: nearly equal
/// rotations (cosine ≥ 0.9995) are interpolated linearly and normalised.
pub fn slerp(a: Quat, b: Quat, t: f32) -> Quat {
    let mut dot = a.dot(b);
    let b = if dot < 0.0 {
        dot = -dot;
        -b
    } else {
        b
    };
    if dot < 0.9995 {
        let theta = acos(dot);
        let s = sin(theta);
        let wa = sin((1.0 - t) * theta) / s;
        let wb = sin(t * theta) / s;
        a * wa + b * wb
    } else {
        normalize_or_identity(a * (1.0 - t) + b * t)
    }
}

/// Normalised linear interpolation along the shorter arc: the path of [`slerp`] at another speed.
/// Right for blending poses, wrong between key frames.
#[inline]
pub fn nlerp(a: Quat, b: Quat, t: f32) -> Quat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    normalize_or_identity(a * (1.0 - t) + b * t)
}

/// `q` at unit length, or the identity where `q` has no direction (zero or not finite).
#[inline]
pub fn normalize_or_identity(q: Quat) -> Quat {
    let l2 = q.length_squared();
    if l2 > 1e-30 && l2 < 1e30 { q * (1.0 / l2.sqrt()) } else { Quat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fract_stays_below_one() {
        for x in [-1e-9, -0.0, 0.0, 0.25, 1.0, -0.25, 1e7, -1e7 - 0.5] {
            let f = fract(x);
            assert!((0.0..1.0).contains(&f), "{x} → {f}");
        }
        assert_eq!(fract(-0.25), 0.75);
    }

    #[test]
    fn wrap_angle_keeps_direction() {
        for i in -50..50 {
            let a = i as f32 * 0.37;
            let w = wrap_angle(a);
            assert!((-PI..PI + 1e-6).contains(&w));
            assert!((sin(a) - sin(w)).abs() < 1e-4 && (cos(a) - cos(w)).abs() < 1e-4);
        }
    }

    #[test]
    fn approach_does_not_depend_on_the_step() {
        let once = approach(4.0, 0.1);
        let twice = {
            let a = approach(4.0, 0.05);
            a + (1.0 - a) * a
        };
        assert!((once - twice).abs() < 1e-6);
    }

    #[test]
    fn slerp_takes_the_short_way_and_the_ends() {
        let a = rotation(Vec3::Y, 0.3);
        let b = -rotation(Vec3::Y, 1.5);
        assert!(slerp(a, b, 0.0).dot(a) > 0.999_999);
        assert!((slerp(a, b, 1.0).dot(b)).abs() > 0.999_999);
        assert!(slerp(a, b, 0.5).dot(rotation(Vec3::Y, 0.9)).abs() > 0.999_999);
    }

    #[test]
    fn positive_yaw_turns_a_face_to_its_left_and_pitch_nods() {
        let face = yaw_pitch_roll(0.5, 0.0, 0.0) * Vec3::Z;
        assert!(face.x > 0.4);
        let face = yaw_pitch_roll(0.0, 0.5, 0.0) * Vec3::Z;
        assert!(face.y < -0.4);
        let crown = yaw_pitch_roll(0.0, 0.0, 0.5) * Vec3::Y;
        assert!(crown.x < -0.4);
    }

    #[test]
    fn euler_angles_come_back() {
        for k in 0..200 {
            let f = k as f32;
            let a = Vec3::new(sin(f) * 3.1, cos(f * 1.3) * 1.55, sin(f * 0.7) * 3.1);
            let q = from_euler(a);
            assert!(from_euler(to_euler(q)).dot(q).abs() > 0.999_999, "{a}");
        }
        let up = from_euler(Vec3::new(0.4, PI / 2.0, 0.3));
        assert!(from_euler(to_euler(up)).dot(up).abs() > 0.999_999);
    }

    #[test]
    fn smoothstep_is_a_step_on_an_empty_interval() {
        assert_eq!(smoothstep(1.0, 1.0, 0.999), 0.0);
        assert_eq!(smoothstep(1.0, 1.0, 1.0), 1.0);
        assert_eq!(smoothstep(0.0, 1.0, 0.5), 0.5);
    }
}
