//! Errors of models.

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// It names a feature that this version does not compute.
    #[error("the weights were made for other features: `{name}` is not one; train them again")]
    UnknownFeature {
        /// The feature.
        name: String,
    },
    /// It was made for features that mean something else.
    #[error("they are of version {made_for} of the features, and the code has {version}")]
    OtherVersion {
        /// The version of the weights; 0 where they name none.
        made_for: u32,
        /// The version of the code.
        version: u32,
    },
    /// It has a part that leads nowhere.
    #[error("a tree, the curve or the linear model of the weights is not whole")]
    NotWhole,
}
