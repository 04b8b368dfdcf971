//! Files that lines of JSON are added to, each by a thread of its own: the
//! executor does not wait for a disk.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use gannet_core::was_replaced;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::log_file;

/// Lines that wait to be written at most, for each file.
const MOST_WAITING: usize = 1024;
/// How long whoever adds a line waits until it is in the file: a disk that
/// hangs must not hold up the service.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long the lines that wait may take when the service stops.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// What adds lines to a file. Its thread ends when nobody has it any more, or
/// when it is [closed](LogWriters::close), once every line is written.
#[derive(Debug)]
pub(crate) struct LogWriter {
    queue: Mutex<Option<mpsc::Sender<Message>>>,
    /// Whether a line took too long, and none was written since: the next ones
    /// are not waited for.
    hangs: Arc<AtomicBool>,
    /// Lines that were waited for and not written, or not in time.
    lost: Arc<AtomicU64>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is in the file.
    Written,
    /// It is not, or not in time: the log of the service says why, and it is
    /// counted.
    Lost,
    /// The writer was closed, and did not take it.
    Closed,
}

/// For the thread.
#[derive(Debug)]
pub(crate) struct Message {
    /// Without its line break; empty where only `written` is wanted.
    pub line: Arc<str>,
    /// Told once this line and those before it were written, whether it is in
    /// the file.
    written: Option<oneshot::Sender<bool>>,
}

/// The writers of the service: one for each file.
#[derive(Default)]
pub(crate) struct LogWriters {
    started: Mutex<Vec<Started>>,
    lost: Arc<AtomicU64>,
}

struct Started {
    path: PathBuf,
    writer: Weak<LogWriter>,
    thread: JoinHandle<()>,
    /// Closed when the thread ends.
    ended: oneshot::Receiver<()>,
}

impl LogWriter {
    /// Adds a line, waiting for room in the queue and until it is in the file,
    /// for a limited time. A line that takes longer is written once the file
    /// can be written again, if the queue had room for it.
    pub async fn write(&self, line: &str) -> Outcome {
        let Some(queue) = self.sender().clone() else {
            return Outcome::Closed;
        };
        let (written, done) = oneshot::channel();
        let message = Message {
            line: line.into(),
            written: Some(written),
        };
        let added = async move {
            if queue.send(message).await.is_err() {
                return Outcome::Closed;
            }
            match done.await {
                Ok(true) => Outcome::Written,
                Ok(false) => Outcome::Lost,
                Err(_) => Outcome::Closed,
            }
        };
        let limit = match self.hangs.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => WRITE_TIMEOUT,
        };
        let outcome = timeout(limit, added).await.unwrap_or_else(|_| {
            self.hangs.store(true, Ordering::Relaxed);
            tracing::error!("a line of a log was not written in time");
            Outcome::Lost
        });
        self.lost
            .fetch_add(u64::from(outcome == Outcome::Lost), Ordering::Relaxed);
        outcome
    }

    /// Adds a line without waiting; `false` where there is no room for it.
    pub fn try_write(&self, line: &str) -> bool {
        let message = Message {
            line: line.into(),
            written: None,
        };
        let queue = self.sender().clone();
        queue.is_some_and(|queue| queue.try_send(message).is_ok())
    }

    fn sender(&self) -> MutexGuard<'_, Option<mpsc::Sender<Message>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(queue: mpsc::Sender<Message>, lost: Arc<AtomicU64>) -> Self {
        Self {
            queue: Mutex::new(Some(queue)),
            hangs: Arc::default(),
            lost,
        }
    }

    /// One without a thread, and what it would be given.
    #[cfg(test)]
    pub fn unread(room: usize) -> (Self, mpsc::Receiver<Message>) {
        let (sender, messages) = mpsc::channel(room);
        (Self::new(sender, Arc::default()), messages)
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
        match start(path, self.lost.clone()) {
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

    /// How many lines were waited for and not written, or not in time.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    fn started(&self) -> MutexGuard<'_, Vec<Started>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn note_late(is_late: bool) {
    if is_late {
        tracing::error!("the last lines of the logs were not written in time");
    }
}

fn start(path: &Path, lost: Arc<AtomicU64>) -> std::io::Result<(Arc<LogWriter>, Started)> {
    let (sender, messages) = mpsc::channel(MOST_WAITING);
    let writer = LogWriter::new(sender, lost);
    let hangs = writer.hangs.clone();
    let (ends, ended) = oneshot::channel::<()>();
    let file = path.to_owned();
    let thread = std::thread::Builder::new().name("log-writer".to_owned());
    let thread = thread.spawn(move || {
        let _ends = ends;
        write_all(&file, messages, &hangs);
    })?;
    let writer = Arc::new(writer);
    let started = Started {
        path: path.to_owned(),
        writer: Arc::downgrade(&writer),
        thread,
        ended,
    };
    Ok((writer, started))
}

fn write_all(path: &Path, mut messages: mpsc::Receiver<Message>, hangs: &AtomicBool) {
    let mut file = None;
    while let Some(message) = messages.blocking_recv() {
        let added = match message.line.is_empty() {
            true => Ok(()),
            false => add(&mut file, path, &message.line),
        };
        hangs.store(false, Ordering::Relaxed);
        if let Err(error) = &added {
            tracing::error!(%error, path = %path.display(), "a line of the log cannot be written");
            file = None;
        }
        if let Some(written) = message.written {
            // Whoever waited for it may be gone.
            let _ = written.send(added.is_ok());
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
mod tests;
