//! The settings of the pipeline that concern this interface. The pipeline
//! declares them, with bounds and defaults, so that they are checked with the
//! others; here they are read.

use std::time::Duration;

use gannet_core::Gannet;
use serde::Deserialize;
use serde_json::Value;

use super::PIPELINE;

/// What the interface follows.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct FaceSettings {
    pub session: Session,
    pub synthesis: Synthesis,
    pub telemetry: Telemetry,
    pub history: History,
    boosts: Boosts,
}

/// What is remembered between the questions of a user.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Session {
    minutes: u64,
    pub entities: usize,
}

/// How often a chat model is asked.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Synthesis {
    pub enabled: bool,
    pub answers_per_day: u64,
}

/// What is counted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Telemetry {
    pub enabled: bool,
    hours: u64,
}

/// Which questions are listed again.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct History {
    pub most: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Boosts {
    popularity: f64,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            minutes: 20,
            entities: 8,
        }
    }
}

impl Default for Synthesis {
    fn default() -> Self {
        Self {
            enabled: true,
            answers_per_day: 50,
        }
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self {
            enabled: true,
            hours: 24,
        }
    }
}

impl Default for History {
    fn default() -> Self {
        Self { most: 50 }
    }
}

impl FaceSettings {
    /// Those of the configuration.
    pub fn of(gannet: &Gannet) -> Self {
        let pipeline = gannet.config().pipelines.get(PIPELINE);
        let settings = pipeline.map(|pipeline| Value::Object(pipeline.settings.clone()));
        // The host checked the settings against the pipeline's schema.
        let settings = settings.and_then(|settings| serde_json::from_value(settings).ok());
        settings.unwrap_or_default()
    }

    /// Whether results depend on what users opened.
    pub fn counts_popularity(&self) -> bool {
        self.telemetry.enabled && self.boosts.popularity > 0.0
    }
}

impl Session {
    /// How long a session is remembered.
    pub fn lasts(&self) -> Duration {
        Duration::from_secs(60 * self.minutes)
    }
}

impl Telemetry {
    /// How long an event is kept.
    pub fn lasts(&self) -> Duration {
        Duration::from_secs(3600 * self.hours)
    }
}
