//! Where a dylib's calls run.
//!
//! A dylib has its own copy of every crate, so the host's tokio is not there
//! for it: a plugin that uses tokio needs a runtime of its own. Its calls are
//! spawned there and aborted when the host drops them, so that a call that
//! blocks a thread blocks the plugin's and not the host's. Plugins without a
//! runtime are polled by the host, which costs less.

use std::future::Future;
use std::sync::{Arc, OnceLock};

use futures::channel::oneshot;
use futures::future::{BoxFuture, FutureExt};
use gannet_api::Error;

use crate::contain::{Contained, contained};

/// An asynchronous runtime of a plugin. `export_plugin!` writes the one for
/// tokio with the tokio of the plugin's own crate.
pub trait Runtime: Send + Sync {
    /// Starts a task and gives what aborts it.
    fn spawn(&self, task: BoxFuture<'static, ()>) -> AbortTask;

    /// Does something where the runtime can be reached, as `tokio::spawn`
    /// in a constructor needs it.
    fn enter(&self, work: &mut dyn FnMut());

    /// Ends the runtime without waiting for anything: a call that was left
    /// behind may never end, and may be what ends the runtime, on one of its
    /// own threads.
    fn shut_down(self: Box<Self>);
}

/// Aborts a task; it ends where it waits next.
pub type AbortTask = Box<dyn FnOnce() + Send>;

/// Makes the runtime of a dylib; registered by `export_plugin!`.
#[derive(Clone, Copy)]
pub struct RuntimeFactory {
    /// Makes one with this many threads.
    pub build: fn(threads: usize) -> Result<Box<dyn Runtime>, String>,
}

gannet_api::inventory::collect!(RuntimeFactory);

/// Where the calls of this dylib run.
pub(super) struct Workplace {
    factory: Option<RuntimeFactory>,
    threads: usize,
    runtime: OnceLock<Result<Box<dyn Runtime>, String>>,
}

impl Workplace {
    /// The workplace that the plugins of this dylib ask for.
    pub(super) fn of_this_image(threads: usize) -> Self {
        let factories = gannet_api::inventory::iter::<RuntimeFactory>;
        Self {
            factory: factories.into_iter().next().copied(),
            threads: threads.max(1),
            runtime: OnceLock::new(),
        }
    }

    /// The runtime, made when it is needed first.
    fn runtime(&self) -> Result<Option<&dyn Runtime>, Error> {
        let Some(factory) = self.factory else {
            return Ok(None);
        };
        let made = self.runtime.get_or_init(|| {
            contained(|| (factory.build)(self.threads))
                .unwrap_or_else(|panicked| Err(panicked.to_string()))
        });
        match made {
            Ok(runtime) => Ok(Some(runtime.as_ref())),
            Err(reason) => Err(Error::internal(format!(
                "the plugin's runtime cannot be made: {reason}"
            ))),
        }
    }

    /// Runs a call: its panics are errors, and when this is dropped it ends.
    pub(super) async fn run<T: Send + 'static>(
        self: Arc<Self>,
        call: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let Some(runtime) = self.runtime()? else {
            return Contained::new(call).await?;
        };
        let (result, joined) = oneshot::channel();
        let task = async move {
            // Nobody waits any more when the call was cancelled.
            let _ = result.send(Contained::new(call).await);
        };
        let _abort = AbortOnDrop(Some(runtime.spawn(task.boxed())));
        joined
            .await
            .unwrap_or_else(|_| Err(Error::internal("the plugin's runtime ended the call")))?
    }

    /// Does something at once, where the runtime can be reached; its panics
    /// are errors.
    pub(super) fn run_now<T>(&self, work: impl FnOnce() -> T) -> Result<T, Error> {
        let Some(runtime) = self.runtime()? else {
            return contained(work);
        };
        let (mut work, mut done) = (Some(work), None);
        runtime.enter(&mut || done = work.take().map(contained));
        done.unwrap_or_else(|| Err(Error::internal("the plugin's runtime did not do the work")))
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        if let Some(Ok(runtime)) = self.runtime.take() {
            // Nobody is left who could be told.
            let _ = contained(|| runtime.shut_down());
        }
    }
}

struct AbortOnDrop(Option<AbortTask>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if let Some(abort) = self.0.take() {
            abort();
        }
    }
}

/// An object of the author's, dropped where its runtime can be reached, with
/// panics contained.
pub(super) struct Owned<T> {
    value: Option<T>,
    workplace: Arc<Workplace>,
}

impl<T> Owned<T> {
    pub(super) fn new(value: T, workplace: &Arc<Workplace>) -> Self {
        Self {
            value: Some(value),
            workplace: workplace.clone(),
        }
    }

    pub(super) fn workplace(&self) -> &Arc<Workplace> {
        &self.workplace
    }
}

impl<T: Clone> Owned<T> {
    /// Another handle to the object; `None` never, but while it is dropped.
    pub(super) fn share(&self) -> Result<T, Error> {
        self.value
            .clone()
            .ok_or_else(|| Error::internal("a plugin was called after it was dropped"))
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        let value = self.value.take();
        if let Err(error) = self.workplace.run_now(|| drop(value)) {
            tracing::warn!("a plugin failed when it was dropped: {error}");
        }
    }
}
