//! The configuration as types. Every key is one field; its doc comment is
//! its description in the JSON Schema.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::answers::{FeedbackConfig, PromptsConfig, QuestionLogConfig, ReasoningConfig};
use super::built_in;
use super::database_uri::DatabaseUri;
use super::deliveries::DeliveryConfig;
use super::digests::DigestConfig;
use super::embedding::EmbeddingConfig;
use super::instances::{AdapterConfig, ModuleConfig, PipelineConfig, ProviderConfig};
use super::outbound::OutboundConfig;
use super::plugins::PluginsConfig;
use super::retention::RetentionConfig;
use super::searches::SavedSearchConfig;
use super::server::ServerConfig;
use super::sources::{SourceConfig, WatchConfig};
use super::store_parts::RecordsKind;
use super::value_names::ValueNames;
use super::vocabulary::VocabularyConfig;

/// The configuration of Gannet.
///
/// [`Config::default`] is the `config.yml` that is compiled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Configuration of Gannet")]
pub struct Config {
    /// Where entries and indexes are kept.
    #[serde(default)]
    pub store: StoreConfig,
    /// What searches use when they do not say: a search module or a pipeline
    /// that is switched on.
    #[serde(default = "default_search_mode")]
    pub default_search_mode: String,
    /// How many entries a search gives when it does not say.
    #[serde(default = "default_max_results")]
    #[schemars(range(min = 1, max = 1000))]
    pub default_max_results: usize,
    /// Characters of a query that are read; the rest is cut, with a note.
    #[serde(default = "default_max_query_chars")]
    #[schemars(range(min = 1))]
    pub max_query_chars: usize,
    /// Seconds that one request may take in all.
    #[serde(default = "default_request_timeout_seconds")]
    #[schemars(range(min = 1))]
    pub request_timeout_seconds: u64,
    /// The facility's time zone, an IANA name. Days in queries are days there.
    #[serde(default = "default_timezone")]
    pub timezone: String,
    /// How dates such as `11/12/25` are read in questions: the month first
    /// (`mdy`) or the day first (`dmy`).
    #[serde(default)]
    pub date_order: DateOrder,
    /// Search modules by the name that queries and pipelines use.
    #[serde(default)]
    #[schemars(extend("propertyNames" = name_rule()))]
    pub search_modules: BTreeMap<String, ModuleConfig>,
    /// Pipelines by the name that queries use.
    #[serde(default)]
    #[schemars(extend("propertyNames" = name_rule()))]
    pub pipelines: BTreeMap<String, PipelineConfig>,
    /// Enhancement modules by name.
    #[serde(default)]
    #[schemars(extend("propertyNames" = name_rule()))]
    pub enhancement_modules: BTreeMap<String, ModuleConfig>,
    /// Names of values by field and value, beside those that entries have.
    #[serde(default)]
    pub values: Option<ValueNames>,
    /// The facility's vocabulary.
    #[serde(default)]
    pub vocabulary: VocabularyConfig,
    /// How entries come in.
    #[serde(default)]
    pub ingestion: IngestionConfig,
    /// Who makes vectors.
    #[serde(default)]
    pub embedding: EmbeddingConfig,
    /// The chat model of pipelines that need one, and its limits.
    #[serde(default)]
    pub reasoning: ReasoningConfig,
    /// What the facility says to chat models.
    #[serde(default)]
    pub prompts: PromptsConfig,
    /// Whether questions and answers are kept.
    #[serde(default)]
    pub question_log: QuestionLogConfig,
    /// Whether it is kept what users say of answers and entries.
    #[serde(default)]
    pub feedback: FeedbackConfig,
    /// Providers of models by the name that `provider:` uses elsewhere.
    #[serde(default)]
    #[schemars(extend("propertyNames" = name_rule()))]
    pub providers: BTreeMap<String, ProviderConfig>,
    /// Where digests and the matches of saved searches are delivered, by name.
    #[serde(default)]
    #[schemars(extend("propertyNames" = name_rule()))]
    pub deliveries: BTreeMap<String, DeliveryConfig>,
    /// Digests that are made on a schedule, by name.
    #[serde(default)]
    #[schemars(extend("propertyNames" = name_rule()))]
    pub digests: BTreeMap<String, DigestConfig>,
    /// Searches that new entries are matched against, by name.
    #[serde(default)]
    #[schemars(extend("propertyNames" = name_rule()))]
    pub searches: BTreeMap<String, SavedSearchConfig>,
    /// The HTTP service.
    #[serde(default)]
    pub server: ServerConfig,
    /// Requests of plugins to other servers.
    #[serde(default)]
    pub outbound: OutboundConfig,
    /// How long entries and logs are kept.
    #[serde(default)]
    pub retention: RetentionConfig,
    /// Plugins from dylibs.
    #[serde(default)]
    pub plugins: PluginsConfig,
}

/// How dates such as `11/12/25` are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    /// Month, day, year: 12 November 2025.
    #[default]
    Mdy,
    /// Day, month, year: 11 December 2025.
    Dmy,
}

/// Where entries and indexes are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StoreConfig {
    /// Which store; with `adopt` and `cache` a short form of the three parts.
    pub kind: StoreKind,
    /// Where the records are.
    pub records: Option<RecordsKind>,
    /// The text index: `postgres`, or an engine that is linked into the program.
    pub text: Option<String>,
    /// The vector index, as above.
    pub vectors: Option<String>,
    /// The settings of the vector index, where its engine has any.
    pub vector_settings: Map<String, Value>,
    /// The folder of the embedded store, and of a replica of a database.
    pub path: PathBuf,
    /// The database of the PostgreSQL store.
    pub uri: Option<DatabaseUri>,
    /// A replica of the database, which is asked where nothing is written.
    pub read_uri: Option<DatabaseUri>,
    /// Whose database it is, when it is not one of Gannet.
    pub adopt: Adopt,
    /// Whether a copy of the database in the folder answers searches.
    pub cache: bool,
    /// Connections that one process opens at most.
    #[schemars(range(min = 1))]
    pub max_connections: u32,
    /// Seconds that a call waits for a connection.
    #[schemars(range(min = 1))]
    pub connect_timeout_seconds: u64,
    /// Seconds that a statement may take; the server ends it then.
    #[schemars(range(min = 1))]
    pub statement_timeout_seconds: u64,
    /// How soon a written entry is on the disk, in the folder.
    pub synchronous: Synchronous,
    /// How much a match in each field counts.
    pub field_weights: FieldWeights,
    /// Whether the vectors of single words are kept beside those of passages,
    /// so that rankings can compare word by word.
    pub late_interaction: bool,
}

/// The stores that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    /// One folder, no server.
    Embedded,
    /// A PostgreSQL database, for many hosts.
    Postgres,
}

/// Databases of other systems that are searched as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Adopt {
    /// It is a database of Gannet.
    #[default]
    None,
    /// It is ARIEL's: nothing is written there, and a copy in the folder
    /// answers searches.
    Ariel,
}

/// How soon a written entry is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    /// It survives a crash of the program.
    Normal,
    /// It survives a loss of power too; every write waits for the disk.
    Full,
}

/// How much a match in each field counts in text search. The words of every
/// field are part of the text too; a weight adds the field's own score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FieldWeights {
    /// The whole text: body, title, summary, keywords and author.
    #[schemars(range(min = 0.0))]
    pub text: f64,
    /// The title alone, on top.
    #[schemars(range(min = 0.0))]
    pub title: f64,
    /// The keywords alone, on top.
    #[schemars(range(min = 0.0))]
    pub keywords: f64,
    /// The author alone, on top.
    #[schemars(range(min = 0.0))]
    pub author: f64,
}

/// How entries come in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IngestionConfig {
    /// The adapter that is used when none is named: one of `adapters`.
    pub adapter: String,
    /// The file or URL that is read when none is named.
    pub source_url: Option<String>,
    /// The adapter that new entries are written with, into the logbook of the
    /// facility; one of `adapters` that writes. They are kept here only when not
    /// set.
    pub publish_to: Option<String>,
    /// Entries that are written to the store at once.
    #[schemars(range(min = 1))]
    pub batch_size: usize,
    /// How many bytes of text and metadata a record may have; a larger one is
    /// rejected.
    #[schemars(range(min = 1))]
    pub max_record_bytes: usize,
    /// Where records that cannot become entries are kept; `rejected.jsonl` in
    /// the store's folder when not set.
    pub reject_file: Option<PathBuf>,
    /// Seconds between two polls of a source that sets none itself.
    #[schemars(range(min = 1))]
    pub poll_interval_seconds: u64,
    /// How sources are followed.
    pub watch: WatchConfig,
    /// Sources that are followed, by name.
    #[schemars(extend("propertyNames" = name_rule()))]
    pub sources: BTreeMap<String, SourceConfig>,
    /// Adapters by name.
    #[schemars(extend("propertyNames" = name_rule()))]
    pub adapters: BTreeMap<String, AdapterConfig>,
}

impl Config {
    /// The search modules that are on, sorted by name.
    pub fn enabled_search_modules(&self) -> impl Iterator<Item = &str> {
        self.search_modules
            .iter()
            .filter(|(_, module)| module.enabled)
            .map(|(name, _)| name.as_str())
    }

    /// The pipelines that are on, sorted by name.
    pub fn enabled_pipelines(&self) -> impl Iterator<Item = &str> {
        self.pipelines
            .iter()
            .filter(|(_, pipeline)| pipeline.enabled)
            .map(|(name, _)| name.as_str())
    }

    /// The search modules that a pipeline searches with: those that it names,
    /// otherwise every one that is on.
    pub fn retrieval_modules(&self, pipeline: &str) -> Vec<String> {
        self.pipelines
            .get(pipeline)
            .and_then(|pipeline| pipeline.retrieval_modules.clone())
            .unwrap_or_else(|| self.enabled_search_modules().map(str::to_owned).collect())
    }
}

impl IngestionConfig {
    /// Adapters with the sources that the configuration names for them: the
    /// default source, and those that are followed.
    pub(crate) fn configured_sources(&self) -> Vec<(String, String)> {
        let default = self.source_url.clone();
        let default = default.map(|source| (self.adapter.clone(), source));
        let followed = self.sources.values().filter_map(|source| {
            let adapter = source.adapter.as_ref().unwrap_or(&self.adapter);
            Some((adapter.clone(), source.source_url.clone()?))
        });
        default.into_iter().chain(followed).collect()
    }
}

impl Default for Config {
    fn default() -> Self {
        static BUILT_IN: LazyLock<Config> = LazyLock::new(built_in);
        BUILT_IN.clone()
    }
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            kind: StoreKind::Embedded,
            records: None,
            text: None,
            vectors: None,
            vector_settings: Map::new(),
            path: PathBuf::from("./gannet-data"),
            uri: None,
            read_uri: None,
            adopt: Adopt::None,
            cache: false,
            max_connections: 10,
            connect_timeout_seconds: 10,
            statement_timeout_seconds: 60,
            synchronous: Synchronous::Normal,
            field_weights: FieldWeights::default(),
            late_interaction: true,
        }
    }
}

impl Default for FieldWeights {
    fn default() -> Self {
        Self {
            text: 1.0,
            title: 0.2,
            keywords: 0.2,
            author: 0.3,
        }
    }
}

impl Default for IngestionConfig {
    fn default() -> Self {
        Self {
            adapter: "jsonl".to_owned(),
            source_url: None,
            publish_to: None,
            batch_size: 500,
            max_record_bytes: 4 << 20,
            reject_file: None,
            poll_interval_seconds: 3600,
            watch: WatchConfig::default(),
            sources: BTreeMap::new(),
            adapters: BTreeMap::new(),
        }
    }
}

fn default_search_mode() -> String {
    "rag".to_owned()
}

fn default_max_results() -> usize {
    10
}

fn default_max_query_chars() -> usize {
    1000
}

fn default_request_timeout_seconds() -> u64 {
    120
}

fn default_timezone() -> String {
    "UTC".to_owned()
}

/// What the names of instances look like. They become modes, tools and parts
/// of environment variables; without dots a dotted path has one reading.
fn name_rule() -> Value {
    json!({ "pattern": "^[a-z][a-z0-9]*(_[a-z0-9]+)*$" })
}
