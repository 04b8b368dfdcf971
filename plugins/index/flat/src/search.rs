//! A search over runs of rows: signs, then int8, then 16 bits.

use super::VectorHit;
use super::best::{BestRows, Scored};
use super::nearest::NearestRows;
use super::rows::{Rows, Signs};
use gannet_index::Bitmap;
use gannet_vectors::kernels::KERNELS;
use gannet_vectors::kernels::hamming::BLOCK_ROWS;
use gannet_vectors::quantize::{Query, sign_code};

/// Up to so many rows in question, all are scored in int8 and signs are left out.
const INT8_ALONE: usize = 20_000;
/// The dimension that the numbers of rows to rescore were measured with.
const MEASURED_DIMENSION: usize = 384;
/// Rows whose hamming distances are computed at a time: they stay in the
/// nearest cache.
const CHUNK: usize = 512;
/// Rows scored in int8 at a time.
const BATCH: usize = 256;

/// How many rows of a run of `rows` are scored in int8 after the scan of
/// signs, for the best `limit`: their geometric mean, at least 1,000 and one
/// row in 160.
///
/// Measured with sentences in 384 dimensions, this gives a recall@10 of 0.99
/// or more from 20,000 to 200,000 rows, where the greater of 200 and a
/// thousandth gives 0.96 to 0.985. All rows of the run count, also those that
/// a filter leaves out: the fewer are allowed, the farther are the best of
/// them, and the more they need. Shorter codes are coarser, so they get more.
fn rows_for_int8(rows: usize, limit: usize, padded: usize) -> usize {
    let mean = rows.saturating_mul(limit.max(10)).isqrt();
    let wanted = mean.max(rows / 160).max(1_000);
    wanted * MEASURED_DIMENSION.div_ceil(padded.min(MEASURED_DIMENSION))
}

/// How many of the best by int8 are scored in 16 bits, for the best `limit`.
fn rows_to_rescore(limit: usize) -> usize {
    (2 * limit).max(40)
}

/// The best `limit` rows among the candidates (all rows when `None`).
///
/// Ordered by cosine, then key, then row. Cosines are those of
/// 16 bits a dimension.
pub(super) fn search(
    runs: &[Rows<'_>],
    query: &Query,
    limit: usize,
    candidates: Option<&Bitmap>,
) -> Vec<VectorHit> {
    let total = count_candidates(runs, candidates);
    let mut best = BestRows::new(rows_to_rescore(limit));
    for run in runs {
        let count = count_candidates(std::slice::from_ref(run), candidates);
        let wanted = rows_for_int8(run.len(), limit, run.padded);
        match run.signs {
            Some(signs) if total > INT8_ALONE && count > 2 * wanted => {
                scan_signs(run, signs, query, wanted, candidates, &mut best);
            }
            _ => scan_int8(run, query, candidates, &mut best),
        }
    }
    rescore(runs, query, limit, best.into_rows())
}

fn count_candidates(runs: &[Rows<'_>], candidates: Option<&Bitmap>) -> usize {
    runs.iter()
        .map(|run| match candidates {
            None => run.len(),
            Some(candidates) => candidates.count_between(run.first_row, run.end_row()),
        })
        .sum()
}

/// Scores every candidate of the run in int8.
fn scan_int8(run: &Rows<'_>, query: &Query, candidates: Option<&Bitmap>, best: &mut BestRows) {
    match candidates {
        None => score_in_int8(run, query, 0..run.len(), best),
        Some(candidates) => {
            let rows = candidates.ones_between(run.first_row, run.end_row());
            score_in_int8(run, query, rows.map(|row| row - run.first_row), best);
        }
    }
}

/// Scores rows of the run in int8.
///
/// In two loops, so that the processor fetches the next rows while it waits
/// for one: a branch on the score in between would stop it from guessing on.
fn score_in_int8(
    run: &Rows<'_>,
    query: &Query,
    mut indices: impl Iterator<Item = usize>,
    best: &mut BestRows,
) {
    let mut batch = Vec::with_capacity(BATCH);
    let mut codes = Vec::with_capacity(BATCH);
    let mut dots = [0; BATCH];
    loop {
        batch.clear();
        batch.extend(indices.by_ref().take(BATCH));
        if batch.is_empty() {
            return;
        }
        codes.clear();
        codes.extend(batch.iter().map(|&index| run.int8_of(index)));
        (KERNELS.int8)(&query.int8, &codes, &mut dots);
        for (&index, &dot) in batch.iter().zip(&dots) {
            offer(run, index, dot, best);
        }
    }
}

fn offer(run: &Rows<'_>, index: usize, dot: i32, best: &mut BestRows) {
    // A dot product of int8 codes is below 2^27; what f32 rounds off of it is
    // far below the error of the codes.
    let score = dot as f32 * run.scales[index];
    if best.welcomes(score) {
        best.push(Scored {
            score,
            key: run.keys[index],
            row: run.first_row + index,
        });
    }
}

/// Scores in int8 the candidates of smallest hamming distance.
fn scan_signs(
    run: &Rows<'_>,
    signs: Signs<'_>,
    query: &Query,
    wanted: usize,
    candidates: Option<&Bitmap>,
    best: &mut BestRows,
) {
    let code = sign_code(&query.exact, signs.mean);
    let mut nearest = NearestRows::new(wanted, run.padded, run.keys);
    let mut distances = [0; CHUNK];
    let chunks = signs
        .blocks
        .chunks(CHUNK / BLOCK_ROWS * BLOCK_ROWS * code.len());
    for (chunk, blocks) in chunks.enumerate() {
        let first = chunk * CHUNK;
        let end = run.len().min(first + CHUNK);
        let distances = &mut distances[..(end - first).next_multiple_of(BLOCK_ROWS)];
        match candidates {
            None => {
                (KERNELS.hamming)(blocks, &code, distances);
                nearest.offer(first, &distances[..end - first], |_| true);
            }
            Some(candidates) => {
                if !candidates.any_between(run.first_row + first, run.first_row + end) {
                    continue;
                }
                (KERNELS.hamming)(blocks, &code, distances);
                nearest.offer(first, &distances[..end - first], |index| {
                    candidates.get(run.first_row + index)
                });
            }
        }
    }
    score_in_int8(run, query, nearest.into_rows(), best);
}

/// Gives the rows their cosines in 16 bits and the final order.
fn rescore(
    runs: &[Rows<'_>],
    query: &Query,
    limit: usize,
    mut rows: Vec<Scored>,
) -> Vec<VectorHit> {
    for scored in &mut rows {
        let run = runs.partition_point(|run| run.end_row() <= scored.row);
        let row = runs[run].row(scored.row - runs[run].first_row);
        scored.score = query.cosine(row.codes).clamp(-1.0, 1.0);
    }
    // A damaged file could hold anything; it must not come out on top.
    rows.retain(|scored| scored.score.is_finite());
    rows.sort_unstable_by(Scored::order);
    rows.truncate(limit);
    let hit = |scored: Scored| VectorHit {
        row: scored.row,
        key: scored.key,
        cosine: scored.score,
    };
    rows.into_iter().map(hit).collect()
}
