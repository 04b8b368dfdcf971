//! The second check: names in the merged configuration that must mean
//! something else in it. What must mean a plugin is checked by whoever has
//! the plugins.

use super::check_effect;
use super::error::{ConfigError, ConfigErrorKind, suggestion};
use super::instances::ModuleConfig;
use super::layer::Origins;
use super::model::Config;
use gannet_outbound::ProxyAddress;
use gannet_registry::nearest;

/// Every name that means nothing, or something that is off.
pub(crate) fn check_references(config: &Config, origins: &Origins) -> Vec<ConfigError> {
    let mut check = Check {
        config,
        origins,
        errors: Vec::new(),
    };
    check.timezone();
    check.modes();
    check.retrieval_modules();
    check.circles();
    check.adapter();
    check.providers();
    check.dylibs();
    check.proxies();
    check.errors
}

struct Check<'c> {
    config: &'c Config,
    origins: &'c Origins,
    errors: Vec<ConfigError>,
}

impl Check<'_> {
    fn timezone(&mut self) {
        let name = &self.config.timezone;
        if jiff::tz::TimeZone::get(name).is_ok() {
            return;
        }
        let zones: Vec<String> = jiff::tz::db()
            .available()
            .map(|zone| zone.to_string())
            .collect();
        let meant = nearest(name, zones.iter().map(String::as_str));
        let help = suggestion(meant, &["UTC", "Europe/Berlin"]);
        self.report("timezone", format!("no time zone named `{name}`"), help);
    }

    fn proxies(&mut self) {
        for proxy in &self.config.outbound.proxies {
            if let Err(error) = ProxyAddress::configured(&proxy.url) {
                let message = format!("the proxy of {}: {error}", proxy.host);
                self.report("outbound.proxies", message, None);
            }
        }
    }

    /// A mode is a search module or a pipeline, and only one of them.
    fn modes(&mut self) {
        for name in self.config.enabled_pipelines() {
            if self
                .config
                .enabled_search_modules()
                .any(|module| module == name)
            {
                let message = format!(
                    "`{name}` is a search module and a pipeline; the name of a mode must be unique"
                );
                let help = Some(
                    "give one of them another name, with `plugin:` saying what it is".to_owned(),
                );
                self.report(&format!("pipelines.{name}"), message, help);
            }
        }
        let modes: Vec<&str> = self
            .config
            .enabled_search_modules()
            .chain(self.config.enabled_pipelines())
            .collect();
        let wanted = &self.config.default_search_mode;
        let configured = self.config.search_modules.contains_key(wanted)
            || self.config.pipelines.contains_key(wanted);
        self.name(
            "default_search_mode",
            "search module or pipeline",
            wanted,
            &modes,
            configured,
        );
    }

    fn retrieval_modules(&mut self) {
        let modules: Vec<&str> = self.config.enabled_search_modules().collect();
        for pipeline in self.config.enabled_pipelines() {
            let listed = self.config.pipelines[pipeline].retrieval_modules.as_deref();
            for (position, module) in listed.unwrap_or_default().iter().enumerate() {
                let key = format!("pipelines.{pipeline}.retrieval_modules.{position}");
                if self.config.enabled_pipelines().any(|other| other == module) {
                    continue;
                }
                let configured = self.config.search_modules.contains_key(module)
                    || self.config.pipelines.contains_key(module);
                self.name(&key, "search module", module, &modules, configured);
            }
        }
    }

    /// Pipelines that search with each other would never end.
    fn circles(&mut self) {
        for pipeline in self.config.enabled_pipelines() {
            let mut reached = Vec::new();
            let mut to_follow = self.config.retrieval_modules(pipeline);
            while let Some(name) = to_follow.pop() {
                let is_pipeline = self.config.enabled_pipelines().any(|other| other == name);
                if is_pipeline && !reached.contains(&name) {
                    to_follow.extend(self.config.retrieval_modules(&name));
                    reached.push(name);
                }
            }
            if reached.iter().any(|name| name == pipeline) {
                let message = format!("`{pipeline}` refers to itself");
                let key = format!("pipelines.{pipeline}.retrieval_modules");
                self.report(&key, message, None);
            }
        }
    }

    fn adapter(&mut self) {
        let ingestion = &self.config.ingestion;
        let on = ingestion
            .adapters
            .iter()
            .filter(|(_, adapter)| adapter.enabled);
        let adapters: Vec<&str> = on.map(|(name, _)| name.as_str()).collect();
        let wanted = &ingestion.adapter;
        let configured = ingestion.adapters.contains_key(wanted);
        self.name(
            "ingestion.adapter",
            "adapter",
            wanted,
            &adapters,
            configured,
        );
        if let Some(wanted) = &ingestion.publish_to {
            let configured = ingestion.adapters.contains_key(wanted);
            let key = "ingestion.publish_to";
            self.name(key, "adapter", wanted, &adapters, configured);
        }
        for (source, config) in ingestion.sources.iter().filter(|(_, one)| one.enabled) {
            if let Some(wanted) = &config.adapter {
                let key = format!("ingestion.sources.{source}.adapter");
                let configured = ingestion.adapters.contains_key(wanted);
                self.name(&key, "adapter", wanted, &adapters, configured);
            }
        }
    }

    fn providers(&mut self) {
        let config = self.config;
        self.provider("embedding", Some(&config.embedding.provider));
        self.provider("reasoning", config.reasoning.provider.as_ref());
        self.module_providers("search_modules", &config.search_modules);
        self.module_providers("enhancement_modules", &config.enhancement_modules);
        for (name, pipeline) in config
            .pipelines
            .iter()
            .filter(|(_, pipeline)| pipeline.enabled)
        {
            self.provider(&format!("pipelines.{name}"), pipeline.provider.as_ref());
        }
    }

    fn module_providers<'m>(
        &mut self,
        section: &str,
        modules: impl IntoIterator<Item = (&'m String, &'m ModuleConfig)>,
    ) {
        for (name, module) in modules.into_iter().filter(|(_, module)| module.enabled) {
            self.provider(&format!("{section}.{name}"), module.provider.as_ref());
        }
    }

    fn provider(&mut self, user: &str, provider: Option<&String>) {
        let known: Vec<&str> = self.config.providers.keys().map(String::as_str).collect();
        if let Some(provider) = provider {
            self.name(
                &format!("{user}.provider"),
                "provider",
                provider,
                &known,
                false,
            );
        }
    }

    /// A dylib is loaded once.
    fn dylibs(&mut self) {
        let config = self.config;
        for (key, file) in check_effect::repeated(&config.plugins.load) {
            let message = format!("`{file}` is listed twice");
            let help = Some("remove one of them".to_owned());
            self.report(&key, message, help);
        }
    }

    /// Reports a name that is not among those that are on.
    fn name(&mut self, key: &str, what: &str, name: &str, on: &[&str], configured: bool) {
        if on.contains(&name) {
            return;
        }
        if configured {
            let message = format!("the {what} `{name}` is off");
            let help = suggestion(None, on).map(|on| format!("enable it, or use another: {on}"));
            self.report(key, message, help);
        } else {
            let help = suggestion(nearest(name, on.iter().copied()), on);
            self.report(key, format!("no {what} named `{name}`"), help);
        }
    }

    fn report(&mut self, key: &str, message: String, help: Option<String>) {
        let kind = ConfigErrorKind::UnknownName;
        self.errors
            .push(self.origins.error(kind, key, message, help));
    }
}
