//! Every plugin that is linked in and every instance that is configured.

use gannet_api::PluginKind;
use gannet_registry::{Registered, Wanted};
use serde::Serialize;

use crate::config::Config;
use crate::gannet::linked;
use crate::wanted::wanted;
use crate::{Gannet, HostError};

/// One line of the list of plugins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginListing {
    /// What sort of plugin.
    pub kind: PluginKind,
    /// The instance's name; the plugin's own when it is not configured.
    pub name: String,
    /// The plugin's own name.
    pub plugin: String,
    /// What it does.
    pub description: String,
    /// The version of the crate that it comes from.
    pub version: String,
    /// That crate.
    pub from: String,
    /// Whether it is on.
    pub enabled: bool,
}

impl Gannet {
    /// Every plugin and instance, sorted by kind and name. Makes no plugin
    /// and opens no store.
    ///
    /// # Errors
    /// [`HostError::Catalog`] when two plugins of one kind have one name.
    pub fn list_plugins(config: &Config) -> Result<Vec<PluginListing>, HostError> {
        let registry = linked()?;
        let configured = wanted(config, &registry);
        let mut lines: Vec<PluginListing> = configured
            .iter()
            .filter_map(|wish| {
                let registered = registry.get(wish.kind, &wish.plugin)?;
                Some(line(registered, Some(wish)))
            })
            .collect();
        let unused = registry.iter().filter(|registered| {
            !configured.iter().any(|wish| {
                wish.kind == registered.descriptor.kind && wish.plugin == registered.descriptor.name
            })
        });
        lines.extend(unused.map(|registered| line(registered, None)));
        lines.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        Ok(lines)
    }
}

fn line(registered: &Registered, wish: Option<&Wanted>) -> PluginListing {
    let descriptor = &registered.descriptor;
    PluginListing {
        kind: descriptor.kind,
        name: wish
            .map_or(&descriptor.name, |wish| &wish.setup.instance)
            .clone(),
        plugin: descriptor.name.clone(),
        description: descriptor.description.clone(),
        version: registered.registration.version.to_owned(),
        from: registered.registration.package.to_owned(),
        enabled: wish.is_some_and(|wish| wish.enabled),
    }
}
