//! A wish to stop that long work looks at between its steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// A flag that clones share: raised once, never lowered.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_raised: AtomicBool,
    raised: Notify,
}

impl Stop {
    /// Asks the work to stop after its current step.
    pub fn raise(&self) {
        self.0.is_raised.store(true, Ordering::Release);
        self.0.raised.notify_waiters();
    }

    /// Whether the work was asked to stop.
    pub fn is_raised(&self) -> bool {
        self.0.is_raised.load(Ordering::Acquire)
    }

    /// Ends when the work is asked to stop: what waits for somebody else does
    /// not wait longer than that.
    pub async fn raised(&self) {
        let raised = self.0.raised.notified();
        if !self.is_raised() {
            raised.await;
        }
    }
}
