//! Which file is to be read, and opening it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use gannet_api::{Error, FetchRequest, Result};

/// The name of a source that stands for standard input. A file of this name is
/// `./-`.
pub const STANDARD_INPUT: &str = "-";

/// The file or folder that the request names, or else the configured one, which is the
/// setting `source_url`.
///
/// # Errors
/// [`Error::InvalidInput`] when neither names a file, or one names a URL.
pub fn source_path(request: &FetchRequest, configured: Option<&str>) -> Result<PathBuf> {
    let source = request.source.as_deref().or(configured).unwrap_or("");
    if source.is_empty() {
        return Err(Error::invalid_input(
            "no source; name a file, or set `source_url` of the adapter",
        ));
    }
    if source.contains("://") {
        return Err(Error::invalid_input(format!(
            "`{source}` is a URL, but this adapter reads files; download it first (`curl -o FILE \
             URL`) and name the file"
        )));
    }
    Ok(PathBuf::from(source))
}

/// Where records are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file, a folder or [`STANDARD_INPUT`].
    Files(PathBuf),
    /// An address of a server.
    Url(String),
}

/// The file or the address that the request names, or else the configured one,
/// for adapters that read both.
///
/// # Errors
/// [`Error::InvalidInput`] when neither names any, or the address is not one
/// of HTTP.
pub fn source(request: &FetchRequest, configured: Option<&str>) -> Result<Source> {
    let named = request.source.as_deref().or(configured).unwrap_or("");
    match named.starts_with("http://") || named.starts_with("https://") {
        true => Ok(Source::Url(named.to_owned())),
        false => source_path(request, configured).map(Source::Files),
    }
}

/// Whether a source is [`STANDARD_INPUT`], which can be read but once.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// Opens a source for reading. A pipe is a source too: it can be opened once.
///
/// # Errors
/// [`Error::InvalidInput`] when it cannot be opened or is a folder.
pub fn open(path: &Path) -> Result<File> {
    let unreadable = |error| unreadable(path, &error);
    let file = match is_standard_input(path) {
        true => standard_input(),
        false => File::open(path),
    };
    let file = file.map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        // Some systems open a folder and fail only when it is read.
        return Err(unreadable(io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// Standard input without the buffer of [`io::stdin`], which is locked while
/// somebody reads.
fn standard_input() -> io::Result<File> {
    #[cfg(unix)]
    let own = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let own = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    Ok(File::from(own))
}

/// The error of a source that cannot be read, with its name.
pub fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::invalid_input(format!("cannot read `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::io::Read;

    use super::*;

    fn named(source: &str) -> FetchRequest {
        FetchRequest::default().with_source(source.to_owned())
    }

    fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
        match result {
            Err(Error::InvalidInput { message }) => message,
            other => panic!("expected invalid input, got {other:?}"),
        }
    }

    #[test]
    fn the_request_counts_before_the_configuration() {
        let path = source_path(&named("a.json"), Some("b.json")).unwrap();
        let configured = source_path(&FetchRequest::default(), Some("b.json")).unwrap();

        assert_eq!(path, Path::new("a.json"));
        assert_eq!(configured, Path::new("b.json"));
    }

    #[test]
    fn no_source_and_a_url_say_what_to_do() {
        let none = message(source_path(&FetchRequest::default(), None));
        let blank = message(source_path(&named(""), Some("b.json")));
        let url = message(source_path(&named("https://x.invalid/y.json"), None));

        assert!(none.contains("source_url"), "{none}");
        assert_eq!(none, blank);
        assert!(url.contains("`https://x.invalid/y.json` is a URL"), "{url}");
        assert!(url.contains("download it first"), "{url}");
    }

    #[test]
    fn files_and_addresses_are_told_apart() {
        let read = |name: &str| source(&named(name), Some("b.json"));
        let url = "https://x.invalid/y.json";
        assert_eq!(read(url).unwrap(), Source::Url(url.to_owned()));
        assert_eq!(read("a.json").unwrap(), Source::Files("a.json".into()));
        assert!(message(read("ftp://x.invalid/y")).contains("is a URL"));
        assert!(message(source(&FetchRequest::default(), None)).contains("source_url"));
    }

    #[test]
    fn a_file_is_opened_and_a_folder_and_nothing_are_errors_with_their_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("entries.json");
        let missing = message(open(&path));
        std::fs::write(&path, "[]").unwrap();

        let mut text = String::new();
        open(&path).unwrap().read_to_string(&mut text).unwrap();
        let is_folder = message(open(folder.path()));

        assert_eq!(text, "[]");
        let expected = format!("cannot read `{}`: ", path.display());
        assert!(missing.starts_with(&expected), "{missing}");
        assert!(is_folder.contains("directory"), "{is_folder}");
    }
}
