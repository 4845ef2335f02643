//! Seeded randomness that is the same everywhere.

/// PCG-XSH-RR 64/32 (M. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good
/// Algorithms for Random Number Generation", 2014). Draw per event, never per frame: what is drawn
/// per frame depends on the frame rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
    stream: u64,
}

impl Rng {
    /// Seeds the generator. Different `stream`s of one seed are independent: give each layer its
    /// own.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut rng = Self { state: 0, stream: (stream << 1) | 1 };
        rng.next_u32();
        rng.state = rng.state.wrapping_add(seed);
        rng.next_u32();
        rng
    }

    /// 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.stream);
        let xored = (((old >> 18) ^ old) >> 27) as u32;
        xored.rotate_right((old >> 59) as u32)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f32) -> bool {
        self.unit() < p
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_reference_implementation() {
        // pcg32-demo of the PCG C library, seed 42, stream 54, round 1.
        let mut rng = Rng::new(42, 54);
        let got: Vec<u32> = (0..6).map(|_| rng.next_u32()).collect();
        assert_eq!(
            got,
            [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e]
        );
    }

    #[test]
    fn unit_is_uniform_below_one() {
        let mut rng = Rng::new(1, 1);
        let mean =
            (0..10_000).map(|_| rng.unit()).inspect(|u| assert!(*u < 1.0)).sum::<f32>() / 1e4;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
