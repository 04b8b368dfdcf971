//! The numbers that describe a BERT encoder.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::kernels::{LANES, PANEL};

/// Input texts are cut at this many tokens when a model does not say
/// otherwise.
pub(crate) const DEFAULT_MAX_TOKENS: usize = 256;

/// What the states of the tokens become: one vector, or one logit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pooling {
    /// Their mean.
    Mean,
    /// The state of the first token, `[CLS]`.
    Cls,
    /// The logit that a classifier gives for `[CLS]`: the model is a reranker.
    Classifier,
}

/// What a model is, apart from its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shape {
    pub(crate) model_id: String,
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) intermediate: usize,
    pub(crate) vocabulary: usize,
    pub(crate) max_tokens: usize,
    pub(crate) epsilon: f32,
    pub(crate) pooling: Pooling,
    pub(crate) lower_case: bool,
}

impl Shape {
    /// Refuses what the kernels cannot hold.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let require = |fits: bool, reason: String| {
            if fits {
                Ok(())
            } else {
                Err(Error::unsupported(reason))
            }
        };
        require(
            self.layers > 0 && self.heads > 0 && self.hidden > 0,
            "it has no layers, no heads or no width".to_owned(),
        )?;
        require(
            self.hidden.is_multiple_of(self.heads * PANEL),
            format!(
                "hidden size {} over {} heads is not a multiple of {PANEL} per head",
                self.hidden, self.heads
            ),
        )?;
        require(
            self.intermediate > 0 && self.intermediate.is_multiple_of(PANEL),
            format!(
                "intermediate size {} is not a multiple of {PANEL}",
                self.intermediate
            ),
        )?;
        require(
            self.hidden.max(self.intermediate) <= 1 << 14 && self.vocabulary <= 1 << 24,
            "it is larger than this encoder supports".to_owned(),
        )?;
        require(
            (self.special_tokens()..=1 << 13).contains(&self.max_tokens),
            format!("a limit of {} tokens", self.max_tokens),
        )
    }

    /// Whether the model scores pairs of texts; if not, it is an embedder.
    pub(crate) fn is_reranker(&self) -> bool {
        self.pooling == Pooling::Classifier
    }

    /// How many kinds of tokens the model tells apart: those of the first text
    /// and, in a pair, those of the second.
    pub(crate) fn token_types(&self) -> usize {
        if self.is_reranker() { 2 } else { 1 }
    }

    /// `[CLS]`, and a `[SEP]` after each text.
    fn special_tokens(&self) -> usize {
        1 + self.token_types()
    }

    /// Lane groups of one token's state.
    pub(crate) fn hidden_lanes(&self) -> usize {
        self.hidden / LANES
    }

    /// Lane groups of one token in the inner layer.
    pub(crate) fn inner_lanes(&self) -> usize {
        self.intermediate / LANES
    }
}
