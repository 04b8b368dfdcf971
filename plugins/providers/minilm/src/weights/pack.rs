//! Weights in the layout of the kernels, in floats and in eight bits.

use crate::kernels::{LANES, Lane, PANEL, STEP_INPUTS};

/// A linear layer as a model file has it.
pub(crate) struct Dense {
    /// One row of `inputs` numbers for each output.
    pub(crate) weights: Vec<f32>,
    /// One number for each output.
    pub(crate) bias: Vec<f32>,
    /// The number of inputs.
    pub(crate) inputs: usize,
}

/// A linear layer in eight bits: `weight = step of its output * code`.
pub(crate) struct PackedInt8 {
    /// Panels of 32 outputs; in each, for each four inputs, the four codes of
    /// each output.
    pub(crate) panels: Vec<u8>,
    /// The step of each output.
    pub(crate) steps: Vec<f32>,
    /// The sum of the codes of each output, exact.
    pub(crate) sums: Vec<f32>,
}

/// Numbers in eight bits with one step: the largest magnitude becomes 127.
pub(crate) fn quantise_symmetric(numbers: &[f32]) -> (f32, impl Iterator<Item = i8>) {
    let largest = numbers.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let step = largest / 127.0;
    let codes = numbers.iter().map(move |number| {
        if step > 0.0 {
            (number / step).round_ties_even().clamp(-127.0, 127.0) as i8
        } else {
            0
        }
    });
    (step, codes)
}

impl Dense {
    /// The layer in eight bits, with a step for each output.
    pub(crate) fn to_int8(&self) -> PackedInt8 {
        let mut packed = PackedInt8 {
            panels: vec![0; self.weights.len()],
            steps: Vec::with_capacity(self.bias.len()),
            sums: Vec::with_capacity(self.bias.len()),
        };
        let panel_bytes = PANEL * self.inputs;
        for (output, row) in self.weights.chunks_exact(self.inputs).enumerate() {
            let panel = &mut packed.panels[output / PANEL * panel_bytes..][..panel_bytes];
            let (step, codes) = quantise_symmetric(row);
            let mut sum = 0;
            for (input, code) in codes.enumerate() {
                let group = input / STEP_INPUTS * PANEL + output % PANEL;
                panel[group * STEP_INPUTS + input % STEP_INPUTS] = code.cast_unsigned();
                sum += i32::from(code);
            }
            packed.steps.push(step);
            packed.sums.push(sum as f32);
        }
        packed
    }

    /// The layer in floats: panels of 32 outputs; in each, for each input, the
    /// weight of each output.
    pub(crate) fn to_float_panels(&self) -> Vec<[Lane; 2]> {
        let mut panels = vec![[[0.0; LANES]; 2]; self.weights.len() / PANEL];
        for (output, row) in self.weights.chunks_exact(self.inputs).enumerate() {
            let panel = &mut panels[output / PANEL * self.inputs..][..self.inputs];
            for (column, weight) in panel.iter_mut().zip(row) {
                column.as_flattened_mut()[output % PANEL] = *weight;
            }
        }
        panels
    }
}

/// Numbers as lane groups; their count must be a multiple of sixteen.
pub(crate) fn to_lanes(numbers: &[f32]) -> Vec<Lane> {
    let (lanes, rest) = numbers.as_chunks::<LANES>();
    debug_assert!(rest.is_empty(), "shapes are checked before");
    lanes.to_vec()
}
