//! Which errors prove that an index is broken, and which only that it cannot
//! be used now.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

use super::StoreError;

impl StoreError {
    /// Whether this proves that the text index is broken, or of another
    /// version, so that only the records can bring it back. Errors of the
    /// system (no permission, too many open files, no memory, a disk that
    /// fails) prove nothing.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Text { source, .. } => is_broken(source),
            _ => false,
        }
    }
}

/// The error of the system behind one of tantivy's.
pub(super) fn io_error(error: &TantivyError) -> Option<&io::Error> {
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
pub(crate) fn catch_panic<T>(
    action: &'static str,
    call: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    // What a panic leaves half done is dropped by the caller, with the index.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| panic.downcast_ref::<String>().cloned());
        Err(StoreError::Panicked {
            action,
            message: text.unwrap_or_else(|| "no message".to_owned()),
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;

    fn text(source: TantivyError) -> StoreError {
        StoreError::Text {
            action: "open it",
            source,
        }
    }

    fn reading(error: io::Error) -> StoreError {
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
