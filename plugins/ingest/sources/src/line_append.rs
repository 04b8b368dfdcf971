//! Adding a line to a file.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gannet_plugin::prelude::Result;

use crate::locked_file::{LockedFile, on_thread, unsynced, unwritable};

/// Adds a line to a file, which is created when it does not exist. What is written
/// is on the disk when this returns. Writers wait for each other.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("log.jsonl");
/// for line in ["{\"id\": 1}", "{\"id\": 2}"] {
///     pollster::block_on(gannet_sources::append_line(path.clone(), line.to_owned())).unwrap();
/// }
/// let text = std::fs::read_to_string(&path).unwrap();
/// assert_eq!(text, "{\"id\": 1}\n{\"id\": 2}\n");
/// ```
///
/// # Errors
/// [`Error::Unavailable`](gannet_plugin::prelude::Error::Unavailable) where it
/// cannot be written, and nothing was;
/// [`Error::Internal`](gannet_plugin::prelude::Error::Internal) where it is not
/// known whether the line is there after a crash.
pub async fn append_line(path: PathBuf, line: String) -> Result<()> {
    on_thread(path, move |path| append(path, &line)).await
}

fn append(path: &Path, line: &str) -> Result<()> {
    let failed = |error| unwritable(path, &error);
    let locked = LockedFile::wait_for(path)?;
    let file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(&locked.target);
    let mut file = file.map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    // A line that was cut off, as by a crash, does not spoil this one.
    let start = match ends_within_a_line(&mut file, length).map_err(failed)? {
        true => "\n",
        false => "",
    };
    if let Err(error) = file.write_all(format!("{start}{line}\n").as_bytes()) {
        // As when the disk is full: without a part of the line it is as before.
        let restored = file.set_len(length);
        restored.map_err(|error| unsynced(path, &error))?;
        return Err(unwritable(path, &error));
    }
    file.sync_all().map_err(|error| unsynced(path, &error))?;
    match locked.exists {
        true => Ok(()),
        false => locked.sync_name(),
    }
}

fn ends_within_a_line(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::{fs, thread};

    use gannet_plugin::prelude::Error;

    use super::*;

    #[test]
    fn a_line_follows_the_last_one_also_where_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        for (old, new) in [
            ("", "7\n"),
            ("one\n", "one\n7\n"),
            ("one\n{\"id\": \"tw", "one\n{\"id\": \"tw\n7\n"),
        ] {
            let path = folder.path().join("log.jsonl");
            fs::write(&path, old).unwrap();
            append(&path, "7").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), new);
        }
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..8 {
                        append(path, &(writer * 8 + number).to_string()).unwrap();
                    }
                });
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        let mut numbers: Vec<u32> = text.lines().map(|line| line.parse().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..32).collect::<Vec<u32>>());
    }

    #[test]
    fn a_file_that_cannot_be_made_is_an_error_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        for path in ["no/such/log.jsonl", "folder"] {
            let refused = append(&folder.path().join(path), "7").unwrap_err();
            assert!(matches!(refused, Error::Unavailable { .. }), "{refused}");
            assert!(refused.to_string().contains(path), "{refused}");
        }
    }
}
