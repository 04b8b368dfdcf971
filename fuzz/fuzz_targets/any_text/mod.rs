//! What the fuzz targets do with a text. `core/store/tests/store/fuzz_seeds.rs` does
//! the same with the texts in `fuzz/seeds`, without a fuzzer.

#![allow(clippy::unwrap_used)]

use gannet_api::query::{QueryOptions, parse};
use gannet_api::{Entry, Filter, QuerySyntax};
use gannet_store::{Store, StoreOptions, TextRequest};
use jiff::{Timestamp, tz::TimeZone};
use tokio::runtime::Runtime;
use {gannet_index_flat as _, gannet_index_tantivy as _};

/// Texts of the entries that are searched.
const TEXTS: [&str; 3] = [
    "RF cavity trip, SR03C:RF:CAV1:FWD_PWR at 300 kW",
    "vacuum leak at SR07, 2e-7 mbar",
    "kicker misfire; thyratron replaced",
];

fn options(max_chars: usize) -> QueryOptions {
    QueryOptions {
        timezone: TimeZone::UTC,
        now: Timestamp::UNIX_EPOCH,
        max_chars,
    }
}

/// Any text is a valid query, and so is what it is shown as.
pub fn read(text: &str) {
    let options = options(64 * 1024);
    for syntax in [QuerySyntax::Operators, QuerySyntax::Plain] {
        let query = parse(text, syntax, &options);
        let _ = parse(&query.to_string(), syntax, &options);
    }
}

/// A store with a few entries.
pub struct Fixture {
    runtime: Runtime,
    store: Store,
    _folder: tempfile::TempDir,
}

impl Fixture {
    /// In a temporary folder.
    pub fn new() -> Self {
        let runtime = Runtime::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = runtime.block_on(async {
            let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
            let entries = TEXTS.iter().enumerate().map(|(number, text)| {
                Entry::new(format!("F-{number}"), "fuzz", Timestamp::UNIX_EPOCH, *text)
            });
            store.upsert(entries.collect()).await.unwrap();
            store.flush().await.unwrap();
            store
        });
        Self {
            runtime,
            store,
            _folder: folder,
        }
    }

    /// Any text can be searched for without an error, and highlighted.
    pub fn search(&self, text: &str) {
        let request = TextRequest {
            query: parse(text, QuerySyntax::Operators, &options(1_000)),
            filter: Filter::none(),
            limit: 10,
            fuzzy: true,
        };
        let searched = self.store.text_search("default", request);
        let found = self.runtime.block_on(searched).unwrap();
        for text in TEXTS {
            found.highlighter.highlight(text);
        }
    }
}
