//! The values of every field: the same over every kind of store.
use crate::common::entry;
use gannet_api::{Entry, FilterField};
use gannet_store::{FieldValues, Store};
use serde_json::json;

over_every_store![
    the_values_of_every_field_are_listed_with_their_entries,
    a_field_with_too_many_values_is_left_out,
    deleted_entries_and_other_tenants_do_not_count,
    words_are_counted_by_entries,
    the_version_changes_with_the_entries,
    a_field_may_have_any_name,
];

/// Entries by author and system.
fn entries(of: &[(&str, &str)]) -> Vec<Entry> {
    let entries = of.iter().enumerate().map(|(index, (author, system))| {
        let mut entry = entry(index, "leak in the ring");
        entry.author = (*author).to_owned();
        let metadata = json!({ "system": system, "tags": ["RF", "x y"], "deep": { "a": 1 } });
        entry.metadata = metadata.as_object().unwrap().clone();
        entry
    });
    entries.collect()
}

async fn filled(store: &Store, of: &[(&str, &str)]) {
    store.upsert(entries(of)).await.unwrap();
    store.flush().await.unwrap();
}

async fn values(store: &Store, most: usize) -> Vec<(String, Vec<(String, u64)>)> {
    let fields = store.field_values("default", most).await.unwrap();
    let named = fields
        .into_iter()
        .map(|FieldValues { field, values }| (field.query_name(), values));
    named.collect()
}

fn counted(values: &[(&str, u64)]) -> Vec<(String, u64)> {
    values
        .iter()
        .map(|(value, count)| ((*value).to_owned(), *count))
        .collect()
}

const OF: [(&str, &str); 3] = [
    ("Voss, A.", "Vacuum"),
    ("Ölaf", "Vacuum"),
    ("Voss, A.", "RF"),
];

async fn the_values_of_every_field_are_listed_with_their_entries(store: Store) {
    filled(&store, &OF).await;
    let expected = [
        ("author", counted(&[("voss, a.", 2), ("ölaf", 1)])),
        ("kind", counted(&[("logbook", 3)])),
        ("meta.system", counted(&[("vacuum", 2), ("rf", 1)])),
        ("source", counted(&[("test", 3)])),
        ("tag", counted(&[("rf", 3), ("x y", 3)])),
    ];
    let expected = expected.map(|(name, values)| (name.to_owned(), values));
    assert_eq!(values(&store, 10).await, expected);
}

async fn a_field_with_too_many_values_is_left_out(store: Store) {
    filled(&store, &OF).await;
    let found = values(&store, 1).await;
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["kind", "source"]);
}

async fn deleted_entries_and_other_tenants_do_not_count(store: Store) {
    filled(&store, &OF).await;
    let mut other = entries(&[("Secret", "Hidden")]);
    other[0].tenant = "other".to_owned();
    store.upsert(other).await.unwrap();
    let ids = [entries(&OF)[1].entry_id.clone()];
    assert_eq!(store.delete("default", &ids).await.unwrap(), 1);
    store.flush().await.unwrap();
    let found = values(&store, 10).await;
    assert_eq!(found[0].1, counted(&[("voss, a.", 2)]));
    assert_eq!(found[2].1, counted(&[("rf", 1), ("vacuum", 1)]));
    let of_other = store.field_values("other", 10).await.unwrap();
    assert_eq!(of_other[0].field, FilterField::Author);
    assert_eq!(of_other[0].values, counted(&[("secret", 1)]));
}

async fn words_are_counted_by_entries(store: Store) {
    filled(&store, &OF).await;
    let words = ["leaks", "voss", "nowhere"].map(str::to_owned);
    let counts = store.document_counts("default", &words).await.unwrap();
    assert_eq!(counts, [3, 2, 0]);
}

async fn the_version_changes_with_the_entries(store: Store) {
    filled(&store, &OF).await;
    let before = store.values_version().await.unwrap();
    assert_eq!(store.values_version().await.unwrap(), before);
    filled(&store, &[("Ann", "RF")]).await;
    assert_ne!(store.values_version().await.unwrap(), before);
}

async fn a_field_may_have_any_name(store: Store) {
    let names = ["", "$", "$x", "[", "a[", ".", "#", "-1", "a.b", "a]", "🦆"];
    let mut written = entry(0, "leak in the ring");
    for name in names {
        written.metadata.insert(name.to_owned(), json!("v"));
    }
    store.upsert(vec![written]).await.unwrap();
    for name in names {
        let field = FilterField::Metadata(name.to_owned());
        let values = store.distinct("default", &field, 10).await.unwrap();
        assert_eq!(values, counted(&[("v", 1)]), "{name:?}");
    }
    for name in ["\"", "a\"b", "a\\b"] {
        let field = FilterField::Metadata(name.to_owned());
        store.distinct("default", &field, 10).await.unwrap();
    }
}
