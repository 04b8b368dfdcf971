//! What the behaviour tests share: a host in a temporary folder, and the cases
//! that lie beside the repository.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on should stop where it stands"
)]

mod both_stores;
pub mod dylibs;

use std::path::{Path, PathBuf};

use gannet_core::api::{DEFAULT_TENANT, FetchRequest, Registration};
pub use gannet_core::config::StoreKind;
use gannet_core::config::{Config, LoadOptions, load};
use gannet_core::registry::Registry;
use gannet_core::{
    EnhanceRequest, Gannet, HostError, IngestRequest, SearchInput, SearchResult, Stop,
};
pub use gannet_test_cases::{cases, strings};
pub use gannet_test_databases::{ARIEL, Database};
use serde_json::Value;
use tempfile::TempDir;

// Linked so that their registrations are there.
use gannet_builtin as _;

/// A host with the built-in configuration and a store in a temporary folder,
/// or in a database of its own.
pub struct Host {
    /// The host.
    pub gannet: Gannet,
    /// Holds the store; removed in the end.
    pub folder: TempDir,
    /// Dropped in the end.
    database: Option<Database>,
}

impl Host {
    /// The built-in configuration.
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    /// The built-in configuration with these keys set.
    pub async fn with(settings: &[(&str, &str)]) -> Self {
        Self::try_with(settings).await.unwrap()
    }

    /// The same, where the host may refuse to open.
    pub async fn try_with(settings: &[(&str, &str)]) -> Result<Self, HostError> {
        let folder = tempfile::tempdir().unwrap();
        let gannet = Gannet::open(config(folder.path(), settings)).await?;
        Ok(Self::over(gannet, folder))
    }

    /// A host that was opened, with its store in the folder.
    pub fn over(gannet: Gannet, folder: TempDir) -> Self {
        Self {
            gannet,
            folder,
            database: None,
        }
    }

    /// The built-in configuration over a store of this kind; `None` when
    /// there is no server for it. See [`over_both_stores`].
    pub async fn on(kind: StoreKind) -> Option<Self> {
        let registry = Registry::of(Registration::linked().copied()).unwrap();
        Self::on_with_plugins(kind, &[], &registry).await
    }

    /// The same with these keys set, and these plugins and no others.
    pub async fn on_with_plugins(
        kind: StoreKind,
        settings: &[(&str, &str)],
        registry: &Registry,
    ) -> Option<Self> {
        if kind == StoreKind::Embedded {
            return Some(Self::with_plugins(settings, registry).await);
        }
        let database = Database::create().await?;
        Some(Self::over_database(database, settings, registry).await)
    }

    /// The built-in configuration over this database, with these keys set.
    pub async fn over_database(
        database: Database,
        settings: &[(&str, &str)],
        registry: &Registry,
    ) -> Self {
        let url = database.url();
        let mut all = vec![
            ("store.kind", "postgres"),
            ("store.uri", url.as_str()),
            ("store.max_connections", "4"),
        ];
        all.extend(settings);
        let host = Self::with_plugins(&all, registry).await;
        Self {
            database: Some(database),
            ..host
        }
    }

    /// The address of the database that holds the store.
    pub fn database_url(&self) -> Option<String> {
        self.database.as_ref().map(Database::url)
    }

    /// The built-in configuration with these keys set, and these plugins and
    /// no others.
    pub async fn with_plugins(settings: &[(&str, &str)], registry: &Registry) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = config(folder.path(), settings);
        let gannet = Gannet::open_with(config, registry).await.unwrap();
        Self::over(gannet, folder)
    }

    /// Ingests a file.
    pub async fn ingest(&self, adapter: &str, file: &Path) -> &Self {
        let request = IngestRequest {
            adapter: Some(adapter.to_owned()),
            fetch: FetchRequest::default().with_source(file.display().to_string()),
            tenant: DEFAULT_TENANT.to_owned(),
            ..IngestRequest::default()
        };
        let ingested = self.gannet.ingest(request, &Stop::default(), |_| {}).await;
        ingested.unwrap();
        self
    }

    /// Ingests records that are written here.
    pub async fn ingest_lines(&self, lines: &[Value]) -> &Self {
        let file = self.folder.path().join("records.jsonl");
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        std::fs::write(&file, lines.join("\n")).unwrap();
        self.ingest("jsonl", &file).await
    }

    /// Runs every enhancement module that is on.
    pub async fn enhance(&self) -> &Self {
        let everything = EnhanceRequest::default();
        let stop = Stop::default();
        let enhanced = self.gannet.enhance(everything, &stop, |_| {}).await;
        enhanced.unwrap();
        self
    }

    /// Asks in a mode, for at most 100 entries.
    pub async fn search(&self, mode: &str, query: &str) -> SearchResult {
        let mut input = SearchInput::new(query);
        input.mode = Some(mode.to_owned());
        input.max_results = Some(100);
        self.gannet.search(input).await.unwrap()
    }
}

/// The built-in configuration with these keys set, and its store in a folder.
pub fn config(folder: &Path, settings: &[(&str, &str)]) -> Config {
    let store = folder.join("store").display().to_string();
    let mut overrides = vec![("store.path".to_owned(), store)];
    let settings = settings.iter();
    overrides.extend(settings.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    let options = LoadOptions {
        working_dir: folder.to_owned(),
        overrides,
        ..LoadOptions::default()
    };
    load(options).unwrap().config
}

/// The number that a promise names where `GANNET_TEST_FULL` is set, and a
/// smaller one in the tests of every day.
pub fn in_full(small: usize, full: usize) -> usize {
    match std::env::var_os("GANNET_TEST_FULL") {
        Some(_) => full,
        None => small,
    }
}

/// The ids of a result, in order.
pub fn ids(result: &SearchResult) -> Vec<&str> {
    result
        .entries
        .iter()
        .map(|hit| hit.entry.entry_id.as_str())
        .collect()
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder with cases and data beside the repository. Says so when it is
/// not there; the test then has nothing to check.
pub fn shared(part: &str) -> Option<PathBuf> {
    let path = root().join("../shared").join(part);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}

/// Texts that query parsers stumble over.
pub const HOSTILE_TEXTS: [&str; 16] = [
    "\"",
    "((((((((((",
    "NOT",
    "AND OR NOT AND",
    "-",
    "--data",
    "*",
    "/(/",
    "/(a+)+$/",
    "author:",
    "author:\"",
    "date:9999999999999",
    "date:2024-01..",
    "id:*",
    "\u{0}\u{1}\u{feff}\u{202e}",
    "🦆🦆🦆 ÅNGSTRÖM ﷺ",
];
