//! The linear layers: tiles of up to eight rows by 32 outputs.
//!
//! Weights are stored in panels of 32 outputs. In eight bits a panel holds,
//! for each four inputs, four weights of each of its 32 outputs; in floats,
//! for each input, one weight of each output.

use super::lanes::{LANES, Lane, Lanes};
use super::rows::RowScale;

/// Outputs of one panel.
pub(crate) const PANEL: usize = 2 * LANES;
/// Inputs that one step of the integer kernel takes.
pub(crate) const STEP_INPUTS: usize = 4;
/// Bytes of one step of a panel.
pub(crate) const STEP_BYTES: usize = PANEL * STEP_INPUTS;

/// The most rows of a tile.
const TILE: usize = 8;

/// The exact integer products of the rows of a tile with a panel.
pub(super) type TileSums<const ROWS: usize> = [[[i32; LANES]; 2]; ROWS];

/// One instruction set: its lanes and its integer kernel.
pub(super) trait Isa {
    /// The floating-point lanes.
    type Floats: Lanes;

    /// For each row and each output of the panel the sum over the inputs of
    /// code (0 to 255) times weight (-127 to 127), in 32 bits, exact. All rows
    /// have as many steps as the panel.
    fn dot_tile<const ROWS: usize>(
        panel: &[[u8; STEP_BYTES]],
        rows: [&[[u8; STEP_INPUTS]]; ROWS],
    ) -> TileSums<ROWS>;
}

/// Rows of eight-bit codes.
#[derive(Clone, Copy)]
pub(crate) struct Int8Rows<'a> {
    /// Row after row.
    pub(crate) codes: &'a [[u8; LANES]],
    /// One for each row.
    pub(crate) scales: &'a [RowScale],
}

/// The weights of a linear layer in eight bits.
#[derive(Clone, Copy)]
pub(crate) struct Int8Weights<'a> {
    /// The panels.
    pub(crate) panels: &'a [u8],
    /// The number of inputs.
    pub(crate) inputs: usize,
    /// What weight 1 of each output stands for.
    pub(crate) steps: &'a [Lane],
    /// The sum of the weights of each output.
    pub(crate) sums: &'a [Lane],
    /// The bias of each output.
    pub(crate) bias: &'a [Lane],
}

/// The weights of a linear layer in floats.
#[derive(Clone, Copy)]
pub(crate) struct FloatWeights<'a> {
    /// The panels.
    pub(crate) panels: &'a [[Lane; 2]],
    /// The number of inputs.
    pub(crate) inputs: usize,
    /// The bias of each output.
    pub(crate) bias: &'a [Lane],
}

/// `output = rows * weights + bias` in eight bits.
#[inline(always)]
pub(super) fn linear_int8<I: Isa>(
    rows: Int8Rows<'_>,
    weights: Int8Weights<'_>,
    output: &mut [Lane],
) {
    let (codes, _) = rows.codes.as_flattened().as_chunks::<STEP_INPUTS>();
    let (steps, _) = weights.panels.as_chunks::<STEP_BYTES>();
    let panel_steps = weights.inputs / STEP_INPUTS;
    for (panel, steps) in steps.chunks_exact(panel_steps).enumerate() {
        let mut job = Int8Job {
            codes,
            scales: rows.scales,
            weights,
            steps,
            panel,
            output,
        };
        for (first, count) in tiles(rows.scales.len()) {
            match count {
                1 => job.tile::<I, 1>(first),
                2 => job.tile::<I, 2>(first),
                3 => job.tile::<I, 3>(first),
                4 => job.tile::<I, 4>(first),
                5 => job.tile::<I, 5>(first),
                6 => job.tile::<I, 6>(first),
                7 => job.tile::<I, 7>(first),
                _ => job.tile::<I, 8>(first),
            }
        }
    }
}

/// Splits rows into as few tiles as can be, of nearly the same height.
#[inline(always)]
fn tiles(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let left = rows - first;
        if left == 0 {
            return None;
        }
        let count = left.div_ceil(left.div_ceil(TILE));
        first += count;
        Some((first - count, count))
    })
}

struct Int8Job<'a> {
    codes: &'a [[u8; STEP_INPUTS]],
    scales: &'a [RowScale],
    weights: Int8Weights<'a>,
    steps: &'a [[u8; STEP_BYTES]],
    panel: usize,
    output: &'a mut [Lane],
}

impl Int8Job<'_> {
    #[inline(always)]
    fn tile<I: Isa, const ROWS: usize>(&mut self, first: usize) {
        let length = self.steps.len();
        let rows = std::array::from_fn(|row| &self.codes[(first + row) * length..][..length]);
        let sums = I::dot_tile::<ROWS>(self.steps, rows);
        let width = self.weights.bias.len();
        for (row, sums) in sums.iter().enumerate() {
            let scale = self.scales[first + row];
            let step = I::Floats::splat(scale.step);
            let minimum = I::Floats::splat(scale.minimum);
            for (half, sums) in sums.iter().enumerate() {
                let group = self.panel * 2 + half;
                let codes_part = I::Floats::from_integers(sums).mul(step);
                let offset_part = I::Floats::load(&self.weights.sums[group]).mul(minimum);
                codes_part
                    .add(offset_part)
                    .mul(I::Floats::load(&self.weights.steps[group]))
                    .add(I::Floats::load(&self.weights.bias[group]))
                    .store(&mut self.output[(first + row) * width + group]);
            }
        }
    }
}

/// `output = rows * weights + bias` in floats.
#[inline(always)]
pub(super) fn linear_float<L: Lanes>(
    rows: &[Lane],
    weights: FloatWeights<'_>,
    output: &mut [Lane],
) {
    let rows = rows.as_flattened();
    let width = weights.bias.len();
    for (panel, columns) in weights.panels.chunks_exact(weights.inputs).enumerate() {
        for (row, input) in rows.chunks_exact(weights.inputs).enumerate() {
            let mut sums = [L::splat(0.0); 2];
            for (value, column) in input.iter().zip(columns) {
                let value = L::splat(*value);
                sums[0] = sums[0].add(L::load(&column[0]).mul(value));
                sums[1] = sums[1].add(L::load(&column[1]).mul(value));
            }
            for (half, sum) in sums.into_iter().enumerate() {
                let group = panel * 2 + half;
                let bias = L::load(&weights.bias[group]);
                sum.add(bias).store(&mut output[row * width + group]);
            }
        }
    }
}
