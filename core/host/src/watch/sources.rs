//! The sources of a configuration.

use std::path::PathBuf;
use std::time::Duration;

use gannet_api::Error;
use jiff::SignedDuration;
use serde::Serialize;

use super::WatchedSource;
use super::board::{SourceReport, kept};
use crate::config::SourceConfig;
use crate::{Gannet, HostError};

/// A source of the configuration, and how it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceStatus {
    /// Its name.
    pub name: String,
    /// The adapter that reads it.
    pub adapter: String,
    /// Seconds between two polls.
    pub interval_seconds: u64,
    /// What the process that follows it kept last; none when it was never
    /// followed.
    pub report: Option<SourceReport>,
}

impl Gannet {
    /// The sources of the configuration that are on, sorted by name, or those
    /// that are named. Where none is on it is the default source, under the
    /// name of its adapter.
    ///
    /// # Errors
    /// [`HostError::Plugin`] for a name that is not there, or off.
    pub fn watched_sources(&self, names: &[String]) -> Result<Vec<WatchedSource>, HostError> {
        let sources = &self.config().ingestion.sources;
        if !names.is_empty() {
            return names.iter().map(|name| self.named_source(name)).collect();
        }
        let on = sources.iter().filter(|(_, source)| source.enabled);
        let all = on.map(|(name, source)| self.watched(name, source));
        let all: Vec<WatchedSource> = all.collect();
        match all.is_empty() {
            false => Ok(all),
            true => Ok(vec![self.default_watched_source()]),
        }
    }

    /// The sources that the service follows: those with an interval.
    pub fn scheduled_sources(&self) -> Vec<WatchedSource> {
        let sources = self.config().ingestion.sources.iter();
        let scheduled =
            sources.filter(|(_, one)| one.enabled && one.poll_interval_seconds.is_some());
        scheduled
            .map(|(name, source)| self.watched(name, source))
            .collect()
    }

    /// A source that the configuration does not name, such as a file.
    pub fn unnamed_source(&self, adapter: Option<String>, source: String) -> WatchedSource {
        let adapter = adapter.unwrap_or_else(|| self.default_adapter().to_owned());
        let config = SourceConfig {
            adapter: Some(adapter),
            source_url: Some(source.clone()),
            ..SourceConfig::default()
        };
        self.watched(&source, &config)
    }

    /// The configured sources, and how they are.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn source_statuses(&self) -> Result<Vec<SourceStatus>, HostError> {
        let mut statuses = Vec::new();
        let sources = self.config().ingestion.sources.iter();
        for (name, source) in sources.filter(|(_, source)| source.enabled) {
            let watched = self.watched(name, source);
            statuses.push(SourceStatus {
                name: name.clone(),
                adapter: watched.adapter,
                interval_seconds: watched.interval.as_secs(),
                report: kept(self.store(), name).await?,
            });
        }
        Ok(statuses)
    }

    fn named_source(&self, name: &str) -> Result<WatchedSource, HostError> {
        let sources = &self.config().ingestion.sources;
        let on = sources.iter().filter(|(_, source)| source.enabled);
        let names: Vec<&str> = on.map(|(name, _)| name.as_str()).collect();
        match sources.get(name) {
            Some(source) if source.enabled => Ok(self.watched(name, source)),
            Some(_) => {
                let key = format!("ingestion.sources.{name}.enabled");
                Err(Error::configuration(key, "the source is off").into())
            }
            None => Err(Error::NotFound {
                what: "source".to_owned(),
                name: name.to_owned(),
                hint: match names.is_empty() {
                    true => "; `ingestion.sources` names none".to_owned(),
                    false => format!("; there are: {}", names.join(", ")),
                },
            }
            .into()),
        }
    }

    fn default_watched_source(&self) -> WatchedSource {
        let config = SourceConfig {
            source_url: self.default_source().map(str::to_owned),
            ..SourceConfig::default()
        };
        self.watched(self.default_adapter(), &config)
    }

    fn watched(&self, name: &str, source: &SourceConfig) -> WatchedSource {
        let ingestion = &self.config().ingestion;
        let adapter = source.adapter.clone();
        let adapter = adapter.unwrap_or_else(|| ingestion.adapter.clone());
        // The default source is that of the default adapter.
        let is_other = ingestion.source_url.is_some() && adapter != ingestion.adapter;
        let place = source.source_url.clone();
        let own = || self.own_source(&adapter).filter(|_| is_other);
        let place = place.or_else(own);
        let seconds = source.poll_interval_seconds;
        let interval = Duration::from_secs(seconds.unwrap_or(ingestion.poll_interval_seconds));
        let full_read = source.full_read_interval_hours.map(i64::from);
        WatchedSource {
            path: self.path_of(place.as_deref(), &adapter),
            name: name.to_owned(),
            adapter,
            source: place,
            interval,
            tenant: source.tenant.clone(),
            missing: source.missing,
            full_read_interval: full_read.map(SignedDuration::from_hours),
            policy: ingestion.watch,
        }
    }

    /// The file or folder of a source, where it is one.
    fn path_of(&self, source: Option<&str>, adapter: &str) -> Option<PathBuf> {
        let source = source.map(str::to_owned);
        let source = source.or_else(|| self.default_source().map(str::to_owned));
        let source = source.or_else(|| self.own_source(adapter))?;
        let is_path = !source.is_empty() && source != "-" && !source.contains("://");
        is_path.then(|| PathBuf::from(source))
    }

    /// The source that the settings of an adapter name.
    fn own_source(&self, adapter: &str) -> Option<String> {
        let config = self.config().ingestion.adapters.get(adapter)?;
        config
            .settings
            .get("source_url")?
            .as_str()
            .map(str::to_owned)
    }
}

impl WatchedSource {
    /// With another interval.
    #[must_use]
    pub fn every(self, interval: Duration) -> Self {
        Self { interval, ..self }
    }
}
