//! Settings that the HTTP interface of unified search follows. They are those of
//! the pipeline, so that one section of the configuration has them all.

use gannet_plugin::prelude::settings;
use serde::Serialize;

/// What the HTTP interface remembers between the questions of a user.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct SessionSettings {
    /// Minutes without a question after which a session is forgotten.
    #[setting(default = 20, min = 1)]
    pub minutes: u64,
    /// Entities that a session carries, at most.
    #[setting(default = 8, max = 100)]
    pub entities: usize,
}

/// How often the HTTP interface asks a chat model.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct SynthesisSettings {
    /// Whether it does.
    #[setting(default = true)]
    pub enabled: bool,
    /// Answers of a model for a tenant in a day, which begins at midnight UTC.
    #[setting(default = 50)]
    pub answers_per_day: u64,
}

/// What the HTTP interface counts.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct TelemetrySettings {
    /// Whether it counts anything. No result depends on it while
    /// `boosts.popularity` is 0.
    #[setting(default = true)]
    pub enabled: bool,
    /// Hours that an event is kept.
    #[setting(default = 24, min = 1)]
    pub hours: u64,
}

/// Which questions the HTTP interface lists again.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct HistorySettings {
    /// Questions of a user that are kept, in memory; 0 keeps none.
    #[setting(default = 50, max = 1_000)]
    pub most: usize,
}
