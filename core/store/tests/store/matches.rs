//! How many entries match a query, and which values they have: the same over
//! every kind of store.
use crate::common::{entry, request};
use gannet_api::{Condition, Entry, FilterField, Matched, fold, scalar_text};
use gannet_store::{MatchCounts, MatchRequest, Store, StoreError};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

over_every_store![
    entries_with_all_words_are_counted_beyond_any_limit,
    entries_with_some_words_are_counted_where_none_has_all,
    a_filter_and_deleted_entries_are_left_out_of_the_count,
    a_misspelt_word_is_counted_as_the_search_reads_it,
    values_are_counted_over_the_matching_entries_only,
    the_members_of_lists_count_one_by_one,
    the_values_of_many_and_of_few_matches_are_counted_alike,
    a_blank_query_counts_what_its_filter_lets_through,
    timestamps_are_no_facet,
];

async fn write(store: &Store) {
    let entries = (0..30).map(|index| {
        let text = match index % 3 {
            0 => "vacuum pump replaced",
            1 => "vacuum leak",
            _ => "klystron filament",
        };
        let mut entry = entry(index, text);
        entry.author = ["Voss", "Okafor"][index % 2].to_owned();
        entry.metadata.insert("system".to_owned(), json!("VAC"));
        entry
            .metadata
            .insert("tags".to_owned(), json!(["pump", index % 2]));
        entry
    });
    store.upsert(entries.collect()).await.unwrap();
    store.flush().await.unwrap();
}

fn asked(query: &str, facets: &[FilterField]) -> MatchRequest {
    let request = request(query);
    MatchRequest {
        query: request.query,
        filter: request.filter,
        fuzzy: true,
        facets: facets.to_vec(),
        values: 10,
    }
}

async fn count(store: &Store, request: MatchRequest) -> MatchCounts {
    store.text_matches("default", request).await.unwrap()
}

async fn entries_with_all_words_are_counted_beyond_any_limit(store: Store) {
    write(&store).await;
    let all = count(&store, asked("vacuum pump", &[])).await;
    assert_eq!((all.count, all.matched), (10, Matched::All));
    let one = count(&store, asked("vacuum", &[])).await;
    assert_eq!((one.count, one.matched), (20, Matched::All));
    let without = count(&store, asked("vacuum -pump", &[])).await;
    assert_eq!(without.count, 10);
}

async fn entries_with_some_words_are_counted_where_none_has_all(store: Store) {
    write(&store).await;
    let some = count(&store, asked("klystron leak", &[])).await;
    assert_eq!((some.count, some.matched), (20, Matched::Some));
    let both = count(&store, asked("klystron AND leak", &[])).await;
    assert_eq!(both.count, 0);
}

async fn a_filter_and_deleted_entries_are_left_out_of_the_count(store: Store) {
    write(&store).await;
    let mut of_voss = asked("vacuum", &[]);
    let is_voss = Condition::Contains("voss".to_owned());
    of_voss.filter = of_voss.filter.and(FilterField::Author, is_voss);
    assert_eq!(count(&store, of_voss.clone()).await.count, 10);
    let in_query = count(&store, asked("vacuum author:voss", &[])).await;
    assert_eq!(in_query.count, 10);
    store.delete("default", &["e0".to_owned()]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(count(&store, of_voss).await.count, 9);
}

async fn a_misspelt_word_is_counted_as_the_search_reads_it(store: Store) {
    write(&store).await;
    assert_eq!(count(&store, asked("klystrn", &[])).await.count, 10);
    let mut strict = asked("klystrn", &[]);
    strict.fuzzy = false;
    assert_eq!(count(&store, strict).await.count, 0);
}

async fn values_are_counted_over_the_matching_entries_only(store: Store) {
    write(&store).await;
    let fields = [
        FilterField::Author,
        FilterField::Metadata("system".to_owned()),
        FilterField::Metadata("nowhere".to_owned()),
    ];
    let values = |values: &[(&str, u64)]| -> Vec<(String, u64)> {
        let owned = values.iter().map(|(value, n)| ((*value).to_owned(), *n));
        owned.collect()
    };
    let found = count(&store, asked("vacuum", &fields)).await;
    assert_eq!(found.facets[0], values(&[("Okafor", 10), ("Voss", 10)]));
    let found = count(&store, asked("leak", &fields)).await;
    assert_eq!(found.facets[0], values(&[("Okafor", 5), ("Voss", 5)]));
    assert_eq!(found.facets[1], values(&[("VAC", 10)]));
    assert_eq!(found.facets[2], values(&[]));
    let mut one = asked("leak", &fields);
    one.values = 1;
    assert_eq!(count(&store, one).await.facets[0], values(&[("Okafor", 5)]));
}

async fn the_members_of_lists_count_one_by_one(store: Store) {
    write(&store).await;
    let tags = [FilterField::Metadata("tags".to_owned())];
    let found = count(&store, asked("leak", &tags)).await;
    let named: Vec<(&str, u64)> = found.facets[0]
        .iter()
        .map(|(value, count)| (value.as_str(), *count))
        .collect();
    assert_eq!(named, [("pump", 10), ("0", 5), ("1", 5)]);
}

/// 200 entries about the vacuum, of which two are about a leak; their values
/// differ in case and kind, and repeat.
fn various_entries() -> Vec<Entry> {
    let values = [
        json!("RF"),
        json!("rf"),
        json!(["Rf", "RF", 5]),
        json!([true, null, ["ÖL"]]),
        json!({"not": "a value"}),
        json!(""),
        json!(5),
    ];
    let various = |index: usize| {
        let text = if index % 100 == 50 {
            "vacuum leak"
        } else {
            "vacuum"
        };
        let mut entry = entry(index, text);
        entry.author = ["Voss", "VOSS", "", "Okafor"][index % 4].to_owned();
        let value = values[index % values.len()].clone();
        entry.metadata.insert("system".to_owned(), value);
        entry
    };
    (0..200).map(various).collect()
}

/// How many of the entries have each value, without its case.
fn expected(entries: &[Entry], field: &FilterField) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for entry in entries {
        let values = match field {
            FilterField::Author => vec![entry.author.clone()],
            _ => scalars(&entry.metadata["system"]),
        };
        let of_entry: BTreeSet<String> = values.iter().map(|value| fold(value)).collect();
        for value in of_entry {
            if !(value.is_empty() && *field == FilterField::Author) {
                *counts.entry(value).or_default() += 1;
            }
        }
    }
    counts
}

fn scalars(value: &Value) -> Vec<String> {
    match value {
        Value::Array(members) => members.iter().flat_map(scalars).collect(),
        Value::Null | Value::Object(_) => Vec::new(),
        scalar => vec![scalar_text(scalar)],
    }
}

async fn the_values_of_many_and_of_few_matches_are_counted_alike(store: Store) {
    let fields = [
        FilterField::Author,
        FilterField::Metadata("system".to_owned()),
    ];
    let mut entries = various_entries();
    store.upsert(entries.clone()).await.unwrap();
    let mut of_others = entry(0, "vacuum leak");
    of_others.tenant = "others".to_owned();
    of_others.author = "Voss".to_owned();
    // Some are deleted, and others changed.
    let deleted: Vec<String> = (0..200)
        .step_by(9)
        .map(|index| format!("e{index}"))
        .collect();
    entries.retain(|entry| !deleted.contains(&entry.entry_id));
    for entry in entries.iter_mut().step_by(11) {
        entry.author = "Haugen".to_owned();
    }
    store.delete("default", &deleted).await.unwrap();
    let changed = entries.iter().step_by(11).cloned().chain([of_others]);
    store.upsert(changed.collect()).await.unwrap();
    store.flush().await.unwrap();
    for word in ["vacuum", "leak"] {
        let matching: Vec<Entry> = entries
            .iter()
            .filter(|one| one.raw_text.contains(word))
            .cloned()
            .collect();
        let found = count(&store, asked(word, &fields)).await;
        assert_eq!(found.count, matching.len() as u64);
        for (field, values) in fields.iter().zip(&found.facets) {
            let counted = values.iter().map(|(value, count)| (fold(value), *count));
            let counted: BTreeMap<String, u64> = counted.collect();
            assert_eq!(counted, expected(&matching, field), "{word}");
            assert!(values.is_sorted_by(|a, b| a.1 >= b.1), "{values:?}");
        }
        let spelt = |(value, _): &(String, u64)| {
            ["Voss", "VOSS", "Okafor", "Haugen"].contains(&value.as_str())
        };
        assert!(found.facets[0].iter().all(spelt), "{:?}", found.facets[0]);
    }
}

async fn a_blank_query_counts_what_its_filter_lets_through(store: Store) {
    write(&store).await;
    assert_eq!(count(&store, asked("", &[])).await.count, 0);
    let of_voss = count(&store, asked("author:voss", &[FilterField::Author])).await;
    assert_eq!(of_voss.count, 15);
    assert_eq!(of_voss.facets[0], [("Voss".to_owned(), 15)]);
}

async fn timestamps_are_no_facet(store: Store) {
    write(&store).await;
    let request = asked("leak", &[FilterField::Timestamp]);
    let refused = store.text_matches("default", request).await;
    assert!(matches!(refused, Err(StoreError::InvalidRequest { .. })));
}
