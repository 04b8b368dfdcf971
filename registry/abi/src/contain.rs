//! Panics stay where they happen: no panic unwinds across the boundary, and
//! each becomes an error with its text and its place.
//!
//! The place of a panic is known to the panic hook only. [`install`] puts one
//! before the hook that is there: inside of contained code it notes text and
//! place and prints nothing, elsewhere it does what was done before.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::pin::Pin;
use std::sync::Once;
use std::task::{Context, Poll};

use futures::future::{BoxFuture, FutureExt};
use gannet_api::Error;

thread_local! {
    /// How deep this thread is in contained code.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The last panic of this thread inside of contained code.
    static LAST: RefCell<Option<Noted>> = const { RefCell::new(None) };
}

/// A panic as the hook saw it.
struct Noted {
    text: String,
    place: String,
}

/// Makes the places of panics known to this crate, in the program or in the
/// dylib that calls it. Once is enough; more often does nothing.
pub fn install() {
    install_before(std::panic::take_hook);
}

/// The same, with panics elsewhere going to the log.
pub(crate) fn install_with_log() {
    install_before(|| Box::new(|info| tracing::error!("{info}")));
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

fn install_before(elsewhere: impl FnOnce() -> Hook) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let elsewhere = elsewhere();
        std::panic::set_hook(Box::new(move |info| match DEPTH.get() {
            0 => elsewhere(info),
            _ => note(info),
        }));
    });
}

fn note(info: &PanicHookInfo<'_>) {
    LAST.set(info.location().map(|place| Noted {
        text: payload_text(info.payload()),
        place: place.to_string(),
    }));
}

/// Runs code whose panics become [`Error::Panicked`].
///
/// # Errors
/// [`Error::Panicked`] with the panic's text and place.
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, Error> {
    let _inside = Inside::enter();
    catch_unwind(AssertUnwindSafe(work)).map_err(panicked)
}

/// Drops a value whose destructor may panic.
///
/// # Errors
/// [`Error::Panicked`] with the panic's text and place.
pub fn drop_contained<T>(value: T) -> Result<(), Error> {
    contained(|| drop(value))
}

/// A future whose panics become [`Error::Panicked`], those of its destructor
/// too: it is dropped where it ends, or with this.
pub struct Contained<T> {
    work: Option<BoxFuture<'static, T>>,
}

impl<T> Contained<T> {
    /// Contains a future.
    pub fn new(work: impl Future<Output = T> + Send + 'static) -> Self {
        Self {
            work: Some(work.boxed()),
        }
    }
}

impl<T> Future for Contained<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(work) = &mut self.work else {
            return Poll::Ready(Err(Error::internal("a call was polled after its end")));
        };
        let ended = match contained(|| work.poll_unpin(context)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(value)) => Ok(value),
            Err(panicked) => Err(panicked),
        };
        let dropped = drop_contained(self.work.take());
        Poll::Ready(ended.and_then(|value| dropped.map(|()| value)))
    }
}

impl<T> Drop for Contained<T> {
    fn drop(&mut self) {
        // Whoever cancels a call waits for no result: there is nobody to tell.
        let _ = drop_contained(self.work.take());
    }
}

/// Marks this thread as being in contained code.
struct Inside;

impl Inside {
    fn enter() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

fn panicked(payload: Box<dyn Any + Send>) -> Error {
    let text = payload_text(payload.as_ref());
    // A panic that is passed on (`resume_unwind`) does not come by the hook:
    // what that noted last may be of another one.
    let message = match LAST.take() {
        Some(noted) if noted.text == text => format!("{text}, at {}", noted.place),
        _ => text,
    };
    // A payload can panic in its own destructor, so it is never dropped.
    std::mem::forget(payload);
    Error::panicked(message)
}

fn payload_text(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a text".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used)]

    use super::*;

    struct PanicsOnDrop;

    impl Drop for PanicsOnDrop {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }

    #[test]
    fn a_panic_has_its_text_and_its_place() {
        install();
        let error = contained(|| panic!("valve {} open", 3)).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("panicked: valve 3 open, at "), "{text}");
        assert!(text.contains("contain.rs:"), "{text}");
    }

    #[test]
    fn a_payload_that_panics_when_it_is_dropped_is_harmless() {
        let error = contained(|| std::panic::panic_any(PanicsOnDrop)).unwrap_err();
        assert!(matches!(error, Error::Panicked { .. }));
    }

    #[test]
    fn a_future_may_panic_when_it_is_polled_and_when_it_is_dropped() {
        let polled: Contained<()> = Contained::new(async { panic!("poll") });
        let polled = polled.now_or_never().unwrap();
        assert!(matches!(polled, Err(Error::Panicked { .. })));

        let guard = PanicsOnDrop;
        let ended = Contained::new(async move {
            let _guard = guard;
        });
        assert!(ended.now_or_never().unwrap().is_err());

        let guard = PanicsOnDrop;
        let mut cancelled = Contained::new(async move {
            let _guard = guard;
            std::future::pending::<()>().await;
        });
        assert!((&mut cancelled).now_or_never().is_none());
        drop(cancelled);
    }

    #[test]
    fn a_panic_that_is_passed_on_is_not_told_as_another_one() {
        install();
        let error = contained(|| {
            let _ = catch_unwind(|| panic!("caught"));
            std::panic::resume_unwind(Box::new("passed on"))
        })
        .unwrap_err();
        assert_eq!(error.to_string(), "panicked: passed on");
    }

    #[test]
    fn a_panic_leaves_the_thread_as_it_was() {
        assert!(contained(|| panic!("one")).is_err());
        assert_eq!(DEPTH.get(), 0);
        assert_eq!(contained(|| 7).unwrap(), 7);
    }
}
