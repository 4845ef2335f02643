//! Draws enliven characters with wgpu.
