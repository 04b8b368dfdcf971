//! The folder of a text index, as tantivy writes and reads it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tantivy::Directory;
use tantivy::directory::error::{
    DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError,
};
use tantivy::directory::{
    DirectoryLock, FileHandle, INDEX_WRITER_LOCK, Lock, MmapDirectory, WatchCallback, WatchHandle,
    WritePtr,
};

/// tantivy's folder of memory-mapped files, but for two things: files that are
/// replaced get the permissions of every other new file (tantivy makes them
/// readable for their owner only), and a folder that may not be written can be
/// read.
#[derive(Debug, Clone)]
pub(super) struct TextDirectory {
    files: MmapDirectory,
    folder: PathBuf,
}

/// Keeps temporary files of one process apart.
static TEMPORARY: AtomicU64 = AtomicU64::new(0);

impl TextDirectory {
    pub(super) fn open(folder: &Path) -> Result<Self, OpenDirectoryError> {
        Ok(Self {
            files: MmapDirectory::open(folder)?,
            folder: folder.to_path_buf(),
        })
    }

    fn replace(&self, name: &Path, data: &[u8], temporary: &Path) -> io::Result<()> {
        // The mode is that of the process's umask, as for segments.
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(temporary)?;
        file.write_all(data)?;
        file.sync_data()?;
        std::fs::rename(temporary, self.folder.join(name))
    }
}

impl Directory for TextDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let number = TEMPORARY.fetch_add(1, Ordering::Relaxed);
        // tantivy takes files with a leading dot for none of its own.
        let name = format!(".replacing-{}-{number}", std::process::id());
        let temporary = self.folder.join(name);
        let replaced = self.replace(path, data, &temporary);
        if replaced.is_err() {
            // Best effort: the error that counts is the first one.
            let _ = std::fs::remove_file(&temporary);
        }
        replaced
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.files.acquire_lock(lock) {
            // A reader's lock only keeps a writer from deleting files that
            // are about to be opened; without it the reader tries again.
            Err(LockError::IoError(error))
                if lock.filepath != INDEX_WRITER_LOCK.filepath && prevents_writing(&error) =>
            {
                Ok(DirectoryLock::from(Box::new(())))
            }
            locked => locked,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

fn prevents_writing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_can_be_read_by_whoever_can_read_new_files() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let directory = TextDirectory::open(folder.path()).unwrap();
        let mode = |name: &str| {
            let path = folder.path().join(name);
            std::fs::metadata(path).unwrap().permissions().mode() & 0o777
        };
        std::fs::write(folder.path().join("any"), "").unwrap();
        for content in ["1", "2"] {
            directory
                .atomic_write(Path::new("meta.json"), content.as_bytes())
                .unwrap();
            assert_eq!(mode("meta.json"), mode("any"));
        }
        let names = std::fs::read_dir(folder.path()).unwrap();
        assert_eq!(names.count(), 2, "no temporary file stays");
        let read = directory.atomic_read(Path::new("meta.json")).unwrap();
        assert_eq!(read, b"2");
    }
}
