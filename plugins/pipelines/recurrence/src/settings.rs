//! What the configuration can set.

use gannet_plugin::prelude::settings;
use serde::Serialize;

/// The settings of `recurrence`.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct RecurrenceSettings {
    /// The probability from which an entry is stated as one of a group.
    #[setting(default = 0.65, min = 0.0, max = 1.0)]
    pub stated_probability: f64,
    /// The same of the probability that does not look at the time, for events
    /// that are years apart.
    #[setting(default = 0.75, min = 0.0, max = 1.0)]
    pub stated_kind: f64,
    /// Hours within which entries of a group are one occurrence.
    #[setting(default = 24, min = 0)]
    pub occurrence_hours: u64,
    /// Entries of which the reader says what caused and what fixed them, at most;
    /// the newest that say so in words.
    #[setting(default = 6, max = 50)]
    pub outcomes: usize,
}
