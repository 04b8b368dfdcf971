//! Filters inside the indexes mean what `Filter::matches` says.
use std::collections::BTreeSet;

use crate::common::filtering::{entries, filters};
use crate::common::{fresh, request};
use gannet_api::{Entry, Filter};
use gannet_store::{ListRequest, Store};
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Runtime;

struct Prepared {
    runtime: Runtime,
    _folder: tempfile::TempDir,
    store: Store,
    entries: Vec<Entry>,
}

fn prepared() -> Prepared {
    let runtime = Runtime::new().unwrap();
    let entries = entries();
    let (folder, store) = runtime.block_on(async {
        let (folder, store) = fresh().await;
        for chunk in entries.chunks(50) {
            store.upsert(chunk.to_vec()).await.unwrap();
            store.flush().await.unwrap();
        }
        // Rows that are deleted or replaced must not come back.
        let gone: Vec<String> = vec!["run-1".to_owned(), "Run-2".to_owned()];
        store.delete("default", &gone).await.unwrap();
        store.flush().await.unwrap();
        (folder, store)
    });
    let gone = ["run-1", "Run-2"];
    Prepared {
        runtime,
        _folder: folder,
        store,
        entries: entries
            .into_iter()
            .filter(|entry| !gone.contains(&entry.entry_id.as_str()))
            .collect(),
    }
}

fn expected<'a>(entries: &'a [Entry], filter: &Filter, word: &str) -> BTreeSet<&'a str> {
    entries
        .iter()
        .filter(|entry| entry.tenant == "default" && filter.matches(entry))
        .filter(|entry| entry.raw_text.contains(word))
        .map(|entry| entry.entry_id.as_str())
        .collect()
}

fn check(prepared: &Prepared, filter: &Filter) {
    for (query, word) in [("", ""), ("beam", "beam")] {
        let mut request = request(query);
        request.filter = filter.clone();
        request.limit = 1000;
        let found = prepared.store.text_search("default", request);
        let found = prepared.runtime.block_on(found).unwrap();
        let found: BTreeSet<&str> = found.hits.iter().map(|hit| hit.entry_id.as_str()).collect();
        assert_eq!(
            found,
            expected(&prepared.entries, filter, word),
            "{filter:?} {query}"
        );
    }
    let list = ListRequest {
        filter: filter.clone(),
        ..ListRequest::newest(1000)
    };
    let page = prepared
        .runtime
        .block_on(prepared.store.list("default", list))
        .unwrap();
    let listed: BTreeSet<&str> = page
        .entries
        .iter()
        .map(|entry| entry.entry_id.as_str())
        .collect();
    assert_eq!(
        listed,
        expected(&prepared.entries, filter, ""),
        "list {filter:?}"
    );
}

#[test]
fn searching_with_a_filter_equals_filtering_what_is_there() {
    let prepared = prepared();
    let cases = match std::env::var_os("GANNET_TEST_FULL") {
        Some(_) => 10_000,
        None => 300,
    };
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(cases)
    });
    runner
        .run(&filters(), |filter| {
            check(&prepared, &filter);
            Ok(())
        })
        .unwrap();
}
