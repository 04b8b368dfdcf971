//! The plugins that the configuration loads from dylibs.

use std::sync::Arc;

use gannet_registry::contain::install;
use gannet_registry::loading::{DylibWish, LoadingRules, PluginState};
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
        registry.declare(&wishes);
        return Ok(registry);
    }
    // Opening a damaged file may panic: the reason has the place then.
    install();
    let rules = LoadingRules {
        dirs: dynamic.dirs.clone(),
        require_pin: dynamic.require_pin,
    };
    registry
        .load(&wishes, &rules, &enter_host())
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
