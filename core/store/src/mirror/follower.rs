//! The task that keeps a copy up with its original.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::freshness::{Freshness, reaches};
use super::snapshot::Snapshot;
use super::source::Source;
use crate::embedded::{EmbeddedStore, FileLock};
use crate::error::StoreError;

/// A look is followed by a rest of so many times its length, so that copying
/// takes at most a twentieth of the database's time.
const REST: u32 = 20;
const LONGEST_REST: Duration = Duration::from_secs(2);
/// How often a look is whole, where changes can be silent, and how many times
/// its length lie between two at least.
const WHOLE_EVERY: Duration = Duration::from_secs(60);
const WHOLE_REST: u32 = 100;
/// The first wait after a failure; it doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How long another process may take to copy.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether this process copies.
type Reply = oneshot::Sender<Result<bool, StoreError>>;

enum Command {
    /// Something was written.
    Wake,
    /// Copy what is committed by now.
    Look(Reply),
    /// Make the copy anew.
    Anew(Reply),
}

/// The task, seen from the store.
pub(super) struct Follower {
    commands: mpsc::UnboundedSender<Command>,
    task: JoinHandle<()>,
}

impl Follower {
    pub(super) fn start(
        source: Arc<Source>,
        copy: EmbeddedStore,
        freshness: Arc<Freshness>,
        tick: Duration,
    ) -> Self {
        let (commands, receiver) = mpsc::unbounded_channel();
        let now = Instant::now();
        let work = Work {
            source,
            copy,
            freshness,
            tick,
            lock: None,
            copied: None,
            rests_until: now,
            whole_at: now,
            is_wanted: false,
            failures: 0,
        };
        Self {
            commands,
            task: tokio::spawn(work.run(receiver)),
        }
    }

    pub(super) fn wake(&self) {
        // A task that is gone has no copy to bring up.
        let _ = self.commands.send(Command::Wake);
    }

    /// Copies what is committed by now; tells whether this process copies.
    pub(super) async fn look(&self) -> Result<bool, StoreError> {
        self.ask(Command::Look).await
    }

    /// Makes the copy anew; tells whether this process copies.
    pub(super) async fn make_anew(&self) -> Result<bool, StoreError> {
        self.ask(Command::Anew).await
    }

    /// Waits until the copy has everything that is in a state of the
    /// database.
    pub(super) async fn reach(&self, copy: &EmbeddedStore, token: &str) -> Result<(), StoreError> {
        let until = Snapshot::parse(token);
        let patience = Instant::now() + PATIENCE;
        // Whoever copied may have ended meanwhile: this process goes on then.
        while !self.look().await? {
            if let Some(until) = &until
                && reaches(copy, until).await?
            {
                return Ok(());
            }
            if Instant::now() > patience {
                let position = copy.copied().copy_position().await?;
                let applied = position.map_or(0, |position| position.reached);
                return Err(StoreError::CopyBehind { applied });
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Ends the task, and waits until it has let go of the copy.
    pub(super) async fn stop(&self) {
        self.task.abort();
        self.commands.closed().await;
    }

    async fn ask(&self, command: fn(Reply) -> Command) -> Result<bool, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.commands
            .send(command(reply))
            .map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The work of the task.
struct Work {
    source: Arc<Source>,
    copy: EmbeddedStore,
    freshness: Arc<Freshness>,
    tick: Duration,
    /// The right to change the copy.
    lock: Option<FileLock>,
    /// The state of the database that was copied last.
    copied: Option<String>,
    rests_until: Instant,
    /// When a look has to be whole.
    whole_at: Instant,
    /// Whether a look is due as soon as the rest is over.
    is_wanted: bool,
    failures: u32,
}

impl Work {
    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        loop {
            let command = match tokio::time::timeout(self.wait(), commands.recv()).await {
                Ok(None) => return,
                Ok(Some(command)) => Some(command),
                Err(_) => None,
            };
            match command {
                None => {
                    let followed = self.follow().await;
                    self.judge(&followed);
                }
                Some(Command::Wake) => self.is_wanted = true,
                Some(Command::Look(reply)) => {
                    let looked = self.look_now().await;
                    self.judge(&looked);
                    let _ = reply.send(looked);
                }
                Some(Command::Anew(reply)) => {
                    let _ = reply.send(self.make_anew().await);
                }
            }
        }
    }

    /// Until something is to be done without being asked.
    fn wait(&self) -> Duration {
        let rest = self.rests_until.saturating_duration_since(Instant::now());
        if self.is_wanted || self.failures > 0 {
            return rest;
        }
        self.tick
    }

    fn judge<T>(&mut self, done: &Result<T, StoreError>) {
        let Err(error) = done else {
            if self.failures > 0 {
                tracing::info!("the replica follows the database again");
            }
            self.failures = 0;
            return;
        };
        let wait = FIRST_WAIT * (1 << self.failures.min(16));
        if self.failures == 0 {
            tracing::warn!(%error, "the replica cannot follow the database; retrying");
        } else {
            tracing::debug!(%error, "the replica cannot follow the database yet");
        }
        self.failures += 1;
        self.rests_until = Instant::now() + wait.min(LONGEST_WAIT);
    }

    /// One round: see whether anything changed, and copy it.
    async fn follow(&mut self) -> Result<(), StoreError> {
        self.is_wanted = false;
        if !self.may_copy()? {
            return Ok(());
        }
        let token = self.source.token().await?;
        let is_same = self.copied.as_ref() == Some(&token);
        if is_same {
            self.freshness.note_comparison();
            return Ok(());
        }
        if Instant::now() < self.rests_until {
            self.is_wanted = true;
            return Ok(());
        }
        let is_whole = self.copied.is_none()
            || (self.source.has_silent_changes() && Instant::now() >= self.whole_at);
        self.look(is_whole).await
    }

    async fn look_now(&mut self) -> Result<bool, StoreError> {
        if !self.may_copy()? {
            return Ok(false);
        }
        let is_whole = self.copied.is_none() || self.source.has_silent_changes();
        self.look(is_whole).await?;
        Ok(true)
    }

    async fn look(&mut self, is_whole: bool) -> Result<(), StoreError> {
        let began = Instant::now();
        self.source.copy_to(&self.copy, is_whole).await?;
        self.copy.wake();
        let position = self.copy.copied().copy_position().await?;
        self.copied = position.and_then(|position| position.token);
        let now = Instant::now();
        self.rests_until = now + (began.elapsed() * REST).min(LONGEST_REST);
        if is_whole {
            self.whole_at = now + (began.elapsed() * WHOLE_REST).max(WHOLE_EVERY);
        }
        self.freshness.note_comparison();
        Ok(())
    }

    async fn make_anew(&mut self) -> Result<bool, StoreError> {
        if !self.may_copy()? {
            return Ok(false);
        }
        let mut write = self.copy.copied().begin_copy().await?;
        write.clear().await?;
        write.commit().await?;
        self.copy.wake();
        self.freshness.note_new_copy();
        self.copied = None;
        self.look(true).await?;
        Ok(true)
    }

    /// One process at a time changes the copy.
    fn may_copy(&mut self) -> Result<bool, StoreError> {
        if self.lock.is_none() {
            self.lock = FileLock::try_take(self.freshness.lock_path())?;
            self.copied = None;
        }
        Ok(self.lock.is_some())
    }
}
