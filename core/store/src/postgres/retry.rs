//! Trying again what failed for a reason that passes.

use std::time::Duration;

use crate::error::{StoreError, is_transient};

/// Waits before the second and the third attempt.
const WAITS: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];

/// The attempts at one piece of work.
#[derive(Default)]
pub(super) struct Attempts {
    failed: usize,
}

impl Attempts {
    /// Waits for the next attempt; gives the error back when there is none.
    pub(super) async fn after(&mut self, error: StoreError) -> Result<(), StoreError> {
        let Some(wait) = WAITS.get(self.failed).filter(|_| is_transient(&error)) else {
            return Err(error);
        };
        self.failed += 1;
        tracing::debug!(%error, "retrying the database operation");
        tokio::time::sleep(*wait).await;
        Ok(())
    }
}

/// Does a piece of work that can be done twice, up to three times: while two
/// transactions stand in each other's way, or the connection breaks. A macro,
/// since the future of a function that takes an async closure is not `Send`.
macro_rules! again {
    ($work:block) => {{
        let mut attempts = $crate::postgres::retry::Attempts::default();
        loop {
            let done: Result<_, $crate::StoreError> = async { $work }.await;
            match done {
                Ok(value) => break Ok(value),
                Err(error) => match attempts.after(error).await {
                    Ok(()) => {}
                    Err(error) => break Err(error),
                },
            }
        }
    }};
}
pub(super) use again;
