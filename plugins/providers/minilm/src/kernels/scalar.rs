//! The form in plain Rust, for every processor, and the test of the others.

use super::lanes::{LANES, ScalarLanes};
use super::linear::{Isa, STEP_BYTES, STEP_INPUTS, TileSums};

pub(super) struct Scalar;

impl Isa for Scalar {
    type Floats = ScalarLanes;

    #[inline(always)]
    fn dot_tile<const ROWS: usize>(
        panel: &[[u8; STEP_BYTES]],
        rows: [&[[u8; STEP_INPUTS]]; ROWS],
    ) -> TileSums<ROWS> {
        rows.map(|row| {
            let mut sums = [[0; LANES]; 2];
            for (step, codes) in panel.iter().zip(row) {
                let codes = codes.map(i32::from);
                let (weights, _) = step.as_chunks::<STEP_INPUTS>();
                for (sum, weights) in sums.as_flattened_mut().iter_mut().zip(weights) {
                    let weights = weights.map(|byte| i32::from(byte as i8));
                    *sum += codes[0] * weights[0]
                        + codes[1] * weights[1]
                        + codes[2] * weights[2]
                        + codes[3] * weights[3];
                }
            }
            sums
        })
    }
}
