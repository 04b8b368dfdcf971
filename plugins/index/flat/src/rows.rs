//! Rows of the index as the search and the writer see them, wherever they lie.

use gannet_vectors::kernels::hamming::BLOCK_ROWS;
use gannet_vectors::quantize::Codes;

/// A run of rows: a segment or the tail. All slices are parallel.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    /// Ordinal of the first row in the index.
    pub(super) first_row: usize,
    /// Dimensions that rows are stored with, a multiple of 64.
    pub(super) padded: usize,
    /// The caller's key of each row.
    pub(super) keys: &'a [u64],
    /// The scale of each row's int8 codes.
    pub(super) scales: &'a [f32],
    /// Int8 codes, `padded` a row.
    pub(super) int8: &'a [i8],
    /// What the int8 codes round off, in steps of 1/256: `padded` a row.
    pub(super) lower: &'a [i8],
    /// 1-bit codes; the tail has none.
    pub(super) signs: Option<Signs<'a>>,
}

/// The 1-bit codes of a run of rows.
#[derive(Clone, Copy)]
pub(super) struct Signs<'a> {
    /// What is subtracted from a vector before taking signs.
    pub(super) mean: &'a [f32],
    /// Blocks of eight rows, interleaved word by word.
    pub(super) blocks: &'a [u64],
}

/// One row to be written into a segment.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) key: u64,
    pub(super) codes: Codes<'a>,
}

impl<'a> Rows<'a> {
    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The ordinal after the last row.
    pub(super) fn end_row(&self) -> usize {
        self.first_row + self.len()
    }

    /// The int8 codes of a row, counted from the start of this run.
    pub(super) fn int8_of(&self, index: usize) -> &'a [i8] {
        &self.int8[index * self.padded..][..self.padded]
    }

    /// All of a row, counted from the start of this run.
    pub(super) fn row(&self, index: usize) -> Row<'a> {
        Row {
            key: self.keys[index],
            codes: Codes {
                scale: self.scales[index],
                int8: self.int8_of(index),
                lower: &self.lower[index * self.padded..][..self.padded],
            },
        }
    }
}

/// The words that 1-bit codes of `rows` rows take.
pub(super) fn code_words(rows: usize, padded: usize) -> usize {
    rows.next_multiple_of(BLOCK_ROWS) * (padded / 64)
}
