//! Vectors that are pseudo-random around centres of centres, the same on
//! every machine. With `GANNET_BENCH_VECTORS=file` they are read from a file of
//! little-endian f32 instead.

use std::fs;

/// Numbers a vector.
pub const DIMENSION: usize = 384;

/// A source of vectors: rows first, then held-out queries.
pub struct Vectors {
    random: Random,
    topics: Vec<Vec<f32>>,
    file: Vec<Vec<f32>>,
}

impl Vectors {
    pub fn new(rows: usize) -> Self {
        let mut random = Random(1);
        let fields: Vec<Vec<f32>> = (0..40).map(|_| random.vector()).collect();
        let topics = (0..rows / 50)
            .map(|number| blend(&fields[number % fields.len()], &random.vector(), 1.0))
            .collect();
        Self {
            random,
            topics,
            file: std::env::var("GANNET_BENCH_VECTORS").map_or_else(|_| Vec::new(), read_vectors),
        }
    }

    pub fn row(&mut self) -> Vec<f32> {
        if let Some(vector) = self.file.pop() {
            return vector;
        }
        let topic = (self.random.next() % self.topics.len() as u64) as usize;
        let noise = self.random.vector();
        blend(&self.topics[topic], &noise, 1.2)
    }
}

fn blend(left: &[f32], right: &[f32], share: f32) -> Vec<f32> {
    let sum: Vec<f32> = left.iter().zip(right).map(|(a, b)| a + share * b).collect();
    normalised(&sum)
}

fn normalised(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

fn read_vectors(path: String) -> Vec<Vec<f32>> {
    let bytes = fs::read(path).unwrap();
    let values: Vec<f32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|value| f32::from_le_bytes(*value))
        .collect();
    values.chunks_exact(DIMENSION).map(normalised).collect()
}

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// About normal values, with a spectrum: later dimensions are weaker, as
    /// in the vectors of a model.
    fn vector(&mut self) -> Vec<f32> {
        let values = (0..DIMENSION).map(|index| {
            let sum: f32 = (0..4)
                .map(|_| (self.next() >> 40) as f32 / 16_777_216.0)
                .sum();
            (sum - 2.0) / (1.0 + index as f32 / 100.0)
        });
        normalised(&values.collect::<Vec<f32>>())
    }
}

/// The cosine of vectors of length 1.
pub fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    for (left, right) in left
        .as_chunks::<16>()
        .0
        .iter()
        .zip(right.as_chunks::<16>().0)
    {
        for ((sum, a), b) in sums.iter_mut().zip(left).zip(right) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}
