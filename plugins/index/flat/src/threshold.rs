//! Vectors of saved queries, each with the similarity that it asks for.

use super::VectorError;
use super::kernels::int8;
use super::quantize::Query;
use super::tail::Tail;

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
    rows: Tail,
}

impl ThresholdScan {
    /// Without rows.
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            least: Vec::new(),
            rows: Tail::new(dimension),
        }
    }

    /// Adds a row; rows are numbered from 0.
    ///
    /// # Errors
    /// [`VectorError::WrongDimension`], [`VectorError::NotFinite`].
    pub fn push(&mut self, vector: &[f32], least_cosine: f32) -> Result<(), VectorError> {
        self.check(vector)?;
        self.rows.push(self.least.len() as u64, vector)?;
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
    /// [`VectorError::WrongDimension`], [`VectorError::NotFinite`].
    pub fn near(&self, vector: &[f32]) -> Result<Vec<(usize, f32)>, VectorError> {
        self.check(vector)?;
        let query = Query::new(vector)?;
        let scale = {
            let largest = query
                .exact
                .iter()
                .fold(0.0_f32, |most, one| most.max(one.abs()));
            largest / 127.0
        };
        let (_, kernel) = int8::best();
        let mut near = Vec::new();
        let mut dots = [0_i32; BLOCK];
        let rows = self.rows.rows(0);
        let codes: Vec<&[i8]> = rows.int8.chunks_exact(rows.padded).collect();
        for (block, codes) in codes.chunks(BLOCK).enumerate() {
            kernel(&query.int8, codes, &mut dots[..codes.len()]);
            for (lane, dot) in dots[..codes.len()].iter().enumerate() {
                let row = block * BLOCK + lane;
                let about = *dot as f32 * scale * rows.scales[row];
                if about + INT8_ERROR < self.least[row] {
                    continue;
                }
                let cosine = query.cosine(rows.row(row));
                if cosine >= self.least[row] {
                    near.push((row, cosine));
                }
            }
        }
        Ok(near)
    }

    fn check(&self, vector: &[f32]) -> Result<(), VectorError> {
        match vector.len() == self.dimension {
            true => Ok(()),
            false => Err(VectorError::WrongDimension {
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
