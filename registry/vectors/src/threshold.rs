//! Vectors of saved queries, each with the similarity that it asks for.

use super::InvalidVector;
use super::kernels::KERNELS;
use super::quantize::{Codes, Query, normalised, padded_dimension, push_codes};

/// How far a cosine in int8 may be from the exact one.
const INT8_ERROR: f32 = 0.02;
/// Rows that are compared at a time.
const BLOCK: usize = 256;

/// Rows in memory, each with a least cosine: a vector is compared with all of
/// them in int8, and with those that may be near enough in 16 bits.
#[derive(Debug)]
pub struct ThresholdScan {
    dimension: usize,
    least: Vec<f32>,
    scales: Vec<f32>,
    int8: Vec<i8>,
    lower: Vec<i8>,
}

impl ThresholdScan {
    /// Without rows.
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            least: Vec::new(),
            scales: Vec::new(),
            int8: Vec::new(),
            lower: Vec::new(),
        }
    }

    /// Adds a row; rows are numbered from 0.
    ///
    /// # Errors
    /// [`InvalidVector::WrongDimension`], [`InvalidVector::NotFinite`].
    pub fn push(&mut self, vector: &[f32], least_cosine: f32) -> Result<(), InvalidVector> {
        self.check(vector)?;
        let row = normalised(vector, padded_dimension(self.dimension))?;
        let scale = push_codes(&row, &mut self.int8, &mut self.lower);
        self.scales.push(scale);
        self.least.push(least_cosine);
        Ok(())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.least.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.least.is_empty()
    }

    /// The rows that are near enough to a vector, with their cosines.
    ///
    /// # Errors
    /// [`InvalidVector::WrongDimension`], [`InvalidVector::NotFinite`].
    pub fn near(&self, vector: &[f32]) -> Result<Vec<(usize, f32)>, InvalidVector> {
        self.check(vector)?;
        let query = Query::new(vector)?;
        let scale = {
            let largest = query
                .exact
                .iter()
                .fold(0.0_f32, |most, one| most.max(one.abs()));
            largest / 127.0
        };
        let mut near = Vec::new();
        let mut dots = [0_i32; BLOCK];
        let padded = padded_dimension(self.dimension).max(1);
        let codes: Vec<&[i8]> = self.int8.chunks_exact(padded).collect();
        for (block, codes) in codes.chunks(BLOCK).enumerate() {
            (KERNELS.int8)(&query.int8, codes, &mut dots[..codes.len()]);
            for (lane, dot) in dots[..codes.len()].iter().enumerate() {
                let row = block * BLOCK + lane;
                let about = *dot as f32 * scale * self.scales[row];
                if about + INT8_ERROR < self.least[row] {
                    continue;
                }
                let cosine = query.cosine(Codes {
                    scale: self.scales[row],
                    int8: codes[lane],
                    lower: &self.lower[row * padded..][..padded],
                });
                if cosine >= self.least[row] {
                    near.push((row, cosine));
                }
            }
        }
        Ok(near)
    }

    fn check(&self, vector: &[f32]) -> Result<(), InvalidVector> {
        match vector.len() == self.dimension {
            true => Ok(()),
            false => Err(InvalidVector::WrongDimension {
                expected: self.dimension,
                found: vector.len(),
            }),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Numbers between -1 and 1 that look random.
    fn vector(seed: u32, dimension: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..dimension).map(|_| next()).collect()
    }

    #[test]
    fn it_finds_exactly_the_rows_above_their_thresholds() {
        const DIMENSION: usize = 100;
        let mut scan = ThresholdScan::new(DIMENSION);
        let rows: Vec<Vec<f32>> = (0..1000).map(|seed| vector(seed, DIMENSION)).collect();
        for row in &rows {
            scan.push(row, 0.1).unwrap();
        }
        let query = vector(5000, DIMENSION);
        let length = |of: &[f32]| of.iter().map(|one| one * one).sum::<f32>().sqrt();
        let cosine = |row: &Vec<f32>| {
            let dot: f32 = row.iter().zip(&query).map(|(a, b)| a * b).sum();
            dot / (length(row) * length(&query))
        };
        let expected: Vec<usize> = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| cosine(row) >= 0.1)
            .map(|(at, _)| at)
            .collect();
        let found: Vec<usize> = scan
            .near(&query)
            .unwrap()
            .iter()
            .map(|near| near.0)
            .collect();
        assert!(!found.is_empty() && found.len() < 1000);
        assert_eq!(found, expected);
        assert!(scan.near(&[1.0]).is_err());
    }
}
