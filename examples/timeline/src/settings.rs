//! What the configuration and a call can set.

use gannet_plugin::{Error, ParameterDescriptor, ParameterType, PipelineRequest, Result};
use schemars::JsonSchema;
use serde::Deserialize;

/// What the configuration can set. A call can set all but `candidates`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Maximum number of entries, the best matches. The number of
    /// results that the caller asks for bounds it too.
    #[schemars(range(min = 1))]
    pub max_entries: usize,
    /// How many days may pass between two entries before it is stated.
    pub gap_days: u32,
    /// Whether, of a question that names a device, only entries count that
    /// name it too.
    pub only_named: bool,
    /// How many entries each module is asked for.
    #[schemars(range(min = 1))]
    pub candidates: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_entries: 50,
            gap_days: 30,
            only_named: true,
            candidates: 100,
        }
    }
}

impl Settings {
    /// # Errors
    /// [`Error::Configuration`] for a number that is 0 and must not be.
    pub(crate) fn check(&self, instance: &str) -> Result<()> {
        for (key, value) in [
            ("max_entries", self.max_entries),
            ("candidates", self.candidates),
        ] {
            if value == 0 {
                let key = format!("{instance}.{key}");
                return Err(Error::configuration(key, "must be at least 1"));
            }
        }
        Ok(())
    }

    /// These settings with the parameters of a call.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for a parameter that cannot be used.
    pub(crate) fn for_call(mut self, request: &PipelineRequest) -> Result<Self> {
        if let Some(max_entries) = request.param("max_entries")? {
            self.max_entries = max_entries;
        }
        if let Some(gap_days) = request.param("gap_days")? {
            self.gap_days = gap_days;
        }
        if let Some(only_named) = request.param("only_named")? {
            self.only_named = only_named;
        }
        if self.max_entries == 0 {
            let message = "parameter `max_entries`: must be at least 1";
            return Err(Error::invalid_input(message));
        }
        Ok(self)
    }

    /// How many entries are told of a request.
    pub(crate) fn told_at_most(&self, request: &PipelineRequest) -> usize {
        self.max_entries.min(request.limit)
    }
}

/// What a caller can set.
pub(crate) fn parameters() -> Vec<ParameterDescriptor> {
    let defaults = Settings::default();
    let parameter = |name, label, description, sort, default: serde_json::Value| {
        ParameterDescriptor::new(name, label, description, sort, default).section("Timeline")
    };
    vec![
        parameter(
            "max_entries",
            "Entries",
            "Maximum number of entries, the best matches.",
            ParameterType::Int,
            defaults.max_entries.into(),
        )
        .range(1.0, 200.0, 1.0),
        parameter(
            "gap_days",
            "Gap in days",
            "How many days may pass between two entries before it is stated.",
            ParameterType::Int,
            defaults.gap_days.into(),
        )
        .range(0.0, 365.0, 1.0),
        parameter(
            "only_named",
            "Only named devices",
            "Of a question that names a device, tell only entries that name it too.",
            ParameterType::Bool,
            defaults.only_named.into(),
        ),
    ]
}
