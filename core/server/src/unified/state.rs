//! What is remembered between requests.

use super::history::Histories;
use super::quota::Quotas;
use super::rebuild::Rebuild;
use super::sessions::Sessions;
use super::telemetry::Telemetry;

/// What is remembered between requests, in memory. A restart forgets it; a
/// reload of the configuration does not.
#[derive(Default)]
pub(crate) struct UnifiedState {
    pub(super) sessions: Sessions,
    pub(super) quotas: Quotas,
    pub(super) telemetry: Telemetry,
    pub(super) histories: Histories,
    pub(super) rebuild: Rebuild,
}
