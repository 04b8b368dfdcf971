//! Instances start before their first call, say how they are, and stop.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gannet_api::{
    Context, Descriptor, Error, Health, Hit, PluginKind, Registration, Result, SearchModule,
    SearchRequest, Setup,
};
use gannet_core::{HostError, InstanceReport, LifecycleState, SearchInput, SearchResult};
use gannet_registry::Registry;
use gannet_tests::Host;
use schemars::JsonSchema;
use serde::Deserialize;

/// Writes what it is asked to do into a file, and does not start while there
/// is a file `broken` beside it. A file `ill` makes it ill.
struct Diary(PathBuf);

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Settings {
    folder: PathBuf,
}

impl gannet_api::Settings for Settings {}

impl Diary {
    fn note(&self, word: &str) {
        let path = self.0.join("diary");
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.append(true).create(true).open(path).unwrap();
        writeln!(file, "{word}").unwrap();
    }
}

impl SearchModule for Diary {
    const NAME: &'static str = "diary";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Diary", "Keeps a diary.")
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings.folder))
    }

    async fn start(&self, _context: &Context) -> Result<()> {
        self.note("start");
        match self.0.join("broken").exists() {
            true => Err(Error::internal("the pen is broken")),
            false => Ok(()),
        }
    }

    async fn stop(&self) {
        self.note("stop");
    }

    async fn health(&self, _context: &Context) -> Result<Health> {
        Ok(match self.0.join("ill").exists() {
            true => Health::degraded("little ink"),
            false => Health::Healthy,
        })
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        self.note("search");
        Ok(Vec::new())
    }
}

async fn host(folder: &Path) -> Host {
    let linked = Registration::linked().copied();
    let diary = Registration::search_module::<Diary>("test", "1.2.3");
    let registry = Registry::of(linked.chain([diary])).unwrap();
    let folder = folder.display().to_string();
    let settings = [
        ("search_modules.diary.enabled", "true"),
        ("search_modules.diary.settings.folder", folder.as_str()),
    ];
    Host::with_plugins(&settings, &registry).await
}

async fn search(host: &Host) -> std::result::Result<SearchResult, HostError> {
    let mut input = SearchInput::new("pump");
    input.mode = Some("diary".to_owned());
    host.gannet.search(input).await
}

async fn report(host: &Host) -> InstanceReport {
    let all = host.gannet.instances().await;
    let is_diary = |one: &InstanceReport| one.name == "diary";
    all.into_iter().find(is_diary).unwrap()
}

fn diary(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("diary")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_starts_before_its_first_call_and_stops_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path()).await;
    let before = report(&host).await;
    assert_eq!(before.state, LifecycleState::Created);
    assert_eq!(before.kind, PluginKind::SearchModule);
    assert_eq!(before.origin, "test 1.2.3");
    assert!(diary(folder.path()).is_empty());
    for _ in 0..2 {
        search(&host).await.unwrap();
    }
    assert_eq!(report(&host).await.state, LifecycleState::Started);
    host.gannet.close().await.unwrap();
    assert_eq!(diary(folder.path()), ["start", "search", "search", "stop"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_starts_every_instance_at_once_and_stops_none_that_was_not_started() {
    let folder = tempfile::tempdir().unwrap();
    let started = host(folder.path()).await;
    started.gannet.start_plugins().await;
    started.gannet.close().await.unwrap();
    assert_eq!(diary(folder.path()), ["start", "stop"]);
    let unused = host(folder.path()).await;
    unused.gannet.close().await.unwrap();
    assert_eq!(diary(folder.path()).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_cannot_start_says_why_and_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path()).await;
    let broken = folder.path().join("broken");
    std::fs::write(&broken, "").unwrap();
    for _ in 0..3 {
        let error = search(&host).await.err().unwrap().to_string();
        assert!(
            error.contains("search module `diary` could not start: the pen is broken"),
            "{error}"
        );
    }
    // Not with every call.
    assert_eq!(diary(folder.path()), ["start"]);
    let report = report(&host).await;
    assert_eq!(report.state, LifecycleState::Degraded);
    assert!(report.reason.unwrap().contains("the pen is broken"));
    std::fs::remove_file(broken).unwrap();
    let patience = Instant::now() + Duration::from_secs(30);
    while search(&host).await.is_err() {
        assert!(Instant::now() < patience, "it was not tried again");
        tokio::task::yield_now().await;
    }
    assert_eq!(diary(folder.path()), ["start", "start", "search"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_says_how_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path()).await;
    search(&host).await.unwrap();
    std::fs::write(folder.path().join("ill"), "").unwrap();
    let ill = report(&host).await;
    assert_eq!(ill.state, LifecycleState::Degraded);
    assert_eq!(ill.reason.as_deref(), Some("little ink"));
}
