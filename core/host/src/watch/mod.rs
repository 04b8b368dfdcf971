//! Following sources: each is read again and again, on its own schedule.
//!
//! [`Watch`] keeps a task for each source. A task claims its source, so that of
//! all hosts on one store one follows it, and polls it: after its interval,
//! later after failures, and sooner when a file or folder has changed. A poll
//! is an ingestion like any other; where it was cut off, the next one goes on.
//! After an interval of its own a source that goes on is read from its beginning.
//!
//! Digests and the outbox are run by the same tasks, see [`Job`].

mod board;
mod changes;
mod deleting;
mod full_read;
mod jobs;
mod poll;
mod scheduler;
mod sources;
mod supervisor;

use std::path::PathBuf;
use std::time::Duration;

use jiff::SignedDuration;

use crate::config::{Missing, WatchConfig};

pub(crate) use deleting::{check_deleting, deleting_in_part, without_effect};

pub use board::{SourceReport, WatchBoard, WatchState};
pub use jobs::Job;
pub use poll::WatchEvent;
pub use sources::SourceStatus;
pub use supervisor::{Watch, WatchOptions};

/// A source that is followed.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedSource {
    /// Its name in the configuration, or what was given in the place of one.
    pub name: String,
    /// The adapter that reads it.
    pub adapter: String,
    /// The file, folder or address; the adapter's own when missing.
    pub source: Option<String>,
    /// From the end of one poll to the next.
    pub interval: Duration,
    /// Whose entries they become.
    pub tenant: String,
    /// What becomes of entries that the source does not give any more.
    pub missing: Missing,
    /// Between two polls that read it from its beginning; without it only the
    /// first poll does.
    pub(crate) full_read_interval: Option<SignedDuration>,
    /// What failures lead to.
    pub(crate) policy: WatchConfig,
    /// The file or folder that is looked at for changes.
    pub(crate) path: Option<PathBuf>,
}
