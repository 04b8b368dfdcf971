//! Attention of one head: softmax(Q K^T / sqrt d) V, for tiles of eight
//! queries.

use super::functions::exponential;
use super::lanes::{LANES, Lane, Lanes, largest, sum};

/// How many queries are worked on at once.
const TILE: usize = 8;

/// The keys, values and queries of one head, laid out for the kernel.
#[derive(Default)]
pub(crate) struct HeadScratch {
    /// One group of sixteen keys after the other; in it one lane group per
    /// dimension.
    keys: Vec<Lane>,
    /// One key after the other; of each all dimensions. Padded with zeros to
    /// whole groups of sixteen.
    values: Vec<Lane>,
    /// One dimension after the other; of each the eight queries.
    queries: Vec<[f32; TILE]>,
    /// One query after the other; of each a score per key.
    scores: Vec<Lane>,
}

/// Where the rows of a head lie in the joint matrix of queries, keys and
/// values (all heads' queries, then all keys, then all values).
#[derive(Clone, Copy)]
pub(crate) struct Head {
    /// The first lane group of the head in a row of the output.
    pub(crate) first: usize,
    /// Lane groups of one head.
    pub(crate) width: usize,
    /// Lane groups of all heads.
    pub(crate) hidden: usize,
}

/// Runs one head. `joint` has rows of `3 * hidden` lane groups, `output` rows
/// of `hidden` lane groups, of which those of the head are written.
#[inline(always)]
pub(super) fn attend<L: Lanes>(
    joint: &[Lane],
    output: &mut [Lane],
    head: Head,
    scratch: &mut HeadScratch,
) {
    scratch.pack_keys_and_values(joint, head);
    let tokens = joint.len() / (3 * head.hidden);
    let groups = tokens.div_ceil(LANES);
    let dimensions = head.width * LANES;
    scratch.scores.resize(TILE * groups, [0.0; LANES]);
    for first in (0..tokens).step_by(TILE) {
        let count = TILE.min(tokens - first);
        scratch.pack_queries(&joint[first * 3 * head.hidden..], head, count);
        for (group, keys) in scratch.keys.chunks_exact(dimensions).enumerate() {
            let scores = score::<L>(keys, &scratch.queries);
            for (query, score) in scores.iter().enumerate() {
                score.store(&mut scratch.scores[query * groups + group]);
            }
        }
        let mut factors = [0.0; TILE];
        for (scores, factor) in scratch.scores.chunks_exact_mut(groups).zip(&mut factors) {
            *factor = 1.0 / softmax::<L>(scores, tokens);
        }
        for pair in (0..head.width).step_by(2) {
            let mixed = mix::<L>(&scratch.scores, &scratch.values[pair..], head.width);
            for (query, mixed) in mixed.iter().enumerate().take(count) {
                let at = (first + query) * head.hidden + head.first + pair;
                let factor = L::splat(factors[query]);
                mixed[0].mul(factor).store(&mut output[at]);
                mixed[1].mul(factor).store(&mut output[at + 1]);
            }
        }
    }
}

impl HeadScratch {
    #[inline(always)]
    fn pack_keys_and_values(&mut self, joint: &[Lane], head: Head) {
        let row_width = 3 * head.hidden;
        let dimensions = head.width * LANES;
        let padded = (joint.len() / row_width).next_multiple_of(LANES);
        self.keys.resize(padded / LANES * dimensions, [0.0; LANES]);
        self.values.resize(padded * head.width, [0.0; LANES]);
        // What an earlier, longer text left in the padding must not count.
        self.values[joint.len() / row_width * head.width..].fill([0.0; LANES]);
        for (token, row) in joint.chunks_exact(row_width).enumerate() {
            let key = &row[head.hidden + head.first..][..head.width];
            let group = &mut self.keys[token / LANES * dimensions..][..dimensions];
            for (slot, value) in group.iter_mut().zip(key.as_flattened()) {
                slot[token % LANES] = *value;
            }
            let value = &row[2 * head.hidden + head.first..][..head.width];
            self.values[token * head.width..][..head.width].copy_from_slice(value);
        }
    }

    #[inline(always)]
    fn pack_queries(&mut self, joint: &[Lane], head: Head, count: usize) {
        let dimensions = head.width * LANES;
        let factor = 1.0 / (dimensions as f32).sqrt();
        self.queries.resize(dimensions, [0.0; TILE]);
        for (query, row) in joint.chunks_exact(3 * head.hidden).take(count).enumerate() {
            let row = &row[head.first..][..head.width];
            for (slot, value) in self.queries.iter_mut().zip(row.as_flattened()) {
                slot[query] = value * factor;
            }
        }
    }
}

#[inline(always)]
fn score<L: Lanes>(keys: &[Lane], queries: &[[f32; TILE]]) -> [L; TILE] {
    let mut scores = [L::splat(0.0); TILE];
    for (key, query) in keys.iter().zip(queries) {
        let key = L::load(key);
        for (score, value) in scores.iter_mut().zip(query) {
            *score = score.add(key.mul(L::splat(*value)));
        }
    }
    scores
}

/// Replaces the scores by `e^(score - largest)` and returns their sum; those
/// of the padding become 0.
#[inline(always)]
fn softmax<L: Lanes>(scores: &mut [Lane], tokens: usize) -> f32 {
    let padding = scores.len() * LANES - tokens;
    if let Some(last) = scores.last_mut() {
        last[LANES - padding..].fill(f32::NEG_INFINITY);
    }
    let mut high = L::splat(f32::NEG_INFINITY);
    for value in scores.iter() {
        high = high.max(L::load(value));
    }
    let high = L::splat(largest(high));
    for value in scores.iter_mut() {
        exponential(L::load(value).sub(high)).store(value);
    }
    if let Some(last) = scores.last_mut() {
        last[LANES - padding..].fill(0.0);
    }
    let mut total = L::splat(0.0);
    for value in scores.iter() {
        total = total.add(L::load(value));
    }
    sum(total)
}

/// The weighted sum of the values, two lane groups of dimensions at a time.
#[inline(always)]
fn mix<L: Lanes>(weights: &[Lane], values: &[Lane], width: usize) -> [[L; 2]; TILE] {
    let groups = weights.len() / TILE;
    let mut mixed = [[L::splat(0.0); 2]; TILE];
    let keys = values.chunks(width * LANES).take(groups);
    for (group, values) in keys.enumerate() {
        let weights: [&Lane; TILE] = std::array::from_fn(|query| &weights[query * groups + group]);
        for (key, value) in values.chunks(width).enumerate().take(LANES) {
            let (low, high) = (L::load(&value[0]), L::load(&value[1]));
            for (mixed, weight) in mixed.iter_mut().zip(weights) {
                let weight = L::splat(weight[key]);
                mixed[0] = mixed[0].add(low.mul(weight));
                mixed[1] = mixed[1].add(high.mul(weight));
            }
        }
    }
    mixed
}
