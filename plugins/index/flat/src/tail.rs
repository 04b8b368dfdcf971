//! Rows in memory that no segment holds yet.

use super::VectorError;
use super::rows::Rows;
use gannet_vectors::quantize::{normalised, padded_dimension, push_codes};

/// Rows in memory that no segment holds yet.
#[derive(Debug)]
pub(super) struct Tail {
    padded: usize,
    keys: Vec<u64>,
    scales: Vec<f32>,
    int8: Vec<i8>,
    lower: Vec<i8>,
}

impl Tail {
    pub(super) fn new(dimension: usize) -> Self {
        Self {
            padded: padded_dimension(dimension),
            keys: Vec::new(),
            scales: Vec::new(),
            int8: Vec::new(),
            lower: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, key: u64, vector: &[f32]) -> Result<(), VectorError> {
        let row = normalised(vector, self.padded)?;
        self.keys.push(key);
        let scale = push_codes(&row, &mut self.int8, &mut self.lower);
        self.scales.push(scale);
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn rows(&self, first_row: usize) -> Rows<'_> {
        Rows {
            first_row,
            padded: self.padded,
            keys: &self.keys,
            scales: &self.scales,
            int8: &self.int8,
            lower: &self.lower,
            signs: None,
        }
    }
}
