//! Textures of MToon that move by themselves.

use enliven::Toon;
use enliven::glam::Vec2;

use crate::gpu::Gpu;
use crate::material::MaterialUniform;

/// Textures that move by themselves.
pub(crate) struct Motion {
    speed: Speed,
    uniform: wgpu::Buffer,
}

/// Lengths of a texture, and turns, a second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Speed {
    scroll: Vec2,
    turns: f32,
}

/// After so many lengths of a texture or turns its motion begins anew. It does so unseen where a
/// mask takes a whole number of 255ths of it.
const ROUND: f64 = 255.0;

impl Motion {
    /// The motion of a material of that uniform; `None` of one that is still.
    pub(crate) fn new(toon: &Toon, uniform: wgpu::Buffer) -> Option<Self> {
        Some(Self { speed: Speed::new(toon)?, uniform })
    }

    /// Whether the textures of such a material move.
    pub(crate) fn is_in(toon: &Toon) -> bool {
        Speed::new(toon).is_some()
    }

    /// Brings it to a time in seconds.
    pub(crate) fn write(&self, gpu: &Gpu, time: f64) {
        let offset = std::mem::offset_of!(MaterialUniform, uv_motion) as u64;
        gpu.queue.write_buffer(&self.uniform, offset, bytemuck::bytes_of(&self.speed.after(time)));
    }
}

impl Speed {
    fn new(toon: &Toon) -> Option<Self> {
        let turns = toon.uv_rotation / std::f32::consts::TAU;
        let still = toon.uv_scroll == Vec2::ZERO && turns == 0.0;
        (!still && toon.uv_scroll.is_finite() && turns.is_finite())
            .then_some(Self { scroll: toon.uv_scroll, turns })
    }

    /// How far it has come at a time in seconds: u, v, turns.
    fn after(self, time: f64) -> [f32; 4] {
        let after = |speed: f32| (f64::from(speed) * time).rem_euclid(ROUND) as f32;
        [after(self.scroll.x), after(self.scroll.y), after(self.turns), 0.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motion_is_exact_after_ten_hours() {
        let toon = Toon { uv_scroll: Vec2::new(0.3, -0.07), uv_rotation: 1.3, ..Toon::default() };
        let (speed, time) = (Speed::new(&toon).expect("it moves"), 36_000.25);
        let speeds = [speed.scroll.x, speed.scroll.y, speed.turns];
        for (speed, found) in speeds.into_iter().zip(speed.after(time)) {
            let exact = f64::from(speed) * time;
            let off = f64::from(found) - exact;
            // Whole lengths and turns do not show; an eighth of a texel of 1024 would.
            assert!((off - off.round()).abs() < 1.2e-4, "{speed}: {found} for {exact}");
            // Nor do they where a mask takes 255ths of the motion.
            assert!((off / ROUND - (off / ROUND).round()).abs() < 1e-6, "{speed}");
        }
        assert_eq!(Speed::new(&Toon::default()), None);
        assert_eq!(Speed::new(&Toon { uv_rotation: f32::NAN, ..Toon::default() }), None);
    }
}
