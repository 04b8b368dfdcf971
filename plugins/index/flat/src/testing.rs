//! Vectors and searches for tests.

use super::quantize::{Query, normalised, padded_dimension, push_codes};
use super::rows::Row;
use gannet_index::Bitmap;

use super::{IndexSpec, VectorIndex};

/// A small generator of reproducible numbers (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    /// About normal, by adding four uniform numbers.
    pub(crate) fn normal(&mut self) -> f32 {
        let sum: f32 = (0..4)
            .map(|_| (self.word() >> 40) as f32 / 16_777_216.0)
            .sum();
        (sum - 2.0) * 1.732
    }

    pub(crate) fn vector(&mut self, dimension: usize) -> Vec<f32> {
        (0..dimension).map(|_| self.normal()).collect()
    }
}

pub(crate) fn spec(dimension: usize) -> IndexSpec {
    IndexSpec {
        model: "test".into(),
        dimension,
    }
}

/// The keys of the best rows by the cosines of all rows: what a search must
/// find. In 16 bits, as rows are stored: vectors that are as near as that may
/// change places.
pub(crate) fn exact_keys(
    rows: &[(u64, Vec<f32>)],
    query: &[f32],
    limit: usize,
    allowed: impl Fn(usize) -> bool,
) -> Vec<u64> {
    let padded = padded_dimension(query.len());
    let Ok(query) = Query::new(query) else {
        return Vec::new();
    };
    let cosine = |vector: &[f32]| {
        let row = normalised(vector, padded).unwrap_or_default();
        let (mut int8, mut lower) = (Vec::new(), Vec::new());
        let scale = push_codes(&row, &mut int8, &mut lower);
        let (int8, lower) = (&int8, &lower);
        query
            .cosine(Row {
                key: 0,
                scale,
                int8,
                lower,
            })
            .clamp(-1.0, 1.0)
    };
    let mut scored: Vec<(f32, u64)> = rows
        .iter()
        .enumerate()
        .filter(|(row, _)| allowed(*row))
        .map(|(_, (key, vector))| (cosine(vector), *key))
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    scored.truncate(limit);
    scored.into_iter().map(|(_, key)| key).collect()
}

/// The keys that a search finds.
pub(crate) fn found_keys(
    index: &VectorIndex,
    query: &[f32],
    limit: usize,
    allowed: Option<&Bitmap>,
) -> Vec<u64> {
    let hits = index.search(query, limit, allowed).unwrap_or_default();
    hits.iter().map(|hit| hit.key).collect()
}
