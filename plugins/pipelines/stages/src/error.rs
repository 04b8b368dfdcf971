//! What a stage cannot do with what it was given.

use gannet_plugin::prelude::Error;

/// A setting or an input that a stage cannot work with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// The share of the vectors in a linear fusion lies outside 0 to 1.
    #[error("alpha must be between 0 and 1, got {0}")]
    AlphaOutOfRange(f64),
    /// The constant of reciprocal rank fusion is negative or no number.
    #[error("k must be 0 or more, got {0}")]
    BadRankConstant(f64),
    /// A module's weight is negative or no number.
    #[error("the weight of `{module}` must be 0 or more, got {weight}")]
    BadWeight {
        /// Whose weight.
        module: String,
        /// The weight.
        weight: f64,
    },
    /// The boost for headline-like queries is below 0 or no number.
    #[error("headline_boost must be 0 or more, got {0}")]
    BadHeadlineBoost(f64),
    /// The weight of late interaction is below 0 or no number.
    #[error("late_weight must be 0 or more, got {0}")]
    BadLateWeight(f64),
}

impl StageError {
    /// This error as one about a setting of a pipeline, for
    /// [`Pipeline::new`](gannet_plugin::prelude::Pipeline::new).
    pub fn at(&self, key: &str) -> Error {
        Error::setting(key, self.to_string())
    }
}
