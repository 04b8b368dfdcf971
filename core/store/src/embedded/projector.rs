//! The thread that keeps the indexes up with the records.
//!
//! The process that holds the lock file writes them; others look now and then
//! whether there is something new, and take over when the lock is free.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures::FutureExt;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::embedded::erase;
use crate::embedded::shared::Shared;
use crate::embedded::text_projection::{LONGEST_LOAD, TextProjection};
use crate::embedded::vector_projection;
use crate::embedded::writer_role::WriterRole;
use crate::error::StoreError;
use crate::request::RebuildScope;

/// How often vectors that are in memory only are put on disk.
const SEAL_EVERY: Duration = Duration::from_secs(30);

type Reply = oneshot::Sender<Result<(), StoreError>>;

/// Commands that wait for the thread; whoever asks more waits to ask.
const QUEUE: usize = 64;

/// What the thread is asked. That there are changes is not a command: many
/// changes are one reason to look.
pub(crate) enum Command {
    /// Bring in what is committed and can be brought in without waiting for
    /// another process.
    CatchUp(Reply),
    /// Bring every change that is committed by now into the indexes.
    Flush(Reply),
    /// Make indexes again from the records.
    Rebuild(RebuildScope, Reply),
    /// Take what deleted entries left out of the files.
    Erase(Reply),
    /// Flush and end.
    Close(Reply),
}

/// The thread, seen from the store.
pub(crate) struct Projector {
    commands: mpsc::Sender<Command>,
    changes: Arc<Notify>,
    // Not joined: it ends when the channel closes, or with the process.
    _thread: JoinHandle<()>,
}

impl Projector {
    /// Starts the thread.
    pub(crate) fn start(work: Work) -> Result<Self, StoreError> {
        let path = work.shared.options.path.clone();
        let failed = |error| StoreError::io("start a thread for", &path, error);
        let (commands, receiver) = mpsc::channel(QUEUE);
        let changes = Arc::new(Notify::new());
        let woken = Arc::clone(&changes);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(failed)?;
        let thread = std::thread::Builder::new()
            .name("gannet-indexer".to_owned())
            .spawn(move || runtime.block_on(work.run(receiver, &woken)))
            .map_err(failed)?;
        Ok(Self {
            commands,
            changes,
            _thread: thread,
        })
    }

    /// Tells the thread that there are changes.
    pub(crate) fn wake(&self) {
        self.changes.notify_one();
    }

    pub(crate) async fn ask(
        &self,
        command: impl FnOnce(Reply) -> Command,
    ) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        self.commands
            .send(command(reply))
            .await
            .map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

/// The work of the thread. The indexes are dropped before the right to write
/// them.
pub(crate) struct Work {
    shared: Arc<Shared>,
    text: TextProjection,
    role: Option<WriterRole>,
    sealed_at: Instant,
}

impl Work {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            text: TextProjection::new(Arc::clone(&shared)),
            shared,
            role: None,
            sealed_at: Instant::now(),
        }
    }

    /// Takes the right to write when it is free, and opens the text index.
    /// What fails is tried again later, and searches say so.
    pub(crate) async fn begin(&mut self) {
        let begun = match self.take_role() {
            Ok(()) if self.role.is_some() => self.text.open().await,
            Ok(()) => self.text.refresh().await,
            Err(error) => Err(error),
        };
        if let Err(error) = begun {
            tracing::warn!(%error, "the text index cannot be opened; trying again");
        }
    }

    fn take_role(&mut self) -> Result<(), StoreError> {
        if self.role.is_none() {
            self.role = WriterRole::take(&self.shared)?;
        }
        Ok(())
    }

    async fn run(mut self, mut commands: mpsc::Receiver<Command>, changes: &Notify) {
        loop {
            let wait = self.wait();
            let command = tokio::select! {
                command = commands.recv() => match command {
                    // The store was dropped: what is in memory is replayed
                    // next time.
                    None => return,
                    command => command,
                },
                () = changes.notified() => None,
                () = tokio::time::sleep(wait) => None,
            };
            let is_last = matches!(command, Some(Command::Close(_)));
            let done = AssertUnwindSafe(self.handle(command)).catch_unwind().await;
            if done.is_err() {
                // What the panic left half done is not believed.
                tracing::error!("the indexing thread panicked; it begins at the last commit");
                self.text.drop_writer();
            }
            if is_last {
                return;
            }
        }
    }

    async fn handle(&mut self, command: Option<Command>) {
        let (done, reply) = match command {
            None => {
                if let Err(error) = self.keep_up().await {
                    tracing::warn!(%error, "the search indexes cannot follow the records; trying again");
                }
                return;
            }
            Some(Command::CatchUp(reply)) => (self.catch_up().await, reply),
            Some(Command::Flush(reply)) => (self.flush().await, reply),
            Some(Command::Rebuild(scope, reply)) => (self.rebuild(scope).await, reply),
            Some(Command::Erase(reply)) => (self.erase().await, reply),
            Some(Command::Close(reply)) => (self.close().await, reply),
        };
        // Whoever asked may have gone.
        let _ = reply.send(done);
    }

    fn wait(&self) -> Duration {
        let tick = self.shared.options.commit_every;
        match self.text.commit_due() {
            Some(due) => due.saturating_duration_since(Instant::now()).min(tick),
            None => tick,
        }
    }

    /// One round: apply what is new, commit when it is time.
    async fn keep_up(&mut self) -> Result<(), StoreError> {
        self.take_role()?;
        if self.role.is_none() {
            return self.refresh().await;
        }
        let text = self.keep_text_up().await;
        // Vectors do not wait for a text index that cannot follow.
        self.keep_vectors_up().await?;
        text?;
        self.erase_if_requested().await
    }

    /// Another process may have asked for it, or this one before it crashed.
    async fn erase_if_requested(&mut self) -> Result<(), StoreError> {
        match erase::is_requested(&self.shared.options.path) {
            true => self.erase().await,
            false => Ok(()),
        }
    }

    async fn keep_text_up(&mut self) -> Result<(), StoreError> {
        self.text.follow().await?;
        match self.text.commit_due() {
            Some(due) if due <= Instant::now() => self.text.commit(),
            _ => Ok(()),
        }
    }

    async fn keep_vectors_up(&mut self) -> Result<(), StoreError> {
        vector_projection::apply(&self.shared).await?;
        if self.sealed_at.elapsed() >= SEAL_EVERY {
            self.seal().await?;
        }
        Ok(())
    }

    async fn seal(&mut self) -> Result<(), StoreError> {
        self.sealed_at = Instant::now();
        vector_projection::seal(&self.shared)?;
        let vectors = vector_projection::sealed_up_to(&self.shared);
        let (Some(text), Some(vectors)) = (self.text.committed(), vectors) else {
            return Ok(());
        };
        let applied = vectors.min(text);
        self.shared.records.forget_changes_before(applied).await
    }

    /// Looks what the writing process has done.
    async fn refresh(&mut self) -> Result<(), StoreError> {
        let text = self.text.refresh().await;
        vector_projection::refresh(&self.shared).await?;
        text
    }

    async fn catch_up(&mut self) -> Result<(), StoreError> {
        self.take_role()?;
        if self.role.is_none() {
            return self.refresh().await;
        }
        let text = self.commit_text().await;
        self.keep_vectors_up().await?;
        text?;
        self.erase_if_requested().await
    }

    /// Takes over what is new and commits it, also when that failed a moment
    /// ago.
    async fn commit_text(&mut self) -> Result<(), StoreError> {
        self.text.follow_now().await?;
        self.text.commit()
    }

    async fn flush(&mut self) -> Result<(), StoreError> {
        let wanted = self.shared.records.sequence().await?;
        self.catch_up().await?;
        // Another process commits within its own interval, during a load too.
        let patience = Instant::now() + (10 + LONGEST_LOAD) * self.shared.options.commit_every;
        while self.role.is_none() && self.shared.is_text_behind(wanted).await? {
            if Instant::now() > patience || self.shared.records.read_only().is_some() {
                return Err(StoreError::Behind {
                    applied: self.shared.text_sequence(),
                    wanted,
                });
            }
            tokio::time::sleep(self.shared.options.commit_every / 10).await;
            self.catch_up().await?;
        }
        Ok(())
    }

    async fn erase(&mut self) -> Result<(), StoreError> {
        self.rebuild(RebuildScope::All).await?;
        // The last one, so that changes that the indexes had to hear of are
        // forgotten too.
        self.shared.records.erase().await?;
        erase::done(&self.shared.options.path)
    }

    async fn rebuild(&mut self, scope: RebuildScope) -> Result<(), StoreError> {
        self.shared
            .records
            .refuse_when_read_only("rebuild the indexes")?;
        self.take_role()?;
        if self.role.is_none() {
            return Err(StoreError::NotTheWriter {
                path: self.shared.options.path.clone(),
            });
        }
        if scope != RebuildScope::Text {
            self.clear_vectors()?;
        }
        if scope != RebuildScope::Vectors {
            self.text.rebuild().await?;
        }
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
        if self.role.is_none() {
            return Ok(());
        }
        let text = self.commit_text().await;
        let vectors = match vector_projection::apply(&self.shared).await {
            Ok(()) => self.seal().await,
            failed => failed,
        };
        let closed = self.text.close();
        self.shared.set_writer(false);
        self.role = None;
        text.and(vectors).and(closed)
    }
}
