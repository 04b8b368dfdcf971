//! Where the calls of loaded plugins run, and which of them did not end.
//!
//! A plugin without a runtime of its own that blocks its thread blocks one of
//! these and none of the host's. A call that was given up goes on until it
//! waits for something; an instance with too many of those is asked no more.

use std::sync::atomic::{AtomicIsize, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use gannet_api::{Error, Result};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::quarantine::PluginName;

/// Threads for the calls of all loaded plugins.
const THREADS: usize = 16;
/// Calls of one instance that may go on after nobody waits for them.
const ABANDONED: isize = 8;

/// Threads for the calls of loaded plugins, made when they are needed first.
#[derive(Default)]
pub(crate) struct PluginThreads(OnceLock<Option<Runtime>>);

impl PluginThreads {
    /// Where a call is spawned. Without threads of their own, plugins run on
    /// the host's.
    pub(crate) fn handle(&self) -> Handle {
        let made = self.0.get_or_init(|| {
            let mut builder = Builder::new_multi_thread();
            let builder = builder.worker_threads(THREADS).thread_name("plugins");
            let made = builder.enable_all().build();
            made.inspect_err(|error| tracing::warn!("no threads for plugins: {error}"))
                .ok()
        });
        match made {
            Some(runtime) => runtime.handle().clone(),
            None => Handle::current(),
        }
    }
}

impl Drop for PluginThreads {
    fn drop(&mut self) {
        if let Some(Some(runtime)) = self.0.take() {
            // A call that blocks its thread is not waited for.
            runtime.shutdown_background();
        }
    }
}

/// How many calls of an instance go on although nobody waits for them.
#[derive(Default)]
pub(crate) struct Abandoned(AtomicIsize);

impl Abandoned {
    /// Lets a call through.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when too many did not end.
    pub(crate) fn admit(&self, plugin: PluginName<'_>) -> Result<()> {
        if self.0.load(Ordering::Relaxed) < ABANDONED {
            return Ok(());
        }
        Err(Error::Unavailable {
            message: format!(
                "{plugin} is not asked: {ABANDONED} of its calls did not end after their \
                 deadlines; it probably blocks its threads, which a restart ends"
            ),
        })
    }
}

const RUNNING: u8 = 0;
const ENDED: u8 = 1;
const LEFT: u8 = 2;

/// A call: one guard stays with whoever waits, the other with the work.
struct Call {
    state: AtomicU8,
    abandoned: Arc<Abandoned>,
}

/// Counts the call as abandoned when it is dropped before the work ended.
pub(crate) struct Waiting(Arc<Call>);

/// Ends the call when it is dropped.
pub(crate) struct Working(Arc<Call>);

/// The two guards of a call.
pub(crate) fn begin_call(abandoned: &Arc<Abandoned>) -> (Waiting, Working) {
    let call = Arc::new(Call {
        state: AtomicU8::new(RUNNING),
        abandoned: abandoned.clone(),
    });
    (Waiting(call.clone()), Working(call))
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.0.state.swap(LEFT, Ordering::AcqRel) == RUNNING {
            self.0.abandoned.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if self.0.state.swap(ENDED, Ordering::AcqRel) == LEFT {
            self.0.abandoned.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use gannet_api::PluginKind;

    use super::*;

    const PLUGIN: PluginName<'_> = PluginName {
        kind: PluginKind::SearchModule,
        name: "blocks",
    };

    #[test]
    fn calls_that_nobody_waits_for_count_until_they_end() {
        let abandoned = Arc::<Abandoned>::default();
        let mut working = Vec::new();
        for _ in 0..ABANDONED {
            assert!(abandoned.admit(PLUGIN).is_ok());
            let (waiting, work) = begin_call(&abandoned);
            drop(waiting);
            working.push(work);
        }
        assert!(matches!(
            abandoned.admit(PLUGIN),
            Err(Error::Unavailable { .. })
        ));
        working.pop();
        assert!(abandoned.admit(PLUGIN).is_ok());
    }

    #[test]
    fn calls_that_end_in_time_do_not_count() {
        let abandoned = Arc::<Abandoned>::default();
        for _ in 0..2 * ABANDONED {
            let (waiting, work) = begin_call(&abandoned);
            drop(work);
            drop(waiting);
        }
        assert!(abandoned.admit(PLUGIN).is_ok());
    }
}
