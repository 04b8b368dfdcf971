//! From a vector to its stored forms: two bytes a dimension, the upper of which
//! are int8 codes by themselves, and one bit a dimension.

use super::InvalidVector;
use super::kernels::float::dot_codes;
use super::kernels::hamming::BLOCK_ROWS;

/// The number of dimensions that rows are stored with: the next multiple of 64.
pub fn padded_dimension(dimension: usize) -> usize {
    dimension.next_multiple_of(64)
}

/// The vector with length 1, padded with zeros to `padded` dimensions.
///
/// The zero vector stays zero: its cosine to everything is 0.
///
/// # Errors
/// [`InvalidVector::NotFinite`] when it holds a NaN or an infinity.
pub fn normalised(vector: &[f32], padded: usize) -> Result<Vec<f32>, InvalidVector> {
    if !vector.iter().all(|value| value.is_finite()) {
        return Err(InvalidVector::NotFinite);
    }
    let square: f64 = vector.iter().map(|&value| f64::from(value).powi(2)).sum();
    let factor = if square > 0.0 {
        1.0 / square.sqrt()
    } else {
        0.0
    };
    let mut row = Vec::with_capacity(padded);
    row.extend(
        vector
            .iter()
            .map(|&value| (f64::from(value) * factor) as f32),
    );
    row.resize(padded, 0.0);
    Ok(row)
}

/// Appends the row as int8 to `codes` and returns its scale: a code times the
/// scale is about the value.
pub fn push_int8(row: &[f32], codes: &mut Vec<i8>) -> f32 {
    let largest = row
        .iter()
        .fold(0.0f32, |largest, value| largest.max(value.abs()));
    let steps = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    codes.extend(row.iter().map(|&value| rounded(value * steps)));
    largest / 127.0
}

/// The nearest code. Adding a half is exact enough and, unlike `round`, compiles
/// to vector instructions; what is beyond the codes is the last of them.
fn rounded(value: f32) -> i8 {
    (value + 0.5f32.copysign(value)) as i8
}

/// Steps of the lower byte in one of the upper byte.
pub const STEPS: f32 = 256.0;

/// Appends the row as [int8 codes](push_int8) and, to `lower`, what these round
/// off: `int8 + lower / 256` times the scale is the value but for half a step of
/// the lower byte, or a step where it is in the middle of two int8 codes.
///
/// Of a vector of length 1 in 384 dimensions, a step of the lower byte is some
/// 8e-6, and cosines are off by some 2e-6.
pub fn push_codes(row: &[f32], int8: &mut Vec<i8>, lower: &mut Vec<i8>) -> f32 {
    let first = int8.len();
    let scale = push_int8(row, int8);
    let steps = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    let codes = row.iter().zip(&int8[first..]);
    lower.extend(codes.map(|(value, &code)| rounded((value * steps - f32::from(code)) * STEPS)));
    scale
}

/// The stored form of a row, see [`push_codes`].
#[derive(Debug, Clone, Copy)]
pub struct Codes<'a> {
    /// A code of int8 times this is about the value.
    pub scale: f32,
    /// The upper bytes.
    pub int8: &'a [i8],
    /// The lower bytes.
    pub lower: &'a [i8],
}

/// The row that codes stand for.
pub fn decoded(row: Codes<'_>) -> Vec<f32> {
    let step = row.scale / STEPS;
    let codes = row.int8.iter().zip(row.lower);
    let value = |(&upper, &lower)| (f32::from(upper) * STEPS + f32::from(lower)) * step;
    codes.map(value).collect()
}

/// The 1-bit code of a row: bit `i % 64` of word `i / 64` is set when value
/// `i` is above the mean.
pub fn sign_code(row: &[f32], mean: &[f32]) -> Vec<u64> {
    let words = row.as_chunks::<64>().0.iter().zip(mean.as_chunks::<64>().0);
    words
        .map(|(values, means)| {
            let bits = values.iter().zip(means).enumerate();
            bits.fold(0, |word, (bit, (value, mean))| {
                word | u64::from(value > mean) << bit
            })
        })
        .collect()
}

/// Writes the 1-bit codes of up to eight rows into one block, interleaved as
/// the hamming kernel reads them. Missing rows are zero.
pub fn fill_block(rows: impl Iterator<Item = Vec<f32>>, mean: &[f32], block: &mut [u64]) {
    block.fill(0);
    for (lane, row) in rows.take(BLOCK_ROWS).enumerate() {
        for (index, word) in sign_code(&row, mean).into_iter().enumerate() {
            block[index * BLOCK_ROWS + lane] = word;
        }
    }
}

/// A query in the forms that the stages of a search need.
#[derive(Debug, Clone)]
pub struct Query {
    /// Normalised and padded.
    pub exact: Vec<f32>,
    /// As int8. Its scale is left out: it changes no order.
    pub int8: Vec<i8>,
}

impl Query {
    /// # Errors
    /// [`InvalidVector::NotFinite`].
    pub fn new(vector: &[f32]) -> Result<Self, InvalidVector> {
        let exact = normalised(vector, padded_dimension(vector.len()))?;
        let mut int8 = Vec::with_capacity(exact.len());
        push_int8(&exact, &mut int8);
        Ok(Self { exact, int8 })
    }

    /// The cosine to a stored row.
    pub fn cosine(&self, row: Codes<'_>) -> f32 {
        dot_codes(&self.exact, row.int8, row.lower) * (row.scale / STEPS)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::{Codes, Query, decoded, fill_block, normalised, push_codes, sign_code};
    use crate::InvalidVector;
    use crate::kernels::float::dot_f32;

    proptest! {
        #[test]
        fn codes_are_within_half_a_step_of_the_value(
            values in proptest::collection::vec(-2.0f32..2.0, 64..=64),
        ) {
            let (mut int8, mut lower) = (Vec::new(), Vec::new());
            let scale = push_codes(&values, &mut int8, &mut lower);
            for (value, code) in values.iter().zip(&int8) {
                prop_assert!((value - f32::from(*code) * scale).abs() <= scale * 0.501);
            }
            let row = Codes { scale, int8: &int8, lower: &lower };
            for (value, decoded) in values.iter().zip(decoded(row)) {
                prop_assert!((value - decoded).abs() <= scale / 256.0 * 1.01);
            }
        }

        #[test]
        fn a_cosine_to_codes_is_that_to_the_vector(
            query in proptest::collection::vec(-1.0f32..1.0, 384..=384),
            vector in proptest::collection::vec(-1.0f32..1.0, 384..=384),
        ) {
            let query = Query::new(&query).unwrap();
            let exact = normalised(&vector, 384).unwrap();
            let (mut int8, mut lower) = (Vec::new(), Vec::new());
            let scale = push_codes(&exact, &mut int8, &mut lower);
            let row = Codes { scale, int8: &int8, lower: &lower };
            prop_assert!((query.cosine(row) - dot_f32(&query.exact, &exact)).abs() < 1e-5);
        }

        #[test]
        fn a_normalised_vector_has_length_one(
            values in proptest::collection::vec(-1e3f32..1e3, 1..100),
        ) {
            prop_assume!(values.iter().any(|value| value.abs() > 1e-3));
            let row = normalised(&values, 128).unwrap();
            prop_assert_eq!(row.len(), 128);
            let length: f32 = row.iter().map(|value| value * value).sum();
            prop_assert!((length - 1.0).abs() < 1e-5);
        }

        #[test]
        fn a_block_holds_the_codes_of_its_rows(
            values in proptest::collection::vec(-1.0f32..1.0, 128 * 5..=128 * 5),
        ) {
            let mean = [0.1; 128];
            let mut block = vec![u64::MAX; 16];
            fill_block(values.chunks_exact(128).map(<[f32]>::to_vec), &mean, &mut block);
            for (lane, row) in values.chunks_exact(128).enumerate() {
                prop_assert_eq!(sign_code(row, &mean), vec![block[lane], block[8 + lane]]);
            }
            prop_assert!((5..8).all(|lane| block[lane] == 0 && block[8 + lane] == 0));
        }
    }

    #[test]
    fn the_zero_vector_stays_zero() {
        assert_eq!(normalised(&[0.0; 3], 64).unwrap(), [0.0; 64]);
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let refused = normalised(&[1.0, value], 64);
            assert!(matches!(refused, Err(InvalidVector::NotFinite)));
        }
    }
}
