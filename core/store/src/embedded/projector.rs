//! The thread that keeps the indexes up with the records.
//!
//! The process that holds the lock file writes them; others look now and then
//! whether there is something new, and take over when the lock is free.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use crate::embedded::shared::Shared;
use crate::embedded::vector_projection;
use crate::embedded::writer_role::{Writer, is_followed, open_with_position};
use crate::error::StoreError;
use crate::request::IndexPart;

/// Entries read from the records at a time.
const BATCH: usize = 2_000;
/// How often vectors that are in memory only are put on disk.
const SEAL_EVERY: Duration = Duration::from_secs(30);

type Reply = oneshot::Sender<Result<(), StoreError>>;

/// What the thread is asked.
pub(crate) enum Command {
    /// There are changes.
    Wake,
    /// Bring in what is committed and can be brought in without waiting for
    /// another process.
    CatchUp(Reply),
    /// Bring every change that is committed by now into the indexes.
    Flush(Reply),
    /// Rebuild indexes.
    Rebuild(IndexPart, Reply),
    /// Flush and end.
    Close(Reply),
}

/// The thread, seen from the store.
pub(crate) struct Projector {
    commands: mpsc::UnboundedSender<Command>,
    // Not joined: it ends when the channel closes, or with the process.
    _thread: JoinHandle<()>,
}

impl Projector {
    /// Starts the thread; when this process may write, the indexes are opened
    /// for it already.
    pub(crate) fn start(shared: Arc<Shared>, writer: Option<Writer>) -> Result<Self, StoreError> {
        let path = shared.options.path.clone();
        let failed = |error| StoreError::io("start a thread for", &path, error);
        let (commands, receiver) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(failed)?;
        let thread = std::thread::Builder::new()
            .name("gannet-indexer".to_owned())
            .spawn(move || {
                let work = Work::new(shared, writer);
                runtime.block_on(work.run(receiver));
            })
            .map_err(failed)?;
        Ok(Self {
            commands,
            _thread: thread,
        })
    }

    pub(crate) fn wake(&self) {
        // A thread that is gone has said why; the records are safe.
        let _ = self.commands.send(Command::Wake);
    }

    pub(crate) async fn ask(
        &self,
        command: impl FnOnce(Reply) -> Command,
    ) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        self.commands
            .send(command(reply))
            .map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

/// The work of the thread.
struct Work {
    shared: Arc<Shared>,
    writer: Option<Writer>,
    commit_due: Option<Instant>,
    sealed_at: Instant,
}

impl Work {
    fn new(shared: Arc<Shared>, writer: Option<Writer>) -> Self {
        Self {
            shared,
            writer,
            commit_due: None,
            sealed_at: Instant::now(),
        }
    }

    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        loop {
            let command = match tokio::time::timeout(self.wait(), commands.recv()).await {
                Ok(None) => break,
                Ok(Some(command)) => command,
                Err(_) => Command::Wake,
            };
            match command {
                Command::Wake => {
                    if let Err(error) = self.keep_up().await {
                        tracing::warn!(%error, "the search indexes cannot follow the records; trying again");
                        tokio::time::sleep(self.shared.options.commit_every).await;
                    }
                }
                Command::CatchUp(reply) => {
                    let _ = reply.send(self.catch_up().await);
                }
                Command::Flush(reply) => {
                    let _ = reply.send(self.flush().await);
                }
                Command::Rebuild(part, reply) => {
                    let _ = reply.send(self.rebuild(part).await);
                }
                Command::Close(reply) => {
                    let _ = reply.send(self.close().await);
                    return;
                }
            }
        }
        // The store was dropped: what is in memory is replayed next time.
    }

    fn wait(&self) -> Duration {
        let tick = self.shared.options.commit_every;
        match self.commit_due {
            Some(due) => due.saturating_duration_since(Instant::now()).min(tick),
            None => tick,
        }
    }

    /// One round: apply what is new, commit when it is time.
    async fn keep_up(&mut self) -> Result<(), StoreError> {
        if self.writer.is_none() {
            self.writer = Writer::take(&self.shared).await?;
        }
        if self.writer.is_none() {
            return self.refresh().await;
        }
        self.apply_text().await?;
        let is_due = self.commit_due.is_some_and(|due| due <= Instant::now());
        if is_due {
            self.commit()?;
        }
        vector_projection::apply(&self.shared).await?;
        if self.sealed_at.elapsed() >= SEAL_EVERY {
            self.seal().await?;
        }
        Ok(())
    }

    async fn apply_text(&mut self) -> Result<(), StoreError> {
        loop {
            let Some(writer) = &mut self.writer else {
                return Ok(());
            };
            let changes = self
                .shared
                .records
                .text_changes(writer.text.applied(), BATCH)
                .await?;
            writer.text.apply(&changes)?;
            let uncommitted = writer.text.uncommitted();
            if uncommitted > 0 && self.commit_due.is_none() {
                self.commit_due = Some(Instant::now() + self.shared.options.commit_every);
            }
            let is_late = self.commit_due.is_some_and(|due| due <= Instant::now());
            if uncommitted >= self.shared.options.commit_every_entries || is_late {
                self.commit()?;
            }
            if !changes.more {
                return Ok(());
            }
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.commit_due = None;
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        if writer.text.uncommitted() > 0 {
            // First the records: no index is ahead of them after a power cut.
            self.shared.records.make_durable()?;
            writer.text.commit()?;
            self.shared.text().reload()?;
        }
        self.shared.set_text_sequence(writer.text.applied());
        Ok(())
    }

    async fn seal(&mut self) -> Result<(), StoreError> {
        self.sealed_at = Instant::now();
        vector_projection::seal(&self.shared)?;
        let vectors = vector_projection::sealed_up_to(&self.shared);
        let (Some(writer), Some(vectors)) = (&self.writer, vectors) else {
            return Ok(());
        };
        let applied = vectors.min(writer.text.committed());
        self.shared.records.forget_changes_before(applied).await
    }

    /// Looks what the writing process has done.
    async fn refresh(&mut self) -> Result<(), StoreError> {
        let text = self.shared.text();
        match text.position() {
            Ok(Some(position)) if is_followed(&self.shared, &position).await? => {
                if position.applied != self.shared.text_sequence() {
                    text.reload()?;
                    self.shared.set_text_sequence(position.applied);
                }
            }
            // Not there yet, made anew meanwhile, or in memory: look again.
            _ => {
                if let Ok((text, Some(position))) = open_with_position(&self.shared)
                    && is_followed(&self.shared, &position).await?
                {
                    self.shared.replace_text(text);
                    self.shared.set_text_sequence(position.applied);
                }
            }
        }
        vector_projection::refresh(&self.shared).await
    }

    async fn catch_up(&mut self) -> Result<(), StoreError> {
        self.keep_up().await?;
        self.commit()
    }

    async fn flush(&mut self) -> Result<(), StoreError> {
        let wanted = self.shared.records.sequence().await?;
        self.keep_up().await?;
        if self.writer.is_some() {
            return self.commit();
        }
        // The other process commits within its own interval.
        let patience = Instant::now() + 10 * self.shared.options.commit_every;
        while self.shared.is_text_behind(wanted).await? {
            if Instant::now() > patience {
                return Err(StoreError::Behind {
                    applied: self.shared.text_sequence(),
                    wanted,
                });
            }
            tokio::time::sleep(self.shared.options.commit_every / 10).await;
            self.keep_up().await?;
        }
        if self.writer.is_some() {
            self.commit()?;
        }
        Ok(())
    }

    async fn rebuild(&mut self, part: IndexPart) -> Result<(), StoreError> {
        let Some(writer) = &mut self.writer else {
            return Err(StoreError::NotTheWriter {
                path: self.shared.options.path.clone(),
            });
        };
        if part != IndexPart::Vectors {
            writer.text.clear()?;
        }
        if part != IndexPart::Text {
            self.clear_vectors()?;
        }
        self.apply_text().await?;
        self.commit()?;
        vector_projection::apply(&self.shared).await?;
        self.seal().await?;
        self.shared.check_models()
    }

    fn clear_vectors(&self) -> Result<(), StoreError> {
        for (name, _) in self.shared.models() {
            self.shared.drop_model(&name);
        }
        let vectors = self.shared.vectors_path();
        match std::fs::remove_dir_all(&vectors) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::io("clear", &vectors, error))
            }
            _ => Ok(()),
        }
    }

    async fn close(&mut self) -> Result<(), StoreError> {
        if self.writer.is_none() {
            return Ok(());
        }
        self.keep_up().await?;
        self.commit()?;
        self.seal().await?;
        self.shared.set_writer(false);
        match self.writer.take() {
            Some(writer) => writer.text.finish(),
            None => Ok(()),
        }
    }
}
