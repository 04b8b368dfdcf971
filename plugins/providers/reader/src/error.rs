//! Errors of the reader.

/// Why the weights cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReaderError {
    /// They name a feature that this version does not compute.
    #[error(
        "the weights of the reader were made for other features: `{name}` is not one; train them again, see training/reader/README.md"
    )]
    UnknownFeature {
        /// The feature.
        name: String,
    },
    /// They are damaged.
    #[error("the weights of the reader cannot be used: {reason}")]
    Weights {
        /// What is wrong.
        reason: String,
    },
}
