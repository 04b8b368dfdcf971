//! What the host's services are made from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::tz::TimeZone;

use crate::config::{DateOrder, ProxyConfig, ValueNames};
use crate::vocabulary::Vocabulary;

/// What [`Services`](crate::services::Services) are made from.
pub(crate) struct ServiceOptions {
    pub timezone: TimeZone,
    pub date_order: DateOrder,
    pub vocabulary: Vocabulary,
    /// Names of values.
    pub value_names: ValueNames,
    pub max_query_chars: usize,
    pub default_embedder: String,
    /// The folder of files that were uploaded.
    pub attachments: PathBuf,
    /// Hosts that plugins may call in a private network.
    pub private_hosts: Vec<String>,
    /// Servers that plugins ask through a proxy.
    pub proxies: Vec<ProxyConfig>,
    /// Adapters with their configured sources, which may be addresses.
    pub sources: Vec<(String, String)>,
    /// Whether the store keeps token vectors.
    pub late_interaction: bool,
    /// What results say about search modules, by their names.
    pub module_notes: BTreeMap<String, Vec<String>>,
}
