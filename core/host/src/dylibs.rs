//! The plugins that the configuration loads from dylibs.

use std::sync::Arc;

use gannet_registry::contain::install;
use gannet_registry::loading::{DylibWish, LoadingRules, PluginState, preflight};
use gannet_registry::{EnterHost, Registry};
use tokio::runtime::Handle;

use crate::HostError;
use crate::config::Config;

/// What is linked in, and what the configuration loads beside it.
///
/// # Errors
/// Two plugins of one kind and name, a required dylib that is refused.
pub(crate) fn registry(config: &Config) -> Result<Registry, HostError> {
    let mut registry = Registry::linked().map_err(|error| HostError::Catalog(vec![error]))?;
    let wishes = wishes(config);
    let dynamic = &config.plugins.dynamic;
    if !dynamic.enabled {
        registry.declare(&wishes, &rules(config));
        return Ok(registry);
    }
    // Opening a damaged file may panic: the reason has the place then.
    install();
    registry
        .load(&wishes, &rules(config), &enter_host())
        .map_err(HostError::Catalog)?;
    for file in registry.files() {
        match (file.state, &file.reason) {
            (PluginState::Loaded, _) => tracing::info!("plugin file {} is loaded", file.file),
            (_, Some(reason)) => {
                tracing::warn!("plugin file {} is not loaded: {reason}", file.file);
            }
            _ => {}
        }
    }
    Ok(registry)
}

/// Whether the plugins that were loaded for one configuration are those of
/// another: the same files, with the same bytes. An image that is loaded stays
/// in memory for ever, so none is loaded twice without need.
pub(crate) fn is_current(known: &Registry, old: &Config, new: &Config) -> bool {
    if old.plugins != new.plugins {
        return false;
    }
    if !new.plugins.dynamic.enabled {
        return true;
    }
    let rules = rules(new);
    let (wishes, mut files) = (wishes(new), known.files().iter());
    // A file that was refused may have been repaired.
    wishes.iter().all(|wish| {
        let file = files
            .next()
            .filter(|file| file.state == PluginState::Loaded);
        let checked = preflight(wish, &rules);
        checked.is_ok_and(|now| file.is_some_and(|file| file.sha256 == Some(now.sha256)))
    })
}

fn rules(config: &Config) -> LoadingRules {
    let dynamic = &config.plugins.dynamic;
    LoadingRules {
        dirs: dynamic.dirs.clone(),
        require_pin: dynamic.require_pin,
    }
}

fn wishes(config: &Config) -> Vec<DylibWish> {
    let files = config.plugins.load.iter();
    files
        .map(|file| DylibWish {
            file: file.file.clone(),
            sha256: file.sha256.clone(),
            required: file.required,
            replace: file.replace,
            runtime_threads: file.runtime_threads,
            config: file.config.clone(),
        })
        .collect()
}

/// How a plugin's thread reaches the runtime that is entered now; a host that
/// has none yet has nothing that would look for it. For
/// [`Registry::load`], where a program loads dylibs itself.
pub fn enter_host() -> EnterHost {
    match Handle::try_current() {
        Err(_) => Arc::new(|work| work()),
        Ok(handle) => Arc::new(move |work| {
            let _entered = handle.enter();
            work();
        }),
    }
}
