//! Vectors and searches for tests.

use gannet_index::Bitmap;
use gannet_vectors::quantize::{Codes, Query, normalised, padded_dimension, push_codes};

use super::{FlatIndex, VectorSpec};

pub(crate) fn spec(dimension: usize) -> VectorSpec {
    VectorSpec {
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
        query.cosine(Codes { scale, int8, lower }).clamp(-1.0, 1.0)
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
    index: &FlatIndex,
    query: &[f32],
    limit: usize,
    allowed: Option<&Bitmap>,
) -> Vec<u64> {
    let hits = index.search(query, limit, allowed).unwrap_or_default();
    hits.iter().map(|hit| hit.key).collect()
}
