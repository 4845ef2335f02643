//! Vertex data that is written anew each frame.

use crate::gpu::Gpu;
use crate::material::buffer;

/// A vertex buffer that grows when it must.
pub(crate) struct GrowingBuffer {
    label: &'static str,
    pub(crate) buffer: wgpu::Buffer,
}

impl GrowingBuffer {
    pub(crate) fn new(gpu: &Gpu, label: &'static str) -> Self {
        Self { label, buffer: buffer(gpu, label, &[0; 4096], wgpu::BufferUsages::VERTEX) }
    }

    /// Writes the bytes to its beginning.
    pub(crate) fn upload(&mut self, gpu: &Gpu, bytes: &[u8]) {
        if bytes.len() as u64 > self.buffer.size() {
            self.buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size: (bytes.len() as u64).next_power_of_two(),
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
        }
        gpu.queue.write_buffer(&self.buffer, 0, bytes);
    }
}
