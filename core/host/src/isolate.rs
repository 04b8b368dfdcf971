//! Runs plugin code so that its failures stay its own: on a task of its own,
//! within the deadline, with panics turned into errors.

use std::future::{Future, poll_fn};

use futures::{Stream, StreamExt};
use gannet_api::{Deadline, Error, Result};
use gannet_registry::contain::{Contained, contained};
use gannet_registry::exit_guard;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// Ends the task when whoever waits for it goes away.
pub(crate) struct AbortOnDrop<T>(pub(crate) JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Awaits plugin code, which runs on `runtime`. `operation` names it in errors.
///
/// # Errors
/// The plugin's own error; [`Error::Timeout`] at the deadline;
/// [`Error::Panicked`] when it panicked.
pub(crate) async fn isolate<T: Send + 'static>(
    runtime: &Handle,
    operation: &str,
    deadline: Deadline,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let mut task = AbortOnDrop(runtime.spawn(Contained::new(exit_guard::call(operation, work))));
    let joined = within(operation, deadline, async { Ok((&mut task.0).await) }).await?;
    // Contained work does not panic: what is left is a runtime that shuts down.
    joined.map_err(|error| Error::internal(format!("{operation}: {error}")))??
}

/// Awaits the host's own work, until the deadline.
///
/// # Errors
/// The work's own error; [`Error::Timeout`] at the deadline.
pub(crate) async fn within<T>(
    operation: &str,
    deadline: Deadline,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let Some(remaining) = deadline.remaining() else {
        return work.await;
    };
    tokio::time::timeout(remaining, work)
        .await
        .unwrap_or_else(|_| {
            Err(Error::Timeout {
                operation: operation.to_owned(),
                limit: remaining,
            })
        })
}

/// Awaits the next item of plugin code's stream, with panics turned into
/// errors. `operation` names the plugin.
///
/// # Errors
/// [`Error::Panicked`] when it panicked.
pub(crate) async fn next_of<T>(
    operation: &str,
    stream: &mut (impl Stream<Item = T> + Unpin),
) -> Result<Option<T>> {
    let next = poll_fn(|task| match contained(|| stream.poll_next_unpin(task)) {
        Ok(polled) => polled.map(Ok),
        Err(panicked) => std::task::Poll::Ready(Err(panicked)),
    });
    exit_guard::call(operation, next).await
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used)]

    use std::time::Duration;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_panic_becomes_an_error_with_its_text() {
        gannet_registry::contain::install();
        let work = async { panic!("valve {} open", 3) };
        let result: Result<()> = isolate(
            &Handle::current(),
            "search module `x`",
            Deadline::NEVER,
            work,
        )
        .await;
        let text = result.map_err(|error| error.to_string()).unwrap_err();
        assert!(
            text.starts_with("panicked: valve 3 open, at core/host/src/isolate.rs:"),
            "{text}"
        );
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn work_that_never_ends_is_a_timeout() {
        let deadline = Deadline::after(Duration::from_millis(5));
        let result: Result<()> =
            isolate(&Handle::current(), "slow", deadline, std::future::pending()).await;
        assert!(matches!(result, Err(Error::Timeout { .. })));
    }
}
