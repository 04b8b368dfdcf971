//! What the configuration can set.

use std::collections::BTreeMap;

use gannet_plugin::prelude::settings;
use serde::Serialize;

/// The settings of `digest`.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct DigestSettings {
    /// The time of entries where a question names none, in words: `last 24
    /// hours`, `last shift`, `yesterday`.
    #[setting(default = "last 24 hours".to_owned())]
    pub time: String,
    /// The field that sentences are grouped by, such as `system`, `author` or a
    /// metadata key; not set: by what they say.
    #[setting(agent, label = "Grouped by")]
    pub by: Option<String>,
    /// Characters of a digest, at most.
    #[setting(default = 3_000, min = 300, call_max = 20_000, parameter, step = 100)]
    #[setting(label = "Characters at most")]
    pub max_chars: usize,
    /// The time zone that times are written in (IANA name); that of the
    /// facility where it is not set.
    #[setting(parameter, label = "Time zone")]
    pub timezone: Option<String>,
    /// Entries that are read, at most; the newest.
    #[setting(default = 500, min = 1, max = 1_000)]
    pub max_entries: usize,
    /// Fields that say how grave an entry is, and their values, the routine one
    /// first and the gravest last: `{class: [none, unusual event, alert]}`.
    /// Where a field is not named here, a rare value of a field for a class,
    /// severity or priority stands out.
    pub severity: BTreeMap<String, Vec<String>>,
}
