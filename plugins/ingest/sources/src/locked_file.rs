//! Files that several writers add to.
//!
//! Writers wait for each other at a lock file beside the file: the lock of the
//! file itself would be lost when another one takes its place.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use futures::channel::oneshot;
use gannet_plugin::prelude::{Error, Result};

/// A file that nobody else writes to while this exists.
pub(crate) struct LockedFile {
    /// Where it is, behind any symlink.
    pub(crate) target: PathBuf,
    /// Whether it exists.
    pub(crate) exists: bool,
    /// The lock ends when this is closed, at the latest with the process. The
    /// lock file stays, because another writer may wait at it.
    _lock: File,
}

impl LockedFile {
    /// Waits until no other writer has the file.
    pub(crate) fn wait_for(path: &Path) -> io::Result<Self> {
        let target = match path.try_exists()? {
            true => path.canonicalize()?,
            false => path.to_owned(),
        };
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(hidden_beside(&target, ".lock")?)?;
        lock.lock()?;
        Ok(Self {
            // The writer before may have made it.
            exists: target.try_exists()?,
            target,
            _lock: lock,
        })
    }

    /// Brings the name of the file to the disk.
    ///
    /// # Errors
    /// [`Error::Internal`]: it was written, and may be gone after a crash.
    pub(crate) fn sync_name(&self) -> Result<()> {
        // Windows cannot open folders as files, and journals names itself.
        let synced = match (cfg!(unix), self.target.parent()) {
            (true, Some(folder)) if folder.as_os_str().is_empty() => sync_folder(Path::new(".")),
            (true, Some(folder)) => sync_folder(folder),
            _ => Ok(()),
        };
        synced.map_err(|error| unsynced(&self.target, &error))
    }
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// A hidden file beside this one, which adapters of folders leave out.
pub(crate) fn hidden_beside(target: &Path, ending: &str) -> io::Result<PathBuf> {
    let name = target.file_name();
    let name = name.ok_or_else(|| io::Error::other("it is not the name of a file"))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(ending);
    Ok(target.with_file_name(hidden))
}

/// Writes on a thread of its own: files block.
pub(crate) async fn on_thread(
    path: PathBuf,
    write: impl FnOnce(&Path) -> Result<()> + Send + 'static,
) -> Result<()> {
    let (done, outcome) = oneshot::channel();
    let named = path.clone();
    let work = move || {
        // Nobody may wait any more.
        let _ = done.send(write(&path));
    };
    let started = thread::Builder::new().name("gannet-write".to_owned());
    started
        .spawn(work)
        .map_err(|error| unwritable(&named, &error))?;
    let ended = outcome.await;
    let name = named.display();
    ended.map_err(|_| Error::internal(format!("the thread that writes `{name}` ended")))?
}

/// The error of a file that nothing was written to.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::Unavailable {
        message: format!("cannot write `{}`: {error}", path.display()),
    }
}

/// The error of a file that was written to, and may not be after a crash.
pub(crate) fn unsynced(path: &Path, error: &io::Error) -> Error {
    Error::internal(format!(
        "`{}` was written, but not brought to the disk: {error}",
        path.display()
    ))
}
