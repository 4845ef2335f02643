//! How much a file may ask for.

/// How much a file may ask for. The defaults let every sensible character through and keep a
/// hostile file below 512 MiB and two seconds.
///
/// ```
/// let limits = enliven_io::Limits { image_pixels: 1 << 20, ..Default::default() };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file and of everything that it refers to, together. Default 512 MiB.
    pub total_bytes: u64,
    /// Bytes of JSON text. Default 128 MiB.
    pub json_bytes: u64,
    /// Depth of nested arrays and objects in the JSON; 127 is the most. Default 120.
    pub json_depth: usize,
    /// Values in the JSON; a key counts as one. Default 2,000,000.
    pub json_values: usize,
    /// Objects in the document's lists: the elements of those at the root, of primitives, morph
    /// targets, channels and samplers, and the attributes of primitives. Default 131,072.
    pub objects: usize,
    /// Nodes, and so joints. Default 131,072.
    pub nodes: usize,
    /// Meshes of the character: primitives counted once for each node that shows them.
    /// Default 65,536.
    pub meshes: usize,
    /// Vertices and indices of all meshes, counted once for each node that shows them.
    /// Default 134,217,728.
    pub drawn: u64,
    /// Morph channels: morph targets counted once for each node that has them. Default 262,144.
    pub channels: usize,
    /// Numbers (components) read out of accessors, over the whole file. Default 67,108,864.
    pub numbers: u64,
    /// Of these, numbers that take no room in the file: zeros of accessors without a buffer view.
    /// Default 16,777,216.
    pub zeros: u64,
    /// Pixels of one image. Default 33,554,432 (8192 × 4096).
    pub image_pixels: u64,
    /// Pixels of all images together. Default 67,108,864.
    pub total_image_pixels: u64,
    /// Diagnostics kept; what comes after is counted. Default 10,000.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total_bytes: 512 << 20,
            json_bytes: 128 << 20,
            json_depth: 120,
            json_values: 2_000_000,
            objects: 1 << 17,
            nodes: 1 << 17,
            meshes: 1 << 16,
            drawn: 1 << 27,
            channels: 1 << 18,
            numbers: 1 << 26,
            zeros: 1 << 24,
            image_pixels: 1 << 25,
            total_image_pixels: 1 << 26,
            diagnostics: 10_000,
        }
    }
}
