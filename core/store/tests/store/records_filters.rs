//! A list with a filter holds what `Filter::matches` lets through, over every
//! kind of store.
use crate::common::filtering::{entries, filters};
use crate::common::timeless;
use gannet_api::{Condition, Entry, Filter, FilterField};
use gannet_store::{ListRequest, Store};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};

over_every_store![
    a_list_with_a_filter_equals_filtering_what_is_there,
    a_long_list_of_values_is_a_filter_like_a_short_one,
];

/// What U+0000 becomes in a store that cannot keep it.
fn without_nul(entry: &Entry) -> Entry {
    let text = serde_json::to_string(entry).unwrap();
    serde_json::from_str(&text.replace("\\u0000", "\u{fffd}")).unwrap()
}

async fn listed(store: &Store, filter: &Filter) -> Vec<Entry> {
    let request = ListRequest {
        filter: filter.clone(),
        newest_first: false,
        ..ListRequest::newest(1_000)
    };
    store.list("default", request).await.unwrap().entries
}

fn matching<'a>(all: &'a [Entry], filter: &Filter) -> Vec<&'a Entry> {
    all.iter().filter(|entry| filter.matches(entry)).collect()
}

/// Everything that can be listed, after it was compared to what was written.
async fn written(store: &Store) -> Vec<Entry> {
    let written = entries();
    store.upsert(written.clone()).await.unwrap();
    let all = listed(store, &Filter::none()).await;
    let expected: Vec<Entry> = written
        .iter()
        .filter(|entry| entry.tenant == "default")
        .map(without_nul)
        .collect();
    let read: Vec<Entry> = all
        .iter()
        .map(|entry| timeless(&without_nul(entry)))
        .collect();
    assert_eq!(read, expected);
    all
}

async fn a_list_with_a_filter_equals_filtering_what_is_there(store: Store) {
    let all = written(&store).await;
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    });
    for _ in 0..1_000 {
        let filter = filters().new_tree(&mut runner).unwrap().current();
        let found = listed(&store, &filter).await;
        let found: Vec<&Entry> = found.iter().collect();
        assert_eq!(found, matching(&all, &filter), "{filter:?}");
    }
}

async fn a_long_list_of_values_is_a_filter_like_a_short_one(store: Store) {
    let all = written(&store).await;
    for field in ["shift", "author", "id"] {
        let mut wanted: Vec<String> = (0..500).map(|number| format!("value {number}")).collect();
        wanted.extend(["OPERATIONS", "anna", "Run-0", "x\0"].map(str::to_owned));
        let filter = Filter::none().and(FilterField::from_name(field), Condition::AnyOf(wanted));
        let found = listed(&store, &filter).await;
        assert!(!found.is_empty());
        let found: Vec<&Entry> = found.iter().collect();
        assert_eq!(found, matching(&all, &filter), "{field}");
    }
}
