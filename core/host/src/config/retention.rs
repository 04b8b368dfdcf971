//! How long entries and logs are kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long entries and the lines of logs are kept. The service deletes what is
/// older once a day, `gannet purge --retention` at once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// Days after which an entry is deleted, by its timestamp. Not set: never.
    #[schemars(range(min = 1))]
    pub entries_days: Option<u32>,
    /// Days after which lines of `server.query_log` are deleted.
    #[schemars(range(min = 1))]
    pub query_log_days: Option<u32>,
    /// Days after which lines of `server.audit_log` are deleted.
    #[schemars(range(min = 1))]
    pub audit_log_days: Option<u32>,
    /// Days after which lines of `question_log` are deleted.
    #[schemars(range(min = 1))]
    pub question_log_days: Option<u32>,
    /// Days after which feedback is deleted.
    #[schemars(range(min = 1))]
    pub feedback_days: Option<u32>,
}

impl RetentionConfig {
    /// Whether anything is deleted by age.
    pub fn is_set(&self) -> bool {
        *self != Self::default()
    }
}
