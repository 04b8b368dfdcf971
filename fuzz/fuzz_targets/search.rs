//! Any text can be searched for in a store without an error.

#![no_main]

use std::sync::LazyLock;

use gannet_api::query::{QueryOptions, parse};
use gannet_api::{Entry, Filter, QuerySyntax};
use gannet_store::{Store, StoreOptions, TextRequest};
use jiff::{Timestamp, tz::TimeZone};
use libfuzzer_sys::fuzz_target;
use tokio::runtime::Runtime;

struct Fixture {
    runtime: Runtime,
    store: Store,
    _folder: tempfile::TempDir,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let runtime = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let store = runtime.block_on(async {
        let store = Store::open(StoreOptions::at(folder.path())).await.expect("a store");
        let texts = [
            "RF cavity trip, SR03C:RF:CAV1:FWD_PWR at 300 kW",
            "vacuum leak at SR07, 2e-7 mbar",
            "kicker misfire; thyratron replaced",
        ];
        let entries = texts.iter().enumerate().map(|(number, text)| {
            Entry::new(format!("F-{number}"), "fuzz", Timestamp::UNIX_EPOCH, *text)
        });
        store.upsert(entries.collect()).await.expect("an upsert");
        store.flush().await.expect("a flush");
        store
    });
    Fixture { runtime, store, _folder: folder }
});

fuzz_target!(|text: &str| {
    let options = QueryOptions {
        timezone: TimeZone::UTC,
        now: Timestamp::UNIX_EPOCH,
        max_chars: 1000,
    };
    let request = TextRequest {
        query: parse(text, QuerySyntax::Operators, &options),
        filter: Filter::none(),
        limit: 10,
        highlights: true,
        fuzzy: true,
    };
    let searched = FIXTURE.store.text_search("default", request);
    FIXTURE.runtime.block_on(searched).expect("any query is answered");
});
