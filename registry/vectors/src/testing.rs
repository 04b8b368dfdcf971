//! Numbers for tests, also those of the crates that use this one.

/// A small generator of reproducible numbers (xorshift64*).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Any number.
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    /// About normal, by adding four uniform numbers.
    pub fn normal(&mut self) -> f32 {
        let sum: f32 = (0..4)
            .map(|_| (self.word() >> 40) as f32 / 16_777_216.0)
            .sum();
        (sum - 2.0) * 1.732
    }

    /// A vector of such numbers.
    pub fn vector(&mut self, dimension: usize) -> Vec<f32> {
        (0..dimension).map(|_| self.normal()).collect()
    }
}
