//! The window: what happens on keys, mouse and redraws.

use std::sync::Arc;
use std::time::Instant;

use enliven::Affine;
use enliven::glam::{Quat, Vec3};
use enliven_render::{
    Body, Camera, Framing, Gpu, GpuError, Line, Model, Renderer, Scene, Stage, Window,
    skeleton_lines,
};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::ActiveEventLoop;
use winit::keyboard::{Key, ModifiersState, NamedKey};
use winit::window::WindowId;

use super::Play;
use super::orbit::Orbit;
use crate::cast::{Cast, Setup};
use crate::failure::Failure;
use crate::options;
use crate::scene::SceneSetup;
use crate::shot::{Shot, Wish};
use crate::studio::failure;
use crate::subject::Subject;

/// Speeds that S goes through.
const SPEEDS: [f64; 4] = [1.0, 0.5, 0.25, 0.1];
/// Longest time that one redraw moves on by, seconds: a hidden window goes on where it was.
const LONGEST: f64 = 0.1;
/// One step by hand, seconds.
const STEP: f64 = 1.0 / 60.0;
/// Pixels that a wheel reports for a notch where it counts pixels.
const NOTCH_PIXELS: f64 = 40.0;
/// Framings by their keys.
const VIEWS: [Framing; 6] = [
    Framing::Front,
    Framing::ThreeQuarter,
    Framing::Side,
    Framing::Back,
    Framing::Face,
    Framing::Top,
];

/// Everything that lives as long as the window's program.
pub(super) struct App {
    subjects: Vec<Subject>,
    setup: Setup,
    wish: Wish,
    size: options::Size,
    exit_after: Option<f64>,
    cast: Cast,
    orbit: Orbit,
    stage: Stage,
    /// Where the bodies' middle was when the camera was set up, and which way they went.
    start: (Vec3, f32),
    paused: bool,
    speed: usize,
    joints: bool,
    screen: Option<Screen>,
    opened: Instant,
    last: Instant,
    hand: Hand,
    lines: Vec<Line>,
    bones: Vec<Line>,
    outcome: Result<(), Failure>,
}

/// The window with its device.
struct Screen {
    window: Arc<winit::window::Window>,
    gpu: Gpu,
    surface: Window,
    renderer: Renderer,
    models: Vec<Model>,
    title: String,
}

/// Mouse and modifier keys.
#[derive(Default)]
struct Hand {
    place: Option<(f64, f64)>,
    turning: bool,
    shifting: bool,
    modifiers: ModifiersState,
}

impl App {
    pub(super) fn new(play: &Play, subjects: Vec<Subject>, setup: Setup, cast: Cast) -> Self {
        let wish = Wish {
            camera: play.camera,
            stage: setup.scene.as_ref().map(SceneSetup::stage),
            background: play.background,
            light: play.time,
            aspect: play.size.width as f32 / play.size.height as f32,
            frames: 1,
            dt: STEP,
        };
        let (camera, stage) = Shot::still(&cast, &wish).frame(0, &cast);
        let now = Instant::now();
        Self {
            subjects,
            setup,
            wish,
            size: play.size,
            exit_after: play.exit_after,
            start: place(&cast),
            cast,
            orbit: Orbit::from(&camera),
            stage,
            paused: false,
            speed: 0,
            joints: play.joints,
            screen: None,
            opened: now,
            last: now,
            hand: Hand::default(),
            lines: Vec::new(),
            bones: Vec::new(),
            outcome: Ok(()),
        }
    }

    /// How it ended.
    pub(super) fn outcome(self) -> Result<(), Failure> {
        self.outcome
    }

    fn open(&self, events: &ActiveEventLoop) -> Result<Screen, Failure> {
        let attributes = winit::window::Window::default_attributes()
            .with_title("enliven")
            .with_inner_size(PhysicalSize::new(self.size.width, self.size.height));
        let window = events.create_window(attributes).map_err(|error| super::no_display(&error))?;
        let window = Arc::new(window);
        self.open_on(window).map_err(failure)
    }

    fn open_on(&self, window: Arc<winit::window::Window>) -> Result<Screen, GpuError> {
        let (gpu, surface) = Gpu::for_window(|| Arc::clone(&window))?;
        let size = window.inner_size();
        let surface = Window::new(&gpu, surface, size.width, size.height)?;
        let mut renderer = Renderer::new(&gpu);
        let upload = |subject: &Subject| renderer.upload(&gpu, &subject.character);
        let models = self.subjects.iter().map(upload).collect::<Result<_, _>>()?;
        Ok(Screen { window, gpu, surface, renderer, models, title: String::new() })
    }

    /// Moves on by what has passed since the last redraw, and draws.
    fn redraw(&mut self) -> Result<(), GpuError> {
        let now = Instant::now();
        let passed = now.duration_since(self.last).as_secs_f64().min(LONGEST);
        self.last = now;
        let camera = self.camera();
        if !self.paused {
            self.cast.set_viewer(camera.eye);
            self.cast.step(passed * SPEEDS[self.speed]);
        }
        self.draw()
    }

    /// It goes along with the bodies, and turns with the boat of a scene.
    fn camera(&self) -> Camera {
        let (start, yaw) = self.start;
        let mut camera = self.orbit.camera(self.moved());
        let turned = place(&self.cast).1 - yaw;
        if turned != 0.0 {
            let (turn, about) = (Quat::from_rotation_y(turned), start + self.moved());
            camera.eye = about + turn * (camera.eye - about);
            camera.target = about + turn * (camera.target - about);
        }
        camera
    }

    /// How far the bodies have gone since the camera was set up; height is left out, or the
    /// camera would hop with the rabbit.
    fn moved(&self) -> Vec3 {
        (place(&self.cast).0 - self.start.0) * Vec3::new(1.0, 0.0, 1.0)
    }

    fn draw(&mut self) -> Result<(), GpuError> {
        let (camera, moved) = (self.camera(), self.moved());
        let title = self.title();
        let mut stage = self.stage;
        self.cast.dress(&mut stage);
        if let Some(ground) = &mut stage.ground {
            ground.centre += moved;
        }
        self.lines.clear();
        if self.joints {
            for actor in self.cast.actors() {
                let root = Affine::from(&actor.pose().root);
                skeleton_lines(actor.character(), actor.model(), &root, &mut self.bones);
                self.lines.append(&mut self.bones);
            }
        }
        let Some(screen) = &mut self.screen else { return Ok(()) };
        if screen.title != title {
            screen.window.set_title(&title);
            screen.title = title;
        }
        let models = &screen.models;
        let bodies: Vec<Body<'_>> = self
            .cast
            .bodies()
            .filter_map(|(i, actor)| Some(Body::of(models.get(i)?, actor)))
            .collect();
        let scene = Scene { camera, stage, bodies: &bodies, lines: &self.lines };
        let Some(frame) = screen.surface.acquire(&screen.gpu)? else { return Ok(()) };
        screen.renderer.draw(&screen.gpu, &scene, &frame)?;
        screen.window.pre_present_notify();
        frame.present(&screen.gpu);
        Ok(())
    }

    /// The state and the keys.
    fn title(&self) -> String {
        let names: Vec<&str> = self.subjects.iter().map(|s| s.character.name.as_str()).collect();
        let clip = self.cast.clip_name().map(|name| format!(" · {name}")).unwrap_or_default();
        let mode = if self.cast.talks() { self.cast.mode().name() } else { "" };
        let mode = if mode.is_empty() { String::new() } else { format!(" · {mode}") };
        let speed = match (self.paused, SPEEDS[self.speed]) {
            (true, _) => " · paused".to_owned(),
            (false, 1.0) => String::new(),
            (false, speed) => format!(" · ×{speed}"),
        };
        format!(
            "{}{clip}{mode}{speed} — Space pause, . step, S slow, C clip, M mode, J joints, \
             1–6 view, Q end",
            names.join(", ")
        )
    }

    fn key(&mut self, events: &ActiveEventLoop, event: &KeyEvent) {
        if event.state != ElementState::Pressed {
            return;
        }
        match event.logical_key.as_ref() {
            Key::Named(NamedKey::Escape) => events.exit(),
            Key::Named(NamedKey::Space) => self.paused = !self.paused,
            Key::Character(".") => {
                self.paused = true;
                self.cast.step(STEP);
            }
            Key::Character(word) => self.letter(events, word),
            _ => {}
        }
    }

    fn letter(&mut self, events: &ActiveEventLoop, word: &str) {
        match word.to_lowercase().as_str() {
            "q" => events.exit(),
            "s" => self.speed = (self.speed + 1) % SPEEDS.len(),
            "b" => {
                if let Some(scene) = self.cast.scene_mut() {
                    scene.boat_mut().stop();
                }
            }
            "j" => self.joints = !self.joints,
            "m" => self.cast.change_mode(),
            "c" => self.cast.change_clip(if self.hand.modifiers.shift_key() { -1 } else { 1 }),
            "r" => {
                // The same subjects and clips as at the beginning: what worked once works again.
                if let Ok(cast) = Cast::new(&self.subjects, &self.setup) {
                    self.cast = cast;
                    self.start = place(&self.cast);
                }
            }
            digit => {
                let view = digit.parse::<usize>().ok().and_then(|n| VIEWS.get(n.checked_sub(1)?));
                if let Some(framing) = view {
                    self.wish.camera = Some(options::Camera::Framing(*framing));
                    self.frame_again();
                }
            }
        }
    }

    /// Puts the camera where the wish has it, for the bodies as they stand now.
    fn frame_again(&mut self) {
        if let Some(screen) = &self.screen {
            let (width, height) = (screen.surface.width(), screen.surface.height());
            self.wish.aspect = width as f32 / height.max(1) as f32;
        }
        let (camera, stage) = Shot::still(&self.cast, &self.wish).frame(0, &self.cast);
        self.orbit = Orbit::from(&camera);
        self.stage = stage;
        self.start = place(&self.cast);
    }

    fn drag(&mut self, x: f64, y: f64) {
        let before = self.hand.place.replace((x, y));
        let (Some((old_x, old_y)), Some(screen)) = (before, &self.screen) else { return };
        let height = f64::from(screen.surface.height().max(1));
        let (right, down) = (((x - old_x) / height) as f32, ((y - old_y) / height) as f32);
        if self.hand.turning {
            self.orbit.turn(right, down);
        }
        if self.hand.shifting {
            self.orbit.shift(right, down);
        }
    }

    fn fail(&mut self, events: &ActiveEventLoop, failure: Failure) {
        self.outcome = Err(failure);
        events.exit();
    }
}

/// Where the bodies are, and for a scene the way that they go, rad.
fn place(cast: &Cast) -> (Vec3, f32) {
    cast.scene().map_or_else(|| (cast.middle(), 0.0), |scene| scene.ride())
}

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.screen.is_some() {
            return;
        }
        match self.open(events) {
            Ok(screen) => {
                self.screen = Some(screen);
                self.opened = Instant::now();
                self.last = self.opened;
            }
            Err(failure) => self.fail(events, failure),
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::Resized(size) => {
                if let Some(screen) = &mut self.screen {
                    screen.surface.resize(&screen.gpu, size.width, size.height);
                }
            }
            WindowEvent::RedrawRequested => {
                if let Err(error) = self.redraw() {
                    self.fail(events, failure(error));
                }
            }
            WindowEvent::KeyboardInput { event, .. } => self.key(events, &event),
            WindowEvent::ModifiersChanged(modifiers) => self.hand.modifiers = modifiers.state(),
            WindowEvent::CursorMoved { position, .. } => self.drag(position.x, position.y),
            WindowEvent::MouseInput { state, button, .. } => {
                let down = state == ElementState::Pressed;
                match button {
                    MouseButton::Left => self.hand.turning = down,
                    MouseButton::Right | MouseButton::Middle => self.hand.shifting = down,
                    _ => {}
                }
            }
            WindowEvent::MouseWheel { delta, .. } => self.orbit.zoom(match delta {
                MouseScrollDelta::LineDelta(_, lines) => lines,
                MouseScrollDelta::PixelDelta(pixels) => (pixels.y / NOTCH_PIXELS) as f32,
            }),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let open = self.opened.elapsed().as_secs_f64();
        if self.exit_after.is_some_and(|seconds| open >= seconds) {
            events.exit();
        }
        if let Some(screen) = &self.screen {
            screen.window.request_redraw();
        }
    }
}
