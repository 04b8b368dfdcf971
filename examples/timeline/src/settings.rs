//! What the configuration and a call can set.

use gannet_plugin::prelude::{PipelineRequest, settings};

/// What the configuration can set. A call can set all but `candidates`.
#[settings]
#[derive(Copy, PartialEq, Eq)]
pub struct Settings {
    /// Maximum number of entries, the best matches. The number of results that
    /// the caller asks for bounds it too.
    #[setting(default = 50, min = 1, parameter, call_max = 200, step = 1)]
    #[setting(label = "Entries", section = "Timeline")]
    pub max_entries: usize,
    /// How many days may pass between two entries before it is stated.
    #[setting(default = 30, parameter, call_max = 365, step = 1)]
    #[setting(label = "Gap in days", section = "Timeline")]
    pub gap_days: u32,
    /// Of a question that names a device, tell only entries that name it too.
    #[setting(
        default = true,
        parameter,
        label = "Only named devices",
        section = "Timeline"
    )]
    pub only_named: bool,
    /// How many entries each module is asked for.
    #[setting(default = 100, min = 1)]
    pub candidates: usize,
}

impl Settings {
    /// How many entries are told of a request.
    pub(crate) fn told_at_most(&self, request: &PipelineRequest) -> usize {
        self.max_entries.min(request.limit)
    }
}
