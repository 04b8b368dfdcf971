//! A wish to stop that long work looks at between its steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that clones share: raised once, never lowered.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks the work to stop after its current step.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was asked to stop.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
