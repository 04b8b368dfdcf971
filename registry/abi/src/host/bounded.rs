//! Calls of a plugin that nothing could cancel: what it is, and its
//! constructor.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use gannet_api::{Error, Result};

use crate::exit_guard::of_same_plugin;

/// How long a plugin may take to say what it is, or to make an instance.
const LIMIT: Duration = Duration::from_secs(10);

/// Runs code of a plugin on a thread of its own, and waits for at most
/// [`LIMIT`]. A thread that is not done by then is left alone, since nothing
/// can end it.
///
/// # Errors
/// Those of the work; [`Error::Timeout`] of `operation` when it does not end;
/// [`Error::Internal`] when the system has no thread left.
pub(super) fn bounded<T: Send + 'static>(
    operation: &str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let work = of_same_plugin(work);
    let (done, waiting) = channel();
    let run = move || {
        // Nobody waits any more when it took too long.
        let _ = done.send(work());
    };
    let thread = thread::Builder::new().name("plugin".to_owned());
    thread
        .spawn(run)
        .map_err(|error| Error::internal(format!("no thread for {operation}: {error}")))?;
    waiting.recv_timeout(LIMIT).map_err(|error| match error {
        RecvTimeoutError::Timeout => Error::Timeout {
            operation: operation.to_owned(),
            limit: LIMIT,
        },
        RecvTimeoutError::Disconnected => Error::internal(format!("{operation} ended its thread")),
    })?
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]

    use super::*;

    #[test]
    fn the_result_or_the_error_of_the_work_comes_back() {
        assert_eq!(bounded("adding", || Ok(1 + 1)), Ok(2));
        let error = Error::internal("no");
        let failed = error.clone();
        assert_eq!(bounded::<()>("failing", || Err(failed)), Err(error));
    }

    #[test]
    fn work_that_ends_its_thread_is_an_error() {
        let ended = bounded::<()>("the constructor of `x`", || panic!("in the host"));
        let expected = Error::internal("the constructor of `x` ended its thread");
        assert_eq!(ended, Err(expected));
    }
}
