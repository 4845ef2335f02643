//! Scenes: more than bodies beside each other. There is one, `drift`.

use enliven::builtin::drift::{Bodies, Daylight, Drift, DriftParams};
use enliven::glam::Vec3;
use enliven_render::{Bounds, Stage, TimeOfDay, Wake};

use crate::failure::{Code, Failure};
use crate::options::LifeWish;
use crate::subject::Subject;

/// Name of the scene.
const DRIFT: &str = "drift";
/// Mist of the scene, of that of the light: its far trees are near.
const MIST: f32 = 0.45;
/// Shadows reach so far from the boat, metres: farther they would lose their edges.
const SHADOWS: f32 = 13.0;

fn daylight(time: TimeOfDay) -> Daylight {
    match time {
        TimeOfDay::Day => Daylight::Day,
        TimeOfDay::Dusk => Daylight::Dusk,
        TimeOfDay::Night => Daylight::Night,
    }
}

/// A scene that can be begun any number of times.
#[derive(Clone, Debug)]
pub struct SceneSetup {
    bodies: Bodies,
    params: DriftParams,
    time: TimeOfDay,
    wish: LifeWish,
}

impl SceneSetup {
    /// The scene that the names ask for, if any.
    ///
    /// # Errors
    /// [`Code::Option`] where a scene shall stand beside something else.
    pub fn named(
        names: &[String],
        time: TimeOfDay,
        wish: &LifeWish,
    ) -> Result<Option<Self>, Failure> {
        if !names.iter().any(|name| name.eq_ignore_ascii_case(DRIFT)) {
            return Ok(None);
        }
        if names.len() > 1 {
            let message = format!("the scene `{DRIFT}` has its own bodies: it stands alone");
            return Err(Failure::new(Code::Option, message));
        }
        let defaults = DriftParams::default();
        let params = DriftParams {
            daylight: daylight(time),
            mind: wish.params(),
            leaf: wish.leaf(),
            wind: wish.asked_wind().unwrap_or(defaults.wind),
            ..defaults
        };
        let bodies = Bodies::new(params.daylight);
        Ok(Some(Self { bodies, params, time, wish: wish.clone() }))
    }

    /// Its bodies as subjects, in the order in which [`Drift::bodies`] counts them.
    #[must_use]
    pub fn subjects(&self) -> Vec<Subject> {
        let name = |c: &enliven::Character| c.name.clone();
        self.bodies.characters().iter().map(|c| Subject::made(&name(c), c.clone())).collect()
    }

    /// Begins it.
    #[must_use]
    pub fn begin(&self, seed: u64) -> Drift {
        let mut drift = Drift::with(&self.bodies, self.params, seed);
        if let Some(life) = drift.life_mut() {
            self.wish.direct(&mut life.mind);
        }
        drift
    }

    /// Its light and surroundings.
    #[must_use]
    pub fn stage(&self) -> Stage {
        let anything = Bounds { low: Vec3::ZERO, high: Vec3::ONE };
        let bare = Stage { ground: None, ..Stage::under(&anything) };
        let mut stage = bare.lit_by(self.time.light());
        stage.mist.density *= MIST;
        stage
    }
}

/// What a stage shows of a scene as it is now: the wake of the boat, and shadows about it.
pub fn dress(stage: &mut Stage, drift: &Drift) {
    let (place, _) = drift.ride();
    let reach = Vec3::new(SHADOWS, 4.0, SHADOWS);
    stage.sun.within = Some(Bounds { low: place - reach, high: place + reach });
    let motion = drift.boat().motion();
    stage.wake = Some(Wake { place: drift.boat().root().translation, velocity: motion.velocity });
}
