//! Calls of plugin code, with their panics caught.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use futures::FutureExt;

use gannet_api::Error;

/// What the plugin answered, or the text of its panic.
pub(super) type Contained<T> = Result<gannet_api::Result<T>, String>;

/// Runs plugin code that does not wait.
pub(super) fn contained_now<T>(work: impl FnOnce() -> gannet_api::Result<T>) -> Contained<T> {
    unpanicked(catch_unwind(AssertUnwindSafe(work)))
}

/// Runs plugin code that may wait.
pub(super) async fn contained<T>(
    work: impl Future<Output = gannet_api::Result<T>>,
) -> Contained<T> {
    unpanicked(AssertUnwindSafe(work).catch_unwind().await)
}

/// Polls plugin code so many times, or until it is done, and drops it.
pub(super) fn abandoned_after<T>(
    polls: usize,
    work: impl Future<Output = gannet_api::Result<T>>,
) -> Result<(), String> {
    let poll_and_drop = || {
        let mut work = pin!(work);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..polls {
            if let Poll::Ready(outcome) = work.as_mut().poll(&mut context) {
                return outcome.map(|_| ());
            }
        }
        Ok(())
    };
    unpanicked(catch_unwind(AssertUnwindSafe(poll_and_drop))).map(|_| ())
}

/// A plugin that is loaded from a file contains its panics itself.
fn unpanicked<T>(outcome: std::thread::Result<gannet_api::Result<T>>) -> Contained<T> {
    match outcome {
        Ok(Err(Error::Panicked { message, .. })) => Err(format!("panicked: {message}")),
        Ok(answer) => Ok(answer),
        Err(panic) => Err(format!("panicked: {}", text_of(&*panic))),
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a text")
}
