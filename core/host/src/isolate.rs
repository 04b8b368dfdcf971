//! Runs plugin code so that its failures stay its own: on a task of its own,
//! within the deadline, with panics turned into errors.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::{FutureExt, Stream, StreamExt};
use gannet_api::{Deadline, Error, Result};
use tokio::task::{JoinError, JoinHandle};

/// Ends the task when whoever waits for it goes away.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Awaits plugin code. `operation` names it in errors.
///
/// # Errors
/// The plugin's own error; [`Error::Timeout`] at the deadline;
/// [`Error::Panicked`] when it panicked.
pub(crate) async fn isolate<T: Send + 'static>(
    operation: &str,
    deadline: Deadline,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let mut task = AbortOnDrop(tokio::spawn(work));
    let joined = within(operation, deadline, async { Ok((&mut task.0).await) }).await?;
    joined.unwrap_or_else(|error| Err(panicked(operation, error)))
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
/// errors.
///
/// # Errors
/// [`Error::Panicked`] when it panicked.
pub(crate) async fn next_of<T>(
    operation: &str,
    stream: &mut (impl Stream<Item = T> + Unpin),
) -> Result<Option<T>> {
    let next = AssertUnwindSafe(stream.next()).catch_unwind().await;
    next.map_err(|payload| Error::Panicked {
        message: format!("{operation}: {}", panic_text(payload.as_ref())),
    })
}

fn panicked(operation: &str, error: JoinError) -> Error {
    let text = match error.try_into_panic() {
        Ok(payload) => panic_text(payload.as_ref()),
        Err(_) => "its task was cancelled".to_owned(),
    };
    Error::Panicked {
        message: format!("{operation}: {text}"),
    }
}

fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a text".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]

    use std::time::Duration;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_panic_becomes_an_error_with_its_text() {
        let work = async { panic!("valve {} open", 3) };
        let result: Result<()> = isolate("search module `x`", Deadline::NEVER, work).await;
        let expected = "panicked: search module `x`: valve 3 open";
        assert_eq!(
            result.map_err(|error| error.to_string()),
            Err(expected.to_owned())
        );
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn work_that_never_ends_is_a_timeout() {
        let deadline = Deadline::after(Duration::from_millis(5));
        let result: Result<()> = isolate("slow", deadline, std::future::pending()).await;
        assert!(matches!(result, Err(Error::Timeout { .. })));
    }
}
