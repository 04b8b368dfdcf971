//! Which models the modules and pipelines of a configuration ask for, and
//! whether their providers have them.

use gannet_api::{Category, Error, PluginKind, Setup};
use gannet_registry::contain::contained;
use gannet_registry::{Catalog, CatalogError, Registry, Wanted};
use gannet_vectors::MAX_DIMENSION;
use serde_json::Value;

use crate::config::{Config, ModuleConfig};
use crate::instance_specs::{instance, pipeline_specs};
use crate::reading::BUILTIN_READER;
use crate::relevance::RAG;

/// Bytes that the name of an embedding model may have: it names a table in
/// PostgreSQL and a folder on disk.
const MAX_MODEL_NAME: usize = 255;

/// The embedder that a module asks: its provider, or the instance of this
/// provider that serves the model which the module names.
pub(crate) fn embedder_of(config: &Config, module: &ModuleConfig) -> String {
    let provider = provider_of(config, module);
    match &module.model {
        Some(model) => format!("{provider}/{model}"),
        None => provider.to_owned(),
    }
}

fn provider_of<'c>(config: &'c Config, module: &'c ModuleConfig) -> &'c str {
    let named = module.provider.as_deref();
    named.unwrap_or(&config.embedding.provider)
}

/// One embedder for each model that a module names: the module's provider
/// with its settings, and the model in [`Setup::model`].
pub(crate) fn embedders_by_model(config: &Config, registry: &Registry) -> Vec<Wanted> {
    let mut embedders: Vec<Wanted> = Vec::new();
    for user in module_users(config, registry) {
        let (true, Some(model)) = (user.module.enabled, &user.module.model) else {
            continue;
        };
        let name = provider_of(config, user.module);
        let Some(provider) = config.providers.get(name) else {
            continue;
        };
        let mut wanted = instance(
            config,
            PluginKind::Embedder,
            name,
            provider.plugin.as_deref(),
        );
        if registry.get(PluginKind::Embedder, &wanted.plugin).is_none() {
            continue;
        }
        wanted.setup.instance = embedder_of(config, user.module);
        wanted.setup.model = Some(model.clone());
        wanted.settings = Value::Object(provider.settings.clone());
        let is_new = |known: &Wanted| known.setup.instance != wanted.setup.instance;
        if user.needs_embedder && embedders.iter().all(is_new) {
            embedders.push(wanted);
        }
    }
    embedders
}

/// A module and what its plugin says of it.
struct ModuleUser<'c> {
    key: String,
    kind: PluginKind,
    name: &'c str,
    module: &'c ModuleConfig,
    needs_embedder: bool,
    needs_chat: bool,
}

/// The modules whose plugins are known, on or off.
fn module_users<'c>(config: &'c Config, registry: &Registry) -> Vec<ModuleUser<'c>> {
    let search = config.search_modules.iter();
    let search = search.map(|(name, module)| (PluginKind::SearchModule, name, module));
    let enhancers = config.enhancement_modules.iter();
    let enhancers = enhancers.map(|(name, module)| (PluginKind::Enhancer, name, module));
    search
        .chain(enhancers)
        .filter_map(|(kind, name, module)| {
            let plugin = module.plugin.as_ref().unwrap_or(name);
            let needs = registry.get(kind, plugin)?.descriptor.needs;
            let section = match kind {
                PluginKind::SearchModule => "search_modules",
                _ => "enhancement_modules",
            };
            Some(ModuleUser {
                key: format!("{section}.{name}"),
                kind,
                name,
                module,
                needs_embedder: needs.embedder,
                needs_chat: needs.chat,
            })
        })
        .collect()
}

/// Whether every `provider` and `model` is read by somebody, whether the
/// providers are of the kind that is asked for, and whether they have the
/// models: a name alone does not tell an embedder from a chat model.
///
/// # Errors
/// All that is wrong, each with its key.
pub(crate) fn check_models(
    config: &Config,
    registry: &Registry,
    catalog: &Catalog,
) -> Result<(), Vec<CatalogError>> {
    let mut check = Check {
        config,
        registry,
        catalog,
        errors: Vec::new(),
    };
    check.providers();
    check.modules();
    check.pipelines();
    check.rerankers_and_readers();
    match check.errors.is_empty() {
        true => Ok(()),
        false => Err(check.errors),
    }
}

struct Check<'c> {
    config: &'c Config,
    registry: &'c Registry,
    catalog: &'c Catalog,
    errors: Vec<CatalogError>,
}

impl Check<'_> {
    fn providers(&mut self) {
        let config = self.config;
        let embedder = config.embedding.provider.as_str();
        self.is_of_kind(PluginKind::Embedder, "embedding", embedder);
        if let Some(provider) = &config.reasoning.provider {
            self.is_of_kind(PluginKind::ChatModel, "reasoning", provider);
        }
    }

    /// Whether a provider that is configured is of a kind. One that is not
    /// configured is reported where references are checked.
    fn is_of_kind(&mut self, kind: PluginKind, user: &str, provider: &str) -> bool {
        self.config.providers.contains_key(provider)
            && self.is_on(kind, format!("{user}.provider"), provider)
    }

    /// Whether there is a provider of this kind and name. If not, the key that
    /// names it is refused, with those that there are.
    fn is_on(&mut self, kind: PluginKind, key: String, provider: &str) -> bool {
        if self.catalog.get(kind, provider).is_some() {
            return true;
        }
        let names = self.catalog.names(kind);
        let names: Vec<&str> = names
            .into_iter()
            .filter(|name| !name.contains('/'))
            .collect();
        let there_are = match names.as_slice() {
            [] => "there is none under `providers`".to_owned(),
            names => format!("there are: {}", names.join(", ")),
        };
        let article = match kind {
            PluginKind::Embedder => "an",
            _ => "a",
        };
        let message = format!(
            "`{provider}` is not {article} {}; {there_are}",
            kind.label()
        );
        self.refuse(key, message);
        false
    }

    /// The rerankers and the readers that instances of `rag` name. One whose
    /// plugin file is left out is told there.
    fn rerankers_and_readers(&mut self) {
        let (config, catalog) = (self.config, self.catalog);
        let left_out = catalog.left_out();
        let is_left_out = |provider: &str| {
            let key = format!("providers.{provider}");
            let mut keys = left_out.iter().filter_map(CatalogError::key);
            keys.any(|one| one == key)
        };
        for (name, pipeline) in &config.pipelines {
            let plugin = pipeline.plugin.as_ref().unwrap_or(name);
            if !pipeline.enabled || plugin.as_str() != RAG {
                continue;
            }
            let key = format!("pipelines.{name}.settings");
            let rerank = pipeline.settings.get("rerank").and_then(Value::as_object);
            let provider = rerank.map(|rerank| rerank.get("provider").and_then(Value::as_str));
            let has_none = catalog.names(PluginKind::Reranker).is_empty();
            match provider {
                Some(Some(provider)) if !is_left_out(provider) => {
                    let key = format!("{key}.rerank.provider");
                    self.is_on(PluginKind::Reranker, key, provider);
                }
                Some(None) if left_out.is_empty() && has_none => {
                    let message = "no reranker is configured; configure `cross_encoder` or \
                                   `rerank_server` under `providers`";
                    self.refuse(format!("{key}.rerank"), message.to_owned());
                }
                _ => {}
            }
            let reader = pipeline.settings.get("reader").and_then(Value::as_str);
            let reader = reader.filter(|name| *name != BUILTIN_READER && !is_left_out(name));
            if let Some(reader) = reader {
                self.is_on(PluginKind::Reader, format!("{key}.reader"), reader);
            }
        }
    }

    fn modules(&mut self) {
        for user in module_users(self.config, self.registry) {
            let has_reader = user.needs_embedder || user.needs_chat;
            let keys = [
                ("provider", user.module.provider.is_some()),
                ("model", user.module.model.is_some()),
            ];
            if !has_reader {
                for (key, _) in keys.into_iter().filter(|(_, is_set)| *is_set) {
                    let message = format!(
                        "`{}` asks no model, so nothing reads `{key}`; leave it out",
                        user.name
                    );
                    self.refuse(format!("{}.{key}", user.key), message);
                }
                continue;
            }
            let is_on = self.catalog.get(user.kind, user.name).is_some();
            if !is_on {
                continue;
            }
            let provider = provider_of(self.config, user.module);
            if user.needs_embedder && self.is_of_kind(PluginKind::Embedder, &user.key, provider) {
                self.embedder(&user, provider);
            }
            if user.needs_chat && !user.needs_embedder {
                self.chat_model_of_module(&user);
            }
        }
    }

    /// Whether an embedder serves the model that is asked for, and one that
    /// the store can hold vectors of.
    fn embedder(&mut self, user: &ModuleUser<'_>, provider: &str) {
        let name = embedder_of(self.config, user.module);
        let Some(embedder) = self.catalog.embedder(&name) else {
            return;
        };
        let model = embedder.model();
        let wanted = user.module.model.as_ref();
        let key = match wanted {
            Some(_) => format!("{}.model", user.key),
            None => format!("providers.{provider}"),
        };
        let message = if let Some(wanted) = wanted.filter(|wanted| **wanted != model.name) {
            format!(
                "the provider `{provider}` has no model `{wanted}`: its model is `{}`; leave `model` \
                 out, or name a provider that has it",
                model.name
            )
        } else if model.name.is_empty() {
            format!("the provider `{provider}` names no embedding model; set it in its `settings`")
        } else if model.dimension == 0 {
            format!(
                "how many dimensions a vector of `{}` has is not known; configure a provider for it \
                 with `settings: {{embedding: {{model: {0}, dimension: N}}}}`",
                model.name
            )
        } else if model.dimension > MAX_DIMENSION {
            format!(
                "vectors of `{}` have {} dimensions; the store holds at most {MAX_DIMENSION}",
                model.name, model.dimension
            )
        } else if model.name.len() > MAX_MODEL_NAME || model.name.contains(char::is_control) {
            format!(
                "the name of an embedding model has at most {MAX_MODEL_NAME} bytes and no control \
                 characters"
            )
        } else {
            return;
        };
        self.refuse(key, message);
    }

    fn chat_model_of_module(&mut self, user: &ModuleUser<'_>) {
        let named = user.module.provider.as_ref();
        let Some(provider) = named.or(self.config.reasoning.provider.as_ref()) else {
            return;
        };
        if self.is_of_kind(PluginKind::ChatModel, &user.key, provider)
            && let Some(model) = &user.module.model
        {
            self.chat_model(&format!("{}.model", user.key), provider, model);
        }
    }

    fn pipelines(&mut self) {
        for (name, pipeline) in &self.config.pipelines {
            let key = format!("pipelines.{name}");
            let plugin = pipeline.plugin.as_ref().unwrap_or(name);
            let Some(registered) = self.registry.get(PluginKind::Pipeline, plugin) else {
                continue;
            };
            let descriptor = &registered.descriptor;
            let asks_a_model = descriptor.category == Category::Llm || descriptor.needs.chat;
            if !asks_a_model {
                let keys = [
                    ("provider", pipeline.provider.is_some()),
                    ("model", pipeline.model.is_some()),
                ];
                for (unread, _) in keys.into_iter().filter(|(_, is_set)| *is_set) {
                    let message = format!(
                        "`{name}` asks no model, so nothing reads `{unread}`; leave it out"
                    );
                    self.refuse(format!("{key}.{unread}"), message);
                }
            } else if let (true, Some(provider)) = (pipeline.enabled, &pipeline.provider) {
                self.is_of_kind(PluginKind::ChatModel, &key, provider);
            }
        }
        let pipelines: Vec<Wanted> = pipeline_specs(self.config, self.registry).collect();
        for wanted in pipelines.iter().filter(|wanted| wanted.enabled) {
            let (Some(provider), Some(model)) = (&wanted.setup.provider, &wanted.setup.model)
            else {
                continue;
            };
            let own = &self.config.pipelines[&wanted.setup.instance].model;
            let key = match own {
                Some(_) => format!("{}.model", wanted.key),
                None => "reasoning.model_id".to_owned(),
            };
            self.chat_model(&key, provider, model);
        }
    }

    /// Constructs the chat model once more, with the model that it will be
    /// asked for, which one that has no choice of models refuses.
    fn chat_model(&mut self, key: &str, provider: &str, model: &str) {
        let Some(configured) = self.config.providers.get(provider) else {
            return;
        };
        let plugin = configured.plugin.as_deref().unwrap_or(provider);
        let Some(registered) = self.registry.get(PluginKind::ChatModel, plugin) else {
            return;
        };
        let settings = Value::Object(configured.settings.clone());
        let setup = Setup::default()
            .with_instance(provider)
            .with_model(model.to_owned())
            .with_timezone(self.config.timezone.clone());
        let made = contained(|| registered.construct(settings, &setup)).and_then(|made| made);
        if let Err(error) = made {
            let reason = match error {
                Error::Configuration { message, .. } => message,
                other => other.to_string(),
            };
            let message =
                format!("the provider `{provider}` cannot be asked for `{model}`: {reason}");
            self.refuse(key.to_owned(), message);
        }
    }

    fn refuse(&mut self, key: String, message: String) {
        let error = CatalogError::Settings { key, message };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }
}
