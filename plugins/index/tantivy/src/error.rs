//! What can go wrong in the text index, and which errors prove that it is
//! broken, and which only that it cannot be used now.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use gannet_index::IndexError;
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

/// What the text index can fail with.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// A file or folder cannot be used.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The engine failed.
    #[error("cannot {action} in the text index: {source}")]
    Engine {
        /// What was tried, as a verb.
        action: &'static str,
        /// The cause.
        source: TantivyError,
    },
    /// The engine failed in a way that its makers did not foresee, most likely
    /// because a file of it is damaged.
    #[error(
        "cannot {action} in the text index: it panicked ({message}); run `gannet index verify`"
    )]
    Panicked {
        /// What was tried, as a verb.
        action: &'static str,
        /// The message of the panic.
        message: String,
    },
}

impl TextError {
    /// Whether this proves that the text index is broken, or of another
    /// version, so that only the records can bring it back. Errors of the
    /// system (no permission, too many open files, no memory, a disk that
    /// fails) prove nothing.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Engine { source, .. } if is_broken(source))
    }

    /// Whether a file may be damaged, so that all of them are to be verified.
    #[must_use]
    pub fn is_suspicious(&self) -> bool {
        self.is_damage() || matches!(self, Self::Panicked { .. })
    }

    /// What the engine tried when the disk was full; `None` for any other error.
    fn disk_full(&self) -> Option<&'static str> {
        let Self::Engine { action, source } = self else {
            return None;
        };
        let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        io_error(source)
            .is_some_and(|error| kinds.contains(&error.kind()))
            .then_some(action)
    }

    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}

impl From<TextError> for IndexError {
    fn from(error: TextError) -> Self {
        if let Some(action) = error.disk_full() {
            let place = "the text index";
            return Self::DiskFull { action, place };
        }
        match error {
            TextError::Io {
                action,
                path,
                source,
            } => Self::Io {
                action,
                path,
                source,
            },
            TextError::Panicked { .. } => Self::Panicked(Box::new(error)),
            error if error.is_damage() => Self::Damaged(Box::new(error)),
            error => Self::Failed(Box::new(error)),
        }
    }
}

/// Adds to an error of the engine what was tried.
pub(super) trait TextContext<T> {
    fn doing(self, action: &'static str) -> Result<T, TextError>;
}

impl<T> TextContext<T> for Result<T, TantivyError> {
    fn doing(self, action: &'static str) -> Result<T, TextError> {
        self.map_err(|source| TextError::Engine { action, source })
    }
}

/// The error of the system behind one of tantivy's.
fn io_error(error: &TantivyError) -> Option<&io::Error> {
    match error {
        TantivyError::IoError(io_error)
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. })
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error, .. })
        | TantivyError::LockFailure(LockError::IoError(io_error), _) => Some(io_error),
        _ => None,
    }
}

fn is_broken(error: &TantivyError) -> bool {
    match error {
        TantivyError::DataCorruption(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::SchemaError(_)
        | TantivyError::OpenReadError(
            OpenReadError::FileDoesNotExist(_) | OpenReadError::IncompatibleIndex(_),
        )
        | TantivyError::OpenDirectoryError(OpenDirectoryError::NotADirectory(_)) => true,
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. })
        | TantivyError::IoError(io_error) => is_about_content(io_error),
        _ => false,
    }
}

/// tantivy reports what it cannot decode as errors of reading. The system
/// itself never does so with these kinds.
fn is_about_content(error: &io::Error) -> bool {
    error.raw_os_error().is_none()
        && matches!(
            error.kind(),
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
        )
}

/// Calls into tantivy, which panics on some files that are damaged.
pub(super) fn catch_panic<T>(
    action: &'static str,
    call: impl FnOnce() -> Result<T, TextError>,
) -> Result<T, TextError> {
    // What a panic leaves half done is dropped by the caller, with the index.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| panic.downcast_ref::<String>().cloned());
        Err(TextError::Panicked {
            action,
            message: text.unwrap_or_else(|| "no message".to_owned()),
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::sync::Arc;

    use super::*;

    fn text(source: TantivyError) -> TextError {
        TextError::Engine {
            action: "open it",
            source,
        }
    }

    fn reading(error: io::Error) -> TextError {
        text(TantivyError::OpenReadError(OpenReadError::IoError {
            io_error: Arc::new(error),
            filepath: PathBuf::from("meta.json"),
        }))
    }

    #[test]
    fn errors_of_the_system_prove_no_damage() {
        // EIO, EMFILE, EACCES, ENOMEM, ENOSPC, EROFS, EPERM, ENFILE
        for code in [5, 24, 13, 12, 28, 30, 1, 23] {
            let error = reading(io::Error::from_raw_os_error(code));
            assert!(!error.is_damage(), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_decoded_or_is_missing_is_damage() {
        let missing = OpenReadError::FileDoesNotExist(PathBuf::from("a.idx"));
        assert!(text(TantivyError::OpenReadError(missing)).is_damage());
        let cut = io::Error::new(io::ErrorKind::UnexpectedEof, "File corrupted");
        assert!(reading(cut).is_damage());
        assert!(text(TantivyError::SchemaError("other".to_owned())).is_damage());
    }

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        let error = catch_panic::<()>("search", || panic!("index {} out of range", 3));
        let message = error.unwrap_err().to_string();
        assert!(message.contains("index 3 out of range"), "{message}");
    }
}
