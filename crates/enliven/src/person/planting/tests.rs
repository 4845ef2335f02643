//! Planting of made-up motions.

use super::*;
use crate::math;
use crate::{
    Channels, Curve, Interpolation, Property, Regions, Skeleton, Target, Track, Transform,
};

/// Hips at 0.9 m, thighs of 0.42 m, shins of 0.4 m, ankles at 8 cm.
fn person() -> (Rig, Humanoid) {
    use HumanBone as B;
    let mut s = Skeleton::new();
    let mut bones = Vec::new();
    let mut add = |bone: B, up: Option<JointId>, at: [f32; 3]| {
        let place = Transform::from_translation(Vec3::from_array(at));
        let joint = s.push(bone.name(), up, place).expect("in order");
        bones.push((bone, joint));
        joint
    };
    let hips = add(B::Hips, None, [0.0, 0.9, 0.0]);
    for (x, [upper, lower, foot, toes]) in [
        (0.1, [B::LeftUpperLeg, B::LeftLowerLeg, B::LeftFoot, B::LeftToes]),
        (-0.1, [B::RightUpperLeg, B::RightLowerLeg, B::RightFoot, B::RightToes]),
    ] {
        let joint = add(upper, Some(hips), [x, 0.0, 0.0]);
        let joint = add(lower, Some(joint), [0.0, -0.42, 0.01]);
        let joint = add(foot, Some(joint), [0.0, -0.4, -0.01]);
        add(toes, Some(joint), [0.0, -0.06, 0.13]);
    }
    let body = Humanoid::new(&s, bones);
    let regions = Regions::new(&s, &[]);
    (Rig::new(s, Channels::new(), regions, 1.7), body)
}

/// Hips that go over the ground; thighs swing by an angle of the time.
fn clip(rig: &Rig, hips: impl Fn(f32) -> Vec3, thighs: impl Fn(f32) -> [f32; 2]) -> Clip {
    let times: std::sync::Arc<[f32]> = (0..=180).map(|i| i as f32 / 60.0).collect();
    let at: Vec<f32> = times.iter().flat_map(|t| hips(*t).to_array()).collect();
    let find = |name| rig.skeleton.find(name).expect("a joint");
    let how = Interpolation::Linear;
    let mut tracks = vec![Track {
        target: Target::Joint(find("hips"), Property::Translation),
        curve: Curve::new(times.clone(), at, 3, how).expect("a curve"),
    }];
    for (k, name) in ["leftUpperLeg", "rightUpperLeg"].into_iter().enumerate() {
        let turn = |t: &f32| math::rotation(Vec3::X, thighs(*t)[k]).to_array();
        let turns: Vec<f32> = times.iter().flat_map(turn).collect();
        let curve = Curve::rotation(times.clone(), turns, how).expect("a curve");
        tracks.push(Track { target: Target::Joint(find(name), Property::Rotation), curve });
    }
    Clip { name: "made".into(), duration: 3.0, tracks, ..Clip::default() }
}

fn at(rig: &Rig, clip: &Clip, time: f32, name: &str) -> Vec3 {
    let mut pose = Pose::rest(rig);
    clip.sample(time, &mut [], &mut pose);
    pose.model_of(&rig.skeleton, rig.skeleton.find(name).expect("a joint")).translation()
}

#[test]
fn who_glides_is_let_go() {
    let (rig, body) = person();
    // 0.6 m/s on legs of 0.82 m: slow enough to be taken for a foot that stands.
    let glide = clip(&rig, |t| Vec3::new(0.0, 0.9, 0.6 * t), |_| [-0.1, 0.1]);
    let planted = Feet::new(&rig, &body).plant(&rig, &glide);
    for i in 0..=180 {
        for name in ["hips", "leftLowerLeg", "leftFoot", "rightFoot"] {
            let [a, b] = [&glide, &planted].map(|c| at(&rig, c, i as f32 / 60.0, name));
            // Legs stand apart by 0.1 rad, so the lower foot is lifted to the ground.
            assert!(a.distance(b) < 0.015, "{i}: {name} at {b} instead of {a}");
        }
    }
}

#[test]
fn steps_shorter_than_the_way_shorten_the_way() {
    let (rig, body) = person();
    // One foot at a time stands and swings back, at 0.45 rad/s about the hip, 0.9 m up: it
    // keeps up with 0.4 m/s. The hips go 0.55.
    let thighs = |t: f32| {
        let wave = |t: f32| {
            let u = math::fract(t);
            if u < 0.6 { 0.45 * (u - 0.3) } else { 0.135 - 0.27 * (u - 0.6) / 0.4 }
        };
        [wave(t), wave(t + 0.5)]
    };
    let walk = clip(&rig, |t| Vec3::new(0.0, 0.9, 0.55 * t), thighs);
    let planted = Feet::new(&rig, &body).plant(&rig, &walk);
    let way = at(&rig, &planted, 3.0, "hips").z / 3.0;
    assert!((0.36..0.48).contains(&way), "{way} m/s");
}

#[test]
fn who_hovers_comes_down_and_who_leaps_does_not() {
    let (rig, body) = person();
    // From a second on 4 cm up; a leap of 0.4 s and 20 cm at the end.
    let height = |t: f32| {
        let leap = ((t - 2.4) / 0.4).clamp(0.0, 1.0);
        0.9 + 0.04 * math::smoothstep(1.0, 1.2, t) + 0.8 * leap * (1.0 - leap)
    };
    let made = clip(&rig, |t| Vec3::new(0.0, height(t), 0.0), |_| [0.0, 0.0]);
    let planted = Feet::new(&rig, &body).plant(&rig, &made);
    let up = |t: f32| at(&rig, &planted, t, "leftFoot").y - 0.08;
    for t in [0.3, 0.8, 1.8, 2.0, 2.2] {
        assert!(up(t).abs() < 0.005, "{t}: {} above the ground", up(t));
    }
    assert!((0.15..0.22).contains(&up(2.6)), "it leaps by {}", up(2.6));
}
