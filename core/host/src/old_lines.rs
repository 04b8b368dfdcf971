//! Deleting old lines from logs of JSON lines, while others add to them.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use jiff::Timestamp;
use serde_json::Value;

use crate::HostError;

/// The fields in which logs have the time of a line.
const TIMES: [&str; 2] = ["at", "logged_at"];

/// Deletes the lines before an instant; returns how many. A line without a
/// time that can be read stays. Who keeps the file open has to open it again,
/// see [`was_replaced`]; what is added while this runs is taken along.
///
/// # Errors
/// [`HostError::File`] when the file cannot be read or written.
pub(crate) fn delete_old_lines(path: &Path, before: Timestamp) -> Result<u64, HostError> {
    of_log(path, try_delete(path, before))
}

/// How many lines are before an instant: those that [`delete_old_lines`] would
/// delete.
///
/// # Errors
/// [`HostError::File`] when the file cannot be read.
pub(crate) fn count_old_lines(path: &Path, before: Timestamp) -> Result<u64, HostError> {
    let count = |text: Vec<u8>| {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.filter(|line| is_before(line, before)).count() as u64
    };
    of_log(path, std::fs::read(path).map(count))
}

/// No lines of a log that is not there.
fn of_log(path: &Path, lines: io::Result<u64>) -> Result<u64, HostError> {
    match lines {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        outcome => outcome.map_err(|source| HostError::File {
            path: path.to_path_buf(),
            source,
        }),
    }
}

/// Whether an open log is no longer the file of its name: it was deleted or
/// renamed, as rotating does it, or its old lines were deleted.
pub fn was_replaced(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let named = match std::fs::metadata(path) {
            Ok(metadata) => identity(metadata),
            Err(error) => return error.kind() == io::ErrorKind::NotFound,
        };
        file.metadata().is_ok_and(|open| identity(open) != named)
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        false
    }
}

fn try_delete(path: &Path, before: Timestamp) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let is_kept = |line: &&[u8]| !is_before(line, before);
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let kept: Vec<&[u8]> = lines.clone().filter(is_kept).collect();
    let deleted = lines.count() - kept.len();
    if deleted == 0 {
        return Ok(0);
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut new = options.open(&beside)?;
    new.write_all(&kept.concat())?;
    new.sync_all()?;
    std::fs::rename(&beside, path)?;
    take_along(&mut file, path)?;
    Ok(deleted as u64)
}

/// What was added to the old file since it was read.
fn take_along(old: &mut File, path: &Path) -> io::Result<()> {
    let mut added = Vec::new();
    old.read_to_end(&mut added)?;
    if added.is_empty() {
        return Ok(());
    }
    OpenOptions::new()
        .append(true)
        .open(path)?
        .write_all(&added)
}

fn is_before(line: &[u8], limit: Timestamp) -> bool {
    time_of(line).is_some_and(|time| time < limit)
}

fn time_of(line: &[u8]) -> Option<Timestamp> {
    let line: Value = serde_json::from_slice(line).ok()?;
    TIMES
        .iter()
        .find_map(|name| line.get(name)?.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn old_lines_go_and_others_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let lines = [
            r#"{"at":"2025-01-01T00:00:00Z","query":"old"}"#,
            "not JSON",
            r#"{"logged_at":"2024-12-31T23:00:00Z","question":"old too"}"#,
            r#"{"at":"2025-02-01T00:00:00Z","query":"limit"}"#,
            r#"{"at":"2025-03-01T00:00:00Z","query":"new"}"#,
        ];
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        let open = OpenOptions::new().append(true).open(&path).unwrap();
        let before = "2025-02-01T00:00:00Z".parse().unwrap();
        assert_eq!(count_old_lines(&path, before).unwrap(), 2);
        assert!(!was_replaced(&open, &path));
        assert_eq!(delete_old_lines(&path, before).unwrap(), 2);
        assert!(was_replaced(&open, &path));
        let left = std::fs::read_to_string(&path).unwrap();
        assert_eq!(left, [lines[1], lines[3], lines[4]].join("\n") + "\n");
        assert_eq!(delete_old_lines(&path, before).unwrap(), 0);
        let nowhere = folder.path().join("nowhere.jsonl");
        assert_eq!(delete_old_lines(&nowhere, before).unwrap(), 0);
        assert_eq!(count_old_lines(&nowhere, before).unwrap(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_log_that_was_renamed_is_not_the_file_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let open = || {
            let mut options = OpenOptions::new();
            options.create(true).append(true).open(&path).unwrap()
        };
        let first = open();
        assert!(!was_replaced(&first, &path));
        std::fs::rename(&path, folder.path().join("log.jsonl.1")).unwrap();
        assert!(was_replaced(&first, &path));
        let second = open();
        assert!(was_replaced(&first, &path));
        assert!(!was_replaced(&second, &path));
    }
}
