//! Files that several writers add to.
//!
//! Writers wait for each other at a lock file beside the file: the lock of the
//! file itself would be lost when another one takes its place.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use futures::channel::oneshot;
use gannet_plugin::prelude::{Error, Result};

/// How long a writer waits for the others.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How often it looks again.
const TRY_AGAIN: Duration = Duration::from_millis(10);

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
    /// Waits until no other writer has the file, which blocks the thread for up
    /// to [`LONGEST_WAIT`].
    ///
    /// # Errors
    /// [`Error::Unavailable`], with the name of the lock file where it is that
    /// one which cannot be used, or which another process keeps.
    pub(crate) fn wait_for(path: &Path) -> Result<Self> {
        Self::within(path, LONGEST_WAIT)
    }

    fn within(path: &Path, wait: Duration) -> Result<Self> {
        let failed = |error| unwritable(path, &error);
        let target = target_of(path).map_err(failed)?;
        let beside = hidden_beside(&target, ".lock").map_err(failed)?;
        let lock = open_lock(&beside).and_then(|lock| take(&lock, wait).map(|()| lock));
        let lock = lock.map_err(|error| unlocked(path, &beside, &error))?;
        Ok(Self {
            // The writer before may have made it.
            exists: target.try_exists().map_err(failed)?,
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

/// The file behind any symlink.
///
/// # Errors
/// A symlink to what does not exist: a new file would take its place, and what
/// it leads to may be on a disk that is not mounted.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    if path.try_exists()? {
        return path.canonicalize();
    }
    match path.is_symlink() {
        true => Err(io::Error::other("it is a symlink to no file")),
        false => Ok(path.to_owned()),
    }
}

/// Opens the lock file, which may belong to another user: to lock it, it need
/// not be writable.
fn open_lock(path: &Path) -> io::Result<File> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let created = OpenOptions::new().write(true).create_new(true).open(path);
    match created {
        // Another writer made it just now.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => File::open(path),
        created => created,
    }
}

/// Takes the lock, or gives up. The system's own waiting has no limit.
fn take(lock: &File, wait: Duration) -> io::Result<()> {
    let started = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if started.elapsed() < wait => thread::sleep(TRY_AGAIN),
            Err(TryLockError::WouldBlock) => {
                let seconds = wait.as_secs();
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("another process has kept it locked for {seconds} s"),
                ));
            }
        }
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

/// The error of a file whose lock file cannot be used; nothing was written.
fn unlocked(path: &Path, lock: &Path, error: &io::Error) -> Error {
    Error::Unavailable {
        message: format!(
            "cannot write `{}`: its lock file `{}`: {error}",
            path.display(),
            lock.display()
        ),
    }
}

/// The error of a file that was written to, and may not be after a crash.
pub(crate) fn unsynced(path: &Path, error: &io::Error) -> Error {
    Error::internal(format!(
        "`{}` was written, but not brought to the disk: {error}",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::fs;

    use tempfile::TempDir;

    use super::*;

    /// A folder, a file in it, and the lock file of that.
    fn places() -> (TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.json");
        let lock = folder.path().join(".log.json.lock");
        (folder, file, lock)
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_that_cannot_be_used_is_named() {
        let (folder, file, lock) = places();
        // It leads below a file, as if that were a folder.
        fs::write(folder.path().join("plain"), "").unwrap();
        std::os::unix::fs::symlink("plain/x", &lock).unwrap();

        let refused = LockedFile::wait_for(&file).err().unwrap();
        assert!(matches!(refused, Error::Unavailable { .. }), "{refused}");
        assert!(refused.to_string().contains(".log.json.lock"), "{refused}");
    }

    #[test]
    fn a_lock_file_is_opened_for_reading_alone_where_it_exists() {
        use std::io::Write;

        let (_folder, _file, lock) = places();
        fs::write(&lock, "").unwrap();
        let mut opened = open_lock(&lock).unwrap();
        // Also where nobody is refused, as with the rights of root.
        assert!(opened.write_all(b"x").is_err());
        opened.lock().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_symlink_to_no_file_is_refused_and_left() {
        let (folder, file, lock) = places();
        std::os::unix::fs::symlink("absent.json", &file).unwrap();

        let refused = LockedFile::wait_for(&file).err().unwrap().to_string();
        assert!(refused.contains("log.json"), "{refused}");
        assert!(refused.contains("a symlink to no file"), "{refused}");
        assert!(file.is_symlink());
        assert!(!lock.exists());

        fs::write(folder.path().join("absent.json"), "[]").unwrap();
        let locked = LockedFile::wait_for(&file).unwrap();
        assert!(locked.target.ends_with("absent.json"));
    }

    #[test]
    fn a_lock_that_another_writer_keeps_is_given_up_with_a_reason() {
        let (_folder, file, _lock) = places();
        let kept = LockedFile::wait_for(&file).unwrap();

        let refused = LockedFile::within(&file, Duration::ZERO).err().unwrap();
        assert!(matches!(refused, Error::Unavailable { .. }), "{refused}");
        let text = refused.to_string();
        assert!(text.contains(".log.json.lock"), "{text}");
        assert!(
            text.contains("another process has kept it locked"),
            "{text}"
        );

        drop(kept);
        LockedFile::within(&file, Duration::ZERO).unwrap();
    }
}
