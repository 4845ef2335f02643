//! What the tests of broken files share: where files are, and what an import may cost.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use enliven::{Diagnostic, Severity};
use enliven_io::{
    Bytes, Fetch, Folder,
    gltf::{Import, Options, import},
};
use peak_alloc::PeakAlloc;

/// Counts the bytes in use.
#[global_allocator]
pub(crate) static MEMORY: PeakAlloc = PeakAlloc;

/// Seconds that any file may take.
pub(crate) const SECONDS: u64 = 2;
/// Bytes that any file may take.
pub(crate) const BYTES: usize = 512 << 20;

/// Memory is counted for the whole process, so measured tests run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Waits for other measured tests.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// How long this process has computed, on all cores; `None` where that is not told.
fn computed() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in brackets, may hold anything; user and system time are the 12th and 13th after.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    // Ticks of 10 ms on every Linux.
    Some(Duration::from_millis((ticks()? + ticks()?) * 10))
}

/// What came of an import.
pub(crate) struct Outcome {
    /// The import, or the code and place (as diagnostics spell it) of the one error.
    pub(crate) result: Result<Box<Import>, (String, String)>,
    /// How long it took: by the clock or by what was computed, whichever is less, since tests run
    /// beside each other.
    pub(crate) time: Duration,
    /// The most bytes in use above those in use before.
    pub(crate) peak: usize,
}

impl Outcome {
    /// Code, place and severity of every finding, the one error included.
    pub(crate) fn findings(&self) -> Vec<(String, String, Severity)> {
        match &self.result {
            Ok(import) => import
                .diagnostics
                .iter()
                .map(|found| (found.code.to_owned(), found.place.clone(), found.severity))
                .collect(),
            Err((code, place)) => vec![(code.clone(), place.clone(), Severity::Error)],
        }
    }

    /// The diagnostics; none when the file was refused.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        self.result.as_ref().map_or(&[], |import| &import.diagnostics)
    }
}

/// Imports bytes and measures it. `Err` says what went beyond the bounds: a panic, too long, too
/// much memory.
pub(crate) fn measured(
    bytes: Vec<u8>,
    fetch: &mut dyn Fetch,
    options: &Options,
    seconds: u64,
    memory: usize,
) -> Result<Outcome, String> {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let (start, start_computed) = (Instant::now(), computed());
    let bytes = Bytes::from(bytes);
    let result = catch_unwind(AssertUnwindSafe(|| import(bytes, fetch, options)));
    let mut time = start.elapsed();
    if let (Some(before), Some(now)) = (start_computed, computed()) {
        time = time.min(now.saturating_sub(before));
    }
    let peak = MEMORY.peak_usage().saturating_sub(before);
    let result = result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        format!("panicked: {}", text.unwrap_or_default())
    })?;
    if time > Duration::from_secs(seconds) {
        return Err(format!("took {time:?}"));
    }
    if peak > memory {
        return Err(format!("took {} MiB", peak >> 20));
    }
    let result = result.map(Box::new).map_err(|error| {
        let place = error.place().to_string();
        (error.code().to_owned(), if place == "/" { String::new() } else { place })
    });
    Ok(Outcome { result, time, peak })
}

/// Imports a file with the files beside it, within the bounds for any file.
pub(crate) fn import_path(path: &Path) -> Result<Outcome, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let binary = ["glb", "vrm"].contains(&enliven_testing::ending(path).as_str());
    let options = Options { name, binary, ..Default::default() };
    measured(bytes, &mut Folder::of(path), &options, SECONDS, BYTES)
}
