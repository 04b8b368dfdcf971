//! Keys that are right and have no effect, and dylibs that are listed twice.

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

/// A notice for each key that is set and has no effect as things are.
pub(super) fn without_effect(config: &Config, origins: &Origins) -> Vec<String> {
    let place = |key: &str| {
        let origin = origins.locate(key);
        origin
            .map(|origin| format!("{origin}: "))
            .unwrap_or_default()
    };
    let mut notices = Vec::new();
    let plugins = &config.plugins;
    if !plugins.load.is_empty() && !plugins.dynamic.enabled {
        let key = "plugins.load";
        notices.push(format!(
            "{}`{key}` has no effect while `plugins.dynamic.enabled` is false",
            place(key)
        ));
    }
    let reasoning = &config.reasoning;
    if reasoning.model_id.is_some() && reasoning.provider.is_none() {
        let key = "reasoning.model_id";
        notices.push(format!(
            "{}`{key}` has no effect while `reasoning.provider` is not set",
            place(key)
        ));
    }
    for (name, pipeline) in &config.pipelines {
        let has_provider = pipeline.provider.is_some() || reasoning.provider.is_some();
        if pipeline.model.is_some() && !has_provider {
            let key = format!("pipelines.{name}.model");
            notices.push(format!(
                "{}`{key}` has no effect while neither `pipelines.{name}.provider` nor \
                 `reasoning.provider` is set",
                place(&key)
            ));
        }
    }
    let has_modules = config.enabled_search_modules().next().is_some();
    if !has_modules && config.enabled_pipelines().next().is_some() {
        let key = "search_modules";
        notices.push(format!(
            "{}every search module is off, so that pipelines find nothing; switch one on in `{key}`",
            place(key)
        ));
    }
    notices
}
