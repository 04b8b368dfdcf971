//! The BERT encoder: from token ids to one vector of length 1.

mod build;
mod layer;

use crate::kernels::{Kernels, LANES, Lane};
use crate::shape::{Pooling, Shape};
use crate::weights::bytes::Bytes;
pub(crate) use build::{SourceModel, write_int8};
pub(crate) use layer::Scratch;
use layer::{Layer, Norm};

/// A model that can run.
pub(crate) struct Encoder {
    shape: Shape,
    words: WordVectors,
    /// A vector for each position, with the vector of token type 0 added.
    positions: Vec<Lane>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// The vectors of the word pieces.
enum WordVectors {
    /// Signed codes, and a step for each word.
    Int8 { codes: Bytes, steps: Vec<f32> },
    /// As in the source.
    Float(Vec<Lane>),
}

impl Encoder {
    /// What the model is.
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether the weights are in eight bits.
    pub(crate) fn is_int8(&self) -> bool {
        matches!(self.words, WordVectors::Int8 { .. })
    }

    /// The vector of a text given as ids, of which at least one and at most
    /// `max_tokens` are read.
    pub(crate) fn encode(&self, ids: &[u32], kernels: &Kernels, scratch: &mut Scratch) -> Vec<f32> {
        let ids = &ids[..ids.len().min(self.shape.max_tokens)];
        let width = self.shape.hidden_lanes();
        scratch.states.clear();
        scratch.states.resize(ids.len() * width, [0.0; LANES]);
        for (token, (id, state)) in ids
            .iter()
            .zip(scratch.states.chunks_exact_mut(width))
            .enumerate()
        {
            self.look_up(*id as usize, state, kernels);
            let position = &self.positions[token * width..][..width];
            kernels.add_and_normalise(state, position, self.norm.view(&self.shape));
        }
        for layer in &self.layers {
            layer.run(&self.shape, kernels, scratch);
        }
        self.pool(&scratch.states, kernels)
    }

    fn look_up(&self, id: usize, state: &mut [Lane], kernels: &Kernels) {
        // An id beyond the table cannot come from the model's own vocabulary;
        // it would read the last word.
        let id = id.min(self.shape.vocabulary - 1);
        match &self.words {
            WordVectors::Int8 { codes, steps } => {
                let codes = &codes.as_slice()[id * self.shape.hidden..][..self.shape.hidden];
                kernels.embed(state, codes, steps[id]);
            }
            WordVectors::Float(vectors) => {
                state.copy_from_slice(&vectors[id * state.len()..][..state.len()]);
            }
        }
    }

    fn pool(&self, states: &[Lane], kernels: &Kernels) -> Vec<f32> {
        let width = self.shape.hidden_lanes();
        let mut vector = vec![[0.0; LANES]; width];
        let pooled = match self.shape.pooling {
            Pooling::Mean => states.len(),
            Pooling::Cls => width.min(states.len()),
        };
        for state in states[..pooled].chunks_exact(width) {
            kernels.accumulate(&mut vector, state);
        }
        // The sum and the mean have the same direction.
        kernels.to_unit_length(&mut vector);
        vector.into_flattened()
    }
}
