//! Files that lines of JSON are added to, each by a thread of its own: the
//! executor does not wait for a disk.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use gannet_core::was_replaced;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::log_file;

/// Lines that wait to be written at most, for each file.
const MOST_WAITING: usize = 1024;
/// How long the lines that wait may take when the service stops.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// What adds lines to a file. Its thread ends when nobody has it any more, or
/// when it is [closed](LogWriters::close), once every line is written.
#[derive(Debug)]
pub(crate) struct LogWriter(Mutex<Option<mpsc::Sender<Message>>>);

/// For the thread.
#[derive(Debug)]
pub(crate) struct Message {
    /// Without its line break; empty where only `written` is wanted.
    pub line: Arc<str>,
    /// Told once this line and those before it are in the file.
    written: Option<oneshot::Sender<()>>,
}

/// The writers of the service: one for each file.
#[derive(Default)]
pub(crate) struct LogWriters(Mutex<Vec<Started>>);

struct Started {
    path: PathBuf,
    writer: Weak<LogWriter>,
    thread: JoinHandle<()>,
    /// Closed when the thread ends.
    ended: oneshot::Receiver<()>,
}

impl LogWriter {
    /// Adds a line, waiting for room in the queue and until it is in the file.
    /// That it could not be written is in the log of the service. `false`
    /// where the writer was closed and did not take the line.
    pub async fn write(&self, line: &str) -> bool {
        let Some(queue) = self.queue() else {
            return false;
        };
        let (written, done) = oneshot::channel();
        let message = Message {
            line: line.into(),
            written: Some(written),
        };
        queue.send(message).await.is_ok() && done.await.is_ok()
    }

    /// Adds a line without waiting; `false` where there is no room for it.
    pub fn try_write(&self, line: &str) -> bool {
        let message = Message {
            line: line.into(),
            written: None,
        };
        self.queue()
            .is_some_and(|queue| queue.try_send(message).is_ok())
    }

    fn queue(&self) -> Option<mpsc::Sender<Message>> {
        self.sender().clone()
    }

    fn sender(&self) -> MutexGuard<'_, Option<mpsc::Sender<Message>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One without a thread, and what it would be given.
    #[cfg(test)]
    pub fn unread(room: usize) -> (Self, mpsc::Receiver<Message>) {
        let (sender, messages) = mpsc::channel(room);
        (Self(Mutex::new(Some(sender))), messages)
    }
}

impl LogWriters {
    /// The writer of a file: the one that there is, or a new one. `None` where
    /// the system gives no thread.
    pub fn of(&self, path: &Path) -> Option<Arc<LogWriter>> {
        let mut started = self.started();
        started.retain(|one| !one.thread.is_finished());
        let mut same = started.iter().filter(|one| one.path == path);
        if let Some(writer) = same.find_map(|one| one.writer.upgrade()) {
            return Some(writer);
        }
        match start(path) {
            Ok((writer, one)) => {
                started.push(one);
                Some(writer)
            }
            Err(error) => {
                tracing::error!(%error, path = %path.display(), "no thread writes the log");
                None
            }
        }
    }

    /// Waits until the lines that were added so far are written, for a limited
    /// time.
    pub async fn flush(&self) {
        let writers = self.in_use();
        let flushed = async {
            for writer in writers {
                writer.write("").await;
            }
        };
        note_late(timeout(CLOSE_TIMEOUT, flushed).await.is_err());
    }

    /// Ends the threads once every line is written, within a limited time.
    /// No writer takes lines from then on.
    pub async fn close(&self) {
        let started = std::mem::take(&mut *self.started());
        for writer in started.iter().filter_map(|one| one.writer.upgrade()) {
            // Without a sender the queue ends.
            drop(writer.sender().take());
        }
        let ended = async {
            for one in started {
                // An error: the thread has let go of the other end.
                let _ = one.ended.await;
                if one.thread.join().is_err() {
                    tracing::error!(path = %one.path.display(), "the thread of a log panicked");
                }
            }
        };
        note_late(timeout(CLOSE_TIMEOUT, ended).await.is_err());
    }

    fn in_use(&self) -> Vec<Arc<LogWriter>> {
        let started = self.started();
        let writers = started.iter().filter_map(|one| one.writer.upgrade());
        writers.collect()
    }

    fn started(&self) -> MutexGuard<'_, Vec<Started>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn note_late(is_late: bool) {
    if is_late {
        tracing::error!("the last lines of the logs were not written in time");
    }
}

fn start(path: &Path) -> std::io::Result<(Arc<LogWriter>, Started)> {
    let (sender, messages) = mpsc::channel(MOST_WAITING);
    let (ends, ended) = oneshot::channel::<()>();
    let file = path.to_owned();
    let thread = std::thread::Builder::new().name("log-writer".to_owned());
    let thread = thread.spawn(move || {
        let _ends = ends;
        write_all(&file, messages);
    })?;
    let writer = Arc::new(LogWriter(Mutex::new(Some(sender))));
    let started = Started {
        path: path.to_owned(),
        writer: Arc::downgrade(&writer),
        thread,
        ended,
    };
    Ok((writer, started))
}

fn write_all(path: &Path, mut messages: mpsc::Receiver<Message>) {
    let mut file = None;
    while let Some(message) = messages.blocking_recv() {
        if !message.line.is_empty()
            && let Err(error) = add(&mut file, path, &message.line)
        {
            tracing::error!(%error, path = %path.display(), "a line of the log cannot be written");
            file = None;
        }
        if let Some(written) = message.written {
            // Whoever waited for it may be gone.
            let _ = written.send(());
        }
    }
    if let Some(file) = file {
        // A pipe is on no disk.
        let _ = file.sync_data();
    }
}

/// One write a line, so that lines of several processes do not mix.
fn add(file: &mut Option<File>, path: &Path, line: &str) -> std::io::Result<()> {
    // Another file may have its name: after a rotation, or without old lines.
    if file.as_ref().is_some_and(|file| was_replaced(file, path)) {
        *file = None;
    }
    let file = match file {
        Some(file) => file,
        None => file.insert(log_file::open(path)?),
    };
    file.write_all(format!("{line}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_log_that_is_renamed_or_deleted_goes_on_in_a_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, old) = (folder.path().join("log"), folder.path().join("log.1"));
        let logs = LogWriters::default();
        let writer = logs.of(&path).unwrap();
        assert!(writer.write("one").await);
        std::fs::rename(&path, &old).unwrap();
        assert!(writer.write("two").await);
        assert!(writer.write("three").await);
        assert_eq!(read(&old), "one\n");
        assert_eq!(read(&path), "two\nthree\n");
        // As logrotate does with `create`.
        std::fs::rename(&path, &old).unwrap();
        std::fs::write(&path, "").unwrap();
        assert!(writer.write("four").await);
        assert_eq!(read(&old), "two\nthree\n");
        assert_eq!(read(&path), "four\n");
        std::fs::remove_file(&path).unwrap();
        assert!(writer.write("five").await);
        assert_eq!(read(&path), "five\n");
    }

    #[tokio::test]
    async fn every_line_is_in_the_file_once_the_writers_are_closed() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().join("a"), folder.path().join("b")];
        let logs = LogWriters::default();
        let writers = paths.each_ref().map(|path| logs.of(path).unwrap());
        for number in 0..MOST_WAITING / 2 {
            for writer in &writers {
                assert!(writer.try_write(&number.to_string()));
            }
        }
        logs.close().await;
        for path in &paths {
            assert_eq!(read(path).lines().count(), MOST_WAITING / 2);
        }
        assert!(!writers[0].try_write("late") && !writers[1].write("late").await);
    }

    #[tokio::test]
    async fn a_flush_waits_for_the_lines_before_it_and_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let logs = LogWriters::default();
        let writer = logs.of(&path).unwrap();
        logs.flush().await;
        assert!(!path.exists());
        assert!(writer.try_write("one"));
        logs.flush().await;
        assert_eq!(read(&path), "one\n");
        assert!(writer.write("two").await);
    }

    #[tokio::test]
    async fn a_line_that_finds_no_room_waits_for_it() {
        let (writer, mut messages) = LogWriter::unread(1);
        assert!(writer.try_write("one"));
        assert!(!writer.try_write("two"));
        let mut waiting = Box::pin(writer.write("three"));
        assert!(futures::poll!(&mut waiting).is_pending());
        assert_eq!(&*messages.recv().await.unwrap().line, "one");
        assert!(futures::poll!(&mut waiting).is_pending());
        let message = messages.recv().await.unwrap();
        assert_eq!(&*message.line, "three");
        message.written.unwrap().send(()).unwrap();
        assert!(waiting.await);
    }

    #[tokio::test]
    async fn a_file_has_one_writer_while_anybody_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let logs = LogWriters::default();
        let writer = logs.of(&path).unwrap();
        assert!(Arc::ptr_eq(&writer, &logs.of(&path).unwrap()));
        let other = logs.of(&folder.path().join("other")).unwrap();
        assert!(!Arc::ptr_eq(&writer, &other));
        assert!(writer.write("one").await);
        drop((writer, other));
        // The thread of a path that is no longer configured ends by itself.
        let threads = std::mem::take(&mut *logs.started());
        for one in threads {
            one.thread.join().unwrap();
        }
    }
}
