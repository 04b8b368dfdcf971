//! Durations counted by upper bound.

use std::time::Duration;

/// The upper bounds of the histograms, in seconds.
pub(super) const BOUNDS: [f64; 12] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// How long something took, counted by upper bound.
#[derive(Default)]
pub(super) struct Histogram {
    /// Up to each of [`BOUNDS`], those of the smaller bounds not included.
    pub buckets: [u64; BOUNDS.len()],
    pub count: u64,
    pub sum: f64,
}

impl Histogram {
    pub fn add(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        if let Some(at) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.buckets[at] += 1;
        }
        self.count += 1;
        self.sum += seconds;
    }
}
