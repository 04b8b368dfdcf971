//! Calls of a plugin that nothing could cancel: what it is, and its
//! constructor.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
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
    let run = move |done: Sender<Result<T>>| {
        // Nobody waits any more when it took too long.
        let _ = done.send(work());
    };
    wait(&on_a_thread(operation, run)?, operation)?
}

/// Runs code of a plugin for each item as [`bounded`] does, with one thread for
/// all: a thread for each costs two switches of the processor. An item that does
/// not end keeps the thread, and the items after it go on with another.
pub(super) fn bounded_each<A, T>(
    items: &[A],
    operation: impl Fn(&A) -> String,
    work: fn(&A) -> Result<T>,
) -> Vec<Result<T>>
where
    A: Clone + Send + 'static,
    T: Send + 'static,
{
    let mut results = Vec::with_capacity(items.len());
    while let [first, ..] = &items[results.len()..] {
        let rest = items[results.len()..].to_vec();
        let run = move |done: Sender<Result<T>>| {
            for item in rest {
                if done.send(work(&item)).is_err() {
                    break;
                }
            }
        };
        let waiting = match on_a_thread(&operation(first), run) {
            Ok(waiting) => waiting,
            Err(error) => {
                results.push(Err(error));
                continue;
            }
        };
        while let Some(item) = items.get(results.len()) {
            let ended = wait(&waiting, &operation(item));
            let is_lost = ended.is_err();
            results.push(ended.and_then(|result| result));
            if is_lost {
                break;
            }
        }
    }
    results
}

/// Runs code of a plugin on a thread of its own. What it has done comes out of
/// the receiver.
///
/// # Errors
/// [`Error::Internal`] when the system has no thread left.
fn on_a_thread<T: Send + 'static>(
    operation: &str,
    run: impl FnOnce(Sender<T>) + Send + 'static,
) -> Result<Receiver<T>> {
    let (done, waiting) = channel();
    let run = of_same_plugin(move || run(done));
    let thread = thread::Builder::new().name("plugin".to_owned());
    thread
        .spawn(run)
        .map_err(|error| Error::internal(format!("no thread for {operation}: {error}")))?;
    Ok(waiting)
}

/// What a thread has done next.
///
/// # Errors
/// When it does not end, or ended without having done it.
fn wait<T>(waiting: &Receiver<T>, operation: &str) -> Result<T> {
    waiting.recv_timeout(LIMIT).map_err(|error| match error {
        RecvTimeoutError::Timeout => Error::Timeout {
            operation: operation.to_owned(),
            limit: LIMIT,
        },
        RecvTimeoutError::Disconnected => Error::internal(format!("{operation} ended its thread")),
    })
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
    #[test]
    fn each_of_several_has_its_result_and_the_rest_go_on_after_one_that_ends_the_thread() {
        let work = |number: &u32| match number {
            2 => panic!("in the host"),
            3 => Err(Error::internal("no")),
            number => Ok(number * 10),
        };
        let done = bounded_each(&[1, 2, 3, 4], |number| format!("number {number}"), work);
        let ended = Error::internal("number 2 ended its thread");
        let failed = Error::internal("no");
        assert_eq!(done, [Ok(10), Err(ended), Err(failed), Ok(40)]);
        assert!(bounded_each(&[], |_| String::new(), work).is_empty());
    }
}
