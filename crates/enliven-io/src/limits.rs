//! How much a file may ask for.

/// How much a file may ask for. The defaults let every sensible character through and keep a
/// hostile file below 512 MiB and two seconds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the file and of everything that it refers to, together. 512 MiB.
    pub total_bytes: u64,
    /// Bytes of JSON text. 128 MiB.
    pub json_bytes: u64,
    /// Depth of nested arrays and objects in the JSON. 128.
    pub json_depth: usize,
    /// Values in the JSON, keys not counted. 4,000,000.
    pub json_values: usize,
    /// Nodes, and so joints. 262,144.
    pub nodes: usize,
    /// Numbers (components) read out of accessors, over the whole file; what counts is the
    /// conversion's output, so zeros that take no space in the file count too. 67,108,864.
    pub numbers: u64,
    /// Pixels of one image. 67,108,864 (8192²).
    pub image_pixels: u64,
    /// Pixels of all images together. 134,217,728.
    pub total_image_pixels: u64,
    /// Diagnostics kept; the rest is counted. 10,000.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total_bytes: 512 << 20,
            json_bytes: 128 << 20,
            json_depth: 128,
            json_values: 4_000_000,
            nodes: 1 << 18,
            numbers: 1 << 26,
            image_pixels: 1 << 26,
            total_image_pixels: 1 << 27,
            diagnostics: 10_000,
        }
    }
}
