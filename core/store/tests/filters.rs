//! Filters inside the indexes mean what `Filter::matches` says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeSet;

use common::{entry, fresh, request};
use gannet_api::{Condition, Entry, Filter, FilterField, NumberRange, TimeRange};
use gannet_store::{ListRequest, Store};
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const NAMES: [&str; 7] = ["", "Anna Berg", "anna", "BERG, A.", "Ölaf", "ölaf", "10"];

/// Entries with every kind of value, in several segments and two tenants.
fn entries() -> Vec<Entry> {
    (0..120)
        .map(|index| {
            let mut entry = entry(index, ["beam lost", "beam back", "pump"][index % 3]);
            entry.entry_id = format!("{}{index}", if index % 2 == 0 { "Run-" } else { "run-" });
            entry.author = NAMES[index % NAMES.len()].to_owned();
            entry.kind = ["logbook", "Document", "logbook"][index % 3].to_owned();
            entry.source_system = NAMES[(index / 2) % NAMES.len()].to_owned();
            entry.tenant = if index % 5 == 4 { "other" } else { "default" }.to_owned();
            let values = metadata_values();
            let key = ["logbook", "books", "tags", "tag", "energy", "logbook_name"][index % 6];
            entry
                .metadata
                .insert(key.to_owned(), values[index % values.len()].clone());
            entry.metadata.insert(
                "shift".to_owned(),
                values[(index / 7) % values.len()].clone(),
            );
            entry
        })
        .collect()
}

fn metadata_values() -> Vec<Value> {
    vec![
        json!("Operations"),
        json!("operations"),
        json!(["RF", "Vacuum", 3]),
        json!([]),
        json!(null),
        json!(1.5),
        json!(3),
        json!("3"),
        json!(true),
        json!({"inner": "RF"}),
        json!([["RF"], null]),
        json!("2024-01-02T00:00:00Z"),
        json!("day\u{0}shift"),
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "a",
        "anna",
        "ANNA BERG",
        "berg",
        "Ölaf",
        "ÖLAF",
        "operations",
        "OPER",
        "rf",
        "3",
        "1.5",
        "true",
        "logbook",
        "document",
        "Run-0",
        "run-0",
        "run-1",
        "RUN-",
        "nobody",
        "2024",
        "10",
    ])
    .prop_map(str::to_owned)
}

fn instants() -> impl Strategy<Value = Option<Timestamp>> {
    prop::option::of(
        (
            0i64..130 * 3600,
            prop::sample::select(vec![0i32, 1, 500, 1_000]),
        )
            .prop_map(|(second, nanos)| {
                Timestamp::new(1_704_067_200 + second / 1800 * 1800, nanos).unwrap()
            }),
    )
}

fn bounds() -> impl Strategy<Value = Option<f64>> {
    prop::option::of(prop::sample::select(vec![0.0, 1.5, 3.0, 10.0]))
}

fn conditions() -> impl Strategy<Value = Condition> {
    prop_oneof![
        3 => texts().prop_map(Condition::Equals),
        2 => prop::collection::vec(texts(), 0..4).prop_map(Condition::AnyOf),
        3 => texts().prop_map(Condition::Contains),
        1 => (bounds(), bounds(), bounds(), bounds()).prop_map(|(at_least, above, at_most, below)| {
            Condition::Number(NumberRange { at_least, above, at_most, below })
        }),
        2 => (instants(), instants())
            .prop_map(|(from, until)| Condition::Time(TimeRange { from, until })),
    ]
}

fn fields() -> impl Strategy<Value = FilterField> {
    let keys = vec![
        "logbook", "tags", "tag", "books", "energy", "shift", "missing",
    ];
    prop_oneof![
        1 => Just(FilterField::EntryId),
        1 => Just(FilterField::Author),
        1 => Just(FilterField::SourceSystem),
        1 => Just(FilterField::Kind),
        2 => Just(FilterField::Timestamp),
        4 => prop::sample::select(keys).prop_map(|key| FilterField::Metadata(key.to_owned())),
    ]
}

fn filters() -> impl Strategy<Value = Filter> {
    prop::collection::vec((fields(), conditions()), 1..3).prop_map(|clauses| {
        clauses
            .into_iter()
            .fold(Filter::none(), |filter, (field, condition)| {
                filter.and(field, condition)
            })
    })
}

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
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(300)
    });
    runner
        .run(&filters(), |filter| {
            check(&prepared, &filter);
            Ok(())
        })
        .unwrap();
}
