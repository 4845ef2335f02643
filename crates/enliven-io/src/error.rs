//! Why a file could not be read at all.

use thiserror::Error;

use crate::Place;

/// Why a file could not be read at all: its structure cannot be trusted, or it needs what this
/// library does not know. Smaller faults become [`Diagnostic`](crate::Diagnostic)s instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The binary container is broken.
    #[error("{}: byte {offset}: {fault}", .fault.code())]
    Glb {
        /// What is wrong with it.
        fault: GlbFault,
        /// Bytes from the start of the file.
        offset: u64,
    },
    /// The text is not JSON (RFC 8259).
    #[error("INVALID_JSON: byte {offset}: {message}")]
    Json {
        /// Bytes from the start of the file.
        offset: u64,
        /// The parser's words.
        message: String,
    },
    /// The file asks for more than the [`Limits`](crate::Limits) allow.
    #[error("{}: {place}: {what} go beyond the limit of {allowed}", .what.code())]
    Limit {
        /// What there is too much of.
        what: LimitKind,
        /// The limit's value.
        allowed: u64,
        /// Where it was passed.
        place: Place,
    },
    /// The document's frame is wrong: no object at the root, no `asset`, a version other than 2.
    #[error("{code}: {}: {message}", shown(.pointer))]
    Document {
        /// The Khronos validator's name for it.
        code: &'static str,
        /// JSON pointer.
        pointer: String,
        /// What is wrong.
        message: String,
    },
    /// The file cannot be read rightly without an extension that this library does not know.
    #[error("{}: {}: {}", required_code(.name), shown(.pointer), required_message(.name))]
    RequiredExtension {
        /// The extension, as the file names it.
        name: String,
        /// JSON pointer into `/extensionsRequired`.
        pointer: String,
    },
    /// The file itself could not be read from where it lies.
    #[error("IO_ERROR: {path}: {message}")]
    Read {
        /// The path as it was given.
        path: String,
        /// The system's words.
        message: String,
    },
}

impl Error {
    /// The stable code, for programs: `GLB_LENGTH_MISMATCH`. The names are the Khronos validator's
    /// wherever it has one.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Glb { fault, .. } => fault.code(),
            Self::Json { .. } => "INVALID_JSON",
            Self::Limit { what, .. } => what.code(),
            Self::Document { code, .. } => code,
            Self::RequiredExtension { name, .. } => required_code(name),
            Self::Read { .. } => "IO_ERROR",
        }
    }

    /// Where in the file; the whole document when the file could not be opened.
    pub fn place(&self) -> Place {
        match self {
            Self::Glb { offset, .. } | Self::Json { offset, .. } => Place::Byte(*offset),
            Self::Limit { place, .. } => place.clone(),
            Self::Document { pointer, .. } | Self::RequiredExtension { pointer, .. } => {
                Place::Pointer(pointer.clone())
            }
            Self::Read { .. } => Place::Pointer(String::new()),
        }
    }
}

fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}

/// What is said of textures in KTX2.
pub(crate) const KTX2: &str =
    "compressed with KTX2, which is not read; export them as PNG, JPEG or WebP";

fn required_code(name: &str) -> &'static str {
    match name {
        "KHR_draco_mesh_compression" => "DRACO_UNSUPPORTED",
        "KHR_texture_basisu" => "KTX2_UNSUPPORTED",
        _ => "UNSUPPORTED_EXTENSION",
    }
}

fn required_message(name: &str) -> String {
    match name {
        "KHR_draco_mesh_compression" => {
            "the meshes are compressed with Draco, which is not read; export without it".into()
        }
        "KHR_texture_basisu" => format!("the textures are {KTX2}"),
        _ => format!("the file requires the extension {name}, which is not read"),
    }
}

/// What is wrong with a binary container.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GlbFault {
    /// Fewer than 12 bytes.
    #[error("the file ends inside the 12-byte header")]
    EndOfHeader,
    /// Neither `glTF` nor JSON at the start.
    #[error("the file starts with {0:02x?}, not with \"glTF\" or JSON")]
    Magic([u8; 4]),
    /// A container version other than 2.
    #[error("container version {0}, only 2 can be read")]
    Version(u32),
    /// The declared length leaves no room for a chunk.
    #[error("the declared length of {0} bytes leaves no room for a chunk")]
    LengthTooSmall(u32),
    /// The file is shorter than its header says.
    #[error("the header declares {declared} bytes, the file has {found}")]
    LengthMismatch {
        /// Length in the header, bytes.
        declared: u32,
        /// Length of the file, bytes.
        found: u64,
    },
    /// The file ends inside a chunk's 8-byte header.
    #[error("the file ends inside a chunk's header")]
    EndOfChunkHeader,
    /// The file ends inside a chunk.
    #[error("the file ends inside a chunk")]
    EndOfChunkData,
    /// A chunk passes the declared length of the file.
    #[error("a chunk of {0} bytes passes the declared length of the file")]
    ChunkTooBig(u32),
    /// The first chunk is not JSON.
    #[error("the first chunk is of type {0:#010x}, not JSON")]
    FirstChunk(u32),
    /// The JSON chunk is empty.
    #[error("the JSON chunk is empty")]
    EmptyChunk,
}

impl GlbFault {
    /// The Khronos validator's name.
    pub fn code(&self) -> &'static str {
        match self {
            Self::EndOfHeader => "GLB_UNEXPECTED_END_OF_HEADER",
            Self::Magic(_) => "GLB_INVALID_MAGIC",
            Self::Version(_) => "GLB_INVALID_VERSION",
            Self::LengthTooSmall(_) => "GLB_LENGTH_TOO_SMALL",
            Self::LengthMismatch { .. } => "GLB_LENGTH_MISMATCH",
            Self::EndOfChunkHeader => "GLB_UNEXPECTED_END_OF_CHUNK_HEADER",
            Self::EndOfChunkData => "GLB_UNEXPECTED_END_OF_CHUNK_DATA",
            Self::ChunkTooBig(_) => "GLB_CHUNK_TOO_BIG",
            Self::FirstChunk(_) => "GLB_UNEXPECTED_FIRST_CHUNK",
            Self::EmptyChunk => "GLB_EMPTY_CHUNK",
        }
    }
}

/// What there can be too much of; one a field of [`Limits`](crate::Limits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LimitKind {
    /// [`Limits::total_bytes`](crate::Limits::total_bytes)
    #[error("the bytes of the file and of what it refers to")]
    TotalBytes,
    /// [`Limits::json_bytes`](crate::Limits::json_bytes)
    #[error("the bytes of JSON")]
    JsonBytes,
    /// [`Limits::json_depth`](crate::Limits::json_depth)
    #[error("the nested arrays and objects")]
    JsonDepth,
    /// [`Limits::json_values`](crate::Limits::json_values)
    #[error("the values in the JSON")]
    JsonValues,
    /// [`Limits::objects`](crate::Limits::objects)
    #[error("the objects in the document's lists")]
    Objects,
    /// [`Limits::nodes`](crate::Limits::nodes)
    #[error("the nodes")]
    Nodes,
    /// [`Limits::numbers`](crate::Limits::numbers)
    #[error("the numbers read from accessors")]
    Numbers,
    /// [`Limits::zeros`](crate::Limits::zeros)
    #[error("the zeros of accessors without data")]
    Zeros,
    /// [`Limits::meshes`](crate::Limits::meshes)
    #[error("the primitives at nodes")]
    Meshes,
    /// [`Limits::drawn`](crate::Limits::drawn)
    #[error("the vertices and indices at nodes")]
    Drawn,
    /// [`Limits::channels`](crate::Limits::channels)
    #[error("the morph targets at nodes")]
    Channels,
    /// [`Limits::image_pixels`](crate::Limits::image_pixels)
    #[error("the pixels of an image")]
    ImagePixels,
    /// [`Limits::total_image_pixels`](crate::Limits::total_image_pixels)
    #[error("the pixels of all images")]
    TotalImagePixels,
}

impl LimitKind {
    /// The stable code: `LIMIT_NODES`.
    pub fn code(self) -> &'static str {
        match self {
            Self::TotalBytes => "LIMIT_TOTAL_BYTES",
            Self::JsonBytes => "LIMIT_JSON_BYTES",
            Self::JsonDepth => "LIMIT_JSON_DEPTH",
            Self::JsonValues => "LIMIT_JSON_VALUES",
            Self::Objects => "LIMIT_OBJECTS",
            Self::Nodes => "LIMIT_NODES",
            Self::Numbers => "LIMIT_NUMBERS",
            Self::Zeros => "LIMIT_ZEROS",
            Self::Meshes => "LIMIT_MESHES",
            Self::Drawn => "LIMIT_DRAWN",
            Self::Channels => "LIMIT_CHANNELS",
            Self::ImagePixels => "LIMIT_IMAGE_PIXELS",
            Self::TotalImagePixels => "LIMIT_TOTAL_IMAGE_PIXELS",
        }
    }
}
