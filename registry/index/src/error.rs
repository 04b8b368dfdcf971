//! What an index can fail with, sorted by what whoever owns it must do.

use std::io;
use std::path::{Path, PathBuf};

/// An error of an engine, with its own message.
pub type EngineError = Box<dyn std::error::Error + Send + Sync>;

/// What an index can fail with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A file or folder cannot be used. It says nothing about what is in it.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is no room left on the disk.
    #[error("no space left on the disk of {place} while trying to {action}")]
    DiskFull {
        /// What was tried, as a verb.
        action: &'static str,
        /// What is on the disk: "the text index".
        place: &'static str,
    },
    /// The index is damaged, of another version, or not the one that was asked
    /// for: only the records can bring it back.
    #[error(transparent)]
    Damaged(EngineError),
    /// The engine panicked, most likely because a file is damaged: all files are
    /// to be verified.
    #[error(transparent)]
    Panicked(EngineError),
    /// The engine cannot do this at all. What every engine can do has no default
    /// in its trait; whatever has one fails with this.
    #[error("the index cannot {action}")]
    Unsupported {
        /// What was asked, as a verb.
        action: &'static str,
    },
    /// No engine of this name is linked into the program.
    #[error(
        "there is no {index} index named `{name}` in this program, which has: {known}; a program \
         that embeds Gannet links the crate of the index, as in `use gannet_index_flat as _;`"
    )]
    UnknownEngine {
        /// "text" or "vector".
        index: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The settings of an engine are not such that it can work.
    #[error("settings of the index `{engine}`: {reason}")]
    InvalidSettings {
        /// Its name.
        engine: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Any other failure, which may pass.
    #[error(transparent)]
    Failed(EngineError),
}

impl IndexError {
    /// A file or folder cannot be used.
    #[must_use]
    pub fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }

    /// Whether this proves that the index is of no use, so that it is to be
    /// made again from the records.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged(_))
    }

    /// Whether a file may be damaged, so that all of them are to be verified.
    #[must_use]
    pub fn is_suspicious(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::Panicked(_))
    }
}
