//! The HTTP service of `gannet serve`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The HTTP service of `gannet serve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServerConfig {
    /// The address that is listened on: an IP address or `localhost`. Others
    /// than those of this machine are refused without authentication.
    pub host: String,
    /// The port that is listened on; 0 for any free one.
    pub port: u16,
    /// Host names that requests may be addressed to, beside `localhost` and IP
    /// addresses. Requests to other names are refused.
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages, such as `https://logbook.example`, that may call
    /// the service from a browser, beside its own.
    pub allowed_origins: Vec<String>,
    /// Searches without a chat model that run at once at most; the number of
    /// processors when not set.
    #[schemars(range(min = 1))]
    pub max_searches: Option<usize>,
    /// Searches with a chat model that run at once at most.
    #[schemars(range(min = 1))]
    pub max_model_searches: usize,
    /// Searches that wait for one of these to end at most; others are refused.
    pub max_queued: usize,
    /// Seconds that a search waits in the queue at most.
    #[schemars(range(min = 1))]
    pub queue_timeout_seconds: u64,
    /// Requests of one address in a minute at most; 0 for no limit.
    pub requests_per_minute: u32,
    /// Open connections at most.
    #[schemars(range(min = 1))]
    pub max_connections: usize,
    /// Bytes of a request's body at most.
    #[schemars(range(min = 1))]
    pub max_body_bytes: usize,
    /// Bytes of an upload at most, all files together.
    #[schemars(range(min = 1))]
    pub max_upload_bytes: usize,
    /// Bytes of an attached file at most.
    #[schemars(range(min = 1))]
    pub max_attachment_bytes: usize,
    /// Seconds that a client may take to send the head of a request, and
    /// those that it may take to send the body.
    #[schemars(range(min = 1))]
    pub read_timeout_seconds: u64,
    /// Seconds that requests under way have to end when the service stops.
    #[schemars(range(min = 1, max = 30))]
    pub shutdown_timeout_seconds: u64,
    /// The address of an entry in the facility's logbook, with `{entry_id}`.
    pub entry_url: Option<String>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 8085,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            max_searches: None,
            max_model_searches: 32,
            max_queued: 64,
            queue_timeout_seconds: 2,
            requests_per_minute: 1200,
            max_connections: 512,
            max_body_bytes: 2 << 20,
            max_upload_bytes: 32 << 20,
            max_attachment_bytes: 10 << 20,
            read_timeout_seconds: 10,
            shutdown_timeout_seconds: 25,
            entry_url: None,
        }
    }
}
