//! The numbers of a mind and of a held leaf as tables. Each number stands here once, with what it means and its
//! range; reading, checking and writing follow from it.

use super::RigFileError;
use enliven::leaf::LeafParams;
use enliven::{BlinkParams, EarParams, GazeParams, GlanceParams, LookParams, MindParams, Mood};
use serde::Deserialize;
use std::fmt::Write;

/// A number or a pair of numbers.
pub(super) trait Number {
    /// Its parts.
    fn parts(&self) -> Vec<f32>;
    /// As TOML.
    fn text(&self) -> String;
}

impl Number for f32 {
    fn parts(&self) -> Vec<f32> {
        vec![*self]
    }

    fn text(&self) -> String {
        super::text::number(*self)
    }
}

impl Number for [f32; 2] {
    fn parts(&self) -> Vec<f32> {
        self.to_vec()
    }

    fn text(&self) -> String {
        super::text::list(self)
    }
}

macro_rules! tables {
    ($($name:ident = $table:literal, $core:ty {
        $($field:ident: $ty:ty, $low:literal ..= $high:literal, $about:literal;)*
    })*) => {$(
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub(super) struct $name {
            $($field: $ty,)*
        }

        impl Default for $name {
            fn default() -> Self {
                let core = <$core>::default();
                Self { $($field: core.$field,)* }
            }
        }

        impl From<$name> for $core {
            fn from(t: $name) -> Self {
                Self { $($field: t.$field,)* }
            }
        }

        impl $name {
            fn check(core: &$core) -> Result<(), RigFileError> {
                $(for v in core.$field.parts() {
                    if !($low..=$high).contains(&v) {
                        let place = format!(concat!($table, ".", stringify!($field), " = {}"), v);
                        let problem = concat!(
                            "must be from ", stringify!($low), " to ", stringify!($high)
                        );
                        return Err(RigFileError::Value { place, problem });
                    }
                })*
                Ok(())
            }

            fn write(core: &$core, out: &mut String) {
                let _ = writeln!(out, "\n[{}]", $table);
                $(
                    let set = format!("{} = {}", stringify!($field), core.$field.text());
                    let _ = writeln!(out, "{set:<34} # {}", $about);
                )*
            }
        }
    )*};
}

tables! {
    GazeTable = "mind.gaze", GazeParams {
        head_rate: f32, 0.1..=100.0, "rate of the head's spring, rad/s";
        tilt_rate: f32, 0.1..=100.0, "rate of the tilt's spring, rad/s";
        body_rate: f32, 0.1..=100.0, "rate of the body's spring, rad/s";
        pupil_rate: f32, 0.1..=200.0, "rate of the pupils' spring, rad/s";
        eye_lead: f32, 0.0..=2.0, "part of the head's remaining way that the pupils go ahead";
        pupil_limit: [f32; 2], 0.0..=1.5, "limits of the pupils, yaw and pitch, rad";
        idle_limit: f32, 0.0..=3.0, "limit of the head to either side, rad";
        glance_limit: f32, 0.0..=3.0, "the same in a glance, rad";
        pitch_limit: [f32; 2], -1.6..=1.6, "limits of the head up (negative) and down, rad";
        saccade_interval: [f32; 2], 0.02..=60.0, "time between small jumps of the eyes, s";
        saccade: [f32; 2], 0.0..=0.5, "size of those jumps, yaw and pitch, rad";
        breath_rate: f32, 0.0..=20.0, "rate of breath, rad/s";
    }
    LookTable = "mind.look", LookParams {
        interval: [f32; 2], 0.1..=600.0, "time on one thing, shortest and longest, s";
        ahead: f32, 0.0..=1000.0, "weight of the path ahead";
        side: f32, 0.0..=1000.0, "weight of each side";
        sky: f32, 0.0..=1000.0, "weight of the sky";
        viewer: f32, 0.0..=1000.0, "weight of the viewer";
        ahead_pitch: f32, -1.6..=1.6, "where the path ahead is looked at, rad below the horizon";
        side_yaw: [f32; 2], 0.0..=3.0, "how far to the side the banks are, rad";
        sky_pitch: f32, 0.0..=1.6, "how high the sky is, rad";
        reach: f32, 0.01..=10000.0, "distance at which a point's weight is halved, m";
        habituation: f32, 0.0..=1.0, "part of a point's weight that is left after a look";
        recovery: f32, 0.01..=10000.0, "time in which half of that comes back, s";
        blink_turn: f32, 0.0..=10.0, "a larger change of target comes with a blink, rad";
    }
    GlanceTable = "mind.glance", GlanceParams {
        body_share: f32, 0.0..=1.0, "part of the turn that the body takes";
        body_limit: f32, 0.0..=3.2, "limit of the body, rad";
        tilt: f32, -1.0..=1.0, "curious tilt, rad";
        tilt_at: f32, 0.0..=600.0, "when it sets in, s from the start";
        blink_at: f32, 0.0..=600.0, "when a slow blink comes, s";
        back_at: f32, 0.0..=600.0, "when it looks back, s";
        done_at: f32, 0.0..=600.0, "when it is over, s";
        pace: f32, 0.0..=10.0, "pace of the carrier meanwhile, of its own";
        pace_rate: f32, 0.01..=100.0, "how fast the pace changes, rad/s";
        cooldown: f32, 0.0..=100000.0, "shortest time to the next glance, s";
    }
    BlinkTable = "mind.blink", BlinkParams {
        close: f32, 0.001..=60.0, "open to shut, s";
        hold: f32, 0.0..=60.0, "shut, s";
        open: f32, 0.001..=60.0, "shut to open, s";
        sleepy: f32, 0.1..=100.0, "factor on these in a sleepy blink";
        interval: [f32; 2], 0.05..=100000.0, "time from one blink to the next, s";
        double: f32, 0.0..=1.0, "chance that a blink is a double one";
        gap: f32, 0.0..=10.0, "time between the two of a double blink, s";
    }
    EarTable = "mind.ears", EarParams {
        interval: [f32; 2], 0.1..=100000.0, "time between flicks, s";
        length: f32, 0.01..=10.0, "length of a flick, s";
        angle: f32, -3.0..=3.0, "height of a flick, rad";
        both: f32, 0.0..=1.0, "chance that both flick";
        fold: f32, -3.0..=3.0, "how far they lie back under full effort, rad";
    }
    LeafTable = "leaf", LeafParams {
        frequency: f32, 0.1..=20.0, "of the stem's swing, Hz";
        damping: f32, 0.0..=1.0, "damping ratio of the swing";
        drag: f32, 0.0..=1.0, "bend at 1 m/s of air, m; grows with the power 1.5";
        inertia: f32, 0.0..=10.0, "factor on inertia";
        limit: f32, 0.001..=10.0, "farthest bend of the tip, m";
        twist_frequency: f32, 0.1..=20.0, "of the twist about the stem, Hz";
        twist: f32, -3.0..=3.0, "twist at 1 m/s of air from the side, rad";
        twist_turn: f32, -3.0..=3.0, "twist at 1 rad/s of turn, rad";
        nod_frequency: f32, 0.1..=20.0, "rise and fall of the rim, Hz";
        nod: f32, 0.0..=1.0, "rise of the rim at 1 m/s of air, m";
        lever: f32, -10.0..=10.0, "from the stem to the axis that the holder turns about, m";
        flutter_rate: [f32; 2], 0.0..=200.0, "flutter in still air, and for each m/s, rad/s";
        flutter: [f32; 2], 0.0..=1.0, "height of the flutter for each m/s, and at most, m";
        gusts: f32, 0.0..=1.0, "how much gusts add to the wind and take from it, of it";
        gust_swing: f32, 0.0..=3.2, "how far they turn it, rad";
        cup: f32, 0.0..=1.0, "how deep the blade cups for each m/s, m";
    }
    MoodTable = "mind.mood", Mood {
        liveliness: f32, 0.0..=4.0, "0 keeps still, 1 is as tuned, 2 is restless";
        speed: f32, 0.05..=5.0, "factor on the springs of head and body";
        blinks: f32, 0.05..=20.0, "factor on how often it blinks";
        droop: f32, 0.0..=1.0, "lids that hang";
        bow: f32, -1.0..=1.0, "added to the head's pitch, rad";
        tilt: f32, -1.0..=1.0, "added to the head's tilt, rad";
        ears: f32, 0.0..=1.0, "ears laid back";
        viewer: f32, 0.0..=1000.0, "factor on the weight of the viewer";
        breath: f32, 0.0..=10.0, "factor on the rate of breath";
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct MindTable {
    gaze: GazeTable,
    look: LookTable,
    glance: GlanceTable,
    blink: BlinkTable,
    ears: EarTable,
    mood: MoodTable,
}

impl From<MindTable> for MindParams {
    fn from(t: MindTable) -> Self {
        Self {
            gaze: t.gaze.into(),
            look: t.look.into(),
            glance: t.glance.into(),
            blink: t.blink.into(),
            ears: t.ears.into(),
            mood: t.mood.into(),
        }
    }
}

pub(super) fn check(m: &MindParams) -> Result<(), RigFileError> {
    GazeTable::check(&m.gaze)?;
    LookTable::check(&m.look)?;
    GlanceTable::check(&m.glance)?;
    BlinkTable::check(&m.blink)?;
    EarTable::check(&m.ears)?;
    MoodTable::check(&m.mood)
}

pub(super) fn write(m: &MindParams, out: &mut String) {
    GazeTable::write(&m.gaze, out);
    LookTable::write(&m.look, out);
    GlanceTable::write(&m.glance, out);
    BlinkTable::write(&m.blink, out);
    EarTable::write(&m.ears, out);
    MoodTable::write(&m.mood, out);
}

pub(super) fn check_leaf(leaf: &LeafParams) -> Result<(), RigFileError> {
    LeafTable::check(leaf)
}

pub(super) fn write_leaf(leaf: &LeafParams, out: &mut String) {
    LeafTable::write(leaf, out);
}
