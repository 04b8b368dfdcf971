//! Vectors that cannot be compared.

/// Why a vector cannot be compared with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidVector {
    /// It has another number of dimensions.
    #[error("a vector of {found} dimensions, where the index has {expected}")]
    WrongDimension {
        /// Dimensions that are needed.
        expected: usize,
        /// Dimensions of the vector.
        found: usize,
    },
    /// It holds a NaN or an infinity.
    #[error("a vector holds a number that is not finite")]
    NotFinite,
}
