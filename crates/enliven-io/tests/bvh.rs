//! BVH from the shared collection, whole and broken, and on people.

use std::path::PathBuf;

use enliven::{
    Affine, Clip, JointId, Pose, Transform,
    person::{Feet, HumanBone, Touch},
};
use enliven_io::{Limits, bvh, import_file};
use enliven_testing::assets;
use serde_json::Value;

fn read(path: PathBuf) -> Result<bvh::Bvh, enliven_io::Error> {
    bvh::read(&std::fs::read(path).expect("file"), &Limits::default())
}

#[test]
fn shapes_give_what_the_manifest_says() {
    let Some(assets) = assets() else { return };
    let text = std::fs::read_to_string(assets.join("negative/bvh/manifest.json"));
    let manifest: Value = serde_json::from_str(&text.expect("manifest")).expect("JSON");
    let fixtures = manifest["fixtures"].as_array().expect("fixtures");
    assert!(fixtures.len() >= 19);
    for fixture in fixtures {
        let file = fixture["file"].as_str().expect("file");
        if fixture["status"] == "refused" {
            let error = read(assets.join("negative/bvh").join(file)).expect_err(file);
            let want = fixture["diagnostic"].as_str().expect("code");
            assert_eq!(format!("VRM_{}", error.code()), want, "{file}: {error}");
            continue;
        }
        let got =
            read(assets.join("bvh/corpus").join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        let number = |name: &str| fixture[name].as_f64().expect("number");
        assert_eq!(got.joints.len() as f64, number("joints"), "{file}");
        assert_eq!(got.width as f64, number("channels"), "{file}");
        assert_eq!(got.frame_count() as f64, number("frames"), "{file}");
        assert!((f64::from(got.frame_time) - number("frameTime")).abs() < 1e-6, "{file}");
    }
}

#[test]
fn a_broken_row_is_named() {
    let Some(assets) = assets() else { return };
    let error = read(assets.join("negative/bvh/malformed-frame-width.bvh")).expect_err("refused");
    assert!(error.to_string().contains("frame 2"), "{error}");
}

#[test]
fn every_cut_of_a_file_is_an_error_or_a_file() {
    let Some(assets) = assets() else { return };
    let bytes = std::fs::read(assets.join("bvh/corpus/valid-nested-joints.bvh")).expect("file");
    for n in 0..bytes.len() {
        if let Ok(file) = bvh::read(&bytes[..n], &Limits::default()) {
            let _ = file.motion("cut");
        }
    }
}

/// Someone walks: the body stays upright, limbs point where the recording has them, the feet reach
/// the ground, and the body gets forward.
#[test]
fn a_recorded_walk_fits_people_and_others() {
    let Some(assets) = assets() else { return };
    let walk = read(assets.join("bvh/cmu_02_01_walk.bvh")).expect("walk");
    let motion = walk.motion("walk").expect("a humanoid");
    assert!(motion.rotations.len() >= 18, "{}", motion.rotations.len());
    for file in ["vrm0/Godette.vrm", "vrm0/CoolBanana.vrm", "vrm1/DebugRobot.vrm"] {
        let import = import_file(assets.join(file), &Limits::default()).expect(file);
        let person = import.person.expect("a person");
        let rig = &import.character.rig;
        let body = &person.humanoid;
        let clip = motion.fit(body).retarget(body, &[], None);
        let clip = Feet::new(rig, body).plant(rig, &clip);
        assert!(clip.fits(rig.skeleton.len(), rig.channels.len()));
        let mut pose = Pose::rest(rig);
        let mut model = vec![Affine::IDENTITY; rig.skeleton.len()];
        let joint = |bone| body.joint(bone).expect("bone");
        let balls = [HumanBone::LeftToes, HumanBone::RightToes].map(joint);
        let rest = body.rest_at(HumanBone::LeftToes).expect("toes").y;
        let (mut first, mut last) = (None, Default::default());
        let mut stands = 0;
        for i in 0..=60 {
            clip.sample(clip.duration * i as f32 / 60.0, &mut [], &mut pose);
            assert!(pose.is_finite());
            pose.to_model(&rig.skeleton, &mut model);
            let at = |j: JointId| model[j.index()].translation();
            let (hips, head) = (at(joint(HumanBone::Hips)), at(joint(HumanBone::Head)));
            let up = (head - hips).normalize();
            assert!(up.y > 0.9, "{file}: upright {up}");
            // Over a heel that comes down the ball of the foot is still in the air.
            let low = at(balls[0]).y.min(at(balls[1]).y) - rest;
            assert!((-0.01..0.05).contains(&low), "{file}: the lower foot is at {low}");
            stands += i32::from(low < 0.01);
            first.get_or_insert(hips);
            last = hips;
            for (hand, elbow) in [
                (HumanBone::LeftHand, HumanBone::LeftUpperArm),
                (HumanBone::RightHand, HumanBone::RightUpperArm),
            ] {
                let arm = (at(joint(hand)) - at(joint(elbow))).normalize();
                assert!(arm.y < -0.5, "{file}: an arm hangs, {arm}");
            }
        }
        let way = last - first.expect("frames");
        let height = body.hips_height().expect("hips");
        assert!(way.length() > height, "{file}: {way}");
        assert!(stands >= 50, "{file}: on the ground {stands} times of 61");
    }
}

/// A motion that lies about its length asks for no memory.
#[test]
fn endless_motions_are_not_written() {
    use enliven::person::{Humanoid, HumanoidClip};
    let body = Humanoid::average(1.7);
    for (duration, fits) in [(1.0, true), (1e30, false), (f32::INFINITY, false), (f32::NAN, true)] {
        let motion = HumanoidClip { duration, ..HumanoidClip::default() };
        let made = bvh::Bvh::from_motion(&motion, &body, 1.0 / 30.0);
        assert_eq!(made.is_ok(), fits, "{duration}");
        assert!(made.err().is_none_or(|error| error.code() == "LIMIT_NUMBERS"));
    }
}

/// Written and read again, a recording moves a body as it did: every joint within a millimetre.
#[test]
fn what_is_written_moves_a_body_the_same() {
    let Some(assets) = assets() else { return };
    let person = import_file(assets.join("vrm0/Godette.vrm"), &Limits::default()).expect("Godette");
    let body = &person.person.as_ref().expect("a person").humanoid;
    let skeleton = &person.character.rig.skeleton;
    for file in ["cmu_02_01_walk.bvh", "cmu_05_06_dance.bvh"] {
        let source = read(assets.join("bvh").join(file)).expect(file);
        let motion = source.motion("source").expect("a humanoid");
        let made = bvh::Bvh::from_motion(&motion, body, source.frame_time).expect("it fits");
        let text = made.to_text();
        let again = bvh::read(text.as_bytes(), &Limits::default()).expect("what we wrote");
        assert_eq!(again, made, "{file}: the text gives the numbers back");
        let again = again.motion("again").expect("a humanoid");
        let clips = [&motion, &again].map(|m| m.fit(body).retarget(body, &[], None));
        assert!((clips[0].duration - clips[1].duration).abs() < 1e-3);
        let mut models = [0, 1].map(|_| vec![Affine::IDENTITY; skeleton.len()]);
        let mut first = [None, None];
        let mut worst = 0.0f32;
        for i in 0..=50 {
            let time = clips[0].duration * i as f32 / 50.0;
            for ((clip, model), first) in clips.iter().zip(&mut models).zip(&mut first) {
                let mut pose = Pose::rest(&person.character.rig);
                clip.sample(time, &mut [], &mut pose);
                pose.to_model(skeleton, model);
                // Where the ground is, each file finds for itself.
                let hips = body.joint(HumanBone::Hips).expect("hips");
                let at: enliven::glam::Vec3 = model[hips.index()].translation();
                let start = *first.get_or_insert(at);
                for m in model.iter_mut() {
                    *m = Affine::from(&Transform::from_translation(-start)) * *m;
                }
            }
            for (_, joint) in body.bones() {
                let [a, b] = [0, 1].map(|k| models[k][joint.index()].translation());
                worst = worst.max(a.distance(b));
            }
        }
        assert!(worst < 1e-3, "{file}: {worst} m apart");
    }
}

/// Recorded feet on other legs: where they come down they stay, on the ground.
#[test]
fn feet_of_a_walk_and_a_dance_do_not_slide() {
    let Some(assets) = assets() else { return };
    for file in ["vrm0/Godette.vrm", "vrm0/CoolBanana.vrm", "vrm1/DebugRobot.vrm"] {
        let import = import_file(assets.join(file), &Limits::default()).expect(file);
        let person = import.person.expect("a person");
        let (rig, body) = (&import.character.rig, &person.humanoid);
        let feet = Feet::new(rig, body).with_soles(&import.character, body);
        for motion in ["cmu_02_01_walk", "cmu_12_01_walk", "cmu_05_06_dance"] {
            let clip = read(assets.join(format!("bvh/{motion}.bvh"))).expect(motion);
            let clip = clip.motion(motion).expect("a humanoid").fit(body);
            let raw = clip.retarget(body, &[], None);
            let planted = feet.plant(rig, &raw);
            assert!(planted.fits(rig.skeleton.len(), rig.channels.len()));
            let touches = |clip: &Clip| {
                feet.touches(rig, clip.duration, |t, pose| clip.sample(t, &mut [], pose))
            };
            let worst = |list: &[Touch]| {
                list.iter().fold([0.0f32; 2], |w, t| [w[0].max(t.slide), w[1].max(t.gap.abs())])
            };
            let (before, after) = (touches(&raw), touches(&planted));
            let (was, is) = (worst(&before), worst(&after));
            assert!(after.len() >= 3, "{file} {motion}: {} touches", after.len());
            assert!(is[0] < 0.01, "{file} {motion}: a foot slides {} m, {} before", is[0], was[0]);
            assert!(is[1] < 0.01, "{file} {motion}: a foot is {} m off the ground", is[1]);
        }
    }
}
