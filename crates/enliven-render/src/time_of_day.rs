//! Light of a time of day.

use enliven::glam::Vec3;

use crate::scene::{Mist, Sky, Stage, Sun};

/// When a picture is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeOfDay {
    /// A warm morning with thin clouds.
    #[default]
    Day,
    /// The sun stands low behind the scene.
    Dusk,
    /// A moon, and stars.
    Night,
}

/// All the light of a scene, as data: take one of a [`TimeOfDay`] and change what you like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// The sun or the moon.
    pub sun: Sun,
    /// The dome.
    pub sky: Sky,
    /// What hides the distance.
    pub mist: Mist,
    /// Factor on all light before the tone map.
    pub exposure: f32,
}

impl TimeOfDay {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Day, Self::Dusk, Self::Night];

    /// The time of that name: `day`, `dusk` or `night`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|time| time.name() == name)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Dusk => "dusk",
            Self::Night => "night",
        }
    }

    /// Its light. Colours were chosen by eye, for a scene that is looked at towards −Z.
    pub fn light(self) -> Light {
        let v = Vec3::new;
        match self {
            Self::Day => Light {
                sun: Sun {
                    direction: v(-0.5, 0.72, 0.42),
                    colour: v(3.0, 2.6, 2.05),
                    ..Sun::default()
                },
                sky: Sky {
                    zenith: v(0.16, 0.55, 1.55),
                    horizon: v(1.55, 1.62, 1.5),
                    bounce: v(0.42, 0.50, 0.36),
                    clouds: 0.55,
                    disc: 0.03,
                    ..Sky::default()
                },
                mist: Mist { colour: v(1.35, 1.45, 1.38), density: 0.014 },
                exposure: 0.9,
            },
            Self::Dusk => Light {
                sun: Sun {
                    direction: v(-0.80, 0.27, -0.42),
                    colour: v(4.6, 2.0, 0.72),
                    softness: 0.1,
                    ..Sun::default()
                },
                sky: Sky {
                    zenith: v(0.30, 0.36, 0.86),
                    horizon: v(1.75, 0.92, 0.58),
                    bounce: v(0.52, 0.40, 0.42),
                    night: 0.15,
                    clouds: 0.7,
                    stars: 0.12,
                    disc: 0.055,
                },
                mist: Mist { colour: v(0.95, 0.54, 0.42), density: 0.016 },
                exposure: 1.05,
            },
            Self::Night => Light {
                sun: Sun {
                    direction: v(0.64, 0.55, -0.12),
                    colour: v(0.78, 1.02, 1.55),
                    softness: 0.08,
                    ..Sun::default()
                },
                sky: Sky {
                    zenith: v(0.022, 0.050, 0.155),
                    horizon: v(0.13, 0.21, 0.36),
                    bounce: v(0.075, 0.11, 0.15),
                    night: 1.0,
                    clouds: 0.4,
                    stars: 1.0,
                    disc: 0.045,
                },
                mist: Mist { colour: v(0.085, 0.14, 0.24), density: 0.016 },
                exposure: 1.3,
            },
        }
    }
}

impl Stage {
    /// The same stage in another light.
    pub fn lit_by(mut self, light: Light) -> Self {
        self.sun = Sun { within: self.sun.within, ..light.sun };
        (self.sky, self.mist, self.exposure) = (light.sky, light.mist, light.exposure);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_its_name_and_is_darker_than_the_one_before() {
        let mut last = f32::INFINITY;
        for time in TimeOfDay::ALL {
            assert_eq!(TimeOfDay::named(time.name()), Some(time));
            let light = time.light();
            // Light on the ground.
            let sun = light.sun.colour * light.sun.direction.normalize().y;
            let all = (light.sky.zenith + light.sky.horizon + sun) * light.exposure;
            let bright = all.dot(Vec3::new(0.2126, 0.7152, 0.0722));
            assert!(bright < last * 0.75, "{time:?}: {bright}");
            last = bright;
        }
        assert_eq!(TimeOfDay::named("noon"), None);
    }
}
