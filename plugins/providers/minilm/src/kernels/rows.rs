//! What is done to the rows of a matrix one by one: layer normalisation,
//! activation, quantisation, pooling. A row is the state of one token.

use super::functions;
use super::lanes::{LANES, Lane, Lanes, ROUNDING, largest, smallest, sum};

/// The weights of a layer normalisation.
#[derive(Clone, Copy)]
pub(crate) struct LayerNorm<'a> {
    /// The factor of each column.
    pub(crate) scale: &'a [Lane],
    /// The summand of each column.
    pub(crate) shift: &'a [Lane],
    /// Added to the variance.
    pub(crate) epsilon: f32,
}

/// A row in eight bits: `x = minimum + step * code`.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub(crate) struct RowScale {
    /// The difference between neighbouring codes.
    pub(crate) step: f32,
    /// What code 0 stands for.
    pub(crate) minimum: f32,
}

/// `row = normalise(row + addend)`.
#[inline(always)]
pub(super) fn add_and_normalise<L: Lanes>(
    row: &mut [Lane],
    addend: &[Lane],
    weights: LayerNorm<'_>,
) {
    let count = (row.len() * LANES) as f32;
    let mut total = L::splat(0.0);
    for (value, addend) in row.iter_mut().zip(addend) {
        let joined = L::load(value).add(L::load(addend));
        joined.store(value);
        total = total.add(joined);
    }
    let mean = L::splat(sum(total) / count);
    let mut squares = L::splat(0.0);
    for value in row.iter_mut() {
        let centred = L::load(value).sub(mean);
        centred.store(value);
        squares = squares.add(centred.mul(centred));
    }
    let variance = sum(squares) / count;
    let factor = L::splat(1.0 / (variance + weights.epsilon).sqrt());
    for ((value, scale), shift) in row.iter_mut().zip(weights.scale).zip(weights.shift) {
        let unit = L::load(value).mul(factor);
        unit.mul(L::load(scale)).add(L::load(shift)).store(value);
    }
}

/// The activation of the inner layer, in place.
#[inline(always)]
pub(super) fn gelu<L: Lanes>(row: &mut [Lane]) {
    for value in row {
        functions::gelu(L::load(value)).store(value);
    }
}

/// Eight-bit codes between the smallest and the largest number of a row.
#[inline(always)]
pub(super) fn quantise<L: Lanes>(row: &[Lane], codes: &mut [[u8; LANES]]) -> RowScale {
    let mut low = L::splat(f32::INFINITY);
    let mut high = L::splat(f32::NEG_INFINITY);
    for value in row {
        let value = L::load(value);
        low = low.min(value);
        high = high.max(value);
    }
    let minimum = smallest(low);
    let range = largest(high) - minimum;
    let per_unit = L::splat(if range > 0.0 { 255.0 / range } else { 0.0 });
    let origin = L::splat(minimum);
    for (value, code) in row.iter().zip(codes) {
        let scaled = L::load(value).sub(origin).mul(per_unit);
        scaled.add(L::splat(ROUNDING)).store_low_bytes(code);
    }
    RowScale {
        step: range / 255.0,
        minimum,
    }
}

/// `row = codes * step`, the codes signed: the vector of a word.
#[inline(always)]
pub(super) fn embed<L: Lanes>(row: &mut [Lane], codes: &[u8], step: f32) {
    let (codes, _) = codes.as_chunks::<LANES>();
    let step = L::splat(step);
    for (value, code) in row.iter_mut().zip(codes) {
        let word = L::from_integers(&code.map(|byte| i32::from(byte as i8)));
        word.mul(step).store(value);
    }
}

/// `total = total + row`.
#[inline(always)]
pub(super) fn accumulate<L: Lanes>(total: &mut [Lane], row: &[Lane]) {
    for (total, value) in total.iter_mut().zip(row) {
        L::load(total).add(L::load(value)).store(total);
    }
}

/// Scales a vector to length 1; a zero vector stays.
#[inline(always)]
pub(super) fn to_unit_length<L: Lanes>(vector: &mut [Lane]) {
    let mut squares = L::splat(0.0);
    for value in vector.iter() {
        let value = L::load(value);
        squares = squares.add(value.mul(value));
    }
    let length = sum(squares).sqrt();
    if length == 0.0 {
        return;
    }
    let factor = L::splat(1.0 / length);
    for value in vector {
        L::load(value).mul(factor).store(value);
    }
}
