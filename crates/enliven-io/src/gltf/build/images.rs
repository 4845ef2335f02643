//! Encoded images → pixels.

use std::io::Cursor;

use enliven::Image;
use image::{ImageFormat, ImageReader};

use super::super::{
    Resources,
    schema::{self, Document},
};
use crate::{Diagnostic, LimitKind, Limits, Severity, error::KTX2, findings::Findings};

/// Most bytes that one byte of a PNG's deflate stream can become (RFC 1951: 258 bytes for 2 bits).
const DEFLATE_RATIO: u64 = 1032;

/// RGBA bytes, or why there are none.
type Pixels = Result<Vec<u8>, String>;

/// What an image's header says, when it may be decoded.
struct Plan<'a> {
    bytes: &'a [u8],
    format: ImageFormat,
    width: u32,
    height: u32,
}

/// What is to be decoded.
pub(super) struct Images<'a> {
    /// One an element of `/images`, without pixels yet.
    list: Vec<Image>,
    plans: Vec<Option<Plan<'a>>>,
}

/// Reads the headers of those images that `used` names.
pub(super) fn begin<'a>(
    document: &Document,
    resources: &'a Resources,
    used: &[bool],
    limits: &Limits,
    found: &mut Findings,
) -> Images<'a> {
    let name = |image: &schema::Image| image.name.clone().unwrap_or_default();
    let unread = |image| Image { name: name(image), ..Image::default() };
    let mut left = limits.total_image_pixels;
    let mut plans = Vec::with_capacity(document.images.len());
    for (i, source) in document.images.iter().enumerate() {
        let bytes = resources.images.get(i).and_then(Option::as_deref);
        let mut say = |severity, code, message: String| {
            found.push(Diagnostic::new(severity, code, format!("/images/{i}"), message));
        };
        plans.push(match bytes {
            _ if !used[i] => {
                let message = "no material shows it; kept with the document, not decoded";
                say(Severity::Info, "IMAGE_NOT_SHOWN", message.into());
                None
            }
            // Said when it was fetched.
            None => None,
            Some(bytes) => match plan(bytes, limits, &mut left) {
                Ok(plan) => {
                    let mime = plan.format.to_mime_type();
                    if let Some(declared) = source.mime_type.as_deref().filter(|d| *d != mime) {
                        let message = format!("it is {mime}, not {declared}; read as what it is");
                        say(Severity::Error, "IMAGE_MIME_TYPE_INVALID", message);
                    }
                    Some(plan)
                }
                Err((code, message)) => {
                    say(Severity::Error, code, format!("{message}; the image is left out"));
                    None
                }
            },
        });
    }
    Images { list: document.images.iter().map(unread).collect(), plans }
}

impl Images<'_> {
    /// The images, without pixels where they cannot be decoded; decodes while `meanwhile` runs.
    pub(super) fn finish<R>(
        self,
        limits: &Limits,
        found: &mut Findings,
        meanwhile: impl FnOnce(&mut Findings) -> R,
    ) -> (Vec<Image>, R) {
        let Self { mut list, plans } = self;
        let (pixels, result) = decode_all(&plans, limits, || meanwhile(found));
        for ((i, plan), pixels) in plans.iter().enumerate().zip(pixels) {
            match (plan, pixels) {
                (Some(Plan { width, height, .. }), Some(Ok(rgba))) => {
                    let name = std::mem::take(&mut list[i].name);
                    list[i] = Image { name, width: *width, height: *height, rgba };
                }
                (_, Some(Err(message))) => found.push(Diagnostic::new(
                    Severity::Error,
                    "IMAGE_DATA_INVALID",
                    format!("/images/{i}"),
                    format!("{message}; the image is left out"),
                )),
                _ => {}
            }
        }
        (list, result)
    }
}

fn plan<'a>(
    bytes: &'a [u8],
    limits: &Limits,
    left: &mut u64,
) -> Result<Plan<'a>, (&'static str, String)> {
    let invalid = |error: image::ImageError| ("IMAGE_DATA_INVALID", error.to_string());
    if bytes.starts_with(b"\xabKTX 20\xbb\r\n\x1a\n") {
        return Err(("KTX2_UNSUPPORTED", format!("it is {KTX2}")));
    }
    let reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| ("IMAGE_DATA_INVALID", error.to_string()))?;
    let format = reader.format();
    let Some(format) = format.filter(|format| {
        matches!(format, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)
    }) else {
        return Err(("IMAGE_UNRECOGNIZED_FORMAT", "neither PNG nor JPEG nor WebP".into()));
    };
    let (width, height) = reader.into_dimensions().map_err(invalid)?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        return Err(("IMAGE_DATA_INVALID", format!("{width} × {height} pixels")));
    }
    let over = |what: LimitKind, limit: u64| {
        Err((what.code(), format!("{width} × {height}: {what} go beyond the limit of {limit}")))
    };
    if pixels > limits.image_pixels {
        return over(LimitKind::ImagePixels, limits.image_pixels);
    }
    if pixels > *left {
        return over(LimitKind::TotalImagePixels, limits.total_image_pixels);
    }
    // A bit a pixel is the least that a PNG can have.
    if format == ImageFormat::Png && pixels / 8 > (bytes.len() as u64).saturating_mul(DEFLATE_RATIO)
    {
        let message = format!("{} bytes cannot hold {width} × {height} pixels", bytes.len());
        return Err(("IMAGE_UNEXPECTED_EOS", message));
    }
    *left -= pixels;
    Ok(Plan { bytes, format, width, height })
}

fn decode(plan: &Plan<'_>, limits: &Limits) -> Pixels {
    let mut allowed = image::Limits::default();
    allowed.max_image_width = Some(plan.width);
    allowed.max_image_height = Some(plan.height);
    // 8 bytes a pixel for 16-bit RGBA, twice for the decoder's own copy.
    allowed.max_alloc = Some(limits.image_pixels.saturating_mul(16));
    let mut reader = ImageReader::with_format(Cursor::new(plan.bytes), plan.format);
    reader.limits(allowed);
    let decoded = reader.decode().map_err(|error| error.to_string())?;
    let rgba = decoded.into_rgba8();
    if rgba.dimensions() != (plan.width, plan.height) {
        return Err("its header and its data differ in size".into());
    }
    Ok(rgba.into_raw())
}

/// Decodes on as many threads as there are cores while `meanwhile` runs on this one; the result
/// does not depend on how many they are.
#[cfg(not(target_arch = "wasm32"))]
fn decode_all<R>(
    plans: &[Option<Plan<'_>>],
    limits: &Limits,
    meanwhile: impl FnOnce() -> R,
) -> (Vec<Option<Pixels>>, R) {
    use std::sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    };

    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(plans.iter().flatten().count());
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<Pixels>>> = plans.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some((plan, done)) = {
            let i = next.fetch_add(1, Ordering::Relaxed);
            plans.get(i).zip(done.get(i))
        } {
            let pixels = plan.as_ref().map(|plan| decode(plan, limits));
            if let Ok(mut done) = done.lock() {
                *done = pixels;
            }
        }
    };
    let result = std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
        meanwhile()
    });
    (done.into_iter().map(|done| done.into_inner().unwrap_or_default()).collect(), result)
}

#[cfg(target_arch = "wasm32")]
fn decode_all<R>(
    plans: &[Option<Plan<'_>>],
    limits: &Limits,
    meanwhile: impl FnOnce() -> R,
) -> (Vec<Option<Pixels>>, R) {
    let result = meanwhile();
    let pixels = plans.iter().map(|plan| plan.as_ref().map(|plan| decode(plan, limits)));
    (pixels.collect(), result)
}
