//! MP4 and WebM, through `ffmpeg`.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::JoinHandle;

use super::whole::Whole;
use super::{Film, Picture, Sink};
use crate::failure::{Code, Failure};

/// The container and its codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// H.264 in MP4.
    Mp4,
    /// VP9 in WebM, with alpha when the film is transparent.
    Webm,
}

/// A film that `ffmpeg` writes from raw frames on its standard input.
pub(super) struct Ffmpeg {
    output: Whole,
    child: Child,
    // Both are there until the film is finished.
    input: Option<ChildStdin>,
    complaints: Option<JoinHandle<String>>,
}

impl Ffmpeg {
    pub(super) fn open(path: &Path, film: &Film, kind: Kind) -> Result<Self, Failure> {
        let output = Whole::new(path)?;
        let mut command = Command::new("ffmpeg");
        command.args(arguments(film, kind)).arg(output.temporary());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                let message = "films need the program `ffmpeg`, which is not on the path";
                Failure::new(Code::FfmpegMissing, message).help(
                    "install it (Debian, Ubuntu: apt-get install ffmpeg; macOS: brew install \
                     ffmpeg; Windows: winget install Gyan.FFmpeg), or write .gif or .apng, which \
                     need no tool",
                )
            } else {
                output.failure(&error)
            }
        })?;
        let input = child.stdin.take();
        // Read beside the writing, or a talkative ffmpeg would block on a full pipe.
        let complaints = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = stderr.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            })
        });
        Ok(Self { output, child, input, complaints })
    }

    /// Waits for `ffmpeg` and returns what it said.
    fn end(&mut self) -> (bool, String) {
        drop(self.input.take());
        let success = self.child.wait().is_ok_and(|status| status.success());
        let said = self.complaints.take().and_then(|thread| thread.join().ok());
        (success, said.unwrap_or_default())
    }
}

/// The arguments but for the output. Nothing in them depends on the machine or the time of day:
/// the number of threads, which changes an encoder's choices, is fixed too.
fn arguments(film: &Film, kind: Kind) -> Vec<String> {
    let size = format!("{}x{}", film.width, film.height);
    let fps = film.fps.to_string();
    let mut words: Vec<String> = ["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo"]
        .into_iter()
        .chain(["-pix_fmt", "rgba", "-s", &size, "-r", &fps, "-i", "-", "-an"])
        .map(str::to_owned)
        .collect();
    // Colours as HDTV has them, and even sizes, which 4:2:0 needs.
    let filter = "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv";
    let alpha = film.transparent && kind == Kind::Webm;
    let format = if alpha { "yuva420p" } else { "yuv420p" };
    let common = ["-vf", filter, "-pix_fmt", format, "-colorspace", "bt709"];
    words.extend(common.into_iter().map(str::to_owned));
    let tags = ["-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"];
    words.extend(tags.into_iter().map(str::to_owned));
    let codec: &[&str] = match kind {
        Kind::Mp4 => &[
            "-c:v",
            "libx264",
            "-preset",
            "medium",
            "-crf",
            "18",
            "-threads",
            "2",
            "-movflags",
            "+faststart",
            "-f",
            "mp4",
        ],
        Kind::Webm => &[
            "-c:v",
            "libvpx-vp9",
            "-b:v",
            "0",
            "-crf",
            "28",
            "-deadline",
            "good",
            "-cpu-used",
            "4",
            "-row-mt",
            "1",
            "-threads",
            "2",
            "-auto-alt-ref",
            "0",
            "-f",
            "webm",
        ],
    };
    words.extend(codec.iter().copied().map(str::to_owned));
    let exact = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"];
    words.extend(exact.into_iter().map(str::to_owned));
    words
}

impl Sink for Ffmpeg {
    fn push(&mut self, frame: &Picture) -> Result<(), Failure> {
        let Some(input) = self.input.as_mut() else {
            return Err(self.output.failure(&"ffmpeg has ended already"));
        };
        if let Err(error) = input.write_all(&frame.rgba) {
            let (_, said) = self.end();
            let why = if said.is_empty() { error.to_string() } else { said };
            return Err(self.output.failure(&format!("ffmpeg: {}", why.trim())));
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Failure> {
        let (success, said) = self.end();
        if !success {
            return Err(self.output.failure(&format!("ffmpeg: {}", said.trim())));
        }
        // `Drop` forbids moving the output out; a fresh one for the same paths takes its place.
        let placeholder = Whole::new(self.output.wanted())?;
        std::mem::replace(&mut self.output, placeholder).keep()
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        if self.input.is_some() {
            // The film was given up half-way.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{film, push_all};
    use super::*;
    use crate::testing::Scratch;

    fn available() -> bool {
        let found = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).status().is_ok();
        if !found {
            assert!(std::env::var_os("CI").is_none(), "CI must have ffmpeg");
            println!("skipped: ffmpeg is not installed");
        }
        found
    }

    #[test]
    fn a_film_is_written_whole_and_always_the_same() {
        if !available() {
            return;
        }
        let scratch = Scratch::new();
        for name in ["a.mp4", "a.webm"] {
            // An odd size, which the codecs do not take as it is.
            let film = film(33, 17, 6);
            let path = scratch.path(name);
            push_all(&path, &film);
            let first = std::fs::read(&path).unwrap();
            push_all(&path, &film);
            assert!(first == std::fs::read(&path).unwrap(), "{name} differs between two runs");
            let probe = Command::new("ffprobe")
                .args(["-v", "error", "-count_frames", "-select_streams", "v:0"])
                .args(["-show_entries", "stream=width,height,nb_read_frames", "-of", "csv=p=0"])
                .arg(&path)
                .output()
                .unwrap();
            assert_eq!(String::from_utf8_lossy(&probe.stdout).trim(), "34,18,6", "{name}");
        }
        assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 2);
    }

    #[test]
    fn a_film_given_up_leaves_nothing_behind() {
        if !available() {
            return;
        }
        let scratch = Scratch::new();
        let film = film(32, 16, 6);
        let mut sink = Ffmpeg::open(&scratch.path("a.mp4"), &film, Kind::Mp4).unwrap();
        sink.push(&Picture::filled(32, 16, [1, 2, 3, 255])).unwrap();
        drop(sink);
        assert_eq!(std::fs::read_dir(scratch.path("")).unwrap().count(), 0);
    }
}
