//! Drops what plugins made without waiting for it longer than a while.

use std::ops::Deref;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tokio::runtime::Handle;

/// How long the stops and destructors of plugins may take together.
const LIMIT: Duration = Duration::from_secs(8);

/// A value whose destructor runs code of plugins. It is dropped on a thread
/// of its own, which is left alone when it is not done in time.
pub(crate) struct BoundedDrop<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> BoundedDrop<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T: Send + 'static> Deref for BoundedDrop<T> {
    type Target = T;

    #[expect(clippy::expect_used, reason = "it is taken in `drop` only")]
    fn deref(&self) -> &T {
        self.0.as_ref().expect("a value that was not dropped")
    }
}

impl<T: Send + 'static> Drop for BoundedDrop<T> {
    fn drop(&mut self) {
        let value = self.0.take();
        // Destructors may need the runtime that their plugins ran on.
        let runtime = Handle::try_current().ok();
        let (done, waiting) = channel();
        let dropping = move || {
            let _entered = runtime.as_ref().map(Handle::enter);
            drop(value);
            // Nobody waits any more when it took too long.
            let _ = done.send(());
        };
        // Where no thread can be had, the value is dropped here.
        let thread = std::thread::Builder::new().name("destructors".to_owned());
        if thread.spawn(dropping).is_err() {
            return;
        }
        if waiting.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!(
                "the plugins' destructors did not end within {} seconds; going on without them",
                LIMIT.as_secs()
            );
        }
    }
}
