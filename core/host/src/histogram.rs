//! Durations counted by upper bound.

use std::time::Duration;

/// The upper bounds of the histograms, in seconds.
pub const HISTOGRAM_BOUNDS: [f64; 12] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// How long something took, counted by upper bound.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Histogram {
    /// Up to each of [`HISTOGRAM_BOUNDS`], those of the smaller bounds not included.
    pub buckets: [u64; HISTOGRAM_BOUNDS.len()],
    /// How many there were.
    pub count: u64,
    /// All together, in seconds.
    pub sum: f64,
}

impl Histogram {
    /// Counts one.
    pub fn add(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        if let Some(at) = HISTOGRAM_BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.buckets[at] += 1;
        }
        self.count += 1;
        self.sum += seconds;
    }
}
