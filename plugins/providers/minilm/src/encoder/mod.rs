//! The BERT encoder: from token ids to one vector of length 1, or to the
//! state that a classifier reads.

mod build;
mod classifier;
mod layer;

use std::ops::Range;

use crate::kernels::{Kernels, LANES, Lane};
use crate::shape::{Pooling, Shape};
use crate::weights::bytes::Bytes;
pub(crate) use build::{CLASSIFIER, SourceModel, write_int8};
pub(crate) use classifier::Classifier;
pub(crate) use layer::Scratch;
use layer::{Layer, Norm};

/// A model that can run.
pub(crate) struct Encoder {
    shape: Shape,
    words: WordVectors,
    /// For each token type a vector for each position, with the vector of the
    /// type added.
    positions: Vec<Vec<Lane>>,
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

    /// The kind of arithmetic of the layers.
    pub(crate) fn variant(&self) -> &'static str {
        match self.words {
            WordVectors::Int8 { .. } => "int8",
            WordVectors::Float(_) => "f32",
        }
    }

    /// The vector of a text given as ids, of which at least one and at most
    /// `max_tokens` are read.
    pub(crate) fn encode(&self, ids: &[u32], kernels: &Kernels, scratch: &mut Scratch) -> Vec<f32> {
        self.run(ids, ids.len(), kernels, scratch);
        self.to_vector(&scratch.states, kernels)
    }

    /// Whether [`encode`](Self::encode) leaves the states of all tokens.
    pub(crate) fn keeps_states(&self) -> bool {
        self.shape.pooling == Pooling::Mean
    }

    /// The direction of the mean state of some tokens of the text that was
    /// encoded last; of length 1.
    pub(crate) fn mean_state(
        &self,
        tokens: Range<usize>,
        kernels: &Kernels,
        scratch: &Scratch,
    ) -> Vec<f32> {
        let width = self.shape.hidden_lanes();
        self.to_vector(
            &scratch.states[tokens.start * width..tokens.end * width],
            kernels,
        )
    }

    /// The state of the first token of a pair, whose second text begins at the
    /// id `second`.
    pub(crate) fn encode_pair<'scratch>(
        &self,
        ids: &[u32],
        second: usize,
        kernels: &Kernels,
        scratch: &'scratch mut Scratch,
    ) -> &'scratch [Lane] {
        self.run(ids, second, kernels, scratch);
        &scratch.states
    }

    /// Leaves the states that are pooled: those of all tokens, or that of the
    /// first. Tokens from `second` on are of type 1.
    fn run(&self, ids: &[u32], second: usize, kernels: &Kernels, scratch: &mut Scratch) {
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
            let positions = &self.positions[usize::from(token >= second)];
            let position = &positions[token * width..][..width];
            kernels.add_and_normalise(state, position, self.norm.view(&self.shape));
        }
        let Some((last, others)) = self.layers.split_last() else {
            return;
        };
        for layer in others {
            layer.run(&self.shape, kernels, scratch);
        }
        match self.shape.pooling {
            Pooling::Mean => last.run(&self.shape, kernels, scratch),
            Pooling::Cls | Pooling::Classifier => {
                last.run_for_first(&self.shape, kernels, scratch);
            }
        }
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

    /// The direction of the sum of states, which is that of their mean.
    fn to_vector(&self, states: &[Lane], kernels: &Kernels) -> Vec<f32> {
        let width = self.shape.hidden_lanes();
        let mut vector = vec![[0.0; LANES]; width];
        for state in states.chunks_exact(width) {
            kernels.accumulate(&mut vector, state);
        }
        kernels.to_unit_length(&mut vector);
        vector.into_flattened()
    }
}
