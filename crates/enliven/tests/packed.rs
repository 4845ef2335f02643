//! Packed clips follow their source.
#![allow(clippy::unwrap_used)] // A test may panic.

use enliven::glam::Vec3;
use enliven::*;

/// A chain of `n` joints, 0.1 m each, with one channel.
fn rig(n: usize) -> Rig {
    let mut s = Skeleton::new();
    let mut parent = None;
    for i in 0..n {
        let t = Transform::from_translation(Vec3::new(0.0, 0.1, 0.0));
        parent = Some(s.push(format!("{i}"), parent, t).unwrap());
    }
    let mut channels = Channels::new();
    channels.push(Channel::new("c", ChannelKind::Morph));
    let regions = Regions::new(&s, &[]);
    Rig::new(s, channels, regions, 1.7)
}

fn rotation(j: u32, times: &[f32], angle: impl Fn(f32) -> f32, i: Interpolation) -> Track {
    let values = times
        .iter()
        .flat_map(|t| {
            let q = math::rotation(Vec3::new(0.6, 0.0, 0.8), angle(*t)).to_array();
            match i {
                Interpolation::CubicSpline => [[0.0; 4], q, [0.0; 4]].concat(),
                _ => q.to_vec(),
            }
        })
        .collect();
    Track {
        target: Target::Joint(JointId(j), Property::Rotation),
        curve: Curve::rotation(times.to_vec(), values, i).unwrap(),
    }
}

fn vector(target: Target, times: &[f32], f: impl Fn(f32) -> f32, i: Interpolation) -> Track {
    let (width, _) = target.shape();
    let values = times.iter().flat_map(|t| vec![f(*t); width]).collect();
    Track { target, curve: Curve::new(times.to_vec(), values, width, i).unwrap() }
}

fn worst(clip: &Clip, packed: &PackedClip, rig: &Rig) -> f32 {
    let (mut a, mut b) = (Pose::rest(rig), Pose::rest(rig));
    let n = rig.skeleton.len();
    let (mut ma, mut mb) = (vec![Affine::IDENTITY; n], vec![Affine::IDENTITY; n]);
    let mut most = 0.0f32;
    for k in 0..=977 {
        let t = clip.duration * k as f32 / 977.0;
        clip.sample(t, &mut [], &mut a);
        packed.sample(t, &mut b);
        a.to_model(&rig.skeleton, &mut ma);
        b.to_model(&rig.skeleton, &mut mb);
        for (x, y) in ma.iter().zip(&mb) {
            let p = Vec3::new(0.03, 0.0, 0.0);
            most = most.max(x.transform_point(p).distance(y.transform_point(p)));
        }
        most = most.max((a.channel(ChannelId(0)) - b.channel(ChannelId(0))).abs() * 0.1);
    }
    most
}

fn thirty(n: usize) -> Vec<f32> {
    (0..n).map(|k| k as f32 / 30.0).collect()
}

#[test]
fn stays_within_the_tolerance_whatever_the_source() {
    let rig = rig(12);
    let t30 = thirty(46);
    // Few keys far apart, off any beat.
    let sparse = [0.0, 0.113, 0.8, 1.37];
    let lin = Interpolation::Linear;
    let channel = Target::Channel(ChannelId(0));
    let place = Target::Joint(JointId(0), Property::Translation);
    let cases: Vec<(&str, Vec<Track>)> = vec![
        ("dense", (0..12).map(|j| rotation(j, &t30, |t| libm::sinf(3.0 * t) * 0.5, lin)).collect()),
        ("sparse", vec![rotation(3, &sparse, |t| 2.0 * t, lin)]),
        ("cubic", vec![rotation(3, &sparse, |t| t, Interpolation::CubicSpline)]),
        (
            "steps",
            vec![
                rotation(1, &sparse, |t| 2.0 * t, Interpolation::Step),
                vector(channel, &sparse, |t| t, Interpolation::Step),
                rotation(2, &t30, |t| t, lin),
            ],
        ),
        (
            "vectors",
            vec![
                vector(place, &t30, |t| libm::sinf(4.0 * t), lin),
                vector(Target::Joint(JointId(4), Property::Scale), &sparse, |t| 1.0 + t, lin),
                vector(channel, &sparse, |t| t * t, lin),
            ],
        ),
        ("two keys at one time", vec![vector(place, &[0.0, 0.5, 0.5, 1.0], |t| t, lin)]),
        ("one key", vec![rotation(0, &[0.0], |_| 0.7, lin), vector(place, &[0.4], |_| 2.0, lin)]),
        ("nothing", vec![]),
    ];
    for (name, tracks) in cases {
        let clip = Clip::new(name, tracks);
        let packed = PackedClip::new(&clip, &rig, &PackOptions::default());
        assert!(packed.error() <= 1e-4, "{name}: says {}", packed.error());
        // Between the probes of the packer the error may be a little larger.
        let worst = worst(&clip, &packed, &rig);
        assert!(worst <= 1.5e-4, "{name}: is {worst}");
        assert_eq!((packed.name(), packed.duration()), (name, clip.duration));
    }
}

#[test]
fn what_no_track_moves_stays() {
    let rig = rig(12);
    let clip = Clip::new("one", vec![rotation(3, &thirty(10), |t| t, Interpolation::Linear)]);
    let packed = PackedClip::new(&clip, &rig, &PackOptions::default());
    let mut pose = Pose::rest(&rig);
    let kept = math::rotation(Vec3::X, 0.9);
    for j in rig.skeleton.joints() {
        pose.set_rotation(j, kept);
    }
    pose.set_channel(ChannelId(0), 0.4);
    packed.sample(0.2, &mut pose);
    for j in rig.skeleton.joints() {
        assert_eq!(pose.rotation(j) == kept, j != JointId(3), "{j}");
    }
    assert_eq!(pose.channel(ChannelId(0)), 0.4);
}

#[test]
fn any_time_is_harmless_and_a_jump_gives_what_playing_gives() {
    let rig = rig(9);
    let tracks = (0..9).map(|j| rotation(j, &thirty(31), |t| t, Interpolation::Linear)).collect();
    let clip = Clip::new("c", tracks);
    let packed = PackedClip::new(&clip, &rig, &PackOptions::default());
    let at = |t: f32| {
        let mut p = Pose::rest(&rig);
        packed.sample(t, &mut p);
        assert!(p.is_finite());
        p.digest(0)
    };
    assert_eq!(at(-5.0), at(0.0));
    assert_eq!(at(f32::NEG_INFINITY), at(0.0));
    for t in [f32::INFINITY, f32::NAN, 1e30] {
        assert_eq!(at(t), at(clip.duration));
    }
    let mut playing = Pose::rest(&rig);
    for k in 0..60 {
        packed.sample(k as f32 / 60.0, &mut playing);
        assert_eq!(playing.digest(0), at(k as f32 / 60.0));
    }
}

#[test]
fn constant_tracks_cost_next_to_nothing() {
    let rig = rig(40);
    let still = |j| rotation(j, &thirty(300), |_| 0.3, Interpolation::Linear);
    let clip = Clip::new("still", (0..40).map(still).collect());
    let packed = PackedClip::new(&clip, &rig, &PackOptions::default());
    assert!(packed.size() < 40 * 40, "{} bytes", packed.size());
}
