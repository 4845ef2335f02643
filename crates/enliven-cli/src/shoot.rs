//! Draws the frames of a film, several at a time, and hands them to the outputs in order.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use enliven_render::Picture;

use crate::cast::Cast;
use crate::failure::{Code, Failure};
use crate::media::Sink;
use crate::shot::Shot;
use crate::studio::{FrameState, Studio};
use crate::subject::Subject;

/// A film to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Number of frames, at least 1.
    pub frames: usize,
    /// Seconds from one frame to the next.
    pub dt: f64,
    /// Frames that are drawn at the same time, each by a device of its own; at least 1.
    pub jobs: usize,
}

type Drawn = (usize, Result<Picture, Failure>);

/// Plays the film and fills the outputs. `progress` is called after each frame that is done.
///
/// The pictures do not depend on `jobs`: the cast is moved by one thread, in order, and a picture
/// depends on its frame alone.
///
/// # Errors
/// The first failure of a device or an output; outputs are left unfinished then.
pub fn shoot(
    subjects: &[Subject],
    mut cast: Cast,
    shot: &Shot,
    order: &Order,
    sinks: &mut [Box<dyn Sink>],
    mut progress: impl FnMut(),
) -> Result<(), Failure> {
    let jobs = order.jobs.clamp(1, order.frames.max(1));
    // The first device is opened here: without a driver there is one failure, and no thread.
    let first = Studio::new(subjects, order.width, order.height)?;
    let (give, take) = sync_channel::<(usize, FrameState)>(jobs);
    let (done, collect) = sync_channel::<Drawn>(jobs);
    let take = Mutex::new(take);
    std::thread::scope(|scope| {
        let mut first = Some(first);
        for _ in 0..jobs {
            let (studio, take, done) = (first.take(), &take, done.clone());
            scope.spawn(move || draw(studio, subjects, order, take, &done));
        }
        drop(done);
        let mut waiting = BTreeMap::new();
        let (mut next, mut open) = (0, 0);
        for frame in 0..order.frames {
            if frame > 0 {
                cast.set_viewer(shot.frame(frame, &cast).0.eye);
                cast.step(order.dt);
            }
            if !sinks.iter().any(|sink| sink.wants(frame)) {
                waiting.insert(frame, None);
                continue;
            }
            // Twice as many frames as threads are on their way, so that none has to wait.
            while open >= jobs * 2 {
                receive(&collect, &mut waiting)?;
                open -= 1;
                deliver(&mut waiting, &mut next, sinks, &mut progress)?;
            }
            let (camera, mut stage) = shot.frame(frame, &cast);
            cast.dress(&mut stage);
            let state = FrameState { bodies: cast.states(), camera, stage };
            if give.send((frame, state)).is_err() {
                return Err(gone());
            }
            open += 1;
        }
        drop(give);
        for _ in 0..open {
            receive(&collect, &mut waiting)?;
            deliver(&mut waiting, &mut next, sinks, &mut progress)?;
        }
        deliver(&mut waiting, &mut next, sinks, &mut progress)
    })
}

/// Draws what it is given until there is no more.
fn draw(
    studio: Option<Studio>,
    subjects: &[Subject],
    order: &Order,
    take: &Mutex<Receiver<(usize, FrameState)>>,
    done: &SyncSender<Drawn>,
) {
    let mut studio = match studio {
        Some(studio) => Ok(studio),
        None => Studio::new(subjects, order.width, order.height),
    };
    loop {
        let job = take.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((index, frame)) = job else { return };
        let picture = match &mut studio {
            Ok(studio) => studio.draw(&frame),
            Err(failure) => Err(failure.clone()),
        };
        // Nobody listens any more after another failure.
        if done.send((index, picture)).is_err() {
            return;
        }
    }
}

type Waiting = BTreeMap<usize, Option<Picture>>;

fn receive(collect: &Receiver<Drawn>, waiting: &mut Waiting) -> Result<(), Failure> {
    let (index, picture) = collect.recv().map_err(|_| gone())?;
    waiting.insert(index, Some(picture?));
    Ok(())
}

/// Hands on every frame whose turn it is.
fn deliver(
    waiting: &mut Waiting,
    next: &mut usize,
    sinks: &mut [Box<dyn Sink>],
    progress: &mut impl FnMut(),
) -> Result<(), Failure> {
    while let Some(picture) = waiting.remove(next) {
        if let Some(picture) = picture {
            for sink in sinks.iter_mut().filter(|sink| sink.wants(*next)) {
                sink.push(&picture)?;
            }
        }
        *next += 1;
        progress();
    }
    Ok(())
}

fn gone() -> Failure {
    Failure::new(Code::DeviceLost, "a drawing thread ended before its time")
}
