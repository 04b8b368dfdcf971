//! Starts instances before their first call, and stops them after their last.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures::future::join_all;
use gannet_api::{
    Call, DEFAULT_TENANT, Deadline, Error, Health, Plugin, PluginKind, Result, limits,
};
use gannet_registry::{Catalog, Instance, shorten};
use serde::Serialize;
use tokio::runtime::{Builder, Handle};
use tokio::sync::Mutex;

use crate::isolate::{isolate, within};
use crate::plugin_threads::{Abandoned, PluginThreads, begin_call};
use crate::quarantine::PluginName;
use crate::replies::bounded_error;
use crate::services::Services;

/// How long the start of an instance may take.
const START: Duration = Duration::from_secs(10);
/// How long the stop of all instances may take together.
const STOP: Duration = Duration::from_secs(5);
/// How long an instance may take to say how it is.
const HEALTH: Duration = Duration::from_secs(2);
/// The wait after the first start that failed; it doubles with each.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait between two starts.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The instances that are on, and which of them are started.
pub(crate) struct Instances {
    catalog: Catalog,
    lives: BTreeMap<PluginKind, BTreeMap<String, Life>>,
    threads: PluginThreads,
}

/// How far one instance got.
#[derive(Default)]
struct Life {
    is_started: AtomicBool,
    /// Held while it starts, so that it starts once.
    starting: Mutex<Option<FailedStart>>,
    /// Calls that did not end.
    abandoned: Arc<Abandoned>,
    /// Whether it comes from a dylib.
    is_loaded: bool,
}

/// The last start of an instance, which failed.
struct FailedStart {
    error: Error,
    attempts: u32,
    next: Instant,
}

/// What became of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LifecycleState {
    /// Made, and not called yet.
    Created,
    /// Called, and well.
    Started,
    /// It could not start, or says that something is wrong.
    Degraded,
    /// It panicked too often and is asked no more.
    Quarantined,
}

/// An instance and its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstanceReport {
    /// Of which kind.
    pub kind: PluginKind,
    /// Its name in the configuration.
    pub name: String,
    /// The plugin's own name.
    pub plugin: String,
    /// The crate and version that it comes from.
    pub origin: String,
    /// What became of it.
    pub state: LifecycleState,
    /// What is wrong, where something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Instances {
    pub(crate) fn new(catalog: Catalog) -> Self {
        let mut lives: BTreeMap<PluginKind, BTreeMap<String, Life>> = BTreeMap::new();
        for instance in catalog.iter() {
            let of_kind = lives.entry(instance.descriptor.kind).or_default();
            let life = Life {
                is_loaded: instance.origin.file.is_some(),
                ..Life::default()
            };
            of_kind.insert(instance.descriptor.name.clone(), life);
        }
        Self {
            catalog,
            lives,
            threads: PluginThreads::default(),
        }
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    fn life(&self, plugin: PluginName<'_>) -> Option<&Life> {
        self.lives.get(&plugin.kind)?.get(plugin.name)
    }

    /// Where calls of an instance run: those of linked ones on the host's
    /// threads.
    pub(crate) fn runtime(&self, plugin: PluginName<'_>) -> Handle {
        match self.life(plugin) {
            Some(life) if life.is_loaded => self.threads.handle(),
            _ => Handle::current(),
        }
    }

    /// Awaits a call of an instance.
    ///
    /// # Errors
    /// Those of [`isolate`]; [`Error::Unavailable`] when too many of its calls
    /// did not end.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        plugin: PluginName<'_>,
        deadline: Deadline,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (runtime, operation) = (self.runtime(plugin), plugin.to_string());
        let Some(life) = self.life(plugin) else {
            return isolate(&runtime, &operation, deadline, work).await;
        };
        life.abandoned.admit(plugin)?;
        let (_waiting, working) = begin_call(&life.abandoned);
        let work = async move {
            let _working = working;
            work.await
        };
        isolate(&runtime, &operation, deadline, work).await
    }

    fn is_started(&self, plugin: PluginName<'_>) -> bool {
        self.life(plugin)
            .is_some_and(|life| life.is_started.load(Ordering::Acquire))
    }

    /// Stops what was started, all at once.
    async fn stop(&self) {
        let started = self.catalog.iter().filter(|one| self.is_started(name(one)));
        let stops = started.map(|instance| async move {
            let (plugin, object) = (name(instance), instance.object.clone());
            let stopping = async move {
                object.stop().await;
                Ok(())
            };
            let (runtime, operation) = (Handle::current(), plugin.to_string());
            let stopped = isolate(&runtime, &operation, Deadline::after(STOP), stopping);
            if let Err(error) = stopped.await {
                tracing::warn!("{plugin} did not stop: {error}");
            }
        });
        join_all(stops).await;
    }
}

/// Runs on the thread of [`BoundedDrop`](crate::bounded_drop::BoundedDrop),
/// before the instances themselves are dropped.
impl Drop for Instances {
    fn drop(&mut self) {
        if !self.catalog.iter().any(|one| self.is_started(name(one))) {
            return;
        }
        // The host's own runtime may have one thread, which waits for this one.
        match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(self.stop()),
            Err(error) => tracing::warn!("the plugins are not stopped: {error}"),
        }
    }
}

fn name(instance: &Instance) -> PluginName<'_> {
    PluginName {
        kind: instance.descriptor.kind,
        name: &instance.descriptor.name,
    }
}

impl Services {
    /// Starts an instance, unless it is started.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with the reason when it could not be started,
    /// just now or a moment ago; [`Error::Timeout`] at the caller's deadline.
    pub(crate) async fn ensure_started(
        &self,
        plugin: PluginName<'_>,
        deadline: Deadline,
    ) -> Result<()> {
        let instances = self.instances();
        let Some(life) = instances.life(plugin) else {
            return Ok(());
        };
        if life.is_started.load(Ordering::Acquire) {
            return Ok(());
        }
        let operation = format!("the start of {plugin}");
        within(&operation, deadline, self.start_once(plugin, life)).await
    }

    async fn start_once(&self, plugin: PluginName<'_>, life: &Life) -> Result<()> {
        let mut failed = life.starting.lock().await;
        if life.is_started.load(Ordering::Acquire) {
            return Ok(());
        }
        if let Some(failed) = failed
            .as_ref()
            .filter(|failed| Instant::now() < failed.next)
        {
            return Err(not_started(plugin, &failed.error));
        }
        let instances = self.instances();
        let Some(instance) = instances.catalog().get(plugin.kind, plugin.name) else {
            return Ok(());
        };
        let call = Call::new("start", DEFAULT_TENANT, Deadline::after(START));
        let (object, context) = (instance.object.clone(), self.context(call.clone(), plugin));
        let work = async move { object.start(&context).await };
        let started = instances.call(plugin, call.deadline, work).await;
        match self
            .quarantine()
            .note(plugin, started.map_err(bounded_error))
        {
            Ok(()) => {
                life.is_started.store(true, Ordering::Release);
                *failed = None;
                Ok(())
            }
            Err(error) => {
                let attempts = failed.as_ref().map_or(0, |failed| failed.attempts);
                let wait = FIRST_WAIT * 2_u32.saturating_pow(attempts.min(16));
                let refused = not_started(plugin, &error);
                tracing::warn!("{refused}");
                *failed = Some(FailedStart {
                    error,
                    attempts: attempts + 1,
                    next: Instant::now() + wait.min(LONGEST_WAIT),
                });
                Err(refused)
            }
        }
    }

    /// Starts every instance, all at once. One that cannot start is logged,
    /// and tried again when it is called.
    pub(crate) async fn start_all(&self) {
        let starts = self.catalog().iter().map(|instance| {
            let deadline = Deadline::after(START);
            self.ensure_started(name(instance), deadline)
        });
        join_all(starts).await;
    }

    /// The instances with their states, sorted by kind and name.
    pub(crate) async fn instance_reports(&self) -> Vec<InstanceReport> {
        let reports = self.catalog().iter().map(|instance| self.report(instance));
        join_all(reports).await
    }

    async fn report(&self, instance: &Instance) -> InstanceReport {
        let plugin = name(instance);
        let (state, reason) = self.state(plugin, &instance.object).await;
        let origin = &instance.origin;
        InstanceReport {
            kind: plugin.kind,
            name: plugin.name.to_owned(),
            plugin: instance.plugin.clone(),
            origin: format!("{} {}", origin.package, origin.version),
            state,
            reason,
        }
    }

    async fn state(
        &self,
        plugin: PluginName<'_>,
        object: &Plugin,
    ) -> (LifecycleState, Option<String>) {
        if let Err(error) = self.quarantine().admit(plugin) {
            return (LifecycleState::Quarantined, Some(error.to_string()));
        }
        if !self.instances().is_started(plugin) {
            return match self.last_failure(plugin).await {
                None => (LifecycleState::Created, None),
                Some(error) => {
                    let reason = not_started(plugin, &error).to_string();
                    (LifecycleState::Degraded, Some(reason))
                }
            };
        }
        let call = Call::new("health", DEFAULT_TENANT, Deadline::after(HEALTH));
        let (object, context) = (object.clone(), self.context(call.clone(), plugin));
        let work = async move { object.health(&context).await };
        let asked = self.instances().call(plugin, call.deadline, work).await;
        match asked.map_err(bounded_error) {
            Ok(Health::Healthy) => (LifecycleState::Started, None),
            Ok(Health::Degraded { mut reason }) => {
                shorten(&mut reason, limits::MESSAGE_BYTES);
                (LifecycleState::Degraded, Some(reason))
            }
            Ok(other) => (LifecycleState::Degraded, Some(format!("{other:?}"))),
            Err(error) => (LifecycleState::Degraded, Some(error.to_string())),
        }
    }

    async fn last_failure(&self, plugin: PluginName<'_>) -> Option<Error> {
        let life = self.instances().life(plugin)?;
        // One that is just starting has not failed.
        let failed = life.starting.try_lock().ok()?;
        failed.as_ref().map(|failed| failed.error.clone())
    }
}

fn not_started(plugin: PluginName<'_>, error: &Error) -> Error {
    Error::Unavailable {
        message: format!("{plugin} could not start: {error}"),
    }
}
