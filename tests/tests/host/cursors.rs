//! Adapters that say how far they read go on from there.

use futures::stream::iter;
use gannet_api::{
    Adapter, Context, DEFAULT_TENANT, Descriptor, Entry, Error, FetchRequest, NoSettings, Record,
    RecordStream, Registration, Result, Setup,
};
use gannet_core::config::StoreKind;
use gannet_core::{HostError, IngestReport, IngestRequest, Stop};
use gannet_registry::Registry;
use gannet_tests::{Host, over_both_stores};
use jiff::Timestamp;

/// Reads the words of its source: `+A` is an entry, `-A` says that it is
/// gone, `!` is a failure, `#` a cursor that is too long. After each word
/// stands a cursor, the number of words so far.
struct Words;

impl Adapter for Words {
    const NAME: &'static str = "words";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::adapter(Self::NAME, "Words", "Reads words.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn fetch(&self, request: FetchRequest, _context: &Context) -> Result<RecordStream> {
        let done = request.cursor.map_or(Ok(0), |cursor| cursor.parse());
        let done: usize = done.map_err(|_| Error::internal("a cursor of somebody else"))?;
        let source = request.source.unwrap_or_default();
        let file = std::fs::read_to_string(source).unwrap_or_default();
        let mut records = Vec::new();
        for (place, word) in file.split_whitespace().enumerate().skip(done) {
            records.push(record(word));
            records.push(Ok(Record::Cursor((place + 1).to_string())));
        }
        Ok(RecordStream::new(iter(records)))
    }
}

fn record(word: &str) -> Result<Record> {
    match word.split_at(1) {
        ("+", id) => {
            let entry = Entry::new(id, "words", Timestamp::UNIX_EPOCH, format!("text of {id}"));
            Ok(Record::Entry(Box::new(entry)))
        }
        ("-", id) => Ok(Record::Deleted(id.to_owned())),
        ("#", _) => Ok(Record::Cursor("x".repeat(9000))),
        _ => Err(Error::internal("the source broke")),
    }
}

/// A host, and a source that can change.
struct Source<'h> {
    host: &'h Host,
    name: &'static str,
}

impl Source<'_> {
    fn holds(&self, words: &str) -> &Self {
        std::fs::write(self.path(), words).unwrap();
        self
    }

    fn path(&self) -> std::path::PathBuf {
        self.host.folder.path().join(self.name)
    }

    fn request(&self) -> IngestRequest {
        IngestRequest {
            adapter: Some("words".to_owned()),
            fetch: FetchRequest::default().with_source(self.path().display().to_string()),
            ..IngestRequest::default()
        }
    }

    async fn run(&self, request: IngestRequest) -> std::result::Result<IngestReport, HostError> {
        self.host
            .gannet
            .ingest(request, &Stop::default(), |_| {})
            .await
    }

    async fn read(&self) -> IngestReport {
        self.run(self.request()).await.unwrap()
    }

    /// What is there of these.
    async fn there(&self, ids: &[&str]) -> Vec<String> {
        let mut there = Vec::new();
        for id in ids {
            let entry = self.host.gannet.entry(DEFAULT_TENANT, id).await.unwrap();
            there.extend(entry.map(|entry| entry.entry_id));
        }
        there
    }
}

fn registry() -> Registry {
    let linked = Registration::linked().copied();
    let words = Registration::adapter::<Words>("test", "1.0.0");
    Registry::of(linked.chain([words])).unwrap()
}

const SETTINGS: [(&str, &str); 2] = [
    ("ingestion.adapters.words.enabled", "true"),
    ("ingestion.batch_size", "2"),
];

async fn host_on(kind: StoreKind) -> Option<Host> {
    Host::on_with_plugins(kind, &SETTINGS, &registry()).await
}

over_both_stores![
    a_run_goes_on_where_the_last_one_stopped,
    a_run_that_failed_keeps_what_came_before,
    what_the_source_says_is_gone_is_gone,
];

async fn a_run_goes_on_where_the_last_one_stopped(kind: StoreKind) {
    let Some(host) = host_on(kind).await else {
        return;
    };
    let source = Source {
        host: &host,
        name: "log",
    };
    assert_eq!(source.holds("+A +B +C").read().await.counts.read, 3);
    assert_eq!(source.read().await.counts.read, 0);
    assert_eq!(source.holds("+A +B +C +D").read().await.counts.read, 1);
    let other = Source {
        host: &host,
        name: "other",
    };
    assert_eq!(other.holds("+X").read().await.counts.read, 1);
    let mut again = source.request();
    again.from_start = true;
    assert_eq!(source.run(again).await.unwrap().counts.unchanged, 4);
}

async fn a_run_that_failed_keeps_what_came_before(kind: StoreKind) {
    let Some(host) = host_on(kind).await else {
        return;
    };
    let source = Source {
        host: &host,
        name: "log",
    };
    let failed = source.holds("+A +B +C ! +D");
    let error = failed.run(source.request()).await.unwrap_err().to_string();
    assert!(error.contains("the source broke"), "{error}");
    assert_eq!(source.there(&["A", "B", "C", "D"]).await, ["A", "B", "C"]);
    // The word that failed is read again, and those before it are not.
    let report = source.holds("+A +B +C +E +D").read().await;
    assert_eq!((report.counts.read, report.counts.added), (2, 2));
}

async fn what_the_source_says_is_gone_is_gone(kind: StoreKind) {
    let Some(host) = host_on(kind).await else {
        return;
    };
    let source = Source {
        host: &host,
        name: "log",
    };
    let report = source.holds("+A +B -A -Z +C -B +B").read().await;
    assert_eq!((report.counts.added, report.counts.deleted), (4, 2));
    assert_eq!(source.there(&["A", "B", "C"]).await, ["B", "C"]);
    let last = host.gannet.status().await.unwrap().last_run.unwrap();
    assert_eq!(last.outcome.deleted, 2);
}

#[tokio::test]
async fn a_part_of_the_source_and_a_dry_run_leave_the_cursor_as_it_is() {
    let host = host_on(StoreKind::Embedded).await.unwrap();
    let source = Source {
        host: &host,
        name: "log",
    };
    source.holds("+A +B");
    let mut part = source.request();
    part.fetch.since = Some(Timestamp::MIN);
    assert_eq!(source.run(part).await.unwrap().counts.read, 2);
    let mut dry = source.request();
    dry.dry_run = true;
    assert_eq!(source.run(dry).await.unwrap().counts.read, 2);
    assert_eq!(source.read().await.counts.read, 2);
    assert_eq!(source.read().await.counts.read, 0);
}

#[tokio::test]
async fn a_cursor_that_is_too_long_is_an_error_of_the_adapter() {
    let host = host_on(StoreKind::Embedded).await.unwrap();
    let source = Source {
        host: &host,
        name: "log",
    };
    let error = source
        .holds("+A #")
        .run(source.request())
        .await
        .unwrap_err();
    let error = error.to_string();
    assert!(error.contains("a cursor of 9000 bytes"), "{error}");
}
