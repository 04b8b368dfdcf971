//! Sources that delete the entries which they do not give any more: such a
//! source has its source system for itself, and deletes what lies in the span
//! that it reads completely.

use gannet_api::{Error, PluginKind};
use gannet_registry::Catalog;
use serde_json::Value;

use crate::HostError;
use crate::config::{Config, Missing, SourceConfig};

/// Whose entries a source gives, as far as the configuration tells.
#[derive(PartialEq, Eq)]
struct Owned<'a> {
    tenant: &'a str,
    /// The name of the source system; that of the adapter where it is not known.
    source_system: &'a str,
}

/// No source deletes what another one gives.
///
/// # Errors
/// [`Error::Configuration`] for a source with `missing: delete` whose source
/// system another source has too.
pub(crate) fn check_deleting(config: &Config, catalog: &Catalog) -> Result<(), HostError> {
    let deleting = on(config).filter(|(_, source)| source.missing == Missing::Delete);
    for (name, source) in deleting {
        let own = owned(config, catalog, source);
        let shares = |(other, of_other): &(&String, &SourceConfig)| {
            *other != name && owned(config, catalog, of_other) == own
        };
        let Some((other, _)) = on(config).find(shares) else {
            continue;
        };
        return Err(Error::configuration(
            format!("ingestion.sources.{name}.missing"),
            format!(
                "the source `{other}` has the source system `{}` too, so that `delete` would \
                 delete its entries; give one of them an adapter with another `source_system`",
                own.source_system,
            ),
        )
        .into());
    }
    Ok(())
}

/// A notice for each source whose `missing: delete` reaches only the latest
/// entries after its first poll, since no later poll reads it as a whole.
pub(crate) fn deleting_in_part(config: &Config, catalog: &Catalog) -> Vec<String> {
    let deleting = on(config).filter(|(_, source)| source.missing == Missing::Delete);
    let in_part = deleting.filter(|(_, source)| source.full_read_interval_hours.is_none());
    let notices = in_part.filter_map(|(name, source)| {
        let adapter = adapter_of(config, source);
        let place = source.source_url.as_deref();
        let place = place.or_else(|| default_place(config, adapter));
        goes_on(catalog, adapter, place).then(|| {
            let key = format!("ingestion.sources.{name}");
            format!(
                "`{key}.missing`: after the first poll `{adapter}` goes on from a cursor, and \
                 `delete` reaches the entries of the last `overlap_hours`; with \
                 `{key}.full_read_interval_hours` it reaches the older ones too"
            )
        })
    });
    notices.collect()
}

/// Why `missing: delete` deletes nothing after the first poll of an adapter that
/// goes on from a cursor and does not say which span it reads completely;
/// `None` where a source of the adapter is read as a whole now and then.
pub(crate) fn without_effect(config: &Config, adapter: &str) -> Option<String> {
    let mut own = on(config).filter(|(_, source)| adapter_of(config, source) == adapter);
    let is_read_again = own.any(|(_, source)| source.full_read_interval_hours.is_some());
    (!is_read_again).then(|| {
        format!(
            "`delete` needs a source that is read as a whole; after the first poll `{adapter}` \
             goes on from a cursor, and nothing is deleted; set `full_read_interval_hours` of the \
             source"
        )
    })
}

/// Whether an adapter goes on where it stopped: one of a service that is asked
/// by time, which has the setting `overlap_hours`. Files are read as a whole.
fn goes_on(catalog: &Catalog, adapter: &str, place: Option<&str>) -> bool {
    let is_address = place.is_some_and(|place| place.contains("://"));
    is_address && setting(catalog, adapter, "overlap_hours").is_some()
}

/// What is read of a source that names nothing.
fn default_place<'a>(config: &'a Config, adapter: &str) -> Option<&'a str> {
    let ingestion = &config.ingestion;
    let default = ingestion.source_url.as_deref();
    let default = default.filter(|_| adapter == ingestion.adapter);
    default.or_else(|| {
        let own = ingestion.adapters.get(adapter)?;
        own.settings.get("source_url")?.as_str()
    })
}

fn on(config: &Config) -> impl Iterator<Item = (&String, &SourceConfig)> {
    let sources = config.ingestion.sources.iter();
    sources.filter(|(_, source)| source.enabled)
}

fn owned<'a>(config: &'a Config, catalog: &'a Catalog, source: &'a SourceConfig) -> Owned<'a> {
    let adapter = adapter_of(config, source);
    let configured = config.ingestion.adapters.get(adapter);
    let configured = configured.and_then(|one| one.settings.get("source_system"));
    let default = || setting(catalog, adapter, "source_system")?.get("default");
    let named = configured.or_else(default).and_then(Value::as_str);
    Owned {
        tenant: &source.tenant,
        source_system: named.unwrap_or(adapter),
    }
}

fn adapter_of<'a>(config: &'a Config, source: &'a SourceConfig) -> &'a str {
    source
        .adapter
        .as_deref()
        .unwrap_or(&config.ingestion.adapter)
}

/// The schema of a setting of an adapter, where it has it.
fn setting<'a>(catalog: &'a Catalog, adapter: &str, name: &str) -> Option<&'a Value> {
    let instance = catalog.get(PluginKind::Adapter, adapter)?;
    instance
        .descriptor
        .settings_schema
        .get("properties")?
        .get(name)
}
