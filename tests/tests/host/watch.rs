//! Sources are followed: what comes late, is edited or deleted appears with the
//! next poll, and what fails is tried again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::store::RunStatus;
use gannet_core::{Gannet, Stop, Watch, WatchBoard, WatchEvent, WatchOptions, WatchState};
use gannet_registry::Registry;
use gannet_tests::{Host, StoreKind, over_both_stores};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// A file of records that can change, outside of the folder of any host.
struct Log {
    folder: tempfile::TempDir,
}

impl Log {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("log.jsonl")
    }

    /// Holds these records, each an id and a text.
    fn holds(&self, records: &[(&str, &str)]) {
        let lines = records.iter().map(|(id, text)| {
            json!({"id": id, "text": text, "timestamp": "2025-03-01T08:00:00Z"}).to_string()
        });
        std::fs::write(self.path(), lines.collect::<Vec<_>>().join("\n")).unwrap();
    }

    /// A configuration that follows it under the name `log`.
    fn settings(&self, more: &str) -> [(String, String); 1] {
        let path = self.path().display().to_string();
        let source = format!("{{log: {{adapter: jsonl, source_url: \"{path}\"{more}}}}}");
        [("ingestion.sources".to_owned(), source)]
    }
}

async fn host(kind: StoreKind, settings: &[(String, String)]) -> Option<Host> {
    let linked = gannet_api::Registration::linked().copied();
    let settings: Vec<(&str, &str)> = settings
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    Host::on_with_plugins(kind, &settings, &Registry::of(linked).unwrap()).await
}

/// What one poll of each source told, and which sources were given up.
pub(crate) struct Once {
    told: Vec<WatchEvent>,
    given_up: Vec<String>,
    board: WatchBoard,
}

impl Once {
    /// Polls all sources of a host once.
    pub(crate) async fn of(gannet: &Gannet, dry_run: bool) -> Self {
        let (gannet, told) = (gannet.clone(), Arc::new(Mutex::new(Vec::new())));
        let (board, events) = (WatchBoard::default(), told.clone());
        let options = WatchOptions {
            once: true,
            dry_run,
            on_event: Arc::new(move |event| events.lock().unwrap().push(event)),
        };
        let sources = |gannet: &Gannet| gannet.watched_sources(&[]);
        let watch = Watch::new(move || gannet.clone(), sources, board.clone(), options);
        let given_up = watch.run(&Stop::default()).await.unwrap();
        let told = std::mem::take(&mut *told.lock().unwrap());
        Self {
            told,
            given_up,
            board,
        }
    }

    /// New, changed and deleted entries of the only poll, or why it failed.
    pub(crate) fn outcome(&self) -> Result<(u64, u64, u64), &str> {
        match self.told.first() {
            Some(WatchEvent::Polled { report, .. }) if self.told.len() == 1 => {
                let counts = &report.counts;
                Ok((counts.added, counts.updated, counts.deleted))
            }
            Some(WatchEvent::Failed { error, .. }) => Err(error),
            other => panic!("{other:?}"),
        }
    }

    fn counts(&self) -> (u64, u64, u64) {
        self.outcome().unwrap()
    }

    fn failure(&self) -> &str {
        self.outcome().unwrap_err()
    }
}

pub(crate) async fn text_of(host: &Host, id: &str) -> Option<String> {
    let entry = host.gannet.entry(DEFAULT_TENANT, id).await.unwrap();
    entry.map(|entry| entry.raw_text)
}

over_both_stores![
    what_is_late_edited_and_deleted_appears_with_the_next_poll,
    a_source_that_seems_cut_off_deletes_nothing,
    one_host_follows_a_source,
    a_poll_that_fails_is_a_failed_run_and_shown_in_the_status,
];

async fn what_is_late_edited_and_deleted_appears_with_the_next_poll(kind: StoreKind) {
    let log = Log::new();
    let Some(host) = host(kind, &log.settings(", missing: delete")).await else {
        return;
    };
    log.holds(&[("A", "pump tripped"), ("B", "valve closed")]);
    assert_eq!(Once::of(&host.gannet, false).await.counts(), (2, 0, 0));
    assert_eq!(Once::of(&host.gannet, false).await.counts(), (0, 0, 0));
    log.holds(&[("B", "valve closed, reopened"), ("C", "late entry")]);
    assert_eq!(Once::of(&host.gannet, false).await.counts(), (1, 1, 1));
    assert_eq!(text_of(&host, "A").await, None);
    assert_eq!(
        text_of(&host, "B").await.as_deref(),
        Some("valve closed, reopened")
    );
}

async fn a_source_that_seems_cut_off_deletes_nothing(kind: StoreKind) {
    let log = Log::new();
    let Some(host) = host(kind, &log.settings(", missing: delete")).await else {
        return;
    };
    let ids: Vec<String> = (0..20).map(|number| format!("E{number}")).collect();
    let all: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "text")).collect();
    log.holds(&all);
    assert_eq!(Once::of(&host.gannet, false).await.counts(), (20, 0, 0));
    log.holds(&all[..9]);
    let cut = Once::of(&host.gannet, false).await;
    assert!(cut.failure().contains("11 of 20 entries"), "{:?}", cut.told);
    log.holds(&[]);
    assert_eq!(Once::of(&host.gannet, false).await.counts(), (0, 0, 0));
    assert_eq!(host.gannet.store().count(DEFAULT_TENANT).await.unwrap(), 20);
    log.holds(&all[..10]);
    assert_eq!(Once::of(&host.gannet, false).await.counts(), (0, 0, 10));
}

async fn one_host_follows_a_source(kind: StoreKind) {
    let log = Log::new();
    let Some(host) = host(kind, &log.settings("")).await else {
        return;
    };
    log.holds(&[("A", "pump tripped")]);
    let other = host.gannet.store().claim_source("log").await.unwrap();
    let elsewhere = Once::of(&host.gannet, false).await;
    assert!(
        matches!(elsewhere.told[..], [WatchEvent::Elsewhere { .. }]),
        "{:?}",
        elsewhere.told
    );
    assert_eq!(text_of(&host, "A").await, None);
    other.unwrap().release().await.unwrap();
    assert_eq!(Once::of(&host.gannet, false).await.counts(), (1, 0, 0));
    // The report of whoever follows it stays.
    let kept = host.gannet.source_statuses().await.unwrap();
    let other = host.gannet.store().claim_source("log").await.unwrap();
    Once::of(&host.gannet, false).await;
    assert_eq!(host.gannet.source_statuses().await.unwrap(), kept);
    other.unwrap().release().await.unwrap();
}

async fn a_poll_that_fails_is_a_failed_run_and_shown_in_the_status(kind: StoreKind) {
    let log = Log::new();
    let Some(host) = host(kind, &log.settings("")).await else {
        return;
    };
    let once = Once::of(&host.gannet, false).await;
    assert_eq!(once.given_up, ["log"]);
    assert!(once.failure().contains("log.jsonl"), "{}", once.failure());
    let status = host.gannet.status().await.unwrap();
    let report = status.sources[0].report.as_ref().unwrap();
    // Nothing was given up: one poll was asked for.
    assert_eq!(report.state, WatchState::Once);
    assert!(
        !once
            .told
            .iter()
            .any(|event| matches!(event, WatchEvent::GivenUp { .. }))
    );
    assert_eq!((report.polls, report.failed_polls), (0, 1));
    assert!(report.error.as_ref().unwrap().contains("log.jsonl"));

    log.holds(&[("A", "pump tripped")]);
    let once = Once::of(&host.gannet, false).await;
    assert_eq!(once.board.reports()["log"].consecutive_failures, 0);
    let status = host.gannet.status().await.unwrap();
    assert_eq!(status.last_run.unwrap().outcome.status, RunStatus::Success);
    assert!(
        status.sources[0]
            .report
            .as_ref()
            .unwrap()
            .last_success
            .is_some()
    );
    let report = status.sources[0].report.as_ref().unwrap();
    assert_eq!(report.state, WatchState::Once);
}

/// ARIEL's cases of its scheduler, as far as they are about reading.
#[tokio::test]
async fn polls_do_what_ariels_do() {
    for case in gannet_tests::cases("ariel.jsonl", "scheduler") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let log = Log::new();
        let entries = input["entries"].as_u64().unwrap_or(1);
        let ids: Vec<String> = (0..entries).map(|number| format!("E{number}")).collect();
        let records: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "text")).collect();
        let mut settings = log.settings("").to_vec();
        if !input["adapter_raises"].is_string() {
            log.holds(&records);
        }
        if let Some(required) = input["require_initial_ingest"].as_bool() {
            let key = "ingestion.watch.require_initial_ingest".to_owned();
            settings.push((key, required.to_string()));
        }
        let host = host(StoreKind::Embedded, &settings).await.unwrap();
        let is_dry = input["dry_run"] == true;
        // The others are in the tests of the scheduler and of enhancement.
        if !is_dry && input["adapter_raises"].is_null() && input["require_initial_ingest"].is_null()
        {
            continue;
        }
        let once = Once::of(&host.gannet, is_dry).await;
        let runs = host.gannet.store().runs(1).await.unwrap();
        let stored = host.gannet.store().count(DEFAULT_TENANT).await.unwrap();
        if expected["run"] == "failed" {
            assert_eq!(runs[0].outcome.status, RunStatus::Failed, "{case}");
            assert_eq!(once.given_up, ["log"], "{case}");
            continue;
        }
        assert_eq!(expected["run_recorded"], !runs.is_empty(), "{case}");
        assert_eq!(stored, expected["upserts"].as_u64().unwrap_or(0), "{case}");
        if is_dry {
            let [WatchEvent::Polled { report, .. }] = &once.told[..] else {
                panic!("{:?}", once.told);
            };
            assert_eq!(expected["entries_added"], report.counts.read, "{case}");
        }
    }
}

/// A service that answers each request with what it holds at the time.
struct Service {
    address: String,
    answer: Arc<Mutex<(&'static str, String)>>,
}

impl Service {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/entries", listener.local_addr().unwrap());
        let answer = Arc::new(Mutex::new(("200 OK", "[]".to_owned())));
        let held = answer.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = vec![0; 4096];
                let _ = stream.read(&mut request).await;
                let (status, body) = held.lock().unwrap().clone();
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n\
                     content-length: {length}\r\nconnection: close\r\n\r\n"
                );
                let _ = stream.write_all((head + &body).as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { address, answer }
    }

    fn answers(&self, status: &'static str, body: &Value) {
        *self.answer.lock().unwrap() = (status, body.to_string());
    }

    fn holds(&self, records: &[(&str, &str)]) {
        let record = |(id, text): &(&str, &str)| json!({"id": id, "text": text, "timestamp": "2025-03-01T08:00:00Z"});
        let records: Vec<Value> = records.iter().map(record).collect();
        self.answers("200 OK", &json!(records));
    }
}

#[tokio::test]
async fn a_service_that_fails_and_comes_back_is_read_on_without_loss() {
    let service = Service::start().await;
    let source = format!(
        "{{feed: {{adapter: generic_json, source_url: \"{}\", missing: delete}}}}",
        service.address
    );
    let host = Host::with(&[("ingestion.sources", &source)]).await;
    service.holds(&[("A", "pump tripped"), ("B", "valve closed")]);
    assert_eq!(Once::of(&host.gannet, false).await.counts(), (2, 0, 0));
    for (status, body) in [
        ("404 Not Found", json!({})),
        ("200 OK", json!("<html>log in</html>")),
    ] {
        service.answers(status, &body);
        let failed = Once::of(&host.gannet, false).await;
        assert_eq!(failed.given_up, ["feed"], "{:?}", failed.told);
    }
    assert_eq!(host.gannet.store().count(DEFAULT_TENANT).await.unwrap(), 2);
    service.holds(&[("B", "valve closed and reopened"), ("C", "late")]);
    assert_eq!(Once::of(&host.gannet, false).await.counts(), (1, 1, 1));
}

#[tokio::test]
async fn a_new_configuration_changes_what_is_followed() {
    let log = Log::new();
    log.holds(&[("A", "pump tripped")]);
    let host = host(StoreKind::Embedded, &log.settings("")).await.unwrap();
    let (sender, mut events) = mpsc::unbounded_channel();
    let board = WatchBoard::default();
    let options = WatchOptions {
        on_event: Arc::new(move |event| drop(sender.send(event))),
        ..WatchOptions::default()
    };
    let is_renamed = Arc::new(Mutex::new(false));
    let renamed = is_renamed.clone();
    let sources = move |gannet: &Gannet| {
        let mut sources = gannet.watched_sources(&[])?;
        if *renamed.lock().unwrap() {
            sources[0].name = "renamed".to_owned();
        }
        Ok(sources)
    };
    let (gannet, stop) = (host.gannet.clone(), Stop::default());
    let watch = Watch::new(move || gannet.clone(), sources, board.clone(), options);
    let stopped = stop.clone();
    let running = tokio::spawn(async move { watch.run(&stopped).await });
    let name = |event: Option<WatchEvent>| match event {
        Some(WatchEvent::Polled { source, .. }) => source,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(events.recv().await), "log");
    *is_renamed.lock().unwrap() = true;
    board.reload();
    assert_eq!(name(events.recv().await), "renamed");
    stop.raise();
    assert!(running.await.unwrap().unwrap().is_empty());
    assert_eq!(board.reports()["renamed"].state, WatchState::Stopped);
}

#[tokio::test]
async fn a_file_is_read_again_when_it_has_changed() {
    let log = Log::new();
    log.holds(&[("A", "pump tripped")]);
    let host = host(StoreKind::Embedded, &log.settings("")).await.unwrap();
    let (sender, mut events) = mpsc::unbounded_channel();
    let options = WatchOptions {
        on_event: Arc::new(move |event| drop(sender.send(event))),
        ..WatchOptions::default()
    };
    let (gannet, stop) = (host.gannet.clone(), Stop::default());
    let sources = |gannet: &Gannet| gannet.watched_sources(&[]);
    let watch = Watch::new(
        move || gannet.clone(),
        sources,
        WatchBoard::default(),
        options,
    );
    let stopped = stop.clone();
    let running = tokio::spawn(async move { watch.run(&stopped).await });
    events.recv().await.unwrap();
    log.holds(&[("A", "pump tripped"), ("B", "pump restarted")]);
    // The interval is an hour.
    events.recv().await.unwrap();
    assert!(text_of(&host, "B").await.is_some());
    stop.raise();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_name_that_is_not_configured_is_an_error_that_lists_the_names() {
    let log = Log::new();
    let host = host(StoreKind::Embedded, &log.settings("")).await.unwrap();
    let error = host
        .gannet
        .watched_sources(&["lgo".to_owned()])
        .unwrap_err();
    assert!(error.to_string().contains("there are: log"), "{error}");
}
