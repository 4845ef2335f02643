//! The graphics device with everything that a cast needs on it.

use enliven::Affine;
use enliven_render::{
    Body, Camera, Gpu, GpuError, Headless, Line, Model, Picture, Renderer, Scene, Stage,
};

use crate::cast::BodyState;
use crate::failure::{Code, Failure};
use crate::subject::Subject;

/// Draws the frames of a cast into pictures.
pub struct Studio {
    gpu: Gpu,
    renderer: Renderer,
    models: Vec<Model>,
    target: Headless,
}

/// Everything that one frame shows.
#[derive(Clone, Debug)]
pub struct FrameState {
    /// The bodies, each with the place of its subject.
    pub bodies: Vec<BodyState>,
    /// Where the eye is.
    pub camera: Camera,
    /// Light and ground.
    pub stage: Stage,
}

impl Studio {
    /// Opens the device and uploads the subjects.
    ///
    /// # Errors
    /// [`Code::NoAdapter`] where nothing can draw; [`Code::Option`] where the picture or a subject
    /// is larger than the device takes.
    pub fn new(subjects: &[Subject], width: u32, height: u32) -> Result<Self, Failure> {
        Self::open(subjects, width, height).map_err(failure)
    }

    fn open(subjects: &[Subject], width: u32, height: u32) -> Result<Self, GpuError> {
        let gpu = Gpu::headless()?;
        let info = gpu.info();
        tracing::info!("drawing with {} through {}", info.name, info.backend);
        let renderer = Renderer::new(&gpu);
        let target = Headless::new(&gpu, width, height)?;
        let mut studio = Self { gpu, renderer, models: Vec::new(), target };
        studio.upload(subjects)?;
        Ok(studio)
    }

    fn upload(&mut self, subjects: &[Subject]) -> Result<(), GpuError> {
        self.models.clear();
        for subject in subjects {
            self.models.push(self.renderer.upload(&self.gpu, &subject.character)?);
        }
        Ok(())
    }

    /// Takes other subjects on the same device.
    ///
    /// # Errors
    /// As [`Studio::new`].
    pub fn recast(&mut self, subjects: &[Subject]) -> Result<(), Failure> {
        self.upload(subjects).map_err(failure)
    }

    /// Draws one frame.
    ///
    /// # Errors
    /// [`Code::DeviceLost`] where the device fails.
    pub fn draw(&mut self, frame: &FrameState) -> Result<Picture, Failure> {
        self.draw_with(frame, &[])
    }

    /// Draws one frame with lines over it.
    ///
    /// # Errors
    /// As [`Studio::draw`].
    pub fn draw_with(&mut self, frame: &FrameState, lines: &[Line]) -> Result<Picture, Failure> {
        let bodies: Vec<Body<'_>> = frame
            .bodies
            .iter()
            .filter_map(|state| Some((self.models.get(state.subject)?, state)))
            .map(|(model, state)| Body {
                model,
                palette: &state.palette,
                channels: &state.channels,
                root: Affine::from(&state.root),
                outline: None,
            })
            .collect();
        let scene = Scene { camera: frame.camera, stage: frame.stage, bodies: &bodies, lines };
        let drawn = self.renderer.draw(&self.gpu, &scene, &self.target);
        drawn.and_then(|()| self.target.read(&self.gpu)).map_err(failure)
    }
}

/// What a fault of the device means for the person at the command line.
pub fn failure(error: GpuError) -> Failure {
    let code = match error {
        GpuError::NoAdapter { .. } | GpuError::NoDevice { .. } => Code::NoAdapter,
        GpuError::Limit { .. } => Code::Option,
        GpuError::Window { .. } => Code::NoDisplay,
        _ => Code::DeviceLost,
    };
    Failure::new(code, error.to_string())
}
