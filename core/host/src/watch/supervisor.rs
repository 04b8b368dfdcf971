//! One task for each source that is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::task::JoinSet;

use super::WatchedSource;
use super::board::{WatchBoard, WatchState};
use super::deleting::deleting_in_part;
use super::jobs::{Job, JobPoll};
use super::poll::{SourcePoll, WatchEvent};
use super::scheduler::{Ended, Schedule, Timing};
use crate::{Gannet, HostError, Stop};

/// How sources are followed.
#[derive(Clone)]
pub struct WatchOptions {
    /// Poll each source once.
    pub once: bool,
    /// Read and check everything, store nothing.
    pub dry_run: bool,
    /// Is told what happens. It must not wait.
    pub on_event: Arc<dyn Fn(WatchEvent) + Send + Sync>,
}

/// Polls for ever, and tells nobody.
impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            once: false,
            dry_run: false,
            on_event: Arc::new(|_| {}),
        }
    }
}

/// What a host runs.
type Selection = dyn Fn(&Gannet) -> Result<Vec<Job>, HostError> + Send + Sync;

/// Follows sources. The configuration may be replaced meanwhile: polls use the
/// host of the moment, and [`WatchBoard::reload`] has the sources read again.
pub struct Watch {
    current: Box<dyn Fn() -> Gannet + Send + Sync>,
    selection: Box<Selection>,
    pub(super) board: WatchBoard,
    pub(super) options: WatchOptions,
}

/// A task that follows a source, or runs another job.
struct Task {
    job: Job,
    stop: Stop,
}

impl Watch {
    /// Follows the sources, and runs the other jobs, that are selected of the
    /// current host.
    pub fn new<J: Into<Job>>(
        current: impl Fn() -> Gannet + Send + Sync + 'static,
        selection: impl Fn(&Gannet) -> Result<Vec<J>, HostError> + Send + Sync + 'static,
        board: WatchBoard,
        options: WatchOptions,
    ) -> Self {
        Self {
            current: Box::new(current),
            selection: Box::new(move |gannet| {
                let selected = selection(gannet)?;
                Ok(selected.into_iter().map(Into::into).collect())
            }),
            board,
            options,
        }
    }

    /// The host of the current configuration.
    pub(super) fn gannet(&self) -> Gannet {
        (self.current)()
    }

    fn tell_what_deletes_in_part(&self) {
        let gannet = self.gannet();
        let catalog = gannet.services().catalog();
        for notice in deleting_in_part(gannet.config(), catalog) {
            tracing::warn!("{notice}");
        }
    }

    /// Follows the sources until it is asked to stop; with `once`, until each
    /// was polled. Returns the sources that were given up, or failed the one time.
    ///
    /// # Errors
    /// Those of the selection, when it begins. Of a later configuration they
    /// are logged, and the sources stay as they are.
    pub async fn run(self, stop: &Stop) -> Result<Vec<String>, HostError> {
        let watch = Arc::new(self);
        let mut following = Following::default();
        let mut wanted = (watch.selection)(&watch.gannet())?;
        watch.tell_what_deletes_in_part();
        let ends = watch.options.once;
        loop {
            following.adjust(&watch, &wanted);
            if ends && following.running.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                () = stop.raised() => break,
                () = watch.board.reloaded() => {
                    following.ended.clear();
                    match (watch.selection)(&watch.gannet()) {
                        Ok(sources) => {
                            wanted = sources;
                            watch.tell_what_deletes_in_part();
                        }
                        Err(error) => tracing::error!(%error, "the sources stay as they are"),
                    }
                }
                () = following.next_end() => {}
            }
        }
        following.stop_all().await;
        Ok(following.given_up.into_iter().collect())
    }
}

/// The tasks, and what became of those that ended.
#[derive(Default)]
struct Following {
    running: BTreeMap<String, Task>,
    tasks: JoinSet<(String, Ended)>,
    /// Those that are not begun again by themselves.
    ended: BTreeSet<String>,
    given_up: BTreeSet<String>,
}

impl Following {
    /// Begins what is wanted and not running, and stops what is running and
    /// not wanted, or wanted otherwise; that begins again when it has ended.
    fn adjust(&mut self, watch: &Arc<Watch>, wanted: &[Job]) {
        for task in self.running.values() {
            if !wanted.contains(&task.job) {
                task.stop.raise();
            }
        }
        for job in wanted {
            let name = job.name();
            if self.running.contains_key(&name) || self.ended.contains(&name) {
                continue;
            }
            self.given_up.remove(&name);
            let task = Task {
                job: job.clone(),
                stop: Stop::default(),
            };
            let following = follow(watch.clone(), job.clone(), task.stop.clone());
            self.tasks.spawn(following);
            self.running.insert(name, task);
        }
        let is_known = |name: &String| wanted.iter().any(|job| job.name() == *name);
        for name in watch.board.reports().into_keys() {
            if !is_known(&name) && !self.running.contains_key(&name) {
                watch.board.forget(&name);
            }
        }
    }

    /// Waits for the end of a task; for ever when there is none.
    async fn next_end(&mut self) {
        match self.tasks.join_next().await {
            None => std::future::pending().await,
            Some(Ok((name, ended))) => self.note_end(name, ended),
            Some(Err(error)) => tracing::error!(%error, "following a source broke off"),
        }
    }

    fn note_end(&mut self, name: String, ended: Ended) {
        self.running.remove(&name);
        if matches!(ended, Ended::GivenUp | Ended::Failed) {
            self.given_up.insert(name.clone());
        }
        if ended != Ended::Stopped {
            self.ended.insert(name);
        }
    }

    /// Every task ends after its current batch.
    async fn stop_all(&mut self) {
        for task in self.running.values() {
            task.stop.raise();
        }
        while let Some(joined) = self.tasks.join_next().await {
            match joined {
                Ok((name, ended)) => self.note_end(name, ended),
                Err(error) => tracing::error!(%error, "following a source broke off"),
            }
        }
    }
}

async fn follow(watch: Arc<Watch>, job: Job, stop: Stop) -> (String, Ended) {
    let name = job.name();
    let ended = match job {
        Job::Source(source) => follow_source(watch, source, stop).await,
        job => run_job(watch, job, stop).await,
    };
    (name, ended)
}

async fn follow_source(watch: Arc<Watch>, source: WatchedSource, stop: Stop) -> Ended {
    let schedule = Schedule {
        timing: Timing::Every(source.interval),
        policy: source.policy,
        once: watch.options.once,
    };
    let mut poll = SourcePoll::new(watch, source, stop.clone());
    let ended = schedule.follow(&mut poll, &stop).await;
    let state = match ended {
        Ended::GivenUp => WatchState::GivenUp,
        Ended::Done | Ended::Failed => WatchState::Once,
        Ended::Stopped => WatchState::Stopped,
    };
    poll.end(state).await;
    ended
}

async fn run_job(watch: Arc<Watch>, job: Job, stop: Stop) -> Ended {
    let mut poll = JobPoll::new(watch, job, stop.clone());
    let ended = match poll.schedule() {
        Ok(schedule) => schedule.follow(&mut poll, &stop).await,
        Err(error) => {
            tracing::error!(%error, "a scheduled job cannot run");
            Ended::Failed
        }
    };
    poll.end().await;
    ended
}
