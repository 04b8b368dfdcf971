//! A source on the disk that goes away with the test.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A file in a folder of its own in the system's folder for temporary files.
/// Both are removed on drop.
pub(super) struct Source {
    folder: PathBuf,
}

impl Source {
    /// Writes a file.
    pub(super) fn of(bytes: &[u8]) -> io::Result<Self> {
        let source = Self {
            folder: new_folder()?,
        };
        std::fs::write(source.path(), bytes)?;
        Ok(source)
    }

    /// The path of a file that is not there.
    pub(super) fn missing() -> io::Result<Self> {
        Ok(Self {
            folder: new_folder()?,
        })
    }

    /// Where the file is.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join("source")
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn new_folder() -> io::Result<PathBuf> {
    let parent = std::env::temp_dir();
    loop {
        let folder = numbered(&parent);
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            // Left behind by an earlier process of the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn numbered(parent: &Path) -> PathBuf {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    parent.join(format!("gannet-conformance-{process}-{number}"))
}
