//! Entries that a logbook behind HTTP does not have any more, where it is read
//! on from a cursor: the span that a poll reads completely, and full reads.

use gannet_core::api::{DEFAULT_TENANT, Registration};
use gannet_core::store::StateKey;
use gannet_registry::Registry;
use gannet_tests::{Host, StoreKind, over_both_stores};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::als_service::Logbook;
use crate::watch::{Once, text_of};

/// A host that follows the logbook under the name `log`: twelve days, one with
/// each request, and two again.
async fn host(kind: StoreKind, logbook: &Logbook, more: &str) -> Option<Host> {
    let address = &logbook.address;
    let source = format!(
        "{{log: {{adapter: als_logbook, source_url: \"{address}\", missing: delete{more}}}}}"
    );
    let start = Timestamp::from_second(logbook.now - 12 * 86_400).unwrap();
    let settings = [
        ("start", start.to_string()),
        ("chunk_days", "1".to_owned()),
        ("overlap_hours", "48".to_owned()),
        ("max_retries", "0".to_owned()),
    ];
    let prefix = "ingestion.adapters.als_logbook.settings";
    let settings = settings.map(|(key, value)| (format!("{prefix}.{key}"), value));
    let mut settings: Vec<(&str, &str)> = settings
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    settings.push(("ingestion.sources", &source));
    let linked = Registration::linked().copied();
    Host::on_with_plugins(kind, &settings, &Registry::of(linked).unwrap()).await
}

/// Polls once: new, changed and deleted entries, or why it failed.
async fn poll(host: &Host) -> Result<(u64, u64, u64), String> {
    let once = Once::of(&host.gannet, false).await;
    once.outcome().map_err(str::to_owned)
}

/// Says that the last full read began so many hours ago, or that none is known.
async fn set_last_full_read(host: &Host, hours: Option<i64>) {
    let key = StateKey {
        owner: "full reads of followed sources".to_owned(),
        tenant: DEFAULT_TENANT.to_owned(),
        key: "log".to_owned(),
    };
    let store = host.gannet.store();
    assert!(store.plugin_state(&key).await.unwrap().is_some());
    let began =
        hours.map(|hours| (Timestamp::now() - SignedDuration::from_hours(hours)).to_string());
    store
        .set_plugin_state(&key, began.as_deref())
        .await
        .unwrap();
}

/// Says that the full read that failed began so many hours ago.
async fn set_last_try(host: &Host, hours: i64) {
    let key = StateKey {
        owner: "full reads that were begun".to_owned(),
        tenant: DEFAULT_TENANT.to_owned(),
        key: "log".to_owned(),
    };
    let store = host.gannet.store();
    let kept = store.plugin_state(&key).await.unwrap().unwrap();
    let mut tried: Value = serde_json::from_str(&kept).unwrap();
    let began = Timestamp::now() - SignedDuration::from_hours(hours);
    tried["began"] = json!(began.to_string());
    let tried = tried.to_string();
    store.set_plugin_state(&key, Some(&tried)).await.unwrap();
}

over_both_stores![
    an_entry_that_is_deleted_within_the_overlap_disappears_and_an_older_one_stays,
    a_full_read_that_is_due_finds_old_deletions_and_edits,
    a_first_read_that_was_cut_off_goes_on_before_the_source_is_read_as_a_whole,
    a_full_read_that_fails_holds_up_no_new_entries_and_is_tried_again_later,
    a_full_read_that_gives_nothing_does_not_count,
    a_window_that_is_cut_off_deletes_nothing,
    a_server_that_reads_times_hours_later_deletes_nothing_at_the_beginning_of_the_span,
    a_server_that_reads_times_hours_earlier_deletes_nothing_at_the_end_of_the_span,
    a_span_of_which_more_than_half_is_missing_is_refused,
];

async fn an_entry_that_is_deleted_within_the_overlap_disappears_and_an_older_one_stays(
    kind: StoreKind,
) {
    let logbook = Logbook::start().await;
    let Some(host) = host(kind, &logbook, "").await else {
        return;
    };
    let first = ("FIRST", 40, "fan");
    let (late, new) = (("LATE", 30, "valve"), ("NEW", 1, "leak"));
    logbook.holds(&[("OLD", 240, "pump"), first, late, new]);
    assert_eq!(poll(&host).await, Ok((4, 0, 0)));
    logbook.holds(&[first, new]);
    assert_eq!(poll(&host).await, Ok((0, 0, 1)));
    assert_eq!(text_of(&host, "OLD").await.as_deref(), Some("pump"));
    assert_eq!(text_of(&host, "LATE").await, None);
    assert_eq!(text_of(&host, "NEW").await.as_deref(), Some("leak"));
    // Without any entry it is not known what the logbook has.
    logbook.holds(&[]);
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
}

async fn a_full_read_that_is_due_finds_old_deletions_and_edits(kind: StoreKind) {
    let logbook = Logbook::start().await;
    let Some(host) = host(kind, &logbook, ", full_read_interval_hours: 24").await else {
        return;
    };
    let new = ("NEW", 1, "leak");
    logbook.holds(&[("OLD", 240, "pump"), ("TYPO", 200, "vavle"), new]);
    assert_eq!(poll(&host).await, Ok((3, 0, 0)));
    logbook.holds(&[("TYPO", 200, "valve"), new]);
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    set_last_full_read(&host, Some(23)).await;
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    set_last_full_read(&host, Some(25)).await;
    assert_eq!(poll(&host).await, Ok((0, 1, 1)));
    assert_eq!(text_of(&host, "OLD").await, None);
    assert_eq!(text_of(&host, "TYPO").await.as_deref(), Some("valve"));

    logbook.holds(&[("TYPO", 200, "valve of sector 3"), new]);
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    // Where none is known the source is read to its end first.
    set_last_full_read(&host, None).await;
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    assert_eq!(poll(&host).await, Ok((0, 1, 0)));
}

async fn a_first_read_that_was_cut_off_goes_on_before_the_source_is_read_as_a_whole(
    kind: StoreKind,
) {
    let logbook = Logbook::start().await;
    let Some(host) = host(kind, &logbook, ", full_read_interval_hours: 24").await else {
        return;
    };
    logbook.holds(&[("OLD", 240, "pump"), ("NEW", 1, "leak")]);
    logbook.fails_for(Some(100));
    poll(&host).await.unwrap_err();
    logbook.fails_for(None);
    let windows = logbook.asked();
    assert!((2..12).contains(&windows), "{windows}");
    assert_eq!(poll(&host).await, Ok((1, 0, 0)));
    let windows = logbook.asked();
    assert!((2..12).contains(&windows), "{windows}");
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    assert!(logbook.asked() >= 12);
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    assert!(logbook.asked() <= 4);
}

async fn a_full_read_that_fails_holds_up_no_new_entries_and_is_tried_again_later(kind: StoreKind) {
    let logbook = Logbook::start().await;
    let Some(host) = host(kind, &logbook, ", full_read_interval_hours: 24").await else {
        return;
    };
    let (first, new) = (("FIRST", 20, "fan"), ("NEW", 1, "leak"));
    logbook.holds(&[("OLD", 240, "pump"), first]);
    assert_eq!(poll(&host).await, Ok((2, 0, 0)));
    set_last_full_read(&host, Some(25)).await;
    logbook.holds(&[first, new]);
    logbook.fails_between(100..200);
    poll(&host).await.unwrap_err();
    assert!(text_of(&host, "OLD").await.is_some());
    // It had stopped at the old window, and the next poll does not go on there.
    logbook.asked();
    assert_eq!(poll(&host).await, Ok((1, 0, 0)));
    assert!(logbook.asked() <= 4);
    set_last_try(&host, 2).await;
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    set_last_try(&host, 3).await;
    poll(&host).await.unwrap_err();
    // Another poll comes first, however long ago it was tried.
    set_last_try(&host, 3).await;
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    logbook.fails_for(None);
    assert_eq!(poll(&host).await, Ok((0, 0, 1)));
    assert_eq!(text_of(&host, "OLD").await, None);
    logbook.asked();
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    assert!(logbook.asked() <= 4);
}

async fn a_full_read_that_gives_nothing_does_not_count(kind: StoreKind) {
    let logbook = Logbook::start().await;
    let Some(host) = host(kind, &logbook, ", full_read_interval_hours: 24").await else {
        return;
    };
    let new = ("NEW", 1, "leak");
    logbook.holds(&[("OLD", 240, "pump"), new]);
    assert_eq!(poll(&host).await, Ok((2, 0, 0)));
    set_last_full_read(&host, Some(25)).await;
    logbook.holds(&[]);
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    logbook.holds(&[new]);
    assert_eq!(poll(&host).await, Ok((0, 0, 0)));
    set_last_try(&host, 3).await;
    assert_eq!(poll(&host).await, Ok((0, 0, 1)));
}

async fn a_window_that_is_cut_off_deletes_nothing(kind: StoreKind) {
    let logbook = Logbook::start().await;
    let Some(host) = host(kind, &logbook, "").await else {
        return;
    };
    let first = ("FIRST", 45, "fan");
    let (late, new) = (("LATE", 30, "valve"), ("NEW", 1, "leak"));
    logbook.holds(&[first, ("GONE", 40, "pump"), late, new]);
    assert_eq!(poll(&host).await, Ok((4, 0, 0)));
    logbook.holds(&[first, late, new]);
    logbook.fails_for(Some(36));
    logbook.asked();
    poll(&host).await.unwrap_err();
    // The window with the deleted entry was read, and the one after it was not.
    assert_eq!(logbook.asked(), 2);
    assert!(text_of(&host, "GONE").await.is_some());
    logbook.fails_for(None);
    assert_eq!(poll(&host).await, Ok((0, 0, 1)));
}

async fn a_server_that_reads_times_hours_later_deletes_nothing_at_the_beginning_of_the_span(
    kind: StoreKind,
) {
    let logbook = Logbook::start().await;
    let Some(host) = host(kind, &logbook, "").await else {
        return;
    };
    let (late, new) = (("LATE", 45, "valve"), ("NEW", 1, "leak"));
    logbook.holds(&[late, ("GONE", 20, "pump"), new]);
    assert_eq!(poll(&host).await, Ok((3, 0, 0)));
    // What it would give of the 48 hours if it began with 5 hours less of them.
    logbook.holds(&[new]);
    assert_eq!(poll(&host).await, Ok((0, 0, 1)));
    assert!(text_of(&host, "LATE").await.is_some());
    assert!(text_of(&host, "GONE").await.is_none());
}

async fn a_server_that_reads_times_hours_earlier_deletes_nothing_at_the_end_of_the_span(
    kind: StoreKind,
) {
    let logbook = Logbook::start().await;
    let Some(host) = host(kind, &logbook, "").await else {
        return;
    };
    let (first, middle) = (("FIRST", 40, "fan"), ("MIDDLE", 20, "valve"));
    logbook.holds(&[first, ("GONE", 22, "pump"), middle, ("NEW", 1, "leak")]);
    assert_eq!(poll(&host).await, Ok((4, 0, 0)));
    // What it would give of the 48 hours if it ended with 5 hours less of them.
    logbook.holds(&[first, middle]);
    assert_eq!(poll(&host).await, Ok((0, 0, 1)));
    assert!(text_of(&host, "GONE").await.is_none());
    assert!(text_of(&host, "NEW").await.is_some());
    // A later entry shows that the end was read.
    logbook.holds(&[first, middle, ("LATER", 0, "arc")]);
    assert_eq!(poll(&host).await, Ok((1, 0, 1)));
    assert!(text_of(&host, "NEW").await.is_none());
}

async fn a_span_of_which_more_than_half_is_missing_is_refused(kind: StoreKind) {
    let logbook = Logbook::start().await;
    let Some(host) = host(kind, &logbook, "").await else {
        return;
    };
    let ids: Vec<String> = (0..60).map(|number| format!("E{number}")).collect();
    let hours = |place: usize| if place < 20 { 5 } else { 240 };
    let entries = ids.iter().enumerate();
    let all: Vec<(&str, i64, &str)> = entries
        .map(|(place, id)| (id.as_str(), hours(place), "leak"))
        .collect();
    logbook.holds(&all);
    assert_eq!(poll(&host).await, Ok((60, 0, 0)));
    // 11 of 20 within the overlap, and none of the others was asked for.
    logbook.holds(&all[11..20]);
    let refused = poll(&host).await.unwrap_err();
    assert!(refused.contains("11 of 20 entries after 2"), "{refused}");
    assert!(refused.contains("not in the source any more"), "{refused}");
    assert_eq!(host.gannet.store().count(DEFAULT_TENANT).await.unwrap(), 60);
    logbook.holds(&all[10..20]);
    assert_eq!(poll(&host).await, Ok((0, 0, 10)));
}
