//! The configuration: what it is, how it is loaded, what is wrong with it.
//!
//! Layers are laid over each other, later ones win: the `config.yml` that is
//! compiled in, `/etc/gannet/config.yml`, the user's, `./config.yml` or the
//! file that is given, a `.env` file, environment variables
//! (`GANNET__STORE__PATH` is `store.path`), and the command line.
//!
//! ```
//! use gannet_core::config::{LoadOptions, load};
//!
//! let loaded = load(LoadOptions {
//!     overrides: vec![("default_max_results".into(), "25".into())],
//!     ..LoadOptions::default()
//! })?;
//! assert_eq!(loaded.config.default_max_results, 25);
//! assert_eq!(loaded.config.retrieval_modules("rag"), ["keyword", "semantic"]);
//!
//! let origin = loaded.origins.locate("default_max_results");
//! assert_eq!(origin.unwrap().to_string(), "command line, `default_max_results`");
//! # Ok::<(), gannet_core::config::ConfigErrors>(())
//! ```
//!
//! A mistake says where it was made and what was probably meant, and all
//! mistakes are reported at once:
//!
//! ```
//! use gannet_core::config::{LoadOptions, load};
//!
//! let mistaken = LoadOptions {
//!     env: [("GANNET__STORE__PTAH".into(), "/srv/log".into())].into(),
//!     ..LoadOptions::default()
//! };
//! assert_eq!(
//!     load(mistaken).unwrap_err().to_string(),
//!     "environment variable GANNET__STORE__PTAH: unknown key `store.ptah`; \
//!      did you mean `path`?"
//! );
//! ```

mod answers;
mod ariel;
mod check_deliveries;
mod check_effect;
mod check_references;
mod check_server;
mod check_shape;
mod check_store;
mod database_uri;
mod deliveries;
mod digests;
mod dotenv;
mod edit;
mod embedding;
mod environment;
mod error;
mod foreign;
mod gather;
mod instances;
mod key_path;
mod known;
mod layer;
mod masking;
mod model;
mod origin;
mod outbound;
mod parameter_value;
mod paths;
mod percent;
mod places;
mod plugin_schemas;
mod plugins;
mod published_schema;
mod retention;
mod retriever_arm;
mod schema;
mod searches;
mod server;
mod show;
mod sources;
mod store_parts;
#[cfg(test)]
mod tests;
mod translation;
mod value_names;
mod variables;
mod vocabulary;
mod yaml;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub use answers::{FeedbackConfig, PromptsConfig, QuestionLogConfig, ReasoningConfig};
pub use database_uri::DatabaseUri;
pub use deliveries::{
    DeliveryConfig, EntryDelivery, FeedDelivery, FileDelivery, MailDelivery, MailTls,
    WebhookDelivery,
};
pub use digests::{CronSchedule, DigestConfig};
pub use edit::{EditError, with_adapter, with_number};
pub use embedding::EmbeddingConfig;
pub use error::{ConfigError, ConfigErrorKind, ConfigErrors};
pub use instances::{AdapterConfig, ModuleConfig, PipelineConfig, ProviderConfig};
pub use layer::Origins;
pub use masking::without_passwords;
pub use model::{
    Adopt, Config, DateOrder, FieldWeights, IngestionConfig, StoreConfig, StoreKind, Synchronous,
};
pub use origin::{Origin, Place, Source};
pub use outbound::{OutboundConfig, ProxyConfig};
pub use plugins::{DylibConfig, DynamicConfig, PluginsConfig};
pub use published_schema::schema;
pub use retention::RetentionConfig;
pub use searches::{MatchBy, SavedSearchConfig};
pub use server::{
    AuditLogConfig, AuthConfig, JwtAlgorithm, JwtConfig, QueryLogConfig, ServerConfig, TracesConfig,
};
pub use sources::{Missing, SourceConfig, WatchConfig};
pub use store_parts::{RecordsKind, StoreParts};
pub use value_names::{NamesOfValue, ValueNames};
pub use variables::variables_table;
pub use vocabulary::VocabularyConfig;

pub(crate) use yaml::parse_data;

use gather::Gathered;
use key_path::KeyPath;
use schema::Node;

use crate::secrets::without_secrets;

/// Where a configuration is loaded from.
///
/// The default reads the working directory and no environment.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Read instead of `config.yml` in the working directory; it must exist.
    pub config_file: Option<PathBuf>,
    /// Where `config.yml` and `.env` are looked for.
    pub working_dir: PathBuf,
    /// The configuration of the machine, read when it exists.
    pub system_config: Option<PathBuf>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// Dotted keys and their values, as flags give them.
    pub overrides: Vec<(String, String)>,
}

/// A configuration that passed every check.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// One line for each thing that was read and left out, or has no effect.
    pub notices: Vec<String>,
    /// Where each value comes from.
    pub origins: Origins,
}

impl LoadOptions {
    /// As a program on this machine loads it: `/etc/gannet/config.yml`, the
    /// current directory and the environment of the process. Variables that
    /// are not Unicode are left out.
    pub fn of_process(config_file: Option<PathBuf>, overrides: Vec<(String, String)>) -> Self {
        let variables = std::env::vars_os();
        Self {
            config_file,
            working_dir: PathBuf::new(),
            system_config: Some(PathBuf::from("/etc/gannet/config.yml")),
            env: variables
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
            overrides,
        }
    }
}

/// Loads the configuration.
///
/// Relative paths in a file are taken from the file's folder, others from the
/// current directory; afterwards every path is absolute. A key without a value
/// counts as not set.
///
/// # Errors
/// All mistakes in the layers, each with its place. When there are none, all
/// names in the merged configuration that mean nothing.
pub fn load(options: LoadOptions) -> Result<Loaded, ConfigErrors> {
    let mut loaded = merge(Gathered::all(&options))?;
    loaded.config.make_paths_absolute();
    Ok(loaded)
}

#[allow(clippy::expect_used, reason = "compiled in, and loaded by every test")]
fn built_in() -> Config {
    merge(Gathered::built_in())
        .expect("the built-in configuration is sound")
        .config
}

fn merge(gathered: Gathered) -> Result<Loaded, ConfigErrors> {
    let mut errors = gathered.errors;
    let mut layers = gathered.layers;
    for layer in &mut layers {
        schema::write_whole_numbers(&mut layer.value, Node::root());
    }
    errors.extend(layers.iter().flat_map(check_shape::check_shape));
    let origins = Origins::new(layers);
    refuse(errors)?;

    let mut config = extract(&origins)?;
    // Modes are compared without case and blanks, as ARIEL does it.
    config.default_search_mode = mode_name(&config.default_search_mode);
    let mut errors = check_store::settle_store(&mut config, &origins, &gathered.variables);
    errors.extend(check_references::check_references(&config, &origins));
    errors.extend(check_deliveries::check_deliveries(&config, &origins));
    errors.extend(check_server::check_traces(&config.server.traces, &origins));
    let allowed = &config.server.allowed_origins;
    errors.extend(check_server::check_allowed_origins(allowed, &origins));
    refuse(errors)?;
    paths::from_folders(&mut config, &origins);
    let mut notices = gathered.notices;
    notices.extend(check_effect::without_effect(&config, &origins));
    note_modules(&mut config, gathered.module_notes);
    Ok(Loaded {
        config,
        notices,
        origins,
    })
}

/// A mode as it is called in the configuration: names are in lower case.
pub(crate) fn mode_name(text: &str) -> String {
    text.trim().to_lowercase()
}

fn refuse(errors: Vec<ConfigError>) -> Result<(), ConfigErrors> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(ConfigErrors(errors))
    }
}

/// Layers that each fit the schema could still be refused here, where a type
/// is narrower than its schema.
fn extract(origins: &Origins) -> Result<Config, ConfigErrors> {
    origins
        .merged()
        .extract()
        .map_err(|refused: figment::Error| {
            let errors = refused.into_iter().map(|error| {
                let key = error.path.join(".");
                let message = without_passwords(&format!("`{key}`: {}", error.kind));
                origins.error(ConfigErrorKind::WrongType, &key, message, None)
            });
            ConfigErrors(errors.collect())
        })
}

/// The folder of the file that sets a key.
fn folder_of(key: &str, origins: &Origins) -> Option<PathBuf> {
    match origins.source_of(&KeyPath::from_dotted(key)) {
        Some(Source::File(file)) => file.parent().map(Path::to_owned),
        _ => None,
    }
}

/// What each result of a search with a module is to say, unless a later layer
/// names the module's provider.
fn note_modules(config: &mut Config, notes: Vec<(String, String)>) {
    for (name, note) in notes {
        let module = config.search_modules.get_mut(&name);
        if let Some(module) = module.filter(|module| module.provider.is_none()) {
            module.notes.push(note);
        }
    }
}

impl Loaded {
    /// The effective configuration as YAML, without secrets; with
    /// `with_origins`, a comment behind each value says where it comes from.
    pub fn show(&self, with_origins: bool) -> String {
        let origins = with_origins.then_some(&self.origins);
        without_passwords(&show::write(&as_map(&self.config), origins))
    }

    /// The same as JSON. With `with_origins` it is a member `config`, beside a
    /// member `origins`: where each value comes from, by its dotted key.
    pub fn show_json(&self, with_origins: bool) -> Value {
        let config = show::without_passwords_in(Value::Object(as_map(&self.config)));
        if !with_origins {
            return config;
        }
        let origins = show::origins(&config, &self.origins);
        serde_json::json!({ "config": config, "origins": origins })
    }
}

/// The configuration as JSON, without secrets. Paths come from texts, and so
/// can be written as such; an empty map would mean that one did not.
fn as_map(config: &Config) -> Map<String, Value> {
    match serde_json::to_value(config).map(without_secrets) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}
