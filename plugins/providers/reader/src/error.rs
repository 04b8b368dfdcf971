//! Errors of the reader.

use gannet_model::ModelError;

/// Why the weights cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReaderError {
    /// A model does not fit the code.
    #[error("the weights of the reader, see training/reader/README.md: {0}")]
    Model(#[from] ModelError),
    /// They are damaged.
    #[error("the weights of the reader cannot be used: {reason}")]
    Weights {
        /// What is wrong.
        reason: String,
    },
}
