//! The plugins that a configuration switches on.

use gannet_api::{Error, PluginKind};
use gannet_registry::{Catalog, CatalogError, Registry};

use crate::config::Config;
use crate::instance_specs::instance_specs;
use crate::models::check_models;
use crate::prompts::prompts;
use crate::search::MODE_KINDS;
use crate::watch::{check_deleting, deleting_in_part};
use crate::{Gannet, HostError};

/// What a configuration that can be used does not do.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The plugins that would be left out.
    pub left_out: Vec<CatalogError>,
    /// What has no effect, or only a part of it, a sentence each.
    pub notices: Vec<String>,
}

impl Gannet {
    /// Checks that every plugin the configuration names can be made, and
    /// tells which would be left out and what has no full effect. Starts no plugin
    /// and opens no store.
    ///
    /// # Errors
    /// See [`Gannet::open`].
    pub fn check(config: &Config) -> Result<Checked, HostError> {
        let (catalog, _) = Self::catalog(config)?;
        Ok(Checked {
            left_out: catalog.left_out().to_vec(),
            notices: deleting_in_part(config, &catalog),
        })
    }
}

/// The plugins that are on; those that are left out are logged.
pub(crate) fn enabled_plugins(config: &Config, registry: &Registry) -> Result<Catalog, HostError> {
    let catalog = catalog(config, registry)?;
    for left_out in catalog.left_out() {
        tracing::warn!("disabled: {left_out}");
    }
    Ok(catalog)
}

/// The plugins that are on.
pub(crate) fn catalog(config: &Config, registry: &Registry) -> Result<Catalog, HostError> {
    let specs = instance_specs(config, registry, &prompts(config)?);
    let catalog = Catalog::build(registry, specs).map_err(HostError::Catalog)?;
    check_models(config, registry, &catalog).map_err(HostError::Catalog)?;
    check_default_mode(config, &catalog)?;
    check_publishing(config, &catalog)?;
    check_deleting(config, &catalog)?;
    Ok(catalog)
}

/// The mode that is used when none is named is on.
fn check_default_mode(config: &Config, catalog: &Catalog) -> Result<(), HostError> {
    let default = config.default_search_mode.as_str();
    let kinds = MODE_KINDS.into_iter();
    let is_on = |kind| catalog.get(kind, default).is_some();
    if kinds.clone().any(is_on) {
        return Ok(());
    }
    let names: Vec<&str> = kinds.flat_map(|kind| catalog.names(kind)).collect();
    Err(Error::configuration(
        "default_search_mode",
        format!(
            "no pipeline or search module named `{default}` is enabled; enabled are: {}",
            names.join(", ")
        ),
    )
    .into())
}

/// The adapter that entries are published with writes.
fn check_publishing(config: &Config, catalog: &Catalog) -> Result<(), HostError> {
    let Some(name) = &config.ingestion.publish_to else {
        return Ok(());
    };
    let instance = catalog.get(PluginKind::Adapter, name);
    if instance.is_some_and(|instance| instance.descriptor.writing.is_some()) {
        return Ok(());
    }
    Err(Error::configuration(
        "ingestion.publish_to",
        format!(
            "the adapter `{name}` does not write entries; an adapter that can needs \
             `settings.write.url` or, for a file, `settings.write.path`"
        ),
    )
    .into())
}
