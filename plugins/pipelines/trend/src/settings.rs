//! What the configuration can set.

use gannet_plugin::prelude::settings;
use serde::Serialize;

/// The settings of `trend`.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct TrendSettings {
    /// The field whose values are counted beside the total, such as `system`,
    /// `author` or a metadata key; not set: the one that the question names.
    #[setting(agent, label = "Counted by")]
    pub by: Option<String>,
    /// What entries are counted by: `day`, `week`, `month` or `year`; not set: the
    /// one that the question names, or the smallest that gives at most 62 periods.
    #[setting(agent, label = "Period")]
    pub unit: Option<String>,
    /// Values of the field that are counted, at most; those with the most entries.
    #[setting(default = 10, min = 1, max = 50)]
    pub series: usize,
    /// Whether the result has the chart as an SVG image.
    #[setting(default = false, parameter, label = "SVG image")]
    pub svg: bool,
}
