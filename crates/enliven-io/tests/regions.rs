//! Body parts of skinned models, found by the names of their joints.

use enliven::{Region, Side};
use enliven_io::{Limits, import_file};
use enliven_testing::assets;

/// File, and what its body parts must be: joints from the top down.
const TABLE: &[(&str, &[(Region, &str)])] = {
    use Region as R;
    use Side::{Left, Right};
    &[
        (
            "Fox.glb",
            &[
                (R::Hips, "b_Hip_01"),
                (R::Spine, "b_Spine01_02"),
                (R::Chest, "b_Spine02_03"),
                (R::Head, "b_Neck_04 b_Head_05"),
                (R::Tail, "b_Tail01_012 b_Tail02_013 b_Tail03_014"),
                (R::Arm(Left), "b_LeftUpperArm_09"),
                (R::Hand(Right), "b_RightHand_08"),
                (R::Leg(Left), "b_LeftLeg01_015"),
                (R::Foot(Right), "b_RightFoot01_021"),
            ],
        ),
        (
            "CesiumMan.glb",
            &[
                (R::Hips, "Skeleton_torso_joint_1"),
                (R::Chest, "torso_joint_3"),
                (R::Head, "Skeleton_neck_joint_1 Skeleton_neck_joint_2"),
                (R::Arm(Left), "Skeleton_arm_joint_L__4_"),
                (R::Forearm(Left), "Skeleton_arm_joint_L__3_"),
                (R::Hand(Right), "Skeleton_arm_joint_R__3_"),
                (R::Shin(Right), "leg_joint_R_2"),
                (R::Foot(Left), "leg_joint_L_3"),
            ],
        ),
        (
            "RiggedFigure.glb",
            &[(R::Head, "neck_joint_1 neck_joint_2"), (R::Arm(Right), "arm_joint_R_1")],
        ),
        (
            "RobotExpressive.glb",
            &[
                (R::Hips, "Hips"),
                (R::Spine, "Abdomen"),
                (R::Chest, "Torso"),
                (R::Head, "Neck Head"),
                (R::Shoulder(Left), "Shoulder.L"),
                (R::Arm(Left), "UpperArm.L"),
                (R::Hand(Left), "Palm2.L"),
                (R::Leg(Right), "UpperLeg.R"),
                (R::Foot(Right), "Foot.R"),
            ],
        ),
        (
            "godot_platformer_robot.glb",
            &[
                (R::Hips, "hip"),
                (R::Head, "neck head"),
                (R::Arm(Left), "l-arm"),
                (R::Leg(Left), "l-thigh"),
                (R::Shin(Left), "l-leg"),
            ],
        ),
        (
            "greenman/greenman.glb",
            &[
                (R::Hips, "body_low"),
                (R::Hand(Left), "hand_L"),
                (R::Leg(Right), "hip_R"),
                (R::Shin(Right), "leg_R"),
            ],
        ),
        (
            "kaykit/Knight.glb",
            &[
                (R::Head, "head"),
                (R::Hand(Left), "wrist.l"),
                (R::Prop, "handslot.r"),
                (R::Foot(Left), "foot.l"),
                (R::Shin(Right), "lowerleg.r"),
            ],
        ),
        (
            "kenney_mini_character-female-a.glb",
            &[(R::Head, "head"), (R::Arm(Left), "arm-left"), (R::Leg(Right), "leg-right")],
        ),
        (
            "quaternius/Character.glb",
            &[(R::Ear(Left), "Ear1.L"), (R::Head, "Neck Head"), (R::Hand(Right), "Fist.R")],
        ),
        (
            "quaternius/ShibaInu.glb",
            &[
                (R::Neck, "Neck1 Neck2 Neck3"),
                (R::Head, "Neck1 Neck2 Neck3 Head"),
                (R::Tail, "Tail1 Tail2 Tail3"),
                (R::Ear(Right), "Ear1.R"),
                (R::Shoulder(Left), "FrontShoulder.L"),
                (R::Arm(Left), "FrontUpperLeg.L"),
                (R::Leg(Left), "BackUpperLeg.L"),
                (R::Shin(Left), "BackLowerLeg.L"),
            ],
        ),
        (
            "quaternius/Frog.glb",
            &[
                (R::Hand(Left), "FrontFoot.L"),
                (R::Foot(Right), "BackFoot.R"),
                (R::Head, "Neck Head"),
            ],
        ),
        (
            "quaternius/Trex.glb",
            &[(R::Tail, "Tail1 Tail2 Tail3 Tail4 Tail5"), (R::Arm(Right), "FrontUpLeg.R")],
        ),
        (
            "quaternius/Witch.glb",
            &[(R::Chest, "Chest"), (R::Spine, "Abdomen Torso"), (R::Hand(Left), "Hand.L")],
        ),
        ("quaternius/Snake.glb", &[(R::Head, "Neck Head"), (R::Tail, "Tail Tail1 Tail2 Tail3")]),
        ("quaternius/Manta_ray.glb", &[(R::Head, "Head"), (R::Tail, "Tail")]),
        ("quaternius/Bee.glb", &[(R::Head, "Head")]),
        ("BoxAnimated.glb", &[(R::Head, "")]),
    ]
};

#[test]
fn joints_are_known_by_their_names() {
    let Some(assets) = assets() else { return };
    for (file, parts) in TABLE {
        let path = assets.join("rigged").join(file);
        let import = import_file(&path, &Limits::default()).expect(file);
        let rig = &import.character.rig;
        for (region, want) in *parts {
            let own = rig.regions.own_joints(*region).iter();
            let got: Vec<&str> = own.map(|j| rig.skeleton.name(j.joint)).collect();
            assert_eq!(got.join(" "), *want, "{file}: {region:?}");
        }
    }
}
