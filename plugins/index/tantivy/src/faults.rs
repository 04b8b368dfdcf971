//! A folder of an index that fails when a test wants it to. In debug builds
//! only: the tests of the crates that use the index need it too.
#![allow(clippy::panic)]

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, TerminatingWrite, WatchCallback, WatchHandle,
    WritePtr,
};

use super::directory::TextDirectory;

/// What fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Opening a file, or reading the list of segments.
    Read,
    /// Writing, syncing or ending a file.
    Write,
}

/// How it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Once, with an error of the system.
    Once(i32),
    /// Until it is mended, with an error of the system.
    Lasting(i32),
    /// Once, with a panic in a thread that indexes. In the pool that commits,
    /// a panic ends the process, as a kill does: tantivy gives rayon no
    /// handler.
    Panic,
}

#[derive(Debug, Clone, Copy)]
struct Fault {
    operation: Operation,
    failure: Failure,
    /// Operations that succeed before.
    spared: usize,
}

static FAULTS: Mutex<BTreeMap<PathBuf, Fault>> = Mutex::new(BTreeMap::new());

fn faults() -> std::sync::MutexGuard<'static, BTreeMap<PathBuf, Fault>> {
    FAULTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on the operation after so many spared ones fails in this folder.
pub fn break_folder(folder: &Path, operation: Operation, failure: Failure, spared: usize) {
    let fault = Fault {
        operation,
        failure,
        spared,
    };
    faults().insert(folder.to_path_buf(), fault);
}

/// Nothing fails in this folder any more; returns whether something would
/// have.
pub fn mend_folder(folder: &Path) -> bool {
    faults().remove(folder).is_some()
}

fn is_indexing() -> bool {
    let thread = std::thread::current();
    thread
        .name()
        .is_some_and(|name| name.starts_with("thrd-tantivy-index"))
}

fn strike(folder: &Path, operation: Operation) -> io::Result<()> {
    let mut faults = faults();
    let Some(fault) = faults.get_mut(folder) else {
        return Ok(());
    };
    if fault.operation != operation || fault.failure == Failure::Panic && !is_indexing() {
        return Ok(());
    }
    if fault.spared > 0 {
        fault.spared -= 1;
        return Ok(());
    }
    match fault.failure {
        Failure::Lasting(code) => Err(io::Error::from_raw_os_error(code)),
        Failure::Once(code) => {
            faults.remove(folder);
            Err(io::Error::from_raw_os_error(code))
        }
        Failure::Panic => {
            faults.remove(folder);
            drop(faults);
            panic!("a fault that a test made");
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct FaultyDirectory {
    inner: TextDirectory,
    folder: PathBuf,
}

impl FaultyDirectory {
    pub(super) fn over(inner: TextDirectory, folder: &Path) -> Self {
        Self {
            inner,
            folder: folder.to_path_buf(),
        }
    }

    fn strike_reading(&self, path: &Path) -> Result<(), OpenReadError> {
        strike(&self.folder, Operation::Read)
            .map_err(|error| OpenReadError::wrap_io_error(error, path.to_path_buf()))
    }
}

impl Directory for FaultyDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.strike_reading(path)?;
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        strike(&self.folder, Operation::Write)
            .map_err(|error| OpenWriteError::wrap_io_error(error, path.to_path_buf()))?;
        Ok(BufWriter::new(Box::new(FaultyFile {
            inner: self.inner.open_write(path)?,
            folder: self.folder.clone(),
        })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.strike_reading(path)?;
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        strike(&self.folder, Operation::Write)?;
        self.inner.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        strike(&self.folder, Operation::Write)?;
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.inner.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

struct FaultyFile {
    inner: WritePtr,
    folder: PathBuf,
}

impl Write for FaultyFile {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        strike(&self.folder, Operation::Write)?;
        self.inner.write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl TerminatingWrite for FaultyFile {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        strike(&self.folder, Operation::Write)?;
        self.inner.terminate_ref(token)
    }
}
