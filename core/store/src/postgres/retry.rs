//! Trying again what failed for a reason that passes.

use std::time::Duration;

use crate::error::{StoreError, is_transient};

/// Waits before the second and the third attempt.
const WAITS: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];

/// Does a piece of work that can be done twice, up to three times: while two
/// transactions stand in each other's way, or the connection breaks.
pub(super) async fn again<T>(
    work: impl AsyncFn() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    for wait in WAITS {
        match work().await {
            Err(error) if is_transient(&error) => {
                tracing::debug!(%error, "the database is asked again");
                tokio::time::sleep(wait).await;
            }
            done => return done,
        }
    }
    work().await
}
