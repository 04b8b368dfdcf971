//! What the configuration can set.

use gannet_plugin::prelude::settings;
use serde::Serialize;

/// The settings of `thread`.
#[settings]
#[derive(PartialEq, Eq, Serialize)]
pub struct ThreadSettings {
    /// The pipeline that finds events of the same kind.
    #[setting(default = "recurrence")]
    pub recurrence: String,
}
