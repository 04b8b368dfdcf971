//! One layer of the encoder: attention, then two linear layers, each followed
//! by a residual sum and a normalisation.

use crate::kernels::{
    FloatWeights, Head, HeadScratch, Int8Rows, Int8Weights, Kernels, LANES, Lane, LayerNorm,
    RowScale,
};
use crate::shape::Shape;
use crate::weights::bytes::Bytes;

/// Tokens that go through the inner layer together, so that its wide rows
/// stay in the second-level cache.
const INNER_TOKENS: usize = 64;

/// The weights of one layer.
pub(super) struct Layer {
    /// Queries, keys and values of all heads at once.
    pub(super) joint: Linear,
    pub(super) attention_output: Linear,
    pub(super) attention_norm: Norm,
    pub(super) inner: Linear,
    pub(super) outer: Linear,
    pub(super) output_norm: Norm,
}

/// A linear layer.
pub(super) enum Linear {
    Int8 {
        panels: Bytes,
        inputs: usize,
        steps: Vec<Lane>,
        sums: Vec<Lane>,
        bias: Vec<Lane>,
    },
    Float {
        panels: Vec<[Lane; 2]>,
        inputs: usize,
        bias: Vec<Lane>,
    },
}

/// A layer normalisation.
pub(super) struct Norm {
    pub(super) scale: Vec<Lane>,
    pub(super) shift: Vec<Lane>,
}

impl Norm {
    pub(super) fn view(&self, shape: &Shape) -> LayerNorm<'_> {
        LayerNorm {
            scale: &self.scale,
            shift: &self.shift,
            epsilon: shape.epsilon,
        }
    }
}

/// The memory one thread works in, kept from text to text.
#[derive(Default)]
pub(crate) struct Scratch {
    /// One row for each token.
    pub(super) states: Vec<Lane>,
    joint: Vec<Lane>,
    context: Vec<Lane>,
    inner: Vec<Lane>,
    projected: Vec<Lane>,
    head: HeadScratch,
    codes: Codes,
}

/// Rows in eight bits.
#[derive(Default)]
struct Codes {
    codes: Vec<[u8; LANES]>,
    scales: Vec<RowScale>,
}

impl Layer {
    /// Replaces the states by those after this layer.
    pub(super) fn run(&self, shape: &Shape, kernels: &Kernels, scratch: &mut Scratch) {
        self.attend(shape, kernels, scratch);
        self.feed_forward(shape, kernels, scratch);
    }

    /// The same, where only the first token's state is wanted: the others are
    /// dropped as soon as it has seen them.
    pub(super) fn run_for_first(&self, shape: &Shape, kernels: &Kernels, scratch: &mut Scratch) {
        self.attend(shape, kernels, scratch);
        scratch.states.truncate(shape.hidden_lanes());
        self.feed_forward(shape, kernels, scratch);
    }

    fn feed_forward(&self, shape: &Shape, kernels: &Kernels, scratch: &mut Scratch) {
        let width = shape.hidden_lanes();
        let Scratch {
            states,
            inner,
            projected,
            codes,
            ..
        } = scratch;
        for states in states.chunks_mut(INNER_TOKENS * width) {
            self.inner.run(states, inner, kernels, codes);
            for row in inner.chunks_exact_mut(shape.inner_lanes()) {
                kernels.gelu(row);
            }
            self.outer.run(inner, projected, kernels, codes);
            add_rows(states, projected, &self.output_norm, shape, kernels);
        }
    }

    fn attend(&self, shape: &Shape, kernels: &Kernels, scratch: &mut Scratch) {
        let Scratch {
            states,
            joint,
            context,
            projected,
            head: head_scratch,
            codes,
            ..
        } = scratch;
        self.joint.run(states, joint, kernels, codes);
        context.resize(states.len(), [0.0; LANES]);
        let hidden = shape.hidden_lanes();
        let width = hidden / shape.heads;
        for first in (0..hidden).step_by(width) {
            let head = Head {
                first,
                width,
                hidden,
            };
            kernels.attend(joint, context, head, head_scratch);
        }
        self.attention_output
            .run(context, projected, kernels, codes);
        add_rows(states, projected, &self.attention_norm, shape, kernels);
    }
}

fn add_rows(states: &mut [Lane], addends: &[Lane], norm: &Norm, shape: &Shape, kernels: &Kernels) {
    let width = shape.hidden_lanes();
    let norm = norm.view(shape);
    for (state, addend) in states
        .chunks_exact_mut(width)
        .zip(addends.chunks_exact(width))
    {
        kernels.add_and_normalise(state, addend, norm);
    }
}

impl Linear {
    fn run(&self, rows: &[Lane], output: &mut Vec<Lane>, kernels: &Kernels, codes: &mut Codes) {
        match self {
            Self::Int8 {
                panels,
                inputs,
                steps,
                sums,
                bias,
            } => {
                codes.fill(rows, inputs / LANES, kernels);
                output.resize(codes.scales.len() * bias.len(), [0.0; LANES]);
                let weights = Int8Weights {
                    panels: panels.as_slice(),
                    inputs: *inputs,
                    steps,
                    sums,
                    bias,
                };
                kernels.linear_int8(codes.rows(), weights, output);
            }
            Self::Float {
                panels,
                inputs,
                bias,
            } => {
                let count = rows.len() * LANES / inputs;
                output.resize(count * bias.len(), [0.0; LANES]);
                let weights = FloatWeights {
                    panels,
                    inputs: *inputs,
                    bias,
                };
                kernels.linear_float(rows, weights, output);
            }
        }
    }
}

impl Codes {
    fn fill(&mut self, rows: &[Lane], width: usize, kernels: &Kernels) {
        self.codes.resize(rows.len(), [0; LANES]);
        self.scales.clear();
        for (row, codes) in rows
            .chunks_exact(width)
            .zip(self.codes.chunks_exact_mut(width))
        {
            self.scales.push(kernels.quantise(row, codes));
        }
    }

    fn rows(&self) -> Int8Rows<'_> {
        Int8Rows {
            codes: &self.codes,
            scales: &self.scales,
        }
    }
}
