//! Buffers and images: from the chunk, from data URIs, from files beside the document.

use std::collections::BTreeMap;

use super::{
    Container, Resources,
    accessor::{Data, Fault},
    packed,
    schema::Document,
    uri::{self, Uri},
};
use crate::{
    Bytes, Diagnostic, Fetch, FetchError, LimitKind, Limits, Severity, findings::Findings,
};

/// Gets what `document` refers to. What cannot be had is `None`, with a diagnostic.
pub(super) fn resolve(
    document: &Document,
    container: Container,
    bin: Option<Bytes>,
    file_length: u64,
    fetch: &mut dyn Fetch,
    limits: &Limits,
    diagnostics: &mut Findings,
) -> Resources {
    let left = limits.total_bytes.saturating_sub(file_length);
    let mut source = Source { fetch, left, limit: limits.total_bytes, files: BTreeMap::new() };

    let mut buffers = Vec::with_capacity(document.buffers.len());
    for (i, buffer) in document.buffers.iter().enumerate() {
        let pointer = format!("/buffers/{i}");
        buffers.push(match &buffer.uri {
            // Readers that know meshopt need not load what is only there for others.
            Some(_) if packed::is_fallback(&buffer.extensions) => None,
            Some(uri) => source.get(uri, &(pointer + "/uri"), diagnostics),
            // A later buffer without a URI stands for what meshopt unpacks.
            None if i == 0 => bin.clone(),
            None => None,
        });
    }

    let mut images = Vec::with_capacity(document.images.len());
    let views = packed::unpack(document, &buffers, limits);
    let data = Data::new(document, &buffers, &views, limits);
    for (i, image) in document.images.iter().enumerate() {
        let pointer = format!("/images/{i}");
        images.push(match (&image.uri, image.buffer_view) {
            (_, Some(view)) => match data.view_bytes(view) {
                Ok(bytes) => Some(bytes),
                Err(Fault { code, message, .. }) => {
                    let message = format!("{message}; the image is left out");
                    let pointer = pointer + "/bufferView";
                    diagnostics.push(Diagnostic::new(Severity::Error, code, pointer, message));
                    None
                }
            },
            (Some(uri), None) => source.get(uri, &(pointer + "/uri"), diagnostics),
            (None, None) => {
                let message = "an image needs a uri or a bufferView; it is left out";
                diagnostics.push(Diagnostic::new(
                    Severity::Error,
                    "ONE_OF_MISMATCH",
                    pointer,
                    message,
                ));
                None
            }
        });
    }
    Resources { container, buffers, images, views }
}

struct Source<'a> {
    fetch: &'a mut dyn Fetch,
    /// Bytes that may still be read.
    left: u64,
    limit: u64,
    /// Files asked for so far, so that a thousand references to one are one.
    files: BTreeMap<String, Option<Bytes>>,
}

impl Source<'_> {
    fn get(&mut self, uri: &str, pointer: &str, diagnostics: &mut Findings) -> Option<Bytes> {
        let mut fail = |code: &'static str, message: String| {
            diagnostics.push(Diagnostic::new(Severity::Error, code, pointer, message));
            None
        };
        match uri::parse(uri, self.left) {
            Err((code, message)) => fail(code, message),
            Ok(Uri::Data { bytes }) => {
                self.left -= bytes.len() as u64;
                Some(bytes.into())
            }
            Ok(Uri::File(path)) => {
                if let Some(known) = self.files.get(&path) {
                    // Said when it was first asked for.
                    return known.clone();
                }
                let got = match self.fetch.fetch(&path, self.left) {
                    Ok(bytes) => {
                        self.left = self.left.saturating_sub(bytes.len() as u64);
                        Some(Bytes::from(bytes))
                    }
                    Err(FetchError::TooLong(_)) => {
                        let what = LimitKind::TotalBytes;
                        fail(what.code(), format!("{path}: {what} pass {}", self.limit))
                    }
                    Err(error @ FetchError::Outside) => {
                        fail("URI_OUTSIDE_FOLDER", format!("{path}: {error}"))
                    }
                    Err(error) => fail("IO_ERROR", format!("{path}: {error}")),
                };
                self.files.insert(path, got.clone());
                got
            }
        }
    }
}
