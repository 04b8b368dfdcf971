//! The host behind one handle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gannet_api::{Descriptor, Error, PluginKind};
use gannet_registry::contain::install;
use gannet_registry::loading::FileReport;
use gannet_registry::{Catalog, Instance, Registry, nearest};
use gannet_store::{MigrationReport, Store};
use jiff::tz::TimeZone;

use crate::bounded_drop::BoundedDrop;
use crate::config::{Adopt, Config, StoreConfig, mode_name};
use crate::dylibs::{is_current, registry};
use crate::enabled::{catalog, enabled_plugins};
use crate::models::embedder_of;
use crate::question_log::QuestionLog;
use crate::reload::check_restart;
use crate::result::SearchResult;
use crate::search::{MODE_KINDS, modes};
use crate::service_options::ServiceOptions;
use crate::services::Services;
use crate::store_options::{database_label, store_options};
use crate::vocabulary::vocabulary;
use crate::{HostError, InstanceMetrics, InstanceReport, Quarantined, QuestionCacheCounts};

/// The host: a store, the plugins that are on, and what they can do
/// together. Clones share everything.
#[derive(Clone)]
pub struct Gannet {
    config: Arc<Config>,
    services: Services,
    /// Where the plugins come from, as far as the host read it itself.
    registry: Option<Arc<Registry>>,
    plugin_files: Arc<[FileReport]>,
    requests: Arc<AtomicU64>,
}

impl Gannet {
    /// Opens the store and makes every plugin that the configuration switches
    /// on, of those that are linked into the program or loaded from dylibs.
    ///
    /// From here on a panic inside of plugin code prints nothing: it is an
    /// error of that plugin, with its text and place.
    ///
    /// # Errors
    /// Plugins that are missing or refuse their settings, a default that
    /// names nothing, a store that cannot be opened.
    pub async fn open(config: Config) -> Result<Self, HostError> {
        let registry = registry(&config)?;
        let mut gannet = Self::open_with(config, &registry).await?;
        gannet.registry = Some(Arc::new(registry));
        Ok(gannet)
    }

    /// The same with a registry of the caller's choice; nothing is loaded.
    ///
    /// # Errors
    /// See [`Gannet::open`].
    pub async fn open_with(mut config: Config, registry: &Registry) -> Result<Self, HostError> {
        install();
        // A plugin may change the current directory of the process.
        config.make_paths_absolute();
        let catalog = enabled_plugins(&config, registry)?;
        let options = service_options(&config)?;
        let store = Store::open(store_options(&config.store)).await?;
        Ok(Self {
            services: Services::new(store, catalog, options, Arc::default()),
            config: Arc::new(config),
            registry: None,
            plugin_files: registry.files().into(),
            requests: Arc::default(),
        })
    }

    /// A host with another configuration over the same open store. This one
    /// stays as it is, so that what runs on it can end. Plugin files that did
    /// not change are not loaded again.
    ///
    /// # Errors
    /// [`HostError::NeedsRestart`] for keys that cannot change while the store
    /// is open; plugins that are missing or refuse their settings.
    pub fn reconfigured(&self, mut config: Config) -> Result<Self, HostError> {
        config.make_paths_absolute();
        check_restart(&self.config, &config)?;
        let known = self.registry.clone();
        let known = known.filter(|known| is_current(known, &self.config, &config));
        let registry = match known {
            Some(known) => known,
            None => Arc::new(registry(&config)?),
        };
        let catalog = enabled_plugins(&config, &registry)?;
        let options = service_options(&config)?;
        let lasting = self.services().lasting().clone();
        Ok(Self {
            services: Services::new(self.store().clone(), catalog, options, lasting),
            config: Arc::new(config),
            plugin_files: registry.files().into(),
            registry: Some(registry),
            requests: self.requests.clone(),
        })
    }

    /// The plugins of a configuration without a store, and what became of each
    /// dylib.
    pub(crate) fn catalog(
        config: &Config,
    ) -> Result<(BoundedDrop<Catalog>, Vec<FileReport>), HostError> {
        install();
        timezone(config)?;
        vocabulary(config)?;
        let registry = registry(config)?;
        let catalog = BoundedDrop::new(catalog(config, &registry)?);
        Ok((catalog, registry.files().to_vec()))
    }

    /// Brings the store of a configuration to this program's schema, and
    /// adopts what ARIEL wrote in its database; in a dry run only says what
    /// that would be. Makes no plugin.
    ///
    /// # Errors
    /// [`HostError::Store`], see [`Store::migrate`]; a database that
    /// `store.adopt` says belongs to somebody else.
    pub async fn migrate(config: &Config, dry_run: bool) -> Result<MigrationReport, HostError> {
        if config.store.adopt == Adopt::Ariel {
            let message = "the database of ARIEL is read-only; to migrate it, so that Gannet and \
                           ARIEL can both write, set `store.adopt: none`";
            return Err(Error::configuration("store.adopt", message).into());
        }
        Ok(Store::migrate(store_options(&config.store), dry_run).await?)
    }

    /// The modes that are on, pipelines first.
    pub fn modes(&self) -> Vec<Descriptor> {
        modes(&self.services)
    }

    /// Everything that is on, sorted by kind and name.
    pub fn plugins(&self) -> Vec<Descriptor> {
        let instances = self.services.catalog().iter();
        instances.map(|one| one.descriptor.clone()).collect()
    }

    /// Plugins that panicked too often and are asked no more.
    pub fn quarantined(&self) -> Vec<Quarantined> {
        self.services.quarantine().list()
    }

    /// Starts every instance that is on. Without it each is started before
    /// its first call, which then waits for it.
    pub async fn start_plugins(&self) {
        self.services.start_all().await;
    }

    /// Every instance that is on, and how it is.
    pub async fn instances(&self) -> Vec<InstanceReport> {
        self.services.instance_reports().await
    }

    /// What instances counted and timed since the start, sorted by kind and
    /// name; those that do neither are not in it.
    pub fn instance_metrics(&self) -> Vec<InstanceMetrics> {
        self.services.lasting().metrics.list()
    }

    /// How often the embedding of a question was known from before.
    pub fn question_cache_counts(&self) -> QuestionCacheCounts {
        self.services.questions().counts()
    }

    /// The pipeline or search module of this name, compared without case and
    /// surrounding blanks.
    ///
    /// # Errors
    /// [`HostError::UnknownMode`] with the modes there are.
    pub fn mode(&self, name: &str) -> Result<&Instance, HostError> {
        let catalog = self.services.catalog();
        let canonical = mode_name(name);
        MODE_KINDS
            .into_iter()
            .find_map(|kind| catalog.get(kind, &canonical))
            .ok_or_else(|| unknown_mode(name, &self.modes()))
    }

    /// Finishes what is under way and lets the store's folder go.
    ///
    /// # Errors
    /// [`HostError::Store`] when the last changes cannot be written.
    pub async fn close(self) -> Result<(), HostError> {
        let store = self.services.store().clone();
        drop(self);
        Ok(store.close().await?)
    }

    /// The mode that is used when none is named.
    pub fn default_mode(&self) -> &str {
        &self.config.default_search_mode
    }

    /// The configuration that the host was opened with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Keeps an answer, where the configuration asks for it.
    pub(crate) fn log_answer(&self, result: &mut SearchResult) {
        let path = self.config.question_log.path.clone();
        if let (Some(path), true) = (path, result.answer.is_some()) {
            QuestionLog::new(path).add(result);
        }
    }

    /// What the configuration says of the store.
    pub fn store_config(&self) -> &StoreConfig {
        &self.config.store
    }

    /// The store's folder. With PostgreSQL: the folder of its copy, and of
    /// what is kept aside.
    pub fn store_path(&self) -> &Path {
        &self.config.store.path
    }

    /// Where the store is, for people: its folder, or its database without
    /// user and password.
    pub fn store_place(&self) -> String {
        let database = database_label(self.store_config());
        database.unwrap_or_else(|| self.store_path().display().to_string())
    }

    /// The store, for what has no method here.
    pub fn store(&self) -> &Store {
        self.services.store()
    }

    /// Whether a mode searches by vectors, itself or through its modules.
    pub fn needs_vectors(&self, mode: &str) -> bool {
        let catalog = self.services.catalog();
        let mut asked = BTreeSet::new();
        let mut to_ask = vec![mode_name(mode)];
        while let Some(name) = to_ask.pop() {
            let module = catalog.get(PluginKind::SearchModule, &name);
            if module.is_some_and(|module| module.descriptor.needs.embedder) {
                return true;
            }
            if self.config.pipelines.contains_key(&name) && asked.insert(name.clone()) {
                to_ask.extend(self.config.retrieval_modules(&name));
            }
        }
        false
    }

    /// What became of each dylib of the configuration.
    pub fn plugin_files(&self) -> &[FileReport] {
        &self.plugin_files
    }

    pub(crate) fn services(&self) -> &Services {
        &self.services
    }

    pub(crate) fn default_max_results(&self) -> usize {
        self.config.default_max_results
    }

    pub(crate) fn request_timeout(&self) -> Duration {
        Duration::from_secs(self.config.request_timeout_seconds)
    }

    pub(crate) fn default_adapter(&self) -> &str {
        &self.config.ingestion.adapter
    }

    pub(crate) fn default_source(&self) -> Option<&str> {
        self.config.ingestion.source_url.as_deref()
    }

    pub(crate) fn ingest_batch_size(&self) -> usize {
        self.config.ingestion.batch_size
    }

    pub(crate) fn max_record_bytes(&self) -> usize {
        self.config.ingestion.max_record_bytes
    }

    pub(crate) fn reject_file(&self) -> PathBuf {
        match &self.config.ingestion.reject_file {
            Some(file) => file.clone(),
            None => self.store_path().join("rejected.jsonl"),
        }
    }

    /// The embedder that an enhancement module is configured with.
    pub(crate) fn provider_of(&self, enhancer: &str) -> String {
        let module = self.config.enhancement_modules.get(enhancer);
        module.map_or_else(
            || self.config.embedding.provider.clone(),
            |module| embedder_of(&self.config, module),
        )
    }

    /// A name for the next request: unique within this process.
    pub(crate) fn next_request_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{:x}-{number:x}", std::process::id())
    }
}

fn service_options(config: &Config) -> Result<ServiceOptions, HostError> {
    Ok(ServiceOptions {
        timezone: timezone(config)?,
        date_order: config.date_order,
        vocabulary: vocabulary(config)?,
        value_names: config.values.clone().unwrap_or_default(),
        max_query_chars: config.max_query_chars,
        default_embedder: config.embedding.provider.clone(),
        attachments: config.store.attachments(),
        private_hosts: config.outbound.private_hosts.clone(),
        proxies: config.outbound.proxies.clone(),
        sources: config.ingestion.configured_sources(),
        late_interaction: config.store.late_interaction,
        module_notes: module_notes(config),
    })
}

/// What results say about the search modules that they come from.
fn module_notes(config: &Config) -> BTreeMap<String, Vec<String>> {
    let modules = config.search_modules.iter();
    let noted = modules.filter(|(_, module)| !module.notes.is_empty());
    noted
        .map(|(name, module)| (name.clone(), module.notes.clone()))
        .collect()
}

fn timezone(config: &Config) -> Result<TimeZone, Error> {
    TimeZone::get(&config.timezone).map_err(|error| {
        Error::configuration(
            "timezone",
            format!("{error}; write an IANA name such as `Europe/Berlin`"),
        )
    })
}

fn unknown_mode(name: &str, modes: &[Descriptor]) -> HostError {
    let names: Vec<&str> = modes.iter().map(|mode| mode.name.as_str()).collect();
    let near = nearest(name, names.iter().copied());
    HostError::UnknownMode {
        mode: name.to_owned(),
        hint: near.map_or_else(
            || ".".to_owned(),
            |name| format!("; did you mean `{name}`?"),
        ),
        available: names.join(", "),
    }
}
