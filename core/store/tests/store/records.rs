//! Entries, lists, values and runs: the same over every kind of store.
use crate::common::entry;
use gannet_api::{Attachment, Condition, Entry, Filter, FilterField};
use gannet_store::{
    Cursor, ListRequest, RunOutcome, RunStatus, StateKey, Store, StoreError, UpsertReport,
};
use serde_json::json;

over_every_store![
    what_is_written_is_read_back_whole,
    a_report_tells_new_changed_and_same_entries_apart,
    of_two_entries_with_one_id_the_later_counts,
    a_batch_with_a_bad_entry_is_refused_whole,
    ids_are_compared_to_the_letter,
    entries_come_in_the_order_asked,
    deleted_entries_are_gone_until_they_are_written_again,
    tenants_do_not_see_each_other,
    pages_follow_each_other_in_both_directions,
    a_page_neither_repeats_nor_hides_what_was_there,
    a_strange_cursor_is_refused,
    values_of_a_field_are_counted,
    writers_at_once_agree_on_who_was_first,
    a_change_has_a_number_and_no_change_has_none,
    runs_are_listed_newest_first,
    what_a_plugin_keeps_is_its_own_and_its_tenants,
];

fn ids(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn with_id(id: &str) -> Entry {
    let mut named = entry(0, "text");
    named.entry_id = id.to_owned();
    named
}

fn report(added: u64, updated: u64, unchanged: u64) -> UpsertReport {
    UpsertReport {
        added,
        updated,
        unchanged,
        ..UpsertReport::default()
    }
}

async fn what_is_written_is_read_back_whole(store: Store) {
    let mut full = entry(
        0,
        "Beam lost at 12:00\nRF-2 tripped – Ölaf's ‘fix’ \\ \" {}",
    );
    full.kind = "document".to_owned();
    full.author = "Anna, Berg".to_owned();
    full.summary = Some("short".to_owned());
    full.keywords = ids(&["rf", "comma, in it", "\"quoted\"", ""]);
    full.attachments = vec![
        Attachment::default()
            .with_url("https://example.org/a.png".to_owned())
            .with_mime_type("image/png".to_owned()),
        Attachment::default(),
    ];
    full.metadata = json!({
        "title": "Beam lost", "logbook": ["Operations", "RF"], "empty": {}, "none": null,
        "big": u64::MAX, "small": i64::MIN, "float": 1.50, "tiny": 1e-7, "huge": 1e20,
        "deep": {"a": [{"b": "ü"}, 1.0, false]}, "": "no key",
    })
    .as_object()
    .unwrap()
    .clone();
    let mut bare = with_id("bare");
    bare.timestamp = "-000044-03-15T12:00:00.000001Z".parse().unwrap();
    bare.raw_text = String::new();
    let mut late = with_id("late");
    late.timestamp = "9999-12-30T22:00:00.999999Z".parse().unwrap();
    let all = vec![full, bare, late];
    store.upsert(all.clone()).await.unwrap();
    let read = store
        .entries("default", &ids(&["e0", "bare", "late"]))
        .await;
    let read = read.unwrap();
    assert!(read.iter().all(|entry| entry.created_at.is_some()));
    let timeless = read
        .into_iter()
        .map(|entry| entry.with_created_at(None).with_updated_at(None));
    assert_eq!(timeless.collect::<Vec<_>>(), all);
}

async fn a_report_tells_new_changed_and_same_entries_apart(store: Store) {
    let mut entries: Vec<Entry> = (0..5).map(|index| entry(index, "text")).collect();
    assert_eq!(
        store.upsert(entries.clone()).await.unwrap(),
        report(5, 0, 0)
    );
    assert_eq!(
        store.upsert(entries.clone()).await.unwrap(),
        report(0, 0, 5)
    );
    entries[1].raw_text = "another text".to_owned();
    entries[2].metadata.insert("shift".to_owned(), json!("day"));
    entries.push(entry(9, "new"));
    assert_eq!(store.upsert(entries).await.unwrap(), report(1, 2, 3));
    assert_eq!(store.upsert(Vec::new()).await.unwrap(), report(0, 0, 0));
    assert_eq!(store.count("default").await.unwrap(), 6);
}

async fn of_two_entries_with_one_id_the_later_counts(store: Store) {
    let twice = vec![entry(0, "first"), entry(1, "other"), entry(0, "second")];
    assert_eq!(store.upsert(twice).await.unwrap(), report(2, 0, 0));
    let read = store.entries("default", &ids(&["e0"])).await.unwrap();
    assert_eq!(read[0].raw_text, "second");
}

async fn a_batch_with_a_bad_entry_is_refused_whole(store: Store) {
    let mut of_nobody = entry(1, "text");
    of_nobody.tenant.clear();
    for bad in [with_id(""), of_nobody] {
        let refused = store.upsert(vec![entry(0, "text"), bad]).await;
        assert!(matches!(refused, Err(StoreError::InvalidEntry { .. })));
    }
    assert_eq!(store.count("default").await.unwrap(), 0);
}

async fn ids_are_compared_to_the_letter(store: Store) {
    let names = [
        "Run-1",
        "run-1",
        "run_1",
        "run%1",
        "run 1",
        "run 1 ",
        "1",
        "01",
        "1.0",
        "é",
        "e\u{301}",
        "' OR 1=1 --",
        "a\\b",
        "{a,b}",
        "NULL",
        "🦢",
    ];
    let entries = names.iter().map(|name| with_id(name)).collect();
    assert_eq!(store.upsert(entries).await.unwrap(), report(16, 0, 0));
    for name in names {
        let read = store.entries("default", &ids(&[name])).await.unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].entry_id, name);
    }
    assert_eq!(
        store
            .delete("default", &ids(&["run_1", "1"]))
            .await
            .unwrap(),
        2
    );
    assert_eq!(store.count("default").await.unwrap(), 14);
}

async fn entries_come_in_the_order_asked(store: Store) {
    let entries = (0..20).map(|index| entry(index, "text")).collect();
    store.upsert(entries).await.unwrap();
    let asked = ids(&["e7", "missing", "e2", "e19", "e7"]);
    let read = store.entries("default", &asked).await.unwrap();
    let read: Vec<&str> = read.iter().map(|entry| entry.entry_id.as_str()).collect();
    assert_eq!(read, ["e7", "e2", "e19", "e7"]);
    assert!(store.entries("default", &[]).await.unwrap().is_empty());
}

async fn deleted_entries_are_gone_until_they_are_written_again(store: Store) {
    let entries: Vec<Entry> = (0..4).map(|index| entry(index, "text")).collect();
    store.upsert(entries.clone()).await.unwrap();
    let gone = ids(&["e1", "e3", "e1", "missing"]);
    assert_eq!(store.delete("default", &gone).await.unwrap(), 2);
    assert_eq!(store.delete("default", &gone).await.unwrap(), 0);
    assert_eq!(store.delete("default", &[]).await.unwrap(), 0);
    assert_eq!(store.count("default").await.unwrap(), 2);
    assert_eq!(store.upsert(entries).await.unwrap(), report(2, 0, 2));
}

async fn tenants_do_not_see_each_other(store: Store) {
    let mut theirs = entry(0, "theirs");
    theirs.tenant = "other".to_owned();
    let both = vec![entry(0, "ours"), theirs];
    assert_eq!(store.upsert(both).await.unwrap(), report(2, 0, 0));
    assert_eq!(store.delete("nobody", &ids(&["e0"])).await.unwrap(), 0);
    assert_eq!(store.delete("other", &ids(&["e0"])).await.unwrap(), 1);
    let listed = store.list("default", ListRequest::newest(9)).await.unwrap();
    assert_eq!(listed.entries[0].raw_text, "ours");
    assert_eq!(store.count("other").await.unwrap(), 0);
}

/// All pages of so many entries, from the first to the last.
async fn pages(store: &Store, limit: usize, newest_first: bool) -> Vec<String> {
    let mut request = ListRequest {
        newest_first,
        ..ListRequest::newest(limit)
    };
    let mut listed = Vec::new();
    loop {
        let page = store.list("default", request.clone()).await.unwrap();
        assert!(page.entries.len() <= limit);
        listed.extend(page.entries.into_iter().map(|entry| entry.entry_id));
        match page.next {
            Some(next) => request.after = Some(next),
            None => return listed,
        }
    }
}

async fn pages_follow_each_other_in_both_directions(store: Store) {
    // Several at one instant: the id decides, byte by byte.
    let mut entries: Vec<Entry> = (0..4).map(|index| entry(index, "text")).collect();
    entries.extend(["Z", "a", "_", "É", "z", "A-1"].map(with_id));
    store.upsert(entries).await.unwrap();
    let mut oldest_first = ids(&["A-1", "Z", "_", "a", "e0", "z", "É", "e1", "e2", "e3"]);
    for limit in [1, 3, 9, 10, 11] {
        assert_eq!(pages(&store, limit, false).await, oldest_first);
    }
    oldest_first.reverse();
    for limit in [1, 4, 10] {
        assert_eq!(pages(&store, limit, true).await, oldest_first);
    }
    let nothing = store.list("default", ListRequest::newest(0)).await.unwrap();
    assert_eq!((nothing.entries.len(), nothing.next), (0, None));
}

async fn a_page_neither_repeats_nor_hides_what_was_there(store: Store) {
    let entries = (0..6).map(|index| entry(index, "text")).collect();
    store.upsert(entries).await.unwrap();
    let first = store.list("default", ListRequest::newest(2)).await.unwrap();
    store
        .upsert(vec![entry(9, "newer"), with_id("older")])
        .await
        .unwrap();
    store.delete("default", &ids(&["e4"])).await.unwrap();
    let filter = Filter::none().and(FilterField::EntryId, Condition::Contains("E".to_owned()));
    let second = ListRequest {
        after: first.next,
        filter,
        ..ListRequest::newest(9)
    };
    let second = store.list("default", second).await.unwrap();
    let second: Vec<&str> = second.entries.iter().map(|e| e.entry_id.as_str()).collect();
    assert_eq!(second, ["e3", "e2", "e1", "older", "e0"]);
}

async fn a_strange_cursor_is_refused(store: Store) {
    for strange in ["", "zz", "3132", "ü"] {
        let request = ListRequest {
            after: Some(Cursor(strange.to_owned())),
            ..ListRequest::newest(1)
        };
        let refused = store.list("default", request).await;
        assert!(matches!(refused, Err(StoreError::InvalidRequest { .. })));
    }
}

async fn values_of_a_field_are_counted(store: Store) {
    let books = [
        json!({"logbook": "RF"}),
        json!({"logbook_name": "RF"}),
        json!({"books": ["RF", "Vacuum", "RF", ["Deep", null]]}),
        json!({"logbook": null, "books": ["hidden"]}),
        json!({"logbook": 3, "deep": {"a": 1}}),
        json!({"logbook": "rf"}),
    ];
    let entries = books.iter().enumerate().map(|(index, metadata)| {
        let mut entry = entry(index, "text");
        entry.author = ["Berg", "anna", "", "Anna", "Berg", "Ölaf"][index].to_owned();
        entry.metadata = metadata.as_object().unwrap().clone();
        entry
    });
    store.upsert(entries.collect()).await.unwrap();
    let of = async |name: &str, limit: usize| {
        let field = FilterField::from_name(name);
        store.distinct("default", &field, limit).await.unwrap()
    };
    let counted = |values: &[(&str, u64)]| -> Vec<(String, u64)> {
        values.iter().map(|&(v, n)| (v.to_owned(), n)).collect()
    };
    let authors = counted(&[("Berg", 2), ("Anna", 1), ("anna", 1), ("Ölaf", 1)]);
    assert_eq!(of("author", 9).await, authors);
    assert_eq!(of("author", 2).await, authors[..2]);
    let books = counted(&[("RF", 3), ("3", 1), ("Deep", 1), ("Vacuum", 1), ("rf", 1)]);
    assert_eq!(of("logbook", 9).await, books);
    assert_eq!(of("logbook", 1).await, books[..1]);
    assert_eq!(of("deep", 9).await, []);
    assert_eq!(of("source", 9).await, counted(&[("test", 6)]));
    assert_eq!(of("kind", 9).await, counted(&[("logbook", 6)]));
    assert_eq!(of("id", 1).await, counted(&[("e0", 1)]));
    let times = store.distinct("default", &FilterField::Timestamp, 9).await;
    assert!(matches!(times, Err(StoreError::InvalidRequest { .. })));
}

async fn writers_at_once_agree_on_who_was_first(store: Store) {
    let entries: Vec<Entry> = (0..30).map(|index| entry(index, "text")).collect();
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let (store, entries) = (store.clone(), entries.clone());
            tokio::spawn(async move { store.upsert(entries).await.unwrap() })
        })
        .collect();
    let mut sum = UpsertReport::default();
    for writer in writers {
        let report = writer.await.unwrap();
        sum.added += report.added;
        sum.unchanged += report.unchanged;
    }
    assert_eq!(sum, report(30, 0, 210));
}

async fn a_change_has_a_number_and_no_change_has_none(store: Store) {
    let sequence = async || store.stats().await.unwrap().sequence;
    let start = sequence().await;
    store
        .upsert(vec![entry(0, "a"), entry(1, "b")])
        .await
        .unwrap();
    let written = sequence().await;
    assert_eq!(written, start + 2);
    store.upsert(vec![entry(0, "a")]).await.unwrap();
    store.delete("default", &ids(&["missing"])).await.unwrap();
    assert_eq!(sequence().await, written);
    store.delete("default", &ids(&["e1"])).await.unwrap();
    assert_eq!(sequence().await, written + 1);
    assert_eq!(store.stats().await.unwrap().entries, 1);
}

async fn runs_are_listed_newest_first(store: Store) {
    let outcome = |status: RunStatus| RunOutcome {
        status,
        added: 1,
        updated: 2,
        unchanged: 3,
        rejected: 4,
        deleted: 5,
        error: Some("the source is gone".to_owned()),
        latest_timestamp: "2024-05-01T00:00:00.000001Z".parse().ok(),
    };
    let all = [RunStatus::Success, RunStatus::Failed, RunStatus::Stopped];
    for status in all {
        let run = store.begin_run("demo").await.unwrap();
        store.finish_run(run, outcome(status)).await.unwrap();
    }
    let open = store.begin_run("other").await.unwrap();
    let runs = store.runs(9).await.unwrap();
    assert_eq!(runs.len(), 4);
    assert_eq!(
        (runs[0].run, runs[0].source_system.as_str()),
        (open, "other")
    );
    assert_eq!(runs[0].outcome.status, RunStatus::Running);
    assert_eq!((runs[0].finished_at, runs[0].outcome.added), (None, 0));
    for (run, status) in runs[1..].iter().zip(all.into_iter().rev()) {
        assert_eq!(run.outcome, outcome(status));
        assert!(run.finished_at.unwrap() >= run.started_at);
    }
    assert_eq!(store.runs(2).await.unwrap(), runs[..2]);
}

async fn what_a_plugin_keeps_is_its_own_and_its_tenants(store: Store) {
    let key = |owner: &str, tenant: &str, key: &str| StateKey {
        owner: owner.to_owned(),
        tenant: tenant.to_owned(),
        key: key.to_owned(),
    };
    let own = key("adapter a", "default", "cursor");
    assert_eq!(store.plugin_state(&own).await.unwrap(), None);
    for value in ["one", "zwölf"] {
        store.set_plugin_state(&own, Some(value)).await.unwrap();
    }
    let kept = store.plugin_state(&own).await.unwrap();
    assert_eq!(kept.as_deref(), Some("zwölf"));
    for other in [
        key("adapter b", "default", "cursor"),
        key("adapter a", "other", "cursor"),
        key("adapter a", "default", "page"),
    ] {
        assert_eq!(store.plugin_state(&other).await.unwrap(), None);
    }
    let bytes = store.plugin_state_bytes("adapter a").await.unwrap();
    assert_eq!(bytes, "cursorzwölf".len() as u64);
    let keys = store.plugin_state_keys("adapter a", "default").await;
    assert_eq!(keys.unwrap(), ["cursor"]);
    let keys = store.plugin_state_keys("adapter a", "other").await;
    assert!(keys.unwrap().is_empty());
    store.set_plugin_state(&own, None).await.unwrap();
    assert_eq!(store.plugin_state(&own).await.unwrap(), None);
    assert_eq!(store.plugin_state_bytes("adapter a").await.unwrap(), 0);
}
