//! What a migration does.

use serde::{Deserialize, Serialize};

/// What a migration did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MigrationReport {
    /// The folder, or host, port and name of the database.
    pub store: String,
    /// The schema that was there; 0 when there was none of this program.
    pub from: i64,
    /// The schema of this program.
    pub to: i64,
    /// The steps between them, by name.
    pub steps: Vec<String>,
    /// Entries of ARIEL's that were adopted, or would be.
    pub adopted: u64,
    /// Entries in the store.
    pub entries: u64,
}

impl MigrationReport {
    /// Whether there was nothing to do.
    pub fn is_current(&self) -> bool {
        self.from == self.to && self.adopted == 0
    }
}
