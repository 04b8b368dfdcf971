//! What a host keeps while its configuration is replaced.

use tokio::sync::{Mutex, Notify};

use crate::given_entries::GivenEntries;
use crate::instance_metrics::AllMetrics;
use crate::sessions::Sessions;

/// What outlives the configuration that it was made under.
#[derive(Default)]
pub(crate) struct Lasting {
    /// What instances remember of conversations.
    pub sessions: Sessions,
    /// What instances count and time.
    pub metrics: AllMetrics,
    /// What search modules gave and the store does not hold.
    pub given: GivenEntries,
    /// Told when a message is put into the outbox.
    pub outbox: Notify,
    /// Held while messages are delivered, so that none is delivered twice.
    pub delivering: Mutex<()>,
}
