//! A backup that is made while entries are written, embedded and searched holds
//! what the store held at one moment: restored into an empty folder or a new
//! database, it answers 200 queries like a store that was given those entries
//! and was never restored.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use gannet_core::backup::{self, Backup};
use gannet_core::config::Config;
use gannet_core::{EnhanceRequest, Gannet, SearchInput, SearchResult, Stop};
use gannet_test_databases::Database;
use gannet_tests::{Host, StoreKind, config, over_both_stores, root};
use serde_json::{Value, json};

over_both_stores![a_backup_under_load_gives_the_same_results_for_200_queries];

const QUERIES: usize = 200;
const MODES: [&str; 3] = ["keyword", "semantic", "rag"];
const DEMO_ENTRIES: usize = 354;
/// Entries that are written before the backup begins.
const WRITTEN_BEFORE: usize = 5;

async fn a_backup_under_load_gives_the_same_results_for_200_queries(kind: StoreKind) {
    let Some(source) = Host::on(kind).await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved");
    let backup = back_up_under_load(source, &saved).await;
    let written = usize::try_from(backup.counts.entries).unwrap() - DEMO_ENTRIES;
    assert!(written >= WRITTEN_BEFORE, "{written} entries");

    let database = match kind {
        StoreKind::Embedded => None,
        StoreKind::Postgres => Database::create().await,
    };
    let config = config_of(
        &folder.path().join("new"),
        database.as_ref().map(Database::url),
    );
    let restored = backup::restore(&config, &saved).await.unwrap();
    assert_eq!(restored.counts, backup.counts);
    let restored = Gannet::open(config).await.unwrap();
    // An entry whose vectors were not there yet at that moment.
    let missing = EnhanceRequest::default();
    restored
        .enhance(missing, &Stop::default(), |_| {})
        .await
        .unwrap();

    let never_restored = Host::on(kind).await.unwrap();
    fill(&never_restored).await;
    let entries: Vec<Value> = (0..written).map(entry).collect();
    never_restored.ingest_lines(&entries).await.enhance().await;

    let questions = questions();
    assert_eq!(questions.len(), QUERIES);
    for (question, mode) in questions.iter().zip(MODES.iter().cycle()) {
        let expected = Outcome::by(&never_restored.gannet, mode, question).await;
        assert!(!expected.hits.is_empty(), "{mode}: {question}");
        let found = Outcome::by(&restored, mode, question).await;
        assert_eq!(found, expected, "{mode}: {question}");
    }
}

/// A backup of the demo that is made while one task writes and embeds entries,
/// one after the other, and another one searches.
async fn back_up_under_load(source: Host, saved: &Path) -> Backup {
    fill(&source).await;
    let config = config_of(source.folder.path(), source.database_url());
    let load = Arc::new(Load {
        source,
        written: AtomicUsize::new(0),
        goes_on: AtomicBool::new(true),
    });
    let writer = tokio::spawn(Arc::clone(&load).write());
    let reader = tokio::spawn(Arc::clone(&load).search());
    while load.written.load(Ordering::Relaxed) < WRITTEN_BEFORE {
        tokio::task::yield_now().await;
    }
    let backup = backup::create(&config, saved).await.unwrap();
    load.goes_on.store(false, Ordering::Relaxed);
    writer.await.unwrap();
    reader.await.unwrap();
    backup
}

struct Load {
    source: Host,
    written: AtomicUsize,
    goes_on: AtomicBool,
}

impl Load {
    async fn write(self: Arc<Self>) {
        while self.goes_on.load(Ordering::Relaxed) {
            let next = entry(self.written.load(Ordering::Relaxed));
            self.source.ingest_lines(&[next]).await.enhance().await;
            self.written.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn search(self: Arc<Self>) {
        for (question, mode) in questions().iter().zip(MODES).cycle() {
            if !self.goes_on.load(Ordering::Relaxed) {
                return;
            }
            Outcome::by(&self.source.gannet, mode, question).await;
        }
    }
}

async fn fill(host: &Host) {
    let demo = root().join("demo/logbook.json");
    host.ingest("generic_json", &demo).await.enhance().await;
}

/// An entry that questions about the demo find, too.
fn entry(number: usize) -> Value {
    let happened = [
        "RF trip of CAV1",
        "Vacuum leak in SR07",
        "Wiggler quench",
        "Flow switch replaced",
    ];
    let happened = happened[number % happened.len()];
    json!({
        "id": format!("LOAD-{number:05}"),
        "timestamp": format!("2025-12-2{}T{:02}:00:00Z", number % 9, number % 24),
        "author": "Ines Quarry",
        "text": format!("{happened}, number {number}. The cause was found and the part changed."),
    })
}

/// The questions of the demo, and titles of its entries.
fn questions() -> Vec<String> {
    let mut questions = texts("demo/queries.jsonl", "text");
    questions.extend(texts("demo/corpus.jsonl", "title"));
    questions.truncate(QUERIES);
    questions
}

fn texts(file: &str, key: &str) -> Vec<String> {
    let lines = std::fs::read_to_string(root().join(file)).unwrap();
    let text = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        value[key].as_str().unwrap().to_owned()
    };
    lines.lines().map(text).collect()
}

/// What may not differ: ids with scores to the bit, the answer, and the hash
/// over both.
#[derive(Debug, PartialEq)]
struct Outcome {
    hits: Vec<(String, u64)>,
    answer: Option<String>,
    hash: String,
}

impl Outcome {
    async fn by(gannet: &Gannet, mode: &str, question: &str) -> Self {
        let mut input = SearchInput::new(question);
        input.mode = Some(mode.to_owned());
        let SearchResult {
            entries,
            answer,
            stability_hash: hash,
            ..
        } = gannet.search(input).await.unwrap();
        let hits = entries.into_iter();
        Self {
            hits: hits
                .map(|hit| (hit.entry.entry_id, hit.score.to_bits()))
                .collect(),
            answer,
            hash,
        }
    }
}

fn config_of(folder: &Path, database: Option<String>) -> Config {
    let Some(url) = database else {
        return config(folder, &[]);
    };
    config(folder, &[("store.kind", "postgres"), ("store.uri", &url)])
}
