//! Searches run on threads of their own, so that the executor stays free for
//! connections. How many there are is what [`Lane`](crate::admission::Lane)
//! admits. Work that nobody waits for any more ends, except for writes.

use std::future::Future;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::Instrument;

use crate::admission::Permit;
use crate::problem::Problem;

/// Work under way; it is cancelled when this is dropped.
pub(crate) struct Work<T> {
    answer: oneshot::Receiver<T>,
    _cancel: oneshot::Sender<()>,
}

impl<T: Send + 'static> Work<T> {
    /// Starts work that was admitted on a thread for blocking work. Its timers
    /// and connections are those of the runtime that is entered now.
    pub fn start(permit: Permit, work: impl Future<Output = T> + Send + 'static) -> Self {
        let (answer_to, answer) = oneshot::channel();
        let (cancel, cancelled) = oneshot::channel::<()>();
        let (handle, span) = (Handle::current(), tracing::Span::current());
        tokio::task::spawn_blocking(move || {
            let _entered = span.enter();
            let _permit = permit;
            handle.block_on(async {
                tokio::select! {
                    // Whoever waited is gone, and so nobody is told.
                    _ = cancelled => {}
                    answer = work => drop(answer_to.send(answer)),
                }
            });
        });
        Self {
            answer,
            _cancel: cancel,
        }
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// 500 where the work panicked.
    pub async fn answer(self) -> Result<T, Problem> {
        let Self { answer, _cancel } = self;
        answer.await.map_err(|_| panicked())
    }
}

/// Does work that must not stop half-way, such as a write with its audit line:
/// it goes on when whoever waits for it is gone, as when a client disconnects.
///
/// # Errors
/// 500 where the work panicked.
pub(crate) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Problem> {
    let task = tokio::spawn(work.in_current_span());
    task.await.map_err(|_| panicked())
}

fn panicked() -> Problem {
    let status = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
    Problem::new(status, "internal", "the request failed unexpectedly")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::admission::Lane;

    #[tokio::test]
    async fn work_that_is_dropped_ends_and_frees_its_place() {
        let lane = Arc::new(Lane::new(1, 1, Duration::from_secs(60)));
        let work = Work::start(lane.admit().await.unwrap(), std::future::pending::<()>());
        assert_eq!(lane.running(), 1);
        drop(work);
        // Ends once the place is free.
        drop(lane.admit().await.unwrap());
    }

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let lane = Lane::new(1, 1, Duration::from_secs(60));
        let permit = lane.admit().await.unwrap();
        let work: Work<()> = Work::start(permit, async { panic!("broken") });
        assert_eq!(work.answer().await.unwrap_err().status, 500);
    }
    #[tokio::test]
    async fn work_to_its_end_goes_on_when_nobody_waits_for_it() {
        let (go, gone) = oneshot::channel::<()>();
        let (done, outcome) = oneshot::channel();
        let mut waiting = Box::pin(to_its_end(async move {
            gone.await.unwrap();
            done.send(7).unwrap();
        }));
        assert!(futures::poll!(&mut waiting).is_pending());
        drop(waiting);
        go.send(()).unwrap();
        assert_eq!(outcome.await.unwrap(), 7);
        let broken = to_its_end(async { panic!("broken") }).await;
        let broken: Result<(), Problem> = broken;
        assert_eq!(broken.unwrap_err().status, 500);
    }
}
