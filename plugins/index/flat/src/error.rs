//! What can go wrong in the vector index.

use std::path::{Path, PathBuf};

use gannet_index::IndexError;
use gannet_vectors::{InvalidVector, MAX_DIMENSION};

/// An error of the vector index.
///
/// [`VectorError::Corrupt`], [`VectorError::OtherVersion`] and
/// [`VectorError::WrongModel`] mean that the files are of no use: the index is a
/// projection, so the owner starts an empty one with
/// [`FlatIndex::create`](super::FlatIndex::create) and replays the records.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// The file system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried, as a verb: "open", "write", "rename".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file is damaged, cut short or not ours.
    #[error("{} is damaged: {reason}", path.display())]
    Corrupt {
        /// The damaged file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// A file was written by another version of the program.
    #[error("{} was written by another version", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
    },
    /// The files were written with another embedding model.
    #[error("{} holds vectors of model `{found}`, not of `{expected}`", path.display())]
    WrongModel {
        /// The manifest that says so.
        path: PathBuf,
        /// The model asked for.
        expected: String,
        /// The model the files were written with.
        found: String,
    },
    /// A vector has another number of dimensions than the index, or holds a
    /// number that is not finite.
    #[error(transparent)]
    Invalid(#[from] InvalidVector),
    /// The number of dimensions is zero or above [`MAX_DIMENSION`].
    #[error("its vectors have {0} dimensions, where 1 to {MAX_DIMENSION} are possible")]
    UnsupportedDimension(usize),
    /// A filter was made for another state of the index.
    #[error("the filter covers {found} rows, the index has {expected}")]
    WrongFilter {
        /// Rows of the index.
        expected: usize,
        /// Rows of the filter.
        found: usize,
    },
}

impl VectorError {
    /// Whether the owner should start an empty index and replay the records.
    #[must_use]
    pub fn calls_for_rebuild(&self) -> bool {
        matches!(
            self,
            Self::Corrupt { .. } | Self::OtherVersion { .. } | Self::WrongModel { .. }
        )
    }

    pub(super) fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        Self::Corrupt {
            path: path.to_path_buf(),
            reason: reason.into(),
        }
    }
}

impl From<VectorError> for IndexError {
    fn from(error: VectorError) -> Self {
        match error {
            VectorError::Io {
                action,
                path,
                source,
            } => Self::Io {
                action,
                path,
                source,
            },
            error if error.calls_for_rebuild() => Self::Damaged(Box::new(error)),
            error => Self::Failed(Box::new(error)),
        }
    }
}

/// Adds the action and the path to an input or output error.
pub(super) trait IoContext<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, VectorError>;
}

impl<T> IoContext<T> for std::io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, VectorError> {
        self.map_err(|source| VectorError::Io {
            action,
            path: path.to_path_buf(),
            source,
        })
    }
}
