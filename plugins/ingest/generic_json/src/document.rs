//! The file as a list of records that are not parsed yet.
//!
//! A member keeps its text, so that a rejected record is handed back as it
//! came, and one that cannot be parsed spoils none of the others. The JSON
//! parser's limit of 128 levels holds for each member.

use std::io::Read;
use std::path::Path;

use gannet_plugin::{Error, Result, ingest};
use serde::Deserialize;
use serde_json::value::RawValue;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The object form of the file; other keys are of no use.
#[derive(Deserialize)]
struct Document {
    entries: Vec<Box<RawValue>>,
}

/// Reads the members of a file's list.
///
/// # Errors
/// [`Error::InvalidInput`] when the file cannot be read, is larger than
/// `max_bytes`, or holds neither a list nor an object with `entries`.
pub(crate) fn read(path: &Path, max_bytes: u64) -> Result<Vec<Box<RawValue>>> {
    let bytes = read_bytes(path, max_bytes)?;
    members(&bytes).map_err(|error| {
        Error::invalid_input(format!(
            "`{}` is neither a JSON array of entries nor an object with `entries`: {error}",
            path.display()
        ))
    })
}

fn members(bytes: &[u8]) -> serde_json::Result<Vec<Box<RawValue>>> {
    let json = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    if json.trim_ascii_start().starts_with(b"[") {
        return serde_json::from_slice(json);
    }
    serde_json::from_slice(json).map(|document: Document| document.entries)
}

fn read_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let unreadable = |error| ingest::unreadable(path, &error);
    let file = ingest::open(path)?;
    let size = file.metadata().map_err(unreadable)?.len();

    // One byte more than allowed tells a file that is too large, also where
    // the size is not known before, as of a pipe.
    let mut bytes = Vec::new();
    if size <= max_bytes {
        file.take(max_bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
    }
    if size > max_bytes || bytes.len() as u64 > max_bytes {
        return Err(Error::invalid_input(format!(
            "`{}` is larger than `max_bytes` ({max_bytes}): write one record per line and use the \
             `jsonl` adapter, or raise the setting",
            path.display()
        )));
    }
    Ok(bytes)
}
