//! What is odd about the dylibs of a configuration.

use super::layer::Origins;
use super::model::Config;
use super::plugins::DylibConfig;

/// The files that stand in the list before, each with its key.
pub(super) fn repeated(load: &[DylibConfig]) -> Vec<(String, &str)> {
    let is_repeated = |(position, dylib): &(usize, &DylibConfig)| {
        load[..*position]
            .iter()
            .any(|earlier| earlier.file == dylib.file)
    };
    load.iter()
        .enumerate()
        .filter(is_repeated)
        .map(|(position, dylib)| (format!("plugins.load.{position}.file"), dylib.file.as_str()))
        .collect()
}

/// A notice when dylibs are listed and loading is off.
pub(super) fn unused_dylibs(config: &Config, origins: &Origins) -> Option<String> {
    let plugins = &config.plugins;
    if plugins.load.is_empty() || plugins.dynamic.enabled {
        return None;
    }
    let place = origins
        .locate("plugins.load")
        .map(|origin| format!("{origin}: "))
        .unwrap_or_default();
    Some(format!(
        "{place}`plugins.load` has no effect while `plugins.dynamic.enabled` is false"
    ))
}
