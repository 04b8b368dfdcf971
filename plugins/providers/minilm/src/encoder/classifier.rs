//! What makes a reranker of an encoder: a pooler and a classifier, which turn
//! the state of `[CLS]` into one number. They are small and stay in floats.

use crate::Error;
use crate::kernels::{FloatWeights, Kernels, LANES, Lane, tanh};
use crate::shape::Shape;
use crate::weights::format::{Reader, Writer};
use crate::weights::pack::{Dense, to_lanes};

/// `logit = weights · tanh(pooler(state)) + bias`.
pub(crate) struct Classifier {
    pooler_panels: Vec<[Lane; 2]>,
    pooler_bias: Vec<Lane>,
    weights: Vec<f32>,
    bias: f32,
}

impl Classifier {
    /// A classifier of one label over a pooler as wide as itself.
    pub(super) fn new(pooler: &Dense, weights: Vec<f32>, bias: f32) -> Self {
        Self {
            pooler_panels: pooler.to_float_panels(),
            pooler_bias: to_lanes(&pooler.bias),
            weights,
            bias,
        }
    }

    /// Appends it to a weights file.
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.floats(self.pooler_panels.as_flattened().as_flattened());
        writer.floats(self.pooler_bias.as_flattened());
        writer.floats(&self.weights);
        writer.floats(&[self.bias]);
    }

    /// Reads what [`Classifier::write`] wrote.
    pub(crate) fn read(shape: &Shape, reader: &mut Reader) -> Result<Self, Error> {
        let panels = reader.lanes(shape.hidden * shape.hidden_lanes())?;
        let (panels, _) = panels.as_chunks::<2>();
        Ok(Self {
            pooler_panels: panels.to_vec(),
            pooler_bias: reader.lanes(shape.hidden_lanes())?,
            weights: reader.floats(shape.hidden)?,
            bias: reader.floats(1)?.iter().sum(),
        })
    }

    /// The logit for the state of `[CLS]`.
    pub(crate) fn logit(&self, state: &[Lane], kernels: &Kernels) -> f32 {
        let pooler = FloatWeights {
            panels: &self.pooler_panels,
            inputs: self.weights.len(),
            bias: &self.pooler_bias,
        };
        let mut pooled = vec![[0.0; LANES]; self.pooler_bias.len()];
        kernels.linear_float(state, pooler, &mut pooled);
        tanh(&mut pooled);
        let products = pooled.as_flattened().iter().zip(&self.weights);
        // Added one after the other, so that all processors round alike.
        let sum: f64 = products.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
        (sum + f64::from(self.bias)) as f32
    }
}
